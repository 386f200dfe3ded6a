/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the GPU programs share: cases in processes of their own, and calls with known
 * results. */
#ifndef GPU_WORK_H
#define GPU_WORK_H

#include <anydnn/anydnn.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/must.h"

#define SUCCESS ANYDNN_STATUS_SUCCESS

/* ------------------------------------------------------------------ cases */

/* A case. It runs in a child process that is forked before any use of CUDA, and ends when it
 * returns or calls exit(code). */
struct gpu_case {
    const char *name;
    void (*run)(void);
    int code; /* required exit code */
};

/* Runs all cases, or the named ones, and prints TAP. Returns the exit status of main, which is 77
 * if there is no CUDA device. */
int gpu_run(const struct gpu_case cases[], int count, int argc, char **argv);

/* Seconds after which a case is considered to hang. */
#define GPU_SECONDS 60

/* Checks that the call returns `wanted`, and that its sentence contains `words`. */
#define must_say(wanted, words, call)                                                              \
    do {                                                                                           \
        must_be(wanted, call);                                                                     \
        must(gpu_says(words));                                                                     \
    } while (0)

int gpu_says(const char *words);

/* Ends a case that this machine cannot run. */
void gpu_skip(const char *why) __attribute__((noreturn));

/* ------------------------------------------------------------------ calls */

/* Returns a handle on the device that uses only the given backend. */
anydnnHandle_t gpu_handle(const char *device, const char *backend);

#define GPU_OPERANDS 8

/* A problem on a device, with operands of small integers. Its results have the same bits in any
 * order of summation, and cpu_ref has computed them. */
struct gpu_work {
    anydnnProblem_t problem;
    int count;
    anydnnDirection_t direction[GPU_OPERANDS];
    size_t bytes[GPU_OPERANDS];
    void *data[GPU_OPERANDS]; /* on the device */
    void *host[GPU_OPERANDS]; /* required contents after a run */
    void *workspace;
    size_t workspace_bytes;
};

struct gpu_work *gpu_work_make(anydnnHandle_t handle, const char *problem);
void gpu_work_free(anydnnHandle_t handle, struct gpu_work *work);
anydnnStatus_t gpu_work_run(anydnnHandle_t handle, const struct gpu_work *work);
/* Fills the outputs with other bytes. */
void gpu_work_spoil(anydnnHandle_t handle, const struct gpu_work *work);
/* Waits and compares every output. A difference ends the case. */
void gpu_work_check(anydnnHandle_t handle, const struct gpu_work *work);

/* The problems, of several kinds: with a workspace, with memory allocated between kernels, with
 * neither. */
extern const char *const gpu_problems[];
extern const int gpu_problem_count;

#endif
