/* SPDX-License-Identifier: Apache-2.0 */
/* Writes calls that are problems of anydnn as lines of a trace, which `anydnn replay` reads. A line
 * is appended by one write, so those of threads and processes are not mixed. */
#include "cudnn9/front.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cudnn9/call.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int file = -1;
static pid_t owner; /* the process that opened the file */

/* Returns the file. A child of fork() opens its own, since %p differs. */
static int open_trace(void)
{
    char path[PATH_MAX];

    if (owner == getpid())
        return file;
    owner = getpid();
    cudnn9_expand(cudnn9_settings()->trace, path, sizeof(path));
    file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    /* The number of a closed standard stream must not receive what the program prints. */
    if (file >= 0 && file <= STDERR_FILENO) {
        int low = file;

        file = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        close(low);
    }
    if (file < 0)
        fprintf(stderr, "anydnn: warning: %s: the trace of [cudnn9] cannot be written\n", path);
    return file;
}

void cudnn9_trace(const char *problem, const char *backend, const char *engine, const char *math,
                  int handle, int status)
{
    char line[CUDNN9_TEXT_BYTES + 300];
    char result[40] = "ok";
    int written;

    if (strcmp(cudnn9_settings()->trace, "off") == 0)
        return;
    if (status != CUDNN9_SUCCESS)
        snprintf(result, sizeof(result), "failed(%d)", status);
    written =
        snprintf(line, sizeof(line), "%s\t%s\t%s\t%s\t-\t%ld:%ld\t%d\t-\t%s\n", problem, backend,
                 engine, math, (long)getpid(), (long)syscall(SYS_gettid), handle, result);
    if (written < 0 || (size_t)written >= sizeof(line))
        return;
    pthread_mutex_lock(&lock);
    if (open_trace() >= 0 && write(file, line, (size_t)written) != written) {
        fprintf(stderr, "anydnn: warning: the trace of [cudnn9] ends: it cannot be written\n");
        close(file);
        file = -1;
    }
    pthread_mutex_unlock(&lock);
}
