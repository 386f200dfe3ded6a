/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the answers of Get and Find: the pairs of algorithm and math type, their backends and
 * their order. */
#include "tests/dispatch/searches.h"

#include <anydnn/plugin.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "settings/settings.h"

static search_perf perf[SEARCH_COUNT];
static struct fixture_convolution with;

static void tune(const char *backend, const char *algorithms, const char *sleep_us)
{
    fixture_set(backend, "algorithms", algorithms);
    fixture_set(backend, "sleep_us", sleep_us);
}

/* ---- Find */

static void the_fastest_comes_first(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    int count;

    (void)state;
    fixture_convolution_make(&with, 8);
    tune("mock_a", "0,1,2", "60000 / 500 / 25000");
    fixture_set("mock_a", "workspace", "300 / 700 / 0");
    count = search_find(handle, &with, perf);
    assert_string_equal(search_list(perf, count), "1/0/mock_a 2/0/mock_a 0/0/mock_a");
    assert_true(perf[0].time >= 0.5F && perf[1].time >= 25 && perf[2].time >= 60);
    assert_true(perf[0].time < perf[1].time && perf[1].time < perf[2].time);
    assert_int_equal(perf[0].memory, 700);
    assert_int_equal(perf[1].memory, 0);
    assert_int_equal(perf[2].memory, 300);
    for (int i = 0; i < count; i++) {
        assert_int_equal(perf[i].determinism, ANYDNN_DETERMINISTIC);
        assert_int_equal(perf[i].reason, ANYDNN_REASON_NONE);
        for (int k = 0; k < 10; k++)
            assert_int_equal(perf[i].reserved[k], 0);
    }
    /* Entries beyond the requested count stay unchanged. */
    assert_int_equal(perf[count].algo, 0x55555555);
    /* A search does not count as a call in the record. */
    assert_int_equal(fixture_number(handle, "calls"), 0);
    assert_fails(anydnnGetDispatchInfo(handle, "backend", (char[9]){0}, 9), ANYDNN_STATUS_BAD_PARAM,
                 "no call has run");
}

static void a_pair_has_one_entry_the_fastest_of_any_backend(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");
    int count;

    (void)state;
    fixture_convolution_make(&with, 8);
    tune("mock_a", "0,1", "45000 / 200");
    tune("mock_b", "0,1,4", "200 / 45000 / 15000");
    count = search_find(handle, &with, perf);
    assert_int_equal(count, 3);
    for (int i = 0; i < 2; i++)
        assert_string_equal(search_backend(&perf[i]), perf[i].algo == 0 ? "mock_b" : "mock_a");
    assert_int_equal(perf[2].algo, 4);
    assert_true(perf[2].time < 45);
    /* One backend has several engines under one number. */
    tune("mock_a", "0", "45000 / 25000 / 100 / 45000");
    tune("mock_b", "0", "10000");
    fixture_set("mock_a", "engine_count", "4");
    count = search_find(handle, &with, perf);
    assert_string_equal(search_list(perf, count), "0/0/mock_a");
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_a 3");
}

static void all_that_a_backend_brings_is_timed(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");
    const char *log;

    (void)state;
    fixture_convolution_make(&with, 8);
    tune("mock_a", "0,1", "");
    tune("mock_b", "0", "");
    fixture_set("mock_a", "engine_count", "12");
    assert_int_equal(search_find(handle, &with, perf), 2);
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "mock_a plan_create", "algorithm=0 "), 12);
    assert_int_equal(fixture_lines(log, "mock_a plan_create", "algorithm=1 "), 12);
    assert_int_equal(fixture_lines(log, "mock_b plan_create", ""), 1);
}

/* Only the best candidates of an endless list are read, and these come first. */
static void a_backend_offers_millions(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");

    (void)state;
    fixture_convolution_make(&with, 8);
    tune("mock_a", "0", "");
    fixture_set("mock_a", "engine_count", "3000000");
    assert_int_equal(search_find(handle, &with, perf), 1);
    assert_int_equal(fixture_lines(fixture_log(), "mock_a plan_create", ""),
                     ANYDNN_PLUGIN_CANDIDATE_MAX);
}

