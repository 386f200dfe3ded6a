/* SPDX-License-Identifier: Apache-2.0 */
/* Tests anydnn_plugin_main and its description: one case for each rule that can be broken, and
 * the variations that are permitted. */
#include "fixture.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sys/log.h"

/* A fault of mocks/mock.c, the stage that must detect it, and the text of the sentence. */
struct fault {
    const char *name;
    int32_t stage;
    const char *first;
    const char *second;
};

static const struct fault faults[] = {
    {"error", ADN_LOAD_MAIN, "returned status 4", "the moon is in the wrong phase"},
    {"error_silent", ADN_LOAD_MAIN, "returned status 9", "without a message"},
    {"null", ADN_LOAD_MAIN, "but no description (NULL)", "report this to its vendor"},
    {"misaligned", ADN_LOAD_INVALID, "its description is at", "not a multiple of 8"},
    {"size_0", ADN_LOAD_INVALID, "its description has struct_size 0", "needs at least 96"},
    {"size_short", ADN_LOAD_INVALID, "its description has struct_size 88", "needs at least 96"},
    {"size_huge", ADN_LOAD_INVALID, "struct_size 3735928559", "sizeof"},
    {"name_null", ADN_LOAD_INVALID, "its name is NULL", "must be a string"},
    {"name_bad", ADN_LOAD_INVALID, "its name is \"Faulty-1\"", "a-z, 0-9 and _"},
    {"name_long", ADN_LOAD_INVALID, "its name is \"a_name_that_is_longer", "1 to 31"},
    {"name_empty", ADN_LOAD_INVALID, "its name is \"\"", "1 to 31"},
    {"name_other", ADN_LOAD_INVALID, "its name is \"somebody_else\"",
     "was looked up as \"good_a\""},
    {"vendor_null", ADN_LOAD_INVALID, "its vendor is NULL", "must be a string"},
    {"version_long", ADN_LOAD_INVALID, "its version is longer than 1023 characters", "\"vvvv"},
    {"build_id_null", ADN_LOAD_INVALID, "its build_id is NULL", "must be a string"},
    {"space_null", ADN_LOAD_INVALID, "its space is NULL", "must be a string"},
    {"space_bad", ADN_LOAD_INVALID, "its space is \"my space\"", "a-z, 0-9 and _"},
    {"space_cpu", ADN_LOAD_INVALID, "its space is \"cpu\"", "must not be \"cpu\" or \"auto\""},
    {"space_without_table", ADN_LOAD_INVALID,
     "its space is \"mockdev\", and its space_convention is NULL", "1 to 63 characters"},
    {"space_unnumbered", ADN_LOAD_INVALID, "its space_convention is NULL", "\"opencl/svm-1\""},
    {"space_without_convention", ADN_LOAD_INVALID, "its space_convention is NULL", ""},
    {"space_convention_empty", ADN_LOAD_INVALID, "its space_convention is empty", ""},
    {"space_unrecorded", ADN_LOAD_INVALID, "record_end of its space is NULL",
     "record_begin is not: a backend must have both or neither"},
    {"space_native_foreign", ADN_LOAD_INVALID, "native of its space is in ",
     "not in the backend's own file"},
    {"host_with_table", ADN_LOAD_INVALID, "space_functions for the space \"host\"",
     "set them to NULL"},
    {"space_short", ADN_LOAD_INVALID, "its table of space functions has struct_size 152",
     "needs at least 160"},
    {"space_hole", ADN_LOAD_INVALID, "mark_elapsed of its space is NULL", "must be a function"},
    {"space_unwaiting", ADN_LOAD_INVALID, "stream_wait of its space is NULL",
     "stream_create is not: a backend must have both or neither"},
    {"space_keeping", ADN_LOAD_INVALID, "host_free of its space is NULL",
     "host_alloc is not: a backend must have both or neither"},
    {"space_stream_foreign", ADN_LOAD_INVALID, "stream_destroy of its space is in ",
     "not in the backend's own file"},
    {"space_foreign", ADN_LOAD_INVALID, "record_replay of its space is in ",
     "not in the backend's own file"},
    {"context_create_null", ADN_LOAD_INVALID, "context_create of its description is NULL", ""},
    {"context_destroy_wild", ADN_LOAD_INVALID, "context_destroy of its description is in no file",
     ""},
    {"no_operations", ADN_LOAD_INVALID, "it has 0 operations", "1 to 1024"},
    {"many_operations", ADN_LOAD_INVALID, "it has 2147483647 operations", "1 to 1024"},
    {"operations_null", ADN_LOAD_INVALID, "its array of 2 operations is NULL", ""},
    {"operations_misaligned", ADN_LOAD_INVALID, "its array of 2 operations is at 0x31",
     "not a multiple of 8"},
    {"operation_null", ADN_LOAD_INVALID, "the pointer to element 1 of its operations is NULL", ""},
    {"operation_misaligned", ADN_LOAD_INVALID, "element 1 of its operations is at 0x11",
     "not a multiple of 8"},
    {"duplicate", ADN_LOAD_INVALID, "it lists operation 1 twice", ""},
    {"operation_zero", ADN_LOAD_INVALID, "element 1 of its operations has the number 0",
     "start at 1"},
    {"operation_short", ADN_LOAD_INVALID, "element 0 of its operations has struct_size 60",
     "needs at least 64"},
    {"no_slots", ADN_LOAD_INVALID, "its operation 1 has slots 0", "a bit for each operand"},
    {"no_candidates", ADN_LOAD_INVALID, "candidates of its operation 1 is NULL",
     "must be a function"},
    {"no_plan_create", ADN_LOAD_INVALID, "plan_create of its operation 1 is NULL",
     "must be a function"},
    {"no_plan_execute", ADN_LOAD_INVALID, "plan_execute of its operation 1 is NULL",
     "must be a function"},
    {"no_plan_destroy", ADN_LOAD_INVALID, "plan_destroy of its operation 1 is NULL",
     "must be a function"},
    {"foreign_function", ADN_LOAD_INVALID, "plan_destroy of its operation 1 is in ",
     "not in the backend's own file"},
    {"no_types", ADN_LOAD_INVALID, "supports nothing: types 0x0, layouts 0x1, maths 0x1", ""},
    {"no_layouts", ADN_LOAD_INVALID, "layouts 0x0", ""},
    {"no_maths", ADN_LOAD_INVALID, "maths 0x0", ""},
    {"limits_null", ADN_LOAD_INVALID, "its array of 1 limits is NULL", ""},
    {"limit_short", ADN_LOAD_INVALID, "element 0 of its limits has struct_size 16", "at least 24"},
    {"limit_name_null", ADN_LOAD_INVALID, "its limit's name is NULL", "must be a string"},
    {"settings_null", ADN_LOAD_INVALID, "its array of 1 settings is NULL", ""},
    {"setting_null", ADN_LOAD_INVALID, "element 0 of its settings is NULL", ""},
    {"setting_short", ADN_LOAD_INVALID, "element 0 of its settings has struct_size 16",
     "at least 24"},
    {"setting_key_bad", ADN_LOAD_INVALID, "a setting's key is \"Fault\"", "a-z, 0-9 and _"},
    {"setting_help_null", ADN_LOAD_INVALID, "its setting's help is NULL", "must be a string"},
    {"setting_help_lines", ADN_LOAD_INVALID, "the help of its setting `fault`",
     "more than one line"},
    {"errata_long", ADN_LOAD_INVALID, "its errata are longer than 1048576 bytes", ""},
    {"library_version_wild", ADN_LOAD_INVALID, "library_version of its description is in no file",
     ""},
};

