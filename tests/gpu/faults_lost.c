/* SPDX-License-Identifier: Apache-2.0 */
/* Tests a kernel that reads an invalid address. The device is then lost to the process, every call
 * reports that, and the host continues to work. */
#include "faults.h"

#include <string.h>

static const float one = 1, zero = 0;

/* Uses tensors of 64 GiB with memory of 256 bytes. */
void fault_provoke(anydnnHandle_t handle)
{
    anydnnTensorDescriptor_t desc;
    void *memory;

    must_be(SUCCESS, anydnnCreateTensorDescriptor(&desc));
    must_be(SUCCESS, anydnnSetTensor4dDescriptor(desc, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 4096,
                                                 64, 256, 256));
    must_be(SUCCESS, anydnnMemAlloc(handle, 256, &memory));
    must_be(SUCCESS, anydnnScaleTensor(handle, desc, memory, &one));
    must_be(SUCCESS, anydnnDestroyTensorDescriptor(desc));
}

/* Checks that every call on a handle of the space fails with a sentence, without any use of the
 * device. */
static void is_lost(anydnnHandle_t handle, const struct gpu_work *work)
{
    const anydnnStatus_t lost = ANYDNN_STATUS_SPACE_POISONED;
    anydnnRecording_t recording = NULL;
    char bytes[16] = {0};
    void *memory = NULL;
    anydnnMark_t mark;
    size_t size;

    must_say(lost, "anydnnSynchronize", anydnnSynchronize(handle));
    must_say(lost, "anydnnProblemExecute", gpu_work_run(handle, work));
    must_say(lost, "in a new process", gpu_work_run(handle, work));
    must_say(lost, "anydnnMemAlloc", anydnnMemAlloc(handle, 16, &memory));
    must_say(
        lost, "anydnnMemCopy",
        anydnnMemCopy(handle, bytes, work->data[0], sizeof bytes, ANYDNN_MEMCPY_DEVICE_TO_HOST));
    must_say(lost, "anydnnMemSet", anydnnMemSet(handle, work->data[0], 0, 16));
    must_say(lost, "anydnnMemFree", anydnnMemFree(handle, work->data[0]));
    must_say(lost, "anydnnMark", anydnnMark(handle, &mark));
    must_say(lost, "anydnnRecordBegin", anydnnRecordBegin(handle));
    must_say(lost, "anydnnRecordEnd", anydnnRecordEnd(handle, &recording));
    must_say(lost, "anydnnSetStream", anydnnSetStream(handle, NULL));
    must_say(lost, "anydnnProblemGetWorkspaceSize",
             anydnnProblemGetWorkspaceSize(handle, work->problem, &size));
}

/* Checks a call by its own entry point, which finds its plan by descriptors. */
static void is_lost_by_entry(anydnnHandle_t handle, const struct gpu_work *relu)
{
    anydnnTensorDescriptor_t desc;

    must_be(SUCCESS, anydnnCreateTensorDescriptor(&desc));
    must_be(SUCCESS,
            anydnnSetTensor4dDescriptor(desc, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 1, 2, 3, 4));
    must_say(ANYDNN_STATUS_SPACE_POISONED, "anydnnAddTensor",
             anydnnAddTensor(handle, &one, desc, relu->data[0], &zero, desc, relu->data[1]));
    must_be(SUCCESS, anydnnDestroyTensorDescriptor(desc));
}

static void no_new_handle(void)
{
    static const char *const devices[] = {"cuda", "cuda:0", "auto"};
    anydnnHandle_t handle = NULL;

    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
        must_say(ANYDNN_STATUS_SPACE_POISONED, "unusable",
                 anydnnCreateOnDevice(&handle, devices[i]));
    must(!handle);
}

static void host_works(anydnnHandle_t cpu, const struct gpu_work *work)
{
    must_be(SUCCESS, gpu_work_run(cpu, work));
    gpu_work_check(cpu, work);
}

static void poison(const char *other)
{
    anydnnHandle_t first = gpu_handle("cuda:0", "cuda_simt"), second = gpu_handle("cuda:0", other);
    anydnnHandle_t cpu = gpu_handle("cpu", "cpu_ref");
    struct gpu_work *mine = gpu_work_make(first, gpu_problems[3]);
    struct gpu_work *its = gpu_work_make(second, gpu_problems[3]);
    struct gpu_work *hosts = gpu_work_make(cpu, gpu_problems[1]);
    anydnnStatus_t seen = SUCCESS;
    char effect[40] = "";

    must_be(SUCCESS, gpu_work_run(first, mine));
    must_be(SUCCESS, gpu_work_run(second, its));
    gpu_work_check(second, its);
    fault_provoke(first);
    must_be(SUCCESS, anydnnGetDispatchInfo(first, "effect", effect, sizeof effect));
    must(strcmp(effect, "enqueued") == 0);
    must_say(ANYDNN_STATUS_SPACE_POISONED, "unusable", anydnnSynchronize(first));
    is_lost(first, mine);
    is_lost(second, its);
    is_lost_by_entry(second, its);
    no_new_handle();
    must_be(SUCCESS, anydnnQueryRuntimeError(second, &seen, ANYDNN_ERRQUERY_RAWCODE, NULL));
    must(seen == ANYDNN_STATUS_SPACE_POISONED);
    host_works(cpu, hosts);
    must_be(SUCCESS, anydnnDestroy(first));
    must_be(SUCCESS, anydnnDestroy(second));
    host_works(cpu, hosts);
    gpu_work_free(cpu, hosts);
    must_be(SUCCESS, anydnnDestroy(cpu));
}

