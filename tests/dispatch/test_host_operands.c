/* SPDX-License-Identifier: Apache-2.0 */
/* Tests operands in host memory: the labels and lengths of the CTC loss. A backend of any space
 * receives the application's pointers, after the library checked their values. */
#include "tests/dispatch/fixture.h"

#include <stdio.h>
#include <string.h>

#define PROBLEM "ctc_loss x=f32:5,2,4 labels=s32:3 gradients=f32:5,2,4"

/* The arguments of a call for two sequences. */
struct call {
    anydnnHandle_t handle;
    anydnnTensorDescriptor_t probs;
    anydnnCTCLossDescriptor_t loss;
    int labels[4];
    int label_lengths[2];
    int input_lengths[2];
    void *memory[3]; /* probs, costs, gradients */
};

static void make(struct call *call, anydnnHandle_t handle)
{
    *call = (struct call){.handle = handle,
                          .labels = {3, 1, 2, 1},
                          .label_lengths = {2, 1},
                          .input_lengths = {5, 4},
                          .memory = {fixture_data(0), fixture_data(1), fixture_data(2)}};
    call->probs = fixture_tensor("f32:5,2,4");
    assert_ok(anydnnCreateCTCLossDescriptor(&call->loss));
    assert_ok(anydnnSetCTCLossDescriptor(call->loss, ANYDNN_DATA_FLOAT));
}

static anydnnStatus_t run(const struct call *call)
{
    return anydnnCTCLoss(call->handle, call->probs, call->memory[0], call->labels,
                         call->label_lengths, call->input_lengths, call->memory[1], call->probs,
                         call->memory[2], ANYDNN_CTC_LOSS_ALGO_DETERMINISTIC, call->loss, NULL, 0);
}

/* Checks that the backend received exactly these three pointers. The number of labels equals the
 * problem's capacity, so nothing is copied. */
static void assert_handed(const struct call *call)
{
    char words[120];

    snprintf(words, sizeof(words), " d1=%p d2=%p d3=%p ", (const void *)call->labels,
             (const void *)call->label_lengths, (const void *)call->input_lengths);
    assert_int_equal(fixture_lines(fixture_log(), "plan_execute", words), 1);
}

static void a_staged_call_copies_the_others(void **state)
{
    struct call call;
    const char *log;

    (void)state;
    make(&call, fixture_handle("mock_device"));
    fixture_log();
    assert_ok(run(&call));
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "memory_copy", " kind=1"), 1); /* x */
    assert_int_equal(fixture_lines(log, "memory_copy", " kind=2"), 2); /* costs, gradients */
    call.label_lengths[0] = 3;
    assert_ok(run(&call));
    assert_handed(&call);
    assert_ok(anydnnDestroyCTCLossDescriptor(call.loss));
}

static void a_device_takes_host_pointers_there_alone(void **state)
{
    anydnnHandle_t handle = fixture_handle_on("mockdev", "mock_device");
    struct call call;

    (void)state;
    make(&call, handle);
    assert_fails(run(&call), ANYDNN_STATUS_BAD_PARAM, "operand x (0x");
    for (int i = 0; i < 3; i++)
        assert_ok(anydnnMemAlloc(handle, 256, &call.memory[i]));
    call.label_lengths[0] = 3;
    fixture_log();
    assert_ok(run(&call));
    assert_handed(&call);
    for (int i = 0; i < 3; i++)
        assert_ok(anydnnMemFree(handle, call.memory[i]));
    assert_ok(anydnnDestroyCTCLossDescriptor(call.loss));
}

/* Each case changes one number of a valid call and gives the words of the refusal; the text form
 * must behave alike. */
static void values_are_held_to_the_rules(void **state)
{
    static const struct {
        const char *list;
        int index;
        int value;
        const char *words;
    } cases[] = {
        {"labels", 0, 0, "labels[0] is 0; it must be 1 to 3 (0 is the blank)"},
        {"labels", 2, 4, "labels[2] is 4; it must be 1 to 3"},
        {"labels", 1, -1, "labels[1] is -1; it must be 1 to 3"},
        {"label_lengths", 1, -1, "labelLengths[1] is -1; it must be at least 0"},
        {"input_lengths", 0, 6, "inputLengths[0] is 6; it must be 0 to 5"},
        {"input_lengths", 1, -2, "inputLengths[1] is -2; it must be 0 to 5"},
    };
    anydnnProblem_t problem = NULL;
    struct call call;

    (void)state;
    make(&call, fixture_handle("mock_a"));
    assert_ok(anydnnProblemParse(PROBLEM, &problem));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int *list = strcmp(cases[i].list, "labels") == 0          ? call.labels
                    : strcmp(cases[i].list, "label_lengths") == 0 ? call.label_lengths
                                                                  : call.input_lengths;
        void *pointers[] = {call.memory[0],     call.labels,    call.label_lengths,
                            call.input_lengths, call.memory[1], call.memory[2]};
        int before = list[cases[i].index];

        list[cases[i].index] = cases[i].value;
        fixture_log();
        assert_fails(run(&call), ANYDNN_STATUS_BAD_PARAM, "anydnnCTCLoss: ");
        assert_holds(fixture_error(), cases[i].words);
        assert_fails(anydnnProblemExecute(call.handle, problem, pointers, NULL, 0),
                     ANYDNN_STATUS_BAD_PARAM, cases[i].words);
        assert_int_equal(fixture_lines(fixture_log(), "plan_", ""), 0);
        list[cases[i].index] = before;
    }
    call.label_lengths[0] = 3;
    assert_fails(
        anydnnProblemExecute(call.handle, problem,
                             (void *[]){call.memory[0], call.labels, call.label_lengths,
                                        call.input_lengths, call.memory[1], call.memory[2]},
                             NULL, 0),
        ANYDNN_STATUS_BAD_PARAM, "labelLengths add up to 4 labels, but there are 3");
    assert_ok(anydnnProblemDestroy(problem));
    assert_ok(anydnnDestroyCTCLossDescriptor(call.loss));
}

