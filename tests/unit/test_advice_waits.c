/* Rules of advice for waits: what a pool of processes copies, and storage. */
#include "advice_stage.h"

/* Ten seconds of frames that are filtered and measured, with no framework. */
static struct pit__case frames(double filtering)
{
    struct pit__case all = healthy();
    parts[0] = part_of("frame", PIT__NO_PART, 10);
    parts[1] = part_of("measure", 0, 10 - filtering);
    parts[2] = part_of("filter", 0, filtering);
    parts[0].children = parts[0].own_parts = 2;
    parts[0].self_seconds = 0;
    all.part_count = 3;
    all.unit = 0;
    all.told.framework = NULL;
    all.told.compute_threads = NAN;
    all.idle = 0;
    all.around.cpu = all.around.main_cpu;
    return all;
}

/* The same with a pool of processes: threads of the program send and receive, the main thread waits. */
static struct pit__case pool(void)
{
    struct pit__case all = frames(9);
    all.idle = 0.88;
    all.around.main_cpu = 0.1;
    all.around.cpu = 0.7;
    all.used = 0.7 * 11 + 6; /* 6 s are the children's */
    all.around.moved = 500e6;
    all.around.moves = 2000;
    all.around.looks = (struct pit__looks){.working = 70, .lock = 95, .pipes = 40};
    return all;
}

TEST(what_a_pool_copies_is_the_cause_of_the_wait_for_it)
{
    struct pit__case all = pool();
    CHECK_STR(rules_of(&all), "copying");
    CHECK_INT(found[0].match.part, 2);
    CHECK_INT(found[0].match.severity, 2);
    CHECK_NEAR(found[0].match.stake, 6.6, 1e-9); /* 0.6 processors for 11 s */
    CHECK(strstr(found[0].match.remedy, "share memory") != NULL);
    all.around.moves = 50e3; /* no matter where they wait */
    all.around.moved = 1e6;
    all.around.looks.pipes = 0;
    CHECK_STR(rules_of(&all), "copying");
    CHECK(strstr(found[0].match.remedy, "chunksize") != NULL);
}

TEST(a_pool_whose_processes_work_does_not_copy)
{
    struct pit__case all = pool();
    all.used = 0.7 * 11 + 60; /* of many processors */
    CHECK(strstr(rules_of(&all), "copying") == NULL);
    all = pool();
    all.used = 0.7 * 11; /* no children: its threads compute */
    CHECK(strstr(rules_of(&all), "copying") == NULL);
    all = pool();
    all.used = NAN; /* still runs */
    CHECK(strstr(rules_of(&all), "copying") == NULL);
    all = pool();
    all.around.moved = 1e6;
    all.around.moves = 100;
    CHECK(strstr(rules_of(&all), "copying") == NULL);
    all = pool();
    all.around.looks.pipes = 0; /* files */
    CHECK(strstr(rules_of(&all), "copying") == NULL);
    all = pool();
    all.around.cpu = 0.15;
    CHECK(strstr(rules_of(&all), "copying") == NULL);
    all = pool();
    all.around.looks.lock = 0;
    all.around.looks.sleep = 95;
    CHECK(strstr(rules_of(&all), "copying") == NULL);
    all = pool();
    all.told.workers = 2; /* the rules of input say more */
    CHECK(strstr(rules_of(&all), "copying") == NULL);
}

TEST(waits_for_storage_are_named_below_half_of_the_time)
{
    struct pit__case all = frames(4);
    all.idle = 0.3;
    CHECK_STR(rules_of(&all), "compute");
    all.around.looks.sync = 30;
    CHECK_STR(rules_of(&all), "waiting");
    CHECK_STR(found[0].match.texts[0], "until data is on the disk");
    CHECK_INT(found[0].match.severity, 2);
    CHECK_NEAR(found[0].match.stake, 3, 1e-9);
    CHECK_INT(found[0].match.part, PIT__NO_PART); /* both are long enough */
    all.around.looks.lock = 30;                   /* half of the waits */
    CHECK_STR(rules_of(&all), "compute");
    all.around.looks = (struct pit__looks){.disk = 30};
    CHECK_STR(rules_of(&all), "waiting");
    CHECK_STR(found[0].match.texts[0], "for data from the disk");
    all.around.looks.disk = 6; /* could be chance */
    CHECK_STR(rules_of(&all), "compute");
    all.around.looks = (struct pit__looks){.sleep = 30};
    CHECK_STR(rules_of(&all), "compute");
}

