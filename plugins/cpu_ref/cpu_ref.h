/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations of cpu_ref share: the table entry of an operation, its plan, parallel loops,
 * templates. */
#ifndef CPU_REF_H
#define CPU_REF_H

#include <anydnn/plugin.h>

#include "../kit/problem.h"
#include "tensor.h"

/* ------------------------------------------------------------------ table of operations */

struct anydnn_plugin_context {
    int32_t device;
    int32_t emulates; /* set.emulate: operands are rounded as the math mode permits */
};

struct cpu_ref_kernel;

/* A plan: the problem with copies of its tensors and parameters, and what runs it. `problem` points
 * into the plan itself, so that the functions of an operation see one form of a problem everywhere.
 */
struct anydnn_plugin_plan {
    const struct cpu_ref_kernel *kernel;
    int32_t (*run)(const struct anydnn_plugin_plan *plan,
                   const struct anydnn_plugin_operands *operands);
    int32_t math; /* what is really used: ANYDNN_PLUGIN_MATH_xxx */
    struct anydnn_plugin_problem problem;
    struct kit_copies copies; /* that `problem` points to */
    void *state;              /* state_size bytes, filled by `prepare` */
};

/* Runs a plan. Returns 0, or a status with a sentence at the host, and then has
 * not touched an output. */
typedef int32_t (*cpu_ref_run_fn)(const struct anydnn_plugin_plan *plan,
                                  const struct anydnn_plugin_operands *operands);

struct cpu_ref_kernel {
    int32_t operation;
    uint32_t layouts;  /* ANYDNN_PLUGIN_LAYOUT_xxx, as published */
    int32_t main_slot; /* the operand whose type chooses the run function: x, dy, a or y */
    uint32_t apart;    /* bit per slot: outputs that may not take an input's place */
    uint32_t uniform;  /* bit per slot: must have the main operand's type if present */
    size_t state_size;
    int32_t algorithms; /* cuDNN's numbers under which the engine is offered, as bits; 0: only -1 */
    int32_t first;      /* the number offered first, if algorithms is not 0 */
    int32_t emulates;   /* 1: has a math mode, and rounds operands by plan->math */

    /* Of an operation whose operands may be of different types: whether it takes these. Returns 0
     * or the reason; without it those of `uniform` must be equal. Comes before `check`, when the
     * main operand's type is known to be taken. */
    int32_t (*check_types)(const struct anydnn_plugin_problem *problem, struct kit_refusal *why);
    /* Optional: further limits of the operation. Returns 0 or the reason. */
    int32_t (*check)(const struct anydnn_plugin_problem *problem, struct kit_refusal *why);
    /* Optional: works out plan->state once. */
    void (*prepare)(struct anydnn_plugin_plan *plan);
    cpu_ref_run_fn run[KIT_TYPES]; /* by ANYDNN_PLUGIN_xxx type; NULL: type not taken */
};

/* ------------------------------------------------------------------ limits common to all
 * operations (check.c) */

/* Returns 0 or the reason. `problem` is complete. */
int32_t cpu_ref_check_problem(const struct cpu_ref_kernel *kernel,
                              const struct anydnn_plugin_problem *problem, struct kit_refusal *why);

/* Refuses an operand in a slot of `mask` whose type is not that of `main_slot`. */
int32_t cpu_ref_check_uniform(const struct anydnn_plugin_problem *problem, int32_t main_slot,
                              uint32_t mask, struct kit_refusal *why);

/* Every operation, in table.c; an operation's entry stands in the file of that operation. */
extern const struct cpu_ref_kernel *const cpu_ref_kernels[];
extern const uint32_t cpu_ref_kernel_count;
const struct cpu_ref_kernel *cpu_ref_kernel_lookup(int32_t operation);

/* The element types that a kernel takes, as bits. */
uint32_t cpu_ref_kernel_types(const struct cpu_ref_kernel *kernel);

/* The four functions behind every operation of the description, in plan.c. */
int32_t cpu_ref_candidates(struct anydnn_plugin_context *context,
                           const struct anydnn_plugin_problem *problem,
                           anydnn_plugin_offer_fn offer, void *cookie);
