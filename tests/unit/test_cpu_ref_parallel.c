/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the parallel loops of cpu_ref in a program that limits its threads to several counts. */
#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "plugins/cpu_ref/cpu_ref.h"

#define THREADS 3
#define ITEMS   1000
#define ROUNDS  1000

static uint64_t host_fork_number(void)
{
    return 0;
}

static const struct anydnn_plugin_host host = {.fork_number = host_fork_number};
const struct anydnn_plugin_host *kit_host = &host;

/* The limit of the calling thread, as that of omp_set_num_threads. */
static _Thread_local int32_t limit;

int32_t kit_threads_now(int32_t count)
{
    return limit < count ? limit : count;
}

int32_t kit_setting_threads(int32_t most, int32_t *threads)
{
    *threads = most < 8 ? most : 8;
    return 0;
}

static void add(void *arg, int64_t begin, int64_t end)
{
    _Atomic int64_t *sum = arg;

    for (int64_t i = begin; i < end; i++)
        *sum += i;
}

static void *run_loops(void *arg)
{
    int64_t wrong = 0;

    limit = *(const int32_t *)arg;
    for (int i = 0; i < ROUNDS; i++) {
        _Atomic int64_t sum = 0;

        cpu_ref_parallel(ITEMS, ITEMS, add, &sum);
        wrong += sum != (int64_t)ITEMS * (ITEMS - 1) / 2;
    }
    return wrong ? arg : NULL;
}

/* Returns the number of threads of the process. */
static int threads_now(void)
{
    DIR *folder = opendir("/proc/self/task");
    const struct dirent *entry;
    int count = 0;

    assert_non_null(folder);
    while ((entry = readdir(folder)))
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static void each_limit_has_one_pool(void **state)
{
    int32_t limits[THREADS] = {2, 3, 4};
    /* A sanitizer may start a thread of its own. */
    int most = threads_now() + 1;
    pthread_t thread[THREADS];
    void *wrong;

    (void)state;
    assert_int_equal(cpu_ref_parallel_configure(), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_loops, &limits[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(thread[i], &wrong), 0);
        assert_null(wrong);
        most += limits[i] - 1;
    }
    /* The kernel may list a thread for a moment after it was joined. */
    for (int i = 0; i < 1000 && threads_now() > most; i++)
        usleep(1000);
    assert_in_range(threads_now(), 1, most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_limit_has_one_pool)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
