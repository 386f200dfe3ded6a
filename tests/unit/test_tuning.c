/* SPDX-License-Identifier: Apache-2.0 */
/* The file of what searches measured, under several processes at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuning/tuning.h"

#define WRITERS 8
#define RECORDS 60

static char folder[4096];

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

/* The file's mode is its owner's choice. */
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

/* A reader sees whole files alone, and nobody's records are lost. */
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
            /* All begin when the pipe is closed. */
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

/* Nothing but the files stays behind. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_and_found),
        cmocka_unit_test(the_mode_stays),
        cmocka_unit_test(processes_at_once),
        cmocka_unit_test(nothing_else_is_left),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
