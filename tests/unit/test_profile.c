/* Profiles: figures appear under the keys and in the order of the document; ratios, winners and
 * significance; a file is written completely or not at all. */
#include "check.h"
#include "moved_clock.h"
#include "noise.h"

#include <pitwall_bench.h>

#include <errno.h>
#include <math.h>
#include <sys/stat.h>

/* The timings of the document's sample. */
static pit_bench_result timing(double mean, double std, double min, double max)
{
    return (pit_bench_result){.mean = mean,
                              .std = std,
                              .min = min,
                              .max = max,
                              .median = mean,
                              .p95 = max,
                              .p99 = max,
                              .trials = 50,
                              .iterations = 1};
}

static const pit_model mvar = {.name = "MVAR", .parameters = 2020, .latent_dim = 20, .lag = 5};

static pit_profile sample(void)
{
    pit_bench_result single = timing(0.00023, 0.00005, 0.00018, 0.00045);
    pit_bench_result full = timing(0.023, 0.002, 0.021, 0.027);
    pit_profile p;
    REQUIRE(pit_profile_build(&p, &mvar, 12.5, &single, &full, 100, 0) == 0);
    p.peak_mb = 245.3;
    p.current_mb = 234.1;
    return p;
}

static char *text_of(const pit_profile *profiles, size_t count)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    REQUIRE(out);
    CHECK_INT(count ? pit_profiles_compare(out, profiles, count) : pit_profile_print(out, profiles),
              0);
    fclose(out);
    return text;
}

/* Without our own part, which is the last member. */
static char *cut_own(char *text)
{
    char *own = strstr(text, ",\n  \"pitwall\"");
    REQUIRE(own);
    *own = 0;
    return text;
}

TEST(the_documents_profile_comes_out_line_by_line)
{
    pit_profile p = sample();
    char *text = cut_own(text_of(&p, 0));
    CHECK_STR(text, "{\n"
                    "  \"model_name\": \"MVAR\",\n"
                    "  \"training\": {\n"
                    "    \"total_seconds\": 12.5\n"
                    "  },\n"
                    "  \"inference\": {\n"
                    "    \"single_step\": {\n"
                    "      \"mean_seconds\": 0.00023,\n"
                    "      \"std_seconds\": 5e-05,\n"
                    "      \"min_seconds\": 0.00018,\n"
                    "      \"max_seconds\": 0.00045,\n"
                    "      \"samples\": 50\n"
                    "    },\n"
                    "    \"full_trajectory\": {\n"
                    "      \"mean_seconds\": 0.023,\n"
                    "      \"std_seconds\": 0.002,\n"
                    "      \"min_seconds\": 0.021,\n"
                    "      \"max_seconds\": 0.027,\n"
                    "      \"samples\": 50\n"
                    "    }\n"
                    "  },\n"
                    "  \"memory\": {\n"
                    "    \"peak_mb\": 245.3,\n"
                    "    \"current_mb\": 234.1,\n"
                    "    \"model_parameters\": 2020,\n"
                    "    \"parameter_memory_mb\": 0.015411376953125\n"
                    "  },\n"
                    "  \"throughput\": {\n"
                    "    \"steps_per_second\": 4347.826086956522,\n"
                    "    \"predictions_per_second\": 86956.521739130432,\n"
                    "    \"seconds_per_step\": 0.00023,\n"
                    "    \"microseconds_per_step\": 230\n"
                    "  },\n"
                    "  \"complexity\": {\n"
                    "    \"total_parameters\": 2020,\n"
                    "    \"latent_dimension\": 20,\n"
                    "    \"lag_order\": 5,\n"
                    "    \"expected_parameters\": 2020,\n"
                    "    \"parameters_per_lag\": 400,\n"
                    "    \"inference_flops_per_step\": 4000,\n"
                    "    \"training_complexity\": \"O(N_samples * p * d²)\",\n"
                    "    \"inference_complexity\": \"O(p * d²)\"\n"
                    "  }");
    free(text);
    pit_profile_free(&p);
    CHECK(!p.model_name && !p.single_step.times);
}

TEST(what_the_document_lacks_stands_under_a_key_of_our_own)
{
    pit_profile p = sample();
    p.peak_flops = 1e9;
    char *text = text_of(&p, 0), *own = strstr(text, "\"pitwall\": {\n    \"schema_version\": 1,");
    REQUIRE(own);
    CHECK(strstr(own, "\"median_seconds\": 0.00023"));
    CHECK(strstr(own, "\"p99_seconds\": 0.027"));
    CHECK(strstr(own, "\"achieved_per_second\": 17391304.3478"));
    CHECK(strstr(own, "\"share_of_machine\": 0.01739130434"));
    CHECK(!strstr(own, "components"));
    free(text);
    pit_profile_free(&p);
}

