/* SPDX-License-Identifier: Apache-2.0 */
/* Tests what Get, Find and workspace queries pin in the handle, and for how long. */
#include "tests/dispatch/searches.h"

#include <stdio.h>
#include <string.h>

#include "settings/settings.h"

#define FASTEST ANYDNN_CONVOLUTION_FWD_PREFER_FASTEST

static search_perf perf[SEARCH_COUNT];
static struct fixture_convolution with;

static anydnnHandle_t handle_with(int32_t plan_cache, const char *route)
{
    fixture_settings()->plan_cache = plan_cache;
    fixture_convolution_make(&with, 8);
    return fixture_handle(route);
}

static size_t need(anydnnHandle_t handle, int algorithm)
{
    size_t bytes = 12345;

    assert_ok(anydnnGetConvolutionForwardWorkspaceSize(
        handle, with.x, with.w, with.conv, with.y, (anydnnConvolutionFwdAlgo_t)algorithm, &bytes));
    return bytes;
}

/* Runs other problems, which evict every plan. */
static void crowd(anydnnHandle_t handle)
{
    struct fixture_convolution other;

    for (int height = 20; height < 40; height++) {
        fixture_convolution_make(&other, height);
        other.workspace = fixture_data(21);
        other.bytes = 4096;
        assert_ok(fixture_convolution_run(handle, &other));
    }
}

/* Makes mock_b the faster backend for algorithm 0, and puts it last in the route. */
static void two_backends(void)
{
    fixture_set("mock_a", "algorithms", "0,1");
    fixture_set("mock_b", "algorithms", "0,1");
    fixture_set("mock_a", "sleep_us", "40000 / 200");
    fixture_set("mock_b", "sleep_us", "200 / 40000");
    fixture_set("mock_b", "workspace", "512");
    fixture_set("mock_a", "workspace", "64");
}

static void what_was_found_runs(void **state)
{
    anydnnHandle_t handle = handle_with(4, "mock_a, mock_b");

    (void)state;
    two_backends();
    assert_int_equal(search_find(handle, &with, perf), 2);
    assert_int_equal(fixture_number(handle, "pins"), 2);
    with.workspace = fixture_data(20);
    with.bytes = 4096;
    fixture_log();
    /* The plan that was timed is kept. */
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_b 1");
    assert_string_equal(fixture_record(handle, "plan"), "equal");
    assert_int_equal(fixture_lines(fixture_log(), "plan_create", ""), 0);
    assert_string_equal(search_run(handle, &with, 1, ANYDNN_DEFAULT_MATH), "mock_a 2");
    /* After its eviction, the plan is rebuilt with the same choice. */
    fixture_set("mock_a", "sleep_us", "");
    fixture_set("mock_b", "sleep_us", "");
    crowd(handle);
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_b 1");
    assert_string_equal(fixture_record(handle, "plan"), "miss");
    assert_string_equal(fixture_record(handle, "passed_over"),
                        "mock_a: not queried, because another choice is pinned\n");
    assert_int_equal(fixture_number(handle, "fallbacks"), 0);
    crowd(handle);
    assert_string_equal(search_run(handle, &with, 1, ANYDNN_DEFAULT_MATH), "mock_a 2");
    /* Other problems, algorithms and math types are not pinned. */
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_TENSOR_OP_MATH), "mock_a 1");
    assert_string_equal(search_run(handle, &with, 2, ANYDNN_DEFAULT_MATH), "mock_a 1");
}

static void what_get_answered_runs(void **state)
{
    anydnnHandle_t handle = handle_with(4, "mock_a, mock_b");

    (void)state;
    two_backends();
    fixture_set("mock_a", "expected_us", "9 / 8");
    fixture_set("mock_b", "expected_us", "5 / 7");
    fixture_set("mock_a", "sleep_us", "");
    fixture_set("mock_b", "sleep_us", "");
    assert_int_equal(search_get(handle, &with, FASTEST, 0), 0);
    assert_int_equal(fixture_number(handle, "pins"), 1);
    with.workspace = fixture_data(20);
    with.bytes = 4096;
    crowd(handle);
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_b 1");
    assert_string_equal(search_run(handle, &with, 1, ANYDNN_DEFAULT_MATH), "mock_a 2");
}

/* The query returns the workspace that the pinned engine needs. A call with less gets a second
 * plan. */
static void queries_and_second_plans_of_what_was_found(void **state)
{
    anydnnHandle_t handle = handle_with(8, "mock_a, mock_b, fallback:warn");

    (void)state;
    two_backends();
    search_find(handle, &with, perf);
    assert_int_equal(need(handle, 0), 512);
    with.workspace = fixture_data(20);
    with.bytes = 64;
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_a 1");
    assert_int_equal(fixture_number(handle, "workspace_short"), 1);
    with.bytes = 512;
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_b 1");
    assert_int_equal(fixture_number(handle, "workspace_short"), 0);
    /* Before and after the query the choice is the search's, so there is no fallback and no
     * warning. */
    crowd(handle);
    fixture_messages();
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_b 1");
    assert_null(strstr(fixture_messages(), "fell back"));
}

