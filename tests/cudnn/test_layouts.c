/* SPDX-License-Identifier: Apache-2.0 */
/* Tests operands in layouts that cuDNN does not support. The mock refuses all calls that cuDNN was
 * observed to refuse or to run with wrong results. The backend must run them nevertheless, or
 * decline them in advance.
 * Needs: tests/cudnn/libcudnn_mock.la */
#include "trial.h"

#include <stdio.h>

/* The layouts of a tensor with dims n, c, h, w. In ODD, dims of size 1 have arbitrary strides. */
enum layout { ROWS, LAST, GAPS, ODD, NO_LAYOUT };

static void lay(struct anydnn_plugin_tensor *tensor, const int64_t *dims, enum layout layout)
{
    int64_t n = dims[1] * dims[2] * dims[3], w = dims[3], c = dims[1];
    const int64_t strides[][4] = {[ROWS] = {n, dims[2] * w, w, 1},
                                  [LAST] = {n, 1, w * c, c},
                                  [GAPS] = {2 * n + 6, 2 * dims[2] * w, 2 * w, 2},
                                  [ODD] = {n, dims[2] * w, w, 1}};

    memcpy(tensor->dims, dims, 4 * sizeof dims[0]);
    memcpy(tensor->strides, strides[layout], sizeof strides[layout]);
    for (int32_t d = 0; d < 4 && layout == ODD; d++) {
        if (dims[d] == 1)
            tensor->strides[d] = 17 + d;
    }
}

static const struct anydnn_plugin_softmax fast = {
    .struct_size = sizeof fast, .algorithm = CUDNN_SOFTMAX_FAST, .mode = 0};
static const struct anydnn_plugin_pooling max_pooling = {.struct_size = sizeof max_pooling,
                                                         .spatial_dims = 2,
                                                         .mode = CUDNN_POOLING_MAX,
                                                         .window = {1, 1},
                                                         .stride = {1, 1}};
static const struct anydnn_plugin_activation relu = {.struct_size = sizeof relu,
                                                     .mode = CUDNN_ACTIVATION_RELU},
                                             swish = {.struct_size = sizeof swish,
                                                      .mode = CUDNN_ACTIVATION_SWISH,
                                                      .coef = 1};
static const struct anydnn_plugin_batch_normalization each = {
    .struct_size = sizeof each, .mode = CUDNN_BATCHNORM_PER_ACTIVATION, .epsilon = 1e-3};
static const struct anydnn_plugin_lrn one = {
    .struct_size = sizeof one, .n = 1, .alpha = 1, .beta = 1, .k = 1};

/* The problems. All tensors have equal dims, except the parameters of batch normalization, which
 * have n = 1. Slots without a layout have rows. */
static const struct {
    int32_t operation;
    uint32_t present, parameters;
    const void *params;
    int64_t dims[4];
    enum layout layout[4];
} cases[] = {
    {ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS, 0x3, 0x2, NULL, {3, 8, 1, 1}, {GAPS, ODD}},
    {ANYDNN_PLUGIN_SOFTMAX_FORWARD, 0x3, 0, &fast, {2, 8, 6, 5}, {ROWS, LAST}},
    {ANYDNN_PLUGIN_SOFTMAX_FORWARD, 0x3, 0, &fast, {2, 8, 6, 5}, {LAST, GAPS}},
    {ANYDNN_PLUGIN_SOFTMAX_FORWARD, 0x3, 0, &fast, {2, 8, 1, 1}, {ROWS, LAST}},
    {ANYDNN_PLUGIN_SOFTMAX_BACKWARD, 0x7, 0, &fast, {3, 8, 1, 1}, {ROWS, LAST, LAST}},
    {ANYDNN_PLUGIN_SOFTMAX_BACKWARD, 0x7, 0, &fast, {1, 8, 6, 5}, {ODD, ROWS, GAPS}},
    {ANYDNN_PLUGIN_POOLING_BACKWARD, 0xf, 0, &max_pooling, {2, 1, 6, 5}, {ROWS, LAST, GAPS, LAST}},
    {ANYDNN_PLUGIN_POOLING_BACKWARD, 0xf, 0, &max_pooling, {1, 8, 6, 5}, {ROWS, ROWS, ODD, ROWS}},
    {ANYDNN_PLUGIN_ACTIVATION_BACKWARD, 0xf, 0, &relu, {1, 8, 6, 1}, {ODD, ROWS, GAPS, LAST}},
    {ANYDNN_PLUGIN_ACTIVATION_BACKWARD, 0xf, 0, &swish, {2, 8, 6, 5}, {ROWS, LAST, LAST, LAST}},
    {ANYDNN_PLUGIN_ACTIVATION_BACKWARD, 0xf, 0, &swish, {1, 8, 6, 5}, {GAPS, ODD, LAST, ROWS}},
    {ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_FORWARD, 0x1f, 0, &one, {1, 8, 6, 5}, {ODD, LAST}},
    {ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_FORWARD, 0x1f, 0, &one, {2, 8, 1, 1}, {LAST}},
    {ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_BACKWARD, 0x7f, 0, &one, {1, 8, 6, 5}, {ODD}},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE, 0x3f, 0x1e, &each, {3, 8, 6, 5}, {LAST, LAST}},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE, 0x3f, 0x1e, &each, {3, 8, 1, 1}, {LAST, LAST}},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE, 0x3f, 0x1e, &each, {3, 8, 6, 5}, {ROWS, ODD}},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING, 0x77, 0x36, &each, {3, 8, 6, 5}, {LAST, LAST}},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, 0xd0b, 0xc08, &each, {3, 8, 6, 5}, {ROWS, LAST}},
};

