/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the cost functions of the family hopper. It compiles as C and as CUDA C++. */
#ifndef CUDA_TENSORCORE_HOPPER_MODEL_H
#define CUDA_TENSORCORE_HOPPER_MODEL_H

#include "../tensorcore.h"

#ifdef __cplusplus
extern "C" {
#endif

/* These functions count the cycles of fprop and dgrad, and of wgrad. They are hooks of struct
 * tc_kernel. */
double tc_hopper_cycles(const struct tc_choice *choice, const struct conv *conv,
                        const struct tc_target *target, int64_t tiles, double mean);
double tc_hopper_wgrad_cycles(const struct tc_choice *choice, const struct conv *conv,
                              const struct tc_target *target, int64_t tiles, double mean);

/* Counts cycles like tc_hopper_cycles, for a kernel that loads `lines` lines of operands per
 * tile. */
double tc_hopper_cycles_of_lines(const struct tc_choice *choice, const struct conv *conv,
                                 const struct tc_target *target, int64_t tiles, double mean,
                                 double lines);

#ifdef __cplusplus
}
#endif

#endif
