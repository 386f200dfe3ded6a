/* SPDX-License-Identifier: Apache-2.0 */
/* Opens and reads files that a user names. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common.h"

/* Returns NULL for a kind of file that can be read to its end, else the name of the kind. */
static const char *unreadable(const struct stat *status)
{
    if (S_ISREG(status->st_mode) || S_ISFIFO(status->st_mode) ||
        (S_ISCHR(status->st_mode) && status->st_rdev == makedev(1, 3)))
        return NULL;
    return S_ISDIR(status->st_mode) ? "is a folder, not a file"
                                    : "is a device or socket, not a file";
}

static FILE *refuse(char why[TOOL_WHY_MAX], const char *reason, int fd)
{
    snprintf(why, TOOL_WHY_MAX, "%s", reason);
    if (fd >= 0)
        close(fd);
    return NULL;
}

/* Returns a stream with blocking reads and writes. The other end of a pipe is open at this
 * point. */
static FILE *stream_of(int fd, const char *mode, char why[TOOL_WHY_MAX])
{
    FILE *file;

    if (fcntl(fd, F_SETFL, mode[0] == 'a' ? O_APPEND : 0) != 0 || (file = fdopen(fd, mode)) == NULL)
        return refuse(why, strerror(errno), fd);
    return file;
}

/* Opens a pipe for reading. Waits for a writer: without one, a read reports the end at once. */
static FILE *open_pipe(int fd, char why[TOOL_WHY_MAX])
{
    unsigned char byte = 0;
    ssize_t got = read(fd, &byte, 1);
    FILE *file;

    if (got == 0)
        return refuse(why, "is a FIFO that no process writes to", fd);
    if (got < 0 && errno != EAGAIN)
        return refuse(why, strerror(errno), fd);
    file = stream_of(fd, "r", why);
    if (file != NULL && got > 0)
        ungetc(byte, file);
    return file;
}

FILE *tool_open_read(const char *path, char why[TOOL_WHY_MAX])
{
    const char *kind;
    struct stat status;
    int fd;

    if (stat(path, &status) != 0)
        return refuse(why, strerror(errno), -1);
    /* Opening a device may have side effects. */
    kind = unreadable(&status);
    if (kind != NULL)
        return refuse(why, kind, -1);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &status) != 0)
        return refuse(why, strerror(errno), fd);
    kind = unreadable(&status);
    if (kind != NULL)
        return refuse(why, kind, fd);
    return S_ISFIFO(status.st_mode) ? open_pipe(fd, why) : stream_of(fd, "r", why);
}

FILE *tool_open_write(const char *path, const char *mode, char why[TOOL_WHY_MAX])
{
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    int fd = open(path, flags | (mode[0] == 'a' ? O_APPEND : O_TRUNC), 0666);

    if (fd < 0)
        return refuse(why, errno == ENXIO ? "is a FIFO that no process reads" : strerror(errno),
                      -1);
    return stream_of(fd, mode, why);
}

ssize_t tool_read_line(FILE *file, char **line, size_t *capacity, size_t most)
{
    size_t length = 0;
    int c;

    while ((c = getc(file)) != EOF && c != '\n') {
        if (length == most)
            return -2;
        if (length + 1 >= *capacity) {
            size_t more = *capacity > 0 ? 2 * *capacity : 256;
            char *grown = tool_alloc(more);

            if (length > 0)
                memcpy(grown, *line, length);
            free(*line);
            *line = grown;
            *capacity = more;
        }
        (*line)[length++] = (char)c;
    }
    if (c == EOF && length == 0)
        return -1;
    if (*capacity == 0) {
        *line = tool_alloc(1);
        *capacity = 1;
    }
    (*line)[length] = '\0';
    return (ssize_t)length;
}
