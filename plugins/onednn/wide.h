/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles loops of our own for the processor's wider vectors. The result of an element does not
 * depend on them. */
#ifndef ONEDNN_WIDE_H
#define ONEDNN_WIDE_H

#define ONEDNN_INLINE static inline __attribute__((always_inline))

/* Defines the function `name`, which does what `body` does and returns an int. `body` is an
 * ONEDNN_INLINE function of the same parameters. Parameters and arguments are lists in
 * parentheses. */
#ifdef __x86_64__
#define ONEDNN_WIDE(name, body, parameters, arguments)                                             \
    __attribute__((target("avx2"))) static int name##_avx2 parameters                              \
    {                                                                                              \
        return body arguments;                                                                     \
    }                                                                                              \
    static int name parameters                                                                     \
    {                                                                                              \
        return __builtin_cpu_supports("avx2") ? name##_avx2 arguments : body arguments;            \
    }
#else
#define ONEDNN_WIDE(name, body, parameters, arguments)                                             \
    static int name parameters                                                                     \
    {                                                                                              \
        return body arguments;                                                                     \
    }
#endif

#endif