TEST(what_is_not_known_is_null)
{
    pit_model model = {.name = "DMD", .parameters = 10, .latent_dim = 4};
    pit_profile p;
    REQUIRE(pit_profile_build(&p, &model, NAN, NULL, NULL, 0, 4) == 0);
    char *text = text_of(&p, 0);
    CHECK(strstr(text, "\"total_seconds\": null"));
    CHECK(strstr(text, "\"single_step\": null"));
    CHECK(strstr(text, "\"steps_per_second\": null"));
    CHECK(strstr(text, "\"complexity\": {\n    \"total_parameters\": 10,\n"
                       "    \"latent_dimension\": 4\n  }"));
    CHECK(strstr(text, "\"per_step\": null") && strstr(text, "\"machine_per_second\": null"));
    CHECK_NEAR(p.parameter_memory_mb, 40.0 / 1048576, 1e-15);
    CHECK(p.current_mb > 0.1 && p.peak_mb >= p.current_mb);
    free(text);
    pit_profile_free(&p);
}

TEST(an_lstm_has_its_keys_and_a_graph_its_components)
{
    pit_model lstm = {.name = "LSTM", .latent_dim = 10, .hidden_dim = 20, .layers = 2};
    pit_profile p;
    REQUIRE(pit_profile_build(&p, &lstm, 1, NULL, NULL, 0, 0) == 0);
    char *text = text_of(&p, 0);
    CHECK(strstr(text, "\"total_parameters\": 6130,\n    \"latent_dimension\": 10,\n"
                       "    \"hidden_dimension\": 20,\n    \"num_layers\": 2,\n"
                       "    \"expected_parameters\": 6130,\n    \"parameters_per_layer\": 2560,\n"
                       "    \"inference_flops_per_step\": 11600,\n"));
    free(text);
    pit_profile_free(&p);
    pit_model gpm = {.name = "GPM", .patterns = 2, .pattern_size = 3, .nodes = 5, .degree = 7};
    REQUIRE(pit_profile_build(&p, &gpm, 1, NULL, NULL, 0, 0) == 0);
    text = text_of(&p, 0);
    CHECK(strstr(text, "\"components\": {\n      \"gpm\": 210\n    }"));
    free(text);
    pit_profile_free(&p);
}

/* Trials around a level, all nearly the same. */
static void fill_times(pit_bench_result *r, double level)
{
    r->times = malloc(r->trials * sizeof *r->times);
    REQUIRE(r->times);
    for (size_t i = 0; i < r->trials; i++)
        r->times[i] = level * (1 + 0.001 * (double)((i * 7919) % 13));
}

static pit_profile profile(const char *name, uint64_t parameters, double training, double full_mean)
{
    pit_model model = {.name = name, .parameters = parameters, .latent_dim = 20};
    pit_bench_result full = timing(full_mean, 0, full_mean, full_mean);
    fill_times(&full, full_mean);
    pit_profile p;
    REQUIRE(pit_profile_build(&p, &model, training, &full, &full, 100, 8) == 0);
    free(full.times);
    return p;
}

TEST(a_comparison_has_the_documents_ratios_and_winners)
{
    pit_profile p[] = {profile("MVAR", 2000, 4, 0.41), profile("LSTM", 4300, 13.8, 0.5)};
    char *text = cut_own(text_of(p, 2));
    CHECK_STR(text, "{\n"
                    "  \"models\": [\"MVAR\", \"LSTM\"],\n"
                    "  \"training_time_ratio\": {\n"
                    "    \"LSTM_vs_MVAR\": 3.45\n"
                    "  },\n"
                    "  \"inference_speedup\": {\n"
                    "    \"LSTM_vs_MVAR\": 0.82\n"
                    "  },\n"
                    "  \"memory_ratio\": {\n"
                    "    \"LSTM_vs_MVAR\": 2.15\n"
                    "  },\n"
                    "  \"parameter_ratio\": {\n"
                    "    \"LSTM_vs_MVAR\": 2.15\n"
                    "  },\n"
                    "  \"winners\": {\n"
                    "    \"fastest_training\": \"MVAR\",\n"
                    "    \"fastest_inference\": \"MVAR\",\n"
                    "    \"smallest_memory\": \"MVAR\"\n"
                    "  }");
    free(text);
    pit_profile_free(&p[0]);
    pit_profile_free(&p[1]);
}