void fault_illegal_access(void)
{
    poison("cuda_simt");
}

static int has_cudnn(void)
{
    anydnnHandle_t handle = gpu_handle("cuda:0", "cudnn");
    anydnnProblem_t problem;
    size_t size;
    int has;

    must_be(SUCCESS, anydnnProblemParse(gpu_problems[3], &problem));
    has = anydnnProblemGetWorkspaceSize(handle, problem, &size) == SUCCESS;
    must_be(SUCCESS, anydnnProblemDestroy(problem));
    must_be(SUCCESS, anydnnDestroy(handle));
    return has;
}

void fault_illegal_access_cudnn(void)
{
    if (!has_cudnn())
        gpu_skip("no cudnn here");
    poison("cudnn");
}

/* Checks that a host handle with calls staged on the device continues with the next backend. */
void fault_illegal_access_staged(void)
{
    anydnnHandle_t device = gpu_handle("cuda:0", "cuda_simt"), cpu = NULL;
    char backend[64] = "";
    struct gpu_work *work;

    must_be(SUCCESS, anydnnCreateOnDevice(&cpu, "cpu"));
    must_be(SUCCESS, anydnnSetRoute(cpu, "*", NULL, "cpu_ref"));
    work = gpu_work_make(cpu, gpu_problems[3]);
    must_be(SUCCESS, anydnnSetRoute(cpu, "*", NULL, "cuda_simt, fallback:on"));
    must_be(SUCCESS, gpu_work_run(cpu, work));
    gpu_work_check(cpu, work);
    must_be(SUCCESS, anydnnGetDispatchInfo(cpu, "backend", backend, sizeof backend));
    must(strcmp(backend, "cuda_simt") == 0);
    fault_provoke(device);
    must_say(ANYDNN_STATUS_SPACE_POISONED, "unusable", anydnnSynchronize(device));
    gpu_work_spoil(cpu, work);
    must(gpu_work_run(cpu, work) != SUCCESS);
    must(gpu_says("unusable"));
    must_be(SUCCESS, anydnnSetRoute(cpu, "*", NULL, "cuda_simt, cpu_ref, fallback:on"));
    must_be(SUCCESS, gpu_work_run(cpu, work));
    gpu_work_check(cpu, work);
    must_be(SUCCESS, anydnnGetDispatchInfo(cpu, "backend", backend, sizeof backend));
    must(strcmp(backend, "cpu_ref") == 0);
    must_be(SUCCESS, anydnnDestroy(device));
    gpu_work_free(cpu, work);
    must_be(SUCCESS, anydnnDestroy(cpu));
}

/* Checks a fault in a replay. Any later call may report it. */
void fault_illegal_access_replayed(void)
{
    anydnnHandle_t handle = gpu_handle("cuda:0", "cuda_simt");
    struct gpu_work *work = gpu_work_make(handle, gpu_problems[3]);
    anydnnStatus_t status = SUCCESS;
    anydnnRecording_t recording;

    must_be(SUCCESS, anydnnRecordBegin(handle));
    fault_provoke(handle);
    must_be(SUCCESS, anydnnRecordEnd(handle, &recording));
    must_be(SUCCESS, gpu_work_run(handle, work));
    gpu_work_check(handle, work);
    must_be(SUCCESS, anydnnReplay(handle, recording));
    for (int i = 0; i < 3000 && status == SUCCESS; i++) {
        status = gpu_work_run(handle, work);
        usleep(1000);
    }
    must_be(ANYDNN_STATUS_SPACE_POISONED, status);
    must(gpu_says("anydnnProblemExecute") && gpu_says("unusable"));
    must_say(ANYDNN_STATUS_SPACE_POISONED, "anydnnReplay", anydnnReplay(handle, recording));
    is_lost(handle, work);
    must_be(SUCCESS, anydnnRecordingDestroy(handle, recording));
    must_be(SUCCESS, anydnnDestroy(handle));
}
