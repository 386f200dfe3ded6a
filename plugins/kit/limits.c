/* SPDX-License-Identifier: Apache-2.0 */
/* Limits that several backends publish (limits.h). */
#include "limits.h"

const struct anydnn_plugin_limit kit_parameter_types = {
    .struct_size = sizeof kit_parameter_types,
    .operation = 0,
    .value =
        ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_HALF) | ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_BFLOAT16),
    .name = "parameter_types",
    .sentence = "batch normalization takes parameters in half and bfloat16, with x of that type",
};