#define FAULT_COUNT (sizeof(faults) / sizeof(faults[0]))

static void a_fault_is_refused(void **state)
{
    struct fixture *fixture = *state;
    const struct fault *fault = fixture->given;

    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    fixture->fault = fault->name;
    fixture_fails(fixture, "good_a", fault->stage, fault->first, fault->second, NULL);
    assert_int_equal(fixture_count(fixture->marker, "good_a main"), 1);
}

/* ------------------------------------------------------------------ permitted variations */

static struct adn_backend *live_with(void **state, const char *fault)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    fixture->fault = fault;
    return fixture_live(fixture, "good_a");
}

static void a_good_backend_is_live(void **state)
{
    struct fixture *fixture = *state;
    struct adn_backend *backend = live_with(state, NULL);
    const struct anydnn_plugin *plugin = backend->plugin;

    assert_string_equal(plugin->name, "good_a");
    assert_string_equal(plugin->version, "1.0");
    assert_string_equal(plugin->space, "host");
    assert_int_equal(plugin->flags, ANYDNN_PLUGIN_FORK_SAFE);
    assert_int_equal(plugin->operation_count, 2);
    assert_int_equal(plugin->limit_count, 1);
    assert_string_equal(plugin->limits[0]->sentence, "dilations up to 4");
    assert_int_equal(plugin->setting_count, 1);
    assert_string_equal(plugin->settings[0]->key, "fault");
    assert_non_null(backend->operation[ANYDNN_PLUGIN_CONVOLUTION_FORWARD]);
    assert_non_null(backend->operation[ANYDNN_PLUGIN_SOFTMAX_FORWARD]);
    assert_null(backend->operation[ANYDNN_PLUGIN_IM2COL]);
    assert_ptr_equal(plugin->operations[0], backend->operation[ANYDNN_PLUGIN_CONVOLUTION_FORWARD]);
    assert_string_equal(fixture_identity(backend), "good_a");
    assert_int_equal(fixture_count(fixture->log, ""), 0);
    assert_int_equal(fixture_count(fixture->marker, "good_a main"), 1);
    assert_true(fixture_mapped(backend->path));
}

