/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what all operations of the CUDA backends with their own kernels share: contexts,
 * table entries, plans and calls. It compiles as C and as CUDA C++. */
#ifndef CUDA_COMMON_PLAN_H
#define CUDA_COMMON_PLAN_H

#include "../kit/problem.h"
#include "cuda_common.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The sets of types and layouts for the operation table. */
#define CUDA_TYPE(name)          ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_##name)
#define CUDA_SHORTS              (CUDA_TYPE(HALF) | CUDA_TYPE(BFLOAT16))
#define CUDA_FLOATS              (CUDA_TYPE(FLOAT) | CUDA_TYPE(DOUBLE) | CUDA_SHORTS)
#define CUDA_INTEGERS            (CUDA_TYPE(INT8) | CUDA_TYPE(UINT8) | CUDA_TYPE(INT32))
#define CUDA_VECTORS             (CUDA_TYPE(INT8X4) | CUDA_TYPE(UINT8X4) | CUDA_TYPE(INT8X32))
#define CUDA_LAYOUTS_AND_VECTORS (KIT_LAYOUTS | ANYDNN_PLUGIN_LAYOUT_VECT_C)

/* The default number of threads per block, and the largest extent of a grid along x. */
#define CUDA_THREADS    256
#define CUDA_BLOCKS_MAX INT64_C(0x7fffffff)

/* The properties of a context's device. Each backend's struct anydnn_plugin_context begins with
 * them. */
struct cuda_context {
    int32_t device;
    int32_t multiprocessors;
    int32_t has_pools; /* 1 if stream-ordered memory is available */
};

/* An execution of a plan on the plan's device. */
struct cuda_call {
    const struct anydnn_plugin_operands *operands;
    cudaStream_t stream;
    int32_t device;
    int32_t *effect; /* set to ENQUEUED when the first kernel is launched */
};

/* The largest number of engines of an operation. */
#define CUDA_ENGINES_MAX 16

struct cuda_operation {
    int32_t operation;
    uint32_t types;     /* bit set of the types of slot 0 */
    uint32_t layouts;   /* ANYDNN_PLUGIN_LAYOUT_xxx, as published */
    size_t job_size;    /* bytes of plan->job */
    int32_t scratch;    /* 1 if a run allocates stream-ordered memory */
    int32_t algorithms; /* bit set of cuDNN's algorithm numbers for the engines; 0 means -1 only */
    int32_t first;      /* number offered first, if algorithms is not 0 */
    uint32_t notes;     /* ANYDNN_PLUGIN_NOTE_xxx of the only engine, if `engines` is NULL */
    /* Optional. Fills the beginning of plan->job, which is zero, with values that several of the
     * functions below need. */
    void (*analyse)(struct anydnn_plugin_plan *plan);
    /* Optional. Checks limits beyond those of the core. Returns 0, or the reason of a refusal. */
    int32_t (*check)(const struct anydnn_plugin_plan *plan, struct kit_refusal *why);
    /* Optional. Fills plan->job from plan->problem. The job is zero except for the members that
     * `analyse` and `take_engine` filled. */
    void (*prepare)(struct anydnn_plugin_plan *plan);
    /* Launches the kernels. Returns 0, or a status after a message. It never waits. */
    int32_t (*run)(const struct anydnn_plugin_plan *plan, const struct cuda_call *call);
    /* Optional. Lists the engines that can run the problem, best first, without algorithms.
     * Returns their number, at least 1. If NULL, the only engine is number 1, without workspace. */
    int32_t (*engines)(const struct anydnn_plugin_plan *plan,
                       struct anydnn_plugin_candidate engines[CUDA_ENGINES_MAX]);
    /* Optional. Accepts an engine, offered or not, and stores in plan->job what `prepare` needs
     * to know of it. Returns 0 if the engine cannot run the problem. If NULL, only offered
     * engines are accepted. */
    int32_t (*take_engine)(struct anydnn_plugin_plan *plan, uint64_t engine);
};

/* Requires an alignment of `bytes` for the operands in the bit set `slots`. */
static inline void cuda_align(struct anydnn_plugin_candidate *engine, uint32_t slots,
                              uint32_t bytes)
{
    for (int32_t slot = 0; slots >> slot; slot++)
        engine->alignment[slot] = slots >> slot & 1 ? bytes : 0;
}

/* A plan: the problem with copies of its tensors and parameters, and the operation's job. The
 * job holds kernels and their parameter blocks. Each call fills in pointers and factors. */
struct anydnn_plugin_plan {
    const struct cuda_operation *operation;
    const struct cuda_context *context; /* outlives its plans */
    uint64_t engine;
    struct anydnn_plugin_problem problem; /* points to `copies` */
    struct kit_copies copies;
    void *job; /* operation->job_size bytes, aligned to 64 bytes */
};

/* The table of the backend's operations. The source file of each operation defines its entry. */
extern const struct cuda_operation *const cuda_operations[];
extern const uint32_t cuda_operation_count;

/* Creates a context of `bytes` bytes for a device, or fails with a message (context.c). `more`
 * reads properties that only this backend needs; it may be NULL. */
int32_t cuda_context_create(int32_t device, size_t bytes,
                            int32_t (*more)(struct anydnn_plugin_context *context),
                            struct anydnn_plugin_context **context);
void cuda_context_destroy(struct anydnn_plugin_context *context);

/* Reads an attribute of a device. Returns 0, or a status after a message that contains `what`. */
int32_t cuda_read_attribute(int32_t device, enum cudaDeviceAttr attribute, const char *what,
                            int32_t *value);

/* Publishes the table of operations in the description, with these math modes. */
void cuda_publish(struct anydnn_plugin *description, uint32_t maths);

/* These functions serve every operation in the description (plan.c). */
int32_t cuda_candidates(struct anydnn_plugin_context *context,
                        const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                        void *cookie);
int32_t cuda_plan_create(struct anydnn_plugin_context *context,
                         const struct anydnn_plugin_problem *problem, uint64_t engine,
                         struct anydnn_plugin_plan **plan);
int32_t cuda_plan_execute(struct anydnn_plugin_plan *plan,
                          const struct anydnn_plugin_operands *operands, int32_t *effect);
void cuda_plan_destroy(struct anydnn_plugin_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
