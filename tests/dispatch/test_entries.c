/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests every entry that computes. It compares the caller's arguments with what the backend
 * received, so that no argument is swapped or lost. It also checks the answer to each argument
 * that is missing, never set, destroyed or of another kind.
 */
#include "tests/dispatch/entries.h"

#include <anydnn/plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct entry_case *const tables[] = {entries_convolution,   entries_layer,
                                                  entries_normalization, entries_product,
                                                  entries_sequence,      entries_tensor};

static const struct {
    const char *name;
    size_t size;
} params_sizes[] = {
    {"convolution", sizeof(struct anydnn_plugin_convolution)},
    {"pooling", sizeof(struct anydnn_plugin_pooling)},
    {"activation", sizeof(struct anydnn_plugin_activation)},
    {"softmax", sizeof(struct anydnn_plugin_softmax)},
    {"lrn", sizeof(struct anydnn_plugin_lrn)},
    {"batch_normalization", sizeof(struct anydnn_plugin_batch_normalization)},
    {"dropout", sizeof(struct anydnn_plugin_dropout)},
    {"transform", sizeof(struct anydnn_plugin_transform)},
    {"op_tensor", sizeof(struct anydnn_plugin_op_tensor)},
    {"reduce", sizeof(struct anydnn_plugin_reduce)},
    {"spatial", sizeof(struct anydnn_plugin_spatial)},
    {"ctc", sizeof(struct anydnn_plugin_ctc)},
    {"normalization", sizeof(struct anydnn_plugin_normalization)},
    {"matmul", sizeof(struct anydnn_plugin_matmul)},
};

/* Returns the only line of the log with that verb, from ` operation=` (or ` d0=`) to ` answer=`. */
static char *line_of(const char *log, const char *verb, const char *from)
{
    const char *line = strstr(log, verb);
    const char *begin = line ? strstr(line, from) : NULL;
    const char *end = begin ? strstr(begin, " answer=") : NULL;

    if (!end || end > strchr(line, '\n') || strstr(end, verb))
        fail_msg("no single %s in the log:\n%s", verb, log);
    return strndup(begin + 1, (size_t)(end - begin - 1));
}

/* Checks ` size=N` and removes it from the line. */
static void check_size(char *line)
{
    char *size = strstr(line, " size=");
    char *params = strstr(line, " params=");
    char *end;

    if (!size)
        return;
    for (size_t i = 0; i < sizeof(params_sizes) / sizeof(params_sizes[0]); i++)
        if (strncmp(params + 8, params_sizes[i].name, (size_t)(size - params - 8)) == 0)
            assert_int_equal(strtoul(size + 6, &end, 10), params_sizes[i].size);
    end = size + 6 + strspn(size + 6, "0123456789");
    memmove(size, end, strlen(end) + 1);
}

/* Writes what the backend must receive as operands, given the arguments of the call. */
static void expect_operands(const struct entry_case *entry, const char *type, void *const *a,
                            char *text, size_t size)
{
    const void *data[16] = {NULL};
    const void *workspace = NULL;
    double scale[4] = {0, 0, 0, 0};
    char value[80] = "none";
    size_t length = 0;

    for (int i = 0; entry->argument[i].name; i++) {
        const char *what = entry->argument[i].what;

        if (what[0] == 'd' || what[0] == 'i')
            data[atoi(what + 1)] = a[i];
        else if (what[0] == 'f')
            scale[atoi(what + 1)] = entries_factor(atoi(what + 1), type);
        else if (strcmp(what, "one") == 0)
            scale[0] = 1;
        else if (strcmp(what, "ws") == 0)
            workspace = a[i];
        else if (strcmp(what, "value") == 0)
            snprintf(value, sizeof(value), "%.*s",
                     entry->fixed_type          ? 4
                     : strcmp(type, "f64") == 0 ? 16
                                                : 8,
                     "1122334455667788");
    }
    for (int slot = 0; slot < 16; slot++)
        if (data[slot])
            length += (size_t)snprintf(text + length, size - length, "d%d=%p ", slot, data[slot]);
    snprintf(text + length, size - length,
             "scale=%.17g,%.17g,%.17g,%.17g number=%.17g,0,0,0 value=%s stream=0x0 "
             "workspace=0x%lx bytes=%d",
             scale[0], scale[1], scale[2], scale[3], entry->number, value, (unsigned long)workspace,
             workspace ? ENTRY_WORKSPACE_BYTES : 0);
}

static void compare(const struct entry_case *entry, const char *type)
{
    void *a[ENTRY_ARGUMENTS] = {NULL};
    char operands[2048];
    const char *log;
    char *line;

    entries_make(entry, type, a);
    fixture_log();
    assert_ok(entry->call(a));
    log = fixture_log();
    line = line_of(log, "mock_a plan_create", " operation=");
    check_size(line);
    assert_string_equal(line, entries_typed(entry->problem, type));
    free(line);
    expect_operands(entry, type, a, operands, sizeof(operands));
    line = line_of(log, "mock_a plan_execute", " d0=");
    assert_string_equal(line, operands);
    free(line);
}

static void caller_and_backend_agree(void **state)
{
    compare(*state, "f32");
}

