/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the engine configurations that cuDNN proposes for a convolution, for the last problems of a
 * context.
 *
 * A configuration is an engine of cuDNN (its global index) with the values of its knobs. The
 * backend's number for it is a hash of both, so that it names the same configuration in every
 * process. The configuration itself is found again by querying cuDNN, which proposes the same ones
 * for the same problem on the same device.
 */
#ifndef CDN_ENGINES_H
#define CDN_ENGINES_H

#include "backend.h"
#include "graph.h"

/* The most knobs: as many as cuDNN has types of knobs. */
#define CDN_KNOBS_MAX CUDNN_KNOB_TYPE_COUNTS
/* The bytes of a configuration's words, for errata. */
#define CDN_WORDS (64 + 24 * (size_t)CDN_KNOBS_MAX)

/* The states of a configuration: whether cuDNN can create an execution plan of it. */
enum { CUDNN_UNTRIED, CUDNN_WORKS, CUDNN_REFUSED };

struct cdn_engine {
    uint64_t number;
    int64_t index; /* cuDNN's global index */
    int32_t knobs;
    int64_t knob_type[CDN_KNOBS_MAX], knob_value[CDN_KNOBS_MAX];
    uint32_t numerical;     /* bits of CUDNN_NUMERICAL_NOTE_xxx */
    int32_t math;           /* ANYDNN_PLUGIN_MATH_xxx that it uses; -1 if no mode permits it */
    int32_t algorithm;      /* cuDNN's algorithm number */
    uint32_t notes;         /* ANYDNN_PLUGIN_NOTE_xxx */
    int32_t compiles;       /* 1 if cuDNN compiles its kernel when the plan is created */
    int32_t avoided;        /* 1 if an erratum forbids it; it is offered, so that this is seen */
    int32_t one_factor_set; /* 1 if it must only get the usual factors */
    int32_t state;
    uint64_t workspace;
    cudnnBackendDescriptor_t config, engine;
    cudnnBackendDescriptor_t plan; /* created by a trial; the first user takes it */
};

/* The key of a list. Math mode, algorithm and determinism only choose among its engines. */
struct cdn_list_key {
    int32_t operation;
    int32_t device;
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
    struct cdn_engine *engine; /* in cuDNN's order, best first */
    int32_t count, capacity;
};

/* Returns the list for a plan's problem, which the context holds; a user that keeps it increments
 * `holders`. Returns NULL and fills in `why` if the search fails. */
struct cdn_list *cdn_list_of(struct anydnn_plugin_plan *plan, struct kit_refusal *why);
/* Adds cuDNN's proposals for list->graph in its order: its heuristics of mode A, of mode B, then
 * its fallback. */
void cdn_list_fill(struct cdn_list *list, cudnnHandle_t handle);
/* Adds every engine of the graph, with default knobs. */
void cdn_list_enumerate(struct cdn_list *list, cudnnHandle_t handle);
void cdn_list_drop(struct cdn_list *list);
void cdn_lists_destroy(struct anydnn_plugin_context *context);

/* Creates an execution plan of a configuration and reads its workspace. */
cudnnStatus_t cdn_execution_make(cudnnHandle_t handle, cudnnBackendDescriptor_t config,
                                 cudnnBackendDescriptor_t *execution, uint64_t *workspace);
/* Reads the properties of engine->config and engine->engine. Returns 0 or -1. */
int cdn_engine_read(struct cdn_engine *engine, const struct cdn_list_key *key,
                    cudnnHandle_t handle);
void cdn_engine_drop(struct cdn_engine *engine);
/* The errata that this backend publishes. */
extern const char cdn_errata_list[];
/* Writes what errata compare of a configuration: its index, knobs, type and layout. */
void cdn_engine_words(const struct cdn_engine *engine, const struct cdn_list_key *key, char *text,
                      size_t size);
/* Returns 1 for the algorithm number of an FFT. */
int cdn_is_fft(int32_t operation, int32_t algorithm);
/* Returns cuDNN's notes of an engine as bits, corrected by errata. The index and the knobs must
 * have been read. */
uint32_t cdn_errata(struct cdn_engine *engine, const struct cdn_list_key *key, uint32_t notes);

/* Tries an engine that was not tried yet. Returns 1 if it works. */
int cdn_engine_try(struct cdn_engine *engine, cudnnHandle_t handle);

/* Creates the configuration of an engine for another graph of the same form. */
cudnnBackendDescriptor_t cdn_config_make(struct cdn_parts *parts, cudnnBackendDescriptor_t graph,
                                         const struct cdn_engine *engine);

#endif
