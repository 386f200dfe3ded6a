/* SPDX-License-Identifier: Apache-2.0 */
/* Opening the files that a user names, of the kinds that can be read to an end. */
#include "sys/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
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

int adn_file_open(const char *path, struct stat *status, char *reason, size_t size)
{
    int descriptor;

    if (stat(path, status) != 0)
        return refuse("cannot be opened", reason, size);
    if (!is_plain(status, reason, size))
        return -1;
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return refuse("cannot be opened", reason, size);
    /* Another may lie there by now. */
    if (fstat(descriptor, status) == 0 && is_plain(status, reason, size))
        return descriptor;
    close(descriptor);
    return -1;
}
