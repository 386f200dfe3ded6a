/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the milliseconds of the first anydnnCreate of a process: settings, backends, one
 * handle. */
#include <anydnn/anydnn.h>
#include <stdio.h>
#include <time.h>

int main(void)
{
    struct timespec begin, end;
    anydnnHandle_t handle;
    char text[1024];

    clock_gettime(CLOCK_MONOTONIC, &begin);
    if (anydnnCreate(&handle) != ANYDNN_STATUS_SUCCESS) {
        anydnnGetLastErrorString(text, sizeof(text));
        fprintf(stderr, "create_time: %s\n", text);
        return 1;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.3f\n",
           (double)(end.tv_sec - begin.tv_sec) * 1e3 + (double)(end.tv_nsec - begin.tv_nsec) / 1e6);
    anydnnDestroy(handle);
    return 0;
}
