/* SPDX-License-Identifier: Apache-2.0 */
/* malloc and related functions on top of glibc's own, for the whole process including shared
 * libraries. */
#include "tests/shortage/allocator.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *pointer, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *pointer);

static atomic_long live, counted, wanted = -1;
static int counts_all;
static struct refusal *told;

/* Records the caller: the innermost frame outside the C and C++ runtimes. */
static void tell(struct refusal *to)
{
    static const char *const runtimes[] = {"/libc.so", "/libstdc++.so", "/ld-linux",
                                           "/libgcc_s.so"};
    void *frames[40];
    int count = backtrace(frames, 40);
    Dl_info self, info;

    dladdr((void *)(uintptr_t)&tell, &self);
    for (int i = 0; i < count; i++) {
        int runtime;

        if (dladdr(frames[i], &info) == 0 || !info.dli_fname)
            continue;
        runtime = info.dli_fbase == self.dli_fbase;
        for (size_t k = 0; k < sizeof runtimes / sizeof runtimes[0]; k++)
            runtime |= strstr(info.dli_fname, runtimes[k]) != NULL;
        to->loader |= strstr(info.dli_fname, "/ld-linux") != NULL;
        if (runtime)
            continue;
        snprintf(to->object, sizeof to->object, "%s", info.dli_fname);
        snprintf(to->function, sizeof to->function, "%s", info.dli_sname ? info.dli_sname : "");
        break;
    }
    to->theirs = to->loader || !strstr(to->object, "anydnn");
    to->happened = 1;
}

/* Returns 1 if the library or a backend allocates, directly or through the C library. */
static int is_ours(const void *caller)
{
    Dl_info info;

    return dladdr(caller, &info) != 0 && info.dli_fname &&
           (strstr(info.dli_fname, "anydnn") || strstr(info.dli_fname, "/libc.so"));
}

/* Returns 1 if this allocation must fail. */
static int refuse(const void *caller)
{
    long number = atomic_load(&wanted);

    if (number < 0 || !(counts_all || is_ours(caller)) ||
        atomic_fetch_add(&counted, 1) + 1 != number)
        return 0;
    atomic_store(&wanted, 0);
    tell(told);
    errno = ENOMEM;
    return 1;
}

static void *taken(void *pointer)
{
    if (pointer)
        atomic_fetch_add(&live, 1);
    return pointer;
}

/* The functions that replace those of the C library for all shared libraries. */
#pragma GCC visibility push(default)

void *malloc(size_t bytes)
{
    return refuse(__builtin_return_address(0)) ? NULL : taken(__libc_malloc(bytes));
}

void *calloc(size_t count, size_t bytes)
{
    return refuse(__builtin_return_address(0)) ? NULL : taken(__libc_calloc(count, bytes));
}

void *realloc(void *pointer, size_t bytes)
{
    void *moved;

    if (refuse(__builtin_return_address(0)))
        return NULL;
    moved = __libc_realloc(pointer, bytes);
    if (!pointer)
        return taken(moved);
    if (!moved && bytes == 0)
        atomic_fetch_sub(&live, 1);
    return moved;
}

static void *aligned(size_t alignment, size_t bytes, const void *caller)
{
    return refuse(caller) ? NULL : taken(__libc_memalign(alignment, bytes));
}

void *memalign(size_t alignment, size_t bytes)
{
    return aligned(alignment, bytes, __builtin_return_address(0));
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return aligned(alignment, bytes, __builtin_return_address(0));
}

int posix_memalign(void **pointer, size_t alignment, size_t bytes)
{
    int before = errno;
    void *made = aligned(alignment, bytes, __builtin_return_address(0));

    errno = before;
    if (!made)
        return ENOMEM;
    *pointer = made;
    return 0;
}

void free(void *pointer)
{
    if (pointer)
        atomic_fetch_sub(&live, 1);
    __libc_free(pointer);
}

#pragma GCC visibility pop

void allocator_arm(long number, int all, struct refusal *refusal)
{
    struct refusal unused;

    tell(&unused); /* makes it load and allocate in advance what it needs */
    told = refusal;
    counts_all = all;
    atomic_store(&counted, 0);
    atomic_store(&wanted, number);
}

long allocator_disarm(void)
{
    atomic_store(&wanted, -1);
    return atomic_load(&counted);
}

long allocator_live(void)
{
    return atomic_load(&live);
}
