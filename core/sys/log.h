/* SPDX-License-Identifier: Apache-2.0 */
/* One line of log: level, who speaks, text. Thread-safe; costs one load when the level is off. */
#ifndef ADN_SYS_LOG_H
#define ADN_SYS_LOG_H

#include <stddef.h>

#include <anydnn/anydnn.h>

/* The numbers of plugin.h's levels. */
enum adn_log_level {
    ADN_LOG_OFF = 0,
    ADN_LOG_ERROR = 1,
    ADN_LOG_WARN = 2,
    ADN_LOG_INFO = 3,
    ADN_LOG_DEBUG = 4,
    ADN_LOG_TRACE = 5
};

/* The highest level that anybody wants, the file or the callback; changed by the functions below.
 */
extern _Atomic int adn_log_threshold;

#define adn_log_on(level) (adn_log_threshold >= (level))

/* `who` is "anydnn" or a backend's name. A line is written whole: "anydnn: warning: text\n", for a
 * backend "anydnn: NAME: warning: text\n". */
void adn_log_line(int level, const char *who, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define adn_warn(...) adn_log_line(ADN_LOG_WARN, "anydnn", __VA_ARGS__)
#define adn_info(...)                                                                              \
    (adn_log_on(ADN_LOG_INFO) ? adn_log_line(ADN_LOG_INFO, "anydnn", __VA_ARGS__) : (void)0)
#define adn_debug(...)                                                                             \
    (adn_log_on(ADN_LOG_DEBUG) ? adn_log_line(ADN_LOG_DEBUG, "anydnn", __VA_ARGS__) : (void)0)
#define adn_trace(...)                                                                             \
    (adn_log_on(ADN_LOG_TRACE) ? adn_log_line(ADN_LOG_TRACE, "anydnn", __VA_ARGS__) : (void)0)

/* 1 the first time in the process that something (the first `length` bytes of a name, and what
 * about it) is told; 0 from then on, and when too many things have been. */
int adn_log_first(const char *name, size_t length, const void *what);

/* The highest level that is written; starts as ADN_LOG_WARN. */
void adn_log_level_set(int level);

/* Where lines go: "stderr", "stdout" or a file to append to (`%p` becomes the process number), a
 * character device, or a pipe that somebody reads. Returns 0, or -1 with errno and the old target
 * kept: ENXIO for a pipe without a reader and a socket, EINVAL for another kind of thing, ELOOP for
 * a link of another user's. */
int adn_log_target(const char *file);

/* anydnnSetCallback: lines whose severity is in `mask` also go there, without the newline; info
 * lines even when they are not written (sys/callback.h says when). */
void adn_log_callback_set(unsigned mask, void *user, anydnnCallback_t function);
void adn_log_callback_get(unsigned *mask, void **user, anydnnCallback_t *function);
/* Computes adn_log_threshold anew, after the level or the receiver changed. */
void adn_log_threshold_update(void);

/* Called in every child after fork(): frees the lock, and opens a `%p` file of the child's own. */
void adn_log_after_fork(void);

#endif
