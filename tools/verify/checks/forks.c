/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that a backend that supports fork() works in a child with the parent's objects. */
#include "load/load.h"
#include "problem/problem.h"
#include "tools/verify/checks/target.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS 20

/* ThreadSanitizer cannot create threads in the child of a multi-threaded process. */
#if defined(__SANITIZE_THREAD__)
#define CAN_FORK 0
#else
#define CAN_FORK 1
#endif

void verify_forks(const struct verify_target *target, const struct adn_problem *problem,
                  const struct adn_values *values, uint64_t seed, struct verify_finding *finding)
{
    struct verify_outcome outcome;
    int status = 0;
    pid_t pid;

    if (!CAN_FORK || !(target->backend->plugin->flags & ANYDNN_PLUGIN_FORK_SAFE))
        return;
    verify_problem(target, problem, values, ORACLE_INTEGERS, seed, &outcome);
    if (outcome.verdict != VERIFY_PASSED)
        return;
    pid = fork();
    if (pid == 0) {
        alarm(SECONDS);
        verify_problem(target, problem, values, ORACLE_INTEGERS, seed, &outcome);
        _exit(outcome.verdict == VERIFY_PASSED ? 0 : 1);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status == 0)
        return;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        verify_note(finding, "fork", "it declares fork_safe but hangs in a child after fork()");
    else if (WIFSIGNALED(status))
        verify_note(finding, "fork",
                    "it declares fork_safe but crashes in a child after fork(): signal %d (%s)",
                    WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        verify_note(
            finding, "fork",
            "it declares fork_safe but fails in a child after fork() where it passed before");
}
