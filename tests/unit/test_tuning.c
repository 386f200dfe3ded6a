/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the tuning file under several concurrent processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tuning/tuning.h"

#define WRITERS 8
#define RECORDS 60

/* Sanitizer builds are slower. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TIME_FACTOR 20
#else
#define TIME_FACTOR 1
#endif

static char folder[4096];
static _Atomic int stop;

static int make_folder(void **state)
{
    const char *build = getenv("ANYDNN_TEST_BUILDDIR");

    (void)state;
    snprintf(folder, sizeof(folder), "%s/tests/tuning_XXXXXX", build ? build : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static const char *in_folder(const char *name)
{
    static char path[4096 + 260];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static int remove_folder(void **state)
{
    DIR *files = opendir(folder);
    const struct dirent *entry;

    (void)state;
    while (files && (entry = readdir(files)))
        unlink(in_folder(entry->d_name));
    if (files)
        closedir(files);
    return rmdir(folder);
}

static void keep(struct adn_tuning *tuning, const char *key, uint64_t engine, double microseconds)
{
    struct adn_tuned tuned = {"one", engine, UINT64_MAX, microseconds};

    adn_tuning_keep(tuning, &key, &tuned, 1);
}

static void kept_and_found(void **state)
{
    struct adn_tuning *tuning = adn_tuning_at(in_folder("a"));
    struct adn_tuned found;
    struct stat stat_of;

    (void)state;
    assert_int_equal(adn_tuning_find(tuning, "a\tkey", &found), 0);
    keep(tuning, "a\tkey", UINT64_MAX, 0.1);
    keep(tuning, "a", 7, 1e-7);
    keep(tuning, "a\tkey", UINT64_MAX - 1, 1234567.891);
    assert_int_equal(symlink("a", in_folder("b")), 0);
    tuning = adn_tuning_at(in_folder("b"));
    assert_int_equal(adn_tuning_find(tuning, "a\tkey", &found), 1);
    assert_string_equal(found.backend, "one");
    assert_true(found.engine == UINT64_MAX - 1 && found.limit == UINT64_MAX);
    assert_true(found.microseconds == 1234567.891);
    assert_int_equal(adn_tuning_find(tuning, "a", &found), 1);
    assert_true(found.engine == 7 && found.microseconds == 1e-7);
    assert_int_equal(adn_tuning_find(tuning, "a\t", &found), 0);
    assert_int_equal(stat(in_folder("a"), &stat_of), 0);
    assert_int_equal(stat_of.st_mode & 0777, 0644);
}

/* The owner chooses the file's mode. */
static void the_mode_stays(void **state)
{
    struct adn_tuning *tuning = adn_tuning_at(in_folder("mode"));
    struct stat stat_of;

    (void)state;
    keep(tuning, "x", 1, 1);
    assert_int_equal(chmod(in_folder("mode"), 0600), 0);
    keep(tuning, "y", 1, 1);
    assert_int_equal(stat(in_folder("mode"), &stat_of), 0);
    assert_int_equal(stat_of.st_mode & 0777, 0600);
}

static void write_some(int writer)
{
    struct adn_tuning *tuning = adn_tuning_at(in_folder("shared"));
    char key[40];

    for (int i = 0; i < RECORDS; i++) {
        snprintf(key, sizeof(key), "writer %d record %d", writer, i);
        keep(tuning, key, (uint64_t)i, writer);
    }
}

/* A trial that another process completed must not be restored from this process's memory. */
static void trials_of_others_do_not_come_back(void **state)
{
    static const char header[] = "anydnn tuning 1\n",
                      key[] = "a problem" ADN_TUNING_SUSPECT "one 7";
    struct adn_tuning *tuning = adn_tuning_at(in_folder("trials"));
    struct adn_tuned found;
    char text[4096] = "";
    FILE *file;

    (void)state;
    file = fopen(in_folder("trials"), "w");
    assert_non_null(file);
    fprintf(file, "%s%s\tnone\tone\t7\t1\n%s 8\tnone\tone\t8\t%ld\n", header, key, key,
            (long)getppid() + 1);
    fclose(file);
    keep(tuning, "first", 1, 2);
    assert_int_equal(adn_tuning_find(tuning, key, &found), 1);
    file = fopen(in_folder("trials"), "w");
    assert_non_null(file);
    fprintf(file, "%s%s\tnone\tone\t7\t1\n", header, key);
    fclose(file);
    keep(tuning, "second", 1, 2);
    file = fopen(in_folder("trials"), "r");
    assert_non_null(file);
    (void)!fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    assert_non_null(strstr(text, "second"));
    assert_non_null(strstr(text, "suspect one 7\t"));
    assert_null(strstr(text, "suspect one 7 8\t"));
}

