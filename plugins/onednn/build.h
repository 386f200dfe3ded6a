/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Putting a plan together. A plan is a list of steps, each a primitive of oneDNN or a copy of our
 * own, over numbered memories: operands of the call, or temporaries in the context's arena. Each
 * step belongs to one or more modes of a call; the mode says which steps run:
 *
 *   ONEDNN_FAST      alpha is 1 and beta is 0: results may go where the application wants them
 *   ONEDNN_GENERAL   any alpha and beta: results go to a temporary and are blended from there
 *
 * `build->when` holds the modes that steps and temporaries are for at the moment. A failure keeps
 * its status and a sentence in `build`; what follows then does nothing and
 * returns -1 or NULL, so that an operation need look at the status nowhere. Layouts and descriptors
 * belong to the build and are gone after it.
 *
 * The usual operation:
 *
 *   x = onednn_load(build, X, &x_view, layout that the primitive wants, ANYDNN_PLUGIN_FLOAT);
 *   for each of ONEDNN_FAST, ONEDNN_GENERAL as build->when:
 *       y = onednn_result(build, Y, &y_view, layout that the primitive gives);
 *       onednn_run(build, descriptor, arguments...);
 *       onednn_store(build, Y, &y_view, y, layout that the primitive gives, ANYDNN_PLUGIN_FLOAT);
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
    ONEDNN_PART = 4, /* from here on: of steps that run as often as a step of both says */
};
#define ONEDNN_MODES 2

#define ONEDNN_VALUES    112
#define ONEDNN_STEPS     64
#define ONEDNN_ARGUMENTS 10
#define ONEDNN_KEPT      320

/* Where a memory lies: an operand, or so many bytes into the arena. */
struct onednn_place {
    int32_t slot; /* -1: the arena */
    size_t offset;
};

/* What a step of our own gets. */
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
    char sentence[200]; /* of a failure */
    int probes; /* makes neither memories nor primitives: whether a plan could be made is asked */
    dnnl_primitive_attr_t attributes; /* strict, with scratch memory of ours; nothing else */
    struct anydnn_plugin_plan *plan;
    size_t used[ONEDNN_MODES]; /* bytes of the arena */
    struct {
        onednn_layout layout[ONEDNN_KEPT];
        dnnl_primitive_desc_t descriptor[ONEDNN_KEPT];
        dnnl_primitive_attr_t attributes[ONEDNN_KEPT];
        int32_t layouts, descriptors, attribute_count;
    } kept;
};

/* The end gives back what was kept, and tells the plan its arena's sizes. */
void onednn_build_begin(struct onednn_build *build);
void onednn_build_end(struct onednn_build *build);

