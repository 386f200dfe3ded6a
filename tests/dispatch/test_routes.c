/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which backend runs: by rule, mode, layer and the handle's own rules. It also tests why
 * earlier ones do not run, and the effect of math, notes, algorithms and workspace. */
#include "tests/dispatch/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings/settings.h"

static const float one = 1, zero = 0;

static anydnnStatus_t softmax(anydnnHandle_t handle)
{
    anydnnTensorDescriptor_t x = fixture_tensor("f32:2,3");

    return anydnnSoftmaxForward(handle, ANYDNN_SOFTMAX_ACCURATE, ANYDNN_SOFTMAX_MODE_CHANNEL, &one,
                                x, fixture_data(0), &zero, x, fixture_data(1));
}

static anydnnStatus_t convolve(anydnnHandle_t handle, anydnnMathType_t math, int algorithm)
{
    struct fixture_convolution with;

    fixture_convolution_make(&with, 8);
    with.algorithm = algorithm;
    assert_ok(anydnnSetConvolutionMathType(with.conv, math));
    return fixture_convolution_run(handle, &with);
}

#define assert_ran(handle, backend_name)                                                           \
    assert_string_equal(fixture_record((handle), "backend"), (backend_name))

static void the_files_rule_runs(void **state)
{
    anydnnHandle_t handle = fixture_handle(NULL);

    (void)state;
    assert_ok(softmax(handle));
    assert_ran(handle, "mock_a");
    assert_string_equal(fixture_record(handle, "rule"), "[route] *");
    assert_holds(fixture_record(handle, "rule_origin"), "anydnn.conf:");
    assert_string_equal(fixture_record(handle, "passed_over"), "");
    assert_int_equal(fixture_number(handle, "fallback"), 0);
}

static void the_handles_rule_wins(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_b");
    anydnnHandle_t other = fixture_handle(NULL);

    (void)state;
    assert_ok(softmax(handle));
    assert_ran(handle, "mock_b");
    assert_string_equal(fixture_record(handle, "rule_origin"), "anydnnSetRoute");
    assert_ok(softmax(other));
    assert_ran(other, "mock_a");
    assert_ok(anydnnSetRoute(handle, "*", NULL, "mock_a"));
    assert_ok(softmax(handle));
    assert_ran(handle, "mock_a");
}

static void exact_name_then_longer_prefix_then_star(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_noop");

    (void)state;
    assert_ok(anydnnSetRoute(handle, "soft*", NULL, "mock_b"));
    assert_ok(softmax(handle));
    assert_ran(handle, "mock_b");
    assert_ok(anydnnSetRoute(handle, "softmax_*", NULL, "mock_a"));
    assert_ok(softmax(handle));
    assert_ran(handle, "mock_a");
    assert_ok(anydnnSetRoute(handle, "softmax_forward", NULL, "mock_noop"));
    assert_ok(softmax(handle));
    assert_ran(handle, "mock_noop");
    assert_string_equal(fixture_record(handle, "rule"), "[route] softmax_forward");
    assert_ok(convolve(handle, ANYDNN_DEFAULT_MATH, 0));
    assert_ran(handle, "mock_noop");
    assert_string_equal(fixture_record(handle, "rule"), "[route] *");
}

static void the_math_mode_chooses_the_rule(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");

    (void)state;
    assert_ok(anydnnSetRoute(handle, "*", "tensor_op", "mock_b"));
    assert_ok(anydnnSetRoute(handle, "convolution_forward", "split", "mock_noop"));
    assert_ok(convolve(handle, ANYDNN_DEFAULT_MATH, 0));
    assert_ran(handle, "mock_a");
    assert_ok(convolve(handle, ANYDNN_TENSOR_OP_MATH, 0));
    assert_ran(handle, "mock_b");
    assert_string_equal(fixture_record(handle, "rule"), "[route tensor_op] *");
    assert_string_equal(fixture_record(handle, "math_requested"), "tensor_op");
    assert_string_equal(fixture_record(handle, "math"), "default");
    assert_ok(convolve(handle, ANYDNN_TENSOR_OP_MATH_SPLIT, 0));
    assert_ran(handle, "mock_noop");
    assert_ok(convolve(handle, ANYDNN_TENSOR_OP_MATH_ALLOW_CONVERSION, 0));
    assert_ran(handle, "mock_a");
    /* FMA is an alias of default; an operation without a math type uses default. */
    assert_ok(anydnnSetRoute(handle, "*", "default", "mock_noop"));
    assert_ok(convolve(handle, ANYDNN_FMA_MATH, 0));
    assert_ran(handle, "mock_noop");
    assert_ok(softmax(handle));
    assert_ran(handle, "mock_noop");
}

