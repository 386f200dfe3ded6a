/* SPDX-License-Identifier: Apache-2.0 */
/* What the entries of convolutions share. */
#ifndef ADN_API_CONVOLUTION_H
#define ADN_API_CONVOLUTION_H

#include "api/call.h"

void adn_convolution_params(const struct adn_call *call, union kit_params *params);
void adn_convolution_fused_params(const struct adn_call *call, union kit_params *params);

/* The convolution descriptor: parameters and math mode. */
#define ADN_CONVOLUTION(into, desc)                                                                \
    do {                                                                                           \
        ADN_DESCRIPTOR(into, ADN_DESC_CONVOLUTION, "convDesc", desc, 0);                           \
        (into)->call.params = adn_convolution_params;                                              \
        (into)->call.math =                                                                        \
            (desc)->math_type == ANYDNN_FMA_MATH ? ANYDNN_PLUGIN_MATH_DEFAULT : (desc)->math_type; \
    } while (0)

/* The algorithm that the application names; numbers that are too large fail when a plan is made. */
#define ADN_ALGORITHM(into, algorithm_named)                                                       \
    do {                                                                                           \
        ADN_REQUIRE((algorithm_named) >= 0, adn_call_refuse_algorithm(into, algorithm_named));     \
        (into)->call.algorithm = algorithm_named;                                                  \
    } while (0)

#endif
