/* SPDX-License-Identifier: Apache-2.0 */
/* A small backend built on the kit. A fake backend defines `fake` and links fake.c and the kit. */
#ifndef TESTS_FAKE_H
#define TESTS_FAKE_H

#include "kit/host.h"
#include "kit/problem.h"

struct anydnn_plugin_context {
    int calls;
};

struct anydnn_plugin_plan {
    struct anydnn_plugin_problem problem; /* a copy */
    struct kit_copies copies;
    int runs;
    void *kept; /* freed when the plan is destroyed */
};

struct fake_operation {
    int32_t operation;
    uint32_t types;
};

/* A fake backend; members that are NULL are not called. */
struct fake {
    const char *name; /* NULL: NAME of its file anydnn_NAME.so */
    uint32_t flags, layouts, maths;
    const char *space; /* NULL: the host */
    const struct anydnn_plugin_space *space_functions;
    const struct fake_operation *operations;
    int32_t operation_count;
    const struct anydnn_plugin_setting *const *settings;
    uint32_t setting_count;
    const struct anydnn_plugin_limit *const *limits;
    uint32_t limit_count;
    void (*enter)(const char *function); /* called with the name of each function */
    int32_t (*refuse)(const struct anydnn_plugin_problem *problem, struct kit_refusal *why);
    void (*change)(struct anydnn_plugin_context *context,
                   const struct anydnn_plugin_problem *problem,
                   struct anydnn_plugin_candidate *candidate); /* before the candidate is offered */
    void (*made)(struct anydnn_plugin_plan *plan,
                 const struct anydnn_plugin_problem *problem); /* called with each new plan */
    int32_t (*execute)(struct anydnn_plugin_plan *plan,
                       const struct anydnn_plugin_operands *operands, int32_t *effect);
};

extern struct fake fake;

/* Returns NAME of the file anydnn_NAME.so that contains this code. */
const char *fake_file_name(void);

/* Returns 0 if all operands have types of the set, otherwise the reason. */
int32_t fake_check_types(const struct anydnn_plugin_problem *problem, uint32_t types,
                         struct kit_refusal *why);

#endif
