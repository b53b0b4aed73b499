/* train_from_pipe: learns from measurements that another process sends at its own pace. */
#include <pitwall.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 512, BATCHES = 150 };

static void send_all(int out)
{
    float row[WIDTH];
    struct timespec pause = {0, 15000000};
    for (int number = 0; number < BATCHES; number++) {
        for (int i = 0; i < WIDTH; i++)
            row[i] = (float)((number * 31 + i * 17) % 100) / 100;
        nanosleep(&pause, NULL);
        if (write(out, row, sizeof row) != (ssize_t)sizeof row)
            _exit(1);
    }
    _exit(0);
}

static void fetch(int in, float *row)
{
    for (size_t got = 0; got < WIDTH * sizeof *row;) {
        ssize_t n = read(in, (char *)row + got, WIDTH * sizeof *row - got);
        if (n <= 0)
            exit(1);
        got += (size_t)n;
    }
}

int main(void)
{
    static float weights[WIDTH][WIDTH], row[WIDTH], out[WIDTH];
    int ends[2];
    if (pipe(ends))
        return 1;
    pid_t child = fork();
    if (child == 0)
        send_all(ends[1]);
    close(ends[1]);
    for (int number = 0; number < BATCHES; number++)
        PIT_SPAN("iteration") {
            PIT_SPAN("fetch")
                fetch(ends[0], row);
            PIT_SPAN("learn")
                for (int pass = 0; pass < 8; pass++)
                    for (int i = 0; i < WIDTH; i++) {
                        float sum = 0;
                        for (int j = 0; j < WIDTH; j++)
                            sum += weights[i][j] * row[j];
                        out[i] = sum;
                        for (int j = 0; j < WIDTH; j++)
                            weights[i][j] += 1e-3f * (row[i] - sum) * row[j];
                    }
        }
    waitpid(child, NULL, 0);
    printf("%g\n", (double)out[7]);
    return 0;
}
