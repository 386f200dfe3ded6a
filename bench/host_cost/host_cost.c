/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the host time of the steps of one call on a GPU, in nanoseconds. The work is enqueued
 * and not waited for.
 *
 *   host_cost [options] [BACKEND ...] > host_cost.csv
 *
 *   --calls N      calls per burst (500)
 *   --rounds N     bursts; the result is their median and minimum (31)
 *   --busy         enqueues each burst after a kernel that outlasts it, so that the device
 *                  fetches none of it meanwhile; the default is an idle device that starts at once
 *   --brief        only the launches with 16 and 1536 bytes, on the default stream
 *
 * The queue is emptied between bursts, so that no call waits for space in it. The rows are:
 * - the CUDA runtime's queries that accompany a launch;
 * - a launch of an empty kernel with parameters of several sizes, by the runtime and the driver;
 * - ReLU of 4096 floats and a convolution of a 3x3 filter over 1,16,8,8 by anydnn on each BACKEND
 *   (cuda_simt).
 * The last rows also have values "over a launch". For these, bursts of the call alternate with
 * bursts of the driver's launch of an empty kernel with 16 bytes. The values are the median and
 * the minimum of the differences. All rows are measured on the default stream and on another one.
 */
#include "kernels.h"

#include <anydnn/anydnn.h>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS_MAX 1001

static int calls = 500, rounds = 31, busy, brief;

static void cuda(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "host_cost: CUDA: %s\n", cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}

static void try(anydnnStatus_t status)
{
    char text[1024];

    if (status == ANYDNN_STATUS_SUCCESS)
        return;
    anydnnGetLastErrorString(text, sizeof text);
    fprintf(stderr, "host_cost: %s\n", text);
    exit(EXIT_FAILURE);
}

/* ------------------------------------------------------------------ time */

/* The calls to time, and their arguments. */
struct way {
    void (*run)(const struct way *way);
    cudaStream_t stream;
    const struct host_cost_kernel *kernel;
    CUfunction function; /* or a CUkernel, which a launch accepts too */
    void *memory;
    struct call *call;
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static int by_size(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return *a < *b ? -1 : *a > *b;
}

/* Keeps the device busy for 10 us per call. */
static void keep_busy(cudaStream_t stream)
{
    unsigned long long nanoseconds = 10000ull * (unsigned long long)calls;
    void *arguments[] = {&nanoseconds};

    cuda(cudaLaunchKernel(host_cost_wait, (dim3){1, 1, 1}, (dim3){1, 1, 1}, arguments, 0, stream));
}

/* Returns the nanoseconds per call in a burst. */
static double burst(const struct way *way)
{
    double from;

    cuda(cudaDeviceSynchronize());
    if (busy)
        keep_busy(way->stream);
    from = now();
    for (int i = 0; i < calls; i++)
        way->run(way);
    return (now() - from) / calls;
}

static void print_times(const char *what, const char *how, size_t bytes, double *times)
{
    cuda(cudaDeviceSynchronize());
    qsort(times, (size_t)rounds, sizeof times[0], by_size);
    printf("%s,%s,%zu,%.0f,%.0f\n", what, how, bytes, times[rounds / 2], times[0]);
    fflush(stdout);
}

/* Times the bursts and prints a row. Skips the first round. */
static void report(const char *what, const char *how, size_t bytes, const struct way *way)
{
    double times[ROUNDS_MAX];

    for (int round = -1; round < rounds; round++) {
        double time = burst(way);

        if (round >= 0)
            times[round] = time;
    }
    print_times(what, how, bytes, times);
}

/* Times two alternating bursts per round. Each goes first in every second round. Skips the first
 * two. */
static void report_over(const char *what, const char *how, size_t bytes, const struct way *less,
                        const struct way *more)
{
    double differences[ROUNDS_MAX];
    char text[160];

    for (int round = -2; round < rounds; round++) {
        double first = burst(round & 1 ? more : less), second = burst(round & 1 ? less : more);

        if (round >= 0)
            differences[round] = round & 1 ? first - second : second - first;
    }
    snprintf(text, sizeof text, "%s over a launch", what);
    print_times(text, how, bytes, differences);
}

/* ------------------------------------------------------------------ beside a launch */

static void get_device(const struct way *way)
{
    int device;

    (void)way;
    cuda(cudaGetDevice(&device));
}

static void set_device(const struct way *way)
{
    (void)way;
    cuda(cudaSetDevice(0));
}

static void peek_at_error(const struct way *way)
{
    (void)way;
    cuda(cudaPeekAtLastError());
}

static void is_capturing(const struct way *way)
{
    enum cudaStreamCaptureStatus status;

    cuda(cudaStreamIsCapturing(way->stream, &status));
}

static void pointer_attributes(const struct way *way)
{
    struct cudaPointerAttributes attributes;

    cuda(cudaPointerGetAttributes(&attributes, way->memory));
}

static void memory_info(const struct way *way)
{
    size_t available, total;

    (void)way;
    cuda(cudaMemGetInfo(&available, &total));
}

static void beside(cudaStream_t stream)
{
    static const struct {
        const char *what;
        void (*run)(const struct way *way);
    } all[] = {
        {"cudaGetDevice", get_device},          {"cudaSetDevice", set_device},
        {"cudaPeekAtLastError", peek_at_error}, {"cudaPointerGetAttributes", pointer_attributes},
        {"cudaMemGetInfo", memory_info},        {"cudaStreamIsCapturing", is_capturing},
    };
    struct way way = {.stream = stream};

    cuda(cudaMalloc(&way.memory, 4096));
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        way.run = all[i].run;
        report(all[i].what, "a stream", 0, &way);
    }
    way.stream = cudaStreamPerThread;
    report("cudaStreamIsCapturing", "the thread's stream", 0, &way);
    cuda(cudaFree(way.memory));
}

