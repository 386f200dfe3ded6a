/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the loader's tests share. */
#include "fixture.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/log.h"

static const char *fixture_setting(void *cookie, const char *backend, const char *key,
                                   uint32_t kind)
{
    struct fixture *fixture = cookie;

    (void)backend;
    if (strcmp(key, "fault") == 0) {
        fixture->kind = kind;
        return fixture->fault;
    }
    if (strcmp(key, "reenter") == 0)
        fixture->inner_answer = adn_load_open(fixture->inner);
    return NULL;
}

int fixture_setup(void **state)
{
    const char *build = getenv("ANYDNN_TEST_BUILDDIR");
    struct fixture *fixture = calloc(1, sizeof(*fixture));

    if (!fixture)
        return -1;
    fixture->given = *state;
    snprintf(fixture->folder, sizeof(fixture->folder), "%s/load-XXXXXX", build ? build : "/tmp");
    if (!mkdtemp(fixture->folder))
        return -1;
    snprintf(fixture->marker, sizeof(fixture->marker), "%s/marker", fixture->folder);
    snprintf(fixture->log, sizeof(fixture->log), "%s/log", fixture->folder);
    fixture->folders[0] = fixture->folder;
    setenv("ANYDNN_MOCK_MARKER", fixture->marker, 1);
    if (adn_log_target(fixture->log) != 0)
        return -1;
    adn_log_level_set(ADN_LOG_WARN);
    *state = fixture;
    return 0;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

int fixture_teardown(void **state)
{
    struct fixture *fixture = *state;

    adn_load_registry_free(fixture->registry);
    adn_log_target("stderr");
    int answer = nftw(fixture->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);

    free(fixture);
    return answer;
}

const char *fixture_path(const struct fixture *fixture, const char *file)
{
    static char paths[8][PATH_MAX + 256];
    static unsigned next;
    char *path = paths[next++ % 8];

    snprintf(path, sizeof(paths[0]), "%s/%s", fixture->folder, file);
    return path;
}

static char *read_whole(const char *path, size_t *size)
{
    FILE *stream = fopen(path, "rb");
    struct stat status;

    if (!stream)
        fail_msg("cannot open %s", path);
    assert_int_equal(fstat(fileno(stream), &status), 0);
    char *bytes = malloc((size_t)status.st_size + 1);

    assert_non_null(bytes);
    *size = fread(bytes, 1, (size_t)status.st_size, stream);
    assert_int_equal(*size, status.st_size);
    bytes[*size] = 0;
    fclose(stream);
    return bytes;
}

static void write_whole(const char *path, const void *bytes, size_t size)
{
    FILE *stream = fopen(path, "wb");

    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

void fixture_copy_patched(const struct fixture *fixture, const char *mock, const char *file,
                          const void *find, const void *put, size_t length)
{
    const char *mocks = getenv("ANYDNN_TEST_MOCKDIR");
    char from[PATH_MAX];
    size_t size;

    if (!mocks)
        fail_msg("ANYDNN_TEST_MOCKDIR is not set: run this by `make check`, or see "
                 "tests/environment.sh");
    snprintf(from, sizeof(from), "%s/anydnn_%s.so", mocks, mock);
    char *bytes = read_whole(from, &size);

    if (find) {
        char *at = memmem(bytes, size, find, length);

        if (!at)
            fail_msg("%s does not hold what the test replaces", from);
        memcpy(at, put, length);
    }
    write_whole(fixture_path(fixture, file), bytes, size);
    free(bytes);
}

void fixture_copy(const struct fixture *fixture, const char *mock, const char *file)
{
    fixture_copy_patched(fixture, mock, file, NULL, NULL, 0);
}

void fixture_patch(const struct fixture *fixture, const char *file, long offset, const void *put,
                   size_t length)
{
    FILE *stream = fopen(fixture_path(fixture, file), "r+b");

    assert_non_null(stream);
    assert_int_equal(fseek(stream, offset, SEEK_SET), 0);
    assert_int_equal(fwrite(put, 1, length, stream), length);
    assert_int_equal(fclose(stream), 0);
}

void fixture_write(const struct fixture *fixture, const char *file, const char *text)
{
    write_whole(fixture_path(fixture, file), text, strlen(text));
}

void fixture_folder(const struct fixture *fixture, const char *name)
{
    assert_int_equal(mkdir(fixture_path(fixture, name), 0755), 0);
}

struct adn_registry *fixture_registry(struct fixture *fixture)
{
    struct adn_load_options options = {
        .folders = fixture->folders,
        .modules = fixture->modules,
        .module_count = fixture->module_count,
        .setting = fixture_setting,
        .cookie = fixture,
    };

    adn_load_registry_free(fixture->registry);
    fixture->registry = adn_load_registry(&options);
    assert_non_null(fixture->registry);
    return fixture->registry;
}

struct adn_backend *fixture_live(struct fixture *fixture, const char *name)
{
    struct adn_backend *backend =
        adn_load_find(fixture->registry ? fixture->registry : fixture_registry(fixture), name);

    assert_non_null(backend);
    if (!adn_load_open(backend))
        fail_msg("%s did not open: %s", name, backend->reason);
    assert_int_equal(backend->stage, ADN_LOAD_LIVE);
    assert_null(backend->reason);
    assert_non_null(backend->plugin);
    return backend;
}

struct adn_backend *fixture_fails(struct fixture *fixture, const char *name, int32_t stage, ...)
{
    struct adn_backend *backend =
        adn_load_find(fixture->registry ? fixture->registry : fixture_registry(fixture), name);
    char logged[64];
    va_list needles;
    const char *needle;

    assert_non_null(backend);
    assert_int_equal(adn_load_open(backend), 0);
    assert_string_equal(adn_load_stage_name(backend->stage), adn_load_stage_name(stage));
    assert_non_null(backend->reason);
    assert_null(backend->plugin);
    for (int i = 0; i < ANYDNN_PLUGIN_OPERATION_END; i++)
        assert_null(backend->operation[i]);
    if (!backend->path || !strstr(backend->reason, backend->path))
        fail_msg("the sentence does not name the file: %s", backend->reason);
    va_start(needles, stage);
    while ((needle = va_arg(needles, const char *)) != NULL) {
        if (!strstr(backend->reason, needle))
            fail_msg("\"%s\" is not in: %s", needle, backend->reason);
    }
    va_end(needles);
    /* A second attempt changes nothing and logs nothing. */
    assert_int_equal(adn_load_open(backend), 0);
    snprintf(logged, sizeof(logged), "backend %s is not available (%s)", name,
             adn_load_stage_name(stage));
    assert_int_equal(fixture_count(fixture->log, logged), 1);
    return backend;
}

int fixture_count(const char *file, const char *text)
{
    FILE *stream = fopen(file, "r");
    char *line = NULL;
    size_t capacity = 0;
    int count = 0;

    if (!stream)
        return 0;
    while (getline(&line, &capacity, stream) >= 0)
        count += strstr(line, text) != NULL;
    free(line);
    fclose(stream);
    return count;
}

int fixture_mapped(const char *text)
{
    return fixture_count("/proc/self/maps", text) > 0;
}

static int32_t keep_sentence(void *cookie, const struct anydnn_plugin_candidate *candidate)
{
    *(const char **)cookie = candidate->sentence;
    return 0;
}

const char *fixture_identity(const struct adn_backend *backend)
{
    const struct anydnn_plugin_operation *operation =
        backend->operation[ANYDNN_PLUGIN_CONVOLUTION_FORWARD];
    const char *sentence = NULL;

    assert_int_equal(operation->candidates(NULL, NULL, keep_sentence, &sentence), 0);
    return sentence;
}