static void the_host_table_is_complete(void **state)
{
    const struct anydnn_plugin_host *host = &live_with(state, NULL)->host;

    assert_int_equal(host->struct_size, sizeof(*host));
    assert_int_equal(host->abi_major, ANYDNN_PLUGIN_ABI_MAJOR);
    assert_int_equal(host->abi_minor, ANYDNN_PLUGIN_ABI_MINOR);
    assert_int_equal(host->fork_number(), 1);
    assert_null(host->setting(host, "unset"));
    assert_null(host->setting(host, NULL));
    void *memory = host->alloc(1000);

    assert_non_null(memory);
    assert_int_equal((uintptr_t)memory % 64, 0);
    host->free(memory);
    host->free(NULL);
}

static void error_texts_are_kept_for_the_thread(void **state)
{
    const struct anydnn_plugin_host *host = &live_with(state, NULL)->host;
    char text[] = "first\tsecond\n";

    assert_string_equal(adn_load_error_text(), "");
    host->set_error(host, text);
    text[0] = 'F';
    assert_string_equal(adn_load_error_text(), "first second ");
    host->set_error(host, NULL);
    assert_string_equal(adn_load_error_text(), "");
    host->set_error(host, "again");
    adn_load_error_clear();
    assert_string_equal(adn_load_error_text(), "");
}

static void log_lines_carry_the_backends_name(void **state)
{
    struct fixture *fixture = *state;

    live_with(state, "log");
    assert_int_equal(fixture_count(fixture->log, "good_a: error: an error (mock.c:17)"), 1);
    assert_int_equal(fixture_count(fixture->log, "good_a: warning: a warning"), 1);
    assert_int_equal(fixture_count(fixture->log, "good_a: error: below error"), 1);
    assert_int_equal(fixture_count(fixture->log, ""), 3);
}

static void debug_lines_show_at_their_level(void **state)
{
    struct fixture *fixture = *state;

    adn_log_level_set(ADN_LOG_TRACE);
    live_with(state, "log");
    adn_log_level_set(ADN_LOG_WARN);
    assert_int_equal(fixture_count(fixture->log, "good_a: debug: a debug line"), 1);
    assert_int_equal(fixture_count(fixture->log, "good_a: trace: beyond trace"), 1);
}

static void a_longer_description_is_cut(void **state)
{
    assert_int_equal(live_with(state, "size_long")->plugin->operation_count, 2);
}