static void taken_layouts(void)
{
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        make_trial(&trial, cases[i].operation, cases[i].present, cases[i].params);
        for (int slot = 0; slot < SLOTS; slot++) {
            int64_t dims[4];

            memcpy(dims, cases[i].dims, sizeof dims);
            dims[0] = cases[i].parameters >> slot & 1 ? 1 : dims[0];
            lay(&trial.tensor[slot], dims, slot < 4 ? cases[i].layout[slot] : ROWS);
        }
        /* The parameters of backward have slots beyond those that the table lays out. */
        if (cases[i].operation == ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD)
            lay(&trial.tensor[10], trial.tensor[10].dims, LAST);
        assert_int_equal(try_it(context, &trial), 0);
    }
    end(context);
}

/* Checks the copies for swish, which takes x and dx with y's layout. If all tensors but y have
 * channels last, they are moved. Nothing is moved if the layouts differ only in dims of size 1. */
static void copies_made(void)
{
    static const int64_t image[] = {2, 8, 6, 5}, flat[] = {2, 8, 1, 1};
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    for (int i = 0; i < 2; i++) {
        make_trial(&trial, ANYDNN_PLUGIN_ACTIVATION_BACKWARD, 0xf, &swish);
        for (int slot = 0; slot < 4; slot++)
            lay(&trial.tensor[slot], i ? flat : image, slot ? LAST : ROWS);
        assert_int_equal(try_it(context, &trial), 0);
        assert_int_equal(mock->transforms, i ? 0 : 3);
    }
    end(context);
}

/* Checks that filters of the three convolutions are moved if they are not packed. */
static void filters(void)
{
    static const struct {
        int32_t operation, filter;
    } convolutions[] = {{ANYDNN_PLUGIN_CONVOLUTION_FORWARD, 1},
                        {ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA, 0},
                        {ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER, 2}};
    static const int64_t dims[] = {8, 8, 1, 3};
    static const enum layout layouts[] = {ROWS, LAST, GAPS, ODD};
    struct anydnn_plugin_convolution params = {.struct_size = sizeof params,
                                               .spatial_dims = 2,
                                               .pad = {0, 1},
                                               .stride = {1, 1},
                                               .dilation = {1, 1},
                                               .groups = 1,
                                               .mode = 1};
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    for (size_t i = 0; i < 12; i++) {
        int32_t filter = convolutions[i / 4].filter;
        enum layout layout = layouts[i % 4];
        /* A new problem each time, so that its graph is made. */
        const int64_t image[] = {2 + (int64_t)i, 8, 6, 5};

        make_trial(&trial, convolutions[i / 4].operation, 0x7, &params);
        for (int slot = 0; slot < 3; slot++)
            lay(&trial.tensor[slot], slot == filter ? dims : image, slot == filter ? layout : ROWS);
        assert_int_equal(try_it(context, &trial), 0);
        assert_int_equal(mock->transforms, layout == GAPS);
        if (layout == GAPS && filter < 2)
            assert_ptr_equal(mock->transform[0].from, memory[filter]);
        if (layout == GAPS && filter == 2)
            assert_ptr_equal(mock->transform[0].to, memory[2]);
        /* The stride of h, which has size 1. */
        assert_int_equal(mock->strides[filter][2], layout == LAST ? 24 : 3);
    }
    end(context);
}

/* Checks problems that no copy can correct: they are declined with a sentence that gives the
 * reason. */
