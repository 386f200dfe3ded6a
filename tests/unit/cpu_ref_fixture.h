/* SPDX-License-Identifier: Apache-2.0 */
/* The backend cpu_ref alone, opened without libanydnn by a host made for the test. */
#ifndef TESTS_UNIT_CPU_REF_FIXTURE_H
#define TESTS_UNIT_CPU_REF_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <anydnn/plugin.h>

/* The host's values of set.threads and set.emulate (NULL: not set), and its last error sentence. */
extern const char *fixture_threads;
extern const char *fixture_emulate;
extern _Thread_local char fixture_error[512];

/* Returns the description; the first call opens the backend. */
const struct anydnn_plugin *fixture_plugin(void);
const struct anydnn_plugin_operation *fixture_operation(int32_t operation);
struct anydnn_plugin_context *fixture_context(void);

/* Returns a packed tensor. */
struct anydnn_plugin_tensor fixture_tensor(int32_t type, int32_t ndims, const int64_t *dims);

/* A convolution problem with its own storage; x [n, c, h, w], w [k, c / groups, r, s]. */
struct fixture_conv {
    struct anydnn_plugin_tensor x, w, y, z, bias;
    struct anydnn_plugin_convolution params;
    struct anydnn_plugin_problem problem;
};
void fixture_conv(struct fixture_conv *conv, int32_t operation, int32_t type, const int64_t x[4],
                  const int64_t w[4]);

/* The offer of a backend. */
struct fixture_answer {
    int32_t count;
    int32_t algorithm[16];
    int32_t math;
    uint32_t notes;
    uint64_t workspace;
    int32_t reason;
    char sentence[512];
};
void fixture_ask(struct anydnn_plugin_context *context, const struct anydnn_plugin_problem *problem,
                 struct fixture_answer *answer);

/* Makes a plan, which must succeed. */
struct anydnn_plugin_plan *fixture_plan(struct anydnn_plugin_context *context,
                                        const struct anydnn_plugin_problem *problem);
void fixture_run(struct anydnn_plugin_plan *plan, const struct anydnn_plugin_problem *problem,
                 void *data0, void *data1, void *data2);

/* Rounds to the nearest number with that many significant bits, ties to even, within float's
 * exponents. Values beyond the largest float become infinite. Computes in double, for values
 * that float represents. */
double fixture_round(double value, int digits);

#endif
