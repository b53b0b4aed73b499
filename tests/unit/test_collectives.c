/* Collective calls of groups of ranks: their numbers, which are kept, which are open. */
#include "pitwall_report.h"
#include "probe.h"

#include <string.h>

#define POINTS 1024u /* of a half */

static pit_site barrier = PIT_SITE_WITH("MPI_Barrier", PIT_COMM | PIT_SYNC);
static pit_site bcast = PIT_SITE_WITH("MPI_Bcast", PIT_COMM);

static void open_in_memory(void)
{
    pit_options options = {.in_memory = 1, .sample_hz = -1};
    CHECK_INT(pit_open(NULL, &options), PIT_OK);
}

static const pit_group *group_of(const pit_run *run, uint64_t id)
{
    for (size_t i = 0; run && i < run->group_count; i++)
        if (run->groups[i].id == id)
            return &run->groups[i];
    return NULL;
}

static void call(uint32_t group, uint64_t times, uint64_t bytes)
{
    for (uint64_t i = 0; i < times; i++)
        pit_end(pit_collective_begin(&barrier, group, bytes));
}

TEST(each_call_has_its_number_bytes_and_node)
{
    open_in_memory();
    uint32_t world = pit_group_open(77, 4, 3);
    CHECK(world != 0);
    CHECK_INT(pit_group_open(77, 4, 3), world);
    PIT_SPAN("step") {
        call(world, 2, 100);
        pit_end(pit_collective_begin(&bcast, world, 5));
    }
    CHECK_INT(pit_group_calls(world), 3);
    pit_run *run = pit_run_read(NULL, NULL);
    const pit_group *group = group_of(run, 77);
    CHECK(group != NULL);
    CHECK_INT(group->size, 4);
    CHECK_INT(group->rank, 3);
    CHECK_INT(group->calls, 3);
    CHECK_INT(group->stride, 1);
    CHECK_INT(group->point_count, 3);
    for (uint64_t i = 0; i < 3; i++) {
        const pit_collective *point = &group->points[i];
        const pit_raw_node *node = &run->threads[point->thread].nodes[point->node];
        CHECK_INT(point->seq, i);
        CHECK_INT(point->bytes, i < 2 ? 100 : 5);
        CHECK_INT(point->is_sync, i < 2);
        CHECK(point->duration_ns != PIT_UNKNOWN);
        CHECK(i == 0 || point->enter_ns >= group->points[i - 1].enter_ns);
        CHECK(strcmp(node->name, i < 2 ? "MPI_Barrier" : "MPI_Bcast") == 0);
        CHECK_INT(node->bytes, i < 2 ? 200 : 5);
        CHECK(node->is_comm);
        CHECK(!run->threads[point->thread].nodes[node->parent].is_comm);
    }
    pit_run_free(run);
    pit_group_close(world);
    pit_close();
}

TEST(the_stride_doubles_by_number_and_the_newest_open_call_is_there)
{
    open_in_memory();
    uint32_t world = pit_group_open(78, 2, 0);
    call(world, 4 * POINTS + 1, 1); /* stride 8: numbers 0, 8, … 4096 */
    pit_token open = pit_collective_begin(&bcast, world, 9);
    pit_run *run = pit_run_read(NULL, NULL);
    const pit_group *group = group_of(run, 78);
    CHECK(group != NULL);
    CHECK_INT(group->calls, 4 * POINTS + 2);
    CHECK_INT(group->stride, 8);
    CHECK_INT(group->point_count, POINTS / 2 + 2);
    for (size_t i = 0; i + 1 < group->point_count; i++) {
        CHECK_INT(group->points[i].seq, 8 * i);
        CHECK(group->points[i].duration_ns != PIT_UNKNOWN);
    }
    const pit_collective *last = &group->points[group->point_count - 1];
    CHECK_INT(last->seq, 4 * POINTS + 1);
    CHECK_INT(last->bytes, 9);
    CHECK(last->duration_ns == PIT_UNKNOWN);
    pit_run_free(run);
    pit_end(open);
    run = pit_run_read(NULL, NULL);
    group = group_of(run, 78);
    CHECK_INT(group->point_count, POINTS / 2 + 1); /* ended, and its number is not kept */
    pit_run_free(run);
    pit_group_close(world);
    pit_close();
}

