/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the backend cpu_ref with a host made for the test (cpu_ref_fixture.h). */
#include "cpu_ref_fixture.h"

#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *fixture_threads;
const char *fixture_emulate;
_Thread_local char fixture_error[512];

static void host_log(const struct anydnn_plugin_host *host, int32_t level, const char *file,
                     int32_t line, const char *text)
{
    (void)host;
    fprintf(stderr, "%s:%d: level %d: %s\n", file, (int)line, (int)level, text);
}

static const char *host_setting(const struct anydnn_plugin_host *host, const char *key)
{
    (void)host;
    if (strcmp(key, "threads") == 0)
        return fixture_threads;
    return strcmp(key, "emulate") == 0 ? fixture_emulate : NULL;
}

static void host_set_error(const struct anydnn_plugin_host *host, const char *text)
{
    (void)host;
    snprintf(fixture_error, sizeof fixture_error, "%s", text);
}

static void *host_alloc(size_t bytes)
{
    return bytes > SIZE_MAX / 8 ? NULL : aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static uint64_t host_fork_number(void)
{
    return (uint64_t)getpid();
}

static const struct anydnn_plugin_host host_table = {
    .struct_size = sizeof host_table,
    .abi_major = ANYDNN_PLUGIN_ABI_MAJOR,
    .abi_minor = ANYDNN_PLUGIN_ABI_MINOR,
    .log = host_log,
    .setting = host_setting,
    .set_error = host_set_error,
    .alloc = host_alloc,
    .free = free,
    .fork_number = host_fork_number,
};

const struct anydnn_plugin *fixture_plugin(void)
{
    static const struct anydnn_plugin *plugin;
    const char *folder = getenv("ANYDNN_TEST_PLUGINDIR");
    const struct anydnn_plugin_abi *abi;
    int32_t (*entry)(const struct anydnn_plugin_host *, const struct anydnn_plugin **);
    char path[4096];
    void *module;

    if (plugin)
        return plugin;
    if (!folder)
        fail_msg("ANYDNN_TEST_PLUGINDIR is not set");
    snprintf(path, sizeof path, "%s/anydnn_cpu_ref.so", folder);
    module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module)
        fail_msg("%s", dlerror());
    abi = dlsym(module, "anydnn_plugin_abi");
    assert_non_null(abi);
    assert_true(abi->magic == ANYDNN_PLUGIN_MAGIC);
    assert_int_equal(abi->major, ANYDNN_PLUGIN_ABI_MAJOR);
    assert_int_equal(abi->minor, ANYDNN_PLUGIN_ABI_MINOR);
    *(void **)&entry = dlsym(module, "anydnn_plugin_main");
    assert_non_null(entry);
    assert_int_equal(entry(&host_table, &plugin), 0);
    return plugin;
}

const struct anydnn_plugin_operation *fixture_operation(int32_t operation)
{
    const struct anydnn_plugin *plugin = fixture_plugin();

    for (uint32_t i = 0; i < plugin->operation_count; i++) {
        if (plugin->operations[i]->operation == operation)
            return plugin->operations[i];
    }
    fail_msg("cpu_ref has no operation %d", (int)operation);
    return NULL;
}

struct anydnn_plugin_context *fixture_context(void)
{
    struct anydnn_plugin_context *context = NULL;

    assert_int_equal(fixture_plugin()->context_create(0, &context), 0);
    assert_non_null(context);
    return context;
}

struct anydnn_plugin_tensor fixture_tensor(int32_t type, int32_t ndims, const int64_t *dims)
{
    struct anydnn_plugin_tensor tensor = {
        .struct_size = sizeof tensor, .type = type, .ndims = ndims};
    int64_t stride = 1;

    for (int32_t d = ndims - 1; d >= 0; d--) {
        tensor.dims[d] = dims[d];
        tensor.strides[d] = stride;
        stride *= dims[d];
    }
    return tensor;
}

