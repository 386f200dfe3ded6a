/* SPDX-License-Identifier: Apache-2.0 */
/* Tests checks, and dumps of operands: by shadow if results are wrong, by a trace on request.
 * Needs: tests/tools/anydnn_faulty.la */
#include "tests/shadow/fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WRONG "convolution_forward x=f32:2,3,6,6 w=f32:4,3,3,3 pad=1,1"
#define RELU  "activation_forward x=f32:1,2,3,3 activation=relu"
#define SQRT  "op_tensor a=f32:1,2,3,3 op=sqrt"

/* ---- checks */

static void run_on(anydnnHandle_t handle, const char *text, int at, float value)
{
    struct fixture_problem problem;

    fixture_problem_make(handle, text, &problem);
    if (at >= 0)
        ((float *)problem.data[0])[at] = value;
    for (size_t i = 0; at < 0 && i < problem.bytes[0] / sizeof(float); i++)
        ((float *)problem.data[0])[i] = value;
    assert_ok(fixture_problem_run(handle, &problem));
    fixture_problem_free(&problem);
}

static void first_makers_are_named(void **state)
{
    anydnnHandle_t handle = fixture_handle("cpu_ref");

    (void)state;
    assert_ok(anydnnSetCheck(handle, "outputs = nan, inf, zero"));
    run_on(handle, RELU, 0, 1);
    assert_int_equal(fixture_found(handle, "checked"), 1);
    assert_string_equal(fixture_said(handle, "first_special"), "");
    fixture_warnings();
    run_on(handle, SQRT, 4, -1);
    assert_int_equal(fixture_found(handle, "nan"), 1);
    assert_holds(fixture_said(handle, "first_special"), "c of cpu_ref, engine ");
    assert_holds(fixture_said(handle, "first_special"), "first output with NaN (checked call 2");
    assert_holds(fixture_said(handle, "first_special"), "inputs hold none: op_tensor ");
    assert_holds(fixture_warnings(), "check: c of cpu_ref");
    run_on(handle, SQRT, 4, -1);
    assert_int_equal(fixture_found(handle, "nan"), 2);
    assert_string_equal(fixture_warnings(), "");
    run_on(handle, RELU, 0, INFINITY);
    assert_holds(fixture_warnings(), "first output with infinities (checked call 4); its "
                                     "inputs hold such, too: activation_forward");
    run_on(handle, RELU, -1, -1);
    assert_int_equal(fixture_found(handle, "zero"), 1);
    assert_holds(fixture_warnings(), "with only zeros");
    assert_int_equal(fixture_found(handle, "inf"), 1);
    assert_ok(anydnnDestroy(handle));
}

static void only_what_was_asked(void **state)
{
    anydnnHandle_t handle = fixture_handle("cpu_ref");

    (void)state;
    assert_ok(anydnnSetCheck(handle, "outputs = inf; operations = op_tensor"));
    run_on(handle, SQRT, 4, -1);
    run_on(handle, RELU, 0, INFINITY);
    assert_int_equal(fixture_found(handle, "checked"), 1);
    assert_int_equal(fixture_found(handle, "nan"), 0);
    assert_int_equal(fixture_found(handle, "inf"), 0);
    assert_ok(anydnnSetCheck(handle, "outputs = off"));
    run_on(handle, SQRT, 4, INFINITY);
    assert_int_equal(fixture_found(handle, "checked"), 1);
    assert_ok(anydnnDestroy(handle));
}

/* ---- dumps */

/* Checks that the file has this size and mode, and ends in these bytes. */
static void file_ends(const char *path, size_t size, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "rb");
    struct stat status;
    char *content = malloc(size);

    if (!file)
        fail_msg("there is no %s", path);
    assert_non_null(content);
    assert_int_equal(fstat(fileno(file), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_int_equal(status.st_size, size);
    assert_int_equal(fread(content, 1, size, file), size);
    assert_memory_equal(content, "\x93NUMPY\x01\x00", 8);
    assert_memory_equal(content + size - length, bytes, length);
    fclose(file);
    free(content);
}

/* Returns the number of the line's dump. */
static int dump_of(const char *path, const char *answer)
{
    char line[16384], column[64] = "";
    FILE *file = fopen(path, "r");
    int number = 0;

    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        if (line[0] != '#' && strstr(line, answer))
            assert_int_equal(
                sscanf(line,
                       "%*[^\t]\t%*[^\t]\t%*[^\t]\t%*[^\t]\t%*[^\t]\t%*[^\t]\t%*[^\t]\t%63[^\t]",
                       column),
                1);
    }
    number = atoi(column);
    fclose(file);
    return number;
}

