/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that the backend's own steps give the same bits in every environment: in 1, 3 and 8
 * threads, in a second thread of the program, and on one processor. Upward rounding, flushing to 0,
 * and a child of fork() with its own backend must not change them either. The calls must leave the
 * program's modes unchanged. Each number of threads has its own process, because a process reads
 * its settings once. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for sched_setaffinity */
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <anydnn/anydnn.h>

#define OPERANDS 16
#define SECONDS  60

/* The problems. Each has more than 65,536 elements, too many for one thread. */
static const char *const problems[] = {
    "batch_normalization_training x=f32:4,40,32,32",
    "batch_normalization_training x=f32:4,40,32,32:nhwc",
    "batch_normalization_training x=f32:2,19,61,61:nhwc",
    "batch_normalization_inference x=f32:4,40,32,32",
    "activation_forward x=f32:4,40,32,32 activation=sigmoid",
    "activation_forward x=bf16:4,40,32,32 activation=swish coef=1",
    "activation_backward y=f32:4,40,32,32 activation=swish coef=1",
    "softmax_forward x=f32:256,512,1,1 softmax=accurate",
};
enum { PROBLEMS = sizeof problems / sizeof problems[0], PROCESSES = 3 };
static const int threads[PROCESSES] = {1, 3, 8};

/* The hashes of the results, in memory that the processes share. */
static uint64_t (*results)[PROBLEMS];

#define must(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            char said_[512];                                                                       \
            anydnnGetLastErrorString(said_, sizeof said_);                                         \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, said_);             \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

/* Fills an array with multiples of 1/8 from 10 down to -110, where exponentials are subnormal. */
static void fill(void *array, size_t bytes, anydnnDataType_t type)
{
    for (size_t i = 0; type == ANYDNN_DATA_FLOAT && i < bytes / sizeof(float); i++)
        ((float *)array)[i] = (float)(80 - (int)(i * 37 % 960)) / 8;
    for (size_t i = 0; type == ANYDNN_DATA_BFLOAT16 && i < bytes / 2; i++) {
        float value = (float)(10 - (int)(i * 37 % 120));
        uint32_t bits;

        memcpy(&bits, &value, sizeof bits);
        ((uint16_t *)array)[i] = (uint16_t)(bits >> 16);
    }
}

/* Fills an array with positive numbers, for variances and the like. */
static void fill_positive(float *array, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(float); i++)
        array[i] = 0.5F + (float)(i % 7) / 8;
}

static uint64_t hash(uint64_t before, const void *array, size_t bytes)
{
    const unsigned char *byte = array;

    for (size_t i = 0; i < bytes; i++)
        before = (before ^ byte[i]) * UINT64_C(1099511628211);
    return before;
}

/* Runs a problem and returns a hash of its outputs. */
static uint64_t run(anydnnHandle_t handle, const char *text)
{
    void *array[OPERANDS];
    size_t bytes[OPERANDS], large = 0;
    anydnnDirection_t direction[OPERANDS];
    anydnnTensorDescriptor_t desc;
    anydnnProblem_t problem;
    uint64_t result = UINT64_C(14695981039346656037);
    int count;

    must(anydnnProblemParse(text, &problem) == ANYDNN_STATUS_SUCCESS);
    must(anydnnCreateTensorDescriptor(&desc) == ANYDNN_STATUS_SUCCESS);
    must(anydnnProblemGetOperandCount(problem, &count) == ANYDNN_STATUS_SUCCESS);
    must(count <= OPERANDS);
    for (int i = 0; i < count; i++) {
        anydnnDataType_t type;
        int ndims, dims[8], strides[8];

        anydnnProblemGetOperand(problem, i, NULL, desc, &direction[i]);
        anydnnGetTensorSizeInBytes(desc, &bytes[i]);
        anydnnGetTensorNdDescriptor(desc, 8, &type, &ndims, dims, strides);
        array[i] = calloc(1, bytes[i]);
        must(array[i]);
        large = i == 0 ? bytes[0] : large;
        if (direction[i] == ANYDNN_DIRECTION_INPUT && bytes[i] == large)
            fill(array[i], bytes[i], type);
        else if (direction[i] == ANYDNN_DIRECTION_INPUT)
            fill_positive(array[i], bytes[i]);
    }
    must(anydnnProblemExecute(handle, problem, array, NULL, 0) == ANYDNN_STATUS_SUCCESS);
    for (int i = 0; i < count; i++) {
        if (direction[i] != ANYDNN_DIRECTION_INPUT)
            result = hash(result, array[i], bytes[i]);
        free(array[i]);
    }
    anydnnDestroyTensorDescriptor(desc);
    anydnnProblemDestroy(problem);
    return result;
}

