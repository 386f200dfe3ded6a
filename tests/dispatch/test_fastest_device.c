/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests `fastest` on a device: the stream for timing, what that stream waits for, spaces without
 * streams, and the device's part of a record's key.
 */
#include "tests/dispatch/searches.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "settings/settings.h"

#define APPLICATIONS ((void *)0x7f000)

static anydnnHandle_t handle;
static void *data;
static char path[4200];
static int files;

/* Prepares two engines on the device and a stream of the application. */
static void begin(const char *device, const char *backend)
{
    char route[80];

    snprintf(route, sizeof(route), "fastest, %s, fallback:off", backend);
    fixture_set(backend, "engine_count", "2");
    fixture_set(backend, "sleep_us", "3000 / 1000");
    handle = fixture_handle_on(device, route);
    assert_ok(anydnnSetStream(handle, APPLICATIONS));
    assert_ok(anydnnMemAlloc(handle, 4096, &data));
    fixture_log();
}

static anydnnStatus_t scale(void)
{
    const float factor = 2;

    return anydnnScaleTensor(handle, fixture_tensor("f32:2,3"), data, &factor);
}

static void end(void)
{
    assert_ok(anydnnMemFree(handle, data));
}

static void keep_in_file(void)
{
    char name[40];

    snprintf(name, sizeof(name), "device%d", files++);
    snprintf(path, sizeof(path), "%s", fixture_path(name));
    fixture_settings()->tuning = path;
}

/* Returns the first line at or after `from` that contains both texts; fails if there is none. */
static const char *line_of(const char *from, const char *one, const char *other)
{
    for (const char *line = from; line; line = strchr(line, '\n')) {
        char text[8192];

        line += *line == '\n';
        snprintf(text, sizeof(text), "%.*s", (int)strcspn(line, "\n"), line);
        if (text[0] != '\0' && strstr(text, one) && strstr(text, other))
            return line;
    }
    fail_msg("no line with `%s` and `%s` in: %s", one, other, from);
    return NULL;
}

/* Returns "KEY=VALUE" of a line. */
static const char *word_of(const char *line, const char *key)
{
    static char words[4][64];
    static int turn;
    char *word = words[turn++ % 4];
    const char *at = strstr(line, key);

    assert_non_null(at);
    snprintf(word, sizeof(words[0]), "%.*s", (int)strcspn(at, " \n"), at);
    return word;
}

/* ---- streams */

static void runs_are_on_a_stream_of_their_own(void **state)
{
    char application[40], own[64], mark[40];
    const char *log, *at;

    (void)state;
    begin("mockdev", "mock_device");
    snprintf(application, sizeof(application), "stream=0x%lx", (unsigned long)APPLICATIONS);
    assert_ok(scale());
    log = fixture_log();
    at = line_of(log, " stream_create", "number=");
    snprintf(own, sizeof(own), "%s", word_of(at, "stream=0x"));
    /* The own stream waits for the work on the application's stream before anything runs. */
    at = line_of(at, " mark_record", application);
    snprintf(mark, sizeof(mark), "%s", word_of(at, "mark="));
    at = line_of(at, " stream_wait", own);
    assert_string_equal(word_of(at, "mark="), mark);
    assert_int_equal(fixture_lines(log, " plan_execute", ""),
                     fixture_lines(at, " plan_execute", ""));
    /* All runs except the application's own use that stream, with everything that belongs to
     * them. */
    assert_true(fixture_lines(log, " plan_execute", own) >= 4);
    assert_int_equal(fixture_lines(log, " plan_execute", application), 1);
    /* One more mark queries whether the stream is captured. */
    assert_int_equal(fixture_lines(log, " mark_record", application), 2);
    assert_int_equal(fixture_lines(log, " memory_copy", application), 0);
    /* The stream is destroyed once the runs have ended. */
    at = line_of(line_of(at, " synchronize", own), " stream_destroy", own);
    assert_int_equal(fixture_lines(at, " plan_execute", own), 0);
    assert_int_equal(fixture_lines(at, " plan_execute", application), 1);
    assert_string_equal(fixture_record(handle, "notes"), "timed");
    assert_int_equal(fixture_number(handle, "engine"), 2);
    /* A hit creates no stream. */
    assert_ok(scale());
    assert_int_equal(fixture_lines(fixture_log(), " stream_create", ""), 0);
    end();
}

/* Find measures on the stream where the application's call will run. */
static void captures_make_no_stream(void **state)
{
    (void)state;
    begin("mockdev", "mock_device");
    fixture_set("mock_device", "captured", "yes");
    assert_ok(scale());
    assert_int_equal(fixture_lines(fixture_log(), " stream_create", ""), 0);
    fixture_set("mock_device", "captured", NULL);
    end();
}