static void a_later_search_replaces_the_choice(void **state)
{
    anydnnHandle_t handle = handle_with(8, "mock_a, mock_b");

    (void)state;
    with.workspace = fixture_data(20);
    with.bytes = 4096;
    two_backends();
    search_find(handle, &with, perf);
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_b 1");
    fixture_set("mock_a", "sleep_us", "200 / 200");
    fixture_set("mock_b", "sleep_us", "40000 / 40000");
    search_find(handle, &with, perf);
    assert_int_equal(fixture_number(handle, "pins"), 2);
    /* The plan found by the same descriptors changes, too. */
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_a 1");
    assert_string_equal(search_run(handle, &with, 1, ANYDNN_DEFAULT_MATH), "mock_a 2");
    /* Get runs after Find. */
    fixture_set("mock_a", "expected_us", "9");
    fixture_set("mock_b", "expected_us", "5");
    assert_int_equal(search_get(handle, &with, FASTEST, 0), 0);
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_b 1");
    assert_string_equal(search_run(handle, &with, 1, ANYDNN_DEFAULT_MATH), "mock_a 2");
    /* A search that confirms the choice keeps its plan. */
    fixture_log();
    assert_int_equal(search_get(handle, &with, FASTEST, 0), 0);
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_b 1");
    assert_int_equal(fixture_lines(fixture_log(), "plan_create", ""), 0);
}

static void changes_forget_what_was_found(void **state)
{
    anydnnHandle_t handle = handle_with(8, "mock_a, mock_b");

    (void)state;
    with.workspace = fixture_data(20);
    with.bytes = 4096;
    two_backends();
    search_find(handle, &with, perf);
    assert_ok(anydnnSetDeterministic(handle, 0));
    assert_int_equal(fixture_number(handle, "pins"), 0);
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_a 1");
    search_find(handle, &with, perf);
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_b 1");
    assert_ok(anydnnSetRoute(handle, "pooling_*", NULL, "mock_b"));
    assert_int_equal(fixture_number(handle, "pins"), 0);
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_a 1");
}

static void plan_cache_bounds_the_choices(void **state)
{
    anydnnHandle_t handle = handle_with(1, "mock_a, mock_b");

    (void)state;
    with.workspace = fixture_data(20);
    with.bytes = 4096;
    two_backends();
    fixture_set("mock_a", "sleep_us", "200 / 15000");
    assert_int_equal(search_find(handle, &with, perf), 2);
    assert_int_equal(perf[0].algo, 0);
    assert_int_equal(fixture_number(handle, "pins"), 1);
    assert_int_equal(fixture_number(handle, "pins_dropped"), 1);
    assert_int_equal(fixture_number(handle, "plans"), 1);
    assert_holds(fixture_messages(), "more choices are pinned than plan_cache allows");
    /* The plan of the best stays. */
    fixture_log();
    search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH);
    assert_string_equal(fixture_record(handle, "plan"), "equal");
    assert_string_equal(fixture_record(handle, "backend"), search_backend(&perf[0]));
}

static void a_choice_that_is_no_longer_offered(void **state)
{
    anydnnHandle_t handle = handle_with(4, "mock_a, mock_b");

    (void)state;
    two_backends();
    search_find(handle, &with, perf);
    fixture_set("mock_a", "sleep_us", "");
    crowd(handle);
    with.workspace = fixture_data(20);
    with.bytes = 4096;
    fixture_set("mock_b", "decline", "convolution_forward");
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_a 1");
}

/* A choice behind the route's first is no fallback if a search made it. */
static void a_choice_is_no_fallback(void **state)
{
    anydnnHandle_t handle = handle_with(4, "mock_a, mock_b, fallback:warn");

    (void)state;
    two_backends();
    fixture_set("mock_a", "workspace", "0");
    fixture_set("mock_b", "workspace", "0");
    search_find(handle, &with, perf);
    assert_null(strstr(fixture_messages(), "fell back"));
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_b 1");
    assert_int_equal(fixture_number(handle, "fallbacks"), 0);
    assert_int_equal(fixture_number(handle, "fallback"), 1); /* it is not the first of the rule */
    /* A choice that a query made is a fallback. */
    handle = handle_with(4, "mock_a, mock_b, fallback:warn");
    fixture_set("mock_a", "decline", "*");
    need(handle, 0);
    assert_holds(fixture_messages(), "fell back to mock_b");
    /* The warning repeats each time the plan is made. */
    crowd(handle);
    fixture_messages();
    search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH);
    assert_string_equal(fixture_record(handle, "plan"), "miss");
    assert_holds(fixture_messages(), "fell back to mock_b");
}

