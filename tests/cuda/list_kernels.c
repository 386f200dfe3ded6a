/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of all kernels of cuda_tensorcore, one a line, out of its tables. */
#include <stdio.h>

#include "../../plugins/cuda_tensorcore/tensorcore.h"

int main(void)
{
    for (int32_t t = 0; t < tc_table_count; t++)
        for (int32_t i = 0; i < tc_tables[t]->count; i++)
            printf("%d\n", tc_tables[t]->kernels[i].number);
    return 0;
}
