/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the backend onednn share: contexts, the table entry of an operation.
 * How a plan is put together stands in build.h, oneDNN's functions in library.h and adapter.h. */
#ifndef ONEDNN_H
#define ONEDNN_H

#include "../kit/problem.h"
#include "library.h"

/* Spatial dimensions that oneDNN's convolutions and poolings have at most. */
#define ONEDNN_SPATIAL_MAX 3

#define ONEDNN_FLOATS                                                                              \
    (ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT) | ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_HALF) |    \
     ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_BFLOAT16))
#define ONEDNN_INTEGERS                                                                            \
    (ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_INT8) | ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_UINT8) |    \
     ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_INT8X4) |                                                \
     ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_UINT8X4) |                                               \
     ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_INT8X32))
/* Of one handle. The arena holds the temporaries of whichever of its plans runs: it grows to the
 * largest need and lives as long as the context. */
struct anydnn_plugin_context {
    dnnl_stream_t stream;
    void *arena_memory; /* what the host gave; the arena begins at a whole page of it */
    char *arena;
    size_t arena_bytes;
};

/* The status of a failure of oneDNN's: for want of memory, or another. */
static inline int32_t onednn_status(dnnl_status_t status, int32_t other)
{
    return status == dnnl_out_of_memory ? ANYDNN_PLUGIN_STATUS_ALLOC_FAILED : other;
}

/* ------------------------------------------------------------------ operations */

struct onednn_build;

/* One way to run an operation; an operation lists its ways best first. */
struct onednn_way {
    uint64_t engine;
    int32_t algorithm; /* cuDNN's number, or -1 */
    uint32_t notes;
};

struct onednn_operation {
    int32_t operation;
    uint32_t types;   /* ANYDNN_PLUGIN_TYPE_BIT of what slot 0 may be */
    uint32_t layouts; /* as published */
    const struct onednn_way *ways;
    uint32_t way_count;

    /* Returns 0 or the reason. `problem` is complete; its type, extensions and the library have
     * been looked at. */
    int32_t (*check)(const struct anydnn_plugin_problem *problem, struct kit_refusal *why);
    /* Optional: whether a way may exist for a problem that has passed `check`. What is offered is
     * decided by `build`; this spares the search. */
    int (*may_have_way)(const struct anydnn_plugin_problem *problem, const struct onednn_way *way);
    /* Puts the steps of a plan together (build.h). Failures are kept in `build`. */
    void (*build)(struct onednn_build *build);
    /* The mode of a call (build.h); NULL: by alpha in scale[0] and beta in scale[1]. */
    uint32_t (*mode)(const struct anydnn_plugin_operands *operands);
};

/* For operations that have one way and no algorithms. */
extern const struct onednn_way onednn_only_way[1];

/* Every operation, in table.c. */
extern const struct onednn_operation *const onednn_operations[];
extern const uint32_t onednn_operation_count;
const struct onednn_operation *onednn_operation_lookup(int32_t operation);

/* Limits, in table.c. */
extern const struct anydnn_plugin_limit *const onednn_limits[];
extern const uint32_t onednn_limit_count;

/* The four functions behind every operation of the description, in plan.c. */
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
