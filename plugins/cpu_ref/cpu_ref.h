/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations of cpu_ref share: the table entry of an operation, its plan, parallel loops,
 * and small helpers on strided tensors. */
#ifndef CPU_REF_H
#define CPU_REF_H

#include <anydnn/plugin.h>

/* Status codes of plugin.h that this backend returns. */
enum {
    CPU_REF_SUCCESS = 0,
    CPU_REF_ALLOC_FAILED = 2,
    CPU_REF_BAD_PARAM = 3,
    CPU_REF_NOT_SUPPORTED = 9
};

/* Element types are below this; a table entry has one run function for each type that it takes. */
#define CPU_REF_TYPES (ANYDNN_PLUGIN_INT64 + 1)

/* Bytes that the parameters of every family fit in. */
#define CPU_REF_PARAMS_MAX 320

/* The host's table, set before anything else runs. */
extern const struct anydnn_plugin_host *cpu_ref_host;

/* ------------------------------------------------------------------ declining */

/* Why a problem is declined. */
struct cpu_ref_refusal {
    int32_t reason; /* ANYDNN_PLUGIN_REASON_xxx */
    char sentence[320];
};

/* Fills `why` and returns the reason, so that a check can end with `return cpu_ref_refuse(...)`. */
int32_t cpu_ref_refuse(struct cpu_ref_refusal *why, int32_t reason, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Hands a sentence to the host and returns `status`. */
int32_t cpu_ref_fail(int32_t status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ------------------------------------------------------------------ table of operations */

struct cpu_ref_kernel;

/* A plan: the problem with copies of its tensors and parameters, and what runs it. `problem` points
 * into the plan itself, so that the functions of an operation see one form of a problem everywhere.
 */
struct anydnn_plugin_plan {
    const struct cpu_ref_kernel *kernel;
    int32_t (*run)(const struct anydnn_plugin_plan *plan,
                   const struct anydnn_plugin_operands *operands);
    struct anydnn_plugin_problem problem;
    struct anydnn_plugin_tensor tensor[ANYDNN_PLUGIN_OPERAND_MAX];
    uint64_t params[CPU_REF_PARAMS_MAX / 8]; /* zero beyond what the host knew of */
    void *state;                             /* state_size bytes, filled by `prepare` */
};

/* Runs a plan on checked operands. Returns 0, or a status with a sentence at the host, and then has
 * not touched an output. */
typedef int32_t (*cpu_ref_run_fn)(const struct anydnn_plugin_plan *plan,
                                  const struct anydnn_plugin_operands *operands);

struct cpu_ref_kernel {
    int32_t operation;
    uint32_t layouts;   /* ANYDNN_PLUGIN_LAYOUT_xxx, as published */
    int32_t main_slot;  /* the operand whose type chooses the run function: x, dy, a or y */
    uint32_t required;  /* bit per slot: must be present */
    uint32_t outputs;   /* bit per slot: written */
    uint32_t uniform;   /* bit per slot: must have the main operand's type if present */
    size_t params_size; /* of the family's structure; 0: none */
    size_t state_size;
    int32_t
        algorithms; /* bits 0..: cuDNN's numbers under which the engine is offered; 0: only -1 */
    int32_t first;  /* the number offered first, if algorithms is not 0 */

    /* The rest of the conditions, once types, presence and strides are known to be good. Returns 0
     * or the reason. `problem` is complete: params has params_size bytes. */
    int32_t (*check)(const struct anydnn_plugin_problem *problem, struct cpu_ref_refusal *why);
    /* Optional: works out plan->state once. */
    void (*prepare)(struct anydnn_plugin_plan *plan);
    cpu_ref_run_fn run[CPU_REF_TYPES]; /* by ANYDNN_PLUGIN_xxx type; NULL: type not taken */
};

/* Every operation, in table.c; an operation's entry stands in the file of that operation. */
extern const struct cpu_ref_kernel *const cpu_ref_kernels[];
extern const uint32_t cpu_ref_kernel_count;
const struct cpu_ref_kernel *cpu_ref_kernel_find(int32_t operation);

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

/* ------------------------------------------------------------------ names, for sentences (names.c)
 */

const char *cpu_ref_operation_name(int32_t operation);
const char *cpu_ref_slot_name(int32_t operation, int32_t slot);
const char *cpu_ref_type_name(int32_t type);

/* ------------------------------------------------------------------ parallel loops */

/* Calls fn(arg, begin, end) for pieces that together cover 0..count-1 once each, on the threads of
 * the process' pool. `cost` is a guess of one item's work in multiply-adds; little work, and a call
 * while the pool serves another handle, runs in the calling thread. Items must be independent and
 * write to disjoint places, so that the results do not depend on how they were cut. */
void cpu_ref_parallel(int64_t count, int64_t cost,
                      void (*fn)(void *arg, int64_t begin, int64_t end), void *arg);

/* Reads the setting `threads`; the pool follows at its next use. */
int32_t cpu_ref_parallel_configure(void);

/* ------------------------------------------------------------------ tensors */

static inline int64_t cpu_ref_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t cpu_ref_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Product of dims[0..n-1]. */
static inline int64_t cpu_ref_count(const int64_t *dims, int32_t n)
{
    int64_t count = 1;
    for (int32_t d = 0; d < n; d++)
        count *= dims[d];
    return count;
}

/* Offset in elements of the index tuple that stands at place `linear` when all tuples of
 * dims[0..n-1] are counted, the last index fastest. With n = ndims - 1 it is the offset of a row.
 */
static inline int64_t cpu_ref_offset(const int64_t *dims, const int64_t *strides, int32_t n,
                                     int64_t linear)
{
    int64_t offset = 0;
    for (int32_t d = n - 1; d >= 0; d--) {
        offset += linear % dims[d] * strides[d];
        linear /= dims[d];
    }
    return offset;
}

/* Same number of dims and equal dims. */
static inline int cpu_ref_same_dims(const struct anydnn_plugin_tensor *a,
                                    const struct anydnn_plugin_tensor *b)
{
    int same = a->ndims == b->ndims;
    for (int32_t d = 0; same && d < a->ndims; d++)
        same = a->dims[d] == b->dims[d];
    return same;
}

/* Equal dims, and equal strides wherever a dim is larger than 1: an operand may take the other's
 * place. */
static inline int cpu_ref_same_places(const struct anydnn_plugin_tensor *a,
                                      const struct anydnn_plugin_tensor *b)
{
    int same = cpu_ref_same_dims(a, b);
    for (int32_t d = 0; same && d < a->ndims; d++)
        same = a->dims[d] == 1 || a->strides[d] == b->strides[d];
    return same;
}

/* "2,3,4,5", for sentences; returns text. */
struct cpu_ref_text {
    char text[168];
};
const char *cpu_ref_dims_text(struct cpu_ref_text *text, const int64_t *dims, int32_t n);

/*
 * Operations whose formulas do not depend on the type keep them in a file that is included once for
 * each type: `#define CPU_REF_TEMPLATE "thing.inc"`, then `#include "each_float.inc"`. The template
 * uses T           the element's type NAME(f)     f with the type's suffix: f_float, f_double
 *   LOAD(v)     element to double
 *   STORE(v)    double to element
 *   BLEND(place, alpha, result, beta)   place = alpha*result + beta*place; beta 0 does not read
 * place
 */

#endif