TEST(the_only_part_with_room_for_the_waits_is_named)
{
    struct pit__case all = frames(7.9);
    all.idle = 0.35;
    all.around.looks.sync = 30;
    CHECK_STR(rules_of(&all), "waiting");
    CHECK_INT(found[0].match.part, 2);
    CHECK(strstr(found[0].match.headline, "in {name}") != NULL);
}

TEST(saving_that_waits_for_the_disk_is_saving)
{
    struct pit__case all = frames(5);
    parts[2] = part_of("save_state", 0, 5);
    all.idle = 0.45;
    all.around.looks.sync = 40;
    CHECK_STR(rules_of(&all), "checkpoint");
}

TEST(how_long_a_disk_takes_varies_and_is_no_slowdown)
{
    struct pit__case all = frames(7.9);
    all.step_up = 2;
    all.step_from = 0.06;
    all.later.part = 2;
    CHECK_STR(rules_of(&all), "slowdown");
    all.idle = 0.35;
    all.around.looks.sync = 30;
    CHECK_STR(rules_of(&all), "waiting");
    all.later.part = 1; /* another part became slower */
    CHECK_STR(rules_of(&all), "slowdown waiting");
}

TEST(a_program_without_spans_that_waits_for_the_disk)
{
    struct pit__case all = healthy();
    all.part_count = 0;
    all.unit = PIT__NO_PART;
    all.has_course = 0;
    all.told.framework = NULL;
    all.place = "main (journal)";
    all.place_share = 1;
    all.wall = 11;
    all.used = 7;
    all.around.main_cpu = all.around.cpu = 0.6;
    CHECK_STR(rules_of(&all), "compute");
    all.around.looks.sync = 40;
    CHECK_STR(rules_of(&all), "waiting");
    all.around.looks.sync = 0;
    all.used = 3;
    all.around.main_cpu = all.around.cpu = 0.27;
    CHECK_STR(rules_of(&all), "waiting");
    CHECK_INT(found[0].match.severity, 0);
    all.around.looks.sync = 40;
    CHECK_STR(rules_of(&all), "waiting");
    CHECK_INT(found[0].match.severity, 2);
}

/* Its threads are ready to run: the main thread's own figures do not show that they have no processor. */
TEST(whoever_waits_for_threads_that_work_is_not_said_to_wait)
{
    struct pit__case all = healthy();
    all.part_count = 0;
    all.unit = PIT__NO_PART;
    all.has_course = 0;
    all.told.framework = NULL;
    all.wall = 11;
    all.used = 3;
    all.around.main_cpu = 0.01;
    all.around.cpu = 0.27;
    all.around.looks = (struct pit__looks){.working = 3, .lock = 100};
    CHECK_STR(rules_of(&all), "waiting");
    all.around.looks.working = 200;
    CHECK_STR(rules_of(&all), "");
}

TEST(a_part_that_waits_for_a_team_is_not_said_to_wait)
{
    struct pit__case all = frames(9);
    all.idle = 0.85;
    all.around.main_cpu = 0.1;
    all.around.cpu = 0.9; /* beside other programs */
    all.around.looks = (struct pit__looks){.working = 100, .lock = 100};
    CHECK_STR(rules_of(&all), "waiting"); /* for one other thread */
    all.around.looks.working = 200;
    CHECK_STR(rules_of(&all), "compute");
}

/* Beside other programs the children have no processor: the program waits for their work. */
TEST(whoever_waits_for_children_that_work_is_not_said_to_wait)
{
    struct pit__case all = frames(9);
    all.idle = 0.85;
    all.around.main_cpu = all.around.cpu = 0.05;
    all.used = 4;
    all.around.looks.lock = 100;
    CHECK_STR(rules_of(&all), "waiting");
    all.pressed = 0.9;
    CHECK_STR(rules_of(&all), "compute");
    all.part_count = 0;
    all.unit = PIT__NO_PART;
    CHECK_STR(rules_of(&all), "");
    all.pressed = 0.1;
    CHECK_STR(rules_of(&all), "waiting");
}

