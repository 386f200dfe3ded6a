/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the descriptor tests, which compare a status and look for words in the error
 * sentence. */
#ifndef TESTS_UNIT_DESC_FIXTURE_H
#define TESTS_UNIT_DESC_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <anydnn/anydnn.h>

#include "tests/holds.h"

#define OK            ANYDNN_STATUS_SUCCESS
#define BAD_PARAM     ANYDNN_STATUS_BAD_PARAM
#define NOT_SUPPORTED ANYDNN_STATUS_NOT_SUPPORTED
#define INVALID_VALUE ANYDNN_STATUS_INVALID_VALUE

#define assert_ok(call) assert_status(call, OK, __FILE__, __LINE__)
/* Checks that the call returns `status` and that its sentence contains `words`. */
#define assert_refused(call, status, words) assert_sentence(call, status, words, __FILE__, __LINE__)

static inline void assert_status(anydnnStatus_t seen, anydnnStatus_t wanted, const char *file,
                                 int line)
{
    char text[2048];

    if (seen == wanted)
        return;
    anydnnGetLastErrorString(text, sizeof(text));
    print_error("%s answered, wanted %s; last sentence: %s\n", anydnnGetErrorString(seen),
                anydnnGetErrorString(wanted), text);
    _fail(file, line);
}

static inline void assert_sentence(anydnnStatus_t seen, anydnnStatus_t wanted, const char *words,
                                   const char *file, int line)
{
    char text[2048];

    assert_status(seen, wanted, file, line);
    anydnnGetLastErrorString(text, sizeof(text));
    test_holds(text, words, file, line);
}

#endif
