/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the kernels in the tables of cuda_tensorcore, one per line: the number, and the least
 * compute capability that the kernel declares. */
#include <stdio.h>

#include "../../plugins/cuda_tensorcore/tensorcore.h"

int main(void)
{
    for (int32_t t = 0; t < tc_table_count; t++)
        for (int32_t i = 0; i < tc_tables[t]->count; i++)
            printf("%d %d\n", tc_tables[t]->kernels[i].number, tc_tables[t]->kernels[i].capability);
    return 0;
}
