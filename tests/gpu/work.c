/* SPDX-License-Identifier: Apache-2.0 */
/* Implements calls with known results: operands are small integers on the device, and cpu_ref
 * computes the results. */
#include "work.h"

#include <stdlib.h>
#include <string.h>

/* The problems, in this order: with a workspace; with a stride; with sums split among blocks; two
 * without any of these; with memory allocated in stream order. Sums of the integers below are exact
 * in float. */
const char *const gpu_problems[] = {
    "convolution_backward_filter x=f32:16,3,20,18:nchw dy=f32:16,5,20,18:nchw dw=f32:5,3,3,3:nchw "
    "pad=1,1",
    "convolution_forward x=f32:3,4,9,8:nhwc w=f32:6,4,3,2:nhwc y=f32:3,6,5,4:nhwc pad=1,0 "
    "stride=2,2",
    "reduce_tensor a=f32:7,3,65,66:nchw c=f32:1,3,1,1:nchw op=add",
    "activation_forward x=f32:2,3,17,15:nchw y=f32:2,3,17,15:nchw activation=relu",
    "pooling_forward x=f32:2,3,16,17:nchw y=f32:2,3,8,8:nchw mode=max window=2,2 stride=2,2",
    "convolution_backward_bias dy=f32:16,5,40,41:nchw db=f32:1,5,1,1:nchw",
};

const int gpu_problem_count = sizeof gpu_problems / sizeof gpu_problems[0];

anydnnHandle_t gpu_handle(const char *device, const char *backend)
{
    anydnnHandle_t handle = NULL;
    char list[100];

    snprintf(list, sizeof list, "%s, fallback:off", backend);
    must_be(SUCCESS, anydnnCreateOnDevice(&handle, device));
    must_be(SUCCESS, anydnnSetRoute(handle, "*", NULL, list));
    return handle;
}

/* Fills in integers from -3 to 3, which differ between operands. */
static void fill(float *values, size_t count, int operand)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (float)((int)((i * 5 + i / 7 + (size_t)operand * 3) % 7) - 3);
}

static void describe(struct gpu_work *work)
{
    anydnnTensorDescriptor_t desc;

    must_be(SUCCESS, anydnnCreateTensorDescriptor(&desc));
    must_be(SUCCESS, anydnnProblemGetOperandCount(work->problem, &work->count));
    must(work->count <= GPU_OPERANDS);
    for (int i = 0; i < work->count; i++) {
        must_be(SUCCESS,
                anydnnProblemGetOperand(work->problem, i, NULL, desc, &work->direction[i]));
        must_be(SUCCESS, anydnnGetTensorSizeInBytes(desc, &work->bytes[i]));
        work->host[i] = aligned_alloc(256, (work->bytes[i] + 255) / 256 * 256);
        must(work->host[i]);
        fill(work->host[i], work->bytes[i] / sizeof(float), i);
    }
    must_be(SUCCESS, anydnnDestroyTensorDescriptor(desc));
}

/* Copies the operands to the device before cpu_ref writes its results to the same host memory. */
static void place(anydnnHandle_t handle, struct gpu_work *work)
{
    for (int i = 0; i < work->count; i++) {
        must_be(SUCCESS, anydnnMemAlloc(handle, work->bytes[i], &work->data[i]));
        must_be(SUCCESS, anydnnMemCopy(handle, work->data[i], work->host[i], work->bytes[i],
                                       ANYDNN_MEMCPY_HOST_TO_DEVICE));
    }
    must_be(SUCCESS, anydnnProblemGetWorkspaceSize(handle, work->problem, &work->workspace_bytes));
    if (work->workspace_bytes)
        must_be(SUCCESS, anydnnMemAlloc(handle, work->workspace_bytes, &work->workspace));
}

struct gpu_work *gpu_work_make(anydnnHandle_t handle, const char *problem)
{
    struct gpu_work *work = calloc(1, sizeof *work);
    anydnnHandle_t reference = gpu_handle("cpu", "cpu_ref");

    must(work);
    must_be(SUCCESS, anydnnProblemParse(problem, &work->problem));
    describe(work);
    place(handle, work);
    must_be(SUCCESS, anydnnProblemExecute(reference, work->problem, work->host, NULL, 0));
    must_be(SUCCESS, anydnnDestroy(reference));
    return work;
}

void gpu_work_free(anydnnHandle_t handle, struct gpu_work *work)
{
    must_be(SUCCESS, anydnnMemFree(handle, work->workspace));
    for (int i = 0; i < work->count; i++) {
        must_be(SUCCESS, anydnnMemFree(handle, work->data[i]));
        free(work->host[i]);
    }
    must_be(SUCCESS, anydnnProblemDestroy(work->problem));
    free(work);
}

anydnnStatus_t gpu_work_run(anydnnHandle_t handle, const struct gpu_work *work)
{
    return anydnnProblemExecute(handle, work->problem, work->data, work->workspace,
                                work->workspace_bytes);
}

void gpu_work_spoil(anydnnHandle_t handle, const struct gpu_work *work)
{
    for (int i = 0; i < work->count; i++)
        if (work->direction[i] & ANYDNN_DIRECTION_OUTPUT)
            must_be(SUCCESS, anydnnMemSet(handle, work->data[i], 0x55, work->bytes[i]));
}

void gpu_work_check(anydnnHandle_t handle, const struct gpu_work *work)
{
    for (int i = 0; i < work->count; i++) {
        void *found = malloc(work->bytes[i]);

        must(found);
        must_be(SUCCESS, anydnnMemCopy(handle, found, work->data[i], work->bytes[i],
                                       ANYDNN_MEMCPY_DEVICE_TO_HOST));
        must(memcmp(found, work->host[i], work->bytes[i]) == 0);
        free(found);
    }
}
