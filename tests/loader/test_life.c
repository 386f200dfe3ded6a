/* SPDX-License-Identifier: Apache-2.0 */
/* Tests backends over the life of a process: threads, repeated registries, mappings, exit, and
 * decoy libraries where a loader must not look. */
#include "fixture.h"

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/process.h"

#define THREADS 8

struct opener {
    pthread_t thread;
    pthread_barrier_t *barrier;
    struct adn_registry *registry;
    int first; /* index of the backend that it opens first */
    int live;
};

static void *open_all(void *argument)
{
    struct opener *opener = argument;
    int32_t count = opener->registry->count;

    pthread_barrier_wait(opener->barrier);
    for (int32_t i = 0; i < count; i++)
        opener->live += adn_load_open(opener->registry->backend[(i + opener->first) % count]);
    return NULL;
}

/* Opens all backends of the registry from many threads at once; each thread must find all of
 * them live. */
static void open_from_threads(struct adn_registry *registry)
{
    struct opener openers[THREADS];
    pthread_barrier_t barrier;

    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        openers[i] = (struct opener){.barrier = &barrier, .registry = registry, .first = i};
        assert_int_equal(pthread_create(&openers[i].thread, NULL, open_all, &openers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(openers[i].thread, NULL);
        assert_int_equal(openers[i].live, registry->count);
    }
    pthread_barrier_destroy(&barrier);
}

static void threads_wait_for_one_slow_main(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "slow", "anydnn_slow.so");
    open_from_threads(fixture_registry(fixture));
    assert_int_equal(fixture_count(fixture->marker, "slow constructor"), 1);
    assert_int_equal(fixture_count(fixture->marker, "slow main"), 1);
    assert_int_equal(fixture_count(fixture->log, ""), 0);
}

static atomic_int opened;

static void *open_one(void *backend)
{
    adn_load_open(backend);
    opened = 1;
    return NULL;
}

/* A child can use the backend that another thread was opening, and backends that nothing has
 * opened. */
static void a_fork_waits_for_a_slow_main(void **state)
{
    struct fixture *fixture = *state;
    struct adn_backend *slow, *other;
    pthread_t thread;
    int status;
    pid_t pid;

    fixture_copy(fixture, "slow", "anydnn_slow.so");
    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    fixture_registry(fixture);
    slow = adn_load_find(fixture->registry, "slow");
    other = adn_load_find(fixture->registry, "good_a");
    assert_int_equal(pthread_create(&thread, NULL, open_one, slow), 0);
    /* The thread may end before the fork on a busy machine. A sanitizer would report it as lost
     * in a child that has not joined it. */
    pthread_detach(thread);
    for (int i = 0; i < 1000 && fixture_count(fixture->marker, "slow constructor") == 0; i++)
        usleep(1000);
    pid = fork();
    if (pid == 0) {
        alarm(20);
        _exit(adn_load_open(slow) && adn_load_open(other) ? 0 : 1);
    }
    while (!opened)
        usleep(1000);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void threads_open_different_backends_at_once(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "slow", "anydnn_slow.so");
    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    fixture_copy(fixture, "good_b", "anydnn_good_b.so");
    open_from_threads(fixture_registry(fixture));
    assert_int_equal(fixture_count(fixture->marker, " main"), 3);
}

static void a_failure_is_kept_and_reported_once(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    fixture->fault = "error";
    struct adn_backend *backend = fixture_fails(fixture, "good_a", ADN_LOAD_MAIN, "status 4", NULL);

    fixture->fault = NULL;
    for (int i = 0; i < 10; i++)
        assert_int_equal(adn_load_open(backend), 0);
    assert_int_equal(fixture_count(fixture->marker, "good_a main"), 1);
    assert_int_equal(fixture_count(fixture->log, "good_a"), 1);
}

static void visible_globals_stay_apart(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "leak_a", "anydnn_leak_a.so");
    fixture_copy(fixture, "leak_b", "anydnn_leak_b.so");
    assert_string_equal(fixture_identity(fixture_live(fixture, "leak_a")), "leak_a");
    assert_string_equal(fixture_identity(fixture_live(fixture, "leak_b")), "leak_b");
}

static void an_opened_object_is_never_unmapped(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    fixture_copy(fixture, "major", "anydnn_major.so");
    fixture_live(fixture, "good_a");
    fixture_fails(fixture, "major", ADN_LOAD_ABI, "ABI", NULL);
    adn_load_registry_free(fixture->registry);
    fixture->registry = NULL;
    assert_true(fixture_mapped(fixture_path(fixture, "anydnn_good_a.so")));
    assert_true(fixture_mapped(fixture_path(fixture, "anydnn_major.so")));
    /* A second registry finds the same object, so no constructor runs again. */
    fixture_live(fixture, "good_a");
    assert_int_equal(fixture_count(fixture->marker, "good_a constructor"), 1);
    assert_int_equal(fixture_count(fixture->marker, "good_a main"), 2);
}

