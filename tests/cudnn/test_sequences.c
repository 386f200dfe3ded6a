/* SPDX-License-Identifier: Apache-2.0 */
/* The CTC loss and the spatial transformer of the backend cudnn, over a mock of its library: which
 * labels it is given, what is mended behind it, and what is refused. */
#include "trial.h"

#include <math.h>

/* Slots. */
enum { X, LABELS, LABEL_LENGTHS, INPUT_LENGTHS, COSTS, GRADIENTS };

/* Of every problem of the CTC loss here. */
enum { STEPS = 4, SEQUENCES = 2, LETTERS = 3 };

static const struct anydnn_plugin_ctc softmax = {.struct_size = sizeof softmax, .normalization = 1};
static const struct anydnn_plugin_ctc propagating = {
    .struct_size = sizeof propagating, .normalization = 1, .nan_propagate = 1};

/* Labels of both sequences and their lengths; host memory that is not aligned to 16 bytes. */
struct lists {
    int32_t before, labels[600], label_lengths[SEQUENCES], input_lengths[SEQUENCES];
};

static void list_of(struct anydnn_plugin_tensor *tensor, int32_t type, int64_t count)
{
    tensor->type = type;
    tensor->ndims = 1;
    tensor->dims[0] = count;
    tensor->strides[0] = 1;
}

static void make_ctc(struct trial *trial, struct lists *lists, const void *params)
{
    static const int64_t dims[] = {STEPS, SEQUENCES, LETTERS};

    make_trial(trial, ANYDNN_PLUGIN_CTC_LOSS, 0x3f, params);
    for (int slot = X; slot <= GRADIENTS; slot += GRADIENTS) {
        trial->tensor[slot].ndims = 3;
        memcpy(trial->tensor[slot].dims, dims, sizeof dims);
        pack_rows(&trial->tensor[slot]);
    }
    list_of(&trial->tensor[LABELS], ANYDNN_PLUGIN_INT32, 600);
    list_of(&trial->tensor[LABEL_LENGTHS], ANYDNN_PLUGIN_INT32, SEQUENCES);
    list_of(&trial->tensor[INPUT_LENGTHS], ANYDNN_PLUGIN_INT32, SEQUENCES);
    list_of(&trial->tensor[COSTS], ANYDNN_PLUGIN_FLOAT, SEQUENCES);
    trial->operands.data[LABELS] = lists->labels;
    trial->operands.data[LABEL_LENGTHS] = lists->label_lengths;
    trial->operands.data[INPUT_LENGTHS] = lists->input_lengths;
    memset(memory[GRADIENTS], 0x11, sizeof memory[GRADIENTS]);
    memset(memory[COSTS], 0x11, sizeof memory[COSTS]);
}

static float cost(int n)
{
    return ((const float *)(const void *)memory[COSTS])[n];
}

/* Of sequence n; `value` in the steps up to `end`, and 0 behind. NaN stands for NaN. */
static void expect_gradients(int n, int end, float value)
{
    const float *all = (const float *)(const void *)memory[GRADIENTS];

    for (int t = 0; t < STEPS; t++)
        for (int k = 0; k < LETTERS; k++) {
            float got = all[(t * SEQUENCES + n) * LETTERS + k], want = t < end ? value : 0;

            assert_true(isnan(want) ? isnan(got) : got == want);
        }
}

/* Labels as they are; gradients behind a sequence's end, which cuDNN leaves alone, become 0. */
static void passed_on(void)
{
    struct lists lists = {0, {1, 2, 1}, {2, 1}, {4, 2}};
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    make_ctc(&trial, &lists, &softmax);
    assert_int_equal(try_it(context, &trial), 0);
    assert_string_equal(mock->calls, "cudnnCTCLoss ");
    assert_memory_equal(mock->ctc.labels, lists.labels, 3 * sizeof(int));
    assert_memory_equal(mock->ctc.label_lengths, lists.label_lengths, sizeof lists.label_lengths);
    assert_memory_equal(mock->ctc.input_lengths, lists.input_lengths, sizeof lists.input_lengths);
    assert_true(cost(0) == 2 && cost(1) == 2);
    expect_gradients(0, 4, 7);
    expect_gradients(1, 2, 7);
    assert_int_equal(copies, 0);
    end(context);
}

/* What no path gives runs as one label in one step, and gets infinity; without labels and steps the
 * cost is 0. */
