/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the calls of each function, and writes the counters when the process exits. Without the
 * setting, calls jump past this code. */
#include "cudnn9/front.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cudnn9/call.h"

uint64_t cudnn9_count[CUDNN9_FUNCTIONS] __attribute__((aligned(64)));
void *cudnn9_onward[CUDNN9_FUNCTIONS];

/* The process that counts. A child of fork() inherits the counters and does not write them. */
static pid_t owner;

void *cudnn9_counted(size_t index, void *target)
{
    if (strcmp(cudnn9_settings()->counters, "off") == 0)
        return target;
    if (owner == 0)
        owner = getpid();
    __atomic_store_n(&cudnn9_onward[index], target, __ATOMIC_RELEASE);
    return cudnn9_counting[index];
}

__attribute__((destructor)) static void write_counters(void)
{
    static char text[CUDNN9_FUNCTIONS * 200];
    char path[PATH_MAX];
    size_t length = 0;
    int file;

    if (owner == 0 || owner != getpid())
        return;
    for (size_t i = 0; i < CUDNN9_FUNCTIONS; i++) {
        uint64_t backends, forwarded, count = __atomic_load_n(&cudnn9_count[i], __ATOMIC_RELAXED);

        cudnn9_ran(i, &backends, &forwarded);
        if (backends + forwarded > 0 && length < sizeof(text))
            length += (size_t)snprintf(text + length, sizeof(text) - length,
                                       "%s:backends\t%" PRIu64 "\n%s:forwarded\t%" PRIu64 "\n",
                                       cudnn9_functions[i].name, backends, cudnn9_functions[i].name,
                                       forwarded);
        if (count > 0 && length < sizeof(text))
            length += (size_t)snprintf(text + length, sizeof(text) - length, "%s\t%" PRIu64 "\n",
                                       cudnn9_functions[i].name, count);
    }
    cudnn9_expand(cudnn9_settings()->counters, path, sizeof(path));
    file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0 || write(file, text, length) != (ssize_t)length)
        fprintf(stderr, "anydnn: warning: %s: the counters of [cudnn9] cannot be written\n", path);
    if (file >= 0)
        close(file);
}
