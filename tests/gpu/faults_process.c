/* SPDX-License-Identifier: Apache-2.0 */
/* Tests processes that end or fork while they use a device, and threads that share handles and a
 * device. */
#include "faults.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>

/* Fills 1 GiB a few hundred times, which takes some tenths of a second. */
void fault_keep_busy(anydnnHandle_t handle)
{
    void *memory;

    must_be(SUCCESS, anydnnMemAlloc(handle, (size_t)1 << 30, &memory));
    for (int i = 0; i < 500; i++)
        must_be(SUCCESS, anydnnMemSet(handle, memory, i & 255, (size_t)1 << 30));
}

/* ------------------------------------------------------------------ exit */

static anydnnHandle_t kept;
static struct gpu_work *kept_work[2];

/* Leaves handles with plans, a recording and a mark, none of them freed, while the device is
 * busy. */
static void leave_all(void)
{
    anydnnHandle_t other = gpu_handle("cuda:0", "cuda_simt");
    anydnnRecording_t recording;
    anydnnMark_t mark;

    kept = gpu_handle("cuda:0", "cuda_simt");
    kept_work[0] = gpu_work_make(kept, gpu_problems[0]);
    kept_work[1] = gpu_work_make(other, gpu_problems[2]);
    must_be(SUCCESS, gpu_work_run(other, kept_work[1]));
    must_be(SUCCESS, anydnnRecordBegin(kept));
    must_be(SUCCESS, gpu_work_run(kept, kept_work[0]));
    must_be(SUCCESS, anydnnRecordEnd(kept, &recording));
    must_be(SUCCESS, anydnnReplay(kept, recording));
    must_be(SUCCESS, anydnnMark(kept, &mark));
    fault_keep_busy(kept);
    must_be(SUCCESS, gpu_work_run(kept, kept_work[0]));
    must_be(SUCCESS, gpu_work_run(other, kept_work[1]));
}

void fault_exit_queued(void)
{
    leave_all();
    exit(7);
}

static void destroy_kept(void)
{
    if (anydnnDestroy(kept) != SUCCESS)
        _exit(1);
}

/* Destroys the handle during a recording, in an exit handler that runs after the library's own. */
void fault_exit_recording(void)
{
    atexit(destroy_kept);
    kept = gpu_handle("cuda:0", "cuda_simt");
    kept_work[0] = gpu_work_make(kept, gpu_problems[3]);
    must_be(SUCCESS, anydnnRecordBegin(kept));
    must_be(SUCCESS, gpu_work_run(kept, kept_work[0]));
    exit(8);
}

static void call_late(void)
{
    const anydnnStatus_t late = ANYDNN_STATUS_SHUTTING_DOWN;
    anydnnHandle_t handle;
    void *memory;

    must_say(late, "exiting", gpu_work_run(kept, kept_work[0]));
    must_say(late, "exiting", anydnnMemAlloc(kept, 16, &memory));
    must_say(late, "exiting", anydnnSynchronize(kept));
    must_say(late, "exiting", anydnnCreateOnDevice(&handle, "cuda:0"));
    must_be(SUCCESS, anydnnDestroy(kept));
}

/* Registers the exit handler before the first handle exists, so that it runs after the library's
 * own. */
void fault_exit_handler(void)
{
    atexit(call_late);
    leave_all();
    exit(9);
}

/* ------------------------------------------------------------------ fork */

