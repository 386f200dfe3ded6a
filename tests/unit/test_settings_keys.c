/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the valid values of every key, the messages for invalid ones, and the shipped file
 * against the built-in values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings/keys.h"

#include "settings_fixture.h"

#define DIGITS_31 "a123456789012345678901234567890"

struct key_case {
    const char *section;
    const char *key;
    const char *value;
    const char *shown; /* the form in items; NULL if the value is bad */
    const char *error; /* part of the sentence */
};

#define MUST "the value must be "

static const struct key_case cases[] = {
    {"anydnn", "schema", "1", "", NULL},
    {"anydnn", "schema", "-1", NULL, "schema = -1: the value must be a number"},
    {"anydnn", "device", "auto", "auto", NULL},
    {"anydnn", "device", "cpu", "cpu", NULL},
    {"anydnn", "device", "cuda", "cuda", NULL},
    {"anydnn", "device", "cuda:0", "cuda:0", NULL},
    {"anydnn", "device", "my_npu2:15", "my_npu2:15", NULL},
    {"anydnn", "device", "", NULL, "device = : " MUST "auto, cpu, or"},
    {"anydnn", "device", "CUDA", NULL, "device = CUDA: " MUST},
    {"anydnn", "device", "cuda:", NULL, "device = cuda:: " MUST},
    {"anydnn", "device", "cuda:-1", NULL, "device = cuda:-1: " MUST},
    {"anydnn", "device", "cuda:1x", NULL, "device = cuda:1x: " MUST},
    {"anydnn", "device", "cuda:2147483648", NULL, MUST},
    {"anydnn", "device", "cuda:99999999999999999999999", NULL, MUST},
    {"anydnn", "device", "cpu:1", NULL, "device = cpu:1: " MUST},
    {"anydnn", "device", "auto:0", NULL, "device = auto:0: " MUST},
    {"anydnn", "device", DIGITS_31 ":7", DIGITS_31 ":7", NULL},
    {"anydnn", "device", DIGITS_31 "1:7", NULL, MUST},
    {"anydnn", "fallback", "on", "on", NULL},
    {"anydnn", "fallback", "warn", "warn", NULL},
    {"anydnn", "fallback", "off", "off", NULL},
    {"anydnn", "fallback", "yes", NULL, "fallback = yes: " MUST "on, warn or off"},
    {"anydnn", "fallback", "on # really", NULL, "(a comment after a value begins with ` ;`)"},
    {"anydnn", "staging", "last", "last", NULL},
    {"anydnn", "staging", "listed", "listed", NULL},
    {"anydnn", "staging", "off", "off", NULL},
    {"anydnn", "staging", "on", NULL, "staging = on: " MUST "last, listed or off"},
    {"anydnn", "deterministic", "yes", "yes", NULL},
    {"anydnn", "deterministic", "no", "no", NULL},
    {"anydnn", "deterministic", "1", NULL, "deterministic = 1: " MUST "yes or no"},
    {"anydnn", "workspace_limit", "none", "none", NULL},
    {"anydnn", "workspace_limit", "0", "0", NULL},
    {"anydnn", "workspace_limit", "1000", "1000", NULL},
    {"anydnn", "workspace_limit", "64K", "64K", NULL},
    {"anydnn", "workspace_limit", "256M", "256M", NULL},
    {"anydnn", "workspace_limit", "2048M", "2G", NULL},
    {"anydnn", "workspace_limit", "16777215T", "16777215T", NULL},
    {"anydnn", "workspace_limit", "16777216T", NULL, MUST "none or a number of bytes"},
    {"anydnn", "workspace_limit", "18446744073709551614", "18446744073709551614", NULL},
    {"anydnn", "workspace_limit", "18446744073709551615", NULL, MUST},
    {"anydnn", "workspace_limit", "99999999999999999999", NULL, MUST},
    {"anydnn", "workspace_limit", "-1", NULL, "workspace_limit = -1: " MUST},
    {"anydnn", "workspace_limit", "1MB", NULL, "workspace_limit = 1MB: " MUST},
    {"anydnn", "workspace_limit", "1m", NULL, MUST},
    {"anydnn", "workspace_limit", "M", NULL, MUST},
    {"anydnn", "workspace_limit", "1.5G", NULL, MUST},
    {"anydnn", "plan_cache", "1", "1", NULL},
    {"anydnn", "plan_cache", "65536", "65536", NULL},
    {"anydnn", "plan_cache", "0", NULL, "plan_cache = 0: " MUST "a number from 1 to 65536"},
    {"anydnn", "plan_cache", "65537", NULL, "plan_cache = 65537: " MUST},
    {"anydnn", "plan_cache", "many", NULL, MUST},
    {"anydnn", "plan_cache", "0x10", NULL, MUST},
    {"anydnn", "plan_cache", "+5", NULL, MUST},
    {"anydnn", "log", "off", "off", NULL},
    {"anydnn", "log", "error", "error", NULL},
    {"anydnn", "log", "warn", "warn", NULL},
    {"anydnn", "log", "info", "info", NULL},
    {"anydnn", "log", "debug", "debug", NULL},
    {"anydnn", "log", "trace", "trace", NULL},
    {"anydnn", "log", "loud", NULL, "log = loud: " MUST "off, error, warn, info, debug or trace"},
    {"anydnn", "log_file", "stderr", "stderr", NULL},
    {"anydnn", "log_file", "stdout", "stdout", NULL},
    {"anydnn", "log_file", "/dev/null", "/dev/null", NULL},
    {"anydnn", "log_file", "run.log", NULL,
     "log_file = run.log: " MUST "stderr, stdout or an absolute path"},
    {"anydnn", "log_file", "", NULL, MUST},
    {"anydnn", "tuning", "off", "off", NULL},
    {"anydnn", "tuning", "/var/cache/a file", "/var/cache/a file", NULL},
    {"anydnn", "tuning", "on", NULL, "tuning = on: " MUST "off or an absolute path"},
    {"anydnn", "tuning", "", NULL, MUST},
    {"trace", "file", "off", "off", NULL},
    {"trace", "file", "/tmp/calls.%p", "/tmp/calls.%p", NULL},
    {"trace", "file", "calls", NULL, "file = calls: " MUST "off or an absolute path"},
    {"trace", "size", "none", "none", NULL},
    {"trace", "size", "64K", "64K", NULL},
    {"trace", "size", "64KB", NULL, "size = 64KB: " MUST},
    {"trace", "keep", "0", "0", NULL},
    {"trace", "keep", "99", "99", NULL},
    {"trace", "keep", "100", NULL, "keep = 100: " MUST "a number from 0 to 99"},
    {"trace", "tensors", "convolution_forward, pooling_*", "convolution_forward, pooling_*", NULL},
    {"trace", "tensors", "none", "none", NULL},
    {"trace", "tensors", "convolution_sideways", NULL, "tensors = convolution_sideways: " MUST},
    {"trace", "tensors", "softmax_forward,", NULL, MUST "none, or operations as routes name them"},
    {"trace", "times", "all", "all", NULL},
    {"trace", "times", "some", NULL, MUST "host or all"},
    {"trace", "dumps", "0", "0", NULL},
    {"trace", "dumps", "1000001", NULL, MUST "a number from 0 to 1000000"},
    {"trace", "dump_size", "1G", "1G", NULL},
    {"shadow", "sample", "off", "off", NULL},
    {"shadow", "sample", "first", "first", NULL},
    {"shadow", "sample", "all", "all", NULL},
    {"shadow", "sample", "every:10", "every:10", NULL},
    {"shadow", "sample", "1/1000", "1/1000", NULL},
    {"shadow", "sample", "1/0", NULL, "sample = 1/0: " MUST "off, first, all, every:N or 1/N"},
    {"shadow", "sample", "2/3", NULL, MUST},
    {"shadow", "sample", "every:", NULL, MUST},
    {"shadow", "sample", "every:-1", NULL, MUST},
    {"shadow", "sample", "some", NULL, MUST},
    {"shadow", "reference", "auto", "auto", NULL},
    {"shadow", "reference", "cpu_ref", "cpu_ref", NULL},
    {"shadow", "reference", "onednn:tensor_op", "onednn:tensor_op", NULL},
    {"shadow", "reference", "onednn:fast", NULL, MUST "auto, BACKEND or BACKEND:MATH"},
    {"shadow", "reference", "", NULL, MUST},
    {"shadow", "reference", "a backend", NULL, MUST},
    {"shadow", "operations", "*", "*", NULL},
    {"shadow", "operations", "lrn*", "lrn*", NULL},
    {"shadow", "operations", "*lrn", NULL, MUST},
    {"shadow", "bound", "derived", "derived", NULL},
    {"shadow", "bound", "1e-3", "1e-3", NULL},
    {"shadow", "bound", "0", NULL, "bound = 0: " MUST "derived or a number above 0"},
    {"shadow", "bound", "-1", NULL, MUST},
    {"shadow", "bound", "nan", NULL, MUST},
    {"shadow", "bound", "1e-3x", NULL, MUST},
    {"shadow", "on_mismatch", "count", "count", NULL},
    {"shadow", "on_mismatch", "warn", "warn", NULL},
    {"shadow", "on_mismatch", "dump", "dump", NULL},
    {"shadow", "on_mismatch", "error", "error", NULL},
    {"shadow", "on_mismatch", "abort", NULL, MUST "count, warn, dump or error"},
    {"shadow", "budget", "5 %", "5 %", NULL},
    {"shadow", "budget", "0.5%", "0.5%", NULL},
    {"shadow", "budget", "none", "none", NULL},
    {"shadow", "budget", "101 %", NULL, MUST "none or a percentage up to 100 %"},
    {"shadow", "budget", "0", NULL, MUST},
    {"shadow", "memory", "2G", "2G", NULL},
    {"shadow", "file", "/tmp/wrong.%p", "/tmp/wrong.%p", NULL},
    {"shadow", "file", "wrong", NULL, "file = wrong: " MUST "off or an absolute path"},
    {"shadow", "summary", "yes", "yes", NULL},
    {"check", "outputs", "off", "off", NULL},
    {"check", "outputs", "nan, inf, zero", "nan, inf, zero", NULL},
    {"check", "outputs", "nan,big", NULL, MUST "off, or some of nan, inf and zero"},
    {"check", "operations", "softmax_*", "softmax_*", NULL},
    {"cudnn9", "library", "auto", "auto", NULL},
    {"cudnn9", "library", "/opt/cudnn/lib", "/opt/cudnn/lib", NULL},
    {"cudnn9", "library", "cudnn/lib", NULL,
     "library = cudnn/lib: " MUST "auto or an absolute path"},
    {"cudnn9", "backends", "none", "none", NULL},
    {"cudnn9", "backends", "cuda_simt, onednn", "cuda_simt, onednn", NULL},
    {"cudnn9", "backends", "cuda simt", NULL, MUST "none, or backends as in a route"},
    {"cudnn9", "backends", "cuda_simt,", NULL, MUST "none, or backends as in a route"},
    {"cudnn9", "trace", "/tmp/calls.%p", "/tmp/calls.%p", NULL},
    {"cudnn9", "counters", "/tmp/calls.%p", "/tmp/calls.%p", NULL},
    {"cudnn9", "counters", "calls", NULL, MUST "off or an absolute path"},
    {"anydnn", "plugin_path", "none", "none", NULL},
    {"anydnn", "plugin_path", "/a", "/a", NULL},
    {"anydnn", "plugin_path", "/a:/b c:/d", "/a:/b c:/d", NULL},
    {"anydnn", "plugin_path", "/a , /b", "/a:/b", NULL},
    {"anydnn", "plugin_path", "a", NULL, "plugin_path = a: " MUST "none or absolute folders"},
    {"anydnn", "plugin_path", "/a:.", NULL, MUST},
    {"anydnn", "plugin_path", "/a:", NULL, MUST},
    {"anydnn", "plugin_path", "/a::/b", NULL, MUST},
    {"anydnn", "plugin_path", "", NULL, MUST},
    {"anydnn", "user_config", "none", "none", NULL},
    {"anydnn", "user_config", "merge", "merge", NULL},
    {"anydnn", "user_config", "only", "only", NULL},
    {"anydnn", "user_config", "both", NULL, "user_config = both: " MUST "none, merge or only"},
    {"plugin a_1", "module", "other.so", "other.so", NULL},
    {"plugin a_1", "module", "/opt/other.so", "/opt/other.so", NULL},
    {"plugin a_1", "module", "./other.so", NULL,
     "module = ./other.so: " MUST "a file name in plugindir"},
    {"plugin a_1", "module", "sub/other.so", NULL, MUST},
    {"plugin a_1", "module", "", NULL, MUST},
    {"plugin a_1", "enable", "auto", "auto", NULL},
    {"plugin a_1", "enable", "no", "no", NULL},
    {"plugin a_1", "enable", "yes", "yes", NULL},
    {"plugin a_1", "enable", "on", NULL, "enable = on: " MUST "auto, no or yes"},
    {"plugin a_1", "set.threads", "4", "4", NULL},
    {"plugin a_1", "set.Any-key.2", "a, b = c", "a, b = c", NULL},
    {"plugin a_1", "set.threads", "", "", NULL},
    {"plugin a_1", "set.", "1", NULL, "unknown key `set.` in [plugin a_1]"},
    {"plugin a_1", "set.a b", "1", NULL, "unknown key `set.a b`"},
    {"plugin a_1", "enabel", "yes", NULL,
     "unknown key `enabel` in [plugin a_1]; did you mean `enable`?"},
    {"plugin a_1", "threads", "4", NULL,
     "unknown key `threads` in [plugin a_1]; its keys are module, enable and set.KEY"},
    {"plugin A", "enable", "yes", NULL,
     "[plugin A]: a backend's name must have 1 to 31 characters"},
    {"plugin a b", "enable", "yes", NULL, "[plugin a b]: a backend's name"},
    {"plugin " DIGITS_31, "enable", "yes", "yes", NULL},
    {"plugin " DIGITS_31 "1", "enable", "yes", NULL, "a backend's name must have"},
    {"anydnn", "devcie", "cpu", NULL, "unknown key `devcie` in [anydnn]; did you mean `device`?"},
    {"anydnn", "log_level", "info", NULL, "unknown key `log_level` in [anydnn]"},
    {"anydnn", "Device", "cpu", NULL, "unknown key `Device` in [anydnn]; did you mean `device`?"},
    {"anydnn", "colour", "red", NULL,
     "unknown key `colour` in [anydnn]; anydnn.conf(5) lists the keys"},
    {"anydn", "device", "cpu", NULL, "unknown section [anydn]; did you mean `anydnn`?"},
    {"routes", "*", "cpu_ref", NULL, "unknown section [routes]; did you mean `route`?"},
    {"route tensorop", "*", "cpu_ref", NULL,
     "unknown section [route tensorop]; did you mean `route tensor_op`?"},
    {"plugin", "enable", "yes", NULL, "unknown section [plugin]"},
    {"plugins NAME", "enable", "yes", NULL,
     "unknown section [plugins NAME]; did you mean `plugin NAME`?"},
    {"weather", "enable", "yes", NULL,
     "unknown section [weather]; the sections are anydnn, trace, shadow, check, cudnn9, route, "},
};
#define CASE_COUNT (sizeof(cases) / sizeof(cases[0]))

