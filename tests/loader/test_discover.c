/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which backends are found: folders, file names, and modules named in settings. */
#include "fixture.h"

#include <stdio.h>
#include <string.h>

static void an_empty_folder_has_no_backend(void **state)
{
    struct adn_registry *registry = fixture_registry(*state);

    assert_int_equal(registry->count, 0);
    assert_null(registry->unreadable[0]);
    assert_null(adn_load_find(registry, "cpu_ref"));
}

static void a_missing_folder_gives_a_sentence(void **state)
{
    struct fixture *fixture = *state;

    fixture->folders[0] = fixture_path(fixture, "nowhere");
    fixture->folders[1] = fixture->folder;
    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    struct adn_registry *registry = fixture_registry(fixture);

    assert_int_equal(registry->count, 1);
    assert_non_null(
        strstr(registry->unreadable[0], "/nowhere cannot be read: No such file or directory"));
    assert_non_null(strstr(registry->unreadable[0], "plugin_path"));
    assert_null(registry->unreadable[1]);
}

static void a_file_in_place_of_a_folder_gives_a_sentence(void **state)
{
    struct fixture *fixture = *state;

    fixture_write(fixture, "plain", "text");
    fixture->folders[0] = fixture_path(fixture, "plain");
    assert_non_null(strstr(fixture_registry(fixture)->unreadable[0], "Not a directory"));
}

static void a_relative_folder_is_passed_over(void **state)
{
    struct fixture *fixture = *state;

    fixture->folders[0] = "plugins";
    struct adn_registry *registry = fixture_registry(fixture);

    assert_int_equal(registry->count, 0);
    assert_non_null(
        strstr(registry->unreadable[0], "\"plugins\" is ignored: it must be an absolute"));
}

static void names_are_read_from_files_and_sorted(void **state)
{
    struct fixture *fixture = *state;
    static const char *const files[] = {"anydnn_zeta.so", "anydnn_a_1.so", "libother.so",
                                        "anydnn_x.so.1",  "anydnn_x.la",   ".anydnn_y.so",
                                        "anydnn_mid.so"};
    static const char *const names[] = {"a_1", "mid", "zeta"};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        fixture_write(fixture, files[i], "");
    struct adn_registry *registry = fixture_registry(fixture);

    assert_int_equal(registry->count, 3);
    assert_null(registry->unreadable[0]);
    for (int i = 0; i < 3; i++) {
        const struct adn_backend *backend = registry->backend[i];
        char file[64];

        snprintf(file, sizeof(file), "anydnn_%s.so", names[i]);
        assert_string_equal(backend->name, names[i]);
        assert_string_equal(backend->path, fixture_path(fixture, file));
        assert_int_equal(backend->index, i);
        assert_int_equal(backend->stage, ADN_LOAD_KNOWN);
        assert_null(backend->reason);
        assert_ptr_equal(adn_load_find(registry, names[i]), backend);
    }
    assert_null(adn_load_find(registry, "a"));
    assert_null(adn_load_find(registry, "zetas"));
    assert_null(adn_load_find(registry, ""));
}

static void bad_names_give_a_sentence(void **state)
{
    struct fixture *fixture = *state;

    fixture_write(fixture, "anydnn_Upper.so", "");
    fixture_write(fixture, "anydnn_.so", "");
    fixture_write(fixture, "anydnn_with-dash.so", "");
    fixture_write(fixture, "anydnn_a2345678901234567890123456789012.so", "");
    fixture_write(fixture, "anydnn_a234567890123456789012345678901.so", "");
    struct adn_registry *registry = fixture_registry(fixture);
    int sentences = 0;

    assert_int_equal(registry->count, 1);
    assert_string_equal(registry->backend[0]->name, "a234567890123456789012345678901");
    for (; registry->unreadable[sentences]; sentences++)
        assert_non_null(
            strstr(registry->unreadable[sentences], "1 to 31 characters of a-z, 0-9 and _"));
    assert_int_equal(sentences, 4);
}

static void the_first_folder_wins(void **state)
{
    struct fixture *fixture = *state;

    fixture_folder(fixture, "one");
    fixture_folder(fixture, "two");
    fixture_copy(fixture, "good_a", "one/anydnn_good_a.so");
    fixture_copy(fixture, "major", "two/anydnn_good_a.so");
    fixture_copy(fixture, "good_b", "two/anydnn_good_b.so");
    fixture->folders[0] = fixture_path(fixture, "one");
    fixture->folders[1] = fixture_path(fixture, "two");
    fixture_registry(fixture);
    assert_int_equal(fixture->registry->count, 2);
    assert_non_null(strstr(fixture_live(fixture, "good_a")->path, "/one/"));
    assert_non_null(strstr(fixture_live(fixture, "good_b")->path, "/two/"));
}

static void the_first_folder_wins_even_with_a_broken_file(void **state)
{
    struct fixture *fixture = *state;

    fixture_folder(fixture, "one");
    fixture_folder(fixture, "two");
    fixture_write(fixture, "one/anydnn_good_a.so",
                  "no shared object, but long enough for a header of one");
    fixture_copy(fixture, "good_a", "two/anydnn_good_a.so");
    fixture->folders[0] = fixture_path(fixture, "one");
    fixture->folders[1] = fixture_path(fixture, "two");
    fixture_fails(fixture, "good_a", ADN_LOAD_UNOPENED, "/one/", NULL);
    assert_int_equal(fixture_count(fixture->marker, "good_a"), 0);
}

static void add_module(struct fixture *fixture, const char *name, const char *module,
                       int32_t disabled)
{
    fixture->modules[fixture->module_count++] =
        (struct adn_load_module){name, module, disabled, "anydnn.conf:12"};
}

