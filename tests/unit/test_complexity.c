/* Formulas of model kinds, each against a count by hand or by another program's rule. */
#include "check.h"

#include "analysis/complexity.h"

static struct pit__costs costs_of(const char *name, struct pit__sizes sizes)
{
    struct pit__costs costs;
    REQUIRE(pit__model_costs(name, &sizes, &costs) == 0);
    return costs;
}

TEST(mvar_has_the_documents_figures)
{
    struct pit__costs c = costs_of("MVAR", (struct pit__sizes){.dim = 20, .lag = 5});
    CHECK_INT(c.parameters, 2020);
    CHECK_INT(c.part, 400);
    CHECK_INT(c.flops, 4000);
    CHECK_STR(c.training, "O(N_samples * p * d²)");
    CHECK_STR(c.inference, "O(p * d²)");
}

/* Sums of the sizes of torch.nn.LSTM's tensors, layer by layer: the plain loop that the closed form
 * stands for. */
static uint64_t gated_by_loop(uint64_t gates, uint64_t in, uint64_t h, uint64_t layers,
                              uint64_t out)
{
    uint64_t count = 0;
    for (uint64_t l = 0; l < layers; l++) {
        count += gates * h * (l ? h : in); /* weight_ih */
        count += gates * h * h;            /* weight_hh */
        count += gates * h + gates * h;    /* bias_ih, bias_hh */
    }
    return count + out * h + out;
}

TEST(lstm_is_right_from_the_second_layer_on)
{
    for (uint64_t layers = 1; layers <= 4; layers++)
        for (uint64_t h = 1; h < 70; h += 17) {
            struct pit__costs c =
                costs_of("LSTM", (struct pit__sizes){.dim = 20, .hidden = h, .layers = layers});
            CHECK_INT(c.parameters, gated_by_loop(4, 20, h, layers, 20));
        }
    /* torch.nn.LSTM(10, 20, 2): 1 × (800 + 1600 + 80 + 80) + (1600 + 1600 + 80 + 80) */
    struct pit__costs c = costs_of(
        "lstm",
        (struct pit__sizes){.dim = 10, .hidden = 20, .layers = 2, .output = PIT__NO_OUTPUT});
    CHECK_INT(c.parameters, 5920);
    CHECK_INT(c.part, 2560);
    CHECK_INT(c.flops, 2 * (800 + 1600 + 1600 + 1600));
}

TEST(an_lstm_that_reads_a_window_for_a_step_does_it_all_again)
{
    struct pit__sizes sizes = {.dim = 3, .hidden = 8, .output = 3};
    uint64_t once = costs_of("LSTM", sizes).flops, last = 2 * 3 * 8;
    sizes.sequence = 7;
    CHECK_INT(costs_of("LSTM", sizes).flops, 7 * (once - last) + last);
}

TEST(gru_has_three_gates)
{
    struct pit__costs c = costs_of(
        "GRU", (struct pit__sizes){.dim = 10, .hidden = 20, .layers = 2, .output = PIT__NO_OUTPUT});
    CHECK_INT(c.parameters, 4440); /* torch.nn.GRU(10, 20, 2) */
    CHECK_INT(costs_of("GRU", (struct pit__sizes){.dim = 5, .hidden = 7, .layers = 3}).parameters,
              gated_by_loop(3, 5, 7, 3, 5));
}

TEST(mlp_and_siren_are_fully_connected)
{
    /* 784 → 128 → 64 would have unequal widths; 784 → 128 → 128 → 10 has two hidden ones of 128 */
    struct pit__sizes sizes = {.dim = 784, .hidden = 128, .layers = 2, .output = 10};
    struct pit__costs c = costs_of("MLP", sizes);
    CHECK_INT(c.parameters, 784 * 128 + 128 + 128 * 128 + 128 + 128 * 10 + 10);
    CHECK_INT(c.flops, 2 * (784 * 128 + 128 * 128 + 128 * 10));
    CHECK_INT(costs_of("SIREN", sizes).parameters, c.parameters);
}

TEST(kan_has_a_spline_on_each_edge)
{
    struct pit__costs c = costs_of(
        "KAN", (struct pit__sizes){.dim = 2, .hidden = 5, .output = 1, .grid = 5, .order = 3});
    CHECK_INT(c.parameters, (2 * 5 + 5 * 1) * (5 + 3 + 2));
    CHECK_INT(c.flops, 2 * 150);
}

