/* SPDX-License-Identifier: Apache-2.0 */
/* Tests core/sys: log lines and their targets, callback, last error, environment, fork, stamps,
 * memory. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "settings_fixture.h"
#include "sys/env.h"
#include "sys/error.h"
#include "sys/log.h"
#include "sys/process.h"
#include "sys/text.h"

/* ---- log */

static char log_path[256];

static int log_to_file(void **state)
{
    (void)state;
    fixture_path(log_path, sizeof(log_path), "log");
    unlink(log_path);
    adn_log_level_set(ADN_LOG_WARN);
    return adn_log_target(log_path);
}

static int log_back(void **state)
{
    (void)state;
    adn_log_callback_set(0, NULL, NULL);
    adn_log_level_set(ADN_LOG_WARN);
    return adn_log_target("stderr");
}

static const char *read_file(const char *path)
{
    static char text[16384];
    FILE *file = fopen(path, "r");
    size_t size;

    assert_non_null(file);
    size = fread(text, 1, sizeof(text) - 1, file);
    text[size] = '\0';
    fclose(file);
    return text;
}

static void one_of_each_level(void)
{
    adn_log_line(ADN_LOG_ERROR, "anydnn", "e%d", 1);
    adn_warn("w%d", 2);
    adn_info("i%d", 3);
    adn_debug("d%d", 4);
    adn_trace("t%d", 5);
}

static void levels(void **state)
{
    static const char *const lines[] = {"",
                                        "anydnn: error: e1\n",
                                        "anydnn: warning: w2\n",
                                        "anydnn: info: i3\n",
                                        "anydnn: debug: d4\n",
                                        "anydnn: trace: t5\n"};

    for (int level = ADN_LOG_OFF; level <= ADN_LOG_TRACE; level++) {
        char expected[256] = "";

        log_to_file(state);
        adn_log_level_set(level);
        one_of_each_level();
        for (int i = 0; i <= level; i++)
            strcat(expected, lines[i]);
        assert_string_equal(read_file(log_path), expected);
    }
}

static void level_that_does_not_exist(void **state)
{
    (void)state;
    adn_log_line(0, "anydnn", "zero");
    adn_log_line(-1, "anydnn", "minus one");
    adn_log_level_set(ADN_LOG_TRACE);
    adn_log_line(6, "anydnn", "six");
    assert_string_equal(read_file(log_path), "");
}

static void a_backend_speaks(void **state)
{
    (void)state;
    adn_log_line(ADN_LOG_WARN, "cuda_simt", "no device");
    assert_string_equal(read_file(log_path), "anydnn: cuda_simt: warning: no device\n");
}

static void words_for_a_shell_are_quoted(void **state)
{
    char word[64];

    (void)state;
    assert_string_equal(adn_text_quoted("/a/b-c.so", word, sizeof(word)), "/a/b-c.so");
    assert_string_equal(adn_text_quoted("/a b", word, sizeof(word)), "'/a b'");
    assert_string_equal(adn_text_quoted("/it's;id", word, sizeof(word)), "'/it'\\''s;id'");
    assert_string_equal(adn_text_quoted("", word, sizeof(word)), "''");
}

static void one_line_stays_one(void **state)
{
    (void)state;
    adn_warn("a\nb\r\x1b[2Jc\td");
    adn_warn("a\x7f\xc2\x9b"
             "b\xc3\x9b");
    assert_string_equal(read_file(log_path), "anydnn: warning: a b  [2Jc\td\n"
                                             "anydnn: warning: a   b\xc3\x9b\n");
}

