/* See chart.h. The axes have no labels: the chart shows the slope, the figures are in the table
 * next to it. */
#include "chart.h"

#include <math.h>
#include <string.h>

#define ROWS 10
#define COLUMNS 56
#define FRAME 4

struct frame {
    double x_low, x_high, y_low, y_high; /* logarithms */
    int columns;
};

static int place(double value, double low, double high, int cells)
{
    if (!(high > low))
        return 0;
    int at = (int)((value - low) / (high - low) * (cells - 1) + 0.5);
    return at < 0 ? 0 : at >= cells ? cells - 1 : at;
}

static struct frame frame_of(const double *x, const double *y, const double *fit, size_t count,
                             int width)
{
    struct frame f = {log(x[0]), log(x[count - 1]), log(y[0]), log(y[0]), COLUMNS};
    for (size_t i = 0; i < count; i++) {
        f.y_low = fmin(f.y_low, log(fmin(y[i], fit[i])));
        f.y_high = fmax(f.y_high, log(fmax(y[i], fit[i])));
    }
    if (width > FRAME + 20 && width - FRAME < COLUMNS)
        f.columns = width - FRAME;
    return f;
}

/* The line between the fitted points, straight on the logarithms. */
static void draw_fit(char cells[ROWS][COLUMNS], const struct frame *f, const double *x,
                     const double *fit, size_t count)
{
    for (size_t i = 0; i + 1 < count; i++) {
        int from = place(log(x[i]), f->x_low, f->x_high, f->columns);
        int to = place(log(x[i + 1]), f->x_low, f->x_high, f->columns);
        for (int column = from; column <= to; column++) {
            double part = to > from ? (double)(column - from) / (to - from) : 0;
            double level = log(fit[i]) + part * (log(fit[i + 1]) - log(fit[i]));
            cells[place(level, f->y_low, f->y_high, ROWS)][column] = '.';
        }
    }
}

void pit__chart_print(FILE *out, const double *x, const double *y, const double *fit, size_t count,
                      int width, int ascii)
{
    char cells[ROWS][COLUMNS];
    if (count < 2)
        return;
    struct frame f = frame_of(x, y, fit, count, width);
    memset(cells, ' ', sizeof cells);
    draw_fit(cells, &f, x, fit, count);
    for (size_t i = 0; i < count; i++)
        cells[place(log(y[i]), f.y_low, f.y_high, ROWS)]
             [place(log(x[i]), f.x_low, f.x_high, f.columns)] = 'o';
    for (int row = ROWS - 1; row >= 0; row--) {
        int end = f.columns;
        while (end > 0 && cells[row][end - 1] == ' ')
            end--;
        fputs(ascii ? "  |" : "  │", out);
        for (int column = 0; column < end; column++) {
            char c = cells[row][column];
            fputs(c == 'o' ? (ascii ? "o" : "●") : c == '.' ? (ascii ? "." : "·") : " ", out);
        }
        fputc('\n', out);
    }
    fputs(ascii ? "  +" : "  └", out);
    for (int column = 0; column < f.columns; column++)
        fputs(ascii ? "-" : "─", out);
    fputs(ascii ? "\n   o measured, . fit; both axes are logarithmic\n\n"
                : "\n   ● measured, · fit; both axes are logarithmic\n\n",
          out);
}
