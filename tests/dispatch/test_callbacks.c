/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests what a receiver of messages may do (anydnnCallback_t). It may wait for another thread
 * that uses the library, whatever sent the message, and may make any call itself. Each case runs
 * in its own process, since the first handle of a process reads the settings.
 */
#include "tests/dispatch/fixture.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/must.h"

/* The seconds that a receiver waits for its thread, and the limit of a case. */
#define PATIENCE 20
#define LIMIT    60

#define ALL     (ANYDNN_SEV_ERROR_EN | ANYDNN_SEV_WARNING_EN | ANYDNN_SEV_INFO_EN)
#define OK      ANYDNN_STATUS_SUCCESS
#define FASTEST "fastest, mock_a, mock_b"

struct scene {
    const char *anydnn_keys, *mock_a_keys;
    const char *route;   /* NULL: as configured */
    const char *awaited; /* a part of the message */
};

static const struct scene *scene;
static atomic_int heard;

/* ---- one use of the library, from its first handle to the last */

struct use {
    anydnnHandle_t handle;
    anydnnTensorDescriptor_t desc;
    float data[2][64];
};

static void use_begin(struct use *use)
{
    must_be(OK, anydnnCreateOnDevice(&use->handle, "cpu"));
    if (scene->route)
        must_be(OK, anydnnSetRoute(use->handle, "*", NULL, scene->route));
    must_be(OK, anydnnCreateTensorDescriptor(&use->desc));
    must_be(OK, anydnnSetTensor4dDescriptor(use->desc, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 2, 3,
                                            1, 1));
    memset(use->data, 0, sizeof(use->data));
    use->data[0][0] = NAN;
}

static anydnnStatus_t use_run(struct use *use)
{
    const float one = 1, zero = 0;

    return anydnnSoftmaxForward(use->handle, ANYDNN_SOFTMAX_ACCURATE, ANYDNN_SOFTMAX_MODE_CHANNEL,
                                &one, use->desc, use->data[0], &zero, use->desc, use->data[1]);
}

static void use_end(struct use *use)
{
    must_be(OK, anydnnDestroyTensorDescriptor(use->desc));
    must_be(OK, anydnnDestroy(use->handle));
}

static void *use_library(void *nothing)
{
    struct use use;

    use_begin(&use);
    must_be(OK, use_run(&use));
    use_end(&use);
    return nothing;
}

/* ---- a receiver that waits for a thread */

static void wait_for_a_thread(anydnnSeverity_t severity, void *user, const anydnnDebug_t *debug,
                              const char *message)
{
    struct timespec until;
    pthread_t thread;

    (void)severity;
    (void)user;
    (void)debug;
    if (!strstr(message, scene->awaited) || atomic_fetch_add(&heard, 1) > 0)
        return;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE;
    must(pthread_create(&thread, NULL, use_library, NULL) == 0);
    must(pthread_timedjoin_np(thread, NULL, &until) == 0);
}

static void play(void)
{
    fixture_configure(scene->anydnn_keys, scene->mock_a_keys);
    must_be(OK, anydnnSetCallback(ALL, NULL, wait_for_a_thread));
    use_library(NULL);
    must(heard > 0);
}

static void assert_plays(const char *anydnn_keys, const char *mock_a_keys, const char *route,
                         const char *awaited)
{
    const struct scene now = {anydnn_keys, mock_a_keys, route, awaited};

    scene = &now;
    assert_int_equal(must_child(play, LIMIT), 0);
}

static void settings_warn(void **state)
{
    (void)state;
    assert_plays("schema = 99\nno_such_key = 1", "", NULL, "no_such_key");
}

static void a_backend_logs_as_it_is_opened(void **state)
{
    (void)state;
    assert_plays("", "set.says = main", NULL, "mock_a main");
}

