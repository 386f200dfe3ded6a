/* SPDX-License-Identifier: Apache-2.0 */
/* Lists all tables of kernels, and finds a kernel by its number. A new family adds its tables
 * here and its own source files. */
#include "tensorcore.h"

const struct tc_table *const tc_tables[] = {
    &tc_mma_half,        &tc_mma_bfloat16, &tc_mma_tf32,        &tc_mma_split,
    &tc_mma_int8,        &tc_ampere_half,  &tc_ampere_bfloat16, &tc_ampere_tf32,
    &tc_ampere_split,    &tc_first_half,   &tc_first_bfloat16,  &tc_groups_half,
    &tc_groups_bfloat16, &tc_hopper_half,  &tc_hopper_bfloat16, &tc_hopper_tf32,
    &tc_hopper_int8,     &tc_hopper_split, &tc_narrow_half,     &tc_narrow_bfloat16};
const int32_t tc_table_count = (int32_t)(sizeof tc_tables / sizeof tc_tables[0]);

const struct tc_kernel *tc_kernel_find(int32_t number)
{
    for (int32_t t = 0; t < tc_table_count; t++) {
        for (int32_t i = 0; i < tc_tables[t]->count; i++) {
            if (tc_tables[t]->kernels[i].number == number)
                return &tc_tables[t]->kernels[i];
        }
    }
    return NULL;
}
