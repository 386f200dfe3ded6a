/* SPDX-License-Identifier: Apache-2.0 */
/* Tests Get of level 2: the list of candidates, ranked without running any, beside that of level
 * 1. */
#include "tests/dispatch/searches.h"

#include <stdint.h>
#include <string.h>

static search_perf perf[SEARCH_COUNT];
static struct fixture_convolution with;

static anydnnStatus_t try_list(anydnnHandle_t handle, size_t limit, int requested, int *count)
{
    memset(perf, 0x55, sizeof(perf));
    return anydnnGetConvolutionForwardAlgorithm_v2(handle, with.x, with.w, with.conv, with.y, limit,
                                                   requested, count, perf);
}

static const char *list(const char *route, size_t limit)
{
    int count = -1;

    assert_ok(try_list(fixture_handle(route), limit, SEARCH_COUNT, &count));
    return search_list(perf, count);
}

static void the_list_is_ranked_as_level_1_ranks(void **state)
{
    const char *log;

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_a", "algorithms", "2,1");
    fixture_set("mock_b", "algorithms", "5,1,4");
    assert_string_equal(list("mock_a, mock_b", SIZE_MAX),
                        "2/0/mock_a 1/0/mock_a 5/0/mock_b 4/0/mock_b");
    fixture_set("mock_a", "expected_us", "30 / 20");
    fixture_set("mock_b", "expected_us", "40 / 10 / 25");
    assert_string_equal(list("mock_a, mock_b", SIZE_MAX),
                        "1/0/mock_b 4/0/mock_b 2/0/mock_a 5/0/mock_b");
    assert_int_equal(search_get(fixture_handle("mock_a, mock_b"), &with,
                                ANYDNN_CONVOLUTION_FWD_PREFER_FASTEST, 0),
                     perf[0].algo);
    for (int i = 0; i < 4; i++) {
        assert_true(perf[i].time == -1);
        assert_int_equal(perf[i].reason, ANYDNN_REASON_NONE);
        assert_int_equal(perf[i].determinism, ANYDNN_DETERMINISTIC);
        for (int k = 0; k < 10; k++)
            assert_int_equal(perf[i].reserved[k], 0);
    }
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "plan_execute", ""), 0);
}

static void every_permitted_math_type_is_listed(void **state)
{
    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_a", "algorithms", "0,0,1");
    fixture_set("mock_a", "math", "tensor_op / default / tensor_op");
    fixture_set("mock_a", "expected_us", "10 / 30 / 20");
    assert_ok(anydnnSetConvolutionMathType(with.conv, ANYDNN_TENSOR_OP_MATH));
    assert_string_equal(list("mock_a", SIZE_MAX), "0/1/mock_a 1/1/mock_a 0/0/mock_a");
    assert_ok(anydnnSetConvolutionMathType(with.conv, ANYDNN_DEFAULT_MATH));
    assert_string_equal(list("mock_a", SIZE_MAX), "0/0/mock_a");
}

static void the_limit_holds(void **state)
{
    int count = -1;

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_a", "algorithms", "0,1,2");
    fixture_set("mock_a", "workspace", "4096 / 1024 / 0");
    assert_string_equal(list("mock_a", SIZE_MAX), "0/0/mock_a 1/0/mock_a 2/0/mock_a");
    assert_int_equal(perf[0].memory, 4096);
    assert_string_equal(list("mock_a", 4096), "0/0/mock_a 1/0/mock_a 2/0/mock_a");
    assert_string_equal(list("mock_a", 4095), "1/0/mock_a 2/0/mock_a 0/0/mock_a:2");
    assert_int_equal(perf[2].reason, ANYDNN_REASON_MEMORY);
    assert_int_equal(perf[2].memory, 4096);
    assert_string_equal(list("mock_a", 0), "2/0/mock_a 0/0/mock_a:2 1/0/mock_a:2");
    fixture_set("mock_a", "workspace", "4096");
    assert_fails(try_list(fixture_handle("mock_a"), 4095, SEARCH_COUNT, &count),
                 ANYDNN_STATUS_NOT_SUPPORTED,
                 "anydnnGetConvolutionForwardAlgorithm_v2: every candidate of the route needs more "
                 "workspace than the limit of 4095 bytes");
    assert_int_equal(count, -1);
    assert_int_equal(perf[0].algo, 0x55555555);
}

