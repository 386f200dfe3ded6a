/* SPDX-License-Identifier: Apache-2.0 */
/* Tests problems as objects, problems parsed from records, and backends as data. */
#include "tests/dispatch/entries.h"

#include <stdio.h>
#include <string.h>

#include "dispatch/handle/handle.h"
#include "problem/problem.h"
#include "problem/text.h"

#define BAD ANYDNN_STATUS_BAD_PARAM

static const char fused[] =
    "convolution_bias_activation_forward x=f32:1,3,4,4 w=f32:4,3,1,1 alpha1=0.5";

static anydnnProblem_t parsed(const char *text)
{
    anydnnProblem_t problem = NULL;

    assert_ok(anydnnProblemParse(text, &problem));
    return problem;
}

static void problems_as_objects(void **state)
{
    anydnnProblem_t problem = parsed(fused);
    char printed[512], small[8];
    size_t bytes = 0;

    (void)state;
    assert_ok(anydnnProblemPrint(problem, printed, sizeof(printed), &bytes));
    assert_int_equal(bytes, strlen(printed) + 1);
    assert_holds(printed, "bias=f32:1,4,1,1:nchw y=f32:1,4,4,4:nchw");
    assert_ok(anydnnProblemPrint(problem, small, sizeof(small), &bytes));
    assert_string_equal(small, "convolu");
    assert_ok(anydnnProblemPrint(problem, NULL, 0, &bytes));
    assert_int_equal(bytes, strlen(printed) + 1);
    assert_fails(anydnnProblemPrint(NULL, small, 8, NULL), BAD, "the problem is NULL");
    assert_fails(anydnnProblemPrint(problem, NULL, 8, NULL), BAD, "text is NULL");
    assert_ok(anydnnProblemDestroy(problem));
    assert_ok(anydnnProblemDestroy(NULL));
    assert_fails(anydnnProblemParse(NULL, &problem), BAD, "text is NULL");
    assert_fails(anydnnProblemParse(fused, NULL), BAD, "problem is NULL");
    problem = NULL;
    assert_fails(anydnnProblemParse("softmax_forward x=f32:5", &problem), BAD,
                 "problem text: x is");
    assert_null(problem);
}

static void operands_of_a_problem(void **state)
{
    anydnnProblem_t problem = parsed(fused);
    anydnnTensorDescriptor_t desc = fixture_tensor("f64:1,1");
    anydnnDirection_t direction;
    const char *role;
    size_t bytes = 0;
    int count = 0;

    (void)state;
    assert_ok(anydnnProblemGetOperandCount(problem, &count));
    assert_int_equal(count, 4); /* z is absent */
    assert_ok(anydnnProblemGetOperand(problem, 2, &role, desc, &direction));
    assert_string_equal(role, "bias");
    assert_int_equal(direction, ANYDNN_DIRECTION_INPUT);
    assert_ok(anydnnGetTensorSizeInBytes(desc, &bytes));
    assert_int_equal(bytes, 16);
    assert_ok(anydnnProblemGetOperand(problem, 3, &role, NULL, &direction));
    assert_string_equal(role, "y");
    assert_int_equal(direction, ANYDNN_DIRECTION_OUTPUT);
    assert_ok(anydnnProblemGetOperand(problem, 0, NULL, NULL, NULL));
    assert_fails(anydnnProblemGetOperand(problem, 4, &role, NULL, NULL), BAD,
                 "index 4 is out of range; the problem has 4 operands");
    assert_fails(anydnnProblemGetOperand(problem, -1, &role, NULL, NULL), BAD,
                 "index -1 is out of range");
    assert_ok(anydnnProblemDestroy(problem));
}

static void problems_run(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    anydnnProblem_t problem = parsed(fused);
    void *pointers[4];
    char want[200];
    size_t bytes = 0;

    (void)state;
    for (int i = 0; i < 4; i++)
        pointers[i] = fixture_data(i);
    fixture_set("mock_a", "workspace", "33");
    assert_ok(anydnnProblemGetWorkspaceSize(handle, problem, &bytes));
    assert_int_equal(bytes, 33);
    fixture_log();
    assert_ok(anydnnProblemExecute(handle, problem, pointers, fixture_data(9), 33));
    snprintf(want, sizeof(want), "d0=%p d1=%p d3=%p d4=%p scale=0.5,0,0,0", pointers[0],
             pointers[1], pointers[2], pointers[3]);
    assert_int_equal(fixture_lines(fixture_log(), "plan_execute", want), 1);
    assert_string_equal(fixture_record(handle, "plan"), "equal");
    pointers[2] = NULL;
    assert_fails(anydnnProblemExecute(handle, problem, pointers, NULL, 0), BAD,
                 "pointers[2], operand bias, is NULL");
    assert_fails(anydnnProblemExecute(handle, problem, NULL, NULL, 0), BAD, "pointers is NULL");
    assert_fails(anydnnProblemExecute(NULL, problem, pointers, NULL, 0),
                 ANYDNN_STATUS_NOT_INITIALIZED, "anydnnProblemExecute");
    assert_ok(anydnnProblemDestroy(problem));
}

