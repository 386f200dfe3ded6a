/* SPDX-License-Identifier: Apache-2.0 */
/* The time that runs of the test backends take, at once or at each replay of their recording. */
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "mock.h"

_Atomic long mock_recorded = -1;

void mock_sleep(long microseconds)
{
    struct timespec time = {.tv_sec = microseconds / 1000000,
                            .tv_nsec = microseconds % 1000000 * 1000};

    if (microseconds > 0)
        nanosleep(&time, NULL);
}

/* Returns the microseconds that a setting gives for an engine. */
static long told(const char *key, uint64_t engine)
{
    char part[32];

    return mock_part(mock_setting(key), '/', (int)engine - 1, 1, part, sizeof(part))
               ? strtol(part, NULL, 0)
               : 0;
}

void mock_run(uint64_t engine)
{
    long run = told("sleep_us", engine), launch = told("launch_us", engine);

    if (mock_recorded >= 0)
        mock_recorded += run;
    else
        launch += run;
    mock_sleep(launch);
}
