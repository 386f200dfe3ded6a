/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the backend onednn in a process: a missing library, threads, changing alpha and beta of one
 * plan, concurrent handles, fork. Each case has its own process, because a process reads its
 * settings and opens the library once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <anydnn/anydnn.h>

#include "tests/must.h"

#define HANDLES 4
#define ROUNDS  20
#define SECONDS 60

/* y has 3 * 5 * 6 elements in each of 2 images. Small whole numbers make every sum exact. */
#define CONVOLUTION "convolution_forward x=f32:2,4,7,8 w=f32:3,4,3,3 y=f32:2,3,5,6"
#define POOLING     "pooling_forward x=f32:2,4,7,8 window=2,2 stride=1,1"
enum { X_COUNT = 2 * 4 * 7 * 8, W_COUNT = 3 * 4 * 9, Y_COUNT = 2 * 3 * 5 * 6 };

static char folder[] = "/tmp/anydnn-onednn-XXXXXX";

static const char *path_of(const char *file)
{
    static char path[sizeof folder + 64];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return path;
}

/* Writes settings for the rest of the process; `keys` are lines of [plugin onednn]. */
static void configure(const char *keys)
{
    FILE *file = fopen(path_of("anydnn.conf"), "w");

    must(file);
    fprintf(
        file,
        "[anydnn]\ndevice = cpu\nplugin_path = %s\nlog = warn\nlog_file = %s\n"
        "[plugin onednn]\n%s\n[plugin cpu_ref]\nset.threads = 1\n[route]\n* = onednn, cpu_ref\n",
        getenv("ANYDNN_TEST_PLUGINDIR"), path_of("log"), keys);
    fclose(file);
    unlink(path_of("log"));
    setenv("ANYDNN_CONFIG", path_of("anydnn.conf"), 1);
}

/* Returns the number of lines of the log that contain the text. */
static int log_lines(const char *text)
{
    FILE *file = fopen(path_of("log"), "r");
    char line[2000];
    int lines = 0;

    while (file && fgets(line, sizeof line, file))
        lines += strstr(line, text) != NULL;
    if (file)
        fclose(file);
    return lines;
}

static anydnnHandle_t make_handle(const char *route)
{
    anydnnHandle_t handle = NULL;

    must(anydnnCreate(&handle) == ANYDNN_STATUS_SUCCESS);
    if (route)
        must(anydnnSetRoute(handle, "*", NULL, route) == ANYDNN_STATUS_SUCCESS);
    return handle;
}

static const char *record(anydnnHandle_t handle, const char *key)
{
    static _Thread_local char text[2000];

    must(anydnnGetDispatchInfo(handle, key, text, sizeof text) == ANYDNN_STATUS_SUCCESS);
    return text;
}

struct data {
    float x[X_COUNT], w[W_COUNT], y[Y_COUNT > X_COUNT ? Y_COUNT : X_COUNT];
};

static void fill(struct data *data, int seed)
{
    for (int i = 0; i < X_COUNT; i++)
        data->x[i] = (float)((i * 7 + seed) % 11 - 5);
    for (int i = 0; i < W_COUNT; i++)
        data->w[i] = (float)((i * 5 + 3 * seed) % 7 - 3);
    for (size_t i = 0; i < sizeof data->y / sizeof data->y[0]; i++)
        data->y[i] = (float)(((int)i * 3 + seed) % 13 - 6);
}

static void run(anydnnHandle_t handle, const char *text, struct data *data)
{
    void *pooling[] = {data->x, data->y};
    void *convolution[] = {data->x, data->w, data->y};
    anydnnProblem_t problem = NULL;
    int convolves = strncmp(text, "convolution", 11) == 0;

    must(anydnnProblemParse(text, &problem) == ANYDNN_STATUS_SUCCESS);
    must(anydnnProblemExecute(handle, problem, convolves ? convolution : pooling, NULL, 0) ==
         ANYDNN_STATUS_SUCCESS);
    must(anydnnProblemDestroy(problem) == ANYDNN_STATUS_SUCCESS);
}