TEST(models_measured_one_after_the_other_get_ratios_and_no_verdict)
{
    pit_profile p[] = {profile("A", 1, 1, 0.010), profile("B", 1, 1, 0.020),
                       profile("A", 1, 1, 0.010)};
    char *text = text_of(p, 3);
    CHECK_HAS(text, "\"inference_speedup\": {\n    \"B_vs_A\": 0.5");
    CHECK_HAS(text, "\"advisory\": true");
    char *b = strstr(text, "\"B_vs_A\": {\n"), *a = strstr(text, "\"A_vs_A\": {\n");
    REQUIRE(a && b);
    CHECK_HAS(b, "\"training\": {\n          \"verdict\": null,\n"
                 "          \"reason\": \"measured one after the other\"");
    CHECK_HAS(b, "\"full_trajectory\": {\n          \"verdict\": null,\n"
                 "          \"reason\": \"measured one after the other\",\n"
                 "          \"change\": 1,");
    CHECK(!strstr(text, "\"slower\"") && !strstr(text, "\"faster\""));
    free(text);
    for (size_t i = 0; i < 3; i++)
        pit_profile_free(&p[i]);
}

static void make_session(pit_profile *p, uint64_t session)
{
    p->single_step.session = p->full_trajectory.session = session;
    p->single_step.blocks = p->full_trajectory.blocks = session ? 10 : 0;
}

TEST(models_timed_in_turn_are_judged)
{
    pit_profile p[] = {profile("A", 1, 1, 0.010), profile("B", 1, 1, 0.012),
                       profile("A", 1, 1, 0.010), profile("C", 1, 1, 0.020)};
    for (size_t i = 0; i < 4; i++)
        make_session(&p[i], 0xabc);
    make_session(&p[3], 0xdef); /* from another session */
    char *text = text_of(p, 4);
    char *b = strstr(text, "\"B_vs_A\": {\n"), *a = strstr(text, "\"A_vs_A\": {\n"),
         *c = strstr(text, "\"C_vs_A\": {\n");
    REQUIRE(a && b && c);
    CHECK_HAS(text, "\"advisory\": false");
    CHECK(strncmp(strstr(b, "\"full_trajectory\""),
                  "\"full_trajectory\": {\n          \"verdict\": \"slower\"", 50) == 0);
    CHECK(strncmp(strstr(a, "\"full_trajectory\""),
                  "\"full_trajectory\": {\n          \"verdict\": \"same\"", 48) == 0);
    CHECK_HAS(b, "\"blocks\": 10,\n          \"baseline_blocks\": 10");
    CHECK_HAS(c, "\"verdict\": null,\n          \"reason\": \"measured one after the other\"");
    free(text);
    text = text_of(&p[0], 0); /* the data that `pitwall compare` needs for the same verdict */
    CHECK_HAS(text, "\"interleaved\": {\n      \"session\": \"0000000000000abc\",\n"
                    "      \"single_step\": {\n        \"p10_seconds\": [0.0100");
    free(text);
    for (size_t i = 0; i < 4; i++)
        pit_profile_free(&p[i]);
}

/* ---- false alarms ---------------------------------------------------------------------------- */

/* A machine with slow and fast modes that last about as long as a benchmark, plus noise. argument: the
 * model's time relative to others. */
static double mode, mode_left;

static void on_machine(void *argument, uint64_t steps)
{
    double took = 1e-4 * (double)steps * *(double *)argument;
    if (mode_left <= 0) {
        mode = exp(0.05 * noise_normal());
        mode_left = 2 * noise_uniform();
    }
    took *= mode * exp(0.01 * fabs(noise_normal()));
    mode_left -= took;
    move_clock(took);
}

