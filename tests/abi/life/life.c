/* SPDX-License-Identifier: Apache-2.0 */
/* A fictitious library with entries of several levels, for the test of the ABI's life. The value
 * that a form returns identifies the entry and the level that introduced it. */
#include "life.h"

#include "abi/alias.h"

int anydnnSame(int x)
{
    return 10000 + x;
}

int anydnnScale(int x)
{
    return 21000 + x;
}

int anydnnTwice(int x)
{
    return 31000 + x;
}

#if ANYDNN_API_LEVEL_NEWEST >= 3
ADN_FIRST_FORM(anydnnScale_v1, anydnnScale);
ADN_FIRST_FORM(anydnnTwice_v1, anydnnTwice);

int anydnnScale_v3(int x, int factor)
{
    return 23000 + x * factor;
}

int anydnnTwice_v3(int x, int factor)
{
    return 33000 + x * factor;
}

int anydnnLate(int x)
{
    return 43000 + x;
}

int anydnnLateChanged(int x)
{
    return 53000 + x;
}
#endif

#if ANYDNN_API_LEVEL_NEWEST >= 4
int anydnnTwice_v4(int x, int factor, int offset)
{
    return 34000 + x * factor + offset;
}
#endif

#if ANYDNN_API_LEVEL_NEWEST >= 5
ADN_FIRST_FORM(anydnnLateChanged_v3, anydnnLateChanged);

int anydnnLateChanged_v5(int x, int factor)
{
    return 55000 + x * factor;
}
#endif