/* Runs the same on cpu_ref. */
static void run_reference(const char *text, struct data *data)
{
    anydnnHandle_t handle = make_handle("cpu_ref");

    run(handle, text, data);
    must(strcmp(record(handle, "backend"), "cpu_ref") == 0);
    must(anydnnDestroy(handle) == ANYDNN_STATUS_SUCCESS);
}

/* ---- the library */

/* Checks two handles with problems of two kinds: cpu_ref runs them, the record gives the reason,
 * and there is one warning. */
static void goes_on_without(const char *sentence)
{
    struct data data, want;
    anydnnHandle_t handles[2] = {make_handle(NULL), make_handle(NULL)};

    for (int i = 0; i < 2; i++) {
        fill(&data, i);
        want = data;
        run(handles[i], CONVOLUTION, &data);
        must(strcmp(record(handles[i], "backend"), "cpu_ref") == 0);
        must(strstr(record(handles[i], "passed_over"), sentence));
        run_reference(CONVOLUTION, &want);
        must(memcmp(data.y, want.y, sizeof data.y) == 0);
        run(handles[i], POOLING, &data);
        must(strcmp(record(handles[i], "backend"), "cpu_ref") == 0);
    }
    must(log_lines(sentence) == 1);
    must(log_lines("") == 1);
    for (int i = 0; i < 2; i++)
        must(anydnnDestroy(handles[i]) == ANYDNN_STATUS_SUCCESS);
}

static void without_library(void)
{
    configure("set.library = /nonexistent/libdnnl.so");
    goes_on_without("cannot load oneDNN's library: /nonexistent/libdnnl.so");
}

static void another_library(void)
{
    configure("set.library = libm.so.6");
    goes_on_without("libm.so.6 is not the library of oneDNN");
}

/* ---- threads */

/* ThreadSanitizer has its own threads, so the number of threads is not significant. */
#ifdef __SANITIZE_THREAD__
enum { THREADS_TELL = 0 };
#else
enum { THREADS_TELL = 1 };
#endif

static int threads_of_process(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;

    while (tasks && readdir(tasks))
        count++;
    if (tasks)
        closedir(tasks);
    return count - 2;
}

/* Runs a problem with enough work for a few threads. */
static void run_large(void)
{
    static float x[64 * 64 * 64], w[64 * 64 * 9], y[64 * 64 * 64];
    anydnnHandle_t handle = make_handle(NULL);
    anydnnProblem_t problem = NULL;

    must(anydnnProblemParse("convolution_forward x=f32:1,64,64,64 w=f32:64,64,3,3 pad=1,1",
                            &problem) == ANYDNN_STATUS_SUCCESS);
    must(anydnnProblemExecute(handle, problem, (void *[]){x, w, y}, NULL, 0) ==
         ANYDNN_STATUS_SUCCESS);
    must(strcmp(record(handle, "backend"), "onednn") == 0);
    must(anydnnProblemDestroy(problem) == ANYDNN_STATUS_SUCCESS);
    must(anydnnDestroy(handle) == ANYDNN_STATUS_SUCCESS);
}

static void one_thread(void)
{
    configure("set.threads = 1");
    run_large();
    must(!THREADS_TELL || threads_of_process() == 1);
}

/* Checks that a small problem runs in the calling thread, for any number of threads. */
static void small_alone(void)
{
    anydnnHandle_t handle;
    struct data data;

    configure("set.threads = 3");
    handle = make_handle(NULL);
    fill(&data, 1);
    run(handle, CONVOLUTION, &data);
    must(strcmp(record(handle, "backend"), "onednn") == 0);
    must(!THREADS_TELL || threads_of_process() == 1);
    run_large();
    must(!THREADS_TELL || threads_of_process() == 3);
    must(anydnnDestroy(handle) == ANYDNN_STATUS_SUCCESS);
}

/* Checks that three threads are used, regardless of the caller's OpenMP setting, which must not
 * change. */
