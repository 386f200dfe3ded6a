/* SPDX-License-Identifier: Apache-2.0 */
/* Golden vectors: problems whose answers come from elsewhere (tests/vectors/README.md tells the
 * format and the bound). */
#ifndef TOOLS_VERIFY_VECTORS_H
#define TOOLS_VERIFY_VECTORS_H

#include "target.h"

/* A problem as double or as float, with values by slot; the float one shares the double one's. */
struct verify_vector {
    struct verify_vector *next;
    const struct verify_vector *shares; /* whose numbers these are; NULL: its own */
    char *name;
    struct adn_problem problem;
    struct adn_values values;
    double *before[VERIFY_SLOTS];
    double *want[VERIFY_SLOTS];
    double *sum[VERIFY_SLOTS];
    double terms;
};

struct verify_vectors {
    struct verify_vector *first;
    struct verify_vector *last;
    int count;
    char sentence[VERIFY_SENTENCE]; /* of a file that cannot be read */
};

/* Every file NAME.vec of a folder, in the order of the names. 0, or -1 with the sentence. */
int verify_vectors_read(struct verify_vectors *vectors, const char *folder);
void verify_vectors_free(struct verify_vectors *vectors);
/* The subject that a vector is. */
void verify_vector_subject(const struct verify_vector *vector, struct verify_subject *subject);

#endif