static void run_case(void **state)
{
    const struct key_case *it = *state;
    char text[512], sentence[512];
    struct given given = {.system = text};
    const char *origin = NULL;
    struct adn_settings *settings;

    snprintf(text, sizeof(text), "# first\n\n[%s]\n%s = %s\n", it->section, it->key, it->value);
    settings = fixture_load(&given);
    if (it->shown != NULL) {
        assert_string_equal(fixture_messages, "");
        assert_int_equal(settings->dropped, 0);
        assert_string_equal(fixture_item(settings, it->section, it->key, &origin), it->shown);
        if (origin != NULL)
            assert_holds(origin, "/anydnn.conf:4");
    } else {
        assert_int_equal(settings->dropped, 1);
        assert_int_equal(fixture_message_count, 1);
        snprintf(sentence, sizeof(sentence),
                 "anydnn: warning: %s/anydnn.conf:4: ", fixture_folder());
        assert_holds(fixture_messages, sentence);
        assert_holds(fixture_messages, it->error);
        assert_holds(fixture_messages, "; the whole file is ignored");
        assert_null(settings->plugins);
    }
    assert_string_equal(settings->fatal, "");
    adn_settings_free(settings);
}

static void members(void **state)
{
    struct given given = {
        .system = "[anydnn]\ndevice=cuda:2\nfallback=warn\nstaging=listed\ndeterministic=no\n"
                  "workspace_limit=3M\nplan_cache=17\nlog=info\nlog_file=stdout\n"
                  "plugin_path=/x:/y\nuser_config=none\n"
                  "[plugin b]\nmodule=m.so\nenable=yes\nset.k=v\n"};
    struct adn_settings *s = fixture_load(&given);

    (void)state;
    assert_string_equal(s->device, "cuda:2");
    assert_int_equal(s->fallback, ADN_FALLBACK_WARN);
    assert_int_equal(s->staging, ADN_STAGING_LISTED);
    assert_int_equal(s->deterministic, 0);
    assert_int_equal(s->workspace_limit, 3 << 20);
    assert_int_equal(s->plan_cache, 17);
    assert_int_equal(s->log, 3);
    assert_string_equal(s->log_file, "stdout");
    assert_string_equal(s->plugin_path[0], "/x");
    assert_string_equal(s->plugin_path[1], "/y");
    assert_null(s->plugin_path[2]);
    assert_int_equal(s->user_config, 0);
    assert_string_equal(adn_settings_plugin(s, "b")->module, "m.so");
    assert_int_equal(adn_settings_plugin(s, "b")->enable, ADN_ENABLE_YES);
    assert_string_equal(adn_settings_plugin_set(s, "b", "k")->value, "v");
    assert_null(adn_settings_plugin_set(s, "b", "l"));
    assert_null(adn_settings_plugin_set(s, "c", "k"));
    assert_null(adn_settings_plugin(s, "c"));
    adn_settings_free(s);
}