static void less_is_answered_where_less_is_asked_for(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    int count = 0;

    (void)state;
    fixture_convolution_make(&with, 8);
    tune("mock_a", "0,1,2", "45000 / 200 / 20000");
    memset(perf, 0x55, sizeof(perf));
    assert_ok(search_try(handle, &with, 2, &count, perf));
    assert_string_equal(search_list(perf, count), "1/0/mock_a 2/0/mock_a");
    assert_int_equal(perf[2].algo, 0x55555555);
    assert_int_equal(fixture_number(handle, "pins"), 2);
    assert_ok(search_try(handle, &with, 1, &count, perf));
    assert_string_equal(search_list(perf, count), "1/0/mock_a");
    assert_ok(search_try(handle, &with, 1000, &count, perf));
    assert_int_equal(count, 3);
}

/* A candidate without a number counts as the first algorithm, unless it is a transform. */
static void candidates_without_a_number(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");
    int count;

    (void)state;
    fixture_convolution_make(&with, 8);
    tune("mock_a", "", "15000");
    tune("mock_b", "-1", "200");
    count = search_find(handle, &with, perf);
    assert_string_equal(search_list(perf, count), "0/0/mock_b");
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_b 1");
    fixture_set("mock_b", "notes", "transform");
    count = search_find(handle, &with, perf);
    assert_string_equal(search_list(perf, count), "0/0/mock_a");
    assert_fails(search_try(fixture_handle("mock_b"), &with, 1, &count, perf),
                 ANYDNN_STATUS_NOT_SUPPORTED, "is a transform algorithm (without a number)");
}

static void a_reference_is_never_timed(void **state)
{
    anydnnHandle_t handle = fixture_handle("cpu_ref, mock_a");
    anydnnConvolutionFwdAlgo_t best;
    int count;

    (void)state;
    fixture_convolution_make(&with, 8);
    tune("mock_a", "6,1", "10000 / 300");
    count = search_find(handle, &with, perf);
    /* Numbers 0 to 3 are not transforms; 1 belongs to mock_a, which ran. */
    assert_int_equal(count, 5);
    assert_string_equal(search_list(perf, 2), "1/0/mock_a 6/0/mock_a");
    for (int i = 2; i < count; i++) {
        assert_string_equal(search_backend(&perf[i]), "cpu_ref");
        assert_true(perf[i].time == -1 && perf[i].status == ANYDNN_STATUS_SUCCESS);
        assert_true((int)perf[i].algo == 0 || (int)perf[i].algo == 2 || (int)perf[i].algo == 3);
    }
    /* If it is the only backend, it is the answer, and that answer runs. */
    handle = fixture_handle("cpu_ref");
    count = search_find(handle, &with, perf);
    assert_int_equal(count, 4);
    assert_true(perf[0].time == -1 && perf[0].memory == 0);
    search_run(handle, &with, (int)perf[0].algo, perf[0].mathType);
    assert_string_equal(fixture_record(handle, "backend"), "cpu_ref");
    assert_int_equal(fixture_number(handle, "algorithm"), perf[0].algo);
    /* Get follows the route. */
    handle = fixture_handle("cpu_ref, mock_a");
    assert_ok(search_try_get(handle, &with, ANYDNN_CONVOLUTION_FWD_PREFER_FASTEST, 0, &best));
    search_run(handle, &with, (int)best, ANYDNN_DEFAULT_MATH);
    assert_string_equal(fixture_record(handle, "backend"), "cpu_ref");
}

/* Fills the stack, so that the next call does not find zeros in its variables. */
static void __attribute__((noinline)) soil_the_stack(void)
{
    volatile unsigned char soil[65536];

    for (size_t i = 0; i < sizeof(soil); i++)
        soil[i] = 0xa5;
}

/* plugin.h requires NULL in a slot without an operand: here all slots after x, w and y. */
static void absent_operands_are_null(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    const char *log;

    (void)state;
    fixture_convolution_make(&with, 8);
    with.workspace = fixture_data(9);
    with.bytes = 512;
    tune("mock_a", "0", "");
    fixture_log();
    soil_the_stack();
    assert_int_equal(search_find_ex(handle, &with, perf), 1);
    log = fixture_log();
    assert_true(fixture_lines(log, "plan_execute", " d2=0x") > 0);
    for (int slot = 3; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        char word[16];

        snprintf(word, sizeof(word), " d%d=", slot);
        assert_int_equal(fixture_lines(log, "plan_execute", word), 0);
    }
}

