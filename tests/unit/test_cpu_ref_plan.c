/* SPDX-License-Identifier: Apache-2.0 */
/* Tests cpu_ref's plans: they give the same bits for any number of threads, also beside other
 * threads, and refuse sizes that do not fit into memory. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_ref_fixture.h"

#define FORWARD         ANYDNN_PLUGIN_CONVOLUTION_FORWARD
#define BACKWARD_DATA   ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA
#define BACKWARD_FILTER ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER

/* The sizes are large enough that threads share the work. */
static const int64_t x_dims[4] = {3, 5, 34, 31}, w_dims[4] = {7, 5, 3, 4};
enum { X_SIZE = 3 * 5 * 34 * 31, W_SIZE = 7 * 5 * 3 * 4, Y_SIZE = 3 * 7 * 32 * 28 };

static void fill(float *data, int64_t count, uint32_t seed)
{
    for (int64_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        data[i] = (float)((double)seed / 4294967296.0 - 0.5);
    }
}

struct buffers {
    float x[X_SIZE], w[W_SIZE], y[Y_SIZE];
};

static struct buffers *buffers_make(uint32_t seed)
{
    struct buffers *made = malloc(sizeof *made);

    assert_non_null(made);
    fill(made->x, X_SIZE, seed);
    fill(made->w, W_SIZE, seed + 1);
    fill(made->y, Y_SIZE, seed + 2);
    return made;
}

/* Runs the three directions once with this many threads and returns copies of their outputs.
 * `emulate` rounds the operands to TF32. */
static void run_directions(const char *threads, const char *emulate, struct buffers *result)
{
    struct buffers *in = buffers_make(5);
    struct anydnn_plugin_context *context;
    struct fixture_conv conv;

    fixture_threads = threads;
    fixture_emulate = emulate;
    context = fixture_context();
    for (int32_t operation = FORWARD; operation <= BACKWARD_FILTER; operation++) {
        struct anydnn_plugin_plan *plan;

        fixture_conv(&conv, operation, ANYDNN_PLUGIN_FLOAT, x_dims, w_dims);
        conv.problem.math = ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION;
        plan = fixture_plan(context, &conv.problem);
        if (operation == FORWARD)
            fixture_run(plan, &conv.problem, in->x, in->w, result->y);
        else if (operation == BACKWARD_DATA)
            fixture_run(plan, &conv.problem, in->w, in->y, result->x);
        else
            fixture_run(plan, &conv.problem, in->x, in->y, result->w);
        fixture_operation(operation)->plan_destroy(plan);
    }
    fixture_plugin()->context_destroy(context);
    fixture_threads = fixture_emulate = NULL;
    free(in);
}

static void bits_do_not_depend_on_threads(void **state)
{
    static const char *const threads[] = {"2", "3", "7"}, *const emulate[] = {"off", "on"};
    struct buffers *first = buffers_make(0), *other = buffers_make(0);

    (void)state;
    for (int e = 0; e < 2; e++) {
        run_directions("1", emulate[e], first);
        for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
            memset(other, 0xff, sizeof *other);
            run_directions(threads[i], emulate[e], other);
            assert_memory_equal(first, other, sizeof *first);
        }
    }
    free(first);
    free(other);
}

/* Runs in this thread with its own context; returns 1 if every run gave `expected`. */
static int runs_agree(const float *expected, int runs)
{
    struct anydnn_plugin_context *context = fixture_context();
    struct buffers *in = buffers_make(5);
    struct anydnn_plugin_plan *plan;
    struct fixture_conv conv;
    int agree = 1;

    fixture_conv(&conv, FORWARD, ANYDNN_PLUGIN_FLOAT, x_dims, w_dims);
    plan = fixture_plan(context, &conv.problem);
    for (int i = 0; i < runs; i++) {
        memset(in->y, 0xff, sizeof in->y);
        fixture_run(plan, &conv.problem, in->x, in->w, in->y);
        agree = agree && memcmp(expected, in->y, sizeof in->y) == 0;
    }
    fixture_operation(FORWARD)->plan_destroy(plan);
    fixture_plugin()->context_destroy(context);
    free(in);
    return agree;
}

