/* SPDX-License-Identifier: Apache-2.0 */
/* Defines assert_holds, which checks that a text contains a part. Programs include cmocka before
 * it. */
#ifndef TESTS_HOLDS_H
#define TESTS_HOLDS_H

#include <string.h>

#define assert_holds(text, part) test_holds((text), (part), __FILE__, __LINE__)

static inline void test_holds(const char *text, const char *part, const char *file, int line)
{
    if (strstr(text, part) != NULL)
        return;
    print_error("`%s`\n  does not hold `%s`\n", text, part);
    _fail(file, line);
}

#endif