/* The number of verdicts in `rounds` comparisons: of models timed in turn, and one after the other. */
static void count_verdicts(double b_takes, int rounds, int *in_turn, int *after)
{
    double takes[] = {1, b_takes};
    pit_bench_model models[] = {{"A", on_machine, &takes[0]}, {"B", on_machine, &takes[1]}};
    *in_turn = *after = 0;
    for (int round = 0; round < rounds; round++) {
        pit_forecast_options options = {.steps = 100, .seed = (uint64_t)round + 1};
        pit_bench_result single[2], full[2];
        pit_profile p[2];
        pit_comparison old;
        use_moved_clock(0);
        REQUIRE(pit_bench_models(models, 2, &options, single, full) == 0);
        for (size_t i = 0; i < 2; i++) {
            pit_model model = {.name = models[i].name};
            REQUIRE(pit_profile_build(&p[i], &model, 1, &single[i], &full[i], 100, 8) == 0);
            pit_bench_free(&single[i]);
            pit_bench_free(&full[i]);
        }
        char *text = text_of(p, 2);
        *in_turn +=
            strstr(text, "\"verdict\": \"faster\"") || strstr(text, "\"verdict\": \"slower\"");
        free(text);
        for (size_t i = 0; i < 2; i++) {
            pit_profile_free(&p[i]);
            mode_left = 0; /* the next model was trained in between */
            REQUIRE(pit_bench_forecast(on_machine, &takes[i], &options, &single[i], &full[i]) == 0);
        }
        REQUIRE(pit_compare_series(full[0].times, 50, full[1].times, 50, NULL, &old) == 0);
        *after += old.verdict == PIT_FASTER || old.verdict == PIT_SLOWER;
        for (size_t i = 0; i < 2; i++) {
            pit_bench_free(&single[i]);
            pit_bench_free(&full[i]);
        }
    }
}

TEST(one_function_as_two_models_is_seldom_called_faster_or_slower)
{
    int rounds = check_repeat(40, 200, 2000), in_turn, after;
    count_verdicts(1, rounds, &in_turn, &after);
    printf("  of %d: %d false alarms in turn, %d one after the other\n", rounds, in_turn, after);
    CHECK(in_turn <= rounds * 6 / 100);
    CHECK(after >=
          rounds * 20 / 100); /* otherwise the simulated machine is too good to show anything */
    count_verdicts(1.1, rounds / 4, &in_turn, &after);
    printf("  of %d: %d found that differ by 10 %%\n", rounds / 4, in_turn);
    CHECK(in_turn >= rounds / 4 * 60 / 100);
}

TEST(baselines_of_zero_give_null_and_no_division)
{
    pit_profile p[] = {profile("A", 0, 0, 0.010), profile("B", 5, 1, 0.010),
                       profile("B", 7, 2, 0.010)};
    p[0].full_trajectory.trials = 0;
    char *text = text_of(p, 3);
    CHECK(strstr(text, "\"training_time_ratio\": {\n    \"B_vs_A\": null,\n"
                       "    \"B_2_vs_A\": null\n  }"));
    CHECK(strstr(text, "\"inference_speedup\": {\n    \"B_vs_A\": null"));
    CHECK(strstr(text, "\"memory_ratio\": {\n    \"B_vs_A\": null"));
    CHECK(strstr(text, "\"fastest_inference\": \"B\""));
    CHECK(!strstr(text, "inf,") && !strstr(text, "nan"));
    free(text);
    for (size_t i = 0; i < 3; i++)
        pit_profile_free(&p[i]);
}

static char folder[64] = "/tmp/pitwall-profile-XXXXXX";

static const char *inside(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK_INT(system(command), 0);
}

