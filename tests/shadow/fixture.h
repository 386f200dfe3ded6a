/* SPDX-License-Identifier: Apache-2.0 */
/* Handles with real backends: cpu_ref, and `faulty`, whose convolutions with three filter rows
 * give a wrong first element. Problems run on generated numbers. */
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

/* Set up the process's settings before its first handle, remove them at the end, and return the
 * folder of their files. */
int fixture_group_setup(void **state);
int fixture_group_teardown(void **state);
const char *fixture_folder(void);

/* Returns a handle on the host whose route is `list`. */
anydnnHandle_t fixture_handle(const char *list);

struct fixture_problem {
    anydnnProblem_t problem;
    int count;
    void *data[SLOTS];
    size_t bytes[SLOTS];
    void *workspace;
    size_t workspace_bytes;
};

/* Make, run and free a problem with operands from 0.5 to 1.5, or integers. `in_place` puts the
 * first output on the first input. */
void fixture_problem_make(anydnnHandle_t handle, const char *text, struct fixture_problem *made);
anydnnStatus_t fixture_problem_run(anydnnHandle_t handle, const struct fixture_problem *problem);
void fixture_problem_free(struct fixture_problem *problem);
/* Makes, runs and frees a problem, and checks for success. */
void fixture_run(anydnnHandle_t handle, const char *text);

int64_t fixture_found(anydnnHandle_t handle, const char *key);
const char *fixture_said(anydnnHandle_t handle, const char *key);
/* Returns the library's warnings since the last call. */
const char *fixture_warnings(void);

#define assert_ok(call) assert_int_equal((call), ANYDNN_STATUS_SUCCESS)

#endif
