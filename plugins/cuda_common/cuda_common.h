/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the CUDA space, which each CUDA backend links: the functions of struct
 * anydnn_plugin_space, and those that a backend's own code calls. It compiles as C and as CUDA C++.
 *
 * Each backend has its own copy of this code and of the static CUDA runtime. Backends share the
 * driver's state: the primary context of each device, its memory and streams, captures in
 * progress, and sticky errors. */
#ifndef CUDA_COMMON_H
#define CUDA_COMMON_H

#include "../kit/host.h"

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The lowest supported compute capability, 7.5. */
#define CUDA_LEAST_MAJOR 7
#define CUDA_LEAST_MINOR 5

/* The CUDA space's table of functions, for the plugin description. */
extern const struct anydnn_plugin_space cuda_space;

/* The space's convention: pointers of the CUDA runtime in the primary context of each device, and
 * its streams. */
#define CUDA_SPACE_CONVENTION "cuda/primary-1"

/* ------------------------------------------------------------------ errors (errors.c) */

/* Returns 0 for cudaSuccess. Otherwise it reports `what` and the reason to the host, and returns
 * a status. A sticky error is recorded; any other error is cleared. */
int32_t cuda_check(int32_t device, cudaError_t error, const char *what);

/* Returns 1 if an earlier error left the device unusable for this process. */
int32_t cuda_poisoned(int32_t device);

/* Returns 0, or a status after a message if the process was forked from one that used CUDA. The
 * first call records the process that uses CUDA. */
int32_t cuda_process(void);

/* ------------------------------------------------------------------ devices (device.c) */

/* Returns the number of devices that the driver shows. If there is no driver or no device, it
 * returns 0 with the reason in *why. */
int32_t cuda_device_count(const char **why);

/* Returns 0 if the device exists and is recent enough, else a status after a message. */
int32_t cuda_device_usable(int32_t device);

/* These functions enclose calls that CUDA considers unsafe, such as cudaMalloc. While any stream
 * is captured in CUDA's global mode, an unsafe call fails and ends that capture, unless it is
 * enclosed. */
void cuda_aside_begin(enum cudaStreamCaptureMode *mode);
void cuda_aside_end(enum cudaStreamCaptureMode mode);

/* The state that cuda_enter saves. cuda_enter makes `device` current in this thread and protects
 * captures as above; cuda_leave restores the previous state. */
struct cuda_visit {
    int device, before;
    enum cudaStreamCaptureMode mode;
};
int32_t cuda_enter(struct cuda_visit *visit, int32_t device);
void cuda_leave(const struct cuda_visit *visit);

/* Returns the stream that receives the work for a stream of the application. This is the stream
 * itself, except for the legacy default stream during a recording by this thread. That stream
 * cannot be captured. The per-thread stream, which is ordered with it, replaces it. The driver
 * holds this state, so all backends see it. */
cudaStream_t cuda_stream(void *stream);

/* Returns 1 if the stream is being captured. The argument is a result of cuda_stream. */
int cuda_is_captured(cudaStream_t stream);

/* Returns the number of the device's primary context; each new context has a new number. Returns
 * 0 if there is no context or the driver does not report it (primary.c). Objects created under
 * another number no longer exist and must not be accessed. */
uint64_t cuda_primary(int32_t device);

/* Waits for all work enqueued on the device, in all streams. */
void cuda_wait_device(int32_t device);

/* These functions allocate and free memory in stream order, from one pool per device. The memory
 * holds a plan's data between its kernels. The functions may be captured, and do not wait. */
int32_t cuda_scratch_take(int32_t device, cudaStream_t stream, size_t bytes, void **pointer);
int32_t cuda_scratch_drop(int32_t device, cudaStream_t stream, void *pointer);

/* Launches a kernel by its symbol on the current device, with a grid of x by y blocks
 * (launch.c). The result reports only this launch, not an earlier error of the application. */
cudaError_t cuda_launch_kernel(const void *symbol, unsigned x, unsigned y, unsigned threads,
                               size_t shared_bytes, void **arguments, cudaStream_t stream);

/* Launches a kernel that itself waits for its predecessor in the stream (programmatic dependent
 * launch). Its first blocks may begin before the predecessor ends. If the device or the driver
 * does not support this, the launch is an ordinary one. */
cudaError_t cuda_launch_overlapping(const void *symbol, unsigned x, unsigned y, unsigned threads,
                                    size_t shared_bytes, void **arguments, cudaStream_t stream);

/* Returns a function of the driver by its name, or NULL if the driver lacks it. libcuda is not
 * linked. */
void *cuda_driver_entry(const char *name);

/* Counts special values, for the space's table (special.cu). */
int32_t cuda_count_special(int32_t device, void *stream, const struct anydnn_plugin_tensor *tensor,
                           const void *data, uint64_t *counts);

/* These functions implement streams, marks and recordings (record.c), for the space's table. */
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