static void a_backend_is_opened(void **state)
{
    (void)state;
    assert_plays("", "", NULL, "backend mock_a 1.0 opened");
    assert_plays("", "set.no_such_key = 1", NULL, "no_such_key");
    assert_plays("", "module = /dev/null", "mock_b", "mock_a is not available");
}

static void a_trace_cannot_be_written(void **state)
{
    (void)state;
    assert_plays("[trace]\nfile = /dev/full", "", NULL, "tracing is off");
}

static void a_tuning_file_is_none(void **state)
{
    char keys[5000];

    (void)state;
    snprintf(keys, sizeof(keys), "tuning = %s", fixture_path("anydnn.conf"));
    assert_plays(keys, "", FASTEST, "does not begin like a tuning file");
}

static void candidates_are_timed(void **state)
{
    (void)state;
    assert_plays("", "", FASTEST, " engine ");
}

static void a_backend_logs_under_its_lock(void **state)
{
    static const char *const verbs[] = {"context_create", "candidates",   "plan_create",
                                        "plan_execute",   "plan_destroy", "context_destroy"};

    (void)state;
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
        char keys[60];

        snprintf(keys, sizeof(keys), "set.says = %s", verbs[i]);
        assert_plays("", keys, NULL, verbs[i]);
    }
}

static void a_call_falls_back(void **state)
{
    (void)state;
    assert_plays("fallback = warn", "set.decline = softmax_*", NULL, "fell back to mock_b");
}

static void outputs_are_looked_through(void **state)
{
    (void)state;
    assert_plays("[check]\noutputs = nan", "", "cpu_ref", "NaN");
}

/* ---- a receiver that calls the library */

static struct use inner, outer;
static void (*call)(void);

static void call_library(anydnnSeverity_t severity, void *user, const anydnnDebug_t *debug,
                         const char *message)
{
    (void)severity;
    (void)user;
    (void)debug;
    if (strstr(message, scene->awaited) && atomic_fetch_add(&heard, 1) == 0)
        call();
}

/* Overwrites freed memory, so that a use after free becomes visible. */
static void spoil_free_memory(void)
{
    for (size_t size = 16; size <= 65536; size += size < 4096 ? 16 : 4096) {
        void *block = malloc(size);

        must(block);
        memset(block, 0xa5, size);
        free(block);
    }
}

static void destroy_the_call(void)
{
    use_end(&outer);
    spoil_free_memory();
}

static void use_the_handle(void)
{
    anydnnRecording_t recording;
    char text[100];

    must_be(OK, use_run(&outer));
    must_be(OK, anydnnRecordBegin(outer.handle));
    must_be(OK, use_run(&outer));
    must_be(OK, anydnnRecordEnd(outer.handle, &recording));
    must_be(OK, anydnnReplay(outer.handle, recording));
    must_be(OK, anydnnRecordingDestroy(outer.handle, recording));
    must_be(OK, anydnnGetDispatchInfo(outer.handle, "backend", text, sizeof(text)));
    must_be(OK, anydnnSetRoute(outer.handle, "*", NULL, "mock_b"));
    must_be(OK, anydnnSetDeterministic(outer.handle, 0));
    must_be(OK, anydnnSynchronize(outer.handle));
    must_be(OK, use_run(&outer));
}

static void use_another_handle(void)
{
    use_begin(&inner);
    must_be(OK, use_run(&inner));
    use_end(&inner);
}

static void set_another_receiver(void)
{
    anydnnCallback_t function;
    unsigned mask;
    void *user;

    must_be(OK, anydnnSetCallback(0, NULL, NULL));
    must_be(OK, anydnnSetCallback(ALL, &mask, call_library));
    must_be(OK, anydnnGetCallback(&mask, &user, &function));
    must(user == &mask && function == call_library);
}

static void fail_a_call(void)
{
    must(anydnnGetStream(NULL, NULL) != OK);
}

static void run_once(void)
{
    fixture_configure(scene->anydnn_keys, scene->mock_a_keys);
    must_be(OK, anydnnSetCallback(ALL, NULL, call_library));
    use_begin(&outer);
    must_be(OK, use_run(&outer));
    must(heard > 0);
}

