/* SPDX-License-Identifier: Apache-2.0 */
/* The host, the GPU and the processes for the tests of the backend cudnn. */
#include "harness.h"

#include "../../plugins/cudnn/copy.h"
#include "errata/errata.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ------------------------------------------------------------------ the host and the GPU */

char library[600], error_text[800], warning[1200];
int warnings, captured, scratches, copies, exchanges;
enum cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
int64_t scratch[1024];
uint64_t primary = 1;
int device_waits;

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

/* The errata that the backend publishes, compared as the library compares them. */
static struct adn_errata *errata;
const char *more_errata = "";

static uint32_t verdicts(const struct anydnn_plugin_problem *problem,
                         const struct anydnn_plugin_candidate *candidate, int32_t *algorithm)
{
    struct adn_errata_query query = {.backend = "cudnn",
                                     .version = plugin->library_version(),
                                     .problem = problem,
                                     .candidate = candidate};
    char *all;

    if (!errata) {
        errata = adn_errata_load_from(&(struct adn_errata_sources){NULL, NULL, NULL});
        assert_non_null(errata);
        assert_true(asprintf(&all, "%s%s", plugin->errata, more_errata) > 0);
        adn_errata_publish(errata, "cudnn", all);
        free(all);
    }
    return adn_errata_plugin_bits(adn_errata_verdicts(errata, &query, algorithm));
}

int count_errata(void)
{
    struct adn_errata *all = adn_errata_load_from(&(struct adn_errata_sources){NULL, NULL, NULL});
    int count = 0;

    adn_errata_publish(all, "cudnn", plugin->errata);
    while (adn_errata_at(all, count))
        count++;
    adn_errata_free(all);
    return count;
}

static uint32_t take_errata(const struct anydnn_plugin_host *of,
                            const struct anydnn_plugin_problem *problem,
                            const struct anydnn_plugin_candidate *candidate, int32_t *algorithm)
{
    (void)of;
    return verdicts(problem, candidate, algorithm);
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
    .errata = take_errata,
};

const struct anydnn_plugin_space cuda_space;

int32_t cuda_device_usable(int32_t device)
{
    return device == 0 ? ANYDNN_PLUGIN_STATUS_SUCCESS
                       : kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM, "no such device");
}

void cuda_aside_begin(enum cudaStreamCaptureMode *mode)
{
    *mode = cudaStreamCaptureModeRelaxed;
    cudaThreadExchangeStreamCaptureMode(mode);
}

void cuda_aside_end(enum cudaStreamCaptureMode mode)
{
    cudaThreadExchangeStreamCaptureMode(&mode);
}

int32_t cuda_enter(struct cuda_visit *visit, int32_t device)
{
    *visit = (struct cuda_visit){.device = device, .before = device};
    cuda_aside_begin(&visit->mode);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

void cuda_leave(const struct cuda_visit *visit)
{
    cuda_aside_end(visit->mode);
}

uint64_t cuda_primary(int32_t device)
{
    (void)device;
    return primary;
}

void cuda_wait_device(int32_t device)
{
    (void)device;
    device_waits++;
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
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

int32_t cuda_scratch_drop(int32_t device, cudaStream_t stream, void *pointer)
{
    (void)device, (void)stream;
    assert_ptr_equal(pointer, scratch);
    scratches--;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

int32_t cuda_check(int32_t device, cudaError_t error, const char *what)
{
    (void)device, (void)what;
    return error == cudaSuccess ? ANYDNN_PLUGIN_STATUS_SUCCESS
                                : ANYDNN_PLUGIN_STATUS_EXECUTION_FAILED;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)kind, (void)stream;
    copies++;
    memcpy(to, from, bytes);
    return cudaSuccess;
}

int32_t cdn_copy_elements(int32_t device, cudaStream_t stream,
                          const struct anydnn_plugin_tensor *tensor, void *to, const void *from)
{
    size_t size = (size_t)kit_type_size(tensor->type);
    int64_t count = 1;

    (void)device, (void)stream;
    copies++;
    for (int32_t d = 0; d < tensor->ndims; d++)
        count *= tensor->dims[d];
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i, at = 0;

        for (int32_t d = 0; d < tensor->ndims; d++) {
            at += rest % tensor->dims[d] * tensor->strides[d];
            rest /= tensor->dims[d];
        }
        memcpy((char *)to + (size_t)at * size, (const char *)from + (size_t)at * size, size);
    }
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    enum cudaStreamCaptureMode before = capture_mode;

    capture_mode = *mode;
    *mode = before;
    exchanges++;
    return cudaSuccess;
}

/* ------------------------------------------------------------------ one case, one process */

const struct anydnn_plugin *plugin;
struct mock_cudnn *mock;

void use_library(const char *name)
{
    char self[400];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    assert_true(length > 0);
    self[length] = 0;
    *strrchr(self, '/') = 0;
    /* libtool runs the programs that it has linked from .libs. */
    if (strcmp(strrchr(self, '/'), "/.libs") == 0)
        snprintf(library, sizeof library, "%s/%s", self, name);
    else
        snprintf(library, sizeof library, "%s/.libs/%s", self, name);
}

struct anydnn_plugin_context *start(void)
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

struct anydnn_plugin_context *begin(void)
{
    use_library("libcudnn_mock.so");
    return start();
}

void end(struct anydnn_plugin_context *context)
{
    plugin->context_destroy(context);
    assert_int_equal(mock->live, 0);
}

void run_alone(void (*body)(void))
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

int32_t take_offer(void *cookie, const struct anydnn_plugin_candidate *candidate)
{
    struct answer *answer = cookie;

    int32_t algorithm;

    if (answer->problem && candidate->reason == 0 &&
        (verdicts(answer->problem, candidate, &algorithm) & ANYDNN_PLUGIN_ERRATUM_AVOID)) {
        answer->avoided++;
        return 0;
    }
    assert_true(answer->count < OFFERS);
    answer->offer[answer->count] = *candidate;
    answer->offer[answer->count++].words = NULL;
    if (candidate->sentence)
        snprintf(answer->sentence, sizeof answer->sentence, "%s", candidate->sentence);
    return 0;
}

void make_layer(struct layer *layer, int32_t type, int32_t math)
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

void pack_rows(struct anydnn_plugin_tensor *tensor)
{
    int64_t step = 1;

    for (int32_t d = tensor->ndims - 1; d >= 0; d--) {
        tensor->strides[d] = step;
        step *= tensor->dims[d];
    }
}

const struct anydnn_plugin_operation *operation(int32_t number)
{
    for (uint32_t i = 0; i < plugin->operation_count; i++) {
        if (plugin->operations[i]->operation == number)
            return plugin->operations[i];
    }
    return NULL;
}

void ask(struct anydnn_plugin_context *context, const struct layer *layer, struct answer *answer)
{
    memset(answer, 0, sizeof *answer);
    answer->problem = &layer->problem;
    assert_int_equal(operation(layer->problem.operation)
                         ->candidates(context, &layer->problem, take_offer, answer),
                     0);
}
