/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements the smallest complete backend: ReLU and scaling of float tensors in host memory, with
 * any strides. Begin a backend of your own with a copy of this folder; docs/backend-authors.md
 * explains it step by step.
 *
 *   make && make symbols
 *   ANYDNN_PLUGIN_PATH=$PWD ANYDNN_ROUTE="template, cpu_ref" \
 *       anydnn explain activation_forward x=f32:2,3,4,5
 *
 * NAME in the Makefile is the name of the backend and of its file; change it only there. The kit
 * (kit_..., KIT_..., slot_...) comes as sources, which the Makefile compiles; you need not use it.
 */
#include "kit/problem.h"
#include "kit/walk.h"

/* The engine numbers. You may choose them, but they must never change within one version. This
 * backend has one way to run. */
enum { THE_ENGINE = 1 };

/* The state of one handle. With a device, it also holds the vendor's handle and scratch memory. */
struct anydnn_plugin_context {
    int32_t device;
};

/* A plan: a copy of the values that running needs. The problem is gone when plan_create returns. A
 * plan stores only shapes and parameters, never data, which may change under the same pointer
 * between two calls. */
struct anydnn_plugin_plan {
    int32_t relu; /* 0 for scaling */
    int32_t nan_propagate;
    int32_t in, out;      /* slots; equal for scaling, which works in place */
    struct kit_walk walk; /* over input and output */
};

/* ------------------------------------------------------------------ candidates */

/* Returns ANYDNN_PLUGIN_REASON_NONE, or the reason for a refusal with a sentence that tells the
 * user what is missing. */
static int32_t check(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_activation *activation = problem->params;

    if (kit_check_extensions(problem, why))
        return why->reason;
    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++)
        if (problem->tensor[slot] && problem->tensor[slot]->type != ANYDNN_PLUGIN_FLOAT)
            return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                              "%s is %s; this backend supports only float",
                              kit_slot_name(problem->operation, slot),
                              kit_type_name(problem->tensor[slot]->type));
    if (problem->operation == ANYDNN_PLUGIN_ACTIVATION_FORWARD &&
        activation->mode != ANYDNN_PLUGIN_ACTIVATION_RELU)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                          "this backend supports only the activation ReLU");
    return ANYDNN_PLUGIN_REASON_NONE;
}

/* Makes one offer for each way to run the problem, the best one first. If there is none, the only
 * offer is a refusal with its reason. */
