/* Many runs, one line per run. */
#include "check.h"

#include "made_run.h"
#include "views/list_view.h"

static char *printed(const struct pit__listed *list, size_t count,
                     const pit_report_options *options)
{
    static char *text;
    static size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    CHECK_INT(pit__list_print(out, list, count, options), 0);
    fclose(out);
    return keep(text);
}

/* Two runs, and a file that is not a run. */
static size_t make(struct pit__listed *list, pit_run *runs)
{
    setenv("TZ", "UTC", 1);
    runs[0] = made_run(NULL, 0);
    runs[1] = made_run(NULL, 0);
    runs[1].state = PIT_RUN_DIED;
    runs[1].damaged_at = 4160;
    list[0] = (struct pit__listed){.path = "runs/a.pit", .run = &runs[0], .time_wall_ns = 10};
    list[1] = (struct pit__listed){.path = "runs/b.pit", .run = &runs[1], .time_wall_ns = 30};
    list[2] = (struct pit__listed){.path = "runs/c.pit", .why = "truncated", .time_wall_ns = 20};
    return 3;
}

TEST(the_newest_comes_first_and_ties_go_by_path)
{
    struct pit__listed list[4];
    pit_run runs[2];
    size_t count = make(list, runs);
    list[count++] = (struct pit__listed){.path = "runs/B.pit", .why = "x", .time_wall_ns = 30};
    pit__list_sort(list, count);
    CHECK_STR(list[0].path, "runs/B.pit");
    CHECK_STR(list[1].path, "runs/b.pit");
    CHECK_STR(list[2].path, "runs/c.pit");
    CHECK_STR(list[3].path, "runs/a.pit");
}

TEST(a_line_has_state_start_duration_program_labels_and_path)
{
    struct pit__listed list[3];
    pit_run runs[2];
    make(list, runs);
    list[0].time_wall_ns = runs[0].start_wall_ns;
    CHECK_STR(printed(list, 1, &(pit_report_options){.ascii = 1}),
              "state  started              duration  program  labels  run\n"
              "done   2023-11-14 22:13:20    12.5 s  train    lr=0.1  runs/a.pit\n");
}

TEST(what_is_damaged_or_unreadable_is_listed_with_the_reason)
{
    struct pit__listed list[3];
    pit_run runs[2];
    char *text = printed(list, make(list, runs), &(pit_report_options){.ascii = 1});
    CHECK(strstr(text, "damaged from byte 4160 on") != NULL);
    CHECK(strstr(text, "unreadable  n/a ") != NULL);
    CHECK(strstr(text, "truncated") != NULL);
    CHECK(strstr(text, "died ") != NULL);
}

TEST(on_a_narrow_terminal_a_path_keeps_its_end_and_no_line_is_too_long)
{
    struct pit__listed list[3];
    pit_run runs[2];
    size_t count = make(list, runs);
    list[0].path = "pitwall-runs/a-program-with-a-long-name-20261116-025953-vm-21366.pit";
    char *text = printed(list, count, &(pit_report_options){.ascii = 1, .width = 90});
    CHECK(strstr(text, "-21366.pit") != NULL);
    CHECK(strstr(text, "pitwall-runs/a-program") == NULL);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        CHECK(strlen(line) <= 90);
}

TEST(as_json_it_has_labels_as_an_object_and_null_for_no_error)
{
    struct pit__listed list[3];
    pit_run runs[2];
    char *text = printed(list, make(list, runs), &(pit_report_options){.form = PIT_JSON});
    CHECK(strstr(text, "\"labels\": {\"lr\": \"0.1\"}") != NULL);
    CHECK(strstr(text, "\"state\": \"unreadable\"") != NULL);
    CHECK(strstr(text, "\"error\": \"truncated\"") != NULL);
    CHECK(strstr(text, "\"error\": null") != NULL);
}

TEST(an_empty_list_prints_nothing_as_text_and_an_empty_array_as_json)
{
    CHECK_STR(printed(NULL, 0, &(pit_report_options){0}), "");
    CHECK(strstr(printed(NULL, 0, &(pit_report_options){.form = PIT_JSON}), "\"runs\": []") !=
          NULL);
}
