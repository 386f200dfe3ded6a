/* SPDX-License-Identifier: Apache-2.0 */
/* Tests how a handle keeps its plans: eviction, pins, and the calls that drop them. */
#include "tests/dispatch/fixture.h"

#include <stdio.h>
#include <string.h>

#include "settings/settings.h"

static anydnnStatus_t run(anydnnHandle_t handle, int height)
{
    struct fixture_convolution with;

    fixture_convolution_make(&with, height);
    with.workspace = fixture_data(21);
    with.bytes = 4096;
    return fixture_convolution_run(handle, &with);
}

#define assert_how(handle, how) assert_string_equal(fixture_record((handle), "plan"), (how))

/* ---- bounds */

static void eviction_is_bounded_by_plan_cache(void **state)
{
    anydnnHandle_t handle;
    int created, destroyed;
    const char *log;

    (void)state;
    fixture_settings()->plan_cache = 4;
    handle = fixture_handle("mock_a");
    for (int height = 3; height < 13; height++)
        assert_ok(run(handle, height));
    assert_int_equal(fixture_number(handle, "plans"), 4);
    assert_int_equal(fixture_number(handle, "evictions"), 6);
    log = fixture_log();
    created = fixture_lines(log, "plan_create", "");
    destroyed = fixture_lines(log, "plan_destroy", "");
    assert_int_equal(created, 10);
    assert_in_range(destroyed, 5, 6); /* the record still refers to the last plan */
    assert_ok(run(handle, 12));
    assert_how(handle, "equal");
    assert_ok(run(handle, 3));
    assert_how(handle, "miss");
}

static void one_plan_is_enough(void **state)
{
    anydnnHandle_t handle;
    struct fixture_convolution a, b;

    (void)state;
    fixture_settings()->plan_cache = 1;
    handle = fixture_handle("mock_a");
    fixture_convolution_make(&a, 8);
    fixture_convolution_make(&b, 9);
    for (int i = 0; i < 5; i++) {
        assert_ok(fixture_convolution_run(handle, &a));
        assert_holds(fixture_record(handle, "problem"), "x=f32:2,3,8,5");
        assert_how(handle, "miss");
        assert_ok(fixture_convolution_run(handle, &a));
        assert_how(handle, "hit");
        assert_ok(fixture_convolution_run(handle, &b));
        assert_holds(fixture_record(handle, "problem"), "x=f32:2,3,9,5");
        assert_how(handle, "miss");
    }
    assert_int_equal(fixture_number(handle, "plans"), 1);
}

/* A plan in use stays: the clock of the eviction skips it. */
static void used_plans_outlive_unused_ones(void **state)
{
    anydnnHandle_t handle;
    struct fixture_convolution kept;

    (void)state;
    fixture_settings()->plan_cache = 8;
    handle = fixture_handle("mock_a");
    fixture_convolution_make(&kept, 40);
    assert_ok(fixture_convolution_run(handle, &kept));
    for (int height = 3; height < 35; height++) {
        assert_ok(run(handle, height));
        assert_ok(fixture_convolution_run(handle, &kept));
        assert_how(handle, "hit");
    }
}

/* ---- pins */

static size_t ask(anydnnHandle_t handle, const struct fixture_convolution *with)
{
    size_t bytes = 12345;

    assert_ok(anydnnGetConvolutionForwardWorkspaceSize(
        handle, with->x, with->w, with->conv, with->y, (anydnnConvolutionFwdAlgo_t)with->algorithm,
        &bytes));
    return bytes;
}

static void a_query_pins_what_it_reported(void **state)
{
    anydnnHandle_t handle;
    struct fixture_convolution with;

    (void)state;
    fixture_settings()->plan_cache = 8;
    handle = fixture_handle("mock_a, mock_b");
    fixture_set("mock_a", "workspace", "2048");
    fixture_set("mock_b", "workspace", "64");
    fixture_convolution_make(&with, 8);
    assert_int_equal(ask(handle, &with), 2048);
    assert_true(fixture_number(handle, "pins") >= 1);
    assert_int_equal(fixture_number(handle, "calls"), 0);
    assert_int_equal(fixture_number(handle, "plan_misses"), 0);
    /* Selection would now choose another backend. The pinned one still runs, even after its plan
     * was evicted. */
    fixture_set("mock_a", "algorithms", "1");
    fixture_set("mock_b", "algorithms", "0");
    for (int height = 20; height < 40; height++)
        assert_ok(run(handle, height));
    assert_string_equal(fixture_record(handle, "backend"), "mock_b");
    assert_true(fixture_number(handle, "evictions") > 8);
    with.workspace = fixture_data(20);
    with.bytes = 2048;
    assert_ok(fixture_convolution_run(handle, &with));
    assert_how(handle, "miss");
    assert_string_equal(fixture_record(handle, "backend"), "mock_a");
    assert_int_equal(fixture_number(handle, "workspace_short"), 0);
}

