/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the operations. This backend implements all of them. */
#include "table.h"

#define OPERATION(number, name, ...) &cpu_ref_##name,
const struct cpu_ref_kernel *const cpu_ref_kernels[] = {
#include "../kit/operations.def"
};

const uint32_t cpu_ref_kernel_count = sizeof cpu_ref_kernels / sizeof cpu_ref_kernels[0];

const struct cpu_ref_kernel *cpu_ref_kernel_lookup(int32_t operation)
{
    for (uint32_t i = 0; i < cpu_ref_kernel_count; i++) {
        if (cpu_ref_kernels[i]->operation == operation)
            return cpu_ref_kernels[i];
    }
    return NULL;
}

uint32_t cpu_ref_kernel_types(const struct cpu_ref_kernel *kernel)
{
    uint32_t types = 0;

    for (int32_t type = 0; type < KIT_TYPES; type++) {
        if (kernel->run[type])
            types |= ANYDNN_PLUGIN_TYPE_BIT(type);
    }
    return types;
}
