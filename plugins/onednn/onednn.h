/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what all files of the backend onednn share: contexts and the table entry of an
 * operation. build.h describes how a plan is built; library.h and adapter.h declare oneDNN's
 * functions. */
#ifndef ONEDNN_H
#define ONEDNN_H

#include "../kit/problem.h"
#include "library.h"

/* The most spatial dimensions of oneDNN's convolutions and poolings. */
#define ONEDNN_SPATIAL_MAX 3

#define ONEDNN_FLOATS                                                                              \
    (ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT) | ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_HALF) |    \
     ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_BFLOAT16))
#define ONEDNN_INTEGERS                                                                            \
    (ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_INT8) | ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_UINT8) |    \
     ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_INT8X4) |                                                \
     ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_UINT8X4) |                                               \
     ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_INT8X32))
/* The state of one handle. The arena holds the temporaries of the plan that runs. It grows to the
 * largest size needed and lives as long as the context. */
struct anydnn_plugin_context {
    dnnl_stream_t stream;
    void *arena_memory; /* as allocated; the arena begins at a page boundary in it */
    char *arena;
    size_t arena_bytes;
};

/* Returns the status for a failure of oneDNN: ALLOC_FAILED if memory was short, else `other`. */
static inline int32_t onednn_status(dnnl_status_t status, int32_t other)
{
    return status == dnnl_out_of_memory ? ANYDNN_PLUGIN_STATUS_ALLOC_FAILED : other;
}

/* ------------------------------------------------------------------ operations */

struct onednn_build;

/* A way to run an operation. Each operation lists its ways, the best one first. */
struct onednn_way {
    uint64_t engine;
    int32_t algorithm; /* cuDNN's number, or -1 */
    uint32_t notes;
};

struct onednn_operation {
    int32_t operation;
    uint32_t types;   /* ANYDNN_PLUGIN_TYPE_BIT of the types of slot 0 */
    uint32_t layouts; /* as published */
    const struct onednn_way *ways;
    uint32_t way_count;

    /* Returns 0 or the reason for a refusal. `problem` is complete; its type, its extensions and
     * the library have been checked. */
    int32_t (*check)(const struct anydnn_plugin_problem *problem, struct kit_refusal *why);
    /* Optional. Returns 1 if a way may exist for a problem that has passed `check`. `build` decides
     * what is offered; this only avoids a search. */
    int (*may_have_way)(const struct anydnn_plugin_problem *problem, const struct onednn_way *way);
    /* Adds the steps of a plan (build.h). `build` records failures. */
    void (*build)(struct onednn_build *build);
    /* Returns the mode of a call (build.h). If NULL, alpha in scale[0] and beta in scale[1]
     * decide. */
    uint32_t (*mode)(const struct anydnn_plugin_operands *operands);
};

/* The ways of operations that have one way and no algorithms. */
extern const struct onednn_way onednn_only_way[1];

/* The table of all operations, in table.c. */
extern const struct onednn_operation *const onednn_operations[];
extern const uint32_t onednn_operation_count;
const struct onednn_operation *onednn_operation_lookup(int32_t operation);

/* The limits, in table.c. */
extern const struct anydnn_plugin_limit *const onednn_limits[];
extern const uint32_t onednn_limit_count;

/* The four functions of every operation in the description, in plan.c. */
int32_t onednn_candidates(struct anydnn_plugin_context *context,
                          const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                          void *cookie);
int32_t onednn_plan_create(struct anydnn_plugin_context *context,
                           const struct anydnn_plugin_problem *problem, uint64_t engine,
                           struct anydnn_plugin_plan **plan);
int32_t onednn_plan_execute(struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands, int32_t *effect);
void onednn_plan_destroy(struct anydnn_plugin_plan *plan);

#endif
