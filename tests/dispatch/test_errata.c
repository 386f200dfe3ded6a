/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that selection avoids exactly what errata match, and that the dispatch record and explain
 * name the erratum. Each candidate of the mocks gets words (set.words), by which the errata below
 * tell them apart. */
#include "tests/dispatch/searches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "settings/settings.h"

static struct fixture_convolution with;
static char explained[8192];

#define ENTRY(id, rest) "[t-" id "]\nbackend = mock_a\nknobs = t=" id "\n" rest

static const char errata[] = ENTRY("wrong", "operations = convolution_forward\nverdict = wrong\n")
    ENTRY("nan", "verdict = nan\nengine = 1\n") ENTRY("outside", "verdict = writes_outside\n")
        ENTRY("short", "verdict = short_sums\n") ENTRY("slow", "verdict = slow\n") ENTRY(
            "random", "verdict = nondeterministic\n") ENTRY("variant", "verdict = batch_variant\n")
            ENTRY("wino", "verdict = transform\nalgorithm = winograd_nonfused\n") ENTRY(
                "other", "verdict = wrong\noperations = softmax_*\n")
                ENTRY("old", "verdict = wrong\nversions = 9.18 .. 9.19\n") ENTRY(
                    "now", "verdict = wrong\nversions = 9.19 .. 9.20\n")
                    ENTRY("far", "verdict = wrong\ndevices = *H200*\n") ENTRY(
                        "wide",
                        "verdict = wrong\nfilter = 4..\n") "[mock_a-withdrawn]\nverdict = none\n";

static int group_setup(void **state)
{
    int result = search_group_setup(state);
    FILE *file;

    mkdir(fixture_path("errata.d"), 0755);
    file = fopen(fixture_path("errata.d/tests.ini"), "w");
    if (!file)
        return -1;
    fputs(errata, file);
    fclose(file);
    return result;
}

static int group_teardown(void **state)
{
    unlink(fixture_path("errata.d/tests.ini"));
    rmdir(fixture_path("errata.d"));
    return fixture_group_teardown(state);
}

/* Runs the convolution on two engines of mock_a with these words, before mock_b, and returns
 * "backend engine". */
static const char *run(const char *words, const char *route)
{
    fixture_set("mock_a", "algorithms", "1");
    fixture_set("mock_a", "engine_count", "2");
    fixture_set("mock_a", "words", words);
    fixture_convolution_make(&with, 8);
    return search_run(fixture_handle(route), &with, 1, ANYDNN_DEFAULT_MATH);
}

static anydnnHandle_t run_handle(const char *words)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");

    fixture_set("mock_a", "engine_count", "2");
    fixture_set("mock_a", "words", words);
    fixture_convolution_make(&with, 8);
    assert_ok(fixture_convolution_run(handle, &with));
    return handle;
}

static const char *explain(const char *words)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");
    anydnnProblem_t problem;
    size_t needed;

    fixture_set("mock_a", "engine_count", "2");
    fixture_set("mock_a", "words", words);
    assert_ok(anydnnProblemParse("convolution_forward x=f32:2,3,8,5 w=f32:4,3,3,3", &problem));
    assert_ok(anydnnProblemExplain(handle, problem, explained, sizeof(explained), &needed));
    anydnnProblemDestroy(problem);
    return explained;
}

#define ROUTE "mock_a, mock_b"

static void what_matches_is_avoided(void **state)
{
    (void)state;
    assert_string_equal(run("t=none / t=none", ROUTE), "mock_a 1");
    assert_string_equal(run("t=wrong / t=none", ROUTE), "mock_a 2");
    assert_string_equal(run("t=nan / t=nan", ROUTE), "mock_a 2");
    assert_string_equal(run("t=outside / t=none", ROUTE), "mock_a 2");
    assert_string_equal(run("t=short / t=none", ROUTE), "mock_a 2");
    assert_string_equal(run("t=wrong / t=wrong", ROUTE), "mock_b 1");
    assert_string_equal(run("fault=published / t=none", ROUTE), "mock_a 2");
}

static void what_does_not_match_is_taken(void **state)
{
    (void)state;
    assert_string_equal(run("t=other / t=none", ROUTE), "mock_a 1");
    assert_string_equal(run("t=far / t=none", ROUTE), "mock_a 1");
    assert_string_equal(run("t=wide / t=none", ROUTE), "mock_a 1");
    assert_string_equal(run("fault=withdrawn / t=none", ROUTE), "mock_a 1");
    /* An entry for mock_a does not concern mock_b. */
    fixture_set("mock_b", "words", "t=wrong");
    assert_string_equal(run("t=wrong / t=wrong", ROUTE), "mock_b 1");
}

/* The version is that of the library that runs. */
static void versions_are_those_of_the_library(void **state)
{
    (void)state;
    assert_string_equal(run("t=now / t=none", ROUTE), "mock_a 2");
    assert_string_equal(run("t=old / t=none", ROUTE), "mock_a 1");
    fixture_set("mock_a", "library_version", "9.18.1");
    assert_string_equal(run("t=now / t=none", ROUTE), "mock_a 1");
    assert_string_equal(run("t=old / t=none", ROUTE), "mock_a 2");
}