TEST(numbers_go_on_where_nothing_is_recorded_and_in_the_next_run)
{
    uint32_t world = pit_group_open(79, 2, 1);
    open_in_memory();
    call(world, 3, 0);
    pit_close();
    pit_recorder_free(pit_default_recorder());
    open_in_memory();
    call(world, 2, 0);
    pit_run *run = pit_run_read(NULL, NULL);
    const pit_group *group = group_of(run, 79);
    CHECK(group != NULL);
    CHECK_INT(group->calls, 5);
    CHECK_INT(group->point_count, 2); /* the first three are not known here */
    CHECK_INT(group->points[0].seq, 3);
    pit_run_free(run);
    pit_group_close(world);
    pit_close();
}

/* Spans deeper than the limit are not recorded, but their calls count. */
TEST(calls_that_were_not_recorded_leave_a_gap)
{
    enum { DEEP = 300, UNSEEN = 5000 };
    pit_token tokens[DEEP];
    open_in_memory();
    uint32_t world = pit_group_open(83, 2, 1), after = pit_group_open(84, 2, 1);
    call(world, 3 * POINTS, 0);
    call(after, 3, 7);
    for (int i = 0; i < DEEP; i++)
        tokens[i] = pit_begin_name("deep");
    call(world, UNSEEN, 0);
    for (int i = DEEP; i-- > 0;)
        pit_end(tokens[i]);
    call(world, 1, 0);
    pit_run *run = pit_run_read(NULL, NULL);
    const pit_group *group = group_of(run, 83);
    CHECK(group != NULL);
    CHECK_INT(group->calls, 3 * POINTS + UNSEEN + 1);
    CHECK_INT(group->stride, 8);
    for (size_t i = 0; i < group->point_count; i++) {
        uint64_t seq = group->points[i].seq;
        CHECK(seq < 3 * POINTS || seq == 3 * POINTS + UNSEEN);
        CHECK(i == 0 || group->points[i].enter_ns >= group->points[i - 1].enter_ns);
    }
    CHECK_INT(group->point_count, 3 * POINTS / 8 + 1);
    group = group_of(run, 84); /* its block is behind the other's */
    CHECK(group != NULL);
    CHECK_INT(group->calls, 3);
    CHECK_INT(group->point_count, 3);
    pit_run_free(run);
    pit_group_close(world);
    pit_group_close(after);
    pit_close();
}

TEST(a_call_that_is_dropped_with_the_span_around_it_is_not_inside_any_more)
{
    open_in_memory();
    uint32_t world = pit_group_open(80, 2, 1);
    pit_token outer = pit_begin_name("outer");
    pit_collective_begin(&bcast, world, 0);
    pit_end(outer);
    pit_run *run = pit_run_read(NULL, NULL);
    const pit_group *group = group_of(run, 80);
    CHECK_INT(group->point_count, 1);
    CHECK(group->points[0].duration_ns != PIT_UNKNOWN);
    CHECK_INT(run->losses.abandoned, 1);
    pit_run_free(run);
    pit_group_close(world);
    pit_close();
}

TEST(spans_inside_and_around_a_collective_keep_their_time)
{
    open_in_memory();
    uint32_t world = pit_group_open(81, 2, 1);
    for (int i = 0; i < 50; i++)
        PIT_SPAN("step") {
            pit_token token = pit_collective_begin(&bcast, world, 1);
            PIT_SPAN("inside") {
                pit_items(1);
            }
            pit_end(token);
        }
    pit_run *run = pit_run_read(NULL, NULL);
    const pit_raw_node *nodes = run->threads[0].nodes;
    CHECK_INT(run->threads[0].node_count, 3);
    for (size_t i = 0; i < 3; i++)
        CHECK_INT(nodes[i].count, 50);
    CHECK_INT(nodes[0].child, nodes[1].total);
    CHECK_INT(nodes[1].child, nodes[2].total);
    CHECK_INT(nodes[2].items, 50);
    CHECK_INT(run->losses.abandoned, 0);
    pit_run_free(run);
    pit_group_close(world);
    pit_close();
}