/* Label counts with the same next power of two are one problem: 3 and 4 share a plan. For 3
 * labels the backend receives a copy of 4. */
static void a_plan_is_of_a_number_of_labels(void **state)
{
    static const int lengths[][2] = {{2, 1}, {0, 3}, {3, 1}, {4, 0}};
    struct call call;
    char words[40];
    const char *log;

    (void)state;
    make(&call, fixture_handle("mock_a"));
    snprintf(words, sizeof(words), " d1=%p ", (const void *)call.labels);
    fixture_log();
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        memcpy(call.label_lengths, lengths[i], sizeof(lengths[i]));
        assert_ok(run(&call));
    }
    log = fixture_log();
    assert_int_equal(fixture_lines(log, "plan_create", ""), 1);
    assert_int_equal(fixture_lines(log, "plan_create", " t1=s32:4:1"), 1);
    assert_int_equal(fixture_lines(log, "plan_execute", words), 2);
    call.label_lengths[0] = 2;
    assert_ok(run(&call));
    assert_int_equal(fixture_lines(fixture_log(), "plan_create", " t1=s32:2:1"), 1);
    assert_ok(anydnnDestroyCTCLossDescriptor(call.loss));
}

/* If there are no labels, the list may be NULL. */
static void no_labels_at_all(void **state)
{
    struct call call;

    (void)state;
    make(&call, fixture_handle("mock_a"));
    call.label_lengths[0] = call.label_lengths[1] = 0;
    fixture_log();
    assert_ok(anydnnCTCLoss(call.handle, call.probs, call.memory[0], NULL, call.label_lengths,
                            call.input_lengths, call.memory[1], NULL, NULL,
                            ANYDNN_CTC_LOSS_ALGO_DETERMINISTIC, call.loss, NULL, 0));
    assert_int_equal(fixture_lines(fixture_log(), "plan_execute", " d1=0x0"), 0);
    assert_ok(anydnnDestroyCTCLossDescriptor(call.loss));
}

static void a_problem_tells_host_operands(void **state)
{
    static const int wanted[] = {0, 1, 1, 1, 0, 0};
    anydnnProblem_t problem = NULL;
    int host = -1;

    (void)state;
    assert_ok(anydnnProblemParse(PROBLEM, &problem));
    for (int i = 0; i < 6; i++) {
        assert_ok(anydnnProblemGetOperandHost(problem, i, &host));
        assert_int_equal(host, wanted[i]);
    }
    assert_fails(anydnnProblemGetOperandHost(problem, 6, &host), ANYDNN_STATUS_BAD_PARAM,
                 "index 6 is out of range; the problem has 6 operands");
    assert_fails(anydnnProblemGetOperandHost(problem, -1, &host), ANYDNN_STATUS_BAD_PARAM,
                 "index -1 is out of range");
    assert_fails(anydnnProblemGetOperandHost(problem, 0, NULL), ANYDNN_STATUS_BAD_PARAM,
                 "host is NULL");
    assert_fails(anydnnProblemGetOperandHost(NULL, 0, &host), ANYDNN_STATUS_BAD_PARAM,
                 "the problem is NULL");
    assert_ok(anydnnProblemDestroy(problem));
}

#define host_test(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        host_test(a_staged_call_copies_the_others),
        host_test(a_device_takes_host_pointers_there_alone),
        host_test(values_are_held_to_the_rules),
        host_test(a_plan_is_of_a_number_of_labels),
        host_test(no_labels_at_all),
        host_test(a_problem_tells_host_operands),
    };

    return cmocka_run_group_tests_name("host operands", tests, fixture_group_setup,
                                       fixture_group_teardown);
}