static void a_thousand_registries_leave_nothing(void **state)
{
    struct fixture *fixture = *state;
    size_t before = 0;

    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    fixture_copy(fixture, "magic", "anydnn_magic.so");
    fixture_write(fixture, "anydnn_text.so", "no object");
    fixture_write(fixture, "anydnn_Bad.so", "");
    fixture->folders[1] = fixture_path(fixture, "nowhere");
    unsetenv("ANYDNN_MOCK_MARKER");
    for (int i = 0; i < 1010; i++) {
        fixture_registry(fixture);
        for (int32_t k = 0; k < fixture->registry->count; k++)
            adn_load_open(fixture->registry->backend[k]);
        assert_string_equal(fixture_live(fixture, "good_a")->plugin->name, "good_a");
        if (i == 9)
            before = mallinfo2().uordblks;
    }
    /* The smallest possible leak per registry is 16 bytes, twice this bound. */
    assert_true(mallinfo2().uordblks <= before + 8000);
}

static void nothing_is_opened_while_the_process_exits(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    fixture_copy(fixture, "good_b", "anydnn_good_b.so");
    fixture_live(fixture, "good_a");
    struct adn_backend *late = adn_load_find(fixture->registry, "good_b");

    adn_process_exiting = 1;
    assert_int_equal(adn_load_open(late), 0);
    assert_int_equal(adn_load_open(adn_load_find(fixture->registry, "good_a")), 1);
    adn_process_exiting = 0;
    assert_int_equal(late->stage, ADN_LOAD_KNOWN);
    assert_int_equal(fixture_count(fixture->marker, "good_b"), 0);
}

static void listing_opens_nothing(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    fixture_registry(fixture);
    assert_int_equal(fixture_count(fixture->marker, "good_a"), 0);
    assert_false(fixture_mapped(fixture_path(fixture, "anydnn_good_a.so")));
}

/* ------------------------------------------------------------------ decoys */

/* Runs in a process that was started in a folder of decoys, which LD_LIBRARY_PATH also names. A
 * backend that exists only there must not be found; one that also exists elsewhere must come
 * from there. */
static int decoy_child(const char *folder, const char *decoys)
{
    const char *folders[] = {folder, "", ".", NULL};
    const struct adn_load_module modules[] = {
        {"good_b", NULL, 0, "test"},
        {"slow", "anydnn_slow.so", 0, "test"},
        {"major", "./anydnn_major.so", 0, "test"},
    };
    const struct adn_load_options options = {
        .folders = folders, .modules = modules, .module_count = 3};
    struct adn_registry *registry = adn_load_registry(&options);
    int wrong = 0;

    if (!registry || registry->count != 4)
        return 10;
    for (int32_t i = 0; i < registry->count; i++) {
        struct adn_backend *backend = registry->backend[i];
        int expected = strcmp(backend->name, "good_a") == 0;

        wrong += adn_load_open(backend) != expected;
        wrong += !expected && backend->stage != ADN_LOAD_MISSING;
    }
    wrong += fixture_mapped(decoys);
    adn_load_registry_free(registry);
    return wrong;
}

static void decoys_are_never_opened(void **state)
{
    static const char *const names[] = {"good_a", "good_b", "slow", "major"};
    struct fixture *fixture = *state;
    int status;

    fixture_folder(fixture, "plugins");
    fixture_folder(fixture, "decoys");
    fixture_copy(fixture, "good_a", "plugins/anydnn_good_a.so");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char file[64];

        snprintf(file, sizeof(file), "decoys/anydnn_%s.so", names[i]);
        fixture_copy(fixture, names[i], file);
    }
    const char *plugins = fixture_path(fixture, "plugins");
    const char *decoys = fixture_path(fixture, "decoys");
    pid_t child = fork();

    if (child == 0) {
        setenv("LD_LIBRARY_PATH", decoys, 1);
        if (chdir(decoys) == 0)
            execl("/proc/self/exe", "test_life", "--decoys", plugins, decoys, (char *)NULL);
        _exit(99);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(fixture_count(fixture->marker, "constructor"), 1);
    assert_int_equal(fixture_count(fixture->marker, "good_a main"), 1);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        CASE(threads_wait_for_one_slow_main),
        CASE(a_fork_waits_for_a_slow_main),
        CASE(threads_open_different_backends_at_once),
        CASE(a_failure_is_kept_and_reported_once),
        CASE(visible_globals_stay_apart),
        CASE(an_opened_object_is_never_unmapped),
        CASE(a_thousand_registries_leave_nothing),
        CASE(nothing_is_opened_while_the_process_exits),
        CASE(listing_opens_nothing),
        CASE(decoys_are_never_opened),
    };

    if (argc == 4 && strcmp(argv[1], "--decoys") == 0)
        return decoy_child(argv[2], argv[3]);
    return cmocka_run_group_tests_name("life", tests, NULL, NULL);
}
