/* SPDX-License-Identifier: Apache-2.0 */
/* What the entries of queries, Get and Find have in common, whatever the direction. */
#ifndef ADN_API_SEARCH_H
#define ADN_API_SEARCH_H

#include "api/convolution.h"
#include "dispatch/autotune/search.h"

enum { ADN_FORWARD, ADN_BACKWARD_DATA, ADN_BACKWARD_FILTER, ADN_DIRECTIONS };

/* What tells the directions of a convolution apart. */
struct adn_direction {
    int32_t operation;
    int filter_slot; /* the other two are tensors' */
    int algorithms;  /* how many cuDNN has */
};

extern const struct adn_direction adn_directions[ADN_DIRECTIONS];

/* What an entry is given. */
struct adn_question {
    const char *name;
    int direction;
    const void *desc[3]; /* in the order of the operation's slots */
    anydnnConvolutionDescriptor_t convDesc;
    /* Ex */
    int given;
    const void *data[3];
    void *workspace;
    size_t bytes;
};

static inline struct adn_question adn_question_of(const char *name, int direction,
                                                  const void *desc0, const void *desc1,
                                                  const void *desc2,
                                                  anydnnConvolutionDescriptor_t convDesc)
{
    return (struct adn_question){name, direction, {desc0, desc1, desc2}, convDesc};
}

/* Gives the question the pointers of an Ex entry. */
static inline void adn_question_give(struct adn_question *question, const void *data0,
                                     const void *data1, const void *data2, void *workspace,
                                     size_t bytes)
{
    question->given = 1;
    question->data[0] = data0;
    question->data[1] = data1;
    question->data[2] = data2;
    question->workspace = workspace;
    question->bytes = bytes;
}

/* Begins the call that the question is about, for the algorithm, or for any where that is NULL. */
void adn_question_call(struct adn_entry *entry, struct adn_call *call,
                       const struct adn_question *question, const int *algorithm);

/* Begins the call of a search, for any algorithm, and fails where an argument is bad. */
anydnnStatus_t adn_question_begin(anydnnHandle_t handle, const struct adn_question *question,
                                  struct adn_call *call);

typedef anydnnStatus_t adn_search_fn(const struct adn_search *search, int requested,
                                     struct adn_found *found, int *count);

/* Searches, and writes the answers as perf structs of the direction. */
anydnnStatus_t adn_question_list(anydnnHandle_t handle, const struct adn_question *question,
                                 adn_search_fn *search_fn, uint64_t limit, int requested,
                                 int *returned, void *results);

#endif
