/* SPDX-License-Identifier: Apache-2.0 */
/* An iteration over the scalars of an operand in logical order. */
#ifndef ADN_JUDGE_PLACES_H
#define ADN_JUDGE_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include <anydnn/plugin.h>

/* A position in the iteration. */
struct adn_places {
    const struct anydnn_plugin_tensor *tensor;
    int lanes;
    size_t size;                          /* bytes of a scalar */
    int64_t index[ANYDNN_PLUGIN_DIM_MAX]; /* index of the present scalar */
    size_t at;                            /* bytes from the start of the operand */
};

/* Starts the iteration at the first scalar. */
void adn_places_begin(struct adn_places *places, const struct anydnn_plugin_tensor *tensor);
/* Moves to the next scalar. After the last one, the iteration starts over. */
void adn_places_next(struct adn_places *places);

#endif
