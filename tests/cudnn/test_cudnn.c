/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The backend cudnn over a mock of cuDNN's library, without a GPU: when it declines everything,
 * which of cuDNN's engine configurations it offers as what, how their numbers find them again, and
 * what a call costs in descriptors. Each case runs in a process of its own, since the library is
 * opened once in each. What cuda_common does with a GPU is stood in for below.
 */
#include "../../plugins/cudnn/backend.h"
#include "../../plugins/cudnn/table.h"
#include "mock.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ------------------------------------------------------------------ the host and the GPU */

static char library[600], error_text[800], warning[1200];
static int warnings, captured, scratches;
static int64_t scratch[512];

static void take_log(const struct anydnn_plugin_host *host, int32_t level, const char *file,
                     int32_t line, const char *text)
{
    (void)host, (void)file, (void)line;
    if (level == ANYDNN_PLUGIN_LOG_WARN) {
        warnings++;
        snprintf(warning, sizeof warning, "%s", text);
    }
}

static const char *take_setting(const struct anydnn_plugin_host *host, const char *key)
{
    (void)host;
    return strcmp(key, "library") == 0 ? library : NULL;
}

static void take_error(const struct anydnn_plugin_host *host, const char *text)
{
    (void)host;
    snprintf(error_text, sizeof error_text, "%s", text);
}

static void *take_memory(size_t bytes)
{
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static uint64_t no_fork(void)
{
    return 0;
}

static const struct anydnn_plugin_host host = {
    .struct_size = sizeof host,
    .abi_major = ANYDNN_PLUGIN_ABI_MAJOR,
    .abi_minor = ANYDNN_PLUGIN_ABI_MINOR,
    .log = take_log,
    .setting = take_setting,
    .set_error = take_error,
    .alloc = take_memory,
    .free = free,
    .fork_number = no_fork,
};

const struct anydnn_plugin_host *cuda_host;
const struct anydnn_plugin_space cuda_space;

int32_t cuda_fail(int32_t status, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(error_text, sizeof error_text, format, list);
    va_end(list);
    return status;
}

int32_t cuda_device_usable(int32_t device)
{
    return device == 0 ? CUDA_SUCCESS_STATUS : cuda_fail(CUDA_BAD_PARAM, "no such device");
}

int32_t cuda_enter(struct cuda_visit *visit, int32_t device)
{
    *visit = (struct cuda_visit){device, device};
    return CUDA_SUCCESS_STATUS;
}

void cuda_leave(const struct cuda_visit *visit)
{
    (void)visit;
}

cudaStream_t cuda_stream(void *stream)
{
    return stream;
}

int cuda_is_captured(cudaStream_t stream)
{
    (void)stream;
    return captured;
}

int32_t cuda_scratch_take(int32_t device, cudaStream_t stream, size_t bytes, void **pointer)
{
    (void)device, (void)stream, (void)bytes;
    scratches++;
    *pointer = scratch;
    return CUDA_SUCCESS_STATUS;
}

int32_t cuda_scratch_drop(int32_t device, cudaStream_t stream, void *pointer)
{
    (void)device, (void)stream;
    assert_ptr_equal(pointer, scratch);
    scratches--;
    return CUDA_SUCCESS_STATUS;
}

int32_t cuda_check(int32_t device, cudaError_t error, const char *what)
{
    (void)device, (void)what;
    return error == cudaSuccess ? CUDA_SUCCESS_STATUS : CUDA_EXECUTION_FAILED;
}

static int copies;

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)kind, (void)stream;
    copies++;
    memcpy(to, from, bytes);
    return cudaSuccess;
}

/* ------------------------------------------------------------------ one case, one process */

static const struct anydnn_plugin *plugin;
static struct mock_cudnn *mock;

/* The mock of that name, in the folder of this program. */
static void use_library(const char *name)
{
    char self[400];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    assert_true(length > 0);
    self[length] = 0;
    *strrchr(self, '/') = 0;
    /* libtool runs what it has linked out of .libs. */
    if (strcmp(strrchr(self, '/'), "/.libs") == 0)
        snprintf(library, sizeof library, "%s/%s", self, name);
    else
        snprintf(library, sizeof library, "%s/.libs/%s", self, name);
}

static struct anydnn_plugin_context *start(void)
{
    struct anydnn_plugin_context *context = NULL;
    void *object;

