/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the setting `emulate` of cpu_ref: what each math mode rounds and what the backend
 * reports. An emulated run is compared with a plain run on inputs that the test rounded. */
#include <stdlib.h>
#include <string.h>

#include "cpu_ref_fixture.h"

#define FORWARD         ANYDNN_PLUGIN_CONVOLUTION_FORWARD
#define BACKWARD_DATA   ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA
#define BACKWARD_FILTER ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER
#define FUSED           ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD
#define DEFAULT         ANYDNN_PLUGIN_MATH_DEFAULT
#define TENSOR_OP       ANYDNN_PLUGIN_MATH_TENSOR_OP
#define CONVERSION      ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION
#define SPLIT           ANYDNN_PLUGIN_MATH_SPLIT

#define SLOTS 5
/* The capacity of a buffer, larger than the largest operand. */
#define MOST 4096

static const int32_t directions[] = {FORWARD, BACKWARD_DATA, BACKWARD_FILTER, FUSED};
static const int32_t maths[] = {DEFAULT, TENSOR_OP, CONVERSION, SPLIT};
static const int64_t x_dims[4] = {2, 6, 9, 8}, w_dims[4] = {5, 6, 2, 3};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Draws numbers with full 24-bit significands. */
static void draw(float *to, uint32_t seed)
{
    uint32_t state = seed;

    for (int i = 0; i < MOST; i++) {
        state = state * 1664525 + 1013904223;
        to[i] = (float)((int)(state >> 7) - (1 << 24)) * 0x1p-22f;
    }
}

static void round_all(float *to, int32_t math)
{
    for (int i = 0; i < MOST; i++) {
        double high = fixture_round((double)to[i], 11);
        double low = math == SPLIT ? fixture_round((double)to[i] - high, 11) : 0;

        to[i] = (float)(high + low);
    }
}

/* Makes the channels innermost. */
static void make_nhwc(struct anydnn_plugin_tensor *tensor)
{
    const int order[4] = {1, 3, 2, 0};
    int64_t stride = 1;

    for (int i = 0; i < 4; i++) {
        tensor->strides[order[i]] = stride;
        stride *= tensor->dims[order[i]];
    }
}

/* The operands of a convolution by slot, the output last. */
struct buffers {
    float at[SLOTS][MOST];
};

static int32_t output_of(const struct fixture_conv *conv)
{
    return conv->problem.operation == FUSED ? 4 : 2;
}

static void run(struct fixture_conv *conv, struct buffers *buffers, const char *emulate)
{
    struct anydnn_plugin_operands operands = {.struct_size = sizeof operands, .scale = {2, -0.5}};
    struct anydnn_plugin_context *context;
    struct anydnn_plugin_plan *plan;
    int32_t effect = 0;

    fixture_emulate = emulate;
    context = fixture_context();
    for (int i = 0; i < SLOTS; i++)
        operands.data[i] = buffers->at[i];
    plan = fixture_plan(context, &conv->problem);
    if (fixture_operation(FORWARD)->plan_execute(plan, &operands, &effect))
        fail_msg("%s", fixture_error);
    fixture_operation(FORWARD)->plan_destroy(plan);
    fixture_plugin()->context_destroy(context);
    fixture_emulate = NULL;
}

static struct buffers *fresh(void)
{
    struct buffers *buffers = malloc(sizeof *buffers);

    assert_non_null(buffers);
    for (int i = 0; i < SLOTS; i++)
        draw(buffers->at[i], (uint32_t)i + 1);
    return buffers;
}

/* Checks that an emulated run on fresh inputs equals, bit for bit, a plain run on inputs rounded
 * according to `rounded`. The inputs must not change. */
static void hold_to_rounded(struct fixture_conv *conv, int32_t rounded)
{
    struct buffers *emulated = fresh(), *plain = fresh(), *untouched = fresh();
    int32_t out = output_of(conv);

    for (int slot = 0; slot < 2 && rounded != DEFAULT; slot++)
        round_all(plain->at[slot], rounded);
    run(conv, emulated, "on");
    run(conv, plain, "off");
    assert_memory_equal(emulated->at[out], plain->at[out], sizeof plain->at[out]);
    for (int slot = 0; slot < out; slot++)
        assert_memory_equal(emulated->at[slot], untouched->at[slot], sizeof plain->at[slot]);
    assert_memory_not_equal(emulated->at[out], untouched->at[out], sizeof plain->at[out]);
    free(emulated);
    free(plain);
    free(untouched);
}