/* If no stream is available, the order of the list decides and the call still runs. */
static void without_a_stream_to_be_had(void **state)
{
    static const char *const what[] = {"stream_create", "stream_wait"};

    (void)state;
    for (size_t i = 0; i < sizeof(what) / sizeof(what[0]); i++) {
        const char *log;

        begin("mockdev", "mock_device");
        fixture_set("mock_device", "fail_space", what[i]);
        assert_ok(scale());
        log = fixture_log();
        assert_int_equal(fixture_lines(log, " plan_execute", ""), 1);
        assert_int_equal(fixture_lines(log, " stream_destroy", ""),
                         fixture_lines(log, " stream_create", "answer=0"));
        assert_int_equal(fixture_number(handle, "engine"), 1);
        assert_string_equal(fixture_record(handle, "notes"), "");
        fixture_set("mock_device", "fail_space", NULL);
        end();
    }
}

/* ---- operands and runs */

/* Returns the next line after `from` that contains both texts, or NULL. */
static const char *next_line(const char *from, const char *one, const char *other)
{
    const char *at = strchr(from, '\n');

    return at && fixture_lines(at, one, other) > 0 ? line_of(at, one, other) : NULL;
}

/* Counts the runs on the search's own stream; each must use the set after that of the previous
 * run. */
static int distinct_runs(const char *log, uintptr_t stride)
{
    char own[64];
    uintptr_t before = 0;
    int runs = 0;

    snprintf(own, sizeof(own), "%s", word_of(line_of(log, " stream_create", ""), "stream=0x"));
    for (const char *at = line_of(log, " plan_execute", own); at;
         at = next_line(at, " plan_execute", own)) {
        uintptr_t place = strtoul(word_of(at, "d0=") + strlen("d0="), NULL, 16);

        assert_true(runs == 0 || place == before + stride);
        before = place;
        runs++;
    }
    return runs;
}

/* The smallest operands get 1024 sets. */
static void each_run_has_operands_of_its_own(void **state)
{
    const char *log;

    (void)state;
    begin("mockdev", "mock_device");
    assert_ok(scale());
    log = fixture_log();
    line_of(log, " memory_alloc", " bytes=261912 ");
    assert_true(distinct_runs(log, 256) >= 8);
    end();
}

/* All sets together fill 256 MiB, which holds twelve sets of 24,000,000 bytes. */
static void large_operands_have_few_sets(void **state)
{
    const float factor = 2;
    const char *log;

    (void)state;
    begin("mockdev", "mock_device");
    fixture_set("mock_device", "memory", "30000000");
    assert_ok(anydnnScaleTensor(handle, fixture_tensor("f32:1,1,1,6000000"), data, &factor));
    log = fixture_log();
    line_of(line_of(log, " memory_alloc", " bytes=288000000 "), " memory_alloc",
            " bytes=24000000 ");
    assert_true(distinct_runs(log, 0) >= 8);
    assert_int_equal(fixture_number(handle, "engine"), 2);
    fixture_set("mock_device", "memory", NULL);
    end();
}

/* If memory does not suffice for all sets, the search uses fewer. */
static void fewer_sets_where_memory_is_short(void **state)
{
    const char *log, *at;

    (void)state;
    begin("mockdev", "mock_device");
    fixture_set("mock_device", "memory", "200000");
    assert_ok(scale());
    log = fixture_log();
    at = line_of(log, " memory_alloc", " bytes=261912 ");
    line_of(at, " memory_alloc", " bytes=130840 ");
    assert_true(distinct_runs(log, 256) >= 8);
    assert_string_equal(fixture_record(handle, "notes"), "timed");
    fixture_set("mock_device", "memory", NULL);
    end();
}

/* x has memory for 1024 sets, y of 600 bytes only for 256. Then x also uses 256, and its first
 * block is freed. */
static void sets_are_as_many_for_all(void **state)
{
    const float alpha = 1, beta = 1;
    const char *log, *at;

    (void)state;
    begin("mockdev", "mock_device");
    fixture_set("mock_device", "memory", "300000");
    assert_ok(anydnnAddTensor(handle, &alpha, fixture_tensor("f32:1,3"), data, &beta,
                              fixture_tensor("f32:50,3"), (char *)data + 1024));
    log = fixture_log();
    at = line_of(log, " memory_alloc", " bytes=261900 ");
    at = line_of(at, " memory_alloc", " bytes=65292 ");
    at = line_of(at, " memory_alloc", " bytes=196440 ");
    assert_int_equal(fixture_lines(at, " memory_alloc", ""), 1);
    assert_int_equal(fixture_lines(log, " memory_free", ""),
                     fixture_lines(log, " memory_alloc", "answer=0"));
    fixture_set("mock_device", "memory", NULL);
    end();
}

/* Four runs of 300 us take longer than a millisecond. */
static void short_runs_follow_each_other(void **state)
{
    const char *log, *at, *mark;
    char own[64];
    int most = 0;

    (void)state;
    begin("mockdev", "mock_device");
    fixture_set("mock_device", "sleep_us", "3000 / 300");
    assert_ok(scale());
    log = fixture_log();
    snprintf(own, sizeof(own), "%s", word_of(line_of(log, " stream_create", ""), "stream=0x"));
    for (at = line_of(log, " mark_record", own); at; at = mark) {
        mark = next_line(at, " mark_record", own);
        if (mark) {
            int runs =
                fixture_lines(at, " plan_execute", own) - fixture_lines(mark, " plan_execute", own);

            most = runs > most ? runs : most;
        }
    }
    assert_int_equal(most, 4);
    end();
}

