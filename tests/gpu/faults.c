/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests faults on a GPU through the public API. Memory runs out, a kernel reads an invalid address,
 * a stream is captured, or streams end before their handle. The process ends or forks, and threads
 * share a device.
 *
 *   faults [CASE ...]
 *
 * It prints TAP. The exit status is 77 if there is no CUDA device.
 */
#include "faults.h"

static const struct gpu_case cases[] = {
    {"more memory than there is", fault_alloc, 0},
    {"no memory between kernels", fault_scratch, 0},
    {"no memory for a workspace", fault_workspace, 0},
    {"illegal access", fault_illegal_access, 0},
    {"illegal access, cudnn in the same space", fault_illegal_access_cudnn, 0},
    {"illegal access in a staged call", fault_illegal_access_staged, 0},
    {"illegal access in a replay", fault_illegal_access_replayed, 0},
    {"a recording's first calls", fault_record_first_call, 0},
    {"what a recording refuses", fault_record_refusals, 0},
    {"a staged call in a recording", fault_record_staged, 0},
    {"a capture by the caller", fault_capture_own, 0},
    {"a capture by the caller, global", fault_capture_global, 0},
    {"a capture of the thread's default stream", fault_capture_default, 0},
    {"a capture of first calls under fastest", fault_capture_fastest, 0},
    {"first calls beside a capture, cuda_simt", fault_beside_capture_simt, 0},
    {"first calls beside a capture, cudnn", fault_beside_capture_cudnn, 0},
    {"contests beside a capture", fault_beside_capture_fastest, 0},
    {"contests beside a capture, cudnn", fault_beside_capture_fastest_cudnn, 0},
    {"exit with work queued", fault_exit_queued, 7},
    {"exit while recording", fault_exit_recording, 8},
    {"calls from an exit handler", fault_exit_handler, 9},
    {"fork after use", fault_fork, 0},
    {"a handle in another thread", fault_other_thread, 0},
    {"two threads on one device", fault_two_threads, 0},
    {"the stream gone before the handle, cuda_simt", fault_gone_simt, 0},
    {"the stream gone with work left, cuda_simt", fault_gone_busy_simt, 0},
    {"the stream gone while recording, cuda_simt", fault_gone_recording_simt, 0},
    {"the device reset before the handle, cuda_simt", fault_reset_simt, 0},
    {"the device reset and used again, cuda_simt", fault_reset_used_simt, 0},
    {"the stream gone before the handle, cuda_tensorcore", fault_gone_tensorcore, 0},
    {"the stream gone with work left, cuda_tensorcore", fault_gone_busy_tensorcore, 0},
    {"the stream gone while recording, cuda_tensorcore", fault_gone_recording_tensorcore, 0},
    {"the device reset before the handle, cuda_tensorcore", fault_reset_tensorcore, 0},
    {"the device reset and used again, cuda_tensorcore", fault_reset_used_tensorcore, 0},
    {"the stream gone before the handle, cudnn", fault_gone_cudnn, 0},
    {"the stream gone with work left, cudnn", fault_gone_busy_cudnn, 0},
    {"the stream gone while recording, cudnn", fault_gone_recording_cudnn, 0},
    {"the device reset before the handle, cudnn", fault_reset_cudnn, 0},
    {"the device reset and used again, cudnn", fault_reset_used_cudnn, 0},
    {"a handle ends beside a capture", fault_end_beside_capture, 0},
};

int main(int argc, char **argv)
{
    return gpu_run(cases, sizeof cases / sizeof cases[0], argc, argv);
}