static void a_longer_operation_is_cut(void **state)
{
    const struct adn_backend *backend = live_with(state, "operation_long");

    assert_string_equal(fixture_identity(backend), "good_a");
}

static void a_missing_tail_reads_as_zero(void **state)
{
    const struct anydnn_plugin *plugin = live_with(state, "limit_without_sentence")->plugin;

    assert_string_equal(plugin->limits[0]->name, "dilation");
    assert_null(plugin->limits[0]->sentence);
}

static void operations_of_the_future_are_passed_over(void **state)
{
    const struct anydnn_plugin *plugin = live_with(state, "operation_unknown")->plugin;

    assert_int_equal(plugin->operation_count, 1);
    assert_int_equal(plugin->operations[0]->operation, ANYDNN_PLUGIN_CONVOLUTION_FORWARD);
}

static void a_space_of_its_own_is_live(void **state)
{
    const struct anydnn_plugin *plugin = live_with(state, "space_fine")->plugin;

    assert_string_equal(plugin->space, "mockdev");
    assert_non_null(plugin->space_functions->poisoned);
}

static void a_space_may_be_anothers(void **state)
{
    assert_null(live_with(state, "space_guest")->plugin->space_functions);
}

static void a_space_may_lack_what_came_late(void **state)
{
    const struct anydnn_plugin_space *space =
        live_with(state, "space_old")->plugin->space_functions;

    assert_non_null(space->poisoned);
    assert_null(space->stream_create);
    assert_null(space->device_identity);
}

static void a_space_may_lack_one_of_a_kind(void **state)
{
    const struct anydnn_plugin_space *space =
        live_with(state, "space_unnamed")->plugin->space_functions;

    assert_non_null(space->stream_wait);
    assert_null(space->device_identity);
}

/* Kinds apply once the description is read; a key without a known kind counts as one that names
 * code. */
static void settings_have_kinds(void **state)
{
    static const struct {
        const char *fault;
        uint32_t kind;
    } rows[] = {
        {"setting_is_file", ANYDNN_PLUGIN_SETTING_FILE},
        {"setting_is_choice", ANYDNN_PLUGIN_SETTING_CHOICE},
        {"setting_kind_unknown", ANYDNN_PLUGIN_SETTING_CODE},
        {NULL, ANYDNN_PLUGIN_SETTING_CODE},
    };
    struct fixture *fixture = *state;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct adn_backend *backend;

        fixture_copy(fixture, "good_a", "anydnn_good_a.so");
        fixture_registry(fixture);
        fixture->fault = rows[i].fault;
        fixture->kind = 99;
        backend = adn_load_find(fixture->registry, "good_a");
        assert_int_equal(adn_load_setting_kind(backend, "fault"), ANYDNN_PLUGIN_SETTING_CODE);
        fixture_live(fixture, "good_a");
        assert_int_equal(fixture->kind, ANYDNN_PLUGIN_SETTING_CODE);
        assert_int_equal(adn_load_setting_kind(backend, "fault"), rows[i].kind);
        assert_int_equal(adn_load_setting_kind(backend, "faul"), ANYDNN_PLUGIN_SETTING_CODE);
        backend->host.setting(&backend->host, "fault");
        assert_int_equal(fixture->kind, rows[i].kind);
        assert_int_equal(unlink(backend->path), 0);
    }
}

static void a_fork_inside_main_is_survived(void **state)
{
    live_with(state, "fork");
}

static void opening_from_inside_main_answers_0(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    fixture_registry(fixture);
    fixture->fault = "reenter";
    fixture->inner = adn_load_find(fixture->registry, "good_a");
    fixture->inner_answer = -1;
    fixture_live(fixture, "good_a");
    assert_int_equal(fixture->inner_answer, 0);
}

