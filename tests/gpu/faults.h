/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the cases of the program faults, by file. */
#ifndef GPU_FAULTS_H
#define GPU_FAULTS_H

#include "work.h"

/* faults_memory.c */
void fault_alloc(void);
void fault_scratch(void);
void fault_workspace(void);

/* faults_lost.c */
void fault_illegal_access(void);
void fault_illegal_access_cudnn(void);
void fault_illegal_access_staged(void);
void fault_illegal_access_replayed(void);

/* faults_capture.c */
void fault_record_first_call(void);
void fault_record_refusals(void);
void fault_record_staged(void);
void fault_capture_own(void);
void fault_capture_global(void);
void fault_capture_default(void);
void fault_capture_fastest(void);
void fault_beside_capture_simt(void);
void fault_beside_capture_cudnn(void);
void fault_beside_capture_fastest(void);
void fault_beside_capture_fastest_cudnn(void);

/* faults_process.c */
void fault_exit_queued(void);
void fault_exit_recording(void);
void fault_exit_handler(void);
void fault_fork(void);
void fault_other_thread(void);
void fault_two_threads(void);

/* faults_end.c */
void fault_gone_simt(void);
void fault_gone_busy_simt(void);
void fault_gone_recording_simt(void);
void fault_reset_simt(void);
void fault_reset_used_simt(void);
void fault_gone_tensorcore(void);
void fault_gone_busy_tensorcore(void);
void fault_gone_recording_tensorcore(void);
void fault_reset_tensorcore(void);
void fault_reset_used_tensorcore(void);
void fault_gone_cudnn(void);
void fault_gone_busy_cudnn(void);
void fault_gone_recording_cudnn(void);
void fault_reset_cudnn(void);
void fault_reset_used_cudnn(void);
void fault_end_beside_capture(void);

/* Enqueues a call on `handle` that reads an invalid address. */
void fault_provoke(anydnnHandle_t handle);

/* Enqueues work that takes a good part of a second. */
void fault_keep_busy(anydnnHandle_t handle);

#endif