static void three_threads(void)
{
    void (*set)(int) = NULL;
    int (*get)(void) = NULL;
    void *openmp = dlopen("libgomp.so.1", RTLD_NOW), *symbol;

    configure("set.threads = 3");
    if (openmp) {
        symbol = dlsym(openmp, "omp_set_num_threads");
        memcpy(&set, &symbol, sizeof set);
        symbol = dlsym(openmp, "omp_get_max_threads");
        memcpy(&get, &symbol, sizeof get);
        set(5);
    }
    run_large();
    must(!openmp || get() == 5);
    must(!THREADS_TELL || !openmp || threads_of_process() == 3);
}

static void bad_threads(void)
{
    struct data data;
    anydnnHandle_t handle;

    configure("set.threads = many");
    handle = make_handle(NULL);
    fill(&data, 1);
    run(handle, CONVOLUTION, &data);
    must(strcmp(record(handle, "backend"), "cpu_ref") == 0);
    must(strstr(record(handle, "passed_over"), "set.threads is \"many\""));
    must(anydnnDestroy(handle) == ANYDNN_STATUS_SUCCESS);
}

/* ---- long sums */

enum { LONG_IMAGES = 8, LONG_CHANNELS = 2, LONG_PLACES = 112 * 112 };
enum { LONG_COUNT = LONG_IMAGES * LONG_CHANNELS * LONG_PLACES };

/* Checks the saved mean and 1 / sqrt(variance + epsilon) of numbers from 1 to 2. Sums in double
 * that are rounded once are within one part in 2^23 of the true values; float sums of 100,352 terms
 * are not. */
static void check_statistics(const char *layout, int64_t image, int64_t channel, int64_t place)
{
    static float x[LONG_COUNT], y[LONG_COUNT];
    float scale[LONG_CHANNELS] = {1, 1}, bias[LONG_CHANNELS] = {0};
    float mean[LONG_CHANNELS], inverse[LONG_CHANNELS];
    anydnnHandle_t handle = make_handle(NULL);
    anydnnProblem_t problem = NULL;
    char text[200];
    uint32_t state = 1;

    for (int i = 0; i < LONG_COUNT; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] = 1 + (float)(state >> 9) * 0x1p-23f;
    }
    snprintf(text, sizeof text,
             "batch_normalization_training x=f32:%d,%d,112,112:%s save_mean=f32:1,2,1,1 "
             "save_inv_var=f32:1,2,1,1 mode=spatial epsilon=0.001",
             LONG_IMAGES, LONG_CHANNELS, layout);
    must(anydnnProblemParse(text, &problem) == ANYDNN_STATUS_SUCCESS);
    must(anydnnProblemExecute(handle, problem, (void *[]){x, scale, bias, y, mean, inverse}, NULL,
                              0) == ANYDNN_STATUS_SUCCESS);
    must(strcmp(record(handle, "backend"), "onednn") == 0);
    for (int c = 0; c < LONG_CHANNELS; c++) {
        double sum = 0, square = 0, count = LONG_IMAGES * LONG_PLACES;

        for (int n = 0; n < LONG_IMAGES; n++)
            for (int i = 0; i < LONG_PLACES; i++)
                sum += (double)x[n * image + c * channel + i * place];
        for (int n = 0; n < LONG_IMAGES; n++)
            for (int i = 0; i < LONG_PLACES; i++) {
                double rest = (double)x[n * image + c * channel + i * place] - sum / count;
                square += rest * rest;
            }
        must(fabs((double)mean[c] / (sum / count) - 1) < 0x1p-23);
        must(fabs((double)inverse[c] * sqrt(square / count + 0.001) - 1) < 0x1p-23);
    }
    must(anydnnProblemDestroy(problem) == ANYDNN_STATUS_SUCCESS);
    must(anydnnDestroy(handle) == ANYDNN_STATUS_SUCCESS);
}

static void long_statistics(void)
{
    configure("set.threads = 1");
    check_statistics("nchw", LONG_CHANNELS * LONG_PLACES, LONG_PLACES, 1);
    check_statistics("nhwc", LONG_CHANNELS * LONG_PLACES, 1, LONG_CHANNELS);
}

/* ---- one plan */