static void long_lines(void **state)
{
    char text[6000];

    for (size_t length = 980; length < 1040; length++) {
        log_to_file(state);
        memset(text, 'x', length);
        text[length] = '\0';
        adn_warn("%s", text);
        assert_int_equal(strlen(read_file(log_path)), length + strlen("anydnn: warning: \n"));
    }
    log_to_file(state);
    memset(text, 'y', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    adn_warn("%s", text);
    assert_int_equal(strlen(read_file(log_path)), sizeof(text) - 1 + strlen("anydnn: warning: \n"));
}

static void errno_stays(void **state)
{
    (void)state;
    if (adn_log_target("/dev/full") != 0)
        skip();
    errno = 77;
    adn_warn("where nothing can be written");
    assert_int_equal(errno, 77);
}

static void file_is_appended_to(void **state)
{
    (void)state;
    adn_warn("one");
    assert_int_equal(adn_log_target("stderr"), 0);
    assert_int_equal(adn_log_target(log_path), 0);
    adn_warn("two");
    assert_string_equal(read_file(log_path), "anydnn: warning: one\nanydnn: warning: two\n");
}

static void bad_target_keeps_the_old(void **state)
{
    char path[256];

    (void)state;
    errno = 0;
    assert_int_equal(adn_log_target("/nowhere/log"), -1);
    assert_int_equal(errno, ENOENT);
    fixture_path(path, sizeof(path), "");
    assert_int_equal(adn_log_target(path), -1);
    adn_warn("still here");
    assert_string_equal(read_file(log_path), "anydnn: warning: still here\n");
}

static int make_fifo(char *path, size_t size, const char *name)
{
    fixture_path(path, size, name);
    unlink(path);
    return mkfifo(path, 0600);
}

/* A FIFO is opened once it has a reader, and writes never block on the reader. */
static void a_fifo_takes_lines(void **state)
{
    char path[256], text[256] = "";
    int reader;

    (void)state;
    assert_int_equal(make_fifo(path, sizeof(path), "fifo"), 0);
    alarm(20);
    assert_int_equal(adn_log_target(path), -1);
    assert_int_equal(errno, ENXIO);
    reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(adn_log_target(path), 0);
    adn_warn("through the pipe");
    assert_int_equal(read(reader, text, sizeof(text) - 1),
                     strlen("anydnn: warning: through the pipe\n"));
    assert_string_equal(text, "anydnn: warning: through the pipe\n");
    for (int i = 0; i < 5000; i++)
        adn_warn("more than a pipe holds, %d", i);
    alarm(0);
    close(reader);
}

/* When the reader exits, the log ends and the program continues. */
static void a_reader_that_leaves_kills_nobody(void **state)
{
    struct sigaction before;
    char path[256];
    int reader;

    (void)state;
    assert_int_equal(make_fifo(path, sizeof(path), "left"), 0);
    sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_DFL}, &before);
    reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_int_equal(adn_log_target(path), 0);
    close(reader);
    adn_warn("to nobody");
    sigaction(SIGPIPE, &before, NULL);
}

static void other_kinds_are_no_target(void **state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);

    (void)state;
    fixture_path(address.sun_path, sizeof(address.sun_path), "socket");
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(adn_log_target(address.sun_path), -1);
    assert_int_equal(errno, ENXIO);
    assert_int_equal(adn_log_target(fixture_folder()), -1);
    assert_int_equal(errno, EISDIR);
    assert_int_equal(adn_log_target("/dev/null"), 0);
    close(listener);
}

static void process_number_in_the_file_name(void **state)
{
    char pattern[256], path[300];

    (void)state;
    fixture_path(pattern, sizeof(pattern), "p%p-%p%%x.log");
    assert_int_equal(adn_log_target(pattern), 0);
    adn_warn("hello");
    snprintf(path, sizeof(path), "%s/p%ld-%ld%%%%x.log", fixture_folder(), (long)getpid(),
             (long)getpid());
    assert_string_equal(read_file(path), "anydnn: warning: hello\n");
}

