/* SPDX-License-Identifier: Apache-2.0 */
/* Tests what the line reader passes to inih and what it refuses, with the line number. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings_fixture.h"

#include "settings/ini_lines.h"
#include "settings/read.h"

#define TEN      "0123456789"
#define FORTY    TEN TEN TEN TEN
#define LINE_199 "set.a = " FORTY FORTY FORTY FORTY TEN TEN TEN "x"

struct line_case {
    const char *name;
    const char *text;
    size_t size;          /* 0: strlen(text) */
    const char *error;    /* NULL if valid */
    const char *expected; /* entries as "section|key|value|line\n" */
};

static const struct line_case cases[] = {
    {"a plain file", "[a]\nb = c\n", 0, NULL, "a|b|c|2\n"},
    {"an empty file", "", 0, NULL, ""},
    {"comments and blank lines", "# one\n; two\n\n \t\n  # three\n\t; four\n[a]\n#\nb=c\n", 0, NULL,
     "a|b|c|9\n"},
    {"no final newline", "[a]\nb = c", 0, NULL, "a|b|c|2\n"},
    {"CRLF line ends", "[a]\r\nb = c\r\n\r\nd = e\r\n", 0, NULL, "a|b|c|2\na|d|e|4\n"},
    {"CRLF without a final newline", "[a]\r\nb = c\r", 0, NULL, "a|b|c|2\n"},
    {"a UTF-8 byte order mark", "\xEF\xBB\xBF[a]\nb = c\n", 0, NULL, "a|b|c|2\n"},
    {"a byte order mark before a comment", "\xEF\xBB\xBF# x\n[a]\nb=c\n", 0, NULL, "a|b|c|3\n"},
    {"a byte order mark elsewhere", "[a]\n\xEF\xBB\xBF[b]\n", 0, "f:2: the line is neither", NULL},
    {"blanks in a section name", "[  plugin \t  cpu_ref ]\nb = c\n", 0, NULL,
     "plugin cpu_ref|b|c|2\n"},
    {"a section of 48", "[" FORTY "12345678]\na=b\n", 0, NULL, FORTY "12345678|a|b|2\n"},
    {"a section of 48 within blanks", "[    " FORTY "12345678     ]\na=b\n", 0, NULL,
     FORTY "12345678|a|b|2\n"},
    {"a section of 49", "\n[" FORTY "123456789]\n", 0, "f:2: a section name has 49 bytes", NULL},
    {"a section that is not closed", "[a\nb=c\n", 0, "f:1: a section without a closing `]`", NULL},
    {"a section closed in a comment", "[a ;]\n", 0, "f:1: a section without a closing `]`", NULL},
    {"a section without a name", "[ \t ]\n", 0, "f:1: a section without a name", NULL},
    {"text behind a section", "[a] b = c\n", 0, "f:1: text after", NULL},
    {"a comment behind a section", "[a] ; why\nb=c\n", 0, NULL, "a|b|c|2\n"},
    {"an indented key", "[a]\nb = c\n  d = e\n", 0, "f:3: an indented line", NULL},
    {"an indented continuation", "[a]\nb = c\n\td\n", 0, "f:3: an indented line", NULL},
    {"an indented section", "[a]\n [b]\n", 0, "f:2: an indented line", NULL},
    {"a colon for an equals sign", "[a]\nb: c\n", 0, "f:2: a `:` before the first `=`", NULL},
    {"a colon before the equals sign", "[a]\nb:c = d\n", 0, "f:2: a `:` before the first `=`",
     NULL},
    {"a colon in a value", "[a]\nb = c:d=e\n", 0, NULL, "a|b|c:d=e|2\n"},
    {"a line without an equals sign", "[a]\nb\n", 0, "f:2: the line is neither", NULL},
    {"an equals sign only in a comment", "[a]\nb ; = c\n", 0, "f:2: the line is neither", NULL},
    {"no key", "[a]\n= c\n", 0, "f:2: a line without a key", NULL},
    {"an empty value", "[a]\nb =\n", 0, NULL, "a|b||2\n"},
    {"a value that is a comment", "[a]\nb = ; c\n", 0, NULL, "a|b||2\n"},
    {"a comment behind a value", "[a]\nb = c ; d ; e\n", 0, NULL, "a|b|c|2\n"},
    {"a comment behind a tab", "[a]\nb = c\t; d\n", 0, NULL, "a|b|c|2\n"},
    {"a semicolon inside a value", "[a]\nb = c;d\n", 0, NULL, "a|b|c;d|2\n"},
    {"a number sign behind a value", "[a]\nb = c # d\n", 0, NULL, "a|b|c # d|2\n"},
    {"quotes stay", "[a]\nb = \"c\"\n", 0, NULL, "a|b|\"c\"|2\n"},
    {"blanks around", "[a]\nb  \t=\t  c d  \n", 0, NULL, "a|b|c d|2\n"},
    {"a line of 199 bytes", "[plugin a]\n" LINE_199 "\nset.b = 1\n", 0, NULL,
     "plugin a|set.a|" FORTY FORTY FORTY FORTY TEN TEN TEN "x|2\nplugin a|set.b|1|3\n"},
    {"a line of 200 bytes", "[plugin a]\n" LINE_199 "y\n", 0, "f:2: a line has 200 bytes", NULL},
    {"a last line of 200 bytes", "[plugin a]\n" LINE_199 "y", 0, "f:2: a line has 200 bytes", NULL},
    {"a comment of 200 bytes", "#" LINE_199 "\n", 0, "f:1: a line has 200 bytes", NULL},
    {"a NUL byte", "[a]\nb = c\0d\n", 12, "f:2: a control character (byte 0x00)", NULL},
    {"a NUL byte in a comment", "# \0\n", 4, "f:1: a control character (byte 0x00)", NULL},
    {"an escape character", "[a]\nb = \x1b[1m\n", 0, "f:2: a control character (byte 0x1b)", NULL},
    {"a carriage return inside", "[a]\nb = c\rd = e\n", 0, "f:2: a control character (byte 0x0d)",
     NULL},
    {"UTF-8 in a value", "[a]\nb = \xc3\xa9\n", 0, NULL, "a|b|\xc3\xa9|2\n"},
    {"a key before any section", "\nb = c\n", 0, "f:2: `b` before the first [section]", NULL},
    {"a key twice", "[a]\nb = c\nd = e\nb = f\n", 0,
     "f:4: `b` is given twice in [a]; the first is line 2", NULL},
    {"a key twice in a section reopened", "[a]\nb = c\n[d]\nb = e\n[ a ]\nb = f\n", 0,
     "f:6: `b` is given twice in [a]; the first is line 2", NULL},
    {"folders twice", "[anydnn]\nplugin_path = /a\nplugin_path = /b\n", 0, NULL,
     "anydnn|plugin_path|/a|2\nanydnn|plugin_path|/b|3\n"},
    {"folders, then none", "[anydnn]\nplugin_path = /a\nplugin_path = none\n", 0,
     "f:3: `plugin_path` is given twice in [anydnn]; this line or line 2 is `none`", NULL},
    {"none, then folders", "[anydnn]\nplugin_path = none\n\nplugin_path = /a\n", 0,
     "f:4: `plugin_path` is given twice in [anydnn]; this line or line 2 is `none`", NULL},
    {"folders twice in another section", "[a]\nplugin_path = /a\nplugin_path = /b\n", 0,
     "f:3: `plugin_path` is given twice in [a]; the first is line 2", NULL},
    {"a key in two sections", "[a]\nb = c\n[d]\nb = e\n", 0, NULL, "a|b|c|2\nd|b|e|4\n"},
    {"a section reopened", "[a]\nb = c\n[d]\n[a]\ne = f\n", 0, NULL, "a|b|c|2\na|e|f|5\n"},
    {"a schema that is no number", "[anydnn]\nschema = one\n", 0, "f:2: schema = one", NULL},
    {"a schema of zero", "[anydnn]\nschema = 0\n", 0, "f:2: schema = 0", NULL},
    {"a schema with a tail", "[anydnn]\nschema = 1x\n", 0, "f:2: schema = 1x", NULL},
};
#define CASE_COUNT (sizeof(cases) / sizeof(cases[0]))

