/* SPDX-License-Identifier: Apache-2.0 */
/* Tests what happens if device memory runs out: a call returns a status with a sentence, and the
 * handle continues to work. */
#include "faults.h"

#include <stdlib.h>
#include <string.h>

/* Checks that all kinds of calls work after the failure. */
static void works(anydnnHandle_t handle)
{
    for (int i = 0; i < gpu_problem_count; i++) {
        struct gpu_work *work = gpu_work_make(handle, gpu_problems[i]);

        must_be(SUCCESS, gpu_work_run(handle, work));
        gpu_work_check(handle, work);
        gpu_work_free(handle, work);
    }
}

void fault_alloc(void)
{
    anydnnHandle_t handle = gpu_handle("cuda:0", "cuda_simt");
    static const size_t sizes[] = {(size_t)1 << 44, (size_t)1 << 60, SIZE_MAX};
    int mark;

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        void *memory = &mark;
        char bytes[30];

        snprintf(bytes, sizeof bytes, "%zu bytes", sizes[i]);
        must_say(ANYDNN_STATUS_ALLOC_FAILED, bytes, anydnnMemAlloc(handle, sizes[i], &memory));
        must(memory == &mark);
    }
    works(handle);
    must_be(SUCCESS, anydnnDestroy(handle));
}

/* Allocates all memory except for less than `left` bytes. Returns the number of blocks. */
static int take_all(anydnnHandle_t handle, size_t left, void *blocks[], int most)
{
    int count = 0;

    for (size_t bytes = (size_t)1 << 40; bytes >= left && bytes > 0; bytes /= 2)
        while (count < most && anydnnMemAlloc(handle, bytes, &blocks[count]) == SUCCESS)
            count++;
    must(count < most);
    return count;
}

static void give_all(anydnnHandle_t handle, void *blocks[], int count)
{
    for (int i = 0; i < count; i++)
        must_be(SUCCESS, anydnnMemFree(handle, blocks[i]));
}

/* Uses the backward pass of divisive normalization, which allocates 16 bytes per element between
 * its kernels. */
void fault_scratch(void)
{
    static const char text[] =
        "divisive_normalization_backward x=f32:32,64,64,64:nchw means=f32:32,64,64,64:nchw "
        "dy=f32:32,64,64,64:nchw temp=f32:32,64,64,64:nchw temp2=f32:32,64,64,64:nchw "
        "dx=f32:32,64,64,64:nchw dmeans=f32:32,64,64,64:nchw n=3 lrn_alpha=0.5 lrn_beta=0.75 k=2";
    anydnnHandle_t handle = gpu_handle("cuda:0", "cuda_simt");
    const size_t bytes = sizeof(float) * 32 * 64 * 64 * 64;
    void *blocks[400], *data[7];
    anydnnProblem_t problem;
    float seen[4];
    int count;

    must_be(SUCCESS, anydnnProblemParse(text, &problem));
    for (int i = 0; i < 7; i++) {
        must_be(SUCCESS, anydnnMemAlloc(handle, bytes, &data[i]));
        must_be(SUCCESS, anydnnMemSet(handle, data[i], i < 5 ? 0 : 0x55, bytes));
    }
    count = take_all(handle, 16 << 20, blocks, 400);
    must_say(ANYDNN_STATUS_ALLOC_FAILED, "cuda_simt",
             anydnnProblemExecute(handle, problem, data, NULL, 0));
    must(gpu_says("memory"));
    /* The call failed before it began, so nothing was written. */
    must_be(SUCCESS,
            anydnnMemCopy(handle, seen, data[5], sizeof seen, ANYDNN_MEMCPY_DEVICE_TO_HOST));
    must(memcmp(seen, "UUUUUUUUUUUUUUUU", sizeof seen) == 0);
    give_all(handle, blocks, count);
    must_be(SUCCESS, anydnnProblemExecute(handle, problem, data, NULL, 0));
    must_be(SUCCESS,
            anydnnMemCopy(handle, seen, data[5], sizeof seen, ANYDNN_MEMCPY_DEVICE_TO_HOST));
    must(seen[0] == 0 && seen[3] == 0);
    works(handle);
    must_be(SUCCESS, anydnnProblemDestroy(problem));
    must_be(SUCCESS, anydnnDestroy(handle));
}

/* Calls without workspace, as a caller must who cannot allocate it. */
void fault_workspace(void)
{
    anydnnHandle_t handle = gpu_handle("cuda:0", "cuda_simt");
    struct gpu_work *work = gpu_work_make(handle, gpu_problems[0]);
    int64_t is_short = -1;

    if (work->workspace_bytes == 0)
        gpu_skip("the plan takes no workspace on this device");
    must_be(SUCCESS, anydnnProblemExecute(handle, work->problem, work->data, NULL, 0));
    must_be(SUCCESS, anydnnGetDispatchInfoInt(handle, "workspace_short", &is_short));
    must(is_short == 1);
    gpu_work_check(handle, work);
    gpu_work_spoil(handle, work);
    must_be(SUCCESS, gpu_work_run(handle, work));
    must_be(SUCCESS, anydnnGetDispatchInfoInt(handle, "workspace_short", &is_short));
    must(is_short == 0);
    gpu_work_check(handle, work);
    gpu_work_free(handle, work);
    must_be(SUCCESS, anydnnDestroy(handle));
}
