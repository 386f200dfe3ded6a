/* SPDX-License-Identifier: Apache-2.0 */
/* Short functions that search, for the tests of Get and Find. */
#ifndef TESTS_DISPATCH_SEARCHES_H
#define TESTS_DISPATCH_SEARCHES_H

#include "tests/dispatch/fixture.h"

#define SEARCH_COUNT 32

typedef anydnnConvolutionFwdAlgoPerf_t search_perf;

/* The fixture's group setup, with cpu_ref available beside the mock backends. */
int search_group_setup(void **state);

/* Run Find and FindEx of the forward direction, which must succeed, and return the number of
 * results. */
int search_find(anydnnHandle_t handle, const struct fixture_convolution *with, search_perf *perf);
int search_find_ex(anydnnHandle_t handle, const struct fixture_convolution *with,
                   search_perf *perf);
/* Do the same and return the status. */
anydnnStatus_t search_try(anydnnHandle_t handle, const struct fixture_convolution *with,
                          int requested, int *count, search_perf *perf);
anydnnStatus_t search_try_ex(anydnnHandle_t handle, const struct fixture_convolution *with,
                             int *count, search_perf *perf);

/* Returns the nanoseconds of the clock in clock.c. */
int64_t search_clock(void);

/* Runs Get of the forward direction, which must succeed. */
int search_get(anydnnHandle_t handle, const struct fixture_convolution *with,
               anydnnConvolutionFwdPreference_t preference, size_t limit);
anydnnStatus_t search_try_get(anydnnHandle_t handle, const struct fixture_convolution *with,
                              anydnnConvolutionFwdPreference_t preference, size_t limit,
                              anydnnConvolutionFwdAlgo_t *algorithm);

/* Returns the backend's name. */
const char *search_backend(const search_perf *perf);

/* Returns "algo/math/backend status" of each result, separated by blanks. math is a number; the
 * status appears only for failures. */
const char *search_list(const search_perf *perf, int count);

/* Runs the convolution with that algorithm and math type, and returns "backend engine". */
const char *search_run(anydnnHandle_t handle, struct fixture_convolution *with, int algorithm,
                       anydnnMathType_t math);

#endif