    assert_int_equal(anydnn_plugin_main(&host, &plugin), 0);
    assert_int_equal(plugin->context_create(0, &context), 0);
    assert_non_null(context);
    object = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    mock = object ? dlsym(object, "mock_cudnn") : NULL;
    return context;
}

static void run_alone(void (*body)(void))
{
    int status;
    pid_t child;

    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        body();
        fflush(NULL);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ------------------------------------------------------------------ problems and offers */

#define OFFERS 32

struct answer {
    int count;
    struct anydnn_plugin_candidate offer[OFFERS];
    char sentence[800];
};

static int32_t take_offer(void *cookie, const struct anydnn_plugin_candidate *candidate)
{
    struct answer *answer = cookie;

    assert_true(answer->count < OFFERS);
    answer->offer[answer->count++] = *candidate;
    if (candidate->sentence)
        snprintf(answer->sentence, sizeof answer->sentence, "%s", candidate->sentence);
    return 0;
}

/* x f16 or f32 NHWC with 8 channels, a 3x3 filter, y. */
struct layer {
    struct anydnn_plugin_tensor x, w, y;
    struct anydnn_plugin_convolution params;
    struct anydnn_plugin_problem problem;
};

static void make_layer(struct layer *layer, int32_t type, int32_t math)
{
    struct anydnn_plugin_tensor x = {.struct_size = sizeof x,
                                     .type = type,
                                     .ndims = 4,
                                     .dims = {2, 8, 6, 5},
                                     .strides = {240, 1, 40, 8}};

    memset(layer, 0, sizeof *layer);
    layer->x = layer->y = layer->w = x;
    layer->w.dims[0] = 8;
    layer->w.dims[2] = layer->w.dims[3] = 3;
    layer->w.strides[0] = 72;
    layer->w.strides[2] = 24;
    layer->params = (struct anydnn_plugin_convolution){.struct_size = sizeof layer->params,
                                                       .spatial_dims = 2,
                                                       .pad = {1, 1},
                                                       .stride = {1, 1},
                                                       .dilation = {1, 1},
                                                       .groups = 1,
                                                       .mode = 1};
    layer->problem = (struct anydnn_plugin_problem){
        .struct_size = sizeof layer->problem,
        .operation = ANYDNN_PLUGIN_CONVOLUTION_FORWARD,
        .math = math,
        .algorithm = -1,
        .deterministic = 1,
        .present = 7,
        .tensor = {&layer->x, &layer->w, &layer->y},
        .params = &layer->params,
    };
}

static const struct anydnn_plugin_operation *operation(int32_t number)
{
    for (uint32_t i = 0; i < plugin->operation_count; i++) {
        if (plugin->operations[i]->operation == number)
            return plugin->operations[i];
    }
    return NULL;
}

static void ask(struct anydnn_plugin_context *context, const struct layer *layer,
                struct answer *answer)
{
    memset(answer, 0, sizeof *answer);
    assert_int_equal(operation(layer->problem.operation)
                         ->candidates(context, &layer->problem, take_offer, answer),
                     0);
}

/* ------------------------------------------------------------------ libraries that will not do */

static void expect_declined(const char *words)
{
    struct anydnn_plugin_context *first = start(), *second = NULL;
    struct answer answer;
    struct layer layer;

    assert_int_equal(plugin->context_create(0, &second), 0);
    make_layer(&layer, ANYDNN_PLUGIN_FLOAT, ANYDNN_PLUGIN_MATH_DEFAULT);
    ask(first, &layer, &answer);
    assert_int_equal(answer.count, 1);
    assert_int_equal(answer.offer[0].reason, ANYDNN_PLUGIN_REASON_LIBRARY);
    if (!strstr(answer.sentence, words))
        fail_msg("\"%s\" does not say \"%s\"", answer.sentence, words);
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(warning, words));
    plugin->context_destroy(first);
    plugin->context_destroy(second);
}

static void no_library(void)
{
    snprintf(library, sizeof library, "/nowhere/libcudnn.so.9");
    expect_declined("/nowhere/libcudnn.so.9");
}

static void old_library(void)
{
    use_library("libcudnn_old.so");
    expect_declined("cuDNN of version number 8907");
}

static void lacking_library(void)
{
    use_library("libcudnn_lacks.so");
    expect_declined("no function cudnnIm2Col");
}

