/* SPDX-License-Identifier: Apache-2.0 */
/* Maps operands between pages that fault, and finds the operand that an access missed. */
#include "tools/problem/edges.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define EDGES_MAX  1024    /* operands at a time; an access beside further ones gets no sentence */
#define KEPT_MAX   64      /* mappings that are kept for later operands, since new pages are slow */
#define KEPT_BYTES 1048576 /* at most, of each */

/* A place is free if `memory` is 0, and holds a kept mapping if `role` is NULL. The handler reads
 * the places without the lock. */
static struct edge {
    _Atomic(uintptr_t) memory;
    _Atomic(const char *) role;
    uintptr_t first, end; /* of the operand */
    size_t total;         /* bytes between the two pages */
} edges[EDGES_MAX];

static int kept; /* mappings */
static pthread_mutex_t edges_lock = PTHREAD_MUTEX_INITIALIZER;
static void (*edges_report)(const char *sentence);
static struct sigaction action_before;

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

size_t edges_round(size_t bytes)
{
    return (bytes + page_size() - 1) / page_size() * page_size();
}

/* ---- memory */

static struct edge *find(uintptr_t memory)
{
    for (int i = 0; i < EDGES_MAX; i++)
        if (edges[i].memory == memory)
            return &edges[i];
    return NULL;
}

static struct edge *find_kept(size_t total)
{
    for (int i = 0; i < EDGES_MAX && kept > 0; i++)
        if (edges[i].memory != 0 && edges[i].role == NULL && edges[i].total == total)
            return &edges[i];
    return NULL;
}

/* Returns a new mapping, or 0. */
static uintptr_t map(size_t total)
{
    size_t page = page_size();
    unsigned char *whole =
        mmap(NULL, total + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (whole == MAP_FAILED)
        return 0;
    if (mprotect(whole + page, total, PROT_READ | PROT_WRITE) == 0)
        return (uintptr_t)whole + page;
    munmap(whole, total + 2 * page);
    return 0;
}

unsigned char *edges_map(size_t total, const char *role, size_t at, size_t bytes)
{
    struct edge *edge;
    uintptr_t memory;

    pthread_mutex_lock(&edges_lock);
    edge = find_kept(total);
    kept -= edge != NULL;
    memory = edge != NULL ? edge->memory : map(total);
    edge = edge != NULL ? edge : find(0);
    if (edge != NULL && memory != 0) {
        edge->first = memory + at;
        edge->end = edge->first + bytes;
        edge->total = total;
        edge->role = role;
        edge->memory = memory;
    }
    pthread_mutex_unlock(&edges_lock);
    return (unsigned char *)memory;
}

void edges_unmap(unsigned char *memory, size_t total)
{
    struct edge *edge;

    if (memory == NULL)
        return;
    pthread_mutex_lock(&edges_lock);
    edge = find((uintptr_t)memory);
    if (edge != NULL && kept < KEPT_MAX && total <= KEPT_BYTES) {
        edge->role = NULL;
        kept++;
    } else {
        if (edge != NULL)
            edge->memory = 0;
        munmap(memory - page_size(), total + 2 * page_size());
    }
    pthread_mutex_unlock(&edges_lock);
}

/* ---- faults */

static const char *access_of(const void *context)
{
#if defined(__x86_64__)
    return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2 ? "writes" : "reads";
#else
    (void)context;
    return "accesses";
#endif
}

static void tell(const char *access, size_t bytes, const char *side, const char *role)
{
    char sentence[200];

    snprintf(sentence, sizeof(sentence), "it %s %zu byte%s %s operand %s", access, bytes,
             bytes == 1 ? "" : "s", side, role);
    edges_report(sentence);
}

/* Returns to the access, which then has the effect that it would have without this handler. */
static void take_fault(int number, siginfo_t *info, void *context)
{
    uintptr_t at = (uintptr_t)info->si_addr;
    size_t page = page_size();

    for (int i = 0; i < EDGES_MAX; i++) {
        const struct edge *edge = &edges[i];
        uintptr_t memory = edge->memory;
        const char *role = edge->role;

        if (memory == 0 || role == NULL)
            continue;
        if (at < memory && at >= memory - page)
            tell(access_of(context), edge->first - at, "before", role);
        if (at >= memory + edge->total && at < memory + edge->total + page)
            tell(access_of(context), at - edge->end + 1, "behind", role);
    }
    sigaction(number, &action_before, NULL);
}

void edges_watch(void (*report)(const char *sentence))
{
    struct sigaction action = {.sa_sigaction = take_fault, .sa_flags = SA_SIGINFO};

    if (edges_report == NULL)
        sigaction(SIGSEGV, &action, &action_before);
    edges_report = report;
}
