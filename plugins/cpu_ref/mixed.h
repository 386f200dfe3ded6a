/* SPDX-License-Identifier: Apache-2.0 */
/* Converts elements of any type to doubles and back, by functions selected at run time. It serves
 * operations whose operands have different types. */
#ifndef CPU_REF_MIXED_H
#define CPU_REF_MIXED_H

#include "cpu_ref.h"

/* The elements converted at a time. */
#define CPU_REF_MIXED_ROW 256

/* The functions of a type. `load` reads n elements with a stride; `store` rounds and writes n
 * elements. */
struct cpu_ref_mixed {
    int64_t size; /* bytes per element */
    void (*load)(double *to, const void *from, int64_t stride, int64_t n);
    void (*store)(void *to, int64_t stride, const double *from, int64_t n);
};

/* Returns the functions of a type, or of the lanes of a vector type. Returns NULL for a type with
 * which no operation computes. */
const struct cpu_ref_mixed *cpu_ref_mixed(int32_t type);

/* The output types that an operation supports for each input type, as ANYDNN_PLUGIN_TYPE_BIT. */
struct cpu_ref_conversions {
    uint32_t to[KIT_TYPES];
};

/* Refuses an output type that is not supported for the input type, which must be in range. */
int32_t cpu_ref_check_conversion(const struct anydnn_plugin_problem *problem, int32_t in,
                                 int32_t out, const struct cpu_ref_conversions *conversions,
                                 struct kit_refusal *why);

/* The conversions of transform_tensor and transform_tensor_ex; of transform_filter, which has no
 * vectors; of op_tensor and reduce_tensor. */
extern const struct cpu_ref_conversions cpu_ref_transform_conversions;
extern const struct cpu_ref_conversions cpu_ref_filter_conversions;
extern const struct cpu_ref_conversions cpu_ref_compute_conversions;

#endif