static void a_mismatch_is_kept(void **state)
{
    anydnnHandle_t handle = fixture_handle("faulty");
    struct fixture_problem problem;
    char text[800], path[600], name[700];
    struct stat status;
    int number;

    (void)state;
    snprintf(path, sizeof(path), "%s/wrong", fixture_folder());
    snprintf(text, sizeof(text), "sample=all; budget=none; on_mismatch=dump; file=%s", path);
    assert_ok(anydnnSetShadow(handle, text));
    fixture_problem_make(handle, WRONG, &problem);
    assert_ok(fixture_problem_run(handle, &problem));
    number = dump_of(path, "\tmismatch\n");
    assert_true(number > 0);
    snprintf(name, sizeof(name), "%s/%d", fixture_folder(), number);
    assert_int_equal(stat(name, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0700);
    /* The description takes 128 bytes, in steps of 64. */
    snprintf(name, sizeof(name), "%s/%d/0.npy", fixture_folder(), number);
    file_ends(name, 128 + problem.bytes[0], problem.data[0], problem.bytes[0]);
    snprintf(name, sizeof(name), "%s/%d/1.npy", fixture_folder(), number);
    file_ends(name, 128 + problem.bytes[1], problem.data[1], problem.bytes[1]);
    fixture_problem_free(&problem);
    assert_ok(anydnnDestroy(handle));
}

static void a_trace_keeps_operands(void **state)
{
    anydnnHandle_t handle = fixture_handle("cpu_ref");
    struct fixture_problem problem;
    char text[800], path[600], name[700];
    int number;

    (void)state;
    snprintf(path, sizeof(path), "%s/calls", fixture_folder());
    snprintf(text, sizeof(text), "file=%s; tensors=convolution_*", path);
    assert_ok(anydnnSetTrace(handle, text));
    fixture_run(handle, RELU);
    assert_int_equal(dump_of(path, "\tok\n"), 0);
    fixture_problem_make(handle, WRONG, &problem);
    assert_ok(fixture_problem_run(handle, &problem));
    number = dump_of(path, "\tok\n");
    assert_true(number > 0);
    snprintf(name, sizeof(name), "%s/%d/0.npy", fixture_folder(), number);
    file_ends(name, 128 + problem.bytes[0], problem.data[0], problem.bytes[0]);
    snprintf(name, sizeof(name), "%s/%d/2.after.npy", fixture_folder(), number);
    file_ends(name, 128 + problem.bytes[2], problem.data[2], problem.bytes[2]);
    assert_ok(anydnnSetTrace(handle, "file=off"));
    assert_ok(fixture_problem_run(handle, &problem));
    assert_int_equal(dump_of(path, "\tok\n"), number);
    fixture_problem_free(&problem);
    assert_ok(anydnnDestroy(handle));
}

/* The caps apply to everything that the process has kept so far. */
static void caps_end_dumps(void **state)
{
    anydnnHandle_t handle = fixture_handle("cpu_ref");
    char text[800], path[600];

    (void)state;
    snprintf(path, sizeof(path), "%s/capped", fixture_folder());
    snprintf(text, sizeof(text), "file=%s; tensors=*; dumps=1", path);
    assert_ok(anydnnSetTrace(handle, text));
    fixture_run(handle, RELU);
    assert_int_equal(dump_of(path, "\tok\n"), 0);
    assert_ok(anydnnSetTrace(handle, "dumps=1000; dump_size=1K"));
    fixture_run(handle, RELU);
    assert_int_equal(dump_of(path, "\tok\n"), 0);
    assert_ok(anydnnSetTrace(handle, "dump_size=1G"));
    fixture_run(handle, RELU);
    assert_true(dump_of(path, "\tok\n") > 0);
    assert_ok(anydnnDestroy(handle));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_makers_are_named), cmocka_unit_test(only_what_was_asked),
        cmocka_unit_test(a_mismatch_is_kept),     cmocka_unit_test(a_trace_keeps_operands),
        cmocka_unit_test(caps_end_dumps),
    };

    return cmocka_run_group_tests(tests, fixture_group_setup, fixture_group_teardown);
}