static void opening_another_from_inside_main_changes_nothing(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    fixture_copy(fixture, "good_b", "anydnn_good_b.so");
    fixture_registry(fixture);
    fixture->fault = "reenter";
    fixture->inner = adn_load_find(fixture->registry, "good_b");
    fixture->inner_answer = -1;
    fixture_live(fixture, "good_a");
    assert_int_equal(fixture->inner_answer, 0);
    assert_int_equal(fixture->inner->stage, ADN_LOAD_KNOWN);
    fixture->fault = NULL;
    fixture_live(fixture, "good_b");
}

/* ------------------------------------------------------------------ owners of functions and
 * names */

static void a_file_of_another_backends_name_is_refused(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "good_a", "anydnn_other.so");
    fixture_fails(fixture, "other", ADN_LOAD_INVALID, "its name is \"good_a\"",
                  "was looked up as \"other\"", NULL);
}

static void a_module_for_another_section_is_refused(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    fixture->modules[fixture->module_count++] =
        (struct adn_load_module){"good_b", "anydnn_good_a.so", 0, "anydnn.conf:3"};
    fixture_fails(fixture, "good_b", ADN_LOAD_INVALID, "its name is \"good_a\"", "[plugin NAME]",
                  NULL);
    fixture_live(fixture, "good_a");
}

static void twins_do_not_share_their_globals(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    fixture_copy(fixture, "good_b", "anydnn_good_b.so");
    assert_string_equal(fixture_identity(fixture_live(fixture, "good_a")), "good_a");
    assert_string_equal(fixture_identity(fixture_live(fixture, "good_b")), "good_b");
}

/* This program exports the function, as do the mocks that hide nothing. */
__attribute__((visibility("default"))) int32_t
mock_shared_candidates(struct anydnn_plugin_context *context,
                       const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                       void *cookie);

int32_t mock_shared_candidates(struct anydnn_plugin_context *context,
                               const struct anydnn_plugin_problem *problem,
                               anydnn_plugin_offer_fn offer, void *cookie)
{
    (void)context;
    (void)problem;
    (void)offer;
    (void)cookie;
    return 9;
}

static void a_function_of_the_program_is_refused(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "interposed", "anydnn_interposed.so");
    fixture_fails(fixture, "interposed", ADN_LOAD_INVALID, "candidates of its operation 1 is in ",
                  "test_faults, not in the backend's own file", NULL);
}

static void hidden_functions_are_not_interposed(void **state)
{
    assert_string_equal(fixture_identity(live_with(state, NULL)), "good_a");
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

int main(void)
{
    static const struct CMUnitTest others[] = {
        CASE(a_good_backend_is_live),
        CASE(the_host_table_is_complete),
        CASE(error_texts_are_kept_for_the_thread),
        CASE(log_lines_carry_the_backends_name),
        CASE(debug_lines_show_at_their_level),
        CASE(a_longer_description_is_cut),
        CASE(a_longer_operation_is_cut),
        CASE(a_missing_tail_reads_as_zero),
        CASE(operations_of_the_future_are_passed_over),
        CASE(a_space_of_its_own_is_live),
        CASE(a_space_may_be_anothers),
        CASE(a_space_may_lack_what_came_late),
        CASE(a_space_may_lack_one_of_a_kind),
        CASE(settings_have_kinds),
        CASE(a_fork_inside_main_is_survived),
        CASE(opening_from_inside_main_answers_0),
        CASE(opening_another_from_inside_main_changes_nothing),
        CASE(a_file_of_another_backends_name_is_refused),
        CASE(a_module_for_another_section_is_refused),
        CASE(twins_do_not_share_their_globals),
        CASE(a_function_of_the_program_is_refused),
        CASE(hidden_functions_are_not_interposed),
    };
    struct CMUnitTest tests[FAULT_COUNT + sizeof(others) / sizeof(others[0])];
    char names[FAULT_COUNT][64];

    for (size_t i = 0; i < FAULT_COUNT; i++) {
        snprintf(names[i], sizeof(names[i]), "fault_%s", faults[i].name);
        tests[i] = (struct CMUnitTest){names[i], a_fault_is_refused, fixture_setup,
                                       fixture_teardown, (void *)(uintptr_t)&faults[i]};
    }
    memcpy(tests + FAULT_COUNT, others, sizeof(others));
    return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
