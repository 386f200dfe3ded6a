/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of any type and strides for tests of cpu_ref. Elements are accessed by index tuple,
 * memory ends with the last element, and all bytes between the elements are checked. */
#ifndef TESTS_UNIT_CPU_REF_OPERAND_H
#define TESTS_UNIT_CPU_REF_OPERAND_H

#include "cpu_ref_fixture.h"

#define OPERAND_SLOTS 6

/* The types by their short names. */
#define F64   ANYDNN_PLUGIN_DOUBLE
#define F32   ANYDNN_PLUGIN_FLOAT
#define F16   ANYDNN_PLUGIN_HALF
#define BF16  ANYDNN_PLUGIN_BFLOAT16
#define S8    ANYDNN_PLUGIN_INT8
#define U8    ANYDNN_PLUGIN_UINT8
#define S32   ANYDNN_PLUGIN_INT32
#define S8X4  ANYDNN_PLUGIN_INT8X4
#define U8X4  ANYDNN_PLUGIN_UINT8X4
#define S8X32 ANYDNN_PLUGIN_INT8X32

enum operand_layout {
    OPERAND_ROWS,     /* packed, the last dim fastest */
    OPERAND_CHANNELS, /* packed, dim 1 fastest */
    OPERAND_GAPS,     /* dims in any order, with gaps */
    OPERAND_LAYOUTS
};

struct operand {
    struct anydnn_plugin_tensor tensor;
    unsigned char *data;
    unsigned char *before; /* the data before a run */
    unsigned char *taken;  /* 1 for each byte of an element */
    int64_t bytes;
};

/* Returns a number from `least` to `most`, both included. */
int64_t operand_random(uint64_t *seed, int64_t least, int64_t most);

enum operand_layout operand_any_layout(uint64_t *seed);

/* Returns the channels per vector; 1 for other types. */
int64_t operand_lanes(int32_t type);

/* Makes an operand whose bytes are all 0x5a. Strides of vector types count vectors, and their
 * channels must fill whole vectors. `seed` draws order and gaps. */
void operand_make(struct operand *operand, int32_t type, int32_t ndims, const int64_t *dims,
                  enum operand_layout layout, uint64_t *seed);
void operand_free(struct operand *operand);

/* Advances to the next index tuple, the last index fastest; `index` starts as zeros. Returns 0
 * after the last tuple. */
int operand_next(const struct operand *operand, int64_t *index);

double operand_get(const struct operand *operand, const int64_t *index);
/* Stores a value, rounded to the type. */
void operand_set(struct operand *operand, const int64_t *index, double value);
/* Stores the elements in order of their index tuples, as many as `operand` has. */
void operand_put(struct operand *operand, const double *values);
void operand_expect(const struct operand *operand, const double *values);
/* Draws every element from least / divisor to most / divisor. */
void operand_fill(struct operand *operand, uint64_t *seed, int64_t least, int64_t most,
                  double divisor);

/* An operation with its operands by slot, NULL if absent. */
struct operand_call {
    int32_t operation;
    const void *params;
    struct operand *slot[OPERAND_SLOTS];
    uint8_t alias[OPERAND_SLOTS];
    double scale[4];
    const void *value;
};

/* Runs the operation, which must succeed and write only elements of the operands in `outputs`,
 * one bit per slot. */
void operand_run(const struct operand_call *call, uint32_t outputs);

/* Checks that the problem is declined for this reason, with a sentence that contains `part`. */
void operand_declined(const struct operand_call *call, int32_t reason, const char *part);

#endif
