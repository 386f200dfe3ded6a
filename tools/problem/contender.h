/* SPDX-License-Identifier: Apache-2.0 */
/* One BACKEND:MATH of bench and compare: a handle that asks this backend alone, or for BACKEND+...
 * the fastest of several by a route's `fastest`, and the problems that run so in this math mode or
 * are declined. */
#ifndef TOOLS_PROBLEM_CONTENDER_H
#define TOOLS_PROBLEM_CONTENDER_H

#include "tools/common.h"

struct contender {
    char name[160];    /* BACKEND:MATH, the mode always there */
    char backend[128]; /* several with + between */
    char math[32];
    char device[64];
    int find;  /* the fastest algorithm by anydnnFind..., not the backend's first */
    int plain; /* no transform (Winograd, FFT), be it named or found; contender_open leaves it 0 */
    anydnnHandle_t handle;
};

/* Reads BACKEND[+BACKEND...][:MATH] and makes its handle: on --device where the backend is of that
 * memory space, else on the first device of its own. Fails with a sentence. */
int contender_open(struct tool *tool, const char *given, int find, struct contender *contender);
/* Another handle on the same device, which asks whom the routes name. 0 where that fails. */
int contender_open_routed(const struct contender *like, struct contender *routed);
/* The name at the front of a contender's backends, and where the next ones are; NULL at the end. */
const char *contender_backend(const char *list, char *name, size_t size);
/* Whether it is the fastest of several backends. */
int contender_chooses(const struct contender *contender);
void contender_close(struct contender *contender);

/* A problem on a contender. */
struct entrant {
    anydnnProblem_t problem;
    char *text;       /* whole, with the contender's math mode, and the algorithm found */
    char *declined;   /* NULL: it runs; else why not, a sentence */
    size_t workspace; /* bytes that the library asks for */
    void *memory;     /* of entrant_room, or NULL */
};

/* `text` with the contender's math; asks the backend. Declining is no failure. */
int entrant_make(struct tool *tool, struct contender *contender, const char *text,
                 struct entrant *entrant);
/* Allocates the workspace of one that was not declined, and declines it where there is no memory.
 */
int entrant_room(struct tool *tool, struct contender *contender, struct entrant *entrant);
/* Runs it once, in that workspace. pointers[i] is operand i, in the memory of the contender's
 * handle. */
anydnnStatus_t entrant_call(const struct contender *contender, const struct entrant *entrant,
                            void *const pointers[]);
/* After a run: whether the record says that this backend ran, not staged, with the workspace asked
 * for, and in this mode, unless a lesser one will do, and no transform for a plain contender; else
 * `declined` says what happened instead.
 */
void entrant_check(struct contender *contender, struct entrant *entrant, int lesser_math);
void entrant_free(struct contender *contender, struct entrant *entrant);

#endif