static void run_case(void **state)
{
    const struct line_case *it = *state;
    struct adn_file file;
    char entries[4096] = "";
    enum adn_read result =
        adn_file_parse(&file, "f", it->text, it->size > 0 ? it->size : strlen(it->text));

    if (it->error != NULL) {
        assert_int_equal(result, ADN_READ_BAD);
        assert_holds(file.error, it->error);
        assert_int_equal(strncmp(file.error, it->error, strlen(it->error)), 0);
    } else {
        for (int i = 0; i < file.count; i++)
            snprintf(entries + strlen(entries), sizeof(entries) - strlen(entries), "%s|%s|%s|%d\n",
                     file.entry[i].section, file.entry[i].key, file.entry[i].value,
                     file.entry[i].line);
        assert_string_equal(file.error, "");
        assert_int_equal(result, ADN_READ_GOOD);
        assert_string_equal(entries, it->expected);
    }
    adn_file_free(&file);
}

static void too_many_entries(void **state)
{
    size_t size = 5000 * 24;
    char *text = malloc(size);
    struct adn_file file;
    size_t used = (size_t)snprintf(text, size, "[plugin a]\n");

    (void)state;
    for (int i = 0; i < 4096; i++)
        used += (size_t)snprintf(text + used, size - used, "set.k%d = 1\n", i);
    assert_int_equal(adn_file_parse(&file, "f", text, used), ADN_READ_GOOD);
    assert_int_equal(file.count, 4096);
    adn_file_free(&file);
    used += (size_t)snprintf(text + used, size - used, "set.more = 1\n");
    assert_int_equal(adn_file_parse(&file, "f", text, used), ADN_READ_BAD);
    assert_holds(file.error, "f:4098: more than 4096 settings");
    adn_file_free(&file);
    free(text);
}

static void small_buffer_of_inih(void **state)
{
    char error[ADN_REASON_MAX] = "", buffer[12];
    struct adn_ini_lines lines = {
        .text = "[a]\nlong = 12345\n", .size = 17, .error = error, .error_size = sizeof(error)};

    (void)state;
    assert_ptr_equal(adn_ini_lines_next(buffer, sizeof(buffer), &lines), buffer);
    assert_string_equal(buffer, "[a]\n");
    assert_null(adn_ini_lines_next(buffer, sizeof(buffer), &lines));
    assert_holds(error, "a line has 12 bytes; inih was built for at most 11");
}

int main(void)
{
    struct CMUnitTest tests[CASE_COUNT + 2] = {cmocka_unit_test(too_many_entries),
                                               cmocka_unit_test(small_buffer_of_inih)};

    for (size_t i = 0; i < CASE_COUNT; i++)
        tests[i + 2] = (struct CMUnitTest){cases[i].name, run_case, NULL, NULL, (void *)&cases[i]};
    return _cmocka_run_group_tests("settings_lines", tests, CASE_COUNT + 2, NULL, NULL);
}