static void run_all(uint64_t result[PROBLEMS], const char *backend)
{
    anydnnHandle_t handle;
    char ran[64];

    must(anydnnCreateOnDevice(&handle, "cpu") == ANYDNN_STATUS_SUCCESS);
    must(anydnnSetRoute(handle, "*", NULL, "onednn, cpu_ref") == ANYDNN_STATUS_SUCCESS);
    for (int i = 0; i < PROBLEMS; i++) {
        result[i] = run(handle, problems[i]);
        must(anydnnGetDispatchInfo(handle, "backend", ran, sizeof ran) == ANYDNN_STATUS_SUCCESS);
        must(strcmp(ran, backend) == 0);
    }
    must(anydnnDestroy(handle) == ANYDNN_STATUS_SUCCESS);
}

/* ---- other environments */

static void set_modes(void)
{
    must(fesetround(FE_UPWARD) == 0);
#ifdef __x86_64__
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040U); /* flush results and operands */
#endif
}

static int has_modes(void)
{
#ifdef __x86_64__
    if ((__builtin_ia32_stmxcsr() & 0x8040U) != 0x8040U)
        return 0;
#endif
    return fegetround() == FE_UPWARD;
}

static void *run_in_modes(void *result)
{
    set_modes();
    run_all(result, "onednn");
    must(has_modes());
    return NULL;
}

static void run_in_child(void)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        uint64_t unused[PROBLEMS];

        alarm(SECONDS);
        run_all(unused, "cpu_ref");
        _exit(0);
    }
    must(waitpid(pid, &status, 0) == pid && status == 0);
}

static void run_on_one_processor(uint64_t result[PROBLEMS])
{
    cpu_set_t all, one;

    must(sched_getaffinity(0, sizeof all, &all) == 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    must(sched_setaffinity(0, sizeof one, &one) == 0);
    run_all(result, "onednn");
    must(sched_setaffinity(0, sizeof all, &all) == 0);
}

static void configure(int count)
{
    char path[] = "/tmp/anydnn-onednn-modes-XXXXXX";
    int file = mkstemp(path);
    anydnnHandle_t handle;

    must(file >= 0);
    dprintf(file, "[anydnn]\nplugin_path = %s\n[plugin onednn]\nset.threads = %d\n",
            getenv("ANYDNN_TEST_PLUGINDIR"), count);
    close(file);
    setenv("ANYDNN_CONFIG", path, 1);
    must(anydnnCreateOnDevice(&handle, "cpu") == ANYDNN_STATUS_SUCCESS);
    must(anydnnDestroy(handle) == ANYDNN_STATUS_SUCCESS);
    unlink(path);
}

static void body(int process)
{
    uint64_t again[PROBLEMS];
    pthread_t thread;

    configure(threads[process]);
    run_all(results[process], "onednn");
    must(pthread_create(&thread, NULL, run_in_modes, again) == 0);
    must(pthread_join(thread, NULL) == 0);
    must(memcmp(again, results[process], sizeof again) == 0);
    run_on_one_processor(again);
    must(memcmp(again, results[process], sizeof again) == 0);
    run_in_modes(again);
    must(memcmp(again, results[process], sizeof again) == 0);
    run_in_child();
}

static void bits_stay(void **unused)
{
    char path[4096];

    (void)unused;
    snprintf(path, sizeof path, "%s/anydnn_onednn.so", getenv("ANYDNN_TEST_PLUGINDIR"));
    if (access(path, F_OK) != 0)
        skip();
    results = mmap(NULL, PROCESSES * sizeof *results, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(results != MAP_FAILED);
    for (int i = 0; i < PROCESSES; i++) {
        int status = 0;
        pid_t pid;

        fflush(NULL);
        pid = fork();
        if (pid == 0) {
            alarm(SECONDS);
            body(i);
            _exit(0);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
        for (int p = 0; p < PROBLEMS; p++) {
            if (results[i][p] != results[0][p])
                print_error("%s: other bits in %d threads than in 1\n", problems[p], threads[i]);
            assert_true(results[i][p] == results[0][p]);
        }
    }
    munmap(results, PROCESSES * sizeof *results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bits_stay)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