/* ------------------------------------------------------------------ launches */

static char parameters[4096];

static void launch_runtime(const struct way *way)
{
    void *arguments[] = {parameters};

    cuda(cudaLaunchKernel(way->kernel->symbol, (dim3){4, 1, 1}, (dim3){256, 1, 1}, arguments, 0,
                          way->stream));
}

static __typeof__(&cuLaunchKernel) driver_launch;
static __typeof__(&cuLaunchKernelEx) driver_launch_ex;

static void driver(CUresult result)
{
    if (result == CUDA_SUCCESS)
        return;
    fprintf(stderr, "host_cost: the driver returned %d\n", (int)result);
    exit(EXIT_FAILURE);
}

static void launch_driver(const struct way *way)
{
    void *arguments[] = {parameters};

    driver(driver_launch(way->function, 4, 1, 1, 256, 1, 1, 0, way->stream, arguments, NULL));
}

/* Launches with the parameters as one block, as the driver stores them. */
static void launch_block(const struct way *way)
{
    size_t bytes = way->kernel->bytes;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, parameters, CU_LAUNCH_PARAM_BUFFER_SIZE,
                     &bytes, CU_LAUNCH_PARAM_END};

    driver(driver_launch(way->function, 4, 1, 1, 256, 1, 1, 0, way->stream, NULL, extra));
}

static void launch_ex(const struct way *way)
{
    void *arguments[] = {parameters};
    CUlaunchConfig config = {.gridDimX = 4,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 256,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .hStream = way->stream};

    driver(driver_launch_ex(&config, way->function, arguments, NULL));
}

static void *entry_point(const char *name, unsigned version)
{
    enum cudaDriverEntryPointQueryResult found;
    void *function = NULL;

    cuda(cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, &found));
    if (found != cudaDriverEntryPointSuccess) {
        fprintf(stderr, "host_cost: the driver does not have %s\n", name);
        exit(EXIT_FAILURE);
    }
    return function;
}

static void launches(const char *where, cudaStream_t stream)
{
    static const struct {
        const char *how;
        void (*run)(const struct way *way);
        int of_context; /* 1: the kernel as loaded for the device; 0: the context-independent one */
    } all[] = {
        {"cudaLaunchKernel", launch_runtime, 1},
        {"cuLaunchKernel", launch_driver, 1},
        {"cuLaunchKernel of a CUkernel", launch_driver, 0},
        {"cuLaunchKernel by block", launch_block, 1},
        {"cuLaunchKernelEx", launch_ex, 1},
        {"cuLaunchKernelEx of a CUkernel", launch_ex, 0},
    };

    *(void **)&driver_launch = entry_point("cuLaunchKernel", 12000);
    *(void **)&driver_launch_ex = entry_point("cuLaunchKernelEx", 12000);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        for (int k = 0; k < host_cost_kernel_count; k++) {
            struct way way = {.run = all[i].run, .stream = stream, .kernel = &host_cost_kernels[k]};

            if (brief && way.kernel->bytes != 16 && way.kernel->bytes != 1536)
                continue;
            if (all[i].of_context)
                cuda(cudaGetFuncBySymbol(&way.function, way.kernel->symbol));
            else
                cuda(cudaGetKernel((cudaKernel_t *)&way.function, way.kernel->symbol));
            report(all[i].how, where, way.kernel->bytes, &way);
        }
    }
}

/* ------------------------------------------------------------------ through anydnn */

struct call {
    anydnnHandle_t handle;
    anydnnTensorDescriptor_t flat, image;
    anydnnFilterDescriptor_t filter;
    anydnnConvolutionDescriptor_t conv;
    anydnnActivationDescriptor_t relu;
    void *data[3], *workspace;
    size_t bytes;
};

static const float one = 1, zero = 0;

/* Returns the cheapest possible launch. */
static struct way empty_launch(cudaStream_t stream)
{
    struct way way = {.run = launch_driver, .stream = stream, .kernel = &host_cost_kernels[0]};

    cuda(cudaGetFuncBySymbol(&way.function, way.kernel->symbol));
    return way;
}

