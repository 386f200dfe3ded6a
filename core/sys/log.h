/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines with level, speaker and text. Thread-safe. A line whose level is off costs one load. */
#ifndef ADN_SYS_LOG_H
#define ADN_SYS_LOG_H

#include <stddef.h>

#include <anydnn/anydnn.h>

/* The levels, with the numbers of plugin.h. */
enum adn_log_level {
    ADN_LOG_OFF = 0,
    ADN_LOG_ERROR = 1,
    ADN_LOG_WARN = 2,
    ADN_LOG_INFO = 3,
    ADN_LOG_DEBUG = 4,
    ADN_LOG_TRACE = 5
};

/* The highest level that the file or the callback wants. The functions below change it. */
extern _Atomic int adn_log_threshold;

#define adn_log_on(level) (adn_log_threshold >= (level))

/* Logs a line. `who` is "anydnn" or a backend's name. The line is written as a whole: "anydnn:
 * warning: text\n", for a backend "anydnn: NAME: warning: text\n". */
void adn_log_line(int level, const char *who, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define adn_warn(...) adn_log_line(ADN_LOG_WARN, "anydnn", __VA_ARGS__)
#define adn_info(...)                                                                              \
    (adn_log_on(ADN_LOG_INFO) ? adn_log_line(ADN_LOG_INFO, "anydnn", __VA_ARGS__) : (void)0)
#define adn_debug(...)                                                                             \
    (adn_log_on(ADN_LOG_DEBUG) ? adn_log_line(ADN_LOG_DEBUG, "anydnn", __VA_ARGS__) : (void)0)
#define adn_trace(...)                                                                             \
    (adn_log_on(ADN_LOG_TRACE) ? adn_log_line(ADN_LOG_TRACE, "anydnn", __VA_ARGS__) : (void)0)

/* Returns 1 the first time in the process that a pair is logged: the first `length` bytes of a
 * name, and a subject. Returns 0 later, and if there are too many pairs. */
int adn_log_first(const char *name, size_t length, const void *what);

/* Sets the highest level that is written. Its first value is ADN_LOG_WARN. */
void adn_log_level_set(int level);

/* Sets the target of lines: "stderr", "stdout", a file to append to (`%p` becomes the process
 * number), a character device, or a pipe with a reader. Returns 0, or -1 with errno and the old
 * target kept: ENXIO for a socket and for a pipe without a reader, EINVAL for another kind of file,
 * ELOOP for a link that belongs neither to root nor to this user. */
int adn_log_target(const char *file);

/* Implements anydnnSetCallback. Lines whose severity is in `mask` also go there, without the
 * newline. Info lines go there even if they are not written. sys/callback.h states when. */
void adn_log_callback_set(unsigned mask, void *user, anydnnCallback_t function);
void adn_log_callback_get(unsigned *mask, void **user, anydnnCallback_t *function);
/* Recomputes adn_log_threshold after a change of the level or the receiver. */
void adn_log_threshold_update(void);

/* Runs in every child after fork(): frees the lock, and opens a `%p` file of the child's own. */
void adn_log_after_fork(void);

#endif
