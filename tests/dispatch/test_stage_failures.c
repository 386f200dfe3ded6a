/* SPDX-License-Identifier: Apache-2.0 */
/* Tests where staged calls fail and with what effect, and spaces that are lost. */
#include "tests/dispatch/stage.h"

#include "dispatch/handle/global.h"

/* Outputs stay unchanged until the copies back begin, whatever the backend did on its device. */
static const struct {
    const char *key;
    const char *value;
    const char *said;
} early[] = {
    {"fail_space", "memory_alloc",
     "staging cannot allocate 512 bytes on mockdev:0: the test device has no memory left"},
    {"fail_space", "copy_to", "told to fail in a function of its space"},
    {"fail_space", "synchronize", "told to fail in a function of its space"},
    {"execute", "none", "told to fail in plan_execute"},
    {"execute", "enqueued", "told to fail in plan_execute"},
    {"execute", "unknown", "told to fail in plan_execute"},
};
#define EARLY (sizeof(early) / sizeof(early[0]))

static void before_the_way_back_another_may_try(void **state)
{
    (void)state;
    for (size_t i = 0; i < EARLY; i++) {
        anydnnHandle_t handle = stage_handle("mock_device, mock_a");
        const char *told;

        fixture_set("mock_device", early[i].key, early[i].value);
        fixture_messages();
        assert_ok(stage_transform(handle, 2, fixture_data(0), fixture_data(1)));
        assert_string_equal(fixture_record(handle, "backend"), "mock_a");
        assert_int_equal(fixture_number(handle, "staged"), 0);
        assert_int_equal(fixture_number(handle, "fallback"), 1);
        assert_true(stage_untouched());
        told = fixture_messages();
        assert_holds(told, "anydnnTransformTensor: mock_device refused to run");
        assert_holds(told, early[i].said);
        fixture_set("mock_device", early[i].key, NULL);
    }
}

static void alone_or_with_fallback_off_it_fails(void **state)
{
    (void)state;
    for (size_t i = 0; i < EARLY; i++) {
        anydnnHandle_t handle = stage_handle("mock_device");

        fixture_set("mock_device", early[i].key, early[i].value);
        assert_int_not_equal(stage_transform(handle, 2, fixture_data(0), fixture_data(1)), 0);
        assert_holds(fixture_error(), "mock_device failed before it began: ");
        assert_holds(fixture_error(), early[i].said);
        assert_holds(fixture_error(), "no other backend runs the problem");
        handle = stage_handle("mock_device, mock_a, fallback:off");
        assert_int_not_equal(stage_transform(handle, 2, fixture_data(0), fixture_data(1)), 0);
        assert_holds(fixture_error(), early[i].said);
        assert_holds(fixture_error(), "outputs are untouched");
        assert_string_equal(fixture_record(handle, "effect"), "none");
        assert_true(stage_untouched());
        fixture_set("mock_device", early[i].key, NULL);
    }
}

/* The first error is reported: that of the backend, not that of the later wait. */
static void the_first_failure_is_told(void **state)
{
    anydnnHandle_t handle = stage_handle("mock_device");

    (void)state;
    fixture_set("mock_device", "execute", "enqueued");
    fixture_set("mock_device", "fail_space", "synchronize");
    assert_fails(stage_transform(handle, 2, fixture_data(0), fixture_data(1)),
                 ANYDNN_STATUS_EXECUTION_FAILED, "told to fail in plan_execute");
    assert_int_equal(fixture_lines(fixture_log(), "synchronize", " answer=4"), 1);
}

