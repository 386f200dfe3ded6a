/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests `fastest` on a device that records. Candidates are timed by recordings of consecutive
 * runs, which excludes launch time on the host. Where no recording is available, calls are
 * timed.
 */
#include "tests/dispatch/searches.h"

#include <stdio.h>
#include <string.h>

#define APPLICATIONS ((void *)0x7f000)

static anydnnHandle_t handle;
static void *data;

/* Prepares two engines with given device times and launch times. */
static void begin(const char *runs, const char *launches)
{
    fixture_set("mock_device", "engine_count", "2");
    fixture_set("mock_device", "sleep_us", runs);
    fixture_set("mock_device", "launch_us", launches);
    handle = fixture_handle_on("mockdev", "fastest, mock_device, fallback:off");
    assert_ok(anydnnSetStream(handle, APPLICATIONS));
    assert_ok(anydnnMemAlloc(handle, 4096, &data));
    fixture_log();
}

static void end(void)
{
    assert_ok(anydnnMemFree(handle, data));
}

static int engine_of(const char *tensor)
{
    const float factor = 2;

    assert_ok(anydnnScaleTensor(handle, fixture_tensor(tensor), data, &factor));
    return (int)fixture_number(handle, "engine");
}

/* Checks that every recording was destroyed and that none used the application's stream. */
static void check_recordings(const char *log, int least)
{
    char application[40];

    snprintf(application, sizeof(application), "stream=0x%lx", (unsigned long)APPLICATIONS);
    assert_true(fixture_lines(log, " record_end", "answer=0") >= least);
    assert_int_equal(fixture_lines(log, " record_destroy", ""),
                     fixture_lines(log, " record_end", "answer=0"));
    assert_int_equal(fixture_lines(log, " record_", application), 0);
    assert_int_equal(fixture_lines(log, " plan_execute", application), 1);
}

/* Measured by calls, the first engine would take 500 us and the other 400 us. */
static void launching_does_not_count(void **state)
{
    (void)state;
    begin("200 / 350", "300 / 50");
    assert_int_equal(engine_of("f32:2,3"), 1);
    check_recordings(fixture_log(), 2);
    end();
}

/* Launch time does not exclude an engine either. A single run takes 25 us, which is more than
 * twice 10 us. */
static void launching_is_no_reason_to_give_up(void **state)
{
    (void)state;
    begin("10 / 9", "0 / 16");
    assert_int_equal(engine_of("f32:2,3"), 2);
    end();
}

/* An engine whose device time exceeds the limit is not recorded. */
static void the_hopeless_are_not_recorded(void **state)
{
    const char *log;

    (void)state;
    begin("10 / 50", "0");
    assert_int_equal(engine_of("f32:2,3"), 1);
    log = fixture_log();
    assert_int_equal(fixture_lines(log, " record_end", ""), 1);
    assert_int_equal(fixture_lines(log, " plan_execute", "engine=2"), 2);
    end();
}

/* A row of runs lasts at least a millisecond. It is replayed once to warm up and then five
 * times. */
static void a_row_is_replayed(void **state)
{
    const char *log;

    (void)state;
    begin("300 / 5000", "0");
    assert_int_equal(engine_of("f32:2,3"), 1);
    log = fixture_log();
    assert_int_equal(fixture_lines(log, " record_replay", ""), 6);
    /* two warm-up runs, the four of the row, and the application's call */
    assert_int_equal(fixture_lines(log, " plan_execute", "engine=1"), 2 + 4 + 1);
    end();
}

/* There is memory for two sets. A row of three would end in the set where its replay begins, so
 * the row has four. */
static void a_row_goes_round_the_sets(void **state)
{
    (void)state;
    begin("400 / 5000", "0");
    fixture_set("mock_device", "memory", "600");
    assert_int_equal(engine_of("f32:2,3"), 1);
    assert_int_equal(fixture_lines(fixture_log(), " plan_execute", "engine=1"), 2 + 4 + 1);
    fixture_set("mock_device", "memory", NULL);
    end();
}

/* A row lasts a millisecond, so one run that takes this long is timed by a call. */
static void long_runs_are_called(void **state)
{
    (void)state;
    begin("3000 / 2000", "0");
    assert_int_equal(engine_of("f32:2,3"), 2);
    assert_int_equal(fixture_lines(fixture_log(), " record_", ""), 0);
    end();
}

/* If recordings are unavailable, calls are timed with their full duration. */
static void without_a_recording_to_be_had(void **state)
{
    static const char *const what[] = {"record_begin", "record_end", "record_replay"};

    (void)state;
    for (size_t i = 0; i < sizeof(what) / sizeof(what[0]); i++) {
        begin("200 / 350", "300 / 50");
        fixture_set("mock_device", "fail_space", what[i]);
        assert_int_equal(engine_of("f32:2,3"), 2);
        assert_string_equal(fixture_record(handle, "notes"), "timed");
        check_recordings(fixture_log(), 0);
        fixture_set("mock_device", "fail_space", NULL);
        end();
    }
    begin("200 / 350", "300 / 50");
    fixture_set("mock_device", "nothing", "record_end");
    assert_int_equal(engine_of("f32:2,3"), 2);
    fixture_set("mock_device", "nothing", NULL);
    end();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(launching_does_not_count),      TEST(launching_is_no_reason_to_give_up),
        TEST(the_hopeless_are_not_recorded), TEST(a_row_is_replayed),
        TEST(a_row_goes_round_the_sets),     TEST(long_runs_are_called),
        TEST(without_a_recording_to_be_had),
    };

    return cmocka_run_group_tests(tests, search_group_setup, fixture_group_teardown);
}
