/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the table entries of all operations. The file of an operation defines its entry. */
#ifndef CPU_REF_TABLE_H
#define CPU_REF_TABLE_H

#include "cpu_ref.h"

#define OPERATION(number, name, ...) extern const struct cpu_ref_kernel cpu_ref_##name;
#include "../kit/operations.def"
#undef OPERATION

#endif