static int32_t candidates(struct anydnn_plugin_context *context,
                          const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                          void *cookie)
{
    struct anydnn_plugin_candidate candidate = {
        .engine = THE_ENGINE,
        .math = ANYDNN_PLUGIN_MATH_DEFAULT,
    };
    struct anydnn_plugin_problem copy;
    struct kit_copies copies;
    struct kit_refusal why;

    (void)context;
    kit_copy_problem(&copy, &copies, problem);
    if (check(&copy, &why))
        kit_offer_refusal(&why, offer, cookie);
    else
        kit_offer(&candidate, 1, 0, 0, offer, cookie);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* ------------------------------------------------------------------ plans */

static int32_t plan_create(struct anydnn_plugin_context *context,
                           const struct anydnn_plugin_problem *problem, uint64_t engine,
                           struct anydnn_plugin_plan **plan)
{
    const struct anydnn_plugin_activation *activation;
    struct anydnn_plugin_problem copy;
    struct kit_copies copies;
    struct anydnn_plugin_plan *made;

    (void)context;
    if (engine != THE_ENGINE)
        return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM, "engine %llu does not exist",
                        (unsigned long long)engine);
    made = kit_alloc(sizeof(*made), "a plan");
    if (!made)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    kit_copy_problem(&copy, &copies, problem);
    made->in = made->out = slot_scale_tensor_y;
    if (copy.operation == ANYDNN_PLUGIN_ACTIVATION_FORWARD) {
        activation = copy.params;
        made->relu = 1;
        made->nan_propagate = activation->nan_propagate;
        made->in = slot_activation_forward_x;
        made->out = slot_activation_forward_y;
    }
    kit_walk_make(
        &made->walk,
        (const struct anydnn_plugin_tensor *const[]){copy.tensor[made->in], copy.tensor[made->out]},
        2, 1, KIT_WALK_ALL, KIT_WALK_SORTED);
    *plan = made;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

static double relu_of(float x, int32_t nan_propagate)
{
    if (x > 0 || (nan_propagate && x != x))
        return (double)x;
    return 0;
}

struct call {
    const struct anydnn_plugin_plan *plan;
    double alpha, beta;
};

/* Computes out = alpha * result + beta * out for n elements. With beta 0, the old value is not
 * read: it may be NaN, or memory that was never written. */
static void run_row(void *arg, void *const place[], const int64_t stride[], int64_t n)
{
    const struct call *call = arg;
    const float *in = place[0];
    float *out = place[1];

    for (int64_t i = 0; i < n; i++) {
        const float x = in[i * stride[0]];
        double value = call->plan->relu ? relu_of(x, call->plan->nan_propagate) : (double)x;

        value *= call->alpha;
        if (call->beta != 0)
            value += call->beta * (double)out[i * stride[1]];
        out[i * stride[1]] = (float)value;
    }
}

/* Runs a plan; nothing can fail here. A backend with a device sets *effect to
 * ANYDNN_PLUGIN_EFFECT_ENQUEUED as soon as it has enqueued work, so that a later failure is not
 * repeated elsewhere. */
static int32_t plan_execute(struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    struct call call = {plan, operands->scale[0], plan->relu ? operands->scale[1] : 0};

    (void)effect;
    kit_walk_run(&plan->walk, (void *const[]){operands->data[plan->in], operands->data[plan->out]},
                 run_row, &call);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

static void plan_destroy(struct anydnn_plugin_plan *plan)
{
    kit_host->free(plan);
}

/* ------------------------------------------------------------------ contexts */

static int32_t context_create(int32_t device, struct anydnn_plugin_context **context)
{
    struct anydnn_plugin_context *made = kit_alloc(sizeof(*made), "a context");

    if (!made)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    made->device = device;
    *context = made;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

static void context_destroy(struct anydnn_plugin_context *context)
{
    kit_host->free(context);
}

/* ------------------------------------------------------------------ description */

static const struct anydnn_plugin_limit relu_only = {
    .struct_size = sizeof(relu_only),
    .operation = ANYDNN_PLUGIN_ACTIVATION_FORWARD,
    .value = ANYDNN_PLUGIN_ACTIVATION_RELU,
    .name = "activation",
    .sentence = "ReLU alone",
};
static const struct anydnn_plugin_limit *const limits[] = {&relu_only};

static struct anydnn_plugin description = {
    .struct_size = sizeof(description),
    .flags = ANYDNN_PLUGIN_FORK_SAFE,
    .name = PLUGIN_NAME,
    .vendor = "anydnn",
    .version = "1.0",
    .build_id = "",
    .space = "host",
    .limit_count = sizeof(limits) / sizeof(limits[0]),
    .limits = limits,
    .context_create = context_create,
    .context_destroy = context_destroy,
};

static const struct anydnn_plugin_operation functions = {
    .maths = ANYDNN_PLUGIN_MATHS_DEFAULT,
    .candidates = candidates,
    .plan_create = plan_create,
    .plan_execute = plan_execute,
    .plan_destroy = plan_destroy,
};

/* Describes the backend. It is called once and must be cheap: threads, a vendor's library and
 * devices wait for the first context. */
ANYDNN_PLUGIN_EXPORT int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                                                const struct anydnn_plugin **plugin)
{
    const uint32_t types = ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT);

    kit_begin(host, &description);
    kit_publish(&description, &functions, ANYDNN_PLUGIN_ACTIVATION_FORWARD, types, KIT_LAYOUTS);
    kit_publish(&description, &functions, ANYDNN_PLUGIN_SCALE_TENSOR, types, KIT_LAYOUTS);
    *plugin = &description;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}