TEST(files_are_made_with_their_folders)
{
    REQUIRE(mkdtemp(folder));
    pit_profile p[] = {profile("MVAR", 2000, 4, 0.0082), profile("LSTM", 4300, 13.8, 0.01)};
    struct stat found;
    CHECK_INT(pit_profile_save(inside("a/b/c/runtime_profile.json"), &p[0]), 0);
    CHECK(stat(inside("a/b/c/runtime_profile.json"), &found) == 0 && found.st_size > 500);
    CHECK_INT(pit_profiles_compare_save(inside("a/runtime_comparison.json"), p, 2), 0);
    CHECK(stat(inside("a/runtime_comparison.json"), &found) == 0 && found.st_size > 200);
    CHECK_INT(pit_summary_save(inside("a/summary.json"), "made \"up\"", p, 2), 0);
    char text[256] = "";
    FILE *file = fopen(inside("a/summary.json"), "r");
    REQUIRE(file && fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    const char *start = "{\n  \"experiment_name\": \"made \\\"up\\\"\",\n"
                        "  \"runtime_analysis\": {\n    \"profiles\": [\n      {\n"
                        "        \"model_name\": \"MVAR\",";
    CHECK(strncmp(text, start, strlen(start)) == 0);
    pit_profile_free(&p[0]);
    pit_profile_free(&p[1]);
    remove_folder();
}

static char *read_text(const char *path)
{
    static char text[65536];
    FILE *file = fopen(path, "r");
    REQUIRE(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    REQUIRE(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

TEST(a_summary_keeps_the_keys_of_others)
{
    REQUIRE(mkdtemp(folder));
    pit_profile p[] = {profile("MVAR", 2000, 4, 0.0082), profile("LSTM", 4300, 13.8, 0.01)};
    const char *path = inside("summary.json");
    write_text(
        path,
        "\xef\xbb\xbf{ \"seed\" : 7, \"text\":\"} \\\" {\", \"list\": [1, [2, {\"a\": []}], NaN],\n"
        "\"runtime_analysis\": {\"notes\": \"mine\", \"profiles\": [0]},\n"
        "  \"experiment_name\": \"old\", \"last\": -1.50e+3}");
    CHECK_INT(pit_summary_save(path, "new", p, 2), 0);
    char *text = read_text(path);
    CHECK_HAS(text, "{\n  \"seed\": 7,\n  \"text\": \"} \\\" {\",\n"
                    "  \"list\": [1, [2, {\"a\": []}], NaN],\n"
                    "  \"runtime_analysis\": {\n    \"notes\": \"mine\",\n    \"profiles\": [\n");
    CHECK_HAS(text, "\"model_name\": \"LSTM\"");
    CHECK_HAS(text, "  \"experiment_name\": \"new\",\n  \"last\": -1.50e+3\n}\n");
    char once[65536];
    strcpy(once, text);
    CHECK_INT(pit_summary_save(path, "new", p, 2), 0); /* saving again adds nothing */
    CHECK_STR(read_text(path), once);
    static const char *const refused[] = {"[1, 2]", "{\"a\": 1",     "{\"a\": 1} x", "{\"a\" 1}",
                                          "{,}",    "{\"a\": [1,]}", "text"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        write_text(path, refused[i]);
        CHECK_INT(pit_summary_save(path, "new", p, 2), PIT_CANNOT_READ);
        CHECK_STR(read_text(path), refused[i]);
    }
    static const char *const empty[] = {"", " \n", "{}"};
    for (size_t i = 0; i < sizeof empty / sizeof empty[0]; i++) {
        write_text(path, empty[i]);
        CHECK_INT(pit_summary_save(path, "new", p, 2), 0);
        CHECK_HAS(read_text(path), "{\n  \"experiment_name\": \"new\",\n");
    }
    CHECK_INT(pit_save_members(path, "[]"), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_save_members(path, "{\"mine\": {\"x\": 1}}"), 0);
    CHECK_INT(pit_save_members(path, "{\"mine\": {\"y\": {\"z\": 2}}}"), 0);
    CHECK_HAS(read_text(path), "\"mine\": {\n    \"x\": 1,\n    \"y\": {\"z\": 2}\n  }\n}\n");
    pit_profile_free(&p[0]);
    pit_profile_free(&p[1]);
    remove_folder();
}

TEST(a_kind_is_a_word_of_the_name_or_said_and_extras_are_kept)
{
    static const struct {
        const char *name, *kind;
        const char *key; /* NULL: only the two basic ones */
    } cases[] = {{"MVAR-p5", NULL, "lag_order"},  {"lstm_2layer", NULL, "num_layers"},
                 {"LSTM2", NULL, "num_layers"},   {"my mvar (p=5)", NULL, "lag_order"},
                 {"MyModel", NULL, NULL},         {"BiLSTM", NULL, NULL},
                 {"mvar+lstm", NULL, NULL},       {"mvar+lstm", "LSTM", "num_layers"},
                 {"MyModel", "mvar", "lag_order"}};
    const pit_figure extras[] = {{"depth", 3, NULL}, {"rate", 0.5, "1/s"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pit_model model = {.name = cases[i].name,
                           .kind = cases[i].kind,
                           .latent_dim = 20,
                           .lag = 5,
                           .hidden_dim = 8,
                           .extras = extras,
                           .extra_count = 2};
        pit_profile p;
        REQUIRE(pit_profile_build(&p, &model, 1, NULL, NULL, 0, 0) == 0);
        char *text = text_of(&p, 0);
        if (cases[i].key)
            CHECK_HAS(text, cases[i].key);
        else
            CHECK(!strstr(text, "lag_order") && !strstr(text, "num_layers"));
        CHECK_HAS(text, "\"arguments\": {\n      \"depth\": 3,\n      \"rate\": 0.5\n    }");
        free(text);
        pit_profile_free(&p);
    }
    pit_complexity complexity;
    pit_model unknown = {.name = "MVAR", .kind = "Mine", .latent_dim = 20, .lag = 5};
    CHECK_INT(pit_model_complexity(&unknown, &complexity), PIT_BAD_ARGUMENT);
}

TEST(means_of_graphs_are_not_cut)
{
    pit_model gpm = {.name = "GPM", .patterns = 2, .pattern_size = 3, .nodes = 28.5, .degree = 2.9};
    pit_complexity complexity;
    REQUIRE(pit_model_complexity(&gpm, &complexity) == 0);
    CHECK_NEAR(complexity.components[0], 2 * 3 * 28.5 * 2.9, 1e-9);
    CHECK_INT(complexity.flops_per_step, 496); /* 495.9 */
    pit_profile p;
    REQUIRE(pit_profile_build(&p, &gpm, 1, NULL, NULL, 0, 0) == 0);
    char *text = text_of(&p, 0);
    CHECK_HAS(text, "\"num_nodes\": 28.5,\n    \"avg_degree\": 2.9,");
    free(text);
    pit_profile_free(&p);
}

TEST(a_file_that_cannot_be_written_leaves_what_was_there)
{
    REQUIRE(mkdtemp(folder));
    pit_profile p = profile("MVAR", 2000, 4, 0.0082);
    CHECK_INT(pit_profile_save(inside("file"), &p), 0);
    CHECK_INT(pit_profile_save(inside("file/below/x.json"), &p), PIT_CANNOT_WRITE);
    CHECK_INT(errno, ENOTDIR);
    struct stat found;
    CHECK(stat(inside("file"), &found) == 0 && S_ISREG(found.st_mode) && found.st_size > 500);
    CHECK_INT(pit_profile_save(inside("."), &p), PIT_CANNOT_WRITE);
    pit_profile_free(&p);
    remove_folder();
}

static void step(void *argument, uint64_t steps)
{
    double *x = argument;
    for (uint64_t i = 0; i < 50 * steps; i++)
        *x = *x * 0.999 + 0.001;
    PIT_CLOBBER();
    move_clock(3e-6 * (double)steps);
}

TEST(a_quick_profile_measures_by_itself)
{
    double x = 1;
    pit_forecast_options options = {.steps = 30, .trials = 12};
    pit_profile p;
    use_moved_clock(0);
    REQUIRE(pit_profile_quick(&p, &mvar, 0.5, step, &x, &options) == 0);
    CHECK_INT(p.single_step.trials, 12);
    CHECK_INT(p.full_trajectory.trials, 12);
    CHECK_NEAR(p.seconds_per_step, 3e-6, 1e-12);
    CHECK_NEAR(p.seconds_per_step * 30, p.full_trajectory.mean, 1e-12);
    CHECK_NEAR(p.predictions_per_second / p.steps_per_second, 20, 1e-9);
    CHECK_NEAR(p.flops_per_second / p.steps_per_second, 4000, 1e-6);
    CHECK(p.single_step.times && p.model.name == p.model_name);
    pit_profile_free(&p);
}

TEST(a_peak_that_is_gone_is_still_the_peak)
{
    size_t bytes = 64u << 20;
    char *block = malloc(bytes);
    REQUIRE(block);
    memset(block, 1, bytes);
    PIT_USE(block);
    free(block);
    pit_profile p;
    REQUIRE(pit_profile_build(&p, &mvar, 0.5, NULL, NULL, 0, 0) == 0);
    CHECK(p.peak_mb > 60); /* the kernel leaves some pages per processor out of its mark */
    pit_profile_free(&p);
}

TEST(this_machine_does_some_operations_a_second)
{
    double flops = pit_machine_flops();
    CHECK(flops > 1e3 && flops < 1e13); /* its speed depends on the machine's load */
    CHECK(pit_machine_flops() == flops);
}

TEST(wrong_arguments_are_refused)
{
    pit_profile p;
    pit_model nameless = {.latent_dim = 3},
              large = {.name = "MVAR", .lag = 2, .latent_dim = 1ull << 40};
    CHECK_INT(pit_profile_build(&p, &nameless, 1, NULL, NULL, 0, 0), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_profile_build(&p, &large, 1, NULL, NULL, 0, 0), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_profile_quick(&p, &mvar, 1, NULL, NULL, NULL), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_profile_print(stdout, NULL), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_profiles_compare(stdout, NULL, 0), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_profile_save("", &p), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_summary_save("x", NULL, &p, 1), PIT_BAD_ARGUMENT);
    pit_profile_free(NULL);
}
