/* SPDX-License-Identifier: Apache-2.0 */
/* Tests shadow: the calls that it compares, its findings and their effects, on correct and wrong
 * results.
 * Needs: tests/tools/anydnn_faulty.la */
#include "tests/shadow/fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define POOL  "pooling_forward x=f32:1,2,8,8 window=2,2 stride=2,2"
#define RIGHT "convolution_forward x=f32:2,3,6,6 w=f32:4,3,1,1"
#define WRONG "convolution_forward x=f32:2,3,6,6 w=f32:4,3,3,3 pad=1,1"

static void calls(anydnnHandle_t handle, const char *text, int count)
{
    struct fixture_problem problem;

    fixture_problem_make(handle, text, &problem);
    for (int i = 0; i < count; i++)
        assert_ok(fixture_problem_run(handle, &problem));
    fixture_problem_free(&problem);
}

/* ---- the calls that are compared */

static void off_finds_nothing(void **state)
{
    anydnnHandle_t handle = fixture_handle("cpu_ref");

    (void)state;
    calls(handle, POOL, 3);
    assert_int_equal(fixture_found(handle, "calls"), 0);
    assert_string_equal(fixture_said(handle, "last_mismatch"), "");
    assert_ok(anydnnDestroy(handle));
}

static void samples_what_was_asked(void **state)
{
    static const struct {
        const char *text;
        int least, most;
    } cases[] = {{"sample = all", 100, 100},     {"sample = first", 1, 1},
                 {"sample = every:30", 3, 3},    {"sample = 1/1", 100, 100},
                 {"sample = 1/4", 5, 60},        {"sample = all; operations = softmax_*", 0, 0},
                 {"sample = 1/1000000000", 0, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        anydnnHandle_t handle = fixture_handle("cpu_ref");
        char text[200];

        snprintf(text, sizeof(text), "budget = none; %s", cases[i].text);
        assert_ok(anydnnSetShadow(handle, text));
        calls(handle, POOL, 100);
        assert_in_range(fixture_found(handle, "compared"), cases[i].least, cases[i].most);
        assert_int_equal(fixture_found(handle, "sampled"), fixture_found(handle, "compared"));
        assert_int_equal(fixture_found(handle, "mismatches"), 0);
        assert_ok(anydnnDestroy(handle));
    }
}

/* There are two problems, and the first call of each counts. */
static void first_is_of_each_problem(void **state)
{
    anydnnHandle_t handle = fixture_handle("cpu_ref");

    (void)state;
    assert_ok(anydnnSetShadow(handle, "sample = first; budget = none"));
    calls(handle, POOL, 5);
    calls(handle, RIGHT, 5);
    assert_int_equal(fixture_found(handle, "calls"), 10);
    assert_int_equal(fixture_found(handle, "compared"), 2);
    assert_string_equal(fixture_said(handle, "reference"), "cpu_ref");
    assert_ok(anydnnSetShadow(handle, "sample = off"));
    calls(handle, POOL, 5);
    assert_int_equal(fixture_found(handle, "calls"), 10);
    assert_ok(anydnnDestroy(handle));
}

static void caps_pass_calls_over(void **state)
{
    anydnnHandle_t handle = fixture_handle("cpu_ref");

    (void)state;
    assert_ok(anydnnSetShadow(handle, "sample = all; budget = none; memory = 1K"));
    calls(handle, POOL, 2);
    assert_int_equal(fixture_found(handle, "over_memory"), 2);
    assert_holds(fixture_said(handle, "passed_over"), "memory = 1024");
    /* The cap is six times 160 numbers. */
    assert_ok(anydnnSetShadow(handle, "memory = 7680"));
    calls(handle, POOL, 1);
    assert_int_equal(fixture_found(handle, "compared"), 1);
    assert_ok(anydnnSetShadow(handle, "budget = 0.000001 %"));
    calls(handle, POOL, 50);
    assert_in_range(fixture_found(handle, "over_budget"), 49, 50);
    assert_int_equal(fixture_found(handle, "sampled"), 53);
    assert_ok(anydnnDestroy(handle));
}

/* ---- the findings */

static const char *const problems[] = {
    "convolution_forward x=f32:2,4,6,6 w=f32:6,2,3,3 groups=2 pad=1,1 alpha=0.5 beta=2",
    "convolution_backward_data dx=f32:2,3,6,6 w=f32:4,3,3,3 dy=f32:2,4,6,6 pad=1,1",
    "convolution_backward_filter x=f32:2,3,6,6 dw=f32:4,3,3,3 dy=f32:2,4,6,6 pad=1,1 beta=1",
    "convolution_backward_bias dy=f32:2,4,6,6",
    "convolution_bias_activation_forward x=f32:2,3,6,6 w=f32:4,3,1,1 activation=tanh",
    "pooling_forward x=f32:1,2,8,8 window=2,2 stride=2,2 mode=average_include beta=0.5",
    "pooling_backward y=f32:1,2,4,4 x=f32:1,2,8,8 window=2,2 stride=2,2",
    "activation_forward x=f32:2,3,4,4 activation=sigmoid",
    "activation_backward y=f32:2,3,4,4 activation=tanh",
    "lrn_forward x=f32:2,8,4,4",
    "lrn_backward y=f32:2,8,4,4",
    "softmax_forward x=f32:4,10,1,1",
    "softmax_forward x=f32:4,10,1,1 softmax=log",
    "softmax_backward y=f32:4,10,1,1",
    "batch_normalization_inference x=f32:4,3,5,5",
    "batch_normalization_training x=f32:4,3,5,5",
    "batch_normalization_backward x=f32:4,3,5,5",
    "transform_tensor x=f32:2,3,4,4 y=f32:2,3,4,4:nhwc",
    "add_tensor x=f32:1,3,1,1 y=f32:2,3,4,4 beta=1",
    "op_tensor a=f32:2,3,4,4 op=mul",
    "op_tensor a=f32:2,3,4,4 op=sqrt",
    "reduce_tensor a=f32:2,3,4,4 c=f32:1,3,1,1 op=norm2",
    "set_tensor y=f32:2,3,4,4 value=1.5",
    "scale_tensor y=f32:2,3,4,4 alpha=0.3",
    "im2col x=f32:1,2,5,5 window=3,3",
    "convolution_forward x=f16:2,4,6,6 w=f16:6,4,3,3",
    "convolution_forward x=f64:2,4,6,6 w=f64:6,4,1,1",
    "convolution_forward x=s8x4:1,4,5,5 w=s8x4:4,4,3,3",
};

/* The problems cover every kind of operation, in double and in the operands' own types. */
static void right_results_are_right(void **state)
{
    static const char *const references[] = {"auto", "cpu_ref:default"};

    (void)state;
    for (size_t r = 0; r < 2; r++)
        for (size_t i = 0; i < sizeof(problems) / sizeof(problems[0]); i++) {
            anydnnHandle_t handle = fixture_handle("cpu_ref");
            anydnnProblem_t problem;
            char text[100];

            if (anydnnProblemParse(problems[i], &problem) != ANYDNN_STATUS_SUCCESS) {
                anydnnGetLastErrorString(text, sizeof(text));
                fail_msg("%s: %s", problems[i], text);
            }
            anydnnProblemDestroy(problem);
            snprintf(text, sizeof(text), "sample = all; budget = none; reference = %s",
                     references[r]);
            assert_ok(anydnnSetShadow(handle, text));
            fixture_run(handle, problems[i]);
            if (fixture_found(handle, "mismatches") != 0 || fixture_found(handle, "compared") != 1)
                fail_msg("%s, %s: %s%s", references[r], problems[i],
                         fixture_said(handle, "last_mismatch"),
                         fixture_said(handle, "passed_over"));
            assert_ok(anydnnDestroy(handle));
        }
}

static void a_wrong_element_is_found(void **state)
{
    anydnnHandle_t handle = fixture_handle("faulty");
    char record[200];

    (void)state;
    assert_ok(anydnnSetShadow(handle, "sample = all; budget = none"));
    fixture_warnings();
    calls(handle, RIGHT, 2);
    assert_int_equal(fixture_found(handle, "mismatches"), 0);
    calls(handle, WRONG, 3);
    assert_int_equal(fixture_found(handle, "compared"), 5);
    assert_int_equal(fixture_found(handle, "mismatches"), 3);
    assert_holds(fixture_said(handle, "last_mismatch"), "faulty, engine ");
    assert_holds(fixture_said(handle, "last_mismatch"), "against cpu_ref: y[0,0,0,0] is ");
    assert_holds(fixture_said(handle, "last_mismatch"), "; 1 of 288 elements are beyond theirs");
    assert_holds(fixture_said(handle, "worst_problem"), "w=f32:4,3,3,3");
    assert_true(strtod(fixture_said(handle, "worst_ratio"), NULL) > 1000);
    /* The warning appears once per problem. */
    assert_holds(fixture_warnings(), "shadow: faulty");
    calls(handle, WRONG, 1);
    assert_string_equal(fixture_warnings(), "");
    /* The record describes the call, not the reference. */
    assert_ok(anydnnGetDispatchInfo(handle, "backend", record, sizeof(record)));
    assert_string_equal(record, "faulty");
    assert_ok(anydnnDestroy(handle));
}

/* The reference is wrong and the call is correct: a mismatch is reported nevertheless. */
static void another_reference(void **state)
{
    anydnnHandle_t handle = fixture_handle("cpu_ref");

    (void)state;
    assert_ok(anydnnSetShadow(handle,
                              "sample=all;budget=none;on_mismatch=count;reference=faulty:default"));
    fixture_warnings();
    calls(handle, WRONG, 1);
    assert_int_equal(fixture_found(handle, "mismatches"), 1);
    assert_string_equal(fixture_warnings(), "");
    assert_ok(anydnnSetShadow(handle, "reference = nonesuch"));
    calls(handle, WRONG, 1);
    assert_int_equal(fixture_found(handle, "failed"), 1);
    assert_holds(fixture_said(handle, "passed_over"), "nonesuch is not installed");
    assert_ok(anydnnDestroy(handle));
}

static void another_bound(void **state)
{
    anydnnHandle_t handle = fixture_handle("cpu_ref");

    (void)state;
    assert_ok(anydnnSetShadow(handle, "sample=all; budget=none; bound=1e-12"));
    calls(handle, WRONG, 1);
    assert_int_equal(fixture_found(handle, "mismatches"), 1);
    assert_holds(fixture_said(handle, "last_mismatch"), "the relative L2 error of y is ");
    assert_ok(anydnnSetShadow(handle, "bound=1e-5"));
    calls(handle, WRONG, 1);
    assert_int_equal(fixture_found(handle, "mismatches"), 1);
    assert_ok(anydnnDestroy(handle));
}

/* An input that an output overwrites is copied before the call. */
static void in_place(void **state)
{
    anydnnHandle_t handle = fixture_handle("cpu_ref");
    struct fixture_problem problem;

    (void)state;
    assert_ok(anydnnSetShadow(handle, "sample=all; budget=none"));
    fixture_problem_make(handle, "activation_forward x=f32:2,3,4,4 activation=tanh alias=y:x",
                         &problem);
    free(problem.data[1]);
    problem.data[1] = problem.data[0];
    for (int i = 0; i < 3; i++)
        assert_ok(fixture_problem_run(handle, &problem));
    problem.data[1] = NULL;
    fixture_problem_free(&problem);
    assert_int_equal(fixture_found(handle, "compared"), 3);
    assert_int_equal(fixture_found(handle, "mismatches"), 0);
    assert_ok(anydnnDestroy(handle));
}

/* ---- the effects */

static void an_error_comes_once(void **state)
{
    anydnnHandle_t handle = fixture_handle("faulty");
    struct fixture_problem problem;
    char sentence[2048];

    (void)state;
    assert_ok(anydnnSetShadow(handle, "sample=all; budget=none; on_mismatch=error"));
    fixture_problem_make(handle, WRONG, &problem);
    assert_ok(fixture_problem_run(handle, &problem));
    assert_int_equal(anydnnSynchronize(handle), ANYDNN_STATUS_EXECUTION_FAILED);
    anydnnGetLastErrorString(sentence, sizeof(sentence));
    assert_holds(sentence, "anydnnSynchronize: faulty, engine ");
    assert_holds(sentence, "y[0,0,0,0] is ");
    assert_ok(anydnnSynchronize(handle));
    assert_ok(fixture_problem_run(handle, &problem));
    assert_int_equal(fixture_problem_run(handle, &problem), ANYDNN_STATUS_EXECUTION_FAILED);
    assert_int_equal(fixture_found(handle, "mismatches"), 2);
    assert_ok(fixture_problem_run(handle, &problem));
    fixture_problem_free(&problem);
    assert_ok(anydnnDestroy(handle));
}

/* The recording holds two calls, and each replay finds two mismatches; the first one is
 * reported. */
static void a_replay_fails_for_the_one_before(void **state)
{
    anydnnHandle_t handle = fixture_handle("faulty");
    struct fixture_problem problem;
    anydnnRecording_t recording;
    char sentence[2048];

    (void)state;
    assert_ok(anydnnSetShadow(handle, "sample=all; budget=none; on_mismatch=error"));
    fixture_problem_make(handle, WRONG, &problem);
    assert_ok(anydnnRecordBegin(handle));
    assert_ok(fixture_problem_run(handle, &problem));
    assert_ok(fixture_problem_run(handle, &problem));
    assert_ok(anydnnRecordEnd(handle, &recording));
    for (int i = 0; i < 4; i++) {
        assert_ok(anydnnReplay(handle, recording));
        assert_int_equal(fixture_found(handle, "mismatches"), 2 * i + 2);
        assert_int_equal(anydnnReplay(handle, recording), ANYDNN_STATUS_EXECUTION_FAILED);
        anydnnGetLastErrorString(sentence, sizeof(sentence));
        assert_holds(sentence, "anydnnReplay: faulty, engine ");
        assert_holds(sentence, "y[0,0,0,0] is ");
        assert_int_equal(fixture_found(handle, "mismatches"), 2 * i + 2);
    }
    assert_ok(anydnnRecordingDestroy(handle, recording));
    fixture_problem_free(&problem);
    assert_ok(anydnnDestroy(handle));
}

/* The handle has no further call that could fail. */
static void the_last_mismatch_is_a_warning(void **state)
{
    anydnnHandle_t handle = fixture_handle("faulty");

    (void)state;
    assert_ok(anydnnSetShadow(handle, "sample=all; budget=none; on_mismatch=error"));
    fixture_run(handle, WRONG);
    fixture_warnings();
    assert_ok(anydnnDestroy(handle));
    assert_holds(fixture_warnings(), "anydnnDestroy: faulty, engine ");
}

static void plans_go_and_pins_stay(void **state)
{
    anydnnHandle_t handle = fixture_handle("cpu_ref");
    int64_t plans, pins, pins_then;

    (void)state;
    calls(handle, POOL, 1);
    assert_ok(anydnnGetDispatchInfoInt(handle, "pins", &pins));
    assert_ok(anydnnGetDispatchInfoInt(handle, "plans", &plans));
    assert_int_equal(pins, 1);
    assert_int_equal(plans, 1);
    assert_ok(anydnnSetShadow(handle, "sample=all"));
    assert_ok(anydnnGetDispatchInfoInt(handle, "pins", &pins_then));
    assert_ok(anydnnGetDispatchInfoInt(handle, "plans", &plans));
    assert_int_equal(pins_then, 1);
    assert_int_equal(plans, 0);
    assert_ok(anydnnDestroy(handle));
}

static void bad_texts(void **state)
{
    static const struct {
        const char *text;
        const char *says;
    } cases[] = {{"sample", "`sample` has no `=`"},
                 {"sample = some", "the value must be off, first, all, every:N or 1/N"},
                 {"smaple = all", "did you mean `sample`?"},
                 {"outputs = nan", "unknown key `outputs` in [shadow]"}};
    anydnnHandle_t handle = fixture_handle("cpu_ref");
    char sentence[2048];
    int64_t value;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(anydnnSetShadow(handle, cases[i].text), ANYDNN_STATUS_BAD_PARAM);
        anydnnGetLastErrorString(sentence, sizeof(sentence));
        assert_holds(sentence, "anydnnSetShadow: ");
        assert_holds(sentence, cases[i].says);
    }
    assert_int_equal(anydnnSetShadow(handle, NULL), ANYDNN_STATUS_BAD_PARAM);
    assert_int_equal(anydnnSetShadow(NULL, ""), ANYDNN_STATUS_NOT_INITIALIZED);
    assert_int_equal(anydnnSetCheck(handle, "outputs=big"), ANYDNN_STATUS_BAD_PARAM);
    assert_int_equal(anydnnSetTrace(handle, "file=calls"), ANYDNN_STATUS_BAD_PARAM);
    assert_int_equal(anydnnGetShadowInfoInt(handle, "cals", &value), ANYDNN_STATUS_BAD_PARAM);
    assert_int_equal(anydnnGetShadowInfoInt(handle, "worst_ratio", &value),
                     ANYDNN_STATUS_BAD_PARAM);
    assert_ok(anydnnSetShadow(handle, " ; "));
    assert_ok(anydnnDestroy(handle));
}

