/* SPDX-License-Identifier: Apache-2.0 */
/* What the GPU's programs share: cases in processes of their own, and calls whose results are
 * known. */
#ifndef GPU_WORK_H
#define GPU_WORK_H

#include <anydnn/anydnn.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/must.h"

#define SUCCESS ANYDNN_STATUS_SUCCESS

/* ------------------------------------------------------------------ cases */

/* A case runs in a child that was forked before any use of CUDA. It ends by returning, or by
 * exit(code). */
struct gpu_case {
    const char *name;
    void (*run)(void);
    int code; /* the exit code that it must have */
};

/* Runs all cases, or those named, and prints TAP. Returns main's value: 77 where there is no CUDA
 * device for the first case. */
int gpu_run(const struct gpu_case cases[], int count, int argc, char **argv);

/* Seconds after which a case counts as hanging. */
#define GPU_SECONDS 60

/* The call fails so, and the sentence contains these words. */
#define must_say(wanted, words, call)                                                              \
    do {                                                                                           \
        must_be(wanted, call);                                                                     \
        must(gpu_says(words));                                                                     \
    } while (0)

int gpu_says(const char *words);

/* Ends a case that this machine cannot run. */
void gpu_skip(const char *why) __attribute__((noreturn));

/* ------------------------------------------------------------------ calls */

/* A handle on the device, by that backend alone. */
anydnnHandle_t gpu_handle(const char *device, const char *backend);

#define GPU_OPERANDS 8

/* A problem with operands of small integers on a device, so that its results are the same bits in
 * any order of summation, and those results as cpu_ref gives them. */
struct gpu_work {
    anydnnProblem_t problem;
    int count;
    anydnnDirection_t direction[GPU_OPERANDS];
    size_t bytes[GPU_OPERANDS];
    void *data[GPU_OPERANDS]; /* on the device */
    void *host[GPU_OPERANDS]; /* what the operand must hold after a run */
    void *workspace;
    size_t workspace_bytes;
};

struct gpu_work *gpu_work_make(anydnnHandle_t handle, const char *problem);
void gpu_work_free(anydnnHandle_t handle, struct gpu_work *work);
anydnnStatus_t gpu_work_run(anydnnHandle_t handle, const struct gpu_work *work);
/* Fills the outputs with other bytes. */
void gpu_work_spoil(anydnnHandle_t handle, const struct gpu_work *work);
/* Waits, and compares every output; a difference ends the case. */
void gpu_work_check(anydnnHandle_t handle, const struct gpu_work *work);

/* Problems of several kinds: with a workspace, with memory taken between kernels, with neither. */
extern const char *const gpu_problems[];
extern const int gpu_problem_count;

#endif