static void nondeterminism_counts_if_it_is_unwanted(void **state)
{
    anydnnHandle_t handle;

    (void)state;
    assert_string_equal(run("t=random / t=none", ROUTE), "mock_a 2");
    handle = fixture_handle(ROUTE);
    assert_ok(anydnnSetDeterministic(handle, 0));
    assert_string_equal(search_run(handle, &with, 1, ANYDNN_DEFAULT_MATH), "mock_a 1");
    assert_string_equal(fixture_record(handle, "notes"), "nondeterministic");
}

static void batch_variance_counts_in_the_mode(void **state)
{
    anydnnHandle_t handle = fixture_handle(ROUTE);

    (void)state;
    fixture_set("mock_a", "notes", "batch_invariant");
    assert_string_equal(run("t=variant / t=none", ROUTE), "mock_a 1");
    assert_ok(anydnnSetBatchInvariant(handle, 1));
    assert_string_equal(search_run(handle, &with, 1, ANYDNN_DEFAULT_MATH), "mock_a 2");
    assert_string_equal(fixture_record(handle, "errata"),
                        "mock_a engine 1: erratum t-variant (batch_variant)\n");
}

/* A transform runs only if its number is named. */
static void transforms_must_be_named(void **state)
{
    anydnnHandle_t handle = fixture_handle(ROUTE);

    (void)state;
    assert_string_equal(run("t=wino / t=none", ROUTE), "mock_a 2");
    assert_string_equal(search_run(handle, &with, ANYDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED,
                                   ANYDNN_DEFAULT_MATH),
                        "mock_a 1");
    assert_string_equal(fixture_record(handle, "algorithm"), "winograd_nonfused");
    assert_string_equal(fixture_record(handle, "notes"), "transform");
}

static void slow_engines_come_last(void **state)
{
    (void)state;
    assert_string_equal(run("t=slow / t=none", ROUTE), "mock_a 2");
    assert_string_equal(run("t=slow / t=slow", ROUTE), "mock_a 1");
    /* The same holds if the call names an algorithm that no engine has. */
    fixture_set("mock_a", "algorithms", "-1");
    assert_int_equal(fixture_number(run_handle("t=slow / t=none"), "engine"), 2);
    assert_int_equal(fixture_number(run_handle("t=slow / t=slow"), "engine"), 1);
}

static void the_record_names_the_erratum(void **state)
{
    anydnnHandle_t handle = run_handle("t=wrong / t=none");

    (void)state;
    assert_string_equal(fixture_record(handle, "errata"),
                        "mock_a engine 1: erratum t-wrong (wrong)\n");
    handle = run_handle("t=wrong / t=short");
    assert_string_equal(fixture_record(handle, "backend"), "mock_b");
    assert_string_equal(fixture_record(handle, "errata"),
                        "mock_a engine 1: erratum t-wrong (wrong)\n"
                        "mock_a engine 2: erratum t-short (short_sums)\n");
    assert_non_null(strstr(fixture_record(handle, "passed_over"),
                           "mock_a: engine 1 has the erratum t-wrong (wrong)\n"));
    handle = run_handle("t=none / t=none");
    assert_string_equal(fixture_record(handle, "errata"), "");
}

static void explain_names_the_erratum(void **state)
{
    (void)state;
    assert_non_null(strstr(explain("t=wrong / t=none"),
                           "not chosen: engine 1 has the erratum t-wrong (wrong)\n"));
    assert_non_null(strstr(explained, "choice: mock_a engine 2"));
    assert_non_null(strstr(explain("t=random / t=none"), "; erratum t-random\n"));
}

static void contests_leave_it_out(void **state)
{
    search_perf perf[SEARCH_COUNT];
    const char *log;
    int count;

    (void)state;
    fixture_set("mock_a", "sleep_us", "100 / 900");
    fixture_set("mock_b", "sleep_us", "2000");
    assert_string_equal(run("t=wrong / t=none", "fastest, " ROUTE), "mock_a 2");
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "plan_execute", "engine=1"),
                     fixture_lines(log, "mock_b plan_execute", "engine=1"));
    count = search_find(fixture_handle("mock_a"), &with, perf);
    assert_int_equal(count, 1);
    assert_int_equal(fixture_lines(fixture_log(), "plan_create", "engine=1"), 0);
}

/* A winner that errata exclude is not taken from the tuning file. Its key has a number for the
 * files' errata that concern the problem, so that it is not found if they change. */
static void winners_do_not_outlive_errata(void **state)
{
    char path[4200], text[32768] = "";
    FILE *file;

    (void)state;
    snprintf(path, sizeof(path), "%s", fixture_path("tuned"));
    fixture_settings()->tuning = path;
    fixture_set("mock_a", "sleep_us", "100 / 900");
    fixture_set("mock_b", "sleep_us", "2000");
    assert_string_equal(run("t=none / t=none", "fastest, " ROUTE), "mock_a 1");
    assert_string_equal(run("t=wrong / t=none", "fastest, " ROUTE), "mock_a 2");
    file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(text, "mock_a 1.0 errata:"));
    assert_non_null(strstr(text, ", mock_b 1.0\t"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_matches_is_avoided, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(what_does_not_match_is_taken, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(versions_are_those_of_the_library, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(nondeterminism_counts_if_it_is_unwanted, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(batch_variance_counts_in_the_mode, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(transforms_must_be_named, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(slow_engines_come_last, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(the_record_names_the_erratum, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(explain_names_the_erratum, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(contests_leave_it_out, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(winners_do_not_outlive_errata, fixture_setup,
                                        fixture_teardown),
    };

    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
