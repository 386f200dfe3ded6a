/* SPDX-License-Identifier: Apache-2.0 */
/* Tests operands that cuDNN gets as copies, with a mock of its library: what is copied, when an
 * output is read, that every result is copied back, and in which order cuDNN is called.
 * Needs: tests/cudnn/libcudnn_mock.la */
#include "trial.h"

/* Checks pooling backward. The maximum requires y in dy's layout and x in dx's; the tensor of a
 * pair that is not packed is copied. Averages have no such rule. */
static void pooling_layouts(void)
{
    static const struct {
        int32_t mode, gaps, in, out; /* the operand with gaps; copies before and after */
    } cases[] = {{0, -1, 0, 0}, {0, 1, 1, 0}, {0, 3, 0, 1}, {1, 1, 0, 0}, {1, 3, 0, 0}};
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct anydnn_plugin_pooling params = {.struct_size = sizeof params,
                                               .spatial_dims = 2,
                                               .mode = cases[i].mode,
                                               .window = {1, 1},
                                               .stride = {1, 1}};

        make_trial(&trial, ANYDNN_PLUGIN_POOLING_BACKWARD, 0xf, &params);
        if (cases[i].gaps >= 0)
            trial.tensor[cases[i].gaps].strides[0] = 250;
        assert_int_equal(try_it(context, &trial), 0);
        assert_int_equal(mock->transforms, cases[i].in + cases[i].out);
        if (cases[i].in)
            assert_ptr_equal(mock->transform[0].from, memory[1]);
        if (cases[i].out)
            assert_ptr_equal(mock->transform[0].to, memory[3]);
    }
    end(context);
}

/* Checks that an output is also copied before the call if it is blended. */
static void blended_outputs(void)
{
    struct anydnn_plugin_softmax params = {.struct_size = sizeof params, .algorithm = 0, .mode = 1};
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    for (int beta = 0; beta < 2; beta++) {
        make_trial(&trial, ANYDNN_PLUGIN_SOFTMAX_FORWARD, 0x3, &params);
        trial.tensor[0].type = trial.tensor[1].type = ANYDNN_PLUGIN_HALF;
        trial.operands.scale[1] = beta;
        assert_int_equal(try_it(context, &trial), 0);
        assert_int_equal(mock->transforms, 2 + beta);
        assert_ptr_equal(mock->transform[1 + beta].to, memory[1]);
        assert_true(mock->transform[1 + beta].beta == 0);
    }
    end(context);
}

/* Checks which algorithms of softmax are offered: only those that cuDNN computes as anydnn.h
 * specifies. */
static void softmax_algorithms(void)
{
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    for (int32_t algorithm = 0; algorithm < 3; algorithm++) {
        struct anydnn_plugin_softmax params = {
            .struct_size = sizeof params, .algorithm = algorithm, .mode = 1};

        make_trial(&trial, ANYDNN_PLUGIN_SOFTMAX_FORWARD, 0x3, &params);
        if (algorithm == 0) {
            assert_int_equal(try_it(context, &trial), 0);
            assert_string_equal(mock->calls, "cudnnSoftmaxForward ");
        } else {
            assert_int_equal(try_it(context, &trial), ANYDNN_PLUGIN_REASON_PARAMETER);
        }
    }
    end(context);
}

/* Checks that a factor of 0 is applied in a transform, because cuDNN would not multiply by it. */
static void zero_factors(void)
{
    static const struct anydnn_plugin_op_tensor op = {.struct_size = sizeof op};
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    for (int zero = 0; zero < 2; zero++) {
        make_trial(&trial, ANYDNN_PLUGIN_ADD_TENSOR, 0x3, NULL);
        trial.operands.scale[0] = !zero;
        assert_int_equal(try_it(context, &trial), 0);
        assert_string_equal(mock->calls,
                            zero ? "cudnnTransformTensor cudnnAddTensor " : "cudnnAddTensor ");
        make_trial(&trial, ANYDNN_PLUGIN_SCALE_TENSOR, 0x1, NULL);
        trial.operands.scale[0] = !zero;
        assert_int_equal(try_it(context, &trial), 0);
        assert_string_equal(mock->calls, zero ? "cudnnTransformTensor " : "cudnnScaleTensor ");
        make_trial(&trial, ANYDNN_PLUGIN_OP_TENSOR, 0x7, &op);
        trial.operands.scale[0] = trial.operands.scale[1] = !zero;
        assert_int_equal(try_it(context, &trial), 0);
        assert_string_equal(mock->calls,
                            zero ? "cudnnTransformTensor cudnnTransformTensor cudnnOpTensor "
                                 : "cudnnOpTensor ");
        if (zero) {
            assert_true(mock->transform[0].alpha == 0);
            assert_ptr_equal(mock->transform[0].from, memory[0]);
            assert_ptr_equal(mock->transform[1].from, memory[1]);
        }
    }
    /* Integers have neither NaN nor infinity. */
    make_trial(&trial, ANYDNN_PLUGIN_SCALE_TENSOR, 0x1, NULL);
    trial.tensor[0].type = ANYDNN_PLUGIN_INT8;
    trial.operands.scale[0] = 0;
    assert_int_equal(try_it(context, &trial), 0);
    assert_string_equal(mock->calls, "cudnnScaleTensor ");
    end(context);
}