/* The space behaves like backends written before the stream functions existed. */
static void a_space_without_streams(void **state)
{
    const char *log;
    char application[40];

    (void)state;
    snprintf(application, sizeof(application), "stream=0x%lx", (unsigned long)APPLICATIONS);
    begin("mockfar", "mock_far");
    assert_ok(scale());
    log = fixture_log();
    assert_int_equal(fixture_lines(log, " stream_", ""), 0);
    assert_true(fixture_lines(log, " plan_execute", application) >= 5);
    assert_int_equal(fixture_number(handle, "engine"), 2);
    assert_string_equal(fixture_record(handle, "notes"), "timed");
    end();
}

/* ---- one contest at a time per device */

struct caller {
    pthread_t thread;
    anydnnHandle_t handle;
    void *data;
    anydnnTensorDescriptor_t y;
    anydnnStatus_t status;
};

static void *call(void *cookie)
{
    struct caller *caller = cookie;
    const float factor = 2;

    caller->status = anydnnScaleTensor(caller->handle, caller->y, caller->data, &factor);
    return NULL;
}

/* Threads that waited use the result of the thread that timed. */
static void threads_on_one_device(void **state)
{
    enum { THREADS = 6 };
    struct caller callers[THREADS];
    const char *log;

    (void)state;
    keep_in_file();
    for (int i = 0; i < THREADS; i++) {
        begin("mockdev", "mock_device");
        callers[i].handle = handle;
        callers[i].data = data;
        callers[i].y = fixture_tensor("f32:2,3");
    }
    fixture_log();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&callers[i].thread, NULL, call, &callers[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(callers[i].thread, NULL);
        assert_ok(callers[i].status);
    }
    log = fixture_log();
    assert_int_equal(fixture_lines(log, " stream_create", ""), 1);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(fixture_number(callers[i].handle, "engine"), 2);
        assert_ok(anydnnMemFree(callers[i].handle, callers[i].data));
    }
}

/* ---- the key of a record */

static int is_timed(void)
{
    int timed;

    begin("mockdev", "mock_device");
    assert_ok(scale());
    timed = fixture_lines(fixture_log(), " plan_execute", "") > 1;
    end();
    return timed;
}

static void a_record_is_for_devices_alike(void **state)
{
    char text[4096] = "";
    FILE *file;

    (void)state;
    keep_in_file();
    assert_true(is_timed());
    assert_false(is_timed());
    fixture_set("mock_device", "multiprocessors", "2");
    assert_true(is_timed());
    assert_false(is_timed());
    fixture_set("mock_device", "driver", "1.1");
    assert_true(is_timed());
    fixture_set("mock_device", "multiprocessors", NULL);
    fixture_set("mock_device", "driver", NULL);
    assert_false(is_timed());
    file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
    fclose(file);
    assert_holds(text, "\tmock device, 4 multiprocessors, driver 1.0\t");
    assert_holds(text, "\tmock device, 2 multiprocessors, driver 1.1\t");
}

/* A space without identities puts the name of its device into the key. */
static void a_space_without_identities(void **state)
{
    char text[4096] = "";
    FILE *file;

    (void)state;
    keep_in_file();
    begin("mockfar", "mock_far");
    assert_ok(scale());
    end();
    file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
    fclose(file);
    assert_holds(text, "\tmock device 0\t");
}

/* Runs one staged call on the far space, so that its devices exist. */
static int group_setup(void **state)
{
    const float factor = 2;
    int status = search_group_setup(state);

    if (status != 0 || fixture_setup(state) != 0)
        return -1;
    fixture_set("mock_far", "space", "old");
    (void)anydnnScaleTensor(fixture_handle("mock_far, fallback:off"), fixture_tensor("f32:2,3"),
                            fixture_data(0), &factor);
    return fixture_teardown(state);
}

static int group_teardown(void **state)
{
    for (int i = 0; i < files; i++) {
        char name[40];

        snprintf(name, sizeof(name), "device%d", i);
        unlink(fixture_path(name));
    }
    return fixture_group_teardown(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(runs_are_on_a_stream_of_their_own), TEST(captures_make_no_stream),
        TEST(without_a_stream_to_be_had),        TEST(a_space_without_streams),
        TEST(each_run_has_operands_of_its_own),  TEST(large_operands_have_few_sets),
        TEST(fewer_sets_where_memory_is_short),  TEST(sets_are_as_many_for_all),
        TEST(short_runs_follow_each_other),      TEST(threads_on_one_device),
        TEST(a_record_is_for_devices_alike),     TEST(a_space_without_identities),
    };

    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