/* Keeps the first failure of a build. Returns -1. */
int onednn_build_fail(struct onednn_build *build, int32_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ------------------------------------------------------------------ views and layouts */

/* An operand as the problem has it; dims of one element get the stride that packing would give, so
 * that equal layouts compare equal. */
struct onednn_view onednn_operand(const struct onednn_build *build, int32_t slot);

/* The same with the channels as three dims, 1 to 3: groups, vectors of a group, lanes of a vector.
 * Its type is that of a lane. `onednn_lanes_of` takes a view without vectors apart alike. */
struct onednn_view onednn_lanes(const struct onednn_build *build, int32_t slot, int64_t groups);
struct onednn_view onednn_lanes_of(const struct onednn_view *view, int64_t groups, int64_t lanes);

/* A packed tensor of such dims, its dims in the order of the other's strides. */
struct onednn_view onednn_packed_like(const struct onednn_view *view, int32_t type);
/* The same with the last dim the fastest. */
struct onednn_view onednn_packed(const struct onednn_view *view, int32_t type);

/* NULL, without a failure, where oneDNN cannot describe the view. */
onednn_layout onednn_layout_of(struct onednn_build *build, const struct onednn_view *view);
/* For the primitive to choose. */
onednn_layout onednn_layout_any(struct onednn_build *build, const struct onednn_view *view);
/* Images in blocks of 16 channels. */
onednn_layout onednn_layout_in_blocks(struct onednn_build *build, const struct onednn_view *view);
int onednn_same_layout(onednn_layout a, onednn_layout b);

/* ------------------------------------------------------------------ memories and steps */

/* Memory numbers: of an operand as it lies, and of a new temporary. */
int onednn_bind(struct onednn_build *build, int32_t slot, onednn_layout layout);
int onednn_temporary(struct onednn_build *build, onednn_layout layout);
/* Room in the arena for a step of our own. */
struct onednn_place onednn_reserve(struct onednn_build *build, size_t bytes);
/* The same bytes under another layout: a second number for a memory. */
int onednn_recast(struct onednn_build *build, int memory, onednn_layout layout);
struct onednn_place onednn_place_of(const struct onednn_build *build, int memory);

/* An operand in the layout `wanted`, whose elements are `type`: itself, or a temporary with the
 * step that fills it. */
int onednn_load(struct onednn_build *build, int32_t slot, const struct onednn_view *view,
                onednn_layout wanted, int32_t type);

/* Where a primitive shall put its result: the operand itself in the mode ONEDNN_FAST, if it lies
 * so; a temporary otherwise. */
int onednn_result(struct onednn_build *build, int32_t slot, const struct onednn_view *view,
                  onednn_layout given);

/* From there to the operand, where it is not there yet: ONEDNN_FAST converts, ONEDNN_GENERAL blends
 * by scale[scale_at] and scale[scale_at + 1]. */
void onednn_store(struct onednn_build *build, int32_t slot, const struct onednn_view *view,
                  int memory, onednn_layout given, int32_t type, int32_t scale_at);

/* A memory in another layout, without an operand's part in it: itself, or a new temporary. */
int onednn_reorder(struct onednn_build *build, int memory, onednn_layout has, onednn_layout wanted);

/* Keeps a descriptor until the build ends and returns it; NULL is a failure: "oneDNN has no WHAT".
 */
dnnl_primitive_desc_t onednn_keep(struct onednn_build *build, dnnl_primitive_desc_t descriptor,
                                  const char *what);
/* The same where NULL is an answer. */
dnnl_primitive_desc_t onednn_keep_if(struct onednn_build *build, dnnl_primitive_desc_t descriptor);
/* Attributes as build->attributes, to which post-ops may be added. */
dnnl_primitive_attr_t onednn_attributes(struct onednn_build *build);
void onednn_add_post_ops(struct onednn_build *build, dnnl_primitive_attr_t attributes,
                         dnnl_post_ops_t post_ops);

/* DNNL_ARG_xxx and the memory's number. */
struct onednn_argument {
    int argument;
    int memory;
};
/* A step that runs a primitive; scratch memory is seen to. */
void onednn_run(struct onednn_build *build, const_dnnl_primitive_desc_t descriptor,
                const struct onednn_argument *arguments, int count);
#define ONEDNN_RUN(build, descriptor, ...)                                                         \
    onednn_run(build, descriptor, (const struct onednn_argument[]){__VA_ARGS__},                   \
               (int)(sizeof((const struct onednn_argument[]){__VA_ARGS__}) /                       \
                     sizeof(struct onednn_argument)))

/* A step of our own. `data` of `size` bytes is copied and belongs to the plan. */
void onednn_run_own(struct onednn_build *build, onednn_step_fn run, const void *data, size_t size);
/* From within such a step: runs the steps of a mode from ONEDNN_PART on, over operands that may lie
 * elsewhere. A failure is the plan's. */
void onednn_plan_part(const struct onednn_call *call, uint32_t mode,
                      const struct anydnn_plugin_operands *operands);
/* From within such a step: the step's work in pieces, in as many threads as the plan has. */
void onednn_share(const struct onednn_call *call, int64_t pieces,
                  void (*work)(void *arg, int64_t piece), void *arg);
int onednn_share_threads(const struct onednn_call *call);
/* A copy between views that do not lie in oneDNN's reach. */
void onednn_copy(struct onednn_build *build, struct onednn_place to,
                 const struct onednn_view *to_view, struct onednn_place from,
                 const struct onednn_view *from_view);
/* to = scale[scale_at] * from + scale[scale_at + 1] * prior. */
void onednn_blend(struct onednn_build *build, struct onednn_place to,
                  const struct onednn_view *to_view, struct onednn_place from,
                  const struct onednn_view *from_view, struct onednn_place prior,
                  const struct onednn_view *prior_view, int32_t scale_at);

#endif