/* Checks an operator that reads only a. It runs with c in b's place, because cuDNN checks b
 * nevertheless. */
static void unread_place(void)
{
    static const struct anydnn_plugin_op_tensor op = {.struct_size = sizeof op,
                                                      .op = CUDNN_OP_TENSOR_NOT};
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    make_trial(&trial, ANYDNN_PLUGIN_OP_TENSOR, 0x7, &op);
    trial.problem.alias[2] = 2;
    trial.operands.data[2] = trial.operands.data[1];
    assert_int_equal(try_it(context, &trial), 0);
    assert_string_equal(mock->calls, "cudnnOpTensor ");
    end(context);
}

/* Checks that a and b are exchanged if b aliases c, and a is elsewhere or 0 * a is in memory of the
 * backend. */
static void second_place(void)
{
    static const struct anydnn_plugin_op_tensor op = {.struct_size = sizeof op,
                                                      .op = CUDNN_OP_TENSOR_MAX};
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    for (int i = 0; i < 2; i++) {
        make_trial(&trial, ANYDNN_PLUGIN_OP_TENSOR, 0x7, &op);
        trial.problem.alias[2] = i ? 1 : 2;
        trial.operands.data[1] = trial.operands.data[2];
        if (i)
            trial.operands.data[0] = trial.operands.data[2];
        trial.operands.scale[0] = i ? 0 : 1;
        trial.operands.scale[1] = 1;
        assert_int_equal(try_it(context, &trial), 0);
        assert_string_equal(mock->calls,
                            i ? "cudnnTransformTensor cudnnOpTensor " : "cudnnOpTensor ");
    }
    end(context);
}

/* Checks training in place: the input is copied. Running means are read for all factors. */
static void batch_norm_places(void)
{
    struct anydnn_plugin_batch_normalization params = {
        .struct_size = sizeof params, .mode = 1, .epsilon = 1e-5};
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    make_trial(&trial, ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING, 0x77, &params);
    for (int slot = 1; slot < 6; slot++) {
        trial.tensor[slot].dims[0] = 1;
        trial.tensor[slot].dims[2] = trial.tensor[slot].dims[3] = 1;
        pack_rows(&trial.tensor[slot]);
    }
    trial.problem.alias[6] = 1;
    trial.operands.data[6] = memory[0];
    assert_int_equal(try_it(context, &trial), 0);
    assert_int_equal(mock->transforms, 1);
    assert_ptr_equal(mock->transform[0].from, memory[0]);
    trial.problem.alias[6] = 0;
    trial.operands.data[6] = memory[6];
    for (int slot = 1; slot < 6; slot++)
        trial.tensor[slot].strides[1] = 2;
    assert_int_equal(try_it(context, &trial), 0);
    /* Four parameters are copied in, the two running ones are copied out. */
    assert_int_equal(mock->transforms, 6);
    assert_ptr_equal(mock->transform[2].from, memory[4]);
    assert_ptr_equal(mock->transform[5].to, memory[5]);
    end(context);
}

/* Checks that softmax backward gets its three tensors in one packed layout, by copies if
 * necessary. */
static void softmax_backward_layouts(void)
{
    struct anydnn_plugin_softmax params = {.struct_size = sizeof params, .algorithm = 1, .mode = 1};
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    for (int gaps = -1; gaps < 3; gaps++) {
        make_trial(&trial, ANYDNN_PLUGIN_SOFTMAX_BACKWARD, 0x7, &params);
        if (gaps >= 0)
            trial.tensor[gaps].strides[0] = 250;
        assert_int_equal(try_it(context, &trial), 0);
        assert_int_equal(mock->transforms, gaps >= 0);
        if (gaps == 2)
            assert_ptr_equal(mock->transform[0].to, memory[2]);
    }
    end(context);
}

