/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison of an output, and of one element, with the right results. */
#ifndef ADN_JUDGE_ELEMENT_H
#define ADN_JUDGE_ELEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "judge/subject.h"
#include "numerics/numerics.h"

/* A statement of a candidate about the way it computes. */
struct adn_method {
    int32_t math;
    uint32_t notes;
};

/* One element of an output. */
struct adn_judged {
    struct adn_bound bound;
    int64_t at; /* position in logical order */
    double got;
    double want;
    double sum;
    double squares;
    int right; /* 1 if within its bound; unused for transform algorithms */
};

/* Fills in the properties of `bound` that all elements of an output share. */
void adn_subject_bound(const struct adn_subject *subject, int slot, const struct adn_method *method,
                       struct adn_bound *bound);
/* Returns 1 if each element must be the number of its type nearest to the right value. */
int adn_subject_is_exact(const struct adn_subject *subject, int slot);
/* Fills in the rest of an element whose `bound`, `at` and `got` are set. */
void adn_judged_fill(const struct adn_subject *subject, int slot, const struct adn_method *method,
                     struct adn_judged *element);
/* Returns 1 if outputs of the method are judged by their relative L2 error. */
int adn_method_is_transform(const struct adn_method *method);
/* Returns the largest relative L2 error that such an output may have. */
double adn_subject_transform_limit(const struct adn_subject *subject, int slot);
/* Returns the bound of the element's error. */
double adn_judged_limit(const struct adn_judged *element, int exact);
/* Returns the element's error in parts of its bound. If only one number is right, the error is 0 or
 * infinite. Integers saturate, so their error counts from the nearest number of the type. */
double adn_judged_ratio(const struct adn_judged *element, int exact);

/* The comparison of a whole output. */
struct adn_verdict {
    struct adn_measure measure;
    int exact;               /* 1 if only one number of the type is right */
    int whole;               /* judged by the relative L2 error */
    int64_t wrong;           /* elements beyond the bound */
    double ratio;            /* the largest error in parts of its bound */
    struct adn_judged worst; /* the element with that error; `at` is -1 if there is no error */
    double limit;            /* the bound of that element */
    int holds;
};

/* Judges the elements that lie at `bytes` as the operand's tensor states. `reference` is the method
 * of a reference that computed in the operands' own types, whose rounding counts too; it is NULL
 * for double. With `l2` above 0, a relative L2 error up to `l2` is accepted, whatever the elements
 * are. */
void adn_judge_output(const struct adn_subject *subject, int slot, const struct adn_method *method,
                      const struct adn_method *reference, double l2, const unsigned char *bytes,
                      struct adn_verdict *verdict);

/* Writes the index of the element at a place in logical order: "0,2,1". */
void adn_index_text(const struct anydnn_plugin_tensor *tensor, int64_t at, char *text, size_t size);

#endif
