/* SPDX-License-Identifier: Apache-2.0 */
/* A contender: one BACKEND:MATH of bench and compare. Its handle uses only this backend, or, for
 * BACKEND+..., the fastest of several through `fastest` in the route. An entrant is a problem that
 * runs there in this math mode or is declined. */
#ifndef TOOLS_PROBLEM_CONTENDER_H
#define TOOLS_PROBLEM_CONTENDER_H

#include "tools/common.h"

struct contender {
    char name[160];    /* BACKEND:MATH, always with the mode */
    char backend[128]; /* several are separated by + */
    char math[32];
    char device[64];
    int find;  /* 1: use the fastest algorithm of anydnnFind..., not the backend's first */
    int plain; /* 1: no transforms (Winograd, FFT), neither named nor found; contender_open sets 0
                */
    anydnnHandle_t handle;
};

/* Parses BACKEND[+BACKEND...][:MATH] and creates its handle: on --device if the backend has that
 * memory space, else on the first device of its own. Fails with a message. */
int contender_open(struct tool *tool, const char *given, int find, struct contender *contender);
/* Creates another handle on the same device with the default routes. Returns 0 on failure. */
int contender_open_routed(const struct contender *like, struct contender *routed);
/* Copies the first name of a contender's backends. Returns the position of the next one, or NULL at
 * the end. */
const char *contender_backend(const char *list, char *name, size_t size);
/* Returns 1 if the contender chooses the fastest of several backends. */
int contender_chooses(const struct contender *contender);
void contender_close(struct contender *contender);

/* A problem on a contender. */
struct entrant {
    anydnnProblem_t problem;
    char *text;       /* complete, with the contender's math mode and the algorithm found */
    char *declined;   /* NULL: it runs; else the reason as a sentence */
    size_t workspace; /* bytes that the library requests */
    void *memory;     /* allocated by entrant_workspace, or NULL */
};

/* Makes the problem `text` with the contender's math and queries the backend. Declining is not a
 * failure. */
int entrant_make(struct tool *tool, struct contender *contender, const char *text,
                 struct entrant *entrant);
/* Allocates the workspace of an entrant that was not declined. Declines it if there is no
 * memory. */
int entrant_workspace(struct tool *tool, struct contender *contender, struct entrant *entrant);
/* Runs the entrant once with that workspace. pointers[i] is operand i, in the memory of the
 * contender's handle. */
anydnnStatus_t entrant_call(const struct contender *contender, const struct entrant *entrant,
                            void *const pointers[]);
/* Checks the record after a run. The backend must have run the problem, without staging, with the
 * requested workspace, and in this mode, or a lesser one if permitted. A plain contender must not
 * have used a transform. Otherwise, `declined` states what happened. */
void entrant_check(struct contender *contender, struct entrant *entrant, int lesser_math);
void entrant_free(struct contender *contender, struct entrant *entrant);

#endif