static void declined(void)
{
    static const struct anydnn_plugin_pooling volume = {
        .struct_size = sizeof volume, .spatial_dims = 3, .window = {1, 1, 1}, .stride = {1, 1, 1}};
    struct anydnn_plugin_transform transform = {
        .struct_size = sizeof transform, .fold = {1, 1}, .pad_before = {0, 2, 0, 0}};
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    make_trial(&trial, ANYDNN_PLUGIN_POOLING_FORWARD, 0x3, &volume);
    for (int slot = 0; slot < 2; slot++) {
        trial.tensor[slot].type = ANYDNN_PLUGIN_INT8X4;
        trial.tensor[slot].ndims = 5;
        memcpy(trial.tensor[slot].dims, ((int64_t[]){2, 8, 3, 6, 5}), 5 * sizeof(int64_t));
        memcpy(trial.tensor[slot].strides, ((int64_t[]){180, 90, 30, 5, 1}), 5 * sizeof(int64_t));
    }
    assert_int_equal(try_it(context, &trial), ANYDNN_PLUGIN_REASON_SHAPE);
    assert_non_null(strstr(trial.answer.sentence, "int8x4 with 5 dims"));
    for (int pad = -1; pad < 1; pad++) {
        struct anydnn_plugin_pooling flat = {
            .struct_size = sizeof flat, .spatial_dims = 2, .window = {1, 1}, .stride = {1, 1}};

        flat.pad[1] = pad;
        make_trial(&trial, ANYDNN_PLUGIN_POOLING_FORWARD, 0x3, &flat);
        for (int slot = 0; slot < 2; slot++) {
            trial.tensor[slot].type = ANYDNN_PLUGIN_INT8X4;
            memcpy(trial.tensor[slot].strides, ((int64_t[]){60, 30, 5, 1}), 4 * sizeof(int64_t));
        }
        assert_int_equal(try_it(context, &trial), pad ? ANYDNN_PLUGIN_REASON_SHAPE : 0);
        assert_true(!pad || strstr(trial.answer.sentence, "spatial dim 1 has pad -1"));
    }
    for (int after = -1; after < 1; after++) {
        static const int64_t dims[] = {2, 10, 6, 5};

        transform.pad_after[1] = after;
        make_trial(&trial, ANYDNN_PLUGIN_TRANSFORM_FILTER, 0x3, &transform);
        lay(&trial.tensor[1], dims, ROWS);
        trial.tensor[1].dims[1] += after;
        pack_rows(&trial.tensor[1]);
        assert_int_equal(try_it(context, &trial), after ? ANYDNN_PLUGIN_REASON_PARAMETER : 0);
        if (after)
            assert_non_null(strstr(trial.answer.sentence, "dim 1 has pads of 2 and -1"));
    }
    end(context);
}

/* Checks activations whose results cuDNN flushes in float and bfloat16: they are declined, alone or
 * after a convolution. For half and integers, they are offered. */
static void flushed_activations(void)
{
    struct anydnn_plugin_convolution params = {.struct_size = sizeof params,
                                               .spatial_dims = 2,
                                               .stride = {1, 1},
                                               .dilation = {1, 1},
                                               .groups = 1,
                                               .mode = 1};
    static const int64_t filter[] = {8, 8, 1, 1}, bias[] = {1, 8, 1, 1};
    static const int32_t types[] = {ANYDNN_PLUGIN_FLOAT, ANYDNN_PLUGIN_BFLOAT16, ANYDNN_PLUGIN_HALF,
                                    ANYDNN_PLUGIN_INT8};
    static const char *const modes[] = {"sigmoid", "tanh", "elu", "swish"};
    static const int32_t numbers[] = {CUDNN_ACTIVATION_SIGMOID, CUDNN_ACTIVATION_TANH,
                                      CUDNN_ACTIVATION_ELU, CUDNN_ACTIVATION_SWISH};
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    mock->refuse_older = 1;
    for (int i = 0; i < 16; i++) {
        struct anydnn_plugin_activation alone = {
            .struct_size = sizeof alone, .mode = numbers[i / 4], .coef = 1};
        int declined = i / 4 != 1 && i % 4 < 2;
        char words[40];

        snprintf(words, sizeof words, "the activation is %s", modes[i / 4]);
        params.activation = numbers[i / 4];
        make_trial(&trial, ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD, 0x1b, &params);
        lay(&trial.tensor[1], filter, ROWS);
        lay(&trial.tensor[3], bias, ROWS);
        for (int slot = 0; slot < 5; slot++)
            trial.tensor[slot].type = slot == 3 && types[i % 4] == ANYDNN_PLUGIN_INT8
                                          ? ANYDNN_PLUGIN_FLOAT
                                          : types[i % 4];
        assert_int_equal(try_it(context, &trial), declined ? ANYDNN_PLUGIN_REASON_PARAMETER : 0);
        assert_true(!declined || strstr(trial.answer.sentence, words));
        make_trial(&trial, ANYDNN_PLUGIN_ACTIVATION_FORWARD, 0x3, &alone);
        trial.tensor[0].type = trial.tensor[1].type = types[i % 4];
        assert_int_equal(try_it(context, &trial), declined ? ANYDNN_PLUGIN_REASON_PARAMETER : 0);
        assert_true(!declined || strstr(trial.answer.sentence, words));
    }
    end(context);
}