static void no_more_than_asked_for_and_each_is_pinned(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");
    int count = -1;

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_a", "algorithms", "0,1");
    fixture_set("mock_b", "algorithms", "1,3");
    fixture_set("mock_a", "expected_us", "10 / 30");
    fixture_set("mock_b", "expected_us", "20 / 40");
    assert_ok(try_list(handle, SIZE_MAX, 2, &count));
    assert_string_equal(search_list(perf, count), "0/0/mock_a 1/0/mock_b");
    assert_int_equal(perf[2].algo, 0x55555555);
    assert_int_equal(fixture_number(handle, "pins"), 2);
    assert_string_equal(search_run(handle, &with, 1, ANYDNN_DEFAULT_MATH), "mock_b 1");
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_a 1");
}

static void wrong_arguments_write_nothing(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    int count = -1;

    (void)state;
    fixture_convolution_make(&with, 8);
    assert_fails(try_list(handle, 0, 0, &count), ANYDNN_STATUS_BAD_PARAM,
                 "anydnnGetConvolutionForwardAlgorithm_v2: requestedAlgoCount is 0");
    assert_fails(try_list(handle, 0, 1, NULL), ANYDNN_STATUS_BAD_PARAM,
                 "returnedAlgoCount is NULL");
    assert_fails(anydnnGetConvolutionForwardAlgorithm_v2(handle, with.x, with.w, with.conv, with.y,
                                                         0, 1, &count, NULL),
                 ANYDNN_STATUS_BAD_PARAM, "perfResults is NULL");
    assert_int_equal(try_list(NULL, 0, 1, &count), ANYDNN_STATUS_NOT_INITIALIZED);
    assert_int_equal(count, -1);
    assert_int_equal(perf[0].algo, 0x55555555);
}

static void backward_directions(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    anydnnConvolutionBwdDataAlgoPerf_t data[SEARCH_COUNT];
    anydnnConvolutionBwdFilterAlgoPerf_t filter[SEARCH_COUNT];
    int count = -1;

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_a", "algorithms", "1,3");
    fixture_set("mock_a", "expected_us", "20 / 10");
    assert_ok(anydnnGetConvolutionBackwardDataAlgorithm_v2(
        handle, with.w, with.y, with.conv, with.x, SIZE_MAX, SEARCH_COUNT, &count, data));
    assert_int_equal(count, 2);
    assert_int_equal(data[0].algo, ANYDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING);
    assert_int_equal(data[1].algo, ANYDNN_CONVOLUTION_BWD_DATA_ALGO_1);
    assert_ok(anydnnGetConvolutionBackwardFilterAlgorithm_v2(handle, with.x, with.y, with.conv,
                                                             with.w, SIZE_MAX, 1, &count, filter));
    assert_int_equal(count, 1);
    assert_int_equal(filter[0].algo, ANYDNN_CONVOLUTION_BWD_FILTER_ALGO_3);
    assert_true(filter[0].time == -1);
}

typedef void (*entry)(void);

/* Returns 1 if both names denote one function. volatile keeps the compiler from assuming that
 * two names are two functions. */
static int are_one(entry volatile first, entry volatile second)
{
    return first == second;
}

static void the_first_forms_have_two_names(void **state)
{
    (void)state;
    assert_true(are_one((entry)anydnnGetConvolutionForwardAlgorithm_v1,
                        (entry)anydnnGetConvolutionForwardAlgorithm));
    assert_true(are_one((entry)anydnnGetConvolutionBackwardDataAlgorithm_v1,
                        (entry)anydnnGetConvolutionBackwardDataAlgorithm));
    assert_true(are_one((entry)anydnnGetConvolutionBackwardFilterAlgorithm_v1,
                        (entry)anydnnGetConvolutionBackwardFilterAlgorithm));
}

#define get_test(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        get_test(the_list_is_ranked_as_level_1_ranks),
        get_test(every_permitted_math_type_is_listed),
        get_test(the_limit_holds),
        get_test(no_more_than_asked_for_and_each_is_pinned),
        get_test(wrong_arguments_write_nothing),
        get_test(backward_directions),
        get_test(the_first_forms_have_two_names),
    };

    return cmocka_run_group_tests_name("get_v2", tests, search_group_setup, fixture_group_teardown);
}
