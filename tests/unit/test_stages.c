/* Stages of a pipeline: lines, summary, JSON, memory. */
#include "check.h"

#include "monitor_stage.h"

#include <math.h>
#include <pthread.h>

static void took(pit_stages *stages, const char *wall, const char *stage_name, double seconds)
{
    stage_set_wall(wall);
    pit_stage_took(stages, stage_name, seconds);
}

static void sample(pit_stages *stages)
{
    stage_set_wall("2024-10-13 22:30:00");
    pit_stage(stages, "=== TRAINING PIPELINE START ===");
    took(stages, "2024-10-13 22:30:01", "Argument parsing", 0.12);
    took(stages, "2024-10-13 22:30:45", "LLM model loading", 44.23);
    took(stages, "2024-10-13 22:01:30", "Graph tower initialization (gpm)", 2.45);
    took(stages, "2024-10-13 22:02:15", "Dataset loading and preprocessing", 12.34);
    took(stages, "2024-10-13 22:02:16", "Trainer initialization", 0.89);
    took(stages, "2024-10-13 23:15:30", "Main training loop", 2345.67);
    took(stages, "2024-10-13 23:15:35", "State saving", 4.23);
    pit_stages_summary(stages);
}

TEST(the_lines_are_the_documents_and_the_run_gives_them_again)
{
    stage_up(0);
    stage_record();
    pit_stages *stages = pit_stages_new();
    sample(stages);
    CHECK_STR(stage_text(), stage_golden("live-stages.txt"));
    CHECK_STR(stage_view("stages", PIT_TEXT), stage_golden("live-stages.txt"));
    pit_stages_free(stages);
}

TEST(repeats_add_up_and_the_total_is_the_sum_of_the_stages)
{
    stage_up(0);
    pit_stages *stages = pit_stages_new();
    pit_stage_took(stages, "load", 1);
    pit_stage_took(stages, "train", 7195);
    pit_stage_took(stages, "load", 4);
    stage_text();
    pit_stages_summary(stages);
    const char *text = stage_text();
    CHECK(
        strstr(text, "  load                                    : 5.00s                (0.1%)\n"));
    CHECK(
        strstr(text, "  train                                   : 7195.00s (2.00h)     (99.9%)\n"));
    CHECK(strstr(text, "  TOTAL                                   : 7200.00s (2.00h)\n"));
    size_t count;
    const pit_row *rows = pit_stages_rows(stages, &count);
    CHECK_INT(count, 2);
    CHECK_INT(rows[0].count, 2);
    pit_stages_free(stages);
}

TEST(minutes_show_from_sixty_seconds_and_hours_from_an_hour)
{
    stage_up(0);
    pit_stages *stages = pit_stages_new();
    double times[] = {0, 59.99, 60, 3599, 3600, -3, NAN};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        pit_stage_took(stages, "x", times[i]);
#define AT "[2024-10-13 22:30:00] [TIMING] x: "
    CHECK_STR(stage_text(),
              AT "0.00s\n" AT "59.99s\n" AT "60.00s (1.00min)\n" AT "3599.00s (59.98min)\n" AT
                 "3600.00s (1.00h)\n" AT "0.00s\n" AT "n/a\n");
    pit_stages_free(stages);
}

TEST(a_stage_ends_at_the_next_one_and_at_the_summary)
{
    stage_up(1);
    stage_record();
    pit_stages *stages = pit_stages_new();
    char name[] = "first";
    pit_stage_end(stages); /* nothing open */
    pit_stage_begin(stages, name, 1);
    strcpy(name, "gone!");
    stage.rss += (uint64_t)(8 * STAGE_MB);
    stage_wait_seconds(2);
    pit_stage_begin(stages, "second", 0);
    stage_wait_seconds(3);
    pit_stages_summary(stages);
    const char *text = stage_text();
    const char *begin = "[2024-10-13 22:30:00] [STAGE] first\n"
                        "[2024-10-13 22:30:02] [TIMING] first: 2.00s\n"
                        "[2024-10-13 22:30:02] [STAGE] second\n"
                        "[2024-10-13 22:30:05] [TIMING] second: 3.00s\n"
                        "======";
    CHECK(strstr(text, begin) == text);
    CHECK_STR(stage_view("stages", PIT_TEXT), text);
    CHECK_INT(stage_spans("first"), 1);
    CHECK_INT(stage_spans("second"), 1);
    CHECK_INT(stage_misuse(), 0);
    pit_run *run = pit_run_read(NULL, NULL);
    REQUIRE(run && run->journal_count >= 4);
    CHECK_STR(run->journal[1].kind, "timing");
    REQUIRE(run->journal[1].figure_count == 3);
    CHECK_STR(run->journal[1].figures[1].key, "cpu_delta_mb");
    CHECK_NEAR(run->journal[1].figures[1].value, 8, 1e-6);
    CHECK_INT(run->journal[3].figure_count, 1);
    pit_run_free(run);
    pit_stages_free(stages);
}

TEST(an_empty_summary_has_a_total_of_nothing_and_no_shares_are_made_up)
{
    stage_up(0);
    pit_stages *stages = pit_stages_new();
    pit_stages_summary(stages);
    CHECK(strstr(stage_text(), "  TOTAL                                   : 0.00s\n"));
    pit_stage_took(stages, "idle", 0);
    stage_text();
    pit_stages_summary(stages);
    CHECK(strstr(stage_text(),
                 "  idle                                    : 0.00s                (n/a)\n"));
    pit_stages_free(stages);
}