/* Checks alternating factors, and filters that change under the same pointer. */
static void factors_take_turns(void)
{
    static const char *const factors[] = {"",          " alpha=2 beta=1", "", " beta=-1",
                                          " alpha=-3", " alpha=0 beta=2", ""};
    static struct data data;
    struct data want;
    char text[200];
    anydnnHandle_t handle;

    configure("");
    handle = make_handle(NULL);
    for (int i = 0; i < (int)(sizeof factors / sizeof factors[0]); i++) {
        snprintf(text, sizeof text, "%s%s", CONVOLUTION, factors[i]);
        fill(&data, i);
        if (!strstr(factors[i], "beta"))
            for (int k = 0; k < Y_COUNT; k++)
                data.y[k] = NAN;
        want = data;
        run(handle, text, &data);
        must(strcmp(record(handle, "backend"), "onednn") == 0);
        run_reference(text, &want);
        for (int k = 0; k < Y_COUNT; k++)
            must(data.y[k] == want.y[k]);
    }
    must(strcmp(record(handle, "plan_misses"), "1") == 0);
    must(anydnnDestroy(handle) == ANYDNN_STATUS_SUCCESS);
}

/* Checks that a ReLU that does not propagate NaN makes it 0, even in a matrix product (1x1,
 * channels first). */
static void relu_ends_nan(void)
{
    static const char *const texts[] = {
        "convolution_bias_activation_forward x=f32:1,4,7,8 w=f32:3,4,1,1 without=z",
        "convolution_bias_activation_forward x=f32:1,4,7,8 w=f32:3,4,3,3 without=z",
    };
    static float y[3 * 7 * 8];
    float bias[3] = {0, 1, 2};
    struct data data;

    configure("");
    for (int i = 0; i < 2; i++) {
        anydnnHandle_t handle = make_handle(NULL);
        anydnnProblem_t problem = NULL;

        fill(&data, i);
        data.x[30] = NAN;
        must(anydnnProblemParse(texts[i], &problem) == ANYDNN_STATUS_SUCCESS);
        must(anydnnProblemExecute(handle, problem, (void *[]){data.x, data.w, bias, y}, NULL, 0) ==
             ANYDNN_STATUS_SUCCESS);
        must(strcmp(record(handle, "backend"), "onednn") == 0);
        for (int k = 0; k < 3 * 7 * 8; k++)
            must(!isnan(y[k]));
        must(anydnnProblemDestroy(problem) == ANYDNN_STATUS_SUCCESS);
        must(anydnnDestroy(handle) == ANYDNN_STATUS_SUCCESS);
    }
}

/* ---- LRN */

static void run_lrn(anydnnHandle_t handle, const char *operation, int n, const char *layout)
{
    float x[5] = {1, 2, 3, 4, 5}, y[5] = {1, 1, 1, 1, 1}, dx[5];
    int backward = strcmp(operation, "lrn_backward") == 0;
    anydnnProblem_t problem = NULL;
    char text[300];

    if (backward)
        snprintf(text, sizeof text,
                 "lrn_backward y=f32:1,5,1,1:%s dy=f32:1,5,1,1:%s x=f32:1,5,1,1:%s n=%d", layout,
                 layout, layout, n);
    else
        snprintf(text, sizeof text, "lrn_forward x=f32:1,5,1,1:%s n=%d", layout, n);
    must(anydnnProblemParse(text, &problem) == ANYDNN_STATUS_SUCCESS);
    must(anydnnProblemExecute(handle, problem,
                              backward ? (void *[]){y, y, x, dx} : (void *[]){x, dx}, NULL,
                              0) == ANYDNN_STATUS_SUCCESS);
    must(strcmp(record(handle, "backend"), "onednn") == 0);
    must(anydnnProblemDestroy(problem) == ANYDNN_STATUS_SUCCESS);
}

/* Returns the number of LRN primitives that oneDNN reports as executed. */
static int lines_of_lrn(void)
{
    FILE *file = fopen(path_of("said"), "r");
    char line[2000];
    int lines = 0;

    must(file);
    while (fgets(line, sizeof line, file))
        lines += strstr(line, ",exec,") && strstr(line, ",lrn,");
    fclose(file);
    return lines;
}