/* Checks that divisive normalization writes a copy, which is then blended into each output, unless
 * beta is 0. */
static void divisive_factors(void)
{
    struct anydnn_plugin_lrn params = {
        .struct_size = sizeof params, .n = 3, .alpha = 1, .beta = 0.75, .k = 1};
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    for (int beta = 0; beta < 2; beta++) {
        make_trial(&trial, ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_FORWARD, 0x1f, &params);
        trial.operands.scale[1] = -beta;
        assert_int_equal(try_it(context, &trial), 0);
        assert_string_equal(mock->calls,
                            beta ? "cudnnDivisiveNormalizationForward cudnnTransformTensor "
                                 : "cudnnDivisiveNormalizationForward ");
        if (beta) {
            assert_ptr_equal(mock->transform[0].to, memory[4]);
            assert_true(mock->transform[0].alpha == 1 && mock->transform[0].beta == -1);
        }
    }
    make_trial(&trial, ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_BACKWARD, 0x7f, &params);
    trial.operands.scale[1] = 0.5;
    assert_int_equal(try_it(context, &trial), 0);
    assert_int_equal(mock->transforms, 2);
    assert_ptr_equal(mock->transform[0].to, memory[5]);
    assert_ptr_equal(mock->transform[1].to, memory[6]);
    end(context);
}

/* Checks the effect if cuDNN refuses the blend: only scratch memory was written, so another backend
 * may run. */
static void divisive_blend_refused(void)
{
    struct anydnn_plugin_lrn params = {
        .struct_size = sizeof params, .n = 3, .alpha = 1, .beta = 0.75, .k = 1};
    struct anydnn_plugin_context *context = begin();
    const struct anydnn_plugin_operation *of =
        operation(ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_FORWARD);
    int32_t effect = ANYDNN_PLUGIN_EFFECT_NONE;
    struct trial trial;

    make_trial(&trial, ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_FORWARD, 0x1f, &params);
    trial.operands.scale[1] = 0.5;
    assert_int_equal(of->candidates(context, &trial.problem, take_offer, &trial.answer), 0);
    assert_int_equal(
        of->plan_create(context, &trial.problem, trial.answer.offer[0].engine, &trial.plan), 0);
    mock->transforming = CUDNN_STATUS_NOT_SUPPORTED;
    assert_int_equal(of->plan_execute(trial.plan, &trial.operands, &effect),
                     ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED);
    assert_int_equal(effect, ANYDNN_PLUGIN_EFFECT_NONE);
    assert_int_equal(scratches, 0);
    of->plan_destroy(trial.plan);
    end(context);
}

/* Checks that pads and folds run one after the other, also for a filter. */
static void transform_steps(void)
{
    static const int64_t folded[] = {2, 36, 3, 3}, padded[] = {2, 9, 6, 5};
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    for (int fold = 0; fold < 2; fold++) {
        struct anydnn_plugin_transform params = {
            .struct_size = sizeof params, .fold = {1 + fold, 1 + fold}, .pad_before = {0, 1, 0, 0}};

        make_trial(&trial, ANYDNN_PLUGIN_TRANSFORM_FILTER, 0x3, &params);
        memcpy(trial.tensor[1].dims, fold ? folded : padded, sizeof folded);
        pack_rows(&trial.tensor[1]);
        assert_int_equal(try_it(context, &trial), 0);
        assert_string_equal(mock->calls, fold ? "cudnnTransformTensorEx cudnnTransformTensorEx "
                                              : "cudnnTransformFilter ");
    }
    end(context);
}

/* Checks that a problem that cannot be moved is declined, for example int8x4 vectors with 5
 * dims. */
static void too_many_dims(void)
{
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    make_trial(&trial, ANYDNN_PLUGIN_TRANSFORM_TENSOR, 0x3, NULL);
    for (int slot = 0; slot < 2; slot++) {
        trial.tensor[slot].type = ANYDNN_PLUGIN_INT8X4;
        trial.tensor[slot].ndims = 5;
        trial.tensor[slot].dims[4] = 3;
        trial.tensor[slot].strides[0] = 1000;
    }
    assert_int_equal(try_it(context, &trial), ANYDNN_PLUGIN_REASON_SHAPE);
    assert_non_null(strstr(trial.answer.sentence, "int8x4 with 5 dims"));
    end(context);
}