static void on_the_way_back_nobody_else_may_try(void **state)
{
    anydnnHandle_t handle = stage_handle("mock_device, mock_a");

    (void)state;
    fixture_set("mock_device", "fail_space", "copy_from");
    assert_fails(stage_transform(handle, 2, fixture_data(0), fixture_data(1)),
                 ANYDNN_STATUS_INTERNAL_ERROR, "outputs are undefined");
    assert_string_equal(fixture_record(handle, "effect"), "unknown");
    assert_int_equal(fixture_lines(fixture_log(), "mock_a plan_execute", ""), 0);
    fixture_set("mock_device", "fail_space", NULL);
    assert_ok(
        stage_transform(handle, 2, fixture_data(0), fixture_data(1))); /* the next call succeeds */
    assert_string_equal(fixture_record(handle, "backend"), "mock_device");
}

static struct adn_space *mockdev(void)
{
    struct adn_global *global = NULL;

    assert_int_equal(adn_global_get("test", &global), 0);
    return adn_global_space(global, "mockdev");
}

/* A host handle outlives the device that accelerated it. */
static void another_space_that_is_lost(void **state)
{
    anydnnHandle_t handle = stage_handle("mock_device, mock_a");
    anydnnStatus_t seen = ANYDNN_STATUS_SPACE_POISONED;
    const char *log;

    (void)state;
    assert_ok(stage_transform(handle, 3, fixture_data(0), fixture_data(1)));
    assert_string_equal(fixture_record(handle, "backend"), "mock_device");
    fixture_set("mock_device", "execute", "unknown");
    fixture_set("mock_device", "poisoned", "yes");
    assert_ok(stage_transform(handle, 2, fixture_data(0), fixture_data(1)));
    assert_string_equal(fixture_record(handle, "backend"), "mock_a");
    fixture_set("mock_device", "execute", NULL);
    fixture_set("mock_device", "poisoned", NULL);
    assert_true(mockdev()->poisoned);
    fixture_log();
    fixture_messages();
    assert_ok(stage_transform(handle, 3, fixture_data(0), fixture_data(1))); /* an earlier plan */
    assert_string_equal(fixture_record(handle, "backend"), "mock_a");
    assert_holds(fixture_messages(), "an error made device mockdev:0 unusable for this process");
    assert_ok(stage_transform(handle, 4, fixture_data(0), fixture_data(1)));
    assert_string_equal(
        fixture_record(handle, "passed_over"),
        "mock_device: an error made the devices of `mockdev` unusable for this process\n");
    /* Only its plan was destroyed. */
    assert_int_equal(fixture_lines(log = fixture_log(), "mock_device", ""), 1);
    assert_int_equal(fixture_lines(log, "mock_device plan_destroy", ""), 1);
    assert_ok(anydnnQueryRuntimeError(handle, &seen, ANYDNN_ERRQUERY_BLOCKING, NULL));
    assert_int_equal(seen, ANYDNN_STATUS_SUCCESS);
    mockdev()->poisoned = 0;
}

static void the_handles_own_space_that_is_lost(void **state)
{
    anydnnHandle_t handle = fixture_handle_on("mockdev", "mock_b");
    char *memory = NULL;

    (void)state;
    assert_ok(anydnnMemAlloc(handle, 128, (void **)&memory));
    fixture_set("mock_device", "fail_space", "copy_from");
    fixture_set("mock_device", "poisoned", "yes");
    assert_fails(stage_transform(handle, 2, memory, memory + 64), ANYDNN_STATUS_SPACE_POISONED,
                 "an error made device mockdev:0 unusable");
    fixture_set("mock_device", "fail_space", NULL);
    mockdev()->poisoned = 0;
    assert_ok(anydnnMemFree(handle, memory));
}

#define failure_test(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        failure_test(before_the_way_back_another_may_try),
        failure_test(alone_or_with_fallback_off_it_fails),
        failure_test(the_first_failure_is_told),
        failure_test(on_the_way_back_nobody_else_may_try),
        failure_test(another_space_that_is_lost),
        failure_test(the_handles_own_space_that_is_lost),
    };

    return cmocka_run_group_tests_name("stage_failures", tests, fixture_group_setup,
                                       fixture_group_teardown);
}