static void builtin_values(void **state)
{
    struct given given = {.system = NULL};
    struct adn_settings *s = fixture_load(&given);
    const char *section, *key, *origin;
    char value[256];
    int count = 0;

    (void)state;
    assert_string_equal(fixture_messages, "");
    assert_string_equal(s->device, "auto");
    assert_int_equal(s->fallback, ADN_FALLBACK_ON);
    assert_int_equal(s->staging, ADN_STAGING_LAST);
    assert_int_equal(s->deterministic, 1);
    assert_true(s->workspace_limit == UINT64_MAX);
    assert_int_equal(s->plan_cache, 256);
    assert_int_equal(s->log, 2);
    assert_string_equal(s->log_file, "stderr");
    assert_null(s->plugin_path);
    assert_int_equal(s->user_config, 1);
    assert_null(s->plugins);
    assert_int_equal(s->rule_count, 12);
    while (adn_settings_item(s, count, &section, &key, value, sizeof(value), &origin) == 0) {
        assert_string_equal(origin, "built-in");
        count++;
    }
    assert_int_equal(count, adn_key_count + 12);
    assert_int_equal(adn_settings_item(s, -1, &section, &key, value, sizeof(value), &origin), -1);
    assert_int_equal(adn_settings_item(s, 9999, &section, &key, value, sizeof(value), &origin), -1);
    adn_settings_free(s);
}