/* Checks that the backend computes windows of one channel itself. oneDNN 2.6 can crash on them if
 * the processor has AVX-512 and the channels lie last. */
static void window_of_one_channel(void)
{
    static const char *const layouts[] = {"nchw", "nhwc"};
    anydnnHandle_t handle;

    configure("");
    setenv("DNNL_VERBOSE", "1", 1);
    setenv("ONEDNN_VERBOSE", "1", 1);
    must(freopen(path_of("said"), "w", stdout));
    handle = make_handle(NULL);
    for (int i = 0; i < 2; i++) {
        run_lrn(handle, "lrn_forward", 1, layouts[i]);
        run_lrn(handle, "lrn_backward", 1, layouts[i]);
    }
    fflush(stdout);
    must(lines_of_lrn() == 0);
    run_lrn(handle, "lrn_forward", 3, "nchw");
    fflush(stdout);
    must(lines_of_lrn() > 0);
    must(anydnnDestroy(handle) == ANYDNN_STATUS_SUCCESS);
}

/* ---- concurrent handles */

struct work {
    int seed;
    struct data want[2];
};

static const char *const turns[2] = {CONVOLUTION, CONVOLUTION " pad=0,0 alpha=2 beta=1"};

static void *work(void *cookie)
{
    const struct work *work = cookie;
    anydnnHandle_t handle = make_handle(NULL);
    struct data data;

    for (int round = 0; round < ROUNDS; round++) {
        int turn = (round + work->seed) % 2;

        fill(&data, work->seed);
        run(handle, turns[turn], &data);
        must(strcmp(record(handle, "backend"), "onednn") == 0);
        for (int k = 0; k < Y_COUNT; k++)
            must(data.y[k] == work->want[turn].y[k]);
    }
    must(anydnnDestroy(handle) == ANYDNN_STATUS_SUCCESS);
    return NULL;
}

static void handles_at_once(void)
{
    static struct work works[HANDLES];
    pthread_t threads[HANDLES];

    configure("set.threads = 2");
    for (int i = 0; i < HANDLES; i++) {
        works[i].seed = i;
        for (int turn = 0; turn < 2; turn++) {
            fill(&works[i].want[turn], i);
            run_reference(turns[turn], &works[i].want[turn]);
        }
    }
    for (int i = 0; i < HANDLES; i++)
        must(pthread_create(&threads[i], NULL, work, &works[i]) == 0);
    for (int i = 0; i < HANDLES; i++)
        must(pthread_join(threads[i], NULL) == 0);
}

/* ---- fork */

/* Checks a handle in the child: the parent's OpenMP threads do not exist there, so cpu_ref runs. */
static void run_in_child(void)
{
    struct data data;
    anydnnHandle_t handle = make_handle(NULL);

    fill(&data, 1);
    run(handle, CONVOLUTION, &data);
    must(strcmp(record(handle, "backend"), "cpu_ref") == 0);
    must(strstr(record(handle, "passed_over"), "before fork()"));
    must(anydnnDestroy(handle) == ANYDNN_STATUS_SUCCESS);
}

static void child_goes_on(void)
{
    configure("set.threads = 2");
    run_large();
    must(must_child(run_in_child, SECONDS) == 0);
    run_large();
}

/* ---- the table */

static void runs(void **state)
{
    assert_int_equal(must_child((void (*)(void))(uintptr_t)*state, SECONDS), 0);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path_of("anydnn.conf"));
    unlink(path_of("log"));
    unlink(path_of("said"));
    return rmdir(folder);
}

#define CASE(body)                                                                                 \
    {                                                                                              \
#body, runs, NULL, NULL, (void *)(uintptr_t)(body)                                         \
    }

/* ---- modes of OpenMP's threads */

#ifdef __x86_64__
static unsigned control_of_threads[3];
static int (*thread_number)(void);

static void flush_to_zero(void *unused)
{
    (void)unused;
    __builtin_ia32_ldmxcsr(0x9fc0);
}

static void note_control(void *unused)
{
    (void)unused;
    control_of_threads[thread_number()] = __builtin_ia32_stmxcsr() & 0xffc0U;
}

