/* SPDX-License-Identifier: Apache-2.0 */
/* Tests traces. Every call in every thread and process gets a complete line, the file belongs to
 * the user, and disabled traces have no effect. */
#include "tests/dispatch/fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dispatch/handle/handle.h"
#include "settings/settings.h"

#define THREADS 8
#define CALLS   200

static const float one = 1, zero = 0;

/* ---- the file */

static char path[512];
static char *before;

/* Gives each test its own file, since an opened file stays open. */
static int setup(void **state)
{
    static int number;
    char name[32];
    int code = fixture_setup(state);

    snprintf(name, sizeof(name), "trace%d", number++);
    snprintf(path, sizeof(path), "%s", fixture_path(name));
    before = fixture_settings()->trace_file;
    fixture_settings()->trace_file = path;
    return code;
}

static int teardown(void **state)
{
    fixture_settings()->trace_file = before;
    return fixture_teardown(state);
}

static char *content(const char *file)
{
    FILE *stream = fopen(file, "r");
    struct stat status;
    char *text;
    size_t length;

    /* A child may write megabytes before it is killed on a busy machine. */
    assert_non_null(stream);
    assert_int_equal(fstat(fileno(stream), &status), 0);
    text = malloc((size_t)status.st_size + 1);
    assert_non_null(text);
    length = fread(text, 1, (size_t)status.st_size, stream);
    text[length] = '\0';
    fclose(stream);
    return text;
}

/* Counts the lines of calls, each of which must be complete. */
static int whole_lines(const char *file)
{
    char *text = content(file);
    int count = 0;

    for (char *line = text, *end; *line != '\0'; line = end + 1) {
        int tabs = 0;

        end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0';
        if (line[0] == '#')
            continue;
        for (const char *c = line; *c != '\0'; c++)
            tabs += *c == '\t';
        assert_int_equal(tabs, 8);
        assert_memory_equal(line, "softmax_forward x=f32:", 22);
        assert_string_equal(end - 3, "\tok");
        count++;
    }
    free(text);
    return count;
}

/* ---- calls */

static anydnnStatus_t softmax(anydnnHandle_t handle, anydnnTensorDescriptor_t desc,
                              const float *beta)
{
    return anydnnSoftmaxForward(handle, ANYDNN_SOFTMAX_ACCURATE, ANYDNN_SOFTMAX_MODE_CHANNEL, &one,
                                desc, fixture_data(0), beta, desc, fixture_data(1));
}

static void line_tells_the_call(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_b");
    anydnnTensorDescriptor_t desc = fixture_tensor("f32:2,3");
    const float half = 0.5F;
    struct stat status;
    char *text;

    (void)state;
    assert_ok(softmax(handle, desc, &zero));
    assert_ok(softmax(handle, desc, &half));
    text = content(path);
    assert_holds(text, "# anydnn trace 1: problem, backend");
    assert_holds(text, "softmax_forward x=f32:2,3:nchw y=f32:2,3:nchw ");
    assert_holds(text, "\tmock_b\t");
    assert_holds(text, "\tdefault\t");
    assert_holds(text, " beta=0.5\tmock_b\t");
    free(text);
    assert_int_equal(whole_lines(path), 2);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
}

static void failed_calls_are_told(void **state)
{
    anydnnHandle_t handle = fixture_handle("mock_a, mock_b");
    char *text;

    (void)state;
    fixture_set("mock_a", "execute", "none");
    assert_ok(softmax(handle, fixture_tensor("f32:2,3"), &zero));
    text = content(path);
    assert_int_equal(fixture_lines(text, "\tmock_a\t", "\tfailed(8)"), 1);
    assert_int_equal(fixture_lines(text, "\tmock_b\t", "\tok"), 1);
    free(text);
}

/* Plans without a hook run the backend's own function. */
static void off_changes_no_plan(void **state)
{
    anydnnHandle_t handle;

    (void)state;
    fixture_settings()->trace_file = before;
    handle = fixture_handle("mock_b");
    assert_ok(softmax(handle, fixture_tensor("f32:2,3"), &zero));
    assert_null(handle->last.plan->wraps);
    assert_ptr_equal(handle->last.plan->body, handle->last.plan->made);
    assert_int_not_equal(access(path, F_OK), 0);
}

/* ---- threads and processes */

