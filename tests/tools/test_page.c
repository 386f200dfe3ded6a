/* SPDX-License-Identifier: Apache-2.0 */
/* Tests how text is escaped in a report: for HTML, and for gnuplot's language. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "tools/report/page.h"

static char *written(void (*write)(FILE *, const char *), const char *text)
{
    char *bytes = NULL;
    size_t size;
    FILE *file = open_memstream(&bytes, &size);

    assert_non_null(file);
    write(file, text);
    fclose(file);
    return bytes;
}

static void expect(void (*write)(FILE *, const char *), const char *text, const char *wanted)
{
    char *bytes = written(write, text);

    assert_string_equal(bytes, wanted);
    free(bytes);
}

#define LOST "\xef\xbf\xbd"

/* Follows RFC 3629 and XML 1.0, production 2. */
static void test_escape(void **state)
{
    (void)state;
    expect(page_escape, "a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#39;");
    expect(page_escape, "\t\n", "\t\n");
    expect(page_escape, "\x01\r\x1f", LOST LOST LOST);
    expect(page_escape, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82",
           "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82");
    expect(page_escape, "\xff<", LOST "&lt;");
    expect(page_escape, "\xe2\x82", LOST LOST);                   /* cut off */
    expect(page_escape, "\xc0\xbc", LOST LOST);                   /* an overlong form of < */
    expect(page_escape, "\xed\xa0\x80", LOST LOST LOST);          /* half of a surrogate pair */
    expect(page_escape, "\xef\xbf\xbe", LOST LOST LOST);          /* U+FFFE */
    expect(page_escape, "\xf4\x90\x80\x80", LOST LOST LOST LOST); /* beyond U+10FFFF */
}

static void test_plot_text(void **state)
{
    (void)state;
    expect(page_plot_text, "cpu_ref:default", "'cpu_ref:default'");
    expect(page_plot_text, "a'b\"c`d\\e\nEND\n", "'a_b_c_d_e_END_'");
    expect(page_plot_text, "<&>$@\xc3\xa9", "'_______'");
    expect(page_plot_data, "a'b\"c`d\\e\nEND\n", "\"a_b_c_d_e_END_\"");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_escape),
        cmocka_unit_test(test_plot_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
