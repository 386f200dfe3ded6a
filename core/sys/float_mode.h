/* SPDX-License-Identifier: Apache-2.0 */
/* The floating-point environment of this library and its backends: round to nearest, nothing
 * flushed to zero, no exception trapped. An entry that computes or calls a backend switches the
 * calling thread to it, and leaves modes and sticky flags as the application had them. Entry and
 * exit read the processor's registers and write them only if they differ, since each call pays for
 * that. */
#ifndef ADN_SYS_FLOAT_MODE_H
#define ADN_SYS_FLOAT_MODE_H

#include <stdint.h>

#if defined(__x86_64__)

/* SSE's register holds modes and flags. The older unit, which computes long double, has two
 * registers. */
struct adn_float_mode {
    uint32_t mxcsr;
    uint16_t x87_control;
    uint16_t x87_status;
};

#define ADN_FLOAT_MXCSR_MODES UINT32_C(0xffc0) /* rounding, masks, what is flushed */
#define ADN_FLOAT_MXCSR       UINT32_C(0x1f80)
#define ADN_FLOAT_X87         UINT16_C(0x037f)
#define ADN_FLOAT_X87_FLAGS   UINT16_C(0x003f)

/* The memory clobber keeps computations on their side of the change. */
static inline __attribute__((always_inline)) void adn_float_read(struct adn_float_mode *mode)
{
    __asm__ volatile("stmxcsr %0" : "=m"(mode->mxcsr) : : "memory");
    __asm__ volatile("fnstcw %0" : "=m"(mode->x87_control) : : "memory");
    __asm__ volatile("fnstsw %0" : "=m"(mode->x87_status) : : "memory");
}

static inline __attribute__((always_inline)) int
adn_float_is_standard(const struct adn_float_mode *mode)
{
    return (mode->mxcsr & ADN_FLOAT_MXCSR_MODES) == ADN_FLOAT_MXCSR &&
           mode->x87_control == ADN_FLOAT_X87;
}

static inline __attribute__((always_inline)) int adn_float_same(const struct adn_float_mode *a,
                                                                const struct adn_float_mode *b)
{
    return a->mxcsr == b->mxcsr && a->x87_control == b->x87_control &&
           ((a->x87_status ^ b->x87_status) & ADN_FLOAT_X87_FLAGS) == 0;
}

#elif defined(__aarch64__)

struct adn_float_mode {
    uint64_t modes; /* FPCR: all 0 is the standard */
    uint64_t flags; /* FPSR */
};

static inline __attribute__((always_inline)) void adn_float_read(struct adn_float_mode *mode)
{
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode->modes) : : "memory");
    __asm__ volatile("mrs %0, fpsr" : "=r"(mode->flags) : : "memory");
}

static inline __attribute__((always_inline)) int
adn_float_is_standard(const struct adn_float_mode *mode)
{
    return mode->modes == 0;
}

static inline __attribute__((always_inline)) int adn_float_same(const struct adn_float_mode *a,
                                                                const struct adn_float_mode *b)
{
    return a->modes == b->modes && a->flags == b->flags;
}

#else

#include <fenv.h>
#include <string.h>

/* C's own functions do not separate modes from flags, so both are written each time. */
struct adn_float_mode {
    fenv_t all;
};

static inline void adn_float_read(struct adn_float_mode *mode)
{
    memset(mode, 0, sizeof(*mode));
    fegetenv(&mode->all);
}

static inline int adn_float_is_standard(const struct adn_float_mode *mode)
{
    (void)mode;
    return 0;
}

static inline int adn_float_same(const struct adn_float_mode *a, const struct adn_float_mode *b)
{
    (void)a;
    (void)b;
    return 0;
}

#endif

/* Returns 1 if the calling thread's modes differ from the standard's. Flags do not count. Always
 * returns 0 if only C's functions are available. */
int adn_float_is_changed(void);

/* Set the standard's modes without changing flags, and restore modes and flags as they were
 * read. */
void adn_float_set_standard(void) __attribute__((cold));
void adn_float_write(const struct adn_float_mode *mode) __attribute__((cold));

/* Switches the thread to the environment, on the path of a call: before code that relies on it and
 * after code that may have left it. */
static inline __attribute__((always_inline)) void adn_float_standard(void)
{
    struct adn_float_mode now;

    adn_float_read(&now);
    if (__builtin_expect(!adn_float_is_standard(&now), 0))
        adn_float_set_standard();
}

static inline __attribute__((always_inline)) void adn_float_enter(struct adn_float_mode *before)
{
    adn_float_read(before);
    if (__builtin_expect(!adn_float_is_standard(before), 0))
        adn_float_set_standard();
}

static inline __attribute__((always_inline)) void
adn_float_leave(const struct adn_float_mode *before)
{
    struct adn_float_mode now;

    adn_float_read(&now);
    if (__builtin_expect(!adn_float_same(&now, before), 0))
        adn_float_write(before);
}

/* Keeps the thread in the environment from this declaration to the end of the block, however the
 * block ends. Entries return from within the steps that read their arguments. */
#define ADN_FLOAT_SCOPE                                                                            \
    struct adn_float_mode __attribute__((cleanup(adn_float_leave))) adn_float_before;              \
    adn_float_enter(&adn_float_before)

#endif
