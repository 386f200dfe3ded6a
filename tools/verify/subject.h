/* SPDX-License-Identifier: Apache-2.0 */
/* A problem with everything that judging it takes: what its operands hold in logical order, and
 * what they should hold afterwards. */
#ifndef TOOLS_VERIFY_SUBJECT_H
#define TOOLS_VERIFY_SUBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "load/load.h"
#include "numerics/numerics.h"
#include "problem/problem.h"
#include "tools/operands.h"

#define VERIFY_SLOTS    ADN_SLOTS
#define VERIFY_SENTENCE 1024

/* How a result may differ from the oracle's. */
enum verify_judgement {
    VERIFY_EXACT,    /* rounded once, or not at all, whatever the data */
    VERIFY_SUMS,     /* sums of products: S is the same problem on absolute values */
    VERIFY_SENSITIVE /* other functions: S is the change under small relative changes of the inputs
                      */
};

enum verify_data {
    VERIFY_INTEGERS, /* small whole numbers: sums of products are exact in any order */
    VERIFY_REALS,    /* where the type is an integer: whole numbers from all of its range */
    VERIFY_NORMAL,   /* the same with mean 0 and variance 1 */
    VERIFY_UNIFORM,  /* the same in [-1, 1) */
    VERIFY_SPECIALS, /* small whole numbers with some NaN and infinities among them */
    VERIFY_LARGE     /* the highest numbers of integer types, of which 32-bit sums wrap */
};

static inline int verify_is_real(enum verify_data data)
{
    return data == VERIFY_REALS || data == VERIFY_NORMAL || data == VERIFY_UNIFORM;
}

/* One operand's part, in logical row-major order, scalar by scalar. */
struct verify_slot {
    const struct element *element; /* NULL: absent */
    int64_t count;
    int compared;    /* an output that has a meaning afterwards */
    double *before;  /* of what is read; NULL where the operation must not read */
    double *want;    /* of an output that is compared; NULL without an oracle */
    double *sum;     /* S of each element; NULL: 0 */
    double *squares; /* of the terms; NULL: 0 */
};

struct verify_subject {
    struct adn_problem problem;
    struct adn_values values;
    const struct adn_operation *info;
    enum verify_data data;
    int whole; /* all that is read are whole numbers, whose sums are exact */
    int exact; /* equal but for one rounding */
    double terms;
    struct verify_slot slot[VERIFY_SLOTS];
};

/* Who knows the right answers. `run` takes a problem in double and runs it on images of packed
 * operands by slot; 0; 1 with a sentence when it declines; -1 when it fails. */
struct verify_oracle {
    int (*run)(struct verify_oracle *oracle, const struct adn_problem *wide,
               const struct adn_values *values, void *image[VERIFY_SLOTS], char *sentence);
    struct adn_backend *backend; /* of verify_oracle_backend */
    struct anydnn_plugin_context *context;
    void *own; /* of another `run` */
};

/* ---- subject.c */

int verify_is_present(const struct verify_subject *subject, int slot);
int verify_is_out(const struct verify_subject *subject, int slot);
int verify_is_in(const struct verify_subject *subject, int slot);
int verify_slot_find(const struct verify_subject *subject, const char *role); /* present, or -1 */
int verify_is_bytes(const char *role); /* states and reserves: bits, not numbers */
/* An output whose content has no meaning: scratch, and batch normalization's reserve without an
 * activation. */
int verify_is_idle(const struct adn_problem *problem, const char *role);
/* Which scaling factors blend the output: indices in `scale`, or -1. */
void verify_blend(const struct verify_subject *subject, int slot, int *alpha, int *beta);
enum verify_judgement verify_judge(const struct adn_problem *problem);
int verify_exact_on_integers(const struct adn_problem *problem);

/* Activations, by the numbers of problems. */
enum { VERIFY_SIGMOID = 0, VERIFY_TANH = 2, VERIFY_ELU = 4, VERIFY_IDENTITY = 5, VERIFY_SWISH = 6 };

/* Whether a convolution ends in a function whose last bits are the library's: sigmoid, tanh, elu,
 * swish. */
int verify_is_activated(const struct adn_problem *problem);

double verify_terms(const struct adn_problem *problem);
/* A convolution whose sums are integers of 32 bits, which wrap. */
int verify_sums_wrap(const struct adn_problem *problem);
/* The scalars of an operand in logical order: where each lies. */
struct verify_places {
    const struct anydnn_plugin_tensor *tensor;
    int lanes;
    size_t size;                          /* of a scalar */
    int64_t index[ANYDNN_PLUGIN_DIM_MAX]; /* of the present one */
    size_t at;                            /* bytes from the operand's start */
};
void verify_places_begin(struct verify_places *places, const struct anydnn_plugin_tensor *tensor,
                         const struct element *element);
