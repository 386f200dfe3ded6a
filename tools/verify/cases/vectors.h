/* SPDX-License-Identifier: Apache-2.0 */
/* Golden vectors: problems whose results come from elsewhere (tests/vectors/README.md tells the
 * format and the bound). */
#ifndef TOOLS_VERIFY_CASES_VECTORS_H
#define TOOLS_VERIFY_CASES_VECTORS_H

#include "judge/subject.h"
#include "problem/problem.h"
#include "tools/verify/cases/vec_reader.h"
#include "tools/verify/checks/target.h"

/* A case as it stands in the file. */
struct verify_vec {
    struct verify_vec *next;
    struct vec_case vec;
};

/* A case in one of its types. */
struct verify_vector {
    struct verify_vector *next;
    const struct verify_vec *from;
    char *name;
    struct adn_problem problem;
    struct adn_values values;
};

struct verify_vectors {
    struct verify_vec *read;
    struct verify_vector *first;
    struct verify_vector *last;
    int count;
    char sentence[ADN_JUDGE_SENTENCE]; /* of a file that cannot be read */
};

/* Every file NAME.vec of a folder, in the order of the names. 0, or -1 with the sentence. */
int verify_vectors_read(struct verify_vectors *vectors, const char *folder);
void verify_vectors_free(struct verify_vectors *vectors);
/* The subject that a vector is. 0, or -1 with a sentence when its lines do not fit its problem. */
int verify_vector_subject(const struct verify_vector *vector, struct adn_subject *subject,
                          char *sentence);

#endif
