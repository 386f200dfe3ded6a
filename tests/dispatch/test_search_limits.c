/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the limits on the answers of a search: math types, notes, workspaces, fallback. */
#include "tests/dispatch/searches.h"

#include <stdio.h>
#include <string.h>

#include "api/convolution.h"
#include "dispatch/autotune/search.h"
#include "settings/settings.h"

#define FASTEST ANYDNN_CONVOLUTION_FWD_PREFER_FASTEST
#define NONE    ANYDNN_CONVOLUTION_FWD_NO_WORKSPACE
#define LIMIT   ANYDNN_CONVOLUTION_FWD_SPECIFY_WORKSPACE_LIMIT

static search_perf perf[SEARCH_COUNT];
static struct fixture_convolution with;

static const char *found(anydnnHandle_t handle, anydnnMathType_t math)
{
    assert_ok(anydnnSetConvolutionMathType(with.conv, math));
    return search_list(perf, search_find(handle, &with, perf));
}

/* ---- math types */

/* Every type that the descriptor's type permits is searched, and none of less precision. */
static void every_permitted_math_type(void **state)
{
    static const struct {
        anydnnMathType_t asked;
        const char *found;
    } rows[] = {
        {ANYDNN_DEFAULT_MATH, "0/0/mock_a"},
        {ANYDNN_FMA_MATH, "0/0/mock_a"},
        {ANYDNN_TENSOR_OP_MATH, "0/1/mock_a 0/0/mock_a"},
        {ANYDNN_TENSOR_OP_MATH_SPLIT, "0/1000/mock_a 0/1/mock_a 0/0/mock_a"},
        {ANYDNN_TENSOR_OP_MATH_ALLOW_CONVERSION, "0/2/mock_a 0/1000/mock_a 0/1/mock_a 0/0/mock_a"},
    };

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_a", "algorithms", "0,0,0,0");
    fixture_set("mock_a", "math", "allow_conversion / split / tensor_op / default");
    fixture_set("mock_a", "sleep_us", "200 / 15000 / 30000 / 60000");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_string_equal(found(fixture_handle("mock_a"), rows[i].asked), rows[i].found);
}

/* One engine is offered under every mode but computes in default math, so one entry reports it. */
static void the_math_really_used_is_reported_once(void **state)
{
    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_a", "algorithms", "0,1");
    fixture_set("mock_a", "math", "default / tensor_op");
    fixture_set("mock_a", "sleep_us", "200 / 20000");
    assert_string_equal(found(fixture_handle("mock_a"), ANYDNN_TENSOR_OP_MATH),
                        "0/0/mock_a 1/1/mock_a");
    /* An engine that uses the permitted math is a different candidate in each mode. */
    fixture_set("mock_a", "algorithms", "0");
    fixture_set("mock_a", "math", "problem");
    assert_int_equal((found(fixture_handle("mock_a"), ANYDNN_TENSOR_OP_MATH), perf[0].mathType) +
                         perf[1].mathType,
                     1);
}

/* Each type has its own route. A backend that only the stronger type's route names must be
 * called with that type. */
static void routes_of_math_types(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");

    (void)state;
    fixture_convolution_make(&with, 8);
    assert_ok(anydnnSetRoute(handle, "convolution_*", "tensor_op", "mock_b"));
    fixture_set("mock_a", "algorithms", "0");
    fixture_set("mock_b", "algorithms", "0,1");
    fixture_set("mock_b", "math", "tensor_op / default");
    fixture_set("mock_a", "sleep_us", "35000");
    fixture_set("mock_b", "sleep_us", "200 / 15000");
    assert_string_equal(found(handle, ANYDNN_TENSOR_OP_MATH), "0/1/mock_b 1/1/mock_b 0/0/mock_a");
    assert_string_equal(search_run(handle, &with, 1, ANYDNN_TENSOR_OP_MATH), "mock_b 2");
    assert_string_equal(fixture_record(handle, "math"), "default");
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_a 1");
    assert_string_equal(found(handle, ANYDNN_DEFAULT_MATH), "0/0/mock_a");
}

