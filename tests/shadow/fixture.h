/* SPDX-License-Identifier: Apache-2.0 */
/* Handles whose backends are real: cpu_ref, and `faulty`, whose convolutions with filters of three
 * rows are wrong in the first element. Problems run on numbers that are made up for them. */
#ifndef TESTS_SHADOW_FIXTURE_H
#define TESTS_SHADOW_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <anydnn/anydnn.h>

#include "tests/holds.h"

#define SLOTS 12

/* The settings of the process, before its first handle; the folder of its files, and its end. */
int fixture_group_setup(void **state);
int fixture_group_teardown(void **state);
const char *fixture_folder(void);

/* A handle on the host whose route is `list`. */
anydnnHandle_t fixture_handle(const char *list);

struct fixture_problem {
    anydnnProblem_t problem;
    int count;
    void *data[SLOTS];
    size_t bytes[SLOTS];
    void *workspace;
    size_t workspace_bytes;
};

/* Operands of 0.5 to 1.5, or whole numbers; `in_place`: the first output lies on the first input.
 */
void fixture_problem_make(anydnnHandle_t handle, const char *text, struct fixture_problem *made);
anydnnStatus_t fixture_problem_run(anydnnHandle_t handle, const struct fixture_problem *problem);
void fixture_problem_free(struct fixture_problem *problem);
/* All three; success is asserted. */
void fixture_run(anydnnHandle_t handle, const char *text);

int64_t fixture_found(anydnnHandle_t handle, const char *key);
const char *fixture_said(anydnnHandle_t handle, const char *key);
/* What the library warned of since the last call. */
const char *fixture_warnings(void);

#define assert_ok(call) assert_int_equal((call), ANYDNN_STATUS_SUCCESS)

#endif
