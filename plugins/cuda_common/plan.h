/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations of the backends with kernels of their own share: the context, the table entry
 * of an operation, its plan, its calls. C and CUDA C++ alike. */
#ifndef CUDA_COMMON_PLAN_H
#define CUDA_COMMON_PLAN_H

#include "../kit/problem.h"
#include "cuda_common.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets of types and layouts, for the table. */
#define CUDA_TYPE(name)          ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_##name)
#define CUDA_SHORTS              (CUDA_TYPE(HALF) | CUDA_TYPE(BFLOAT16))
#define CUDA_FLOATS              (CUDA_TYPE(FLOAT) | CUDA_TYPE(DOUBLE) | CUDA_SHORTS)
#define CUDA_INTEGERS            (CUDA_TYPE(INT8) | CUDA_TYPE(UINT8) | CUDA_TYPE(INT32))
#define CUDA_VECTORS             (CUDA_TYPE(INT8X4) | CUDA_TYPE(UINT8X4) | CUDA_TYPE(INT8X32))
#define CUDA_LAYOUTS_AND_VECTORS (KIT_LAYOUTS | ANYDNN_PLUGIN_LAYOUT_VECT_C)

/* What is known of a context's device. Each backend's struct anydnn_plugin_context begins with it.
 */
struct cuda_context {
    int32_t device;
    int32_t multiprocessors;
    int32_t has_pools; /* memory in stream order can be had */
};

/* One execution of a plan, on its device. */
struct cuda_call {
    const struct anydnn_plugin_operands *operands;
    cudaStream_t stream;
    int32_t device;
    int32_t *effect; /* ENQUEUED once the first kernel is on its way */
};

/* Engines that an operation may have. */
#define CUDA_ENGINES_MAX 16

struct cuda_operation {
    int32_t operation;
    uint32_t types;     /* of the operand in slot 0, bits */
    uint32_t layouts;   /* ANYDNN_PLUGIN_LAYOUT_xxx, as published */
    size_t job_size;    /* bytes of plan->job */
    int32_t scratch;    /* 1: takes memory in stream order while it runs */
    int32_t algorithms; /* cuDNN's numbers under which the engine is offered, as bits; 0: only -1 */
    int32_t first;      /* the number offered first, if algorithms is not 0 */
    /* Optional: fills the beginning of plan->job, which is zero, with what the functions below all
     * need of a problem, so that it is worked out once. */
    void (*analyse)(struct anydnn_plugin_plan *plan);
    /* Optional; 0 or the reason, beyond what the core has checked. */
    int32_t (*check)(const struct anydnn_plugin_plan *plan, struct kit_refusal *why);
    /* Fills plan->job, which is zero but for what analyse and take_engine have filled, from
     * plan->problem. */
    void (*prepare)(struct anydnn_plugin_plan *plan);
    /* Launches: a status, with a sentence where it is not 0. Nothing waits. */
    int32_t (*run)(const struct anydnn_plugin_plan *plan, const struct cuda_call *call);
    /* Optional: the engines that can run the problem, best first, of no algorithm; returns how
     * many, at least 1. Without it there is one, number 1, without workspace. */
    int32_t (*engines)(const struct anydnn_plugin_plan *plan,
                       struct anydnn_plugin_candidate engines[CUDA_ENGINES_MAX]);
    /* Optional: takes an engine, offered or not, and keeps in plan->job what `prepare` needs of it;
     * returns 0 where it cannot run the problem. Without it, the engines offered can. */
    int32_t (*take_engine)(struct anydnn_plugin_plan *plan, uint64_t engine);
};

/* So many bytes of alignment are needed of the operands in these slots, bits. */
static inline void cuda_align(struct anydnn_plugin_candidate *engine, uint32_t slots,
                              uint32_t bytes)
{
    for (int32_t slot = 0; slots >> slot; slot++)
        engine->alignment[slot] = slots >> slot & 1 ? bytes : 0;
}

/* A plan: the problem with copies of its tensors and parameters, and what its operation made of
 * them: kernels and their parameter blocks, in which pointers and factors are open. */
struct anydnn_plugin_plan {
    const struct cuda_operation *operation;
    const struct cuda_context *context; /* which outlives its plans */
    uint64_t engine;
    struct anydnn_plugin_problem problem; /* points to `copies` */
    struct kit_copies copies;
    void *job; /* operation->job_size bytes, 64 bytes aligned */
};

/* The operations, in a table of the backend; the entry of each stands in its own file. */
extern const struct cuda_operation *const cuda_operations[];
extern const uint32_t cuda_operation_count;

/* In context.c. Makes a context of so many bytes for a device, or fails with a sentence; `more`
 * reads what the backend alone knows of, on the device. */
int32_t cuda_context_create(int32_t device, size_t bytes,
                            int32_t (*more)(struct anydnn_plugin_context *context),
                            struct anydnn_plugin_context **context);
void cuda_context_destroy(struct anydnn_plugin_context *context);

/* Reads an attribute of a device: 0, or a status with a sentence that says what was asked for. */
int32_t cuda_read_attribute(int32_t device, enum cudaDeviceAttr attribute, const char *what,
                            int32_t *value);

/* Puts the published form of the table of operations, which permit these math modes, into the
 * description. */
void cuda_publish(struct anydnn_plugin *description, uint32_t maths);

/* The functions behind every operation of the description, in plan.c. */
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