static void assert_may(void (*what)(void), const char *says)
{
    char keys[60];
    const struct scene now = {"", keys, NULL, says};

    snprintf(keys, sizeof(keys), "set.says = %s", says);
    scene = &now;
    call = what;
    assert_int_equal(must_child(run_once, LIMIT), 0);
}

static void it_may_call_whatever_it_likes(void **state)
{
    static void (*const calls[])(void) = {use_the_handle, use_another_handle, set_another_receiver,
                                          fail_a_call};
    static const char *const verbs[] = {"candidates", "plan_create", "plan_execute"};

    (void)state;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        for (size_t verb = 0; verb < sizeof(verbs) / sizeof(verbs[0]); verb++)
            assert_may(calls[i], verbs[verb]);
}

static void it_may_destroy_what_the_call_uses(void **state)
{
    (void)state;
    assert_may(destroy_the_call, "candidates");
    assert_may(destroy_the_call, "plan_create");
    assert_may(destroy_the_call, "plan_execute");
}

/* The objects that a receiver destroys: the problem during its own execution, the recording during
 * its own replay. */
static anydnnProblem_t problem;
static anydnnRecording_t recording;

static void destroy_the_problem(void)
{
    must_be(OK, anydnnProblemDestroy(problem));
    must_be(OK, anydnnDestroy(outer.handle));
    spoil_free_memory();
}

static void destroy_the_recording(void)
{
    must_be(OK, anydnnRecordingDestroy(outer.handle, recording));
    use_end(&outer);
    spoil_free_memory();
}

static void run_problem(void)
{
    void *pointers[2] = {outer.data[0], outer.data[1]};

    fixture_configure(scene->anydnn_keys, scene->mock_a_keys);
    must_be(OK, anydnnSetCallback(ALL, NULL, call_library));
    must_be(OK, anydnnCreateOnDevice(&outer.handle, "cpu"));
    must_be(OK, anydnnProblemParse("softmax_forward x=f32:2,3,1,1", &problem));
    must_be(OK, anydnnProblemExecute(outer.handle, problem, pointers, NULL, 0));
    must(heard > 0);
}

static void replay(void)
{
    fixture_configure(scene->anydnn_keys, scene->mock_a_keys);
    must_be(OK, anydnnSetCallback(ALL, NULL, call_library));
    use_begin(&outer);
    must_be(OK, anydnnRecordBegin(outer.handle));
    must_be(OK, use_run(&outer));
    must_be(OK, anydnnRecordEnd(outer.handle, &recording));
    must_be(OK, anydnnReplay(outer.handle, recording));
    must(heard > 0);
}

static void it_may_destroy_objects_in_use(void **state)
{
    const struct scene now = {"", "set.says = plan_execute", NULL, "plan_execute"};

    (void)state;
    scene = &now;
    call = destroy_the_problem;
    assert_int_equal(must_child(run_problem, LIMIT), 0);
    call = destroy_the_recording;
    assert_int_equal(must_child(replay, LIMIT), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_warn),
        cmocka_unit_test(a_backend_logs_as_it_is_opened),
        cmocka_unit_test(a_backend_is_opened),
        cmocka_unit_test(a_trace_cannot_be_written),
        cmocka_unit_test(a_tuning_file_is_none),
        cmocka_unit_test(candidates_are_timed),
        cmocka_unit_test(a_backend_logs_under_its_lock),
        cmocka_unit_test(a_call_falls_back),
        cmocka_unit_test(outputs_are_looked_through),
        cmocka_unit_test(it_may_call_whatever_it_likes),
        cmocka_unit_test(it_may_destroy_what_the_call_uses),
        cmocka_unit_test(it_may_destroy_objects_in_use),
    };

    return cmocka_run_group_tests_name("callbacks", tests, fixture_group_setup,
                                       fixture_group_teardown);
}