/* ---- the callers */

static void replays_are_shadowed(void **state)
{
    anydnnHandle_t handle = fixture_handle("faulty");
    struct fixture_problem problem;
    anydnnRecording_t recording;

    (void)state;
    assert_ok(anydnnSetShadow(handle, "sample=all; budget=none"));
    fixture_problem_make(handle, WRONG, &problem);
    assert_ok(anydnnRecordBegin(handle));
    assert_ok(fixture_problem_run(handle, &problem));
    assert_ok(anydnnRecordEnd(handle, &recording));
    assert_int_equal(fixture_found(handle, "calls"), 0);
    assert_ok(anydnnReplay(handle, recording));
    assert_ok(anydnnReplay(handle, recording));
    assert_int_equal(fixture_found(handle, "mismatches"), 2);
    /* The recording keeps its plan when shadow is switched off. */
    assert_ok(anydnnSetShadow(handle, "sample=off"));
    assert_ok(anydnnReplay(handle, recording));
    assert_int_equal(fixture_found(handle, "calls"), 2);
    assert_ok(anydnnRecordingDestroy(handle, recording));
    fixture_problem_free(&problem);
    assert_ok(anydnnDestroy(handle));
}

static void *run_thread(void *cookie)
{
    anydnnHandle_t handle = fixture_handle("faulty");

    assert_ok(anydnnSetShadow(handle, "sample=all; budget=none; on_mismatch=count"));
    calls(handle, WRONG, 20);
    *(int64_t *)cookie = fixture_found(handle, "mismatches");
    assert_ok(anydnnDestroy(handle));
    return NULL;
}

