/* SPDX-License-Identifier: Apache-2.0 */
/* The slots of the operands of each operation, from operations.def. An example is
 * slot_pooling_backward_dx, the index of dx in the arrays of pooling_backward's operands. */
#ifndef KIT_SLOTS_H
#define KIT_SLOTS_H

/* Defines the constants of 32 operands. Each word, such as IN, leaves the operand's name. OPERATION
 * adds numbers after the names, because an operation has at least 1 operand. The constants of these
 * numbers, such as slot_pooling_forward_3, are unused. */
/* clang-format off */
#define KIT_SLOTS(op, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11,                            \
                  s12, s13, s14, s15, s16, s17, s18, s19, s20, s21, s22, s23,                      \
                  s24, s25, s26, s27, s28, s29, s30, s31, ...)                                     \
    enum {                                                                                         \
        slot_##op##_##s0, slot_##op##_##s1, slot_##op##_##s2, slot_##op##_##s3,                    \
        slot_##op##_##s4, slot_##op##_##s5, slot_##op##_##s6, slot_##op##_##s7,                    \
        slot_##op##_##s8, slot_##op##_##s9, slot_##op##_##s10, slot_##op##_##s11,                  \
        slot_##op##_##s12, slot_##op##_##s13, slot_##op##_##s14, slot_##op##_##s15,                \
        slot_##op##_##s16, slot_##op##_##s17, slot_##op##_##s18, slot_##op##_##s19,                \
        slot_##op##_##s20, slot_##op##_##s21, slot_##op##_##s22, slot_##op##_##s23,                \
        slot_##op##_##s24, slot_##op##_##s25, slot_##op##_##s26, slot_##op##_##s27,                \
        slot_##op##_##s28, slot_##op##_##s29, slot_##op##_##s30, slot_##op##_##s31                 \
    };
/* clang-format on */

#define OPERATION(number, op, params, factors, algorithms, ...)                                    \
    KIT_SLOTS(op, __VA_ARGS__, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, \
              21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, )
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