/* ---- conf/anydnn.conf */

static char *shipped_text(void)
{
    const char *source = getenv("ANYDNN_TEST_SRCDIR");
    char path[512], *text = calloc(1, 65536);
    FILE *file;

    if (source == NULL)
        skip();
    snprintf(path, sizeof(path), "%s/conf/anydnn.conf", source);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, 65535, file) > 0);
    fclose(file);
    return text;
}

static void same_items(const struct adn_settings *a, const struct adn_settings *b)
{
    const char *section, *key, *origin, *b_section, *b_key;
    char value[256], b_value[256];
    int i = 0;

    for (; adn_settings_item(a, i, &section, &key, value, sizeof(value), &origin) == 0; i++) {
        char section_copy[64];

        snprintf(section_copy, sizeof(section_copy), "%s", section);
        assert_int_equal(
            adn_settings_item(b, i, &b_section, &b_key, b_value, sizeof(b_value), &origin), 0);
        assert_string_equal(section_copy, b_section);
        assert_string_equal(key, b_key);
        assert_string_equal(value, b_value);
    }
    assert_int_equal(adn_settings_item(b, i, &b_section, &b_key, b_value, sizeof(b_value), &origin),
                     -1);
}

static void shipped_equals_builtin(void **state)
{
    char *text = shipped_text();
    struct given nothing = {.system = NULL}, shipped = {.system = text};
    struct adn_settings *expected = fixture_load(&nothing);
    struct adn_settings *settings = fixture_load(&shipped);

    (void)state;
    assert_string_equal(fixture_messages, "");
    assert_int_equal(settings->dropped, 0);
    same_items(expected, settings);
    for (int i = 0; i < adn_key_count; i++)
        assert_holds(settings->key_origin[i], "/anydnn.conf:");
    adn_settings_free(expected);
    adn_settings_free(settings);
    free(text);
}

