/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of exact share: memory of the device and what fills it, a problem, a run. */
#ifndef GPU_EXACT_H
#define GPU_EXACT_H

#include <anydnn/anydnn.h>
#include <stddef.h>
#include <stdint.h>

#define OPERANDS 16
#define SUCCESS  ANYDNN_STATUS_SUCCESS

enum { TESTED, REFERENCE, SIDES };
enum verdict { GOOD, BAD, DECLINED, FAILED, VERDICTS };

/* What inputs hold: whole numbers from -2 to 2, whose products and sums are exact in float; random
 * ones of variance 1; their absolute values; their squares. */
enum content { NOTHING, INTEGERS, RANDOM, ABSOLUTES, SQUARES, CONTENTS };

/* Memory of the device that grows with what is asked of it. */
struct room {
    void *data;
    size_t bytes;
    anydnnDataType_t type;    /* of what fills it */
    anydnnDataType_t rounded; /* the type whose numbers they are */
    enum content content;
};

struct operand {
    anydnnDirection_t direction;
    anydnnDataType_t type;
    size_t bytes;
    int dims[ANYDNN_DIM_MAX];
};

struct work {
    anydnnProblem_t problem;
    int count;
    struct operand operand[OPERANDS];
};

struct exact {
    anydnnHandle_t handle[SIDES];
    const char *name[SIDES];
    int random;                     /* 1: random inputs, held to double */
    struct room input[2][OPERANDS]; /* of the problem's types, of double */
    struct room output[CONTENTS][OPERANDS];
    struct room workspace;
    long count[VERDICTS];
    char sentence[4096]; /* why the last one is not good */
};

/* ---- exact_data.c */

size_t exact_type_size(anydnnDataType_t type);
const char *exact_type_name(anydnnDataType_t type); /* in problems; NULL: none of floats */
/* 0, or -1 with the library's sentence. */
int exact_room(struct exact *exact, struct room *room, size_t bytes);
/* The room holds that content, of numbers of the type `rounded`; 0 or -1. `at`: whose inputs are to
 * differ. */
int exact_fill(struct exact *exact, struct room *room, int at, const struct operand *operand,
               anydnnDataType_t rounded, enum content content);

/* ---- exact_run.c */

/* Reads a problem; 0 or -1. */
int exact_parse(const char *text, struct work *work);
/* Runs it on one side, with its outputs in these rooms, which held `unwritten` before. */
enum verdict exact_call(struct exact *exact, const struct work *work, int side,
                        const struct room input[OPERANDS], struct room output[OPERANDS],
                        int unwritten);
/* Runs a problem of integers on both sides and compares what they wrote; `side`: who declined or
 * failed. */
enum verdict exact_run(struct exact *exact, const char *problem, int *side);
void exact_free(struct exact *exact);

/* ---- exact_random.c */

/* Runs a convolution of random numbers on the tested side and, in double, on the other, and holds
 * each element to its bound. Prints the relative L2 error. */
enum verdict exact_random(struct exact *exact, const char *problem, int *side);

#endif