TEST(a_script_that_hardly_runs_is_not_slow_because_of_python)
{
    struct pit__case all = healthy();
    all.part_count = 0;
    all.unit = PIT__NO_PART;
    all.has_course = 0;
    all.told.framework = NULL;
    all.place = "pool.py:18 in <module>";
    all.place_share = 1;
    all.interpreted = 0.9;
    all.around.main_cpu = 0.3;
    all.around.delayed = 0.6; /* beside other programs */
    CHECK(strstr(rules_of(&all), "unmarked") != NULL);
    all.around.delayed = 0.05;
    CHECK(strstr(rules_of(&all), "unmarked") == NULL);
}

TEST(a_pipe_to_children_that_work_is_a_wait_for_these)
{
    struct pit__case all = frames(9);
    all.idle = 0.85;
    all.used = 11;
    all.around.main_cpu = all.around.cpu = 0.1;
    all.around.looks.transfer = 80;
    CHECK_STR(rules_of(&all), "waiting");
    CHECK_STR(found[0].match.texts[1], "for a child process");
    all.used = 3; /* they wait for a processor */
    all.pressed = 0.9;
    CHECK_STR(rules_of(&all), "waiting");
    CHECK_STR(found[0].match.texts[1], "for a child process");
    all.pressed = 0;
    all.used = 2; /* a network */
    CHECK_STR(rules_of(&all), "waiting");
    CHECK_STR(found[0].match.texts[1], "for a network or a pipe");
}

/* On a machine in use, children that compute may wait for a processor. */
TEST(a_wait_for_the_end_of_a_child_is_one_on_a_busy_machine_too)
{
    struct pit__case all = frames(9);
    all.idle = 0.85;
    all.used = 9;
    all.pressed = 0.9;
    all.around.main_cpu = all.around.cpu = 0.1;
    all.around.looks.lock = 80;
    CHECK_STR(rules_of(&all), "compute"); /* a pool */
    all.around.looks.lock = 0;
    all.around.looks.child = 80;
    CHECK_STR(rules_of(&all), "waiting");
    CHECK_STR(found[0].match.texts[1], "for a child process");
}

/* Four processes of a pool, of which one has most of the work, on two processors. */
static struct pit__case uneven_pool(void)
{
    struct pit__case all = frames(9.9);
    all.idle = 0.98;
    all.children = 4;
    all.used = 1.1 * all.wall;
    all.around.main_cpu = all.around.cpu = 0.01;
    all.around.busy = 1.2;
    all.around.looks.lock = 100;
    return all;
}

TEST(children_that_leave_processors_free_have_uneven_work)
{
    struct pit__case all = uneven_pool();
    CHECK_STR(rules_of(&all), "uneven_children");
    CHECK_INT(found[0].match.part, 2);
    CHECK_NEAR(found[0].match.stake, all.wall * (1 - (1.1 - 0.11 / 12) / 2), 1e-9);
    all.around.busy = 1.9; /* others use the rest: the children may have to wait */
    CHECK(strstr(rules_of(&all), "uneven") == NULL);
    all = uneven_pool();
    all.used = 1.7 * all.wall;
    CHECK(strstr(rules_of(&all), "uneven") == NULL);
    all = uneven_pool();
    all.used = 0.2 * all.wall; /* they wait for something else */
    CHECK(strstr(rules_of(&all), "uneven") == NULL);
    all = uneven_pool();
    all.around.looks.lock = 0; /* one tool after another */
    all.around.looks.child = 100;
    CHECK_STR(rules_of(&all), "waiting");
    all = uneven_pool();
    all.children = 1;
    CHECK(strstr(rules_of(&all), "uneven") == NULL);
    all = uneven_pool();
    all.around.main_cpu = 0.5; /* it works itself */
    CHECK(strstr(rules_of(&all), "uneven") == NULL);
}

/* ---- the kernel ---------------------------------------------------------------------------------- */

TEST(much_time_in_the_kernel_is_named_with_its_part)
{
    struct pit__case all = frames(9);
    all.around.moves = 50e3;
    all.used = 11;
    all.kernel = 3;
    CHECK_STR(rules_of(&all), "compute");
    all.kernel = 6;
    CHECK_STR(rules_of(&all), "kernel");
    CHECK_INT(found[0].match.part, 2);
    CHECK(strstr(found[0].match.headline, "SYSTEM CALLS") != NULL);
    all.around.new_pages = 300e3; /* 1.8 µs for each */
    CHECK_STR(rules_of(&all), "kernel");
    CHECK(strstr(found[0].match.headline, "PAGE FAULTS") != NULL);
    all.around.new_pages = 60e3; /* 9 µs, in a virtual machine */
    CHECK_STR(rules_of(&all), "kernel");
    CHECK(strstr(found[0].match.headline, "PAGE FAULTS") != NULL);
    all.used = 15; /* its children's, perhaps */
    CHECK_STR(rules_of(&all), "compute");
    all.used = 0.5; /* a short program starts */
    all.kernel = 0.3;
    CHECK_STR(rules_of(&all), "compute");
    all.used = all.kernel = NAN;
    CHECK_STR(rules_of(&all), "compute");
}

