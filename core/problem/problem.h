/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A problem: one operation on described operands as a plain value. It holds everything that a plan
 * depends on (design section 2) and nothing that a plan does not: no pointers, factors or streams.
 * It can be checked, hashed, compared, shown to a backend, printed and parsed.
 */
#ifndef ADN_PROBLEM_PROBLEM_H
#define ADN_PROBLEM_PROBLEM_H

#include <stddef.h>
#include <stdint.h>

#include <anydnn/anydnn.h>
#include <anydnn/plugin.h>

#include "../../plugins/kit/params.h"

#define ADN_SLOTS         ANYDNN_PLUGIN_OPERAND_MAX
#define ADN_ALGORITHM_ANY (-1)
/* Enough for the text of any problem: 12 operands of 8 dims and strides. */
#define ADN_PROBLEM_TEXT_MAX 8192

/* Members of present operands and of the family's parameters count; unused dims and strides are 0,
 * so that equal problems are equal bytes. Operands that are absent need not be initialised. */
struct adn_problem {
    int32_t operation; /* ANYDNN_PLUGIN_CONVOLUTION_FORWARD, ... */
    int32_t math;
    int32_t algorithm; /* or ADN_ALGORITHM_ANY */
    int32_t deterministic;
    uint32_t present;
    uint32_t absent; /* of those present: not read, not given; others stand in (unread.c) */
    uint8_t alias[ADN_SLOTS]; /* as in plugin.h */
    union kit_params params;
    struct anydnn_plugin_tensor tensor[ADN_SLOTS];
};

/* What a call brings besides the problem and the pointers. */
struct adn_values {
    double scale[4];
    double number[4];
    double value;  /* set_tensor */
    int32_t align; /* bytes that every operand is known to be aligned to; 0: not said (256) */
};

/* ---- operations as data (operation.c) */

#define ADN_SLOT_OUT      1u /* written */
#define ADN_SLOT_IN       2u /* read (an output with beta is not an input) */
#define ADN_SLOT_OPTIONAL 4u
#define ADN_SLOT_HOST     8u /* in host memory, whatever space the handle is of */

struct adn_slot {
    const char *role; /* "x" */
    uint32_t flags;
};

enum adn_family {
    ADN_FAMILY_NONE,
    ADN_FAMILY_CONVOLUTION,
    ADN_FAMILY_FUSED, /* convolution with activation */
    ADN_FAMILY_IM2COL,
    ADN_FAMILY_POOLING,
    ADN_FAMILY_ACTIVATION,
    ADN_FAMILY_SOFTMAX,
    ADN_FAMILY_LRN,
    ADN_FAMILY_BATCH_NORMALIZATION,
    ADN_FAMILY_DROPOUT,
    ADN_FAMILY_TRANSFORM,
    ADN_FAMILY_OP_TENSOR,
    ADN_FAMILY_REDUCE,
    ADN_FAMILY_SPATIAL,
    ADN_FAMILY_CTC
};

struct adn_factor {
    const char *name;
    double initial;
};

struct adn_operation {
    enum adn_family family;
    int32_t slot_count;
    struct adn_slot slot[12];
    struct adn_factor scale[4];    /* ends with a NULL name */
    const char *number;            /* "average_factor", or NULL */
    const char *const *algorithms; /* names by number, NULL-terminated; or NULL */
};

/* The operation's description; NULL for a number that there is not. */
const struct adn_operation *adn_problem_operation(int32_t operation);
/* Bytes of the parameters of a family; 0 for ADN_FAMILY_NONE. */
size_t adn_problem_params_size(enum adn_family family);
/* The slot that decides the type of the problem: the first operand. */
static inline int32_t adn_problem_type(const struct adn_problem *problem)
{
    return problem->tensor[0].type;
}
/* Name of an algorithm of an operation, "any" for ADN_ALGORITHM_ANY, "?" when unknown; and back, or
 * -2. */
const char *adn_problem_algorithm_name(int32_t operation, int32_t algorithm);
int32_t adn_problem_algorithm_parse(int32_t operation, const char *name);

/* ---- value (problem.c) */