static void explain_tells_the_choice(void **state)
{
    static const char text[] =
        "convolution_forward x=f32:2,3,8,5 w=f32:4,3,3,3 y=f32:2,4,6,3 algo=implicit_gemm";
    anydnnHandle_t handle = handle_with(4, "mock_a, mock_b");
    anydnnProblem_t problem = NULL;
    char lines[4096];

    (void)state;
    two_backends();
    assert_ok(anydnnProblemParse(text, &problem));
    assert_ok(anydnnProblemExplain(handle, problem, lines, sizeof(lines), NULL));
    assert_holds(lines, "choice: mock_a engine 1, default math, algorithm implicit_gemm, "
                        "workspace 64\n");
    search_find(handle, &with, perf);
    assert_ok(anydnnProblemExplain(handle, problem, lines, sizeof(lines), NULL));
    assert_holds(lines, "choice: mock_b engine 1, default math, algorithm implicit_gemm, "
                        "workspace 512 (pinned)\n");
    fixture_set("mock_b", "decline", "convolution_forward");
    assert_ok(anydnnProblemExplain(handle, problem, lines, sizeof(lines), NULL));
    assert_holds(lines, "choice: mock_a engine 1, default math, algorithm implicit_gemm, "
                        "workspace 64\n");
    assert_ok(anydnnProblemDestroy(problem));
}

/* ---- what the choice does not depend on */

static const char *fused(anydnnHandle_t handle, anydnnActivationMode_t mode, double coef)
{
    static const float one = 1, zero = 0;
    anydnnActivationDescriptor_t activation = NULL;
    anydnnTensorDescriptor_t bias = fixture_tensor("f32:1,4,1,1");

    assert_ok(anydnnCreateActivationDescriptor(&activation));
    assert_ok(anydnnSetActivationDescriptor(activation, mode, ANYDNN_NOT_PROPAGATE_NAN, coef));
    assert_ok(anydnnConvolutionBiasActivationForward(
        handle, &one, with.x, with.data[0], with.w, with.data[1], with.conv,
        ANYDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, with.workspace, with.bytes, &zero,
        with.y, NULL, bias, fixture_data(5), activation, with.y, with.data[2]));
    assert_ok(anydnnDestroyActivationDescriptor(activation));
    return fixture_record(handle, "backend");
}

/* The forward query is for ReLU; its choice serves the other activations, too. */
static void one_choice_for_every_activation(void **state)
{
    anydnnHandle_t handle = handle_with(8, "mock_a, mock_b");

    (void)state;
    with.workspace = fixture_data(20);
    with.bytes = 4096;
    fixture_set("mock_a", "decline", "convolution_bias_activation_forward");
    need(handle, 1);
    fixture_set("mock_a", "decline", "");
    assert_string_equal(fused(handle, ANYDNN_ACTIVATION_IDENTITY, 0), "mock_b");
    assert_string_equal(fused(handle, ANYDNN_ACTIVATION_CLIPPED_RELU, 3), "mock_b");
    /* The backend must support the activation. A choice for the exact problem takes precedence. */
    fixture_set("mock_b", "decline", "convolution_bias_activation_forward");
    assert_string_equal(fused(handle, ANYDNN_ACTIVATION_ELU, 1), "mock_a");
}

static void one_choice_for_every_epsilon(void **state)
{
    static const float one = 1, zero = 0;
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");
    anydnnTensorDescriptor_t x = fixture_tensor("f32:2,3,4,4");
    anydnnTensorDescriptor_t scale = fixture_tensor("f32:1,3,1,1");
    size_t bytes = 1;

    (void)state;
    fixture_set("mock_a", "decline", "batch_normalization_training");
    assert_ok(anydnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
        handle, ANYDNN_BATCHNORM_SPATIAL, ANYDNN_BATCHNORM_OPS_BN, x, NULL, x, scale, NULL,
        &bytes));
    fixture_set("mock_a", "decline", "");
    assert_ok(anydnnBatchNormalizationForwardTraining(
        handle, ANYDNN_BATCHNORM_SPATIAL, &one, &zero, x, fixture_data(0), x, fixture_data(1),
        scale, fixture_data(2), fixture_data(3), 0.1, fixture_data(4), fixture_data(5), 1e-3,
        fixture_data(6), fixture_data(7)));
    assert_string_equal(fixture_record(handle, "backend"), "mock_b");
}

#define pins_test(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        pins_test(what_was_found_runs),
        pins_test(what_get_answered_runs),
        pins_test(queries_and_second_plans_of_what_was_found),
        pins_test(a_later_search_replaces_the_choice),
        pins_test(changes_forget_what_was_found),
        pins_test(plan_cache_bounds_the_choices),
        pins_test(a_choice_that_is_no_longer_offered),
        pins_test(a_choice_is_no_fallback),
        pins_test(explain_tells_the_choice),
        pins_test(one_choice_for_every_activation),
        pins_test(one_choice_for_every_epsilon),
    };

    return cmocka_run_group_tests_name("search_pins", tests, search_group_setup,
                                       fixture_group_teardown);
}
