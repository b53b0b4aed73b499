/* Profiles: the document's own figures come out under the document's keys, in its order; ratios,
 * winners and significance; files whole or not at all. */
#include "check.h"

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

/* Without our own part, which is the last. */
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

/* Trials round a level, the same for all but a little. */
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

TEST(differences_are_judged_and_marked_as_advisory)
{
    pit_profile p[] = {profile("A", 1, 1, 0.010), profile("B", 1, 1, 0.012),
                       profile("A", 1, 1, 0.010)};
    char *text = text_of(p, 3);
    CHECK(strstr(text, "\"advisory\": true"));
    char *b = strstr(text, "\"B_vs_A\": {\n"), *a = strstr(text, "\"A_vs_A\": {\n");
    REQUIRE(a && b);
    CHECK(strstr(b, "\"training\": {\n          \"verdict\": null"));
    CHECK(strstr(b, "\"full_trajectory\": {\n          \"verdict\": \"slower\""));
    CHECK(strstr(a, "\"full_trajectory\": {\n          \"verdict\": \"same\""));
    free(text);
    for (size_t i = 0; i < 3; i++)
        pit_profile_free(&p[i]);
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
}

TEST(a_quick_profile_measures_by_itself)
{
    double x = 1;
    pit_forecast_options options = {.steps = 30, .trials = 12};
    pit_profile p;
    REQUIRE(pit_profile_quick(&p, &mvar, 0.5, step, &x, &options) == 0);
    CHECK_INT(p.single_step.trials, 12);
    CHECK_INT(p.full_trajectory.trials, 12);
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
    CHECK(p.peak_mb > 64);
    pit_profile_free(&p);
}

TEST(this_machine_does_some_operations_a_second)
{
    double flops = pit_machine_flops();
    CHECK(flops > 1e7 && flops < 1e13);
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
