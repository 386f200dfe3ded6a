/* SPDX-License-Identifier: Apache-2.0 */
/* Short ways to search, for the tests of Get and Find. */
#ifndef TESTS_DISPATCH_SEARCHES_H
#define TESTS_DISPATCH_SEARCHES_H

#include "tests/dispatch/fixture.h"

#define SEARCH_ROOM 32

typedef anydnnConvolutionFwdAlgoPerf_t search_perf;

/* The fixture's settings, where cpu_ref is found beside the mock backends. */
int search_group_setup(void **state);

/* Find and FindEx of the forward direction, which must succeed; how many were found. */
int search_find(anydnnHandle_t handle, const struct fixture_convolution *with, search_perf *perf);
int search_find_ex(anydnnHandle_t handle, const struct fixture_convolution *with,
                   search_perf *perf);
/* The same with its status. */
anydnnStatus_t search_try(anydnnHandle_t handle, const struct fixture_convolution *with,
                          int requested, int *count, search_perf *perf);
anydnnStatus_t search_try_ex(anydnnHandle_t handle, const struct fixture_convolution *with,
                             int *count, search_perf *perf);

/* Nanoseconds of the clock of clock.c. */
int64_t search_clock(void);

/* Get of the forward direction, which must succeed. */
int search_get(anydnnHandle_t handle, const struct fixture_convolution *with,
               anydnnConvolutionFwdPreference_t preference, size_t limit);
anydnnStatus_t search_try_get(anydnnHandle_t handle, const struct fixture_convolution *with,
                              anydnnConvolutionFwdPreference_t preference, size_t limit,
                              anydnnConvolutionFwdAlgo_t *algorithm);

/* The backend's name. */
const char *search_backend(const search_perf *perf);

/* "algo/math/backend status" of each, with blanks between; math as a number, status where it is
 * none of success. */
const char *search_list(const search_perf *perf, int count);

/* Runs the convolution with that algorithm and math type, and answers "backend engine". */
const char *search_run(anydnnHandle_t handle, struct fixture_convolution *with, int algorithm,
                       anydnnMathType_t math);

#endif
