/* SPDX-License-Identifier: Apache-2.0 */
/* Opening the files that a user names, of the kinds that can be read to an end. */
#include "sys/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

const char *adn_file_kind(mode_t mode)
{
    static const struct {
        mode_t type;
        const char *name;
    } kinds[] = {
        {S_IFREG, "a regular file"}, {S_IFDIR, "a folder"},
        {S_IFIFO, "a FIFO or pipe"}, {S_IFCHR, "a character device"},
        {S_IFBLK, "a block device"}, {S_IFSOCK, "a socket"},
        {S_IFLNK, "a link"},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if ((mode & S_IFMT) == kinds[i].type)
            return kinds[i].name;
    return "no regular file";
}

int adn_file_of_process(const char *pattern, char *path, size_t size)
{
    size_t length = 0;

    for (const char *c = pattern; *c != '\0'; c++) {
        int number = c[0] == '%' && c[1] == 'p';

        length += (size_t)(number ? snprintf(path + length, size - length, "%ld", (long)getpid())
                                  : snprintf(path + length, size - length, "%c", *c));
        c += number;
        if (length >= size) {
            errno = ENAMETOOLONG;
            return -1;
        }
    }
    return 0;
}

int adn_file_is_null(const struct stat *status)
{
    return S_ISCHR(status->st_mode) && status->st_rdev == makedev(1, 3);
}

static int refuse(const char *what, char *reason, size_t size)
{
    snprintf(reason, size, "%s: %s", what, strerror(errno));
    return -1;
}

/* Readable to an end. */
static int is_plain(const struct stat *status, char *reason, size_t size)
{
    if (S_ISREG(status->st_mode) || adn_file_is_null(status))
        return 1;
    errno = EINVAL;
    snprintf(reason, size, "is %s, not a regular file", adn_file_kind(status->st_mode));
    return 0;
}

int adn_file_follow(char *path)
{
    char target[PATH_MAX];
    ssize_t length = readlink(path, target, sizeof(target) - 1);
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0;

    if (length < 0)
        return -1;
    target[length] = '\0';
    if (target[0] == '/')
        folder = 0;
    if (folder + (size_t)length >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(path + folder, target, (size_t)length + 1);
    return 0;
}

int adn_file_above_standard(int descriptor)
{
    int moved, cause;

    if (descriptor < 0 || descriptor > STDERR_FILENO)
        return descriptor;
    moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    cause = errno;
    close(descriptor);
    errno = cause;
    return moved;
}

int adn_file_open(const char *path, struct stat *status, char *reason, size_t size)
{
    int descriptor;

    if (stat(path, status) != 0)
        return refuse("cannot be opened", reason, size);
    if (!is_plain(status, reason, size))
        return -1;
    descriptor = adn_file_above_standard(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (descriptor < 0)
        return refuse("cannot be opened", reason, size);
    /* Another may lie there by now. */
    if (fstat(descriptor, status) == 0 && is_plain(status, reason, size))
        return descriptor;
    close(descriptor);
    return -1;
}

/* ---- writing */

void adn_file_signals_hold(struct adn_file_signals *signals, int own)
{
    sigset_t wanted, pending;

    sigemptyset(&wanted);
    sigemptyset(&signals->held);
    sigaddset(&wanted, SIGXFSZ);
    if (own)
        sigaddset(&wanted, SIGPIPE);
    /* One that waits already is the program's to take. */
    sigpending(&pending);
    if (!sigismember(&pending, SIGXFSZ))
        sigaddset(&signals->held, SIGXFSZ);
    if (own && !sigismember(&pending, SIGPIPE))
        sigaddset(&signals->held, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &wanted, &signals->before);
}

void adn_file_signals_release(const struct adn_file_signals *signals, int failed)
{
    const struct timespec at_once = {0, 0};
    int cause = errno;

    if (failed)
        while (sigtimedwait(&signals->held, NULL, &at_once) > 0 || errno == EINTR)
            ;
    pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
    errno = cause;
}

ssize_t adn_file_write(int descriptor, const void *bytes, size_t count, int own)
{
    struct adn_file_signals signals;
    ssize_t wrote;

    adn_file_signals_hold(&signals, own);
    wrote = write(descriptor, bytes, count);
    adn_file_signals_release(&signals, wrote < 0);
    return wrote;
}