int32_t cpu_ref_plan_create(struct anydnn_plugin_context *context,
                            const struct anydnn_plugin_problem *problem, uint64_t engine,
                            struct anydnn_plugin_plan **plan);
int32_t cpu_ref_plan_execute(struct anydnn_plugin_plan *plan,
                             const struct anydnn_plugin_operands *operands, int32_t *effect);
void cpu_ref_plan_destroy(struct anydnn_plugin_plan *plan);

/* ------------------------------------------------------------------ parallel loops */

/* Calls fn(arg, begin, end) for pieces that together cover 0..count-1 once each, on the threads of
 * the process' pool. `cost` is a guess of one item's work in multiply-adds; little work, and a call
 * while the pool serves another handle, runs in the calling thread. Items must be independent and
 * write to disjoint places, so that the results do not depend on how they were cut. */
void cpu_ref_parallel(int64_t count, int64_t cost,
                      void (*fn)(void *arg, int64_t begin, int64_t end), void *arg);

/* Reads the setting `threads`; the pool follows at its next use. */
int32_t cpu_ref_parallel_configure(void);

/*
 * Operations whose formulas do not depend on the type keep them in a file that is included once for
 * each floating type: `#define CPU_REF_TEMPLATE "thing.inc"`, then `#include "each_float.inc"`. The
 * template uses
 *   T           the element's type
 *   P           the type of operands that are float beside half and bfloat16, and double beside
 *               double; every value of T is one of P
 *   NAME(f)     f with the type's suffix: f_float, f_double, f_half, f_bfloat16
 *   LOAD(v)     element to double
 *   STORE(v)    double to element, the only rounding on the way of a result
 *   BLEND(place, alpha, result, beta)   place = alpha*result + beta*place; beta 0 does not read
 *               place
 * and its run function f enters the table of its operation as CPU_REF_EACH_FLOAT(f).
 */
#define BLEND(place, alpha, result, beta)                                                          \
    ((place) = STORE((beta) == 0 ? (alpha) * (result) : (alpha) * (result) + (beta)*LOAD(place)))

#define CPU_REF_EACH_FLOAT(f)                                                                      \
    [ANYDNN_PLUGIN_FLOAT] = f##_float, [ANYDNN_PLUGIN_DOUBLE] = f##_double,                        \
    [ANYDNN_PLUGIN_HALF] = f##_half, [ANYDNN_PLUGIN_BFLOAT16] = f##_bfloat16

/* The same for `#include "each_integer.inc"`, which sets all of these but P, and for `#include
 * "each_int8.inc"`, which knows int8 alone and has the P of half. Vectors are run as what they are
 * made of. */
#define CPU_REF_EACH_INTEGER(f)                                                                    \
    [ANYDNN_PLUGIN_INT8] = f##_int8, [ANYDNN_PLUGIN_UINT8] = f##_uint8,                            \
    [ANYDNN_PLUGIN_INT32] = f##_int32
#define CPU_REF_EACH_VECTOR(f)                                                                     \
    [ANYDNN_PLUGIN_INT8X4] = f##_int8, [ANYDNN_PLUGIN_UINT8X4] = f##_uint8,                        \
    [ANYDNN_PLUGIN_INT8X32] = f##_int8

/* One run function that knows the types of a plan by itself. */
#define CPU_REF_ANY_FLOAT(f)                                                                       \
    [ANYDNN_PLUGIN_FLOAT] = (f), [ANYDNN_PLUGIN_DOUBLE] = (f), [ANYDNN_PLUGIN_HALF] = (f),         \
    [ANYDNN_PLUGIN_BFLOAT16] = (f)
#define CPU_REF_ANY_8BIT(f)                                                                        \
    [ANYDNN_PLUGIN_INT8] = (f), [ANYDNN_PLUGIN_UINT8] = (f), [ANYDNN_PLUGIN_INT8X4] = (f),         \
    [ANYDNN_PLUGIN_UINT8X4] = (f), [ANYDNN_PLUGIN_INT8X32] = (f)

#endif