/* Checks two restrictions. A convolution that runs only with factors of 1 is declined, because
 * plans serve any factors. Training with one value per mean is declined, with channels and with
 * single activations; with two values, it is offered. */
static void narrow_offers(void)
{
    struct anydnn_plugin_convolution params = {.struct_size = sizeof params,
                                               .spatial_dims = 2,
                                               .stride = {1, 1},
                                               .dilation = {1, 1},
                                               .groups = 1,
                                               .mode = 1};
    struct anydnn_plugin_batch_normalization spatial = {
        .struct_size = sizeof spatial, .mode = CUDNN_BATCHNORM_SPATIAL, .epsilon = 1e-5};
    static const int64_t filter[] = {8, 8, 1, 1}, bias[] = {1, 8, 1, 1};
    static const int64_t images[][4] = {{1, 8, 1, 1}, {2, 8, 1, 1}, {1, 8, 1, 2}};
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    params.activation = CUDNN_ACTIVATION_RELU;
    for (int refused = 0; refused < 3; refused += 2) {
        mock->refuse_older = refused;
        make_trial(&trial, ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD, 0x1b, &params);
        lay(&trial.tensor[1], filter, ROWS);
        lay(&trial.tensor[3], bias, ROWS);
        assert_int_equal(try_it(context, &trial), refused ? ANYDNN_PLUGIN_REASON_LAYOUT : 0);
    }
    for (int i = 0; i < 6; i++) {
        int values = i % 3 == 1 || (i == 2) ? 2 : 1;

        make_trial(&trial, ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING, 0x77,
                   i < 3 ? &spatial : &each);
        for (int slot = 0; slot < SLOTS; slot++)
            lay(&trial.tensor[slot], slot == 0 || slot == 6 ? images[i % 3] : bias, ROWS);
        if (i == 5) {
            for (int slot = 1; slot < 6; slot++)
                lay(&trial.tensor[slot], images[2], ROWS);
        }
        assert_int_equal(try_it(context, &trial), values == 1 ? ANYDNN_PLUGIN_REASON_SHAPE : 0);
        assert_true(values > 1 || strstr(trial.answer.sentence, "one value"));
    }
    end(context);
}

/* Checks half with factors, which runs through float: float's plan gets the copy of the filter
 * instead of the caller's. */
static void filters_by_float(void)
{
    static const int64_t image[] = {2, 8, 6, 5}, dims[] = {8, 8, 1, 3};
    struct anydnn_plugin_convolution params = {.struct_size = sizeof params,
                                               .spatial_dims = 2,
                                               .pad = {0, 1},
                                               .stride = {1, 1},
                                               .dilation = {1, 1},
                                               .groups = 1,
                                               .mode = 1};
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    make_trial(&trial, ANYDNN_PLUGIN_CONVOLUTION_FORWARD, 0x7, &params);
    for (int slot = 0; slot < 3; slot++) {
        lay(&trial.tensor[slot], slot == 1 ? dims : image, slot == 1 ? GAPS : ROWS);
        trial.tensor[slot].type = ANYDNN_PLUGIN_HALF;
    }
    trial.operands.scale[0] = 2;
    assert_int_equal(try_it(context, &trial), 0);
    /* The filter is packed, then x and the filter become float; y is copied back. */
    assert_int_equal(mock->transforms, 4);
    assert_ptr_equal(mock->transform[0].from, memory[1]);
    assert_ptr_equal(mock->transform[2].from, mock->transform[0].to);
    assert_int_equal(mock->transform[2].strides[0], 24);
    end(context);
}

static void test_taken_layouts(void **state)
{
    (void)state;
    run_alone(taken_layouts);
}

static void test_copies_made(void **state)
{
    (void)state;
    run_alone(copies_made);
}

static void test_filters(void **state)
{
    (void)state;
    run_alone(filters);
}

static void test_declined(void **state)
{
    (void)state;
    run_alone(declined);
}

static void test_flushed_activations(void **state)
{
    (void)state;
    run_alone(flushed_activations);
}

static void test_narrow_offers(void **state)
{
    (void)state;
    run_alone(narrow_offers);
}

static void test_filters_by_float(void **state)
{
    (void)state;
    run_alone(filters_by_float);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_taken_layouts),
        cmocka_unit_test(test_copies_made),
        cmocka_unit_test(test_filters),
        cmocka_unit_test(test_declined),
        cmocka_unit_test(test_flushed_activations),
        cmocka_unit_test(test_narrow_offers),
        cmocka_unit_test(test_filters_by_float),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