/* Get's plain form returns no math type, so its choice applies to the descriptor's type. */
static void get_chooses_for_the_descriptors_type(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_b, mock_a");

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_a", "algorithms", "3");
    fixture_set("mock_b", "algorithms", "3,1");
    fixture_set("mock_a", "expected_us", "5");
    fixture_set("mock_b", "expected_us", "9 / 7");
    fixture_set("mock_b", "math", "tensor_op");
    assert_ok(anydnnSetConvolutionMathType(with.conv, ANYDNN_TENSOR_OP_MATH));
    assert_int_equal(search_get(handle, &with, FASTEST, 0), 3);
    assert_int_equal(fixture_number(handle, "pins"), 1);
    assert_string_equal(search_run(handle, &with, 3, ANYDNN_TENSOR_OP_MATH), "mock_a 1");
    /* If nothing is pinned, the route's first backend with that number runs. */
    assert_ok(anydnnSetRoute(handle, "*", NULL, "mock_b, mock_a"));
    assert_string_equal(search_run(handle, &with, 3, ANYDNN_TENSOR_OP_MATH), "mock_b 1");
}

/* Returns the ranked list of Get as "algo/math" each, with the status of failures. The plain
 * form returns the first entry for one type. */
static const char *ranked(anydnnHandle_t handle, anydnnMathType_t math, uint64_t limit)
{
    static char text[512];
    struct adn_found list[ADN_SEARCH_MAX];
    struct adn_call call;
    struct adn_entry entry;
    struct adn_search search = {.handle = handle, .call = &call, .workspace_limit = limit};
    size_t length = 0;
    int count = 0;

    adn_call_begin(&entry, &call, "test", ANYDNN_PLUGIN_CONVOLUTION_FORWARD);
    adn_call_put(&entry, 0, &with.x->t, NULL);
    adn_call_put(&entry, 1, &with.w->t, NULL);
    adn_call_put(&entry, 2, &with.y->t, NULL);
    adn_call_operands_end(&entry);
    call.descriptor[0] = with.conv;
    call.params = adn_convolution_params;
    call.math = (int32_t)math;
    assert_ok(adn_search_get(&search, ADN_SEARCH_MAX, list, &count));
    for (int i = 0; i < count; i++) {
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%d/%d",
                                   i > 0 ? " " : "", (int)list[i].algorithm, (int)list[i].math);
        if (list[i].status != ANYDNN_STATUS_SUCCESS)
            length +=
                (size_t)snprintf(text + length, sizeof(text) - length, ":%d", (int)list[i].status);
        assert_true(list[i].microseconds == -1);
    }
    return text;
}

static void a_ranked_list_of_all_types(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_a", "algorithms", "0,1");
    fixture_set("mock_a", "math", "problem / default");
    fixture_set("mock_b", "algorithms", "1,2");
    fixture_set("mock_b", "math", "tensor_op / default");
    /* The strongest type comes first; within a type the order is that of its route. */
    assert_string_equal(ranked(handle, ANYDNN_DEFAULT_MATH, UINT64_MAX), "0/0 1/0 2/0");
    assert_string_equal(ranked(handle, ANYDNN_TENSOR_OP_MATH, UINT64_MAX), "0/1 1/1 0/0 1/0 2/0");
    assert_int_equal(fixture_number(handle, "pins"), 5);
    /* Expected times rank across types, up to the first backend that gives none. */
    fixture_set("mock_a", "expected_us", "9 / 3");
    assert_string_equal(ranked(handle, ANYDNN_TENSOR_OP_MATH, UINT64_MAX), "0/1 1/1 1/0 0/0 2/0");
    fixture_set("mock_b", "expected_us", "5 / 1");
    assert_string_equal(ranked(handle, ANYDNN_TENSOR_OP_MATH, UINT64_MAX), "2/0 1/0 1/1 0/1 0/0");
    /* Candidates that need more than the limit come last. */
    fixture_set("mock_b", "workspace", "0 / 128");
    assert_string_equal(ranked(handle, ANYDNN_TENSOR_OP_MATH, 127), "1/0 1/1 0/1 0/0 2/0:2");
    assert_string_equal(search_run(handle, &with, 1, ANYDNN_TENSOR_OP_MATH), "mock_b 1");
    assert_string_equal(search_run(handle, &with, 1, ANYDNN_DEFAULT_MATH), "mock_a 2");
}

