/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the entries of convolutions share. */
#ifndef ADN_API_CONVOLUTION_H
#define ADN_API_CONVOLUTION_H

#include "api/call.h"

void adn_convolution_params(const struct adn_call *call, union kit_params *params);
void adn_convolution_fused_params(const struct adn_call *call, union kit_params *params);

/* Puts the convolution descriptor: parameters and math mode. */
static inline void adn_call_convolution(struct adn_entry *entry,
                                        const struct anydnnConvolutionStruct *desc)
{
    desc = adn_call_descriptor(entry, ADN_DESC_CONVOLUTION, "convDesc", desc, 0);
    entry->call->params = adn_convolution_params;
    entry->call->math =
        desc->math_type == ANYDNN_FMA_MATH ? ANYDNN_PLUGIN_MATH_DEFAULT : desc->math_type;
}

/* Puts the algorithm that the application names. Numbers that are too large fail later, when the
 * plan is made. */
static inline void adn_call_algorithm(struct adn_entry *entry, int algorithm)
{
    if (__builtin_expect(algorithm < 0, 0))
        adn_call_refuse(entry,
                        (struct adn_refused){.rule = ADN_REFUSED_ALGORITHM, .number = algorithm});
    entry->call->algorithm = algorithm;
}

#endif
