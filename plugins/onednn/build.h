/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds a plan. A plan is a list of steps; each is a primitive of oneDNN or a function of our own.
 * Steps work on numbered memories: operands of the call, or temporaries in the context's arena.
 * Each step belongs to one or more modes of a call, and the mode selects the steps that run:
 *
 *   ONEDNN_FAST      alpha is 1 and beta is 0: results may go directly to the operands
 *   ONEDNN_GENERAL   any alpha and beta: results go to a temporary and are blended from there
 *
 * `build->when` holds the modes to which new steps and temporaries belong. The first failure stores
 * its status and a sentence in `build`. Later calls then do nothing and return -1 or NULL, so that
 * an operation need not check the status. The build owns layouts and descriptors and destroys them
 * at its end.
 *
 * A typical operation:
 *
 *   x = onednn_load(build, X, &x_view, layout that the primitive reads, ANYDNN_PLUGIN_FLOAT);
 *   for each of ONEDNN_FAST, ONEDNN_GENERAL as build->when:
 *       y = onednn_result(build, Y, &y_view, layout that the primitive writes);
 *       onednn_run(build, descriptor, arguments...);
 *       onednn_store(build, Y, &y_view, y, layout that the primitive writes, ANYDNN_PLUGIN_FLOAT);
 *   build->when = ONEDNN_FAST | ONEDNN_GENERAL;
 */
#ifndef ONEDNN_BUILD_H
#define ONEDNN_BUILD_H

#include "adapter.h"
#include "onednn.h"
#include "walk.h"

enum {
    ONEDNN_FAST = 1,
    ONEDNN_GENERAL = 2,
    ONEDNN_BOTH = 3,
    ONEDNN_PART = 4, /* first mode of steps that onednn_plan_part runs, once per part */
};
#define ONEDNN_MODES 2

#define ONEDNN_VALUES    112
#define ONEDNN_STEPS     64
#define ONEDNN_ARGUMENTS 10
#define ONEDNN_KEPT      320

/* The place of a memory: an operand, or an offset in bytes into the arena. */
struct onednn_place {
    int32_t slot; /* -1 for the arena */
    size_t offset;
};

/* The arguments of a step in our own code. */
struct onednn_call {
    const struct anydnn_plugin_operands *operands;
    char *arena;
    struct anydnn_plugin_plan *plan;
};
typedef void (*onednn_step_fn)(const struct onednn_call *call, const void *data);

static inline void *onednn_at(const struct onednn_call *call, struct onednn_place place)
{
    char *base = place.slot < 0 ? call->arena : call->operands->data[place.slot];
    return base + place.offset;
}

struct onednn_build {
    struct anydnn_plugin_context *context;
    const struct anydnn_plugin_problem *problem;
    uint64_t engine;
    uint32_t when;
    int32_t status;
    char sentence[200]; /* describes the failure */
    int probes; /* 1 if only the feasibility is checked; no memories and primitives are created */
    dnnl_primitive_attr_t attributes; /* strict math, scratchpad memory of ours; nothing else */
    struct anydnn_plugin_plan *plan;
    size_t used[ONEDNN_MODES]; /* bytes of the arena */
    struct {
        onednn_layout layout[ONEDNN_KEPT];
        dnnl_primitive_desc_t descriptor[ONEDNN_KEPT];
        dnnl_primitive_attr_t attributes[ONEDNN_KEPT];
        int32_t layouts, descriptors, attribute_count;
    } kept;
};

/* The end destroys the kept objects and stores the arena's sizes in the plan. */
void onednn_build_begin(struct onednn_build *build);
void onednn_build_end(struct onednn_build *build);

