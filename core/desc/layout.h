/* SPDX-License-Identifier: Apache-2.0 */
/* Named layouts. A name gives strides, and some strides have a name. */
#ifndef ADN_DESC_LAYOUT_H
#define ADN_DESC_LAYOUT_H

#include <anydnn/plugin.h>

/* Sets `strides` from type and dims for "nchw" (packed, last dim fastest, any number of dims),
 * "nhwc" (packed, dim 1 fastest) or, for VECT_C types, "nchw_vect_c" (strides in vectors). Returns
 * 0, or -1 if the name is another or does not fit the type. */
int adn_layout_set(struct anydnn_plugin_tensor *tensor, const char *name);

/* Returns the name that has these strides, or NULL. */
const char *adn_layout_name(const struct anydnn_plugin_tensor *tensor);

#endif