/* A part of another installation is in the process. */
static void mixed_library(void)
{
    char folder[] = "/tmp/anydnn-cudnn-XXXXXX", command[1500], part[100];

    use_library("libcudnn_mock.so");
    assert_non_null(mkdtemp(folder));
    snprintf(part, sizeof part, "%s/libcudnn_graph.so.9", folder);
    snprintf(command, sizeof command, "cp '%s' '%s'", library, part);
    assert_int_equal(system(command), 0);
    assert_non_null(dlopen(part, RTLD_NOW | RTLD_LOCAL));
    unlink(part);
    rmdir(folder);
    expect_declined("two places");
}

static void test_libraries(void **state)
{
    (void)state;
    run_alone(no_library);
    run_alone(old_library);
    run_alone(lacking_library);
    run_alone(mixed_library);
}

/* ------------------------------------------------------------------ offers */

struct expected {
    int32_t algorithm, math;
    uint64_t workspace;
    uint32_t notes;
};

static void expect_offers(const struct answer *answer, const struct expected *expected, int count)
{
    assert_int_equal(answer->count, count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(answer->offer[i].reason, 0);
        assert_int_equal(answer->offer[i].algorithm, expected[i].algorithm);
        assert_int_equal(answer->offer[i].math, expected[i].math);
        assert_int_equal(answer->offer[i].workspace, expected[i].workspace);
        assert_int_equal(answer->offer[i].notes, expected[i].notes);
        assert_int_equal(answer->offer[i].alignment[0], 0);
    }
}

enum {
    DEFAULT = ANYDNN_PLUGIN_MATH_DEFAULT,
    TENSOR_OP = ANYDNN_PLUGIN_MATH_TENSOR_OP,
    CONVERSION = ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION,
    SHUFFLED = ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC,
    TRANSFORM = ANYDNN_PLUGIN_NOTE_TRANSFORM,
    REDUCED = ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION
};

/* The first proposal becomes no plan, the third converts its inputs, cuDNN's engine 1 rounds half
 * before the factors: none is offered. The best that runs by itself also bears the names of the
 * other GEMMs. */
static void half_offers(void)
{
    static const struct expected all[] = {
        {1, TENSOR_OP, 4096, 0}, {1, TENSOR_OP, 0, SHUFFLED}, {7, DEFAULT, 512, TRANSFORM},
        {1, DEFAULT, 256, 0},    {1, DEFAULT, 0, 0},          {0, TENSOR_OP, 4096, 0},
        {2, TENSOR_OP, 4096, 0},
    };
    static const struct expected plain[] = {
        {7, DEFAULT, 512, TRANSFORM}, {1, DEFAULT, 256, 0}, {1, DEFAULT, 0, 0},
        {0, DEFAULT, 256, 0},         {2, DEFAULT, 256, 0},
    };
    struct anydnn_plugin_context *context;
    struct answer answer;
    struct layer layer;

    use_library("libcudnn_mock.so");
    context = start();
    make_layer(&layer, ANYDNN_PLUGIN_HALF, TENSOR_OP);
    ask(context, &layer, &answer);
    expect_offers(&answer, all, 7);
    make_layer(&layer, ANYDNN_PLUGIN_HALF, DEFAULT);
    ask(context, &layer, &answer);
    expect_offers(&answer, plain, 5);
    plugin->context_destroy(context);
    assert_int_equal(mock->live, 0);
}

/* Tensor Cores read float as TF32, which is more than tensor_op permits. */
static void float_offers(void)
{
    struct anydnn_plugin_context *context;
    struct answer answer;
    struct layer layer;

    use_library("libcudnn_mock.so");
    context = start();
    make_layer(&layer, ANYDNN_PLUGIN_FLOAT, TENSOR_OP);
    ask(context, &layer, &answer);
    for (int i = 0; i < answer.count; i++)
        assert_int_equal(answer.offer[i].math, DEFAULT);
    make_layer(&layer, ANYDNN_PLUGIN_FLOAT, CONVERSION);
    ask(context, &layer, &answer);
    assert_int_equal(answer.offer[0].math, CONVERSION);
    assert_int_equal(answer.offer[0].notes, REDUCED);
    assert_int_equal(answer.offer[1].notes, REDUCED | SHUFFLED);
    plugin->context_destroy(context);
    assert_int_equal(mock->live, 0);
}

