/* SPDX-License-Identifier: Apache-2.0 */
/* Tests convolutions of the backend cudnn with a mock of cuDNN's library: how numbers identify
 * engine configurations, how many descriptors a call creates, and how factors other than 1 and 0
 * are applied.
 * Needs: tests/cudnn/libcudnn_mock.la */
#include "harness.h"

#include <string.h>

/* Checks that every number names the same configuration in another context and gives a plan there.
 * This holds even after other problems have evicted the list. */
static void numbers(void)
{
    struct anydnn_plugin_context *context, *other = NULL;
    struct anydnn_plugin_plan *plan = NULL;
    struct answer answer, again;
    struct layer layer, many;

    use_library("libcudnn_mock.so");
    context = start();
    make_layer(&layer, ANYDNN_PLUGIN_HALF, TENSOR_OP);
    ask(context, &layer, &answer);
    assert_int_equal(plugin->context_create(0, &other), 0);
    ask(other, &layer, &again);
    assert_int_equal(again.count, answer.count);
    make_layer(&many, ANYDNN_PLUGIN_HALF, TENSOR_OP);
    for (int i = 0; i < 100; i++) {
        many.x.dims[0] = many.y.dims[0] = 3 + i;
        ask(other, &many, &again);
    }
    for (int i = 0; i < answer.count; i++) {
        for (int k = 0; k < i; k++)
            assert_true(answer.offer[k].engine != answer.offer[i].engine ||
                        answer.offer[k].algorithm != answer.offer[i].algorithm);
        assert_int_equal(
            operation(1)->plan_create(other, &layer.problem, answer.offer[i].engine, &plan), 0);
        operation(1)->plan_destroy(plan);
    }
    assert_int_equal(operation(1)->plan_create(other, &layer.problem, 12345, &plan), 9);
    assert_non_null(strstr(error_text, "12345"));
    plugin->context_destroy(context);
    plugin->context_destroy(other);
    assert_int_equal(mock->live, 0);
}

static struct anydnn_plugin_plan *first_plan(struct anydnn_plugin_context *context,
                                             struct layer *layer, int32_t type)
{
    struct anydnn_plugin_plan *plan = NULL;
    struct answer answer;

    make_layer(layer, type, CONVERSION);
    ask(context, layer, &answer);
    assert_int_equal(
        operation(1)->plan_create(context, &layer->problem, answer.offer[0].engine, &plan), 0);
    return plan;
}

static int32_t execute(struct anydnn_plugin_plan *plan, void *y, double alpha, double beta,
                       int32_t *effect)
{
    static _Alignas(256) int64_t memory[64];
    struct anydnn_plugin_operands operands = {.struct_size = sizeof operands,
                                              .data = {memory, memory + 2, y},
                                              .scale = {alpha, beta},
                                              .workspace = memory + 32,
                                              .workspace_bytes = 4096};

    return operation(1)->plan_execute(plan, &operands, effect);
}

/* Checks that known pointers take no descriptor and that the stream is set only when it changes.
 * Other factors make one plan, not one per call. */
