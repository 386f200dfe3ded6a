/* SPDX-License-Identifier: Apache-2.0 */
/* Defines what the files of exact share: device memory and its contents, problems and runs. */
#ifndef GPU_EXACT_H
#define GPU_EXACT_H

#include <anydnn/anydnn.h>
#include <stddef.h>
#include <stdint.h>

#define OPERANDS 16
#define SUCCESS  ANYDNN_STATUS_SUCCESS

enum { TESTED, REFERENCE, SIDES };
/* A verdict. SEEN: this problem was already tested with the engine. */
enum verdict { GOOD, BAD, DECLINED, FAILED, VERDICTS, SEEN = VERDICTS };

/* The contents of inputs. INTEGERS are from -2 to 2, and their products and sums are exact in
 * float. PILED are whole numbers from 0 to 3; float holds their large sums exactly, half and
 * bfloat16 do not. RANDOM numbers have variance 1. ABSOLUTES and SQUARES are the absolute values
 * and squares of RANDOM. */
enum content { NOTHING, INTEGERS, PILED, RANDOM, ABSOLUTES, SQUARES, CONTENTS };

/* Device memory that grows on demand. */
struct device_memory {
    void *data;
    size_t bytes;
    anydnnDataType_t type;    /* of the contents */
    anydnnDataType_t rounded; /* the numbers are exact in this type */
    enum content content;
    size_t filled;  /* bytes with these contents */
    double density; /* PILED: share of numbers other than 0 */
};

/* The numbers of such contents, generated once and as far as needed. */
struct period {
    struct period *next;
    anydnnDataType_t type;
    anydnnDataType_t rounded;
    enum content content;
    double density;
    int seed;
    uint64_t state; /* of the generator */
    size_t count;   /* generated numbers */
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
    double terms; /* most products in a result of a convolution; otherwise 1 */
};

/* The ways to select an engine: no named algorithm, each algorithm, each answer of Find. */
enum { BY_DEFAULT = 1, BY_ALGORITHM = 2, BY_FIND = 4 };

#define ENGINES 64

/* The buffers for results. WANT, SUM and SQUARE hold the reference's sums in double: of the
 * operands, of their absolute values and of their squares. GOT holds the result of the tested
 * side. */
enum { WANT, SUM, SQUARE, PARTS, GOT = PARTS, BUFFERS };

/* Host memory that grows on demand. Pages that are freed are cleared when they are allocated again,
 * which takes longer than the work on them. */
struct buffer {
    void *data;
    size_t bytes;
};

struct exact {
    anydnnHandle_t handle[SIDES];
    const char *name[SIDES];
    int random;    /* 1 for random inputs, compared with double */
    int wide;      /* 1 if the reference also computes whole numbers of floating types in double */
    unsigned ways; /* bits BY_xxx */
    struct device_memory input[2][CONTENTS][OPERANDS]; /* of the problem's types; of double */
    struct device_memory output[CONTENTS][OPERANDS];   /* NOTHING: outputs of the tested side */
    struct device_memory workspace;
    struct period *periods;
    struct buffer buffer[BUFFERS];
    long count[VERDICTS];
    int64_t engine[ENGINES]; /* with which the present problem was tested */
    int engines;
    char sentence[4096]; /* why the last result is not good */
};

/* A problem, and the results of the reference once they are known. */
struct held {
    const char *text;
    struct work work;
    struct work wide; /* the same in double; its problem is NULL until it is needed */
    int known[CONTENTS];
    const double *part[PARTS]; /* in the buffers */
};

/* ---- exact_together.c */

/* Starts the given number of processes, before any use of the library. Each of them reads all of
 * standard input. Returns -1 in each process. In the parent, it returns the largest exit status
 * once all have ended. */
int exact_together(int processes);

/* ---- exact_data.c */

size_t exact_type_size(anydnnDataType_t type);
const char *exact_type_name(anydnnDataType_t type); /* in problems; NULL if not a floating type */
/* Makes the memory at least `bytes` large. Returns 0, or -1 with the library's sentence. */
int exact_reserve(struct exact *exact, struct device_memory *memory, size_t bytes);
/* Fills the memory with the contents for operand `at`, in numbers that are exact in the type
 * `rounded`. Returns 0 or -1. */
int exact_fill(struct exact *exact, struct device_memory *memory, const struct work *work, int at,
               anydnnDataType_t rounded, enum content content);
void exact_forget(struct exact *exact);

/* ---- exact_run.c */

/* Reads a problem. Returns 0 or -1. */
int exact_parse(const char *text, struct work *work);
/* Runs a problem on one side. All bytes of the outputs are set to `unwritten` before. */
enum verdict exact_call(struct exact *exact, const struct work *work, int side,
                        const struct device_memory input[OPERANDS],
                        struct device_memory output[OPERANDS], int unwritten);
/* Fills the inputs and runs a choice on the tested side. Returns SEEN if the engine is not new. */
enum verdict exact_tested(struct exact *exact, const struct work *choice, enum content content,
                          int unwritten);
/* Returns 1 if the reference runs in double for whole numbers. Integer types have no form in
 * double. */
int exact_is_wide(const struct exact *exact, const struct held *held);
/* Runs the problem, or its form in double, on the reference unless its results are known. */
enum verdict exact_reference(struct exact *exact, struct held *held, enum content content,
                             int wide);
/* Copies a result to a buffer on the host, where it stays until the next result. Returns it, or
 * NULL with the library's sentence. */
const void *exact_fetch(struct exact *exact, int buffer, const struct device_memory *memory,
                        size_t bytes);
/* Returns 1 if the last call of the tested side ran a transform. */
int exact_is_transform(struct exact *exact);
/* Returns the largest relative L2 error that a transform may have in this problem. */
double exact_transform_limit(const struct held *held);
void exact_drop(struct held *held);
/* Frees each allocation of more than `most` bytes. */
void exact_trim(struct exact *exact, size_t most);
void exact_free(struct exact *exact);

/* ---- exact_choice.c */

#define CHOICES 24

/* Lists the problem's texts for all ways, the default one first. The caller frees them. Returns
 * their number. */
int exact_choices(struct exact *exact, const struct held *held, char *choice[CHOICES]);

/* ---- exact_whole.c */

/* Runs a choice on whole numbers and compares its results with those of the reference. Sets `side`
 * to the side that declined or failed. */
enum verdict exact_whole(struct exact *exact, struct held *held, const struct work *choice,
                         int *side);

/* ---- exact_random.c */

/* Runs a choice of a convolution on random numbers. Checks each element against its bound, by the
 * reference in double. Prints the relative L2 error. */
enum verdict exact_random(struct exact *exact, struct held *held, const struct work *choice,
                          const char *text, int *side);

#endif
