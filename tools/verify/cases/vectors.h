/* SPDX-License-Identifier: Apache-2.0 */
/* Golden vectors: problems whose results come from an independent source. tests/vectors/README.md
 * defines the format and the bound. */
#ifndef TOOLS_VERIFY_CASES_VECTORS_H
#define TOOLS_VERIFY_CASES_VECTORS_H

#include "judge/subject.h"
#include "problem/problem.h"
#include "tools/verify/cases/vec_reader.h"
#include "tools/verify/checks/target.h"

/* A case as in the file. */
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
    char sentence[ADN_JUDGE_SENTENCE]; /* the message for a file that cannot be read */
};

/* Reads every file NAME.vec of a folder, sorted by name. Returns 0, or -1 with a message. */
int verify_vectors_read(struct verify_vectors *vectors, const char *folder);
void verify_vectors_free(struct verify_vectors *vectors);
/* Makes the subject of a vector. Returns 0, or -1 with a message if its lines do not match its
 * problem. */
int verify_vector_subject(const struct verify_vector *vector, struct adn_subject *subject,
                          char *sentence);

#endif