static void bad_rules_have_sentences(void **state)
{
    anydnnHandle_t handle = fixture_handle(NULL);

    (void)state;
    assert_fails(anydnnSetRoute(handle, "sofmax_forward", NULL, "mock_a"), ANYDNN_STATUS_BAD_PARAM,
                 "softmax_forward");
    assert_fails(anydnnSetRoute(handle, "*", "fast", "mock_a"), ANYDNN_STATUS_BAD_PARAM, "fast");
    assert_fails(anydnnSetRoute(handle, "*", NULL, "mock_a, fallback:maybe"),
                 ANYDNN_STATUS_BAD_PARAM, "maybe");
    assert_fails(anydnnSetRoute(handle, NULL, NULL, "mock_a"), ANYDNN_STATUS_BAD_PARAM,
                 "anydnnSetRoute: operation is NULL");
    assert_fails(anydnnSetRoute(handle, "*", NULL, NULL), ANYDNN_STATUS_BAD_PARAM,
                 "anydnnSetRoute: list is NULL");
    assert_fails(anydnnSetRoute(NULL, "*", NULL, "mock_a"), ANYDNN_STATUS_NOT_INITIALIZED,
                 "anydnnSetRoute: the handle is NULL");
}

static void a_backend_that_is_not_installed(void **state)
{
    anydnnHandle_t handle = fixture_handle("nobody, mock_b");

    (void)state;
    assert_ok(softmax(handle));
    assert_ran(handle, "mock_b");
    assert_string_equal(fixture_record(handle, "passed_over"), "nobody: not installed\n");
    assert_int_equal(fixture_number(handle, "fallback"), 1);
    handle = fixture_handle("nobody");
    assert_fails(softmax(handle), ANYDNN_STATUS_NOT_SUPPORTED, "nobody: not installed");
    handle = fixture_handle("mock_bb");
    assert_fails(softmax(handle), ANYDNN_STATUS_NOT_SUPPORTED,
                 "mock_bb: not installed; did you mean `mock_b`?");
    handle = fixture_handle("");
    assert_fails(softmax(handle), ANYDNN_STATUS_NOT_SUPPORTED, "its list is empty");
}

static void a_backend_of_another_space(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_device, mock_b");

    (void)state;
    assert_ok(softmax(handle));
    assert_ran(handle, "mock_b");
    assert_holds(fixture_record(handle, "passed_over"), "mock_device: uses memory space");
    assert_int_equal(fixture_number(handle, "staged"), 0);
}

static void reasons_of_those_that_decline(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");

    (void)state;
    fixture_set("mock_a", "decline", "softmax_*");
    fixture_set("mock_a", "reason", "shape");
    fixture_set("mock_a", "sentence", "rows of 3 are too short");
    assert_ok(softmax(handle));
    assert_ran(handle, "mock_b");
    assert_string_equal(fixture_record(handle, "passed_over"), "mock_a: rows of 3 are too short\n");
    assert_ok(convolve(handle, ANYDNN_DEFAULT_MATH, 0));
    assert_ran(handle, "mock_a");
    fixture_set("mock_b", "decline", "*");
    handle = fixture_handle("mock_a, mock_b");
    assert_fails(softmax(handle), ANYDNN_STATUS_NOT_SUPPORTED,
                 "anydnnSoftmaxForward: no backend of the route `*` (anydnnSetRoute) runs it: "
                 "mock_a: rows of 3 are too short; mock_b: the test backend was told to decline");
    assert_holds(fixture_error(), "softmax_forward x=f32:2,3:nchw");
}

static void a_context_that_cannot_be_made(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");

    (void)state;
    fixture_set("mock_a", "fail_context", "yes");
    assert_ok(softmax(handle));
    assert_ran(handle, "mock_b");
    assert_string_equal(fixture_record(handle, "passed_over"),
                        "mock_a: the test backend was told to fail in context_create\n");
    /* The context is requested once per handle. */
    assert_ok(convolve(handle, ANYDNN_DEFAULT_MATH, 0));
    assert_int_equal(fixture_lines(fixture_log(), "mock_a context_create", "answer=4"), 1);
}

static void plan_create_that_fails(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");

    (void)state;
    fixture_set("mock_a", "fail_plan", "yes");
    assert_ok(softmax(handle));
    assert_ran(handle, "mock_b");
    assert_holds(
        fixture_record(handle, "passed_over"),
        "mock_a: could not create a plan (4): the test backend was told to fail in plan_create");
    assert_int_equal(fixture_number(handle, "fallback"), 1);
    fixture_set("mock_b", "fail_plan", "yes");
    handle = fixture_handle("mock_a, mock_b");
    assert_fails(softmax(handle), ANYDNN_STATUS_NOT_SUPPORTED,
                 "mock_b: could not create a plan (4)");
}

