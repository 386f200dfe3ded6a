/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA space, linked into each CUDA backend: its functions for struct anydnn_plugin_space, and
 * what a backend's own code needs of it. C and CUDA C++ alike.
 *
 * Several backends of the space each have their own copy of this code and of the static runtime.
 * They share what the driver keeps: the primary context of each device, its memory and streams,
 * captures under way, errors that stick.
 */
#ifndef CUDA_COMMON_H
#define CUDA_COMMON_H

#include "../kit/host.h"

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Compute capability 7.5 is the least that the kernels are built for. */
#define CUDA_LEAST_MAJOR 7
#define CUDA_LEAST_MINOR 5

/* The space's functions, for the description. */
extern const struct anydnn_plugin_space cuda_space;

/* ------------------------------------------------------------------ errors (errors.c) */

/* 0 for cudaSuccess. Else notes an error that sticks, forgets one that does not, hands the host a
 * sentence that says what failed and why, and returns a status. */
int32_t cuda_check(int32_t device, cudaError_t error, const char *what);

/* Whether an error, or any work so far, left the device to a new process. */
int32_t cuda_poisoned(int32_t device);

/* 0, or a status with a sentence: in a child of a process that used CUDA, it cannot be used. The
 * first call of a process settles which process that is. */
int32_t cuda_process(void);

/* ------------------------------------------------------------------ devices (device.c) */

/* Devices that the driver shows; 0 without a driver or device, with the reason in *why. */
int32_t cuda_device_count(const char **why);

/* 0 if the device is there and new enough, else a status with a sentence. */
int32_t cuda_device_usable(int32_t device);

/* While any stream of the process is captured in CUDA's global mode, what CUDA takes for unsafe, as
 * cudaMalloc, fails and ends that capture, though it is no part of it. Between these two it does
 * not. */
void cuda_aside_begin(enum cudaStreamCaptureMode *mode);
void cuda_aside_end(enum cudaStreamCaptureMode mode);

/* Makes `device` current in this thread, and all that follows aside; cuda_leave puts back what was.
 */
struct cuda_visit {
    int device, before;
    enum cudaStreamCaptureMode mode;
};
int32_t cuda_enter(struct cuda_visit *visit, int32_t device);
void cuda_leave(const struct cuda_visit *visit);

/* The stream that work for a stream of the application goes to. That is the stream itself, but for
 * the default one while this thread records: the legacy default stream cannot be captured, so that
 * the thread's own one is, which is ordered with it. All backends see that from the driver. */
cudaStream_t cuda_stream(void *stream);

/* Whether the stream, as cuda_stream gave it, is being captured. */
int cuda_is_captured(cudaStream_t stream);

/* The number of the device's primary context, which a later one has not again; 0 where there is
 * none or the driver does not tell (primary.c). What was made under another number is gone, and
 * must not be touched. */
uint64_t cuda_primary(int32_t device);

/* Waits for all that was enqueued on the device, of any stream. */
void cuda_wait_device(int32_t device);

/* Memory in stream order, from a pool of the process for each device: for what a plan needs between
 * its kernels. May be captured, and does not wait. */
int32_t cuda_scratch_take(int32_t device, cudaStream_t stream, size_t bytes, void **pointer);
int32_t cuda_scratch_drop(int32_t device, cudaStream_t stream, void *pointer);

/* Launches a kernel of any device by its symbol, with a grid of x by y blocks (launch.c). The
 * launch reports its own failure: an error that the application left pending is not mistaken for
 * it. */
cudaError_t cuda_launch_kernel(const void *symbol, unsigned x, unsigned y, unsigned threads,
                               size_t shared_bytes, void **arguments, cudaStream_t stream);

/* The same for a kernel that itself waits for the one ahead of it in the stream: its first blocks
 * may begin before that one has ended, on devices and drivers that have it (programmatic dependent
 * launch). On others it begins when all others do. */
cudaError_t cuda_launch_overlapping(const void *symbol, unsigned x, unsigned y, unsigned threads,
                                    size_t shared_bytes, void **arguments, cudaStream_t stream);

/* A function of the driver by its name, NULL where the driver has none: libcuda is not linked. */
void *cuda_driver_entry(const char *name);

/* Counting (special.cu), for the table. */
int32_t cuda_count_special(int32_t device, void *stream, const struct anydnn_plugin_tensor *tensor,
                           const void *data, uint64_t *counts);

/* Streams, marks and recordings (record.c), for the table. */
int32_t cuda_stream_create(int32_t device, void **stream);
void cuda_stream_destroy(int32_t device, void *stream);
int32_t cuda_stream_wait(int32_t device, void *stream, void *mark);
int32_t cuda_mark_create(int32_t device, void **mark);
int32_t cuda_mark_record(int32_t device, void *stream, void *mark);
int32_t cuda_mark_elapsed(int32_t device, void *from, void *to, double *microseconds);
void cuda_mark_destroy(int32_t device, void *mark);
int32_t cuda_record_begin(int32_t device, void *stream);
int32_t cuda_record_end(int32_t device, void *stream, void **recording);
int32_t cuda_record_replay(int32_t device, void *stream, void *recording);
void cuda_record_destroy(int32_t device, void *recording);

#ifdef __cplusplus
}
#endif

#endif