/* Checks modes with 2^18 elements in each of x and y, too many for one thread; the products are
 * denormal. */
static void threads_that_flush(void)
{
    enum { COUNT = 4 * 64 * 32 * 32 };
    static float x[COUNT], w[64], y[COUNT];
    void (*parallel)(void (*)(void *), void *, unsigned, unsigned) = NULL;
    void *openmp = dlopen("libgomp.so.1", RTLD_NOW), *symbol = NULL;
    anydnnProblem_t problem = NULL;
    anydnnHandle_t handle;

    /* valgrind lacks such modes: it does not return the bits that were set. */
    flush_to_zero(NULL);
    if (!openmp || (__builtin_ia32_stmxcsr() & 0xffc0U) != 0x9fc0)
        return;
    __builtin_ia32_ldmxcsr(0x1f80);
    symbol = dlsym(openmp, "GOMP_parallel");
    memcpy(&parallel, &symbol, sizeof parallel);
    symbol = dlsym(openmp, "omp_get_thread_num");
    memcpy(&thread_number, &symbol, sizeof thread_number);
    parallel(flush_to_zero, NULL, 3, 0);
    configure("set.threads = 3");
    handle = make_handle(NULL);
    for (int i = 0; i < COUNT; i++)
        x[i] = 1e-30F;
    for (int i = 0; i < 64; i++)
        w[i] = 1e-10F;
    must(anydnnProblemParse("convolution_forward x=f32:4,64,32,32 w=f32:64,1,1,1 groups=64",
                            &problem) == ANYDNN_STATUS_SUCCESS);
    must(anydnnProblemExecute(handle, problem, (void *[]){x, w, y}, NULL, 0) ==
         ANYDNN_STATUS_SUCCESS);
    must(strcmp(record(handle, "backend"), "onednn") == 0);
    parallel(note_control, NULL, 3, 0);
    __builtin_ia32_ldmxcsr(0x1f80);
    for (int i = 0; i < COUNT; i++)
        must(y[i] > 0);
    for (int i = 0; i < 3; i++)
        must(control_of_threads[i] == 0x9fc0);
    must(anydnnProblemDestroy(problem) == ANYDNN_STATUS_SUCCESS);
    must(anydnnDestroy(handle) == ANYDNN_STATUS_SUCCESS);
}
#else
static void threads_that_flush(void)
{
}
#endif

/* Returns 1 if libgomp reports at load that it spins for a short time, 0 if not, and -1 if it
 * reports nothing. */
static int spins_shortly(void)
{
    FILE *file;
    char line[200];
    int found = -1;

    must(setenv("OMP_DISPLAY_ENV", "verbose", 1) == 0);
    must(freopen(path_of("stderr"), "w", stderr));
    configure("set.threads = 2");
    run_large();
    fflush(stderr);
    file = fopen(path_of("stderr"), "r");
    must(file);
    while (fgets(line, sizeof line, file))
        if (strstr(line, "GOMP_SPINCOUNT"))
            found = strstr(line, "'1000'") != NULL;
    fclose(file);
    unlink(path_of("stderr"));
    return found;
}

/* Checks that threads spin only briefly, because long spinning slows a busy machine.
 * ThreadSanitizer's own thread prevents the backend from setting the environment. */
static void short_waits(void)
{
    unsetenv("OMP_WAIT_POLICY");
    unsetenv("GOMP_SPINCOUNT");
    must(!THREADS_TELL || spins_shortly() != 0);
    must(!getenv("GOMP_SPINCOUNT"));
}

static void waits_as_told(void)
{
    unsetenv("GOMP_SPINCOUNT");
    must(setenv("OMP_WAIT_POLICY", "active", 1) == 0);
    must(spins_shortly() != 1);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        CASE(without_library),       CASE(another_library), CASE(one_thread),
        CASE(three_threads),         CASE(bad_threads),     CASE(factors_take_turns),
        CASE(relu_ends_nan),         CASE(handles_at_once), CASE(child_goes_on),
        CASE(window_of_one_channel), CASE(small_alone),     CASE(long_statistics),
        CASE(short_waits),           CASE(waits_as_told),   CASE(threads_that_flush),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
