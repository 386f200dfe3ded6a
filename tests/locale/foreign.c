/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives the program anydnn a locale that writes 0,5, through LD_PRELOAD, as a graphical program
 * has. ANYDNN_TEST_LOCALE names the locale. The program's own input and output stay in the C
 * locale, so that the tests of the program judge only the library.
 */
/* This macro makes clang's headers define macros of the functions below. */
#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <locale.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static locale_t plain;
static uintptr_t program_begin, program_end;
static int (*next_vsnprintf)(char *, size_t, const char *, va_list);
static double (*next_strtod)(const char *, char **);

/* Finds the program, which is the first object. */
static int look(struct dl_phdr_info *info, size_t size, void *found)
{
    (void)size;
    for (int i = 0; program_end == 0 && i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
            program_begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            program_end = program_begin + info->dlpi_phdr[i].p_memsz;
        }
    *(int *)found |= strstr(info->dlpi_name, "/libanydnn.so") != NULL;
    return 0;
}

__attribute__((constructor)) static void begin(void)
{
    const char *name = getenv("ANYDNN_TEST_LOCALE");
    int found = 0;

    next_vsnprintf = (int (*)(char *, size_t, const char *, va_list))dlsym(RTLD_NEXT, "vsnprintf");
    next_strtod = (double (*)(const char *, char **))dlsym(RTLD_NEXT, "strtod");
    dl_iterate_phdr(look, &found);
    if (!found)
        return;
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!name || !setlocale(LC_ALL, name) || strcmp(localeconv()->decimal_point, ",") != 0) {
        fputs("foreign: ANYDNN_TEST_LOCALE names no locale that writes 0,5\n", stderr);
        abort();
    }
    /* The tests look for the C library's own sentences, which might be translated. */
    setlocale(LC_MESSAGES, "C");
}

/* Switches to the plain locale for calls from the program, and returns the earlier locale. */
static locale_t enter(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;

    return uselocale(plain && at >= program_begin && at < program_end ? plain : (locale_t)0);
}

#pragma GCC visibility push(default)

int __printf_chk(int flag, const char *format, ...);
int __fprintf_chk(FILE *file, int flag, const char *format, ...);
int __snprintf_chk(char *text, size_t size, int flag, size_t whole, const char *format, ...);
int __vsnprintf_chk(char *text, size_t size, int flag, size_t whole, const char *format,
                    va_list list);

#define PRINT(result, call)                                                                        \
    do {                                                                                           \
        locale_t before = enter(__builtin_return_address(0));                                      \
        va_list list;                                                                              \
                                                                                                   \
        va_start(list, format);                                                                    \
        (result) = (call);                                                                         \
        va_end(list);                                                                              \
        uselocale(before);                                                                         \
    } while (0)

int printf(const char *format, ...)
{
    int length;

    PRINT(length, vfprintf(stdout, format, list));
    return length;
}

int __printf_chk(int flag, const char *format, ...)
{
    int length;

    (void)flag;
    PRINT(length, vfprintf(stdout, format, list));
    return length;
}

int fprintf(FILE *file, const char *format, ...)
{
    int length;

    PRINT(length, vfprintf(file, format, list));
    return length;
}

int __fprintf_chk(FILE *file, int flag, const char *format, ...)
{
    int length;

    (void)flag;
    PRINT(length, vfprintf(file, format, list));
    return length;
}

int snprintf(char *text, size_t size, const char *format, ...)
{
    int length;

    PRINT(length, next_vsnprintf(text, size, format, list));
    return length;
}

int __snprintf_chk(char *text, size_t size, int flag, size_t whole, const char *format, ...)
{
    int length;

    (void)flag;
    (void)whole;
    PRINT(length, next_vsnprintf(text, size, format, list));
    return length;
}

int vsnprintf(char *text, size_t size, const char *format, va_list list)
{
    locale_t before = enter(__builtin_return_address(0));
    int length = next_vsnprintf(text, size, format, list);

    uselocale(before);
    return length;
}

int __vsnprintf_chk(char *text, size_t size, int flag, size_t whole, const char *format,
                    va_list list)
{
    locale_t before = enter(__builtin_return_address(0));
    int length = next_vsnprintf(text, size, format, list);

    (void)flag;
    (void)whole;
    uselocale(before);
    return length;
}

double strtod(const char *text, char **end)
{
    locale_t before = enter(__builtin_return_address(0));
    double value = next_strtod(text, end);

    uselocale(before);
    return value;
}

#pragma GCC visibility pop