static void child_has_a_file_of_its_own(void **state)
{
    char pattern[256], path[300];
    int status;
    pid_t child;

    (void)state;
    adn_process_watch();
    fixture_path(pattern, sizeof(pattern), "fork.%p");
    assert_int_equal(adn_log_target(pattern), 0);
    adn_warn("parent");
    child = fork();
    if (child == 0) {
        adn_warn("child");
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    adn_warn("parent again");
    snprintf(path, sizeof(path), "%s/fork.%ld", fixture_folder(), (long)child);
    assert_string_equal(read_file(path), "anydnn: warning: child\n");
    snprintf(path, sizeof(path), "%s/fork.%ld", fixture_folder(), (long)getpid());
    assert_string_equal(read_file(path),
                        "anydnn: warning: parent\nanydnn: warning: parent again\n");
}

#define THREADS        4
#define LINES_A_THREAD 200

static void *write_lines(void *cookie)
{
    for (int i = 0; i < LINES_A_THREAD; i++)
        adn_warn("thread %d of four writes one whole line at a time", (int)(intptr_t)cookie);
    return NULL;
}

static void threads_write_whole_lines(void **state)
{
    pthread_t thread[THREADS];
    char line[256];
    FILE *file;
    int count = 0, number;

    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, write_lines, (void *)(intptr_t)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    file = fopen(log_path, "r");
    assert_non_null(file);
    for (; fgets(line, sizeof(line), file) != NULL; count++) {
        assert_int_equal(sscanf(line, "anydnn: warning: thread %d of four", &number), 1);
        assert_non_null(strstr(line, " writes one whole line at a time\n"));
    }
    fclose(file);
    assert_int_equal(count, THREADS * LINES_A_THREAD);
}

/* ---- callback */

static char called_with[1024];

static void note_call(anydnnSeverity_t severity, void *user, const anydnnDebug_t *debug,
                      const char *message)
{
    assert_null(debug);
    assert_string_equal(user, "user");
    assert_int_equal(message[strlen(message) + 1], '\0');
    snprintf(called_with + strlen(called_with), sizeof(called_with) - strlen(called_with), "%d %s;",
             (int)severity, message);
    adn_warn("a line from the callback");
}

static void callback_by_mask(void **state)
{
    static const struct {
        unsigned mask;
        int level;
        const char *expected;
    } rows[] = {
        {ANYDNN_SEV_ERROR_EN, ADN_LOG_WARN, "1 anydnn: error: e1;"},
        {ANYDNN_SEV_WARNING_EN, ADN_LOG_WARN, "2 anydnn: warning: w2;"},
        {ANYDNN_SEV_WARNING_EN, ADN_LOG_OFF, "2 anydnn: warning: w2;"},
        {ANYDNN_SEV_INFO_EN, ADN_LOG_WARN, "3 anydnn: info: i3;"},
        {ANYDNN_SEV_INFO_EN, ADN_LOG_TRACE,
         "3 anydnn: info: i3;3 anydnn: debug: d4;3 anydnn: trace: t5;"},
        {ANYDNN_SEV_ERROR_EN | ANYDNN_SEV_INFO_EN, ADN_LOG_OFF,
         "1 anydnn: error: e1;3 anydnn: info: i3;"},
        {0, ADN_LOG_TRACE, ""},
        {1u << ANYDNN_SEV_FATAL, ADN_LOG_TRACE, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        called_with[0] = '\0';
        adn_log_level_set(rows[i].level);
        adn_log_callback_set(rows[i].mask, (void *)"user", note_call);
        one_of_each_level();
        assert_string_equal(called_with, rows[i].expected);
    }
}

static void callback_does_not_change_what_is_written(void **state)
{
    (void)state;
    called_with[0] = '\0';
    adn_log_callback_set(ANYDNN_SEV_INFO_EN, (void *)"user", note_call);
    assert_true(adn_log_on(ADN_LOG_INFO));
    adn_info("only for the callback");
    adn_log_callback_set(0, NULL, NULL);
    assert_false(adn_log_on(ADN_LOG_INFO));
    assert_string_equal(called_with, "3 anydnn: info: only for the callback;");
    assert_string_equal(read_file(log_path), "anydnn: warning: a line from the callback\n");
}

static void callback_get(void **state)
{
    unsigned mask;
    void *user;
    anydnnCallback_t function;

    (void)state;
    adn_log_callback_set(ANYDNN_SEV_WARNING_EN, &mask, note_call);
    adn_log_callback_get(&mask, &user, &function);
    assert_int_equal(mask, ANYDNN_SEV_WARNING_EN);
    assert_ptr_equal(user, &mask);
    assert_true(function == note_call);
    adn_log_callback_set(0, NULL, NULL);
    adn_log_callback_get(&mask, &user, &function);
    assert_true(function == NULL);
}

/* ---- last error */

static void *fail_elsewhere(void *cookie)
{
    assert_string_equal(adn_error_text(), "");
    adn_fail(ANYDNN_STATUS_NOT_SUPPORTED, "the other thread's");
    *(int *)cookie = strcmp(adn_error_text(), "the other thread's") == 0;
    return NULL;
}

static void error_per_thread(void **state)
{
    pthread_t thread;
    int seen = 0;

    (void)state;
    assert_int_equal(adn_fail(ANYDNN_STATUS_BAD_PARAM, "anydnnFoo: n = %d, must be positive", -1),
                     ANYDNN_STATUS_BAD_PARAM);
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, &seen), 0);
    pthread_join(thread, NULL);
    assert_true(seen);
    assert_string_equal(adn_error_text(), "anydnnFoo: n = -1, must be positive");
    adn_error_clear();
    assert_string_equal(adn_error_text(), "");
}

