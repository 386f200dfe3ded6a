/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that `fastest` and Find judge a contender before they choose it. Planted faults make the
 * first engine of mock_a the fastest and wrong; mock_b is slower and right. */
#include "tests/dispatch/searches.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings/settings.h"

#define ROUTE "fastest, mock_a, mock_b"

static struct fixture_convolution with;

/* Makes a padded convolution. Nothing that it holds is read before the choice. */
static void make(void)
{
    memset(&with, 0, sizeof(with));
    with.x = fixture_tensor("f32:2,3,9,7");
    with.w = fixture_filter("f32:4,3,3,3");
    with.conv = fixture_convolution("1,1;1,1;1,1;1;cross;f32");
    with.y = fixture_tensor("f32:2,4,9,7");
    for (int i = 0; i < 3; i++)
        with.data[i] = fixture_data(i);
    with.workspace = fixture_data(20);
    with.bytes = 4096;
}

/* Returns "backend engine" of the choice among the faulty engine and the right one. */
static const char *choose(const char *fault, const char *notes)
{
    fixture_settings()->tune_check = 1;
    fixture_set("mock_a", "compute", fault);
    fixture_set("mock_a", "notes", notes);
    fixture_set("mock_a", "sleep_us", "1000");
    fixture_set("mock_b", "compute", "right");
    fixture_set("mock_b", "sleep_us", "3000");
    make();
    return search_run(fixture_handle(ROUTE), &with, 0, ANYDNN_DEFAULT_MATH);
}

static void the_right_one_wins(void **state)
{
    (void)state;
    assert_string_equal(choose("right", NULL), "mock_a 1");
    assert_null(strstr(fixture_messages(), "wrong"));
}

static void faults_are_caught(void **state)
{
    static const struct {
        const char *fault, *sentence;
    } rows[] = {
        {"border", "element "},
        {"short", "element "},
        {"nan", "is nan; right is "},
        {"race", "two runs gave different bits"},
        {"past", "it wrote outside operand y, 1 bytes behind its end"},
        {"before", "it wrote outside operand y, "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *messages, *chosen = choose(rows[i].fault, NULL);

        messages = fixture_messages();
        if (strcmp(chosen, "mock_b 1") != 0 ||
            !strstr(messages, "mock_a engine 1 gives wrong results and is skipped: ") ||
            !strstr(messages, rows[i].sentence))
            fail_msg("%s: %s was chosen; %s", rows[i].fault, chosen, messages);
    }
}

/* The workspace holds NaN before each run, and has guard zones as well. */
static void the_workspace_is_watched(void **state)
{
    (void)state;
    fixture_set("mock_a", "workspace", "64");
    assert_string_equal(choose("workspace", NULL), "mock_b 1");
    assert_non_null(strstr(fixture_messages(), "it wrote outside its workspace, 1 bytes behind"));
    fixture_set("mock_a", "workspace", "64");
    assert_string_equal(choose("lazy", NULL), "mock_b 1");
    assert_non_null(strstr(fixture_messages(), "nan; right is "));
}

/* A candidate that says that its bits vary may do so. */
static void nondeterminism_may_be_stated(void **state)
{
    anydnnHandle_t handle;

    (void)state;
    choose("race", "nondeterministic");
    handle = fixture_handle(ROUTE);
    assert_ok(anydnnSetDeterministic(handle, 0));
    assert_string_equal(search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH), "mock_a 1");
}

static void find_judges_too(void **state)
{
    search_perf perf[SEARCH_COUNT];
    int count;

    (void)state;
    choose("border", NULL);
    count = search_find(fixture_handle("mock_a, mock_b"), &with, perf);
    assert_true(count > 0);
    assert_string_equal(search_backend(&perf[0]), "mock_b");
}

/* An engine that was seen to be wrong is not chosen by the order of the route either, now or in
 * the next process. */
static void nothing_right_means_nothing(void **state)
{
    char path[4200];

    (void)state;
    snprintf(path, sizeof(path), "%s", fixture_path("nothing"));
    choose("border", NULL);
    fixture_settings()->tuning = path;
    fixture_set("mock_b", "compute", "border");
    for (int i = 0; i < 2; i++) {
        assert_fails(fixture_convolution_run(fixture_handle(ROUTE), &with),
                     ANYDNN_STATUS_NOT_SUPPORTED, "engine 1 gave wrong results when it was timed");
        fixture_log();
    }
    fixture_set("mock_a", "engine_count", "2");
    fixture_set("mock_a", "compute", "border / right");
    assert_string_equal(search_run(fixture_handle(ROUTE), &with, 0, ANYDNN_DEFAULT_MATH),
                        "mock_a 2");
}

/* An engine that fails in the trial is out, unless it lacks memory, which says nothing about it. */
static void a_lack_of_memory_proves_nothing(void **state)
{
    (void)state;
    fixture_set("mock_a", "execute", "trial");
    assert_string_equal(choose("right", NULL), "mock_b 1");
    assert_non_null(strstr(fixture_messages(), "it failed when its results were judged"));
    fixture_set("mock_a", "status", "2");
    assert_string_equal(choose("right", NULL), "mock_a 1");
}

/* Messages have a point in numbers in every locale, since `anydnn errata --find` writes files of
 * them. */
static void messages_do_not_depend_on_the_locale(void **state)
{
    const char *messages, *at;

    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
        skip();
    choose("short", NULL);
    setlocale(LC_NUMERIC, "C");
    messages = fixture_messages();
    at = strstr(messages, "right is ");
    assert_non_null(at);
    assert_int_not_equal(at[strcspn(at, ".,")], ',');
}

static void it_can_be_switched_off(void **state)
{
    (void)state;
    choose("border", NULL);
    fixture_settings()->tune_check = 0;
    assert_string_equal(search_run(fixture_handle(ROUTE), &with, 0, ANYDNN_DEFAULT_MATH),
                        "mock_a 1");
}

/* The next process does not run it again. */
static void the_tuning_file_remembers(void **state)
{
    char path[4200];

    (void)state;
    snprintf(path, sizeof(path), "%s", fixture_path("tuned"));
    choose("right", NULL);
    fixture_settings()->tuning = path;
    fixture_set("mock_a", "engine_count", "2");
    fixture_set("mock_a", "compute", "border / right");
    fixture_set("mock_a", "sleep_us", "1000 / 2000");
    assert_string_equal(search_run(fixture_handle(ROUTE), &with, 0, ANYDNN_DEFAULT_MATH),
                        "mock_a 2");
    {
        char text[32768] = "";
        FILE *file = fopen(path, "r");

        assert_non_null(file);
        text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
        fclose(file);
        assert_non_null(strstr(text, "suspect mock_a 1"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_right_one_wins, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(faults_are_caught, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(the_workspace_is_watched, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(nondeterminism_may_be_stated, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(find_judges_too, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(nothing_right_means_nothing, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_lack_of_memory_proves_nothing, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(messages_do_not_depend_on_the_locale, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(it_can_be_switched_off, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(the_tuning_file_remembers, fixture_setup, fixture_teardown),
    };

    return cmocka_run_group_tests(tests, search_group_setup, fixture_group_teardown);
}