static void rounded_operands_are_no_default_math(void **state)
{
    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_a", "algorithms", "0,1");
    fixture_set("mock_a", "notes", "reduced_precision / ");
    assert_string_equal(found(fixture_handle("mock_a"), ANYDNN_TENSOR_OP_MATH), "1/0/mock_a");
}

/* ---- notes */

static void nondeterministic_ways_only_where_permitted(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_a", "algorithms", "0,1");
    fixture_set("mock_a", "notes", "nondeterministic / ");
    fixture_set("mock_a", "sleep_us", "200 / 20000");
    assert_string_equal(found(handle, ANYDNN_DEFAULT_MATH), "1/0/mock_a");
    assert_int_equal(search_get(handle, &with, FASTEST, 0), 1);
    assert_ok(anydnnSetDeterministic(handle, 0));
    assert_string_equal(found(handle, ANYDNN_DEFAULT_MATH), "0/0/mock_a 1/0/mock_a");
    assert_int_equal(perf[0].determinism, ANYDNN_NON_DETERMINISTIC);
    assert_int_equal(perf[1].determinism, ANYDNN_DETERMINISTIC);
    assert_int_equal(search_get(handle, &with, FASTEST, 0), 0);
}

static void transforms_run_when_their_number_is_passed_on(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_a", "algorithms", "6,0");
    fixture_set("mock_a", "notes", "transform / ");
    fixture_set("mock_a", "sleep_us", "200 / 20000");
    assert_string_equal(found(handle, ANYDNN_DEFAULT_MATH), "6/0/mock_a 0/0/mock_a");
    assert_string_equal(search_run(handle, &with, 6, ANYDNN_DEFAULT_MATH), "mock_a 1");
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_a 2");
    /* No other number selects it. */
    assert_string_equal(search_run(handle, &with, 4, ANYDNN_DEFAULT_MATH), "mock_a 2");
    assert_int_equal(search_get(handle, &with, FASTEST, 0), 6);
}

/* ---- workspaces */

static void workspaces_within_limits(void **state)
{
    anydnnHandle_t handle;
    anydnnConvolutionFwdAlgo_t none;
    int count = 7;

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_a", "algorithms", "0,1,2");
    fixture_set("mock_a", "workspace", "4096 / 1024 / 0");
    fixture_set("mock_a", "sleep_us", "200 / 20000 / 40000");
    handle = fixture_handle("mock_a");
    assert_int_equal(search_get(handle, &with, FASTEST, 0), 0);
    assert_int_equal(search_get(handle, &with, LIMIT, 4096), 0);
    assert_int_equal(search_get(handle, &with, LIMIT, 4095), 1);
    assert_int_equal(search_get(handle, &with, LIMIT, 1023), 2);
    assert_int_equal(search_get(handle, &with, NONE, 4096), 2);
    assert_string_equal(found(handle, ANYDNN_DEFAULT_MATH), "0/0/mock_a 1/0/mock_a 2/0/mock_a");
    /* The setting applies to all; candidates that do not fit come last. */
    fixture_settings()->workspace_limit = 1024;
    handle = fixture_handle("mock_a");
    assert_int_equal(search_get(handle, &with, FASTEST, 0), 1);
    assert_int_equal(search_get(handle, &with, LIMIT, 4096), 1);
    assert_string_equal(found(handle, ANYDNN_DEFAULT_MATH), "1/0/mock_a 2/0/mock_a 0/0/mock_a:2");
    assert_int_equal(perf[2].reason, ANYDNN_REASON_MEMORY);
    assert_int_equal(perf[2].memory, 4096);
    assert_true(perf[2].time == -1);
    assert_int_equal(fixture_number(handle, "pins"), 2);
    /* No candidate fits. */
    fixture_set("mock_a", "algorithms", "0,1");
    assert_fails(
        search_try_get(handle, &with, NONE, 0, &none), ANYDNN_STATUS_NOT_SUPPORTED,
        "needs more workspace than the limit of 0 bytes; the best one, of mock_a, needs 4096");
    fixture_settings()->workspace_limit = 100;
    assert_fails(search_try(fixture_handle("mock_a"), &with, 3, &count, perf),
                 ANYDNN_STATUS_NOT_SUPPORTED, "the limit of 100 bytes");
    assert_int_equal(count, 7);
}

