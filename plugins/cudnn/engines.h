/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine configurations that cuDNN proposes for a convolution, kept for the problems that a
 * context met last.
 *
 * A configuration is an engine of cuDNN's (its global index) with the values of its knobs. The
 * backend's number for it is a hash of both, so that it names the same configuration in every
 * process; the configuration itself is found again by asking cuDNN, which proposes the same ones
 * for the same problem on the same device.
 */
#ifndef CDN_ENGINES_H
#define CDN_ENGINES_H

#include "backend.h"
#include "graph.h"

/* As many as cuDNN has kinds of. */
#define CDN_KNOBS_MAX CUDNN_KNOB_TYPE_COUNTS

/* Whether cuDNN can make an execution plan of a configuration. */
enum { CUDNN_UNTRIED, CUDNN_WORKS, CUDNN_REFUSED };

struct cdn_engine {
    uint64_t number;
    int64_t index; /* cuDNN's global one */
    int32_t knobs;
    int64_t knob_type[CDN_KNOBS_MAX], knob_value[CDN_KNOBS_MAX];
    uint32_t numerical; /* bits of CUDNN_NUMERICAL_NOTE_xxx */
    int32_t math;       /* ANYDNN_PLUGIN_MATH_xxx that it uses, or -1: less than any mode permits */
    int32_t algorithm;  /* cuDNN's number that it bears */
    uint32_t notes;     /* ANYDNN_PLUGIN_NOTE_xxx */
    int32_t compiles;   /* cuDNN compiles its kernel when the plan is made */
    int32_t one_factor_set; /* it must get no factors but the usual ones */
    int32_t state;
    uint64_t workspace;
    cudnnBackendDescriptor_t config, engine;
    cudnnBackendDescriptor_t plan; /* made to see whether it can be; whoever wants one takes it */
};

/* What a list is of. Math mode, algorithm and determinism choose among its engines. */
struct cdn_list_key {
    int32_t operation;
    uint32_t present;
    struct anydnn_plugin_tensor tensor[ANYDNN_PLUGIN_OPERAND_MAX];
    union kit_params params;
};

struct cdn_list {
    struct cdn_list_key key;
    struct cdn_list *next;
    int32_t holders; /* plans, and the context */
    struct cdn_parts parts;
    cudnnBackendDescriptor_t graph;
    struct cdn_engine *engine; /* as cuDNN proposes them, best first */
    int32_t count, room;
};

/* The list of a plan's problem, old or new, which the context holds; who keeps it adds a holder.
 * NULL with `why` where cuDNN proposes nothing. */
struct cdn_list *cdn_list_of(struct anydnn_plugin_plan *plan, struct kit_refusal *why);
/* Adds what cuDNN proposes for list->graph, in its order: by its heuristics of mode A, then of mode
 * B, then its fallback. */
void cdn_list_fill(struct cdn_list *list, cudnnHandle_t handle);
/* Adds every engine that the graph has, with its knobs as they are. */
void cdn_list_enumerate(struct cdn_list *list, cudnnHandle_t handle);
void cdn_list_drop(struct cdn_list *list);
void cdn_lists_destroy(struct anydnn_plugin_context *context);

/* Makes an execution plan of a configuration and reads its workspace. */
cudnnStatus_t cdn_execution_make(cudnnHandle_t handle, cudnnBackendDescriptor_t config,
                                 cudnnBackendDescriptor_t *execution, uint64_t *workspace);
/* Reads what stands behind engine->config and engine->engine. 0 or -1. */
int cdn_engine_read(struct cdn_engine *engine, const struct cdn_list_key *key,
                    cudnnHandle_t handle);
void cdn_engine_drop(struct cdn_engine *engine);
/* cuDNN's notes of an engine whose index and knobs are read, as bits, with what was found beyond
 * them (errata.c). */
uint32_t cdn_errata(struct cdn_engine *engine, const struct cdn_list_key *key, uint32_t notes);

/* Tries an engine that was not tried. Returns whether it works. */
int cdn_engine_try(struct cdn_engine *engine, cudnnHandle_t handle);

/* The configuration of an engine for another graph of the same form. */
cudnnBackendDescriptor_t cdn_config_make(struct cdn_parts *parts, cudnnBackendDescriptor_t graph,
                                         const struct cdn_engine *engine);

#endif
