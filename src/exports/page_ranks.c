/* page_ranks.c: the ranks of a job on the page: the mean work of a step in each slice of the
 * run, one row per rank, and the rank that the report blames. Runs without a rank are ignored;
 * null if there are fewer than two ranks. */
#include "page_export.h"

#include "model/ranks.h"
#include "model/tree_builder.h"
#include "report/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLICES 64

struct rank_row {
    const char *rank;
    double total[SLICES], count[SLICES], p50;
};

struct ranks {
    struct rank_row *rows;
    size_t count;
    double wall_ns;
    const pit_node *step;
};

/* Add each stretch to the slice that contains its middle; sign -1: subtract it. */
static void add_series(struct ranks *ranks, struct rank_row *row, const pit_run *run,
                       const pit_raw_node *raw, int sign)
{
    for (size_t i = 0; i < raw->series_count; i++) {
        const pit_series_bin *bin = &raw->series[i];
        double middle = ((double)bin->start + (double)bin->width / 2) * run->ns_per_tick;
        size_t slice = (size_t)fmin(fmax(middle / ranks->wall_ns * SLICES, 0), SLICES - 1);
        row->total[slice] += sign * (double)bin->total * run->ns_per_tick;
        row->count[slice] += sign > 0 ? (double)bin->count : 0;
    }
}

/* 1: the step; -1: the outermost communication inside it; 0: neither. */
static int part_of_step(const pit_tree *tree, size_t step, size_t at)
{
    if (at == step)
        return 1;
    if (!pit__node_is_comm(&tree->nodes[at]))
        return 0;
    for (uint32_t above = tree->nodes[at].parent; above != PIT_NO_NODE;
         above = tree->nodes[above].parent) {
        if (above == step)
            return -1;
        if (pit__node_is_comm(&tree->nodes[above]))
            return 0;
    }
    return 0;
}

/* The work of a step: its time without communication, because in communication all ranks wait
 * for the slowest. */
static void gather(struct ranks *ranks, const struct pit__report *report)
{
    const uint32_t *map = ((const struct pit__tree_box *)(const void *)report->tree)->map;
    size_t step = (size_t)(ranks->step - report->tree->nodes);
    for (size_t r = 0; r < report->run_count; r++) {
        const pit_run *run = report->runs[r];
        struct rank_row *row = &ranks->rows[ranks->count];
        row->rank = pit_run_fact(run, "rank");
        for (size_t t = 0; t < run->thread_count; t++)
            for (size_t i = 0; i < run->threads[t].node_count; i++) {
                int sign = part_of_step(report->tree, step, *map++);
                if (sign && row->rank)
                    add_series(ranks, row, run, &run->threads[t].nodes[i], sign);
            }
        ranks->count += row->rank != NULL;
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *list, size_t count)
{
    if (count == 0)
        return NAN;
    qsort(list, count, sizeof *list, by_size);
    return (list[(count - 1) / 2] + list[count / 2]) / 2;
}

static void find_medians(struct ranks *ranks)
{
    for (size_t r = 0; r < ranks->count; r++) {
        double means[SLICES];
        size_t known = 0;
        for (size_t s = 0; s < SLICES; s++)
            if (ranks->rows[r].count[s] > 0)
                means[known++] = ranks->rows[r].total[s] / ranks->rows[r].count[s];
        ranks->rows[r].p50 = median(means, known);
    }
}

/* The row of the rank that the report blames; PIT_NO_NODE if none. */
static uint32_t straggler(const struct ranks *ranks, const pit_ranks *job, const pit_rank **blamed)
{
    for (size_t i = 0; job && i < job->count; i++)
        for (uint32_t r = 0; job->ranks[i].is_straggler && r < ranks->count; r++)
            if (strtoull(ranks->rows[r].rank, NULL, 10) == job->ranks[i].rank) {
                *blamed = &job->ranks[i];
                return r;
            }
    return PIT_NO_NODE;
}

static void write_rows(struct pit__json *json, const struct ranks *ranks)
{
    pit__json_array(json, "rank");
    for (size_t r = 0; r < ranks->count; r++)
        pit__json_string(json, NULL, ranks->rows[r].rank);
    pit__json_array_end(json);
    pit__json_array(json, "p50_ns");
    for (size_t r = 0; r < ranks->count; r++)
        pit__json_double(json, NULL, ranks->rows[r].p50);
    pit__json_array_end(json);
    pit__json_array(json, "cells");
    for (size_t r = 0; r < ranks->count; r++) {
        pit__json_array(json, NULL);
        for (size_t s = 0; s < SLICES; s++)
            pit__json_double(json, NULL, ranks->rows[r].total[s] / ranks->rows[r].count[s]);
        pit__json_array_end(json);
    }
    pit__json_array_end(json);
}

static void write_ranks(struct pit__json *json, struct ranks *ranks, const pit_ranks *job)
{
    const pit_rank *blamed = NULL;
    find_medians(ranks);
    uint32_t slowest = straggler(ranks, job, &blamed);
    pit__json_object(json, "ranks");
    pit__json_string(json, "step", ranks->step->name);
    write_rows(json, ranks);
    if (slowest == PIT_NO_NODE) {
        pit__json_null(json, "slowest");
        pit__json_null(json, "sentence");
    } else {
        char words[400], more[PIT__UNIT_BYTES];
        snprintf(
            words, sizeof words, "Rank %s makes the others wait: %s%s%s a step.",
            ranks->rows[slowest].rank, blamed->excess_in ? blamed->excess_in : "its work",
            blamed->excess_in ? " +" : " ",
            pit__unit_duration(more, blamed->excess_in ? blamed->excess_ns : blamed->work_ns, 0));
        pit__json_uint(json, "slowest", slowest);
        pit__json_string(json, "sentence", words);
    }
    pit__json_object_end(json);
}

int pit__page_ranks(struct pit__page *page, size_t step)
{
    const struct pit__report *report = &page->report;
    struct ranks ranks = {.wall_ns = report->tree->wall_ns};
    size_t known = 0;
    for (size_t r = 0; r < report->run_count; r++)
        known += pit_run_fact(report->runs[r], "rank") != NULL;
    if (known < 2 || step >= report->tree->node_count || !(ranks.wall_ns > 0)) {
        pit__json_null(&page->json, "ranks");
        return 0;
    }
    ranks.step = &report->tree->nodes[step];
    ranks.rows = calloc(report->run_count + 1, sizeof *ranks.rows);
    if (!ranks.rows)
        return PIT_NO_MEMORY;
    gather(&ranks, report);
    write_ranks(&page->json, &ranks, report->ranks);
    free(ranks.rows);
    return 0;
}
