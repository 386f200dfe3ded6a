/* SPDX-License-Identifier: Apache-2.0 */
/* How many cycles the kernels of the family hopper are expected to take; C and CUDA C++ alike. */
#ifndef CUDA_TENSORCORE_HOPPER_MODEL_H
#define CUDA_TENSORCORE_HOPPER_MODEL_H

#include "../tensorcore.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Count the cycles of fprop and dgrad, and of wgrad: hooks of struct tc_kernel. */
double tc_hopper_cycles(const struct tc_choice *choice, const struct conv *conv,
                        const struct tc_target *target, int64_t tiles, double mean);
double tc_hopper_wgrad_cycles(const struct tc_choice *choice, const struct conv *conv,
                              const struct tc_target *target, int64_t tiles, double mean);

/* Counts the same as tc_hopper_cycles for a kernel that loads `lines` of operands for each tile. */
double tc_hopper_cycles_of_lines(const struct tc_choice *choice, const struct conv *conv,
                                 const struct tc_target *target, int64_t tiles, double mean,
                                 double lines);

#ifdef __cplusplus
}
#endif

#endif
