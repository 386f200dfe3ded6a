/* SPDX-License-Identifier: Apache-2.0 */
/* The slots of the operands of each operation, from operations.def. An example is
 * slot_pooling_backward_dx, the index of dx in the arrays of pooling_backward's operands. */
#ifndef KIT_SLOTS_H
#define KIT_SLOTS_H

/* KIT_SLOTS_n lists the constants of n operands: that of the first, then those of the n - 1 others.
 * OPERATION puts the operands before the names of these macros, so that KIT_SLOTS_CHOOSE finds the
 * macro for their number in its 17th argument. Each word, such as IN, leaves the operand's name. */
#define KIT_SLOTS_1(op, name)       slot_##op##_##name
#define KIT_SLOTS_2(op, name, ...)  KIT_SLOTS_1(op, name), KIT_SLOTS_1(op, __VA_ARGS__)
#define KIT_SLOTS_3(op, name, ...)  KIT_SLOTS_1(op, name), KIT_SLOTS_2(op, __VA_ARGS__)
#define KIT_SLOTS_4(op, name, ...)  KIT_SLOTS_1(op, name), KIT_SLOTS_3(op, __VA_ARGS__)
#define KIT_SLOTS_5(op, name, ...)  KIT_SLOTS_1(op, name), KIT_SLOTS_4(op, __VA_ARGS__)
#define KIT_SLOTS_6(op, name, ...)  KIT_SLOTS_1(op, name), KIT_SLOTS_5(op, __VA_ARGS__)
#define KIT_SLOTS_7(op, name, ...)  KIT_SLOTS_1(op, name), KIT_SLOTS_6(op, __VA_ARGS__)
#define KIT_SLOTS_8(op, name, ...)  KIT_SLOTS_1(op, name), KIT_SLOTS_7(op, __VA_ARGS__)
#define KIT_SLOTS_9(op, name, ...)  KIT_SLOTS_1(op, name), KIT_SLOTS_8(op, __VA_ARGS__)
#define KIT_SLOTS_10(op, name, ...) KIT_SLOTS_1(op, name), KIT_SLOTS_9(op, __VA_ARGS__)
#define KIT_SLOTS_11(op, name, ...) KIT_SLOTS_1(op, name), KIT_SLOTS_10(op, __VA_ARGS__)
#define KIT_SLOTS_12(op, name, ...) KIT_SLOTS_1(op, name), KIT_SLOTS_11(op, __VA_ARGS__)
#define KIT_SLOTS_13(op, name, ...) KIT_SLOTS_1(op, name), KIT_SLOTS_12(op, __VA_ARGS__)
#define KIT_SLOTS_14(op, name, ...) KIT_SLOTS_1(op, name), KIT_SLOTS_13(op, __VA_ARGS__)
#define KIT_SLOTS_15(op, name, ...) KIT_SLOTS_1(op, name), KIT_SLOTS_14(op, __VA_ARGS__)
#define KIT_SLOTS_16(op, name, ...) KIT_SLOTS_1(op, name), KIT_SLOTS_15(op, __VA_ARGS__)

#define KIT_SLOTS_CHOOSE(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, chosen, ...) chosen

#define OPERATION(number, op, params, factors, algorithms, ...)                                    \
    enum {                                                                                         \
        KIT_SLOTS_CHOOSE(__VA_ARGS__, KIT_SLOTS_16, KIT_SLOTS_15, KIT_SLOTS_14, KIT_SLOTS_13,      \
                         KIT_SLOTS_12, KIT_SLOTS_11, KIT_SLOTS_10, KIT_SLOTS_9, KIT_SLOTS_8,       \
                         KIT_SLOTS_7, KIT_SLOTS_6, KIT_SLOTS_5, KIT_SLOTS_4, KIT_SLOTS_3,          \
                         KIT_SLOTS_2, KIT_SLOTS_1, )(op, __VA_ARGS__)                              \
    };
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