/* Activates settings that are comments: replaces a `;` at the beginning of a line by a newline. */
static void make_comments_live(char *text)
{
    for (char *c = text; (c = strstr(c, "\n;")) != NULL; c++)
        c[1] = '\n';
}

static void shipped_comments_equal_builtin(void **state)
{
    char *text = shipped_text();
    struct given nothing = {.system = NULL}, shipped = {.system = text};
    struct adn_settings *expected, *settings;
    char *plugin = strstr(text, "\n;[plugin cpu_ref]");

    (void)state;
    assert_non_null(plugin);
    plugin[1] = '\0';
    make_comments_live(text);
    expected = fixture_load(&nothing);
    settings = fixture_load(&shipped);
    assert_string_equal(fixture_messages, "");
    assert_int_equal(settings->rule_count, 2 * expected->rule_count);
    same_items(expected, settings);
    adn_settings_free(expected);
    adn_settings_free(settings);
    free(text);
}

static void shipped_plugin_section_is_good(void **state)
{
    char *text = shipped_text();
    struct given shipped = {.system = text};
    struct adn_settings *settings;

    (void)state;
    make_comments_live(text);
    settings = fixture_load(&shipped);
    assert_string_equal(fixture_messages, "");
    assert_string_equal(fixture_item(settings, "plugin cpu_ref", "module", NULL),
                        "anydnn_cpu_ref.so");
    assert_string_equal(fixture_item(settings, "plugin cpu_ref", "enable", NULL), "auto");
    adn_settings_free(settings);
    free(text);
}

