/* SPDX-License-Identifier: Apache-2.0 */
/* Manages a trace's file: writes only to a regular file of the user's, keeps it below a size, and
 * stops at the first failure. */
#include "trace/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sys/env.h"
#include "sys/error.h"
#include "sys/files.h"
#include "sys/log.h"
#include "sys/process.h"

/* Milliseconds that a rotation waits at most for another process, and between two tries. */
#define WAIT      2000
#define WAIT_STEP 10

#define HEADER                                                                                     \
    "# anydnn trace 1: problem, backend, engine, math, microseconds, process:thread, handle, "     \
    "dump, answer\n"

struct adn_trace_file {
    struct adn_trace_file *next;
    char *pattern;
    uint64_t size;
    int32_t keep;
    int fd; /* constant; a rotation makes it refer to another file */
    _Atomic uint64_t fork_number;
    _Atomic int stopped;
};

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static struct adn_trace_file *files;

/* ---- opening */

static int refuse(const char *path, const char *why)
{
    adn_warn("[trace] file = %s: %s; tracing is off", path, why);
    return -1;
}

/* Checks for a regular file of this user's that others cannot read. */
static int check(const char *path, int fd)
{
    struct stat status;
    char why[80];

    if (fstat(fd, &status) != 0)
        return refuse(path, strerror(errno));
    if (!S_ISREG(status.st_mode)) {
        snprintf(why, sizeof(why), "is %s, not a regular file", adn_file_kind(status.st_mode));
        return refuse(path, why);
    }
    if (status.st_uid != geteuid())
        return refuse(path, "belongs to another user");
    if (status.st_nlink > 1)
        return refuse(path, "has a second hard link, which may not be a trace");
    if ((status.st_mode & 077) != 0 && fchmod(fd, 0600) != 0)
        return refuse(path, strerror(errno));
    return 0;
}

/* Ends a line that was cut by a full disk or a crash, so that the next one is whole. */
static void end_last_line(int fd)
{
    struct stat status;
    char last = '\n';

    if (fstat(fd, &status) != 0)
        return;
    if (status.st_size > 0 && pread(fd, &last, 1, status.st_size - 1) == 1 && last != '\n')
        (void)!adn_file_write(fd, "\n", 1, 1);
    if (status.st_size == 0)
        (void)!adn_file_write(fd, HEADER, sizeof(HEADER) - 1, 1);
}

static int open_path(const char *path)
{
    struct stat status;
    int fd;

    /* Opening a device may act on it. */
    if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        char why[80];

        snprintf(why, sizeof(why), "is %s, not a regular file", adn_file_kind(status.st_mode));
        return refuse(path, why);
    }
    fd = adn_file_above_standard(open(
        path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600));
    if (fd < 0)
        return refuse(path, strerror(errno));
    if (check(path, fd) != 0) {
        close(fd);
        return -1;
    }
    end_last_line(fd);
    return fd;
}

static int open_pattern(const struct adn_trace_file *file)
{
    char path[PATH_MAX];

    if (adn_file_of_process(file->pattern, path, sizeof(path)) != 0)
        return refuse(file->pattern, strerror(errno));
    return open_path(path);
}

/* Opens what the pattern names now, under the existing number. */
static int reopen(struct adn_trace_file *file)
{
    int fd = open_pattern(file);
    int result = fd < 0 ? -1 : dup3(fd, file->fd, O_CLOEXEC);

    if (fd >= 0)
        close(fd);
    file->stopped |= result < 0;
    return result < 0 ? -1 : 0;
}

static struct adn_trace_file *file_new(const char *pattern, uint64_t size, int32_t keep)
{
    struct adn_trace_file *file = calloc(1, sizeof(*file));

    if (file)
        file->pattern = strdup(pattern);
    if (!file || !file->pattern) {
        free(file);
        adn_shortage(ENOMEM);
        return NULL;
    }
    file->size = size;
    file->keep = keep;
    file->fork_number = adn_process_fork_number;
    file->fd = open_pattern(file);
    file->stopped = file->fd < 0;
    return file;
}

static void watch(void)
{
    adn_process_fork_waits(&lock);
}

struct adn_trace_file *adn_trace_file_get(const char *pattern, uint64_t size, int32_t keep)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct adn_trace_file *file;

    if (adn_env_privileged())
        return NULL;
    pthread_once(&once, watch);
    pthread_mutex_lock(&lock);
    for (file = files; file && strcmp(file->pattern, pattern) != 0;)
        file = file->next;
    if (!file && (file = file_new(pattern, size, keep)) != NULL) {
        file->next = files;
        files = file;
    }
    pthread_mutex_unlock(&lock);
    return file && !file->stopped ? file : NULL;
}

/* ---- writing */

static void stop(struct adn_trace_file *file, const char *why)
{
    if (!atomic_exchange(&file->stopped, 1))
        adn_warn("[trace] file = %s: cannot be written: %s; tracing stops", file->pattern, why);
}

/* Renames "calls", "calls.1", ... each to the next one. */
static void push(const struct adn_trace_file *file, const char *path)
{
    char from[PATH_MAX + 16];
    char to[PATH_MAX + 16];

    if (file->keep == 0)
        unlink(path);
    for (int32_t i = file->keep; i > 0; i--) {
        snprintf(from, sizeof(from), i > 1 ? "%s.%d" : "%s", path, (int)i - 1);
        snprintf(to, sizeof(to), "%s.%d", path, (int)i);
        rename(from, to);
    }
}

