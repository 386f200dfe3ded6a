/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Right results and how far a result may be from them, shared with the tools. A subject is a
 * problem with everything that judging it takes: what its operands hold in logical order, and what
 * they should hold afterwards. An oracle runs problems in double; from it come the right results
 * and the sums that bound the error of each element.
 */
#ifndef ADN_JUDGE_JUDGE_H
#define ADN_JUDGE_JUDGE_H

#include <stddef.h>
#include <stdint.h>

#include "numerics/numerics.h"
#include "problem/problem.h"

#define ADN_JUDGE_SENTENCE 1024

/* How a result may differ from the oracle's. */
enum adn_judgement {
    ADN_JUDGE_EXACT,    /* rounded once, or not at all, whatever the data */
    ADN_JUDGE_SUMS,     /* sums of products: S is the same problem on absolute values */
    ADN_JUDGE_SENSITIVE /* other functions: S is the change under small relative changes of the
                         * inputs
                         */
};

/* What the numbers are that are read. */
enum adn_numbers {
    ADN_NUMBERS_REAL,  /* any */
    ADN_NUMBERS_WHOLE, /* whole, as large as the type holds */
    ADN_NUMBERS_SMALL  /* whole, and so small that float adds them up exactly */
};

/* One operand's part, in logical row-major order, scalar by scalar. */
struct adn_subject_slot {
    int64_t count;   /* 0: absent */
    int compared;    /* an output that has a meaning afterwards */
    double *before;  /* of what is read; NULL where the operation must not read */
    double *want;    /* of an output that is compared; NULL without an oracle */
    double *sum;     /* S of each element; NULL: 0 */
    double *squares; /* of the terms; NULL: 0 */
};

struct adn_subject {
    struct adn_problem problem;
    struct adn_values values;
    const struct adn_operation *info;
    int data; /* where they are from: the caller's word for it */
    enum adn_numbers numbers;
    int whole; /* all that is read are whole numbers, whose sums are exact */
    int exact; /* equal but for one rounding */
    double terms;
    struct adn_subject_slot slot[ADN_SLOTS];
};

/* Who knows the right results. `run` takes a problem in double and runs it on images of packed
 * operands by slot; 0; 1 with a sentence when it declines; -1 when it fails. */
struct adn_oracle {
    int (*run)(struct adn_oracle *oracle, const struct adn_problem *wide,
               const struct adn_values *values, void *image[ADN_SLOTS], char *sentence);
    void *own; /* of `run` */
};

/* ---- subject.c */

/* Describes the operands of a problem; what they hold is the caller's to fill in. */
void adn_subject_begin(struct adn_subject *subject, const struct adn_problem *problem,
                       const struct adn_values *values);
/* Whether what the operand holds before a run counts: of inputs, and of outputs that are blended
 * with it. */
int adn_subject_is_read(const struct adn_subject *subject, int slot);
/* Of inputs in one place all hold what the first does. 0, or -1 with a sentence. */
int adn_subject_share(struct adn_subject *subject, char *sentence);

int adn_subject_has(const struct adn_subject *subject, int slot);
int adn_subject_is_out(const struct adn_subject *subject, int slot);
int adn_subject_is_in(const struct adn_subject *subject, int slot);
int adn_subject_find(const struct adn_subject *subject, const char *role); /* present, or -1 */
/* The scalars of an operand in logical order: where each lies. */
struct adn_places {
    const struct anydnn_plugin_tensor *tensor;
    int lanes;
    size_t size;                          /* of a scalar */
    int64_t index[ANYDNN_PLUGIN_DIM_MAX]; /* of the present one */
    size_t at;                            /* bytes from the operand's start */
};
void adn_places_begin(struct adn_places *places, const struct anydnn_plugin_tensor *tensor);
void adn_places_next(struct adn_places *places);

void adn_subject_free(struct adn_subject *subject);
/* -1, with the sentence. */
int adn_judge_no_memory(char *sentence);
/* SplitMix64: the next of a sequence of random bits. */
uint64_t adn_random_bits(uint64_t *state);

/* ---- rules.c */

int adn_judge_is_bytes(const char *role); /* states and reserves: bits, not numbers */
/* An output whose content has no meaning: scratch, and batch normalization's reserve without an
 * activation. */
int adn_judge_is_idle(const struct adn_problem *problem, const char *role);
/* Which scaling factors blend the output: indices in `scale`, or -1. */
void adn_subject_blend(const struct adn_subject *subject, int slot, int *alpha, int *beta);
enum adn_judgement adn_judge_of(const struct adn_problem *problem);
int adn_judge_exact_on_integers(const struct adn_problem *problem);

/* Activations, by the numbers of problems. */
enum {
    ADN_JUDGE_SIGMOID = 0,
    ADN_JUDGE_TANH = 2,
    ADN_JUDGE_ELU = 4,
    ADN_JUDGE_IDENTITY = 5,
    ADN_JUDGE_SWISH = 6
};

/* Whether a convolution ends in a function whose last bits are the library's: sigmoid, tanh, elu,
 * swish. */