TEST(a_long_name_widens_its_column_and_is_cut_at_the_rule)
{
    stage_up(0);
    stage_record();
    pit_stages *stages = pit_stages_new();
    pit_stage_took(stages, "short", 1);
    pit_stage_took(stages, "a name that takes exactly forty-four columns", 1);
    pit_stages_summary(stages);
    const char *text = stage_text();
    CHECK(strstr(text,
                 "  a name that takes exactly forty-four columns: 1.00s                (50.0%)\n"));
    CHECK(strstr(text,
                 "  short                                       : 1.00s                (50.0%)\n"));
    CHECK(strstr(text, "  TOTAL                                       : 2.00s\n"));
    pit_stage_took(
        stages, "a name that is far too long for any column of this summary, and has\na line break",
        1);
    pit_stages_summary(stages);
    text = stage_text();
    CHECK(strstr(text, "has\\na line break: 1.00s\n"));
    CHECK(strstr(
        text,
        "  a name that is far too long for any column of t…: 1.00s                (33.3%)\n"));
    CHECK(strlen(strstr(stage_view("stages", PIT_TEXT), text)) == strlen(text));
    pit_stages_free(stages);
}

TEST(the_document_has_the_stages_and_the_wall_time)
{
    stage_up(0);
    pit_stages *stages = pit_stages_new();
    pit_stage_took(stages, "load", 1.5);
    pit_stage_took(stages, "say \"hi\"", 2);
    stage_wait_seconds(10);
    char path[] = "/tmp/pitwall-stages-XXXXXX", text[512];
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    CHECK_INT(pit_stages_save(stages, path), 0);
    FILE *file = fopen(path, "r");
    REQUIRE(file != NULL);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    CHECK_STR(text, "{\n  \"timings\": {\n    \"load\": 1.5,\n    \"say \\\"hi\\\"\": 2\n  },\n"
                    "  \"total_time\": 10\n}\n");
    fclose(file);
    close(fd);
    unlink(path);
    CHECK(pit_stages_save(stages, "/no/such/folder/x.json") != 0);
    CHECK_INT(pit_stages_save(NULL, path), PIT_BAD_ARGUMENT);
    CHECK_NEAR(pit_stages_wall(stages), 10, 1e-9);
    pit_stages_free(stages);
}

static void *log_many(void *argument)
{
    for (int i = 0; i < 250; i++)
        pit_stage_took(argument, "shared", 1);
    pit_stage_begin(argument, "handed on", 1);
    return NULL;
}

TEST(threads_share_a_log_and_one_ends_what_another_began)
{
    pit_set_print(NULL, NULL);
    pit_set_verbose(0);
    stage_record();
    pit_stages *stages = pit_stages_new();
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        REQUIRE(pthread_create(&threads[i], NULL, log_many, stages) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    pit_stage_end(stages);
    size_t count;
    const pit_row *rows = pit_stages_rows(stages, &count);
    CHECK_INT(stage_row(rows, count, "shared")->count, 1000);
    CHECK(stage_row(rows, count, "handed on") != NULL);
    CHECK(stage_row(rows, count, "handed on")->seconds >= 0);
    pit_stages_free(stages);
}

TEST(no_object_no_harm)
{
    size_t count = 3;
    pit_stage(NULL, "x");
    pit_stage_took(NULL, "x", 1);
    pit_stage_begin(NULL, "x", 1);
    pit_stage_end(NULL);
    pit_stages_summary(NULL);
    pit_stages_free(NULL);
    CHECK(pit_stages_rows(NULL, &count) == NULL && count == 0);
    CHECK_NEAR(pit_stages_wall(NULL), 0, 0);
}

TEST(a_block_inside_a_block_leaves_the_outer_its_time)
{
    stage_up(1);
    pit_stages *stages = pit_stages_new();
    pit_stage_enter(stages, "outer", 0);
    stage_wait_seconds(1);
    pit_stage_enter(stages, "inner", 0);
    stage_wait_seconds(2);
    pit_stage_leave(stages, NULL);
    pit_stage_begin(stages, "begun", 0);
    stage_wait_seconds(4);
    pit_stage_leave(stages, "outer"); /* also ends the stage begun in it */
    CHECK_NEAR(pit_stages_time(stages, "outer"), 7, 1e-9);
    CHECK_NEAR(pit_stages_time(stages, "inner"), 2, 1e-9);
    CHECK_NEAR(pit_stages_time(stages, "begun"), 4, 1e-9);
    CHECK(isnan(pit_stages_time(stages, "never")));
    pit_stage_enter(stages, "open", 0);
    stage_wait_seconds(3);
    stage_text();
    pit_stages_summary(stages);
    const char *text = stage_text();
    CHECK(strstr(text,
                 "\n    inner                                 : 2.00s                (20.0%)\n"));
    CHECK(strstr(text,
                 "\n  outer                                   : 7.00s                (70.0%)\n"));
    CHECK(strstr(text,
                 "\n  open (open)                             : 3.00s                (30.0%)\n"));
    CHECK(strstr(text, "\n  TOTAL                                   : 10.00s\n"));
    pit_stage_leave(stages, "not open");
    pit_stage_leave(stages, "open");
    CHECK_NEAR(pit_stages_time(stages, "open"), 3, 1e-9);
    pit_stages_free(stages);
}
