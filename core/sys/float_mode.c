/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the floating-point environment. Reading it is in the header, since every call does
 * that. */
#include "sys/float_mode.h"

#if defined(__x86_64__)

/* The memory that fnstenv stores. On 64 bits, each member has 32, of which the first three use
 * 16. */
struct x87_environment {
    uint16_t control, control_unused;
    uint16_t status, status_unused;
    uint16_t tags, tags_unused;
    uint32_t last[4];
};

/* Writes flags and control word at once: a flag that is set while its exception is trapped causes a
 * trap. */
static void write_x87(uint16_t control, uint16_t flags)
{
    struct x87_environment x87;

    __asm__ volatile("fnstenv %0" : "=m"(x87) : : "memory");
    x87.control = control;
    x87.status = (uint16_t)((x87.status & ~ADN_FLOAT_X87_FLAGS) | (flags & ADN_FLOAT_X87_FLAGS));
    __asm__ volatile("fldenv %0" : : "m"(x87) : "memory");
}

static void write_mxcsr(uint32_t mxcsr)
{
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
}

void adn_float_set_standard(void)
{
    struct adn_float_mode now;

    adn_float_read(&now);
    write_mxcsr((now.mxcsr & ~ADN_FLOAT_MXCSR_MODES) | ADN_FLOAT_MXCSR);
    if (now.x87_control != ADN_FLOAT_X87)
        write_x87(ADN_FLOAT_X87, now.x87_status);
}

void adn_float_write(const struct adn_float_mode *mode)
{
    struct adn_float_mode now;

    adn_float_read(&now);
    write_mxcsr(mode->mxcsr);
    if (now.x87_control != mode->x87_control ||
        ((now.x87_status ^ mode->x87_status) & ADN_FLOAT_X87_FLAGS) != 0)
        write_x87(mode->x87_control, mode->x87_status);
}

#elif defined(__aarch64__)

void adn_float_set_standard(void)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(UINT64_C(0)) : "memory");
}

void adn_float_write(const struct adn_float_mode *mode)
{
    __asm__ volatile("msr fpsr, %0" : : "r"(mode->flags) : "memory");
    __asm__ volatile("msr fpcr, %0" : : "r"(mode->modes) : "memory");
}

#else

void adn_float_set_standard(void)
{
    fesetenv(FE_DFL_ENV);
}

void adn_float_write(const struct adn_float_mode *mode)
{
    fesetenv(&mode->all);
}

#endif

int adn_float_is_changed(void)
{
    struct adn_float_mode now;

    adn_float_read(&now);
#if defined(__x86_64__) || defined(__aarch64__)
    return !adn_float_is_standard(&now);
#else
    return fegetround() != FE_TONEAREST;
#endif
}