static void threads(void **state)
{
    pthread_t thread[4];
    int64_t found[4];

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_thread, &found[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 4; i++)
        assert_int_equal(found[i], 20);
}

static void a_child_goes_on(void **state)
{
    anydnnHandle_t handle = fixture_handle("cpu_ref");
    int status;
    pid_t child;

    (void)state;
    assert_ok(anydnnSetShadow(handle, "sample=all; budget=none"));
    calls(handle, POOL, 2);
    child = fork();
    if (child == 0) {
        calls(handle, POOL, 3);
        _exit(fixture_found(handle, "compared") == 5 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    calls(handle, POOL, 1);
    assert_int_equal(fixture_found(handle, "compared"), 3);
    assert_ok(anydnnDestroy(handle));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(off_finds_nothing),
        cmocka_unit_test(samples_what_was_asked),
        cmocka_unit_test(first_is_of_each_problem),
        cmocka_unit_test(caps_pass_calls_over),
        cmocka_unit_test(right_results_are_right),
        cmocka_unit_test(a_wrong_element_is_found),
        cmocka_unit_test(another_reference),
        cmocka_unit_test(another_bound),
        cmocka_unit_test(in_place),
        cmocka_unit_test(an_error_comes_once),
        cmocka_unit_test(a_replay_fails_for_the_one_before),
        cmocka_unit_test(the_last_mismatch_is_a_warning),
        cmocka_unit_test(plans_go_and_pins_stay),
        cmocka_unit_test(bad_texts),
        cmocka_unit_test(replays_are_shadowed),
        cmocka_unit_test(threads),
        cmocka_unit_test(a_child_goes_on),
    };

    return cmocka_run_group_tests(tests, fixture_group_setup, fixture_group_teardown);
}
