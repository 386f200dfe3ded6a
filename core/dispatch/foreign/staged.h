/* SPDX-License-Identifier: Apache-2.0 */
/* The internals of a staged plan, for the files that make and run it. */
#ifndef ADN_DISPATCH_FOREIGN_STAGED_H
#define ADN_DISPATCH_FOREIGN_STAGED_H

#include "dispatch/foreign/byte_runs.h"
#include "dispatch/foreign/staging.h"
#include "dispatch/handle/arena.h"
#include "problem/problem.h"

/* Special values of `prior`. Otherwise the operand's content is copied in if its factor is not 0.
 */
enum { ADN_PRIOR_NEVER = -1, ADN_PRIOR_ALWAYS = -2 };

struct adn_staged_operand {
    int32_t present;
    int32_t copied_in;  /* 1 if it is an input with its own buffer that is always read */
    int32_t copied_out; /* 1 if it is an output */
    int32_t prior;      /* of other operands: index in scale[] or a value above */
    int32_t on_host;    /* 1 if the backend reads it in place */
    int32_t bounced;    /* 1 if the host copies it through the bounce buffer */
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
    struct adn_arena *bounce; /* host memory, used if neither side of a copy is contiguous host
                                 memory; unused if the backend's space is the host */
    uint64_t arena_bytes;
    uint64_t bounce_bytes;
    uint64_t workspace;
    uint64_t workspace_offset;
    uint64_t copied; /* bytes that the last run copied */
    int32_t slot_count;
    uint32_t direct; /* the operands of the current run that both sides reach; a bit for each */
    void *stream;    /* of the backend's space */
    struct adn_staged_operand operand[ADN_SLOTS];
};

/* Runs a staged plan; it is the plan's `execute`. */
int32_t adn_stage_execute(struct anydnn_plugin_plan *plan,
                          const struct anydnn_plugin_operands *operands, int32_t *effect);

#endif
