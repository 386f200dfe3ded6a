/* SPDX-License-Identifier: Apache-2.0 */
/* A process that contains the test backends, and short functions that make the arguments of
 * calls. */
#include "tests/dispatch/fixture.h"

#include <dirent.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "desc/names.h"
#include "desc/shape.h"
#include "dispatch/handle/global.h"
#include "sys/error.h"
#include "tests/dispatch/fixture_private.h"

static char folder[PATH_MAX];
static long log_read; /* bytes of the log already returned */
static char messages[16384];
static char messages_told[16384];
static atomic_size_t messages_end;
static struct adn_settings first_settings;

static const char *const backends[] = {"mock_a", "mock_b", "mock_device", "mock_far",
                                       "mock_mirror"};
#define BACKENDS (sizeof(backends) / sizeof(backends[0]))

const char *fixture_path(const char *file)
{
    static char paths[4][PATH_MAX + 64];
    static int turn;
    char *path = paths[turn++ % 4];

    snprintf(path, sizeof(paths[0]), "%s/%s", folder, file);
    return path;
}

static void write_settings(const char *anydnn_keys, const char *mock_a_keys)
{
    FILE *file = fopen(fixture_path("anydnn.conf"), "w");

    assert_non_null(file);
    fprintf(file, "[anydnn]\nplugin_path = %s:%s\ndevice = cpu\nlog = error\ntune_check = no\n%s\n",
            getenv("ANYDNN_TEST_MOCKDIR"), getenv("ANYDNN_TEST_PLUGINDIR"), anydnn_keys);
    for (size_t i = 0; i < BACKENDS; i++)
        fprintf(file, "[plugin %s]\nset.log = %s\n%s\n", backends[i], fixture_path("log"),
                i == 0 ? mock_a_keys : "");
    fprintf(file, "set.of = %s/anydnn_cpu_ref.so\n", getenv("ANYDNN_TEST_PLUGINDIR"));
    fprintf(file, "[route]\n* = mock_a, mock_b\nim2col = mock_device\n");
    fclose(file);
}

void fixture_configure(const char *anydnn_keys, const char *mock_a_keys)
{
    const char *build = getenv("ANYDNN_TEST_BUILDDIR");

    if (folder[0] == '\0') {
        snprintf(folder, sizeof(folder), "%s/tests/dispatch_XXXXXX", build ? build : "/tmp");
        assert_non_null(mkdtemp(folder));
    }
    write_settings(anydnn_keys, mock_a_keys);
    setenv("ANYDNN_CONFIG", fixture_path("anydnn.conf"), 1);
}

int fixture_group_setup(void **state)
{
    (void)state;
    fixture_configure("", "");
    return 0;
}

/* Removes the folder with everything that tests wrote to it: traces, messages, settings. */
static void remove_folder(void)
{
    DIR *files = opendir(folder);
    const struct dirent *entry;

    while (files && (entry = readdir(files)))
        unlinkat(dirfd(files), entry->d_name, 0);
    if (files)
        closedir(files);
    rmdir(folder);
}

int fixture_group_teardown(void **state)
{
    (void)state;
    remove_folder();
    return 0;
}

struct adn_settings *fixture_settings(void)
{
    struct adn_global *global = NULL;

    assert_int_equal(adn_global_get("test", &global), ANYDNN_STATUS_SUCCESS);
    return global->settings;
}

static struct adn_plugin_section *section_of(const char *backend)
{
    for (struct adn_plugin_section *at = fixture_settings()->plugins; at; at = at->next)
        if (strcmp(at->name, backend) == 0)
            return at;
    fail_msg("no section [plugin %s]", backend);
    return NULL;
}

