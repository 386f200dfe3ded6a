/* SPDX-License-Identifier: Apache-2.0 */
/* A clock for tests that search for the fastest backend. Time passes only while a mock sleeps,
 * so other load on the machine does not count. Both functions override those of the C library in
 * the whole process, including the library and the mocks. */
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/dispatch/searches.h"

#define SECOND INT64_C(1000000000)

/* nanoseconds */
static _Atomic int64_t passed = SECOND;

int64_t search_clock(void)
{
    return atomic_load(&passed);
}

__attribute__((visibility("default"))) int nanosleep(const struct timespec *time,
                                                     struct timespec *rest)
{
    (void)rest;
    atomic_fetch_add(&passed, (int64_t)time->tv_sec * SECOND + time->tv_nsec);
    return 0;
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *now)
{
    int64_t time = atomic_load(&passed);

    if (clock != CLOCK_MONOTONIC)
        return (int)syscall(SYS_clock_gettime, clock, now);
    now->tv_sec = (time_t)(time / SECOND);
    now->tv_nsec = (long)(time % SECOND);
    return 0;
}
