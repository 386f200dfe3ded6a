/* SPDX-License-Identifier: Apache-2.0 */
/* Converts between names of layouts and strides. */
#include "desc/layout.h"

#include <string.h>

#include "desc/shape.h"

/* The names by anydnnTensorFormat_t. */
static const char *const names[] = {"nchw", "nhwc", "nchw_vect_c"};

#define NAMES ((int32_t)(sizeof(names) / sizeof(names[0])))

int adn_layout_set(struct anydnn_plugin_tensor *tensor, const char *name)
{
    for (int32_t format = 0; format < NAMES; format++)
        if (strcmp(names[format], name) == 0)
            return adn_shape_strides(format, tensor->type, tensor->ndims, tensor->dims,
                                     tensor->strides);
    return -1;
}

const char *adn_layout_name(const struct anydnn_plugin_tensor *tensor)
{
    int64_t strides[ANYDNN_PLUGIN_DIM_MAX];

    for (int32_t format = 0; format < NAMES; format++)
        if (adn_shape_strides(format, tensor->type, tensor->ndims, tensor->dims, strides) == 0 &&
            memcmp(strides, tensor->strides, (size_t)tensor->ndims * sizeof(strides[0])) == 0)
            return names[format];
    return NULL;
}