void fixture_conv(struct fixture_conv *conv, int32_t operation, int32_t type, const int64_t x[4],
                  const int64_t w[4])
{
    const int64_t y[4] = {x[0], w[0], x[2] - w[2] + 1, x[3] - w[3] + 1};
    const int64_t bias[4] = {1, w[0], 1, 1};
    struct anydnn_plugin_problem *problem = &conv->problem;
    const struct anydnn_plugin_tensor *slots[][5] = {
        [ANYDNN_PLUGIN_CONVOLUTION_FORWARD] = {&conv->x, &conv->w, &conv->y},
        [ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA] = {&conv->w, &conv->y, &conv->x},
        [ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER] = {&conv->x, &conv->y, &conv->w},
        [ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS] = {&conv->y, &conv->bias},
        [ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD] = {&conv->x, &conv->w, &conv->z,
                                                               &conv->bias, &conv->y},
    };

    memset(conv, 0, sizeof *conv);
    conv->x = fixture_tensor(type, 4, x);
    conv->w = fixture_tensor(type, 4, w);
    conv->y = conv->z = fixture_tensor(type, 4, y);
    conv->bias = fixture_tensor(type, 4, bias);
    conv->params = (struct anydnn_plugin_convolution){
        .struct_size = sizeof conv->params,
        .spatial_dims = 2,
        .stride = {1, 1},
        .dilation = {1, 1},
        .groups = 1,
        .mode = 1,
        .compute_type = type == ANYDNN_PLUGIN_DOUBLE ? ANYDNN_PLUGIN_DOUBLE : ANYDNN_PLUGIN_FLOAT,
        .activation = 1,
    };
    problem->struct_size = sizeof *problem;
    problem->operation = operation;
    problem->algorithm = -1;
    problem->params = &conv->params;
    for (int slot = 0; slot < 5; slot++) {
        problem->tensor[slot] = slots[operation][slot];
        if (problem->tensor[slot])
            problem->present |= UINT32_C(1) << slot;
    }
}

static int32_t take_offer(void *cookie, const struct anydnn_plugin_candidate *candidate)
{
    struct fixture_answer *answer = cookie;

    if (candidate->reason) {
        answer->reason = candidate->reason;
        snprintf(answer->sentence, sizeof answer->sentence, "%s", candidate->sentence);
        return 0;
    }
    assert_in_range(answer->count, 0, 15);
    answer->algorithm[answer->count++] = candidate->algorithm;
    answer->math = candidate->math;
    answer->notes = candidate->notes;
    answer->workspace = candidate->workspace;
    return 0;
}

void fixture_ask(struct anydnn_plugin_context *context, const struct anydnn_plugin_problem *problem,
                 struct fixture_answer *answer)
{
    /* Every operation has the same function, which also answers for an unsupported operation. */
    const struct anydnn_plugin_operation *operation = fixture_plugin()->operations[0];

    memset(answer, 0, sizeof *answer);
    assert_int_equal(operation->candidates(context, problem, take_offer, answer), 0);
    assert_true((answer->count > 0) != (answer->reason != 0));
}

struct anydnn_plugin_plan *fixture_plan(struct anydnn_plugin_context *context,
                                        const struct anydnn_plugin_problem *problem)
{
    struct anydnn_plugin_plan *plan = NULL;

    if (fixture_operation(problem->operation)->plan_create(context, problem, 1, &plan))
        fail_msg("%s", fixture_error);
    assert_non_null(plan);
    return plan;
}

void fixture_run(struct anydnn_plugin_plan *plan, const struct anydnn_plugin_problem *problem,
                 void *data0, void *data1, void *data2)
{
    const struct anydnn_plugin_operands operands = {
        .struct_size = sizeof operands, .data = {data0, data1, data2}, .scale = {1, 0}};
    int32_t effect = 0;

    if (fixture_operation(problem->operation)->plan_execute(plan, &operands, &effect))
        fail_msg("%s", fixture_error);
}

double fixture_round(double value, int digits)
{
    int exponent;
    double unit;

    frexp(value, &exponent);
    unit = ldexp(1, (exponent < -125 ? -125 : exponent) - digits);
    value = nearbyint(value / unit) * unit;
    return fabs(value) > (double)FLT_MAX ? copysign((double)INFINITY, value) : value;
}