TEST(a_short_program_may_spend_its_time_in_page_faults)
{
    struct pit__case all = healthy();
    all.part_count = 0;
    all.unit = PIT__NO_PART;
    all.has_course = 0;
    all.told.framework = NULL;
    all.total = 0;
    all.wall = all.around.seconds = 0.5;
    all.used = 0.45;
    all.kernel = 0.3;
    all.around.cpu = 0.9;
    all.around.new_pages = 30e3; /* as of an import */
    CHECK_STR(rules_of(&all), "nothing");
    all.around.new_pages = 300e3;
    CHECK_STR(rules_of(&all), "kernel");
    CHECK(strstr(found[0].match.headline, "PAGE FAULTS") != NULL);
}

TEST(the_remedy_for_system_calls_fits_their_kind)
{
    struct pit__case all = frames(9);
    all.used = 11;
    all.kernel = 6;
    all.around.moves = 50e3;
    CHECK_STR(rules_of(&all), "kernel");
    CHECK(strstr(found[0].match.remedy, "read and write") != NULL);
    all.around.moves = 50; /* sched_yield, stat, huge pages */
    CHECK_STR(rules_of(&all), "kernel");
    CHECK(strstr(found[0].match.headline, "KERNEL:") != NULL);
    CHECK(strstr(found[0].match.remedy, "read and write") == NULL);
}

TEST(system_calls_of_a_known_cause_are_not_named_again)
{
    struct pit__case all = pool();
    all.kernel = 9;
    CHECK_STR(rules_of(&all), "copying");
    all = healthy();
    give(DATA, 5); /* reading many small files */
    all.used = 10;
    all.kernel = 6;
    CHECK_STR(rules_of(&all), "input_processor");
    all = frames(9);
    all.used = 10;
    all.kernel = 6;
    CHECK_STR(rules_of(&all), "kernel");
    all.before = 5; /* it may have been there */
    CHECK_STR(rules_of(&all), "compute");
}

TEST(a_script_in_system_calls_is_not_slow_because_of_python)
{
    struct pit__case all = healthy();
    all.part_count = 0;
    all.unit = PIT__NO_PART;
    all.has_course = 0;
    all.told.framework = NULL;
    all.place = "settings.py:10 in setting";
    all.place_share = 1;
    all.interpreted = 0.9;
    all.used = 11;
    all.kernel = 1;
    CHECK_STR(rules_of(&all), "unmarked");
    all.kernel = 5;
    CHECK_STR(rules_of(&all), "kernel");
    CHECK(strstr(found[0].match.headline, "{s0}") != NULL);
}

TEST(who_uses_the_processors_with_its_children_is_not_starved)
{
    struct pit__case all = starved();
    CHECK_STR(rules_of(&all), "starved");
    all.used = 0.8 * 2 * all.wall;
    CHECK(strstr(rules_of(&all), "starved") == NULL);
    all.used = 0.6 * 2 * all.wall;
    CHECK_STR(rules_of(&all), "starved");
}

/* Ten seconds in which an event loop ran five tasks at once: pages, most of whose time is waiting. */
static struct pit__case pages(const char *waiting)
{
    struct pit__case all = frames(9);
    parts[0].name = parts[0].path = "page";
    parts[1].name = parts[1].path = "parse";
    parts[2] = part_of(waiting, 0, 9);
    parts[0].overlap = parts[1].overlap = parts[2].overlap = 5;
    all.idle = 0.7;
    all.around.looks = (struct pit__looks){.transfer = 70};
    all.around.main_cpu = all.around.cpu = 0.3;
    all.used = 3.3;
    return all;
}