/* Returns 1 if a trace may take that path: nothing is there, or a trace of this user. */
static int may_replace(const char *path)
{
    static const char begin[] = "# anydnn trace ";
    char head[sizeof(begin) - 1];
    struct stat status;
    ssize_t length;
    int fd;

    if (lstat(path, &status) != 0)
        return errno == ENOENT;
    if (!S_ISREG(status.st_mode) || status.st_uid != geteuid())
        return 0;
    fd = adn_file_above_standard(open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    length = fd < 0 ? -1 : pread(fd, head, sizeof(head), 0);
    if (fd >= 0)
        close(fd);
    return length == 0 ||
           (length == (ssize_t)sizeof(head) && memcmp(head, begin, sizeof(head)) == 0);
}

/* Returns the number of an older part that push() must not replace, or 0. */
static int32_t foreign_part(const struct adn_trace_file *file, const char *path)
{
    char to[PATH_MAX + 16];

    for (int32_t i = 1; i <= file->keep; i++) {
        snprintf(to, sizeof(to), "%s.%d", path, (int)i);
        if (!may_replace(to))
            return i;
    }
    return 0;
}

static int set_lock(int fd, short type)
{
    struct flock whole = {.l_type = type, .l_whence = SEEK_SET};

    return fcntl(fd, F_SETLK, &whole);
}

/* Locks the file against other processes. Returns 0 if one of them holds the lock for too long. A
 * file system without locks is used without them. */
static int lock_file(int fd)
{
    const struct timespec pause = {.tv_nsec = WAIT_STEP * 1000000L};
    int waited = 0;

    while (set_lock(fd, F_WRLCK) != 0 && (errno == EAGAIN || errno == EACCES)) {
        if (waited >= WAIT)
            return 0;
        nanosleep(&pause, NULL);
        waited += WAIT_STEP;
    }
    return 1;
}

/* Renames a file that is too large, unless another process has done so, and opens a new one.
 * Returns 0, or the number of an older part that it must not replace. */
static int32_t push_on(struct adn_trace_file *file, uint64_t length)
{
    struct stat ours, there;
    char path[PATH_MAX];
    int32_t foreign = 0;

    if (adn_file_of_process(file->pattern, path, sizeof(path)) != 0 ||
        fstat(file->fd, &ours) != 0 || (uint64_t)ours.st_size + length <= file->size)
        return 0;
    if (stat(path, &there) == 0 && there.st_ino == ours.st_ino && there.st_dev == ours.st_dev) {
        foreign = foreign_part(file, path);
        if (foreign != 0)
            return foreign;
        push(file, path);
    }
    reopen(file);
    return 0;
}

static void rotate(struct adn_trace_file *file, uint64_t length)
{
    int32_t foreign = 0;
    char why[100] = "";

    pthread_mutex_lock(&lock);
    if (!file->stopped && lock_file(file->fd)) {
        foreign = push_on(file, length);
        /* Closing the old file has unlocked it; one that stays open would remain locked. */
        set_lock(file->fd, F_UNLCK);
    } else if (!file->stopped) {
        snprintf(why, sizeof(why), "another process has held its lock for %d seconds", WAIT / 1000);
    }
    pthread_mutex_unlock(&lock);
    if (foreign != 0)
        snprintf(why, sizeof(why), "the file of this name with .%d is not a trace of this user",
                 (int)foreign);
    if (why[0] != '\0')
        stop(file, why);
}

/* Returns 1 if the line fits the file: the signal of a file that grows too large must not reach the
 * application. */
static int fits(struct adn_trace_file *file, size_t length)
{
    struct rlimit limit;
    struct stat status;

    if (fstat(file->fd, &status) != 0)
        return 1;
    if ((uint64_t)status.st_size + length > file->size && (size_t)status.st_size > sizeof(HEADER)) {
        rotate(file, length);
        if (file->stopped || fstat(file->fd, &status) != 0)
            return 0;
    }
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        (uint64_t)status.st_size + length <= limit.rlim_cur)
        return 1;
    stop(file, strerror(EFBIG));
    return 0;
}

/* Gives a child a file of its own if the pattern holds its number. */
static void follow_fork(struct adn_trace_file *file)
{
    pthread_mutex_lock(&lock);
    if (file->fork_number != adn_process_fork_number) {
        file->fork_number = adn_process_fork_number;
        if (strstr(file->pattern, "%p"))
            reopen(file);
    }
    pthread_mutex_unlock(&lock);
}

void adn_trace_file_add(struct adn_trace_file *file, const char *line, size_t length)
{
    int before = errno;
    ssize_t wrote;

    if (file->fork_number != adn_process_fork_number)
        follow_fork(file);
    if (file->stopped || !fits(file, length)) {
        errno = before;
        return;
    }
    do
        wrote = adn_file_write(file->fd, line, length, 1);
    while (wrote < 0 && errno == EINTR);
    if (wrote != (ssize_t)length)
        stop(file, wrote < 0 ? strerror(errno) : strerror(ENOSPC));
    errno = before;
}
