/* SPDX-License-Identifier: Apache-2.0 */
/* Tests how words are quoted for a shell: the shell must read back the same text, and the quoted
 * words must contain no control character. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/terminal.h"

#define TEXT_MAX 60

/* Checks that the shell prints the word as it was. */
static void expect_read_back(const char *text)
{
    char *word = tool_shell_word(text);
    char command[10 * TEXT_MAX + 40], read[TEXT_MAX + 2];
    FILE *shell;
    size_t size;

    snprintf(command, sizeof(command), "printf '%%s' %s", word);
    shell = popen(command, "r");
    assert_non_null(shell);
    size = fread(read, 1, sizeof(read) - 1, shell);
    read[size] = '\0';
    assert_int_equal(pclose(shell), 0);
    assert_string_equal(read, text);
    free(word);
}

static void shell_reads_words_back(void **state)
{
    static const char *const texts[] = {
        "",         "plain",        "two words", "it's",  "''",    "$(id) `id` ${HOME}",
        "a;b|c&d",  "\"double\"",   "\\",        "\\'",   "*?[a]", "~/x",
        "#comment", "conv x=f32:1", "!!",        "a\\nb", "<in>",  "\xc3\xa9"};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        expect_read_back(texts[i]);
}

static void random_words_are_read_back(void **state)
{
    static const char bytes[] = "a '\"\\$`;|&<>(){}[]*?~#!=%\xc3\xa9";
    unsigned seed = 1;

    (void)state;
    for (int i = 0; i < 200; i++) {
        char text[TEXT_MAX];
        size_t length = (size_t)rand_r(&seed) % (sizeof(text) - 1);

        for (size_t k = 0; k < length; k++)
            text[k] = bytes[(size_t)rand_r(&seed) % (sizeof(bytes) - 1)];
        text[length] = '\0';
        expect_read_back(text);
    }
}

static void plain_words_stay(void **state)
{
    char *word = tool_shell_word("/a/b-c_d.e:f=g,h+i@j%k");

    (void)state;
    assert_string_equal(word, "/a/b-c_d.e:f=g,h+i@j%k");
    free(word);
}

static void control_characters_are_shown(void **state)
{
    char *word = tool_shell_word("a\x1b[2J\nb\x7f\xc2\x9b");

    (void)state;
    for (const char *c = word; *c != '\0'; c++)
        assert_true((unsigned char)*c >= ' ' && *c != 0x7f && (unsigned char)*c != 0x9b);
    assert_string_equal(word, "'a'$'\\033''[2J'$'\\012''b'$'\\177''\xc2'$'\\233'''");
    free(word);
}

static void commands_leave_empty_words_out(void **state)
{
    const char *const words[] = {"anydnn", "", "run", "x; id", NULL};
    char *command = tool_shell_command(words);

    (void)state;
    assert_string_equal(command, "anydnn run 'x; id'");
    free(command);
}

static void sentences_stay_one_line(void **state)
{
    char text[] = "a\nb\tc\x1b[m\x7f\xc2\x9b\xc3\xa9";

    (void)state;
    tool_terminal_clean(text);
    assert_string_equal(text, "a b c [m?\xc2?\xc3\xa9");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shell_reads_words_back),
        cmocka_unit_test(random_words_are_read_back),
        cmocka_unit_test(plain_words_stay),
        cmocka_unit_test(control_characters_are_shown),
        cmocka_unit_test(commands_leave_empty_words_out),
        cmocka_unit_test(sentences_stay_one_line),
    };

    return cmocka_run_group_tests_name("terminal", tests, NULL, NULL);
}