/* ------------------------------------------------------------------ rounding */

static void rounds_float_operands(void **state)
{
    struct fixture_conv conv;

    (void)state;
    for (size_t d = 0; d < COUNT(directions); d++) {
        for (size_t m = 0; m < COUNT(maths); m++) {
            int32_t rounded = maths[m] == TENSOR_OP ? DEFAULT : maths[m];

            fixture_conv(&conv, directions[d], ANYDNN_PLUGIN_FLOAT, x_dims, w_dims);
            conv.problem.math = maths[m];
            hold_to_rounded(&conv, rounded);
            make_nhwc(&conv.x);
            make_nhwc(&conv.w);
            make_nhwc(&conv.y);
            hold_to_rounded(&conv, rounded);
            conv.x.strides[0] = conv.x.dims[2] * (conv.x.strides[2] + 3) + 7;
            conv.x.strides[2] += 3;
            hold_to_rounded(&conv, rounded);
        }
    }
}

/* The bits of two floats are reused as one double or four halves. */
static void leaves_the_other_types(void **state)
{
    static const int32_t types[] = {ANYDNN_PLUGIN_DOUBLE, ANYDNN_PLUGIN_HALF,
                                    ANYDNN_PLUGIN_BFLOAT16};
    struct fixture_conv conv;

    (void)state;
    for (size_t d = 0; d < COUNT(directions); d++) {
        for (size_t m = 0; m < COUNT(maths); m++) {
            for (size_t t = 0; t < COUNT(types); t++) {
                fixture_conv(&conv, directions[d], types[t], x_dims, w_dims);
                conv.problem.math = maths[m];
                hold_to_rounded(&conv, DEFAULT);
            }
        }
    }
}

/* ------------------------------------------------------------------ reports */

static void tells_the_mode(void **state)
{
    static const int32_t types[] = {ANYDNN_PLUGIN_FLOAT, ANYDNN_PLUGIN_DOUBLE, ANYDNN_PLUGIN_HALF};
    struct anydnn_plugin_context *plain = fixture_context(), *emulating;
    struct fixture_answer answer;
    struct fixture_conv conv;

    (void)state;
    fixture_emulate = "on";
    emulating = fixture_context();
    fixture_emulate = NULL;
    for (size_t d = 0; d < COUNT(directions); d++) {
        for (size_t m = 0; m < COUNT(maths); m++) {
            for (size_t t = 0; t < COUNT(types); t++) {
                int rounds = maths[m] == CONVERSION && types[t] == ANYDNN_PLUGIN_FLOAT;
                uint32_t invariant = directions[d] == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER
                                         ? 0
                                         : ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT;

                fixture_conv(&conv, directions[d], types[t], x_dims, w_dims);
                conv.problem.math = maths[m];
                fixture_ask(plain, &conv.problem, &answer);
                assert_int_equal(answer.math, DEFAULT);
                assert_int_equal(answer.notes, invariant);
                fixture_ask(emulating, &conv.problem, &answer);
                assert_int_equal(answer.math, maths[m]);
                assert_int_equal(answer.notes,
                                 invariant | (rounds ? ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION : 0));
            }
        }
    }
    /* This operation has no math mode. */
    fixture_conv(&conv, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS, ANYDNN_PLUGIN_FLOAT, x_dims,
                 w_dims);
    conv.problem.math = CONVERSION;
    fixture_ask(emulating, &conv.problem, &answer);
    assert_int_equal(answer.math, DEFAULT);
    assert_int_equal(answer.notes, 0);
    fixture_plugin()->context_destroy(plain);
    fixture_plugin()->context_destroy(emulating);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_float_operands),
        cmocka_unit_test(leaves_the_other_types),
        cmocka_unit_test(tells_the_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