static void a_pin_is_of_its_engine(void **state)
{
    anydnnHandle_t handle;
    struct fixture_convolution with;

    (void)state;
    fixture_settings()->plan_cache = 1;
    handle = fixture_handle("mock_a");
    fixture_convolution_make(&with, 8);
    with.workspace = fixture_data(20);
    with.bytes = 100;
    fixture_set("mock_a", "workspace", "100");
    ask(handle, &with);
    /* The query pins the plain problem and the fused ones; only the last fits into plan_cache 1. */
    assert_int_equal(fixture_number(handle, "pins"), 1);
    assert_holds(fixture_messages(), "more choices are pinned than plan_cache allows");
    fixture_settings()->plan_cache = 8;
    handle = fixture_handle("mock_a");
    fixture_set("mock_a", "engine_count", "2");
    fixture_set("mock_a", "workspace", "100 / 50");
    ask(handle, &with);
    assert_ok(anydnnSetDeterministic(handle, 1));   /* no change, so nothing is dropped */
    fixture_set("mock_a", "workspace", "50 / 100"); /* first and second engine offer the same... */
    for (int height = 20; height < 40; height++)
        assert_ok(run(handle, height));
    assert_ok(fixture_convolution_run(handle, &with));
    assert_int_equal(fixture_number(handle, "engine"), 1);
}

static void a_pin_whose_backend_no_longer_can(void **state)
{
    anydnnHandle_t handle;
    struct fixture_convolution with;

    (void)state;
    fixture_settings()->plan_cache = 8;
    handle = fixture_handle("mock_a, mock_b");
    fixture_convolution_make(&with, 8);
    ask(handle, &with);
    for (int height = 20; height < 40; height++)
        assert_ok(run(handle, height));
    fixture_set("mock_a", "decline", "*");
    assert_ok(fixture_convolution_run(handle, &with));
    assert_string_equal(fixture_record(handle, "backend"), "mock_b");
}

static void the_query_answers_the_larger_need(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    struct fixture_convolution with;
    const char *log;
    size_t bytes = 5;

    (void)state;
    fixture_convolution_make(&with, 8);
    fixture_set("mock_a", "workspace", "77");
    assert_int_equal(ask(handle, &with), 77);
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "plan_create", "operation=convolution_forward "), 1);
    assert_int_equal(
        fixture_lines(log, "plan_create", "operation=convolution_bias_activation_forward "), 2);
    /* The first handle cannot run the plain problem, the second cannot run the fused one, and
     * the third runs neither. */
    handle = fixture_handle("mock_a");
    fixture_set("mock_a", "decline", "convolution_forward");
    assert_int_equal(ask(handle, &with), 77);
    handle = fixture_handle("mock_a");
    fixture_set("mock_a", "decline", "convolution_bias_activation_forward");
    assert_int_equal(ask(handle, &with), 77);
    handle = fixture_handle("mock_a");
    fixture_set("mock_a", "decline", "*");
    assert_fails(anydnnGetConvolutionForwardWorkspaceSize(handle, with.x, with.w, with.conv, with.y,
                                                          ANYDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                                                          &bytes),
                 ANYDNN_STATUS_NOT_SUPPORTED, "convolution_forward x=");
    assert_int_equal(bytes, 5);
    assert_fails(anydnnGetConvolutionForwardWorkspaceSize(handle, with.x, with.w, with.conv, with.y,
                                                          ANYDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                                                          NULL),
                 ANYDNN_STATUS_BAD_PARAM, "sizeInBytes is NULL");
}

/* ---- dropped plans */

static void changes_that_forget_the_plans(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    struct fixture_convolution with;

    (void)state;
    fixture_convolution_make(&with, 8);
    ask(handle, &with);
    assert_ok(fixture_convolution_run(handle, &with));
    assert_ok(anydnnSetDeterministic(handle, 1));
    assert_ok(fixture_convolution_run(handle, &with));
    assert_how(handle, "hit");
    assert_ok(anydnnSetDeterministic(handle, 0));
    assert_int_equal(fixture_number(handle, "plans"), 0);
    assert_int_equal(fixture_number(handle, "pins"), 0);
    assert_string_equal(fixture_record(handle, "backend"), "mock_a"); /* the record stays */
    assert_ok(fixture_convolution_run(handle, &with));
    assert_how(handle, "miss");
    assert_ok(anydnnSetRoute(handle, "pooling_forward", NULL, "mock_b"));
    assert_int_equal(fixture_number(handle, "plans"), 0);
    assert_ok(fixture_convolution_run(handle, &with));
    assert_how(handle, "miss");
    assert_int_equal(fixture_number(handle, "calls"), 4);
}

static void destroy_frees_plans_and_contexts(void **state)
{
    anydnnHandle_t handle = NULL;
    const char *log;

    (void)state;
    assert_ok(anydnnCreateOnDevice(&handle, "cpu"));
    assert_ok(anydnnSetRoute(handle, "*", NULL, "mock_a"));
    for (int height = 3; height < 8; height++)
        assert_ok(run(handle, height));
    assert_ok(anydnnDestroy(handle));
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "plan_create", ""), 5);
    assert_int_equal(fixture_lines(log, "plan_destroy", ""), 5);
    assert_int_equal(fixture_lines(log, "context_create", ""), 1);
    assert_int_equal(fixture_lines(log, "context_destroy", ""), 1);
    assert_true(strstr(log, "context_destroy") > strstr(log, "plan_destroy"));
}

#define pins_test(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        pins_test(eviction_is_bounded_by_plan_cache),
        pins_test(one_plan_is_enough),
        pins_test(used_plans_outlive_unused_ones),
        pins_test(a_query_pins_what_it_reported),
        pins_test(a_pin_is_of_its_engine),
        pins_test(a_pin_whose_backend_no_longer_can),
        pins_test(the_query_answers_the_larger_need),
        pins_test(changes_that_forget_the_plans),
        pins_test(destroy_frees_plans_and_contexts),
    };

    return cmocka_run_group_tests_name("pins", tests, fixture_group_setup, fixture_group_teardown);
}