/* With and without a caller, and with spans inside, as MPI's callbacks may have. */
TEST(calls_with_their_caller_are_logged_with_their_end)
{
    static const char code[4];
    open_in_memory();
    uint32_t world = pit_group_open(85, 2, 1);
    for (int i = 0; i < 40; i++) {
        pit_token token = pit_begin_call(&bcast, world, i % 2 ? &code[i % 4] : NULL, PIT_TO_ALL, 3);
        if (i % 3 == 0)
            PIT_SPAN("inside") {
                pit_items(1);
            }
        pit_end_call(token);
    }
    pit_run *run = pit_run_read(NULL, NULL);
    const pit_group *group = group_of(run, 85);
    CHECK(group != NULL);
    CHECK_INT(group->calls, 40);
    CHECK_INT(group->point_count, 40);
    uint64_t time = 0;
    for (size_t i = 0; i < group->point_count; i++) {
        CHECK(group->points[i].duration_ns != PIT_UNKNOWN);
        CHECK_INT(group->points[i].bytes, 3);
        time += group->points[i].duration_ns;
    }
    const pit_raw_node *node = &run->threads[0].nodes[0];
    CHECK_INT(node->count, 40);
    CHECK_INT(node->bytes, 120);
    CHECK((double)time <= (double)node->total * run->ns_per_tick + 1);
    CHECK_INT(run->losses.abandoned, 0);
    pit_run_free(run);
    pit_group_close(world);
    pit_close();
}

TEST(groups_without_room_and_bad_ones_are_plain_spans)
{
    open_in_memory();
    CHECK_INT(pit_group_open(1, 0, 0), 0);
    CHECK_INT(pit_group_open(1, 2, 2), 0);
    CHECK_INT(pit_group_calls(0), 0);
    pit_group_close(0);
    pit_group_close(1000);
    CHECK_INT(pit_collective_begin(NULL, 0, 0), 0);
    call(0, 3, 7);
    call(256, 3, 7);
    uint32_t numbers[300];
    for (uint32_t i = 0; i < 300; i++) {
        numbers[i] = pit_group_open(1000 + i, 2, 0);
        call(numbers[i], 1, 0);
    }
    CHECK_INT(numbers[299], 0);
    pit_run *run = pit_run_read(NULL, NULL);
    CHECK_INT(run->group_count, 64);
    CHECK_INT(run->threads[0].nodes[0].count, 306);
    CHECK(run->threads[0].nodes[0].is_comm);
    pit_run_free(run);
    for (uint32_t i = 0; i < 300; i++)
        pit_group_close(numbers[i]);
    pit_close();
}

TEST(a_name_is_communication_however_it_is_said)
{
    static pit_site later = PIT_SITE_WITH("later", PIT_COMM);
    open_in_memory();
    pit_end(pit_begin_name("later"));
    pit_end(pit_begin(&later));
    pit_end(pit_begin_with("named", PIT_COMM));
    pit_end(pit_begin_name("plain"));
    pit_run *run = pit_run_read(NULL, NULL);
    const pit_raw_node *nodes = run->threads[0].nodes;
    CHECK_INT(run->threads[0].node_count, 3);
    CHECK(nodes[0].is_comm && nodes[1].is_comm && !nodes[2].is_comm);
    const pit_run *runs[] = {run};
    pit_tree *tree = pit_tree_build(runs, 1);
    for (size_t i = 0; tree && i < tree->node_count; i++)
        CHECK_INT(tree->nodes[i].is_comm, strcmp(tree->nodes[i].name, "plain") != 0);
    pit_tree_free(tree);
    pit_run_free(run);
    pit_close();
}