static void garbage_is_passed_over(void **state)
{
    static const char *const kinds[][2] = {
        {"size", "its struct_size is invalid"},
        {"math", "its math mode does not exist"},
        {"alignment", "an alignment is not a power of two up to 256"},
        {"notes", "its notes are not defined in plugin.h"},
        {"algorithm", "its algorithm does not exist"},
        {"reason", "its reason is not defined in plugin.h"},
        {"time", "its expected time is invalid"},
        {"workspace", "its workspace is invalid"},
        {"silent", "offered no candidate and gave no reason"},
        {"status", "its function candidates failed (77)"},
        {"both", "it both declined the problem and offered candidates"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        anydnnHandle_t handle = fixture_handle("mock_a, mock_b");

        fixture_set("mock_a", "garbage", kinds[i][0]);
        assert_ok(softmax(handle));
        assert_ran(handle, "mock_b");
        assert_holds(fixture_record(handle, "passed_over"), kinds[i][1]);
        assert_int_equal(fixture_lines(fixture_log(), "mock_a plan_create", ""), 0);
    }
}

static void candidates_that_fail(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");

    (void)state;
    fixture_set("mock_a", "candidates_status", "4");
    assert_ok(softmax(handle));
    assert_ran(handle, "mock_b");
    assert_string_equal(fixture_record(handle, "passed_over"),
                        "mock_a: its function candidates failed (4): the test backend was told to "
                        "fail in candidates\n");
}

static anydnnStatus_t normalize(anydnnHandle_t handle, const char *parameters)
{
    anydnnTensorDescriptor_t x = fixture_tensor("f16:2,3,1,1");

    return anydnnBatchNormalizationForwardInference(
        handle, ANYDNN_BATCHNORM_SPATIAL, &one, &zero, x, fixture_data(0), x, fixture_data(1),
        fixture_tensor(parameters), fixture_data(2), fixture_data(3), fixture_data(4),
        fixture_data(5), 1e-5);
}

/* A backend that does not publish the limit may read all parameters as float. */
static void only_backends_that_say_so_take_short_parameters(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, cpu_ref");

    (void)state;
    assert_ok(normalize(handle, "f32:1,3,1,1"));
    assert_ran(handle, "mock_a");
    fixture_log();
    assert_ok(normalize(handle, "f16:1,3,1,1"));
    assert_ran(handle, "cpu_ref");
    assert_string_equal(fixture_record(handle, "passed_over"),
                        "mock_a: does not take parameters of batch_normalization_inference in f16: "
                        "it publishes no limit `parameter_types`\n");
    assert_int_equal(fixture_lines(fixture_log(), "mock_a candidates", ""), 0);
}

/* The table lists what each mode permits, weakest precision last (docs/backend-authors.md). */
static void nothing_runs_at_less_precision(void **state)
{
    static const char *const used[] = {"default", "tensor_op", "split", "allow_conversion"};
    static const struct {
        anydnnMathType_t math;
        int permitted[4];
    } rows[] = {
        {ANYDNN_DEFAULT_MATH, {1, 0, 0, 0}},
        {ANYDNN_FMA_MATH, {1, 0, 0, 0}},
        {ANYDNN_TENSOR_OP_MATH, {1, 1, 0, 0}},
        {ANYDNN_TENSOR_OP_MATH_SPLIT, {1, 1, 1, 0}},
        {ANYDNN_TENSOR_OP_MATH_ALLOW_CONVERSION, {1, 1, 1, 1}},
    };

    (void)state;
    for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++)
        for (int i = 0; i < 4; i++) {
            anydnnHandle_t handle = fixture_handle("mock_a, mock_b");

            fixture_set("mock_a", "math", used[i]);
            assert_ok(convolve(handle, rows[row].math, 0));
            assert_ran(handle, rows[row].permitted[i] ? "mock_a" : "mock_b");
            if (rows[row].permitted[i])
                assert_string_equal(fixture_record(handle, "math"), used[i]);
            else
                assert_holds(fixture_record(handle, "passed_over"), "does not permit");
        }
}

