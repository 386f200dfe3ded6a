/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the choosers of a plan miss: the pin, the tuning file, the clock and the route. They
 * choose from one list, for which each backend is queried at most once. explain reports what the
 * call then does.
 */
#include "tests/dispatch/searches.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "settings/settings.h"

#define PROBLEM "convolution_forward x=f32:2,3,8,5 w=f32:4,3,3,3 y=f32:2,4,6,3 algo=implicit_gemm"

static struct fixture_convolution with;
static char path[4200];
static int files;

/* Makes a handle. mock_b is the faster backend and the last of the route. */
static anydnnHandle_t handle_of(const char *route)
{
    fixture_settings()->plan_cache = 4;
    fixture_set("mock_a", "algorithms", "0");
    fixture_set("mock_b", "algorithms", "0");
    fixture_set("mock_a", "sleep_us", "3000");
    fixture_set("mock_b", "sleep_us", "1000");
    fixture_convolution_make(&with, 8);
    with.workspace = fixture_data(20);
    with.bytes = 4096;
    return fixture_handle(route);
}

static void keep_in_file(void)
{
    char name[40];

    snprintf(name, sizeof(name), "choosers%d", files++);
    snprintf(path, sizeof(path), "%s", fixture_path(name));
    fixture_settings()->tuning = path;
}

/* Evicts every plan and leaves the pins. */
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

static void pin_the_faster(anydnnHandle_t handle)
{
    search_perf perf[SEARCH_COUNT];

    assert_int_equal(search_find(handle, &with, perf), 1);
    assert_string_equal(search_backend(&perf[0]), "mock_b");
    crowd(handle);
    fixture_log();
}

static const char *run(anydnnHandle_t handle)
{
    return search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH);
}

/* Returns "A B C D": how often mock_a was queried for candidates and for a plan since the last
 * call, then the same for mock_b. */
static const char *asked(void)
{
    static char text[80];
    const char *log = fixture_log();

    snprintf(text, sizeof(text), "%d %d %d %d", fixture_lines(log, "mock_a", "candidates"),
             fixture_lines(log, "mock_a", "plan_create"),
             fixture_lines(log, "mock_b", "candidates"),
             fixture_lines(log, "mock_b", "plan_create"));
    return text;
}

static const char *explained(anydnnHandle_t handle)
{
    static char lines[4096];
    anydnnProblem_t problem = NULL;

    assert_ok(anydnnProblemParse(PROBLEM, &problem));
    assert_ok(anydnnProblemExplain(handle, problem, lines, sizeof(lines), NULL));
    assert_ok(anydnnProblemDestroy(problem));
    return lines;
}

/* ---- how often a backend is queried and makes a plan */

static void the_route_asks_up_to_its_choice(void **state)
{
    (void)state;
    assert_string_equal(run(handle_of("mock_a, mock_b")), "mock_a 1");
    assert_string_equal(asked(), "1 1 0 0");
}

static void a_pin_asks_its_backend_alone(void **state)
{
    anydnnHandle_t handle = handle_of("mock_a, mock_b");

    (void)state;
    pin_the_faster(handle);
    assert_string_equal(run(handle), "mock_b 1");
    assert_string_equal(asked(), "0 0 1 1");
}

static void the_file_asks_its_backend_alone(void **state)
{
    (void)state;
    keep_in_file();
    pin_the_faster(handle_of("mock_a, mock_b"));
    assert_string_equal(run(handle_of("mock_a, mock_b")), "mock_b 1");
    assert_string_equal(asked(), "0 0 1 1");
}

static void the_clock_asks_each_once(void **state)
{
    (void)state;
    fixture_set("mock_a", "engine_count", "3");
    assert_string_equal(run(handle_of("fastest, mock_a, mock_b")), "mock_b 1");
    assert_string_equal(asked(), "1 3 1 1");
}

/* The route reads the answers that the pin and the file already obtained. */
static void who_declined_is_asked_once(void **state)
{
    anydnnHandle_t handle = handle_of("mock_b, mock_a");

    (void)state;
    keep_in_file();
    pin_the_faster(handle);
    fixture_set("mock_b", "decline", "*");
    assert_string_equal(run(handle), "mock_a 1");
    assert_string_equal(asked(), "1 1 1 0");
    assert_holds(fixture_record(handle, "passed_over"), "mock_b: ");
}