static void activation(const struct way *way)
{
    const struct call *c = way->call;

    try(anydnnActivationForward(c->handle, c->relu, &one, c->flat, c->data[0], &zero, c->flat,
                                c->data[2]));
}

static void convolution(const struct way *way)
{
    const struct call *c = way->call;

    try(anydnnConvolutionForward(c->handle, &one, c->image, c->data[0], c->filter, c->data[1],
                                 c->conv, ANYDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
                                 c->workspace, c->bytes, &zero, c->image, c->data[2]));
}

static void describe(struct call *c)
{
    try(anydnnCreateTensorDescriptor(&c->flat));
    try(anydnnCreateTensorDescriptor(&c->image));
    try(anydnnCreateFilterDescriptor(&c->filter));
    try(anydnnCreateConvolutionDescriptor(&c->conv));
    try(anydnnCreateActivationDescriptor(&c->relu));
    try(anydnnSetTensor4dDescriptor(c->flat, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 1, 64, 8, 8));
    try(anydnnSetTensor4dDescriptor(c->image, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 1, 16, 8, 8));
    try(anydnnSetFilter4dDescriptor(c->filter, ANYDNN_DATA_FLOAT, ANYDNN_TENSOR_NCHW, 16, 16, 3,
                                    3));
    try(anydnnSetConvolution2dDescriptor(c->conv, 1, 1, 1, 1, 1, 1, ANYDNN_CROSS_CORRELATION,
                                         ANYDNN_DATA_FLOAT));
    try(anydnnSetActivationDescriptor(c->relu, ANYDNN_ACTIVATION_RELU, ANYDNN_NOT_PROPAGATE_NAN,
                                      0));
}

static void undescribe(struct call *c)
{
    try(anydnnDestroyTensorDescriptor(c->flat));
    try(anydnnDestroyTensorDescriptor(c->image));
    try(anydnnDestroyFilterDescriptor(c->filter));
    try(anydnnDestroyConvolutionDescriptor(c->conv));
    try(anydnnDestroyActivationDescriptor(c->relu));
}

static void through_anydnn(const char *backend, const char *where, cudaStream_t stream)
{
    struct call c = {0};
    struct way way = {.call = &c, .stream = stream}, launch = empty_launch(stream);
    char what[100];

    try(anydnnCreateOnDevice(&c.handle, "cuda"));
    try(anydnnSetRoute(c.handle, "*", NULL, backend));
    try(anydnnSetStream(c.handle, stream));
    describe(&c);
    for (int i = 0; i < 3; i++)
        try(anydnnMemAlloc(c.handle, 65536, &c.data[i]));
    try(anydnnGetConvolutionForwardWorkspaceSize(c.handle, c.image, c.filter, c.conv, c.image,
                                                 ANYDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
                                                 &c.bytes));
    if (c.bytes)
        try(anydnnMemAlloc(c.handle, c.bytes, &c.workspace));
    way.run = activation;
    snprintf(what, sizeof what, "activation on %s", backend);
    report(what, where, 0, &way);
    report_over(what, where, launch.kernel->bytes, &launch, &way);
    way.run = convolution;
    snprintf(what, sizeof what, "convolution on %s", backend);
    report(what, where, 0, &way);
    report_over(what, where, launch.kernel->bytes, &launch, &way);
    for (int i = 0; i < 3; i++)
        try(anydnnMemFree(c.handle, c.data[i]));
    try(anydnnMemFree(c.handle, c.workspace));
    undescribe(&c);
    try(anydnnDestroy(c.handle));
}

static int number(const char *name, const char *text, int most)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (end == text || *end || value < 1 || value > most) {
        fprintf(stderr, "host_cost: --%s is %s; it must be a number from 1 to %d\n", name, text,
                most);
        exit(2);
    }
    return (int)value;
}

static void read_options(int argc, char **argv)
{
    static const struct option known[] = {
        {"calls", required_argument, NULL, 'c'},
        {"rounds", required_argument, NULL, 'r'},
        {"busy", no_argument, &busy, 1},
        {"brief", no_argument, &brief, 1},
        {NULL, 0, NULL, 0},
    };
    int letter;

    while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (letter == 'c')
            calls = number("calls", optarg, 1000);
        else if (letter == 'r')
            rounds = number("rounds", optarg, ROUNDS_MAX);
        else if (letter != 0)
            exit(2);
    }
}

int main(int argc, char **argv)
{
    cudaStream_t stream;
    int given;

    read_options(argc, argv);
    given = argc > optind;
    cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    puts("what,how,bytes,median_ns,least_ns");
    beside(stream);
    launches("default stream", NULL);
    if (!brief)
        launches("own stream", stream);
    for (int i = 0; i < (given ? argc - optind : 1); i++) {
        through_anydnn(given ? argv[optind + i] : "cuda_simt", "default stream", NULL);
        through_anydnn(given ? argv[optind + i] : "cuda_simt", "own stream", stream);
    }
    cuda(cudaStreamDestroy(stream));
    return EXIT_SUCCESS;
}
