/* SPDX-License-Identifier: Apache-2.0 */
/* What the entries of Get and Find have in common, whatever the direction. */
#ifndef ADN_API_SEARCH_H
#define ADN_API_SEARCH_H

#include "api/convolution.h"
#include "dispatch/autotune/search.h"

/* What Get and Find are given, in the order of the operation's slots. */
struct adn_question {
    const char *name;
    int32_t operation;
    const struct anydnnTensorStruct *tensor[3];
    const struct anydnnFilterStruct *filter;
    int filter_slot;
    anydnnConvolutionDescriptor_t convDesc;
    /* Ex */
    int given;
    const void *data[3];
    void *workspace;
    size_t bytes;
};

/* The call that the question is about, for any algorithm. */
anydnnStatus_t adn_question_begin(anydnnHandle_t handle, const struct adn_question *question,
                                  struct adn_call *call);

/* Where a list of answers goes. */
anydnnStatus_t adn_question_check_results(const struct adn_question *question, int requested,
                                          const int *returned, const void *results);

/* Writes the answers as perf structs of any direction. */
void adn_question_answer(const struct adn_found *found, int count, void *results);

#endif