static void error_of_an_error(void **state)
{
    (void)state;
    adn_fail(ANYDNN_STATUS_BAD_PARAM, "inner");
    adn_fail(ANYDNN_STATUS_BAD_PARAM, "outer: %s", adn_error_text());
    assert_string_equal(adn_error_text(), "outer: inner");
}

static void refusals_nest(void **state)
{
    struct adn_refusal outer, inner;

    (void)state;
    adn_fail(ANYDNN_STATUS_BAD_PARAM, "of an earlier call");
    adn_refusal_begin(&outer);
    adn_refusal_begin(&inner);
    adn_fail(ANYDNN_STATUS_NOT_SUPPORTED, "n = %d", 1);
    assert_string_equal(adn_error_text(), "n = 1");
    adn_refusal_end(&inner);
    assert_string_equal(adn_error_text(), "");
    assert_int_equal(adn_refusal_publish(&inner), ANYDNN_STATUS_NOT_SUPPORTED);
    assert_string_equal(outer.text, "n = 1");
    adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "the last one counts");
    adn_refusal_end(&outer);
    assert_string_equal(adn_error_text(), "of an earlier call");
    assert_int_equal(adn_refusal_publish(&outer), ANYDNN_STATUS_ALLOC_FAILED);
    assert_string_equal(adn_error_text(), "the last one counts");
    adn_refusal_begin(&inner);
    adn_refusal_end(&inner);
    assert_int_equal(adn_refusal_publish(&inner), ANYDNN_STATUS_SUCCESS);
    assert_string_equal(adn_error_text(), "the last one counts");
}

static void error_too_long(void **state)
{
    char text[ADN_ERROR_MAX + 100];

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s", text);
    assert_int_equal(strlen(adn_error_text()), ADN_ERROR_MAX - 1);
    assert_string_equal(adn_error_text() + ADN_ERROR_MAX - 5, "x...");
    text[ADN_ERROR_MAX - 1] = '\0';
    adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s", text);
    assert_string_equal(adn_error_text(), text);
}

static void status_names(void **state)
{
    (void)state;
    for (int status = 0; status <= 13; status++)
        assert_string_not_equal(adn_status_name(status), "ANYDNN_STATUS_UNKNOWN");
    assert_string_equal(adn_status_name(0), "ANYDNN_STATUS_SUCCESS");
    assert_string_equal(adn_status_name(9), "ANYDNN_STATUS_NOT_SUPPORTED");
    assert_string_equal(adn_status_name(ANYDNN_STATUS_CONFIG_ERROR), "ANYDNN_STATUS_CONFIG_ERROR");
    assert_string_equal(adn_status_name(ANYDNN_STATUS_SHUTTING_DOWN),
                        "ANYDNN_STATUS_SHUTTING_DOWN");
    assert_string_equal(adn_status_name(ANYDNN_STATUS_SPACE_POISONED),
                        "ANYDNN_STATUS_SPACE_POISONED");
    assert_string_equal(adn_status_name(14), "ANYDNN_STATUS_UNKNOWN");
    assert_string_equal(adn_status_name(-1), "ANYDNN_STATUS_UNKNOWN");
}

/* ---- environment */

static void collect(void *cookie, const char *name, const char *value)
{
    char *text = cookie;

    snprintf(text + strlen(text), 256 - strlen(text), "%s=%s;", name, value);
}

static void environment(void **state)
{
    char seen[256] = "";

    (void)state;
    assert_int_equal(adn_env_privileged(), 0);
    setenv("ADN_SEE_A", "1", 1);
    setenv("ADN_SEE_B", "", 1);
    setenv("ADN_SEE_C", "x=y", 1);
    unsetenv("ADN_SEE_D");
    for (int env_class = ADN_ENV_PATH; env_class <= ADN_ENV_DEBUG; env_class++) {
        assert_string_equal(adn_env_get("ADN_SEE_A", (enum adn_env_class)env_class), "1");
        assert_null(adn_env_get("ADN_SEE_B", (enum adn_env_class)env_class));
        assert_null(adn_env_get("ADN_SEE_D", (enum adn_env_class)env_class));
    }
    adn_env_each("ADN_SEE_", collect, seen);
    assert_holds(seen, "ADN_SEE_A=1;");
    assert_holds(seen, "ADN_SEE_C=x=y;");
    assert_null(strstr(seen, "ADN_SEE_B"));
}