static void the_given_output_is_overwritten(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    unsigned char *data[3];
    const char *log;
    int runs = 0;

    (void)state;
    fixture_convolution_make(&with, 8);
    for (int i = 0; i < 3; i++) {
        data[i] = with.data[i];
        memset(data[i], 7, 4096);
    }
    with.workspace = fixture_data(9);
    with.bytes = 512;
    tune("mock_a", "0", "");
    fixture_set("mock_a", "workspace", "512");
    fixture_set("mock_a", "fill", "33");
    /* There is one warm-up run and five runs for the median, unless the machine stalls for 100
     * ms. */
    for (int i = 0; i < 20 && runs != 6; i++) {
        assert_int_equal(search_find_ex(handle, &with, perf), 1);
        log = fixture_log();
        runs = fixture_lines(log, "plan_execute", "");
        assert_int_equal(fixture_lines(log, "plan_execute", "scale=1,0,0,0"), runs);
        assert_int_equal(fixture_lines(log, "plan_execute", "bytes=512 "), runs);
    }
    assert_int_equal(runs, 6);
    for (int i = 0; i < 4096; i++)
        assert_int_equal(data[2][i], i < 2 * 4 * 6 * 3 * 4 ? 33 : 7);
    assert_int_equal(data[0][0], 7);
    assert_int_equal(data[1][0], 7);
    /* Find does not write to the application's memory. */
    memset(data[2], 7, 4096);
    assert_int_equal(search_find(handle, &with, perf), 1);
    for (int i = 0; i < 4096; i++)
        assert_int_equal(data[2][i], 7);
}

static void slow_ways_run_twice(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");

    (void)state;
    fixture_convolution_make(&with, 8);
    tune("mock_a", "0", "110000");
    assert_int_equal(search_find(handle, &with, perf), 1);
    assert_true(perf[0].time >= 110);
    assert_int_equal(fixture_lines(fixture_log(), "plan_execute", ""), 2);
}

/* Handles of several threads search at the same time. */
#define THREADS 4

struct searcher {
    pthread_t thread;
    anydnnHandle_t handle;
    search_perf perf[SEARCH_COUNT];
    int count;
    anydnnStatus_t status;
};

static void *search_in_thread(void *cookie)
{
    struct searcher *searcher = cookie;

    searcher->status =
        search_try(searcher->handle, &with, SEARCH_COUNT, &searcher->count, searcher->perf);
    return NULL;
}

static void threads_search_at_once(void **state)
{
    static struct searcher searchers[THREADS];

    (void)state;
    fixture_convolution_make(&with, 8);
    tune("mock_a", "0,1", "");
    tune("mock_b", "1,2", "");
    for (int i = 0; i < THREADS; i++) {
        searchers[i].handle = fixture_handle("mock_a, mock_b");
        assert_int_equal(
            pthread_create(&searchers[i].thread, NULL, search_in_thread, &searchers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(searchers[i].thread, NULL), 0);
        assert_ok(searchers[i].status);
        assert_int_equal(searchers[i].count, 3);
    }
}

/* ---- Get */

static int get(const char *route)
{
    return search_get(fixture_handle(route), &with, ANYDNN_CONVOLUTION_FWD_PREFER_FASTEST, 0);
}

static void get_goes_by_route_and_expectation(void **state)
{
    const char *log;

    (void)state;
    fixture_convolution_make(&with, 8);
    tune("mock_a", "2,1", "");
    tune("mock_b", "5,4", "");
    /* If no backend gives times, the order is that of the route, then that of the offers. */
    assert_int_equal(get("mock_a, mock_b"), 2);
    assert_int_equal(get("mock_b, mock_a"), 5);
    /* Both backends give expected times. */
    fixture_set("mock_a", "expected_us", "30 / 20");
    fixture_set("mock_b", "expected_us", "40 / 10");
    assert_int_equal(get("mock_a, mock_b"), 4);
    assert_int_equal(get("mock_b, mock_a"), 4);
    /* If only one gives them, or not for all engines, the route decides. */
    fixture_set("mock_b", "expected_us", "10 / 0");
    assert_int_equal(get("mock_a, mock_b"), 1);
    assert_int_equal(get("mock_b, mock_a"), 5);
    fixture_set("mock_b", "expected_us", "");
    assert_int_equal(get("mock_a, mock_b"), 1);
    assert_int_equal(get("mock_b, mock_a"), 5);
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "plan_create", ""), 0);
    assert_int_equal(fixture_lines(log, "plan_execute", ""), 0);
}

