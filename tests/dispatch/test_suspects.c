/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests candidates that kill their process or device while `fastest` times them. They are
 * entered in the tuning file before they run, so that they run only once. This test kills child
 * processes.
 */
#include "tests/dispatch/searches.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "settings/settings.h"

#define ROUTE "fastest, mock_a, mock_b"

static struct fixture_convolution with;
static char path[4200];
static int files;
static char text[65536];

static void keep_in_file(void)
{
    char name[40];

    snprintf(name, sizeof(name), "suspects%d", files++);
    snprintf(path, sizeof(path), "%s", fixture_path(name));
    fixture_settings()->tuning = path;
    fixture_set("mock_a", "sleep_us", "3000");
    fixture_set("mock_b", "sleep_us", "1000");
}

static const char *run(void)
{
    anydnnHandle_t handle;

    fixture_convolution_make(&with, 8);
    with.workspace = fixture_data(20);
    with.bytes = 4096;
    handle = fixture_handle(ROUTE);
    return search_run(handle, &with, 0, ANYDNN_DEFAULT_MATH);
}

static const char *file_text(void)
{
    FILE *file = fopen(path, "r");
    size_t length;

    assert_non_null(file);
    length = fread(text, 1, sizeof(text) - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

static int executes(const char *log, const char *backend)
{
    return fixture_lines(log, backend, "plan_execute");
}

/* Runs a child in which mock_b ends the process; returns its number. */
static pid_t a_child_dies(void)
{
    pid_t child;
    int status;

    fixture_set("mock_b", "execute", "kill");
    child = fork();
    if (child == 0) {
        run();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    fixture_set("mock_b", "execute", NULL);
    return child;
}

/* Replaces the number at the end of the suspect's line. */
static void rewrite(long number)
{
    char *line = strstr(file_text(), "suspect mock_b 1\t"), *end, rest[4096];
    FILE *file;

    assert_non_null(line);
    end = strchr(line, '\n');
    assert_non_null(end);
    snprintf(rest, sizeof(rest), "%s", end);
    while (end[-1] != '\t')
        end--;
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%.*s%ld%s", (int)(end - text), text, number, rest);
    fclose(file);
}

/* Checks that the file names mock_b's engine as the suspect of a process, in any number format. */
static void names_suspect(pid_t process)
{
    static const char before[] = "\tsuspect mock_b 1\tnone\tmock_b\t1\t";
    const char *found = strstr(file_text(), before);
    char *end = NULL;

    assert_non_null(found);
    assert_true(strtod(found + strlen(before), &end) == (double)process + 1);
    assert_int_equal(*end, '\n');
}

static void a_dead_process_names_its_suspect(void **state)
{
    pid_t child;

    (void)state;
    keep_in_file();
    child = a_child_dies();
    names_suspect(child);
    /* The next process runs all other candidates. */
    fixture_log();
    fixture_messages();
    assert_string_equal(run(), "mock_a 1");
    assert_int_equal(executes(fixture_log(), "mock_b"), 0);
    /* The record and the suspect stay in the file. */
    names_suspect(child);
    assert_holds(file_text(), "\tnone\tmock_a\t1\t");
    assert_null(strstr(file_text(), "suspect mock_a"));
    assert_string_equal(run(), "mock_a 1");
    assert_int_equal(executes(fixture_log(), "mock_b"), 0);
}

/* A candidate that survives leaves no suspect. */
static void survivors_leave_nothing(void **state)
{
    (void)state;
    keep_in_file();
    assert_string_equal(run(), "mock_b 1");
    assert_null(strstr(file_text(), "suspect"));
    keep_in_file();
    fixture_set("mock_b", "execute", "fail");
    assert_string_equal(run(), "mock_a 1");
    assert_null(strstr(file_text(), "suspect"));
}

/* The process with that number still runs and may survive. */
static void a_living_process_is_no_proof(void **state)
{
    (void)state;
    keep_in_file();
    a_child_dies();
    rewrite((long)getppid() + 1);
    fixture_log();
    assert_string_equal(run(), "mock_b 1");
    assert_null(strstr(file_text(), "suspect"));
}

/* The suspect's process ended if its number now belongs to another process, or to none. That holds
 * for number 1, for a number that no process has, and for this process's number plus one. */
static void lost_is_lost(void **state)
{
    static const long lost[] = {1, 4000000000};

    (void)state;
    for (int i = 0; i < 3; i++) {
        keep_in_file();
        a_child_dies();
        rewrite(i < 2 ? lost[i] : (long)getpid() + 1);
        fixture_log();
        assert_string_equal(run(), "mock_a 1");
        assert_int_equal(executes(fixture_log(), "mock_b"), 0);
    }
}

/* A line appended to the file is as complete as a rewritten file; a truncated line is ignored. */
static void a_cut_line_before_it(void **state)
{
    FILE *file;

    (void)state;
    keep_in_file();
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "anydnn tuning 1\nsome problem\tdevice\tcontest\tnone\tmock_a\t1\t5\ncut of");
    fclose(file);
    a_child_dies();
    assert_holds(file_text(), "\tmock_a\t1\t5\ncut of\n");
    assert_string_equal(run(), "mock_a 1");
    assert_holds(file_text(), "some problem\tdevice\tcontest\tnone\tmock_a\t1\t5\n");
    assert_null(strstr(file_text(), "cut of"));
}

/* A frozen file records no suspects, nor does a search without a file. */
static void frozen_files_stay(void **state)
{
    (void)state;
    keep_in_file();
    fixture_settings()->tuning_mode = ADN_TUNING_READ;
    assert_string_equal(run(), "mock_a 1");
    assert_int_not_equal(access(path, F_OK), 0);
}

/* This case is the last one: the space is lost for this process. */
static void a_lost_device_convicts(void **state)
{
    const float factor = 2;
    void *data = NULL;
    anydnnHandle_t handle;

    (void)state;
    keep_in_file();
    fixture_set("mock_device", "engine_count", "2");
    handle = fixture_handle_on("mockdev", "fastest, mock_device");
    assert_ok(anydnnMemAlloc(handle, 4096, &data));
    fixture_set("mock_device", "execute", "enqueued");
    fixture_set("mock_device", "poisoned", "yes");
    assert_fails(anydnnScaleTensor(handle, fixture_tensor("f32:2,3"), data, &factor),
                 ANYDNN_STATUS_SPACE_POISONED, "");
    assert_holds(file_text(), "\tsuspect mock_device 1\tnone\tmock_device\t1\t1\n");
    assert_null(strstr(file_text(), "suspect mock_device 2"));
}

static int group_teardown(void **state)
{
    for (int i = 0; i < files; i++) {
        char name[40];

        snprintf(name, sizeof(name), "suspects%d", i);
        unlink(fixture_path(name));
    }
    return fixture_group_teardown(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_dead_process_names_its_suspect),
        TEST(survivors_leave_nothing),
        TEST(a_living_process_is_no_proof),
        TEST(lost_is_lost),
        TEST(a_cut_line_before_it),
        TEST(frozen_files_stay),
        TEST(a_lost_device_convicts),
    };

    return cmocka_run_group_tests(tests, search_group_setup, group_teardown);
}
