/* SPDX-License-Identifier: Apache-2.0 */
/* Writes log lines: composes each line, writes it with one call, and sends it to the application's
 * receiver. */
#include "sys/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sys/callback.h"
#include "sys/files.h"
#include "sys/text.h"

/* The most pairs that are logged only once. A program breaks far fewer pairs of entry and rule. */
#define REPORTED_MAX 256

#define LINKS_MAX 40 /* as many as the kernel follows */

#define LINE_SHORT 1024 /* longer lines are composed on the heap */

static const char *const level_words[] = {"off", "error", "warning", "info", "debug", "trace"};

_Atomic int adn_log_threshold = ADN_LOG_WARN;

/* The level of the setting. adn_log_threshold is the higher of this and the level that the callback
 * wants. */
static _Atomic int written_level = ADN_LOG_WARN;
static _Atomic int target_fd = STDERR_FILENO;

/* The one descriptor of log files after the first use. A new file replaces the old one under the
 * same number, so that no other thread can write to a closed number. */
static int file_fd = -1;
static char file_pattern[PATH_MAX];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the level and the file */

int adn_log_first(const char *name, size_t length, const void *what)
{
    static _Atomic uint64_t reported[REPORTED_MAX];
    uint64_t hash = (uintptr_t)what ^ UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
    hash |= 1;
    for (int i = 0; i < REPORTED_MAX; i++) {
        uint64_t there = 0;

        if (atomic_compare_exchange_strong(&reported[i], &there, hash))
            return 1;
        if (there == hash)
            return 0;
    }
    return 0;
}

static anydnnSeverity_t level_severity(int level)
{
    if (level <= ADN_LOG_ERROR)
        return ANYDNN_SEV_ERROR;
    return level == ADN_LOG_WARN ? ANYDNN_SEV_WARNING : ANYDNN_SEV_INFO;
}

/* Sets the highest level that is wanted. A callback for INFO gets info lines. Debug and trace lines
 * are made only if the setting requests them. */
void adn_log_threshold_update(void)
{
    anydnnCallback_t function;
    unsigned mask;
    void *user;
    int level;

    pthread_mutex_lock(&lock);
    level = atomic_load(&written_level);
    adn_log_callback_get(&mask, &user, &function);
    for (int wanted = ADN_LOG_INFO; wanted > level; wanted--)
        if (function != NULL && (mask & (1u << level_severity(wanted))))
            level = wanted;
    atomic_store(&adn_log_threshold, level);
    pthread_mutex_unlock(&lock);
}

void adn_log_level_set(int level)
{
    atomic_store(&written_level, level);
    adn_log_threshold_update();
}

/* Returns 1 for a link of procfs. Its target may have no path, and only the kernel makes such
 * links. */
static int is_of_procfs(const char *path)
{
    char folder[PATH_MAX];
    struct statfs system;
    char *slash;

    snprintf(folder, sizeof(folder), "%s", path);
    slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    return slash && statfs(folder, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/* Replaces links by their targets, and returns the flag for open(). Returns -1 with ELOOP for a
 * link that belongs neither to root nor to this user, since its owner chooses the target, and for
 * too many links. */
static int resolve(char *path)
{
    struct stat status;

    for (int links = 0; lstat(path, &status) == 0 && S_ISLNK(status.st_mode); links++) {
        if (is_of_procfs(path))
            return 0;
        if (links == LINKS_MAX || (status.st_uid != geteuid() && status.st_uid != 0)) {
            errno = ELOOP;
            return -1;
        }
        if (adn_file_follow(path) != 0)
            return -1;
    }
    return O_NOFOLLOW;
}

/* Opens a file, a character device or a pipe. A pipe without a reader gives ENXIO at once, and
 * anything else gives EINVAL. A pipe stays in this mode, so that writing does not wait either. A
 * terminal makes its program wait, as it does for all output. */
static int open_file(char *path)
{
    int how = resolve(path);
    struct stat status;
    int fd;

    if (how < 0)
        return -1;
    fd = adn_file_above_standard(
        open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | how, 0644));
    if (fd < 0 || (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode)))
        return fd;
    if ((S_ISREG(status.st_mode) || S_ISCHR(status.st_mode)) && fcntl(fd, F_SETFL, O_APPEND) == 0)
        return fd;
    close(fd);
    errno = EINVAL;
    return -1;
}

/* Opens the file of a pattern. Returns -1 with errno on failure. */
static int open_pattern(const char *pattern)
{
    char path[PATH_MAX];

    return adn_file_of_process(pattern, path, sizeof(path)) == 0 ? open_file(path) : -1;
}

