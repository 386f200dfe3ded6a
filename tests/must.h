/* SPDX-License-Identifier: Apache-2.0 */
/* Defines assertions for child processes and for programs without cmocka: the process ends at once
 * with a message. In a child, cmocka's own assertions would go on with the next test. */
#ifndef TESTS_MUST_H
#define TESTS_MUST_H

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <anydnn/anydnn.h>

static inline const char *must_error(void)
{
    static __thread char text[2048];

    anydnnGetLastErrorString(text, sizeof(text));
    return text;
}

#define must(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "# %s:%d: %s; last error: %s\n", __FILE__, __LINE__, #condition,       \
                    must_error());                                                                 \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

#define must_be(wanted, call)                                                                      \
    do {                                                                                           \
        anydnnStatus_t found_ = (call);                                                            \
        if (found_ != (wanted)) {                                                                  \
            fprintf(stderr, "# %s:%d: %s is %s, not %s; last error: %s\n", __FILE__, __LINE__,     \
                    #call, anydnnGetErrorString(found_), anydnnGetErrorString(wanted),             \
                    must_error());                                                                 \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

/* Runs `body` in a child, which may also call exit. Returns its exit status, or -1 if a signal
 * ended it. If `seconds` is not 0, SIGALRM ends the child after that time. */
static inline int must_child(void (*body)(void), unsigned seconds)
{
    int status = 0;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        alarm(seconds);
        body();
        _exit(0);
    }
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif
