/* SPDX-License-Identifier: Apache-2.0 */
/* Limits that several backends publish. */
#ifndef KIT_LIMITS_H
#define KIT_LIMITS_H

#include <anydnn/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The limit of a backend whose batch normalizations take scale, bias and statistics in half and
 * bfloat16, if x has that type. The host does not query a backend without it for such problems. */
extern const struct anydnn_plugin_limit kit_parameter_types;

#ifdef __cplusplus
}
#endif

#endif
