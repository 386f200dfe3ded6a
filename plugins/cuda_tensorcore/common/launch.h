/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the steps of a plan. A step holds everything of a launch that depends only on the
 * problem, and is made with the plan. A call copies its parameters, fills in pointers and
 * factors, and launches. */
#ifndef CUDA_TENSORCORE_COMMON_LAUNCH_H
#define CUDA_TENSORCORE_COMMON_LAUNCH_H

#include "job.h"
#include "overlap.h"

#include <string.h>

/* The shared memory that every kernel may use without opting in, and the number of devices with
 * cached state. */
#define TC_SHARED_FREE  (48 << 10)
#define TC_DEVICES_SEEN 128

/* The cached state of a kernel on a device. TC_ASKED_SHARED: the limit of shared memory was
 * raised. TC_ASKED_CODE: the loaded code was queried. TC_OVERLAPS: that code waits for the
 * preceding kernel. */
enum { TC_ASKED_SHARED = 1, TC_ASKED_CODE = 2, TC_OVERLAPS = 4 };

/* The bytes that hold the parameters of any kernel, and the largest number of kernels of a step. */
#define TC_PARAMETERS   1536
#define TC_STEP_KERNELS 3

/* The arguments of a call. In a copy, `a` is the source and `output` the destination. */
struct tc_arguments {
    const void *a, *b; /* B: filters, or dy in wgrad */
    void *partial;     /* NULL if K is not split */
    void *output;
    const void *z, *bias;
    cuda_blend blend;
};

struct tc_step {
    int32_t (*run)(const struct cuda_call *call, const tc_step *step, const tc_arguments &args);
    void (*kernel[TC_STEP_KERNELS])();
    uint8_t *asked[TC_STEP_KERNELS]; /* cached state, see tc_ask_shared */
    int32_t threads, shared_bytes;
    int32_t overlaps; /* 1 if it may overlap the preceding kernel (common/overlap.h) */
    int64_t blocks;
    alignas(16) unsigned char parameters[TC_PARAMETERS];
};

/* Raises a kernel's limit of shared memory, once per kernel and device. The new limit is the
 * device's maximum, since the memory that a kernel needs may depend on the problem. Repeating
 * this is harmless. */
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
    return cuda_check(device, error, "requesting shared memory");
}

/* Returns the number of blocks: one per tile, group, class and split. */
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
                        "the grid would have %lld blocks; the maximum is %lld",
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

/* Fills in the arguments of a call. */
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

/* Returns true if results are stored unchanged in a tensor that is aligned to `bytes` bytes. */
static inline bool tc_is_plain_by(const conv_output &output, size_t bytes)
{
    return !output.bias && output.blend.alpha == 1 && output.blend.beta == 0 &&
           (uintptr_t)output.data % bytes == 0;
}

/* Completes the members that depend on a call's arguments, and returns the index of the kernel
 * to run. Other job types have overloads of this function. */
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

/* Returns 1 if the loaded code of a kernel waits for the preceding kernel. Kernels are built for
 * different architectures, so each kernel is queried once per device. `asked` caches the answer;
 * it may be NULL. */
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
    cuda_aside_begin(&mode); /* this call may load the kernel */
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

/* Fills in what the launch of one kernel needs. The caller sets `run`. */
template <class P>
static void tc_step_fill(tc_step *step, void (*kernel)(P), uint8_t *asked, int32_t threads,
                         int32_t shared_bytes, int64_t blocks, const P &job)
{
    static_assert(sizeof job <= TC_PARAMETERS, "the parameters fit");

    step->kernel[0] = (void (*)())kernel;
    step->asked[0] = asked;
    step->threads = threads;
    step->shared_bytes = shared_bytes;
    step->blocks = blocks;
    step->overlaps = tc_overlaps(kernel, asked);
    memcpy(step->parameters, &job, sizeof job);
}

/* Makes a step with one kernel. tc_step_or adds alternative kernels. */
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

/* Runs the step that adds the splits of any kernel, by conv_reduce_splits. */
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