/* A reader always sees complete files, and no records are lost. */
static void processes_at_once(void **state)
{
    struct adn_tuned found;
    pid_t writers[WRITERS];
    char key[40];
    int status, start[2];

    (void)state;
    assert_int_equal(pipe(start), 0);
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = fork();
        if (writers[i] == 0) {
            /* All processes begin when the pipe is closed. */
            close(start[1]);
            (void)!read(start[0], key, 1);
            write_some(i);
            _exit(0);
        }
        assert_true(writers[i] > 0);
    }
    close(start[0]);
    close(start[1]);
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(waitpid(writers[i], &status, 0), writers[i]);
        assert_int_equal(status, 0);
    }
    for (int i = 0; i < WRITERS * RECORDS; i++) {
        snprintf(key, sizeof(key), "writer %d record %d", i / RECORDS, i % RECORDS);
        assert_int_equal(adn_tuning_find(adn_tuning_at(in_folder("shared")), key, &found), 1);
        assert_true(found.engine == (uint64_t)(i % RECORDS) && found.microseconds == i / RECORDS);
    }
}

/* ---- places */

static void is_kept_here_only(const char *path)
{
    struct adn_tuning *tuning;
    struct adn_tuned found;

    alarm(20);
    tuning = adn_tuning_at(path);
    keep(tuning, "key", 1, 1);
    assert_int_equal(adn_tuning_find(tuning, "key", &found), 1);
    alarm(0);
}

/* A file without an end is not read, and anything but a regular file is not replaced. */
static void other_things_stay(void **state)
{
    struct stat stat_of;
    char path[4096 + 260];

    (void)state;
    is_kept_here_only("/dev/zero");
    is_kept_here_only("/dev/null");
    assert_int_equal(stat("/dev/null", &stat_of), 0);
    assert_true(S_ISCHR(stat_of.st_mode));
    snprintf(path, sizeof(path), "%s", in_folder("fifo"));
    assert_int_equal(mkfifo(path, 0600), 0);
    is_kept_here_only(path);
    assert_int_equal(stat(path, &stat_of), 0);
    assert_true(S_ISFIFO(stat_of.st_mode));
}

/* A link stays a link, and its target receives the records whether or not it exists. */
static void links_are_followed(void **state)
{
    struct adn_tuned found;
    struct stat stat_of;
    char inner[4096 + 260];

    (void)state;
    snprintf(inner, sizeof(inner), "%s", in_folder("inner"));
    assert_int_equal(mkdir(inner, 0700), 0);
    assert_int_equal(symlink("inner/second", in_folder("first")), 0);
    assert_int_equal(symlink("file", in_folder("inner/second")), 0);
    keep(adn_tuning_at(in_folder("first")), "one", 1, 1);
    keep(adn_tuning_at(in_folder("first")), "two", 2, 2);
    assert_int_equal(lstat(in_folder("first"), &stat_of), 0);
    assert_true(S_ISLNK(stat_of.st_mode));
    assert_int_equal(lstat(in_folder("inner/second"), &stat_of), 0);
    assert_true(S_ISLNK(stat_of.st_mode));
    assert_int_equal(adn_tuning_find(adn_tuning_at(in_folder("inner/file")), "two", &found), 1);
    assert_int_equal(unlink(in_folder("inner/second")), 0);
    assert_int_equal(unlink(in_folder("inner/file")), 0);
    assert_int_equal(rmdir(inner), 0);
}

