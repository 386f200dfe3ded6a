/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests that later processes use what a search measured, through the file of the setting
 * `tuning`. A later process is simulated by a copy of the file, which this process has not read.
 */
#include "tests/dispatch/searches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "settings/settings.h"

#define FASTEST ANYDNN_CONVOLUTION_FWD_PREFER_FASTEST
#define PROBLEM "convolution_forward x=f32:2,3,8,5 w=f32:4,3,3,3 y=f32:2,4,6,3"

static search_perf perf[SEARCH_COUNT];
static struct fixture_convolution with;
static char path[4200];
static int files;

/* Names a file that no process has read. */
static void fresh_file(void)
{
    char name[40];

    snprintf(name, sizeof(name), "tuning%d", files++);
    snprintf(path, sizeof(path), "%s", fixture_path(name));
    fixture_settings()->tuning = path;
}

static anydnnHandle_t handle_of(const char *route)
{
    fixture_convolution_make(&with, 8);
    with.workspace = fixture_data(20);
    with.bytes = 4096;
    return fixture_handle(route);
}

static char *contents(void)
{
    static char text[65536];
    FILE *file = fopen(path, "r");
    size_t length;

    assert_non_null(file);
    length = fread(text, 1, sizeof(text) - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

static void put(const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Gives a later process the search's file, with every `from` replaced. */
static void later_with(const char *from, const char *to)
{
    static char changed[65536];
    const char *at = contents(), *hit;
    size_t length = 0;

    while (from[0] && (hit = strstr(at, from))) {
        length += (size_t)snprintf(changed + length, sizeof(changed) - length, "%.*s%s",
                                   (int)(hit - at), at, to);
        at = hit + strlen(from);
    }
    snprintf(changed + length, sizeof(changed) - length, "%s", at);
    fresh_file();
    put(changed);
}

static void later(void)
{
    later_with("", "");
}

/* Makes mock_b the faster backend for algorithm 0, and mock_a with algorithm 1 the fastest of all.
 * The route's first choice is mock_a with algorithm 0. */
static void two_backends(void)
{
    fixture_set("mock_a", "algorithms", "0,1");
    fixture_set("mock_b", "algorithms", "0,1");
    fixture_set("mock_a", "sleep_us", "40000 / 200");
    fixture_set("mock_b", "sleep_us", "15000 / 40000");
    fixture_set("mock_b", "workspace", "512");
    fixture_set("mock_a", "workspace", "64");
}

static void search(const char *route)
{
    fresh_file();
    two_backends();
    assert_int_equal(search_find(handle_of(route), &with, perf), 2);
    assert_int_equal(perf[0].algo, 1);
}

static const char *explained(anydnnHandle_t handle, const char *text)
{
    static char lines[4096];
    anydnnProblem_t problem = NULL;

    assert_ok(anydnnProblemParse(text, &problem));
    assert_ok(anydnnProblemExplain(handle, problem, lines, sizeof(lines), NULL));
    assert_ok(anydnnProblemDestroy(problem));
    return strstr(lines, "choice: ");
}

/* ---- found again */

static void a_later_process_runs_what_was_found(void **state)
{
    anydnnHandle_t handle;

    (void)state;
    search("mock_a, mock_b, fallback:warn");
    later();
    handle = handle_of("mock_a, mock_b, fallback:warn");
    fixture_messages();
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_b 1");
    assert_string_equal(fixture_record(handle, "plan"), "miss");
    assert_int_equal(fixture_number(handle, "workspace"), 512);
    assert_int_equal(fixture_number(handle, "fallbacks"), 0);
    assert_null(strstr(fixture_messages(), "fell back"));
    assert_ok(fixture_convolution_run(handle, &with));
    assert_string_equal(fixture_record(handle, "plan"), "hit");
    assert_string_equal(fixture_record(handle, "backend"), "mock_b");
    assert_string_equal(search_run(handle, &with, 1, ANYDNN_DEFAULT_MATH), "mock_a 2");
    /* Other algorithms, math types and problems are unaffected. */
    assert_string_equal(search_run(handle, &with, 2, ANYDNN_DEFAULT_MATH), "mock_a 1");
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_TENSOR_OP_MATH), "mock_a 1");
}

static void a_later_process_gets_what_was_found(void **state)
{
    anydnnHandle_t handle;
    size_t bytes = 0;

    (void)state;
    search("mock_a, mock_b");
    later();
    handle = handle_of("mock_a, mock_b");
    assert_int_equal(search_get(handle, &with, FASTEST, 0), 1);
    assert_string_equal(search_run(handle, &with, 1, ANYDNN_DEFAULT_MATH), "mock_a 2");
    assert_ok(anydnnGetConvolutionForwardWorkspaceSize(handle, with.x, with.w, with.conv, with.y,
                                                       ANYDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                                                       &bytes));
    assert_int_equal(bytes, 512);
    /* The handle's own search takes precedence again. */
    fixture_set("mock_a", "sleep_us", "200 / 40000");
    search_find(handle, &with, perf);
    assert_int_equal(perf[0].algo, 0);
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_a 1");
}

static void calls_without_an_algorithm(void **state)
{
    (void)state;
    search("mock_a, mock_b");
    later();
    assert_holds(explained(handle_of("mock_a, mock_b"), PROBLEM), "choice: mock_a engine 2,");
    assert_holds(explained(handle_of("mock_a, mock_b"), PROBLEM), " (measured before)\n");
    fixture_settings()->tuning = (char[]){"off"};
    assert_holds(explained(handle_of("mock_a, mock_b"), PROBLEM), "choice: mock_a engine 1,");
}

static void off_reads_and_writes_nothing(void **state)
{
    (void)state;
    search("mock_a, mock_b");
    later();
    fixture_settings()->tuning = (char[]){"off"};
    assert_string_equal(search_run(handle_of("mock_a, mock_b"), &with, 0, ANYDNN_DEFAULT_MATH),
                        "mock_a 1");
    put("");
    search_find(handle_of("mock_a, mock_b"), &with, perf);
    assert_string_equal(contents(), "");
}

/* ---- limits of the file */

static void only_for_the_same_contest(void **state)
{
    (void)state;
    search("mock_a, mock_b");
    later();
    assert_string_equal(search_run(handle_of("mock_a"), &with, 0, ANYDNN_DEFAULT_MATH), "mock_a 1");
    assert_string_equal(search_run(handle_of("mock_b, mock_a"), &with, 1, ANYDNN_DEFAULT_MATH),
                        "mock_b 2");
    /* One backend has another version. */
    assert_holds(contents(), "mock_b 1.0");
    later_with("mock_b 1.0", "mock_b 1.1");
    assert_string_equal(search_run(handle_of("mock_a, mock_b"), &with, 0, ANYDNN_DEFAULT_MATH),
                        "mock_a 1");
}

static void limits_of_workspace_hold(void **state)
{
    (void)state;
    search("mock_a, mock_b");
    later();
    fixture_settings()->workspace_limit = 100;
    assert_string_equal(search_run(handle_of("mock_a, mock_b"), &with, 0, ANYDNN_DEFAULT_MATH),
                        "mock_a 1");
    fixture_settings()->workspace_limit = UINT64_MAX;
    with.bytes = 64;
    assert_string_equal(search_run(handle_of("mock_a, mock_b"), &with, 0, ANYDNN_DEFAULT_MATH),
                        "mock_b 1");
}

/* If one search was limited and another was not, the latter counts. */
static void the_wider_search_counts(void **state)
{
    (void)state;
    search("mock_a, mock_b");
    fixture_settings()->workspace_limit = 100;
    search_find(handle_of("mock_a, mock_b"), &with, perf);
    assert_null(strstr(contents(), "\t100\t"));
    fresh_file();
    search_find(handle_of("mock_a, mock_b"), &with, perf);
    assert_holds(contents(), "\t100\tmock_a\t1\t");
    fixture_settings()->workspace_limit = UINT64_MAX;
    search_find(handle_of("mock_a, mock_b"), &with, perf);
    assert_holds(contents(), "\tnone\tmock_b\t1\t");
    assert_null(strstr(contents(), "\t100\t"));
}

static void determinism_holds(void **state)
{
    anydnnHandle_t handle;

    (void)state;
    fresh_file();
    two_backends();
    fixture_set("mock_b", "notes", "nondeterministic");
    handle = handle_of("mock_a, mock_b");
    assert_ok(anydnnSetDeterministic(handle, 0));
    search_find(handle, &with, perf);
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_b 1");
    later();
    assert_string_equal(search_run(handle_of("mock_a, mock_b"), &with, 0, ANYDNN_DEFAULT_MATH),
                        "mock_a 1");
    /* A record that claims otherwise does not change this. */
    later_with(" deterministic=0", "");
    assert_string_equal(search_run(handle_of("mock_a, mock_b"), &with, 0, ANYDNN_DEFAULT_MATH),
                        "mock_a 1");
}

static void transforms_have_to_be_named(void **state)
{
    (void)state;
    fixture_set("mock_a", "notes", "/ transform");
    search("mock_a, mock_b");
    later();
    /* The fastest one qualifies. */
    assert_string_equal(search_run(handle_of("mock_a, mock_b"), &with, 1, ANYDNN_DEFAULT_MATH),
                        "mock_a 2");
    assert_holds(explained(handle_of("mock_a, mock_b"), PROBLEM), "choice: mock_b engine 1,");
    /* A record that names it does not change this. */
    later_with("none\tmock_b\t1\t", "none\tmock_a\t2\t");
    assert_holds(explained(handle_of("mock_a, mock_b"), PROBLEM), "choice: mock_a engine 1,");
}

static void what_is_not_offered_is_passed_over(void **state)
{
    static const char *const records[] = {"mock_b\t999\t", "mock_x\t1\t", "mock_device\t1\t"};

    (void)state;
    for (int i = 0; i < 3; i++) {
        search("mock_a, mock_b");
        later_with("mock_b\t1\t", records[i]);
        fixture_messages();
        assert_string_equal(search_run(handle_of("mock_a, mock_b"), &with, 0, ANYDNN_DEFAULT_MATH),
                            "mock_a 1");
        assert_null(strstr(fixture_messages(), "warning"));
    }
}

/* ---- files */

static void lines_that_are_no_records(void **state)
{
    const char *told;

    (void)state;
    search("mock_a, mock_b");
    later_with("anydnn tuning 1\n",
               "anydnn tuning 1\nnonsense\n# a note\n\na\tnone\tmock_a\t-1\t5\n");
    fixture_messages();
    assert_string_equal(search_run(handle_of("mock_a, mock_b"), &with, 0, ANYDNN_DEFAULT_MATH),
                        "mock_b 1");
    told = fixture_messages();
    assert_int_equal(fixture_lines(told, "tuning = ", path), 1);
    assert_holds(told, "line 2 is not a record and neither are others");
    search_run(handle_of("mock_a, mock_b"), &with, 1, ANYDNN_DEFAULT_MATH);
    assert_null(strstr(fixture_messages(), "warning"));
    /* The file is truncated. */
    search("mock_a, mock_b");
    later();
    assert_int_equal(truncate(path, (off_t)strlen(contents()) - 3), 0);
    search_run(handle_of("mock_a, mock_b"), &with, 0, ANYDNN_DEFAULT_MATH);
    assert_holds(fixture_messages(), "is not a record; such lines");
}

static void files_of_others_stay(void **state)
{
    static const char *const others[] = {"anydnn tuning 2\nx\n", "a letter\n"};

    (void)state;
    two_backends();
    for (int i = 0; i < 2; i++) {
        fresh_file();
        put(others[i]);
        fixture_messages();
        search_find(handle_of("mock_a, mock_b"), &with, perf);
        assert_holds(fixture_messages(), "it is neither read nor written");
        assert_string_equal(contents(), others[i]);
        search_find(handle_of("mock_a, mock_b"), &with, perf);
        assert_null(strstr(fixture_messages(), "tuning = "));
    }
}

static void folders_that_are_not_there(void **state)
{
    anydnnHandle_t handle;

    (void)state;
    two_backends();
    snprintf(path, sizeof(path), "%s", fixture_path("nowhere/tuning"));
    fixture_settings()->tuning = path;
    handle = handle_of("mock_a, mock_b");
    fixture_messages();
    search_find(handle, &with, perf);
    assert_holds(fixture_messages(),
                 "it cannot be written: No such file or directory; measurements are");
    search_find(handle, &with, perf);
    assert_null(strstr(fixture_messages(), "cannot be written"));
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_b 1");
}

static int setup(void **state)
{
    with = (struct fixture_convolution){.algorithm = 0};
    return fixture_setup(state);
}

static int teardown(void **state)
{
    int status = fixture_teardown(state);
    char name[40];

    for (int i = 0; i < files; i++) {
        snprintf(name, sizeof(name), "tuning%d", i);
        unlink(fixture_path(name));
    }
    return status;
}

#define tuning_test(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        tuning_test(a_later_process_runs_what_was_found),
        tuning_test(a_later_process_gets_what_was_found),
        tuning_test(calls_without_an_algorithm),
        tuning_test(off_reads_and_writes_nothing),
        tuning_test(only_for_the_same_contest),
        tuning_test(limits_of_workspace_hold),
        tuning_test(the_wider_search_counts),
        tuning_test(determinism_holds),
        tuning_test(transforms_have_to_be_named),
        tuning_test(what_is_not_offered_is_passed_over),
        tuning_test(lines_that_are_no_records),
        tuning_test(files_of_others_stay),
        tuning_test(folders_that_are_not_there),
    };

    return cmocka_run_group_tests(tests, fixture_group_setup, fixture_group_teardown);
}