/* A problem of the operation with default parameters and no operand present. */
void adn_problem_init(struct adn_problem *problem, int32_t operation);
void adn_values_init(struct adn_values *values, int32_t operation);
uint64_t adn_problem_hash(const struct adn_problem *problem);
int adn_problem_equal(const struct adn_problem *a, const struct adn_problem *b);
/* Copies what counts of `from`; the rest of `to` becomes 0. */
void adn_problem_copy(struct adn_problem *to, const struct adn_problem *from);
/* Sets what is done to each result at the end (activation, epsilon) to 0 in the copy: parameters
 * that sway no choice among backends. 0, and no copy, when the operation has none of them. */
int adn_problem_broaden(const struct adn_problem *problem, struct adn_problem *broad);
/* What a backend sees; points into `problem`. */
void adn_problem_view(const struct adn_problem *problem, int32_t device,
                      struct anydnn_plugin_problem *view);

/* ---- inputs that are not read (unread.c) */

/* Inputs of which the operation reads nothing with these parameters, as bits. */
uint32_t adn_problem_unread(const struct adn_problem *problem);
/* The operand whose tensor and memory such an input has where nobody gives it; -1 where none is. */
int32_t adn_problem_stand_in(const struct adn_problem *problem, int32_t slot);
/* The operand in whose memory `slot` lies: by alias the first input there, else itself. */
int32_t adn_problem_home(const struct adn_problem *problem, int32_t slot);

/* ---- host operands (host.c) */

/* 1 for an operand that lies in host memory. */
int adn_problem_on_host(const struct adn_problem *problem, int32_t slot);
/* What host operands hold against the rules that backends rely on (plugin.h); `data` by slot. Of
 * operations without such operands nothing is read. */
anydnnStatus_t adn_problem_check_host(const struct adn_problem *problem, void *const *data,
                                      const char *entry);
/* The same of ctc_loss alone: `dims` are x's, and there are `room` labels. */
anydnnStatus_t adn_problem_check_labels(const int64_t *dims, int64_t room, const int32_t *labels,
                                        const int32_t *label_lengths, const int32_t *input_lengths,
                                        const char *entry);
/* Fills a host operand with values that keep the rules, for runs that only take the time. */
void adn_problem_fill_host(const struct adn_problem *problem, int32_t slot, void *to);

/* ---- rules (check*.c) */

/* Shapes, types and parameters against the rules of the operation. `entry` begins the sentence. */
anydnnStatus_t adn_problem_check(const struct adn_problem *problem, const char *entry);

/* ---- text (print.c, parse.c, infer.c) */

/* Writes the text form, always terminated; returns the length that it needs, without the final 0.
 * `values` may be NULL: no factors are printed. */
size_t adn_problem_print(const struct adn_problem *problem, const struct adn_values *values,
                         char *text, size_t size);

/* Reads the text form, infers operands left out, checks nothing else. On failure sets the thread's
 * last error, which names the word and, where one is near, the word that was meant. */
anydnnStatus_t adn_problem_parse(const char *text, struct adn_problem *problem,
                                 struct adn_values *values);

/* Sets the tensors of required operands that are not in `problem->present`, where the others and
 * the parameters determine them. `entry` begins the sentence of a failure. */
anydnnStatus_t adn_problem_infer(struct adn_problem *problem, const char *entry);

/* ---- parameters as data (params.c), for text */

enum adn_param_kind {
    ADN_PARAM_SPATIAL, /* int64_t list, one a spatial dim */
    ADN_PARAM_DIMS,    /* int64_t list, one a dim */
    ADN_PARAM_INT64,
    ADN_PARAM_INT32,
    ADN_PARAM_NAMES, /* int32_t with names */
    ADN_PARAM_TYPE,  /* int32_t element type */
    ADN_PARAM_DOUBLE
};

struct adn_param {
    const char *key;
    enum adn_param_kind kind;
    size_t offset; /* in union kit_params */
    double initial;
    const char *const *names; /* by number, NULL-terminated */
    int always;               /* printed also when it has its default */
};

/* The parameters of a family, ended by a NULL key. */
const struct adn_param *adn_problem_params(enum adn_family family);
/* 1 for types of data that hold integers, vectors of them included. */
int adn_problem_is_integer(int32_t type);
/* The type of the fused convolution's bias beside a y of that type. */
int32_t adn_problem_bias_type(int32_t type);
/* The compute type that text leaves out: double, int32 or float by the type of the operands. */
int32_t adn_problem_compute_default(enum adn_family family, int32_t type);

#endif