static void a_module_may_be_a_file_of_another_name(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "good_a", "special.so");
    add_module(fixture, "good_a", "special.so", 0);
    assert_string_equal(fixture_live(fixture, "good_a")->path, fixture_path(fixture, "special.so"));
}

static void a_module_may_be_an_absolute_path(void **state)
{
    struct fixture *fixture = *state;

    fixture_folder(fixture, "elsewhere");
    fixture_copy(fixture, "good_a", "elsewhere/good.so");
    fixture_copy(fixture, "major", "anydnn_good_a.so");
    add_module(fixture, "good_a", fixture_path(fixture, "elsewhere/good.so"), 0);
    assert_non_null(strstr(fixture_live(fixture, "good_a")->path, "/elsewhere/good.so"));
    assert_int_equal(fixture->registry->count, 1);
}

/* Checks a backend that failed before it was opened. */
static const char *ended(struct fixture *fixture, const char *name, int32_t stage)
{
    struct adn_backend *backend = adn_load_find(fixture_registry(fixture), name);

    assert_non_null(backend);
    assert_int_equal(backend->stage, stage);
    assert_int_equal(adn_load_open(backend), 0);
    assert_int_equal(backend->stage, stage);
    assert_non_null(backend->reason);
    assert_int_equal(fixture_count(fixture->log, name), 0);
    return backend->reason;
}

static void a_module_that_is_not_installed_is_missing(void **state)
{
    struct fixture *fixture = *state;

    add_module(fixture, "cudnn", NULL, 0);
    const char *reason = ended(fixture, "cudnn", ADN_LOAD_MISSING);

    assert_non_null(strstr(reason,
                           "backend cudnn, named by anydnn.conf:12, is not installed: no file "
                           "anydnn_cudnn.so in /"));
    assert_non_null(strstr(reason, fixture->folder));
    assert_null(adn_load_find(fixture->registry, "cudnn")->path);
}

static void a_module_file_that_no_folder_has_is_missing(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    add_module(fixture, "good_a", "other.so", 0);
    assert_non_null(strstr(ended(fixture, "good_a", ADN_LOAD_MISSING), "no file other.so in /"));
}

static void an_absolute_module_that_does_not_exist_is_missing(void **state)
{
    struct fixture *fixture = *state;

    add_module(fixture, "good_a", "/nowhere/good.so", 0);
    assert_string_equal(ended(fixture, "good_a", ADN_LOAD_MISSING),
                        "/nowhere/good.so, named by anydnn.conf:12, does not exist");
}

static void a_relative_module_is_refused(void **state)
{
    struct fixture *fixture = *state;

    fixture_folder(fixture, "sub");
    fixture_copy(fixture, "good_a", "sub/good.so");
    add_module(fixture, "good_a", "sub/good.so", 0);
    assert_non_null(strstr(ended(fixture, "good_a", ADN_LOAD_MISSING),
                           "(anydnn.conf:12) is neither a file name nor an absolute path"));
}

static void a_disabled_backend_is_not_opened(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    add_module(fixture, "good_a", NULL, 1);
    add_module(fixture, "absent", NULL, 1);
    assert_string_equal(ended(fixture, "good_a", ADN_LOAD_DISABLED),
                        "backend good_a is disabled by anydnn.conf:12 (enable = no)");
    ended(fixture, "absent", ADN_LOAD_DISABLED);
    assert_int_equal(fixture_count(fixture->marker, "good_a"), 0);
}

static void a_module_with_a_bad_name_gives_a_sentence(void **state)
{
    struct fixture *fixture = *state;

    add_module(fixture, "Bad Name", NULL, 0);
    struct adn_registry *registry = fixture_registry(fixture);

    assert_int_equal(registry->count, 0);
    assert_non_null(strstr(registry->unreadable[0], "the backend \"Bad Name\" of anydnn.conf:12"));
}

static void every_stage_has_a_name(void **state)
{
    (void)state;
    assert_string_equal(adn_load_stage_name(ADN_LOAD_KNOWN), "known");
    assert_string_equal(adn_load_stage_name(ADN_LOAD_LIVE), "live");
    assert_string_equal(adn_load_stage_name(ADN_LOAD_LIVE + 1), "unknown");
    assert_string_equal(adn_load_stage_name(-1), "unknown");
    for (int32_t i = ADN_LOAD_KNOWN; i < ADN_LOAD_LIVE; i++)
        assert_string_not_equal(adn_load_stage_name(i), adn_load_stage_name(i + 1));
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_empty_folder_has_no_backend),
        CASE(a_missing_folder_gives_a_sentence),
        CASE(a_file_in_place_of_a_folder_gives_a_sentence),
        CASE(a_relative_folder_is_passed_over),
        CASE(names_are_read_from_files_and_sorted),
        CASE(bad_names_give_a_sentence),
        CASE(the_first_folder_wins),
        CASE(the_first_folder_wins_even_with_a_broken_file),
        CASE(a_module_may_be_a_file_of_another_name),
        CASE(a_module_may_be_an_absolute_path),
        CASE(a_module_that_is_not_installed_is_missing),
        CASE(a_module_file_that_no_folder_has_is_missing),
        CASE(an_absolute_module_that_does_not_exist_is_missing),
        CASE(a_relative_module_is_refused),
        CASE(a_disabled_backend_is_not_opened),
        CASE(a_module_with_a_bad_name_gives_a_sentence),
        CASE(every_stage_has_a_name),
    };

    return cmocka_run_group_tests_name("discover", tests, NULL, NULL);
}