void verify_places_next(struct verify_places *places);

/* ---- data.c */

/* Parses nothing: `problem` and `values` are taken. Fills what the operation reads, deterministic
 * in `seed`. 0, or -1 with a sentence. */
int verify_subject_fill(struct verify_subject *subject, const struct adn_problem *problem,
                        const struct adn_values *values, enum verify_data data, uint64_t seed,
                        struct verify_oracle *oracle, char *sentence);
void verify_subject_free(struct verify_subject *subject);

/* ---- source.c */

/* Replaces inputs by what the operation that this one goes back over gives. 0, 1 or -1 as below. */
int verify_source_fill(struct verify_subject *subject, uint64_t seed, struct verify_oracle *oracle,
                       char *sentence);
uint64_t verify_random_bits(uint64_t *state);
/* Numbers of a hump around 0, none of them near 0. */
double verify_random_real(uint64_t *state);

/* ---- expect.c */

/* Works out want, sum and squares of every compared output. 0; 1 with a sentence when the oracle
 * declines; -1 when it fails. */
int verify_oracle_answer(struct verify_oracle *oracle, struct verify_subject *subject,
                         char *sentence);

/* What an oracle's inputs are instead of the subject's own. */
enum verify_change {
    VERIFY_AS_THEY_ARE,
    VERIFY_ABSOLUTE,
    VERIFY_SQUARED,
    VERIFY_CHANGED /* each by half to the whole of VERIFY_CHANGE of itself, up or down, by `seed` */
};
#define VERIFY_CHANGE 0x1p-20
/* Results without the blend, in new memory, for every compared output. */
int verify_results(struct verify_oracle *oracle, const struct verify_subject *subject,
                   enum verify_change change, uint64_t seed, double *out[VERIFY_SLOTS],
                   char *sentence);

/* ---- sums.c */

/* Works out sum and squares of the results without the blend. */
int verify_sums(struct verify_oracle *oracle, struct verify_subject *subject, char *sentence);

/* ---- activated.c */

/* Makes the sums those of what follows the convolution. 0, 1 or -1 as above. */
int verify_activated(struct verify_oracle *oracle, struct verify_subject *subject, char *sentence);

/* ---- cancel.c */

/* Raises the sums to the sizes of terms that cancel, where changes of the inputs do not show them.
 */
void verify_cancelling(struct verify_subject *subject);

/* ---- wrap.c */

/* The same as verify_oracle_run for a convolution of integers: its sums wrap, then scaling factors
 * (values->scale), bias and activation apply. */
int verify_wrapping_run(struct verify_oracle *oracle, const struct adn_problem *problem,
                        const struct adn_values *values, double *const in[VERIFY_SLOTS],
                        double *const out[VERIFY_SLOTS], char *sentence);

/* ---- oracle.c */

/* Runs `problem` in double on packed operands; reads `in`, fills `out` where not NULL. The same
 * results; 1 where there is no oracle, too. */
int verify_oracle_run(struct verify_oracle *oracle, const struct adn_problem *problem,
                      const struct adn_values *values, double *const in[VERIFY_SLOTS],
                      double *const out[VERIFY_SLOTS], char *sentence);
/* The oracle's `run` that calls the functions of `backend`. */
int verify_oracle_backend(struct verify_oracle *oracle, const struct adn_problem *wide,
                          const struct adn_values *values, void *image[VERIFY_SLOTS],
                          char *sentence);

/* ---- judge.c */

/* What a candidate says of the way it computes. */
struct verify_method {
    int32_t math;
    uint32_t notes;
};

/* One element of an output. */
struct verify_element {
    struct adn_bound bound;
    int64_t at; /* in logical order */
    double got;
    double want;
    double sum;
    double squares;
    int right; /* by itself; transform algorithms are judged as a whole */
};

/* How far rounding may drive the elements of an output. */
void verify_bound(const struct verify_subject *subject, int slot,
                  const struct verify_method *method, struct adn_bound *bound);
/* Whether an output must be the number of its type nearest to the right value. */
int verify_is_exact(const struct verify_subject *subject, int slot);
/* `bound`, `at` and `got` are given; works out the rest. */
void verify_element_judge(const struct verify_subject *subject, int slot,
                          const struct verify_method *method, struct verify_element *element);
/* Whether an output is judged by its relative L2 error, and which it may have. */
int verify_is_transform(const struct verify_method *method);
double verify_transform_limit(const struct verify_subject *subject, int slot);
/* The index of an element, by its place in logical order: "0,2,1". */
void verify_index_text(const struct anydnn_plugin_tensor *tensor, int64_t at, char *text,
                       size_t size);

#endif