int adn_judge_is_activated(const struct adn_problem *problem);

double adn_judge_terms(const struct adn_problem *problem);
/* A convolution whose sums are integers of 32 bits, which wrap. */
int adn_judge_sums_wrap(const struct adn_problem *problem);

/* ---- expect.c */

/* Works out want, sum and squares of every compared output. 0; 1 with a sentence when the oracle
 * declines; -1 when it fails. */
int adn_oracle_expect(struct adn_oracle *oracle, struct adn_subject *subject, char *sentence);

/* What an oracle's inputs are instead of the subject's own. */
enum adn_change {
    ADN_AS_THEY_ARE,
    ADN_ABSOLUTE,
    ADN_SQUARED,
    ADN_CHANGED /* each by half to the whole of ADN_CHANGE of itself, up or down, by `seed` */
};
#define ADN_CHANGE 0x1p-20
/* Results without the blend, in new memory, for every compared output. */
int adn_oracle_results(struct adn_oracle *oracle, const struct adn_subject *subject,
                       enum adn_change change, uint64_t seed, double *out[ADN_SLOTS],
                       char *sentence);

/* ---- sums.c */

/* Works out sum and squares of the results without the blend. */
int adn_oracle_sums(struct adn_oracle *oracle, struct adn_subject *subject, char *sentence);

/* ---- activated.c */

/* Makes the sums those of what follows the convolution. 0, 1 or -1 as above. */
int adn_oracle_activated(struct adn_oracle *oracle, struct adn_subject *subject, char *sentence);

/* ---- cancel.c */

/* Raises the sums to the sizes of terms that cancel, where changes of the inputs do not show them.
 * 0, or -1 with a sentence. */
int adn_subject_cancelling(struct adn_subject *subject, char *sentence);

/* ---- wrapping.c */

/* The same as adn_oracle_run for a convolution of integers: its sums wrap, then scaling factors
 * (values->scale), bias and activation apply. */
int adn_oracle_run_wrapping(struct adn_oracle *oracle, const struct adn_problem *problem,
                            const struct adn_values *values, double *const in[ADN_SLOTS],
                            double *const out[ADN_SLOTS], char *sentence);

/* ---- oracle.c */

/* Runs `problem` in double on packed operands; reads `in`, fills `out` where not NULL. The same
 * results; 1 where there is no oracle, too. */
int adn_oracle_run(struct adn_oracle *oracle, const struct adn_problem *problem,
                   const struct adn_values *values, double *const in[ADN_SLOTS],
                   double *const out[ADN_SLOTS], char *sentence);
/* ---- element.c */

/* What a candidate says of the way it computes. */
struct adn_method {
    int32_t math;
    uint32_t notes;
};

/* One element of an output. */
struct adn_judged {
    struct adn_bound bound;
    int64_t at; /* in logical order */
    double got;
    double want;
    double sum;
    double squares;
    int right; /* by itself; transform algorithms are judged as a whole */
};

/* How far rounding may drive the elements of an output. */
void adn_subject_bound(const struct adn_subject *subject, int slot, const struct adn_method *method,
                       struct adn_bound *bound);
/* Whether an output must be the number of its type nearest to the right value. */
int adn_subject_is_exact(const struct adn_subject *subject, int slot);
/* `bound`, `at` and `got` are given; works out the rest. */
void adn_judged_find(const struct adn_subject *subject, int slot, const struct adn_method *method,
                     struct adn_judged *element);
/* Whether an output is judged by its relative L2 error, and which it may have. */
int adn_method_is_transform(const struct adn_method *method);
double adn_subject_transform_limit(const struct adn_subject *subject, int slot);
/* The bound of an element's error, and its error in parts of it. Where one number alone is right,
 * the error is nothing or beyond all; integers saturate, so that theirs counts from the nearest
 * number of the type. */
double adn_judged_limit(const struct adn_judged *element, int exact);
double adn_judged_ratio(const struct adn_judged *element, int exact);

/* A whole output held to what it should be. */
struct adn_verdict {
    struct adn_measure measure;
    int exact;               /* no other number of the type is right */
    int whole;               /* judged by the relative L2 error */
    int64_t wrong;           /* elements beyond the bound */
    double ratio;            /* the largest error in parts of its bound */
    struct adn_judged worst; /* whose that is; `at` -1: no error */
    double limit;            /* its bound */
    int holds;
};

/* The elements lie at `bytes` as the operand's tensor says. `reference`: how the reference computed
 * where it did in the operands' own types, so that its rounding counts, too; NULL for double. With
 * `l2` above 0 the relative L2 error may be that, whatever elements are. */
void adn_judge_output(const struct adn_subject *subject, int slot, const struct adn_method *method,
                      const struct adn_method *reference, double l2, const unsigned char *bytes,
                      struct adn_verdict *verdict);

/* The index of an element, by its place in logical order: "0,2,1". */
void adn_index_text(const struct anydnn_plugin_tensor *tensor, int64_t at, char *text, size_t size);

#endif