/* If another user controls the target of a link, nothing is replaced. Only root can set this up. */
static void links_of_others_are_read_only(void **state)
{
    static const char *const chowned[] = {"theirs_link", "theirs"};
    struct adn_tuned found;
    struct stat stat_of;

    (void)state;
    if (geteuid() != 0)
        skip();
    assert_int_equal(mkdir(in_folder("theirs"), 0777), 0);
    assert_int_equal(symlink("a", in_folder("theirs_link")), 0);
    assert_int_equal(symlink("theirs/file", in_folder("into_theirs")), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(lchown(in_folder(chowned[i]), 12345, 12345), 0);
    keep(adn_tuning_at(in_folder("a")), "was there", 5, 5);
    keep(adn_tuning_at(in_folder("theirs_link")), "not stored", 1, 1);
    assert_int_equal(adn_tuning_find(adn_tuning_at(in_folder("theirs_link")), "was there", &found),
                     1);
    keep(adn_tuning_at(in_folder("a")), "last", 5, 5);
    assert_int_equal(adn_tuning_find(adn_tuning_at(in_folder("a")), "not stored", &found), 0);
    assert_int_equal(lstat(in_folder("theirs_link"), &stat_of), 0);
    assert_true(S_ISLNK(stat_of.st_mode));
    keep(adn_tuning_at(in_folder("into_theirs")), "not stored", 1, 1);
    assert_int_equal(stat(in_folder("theirs/file"), &stat_of), -1);
    assert_int_equal(rmdir(in_folder("theirs")), 0);
}

/* ---- the folder's lock */

static double now(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* A process that holds the lock delays a search for two seconds, once. Later records are not
 * stored, without delay. */
static void a_lock_is_not_waited_for_long(void **state)
{
    int holder = open(folder, O_RDONLY | O_DIRECTORY);
    struct adn_tuning *tuning = adn_tuning_at(in_folder("locked"));
    double start, first, second;
    struct adn_tuned found;
    struct stat stat_of;

    (void)state;
    assert_int_equal(flock(holder, LOCK_EX), 0);
    alarm(60);
    start = now(CLOCK_MONOTONIC);
    keep(tuning, "one", 1, 1);
    first = now(CLOCK_MONOTONIC) - start;
    keep(tuning, "two", 1, 1);
    second = now(CLOCK_MONOTONIC) - start - first;
    alarm(0);
    assert_true(first >= 1.9 && first < 10);
    assert_true(second < 1);
    assert_int_equal(adn_tuning_find(tuning, "one", &found), 1);
    assert_int_equal(stat(in_folder("locked"), &stat_of), -1);
    close(holder);
    keep(tuning, "three", 1, 1);
    assert_int_equal(symlink("locked", in_folder("unlocked")), 0);
    assert_int_equal(adn_tuning_find(adn_tuning_at(in_folder("unlocked")), "one", &found), 1);
}

/* Processes that store record after record hold the lock for longer, and a search waits for its
 * turn. */
static void busy_writers_are_waited_for(void **state)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    struct adn_tuning *tuning = adn_tuning_at(in_folder("busy"));
    struct stat stat_of;
    int ready[2], status;
    char byte = 0;
    pid_t writer;

    (void)state;
    assert_int_equal(pipe(ready), 0);
    writer = fork();
    if (writer == 0) {
        int holder = open(folder, O_RDONLY | O_DIRECTORY), failed = flock(holder, LOCK_EX);

        (void)!write(ready[1], &byte, 1);
        for (int i = 0; i < 25; i++) {
            int file = open(in_folder("busy.other"), O_WRONLY | O_CREAT, 0600);

            nanosleep(&pause, NULL);
            failed |= file < 0 || close(file) != 0 || unlink(in_folder("busy.other")) != 0;
        }
        _exit(failed != 0);
    }
    assert_true(writer > 0);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    keep(tuning, "one", 1, 1);
    assert_int_equal(waitpid(writer, &status, 0), writer);
    assert_int_equal(status, 0);
    assert_int_equal(stat(in_folder("busy"), &stat_of), 0);
}

static void *keep_on(void *cookie)
{
    struct adn_tuning *tuning = adn_tuning_at(cookie);

    for (int i = 0; !stop; i++)
        keep(tuning, "again", (uint64_t)i, 1);
    return NULL;
}

/* A child that is forked meanwhile and lives on holds no lock: neither the folder's nor this
 * process's. */
static void children_hold_no_lock(void **state)
{
    char path[4096 + 260];
    pid_t children[40];
    pthread_t thread;
    int status, holder;
    struct adn_tuned found;

    (void)state;
    snprintf(path, sizeof(path), "%s", in_folder("forked"));
    alarm(120);
    stop = 0;
    assert_int_equal(pthread_create(&thread, NULL, keep_on, path), 0);
    for (int i = 0; i < 40; i++) {
        usleep(500);
        children[i] = fork();
        if (children[i] == 0) {
            alarm(60);
            keep(adn_tuning_at(path), "child", 1, 1);
            pause();
            _exit(0);
        }
    }
    stop = 1;
    pthread_join(thread, NULL);
    while (adn_tuning_find(adn_tuning_at(path), "child", &found) == 0)
        keep(adn_tuning_at(path), "parent", 1, 1);
    usleep(100000);
    holder = open(folder, O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < 100 && flock(holder, LOCK_EX | LOCK_NB) != 0; i++) {
        assert_true(i < 99);
        usleep(20000);
    }
    close(holder);
    for (int i = 0; i < 40; i++) {
        kill(children[i], SIGKILL);
        waitpid(children[i], &status, 0);
    }
    alarm(0);
}

/* ---- a full store */

/* Writes a key of realistic length: a problem, a device, the backends of the contest. */
static void long_key(char key[400], int number)
{
    snprintf(key, 400,
             "convolution_forward x=f16:64,%d,28,28:nhwc w=f16:128,%d,3,3:nhwc "
             "y=f16:64,128,28,28:nhwc pad=1,1 stride=1,1 dilation=1,1 groups=1 mode=cross "
             "compute=f32 math=tensor_op\tAn Accelerator of 140 GiB\tcuda_tensorcore 0.1.0 "
             "0123456789abcdef, cudnn 0.1.0 fedcba9876543210, cuda_simt 0.1.0 0123456789",
             number, number);
}

static void a_full_store_is_quick(void **state)
{
    char path[4096 + 260], key[400];
    struct adn_tuned found;
    FILE *file;
    double best = 1e9;

    (void)state;
    snprintf(path, sizeof(path), "%s", in_folder("full"));
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "anydnn tuning 1\n");
    for (int i = 0; i < ADN_TUNING_RECORDS; i++) {
        long_key(key, i);
        fprintf(file, "%s\tnone\tcudnn\t%d\t%d.25\n", key, i, i);
    }
    fclose(file);
    double start = now(CLOCK_PROCESS_CPUTIME_ID);
    struct adn_tuning *tuning = adn_tuning_at(path);

    print_message("read: %.1f ms\n", 1e3 * (now(CLOCK_PROCESS_CPUTIME_ID) - start));
    for (int i = 0; i < 10; i++) {
        long_key(key, ADN_TUNING_RECORDS + i);
        start = now(CLOCK_PROCESS_CPUTIME_ID);
        keep(tuning, key, (uint64_t)i, 1);
        assert_int_equal(adn_tuning_find(tuning, key, &found), 1);
        if (now(CLOCK_PROCESS_CPUTIME_ID) - start < best)
            best = now(CLOCK_PROCESS_CPUTIME_ID) - start;
    }
    print_message("a search: %.1f ms\n", 1e3 * best);
    assert_true(best < 0.05 * TIME_FACTOR);
    /* The ten oldest records were evicted. */
    for (int i = 0; i < 20; i++) {
        long_key(key, i);
        assert_int_equal(adn_tuning_find(tuning, key, &found), i >= 10);
    }
}