/* Max pooling's gradient wants y laid out as dy and x as dx; that of averages does not look. */
static void pooling_layouts(void)
{
    static const struct {
        int32_t mode, moved, reason; /* the operand that is laid out otherwise, or -1 */
    } cases[] = {
        {0, -1, 0},
        {0, 1, ANYDNN_PLUGIN_REASON_LAYOUT},
        {0, 3, ANYDNN_PLUGIN_REASON_LAYOUT},
        {1, 1, 0},
        {1, 3, 0},
    };
    struct anydnn_plugin_context *context;
    struct anydnn_plugin_tensor tensor[4];
    struct answer answer;
    struct layer layer;

    use_library("libcudnn_mock.so");
    context = start();
    make_layer(&layer, ANYDNN_PLUGIN_FLOAT, DEFAULT);
    layer.problem.operation = ANYDNN_PLUGIN_POOLING_BACKWARD;
    layer.problem.present = 0xf;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct anydnn_plugin_pooling params = {.struct_size = sizeof params,
                                               .spatial_dims = 2,
                                               .mode = cases[i].mode,
                                               .window = {1, 1},
                                               .stride = {1, 1}};

        layer.problem.params = &params;
        for (int slot = 0; slot < 4; slot++) {
            tensor[slot] = layer.x;
            layer.problem.tensor[slot] = &tensor[slot];
        }
        if (cases[i].moved >= 0)
            tensor[cases[i].moved].strides[0] = 250;
        ask(context, &layer, &answer);
        assert_int_equal(answer.count, 1);
        assert_int_equal(answer.offer[0].reason, cases[i].reason);
    }
    plugin->context_destroy(context);
    assert_int_equal(mock->live, 0);
}

static void test_offers(void **state)
{
    (void)state;
    run_alone(half_offers);
    run_alone(float_offers);
    run_alone(pooling_layouts);
}

/* ------------------------------------------------------------------ numbers and plans */

/* Every number names the same configuration in another context, and becomes a plan there, also
 * after other problems have driven the list out. */
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
                                             struct layer *layer)
{
    struct anydnn_plugin_plan *plan = NULL;
    struct answer answer;

    make_layer(layer, ANYDNN_PLUGIN_HALF, TENSOR_OP);
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

/* Known pointers take no descriptor, the stream is set when it changes, and other factors make one
 * plan, not one a call. */
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
    plan = first_plan(context, &layer);
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

/* No plan can be made while a capture is under way: the result is blended from scratch memory,
 * which is given back. */
static void captured_calls(void)
{
    struct anydnn_plugin_context *context;
    struct anydnn_plugin_plan *plan;
    struct layer layer;
    _Alignas(16) int64_t y[4];
    int32_t effect;
    int plans;

    use_library("libcudnn_mock.so");
    context = start();
    plan = first_plan(context, &layer);
    plans = mock->plans;
    captured = 1;
    assert_int_equal(execute(plan, y, 1, 1, &effect), 0);
    assert_int_equal(mock->plans, plans);
    assert_int_equal(mock->runs, 1);
    assert_int_equal(mock->adds, 1);
    assert_int_equal(scratches, 0);
    operation(1)->plan_destroy(plan);
    plugin->context_destroy(context);
    assert_int_equal(mock->live, 0);
}

/* A call with y at the address of an element runs on a copy that is aligned, made before and
 * brought back after it. */
static void moved_calls(void)
{
    static _Alignas(16) char memory[2048];
    struct anydnn_plugin_context *context;
    struct anydnn_plugin_plan *plan;
    struct layer layer;
    int32_t effect;

    use_library("libcudnn_mock.so");
    context = start();
    plan = first_plan(context, &layer);
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

/* What cuDNN refuses it has not begun; of other failures nobody knows. */
static void failures(void)
{
    struct anydnn_plugin_context *context;
    struct anydnn_plugin_plan *plan;
    struct layer layer;
    _Alignas(16) int64_t y[4];
    int32_t effect = -1;

    use_library("libcudnn_mock.so");
    context = start();
    plan = first_plan(context, &layer);
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

static void test_plans(void **state)
{
    (void)state;
    run_alone(numbers);
    run_alone(calls);
    run_alone(captured_calls);
    run_alone(moved_calls);
    run_alone(failures);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_libraries),
        cmocka_unit_test(test_offers),
        cmocka_unit_test(test_plans),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
