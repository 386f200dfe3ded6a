/* SPDX-License-Identifier: Apache-2.0 */
/* Feeds random bytes and mutated files to the reader and the keys. Nothing may crash, every
 * refusal has a sentence, and accepted values equal those in the file. ANYDNN_TEST_SEED and
 * ANYDNN_TEST_ROUNDS set seed and rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings_fixture.h"

#include "settings/apply.h"
#include "settings/read.h"
#include "settings/sources.h"

#define TEXT_MAX 2048

static const char *const seeds[] = {
    "[anydnn]\nschema = 1\ndevice = cuda:1\nfallback = warn\nstaging = off\ndeterministic = no\n"
    "workspace_limit = 256M\nplan_cache = 17\nlog = error\nlog_file = stderr\nplugin_path = "
    "/a:/b\n",
    "# a comment\n[route]\n* = cudnn, cuda_simt, cpu_ref ; the rest\n[route tensor_op]\n"
    "convolution_* = cuda_tensorcore, fallback:off\n\n[ route   split ]\nim2col =\n",
    "\xEF\xBB\xBF[plugin cpu_ref]\r\nmodule = /opt/x.so\r\nenable = yes\r\nset.threads = "
    "4\r\nset.emulate = on",
    "[anydnn]\nschema = 2\nfuture = yes\n[cloud]\na = b\n",
};
#define SEED_COUNT (sizeof(seeds) / sizeof(seeds[0]))

/* The bytes that are special to one of the two parsers. */
static const char special[] = "\n\r\t ;#=:[],*./_%\0\x1b\x7f\xff"
                              "aA0";

static uint64_t random_state;

static uint32_t random_below(uint32_t end)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 32) % end;
}

static char random_byte(void)
{
    if (random_below(2) == 0)
        return special[random_below(sizeof(special))];
    return (char)random_below(256);
}

static size_t random_bytes(char *text)
{
    size_t size = random_below(400);

    for (size_t i = 0; i < size; i++)
        text[i] = random_byte();
    return size;
}

/* Moves, repeats, drops or changes a few pieces of a good file. */
static size_t mutated(char *text)
{
    const char *seed = seeds[random_below(SEED_COUNT)];
    size_t size = strlen(seed);

    memcpy(text, seed, size);
    for (uint32_t changes = 1 + random_below(4); changes > 0 && size > 1; changes--) {
        size_t at = random_below((uint32_t)size);
        size_t length = 1 + random_below(40);
        size_t from = random_below((uint32_t)size);

        if (length > size - at)
            length = size - at;
        switch (random_below(4)) {
        case 0:
            text[at] = random_byte();
            break;
        case 1:
            memmove(text + at, text + at + length, size - at - length);
            size -= length;
            break;
        case 2:
            if (length > size - from)
                length = size - from;
            if (size + length <= TEXT_MAX / 2) {
                char piece[40];

                memcpy(piece, text + from, length);
                memmove(text + at + length, text + at, size - at);
                memcpy(text + at, piece, length);
                size += length;
            }
            break;
        default:
            if (size + 1 <= TEXT_MAX / 2) {
                memmove(text + at + 1, text + at, size - at);
                text[at] = random_byte();
                size++;
            }
        }
    }
    return size;
}

static void same_files(const struct adn_file *a, const struct adn_file *b)
{
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        assert_string_equal(a->entry[i].section, b->entry[i].section);
        assert_string_equal(a->entry[i].key, b->entry[i].key);
        assert_string_equal(a->entry[i].value, b->entry[i].value);
    }
}

/* Writes the entries plainly and checks that they read back equal. */
static void check_entries(const struct adn_file *file, const char *text, size_t size)
{
    char plain[8 * TEXT_MAX];
    struct adn_file again;
    size_t used = 0;
    int lines = 1;

    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    for (int i = 0; i < file->count; i++) {
        const struct adn_file_entry *entry = &file->entry[i];

        assert_in_range(entry->line, 1, lines);
        assert_in_range(strlen(entry->section), 1, 48);
        assert_in_range(strlen(entry->key), 1, 199);
        assert_true(memmem(text, size, entry->key, strlen(entry->key)) != NULL);
        assert_true(memmem(text, size, entry->value, strlen(entry->value)) != NULL);
        used += (size_t)snprintf(plain + used, sizeof(plain) - used, "[%s]\n%s=%s\n",
                                 entry->section, entry->key, entry->value);
        assert_true(used < sizeof(plain));
    }
    assert_int_equal(adn_file_parse(&again, "again", plain, used), ADN_READ_GOOD);
    same_files(file, &again);
    adn_file_free(&again);
}

/* Every entry gets an answer; the resulting rules always keep the one for `*`. */
static void check_apply(const struct adn_file *file)
{
    static const struct adn_settings_sources nothing;
    struct adn_settings *settings = adn_settings_load_from(&nothing);
    char value[512];
    const char *section, *key, *origin;

    for (int i = 0; i < file->count; i++) {
        char error[ADN_REASON_MAX] = "";
        enum adn_apply result = adn_settings_apply(settings, &file->entry[i], ADN_LAYER_USER, "f:1",
                                                   error, sizeof(error));

        assert_int_equal(result == ADN_APPLY_DONE, error[0] == '\0');
    }
    assert_non_null(adn_settings_route(settings, NULL, 0, "convolution_forward", 1));
    for (int i = 0;
         adn_settings_item(settings, i, &section, &key, value, sizeof(value), &origin) == 0; i++)
        assert_true(section[0] != '\0' && key[0] != '\0' && origin[0] != '\0');
    adn_settings_free(settings);
}

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);

    return text != NULL ? strtoull(text, NULL, 0) : otherwise;
}

static void hammer(size_t (*make)(char *text), int least_good)
{
    uint64_t rounds = number_from("ANYDNN_TEST_ROUNDS", 10000);
    char text[TEXT_MAX];
    int good = 0, bad = 0;

    random_state = number_from("ANYDNN_TEST_SEED", 20240229);
    for (uint64_t round = 0; round < rounds; round++) {
        size_t size = make(text);
        struct adn_file file;
        enum adn_read result = adn_file_parse(&file, "f", text, size);

        assert_int_equal(result == ADN_READ_GOOD, file.error[0] == '\0');
        if (result == ADN_READ_GOOD) {
            good++;
            check_entries(&file, text, size);
            check_apply(&file);
        } else {
            bad++;
            assert_int_equal(strncmp(file.error, "f:", 2), 0);
            assert_true(strlen(file.error) > 8);
        }
        adn_file_free(&file);
    }
    assert_true(good >= least_good);
    assert_true(bad > 0);
}

static void random_text(void **state)
{
    (void)state;
    hammer(random_bytes, 10);
}

static void mutated_text(void **state)
{
    (void)state;
    hammer(mutated, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_text),
                                       cmocka_unit_test(mutated_text)};

    return cmocka_run_group_tests_name("settings_random", tests, NULL, NULL);
}
