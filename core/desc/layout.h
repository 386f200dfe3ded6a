/* SPDX-License-Identifier: Apache-2.0 */
/* Named layouts: strides from a name, and the name of strides that have one. */
#ifndef ADN_DESC_LAYOUT_H
#define ADN_DESC_LAYOUT_H

#include <anydnn/plugin.h>

/* "nchw" (packed, last dim fastest, any number of dims), "nhwc" (packed, dim 1 fastest) or, for
 * VECT_C types, "nchw_vect_c" (strides in vectors): sets `strides` from type and dims. 0, or -1
 * when the name is none of these or does not fit the type. */
int adn_layout_set(struct anydnn_plugin_tensor *tensor, const char *name);

/* The name whose strides these are, or NULL. */
const char *adn_layout_name(const struct anydnn_plugin_tensor *tensor);

#endif
