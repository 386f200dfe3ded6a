/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what all operations share: table entries, plans, calls and launches. */
#ifndef OPENCL_PLAN_H
#define OPENCL_PLAN_H

#include "../kit/problem.h"
#include "opencl.h"

/* The sets of types and layouts for the operation table. */
#define OPENCL_TYPE(name) ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_##name)
#define OPENCL_FLOATS                                                                              \
    (OPENCL_TYPE(FLOAT) | OPENCL_TYPE(DOUBLE) | OPENCL_TYPE(HALF) | OPENCL_TYPE(BFLOAT16))
#define OPENCL_INTEGERS            (OPENCL_TYPE(INT8) | OPENCL_TYPE(UINT8) | OPENCL_TYPE(INT32))
#define OPENCL_VECTORS             (OPENCL_TYPE(INT8X4) | OPENCL_TYPE(UINT8X4) | OPENCL_TYPE(INT8X32))
#define OPENCL_LAYOUTS_AND_VECTORS (KIT_LAYOUTS | ANYDNN_PLUGIN_LAYOUT_VECT_C)

/* The largest numbers of kernels of a plan, and of pointers of a kernel. */
#define OPENCL_KERNELS  4
#define OPENCL_POINTERS 12

struct anydnn_plugin_context {
    struct opencl_device *device;
};

/* An execution of a plan. */
struct opencl_call {
    const struct anydnn_plugin_operands *operands;
    struct opencl_device *device;
    cl_command_queue queue;
    struct job_call values; /* the second argument of every kernel */
    cl_mem scratch;         /* NULL, or a buffer that only this call's kernels use */
    int32_t *effect;        /* set to ENQUEUED when the first kernel is enqueued */
};

struct opencl_operation {
    int32_t operation;
    uint32_t types;     /* bit set of the types of slot 0 */
    uint32_t layouts;   /* ANYDNN_PLUGIN_LAYOUT_xxx, as published */
    int32_t algorithms; /* bit set of cuDNN's algorithm numbers for the engine; 0 means -1 only */
    int32_t first;      /* number offered first, if algorithms is not 0 */
    int program;        /* OPENCL_xxx */
    const char *kernels[OPENCL_KERNELS];
    size_t job_size; /* bytes of plan->job */
    /* Optional. Checks limits beyond those of the core. Returns 0, or the reason of a refusal. */
    int32_t (*check)(const struct anydnn_plugin_problem *problem, struct kit_refusal *why);
    /* Fills plan->job, which is zero, from plan->problem. */
    void (*prepare)(struct anydnn_plugin_plan *plan);
    /* Enqueues the kernels. Returns 0, or a status after a message. It never waits. */
    int32_t (*run)(const struct anydnn_plugin_plan *plan, struct opencl_call *call);
};

/* A plan: the problem with copies of its tensors and parameters, its kernels, and the job that they
 * read. One thread at a time uses a plan, so that kernels hold the arguments of one call. */
struct anydnn_plugin_plan {
    const struct opencl_operation *operation;
    struct opencl_device *device;
    struct anydnn_plugin_problem problem; /* points to `copies` */
    struct kit_copies copies;
    cl_kernel kernel[OPENCL_KERNELS];
    cl_mem buffer; /* the job in the device's memory */
    void *job;     /* operation->job_size bytes */
};

/* The table of operations. The source file of each operation defines its entry. */
extern const struct opencl_operation *const opencl_operations[];
extern const uint32_t opencl_operation_count;

/* Fills in a tensor of a job from an operand. An absent operand leaves it zero. */
void opencl_take_tensor(struct job_tensor *to, const struct anydnn_plugin_plan *plan, int slot);

struct job_number opencl_number(double value);

struct job_activation opencl_activation(int32_t mode, int32_t nan_propagate, double coef);

/* The pointer arguments of a kernel: slots, or OPENCL_SCRATCH. An absent operand's pointer is that
 * of another operand. */
enum { OPENCL_SCRATCH = -1 };
#define OPENCL_SLOTS(...)                                                                          \
    (const int[]){__VA_ARGS__}, (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

/* Enqueues a kernel of the plan with a work-item for each of `items` items. */
int32_t opencl_launch(const struct anydnn_plugin_plan *plan, struct opencl_call *call, int kernel,
                      int64_t items, const int slots[], int count);

/* Enqueues a kernel of the plan with a group of JOB_GROUP work-items for each result. */
int32_t opencl_launch_groups(const struct anydnn_plugin_plan *plan, struct opencl_call *call,
                             int kernel, int64_t groups, const int slots[], int count);

/* Gives the call a scratch buffer for kernels that follow each other. */
int32_t opencl_take_scratch(struct opencl_call *call, int64_t numbers);

/* These functions serve every operation in the description (plan.c). */
int32_t opencl_candidates(struct anydnn_plugin_context *context,
                          const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                          void *cookie);
int32_t opencl_plan_create(struct anydnn_plugin_context *context,
                           const struct anydnn_plugin_problem *problem, uint64_t engine,
                           struct anydnn_plugin_plan **plan);
int32_t opencl_plan_execute(struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands, int32_t *effect);
void opencl_plan_destroy(struct anydnn_plugin_plan *plan);

#endif