struct caller {
    pthread_t thread;
    anydnnHandle_t handle;
    anydnnTensorDescriptor_t desc;
    anydnnStatus_t status;
};

static void *call_often(void *cookie)
{
    struct caller *caller = cookie;

    for (int i = 0; i < CALLS && caller->status == ANYDNN_STATUS_SUCCESS; i++)
        caller->status = softmax(caller->handle, caller->desc, &zero);
    return NULL;
}

static void threads_write_whole_lines(void **state)
{
    struct caller caller[THREADS] = {{0}};

    (void)state;
    for (int i = 0; i < THREADS; i++) {
        caller[i].handle = fixture_handle("mock_b");
        caller[i].desc = fixture_tensor("f32:2,3");
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&caller[i].thread, NULL, call_often, &caller[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(caller[i].thread, NULL);
        assert_int_equal(caller[i].status, ANYDNN_STATUS_SUCCESS);
    }
    assert_int_equal(whole_lines(path), THREADS * CALLS);
}

/* The child appends to the same file; if killed, it leaves complete lines. */
static void child_writes_whole_lines(void **state)
{
    anydnnHandle_t handle = fixture_handle("cpu_ref");
    anydnnTensorDescriptor_t desc = fixture_tensor("f32:2,3");
    int lines;
    pid_t child;

    (void)state;
    assert_ok(softmax(handle, desc, &zero));
    child = fork();
    if (child == 0)
        for (;;)
            softmax(handle, desc, &zero);
    for (int i = 0; i < 50; i++)
        assert_ok(softmax(handle, desc, &zero));
    usleep(50000);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    lines = whole_lines(path);
    assert_true(lines > 51);
}

static void child_has_its_own_file(void **state)
{
    char own[600], mine[600];
    anydnnHandle_t handle;
    anydnnTensorDescriptor_t desc;
    int status;
    pid_t child;

    (void)state;
    strcat(path, ".%p");
    handle = fixture_handle("cpu_ref");
    desc = fixture_tensor("f32:2,3");
    assert_ok(softmax(handle, desc, &zero));
    child = fork();
    if (child == 0)
        _exit(softmax(handle, desc, &zero) == ANYDNN_STATUS_SUCCESS ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    snprintf(own, sizeof(own), "%.*s%ld", (int)strlen(path) - 2, path, (long)child);
    snprintf(mine, sizeof(mine), "%.*s%ld", (int)strlen(path) - 2, path, (long)getpid());
    assert_int_equal(whole_lines(own), 1);
    assert_int_equal(whole_lines(mine), 1);
}

/* ---- bounds */

static void large_files_are_put_aside(void **state)
{
    uint64_t size = fixture_settings()->trace_size;
    anydnnHandle_t handle;
    anydnnTensorDescriptor_t desc;
    char older[600];
    struct stat status;
    int lines;

    (void)state;
    fixture_settings()->trace_size = 4096;
    handle = fixture_handle("mock_b");
    fixture_settings()->trace_size = size;
    desc = fixture_tensor("f32:2,3");
    for (int i = 0; i < 40; i++)
        assert_ok(softmax(handle, desc, &zero));
    snprintf(older, sizeof(older), "%s.1", path);
    lines = whole_lines(path) + whole_lines(older);
    assert_int_equal(lines, 40);
    assert_int_equal(stat(older, &status), 0);
    assert_true(status.st_size > 2048 && status.st_size <= 4096);
    for (int i = 0; i < 100; i++)
        assert_ok(softmax(handle, desc, &zero));
    /* One older file remains. */
    snprintf(older, sizeof(older), "%s.2", path);
    assert_int_not_equal(access(older, F_OK), 0);
}

/* The file behaves as on a full disk: there is one warning, lines are complete, and every call
 * runs. */
static void a_file_that_takes_no_more_ends_it(void **state)
{
    struct rlimit limit, less;
    anydnnHandle_t handle = fixture_handle("cpu_ref");
    anydnnTensorDescriptor_t desc = fixture_tensor("f32:2,3");

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    less = limit;
    less.rlim_cur = 16384;
    fixture_messages();
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
    for (int i = 0; i < 400; i++)
        assert_ok(softmax(handle, desc, &zero));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(fixture_lines(fixture_messages(), "cannot be written", ""), 1);
    assert_true(whole_lines(path) < 400);
}

/* ---- files that do not belong to the user */

static void refused(const char *reason)
{
    anydnnHandle_t handle;
    const char *messages;

    fixture_messages();
    handle = fixture_handle("mock_b");
    messages = fixture_messages();
    assert_int_equal(fixture_lines(messages, reason, "tracing is off"), 1);
    assert_ok(softmax(handle, fixture_tensor("f32:2,3"), &zero));
    assert_null(handle->last.plan->wraps);
}

/* Starts a process that locks the trace's file until it is killed. */
static pid_t hold_lock_elsewhere(void)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int ready[2];
    char byte;
    pid_t pid;

    assert_int_equal(pipe(ready), 0);
    pid = fork();
    if (pid == 0) {
        int fd = open(path, O_RDWR);

        if (fcntl(fd, F_SETLK, &whole) == 0)
            (void)!write(ready[1], "1", 1);
        close(ready[1]);
        pause();
        _exit(0);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return pid;
}

/* A process that stops while it holds the lock must not block the others. The time limit only
 * catches a failure: the wait takes 2 seconds. */
static void a_lock_that_is_held_ends_it(void **state)
{
    uint64_t size = fixture_settings()->trace_size;
    anydnnTensorDescriptor_t desc = fixture_tensor("f32:2,3");
    anydnnHandle_t handle;
    struct stat status;
    pid_t pid;

    (void)state;
    fixture_settings()->trace_size = 4096;
    handle = fixture_handle("mock_b");
    assert_ok(softmax(handle, desc, &zero));
    pid = hold_lock_elsewhere();
    fixture_messages();
    alarm(60);
    for (int i = 0; i < 100; i++)
        assert_ok(softmax(handle, desc, &zero));
    alarm(0);
    fixture_settings()->trace_size = size;
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(fixture_lines(fixture_messages(),
                                   "another process has held its lock for 2 seconds",
                                   "tracing stops"),
                     1);
    assert_int_equal(stat(path, &status), 0);
    assert_in_range(status.st_size, 1, 4096);
}

/* After one process rotated the file, no other process finds a lock. */
static void no_lock_is_left(void **state)
{
    uint64_t size = fixture_settings()->trace_size;
    anydnnTensorDescriptor_t desc = fixture_tensor("f32:2,3");
    anydnnHandle_t handle;
    pid_t pid;

    (void)state;
    fixture_settings()->trace_size = 4096;
    handle = fixture_handle("mock_b");
    for (int i = 0; i < 100; i++)
        assert_ok(softmax(handle, desc, &zero));
    fixture_settings()->trace_size = size;
    pid = hold_lock_elsewhere();
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void links_are_refused(void **state)
{
    char target[600];

    (void)state;
    snprintf(target, sizeof(target), "%s.target", path);
    assert_int_equal(symlink(target, path), 0);
    refused("is a link, not a regular file");
    assert_int_not_equal(access(target, F_OK), 0);
}

static void fifos_are_refused(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    refused("is a FIFO or pipe, not a regular file");
}

static void cut_lines_are_ended(void **state)
{
    FILE *stream = fopen(path, "w");
    char *text;

    (void)state;
    assert_non_null(stream);
    fputs("softmax_forward x=f32:2,3 y=f32", stream);
    fclose(stream);
    assert_ok(softmax(fixture_handle("mock_b"), fixture_tensor("f32:2,3"), &zero));
    text = content(path);
    assert_holds(text,
                 "softmax_forward x=f32:2,3 y=f32\nsoftmax_forward x=f32:2,3:nchw y=f32:2,3:nchw ");
    free(text);
}

#define trace_test(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        trace_test(line_tells_the_call),         trace_test(failed_calls_are_told),
        trace_test(off_changes_no_plan),         trace_test(threads_write_whole_lines),
        trace_test(child_writes_whole_lines),    trace_test(child_has_its_own_file),
        trace_test(large_files_are_put_aside),   trace_test(a_file_that_takes_no_more_ends_it),
        trace_test(a_lock_that_is_held_ends_it), trace_test(no_lock_is_left),
        trace_test(links_are_refused),           trace_test(fifos_are_refused),
        trace_test(cut_lines_are_ended),
    };

    return cmocka_run_group_tests_name("trace", tests, fixture_group_setup, fixture_group_teardown);
}
