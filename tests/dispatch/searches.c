/* SPDX-License-Identifier: Apache-2.0 */
/* Short functions that search, for the tests of Get and Find. */
#include "tests/dispatch/searches.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Checks the clock. Without this reference the linker would leave clock.c in its archive, since
 * nothing else names it. */
static void check_clock(void)
{
    const struct timespec time = {0, 1};
    int64_t before = search_clock();

    nanosleep(&time, NULL);
    assert_true(search_clock() > before);
}

int search_group_setup(void **state)
{
    char folders[2 * PATH_MAX];

    snprintf(folders, sizeof(folders), "%s:%s", getenv("ANYDNN_TEST_MOCKDIR"),
             getenv("ANYDNN_TEST_PLUGINDIR"));
    setenv("ANYDNN_PLUGIN_PATH", folders, 1);
    return fixture_group_setup(state);
}

anydnnStatus_t search_try(anydnnHandle_t handle, const struct fixture_convolution *with,
                          int requested, int *count, search_perf *perf)
{
    check_clock();
    return anydnnFindConvolutionForwardAlgorithm(handle, with->x, with->w, with->conv, with->y,
                                                 requested, count, perf);
}

anydnnStatus_t search_try_ex(anydnnHandle_t handle, const struct fixture_convolution *with,
                             int *count, search_perf *perf)
{
    return anydnnFindConvolutionForwardAlgorithmEx(
        handle, with->x, with->data[0], with->w, with->data[1], with->conv, with->y, with->data[2],
        SEARCH_COUNT, count, perf, with->workspace, with->bytes);
}

int search_find(anydnnHandle_t handle, const struct fixture_convolution *with, search_perf *perf)
{
    int count = -1;

    memset(perf, 0x55, SEARCH_COUNT * sizeof(*perf));
    assert_ok(search_try(handle, with, SEARCH_COUNT, &count, perf));
    assert_in_range(count, 1, SEARCH_COUNT);
    return count;
}

int search_find_ex(anydnnHandle_t handle, const struct fixture_convolution *with, search_perf *perf)
{
    int count = -1;

    assert_ok(search_try_ex(handle, with, &count, perf));
    assert_in_range(count, 1, SEARCH_COUNT);
    return count;
}

anydnnStatus_t search_try_get(anydnnHandle_t handle, const struct fixture_convolution *with,
                              anydnnConvolutionFwdPreference_t preference, size_t limit,
                              anydnnConvolutionFwdAlgo_t *algorithm)
{
    return anydnnGetConvolutionForwardAlgorithm(handle, with->x, with->w, with->conv, with->y,
                                                preference, limit, algorithm);
}

int search_get(anydnnHandle_t handle, const struct fixture_convolution *with,
               anydnnConvolutionFwdPreference_t preference, size_t limit)
{
    anydnnConvolutionFwdAlgo_t algorithm = ANYDNN_CONVOLUTION_FWD_ALGO_COUNT;

    assert_ok(search_try_get(handle, with, preference, limit, &algorithm));
    return (int)algorithm;
}

const char *search_backend(const search_perf *perf)
{
    static char name[64];

    assert_ok(anydnnGetBackendInfo(perf->backend, "name", name, sizeof(name)));
    return name;
}

const char *search_list(const search_perf *perf, int count)
{
    static char text[2048];
    size_t length = 0;

    text[0] = '\0';
    for (int i = 0; i < count; i++) {
        length +=
            (size_t)snprintf(text + length, sizeof(text) - length, "%s%d/%d/%s", i > 0 ? " " : "",
                             (int)perf[i].algo, (int)perf[i].mathType, search_backend(&perf[i]));
        if (perf[i].status != ANYDNN_STATUS_SUCCESS)
            length +=
                (size_t)snprintf(text + length, sizeof(text) - length, ":%d", (int)perf[i].status);
    }
    return text;
}

const char *search_run(anydnnHandle_t handle, struct fixture_convolution *with, int algorithm,
                       anydnnMathType_t math)
{
    static char text[80];

    check_clock();
    with->algorithm = algorithm;
    assert_ok(anydnnSetConvolutionMathType(with->conv, math));
    assert_ok(fixture_convolution_run(handle, with));
    snprintf(text, sizeof(text), "%s %d", fixture_record(handle, "backend"),
             (int)fixture_number(handle, "engine"));
    return text;
}
