/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the table entries of all operations. The file of an operation defines its entry, and
 * table.c lists it. */
#ifndef ONEDNN_TABLE_H
#define ONEDNN_TABLE_H

#include "onednn.h"

#define OPERATION(number, name, ...) extern const struct onednn_operation onednn_##name;
#include "../kit/operations.def"
#undef OPERATION

#endif
