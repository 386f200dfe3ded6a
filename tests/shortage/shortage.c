/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the Nth allocation of a program's calls fail, for every N. Each call must then return
 * success or ALLOC_FAILED with a sentence, the process must survive, and nothing may leak. The same
 * calls must then succeed on the same backend.
 *
 *   shortage BACKEND OURS [ALL]
 *
 * OURS is the step between the tested allocations of the library and the backend. ALL is the step
 * for the allocations of all code. 0: none.
 *
 * Prints the results; the exit status is 1 if one was wrong. oneDNN, its runtime and the loader may
 * fail in their own way: a process that ends by one of their allocations is counted and printed,
 * and the loader may report another error. The same calls run last without any free file
 * descriptor.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/shortage/allocator.h"
#include "tests/shortage/use.h"

#define SECONDS 30
#define DEATHS  64

/* The result of a child, which its parent reads. */
struct outcome {
    struct refusal refusal;
    long counted; /* allocations of the first use */
    long live;    /* blocks still allocated at the end */
    int refused;  /* calls of the first use that failed */
    int finished;
    char wrong[600];
};

static struct outcome *outcome;
static const char *backend;
static int all_count; /* 1 to count the allocations of other libraries, too */

static void keep_wrong(const struct use *use, const char *when)
{
    if (use->wrong && outcome->wrong[0] == '\0')
        snprintf(outcome->wrong, sizeof outcome->wrong, "%s: %s", when, use->sentence);
}

/* Runs one use in which the allocation of that number fails, then one in which none fails. */
static void try(long number)
{
    struct use first = {.backend = backend}, second = {.backend = backend};
    long before = allocator_live();

    allocator_arm(number, all_count, &outcome->refusal);
    use_library(&first);
    outcome->counted = allocator_disarm();
    outcome->refused = first.refused;
    keep_wrong(&first, "while memory lacks");
    use_library(&second);
    second.wrong |= second.refused;
    keep_wrong(&second, "when there is enough again");
    outcome->live = allocator_live() - before;
    outcome->finished = 1;
}

/* Does the same with descriptors instead of memory: all from the third on are used up. */
static void try_descriptors(long left)
{
    struct use first = {.backend = backend}, second = {.backend = backend};
    struct rlimit limit, few;

    getrlimit(RLIMIT_NOFILE, &limit);
    few = (struct rlimit){.rlim_cur = (rlim_t)(3 + left), .rlim_max = limit.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    use_library(&first);
    outcome->refused = first.refused;
    keep_wrong(&first, "while descriptors lack");
    setrlimit(RLIMIT_NOFILE, &limit);
    use_library(&second);
    second.wrong |= second.refused;
    keep_wrong(&second, "when there are enough again");
    outcome->finished = 1;
}

/* Runs the body in a child; returns the signal that ended it, or 0. */
static int in_child(void (*body)(long), long number)
{
    int status = 0;
    pid_t pid;

    memset(outcome, 0, sizeof *outcome);
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        const struct rlimit none = {0, 0};

        setrlimit(RLIMIT_CORE, &none);
        alarm(SECONDS);
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        body(number);
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* The callers that were refused when the process died, with counts. */
static struct {
    char who[420];
    int count;
} deaths[DEATHS];

static void count_death(int signal)
{
    char who[420];
    int at = 0;

    snprintf(who, sizeof who, "%s, %s %s", signal ? strsignal(signal) : "exit",
             strrchr(outcome->refusal.object, '/') ? strrchr(outcome->refusal.object, '/') + 1
                                                   : outcome->refusal.object,
             outcome->refusal.function);
    while (at < DEATHS - 1 && deaths[at].count && strcmp(deaths[at].who, who) != 0)
        at++;
    snprintf(deaths[at].who, sizeof deaths[at].who, "%s", who);
    deaths[at].count++;
}

static int complain(long number, const char *what)
{
    printf("allocation %ld, asked for in %s %s: %s\n", number, outcome->refusal.object,
           outcome->refusal.function, what);
    return 1;
}

/* Returns 0 if the outcome is correct or others caused the failure. */
static int judge(long number, int signal, long live)
{
    const int ended = signal || !outcome->finished;
    char text[80];

    if (ended && outcome->refusal.theirs && signal != SIGALRM) {
        count_death(signal);
        return 0;
    }
    if (ended)
        return complain(number, signal ? strsignal(signal) : "exit");
    if (outcome->wrong[0] != '\0' && !outcome->refusal.loader)
        return complain(number, outcome->wrong);
    snprintf(text, sizeof text, "%ld blocks are lost", outcome->live - live);
    return outcome->live > live && !outcome->refusal.theirs ? complain(number, text) : 0;
}

static int memory(long every)
{
    long tried = 0, noticed = 0, all, live;
    int failed = 0;

    if (in_child(try, 0) != 0 || !outcome->finished || outcome->wrong[0] != '\0') {
        printf("%s does not run with all memory there: %s\n", backend, outcome->wrong);
        return 1;
    }
    all = outcome->counted;
    live = outcome->live;
    for (long number = 1; number <= all + every; number += every) {
        int signal = in_child(try, number);

        /* OpenMP's threads may free memory after the count on a busy machine, so the run is
         * repeated. A real leak occurs each time. */
        for (int again = 0; again < 3 && outcome->finished && outcome->live > live; again++)
            signal = in_child(try, number);
        if (!outcome->refusal.happened)
            continue;
        tried++;
        noticed += outcome->refused > 0;
        failed += judge(number, signal, live);
    }
    printf(
        "%s: %ld allocations, %ld of them failed in turn: %ld times calls answered ALLOC_FAILED, "
        "%d times something was wrong\n",
        backend, all, tried, noticed, failed);
    for (int i = 0; i < DEATHS && deaths[i].count; i++)
        printf("not ours, %d times: %s\n", deaths[i].count, deaths[i].who);
    return failed > 0;
}

static int descriptors(void)
{
    int failed = 0;

    for (long left = 0; left < 4; left++) {
        int signal = in_child(try_descriptors, left);

        if (signal || !outcome->finished || outcome->wrong[0] != '\0') {
            printf("%ld descriptors left: %s\n", left, signal ? strsignal(signal) : outcome->wrong);
            failed = 1;
        } else {
            printf("%ld descriptors left: %d calls answered ALLOC_FAILED\n", left,
                   outcome->refused);
        }
    }
    return failed;
}

int main(int argc, char **argv)
{
    const long ours = argc > 2 ? strtol(argv[2], NULL, 10) : -1;
    const long all = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
    const time_t now = time(NULL);
    struct tm unused;
    int failed;

    if (argc < 3 || argc > 4 || ours < 0 || all < 0) {
        fprintf(stderr, "usage: shortage BACKEND OURS [ALL]\n");
        return 2;
    }
    backend = argv[1];
    localtime_r(&now, &unused); /* allocates in advance what the log's times need permanently */
    setenv("ANYDNN_ROUTE", backend, 1);
    outcome =
        mmap(NULL, sizeof *outcome, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (outcome == MAP_FAILED)
        return 2;
    failed = ours ? memory(ours) : 0;
    all_count = 1;
    failed |= all ? memory(all) : 0;
    return descriptors() || failed;
}
