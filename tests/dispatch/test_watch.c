/* SPDX-License-Identifier: Apache-2.0 */
/* Tests shadow, checks and times on a device: what is copied, what is waited for, and what a
 * recording omits. The mocks fill outputs with a byte and compute nothing. */
#include "tests/dispatch/fixture.h"

#include <stdio.h>
#include <string.h>

static const float one = 1, zero = 0;

static int64_t found(anydnnHandle_t handle, const char *key)
{
    int64_t value = -1;

    assert_ok(anydnnGetShadowInfoInt(handle, key, &value));
    return value;
}

struct fixture {
    anydnnHandle_t handle;
    anydnnTensorDescriptor_t desc;
    void *x, *y;
};

static void open_fixture(struct fixture *fixture)
{
    fixture->handle = fixture_handle_on("mockdev", "mock_device");
    fixture->desc = fixture_tensor("f32:2,3");
    assert_ok(anydnnMemAlloc(fixture->handle, 24, &fixture->x));
    assert_ok(anydnnMemAlloc(fixture->handle, 24, &fixture->y));
    assert_ok(anydnnMemSet(fixture->handle, fixture->x, 0x11, 24));
    assert_ok(anydnnMemSet(fixture->handle, fixture->y, 0x11, 24));
}

static void close_fixture(const struct fixture *fixture)
{
    assert_ok(anydnnMemFree(fixture->handle, fixture->x));
    assert_ok(anydnnMemFree(fixture->handle, fixture->y));
}

static void run(const struct fixture *fixture)
{
    assert_ok(anydnnTransformTensor(fixture->handle, &one, fixture->desc, fixture->x, &zero,
                                    fixture->desc, fixture->y));
}

/* The device counts, and three numbers are copied back. */
static void checks_count_on_the_device(void **state)
{
    struct fixture fixture;
    const char *log;

    (void)state;
    open_fixture(&fixture);
    assert_ok(anydnnSetCheck(fixture.handle, "outputs = nan, zero"));
    fixture_set("mock_device", "fill", "0x00");
    fixture_log();
    run(&fixture);
    log = fixture_log();
    assert_int_equal(found(fixture.handle, "zero"), 1);
    assert_int_equal(found(fixture.handle, "nan"), 0);
    assert_int_equal(fixture_lines(log, "memory_copy", " bytes=24 kind=2"), 2);
    fixture_set("mock_device", "fill", "0xff");
    run(&fixture);
    assert_int_equal(found(fixture.handle, "nan"), 1);
    assert_int_equal(found(fixture.handle, "zero"), 1);
    assert_int_equal(found(fixture.handle, "checked"), 2);
    close_fixture(&fixture);
}

/* The reference belongs to the device's own space in one case, to the host in the other. */
static void copies_are_compared(void **state)
{
    struct fixture fixture;

    (void)state;
    open_fixture(&fixture);
    fixture_set("mock_device", "fill", "0x3c");
    assert_ok(
        anydnnSetShadow(fixture.handle, "sample=all; budget=none; reference=mock_device:default"));
    run(&fixture);
    assert_int_equal(found(fixture.handle, "compared"), 1);
    assert_int_equal(found(fixture.handle, "mismatches"), 0);
    fixture_set("mock_b", "fill", "0x3d");
    assert_ok(anydnnSetShadow(fixture.handle, "reference=mock_b:default"));
    run(&fixture);
    assert_int_equal(found(fixture.handle, "compared"), 2);
    assert_int_equal(found(fixture.handle, "mismatches"), 1);
    close_fixture(&fixture);
}

/* If a copy fails, shadow skips the call, which still runs. */
static void no_copy_is_no_failure(void **state)
{
    struct fixture fixture;

    (void)state;
    open_fixture(&fixture);
    assert_ok(anydnnSetShadow(fixture.handle, "sample=all; budget=none; reference=mock_b:default"));
    run(&fixture);
    fixture_set("mock_device", "fail_space", "memory_copy_async");
    run(&fixture);
    fixture_set("mock_device", "fail_space", NULL);
    assert_int_equal(found(fixture.handle, "failed"), 1);
    assert_int_equal(found(fixture.handle, "compared"), 1);
    close_fixture(&fixture);
}

static void captures_are_passed_over(void **state)
{
    struct fixture fixture;
    anydnnRecording_t recording;
    const char *log;

    (void)state;
    open_fixture(&fixture);
    assert_ok(anydnnSetShadow(fixture.handle, "sample=all; budget=none; reference=mock_b:default"));
    assert_ok(anydnnSetCheck(fixture.handle, "outputs=nan"));
    run(&fixture);
    assert_ok(anydnnRecordBegin(fixture.handle));
    fixture_log();
    run(&fixture);
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "memory_copy", ""), 0);
    assert_ok(anydnnRecordEnd(fixture.handle, &recording));
    assert_int_equal(found(fixture.handle, "recorded"), 1);
    assert_int_equal(found(fixture.handle, "compared"), 1);
    assert_int_equal(found(fixture.handle, "checked"), 1);
    assert_ok(anydnnRecordingDestroy(fixture.handle, recording));
    close_fixture(&fixture);
}

/* Reads the fifth column of the file's last line. */
static void last_time(const char *path, char *time, size_t size)
{
    char line[4096], column[64] = "";
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    while (fgets(line, sizeof(line), file))
        if (line[0] != '#')
            assert_int_equal(sscanf(line, "%*[^\t]\t%*[^\t]\t%*[^\t]\t%*[^\t]\t%63[^\t]", column),
                             1);
    fclose(file);
    snprintf(time, size, "%s", column);
}

static void times_of_a_device_are_asked_for(void **state)
{
    struct fixture fixture;
    char text[600], time[64];

    (void)state;
    open_fixture(&fixture);
    snprintf(text, sizeof(text), "file=%s", fixture_path("device_calls"));
    assert_ok(anydnnSetTrace(fixture.handle, text));
    run(&fixture);
    last_time(fixture_path("device_calls"), time, sizeof(time));
    assert_string_equal(time, "-");
    assert_ok(anydnnSetTrace(fixture.handle, "times=all"));
    run(&fixture);
    last_time(fixture_path("device_calls"), time, sizeof(time));
    assert_true(time[0] >= '0' && time[0] <= '9');
    close_fixture(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(checks_count_on_the_device, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(copies_are_compared, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(no_copy_is_no_failure, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(captures_are_passed_over, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(times_of_a_device_are_asked_for, fixture_setup,
                                        fixture_teardown),
    };

    return cmocka_run_group_tests(tests, fixture_group_setup, fixture_group_teardown);
}
