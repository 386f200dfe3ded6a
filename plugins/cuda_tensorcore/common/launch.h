/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches: a step is all of a launch that depends on the problem alone, made with the plan; a call
 * copies its parameters, puts in pointers and factors, and launches.
 */
#ifndef CUDA_TENSORCORE_COMMON_LAUNCH_H
#define CUDA_TENSORCORE_COMMON_LAUNCH_H

#include "job.h"
#include "overlap.h"

#include <string.h>

/* What every kernel may have without asking, and devices that remember what was asked for. */
#define TC_SHARED_FREE  (48 << 10)
#define TC_DEVICES_SEEN 128

/* What is remembered of a kernel on a device: shared memory was asked for; what code the driver has
 * of it was asked, and that it waits for the kernel ahead. */
enum { TC_ASKED_SHARED = 1, TC_ASKED_CODE = 2, TC_OVERLAPS = 4 };

/* Bytes that the parameters of every kernel fit in; kernels that a step has to choose from. */
#define TC_PARAMETERS   1536
#define TC_STEP_KERNELS 3

/* What a call brings. Of a copy, `a` is where it is from and `output` where it goes. */
struct tc_arguments {
    const void *a, *b; /* B: filters, or dy in wgrad */
    void *partial;     /* NULL: sums are not split */
    void *output;
    const void *z, *bias;
    cuda_blend blend;
};

struct tc_step {
    int32_t (*run)(const struct cuda_call *call, const tc_step *step, const tc_arguments &args);
    void (*kernel[TC_STEP_KERNELS])();
    uint8_t *asked[TC_STEP_KERNELS]; /* see tc_ask_shared */
    int32_t threads, shared_bytes;
    int32_t overlaps; /* with the kernel ahead (common/overlap.h) */
    int64_t blocks;
    alignas(16) unsigned char parameters[TC_PARAMETERS];
};

/* More shared memory is asked for once a kernel and device, and all that there is: how much a
 * kernel takes may depend on the problem. To do so twice does no harm. */
template <class P>
static int32_t tc_ask_shared(int32_t device, void (*kernel)(P), int32_t bytes, uint8_t *asked)
{
    cudaError_t error;
    int most = 0;

    if (bytes <= TC_SHARED_FREE ||
        (device < TC_DEVICES_SEEN &&
         __atomic_load_n(&asked[device], __ATOMIC_RELAXED) & TC_ASKED_SHARED))
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute((const void *)kernel,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    if (error == cudaSuccess && device < TC_DEVICES_SEEN)
        __atomic_fetch_or(&asked[device], TC_ASKED_SHARED, __ATOMIC_RELAXED);
    return cuda_check(device, error, "asking for shared memory");
}

/* A block for each tile of each group, class and split. */
static inline int64_t tc_blocks(const tc_job &job)
{
    return (int64_t)job.m_tiles * job.n_tiles * job.splits * job.conv.groups * job.conv.classes;
}

template <class P>
static int32_t tc_launch(const struct cuda_call *call, const tc_step *step, int32_t which,
                         const P &job)
{
    void (*kernel)(P) = (void (*)(P))step->kernel[which];
    void *arguments[] = {(void *)&job};
    int32_t status = tc_ask_shared(call->device, kernel, step->shared_bytes, step->asked[which]);
    cudaError_t error;

    if (status || step->blocks <= 0)
        return status;
    if (step->blocks > CUDA_BLOCKS_MAX)
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                        "the grid would have %lld blocks; a launch takes %lld",
                        (long long)step->blocks, (long long)CUDA_BLOCKS_MAX);
#ifdef __CUDACC__
    error = (step->overlaps ? cuda_launch_overlapping : cuda_launch_kernel)(
        (const void *)kernel, (unsigned)step->blocks, 1, (unsigned)step->threads,
        (size_t)step->shared_bytes, arguments, call->stream);
#else
    error = cudaLaunchKernel(kernel, dim3((unsigned)step->blocks), dim3((unsigned)step->threads),
                             arguments, (size_t)step->shared_bytes, call->stream);
#endif
    if (error == cudaSuccess)
        *call->effect = ANYDNN_PLUGIN_EFFECT_ENQUEUED;
    return cuda_check(call->device, error, "launching a kernel");
}

/* ------------------------------------------------------------------ steps */

