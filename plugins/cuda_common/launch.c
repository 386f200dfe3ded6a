/* SPDX-License-Identifier: Apache-2.0 */
/* Launches kernels through the driver's own entry point. This avoids the runtime's overhead: 0.2 to
 * 0.4 us of some 3.4 us (bench/host_cost). The runtime provides the entry points, so libcuda is not
 * linked.
 *
 * If the driver refuses a launch, nothing was enqueued, and the runtime launches the kernel
 * instead. The runtime makes a context current in a thread without one, and reports its own
 * failures. */
#include "together.h"

#include <cuda.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* The size of the table: a power of two, well above the number of kernels that a process uses on
 * all devices. When the table is full, the runtime launches further kernels. */
#define FUNCTIONS_MAX 4096

/* The types of cuLaunchKernel, cuLaunchKernelEx and cuCtxGetId; 0 is CUDA_SUCCESS. */
typedef int (*launch_fn)(cudaFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                         unsigned block_x, unsigned block_y, unsigned block_z,
                         unsigned shared_bytes, cudaStream_t stream, void **arguments,
                         void **extra);
typedef int (*launch_config_fn)(const CUlaunchConfig *config, cudaFunction_t function,
                                void **arguments, void **extra);
typedef int (*context_id_fn)(void *context, unsigned long long *id);

static launch_fn driver_launch;
static launch_config_fn driver_launch_config; /* NULL if the driver lacks it */
static context_id_fn driver_context_id;

/* The first driver version that can capture overlapping launches. Older drivers may refuse them. */
#define DRIVER_CAPTURES_OVERLAP 12030
static int driver_version;

/* A kernel loaded in a context. Context numbers are not reused, so after a device reset no stale
 * kernel is found. */
struct entry {
    _Atomic(const void *) symbol; /* NULL if free; set after the other members */
    unsigned long long context;
    cudaFunction_t function;
};

static struct entry entries[FUNCTIONS_MAX];
static pthread_mutex_t entries_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int has_driver;

void *cuda_driver_entry(const char *name)
{
    enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    void *function = NULL;

    if (cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found) !=
        cudaSuccess)
        (void)cudaGetLastError();
    return found == cudaDriverEntryPointSuccess ? function : NULL;
}

static void find_driver(void)
{
    *(void **)&driver_launch = cuda_driver_entry("cuLaunchKernel");
    *(void **)&driver_launch_config = cuda_driver_entry("cuLaunchKernelEx");
    *(void **)&driver_context_id = cuda_driver_entry("cuCtxGetId");
    if (cudaDriverGetVersion(&driver_version) != cudaSuccess)
        (void)cudaGetLastError();
    atomic_store(&has_driver, driver_launch && driver_context_id);
}

/* Returns the entry of a symbol in a context, or a free entry. Returns NULL if there is neither. */
static struct entry *find(const void *symbol, unsigned long long context)
{
    uint64_t hash = (((uintptr_t)symbol >> 4) ^ context << 32) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t at = (uint32_t)(hash >> 40);

    for (uint32_t i = 0; i < FUNCTIONS_MAX; i++) {
        struct entry *entry = &entries[(at + i) % FUNCTIONS_MAX];
        const void *there = atomic_load_explicit(&entry->symbol, memory_order_acquire);

        if (!there || (there == symbol && entry->context == context))
            return entry;
    }
    return NULL;
}

/* Loads a kernel into the current context. This must not end a capture in another thread. */
static cudaFunction_t learn(const void *symbol, unsigned long long context)
{
    enum cudaStreamCaptureMode mode;
    cudaFunction_t function = NULL;
    struct entry *entry;

    cuda_aside_begin(&mode);
    if (cudaGetFuncBySymbol(&function, symbol) != cudaSuccess) {
        (void)cudaGetLastError();
        function = NULL;
    }
    cuda_aside_end(mode);
    pthread_mutex_lock(&entries_lock);
    entry = function ? find(symbol, context) : NULL;
    if (entry && !atomic_load(&entry->symbol)) {
        entry->context = context;
        entry->function = function;
        atomic_store_explicit(&entry->symbol, symbol, memory_order_release);
    }
    pthread_mutex_unlock(&entries_lock);
    return function;
}

/* Returns the kernel in the current context, and loads it first if necessary. Returns NULL if
 * the driver does not report the context. */
static cudaFunction_t function_of(const void *symbol)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    unsigned long long context;
    struct entry *entry;

    if (!atomic_load_explicit(&has_driver, memory_order_acquire))
        pthread_once(&once, find_driver);
    if (!atomic_load_explicit(&has_driver, memory_order_acquire) ||
        driver_context_id(NULL, &context) != 0)
        return NULL;
    entry = find(symbol, context);
    return entry && atomic_load_explicit(&entry->symbol, memory_order_relaxed)
               ? entry->function
               : learn(symbol, context);
}

cudaError_t cuda_launch_kernel(const void *symbol, unsigned x, unsigned y, unsigned threads,
                               size_t shared_bytes, void **arguments, cudaStream_t stream)
{
    cudaFunction_t function = function_of(symbol);

    if (function && driver_launch(function, x, y, 1, threads, 1, 1, (unsigned)shared_bytes, stream,
                                  arguments, NULL) == 0)
        return cudaSuccess;
    return cudaLaunchKernel(symbol, (dim3){x, y, 1}, (dim3){threads, 1, 1}, arguments, shared_bytes,
                            stream);
}

/* Launches a kernel with one launch attribute. Returns 1 on success. If it returns 0, nothing
 * was enqueued. */
static int launch_with(const CUlaunchAttribute *attribute, cudaFunction_t function, unsigned x,
                       unsigned y, unsigned threads, size_t shared_bytes, void **arguments,
                       cudaStream_t stream)
{
    CUlaunchConfig config = {.gridDimX = x,
                             .gridDimY = y,
                             .gridDimZ = 1,
                             .blockDimX = threads,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .sharedMemBytes = (unsigned)shared_bytes,
                             .hStream = stream,
                             .attrs = (CUlaunchAttribute *)attribute,
                             .numAttrs = 1};

    return function && driver_launch_config &&
           driver_launch_config(&config, function, arguments, NULL) == 0;
}

cudaError_t cuda_launch_overlapping(const void *symbol, unsigned x, unsigned y, unsigned threads,
                                    size_t shared_bytes, void **arguments, cudaStream_t stream)
{
    static const CUlaunchAttribute overlaps = {
        .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
        .value = {.programmaticStreamSerializationAllowed = 1}};
    cudaFunction_t function = function_of(symbol);

    if ((driver_version >= DRIVER_CAPTURES_OVERLAP || !cuda_is_captured(stream)) &&
        launch_with(&overlaps, function, x, y, threads, shared_bytes, arguments, stream))
        return cudaSuccess;
    return cuda_launch_kernel(symbol, x, y, threads, shared_bytes, arguments, stream);
}

cudaError_t cuda_launch_together(const void *symbol, unsigned blocks, unsigned threads,
                                 size_t shared_bytes, void **arguments, cudaStream_t stream)
{
    static const CUlaunchAttribute together = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
                                               .value = {.cooperative = 1}};

    if (launch_with(&together, function_of(symbol), blocks, 1, threads, shared_bytes, arguments,
                    stream))
        return cudaSuccess;
    return cudaLaunchCooperativeKernel(symbol, (dim3){blocks, 1, 1}, (dim3){threads, 1, 1},
                                       arguments, shared_bytes, stream);
}