/* Checks clipped ReLU backward: the ceiling itself must be above the values that pass. */
static void other_activations(void)
{
    struct anydnn_plugin_activation params = {
        .struct_size = sizeof params, .mode = CUDNN_ACTIVATION_CLIPPED_RELU, .coef = 1.5};
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    make_trial(&trial, ANYDNN_PLUGIN_ACTIVATION_BACKWARD, 0xf, &params);
    assert_int_equal(try_it(context, &trial), 0);
    assert_true(mock->coef == (double)0x1.7ffffep0f);
    params.coef = 0.1; /* not a float; cuDNN gets the next lower float */
    assert_int_equal(try_it(context, &trial), 0);
    assert_true(mock->coef < 0.1 && (float)mock->coef == mock->coef);
    for (int slot = 0; slot < 4; slot++)
        trial.tensor[slot].type = ANYDNN_PLUGIN_DOUBLE;
    params.coef = 1.5;
    assert_int_equal(try_it(context, &trial), 0);
    assert_true(mock->coef == 0x1.7ffffffffffffp0);
    end(context);
}

/* Checks convolutions of bytes that the older calls refuse. Engines of float run them, if float
 * sums that many products without rounding. An activation that cuDNN does not fuse runs
 * afterwards. */
static void integers_by_float(void)
{
    struct anydnn_plugin_convolution params = {.struct_size = sizeof params,
                                               .spatial_dims = 2,
                                               .pad = {1, 1},
                                               .stride = {1, 1},
                                               .dilation = {1, 1},
                                               .groups = 1,
                                               .mode = 1};
    struct anydnn_plugin_context *context = begin();
    struct trial trial;

    for (int fused = 0; fused < 2; fused++) {
        make_trial(&trial,
                   fused ? ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD
                         : ANYDNN_PLUGIN_CONVOLUTION_FORWARD,
                   fused ? 0x1b : 0x7, &params);
        params.activation = CUDNN_ACTIVATION_CLIPPED_RELU;
        params.coef = 6;
        for (int slot = 0; slot < 5; slot++)
            trial.tensor[slot].type = fused && slot == 3 ? ANYDNN_PLUGIN_FLOAT : ANYDNN_PLUGIN_INT8;
        trial.tensor[1].dims[0] = 8;
        trial.tensor[1].dims[2] = trial.tensor[1].dims[3] = 3;
        pack_rows(&trial.tensor[1]);
        if (fused) {
            trial.tensor[3].dims[0] = trial.tensor[3].dims[2] = trial.tensor[3].dims[3] = 1;
            pack_rows(&trial.tensor[3]);
        }
        mock->refuse_older = 1;
        assert_int_equal(try_it(context, &trial), 0);
        assert_int_equal(mock->transforms, 3);
        assert_string_equal(mock->calls, fused ? "cudnnTransformTensor cudnnTransformTensor "
                                                 "cudnnActivationForward cudnnTransformTensor "
                                               : "cudnnTransformTensor cudnnTransformTensor "
                                                 "cudnnTransformTensor ");
        assert_ptr_equal(mock->transform[2].to, memory[fused ? 4 : 2]);
        /* 128 channels give 1152 products. */
        trial.tensor[0].dims[1] = trial.tensor[1].dims[1] = 128;
        pack_rows(&trial.tensor[0]);
        pack_rows(&trial.tensor[1]);
        assert_int_equal(try_it(context, &trial),
                         fused ? ANYDNN_PLUGIN_REASON_PARAMETER : ANYDNN_PLUGIN_REASON_LAYOUT);
    }
    end(context);
}

static void test_moves(void **state)
{
    (void)state;
    run_alone(second_place);
    run_alone(pooling_layouts);
    run_alone(blended_outputs);
    run_alone(batch_norm_places);
    run_alone(softmax_backward_layouts);
    run_alone(too_many_dims);
    run_alone(integers_by_float);
}

static void test_steps(void **state)
{
    (void)state;
    run_alone(softmax_algorithms);
    run_alone(zero_factors);
    run_alone(unread_place);
    run_alone(divisive_factors);
    run_alone(divisive_blend_refused);
    run_alone(transform_steps);
    run_alone(other_activations);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves),
        cmocka_unit_test(test_steps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