TEST(tasks_that_wait_are_told_to_wait_at_the_same_time)
{
    struct pit__case all = pages("fetch");
    CHECK_STR(rules_of(&all), "input_waiting");
    CHECK(strstr(found[0].match.remedy, "at the same time") != NULL);
    CHECK_NEAR(found[0].match.stake, 7, 1e-9); /* others compute meanwhile: 3 s remain */
    CHECK_NEAR(found[0].match.share, 0.9, 1e-9);
    all = pages("call");
    CHECK_STR(rules_of(&all), "waiting");
    CHECK(strstr(found[0].match.remedy, "at the same time") != NULL);
    CHECK_STR(found[0].match.texts[1], "for a network or a pipe");
    parts[0].overlap = parts[1].overlap = parts[2].overlap = 1; /* one after another */
    CHECK_STR(rules_of(&all), "waiting");
    CHECK(strstr(found[0].match.remedy, "at the same time") == NULL);
    all = pages("fetch");
    parts[2].overlap = 1;
    CHECK_STR(rules_of(&all), "input_waiting");
    CHECK_NEAR(found[0].match.stake, 9, 1e-9);
}

TEST(unmarked_time_of_tasks_is_not_at_the_line_of_the_event_loop)
{
    struct pit__case all = pages("call");
    parts[2].seconds = parts[2].self_seconds = 1;
    parts[0].self_seconds = 8;
    parts[0].place = "train.py:15 in <module>";
    parts[0].place_share = 1;
    CHECK_STR(rules_of(&all), "unmarked");
    CHECK_NEAR(found[0].match.stake, 7, 1e-9);
    CHECK_STR(found[0].match.texts[0], "for a network or a pipe");
    CHECK(strstr(found[0].match.headline, "waiting {s0}") != NULL);
    CHECK(strstr(found[0].match.remedy, "at the same time") != NULL);
    parts[0].overlap = 1;
    CHECK_STR(rules_of(&all), "unmarked");
    CHECK_STR(found[0].match.texts[0], "train.py:15 in <module>");
}

TEST(what_the_main_thread_waits_for_is_not_said_of_parts_on_other_threads)
{
    struct pit__case all = pages("fetch");
    all.around.looks = (struct pit__looks){.lock = 70};
    all.span_threads = 5;
    parts[0].overlap = parts[1].overlap = parts[2].overlap = 1;
    parts[2].elsewhere = 1;
    CHECK_STR(rules_of(&all), "input_waiting");
    CHECK(found[0].match.texts[0] == NULL);
    CHECK(strstr(found[0].match.remedy, "at the same time") != NULL);
    all.span_threads = 1; /* only one other thread */
    CHECK_STR(rules_of(&all), "input_waiting");
    CHECK(strstr(found[0].match.remedy, "several threads") != NULL);
    all = pages("call");
    all.around.looks = (struct pit__looks){.lock = 70};
    all.span_threads = 1;
    parts[0].overlap = parts[1].overlap = parts[2].overlap = 1;
    parts[2].elsewhere = 1;
    CHECK_STR(rules_of(&all), "waiting");
    CHECK(strstr(found[0].match.headline, "waiting, not computing") != NULL);
    CHECK(strstr(found[0].match.remedy, "find out what it waits for") != NULL);
    parts[2].elsewhere = 0.3;
    CHECK_STR(rules_of(&all), "waiting");
    CHECK_STR(found[0].match.texts[1], "for a lock or another thread");
}

TEST(threads_that_compute_while_the_main_one_waits_are_not_said_to_wait)
{
    struct pit__case all = pages("fetch");
    all.around.looks = (struct pit__looks){.lock = 30};
    all.span_threads = 2;
    all.idle = 1;
    parts[0].overlap = parts[1].overlap = parts[2].overlap = 1;
    parts[2].elsewhere = 1;
    CHECK_STR(rules_of(&all), "input_waiting"); /* nothing is known but the main thread's wait */
    all.threads_idle = 0.05;
    CHECK_STR(rules_of(&all), "input_processor");
    CHECK_NEAR(found[0].match.stake, 9, 1e-9);
    all.threads_idle = 0.7; /* four threads' share of a processor */
    CHECK_STR(rules_of(&all), "input_waiting");
    CHECK_NEAR(found[0].match.stake, 7, 1e-9);
    all.pressed = 0.9; /* on a machine in use, they may be ready to run */
    CHECK(strstr(rules_of(&all), "input_waiting") != NULL);
    all.around.looks.working = 54; /* of 60 */
    CHECK(strstr(rules_of(&all), "input_processor") != NULL);
}
