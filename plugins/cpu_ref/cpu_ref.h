/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the operations of cpu_ref share: table entries, plans, parallel loops,
 * templates. */
#ifndef CPU_REF_H
#define CPU_REF_H

#include <anydnn/plugin.h>

#include "../kit/problem.h"
#include "tensor.h"

/* ------------------------------------------------------------------ table of operations */

struct anydnn_plugin_context {
    int32_t device;
    int32_t emulates; /* 1 with set.emulate: operands are rounded as the math mode permits */
};

struct cpu_ref_kernel;

/* A plan: the problem with copies of its tensors and parameters, and its run function. `problem`
 * points into the plan itself, so that the functions of an operation always see the same form of a
 * problem. */
struct anydnn_plugin_plan {
    const struct cpu_ref_kernel *kernel;
    int32_t (*run)(const struct anydnn_plugin_plan *plan,
                   const struct anydnn_plugin_operands *operands);
    int32_t math; /* mode in use: ANYDNN_PLUGIN_MATH_xxx */
    struct anydnn_plugin_problem problem;
    struct kit_copies copies; /* `problem` points here */
    void *state;              /* state_size bytes, filled by `prepare` */
};

/* Runs a plan. Returns 0, or a status after a message to the host. If it fails, it has not touched
 * an output. */
typedef int32_t (*cpu_ref_run_fn)(const struct anydnn_plugin_plan *plan,
                                  const struct anydnn_plugin_operands *operands);

struct cpu_ref_kernel {
    int32_t operation;
    uint32_t layouts;  /* ANYDNN_PLUGIN_LAYOUT_xxx, as published */
    int32_t main_slot; /* operand whose type selects the run function: x, dy, a or y */
    uint32_t apart;    /* bit per slot: outputs that must not lie on an input */
    uint32_t uniform;  /* bit per slot: must have the main operand's type if present */
    size_t state_size;
    int32_t algorithms; /* bits of cuDNN's algorithm numbers for the engine; 0 for -1 only */
    int32_t first;      /* number offered first, if algorithms is not 0 */
    int32_t emulates;   /* 1 if it has math modes and rounds operands according to plan->math */

    /* Checks the types of an operation that permits different types. Returns 0 or the reason. If
     * NULL, the operands of `uniform` must have equal types. It runs before `check`, after the main
     * operand's type has been accepted. */
    int32_t (*check_types)(const struct anydnn_plugin_problem *problem, struct kit_refusal *why);
    /* Optional. Checks further limits of the operation. Returns 0 or the reason. */
    int32_t (*check)(const struct anydnn_plugin_problem *problem, struct kit_refusal *why);
    /* Optional. Fills plan->state once. */
    void (*prepare)(struct anydnn_plugin_plan *plan);
    cpu_ref_run_fn run[KIT_TYPES]; /* by ANYDNN_PLUGIN_xxx type; NULL if unsupported */
};

/* ------------------------------------------------------------------ common limits
 * (check_problem.c) */

/* Checks a problem, which is complete. Returns 0 or the reason. */
int32_t cpu_ref_check_problem(const struct cpu_ref_kernel *kernel,
                              const struct anydnn_plugin_problem *problem, struct kit_refusal *why);

/* Refuses an operand in a slot of `mask` whose type is not that of `main_slot`. */
int32_t cpu_ref_check_uniform(const struct anydnn_plugin_problem *problem, int32_t main_slot,
                              uint32_t mask, struct kit_refusal *why);

/* The table of all operations, in table.c. The file of an operation defines its entry. */
extern const struct cpu_ref_kernel *const cpu_ref_kernels[];
extern const uint32_t cpu_ref_kernel_count;
const struct cpu_ref_kernel *cpu_ref_kernel_lookup(int32_t operation);

/* Returns the element types of a kernel as bits. */
uint32_t cpu_ref_kernel_types(const struct cpu_ref_kernel *kernel);

/* The four functions of every operation in the description, in plan.c. */
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
 * the process's pool for their number. `cost` estimates one item's work in multiply-adds. Little
 * work runs in the calling thread, and so does a call while the pool serves another handle. Items
 * must be independent and write to disjoint places, so that the results do not depend on the
 * pieces. */
void cpu_ref_parallel(int64_t count, int64_t cost,
                      void (*fn)(void *arg, int64_t begin, int64_t end), void *arg);

/* Reads the setting `threads`, which counts from the next loop on. */
int32_t cpu_ref_parallel_configure(void);

/*
 * Operations whose formulas do not depend on the type keep them in a file that is included once per
 * floating-point type: `#define CPU_REF_TEMPLATE "thing.inc"`, then `#include "each_float.inc"`.
 * The template uses these macros:
 *   T           the element's type
 *   P           double for double, else float; P represents every value of T
 *   NAME(f)     f with the type's suffix: f_float, f_double, f_half, f_bfloat16
 *   LOAD(v)     element to double
 *   STORE(v)    double to element, the only rounding of a result
 *   BLEND(place, alpha, result, beta)   place = alpha*result + beta*place; with beta 0, place is
 *               not read
 * Its run function f enters the table of its operation as CPU_REF_EACH_FLOAT(f).
 */
#define BLEND(place, alpha, result, beta)                                                          \
    ((place) = STORE((beta) == 0 ? (alpha) * (result) : (alpha) * (result) + (beta)*LOAD(place)))

#define CPU_REF_EACH_FLOAT(f)                                                                      \
    [ANYDNN_PLUGIN_FLOAT] = f##_float, [ANYDNN_PLUGIN_DOUBLE] = f##_double,                        \
    [ANYDNN_PLUGIN_HALF] = f##_half, [ANYDNN_PLUGIN_BFLOAT16] = f##_bfloat16

/* These macros serve `#include "each_integer.inc"`, which defines all of the above but P. They also
 * serve `#include "each_int8.inc"`, which only supports int8 and has the P of half. Vectors run as
 * their scalars. */
#define CPU_REF_EACH_INTEGER(f)                                                                    \
    [ANYDNN_PLUGIN_INT8] = f##_int8, [ANYDNN_PLUGIN_UINT8] = f##_uint8,                            \
    [ANYDNN_PLUGIN_INT32] = f##_int32
#define CPU_REF_EACH_VECTOR(f)                                                                     \
    [ANYDNN_PLUGIN_INT8X4] = f##_int8, [ANYDNN_PLUGIN_UINT8X4] = f##_uint8,                        \
    [ANYDNN_PLUGIN_INT8X32] = f##_int8

/* These macros enter one run function that handles the types of a plan itself. */
#define CPU_REF_ANY_FLOAT(f)                                                                       \
    [ANYDNN_PLUGIN_FLOAT] = (f), [ANYDNN_PLUGIN_DOUBLE] = (f), [ANYDNN_PLUGIN_HALF] = (f),         \
    [ANYDNN_PLUGIN_BFLOAT16] = (f)
#define CPU_REF_ANY_8BIT(f)                                                                        \
    [ANYDNN_PLUGIN_INT8] = (f), [ANYDNN_PLUGIN_UINT8] = (f), [ANYDNN_PLUGIN_INT8X4] = (f),         \
    [ANYDNN_PLUGIN_UINT8X4] = (f), [ANYDNN_PLUGIN_INT8X32] = (f)

#endif
