/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/places.h"

#include <string.h>

#include "desc/names.h"

void adn_places_begin(struct adn_places *places, const struct anydnn_plugin_tensor *tensor)
{
    memset(places, 0, sizeof(*places));
    places->tensor = tensor;
    places->lanes = adn_type_lanes(tensor->type);
    places->size = (size_t)adn_type_size(tensor->type) / (size_t)places->lanes;
}

/* Returns the distance in scalars from index 0 to index i of a dim. */
static int64_t way(const struct adn_places *places, int d, int64_t i)
{
    int64_t lanes = places->lanes;
    int64_t stride = places->tensor->strides[d] * lanes;

    return d == 1 && lanes > 1 ? i / lanes * stride + i % lanes : i * stride;
}

void adn_places_next(struct adn_places *places)
{
    for (int d = places->tensor->ndims - 1; d >= 0; d--) {
        int64_t last = places->index[d];
        int64_t next = last + 1 < places->tensor->dims[d] ? last + 1 : 0;

        places->index[d] = next;
        places->at += (size_t)(way(places, d, next) - way(places, d, last)) * places->size;
        if (next > 0)
            return;
    }
}
