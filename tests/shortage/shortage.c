/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Nth allocation of a program's calls fails, for every N: each call then answers success or
 * ALLOC_FAILED with a sentence, the process lives, nothing is lost, and the same calls again
 * succeed on the same backend.
 *
 *   shortage BACKEND OURS [ALL]
 *
 * OURS and ALL: of the allocations that the library and the backend ask for, and of all, every how
 * manyth fails; 0: none.
 *
 * Prints what happened; exit status 1 where one was not so. An allocation that oneDNN, its runtime
 * or the loader asked for is theirs to bear: where the process ends by it, that is counted and
 * told, and the loader may take it for another fault. Last come the same calls with no file
 * descriptor left.
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

/* Written by the child, read by its parent. */
struct outcome {
    struct refusal refusal;
    long counted; /* allocations of the first use */
    long live;    /* blocks taken and left in the end */
    int refused;  /* calls of the first use that failed */
    int finished;
    char wrong[600];
};

static struct outcome *outcome;
static const char *backend;
static int all_count; /* also the allocations of others */

static void keep_wrong(const struct use *use, const char *when)
{
    if (use->wrong && outcome->wrong[0] == '\0')
        snprintf(outcome->wrong, sizeof outcome->wrong, "%s: %s", when, use->sentence);
}

/* One use in which the allocation of that number fails, one in which none does. */
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

/* The same with descriptors in place of memory: all are taken from the third on. */
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

/* The signal that ended the child, or 0. */
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

/* Who was refused when the process died, and how often. */
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

/* 0 where all is as it should be, or it is not ours. */
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

        /* OpenMP's threads take and give back memory when they are let, on a busy machine after the
         * count; what is lost for good is lost each time. */
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
    localtime_r(&now, &unused); /* takes what the log's times need, which stays */
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