/* Makes file_fd refer to the file of `fd`. */
static int replace_file(int fd)
{
    if (file_fd < 0) {
        file_fd = fd;
        return 0;
    }
    if (dup3(fd, file_fd, O_CLOEXEC) < 0) {
        close(fd);
        return -1;
    }
    close(fd);
    return 0;
}

int adn_log_target(const char *file)
{
    int result = -1;
    int fd;

    if (strcmp(file, "stderr") == 0 || strcmp(file, "stdout") == 0) {
        atomic_store(&target_fd, file[3] == 'e' ? STDERR_FILENO : STDOUT_FILENO);
        return 0;
    }
    fd = open_pattern(file);
    if (fd < 0)
        return -1;
    pthread_mutex_lock(&lock);
    if (replace_file(fd) == 0) {
        snprintf(file_pattern, sizeof(file_pattern), "%s", file);
        atomic_store(&target_fd, file_fd);
        result = 0;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

void adn_log_after_fork(void)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

    /* Another thread of the parent may have held the lock. That thread does not exist here. */
    lock = fresh;
    adn_callback_after_fork();
    if (file_fd >= 0 && strstr(file_pattern, "%p") != NULL) {
        int fd = open_pattern(file_pattern);

        if (fd >= 0)
            replace_file(fd);
    }
}

/* Writes a line. A full pipe loses the line, so that the program does not stop. */
static void write_whole(const char *line, size_t length)
{
    int fd = atomic_load(&target_fd);
    int ours = fd != STDOUT_FILENO && fd != STDERR_FILENO;

    if (fd == STDOUT_FILENO)
        fflush(stdout);
    while (length > 0) {
        ssize_t wrote = adn_file_write(fd, line, length, ours);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return;
        line += wrote;
        length -= (size_t)wrote;
    }
}

/* Replaces control characters except tabs by blanks; in UTF-8 also U+0080 to U+009f, which begin
 * with 0xc2. */
static void clean(char *line, size_t length)
{
    unsigned char before = 0;

    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)line[i];

        if ((byte < ' ' && byte != '\t') || byte == 0x7f)
            line[i] = ' ';
        else if (before == 0xc2 && byte >= 0x80 && byte < 0xa0)
            line[i - 1] = line[i] = ' ';
        before = byte;
    }
}

/* Makes "anydnn: warning: TEXT" or "anydnn: cuda_simt: warning: TEXT". Control characters except
 * tabs become blanks, so that a line stays one line. A line that does not fit `small` is on the
 * heap, or cut if memory is out. Two bytes after the text are free. */
static char *line_make(char small[LINE_SHORT], size_t *length, int level, const char *who,
                       const char *format, va_list args)
{
    int backend = strcmp(who, "anydnn") != 0;
    char *line = small;
    va_list again;
    int head, body;

    head = snprintf(small, LINE_SHORT / 2, "anydnn: %s%s%s: ", backend ? who : "",
                    backend ? ": " : "", level_words[level]);
    if (head >= LINE_SHORT / 2)
        head = LINE_SHORT / 2 - 1;
    va_copy(again, args);
    body = adn_text_vprint(small + head, (size_t)(LINE_SHORT - head), format, args);
    if (body < 0)
        body = 0;
    if (head + body + 2 > LINE_SHORT) {
        line = malloc((size_t)(head + body) + 2);
        if (line != NULL) {
            memcpy(line, small, (size_t)head);
            adn_text_vprint(line + head, (size_t)body + 1, format, again);
        } else {
            line = small;
            body = LINE_SHORT - head - 2;
        }
    }
    va_end(again);
    *length = (size_t)(head + body);
    clean(line, *length);
    return line;
}

void adn_log_line(int level, const char *who, const char *format, ...)
{
    char small[LINE_SHORT];
    int saved_errno = errno;
    size_t length;
    va_list args;
    char *line;

    if (level <= ADN_LOG_OFF || level > ADN_LOG_TRACE || !adn_log_on(level))
        return;
    va_start(args, format);
    line = line_make(small, &length, level, who, format, args);
    va_end(args);
    line[length] = '\n';
    if (level <= atomic_load(&written_level))
        write_whole(line, length + 1);
    /* cuDNN ends a callback's text with two zeros. */
    line[length] = line[length + 1] = '\0';
    adn_callback_send(level_severity(level), line, length, strcmp(who, "anydnn") != 0);
    if (line != small)
        free(line);
    errno = saved_errno;
}