/* ---- files after a killed process */

/* Checks that the folder contains only the tuning files. */
static void nothing_else_is_left(void **state)
{
    DIR *files = opendir(folder);
    const struct dirent *entry;

    (void)state;
    assert_non_null(files);
    while ((entry = readdir(files)))
        assert_null(strchr(entry->d_name[0] == '.' ? "" : entry->d_name, '.'));
    closedir(files);
}

/* The next writer leaves only the tuning file, whenever a process dies. */
static void killed_processes_leave_nothing(void **state)
{
    char path[4096 + 260];
    struct adn_tuned found;

    snprintf(path, sizeof(path), "%s", in_folder("killed"));
    for (int round = 0; round < 30; round++) {
        const struct timespec pause = {.tv_nsec = 1000000 + round * 37000L};
        pid_t child = fork();

        assert_true(child >= 0);
        if (child == 0)
            for (uint64_t i = 0;; i++)
                keep(adn_tuning_at(path), "child", i, 1);
        nanosleep(&pause, NULL);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
    }
    keep(adn_tuning_at(path), "parent", 1, 1);
    assert_int_equal(adn_tuning_find(adn_tuning_at(path), "parent", &found), 1);
    nothing_else_is_left(state);
}

/* A file that is not a tuning file is never overwritten, whatever its name. */
static void files_of_other_kinds_stay(void **state)
{
    char text[40] = "";
    FILE *file = fopen(in_folder("here.new"), "w");

    (void)state;
    assert_non_null(file);
    fputs("my own notes", file);
    fclose(file);
    keep(adn_tuning_at(in_folder("here")), "x", 1, 1);
    assert_int_equal(access(in_folder("here"), R_OK), 0);
    file = fopen(in_folder("here.new"), "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof(text), file));
    fclose(file);
    assert_string_equal(text, "my own notes");
    assert_int_equal(unlink(in_folder("here.new")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_and_found),
        cmocka_unit_test(the_mode_stays),
        cmocka_unit_test(trials_of_others_do_not_come_back),
        cmocka_unit_test(processes_at_once),
        cmocka_unit_test(other_things_stay),
        cmocka_unit_test(links_are_followed),
        cmocka_unit_test(links_of_others_are_read_only),
        cmocka_unit_test(a_lock_is_not_waited_for_long),
        cmocka_unit_test(busy_writers_are_waited_for),
        cmocka_unit_test(children_hold_no_lock),
        cmocka_unit_test(a_full_store_is_quick),
        cmocka_unit_test(killed_processes_leave_nothing),
        cmocka_unit_test(files_of_other_kinds_stay),
        cmocka_unit_test(nothing_else_is_left),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