/* ---- the other directions */

static void backward_directions(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    anydnnConvolutionBwdDataAlgoPerf_t data_perf[SEARCH_COUNT];
    anydnnConvolutionBwdFilterAlgoPerf_t filter_perf[SEARCH_COUNT];
    anydnnConvolutionBwdDataAlgo_t data_algo;
    anydnnConvolutionBwdFilterAlgo_t filter_algo;
    const char *log;
    int count = 0;

    (void)state;
    fixture_convolution_make(&with, 8);
    tune("mock_a", "1,3", "25000 / 300");
    assert_ok(anydnnFindConvolutionBackwardDataAlgorithm(handle, with.w, with.y, with.conv, with.x,
                                                         SEARCH_COUNT, &count, data_perf));
    assert_int_equal(count, 2);
    assert_int_equal(data_perf[0].algo, ANYDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING);
    assert_true(data_perf[0].time < data_perf[1].time);
    assert_ok(anydnnFindConvolutionBackwardFilterAlgorithm(
        handle, with.x, with.y, with.conv, with.w, SEARCH_COUNT, &count, filter_perf));
    assert_int_equal(count, 2);
    assert_int_equal(filter_perf[0].algo, ANYDNN_CONVOLUTION_BWD_FILTER_ALGO_3);
    fixture_log();
    fixture_set("mock_a", "fill", "9");
    assert_ok(anydnnFindConvolutionBackwardDataAlgorithmEx(
        handle, with.w, with.data[1], with.y, with.data[2], with.conv, with.x, with.data[0],
        SEARCH_COUNT, &count, data_perf, NULL, 0));
    assert_int_equal(((unsigned char *)with.data[0])[0], 9);
    memset(with.data[0], 0, 4096);
    assert_ok(anydnnFindConvolutionBackwardFilterAlgorithmEx(
        handle, with.x, with.data[0], with.y, with.data[2], with.conv, with.w, with.data[1],
        SEARCH_COUNT, &count, filter_perf, NULL, 0));
    assert_int_equal(((unsigned char *)with.data[1])[0], 9);
    assert_int_equal(((unsigned char *)with.data[0])[0], 0);
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "plan_create", "operation=convolution_backward_data "), 2);
    assert_int_equal(fixture_lines(log, "plan_create", "operation=convolution_backward_filter "),
                     2);
    assert_ok(anydnnGetConvolutionBackwardDataAlgorithm(handle, with.w, with.y, with.conv, with.x,
                                                        ANYDNN_CONVOLUTION_BWD_DATA_PREFER_FASTEST,
                                                        0, &data_algo));
    assert_int_equal(data_algo, ANYDNN_CONVOLUTION_BWD_DATA_ALGO_1);
    assert_ok(anydnnGetConvolutionBackwardFilterAlgorithm(
        handle, with.x, with.y, with.conv, with.w,
        ANYDNN_CONVOLUTION_BWD_FILTER_SPECIFY_WORKSPACE_LIMIT, 0, &filter_algo));
    assert_int_equal(filter_algo, ANYDNN_CONVOLUTION_BWD_FILTER_ALGO_1);
}

#define search_test(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        search_test(the_fastest_comes_first),
        search_test(a_pair_has_one_entry_the_fastest_of_any_backend),
        search_test(all_that_a_backend_brings_is_timed),
        search_test(a_backend_offers_millions),
        search_test(less_is_answered_where_less_is_asked_for),
        search_test(candidates_without_a_number),
        search_test(a_reference_is_never_timed),
        search_test(absent_operands_are_null),
        search_test(the_given_output_is_overwritten),
        search_test(slow_ways_run_twice),
        search_test(threads_search_at_once),
        search_test(get_goes_by_route_and_expectation),
        search_test(backward_directions),
    };

    return cmocka_run_group_tests_name("search", tests, search_group_setup, fixture_group_teardown);
}