static void a_better_candidate_behind_a_forbidden_one(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");

    (void)state;
    fixture_set("mock_a", "engine_count", "3");
    fixture_set("mock_a", "math", "allow_conversion / tensor_op / default");
    assert_ok(convolve(handle, ANYDNN_TENSOR_OP_MATH, 0));
    assert_ran(handle, "mock_a");
    assert_int_equal(fixture_number(handle, "engine"), 2);
    assert_int_equal(fixture_number(handle, "math"), ANYDNN_TENSOR_OP_MATH);
    assert_ok(convolve(handle, ANYDNN_DEFAULT_MATH, 0));
    assert_int_equal(fixture_number(handle, "engine"), 3);
}

static void rounded_operands_need_a_mode_that_permits_it(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");

    (void)state;
    fixture_set("mock_a", "notes", "reduced_precision");
    assert_ok(convolve(handle, ANYDNN_DEFAULT_MATH, 0));
    assert_ran(handle, "mock_b");
    assert_ok(convolve(handle, ANYDNN_TENSOR_OP_MATH, 0));
    assert_ran(handle, "mock_b");
    assert_ok(convolve(handle, ANYDNN_TENSOR_OP_MATH_ALLOW_CONVERSION, 0));
    assert_ran(handle, "mock_a");
    assert_string_equal(fixture_record(handle, "notes"), "reduced_precision");
    assert_int_equal(fixture_number(handle, "notes"), 4);
}

static void nondeterministic_candidates(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");
    int deterministic = -1;

    (void)state;
    fixture_set("mock_a", "notes", "nondeterministic");
    assert_ok(anydnnGetDeterministic(handle, &deterministic));
    assert_int_equal(deterministic, 1);
    assert_ok(softmax(handle));
    assert_ran(handle, "mock_b");
    assert_holds(fixture_record(handle, "passed_over"), "mock_a: is nondeterministic");
    assert_int_equal(fixture_number(handle, "deterministic"), 1);
    assert_ok(anydnnSetDeterministic(handle, 0));
    assert_ok(softmax(handle));
    assert_ran(handle, "mock_a");
    assert_int_equal(fixture_number(handle, "deterministic"), 0);
    assert_string_equal(fixture_record(handle, "notes"), "nondeterministic");
    assert_ok(anydnnSetDeterministic(handle, 1));
    assert_ok(softmax(handle));
    assert_ran(handle, "mock_b");
    assert_fails(anydnnSetDeterministic(handle, 2), ANYDNN_STATUS_BAD_PARAM, "deterministic is 2");
}

static void transforms_run_only_when_named(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");

    (void)state;
    fixture_set("mock_a", "algorithms", "6");
    fixture_set("mock_a", "notes", "transform");
    assert_ok(convolve(handle, ANYDNN_DEFAULT_MATH, ANYDNN_CONVOLUTION_FWD_ALGO_GEMM));
    assert_ran(handle, "mock_b");
    assert_holds(fixture_record(handle, "passed_over"),
                 "mock_a: is a transform algorithm (winograd)");
    assert_ok(convolve(handle, ANYDNN_DEFAULT_MATH, ANYDNN_CONVOLUTION_FWD_ALGO_WINOGRAD));
    assert_ran(handle, "mock_a");
    assert_string_equal(fixture_record(handle, "notes"), "transform");
    assert_string_equal(fixture_record(handle, "algorithm"), "winograd");
}

static void the_first_backend_that_has_the_algorithm(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");

    (void)state;
    fixture_set("mock_a", "algorithms", "1,2");
    fixture_set("mock_b", "algorithms", "0,2,3");
    /* Both backends have the algorithm. */
    assert_ok(convolve(handle, ANYDNN_DEFAULT_MATH, 2));
    assert_ran(handle, "mock_a");
    assert_int_equal(fixture_number(handle, "engine"), 2);
    assert_string_equal(fixture_record(handle, "algorithm"), "gemm");
    assert_string_equal(fixture_record(handle, "algorithm_requested"), "gemm");
    /* Only the second backend has it. */
    assert_ok(convolve(handle, ANYDNN_DEFAULT_MATH, 3));
    assert_ran(handle, "mock_b");
    assert_int_equal(fixture_number(handle, "algorithm"), 3);
    assert_string_equal(fixture_record(handle, "passed_over"),
                        "mock_a: does not provide the requested algorithm\n");
    /* No backend has it, so the best engine of the first runs. */
    assert_ok(convolve(handle, ANYDNN_DEFAULT_MATH, 4));
    assert_ran(handle, "mock_a");
    assert_int_equal(fixture_number(handle, "engine"), 1);
    assert_int_equal(fixture_number(handle, "algorithm"), 1);
    assert_int_equal(fixture_number(handle, "algorithm_requested"), 4);
    assert_int_equal(fixture_number(handle, "fallback"), 0);
    /* The operation has no algorithms. */
    fixture_set("mock_a", "algorithms", "-1");
    assert_ok(softmax(handle));
    assert_string_equal(fixture_record(handle, "algorithm"), "none");
    assert_string_equal(fixture_record(handle, "algorithm_requested"), "any");
    assert_int_equal(fixture_number(handle, "algorithm"), -1);
}

