/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a staged plan, for the files that make and run it. */
#ifndef ADN_DISPATCH_FOREIGN_STAGED_H
#define ADN_DISPATCH_FOREIGN_STAGED_H

#include "dispatch/foreign/byte_runs.h"
#include "dispatch/foreign/staging.h"
#include "dispatch/handle/arena.h"
#include "problem/problem.h"

/* When an output's prior content goes to the backend: with a factor that is not 0, or one of these.
 */
enum { ADN_PRIOR_NEVER = -1, ADN_PRIOR_ALWAYS = -2 };

struct adn_staged_operand {
    int32_t present;
    int32_t copied_in;  /* it has a buffer of its own and is an input */
    int32_t copied_out; /* it is an output */
    int32_t prior;      /* of an output that is no input: index in scale[], or as above */
    int32_t on_host;    /* the backend reads it where it is */
    int32_t bounced;    /* the host sees it in the bounce buffer */
    uint64_t offset;    /* of its buffer in the backend's arena */
    struct adn_runs runs;
};

struct adn_staged {
    anydnnHandle_t handle;
    struct adn_space *space; /* the backend's */
    int32_t device;
    char device_name[64];
    int32_t (*execute)(struct anydnn_plugin_plan *plan,
                       const struct anydnn_plugin_operands *operands, int32_t *effect);
    struct anydnn_plugin_plan *body;
    struct adn_arena *arena;  /* buffers and workspace, in the backend's space */
    struct adn_arena *bounce; /* of the host, where neither side of a copy is host memory without
                                 gaps; not used when the backend's space is the host */
    uint64_t arena_bytes;
    uint64_t bounce_bytes;
    uint64_t workspace;
    uint64_t workspace_offset;
    uint64_t copied; /* by the last run */
    int32_t slot_count;
    struct adn_staged_operand operand[ADN_SLOTS];
};

/* The plan's execute. */
int32_t adn_stage_execute(struct anydnn_plugin_plan *plan,
                          const struct anydnn_plugin_operands *operands, int32_t *effect);

#endif