static void the_given_workspace_counts(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    const char *log;

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_a", "algorithms", "0,1,2");
    fixture_set("mock_a", "workspace", "4096 / 1024 / 0");
    fixture_set("mock_a", "sleep_us", "200 / 20000 / 40000");
    with.workspace = fixture_data(20);
    with.bytes = 2048;
    assert_string_equal(search_list(perf, search_find_ex(handle, &with, perf)),
                        "1/0/mock_a 2/0/mock_a 0/0/mock_a:2");
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "plan_execute", "bytes=2048 "),
                     fixture_lines(log, "plan_execute", ""));
    /* A missing or misaligned workspace counts as none. */
    with.workspace = NULL;
    assert_string_equal(search_list(perf, search_find_ex(handle, &with, perf)),
                        "2/0/mock_a 0/0/mock_a:2 1/0/mock_a:2");
    with.workspace = (char *)fixture_data(20) + 64;
    assert_string_equal(search_list(perf, search_find_ex(handle, &with, perf)),
                        "2/0/mock_a 0/0/mock_a:2 1/0/mock_a:2");
}

/* If operands are misaligned, candidates that require more alignment are not among the answers. */
static void the_given_alignment_counts(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_a", "algorithms", "0,1,2");
    fixture_set("mock_a", "alignment", "64 / 16 / 0");
    assert_int_equal(search_find_ex(handle, &with, perf), 3);
    with.data[1] = (char *)with.data[1] + 16;
    assert_int_equal(search_find_ex(handle, &with, perf), 2);
    with.data[2] = (char *)with.data[2] + 4;
    assert_string_equal(search_list(perf, search_find_ex(handle, &with, perf)), "2/0/mock_a");
}

/* ---- fallback */

static void fallback_off_searches_the_first_alone(void **state)
{
    int count = 0;

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_a", "algorithms", "0");
    fixture_set("mock_b", "algorithms", "1");
    assert_string_equal(found(fixture_handle("mock_a, mock_b, fallback:off"), ANYDNN_DEFAULT_MATH),
                        "0/0/mock_a");
    fixture_set("mock_a", "decline", "convolution_forward");
    fixture_set("mock_a", "sentence", "not today");
    assert_fails(search_try(fixture_handle("mock_a, mock_b, fallback:off"), &with, 1, &count, perf),
                 ANYDNN_STATUS_NOT_SUPPORTED, "mock_a: not today; mock_b: not queried");
    assert_string_equal(found(fixture_handle("mock_a, mock_b"), ANYDNN_DEFAULT_MATH), "1/0/mock_b");
}

#define limits_test(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        limits_test(every_permitted_math_type),
        limits_test(the_math_really_used_is_reported_once),
        limits_test(routes_of_math_types),
        limits_test(get_chooses_for_the_descriptors_type),
        limits_test(a_ranked_list_of_all_types),
        limits_test(rounded_operands_are_no_default_math),
        limits_test(nondeterministic_ways_only_where_permitted),
        limits_test(transforms_run_when_their_number_is_passed_on),
        limits_test(workspaces_within_limits),
        limits_test(the_given_workspace_counts),
        limits_test(the_given_alignment_counts),
        limits_test(fallback_off_searches_the_first_alone),
    };

    return cmocka_run_group_tests_name("search_limits", tests, search_group_setup,
                                       fixture_group_teardown);
}