static void child_of_user(anydnnHandle_t handle, const struct gpu_work *work)
{
    const anydnnStatus_t refused = ANYDNN_STATUS_NOT_INITIALIZED;
    anydnnHandle_t cpu = gpu_handle("cpu", "cpu_ref"), other = NULL;
    struct gpu_work *hosts = gpu_work_make(cpu, gpu_problems[1]);
    char bytes[16] = {0};
    void *memory = NULL;
    anydnnMark_t mark;
    size_t size;

    must_say(refused, "fork", gpu_work_run(handle, work));
    must_say(refused, "fork", anydnnMemAlloc(handle, 16, &memory));
    must_say(refused, "fork", anydnnMemSet(handle, work->data[0], 0, 16));
    must_say(
        refused, "fork",
        anydnnMemCopy(handle, bytes, work->data[0], sizeof bytes, ANYDNN_MEMCPY_DEVICE_TO_HOST));
    must_say(refused, "fork", anydnnMemFree(handle, work->data[0]));
    must_say(refused, "fork", anydnnSynchronize(handle));
    must_say(refused, "fork", anydnnMark(handle, &mark));
    must_say(refused, "fork", anydnnRecordBegin(handle));
    must_say(refused, "fork", anydnnProblemGetWorkspaceSize(handle, hosts->problem, &size));
    must_say(refused, "fork", gpu_work_run(handle, hosts));
    must_say(ANYDNN_STATUS_BAD_PARAM, "fork", anydnnCreateOnDevice(&other, "cuda:0"));
    must_say(ANYDNN_STATUS_BAD_PARAM, "fork", anydnnCreateOnDevice(&other, "cuda"));
    must_be(SUCCESS, gpu_work_run(cpu, hosts));
    gpu_work_check(cpu, hosts);
    gpu_work_free(cpu, hosts);
    must_be(SUCCESS, anydnnDestroy(handle));
    must_be(SUCCESS, anydnnDestroy(cpu));
    fputs("# the child's calls were refused\n", stderr);
    _exit(11);
}

void fault_fork(void)
{
    anydnnHandle_t handle = gpu_handle("cuda:0", "cuda_simt");
    struct gpu_work *work = gpu_work_make(handle, gpu_problems[0]);
    int status = 0;
    pid_t pid;

    must_be(SUCCESS, gpu_work_run(handle, work));
    gpu_work_check(handle, work);
    pid = fork();
    if (pid == 0) {
        alarm(GPU_SECONDS / 2);
        child_of_user(handle, work);
    }
    /* The parent continues, also while the child works. */
    gpu_work_spoil(handle, work);
    must_be(SUCCESS, gpu_work_run(handle, work));
    gpu_work_check(handle, work);
    must(waitpid(pid, &status, 0) == pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 11)
        fprintf(stderr, "# the child ended with wait status 0x%x\n", (unsigned)status);
    must(WIFEXITED(status) && WEXITSTATUS(status) == 11);
    gpu_work_spoil(handle, work);
    must_be(SUCCESS, gpu_work_run(handle, work));
    gpu_work_check(handle, work);
    gpu_work_free(handle, work);
    must_be(SUCCESS, anydnnDestroy(handle));
}

/* ------------------------------------------------------------------ threads */

static void run_often(anydnnHandle_t handle, int times)
{
    struct gpu_work *works[16];

    for (int i = 0; i < gpu_problem_count; i++)
        works[i] = gpu_work_make(handle, gpu_problems[i]);
    for (int time = 0; time < times; time++) {
        for (int i = 0; i < gpu_problem_count; i++)
            gpu_work_spoil(handle, works[i]);
        for (int i = 0; i < gpu_problem_count; i++)
            must_be(SUCCESS, gpu_work_run(handle, works[i]));
        for (int i = 0; i < gpu_problem_count; i++)
            gpu_work_check(handle, works[i]);
    }
    for (int i = 0; i < gpu_problem_count; i++)
        gpu_work_free(handle, works[i]);
}

static void *use(void *handle)
{
    run_often(handle, 5);
    return NULL;
}

static void *use_and_destroy(void *handle)
{
    run_often(handle, 5);
    must_be(SUCCESS, anydnnDestroy(handle));
    return NULL;
}

void fault_other_thread(void)
{
    anydnnHandle_t handle = gpu_handle("cuda:0", "cuda_simt");
    pthread_t thread;

    run_often(handle, 1);
    must(pthread_create(&thread, NULL, use, handle) == 0);
    must(pthread_join(thread, NULL) == 0);
    run_often(handle, 1);
    must(pthread_create(&thread, NULL, use_and_destroy, handle) == 0);
    must(pthread_join(thread, NULL) == 0);
}

static void *make_and_use(void *unused)
{
    anydnnHandle_t handle = gpu_handle("cuda:0", "cuda_simt");

    (void)unused;
    run_often(handle, 200);
    must_be(SUCCESS, anydnnDestroy(handle));
    return NULL;
}

void fault_two_threads(void)
{
    pthread_t thread[2];

    for (int i = 0; i < 2; i++)
        must(pthread_create(&thread[i], NULL, make_and_use, NULL) == 0);
    for (int i = 0; i < 2; i++)
        must(pthread_join(thread[i], NULL) == 0);
}