/* Records the first failure of a build. Returns -1. */
int onednn_build_fail(struct onednn_build *build, int32_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ------------------------------------------------------------------ views and layouts */

/* Returns an operand as the problem describes it. */
struct onednn_view onednn_operand(const struct onednn_build *build, int32_t slot);

/* Returns an operand whose channels form three dims, 1 to 3: groups, vectors of a group, lanes of a
 * vector. The view has the type of a lane. `onednn_lanes_of` splits a view without vectors in the
 * same way. */
struct onednn_view onednn_lanes(const struct onednn_build *build, int32_t slot, int64_t groups);
struct onednn_view onednn_lanes_of(const struct onednn_view *view, int64_t groups, int64_t lanes);

/* Returns a packed tensor of the same dims, in the order of the view's strides. */
struct onednn_view onednn_packed_like(const struct onednn_view *view, int32_t type);
/* Does the same, but the dims whose bits are set in `inside` are inside the others. */
struct onednn_view onednn_packed_inside(const struct onednn_view *view, int32_t type,
                                        uint32_t inside);
/* Returns a packed tensor of the same dims, with the last dim fastest. */
struct onednn_view onednn_packed(const struct onednn_view *view, int32_t type);

/* Returns the layout of a view. Returns NULL, without a failure, if oneDNN cannot describe it. */
onednn_layout onednn_layout_of(struct onednn_build *build, const struct onednn_view *view);
/* Returns a layout that lets the primitive choose. */
onednn_layout onednn_layout_any(struct onednn_build *build, const struct onednn_view *view);
/* Returns a layout of images in blocks of 16 channels. */
onednn_layout onednn_layout_in_blocks(struct onednn_build *build, const struct onednn_view *view);
int onednn_same_layout(onednn_layout a, onednn_layout b);

/* ------------------------------------------------------------------ memories and steps */

/* These functions return memory numbers: of an operand in place, and of a new temporary. */
int onednn_bind(struct onednn_build *build, int32_t slot, onednn_layout layout);
int onednn_temporary(struct onednn_build *build, onednn_layout layout);
/* Reserves space in the arena for a step of our own. */
struct onednn_place onednn_reserve(struct onednn_build *build, size_t bytes);
/* Returns a second number for a memory, which gives the same bytes another layout. */
int onednn_recast(struct onednn_build *build, int memory, onednn_layout layout);
struct onednn_place onednn_place_of(const struct onednn_build *build, int memory);

/* Returns an operand in the layout `wanted`, whose elements have type `type`. This is the operand
 * itself, or a temporary with a step that fills it. */
int onednn_load(struct onednn_build *build, int32_t slot, const struct onednn_view *view,
                onednn_layout wanted, int32_t type);

/* Returns the memory for a primitive's result. In mode ONEDNN_FAST this is the operand itself if
 * its layout matches; otherwise it is a temporary. */
int onednn_result(struct onednn_build *build, int32_t slot, const struct onednn_view *view,
                  onednn_layout given);

/* Moves a result to its operand, unless it is there already. ONEDNN_FAST converts; ONEDNN_GENERAL
 * blends by scale[scale_at] and scale[scale_at + 1]. */
void onednn_store(struct onednn_build *build, int32_t slot, const struct onednn_view *view,
                  int memory, onednn_layout given, int32_t type, int32_t scale_at);

/* Returns a memory in another layout: itself, or a new temporary. No operand is involved. */
int onednn_reorder(struct onednn_build *build, int memory, onednn_layout has, onednn_layout wanted);

/* Keeps a descriptor until the build ends, and returns it. NULL fails the build with "oneDNN does
 * not support WHAT". */
dnnl_primitive_desc_t onednn_keep(struct onednn_build *build, dnnl_primitive_desc_t descriptor,
                                  const char *what);
/* Keeps a descriptor likewise, but accepts NULL. */
dnnl_primitive_desc_t onednn_keep_if(struct onednn_build *build, dnnl_primitive_desc_t descriptor);
/* Creates attributes like build->attributes, to which post-ops may be added. */
dnnl_primitive_attr_t onednn_attributes(struct onednn_build *build);
void onednn_add_post_ops(struct onednn_build *build, dnnl_primitive_attr_t attributes,
                         dnnl_post_ops_t post_ops);
/* Creates attributes with a post-op that makes a result max(result, 0). */
dnnl_primitive_attr_t onednn_relu_attributes(struct onednn_build *build);

/* The pair of a DNNL_ARG_xxx constant and a memory number. */
struct onednn_argument {
    int argument;
    int memory;
};
/* Adds a step that runs a primitive. It provides the scratchpad memory. */
void onednn_run(struct onednn_build *build, const_dnnl_primitive_desc_t descriptor,
                const struct onednn_argument *arguments, int count);
#define ONEDNN_RUN(build, descriptor, ...)                                                         \
    onednn_run(build, descriptor, (const struct onednn_argument[]){__VA_ARGS__},                   \
               (int)(sizeof((const struct onednn_argument[]){__VA_ARGS__}) /                       \
                     sizeof(struct onednn_argument)))

/* Adds a step of our own. The plan owns a copy of `data`, which has `size` bytes. */
void onednn_run_own(struct onednn_build *build, onednn_step_fn run, const void *data, size_t size);
/* Runs the steps of a mode from ONEDNN_PART on, with operands that may lie elsewhere. Only a step
 * of our own may call it. A failure fails the plan. */
void onednn_plan_part(const struct onednn_call *call, uint32_t mode,
                      const struct anydnn_plugin_operands *operands);
/* Runs a step's work in pieces, in as many threads as the plan has. Only a step of our own may call
 * it. */
void onednn_share(const struct onednn_call *call, int64_t pieces,
                  void (*work)(void *arg, int64_t piece), void *arg);
int onednn_share_threads(const struct onednn_call *call);
/* Adds a copy between views that oneDNN may be unable to describe. */
void onednn_copy(struct onednn_build *build, struct onednn_place to,
                 const struct onednn_view *to_view, struct onednn_place from,
                 const struct onednn_view *from_view);
/* Adds a step that computes to = scale[scale_at] * from + scale[scale_at + 1] * prior. */
void onednn_blend(struct onednn_build *build, struct onednn_place to,
                  const struct onednn_view *to_view, struct onednn_place from,
                  const struct onednn_view *from_view, struct onednn_place prior,
                  const struct onednn_view *prior_view, int32_t scale_at);

#endif
