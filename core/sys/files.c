/* SPDX-License-Identifier: Apache-2.0 */
/* Opens files that a user names, if they can be read to an end. */
#include "sys/files.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "sys/error.h"
#include "sys/text.h"

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
    return "not a regular file";
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

/* Returns 1 if the file can be read to an end. */
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

ssize_t adn_file_read_all(int descriptor, char *bytes, size_t limit)
{
    size_t size = 0;
    ssize_t got = 1;

    while (got != 0 && size < limit) {
        got = read(descriptor, bytes + size, limit - size);
        if (got < 0 && errno != EINTR)
            return -1;
        size += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)size;
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
    /* Another file may be there by now. */
    if (fstat(descriptor, status) == 0 && is_plain(status, reason, size))
        return descriptor;
    close(descriptor);
    return -1;
}

/* Checks an owner. A sticky folder further up is harmless, since nobody can remove what root owns
 * there. */
static int check_owner(const char *path, int allows_sticky, char *reason, size_t size)
{
    char word[ADN_QUOTED_MAX];
    struct stat status;

    if (stat(path, &status) != 0) {
        adn_shortage(errno);
        snprintf(reason, size, "%s cannot be examined: %s", path, strerror(errno));
        return -1;
    }
    if (status.st_uid != 0) {
        snprintf(reason, size, "%s is owned by user %ld, not by root: chown root %s", path,
                 (long)status.st_uid, adn_text_quoted(path, word, sizeof(word)));
        return -1;
    }
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0 &&
        !(allows_sticky && (status.st_mode & S_ISVTX) != 0)) {
        snprintf(reason, size, "%s is writable by others than root (mode %04o): chmod go-w %s",
                 path, (unsigned)(status.st_mode & 07777),
                 adn_text_quoted(path, word, sizeof(word)));
        return -1;
    }
    return 0;
}

/* Checks every folder above `path` up to the root. */
static int check_folders(const char *path, char *reason, size_t size)
{
    char folder[PATH_MAX];
    int nearest = 1;

    if (strlen(path) >= sizeof(folder)) {
        snprintf(reason, size, "%s has too long a path", path);
        return -1;
    }
    memcpy(folder, path, strlen(path) + 1);
    do {
        dirname(folder);
        if (check_owner(folder, !nearest, reason, size) != 0)
            return -1;
        nearest = 0;
    } while (strcmp(folder, "/") != 0 && strcmp(folder, ".") != 0);
    return 0;
}

int adn_file_root_only(const char *path, char *reason, size_t size)
{
    char *real = realpath(path, NULL);
    int result = -1;

    if (real == NULL) {
        adn_shortage(errno);
        snprintf(reason, size, "%s cannot be reached: %s", path, strerror(errno));
    } else if (check_owner(real, 0, reason, size) == 0 && check_folders(real, reason, size) == 0) {
        result = check_folders(path, reason, size);
    }
    free(real);
    return result;
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
    /* A signal that is already pending belongs to the program. */
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