static void the_same_in_double(void **state)
{
    compare(*state, "f64");
}

/* An optional operand that is NULL is absent; a NULL workspace means no workspace. */
static void optional_arguments(void **state)
{
    const struct entry_case *entry = *state;
    void *a[ENTRY_ARGUMENTS] = {NULL};
    char absent[16];

    for (int i = 0; entry->argument[i].name; i++) {
        if (entry->argument[i].name[0] != '?')
            continue;
        entries_make(entry, "f32", a);
        a[i] = NULL;
        fixture_log();
        assert_ok(entry->call(a));
        snprintf(absent, sizeof(absent), " %s=", entry->argument[i].what);
        if (entry->argument[i].what[0] == 'd')
            assert_int_equal(fixture_lines(fixture_log(), "plan_execute", absent), 0);
        else
            assert_int_equal(fixture_lines(fixture_log(), "plan_execute", "workspace=0x0"), 1);
    }
}

static void check_null(const struct entry_case *entry, void **a, int i)
{
    const char *name = entry->argument[i].name;
    char sentence[160];

    a[i] = NULL;
    fixture_log();
    if (name[0] == '&') {
        assert_fails(entry->call(a), ANYDNN_STATUS_BAD_PARAM, entry->name);
    } else {
        snprintf(sentence, sizeof(sentence), "%s: %s%s is NULL", entry->name,
                 name[0] == 'h' ? "the " : "", name);
        assert_fails(entry->call(a),
                     name[0] == 'h' ? ANYDNN_STATUS_NOT_INITIALIZED : ANYDNN_STATUS_BAD_PARAM,
                     sentence);
    }
    assert_int_equal(fixture_lines(fixture_log(), "plan_execute", ""), 0);
}

static void arguments_that_are_null(void **state)
{
    const struct entry_case *entry = *state;
    void *a[ENTRY_ARGUMENTS] = {NULL};

    for (int i = 0; entry->argument[i].name; i++)
        if (entry->argument[i].name[0] != '?' && entry->argument[i].name[0] != '-') {
            entries_make(entry, "f32", a);
            check_null(entry, a, i);
        }
}

static void descriptors_that_are_none(void **state)
{
    static const uint64_t zeros[64];
    const struct entry_case *entry = *state;
    void *a[ENTRY_ARGUMENTS] = {NULL};
    char sentence[160];

    for (int i = 0; entry->argument[i].name; i++) {
        void *unset = entries_unset(entry->argument[i].what);
        anydnnTensorDescriptor_t tensor = fixture_tensor("f32:1,2,3,4");
        anydnnFilterDescriptor_t filter = fixture_filter("f32:1,2,3,4");

        if (!unset)
            continue;
        entries_make(entry, "f32", a);
        snprintf(sentence, sizeof(sentence), "%s: %s was created but never set", entry->name,
                 entry->argument[i].name);
        a[i] = unset;
        if (entry->argument[i].what[0] == 'L') /* LRN descriptors start with cuDNN's defaults */
            assert_ok(entry->call(a));
        else
            assert_fails(entry->call(a), ANYDNN_STATUS_BAD_PARAM, sentence);
        snprintf(sentence, sizeof(sentence), "%s: %s is an invalid or destroyed descriptor",
                 entry->name, entry->argument[i].name);
        a[i] = (void *)zeros;
        assert_fails(entry->call(a), ANYDNN_STATUS_BAD_PARAM, sentence);
        snprintf(sentence, sizeof(sentence), "%s: %s is a ", entry->name, entry->argument[i].name);
        a[i] = entry->argument[i].what[0] == 't' ? (void *)filter : (void *)tensor;
        assert_fails(entry->call(a), ANYDNN_STATUS_BAD_PARAM, sentence);
    }
}

static int teardown(void **state)
{
    entries_free();
    return fixture_teardown(state);
}

struct kind {
    const char *title;
    CMUnitTestFunction test;
    int any_type; /* 1 if the case is meaningless for a fixed type */
};

static const struct kind kinds[] = {
    {"caller and backend agree", caller_and_backend_agree, 0},
    {"the same in double", the_same_in_double, 1},
    {"optional arguments", optional_arguments, 0},
    {"arguments that are NULL", arguments_that_are_null, 0},
    {"descriptors that are none", descriptors_that_are_none, 0},
};

static int keep_state(void **state)
{
    void *initial = *state;
    int answer = fixture_setup(state);

    *state = initial;
    return answer;
}

int main(void)
{
    static struct CMUnitTest tests[400];
    static char names[400][96];
    size_t count = 0;

    for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
        for (const struct entry_case *entry = tables[t]; entry->name; entry++)
            for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
                if (kinds[k].any_type && entry->fixed_type)
                    continue;
                snprintf(names[count], sizeof(names[0]), "%s: %s", entry->name, kinds[k].title);
                tests[count] = (struct CMUnitTest){.name = names[count],
                                                   .test_func = kinds[k].test,
                                                   .setup_func = keep_state,
                                                   .teardown_func = teardown,
                                                   .initial_state = (void *)entry};
                count++;
            }
    return _cmocka_run_group_tests("entries", tests, count, fixture_group_setup,
                                   fixture_group_teardown);
}