TEST(cnn_counts_its_kernel_at_every_place)
{
    struct pit__sizes sizes = {
        .kernel = 3, .channels_in = 3, .channels_out = 64, .height = 224, .width = 224};
    struct pit__costs c = costs_of("CNN", sizes);
    CHECK_INT(c.parameters, 1792); /* the first layer of VGG-16 */
    CHECK_INT(c.flops, 2 * 86704128ull);
    sizes.layers = 2;
    CHECK_INT(costs_of("CNN", sizes).parameters, 1792 + 36928); /* and its second */
}

TEST(attention_and_transformer_as_torch_keeps_them)
{
    struct pit__sizes sizes = {.dim = 512, .sequence = 10, .heads = 8};
    CHECK_INT(costs_of("Attention", sizes).parameters, 1050624); /* nn.MultiheadAttention(512, 8) */
    CHECK_INT(costs_of("Attention", sizes).flops, 8 * 10 * 512 * 512 + 4 * 10 * 10 * 512);
    struct pit__costs c = costs_of("Transformer", sizes);
    CHECK_INT(c.parameters, 3152384); /* nn.TransformerEncoderLayer(512, 8), 2048 wide */
    sizes.layers = 6;
    CHECK_INT(costs_of("Transformer", sizes).parameters, 6 * 3152384);
    CHECK_INT(costs_of("Transformer", sizes).flops, 6 * c.flops);
    sizes.heads = 7;
    CHECK_INT(pit__model_costs("Transformer", &sizes, &c), -1);
}

TEST(components_are_evaluated_and_added)
{
    struct pit__sizes sizes = {.patterns = 100, .pattern_size = 8, .nodes = 50, .degree = 3};
    struct pit__costs c = costs_of("GPM", sizes);
    REQUIRE(c.component_count == 1);
    CHECK_STR(c.component_names[0], "gpm");
    CHECK_INT(c.components[0], 120000);
    CHECK_INT(c.flops, 120000);
    CHECK_INT(c.parameters, 0);
    sizes.layers = 32;
    sizes.sequence = 512;
    sizes.hidden = 4096;
    c = costs_of("GPM", sizes);
    REQUIRE(c.component_count == 3);
    CHECK_STR(c.component_names[1], "llm");
    CHECK_INT(c.components[1], 32ull * 512 * 512 * 4096);
    CHECK_STR(c.component_names[2], "total");
    CHECK_INT(c.components[2], 120000 + 32ull * 512 * 512 * 4096);
    c = costs_of("LLM", (struct pit__sizes){.layers = 2, .sequence = 16, .dim = 64});
    REQUIRE(c.component_count == 1);
    CHECK_INT(c.components[0], 2 * 16 * 16 * 64);
}

TEST(a_batch_multiplies_the_operations_alone)
{
    struct pit__costs c = costs_of("MVAR", (struct pit__sizes){.dim = 20, .lag = 5, .batch = 32});
    CHECK_INT(c.flops, 32 * 4000);
    CHECK_INT(c.parameters, 2020);
}

TEST(other_models_and_missing_sizes_give_nothing)
{
    struct pit__sizes none = {.dim = 20};
    CHECK_INT(costs_of("DMD", none).parameters, 0);
    CHECK_INT(costs_of("MVAR", none).parameters, 0);
    CHECK(costs_of("LSTM", none).training == NULL);
    CHECK(pit__find_model_kind("MVAR", &none) == PIT__MODEL_NONE);
    CHECK(pit__find_model_kind(NULL, &none) == PIT__MODEL_NONE);
}

TEST(sizes_that_do_not_fit_are_refused)
{
    struct pit__costs c;
    struct pit__sizes large = {.dim = UINT64_C(1) << 33, .lag = 5};
    CHECK_INT(pit__model_costs("MVAR", &large, &c), -1);
    CHECK_INT(c.parameters, 0);
    large = (struct pit__sizes){.dim = 4, .hidden = 4, .layers = UINT64_MAX};
    CHECK_INT(pit__model_costs("LSTM", &large, &c), -1);
    CHECK_INT(pit__model_costs("GRU", &large, &c), -1);
    CHECK_INT(pit__model_costs("MLP", &large, &c), -1);
    large = (struct pit__sizes){.dim = 20, .lag = 5, .batch = UINT64_MAX / 2};
    CHECK_INT(pit__model_costs("MVAR", &large, &c), -1);
    large = (struct pit__sizes){.patterns = 0x1p63, .pattern_size = 3, .nodes = 1, .degree = 1};
    CHECK_INT(pit__model_costs("GPM", &large, &c), -1);
}
