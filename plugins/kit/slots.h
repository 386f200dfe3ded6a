/* SPDX-License-Identifier: Apache-2.0 */
/* The slots of the operands of each operation, from operations.def. An example is
 * slot_pooling_backward_dx, the index of dx in the arrays of pooling_backward's operands. */
#ifndef KIT_SLOTS_H
#define KIT_SLOTS_H

/* Defines the constants of 16 operands. Each word, such as IN, leaves the operand's name. OPERATION
 * adds numbers after the names, because an operation has at least 1 operand. The constants of these
 * numbers, such as slot_pooling_forward_3, are unused. */
/* clang-format off */
#define KIT_SLOTS(op, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ...)                         \
    enum {                                                                                         \
        slot_##op##_##a, slot_##op##_##b, slot_##op##_##c, slot_##op##_##d,                        \
        slot_##op##_##e, slot_##op##_##f, slot_##op##_##g, slot_##op##_##h,                        \
        slot_##op##_##i, slot_##op##_##j, slot_##op##_##k, slot_##op##_##l,                        \
        slot_##op##_##m, slot_##op##_##n, slot_##op##_##o, slot_##op##_##p                         \
    };
/* clang-format on */

#define OPERATION(number, op, params, factors, algorithms, ...)                                    \
    KIT_SLOTS(op, __VA_ARGS__, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, )
#define IN(name)             name
#define OPTIONAL_IN(name)    name
#define HOST_IN(name)        name
#define OUT(name)            name
#define INOUT(name)          name
#define OPTIONAL_OUT(name)   name
#define OPTIONAL_INOUT(name) name
#include "operations.def"
#undef OPERATION
#undef IN
#undef OPTIONAL_IN
#undef HOST_IN
#undef OUT
#undef INOUT
#undef OPTIONAL_OUT
#undef OPTIONAL_INOUT

/* Is true if the operand has the same slot in both operations. The casts are for compilers that
 * warn about a comparison of two enumerations. */
#define KIT_SAME_SLOT(op, other, name) ((int)slot_##op##_##name == (int)slot_##other##_##name)

#endif