/* An offer that yields no plan is not tried again in the same call. */
static void who_made_no_plan_is_tried_once(void **state)
{
    anydnnHandle_t handle = handle_of("mock_b, mock_a");

    (void)state;
    pin_the_faster(handle);
    fixture_set("mock_b", "fail_plan", "yes");
    assert_string_equal(run(handle), "mock_a 1");
    assert_string_equal(asked(), "1 1 1 1");
    assert_holds(fixture_record(handle, "passed_over"), "mock_b: could not create a plan (4)");
}

/* If a pinned engine fails, the route may still use the other engines of its backend. */
static void other_engines_of_a_pin_remain(void **state)
{
    anydnnHandle_t handle;
    search_perf perf[SEARCH_COUNT];

    (void)state;
    fixture_set("mock_b", "engine_count", "2");
    handle = handle_of("mock_b, mock_a");
    fixture_set("mock_b", "sleep_us", "2000 / 1000");
    assert_int_equal(search_find(handle, &with, perf), 1);
    crowd(handle);
    assert_string_equal(run(handle), "mock_b 2");
    crowd(handle);
    fixture_set("mock_b", "fail_plan", "2");
    assert_string_equal(run(handle), "mock_b 1");
}

/* ---- explain reports what the call does */

static void explain_says_why_a_pin_is_not_taken(void **state)
{
    anydnnHandle_t handle = handle_of("mock_a, mock_b");

    (void)state;
    pin_the_faster(handle);
    assert_null(strstr(explained(handle), "pin: "));
    fixture_set("mock_b", "decline", "*");
    fixture_set("mock_b", "sentence", "today is its day off");
    assert_holds(explained(handle), "pin: mock_b engine 1 is not chosen: today is its day off\n"
                                    "choice: mock_a engine 1,");
    assert_string_equal(run(handle), "mock_a 1");
}

static void explain_says_that_a_frozen_file_is_not_added_to(void **state)
{
    anydnnHandle_t handle;

    (void)state;
    keep_in_file();
    fixture_settings()->tuning_mode = ADN_TUNING_READ;
    handle = handle_of("fastest, mock_a, mock_b");
    assert_holds(explained(handle), "fastest: not timed: the tuning file is read-only");
    assert_null(strstr(explained(handle), "not timed yet"));
    assert_string_equal(run(handle), "mock_a 1");
}

static void explain_says_that_one_offer_is_not_timed(void **state)
{
    anydnnHandle_t handle = handle_of("fastest, mock_a");

    (void)state;
    assert_holds(explained(handle),
                 "fastest: no engine can be timed: the order of the route decides\n");
    assert_string_equal(run(handle), "mock_a 1");
    assert_string_equal(fixture_record(handle, "notes"), "");
}

/* ---- lack of memory */

/* If a pinned choice lacks memory, the call runs elsewhere; the next call tries the pin again. */
static void what_a_shortage_decides_is_not_kept(void **state)
{
    anydnnHandle_t handle = handle_of("mock_a, mock_b");

    (void)state;
    pin_the_faster(handle);
    fixture_set("mock_b", "candidates_status", "2");
    assert_string_equal(run(handle), "mock_a 1");
    assert_string_equal(run(handle), "mock_a 1");
    assert_string_equal(fixture_record(handle, "plan"), "miss");
    fixture_set("mock_b", "candidates_status", NULL);
    assert_string_equal(run(handle), "mock_b 1");
}

static int group_teardown(void **state)
{
    for (int i = 0; i < files; i++) {
        char name[40];

        snprintf(name, sizeof(name), "choosers%d", i);
        unlink(fixture_path(name));
    }
    return fixture_group_teardown(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_route_asks_up_to_its_choice),
        TEST(a_pin_asks_its_backend_alone),
        TEST(the_file_asks_its_backend_alone),
        TEST(the_clock_asks_each_once),
        TEST(who_declined_is_asked_once),
        TEST(who_made_no_plan_is_tried_once),
        TEST(other_engines_of_a_pin_remain),
        TEST(explain_says_why_a_pin_is_not_taken),
        TEST(explain_says_that_a_frozen_file_is_not_added_to),
        TEST(explain_says_that_one_offer_is_not_timed),
        TEST(what_a_shortage_decides_is_not_kept),
    };

    return cmocka_run_group_tests(tests, search_group_setup, group_teardown);
}
