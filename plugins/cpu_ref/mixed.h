/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of any type as doubles, and back, by functions chosen at run time: for operations whose
 * operands are not all of one type. */
#ifndef CPU_REF_MIXED_H
#define CPU_REF_MIXED_H

#include "cpu_ref.h"

/* Elements that are converted at a time. */
#define CPU_REF_MIXED_ROW 256

/* `load` reads n elements that lie `stride` apart, `store` rounds n numbers to such. */
struct cpu_ref_mixed {
    int64_t size; /* bytes of an element */
    void (*load)(double *to, const void *from, int64_t stride, int64_t n);
    void (*store)(void *to, int64_t stride, const double *from, int64_t n);
};

/* Of a vector type, its lanes. NULL for a type that no operation computes with. */
const struct cpu_ref_mixed *cpu_ref_mixed(int32_t type);

/* What an operation makes of its input: for each type of that, those of the output as
 * ANYDNN_PLUGIN_TYPE_BIT. */
struct cpu_ref_conversions {
    uint32_t to[KIT_TYPES];
};

/* Refuses an output of a type that is not made of the input's, which must be in range. */
int32_t cpu_ref_check_conversion(const struct anydnn_plugin_problem *problem, int32_t in,
                                 int32_t out, const struct cpu_ref_conversions *conversions,
                                 struct kit_refusal *why);

/* Those of transform_tensor and transform_tensor_ex; of transform_filter, which has no vectors; of
 * op_tensor and reduce_tensor. */
extern const struct cpu_ref_conversions cpu_ref_transform_conversions;
extern const struct cpu_ref_conversions cpu_ref_filter_conversions;
extern const struct cpu_ref_conversions cpu_ref_compute_conversions;

#endif
