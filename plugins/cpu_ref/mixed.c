/* SPDX-License-Identifier: Apache-2.0 */
/* Converts elements by type, and lists the conversions of each operation. */
#include "mixed.h"

#include <stdio.h>
#include <string.h>

#define CPU_REF_TEMPLATE "mixed.inc"
#include "each_float.inc"

#define CPU_REF_TEMPLATE "mixed.inc"
#include "each_integer.inc"

static const struct cpu_ref_mixed table[KIT_TYPES] = {
    [ANYDNN_PLUGIN_FLOAT] = {sizeof(float), load_float, store_float},
    [ANYDNN_PLUGIN_DOUBLE] = {sizeof(double), load_double, store_double},
    [ANYDNN_PLUGIN_HALF] = {sizeof(struct cpu_ref_half), load_half, store_half},
    [ANYDNN_PLUGIN_BFLOAT16] = {sizeof(struct cpu_ref_bfloat16), load_bfloat16, store_bfloat16},
    [ANYDNN_PLUGIN_INT8] = {sizeof(int8_t), load_int8, store_int8},
    [ANYDNN_PLUGIN_UINT8] = {sizeof(uint8_t), load_uint8, store_uint8},
    [ANYDNN_PLUGIN_INT32] = {sizeof(int32_t), load_int32, store_int32},
};

const struct cpu_ref_mixed *cpu_ref_mixed(int32_t type)
{
    int32_t lane = kit_lane_type(type);

    return lane >= 0 && lane < KIT_TYPES && table[lane].size ? &table[lane] : NULL;
}

#define BIT(type) ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_##type)

/* The types of which any may become any other. */
#define SIGNED   (BIT(FLOAT) | BIT(HALF) | BIT(BFLOAT16) | BIT(INT8))
#define VECTORS  (BIT(INT8X4) | BIT(INT8X32))
#define UNSIGNED (BIT(UINT8) | BIT(UINT8X4))

const struct cpu_ref_conversions cpu_ref_transform_conversions = {{
    [ANYDNN_PLUGIN_FLOAT] = SIGNED | VECTORS,
    [ANYDNN_PLUGIN_DOUBLE] = BIT(DOUBLE),
    [ANYDNN_PLUGIN_HALF] = SIGNED | VECTORS,
    [ANYDNN_PLUGIN_INT8] = SIGNED | VECTORS,
    [ANYDNN_PLUGIN_INT32] = BIT(INT32),
    [ANYDNN_PLUGIN_INT8X4] = SIGNED | VECTORS,
    [ANYDNN_PLUGIN_UINT8] = UNSIGNED,
    [ANYDNN_PLUGIN_UINT8X4] = UNSIGNED,
    [ANYDNN_PLUGIN_INT8X32] = SIGNED | VECTORS,
    [ANYDNN_PLUGIN_BFLOAT16] = SIGNED | VECTORS,
}};

const struct cpu_ref_conversions cpu_ref_filter_conversions = {{
    [ANYDNN_PLUGIN_FLOAT] = SIGNED,
    [ANYDNN_PLUGIN_DOUBLE] = BIT(DOUBLE),
    [ANYDNN_PLUGIN_HALF] = SIGNED,
    [ANYDNN_PLUGIN_INT8] = SIGNED,
    [ANYDNN_PLUGIN_UINT8] = BIT(UINT8),
    [ANYDNN_PLUGIN_BFLOAT16] = SIGNED,
}};

/* The conversions of cuDNN, whose reductions lack bfloat16; here it is treated like half. */
const struct cpu_ref_conversions cpu_ref_compute_conversions = {{
    [ANYDNN_PLUGIN_FLOAT] = SIGNED,
    [ANYDNN_PLUGIN_DOUBLE] = BIT(DOUBLE),
    [ANYDNN_PLUGIN_HALF] = BIT(FLOAT) | BIT(HALF),
    [ANYDNN_PLUGIN_INT8] = BIT(FLOAT) | BIT(INT8),
    [ANYDNN_PLUGIN_BFLOAT16] = BIT(FLOAT) | BIT(BFLOAT16),
}};

int32_t cpu_ref_check_conversion(const struct anydnn_plugin_problem *problem, int32_t in,
                                 int32_t out, const struct cpu_ref_conversions *conversions,
                                 struct kit_refusal *why)
{
    int32_t from = problem->tensor[in]->type, to = problem->tensor[out]->type;
    char made[120] = "";

    if (to >= 0 && to < KIT_TYPES && (conversions->to[from] >> to & 1))
        return 0;
    for (int32_t t = 0; t < KIT_TYPES; t++) {
        size_t used = strlen(made);
        if (conversions->to[from] >> t & 1)
            snprintf(made + used, sizeof made - used, "%s%s", used ? ", " : "", kit_type_name(t));
    }
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                      "%s: %s is %s and %s is %s; cpu_ref supports only these types of %s: %s",
                      kit_operation_name(problem->operation), kit_slot_name(problem->operation, in),
                      kit_type_name(from), kit_slot_name(problem->operation, out),
                      kit_type_name(to), kit_type_name(from), made);
}