static void aliases_of_texts_and_pointers_agree(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a");
    anydnnProblem_t apart = NULL, in_place = NULL;
    void *two[] = {fixture_data(0), fixture_data(1)};
    void *same[] = {fixture_data(0), fixture_data(0)};

    (void)state;
    assert_ok(anydnnProblemParse("softmax_forward x=f32:2,3", &apart));
    assert_ok(anydnnProblemParse("softmax_forward x=f32:2,3 alias=y:x", &in_place));
    assert_ok(anydnnProblemExecute(handle, apart, two, NULL, 0));
    assert_ok(anydnnProblemExecute(handle, in_place, same, NULL, 0));
    assert_fails(anydnnProblemExecute(handle, apart, same, NULL, 0), BAD, "they must agree");
    assert_fails(anydnnProblemExecute(handle, in_place, two, NULL, 0), BAD, "they must agree");
    assert_ok(anydnnProblemDestroy(apart));
    assert_ok(anydnnProblemDestroy(in_place));
}

/* The text that an entry records parses to an equal problem, with all its parameters. */
static void records_read_back_to_equal_problems(void **state)
{
    static const struct entry_case *const tables[] = {entries_convolution, entries_layer,
                                                      entries_normalization, entries_tensor};

    (void)state;
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        for (const struct entry_case *entry = tables[i]; entry->name; entry++) {
            void *a[ENTRY_ARGUMENTS] = {NULL};
            struct adn_problem problem;
            struct adn_values values;
            anydnnHandle_t handle;

            entries_make(entry, "f32", a);
            assert_ok(entry->call(a));
            handle = a[0];
            assert_int_equal(
                adn_problem_parse(fixture_record(handle, "problem"), &problem, &values), 0);
            if (!adn_problem_equal(&problem, &handle->last.plan->problem))
                fail_msg("%s: %s is another problem", entry->name,
                         fixture_record(handle, "problem"));
        }
}

static void backends_as_data(void **state)
{
    static const char *const live[] = {"vendor",     "version",    "space",
                                       "plugin_abi", "operations", "limits"};
    anydnnHandle_t handle = fixture_handle("mock_a");
    int count = 0, found = -1;
    char text[8192], before[ANYDNN_PLUGIN_NAME_MAX + 1] = "";

    (void)state;
    (void)handle;
    assert_ok(anydnnGetBackendCount(&count));
    for (int i = 0; i < count; i++) {
        assert_ok(anydnnGetBackendInfo(i, "name", text, sizeof(text)));
        assert_true(strcmp(before, text) < 0);
        snprintf(before, sizeof(before), "%.31s", text);
        if (strcmp(text, "mock_noop") == 0)
            found = i; /* no rule of the file names it */
    }
    assert_true(found >= 0);
    for (size_t i = 0; i < sizeof(live) / sizeof(live[0]); i++) {
        assert_ok(anydnnGetBackendInfo(found, live[i], text, sizeof(text)));
        if (strcmp(live[i], "limits") != 0)
            assert_true(text[0] != '\0');
    }
    assert_ok(anydnnGetBackendInfo(found, "stage", text, sizeof(text)));
    assert_string_equal(text, "live");
    assert_ok(anydnnGetBackendInfo(found, "path", text, sizeof(text)));
    assert_holds(text, "anydnn_mock_noop.so");
    assert_fails(anydnnGetBackendInfo(count, "name", text, sizeof(text)), BAD, "index");
    assert_fails(anydnnGetBackendInfo(0, "nam", text, sizeof(text)), BAD, "did you mean `name`?");
    assert_fails(anydnnGetBackendCount(NULL), BAD, "NULL");
}

static int teardown(void **state)
{
    entries_free();
    return fixture_teardown(state);
}

#define objects_test(test) cmocka_unit_test_setup_teardown(test, fixture_setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        objects_test(problems_as_objects),
        objects_test(operands_of_a_problem),
        objects_test(problems_run),
        objects_test(aliases_of_texts_and_pointers_agree),
        objects_test(records_read_back_to_equal_problems),
        objects_test(backends_as_data),
    };

    return cmocka_run_group_tests_name("objects", tests, fixture_group_setup,
                                       fixture_group_teardown);
}