static void mended(void)
{
    static const struct {
        struct lists lists;
        float cost;
        int steps; /* of the first sequence, which has no path */
    } cases[] = {
        {{0, {1, 1, 1, 2}, {3, 1}, {4, 4}}, INFINITY, 4},
        {{0, {1, 2, 2}, {2, 1}, {1, 4}}, INFINITY, 1},
        {{0, {2, 2}, {1, 1}, {0, 4}}, INFINITY, 0},
        {{0, {2}, {0, 1}, {0, 4}}, 0, 0},
    };
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        struct lists lists = cases[i / 2].lists;

        make_ctc(&trial, &lists, i % 2 ? &propagating : &softmax);
        assert_int_equal(try_it(context, &trial), 0);
        assert_true(mock->ctc.labels[0] == 1 && mock->ctc.labels[1] == 2);
        assert_true(mock->ctc.label_lengths[0] == 1 && mock->ctc.input_lengths[0] == 1);
        assert_true(mock->ctc.label_lengths[1] == 1 && mock->ctc.input_lengths[1] == 4);
        assert_true(cost(0) == cases[i / 2].cost && cost(1) == 2);
        expect_gradients(0, cases[i / 2].steps, i % 2 ? NAN : 0);
        expect_gradients(1, 4, 7);
    }
    end(context);
}

static void refuse(struct anydnn_plugin_context *context, struct trial *trial, const char *words)
{
    const struct anydnn_plugin_operation *of = operation(ANYDNN_PLUGIN_CTC_LOSS);
    char before[sizeof memory[GRADIENTS]];
    int32_t effect = -1;

    memset(&trial->answer, 0, sizeof trial->answer);
    assert_int_equal(of->candidates(context, &trial->problem, take_offer, &trial->answer), 0);
    assert_int_equal(trial->answer.offer[0].reason, 0);
    assert_int_equal(of->plan_create(context, &trial->problem, 1, &trial->plan), 0);
    memcpy(before, memory[GRADIENTS], sizeof before);
    assert_int_equal(of->plan_execute(trial->plan, &trial->operands, &effect),
                     ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED);
    assert_int_equal(effect, ANYDNN_PLUGIN_EFFECT_NONE);
    assert_memory_equal(before, memory[GRADIENTS], sizeof before);
    assert_non_null(strstr(error_text, words));
    assert_int_equal(scratches, 0);
    of->plan_destroy(trial->plan);
}

/* Refused as it runs, before anything is enqueued. */
static void refused_runs(void)
{
    struct lists none = {0, {1}, {1, 0}, {4, 4}}, many = {.label_lengths = {1, 256}};
    struct lists fine = {0, {1, 2}, {1, 1}, {4, 4}};
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    make_ctc(&trial, &none, &softmax);
    refuse(context, &trial, "sequence 1 has 0 labels");
    for (int i = 0; i < 257; i++)
        many.labels[i] = 1 + i % 2;
    many.input_lengths[0] = many.input_lengths[1] = 300;
    make_ctc(&trial, &many, &softmax);
    for (int slot = X; slot <= GRADIENTS; slot += GRADIENTS)
        trial.tensor[slot].dims[0] = 300;
    refuse(context, &trial, "sequence 1 has 256 labels");
    make_ctc(&trial, &fine, &softmax);
    captured = 1;
    refuse(context, &trial, "recording");
    captured = 0;
    end(context);
}

/* Known from the shapes: no letter but the blank, fewer labels than sequences. */
static void refused_shapes(void)
{
    struct lists lists = {0, {1, 2}, {1, 1}, {4, 4}};
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    make_ctc(&trial, &lists, &softmax);
    trial.tensor[LABELS].dims[0] = 1;
    assert_int_equal(try_it(context, &trial), ANYDNN_PLUGIN_REASON_SHAPE);
    make_ctc(&trial, &lists, &softmax);
    trial.tensor[X].dims[2] = trial.tensor[GRADIENTS].dims[2] = 1;
    assert_int_equal(try_it(context, &trial), ANYDNN_PLUGIN_REASON_SHAPE);
    end(context);
}