struct user {
    pthread_t thread;
    const float *expected;
    int agree;
};

static void *use(void *arg)
{
    struct user *user = arg;

    user->agree = runs_agree(user->expected, 20);
    return NULL;
}

/* anydnn verify tests this, too, but only unit tests run under the thread sanitizer. */
static void contexts_run_at_once(void **state)
{
    struct buffers *result = buffers_make(0);
    struct user users[4];

    (void)state;
    run_directions("1", "off", result);
    fixture_threads = "3";
    for (int i = 0; i < 4; i++) {
        users[i].expected = result->y;
        assert_int_equal(pthread_create(&users[i].thread, NULL, use, &users[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(users[i].thread, NULL);
        assert_true(users[i].agree);
    }
    fixture_threads = NULL;
    free(result);
}

/* ------------------------------------------------------------------ sizes that do not fit */

static int32_t run_status(const struct anydnn_plugin_problem *problem,
                          const struct anydnn_plugin_operands *operands)
{
    struct anydnn_plugin_context *context = fixture_context();
    struct anydnn_plugin_plan *plan = fixture_plan(context, problem);
    const struct anydnn_plugin_operation *operation = fixture_operation(problem->operation);
    int32_t effect = 0, status;

    fixture_error[0] = '\0';
    status = operation->plan_execute(plan, operands, &effect);
    operation->plan_destroy(plan);
    fixture_plugin()->context_destroy(context);
    return status;
}

/* The paths of one label over 2^61 letters need a byte count that wraps modulo 2^64 to a small
 * value. */
static void paths_beyond_memory_are_refused(void **state)
{
    const struct anydnn_plugin_ctc params = {
        .struct_size = sizeof params,
        .normalization = ANYDNN_PLUGIN_LOSS_NORMALIZATION_NONE,
    };
    const int64_t dims[3] = {1, 1, (INT64_C(1) << 61) + 16}, one = 1;
    const struct anydnn_plugin_tensor x = fixture_tensor(ANYDNN_PLUGIN_FLOAT, 3, dims);
    const struct anydnn_plugin_tensor number = fixture_tensor(ANYDNN_PLUGIN_INT32, 1, &one);
    const struct anydnn_plugin_tensor cost = fixture_tensor(ANYDNN_PLUGIN_FLOAT, 1, &one);
    const struct anydnn_plugin_problem problem = {
        .struct_size = sizeof problem,
        .operation = ANYDNN_PLUGIN_CTC_LOSS,
        .algorithm = -1,
        .params = &params,
        .present = 0x1f,
        .tensor = {&x, &number, &number, &number, &cost},
    };
    float probability[2] = {0.5F, 0.5F}, result = 0;
    int32_t label = 1, length = 1;
    const struct anydnn_plugin_operands operands = {
        .struct_size = sizeof operands,
        .data = {probability, &label, &length, &length, &result},
        .scale = {1, 0},
    };

    (void)state;
    assert_int_equal(run_status(&problem, &operands), ANYDNN_PLUGIN_STATUS_ALLOC_FAILED);
    assert_non_null(strstr(fixture_error, "ctc_loss: out of memory for the paths of 1 labels"));
}

/* Input elements may overlap, so 2^62 of them occupy little memory; their copy does not fit. */
static void copies_beyond_memory_are_refused(void **state)
{
    const int64_t x_wide[4] = {INT64_C(1) << 58, 16, 1, 1}, w_few[4] = {1, 16, 1, 1};
    uint16_t few[64] = {0};
    const struct anydnn_plugin_operands operands = {
        .struct_size = sizeof operands, .data = {few, few, few}, .scale = {1, 0}};
    struct fixture_conv conv;

    (void)state;
    fixture_conv(&conv, FORWARD, ANYDNN_PLUGIN_HALF, x_wide, w_few);
    assert_int_equal(run_status(&conv.problem, &operands), ANYDNN_PLUGIN_STATUS_ALLOC_FAILED);
    assert_non_null(strstr(fixture_error, "convolution_forward: out of memory for "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(contexts_run_at_once),
        cmocka_unit_test(paths_beyond_memory_are_refused),
        cmocka_unit_test(copies_beyond_memory_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