void fixture_set(const char *backend, const char *key, const char *value)
{
    struct adn_plugin_section *section = section_of(backend);
    struct adn_plugin_setting *set;

    for (set = section->set; set && strcmp(set->key, key) != 0; set = set->next)
        ;
    if (!set) {
        set = calloc(1, sizeof(*set));
        assert_non_null(set);
        set->key = strdup(key);
        set->next = section->set;
        section->set = set;
    }
    free(set->value);
    set->value = strdup(value ? value : "");
}

static void first_backend_settings(void)
{
    for (size_t i = 0; i < BACKENDS; i++)
        for (struct adn_plugin_setting *at = section_of(backends[i])->set; at; at = at->next)
            if (strcmp(at->key, "log") != 0 && strcmp(at->key, "of") != 0)
                at->value[0] = '\0';
}

/* Stores a message. Any thread calls this, also in a forked child, so it takes no lock: each
 * message has its own slot. */
static void take_message(anydnnSeverity_t severity, void *user, const anydnnDebug_t *debug,
                         const char *text)
{
    size_t length = strlen(text);
    size_t at = atomic_fetch_add(&messages_end, length + 1);

    (void)severity;
    (void)user;
    (void)debug;
    if (at + length + 1 >= sizeof(messages))
        return;
    memcpy(messages + at, text, length);
    messages[at + length] = '\n';
}

static void forget_messages(void)
{
    memset(messages, 0, sizeof(messages));
    messages_end = 0;
}

const char *fixture_messages(void)
{
    memcpy(messages_told, messages, sizeof(messages));
    forget_messages();
    return messages_told;
}

int fixture_setup(void **state)
{
    (void)state;
    if (!first_settings.device)
        first_settings = *fixture_settings();
    *fixture_settings() = first_settings;
    first_backend_settings();
    unlink(fixture_path("log"));
    log_read = 0;
    forget_messages();
    anydnnSetCallback(ANYDNN_SEV_WARNING_EN | ANYDNN_SEV_INFO_EN, NULL, take_message);
    return 0;
}

int fixture_teardown(void **state)
{
    (void)state;
    fixture_free_all();
    anydnnSetCallback(0, NULL, NULL);
    return 0;
}

const char *fixture_log(void)
{
    static char *text;
    FILE *file = fopen(fixture_path("log"), "r");
    long size = 0;

    free(text);
    text = calloc(1, 1);
    if (!file)
        return text;
    fseek(file, 0, SEEK_END);
    size = ftell(file) - log_read;
    fseek(file, log_read, SEEK_SET);
    free(text);
    text = calloc(1, (size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), (size_t)size);
    log_read += size;
    fclose(file);
    return text;
}

int fixture_lines(const char *log, const char *one, const char *other)
{
    int count = 0;

    while (*log) {
        size_t length = strcspn(log, "\n");
        char *line = strndup(log, length);

        count += strstr(line, one) && strstr(line, other);
        free(line);
        log += length + (log[length] == '\n');
    }
    return count;
}

const char *fixture_record(anydnnHandle_t handle, const char *key)
{
    static char texts[4][8192];
    static int turn;
    char *text = texts[turn++ % 4];

    assert_ok(anydnnGetDispatchInfo(handle, key, text, sizeof(texts[0])));
    return text;
}

int64_t fixture_number(anydnnHandle_t handle, const char *key)
{
    int64_t value = -77;

    assert_ok(anydnnGetDispatchInfoInt(handle, key, &value));
    return value;
}

const char *fixture_error(void)
{
    static char text[ADN_ERROR_MAX];

    anydnnGetLastErrorString(text, sizeof(text));
    return text;
}

void fixture_status(anydnnStatus_t seen, anydnnStatus_t wanted, const char *text, const char *call,
                    const char *file, int line)
{
    if (seen != wanted) {
        print_error("%s\n  answered %s (%s), not %s\n", call, anydnnGetErrorString(seen),
                    seen ? fixture_error() : "", anydnnGetErrorString(wanted));
        _fail(file, line);
    }
    if (seen != ANYDNN_STATUS_SUCCESS)
        test_holds(fixture_error(), text, file, line);
}
