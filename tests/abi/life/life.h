/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a fictitious library in all its releases. ANYDNN_API_LEVEL_NEWEST, which comes from
 * the table of a release, selects the release. */
#ifndef ANYDNN_LIFE_H
#define ANYDNN_LIFE_H

#define ANYDNN_API __attribute__((visibility("default")))
#include <anydnn/views.h>

#ifdef __cplusplus
extern "C" {
#endif

ANYDNN_API int anydnnSame(int x);

#if ANYDNN_API_LEVEL_NEWEST < 3
ANYDNN_API int anydnnScale(int x);
ANYDNN_API int anydnnTwice(int x);
#else
ANYDNN_FORM(int, anydnnScale, 1, (int x));
ANYDNN_FORM(int, anydnnScale, 3, (int x, int factor));
ANYDNN_FORM(int, anydnnTwice, 1, (int x));
ANYDNN_FORM(int, anydnnTwice, 3, (int x, int factor));
ANYDNN_FORM(int, anydnnLate, 3, (int x));
#endif

#if ANYDNN_API_LEVEL_NEWEST >= 4
ANYDNN_FORM(int, anydnnTwice, 4, (int x, int factor, int offset));
#endif

#if ANYDNN_API_LEVEL_NEWEST >= 3
ANYDNN_FORM(int, anydnnLateChanged, 3, (int x));
#endif
#if ANYDNN_API_LEVEL_NEWEST >= 5
ANYDNN_FORM(int, anydnnLateChanged, 5, (int x, int factor));
#endif

#ifdef __cplusplus
}
#endif

#endif