static void an_algorithm_is_no_way_past_fallback_off(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b, fallback:off");

    (void)state;
    fixture_set("mock_b", "algorithms", "3");
    assert_ok(convolve(handle, ANYDNN_DEFAULT_MATH, 3));
    assert_ran(handle, "mock_a");
}

static void workspace_limit(void **state)
{
    anydnnHandle_t handle;
    struct fixture_convolution with;
    size_t bytes = 0;

    (void)state;
    fixture_settings()->workspace_limit = 1000;
    handle = fixture_handle("mock_a, mock_b");
    fixture_set("mock_a", "workspace", "1001");
    fixture_set("mock_b", "workspace", "1000");
    fixture_convolution_make(&with, 8);
    assert_ok(anydnnGetConvolutionForwardWorkspaceSize(handle, with.x, with.w, with.conv, with.y,
                                                       ANYDNN_CONVOLUTION_FWD_ALGO_GEMM, &bytes));
    assert_int_equal(bytes, 1000);
    with.algorithm = 2;
    with.workspace = fixture_data(9);
    with.bytes = 1000;
    assert_ok(fixture_convolution_run(handle, &with));
    assert_ran(handle, "mock_b");
    assert_string_equal(fixture_record(handle, "passed_over"),
                        "mock_a: needs 1001 bytes of workspace; the limit is 1000\n");
    assert_int_equal(fixture_number(handle, "workspace"), 1000);
}

static void explain_says_the_same(void **state)
{
    anydnnHandle_t handle = fixture_handle("nobody, mock_a, mock_b");
    anydnnProblem_t problem = NULL;
    char text[4000];
    size_t needed = 0;

    (void)state;
    fixture_set("mock_a", "decline", "*");
    fixture_set("mock_b", "workspace", "512");
    assert_ok(anydnnProblemParse("softmax_forward x=f32:2,3", &problem));
    assert_ok(anydnnProblemExplain(handle, problem, text, sizeof(text), &needed));
    assert_int_equal(needed, strlen(text) + 1);
    assert_holds(text, "rule: [route] * = nobody, mock_a, mock_b\n");
    assert_holds(text, "from: anydnnSetRoute\n");
    assert_holds(text, "not installed");
    assert_holds(text, "the test backend was told to decline");
    assert_holds(text, "choice: mock_b engine 1, default math, algorithm none, workspace 512");
    assert_int_equal(fixture_lines(fixture_log(), "plan_create", ""), 0);
    fixture_set("mock_b", "decline", "*");
    assert_ok(anydnnProblemExplain(handle, problem, text, sizeof(text), NULL));
    assert_holds(text, "choice: none");
    assert_fails(anydnnProblemExplain(handle, problem, NULL, 5, NULL), ANYDNN_STATUS_BAD_PARAM,
                 "text is NULL");
    assert_ok(anydnnProblemDestroy(problem));
}

#define routes_test(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        routes_test(the_files_rule_runs),
        routes_test(the_handles_rule_wins),
        routes_test(exact_name_then_longer_prefix_then_star),
        routes_test(the_math_mode_chooses_the_rule),
        routes_test(bad_rules_have_sentences),
        routes_test(a_backend_that_is_not_installed),
        routes_test(a_backend_of_another_space),
        routes_test(reasons_of_those_that_decline),
        routes_test(a_context_that_cannot_be_made),
        routes_test(plan_create_that_fails),
        routes_test(garbage_is_passed_over),
        routes_test(candidates_that_fail),
        routes_test(only_backends_that_say_so_take_short_parameters),
        routes_test(nothing_runs_at_less_precision),
        routes_test(a_better_candidate_behind_a_forbidden_one),
        routes_test(rounded_operands_need_a_mode_that_permits_it),
        routes_test(nondeterministic_candidates),
        routes_test(transforms_run_only_when_named),
        routes_test(the_first_backend_that_has_the_algorithm),
        routes_test(an_algorithm_is_no_way_past_fallback_off),
        routes_test(workspace_limit),
        routes_test(explain_says_the_same),
    };

    return cmocka_run_group_tests_name("routes", tests, fixture_group_setup,
                                       fixture_group_teardown);
}