/* Lists stay where they are whatever they are aligned to; of half there are copies in float. */
static void copied_operands(void)
{
    struct lists lists = {0, {1, 2}, {1, 1}, {4, 4}};
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    make_ctc(&trial, &lists, &softmax);
    trial.operands.data[X] = memory[X] + 4;
    assert_int_equal(try_it(context, &trial), 0);
    assert_int_equal(copies, 1);
    make_ctc(&trial, &lists, &softmax);
    trial.tensor[X].type = trial.tensor[GRADIENTS].type = ANYDNN_PLUGIN_HALF;
    assert_int_equal(try_it(context, &trial), 0);
    assert_string_equal(mock->calls, "cudnnTransformTensor cudnnCTCLoss cudnnTransformTensor ");
    assert_ptr_equal(mock->transform[1].to, memory[GRADIENTS]);
    /* Costs alone. */
    make_ctc(&trial, &lists, &softmax);
    trial.problem.present = 0x1f;
    trial.problem.tensor[GRADIENTS] = NULL;
    trial.operands.data[GRADIENTS] = NULL;
    assert_int_equal(try_it(context, &trial), 0);
    assert_true(cost(0) == 2);
    end(context);
}

/* ------------------------------------------------------------------ spatial transformer */

static const struct anydnn_plugin_spatial bilinear = {.struct_size = sizeof bilinear};

static void make_grid(struct anydnn_plugin_tensor *tensor, int64_t h, int64_t w)
{
    tensor->dims[1] = h;
    tensor->dims[2] = w;
    tensor->dims[3] = 2;
    pack_rows(tensor);
}

/* The grid's rows and columns are y's; cuDNN divides by one less of each. */
static void grids(void)
{
    static const struct {
        int64_t h, w;
        int32_t reason;
    } cases[] = {{3, 7, 0}, {1, 7, ANYDNN_PLUGIN_REASON_SHAPE}, {3, 1, ANYDNN_PLUGIN_REASON_SHAPE}};
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    for (int i = 0; i < 6; i++) {
        int backward = i / 3, theta = backward;

        make_trial(&trial,
                   backward ? ANYDNN_PLUGIN_SPATIAL_GRID_BACKWARD
                            : ANYDNN_PLUGIN_SPATIAL_GRID_FORWARD,
                   0x3, &bilinear);
        trial.tensor[theta].ndims = 3;
        trial.tensor[theta].dims[1] = 2;
        trial.tensor[theta].dims[2] = 3;
        pack_rows(&trial.tensor[theta]);
        make_grid(&trial.tensor[!theta], cases[i % 3].h, cases[i % 3].w);
        assert_int_equal(try_it(context, &trial), cases[i % 3].reason);
        if (cases[i % 3].reason)
            continue;
        assert_string_equal(mock->calls, backward ? "cudnnSpatialTfGridGeneratorBackward "
                                                  : "cudnnSpatialTfGridGeneratorForward ");
        assert_memory_equal(mock->image, ((const int[]){2, 1, 3, 7}), sizeof mock->image);
    }
    end(context);
}

/* The image's gradient is added up in any order; dgrid has factors of its own. */
static void samples(void)
{
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    make_trial(&trial, ANYDNN_PLUGIN_SPATIAL_SAMPLER_FORWARD, 0x7, &bilinear);
    make_grid(&trial.tensor[1], 6, 5);
    assert_int_equal(try_it(context, &trial), 0);
    assert_string_equal(mock->calls, "cudnnSpatialTfSamplerForward ");
    assert_int_equal(trial.answer.offer[0].notes, 0);
    assert_memory_equal(mock->image, ((const int[]){2, 8, 6, 5}), sizeof mock->image);
    for (int beta = 0; beta < 2; beta++) {
        make_trial(&trial, ANYDNN_PLUGIN_SPATIAL_SAMPLER_BACKWARD, 0x1f, &bilinear);
        make_grid(&trial.tensor[1], 6, 5);
        make_grid(&trial.tensor[4], 6, 5);
        for (int slot = 0; slot < 5; slot++)
            trial.tensor[slot].type = ANYDNN_PLUGIN_HALF;
        trial.operands.scale[2] = 1;
        trial.operands.scale[3] = beta;
        assert_int_equal(try_it(context, &trial), 0);
        assert_int_equal(trial.answer.offer[0].notes, SHUFFLED);
        /* x, grid and dy there, dx and dgrid back. */
        assert_int_equal(mock->transforms, 5 + beta);
        if (beta)
            assert_ptr_equal(mock->transform[3].from, memory[4]);
        assert_ptr_equal(mock->transform[3 + beta].to, memory[3]);
    }
    end(context);
}

static void test_ctc(void **state)
{
    (void)state;
    run_alone(passed_on);
    run_alone(mended);
    run_alone(refused_runs);
    run_alone(refused_shapes);
    run_alone(copied_operands);
}

static void test_spatial(void **state)
{
    (void)state;
    run_alone(grids);
    run_alone(samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ctc),
        cmocka_unit_test(test_spatial),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
