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
/* SEEN: by an engine that this problem was judged with before. */
enum verdict { GOOD, BAD, DECLINED, FAILED, VERDICTS, SEEN = VERDICTS };

/* What inputs hold: whole numbers from -2 to 2, whose products and sums are exact in float; whole
 * numbers from 0 to 3, whose sums pile up to what float holds exactly and half and bfloat16 do not;
 * random ones of variance 1; their absolute values; their squares. */
enum content { NOTHING, INTEGERS, PILED, RANDOM, ABSOLUTES, SQUARES, CONTENTS };

/* Memory of the device that grows with what is asked of it. */
struct room {
    void *data;
    size_t bytes;
    anydnnDataType_t type;    /* of what fills it */
    anydnnDataType_t rounded; /* the type whose numbers they are */
    enum content content;
    size_t filled;  /* bytes that hold it */
    double density; /* how many of them are not 0, of PILED */
};

/* What fills such memory, drawn once and as far as it was asked for. */
struct period {
    struct period *next;
    anydnnDataType_t type;
    anydnnDataType_t rounded;
    enum content content;
    double density;
    int seed;
    uint64_t state; /* of what draws */
    size_t count;   /* numbers there are */
    unsigned char *values;
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
    double terms; /* products behind one result of a convolution, at most; else 1 */
};

/* Ways to come to an engine: no algorithm named, each of them, each of Find's answers. */
enum { BY_DEFAULT = 1, BY_ALGORITHM = 2, BY_FIND = 4 };

#define ENGINES 64

/* The results of a problem's sums in double, of double: wanted, of absolute values, of squares. And
 * what the tested side made of it. */
enum { WANT, SUM, SQUARE, PARTS, GOT = PARTS, BUFFERS };

/* Memory of the host that grows with what is asked of it: pages that are given back are cleared
 * when they come again, which takes longer than what is done with them. */
struct buffer {
    void *data;
    size_t bytes;
};

struct exact {
    anydnnHandle_t handle[SIDES];
    const char *name[SIDES];
    int random;    /* 1: random inputs, held to double */
    int wide;      /* 1: the reference of whole numbers of floating types is double, too */
    unsigned ways; /* bits */
    struct room input[2][CONTENTS][OPERANDS]; /* of the problem's types, of double */
    struct room output[CONTENTS][OPERANDS];   /* NOTHING: the tested side's */
    struct room workspace;
    struct period *periods;
    struct buffer buffer[BUFFERS];
    long count[VERDICTS];
    int64_t engine[ENGINES]; /* that the present problem was judged with */
    int engines;
    char sentence[4096]; /* why the last one is not good */
};

/* A problem, and what the reference says of it once it was asked. */
struct held {
    const char *text;
    struct work work;
    struct work wide; /* the same in double; its problem is NULL until it is needed */
    int known[CONTENTS];
    const double *part[PARTS]; /* in the buffers */
};

/* ---- exact_together.c */

/* Starts so many processes, each with all of standard input, before any use of the library. Returns
 * -1 in each of them, which then goes on; and their largest exit status once all have ended. */
int exact_together(int processes);

/* ---- exact_data.c */

size_t exact_type_size(anydnnDataType_t type);
const char *exact_type_name(anydnnDataType_t type); /* in problems; NULL: none of floats */
/* 0, or -1 with the library's sentence. */
int exact_room(struct exact *exact, struct room *room, size_t bytes);
/* The room holds that content for operand `at`, of numbers of the type `rounded`; 0 or -1. */
int exact_fill(struct exact *exact, struct room *room, const struct work *work, int at,
               anydnnDataType_t rounded, enum content content);
void exact_forget(struct exact *exact);

/* ---- exact_run.c */

/* Reads a problem; 0 or -1. */
int exact_parse(const char *text, struct work *work);
/* Runs it on one side, with its outputs in these rooms, which held `unwritten` before. */
enum verdict exact_call(struct exact *exact, const struct work *work, int side,
                        const struct room input[OPERANDS], struct room output[OPERANDS],
                        int unwritten);
/* Fills the inputs and runs a choice on the tested side; SEEN where the engine is no new one. */
enum verdict exact_tested(struct exact *exact, const struct work *choice, enum content content,
                          int unwritten);
/* Whether the reference of whole numbers runs in double: integers have no form in it. */
int exact_is_wide(const struct exact *exact, const struct held *held);
/* Runs the problem, or the same in double, on the reference if it was not yet. */
enum verdict exact_reference(struct exact *exact, struct held *held, enum content content,
                             int wide);
/* A result on the host, in that buffer until another one is; NULL with the library's sentence. */
const void *exact_fetch(struct exact *exact, int buffer, const struct room *room, size_t bytes);
/* Whether the tested side's last call ran a transform. */
int exact_is_transform(struct exact *exact);
/* The relative L2 error that a transform may have in this problem. */
double exact_transform_limit(const struct held *held);
void exact_drop(struct held *held);
/* Gives back memory of more than so many bytes each. */
void exact_trim(struct exact *exact, size_t most);
void exact_free(struct exact *exact);

/* ---- exact_choice.c */

#define CHOICES 24

/* Texts of the problem by each way, the default one first, to be freed; their number. */
int exact_choices(struct exact *exact, const struct held *held, char *choice[CHOICES]);

/* ---- exact_whole.c */

/* Runs a choice on whole numbers and compares what it wrote with the reference's; `side`: who
 * declined or failed. */
enum verdict exact_whole(struct exact *exact, struct held *held, const struct work *choice,
                         int *side);

/* ---- exact_random.c */

/* Runs a choice of a convolution on random numbers, and holds each element to its bound, by the
 * reference in double. Prints the relative L2 error. */
enum verdict exact_random(struct exact *exact, struct held *held, const struct work *choice,
                          const char *text, int *side);

#endif