/* Puts in what a call brings. */
template <class P> static inline void tc_bind(P *job, const tc_arguments &args)
{
    job->a = args.a;
    job->b = args.b;
    job->partial = args.partial;
    job->output.data = args.output;
    job->output.z = args.z;
    job->output.bias = args.bias;
    job->output.blend = args.blend;
}

/* Whether results go out as they are, to a tensor that begins at a multiple of so many bytes. */
static inline bool tc_is_plain_by(const conv_output &output, size_t bytes)
{
    return !output.bias && output.blend.alpha == 1 && output.blend.beta == 0 &&
           (uintptr_t)output.data % bytes == 0;
}

/* Completes what depends on that, and says which of its kernels a step runs. Jobs that have more to
 * say have a function of their own with this name. */
static inline int32_t tc_settle(conv_job *)
{
    return 0;
}

static inline int32_t tc_settle(tc_slim_params *job)
{
    job->stores_by_16 = job->stores_by_16 && !job->partial && tc_is_plain_by(job->output, 16);
    return 0;
}

template <class P>
static int32_t tc_step_run(const struct cuda_call *call, const tc_step *step,
                           const tc_arguments &args)
{
    P job;

    memcpy(&job, step->parameters, sizeof job);
    tc_bind(&job, args);
    return tc_launch(call, step, tc_settle(&job), job);
}

/* Whether the code that the driver took of a kernel waits for the one ahead: asked once a kernel
 * and device where `asked` keeps the answer, for kernels differ in what they are built for. */
template <class P> static int32_t tc_overlaps(void (*kernel)(P), uint8_t *asked)
{
    cudaFuncAttributes attributes = {};
    enum cudaStreamCaptureMode mode;
    int device = -1;
    cudaError_t error = cudaGetDevice(&device);
    bool has_place = asked && error == cudaSuccess && device >= 0 && device < TC_DEVICES_SEEN;
    uint8_t known = has_place ? __atomic_load_n(&asked[device], __ATOMIC_RELAXED) : 0;
    int32_t overlaps;

    if (known & TC_ASKED_CODE)
        return !!(known & TC_OVERLAPS);
    cuda_aside_begin(&mode); /* the kernel may be loaded here */
    error = cudaFuncGetAttributes(&attributes, kernel);
    cuda_aside_end(mode);
    if (error != cudaSuccess)
        (void)cudaGetLastError();
    overlaps = error == cudaSuccess && attributes.ptxVersion >= TC_OVERLAP_CAPABILITY;
    if (error == cudaSuccess && has_place)
        __atomic_fetch_or(&asked[device], overlaps ? TC_ASKED_CODE | TC_OVERLAPS : TC_ASKED_CODE,
                          __ATOMIC_RELAXED);
    return overlaps;
}

/* What launching one kernel takes; `run` is the caller's. */
template <class P>
static void tc_step_fill(tc_step *step, void (*kernel)(P), uint8_t *asked, int32_t threads,
                         int32_t shared_bytes, int64_t blocks, const P &job)
{
    static_assert(sizeof job <= TC_PARAMETERS, "parameters have room");

    step->kernel[0] = (void (*)())kernel;
    step->asked[0] = asked;
    step->threads = threads;
    step->shared_bytes = shared_bytes;
    step->blocks = blocks;
    step->overlaps = tc_overlaps(kernel, asked);
    memcpy(step->parameters, &job, sizeof job);
}

/* Makes a step of one kernel; others follow by tc_step_or. */
template <class P>
static void tc_step_make(tc_step *step, void (*kernel)(P), uint8_t *asked, int32_t threads,
                         int32_t shared_bytes, int64_t blocks, const P &job)
{
    tc_step_fill(step, kernel, asked, threads, shared_bytes, blocks, job);
    step->run = tc_step_run<P>;
}

template <class P>
static void tc_step_or(tc_step *step, int32_t which, void (*kernel)(P), uint8_t *asked)
{
    step->kernel[which] = (void (*)())kernel;
    step->asked[which] = asked;
}

/* The step that adds up the splits of any kernel, by conv_reduce_splits. */
static inline int32_t tc_reduce_run(const struct cuda_call *call, const tc_step *step,
                                    const tc_arguments &args)
{
    conv_job job;

    memcpy(&job, step->parameters, sizeof job);
    tc_bind(&job, args);
    return conv_reduce_splits(call, job);
}

static inline void tc_reduce_step(tc_step *step, const tc_job *job)
{
    step->run = tc_reduce_run;
    memcpy(step->parameters, (const conv_job *)job, sizeof(conv_job));
}

#endif
