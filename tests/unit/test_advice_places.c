/* The place that advice names: a function of the program, with what it calls in libraries. */
#include "check.h"

#include "model/advice_case.h"

#include <math.h>

#define SAMPLES 100 /* of all places */

static struct pit__advice_case made;
static pit_tree_place places[4];

static pit_tree_place native(const char *function, const char *file, uint64_t samples)
{
    return (pit_tree_place){.function = function,
                            .file = file,
                            .kind = PIT_PLACE_NATIVE,
                            .node = PIT_NO_NODE,
                            .samples = samples,
                            .node_samples = SAMPLES,
                            .share = (double)samples / SAMPLES};
}

/* The text for these places, the hottest first; "" if none is named. */
static const char *named(size_t count)
{
    pit_tree tree = {.outside = places, .outside_count = count};
    pit__arena_free(&made.arena);
    made = (struct pit__advice_case){0};
    pit__set_places(&made, &tree);
    return made.all.place ? made.all.place : "";
}

TEST(a_call_that_is_all_of_its_function_is_named_with_it)
{
    places[0] = native("decay calling exp", "model", 88);
    places[1] = native("decay", "model", 5);
    places[2] = native("main", "model", 7);
    CHECK_STR(named(3), "decay calling exp (model)");
    CHECK_NEAR(made.all.place_share, 0.93, 1e-9);
}

TEST(a_call_that_is_most_of_its_function_says_so)
{
    places[0] = native("decay calling exp", "model", 50);
    places[1] = native("decay calling pow", "model", 20);
    places[2] = native("decay", "model", 10);
    places[3] = native("main", "model", 20);
    CHECK_STR(named(4), "decay, mostly calling exp (model)");
    CHECK_NEAR(made.all.place_share, 0.8, 1e-9);
}

TEST(a_function_that_calls_many_is_named_alone)
{
    places[0] = native("main", "model", 30);
    places[1] = native("decay calling exp", "model", 28);
    places[2] = native("decay calling pow", "model", 27);
    places[3] = native("decay", "model", 15);
    CHECK_STR(named(4), "decay (model)");
    CHECK_NEAR(made.all.place_share, 0.7, 1e-9);
}

/* "spin" and "spins" are two functions, and one of another file is another one. */
TEST(only_places_of_the_same_function_are_added)
{
    places[0] = native("spin calling exp", "model", 40);
    places[1] = native("spins calling exp", "model", 30);
    places[2] = native("spin calling exp", "other", 30);
    CHECK_STR(named(3), "spin calling exp (model)");
    CHECK_NEAR(made.all.place_share, 0.4, 1e-9);
}

static pit_tree_place python(const char *function, uint64_t samples)
{
    pit_tree_place place = native(function, "train.py", samples);
    place.kind = PIT_PLACE_PYTHON;
    return place;
}

TEST(imports_are_not_what_is_done_outside_of_the_spans)
{
    pit_node node = {.name = "step"};
    pit_tree tree = {.outside = places, .outside_count = 3, .nodes = &node, .node_count = 1};
    places[0] = python("<module>, importing", 55);
    places[1] = python("<module>", 35);
    places[2] = python("load, importing", 10);
    CHECK_STR(named(3),
              "train.py in <module>, importing"); /* without spans it is part of the work */
    CHECK(made.all.is_import);
    pit__arena_free(&made.arena);
    made = (struct pit__advice_case){0};
    pit__set_places(&made, &tree);
    CHECK_STR(made.all.place, "train.py in <module>");
    CHECK(!made.all.is_import);
    CHECK_NEAR(made.all.imports, 0.65, 1e-9);
    CHECK_NEAR(made.all.place_share, 0.35, 1e-9);
    pit__arena_free(&made.arena);
}

TEST(samples_in_openmps_library_are_a_share_of_the_native_ones)
{
    struct pit__part part = {.in_openmp = NAN};
    pit_node node = {.name = "assemble", .places = places, .place_count = 4};
    pit_tree tree = {.nodes = &node, .node_count = 1};
    places[0] = native("libgomp.so.1.0.0+0x1f780", "/usr/lib/libgomp.so.1.0.0", 6);
    places[1] = native("assemble._omp_fn.0", "/home/me/model", 10);
    places[2] = native("__kmp_acquire", "libiomp5.so", 4);
    places[3] = python("<module>", 50);
    made = (struct pit__advice_case){.parts = &part};
    pit__set_places(&made, &tree);
    CHECK_NEAR(part.in_openmp, 0.5, 1e-9);
    pit__arena_free(&made.arena);
    places[1].samples = places[2].samples = 0; /* six are too few */
    made = (struct pit__advice_case){.parts = &part};
    pit__set_places(&made, &tree);
    CHECK(isnan(part.in_openmp));
    pit__arena_free(&made.arena);
}

TEST(a_library_without_a_caller_keeps_its_name)
{
    places[0] = native("gemm", "libblas.so.3", 60);
    places[1] = native("gemv", "libblas.so.3", 40);
    CHECK_STR(named(2), "gemm (libblas.so.3)");
    CHECK_NEAR(made.all.place_share, 0.6, 1e-9);
    pit__arena_free(&made.arena);
}