static void no_environment(void **state)
{
    int status;
    pid_t child = fork();

    (void)state;
    if (child == 0) {
        clearenv();
        adn_env_each("", collect, NULL);
        _exit(adn_env_get("PATH", ADN_ENV_PATH) != NULL ||
              adn_env_get("PATH", ADN_ENV_DEBUG) != NULL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* ---- process */

static int child_sees_fork_number(uint64_t before)
{
    pid_t grandchild;
    int status;

    if (adn_process_fork_number != before + 1)
        return 1;
    grandchild = fork();
    if (grandchild == 0)
        _exit(adn_process_fork_number == before + 2 ? 0 : 2);
    waitpid(grandchild, &status, 0);
    return status != 0;
}

static void fork_number(void **state)
{
    uint64_t before = adn_process_fork_number;
    int status;
    pid_t child;

    (void)state;
    adn_process_watch();
    adn_process_watch();
    assert_true(before >= 1);
    child = fork();
    if (child == 0)
        _exit(child_sees_fork_number(before));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(adn_process_fork_number == before);
}

/* The flag of the last exit handler; main registers it before anything else. */
static int reports_exit;

static void report_exit_flag(void)
{
    if (reports_exit)
        _exit(adn_process_exiting == 1 ? 42 : 1);
}

static void exit_flag(void **state)
{
    int status;
    pid_t child;

    (void)state;
    adn_process_watch();
    assert_int_equal(adn_process_exiting, 0);
    child = fork();
    if (child == 0) {
        reports_exit = 1;
        exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 42);
}

static void *take_stamps(void *cookie)
{
    uint64_t *stamps = cookie;

    for (int i = 0; i < 1000; i++)
        stamps[i] = adn_process_stamp();
    return NULL;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

static void stamps_are_unique(void **state)
{
    static uint64_t stamps[THREADS][1000];
    pthread_t thread[THREADS];

    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, take_stamps, stamps[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    qsort(stamps, (size_t)THREADS * 1000, sizeof(uint64_t), by_number);
    assert_true(stamps[0][0] >= 1);
    for (int i = 1; i < THREADS * 1000; i++)
        assert_true((&stamps[0][0])[i] > (&stamps[0][0])[i - 1]);
}

static void library_path(void **state)
{
    const char *path = adn_process_library_path();
    char own[4096];
    ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);

    (void)state;
    assert_true(length > 0);
    own[length] = '\0';
    assert_non_null(path);
    assert_string_equal(path, own);
}

static void memory(void **state)
{
    static const size_t sizes[] = {0, 1, 63, 64, 65, 1000000};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        char *pointer = adn_memory_alloc(sizes[i]);

        assert_non_null(pointer);
        assert_int_equal((uintptr_t)pointer % 64, 0);
        memset(pointer, 1, sizes[i]);
        adn_memory_free(pointer);
    }
    assert_null(adn_memory_alloc(SIZE_MAX));
    assert_null(adn_memory_alloc(SIZE_MAX - 63));
    adn_memory_free(NULL);
}

#define LOGGED(test) cmocka_unit_test_setup_teardown(test, log_to_file, log_back)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOGGED(levels),
        LOGGED(level_that_does_not_exist),
        LOGGED(a_backend_speaks),
        LOGGED(one_line_stays_one),
        cmocka_unit_test(words_for_a_shell_are_quoted),
        LOGGED(long_lines),
        LOGGED(errno_stays),
        LOGGED(file_is_appended_to),
        LOGGED(bad_target_keeps_the_old),
        LOGGED(a_fifo_takes_lines),
        LOGGED(a_reader_that_leaves_kills_nobody),
        LOGGED(other_kinds_are_no_target),
        LOGGED(process_number_in_the_file_name),
        LOGGED(child_has_a_file_of_its_own),
        LOGGED(threads_write_whole_lines),
        LOGGED(callback_by_mask),
        LOGGED(callback_does_not_change_what_is_written),
        LOGGED(callback_get),
        cmocka_unit_test(error_per_thread),
        cmocka_unit_test(error_of_an_error),
        cmocka_unit_test(refusals_nest),
        cmocka_unit_test(error_too_long),
        cmocka_unit_test(status_names),
        cmocka_unit_test(environment),
        cmocka_unit_test(no_environment),
        cmocka_unit_test(fork_number),
        cmocka_unit_test(exit_flag),
        cmocka_unit_test(stamps_are_unique),
        cmocka_unit_test(library_path),
        cmocka_unit_test(memory),
    };

    atexit(report_exit_flag);
    return cmocka_run_group_tests_name("sys", tests, NULL, NULL);
}
