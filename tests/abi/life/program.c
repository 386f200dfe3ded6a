/* SPDX-License-Identifier: Apache-2.0 */
/* A program for each view of the fictitious library. It calls everything that its view declares
 * according to the table of levels in docs/levels.md: directly, by pointer and by the symbol's own
 * name. */
#include "life.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int by_symbol(const char *symbol)
{
    void *address = dlsym(RTLD_DEFAULT, symbol);
    int (*old)(int x);

    memcpy(&old, &address, sizeof(old));
    return address ? old(5) : 0;
}

static void scale(void)
{
#if ANYDNN_API_LEVEL <= 3
    int (*pointer)(int x) = anydnnScale;

    printf("scale %d %d\n", anydnnScale(5), pointer(5));
#else
    int (*pointer)(int x, int factor) = anydnnScale;

    printf("scale %d %d\n", anydnnScale(5, 7), pointer(5, 7));
#endif
#if ANYDNN_API_LEVEL == 3 || ANYDNN_API_LEVEL == 4
    printf("scale_v3 %d\n", anydnnScale_v3(5, 7));
#endif
#if ANYDNN_API_LEVEL == 4
    printf("scale_v1 %d\n", anydnnScale_v1(5));
#endif
}

static void twice(void)
{
#if ANYDNN_API_LEVEL <= 3
    printf("twice %d\n", anydnnTwice(5));
#elif ANYDNN_API_LEVEL == 4
    printf("twice %d\n", anydnnTwice(5, 7));
    printf("twice_v1 %d\n", anydnnTwice_v1(5));
#else
    printf("twice %d\n", anydnnTwice(5, 7, 9));
#endif
#if ANYDNN_API_LEVEL >= 3 && ANYDNN_API_LEVEL <= 5
    printf("twice_v3 %d\n", anydnnTwice_v3(5, 7));
#endif
#if ANYDNN_API_LEVEL == 4 || ANYDNN_API_LEVEL == 5
    printf("twice_v4 %d\n", anydnnTwice_v4(5, 7, 9));
#endif
}

static void late(void)
{
#if ANYDNN_API_LEVEL >= 3
    printf("late %d\n", anydnnLate(5));
#endif
#if ANYDNN_API_LEVEL >= 3 && ANYDNN_API_LEVEL <= 5
    printf("late_changed %d\n", anydnnLateChanged(5));
#elif ANYDNN_API_LEVEL == 6
    printf("late_changed %d\n", anydnnLateChanged(5, 7));
    printf("late_changed_v3 %d\n", anydnnLateChanged_v3(5));
#endif
#if ANYDNN_API_LEVEL == 5 || ANYDNN_API_LEVEL == 6
    printf("late_changed_v5 %d\n", anydnnLateChanged_v5(5, 7));
#endif
}

int main(void)
{
    printf("same %d\n", anydnnSame(5));
    scale();
    twice();
    late();
    printf("by symbol %d %d\n", by_symbol("anydnnScale"), by_symbol("anydnnTwice"));
    return 0;
}
