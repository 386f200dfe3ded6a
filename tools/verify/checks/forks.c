/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that a backend that supports fork() works in a child with the parent's objects. */
#include "load/load.h"
#include "problem/problem.h"
#include "problem/text.h"
#include "tools/verify/checks/target.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ThreadSanitizer cannot create threads in the child of a multi-threaded process. */
#if defined(__SANITIZE_THREAD__)
#define CAN_FORK 0
#else
#define CAN_FORK 1
#endif

/* Reports how the child ended, unless it passed. */
static void tell_end(int status, const char *text, struct verify_finding *finding)
{
    if (WIFSIGNALED(status))
        verify_note(finding, "fork",
                    "it declares fork_safe but crashes in a child after fork(): signal %d (%s), in "
                    "%s",
                    WTERMSIG(status), strsignal(WTERMSIG(status)), text);
    else if (status != 0)
        verify_note(finding, "fork",
                    "it declares fork_safe but fails in a child after fork() where it passed "
                    "before: %s",
                    text);
}

/* The parent of this process keeps time, because the child cannot: it may have blocked signals. */
void verify_forks(const struct verify_target *target, const struct adn_problem *problem,
                  const struct adn_values *values, uint64_t seed, struct verify_finding *finding)
{
    struct verify_outcome outcome;
    char text[ADN_JUDGE_SENTENCE];
    char sentence[ADN_JUDGE_SENTENCE + 100];
    int status = 0;
    pid_t pid;

    if (!CAN_FORK || !(target->backend->plugin->flags & ANYDNN_PLUGIN_FORK_SAFE))
        return;
    verify_problem(target, problem, values, ORACLE_INTEGERS, seed, &outcome);
    if (outcome.verdict != VERIFY_PASSED)
        return;
    adn_problem_print(problem, values, text, sizeof(text));
    snprintf(sentence, sizeof(sentence),
             "it declares fork_safe but hangs in a child after fork(), in %s", text);
    verify_notice("hang", "fork", sentence);
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* the parent of both ends a hang */
        verify_problem(target, problem, values, ORACLE_INTEGERS, seed, &outcome);
        _exit(outcome.verdict == VERIFY_PASSED ? 0 : 1);
    }
    if (pid > 0 && waitpid(pid, &status, 0) == pid)
        tell_end(status, text, finding);
}