static void calls(void)
{
    struct anydnn_plugin_context *context;
    struct anydnn_plugin_plan *plan;
    struct layer layer;
    _Alignas(16) int64_t y[4];
    int32_t effect;
    int plans;

    use_library("libcudnn_mock.so");
    context = start();
    plan = first_plan(context, &layer, ANYDNN_PLUGIN_FLOAT);
    plans = mock->plans;
    for (int i = 0; i < 6; i++)
        assert_int_equal(execute(plan, &y[i % 2 * 2], 1, 0, &effect), 0);
    assert_int_equal(effect, ANYDNN_PLUGIN_EFFECT_ENQUEUED);
    assert_int_equal(mock->runs, 6);
    assert_int_equal(mock->packs, 2);
    assert_int_equal(mock->streams, 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(execute(plan, y, 2, 0.5, &effect), 0);
    assert_int_equal(mock->plans, plans + 1);
    assert_true(mock->factor[0] == 2 && mock->factor[1] == 0.5);
    assert_int_equal(mock->adds, 0);
    operation(1)->plan_destroy(plan);
    plugin->context_destroy(context);
    assert_int_equal(mock->live, 0);
}

/* Checks a plan for other factors during a capture: it is made in the mode that permits it, and the
 * mode is restored. */
static void captured_calls(void)
{
    struct anydnn_plugin_context *context;
    struct anydnn_plugin_plan *plan;
    struct layer layer;
    _Alignas(16) int64_t y[4];
    int32_t effect;
    int plans, before;

    use_library("libcudnn_mock.so");
    context = start();
    plan = first_plan(context, &layer, ANYDNN_PLUGIN_FLOAT);
    plans = mock->plans;
    before = exchanges;
    captured = 1;
    mock->watched = &capture_mode;
    assert_int_equal(execute(plan, y, 1, 1, &effect), 0);
    assert_int_equal(mock->plans, plans + 1);
    assert_int_equal(exchanges, before + 2);
    assert_int_equal(mock->seen, cudaStreamCaptureModeRelaxed);
    assert_int_equal(capture_mode, cudaStreamCaptureModeGlobal);
    assert_int_equal(mock->runs, 1);
    assert_int_equal(scratches, 0);
    operation(1)->plan_destroy(plan);
    plugin->context_destroy(context);
    assert_int_equal(mock->live, 0);
}

/* Checks an engine of half that takes no other factors: operands become float, an engine of float
 * blends, and the result is rounded when it is copied back, as the last step. */
static void factors_by_float(void)
{
    struct anydnn_plugin_context *context;
    struct anydnn_plugin_plan *plan;
    struct layer layer;
    _Alignas(16) int64_t y[4];
    int32_t effect;
    int plans = 0;

    use_library("libcudnn_mock.so");
    context = start();
    plan = first_plan(context, &layer, ANYDNN_PLUGIN_HALF);
    mock->refuse_factors = 1;
    for (int i = 0; i < 2; i++) {
        mock->transforms = 0;
        assert_int_equal(execute(plan, y, 2, 0.5, &effect), 0);
        assert_int_equal(effect, ANYDNN_PLUGIN_EFFECT_ENQUEUED);
        assert_int_equal(scratches, 0);
        /* x, w and the prior y become float; y is copied back. */
        assert_int_equal(mock->transforms, 4);
        assert_ptr_equal(mock->transform[2].from, y);
        assert_ptr_equal(mock->transform[3].to, y);
        assert_true(mock->transform[3].alpha == 1 && mock->transform[3].beta == 0);
        if (i == 0)
            plans = mock->plans;
    }
    assert_int_equal(mock->plans, plans);
    mock->transforms = 0;
    assert_int_equal(execute(plan, y, 2, 0, &effect), 0);
    assert_int_equal(mock->transforms, 3);
    operation(1)->plan_destroy(plan);
    plugin->context_destroy(context);
    assert_int_equal(mock->live, 0);
}

/* Checks the same for engines that would apply the factors to rounded values, as any engine of half
 * may. Workspace beyond that of the call is the backend's own. */
static void factors_of_half(void)
{
    static const uint64_t workspaces[] = {51200, 0}; /* for engine 1 and engine 0 */
    struct anydnn_plugin_context *context;
    static _Alignas(256) char memory[4][2048];
    struct answer answer;
    struct layer layer;

    use_library("libcudnn_mock.so");
    context = start();
    make_layer(&layer, ANYDNN_PLUGIN_HALF, DEFAULT);
    ask(context, &layer, &answer);
    for (int i = 0; i < 2; i++) {
        struct anydnn_plugin_operands operands = {.struct_size = sizeof operands,
                                                  .data = {memory[0], memory[1], memory[2]},
                                                  .scale = {2, 0.5},
                                                  .workspace = memory[3],
                                                  .workspace_bytes = workspaces[i]};
        struct anydnn_plugin_plan *plan = NULL;
        int32_t effect;
        int at = 0;

        while (at < answer.count && answer.offer[at].workspace != workspaces[i])
            at++;
        assert_true(at < answer.count);
        assert_int_equal(
            operation(1)->plan_create(context, &layer.problem, answer.offer[at].engine, &plan), 0);
        mock->transforms = 0;
        assert_int_equal(operation(1)->plan_execute(plan, &operands, &effect), 0);
        assert_int_equal(mock->transforms, 4);
        assert_int_equal(scratches, 0);
        operation(1)->plan_destroy(plan);
    }
    plugin->context_destroy(context);
    assert_int_equal(mock->live, 0);
}

/* Checks that a float result is blended from scratch memory, with float's rounding. */
static void blended_calls(void)
{
    struct anydnn_plugin_context *context;
    struct anydnn_plugin_plan *plan = NULL;
    struct answer answer;
    struct layer layer;
    _Alignas(16) int64_t y[4];
    int32_t effect;

    use_library("libcudnn_mock.so");
    context = start();
    make_layer(&layer, ANYDNN_PLUGIN_FLOAT, DEFAULT);
    ask(context, &layer, &answer);
    assert_int_equal(
        operation(1)->plan_create(context, &layer.problem, answer.offer[1].engine, &plan), 0);
    mock->refuse_factors = 1;
    assert_int_equal(execute(plan, y, 2, 0.5, &effect), 0);
    assert_int_equal(mock->runs, 1);
    assert_int_equal(mock->adds, 1);
    assert_int_equal(mock->transforms, 0);
    assert_int_equal(scratches, 0);
    operation(1)->plan_destroy(plan);
    plugin->context_destroy(context);
    assert_int_equal(mock->live, 0);
}

/* Checks a call with a y that is aligned only to its elements: it runs on an aligned copy, which is
 * made before and copied back afterwards. */
static void moved_calls(void)
{
    static _Alignas(16) char memory[2048];
    struct anydnn_plugin_context *context;
    struct anydnn_plugin_plan *plan;
    struct layer layer;
    int32_t effect;

    use_library("libcudnn_mock.so");
    context = start();
    plan = first_plan(context, &layer, ANYDNN_PLUGIN_FLOAT);
    assert_int_equal(execute(plan, memory, 1, 0, &effect), 0);
    assert_int_equal(copies, 0);
    for (size_t i = 0; i < sizeof memory; i++)
        memory[i] = (char)i;
    assert_int_equal(execute(plan, memory + 2, 1, 0, &effect), 0);
    assert_int_equal(effect, ANYDNN_PLUGIN_EFFECT_ENQUEUED);
    assert_int_equal(copies, 2);
    assert_memory_equal(scratch, memory + 2, 960);
    assert_int_equal(scratches, 0);
    assert_int_equal(mock->runs, 2);
    operation(1)->plan_destroy(plan);
    plugin->context_destroy(context);
}

/* Checks one group of a layer, whose output lies between outputs that other streams write. Their
 * writes during the call must survive at any start address of the own elements. */
static void neighbours(void)
{
    static _Alignas(16) float memory[1024];
    struct anydnn_plugin_context *context;
    struct anydnn_plugin_plan *plan;
    struct answer answer;
    struct layer layer;
    int32_t effect;

    use_library("libcudnn_mock.so");
    context = start();
    make_layer(&layer, ANYDNN_PLUGIN_FLOAT, DEFAULT);
    for (int d = 0; d < 4; d++)
        layer.y.strides[d] *= d == 1 ? 1 : 2;
    ask(context, &layer, &answer);
    assert_int_equal(
        operation(1)->plan_create(context, &layer.problem, answer.offer[0].engine, &plan), 0);
    mock->neighbour = memory + 2 + 8;
    assert_int_equal(execute(plan, memory + 2, 1, 0, &effect), 0);
    assert_int_equal(copies, 2);
    assert_int_equal(mock->runs, 1);
    assert_true(*mock->neighbour == 1);
    operation(1)->plan_destroy(plan);
    plugin->context_destroy(context);
}

/* Checks failures: a refused call has not begun; after other failures the effect is unknown. */
static void failures(void)
{
    struct anydnn_plugin_context *context;
    struct anydnn_plugin_plan *plan;
    struct layer layer;
    _Alignas(16) int64_t y[4];
    int32_t effect = -1;

    use_library("libcudnn_mock.so");
    context = start();
    plan = first_plan(context, &layer, ANYDNN_PLUGIN_HALF);
    mock->execution = CUDNN_STATUS_NOT_SUPPORTED;
    assert_int_equal(execute(plan, y, 1, 0, &effect), 9);
    assert_int_equal(effect, ANYDNN_PLUGIN_EFFECT_NONE);
    assert_non_null(strstr(error_text, "cudnnBackendExecute: CUDNN_STATUS_NOT_SUPPORTED (3000)"));
    assert_non_null(strstr(error_text, "the mock's own words"));
    mock->execution = CUDNN_STATUS_EXECUTION_FAILED;
    assert_int_equal(execute(plan, y, 1, 0, &effect), 8);
    assert_int_equal(effect, ANYDNN_PLUGIN_EFFECT_UNKNOWN);
    operation(1)->plan_destroy(plan);
    plugin->context_destroy(context);
}

/* Checks that cuDNN is not called after a reset of the device. Without a reset, destroying the
 * context waits. */
static void resets(void)
{
    struct anydnn_plugin_context *context, *other = NULL;
    struct anydnn_plugin_plan *plan, *kept;
    struct layer layer;
    long live;

    use_library("libcudnn_mock.so");
    context = start();
    plan = first_plan(context, &layer, ANYDNN_PLUGIN_HALF);
    kept = first_plan(context, &layer, ANYDNN_PLUGIN_HALF);
    operation(1)->plan_destroy(plan);
    live = mock->live;
    primary = 2;
    operation(1)->plan_destroy(kept);
    plugin->context_destroy(context);
    assert_true(live > 0);
    assert_int_equal(mock->live, live);
    assert_int_equal(plugin->context_create(0, &other), 0);
    plan = first_plan(other, &layer, ANYDNN_PLUGIN_HALF);
    device_waits = 0;
    operation(1)->plan_destroy(plan);
    assert_int_equal(device_waits, 0);
    plugin->context_destroy(other);
    assert_int_equal(device_waits, 1);
    assert_int_equal(mock->live, live);
}

static void test_plans(void **state)
{
    (void)state;
    run_alone(numbers);
    run_alone(calls);
    run_alone(captured_calls);
    run_alone(factors_by_float);
    run_alone(factors_of_half);
    run_alone(blended_calls);
    run_alone(moved_calls);
    run_alone(neighbours);
    run_alone(failures);
    run_alone(resets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
