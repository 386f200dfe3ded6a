/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests two GPUs of one host, with a handle for each, each in its own thread. The results of many
 * calls must be right on both devices, and the thread's current device must not change.
 *
 *   two_devices
 *
 * It prints TAP. The exit status is 77 if there are not two CUDA devices.
 */
#include "work.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <string.h>

#define PROBLEMS_MAX 16

static int current(void)
{
    int device = -1;

    must(cudaGetDevice(&device) == cudaSuccess);
    return device;
}

/* Checks that every call works on the handle's device, and leaves the thread's device unchanged. */
static void run_on(const char *device, int thread_device, int times)
{
    struct gpu_work *works[PROBLEMS_MAX];
    anydnnHandle_t handle;
    anydnnRecording_t recording;

    must(cudaSetDevice(thread_device) == cudaSuccess);
    handle = gpu_handle(device, "cuda_simt");
    must(current() == thread_device);
    for (int i = 0; i < gpu_problem_count; i++)
        works[i] = gpu_work_make(handle, gpu_problems[i]);
    for (int time = 0; time < times; time++) {
        for (int i = 0; i < gpu_problem_count; i++)
            gpu_work_spoil(handle, works[i]);
        for (int i = 0; i < gpu_problem_count; i++) {
            must_be(SUCCESS, gpu_work_run(handle, works[i]));
            must(current() == thread_device);
        }
        for (int i = 0; i < gpu_problem_count; i++)
            gpu_work_check(handle, works[i]);
        must(current() == thread_device);
    }
    must_be(SUCCESS, anydnnRecordBegin(handle));
    must_be(SUCCESS, gpu_work_run(handle, works[0]));
    must_be(SUCCESS, anydnnRecordEnd(handle, &recording));
    gpu_work_spoil(handle, works[0]);
    must_be(SUCCESS, anydnnReplay(handle, recording));
    gpu_work_check(handle, works[0]);
    must_be(SUCCESS, anydnnRecordingDestroy(handle, recording));
    must(current() == thread_device);
    for (int i = 0; i < gpu_problem_count; i++)
        gpu_work_free(handle, works[i]);
    must_be(SUCCESS, anydnnDestroy(handle));
    must(current() == thread_device);
}

static void need_two(void)
{
    int count = 0;

    if (cudaGetDeviceCount(&count) != cudaSuccess || count < 2)
        gpu_skip("there are not two CUDA devices");
}

static void *on_first(void *unused)
{
    run_on("cuda:0", 0, 300);
    return unused;
}

static void *on_second(void *unused)
{
    run_on("cuda:1", 1, 300);
    return unused;
}

static void in_two_threads(void)
{
    pthread_t thread[2];

    need_two();
    must(pthread_create(&thread[0], NULL, on_first, NULL) == 0);
    must(pthread_create(&thread[1], NULL, on_second, NULL) == 0);
    for (int i = 0; i < 2; i++)
        must(pthread_join(thread[i], NULL) == 0);
}

static void current_elsewhere(void)
{
    need_two();
    run_on("cuda:1", 0, 3);
    run_on("cuda:0", 1, 3);
}

/* Uses two handles in turn in one thread. */
static void in_turn(void)
{
    static const char *const devices[] = {"cuda:0", "cuda:1"};
    struct gpu_work *works[2][PROBLEMS_MAX];
    anydnnHandle_t handles[2];

    need_two();
    for (int d = 0; d < 2; d++) {
        handles[d] = gpu_handle(devices[d], "cuda_simt");
        for (int i = 0; i < gpu_problem_count; i++)
            works[d][i] = gpu_work_make(handles[d], gpu_problems[i]);
    }
    for (int i = 0; i < gpu_problem_count; i++)
        for (int d = 0; d < 2; d++) {
            gpu_work_spoil(handles[d], works[d][i]);
            must_be(SUCCESS, gpu_work_run(handles[d], works[d][i]));
        }
    for (int d = 0; d < 2; d++)
        for (int i = 0; i < gpu_problem_count; i++)
            gpu_work_check(handles[d], works[d][i]);
    must(current() == 0);
}

/* Checks that "cuda" and "auto" name the thread's current device, and that a stream of the other
 * device is refused. */
static void named_and_streams(void)
{
    static const char *const devices[] = {"cuda", "auto"};
    cudaStream_t stream;
    char name[32];

    need_two();
    must(cudaSetDevice(0) == cudaSuccess && cudaStreamCreate(&stream) == cudaSuccess);
    must(cudaSetDevice(1) == cudaSuccess);
    for (int i = 0; i < 2; i++) {
        anydnnHandle_t handle = gpu_handle(devices[i], "cuda_simt");

        must_be(SUCCESS, anydnnGetDevice(handle, name, sizeof name));
        must(strcmp(name, "cuda:1") == 0);
        must_be(ANYDNN_STATUS_MAPPING_ERROR, anydnnSetStream(handle, stream));
        must_be(SUCCESS, anydnnDestroy(handle));
    }
    must(current() == 1);
}

static const struct gpu_case cases[] = {
    {"a handle on each of two devices, each in its thread", in_two_threads, 0},
    {"the thread's device is another than the handle's", current_elsewhere, 0},
    {"two handles in turn", in_turn, 0},
    {"the current device, and streams of the other", named_and_streams, 0},
};

int main(int argc, char **argv)
{
    return gpu_run(cases, sizeof cases / sizeof cases[0], argc, argv);
}