#define KEY(name, ...)                 {#name, "\n" #name " = "},
#define SECTION_KEY(section, key, ...) {#section "." #key, "\n" #key " = "},
#define PLUGIN_KEY(name, ...)          {#name, "\n;" #name},
static const struct {
    const char *name;
    const char *line;
} all_keys[] = {
#include "settings/keys.def"
};

static void shipped_has_every_key(void **state)
{
    char *text = shipped_text();

    (void)state;
    assert_holds(text, "\nschema = 1\n");
    for (size_t i = 0; i < sizeof(all_keys) / sizeof(all_keys[0]); i++) {
        const char *line = strstr(text, all_keys[i].line);

        assert_holds(text, all_keys[i].line);
        /* A help line must precede it. */
        if (strncmp(all_keys[i].line, "\n;", 2) != 0) {
            while (line > text && line[-1] != '\n')
                line--;
            assert_int_equal(line[0], '#');
        }
    }
    free(text);
}

#define OTHERS                                                                                     \
    cmocka_unit_test(members), cmocka_unit_test(builtin_values),                                   \
        cmocka_unit_test(shipped_equals_builtin),                                                  \
        cmocka_unit_test(shipped_comments_equal_builtin),                                          \
        cmocka_unit_test(shipped_plugin_section_is_good), cmocka_unit_test(shipped_has_every_key)
#define OTHER_COUNT 6

int main(void)
{
    static char names[CASE_COUNT][160];
    struct CMUnitTest tests[CASE_COUNT + OTHER_COUNT] = {OTHERS};

    for (size_t i = 0; i < CASE_COUNT; i++) {
        snprintf(names[i], sizeof(names[i]), "[%s] %s = %s: %s", cases[i].section, cases[i].key,
                 cases[i].value, cases[i].shown != NULL ? "good" : "bad");
        tests[i + OTHER_COUNT] =
            (struct CMUnitTest){names[i], run_case, NULL, NULL, (void *)&cases[i]};
    }
    return _cmocka_run_group_tests("settings_keys", tests, CASE_COUNT + OTHER_COUNT, NULL, NULL);
}
