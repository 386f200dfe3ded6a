/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest complete backend: ReLU and scaling of float tensors in host memory, any strides.
 * Begin a backend of your own with a copy of this folder; docs/backend-authors.md walks through it.
 *
 *   make && make symbols
 *   ANYDNN_PLUGIN_PATH=$PWD ANYDNN_ROUTE="template, cpu_ref" \
 *       anydnn explain activation_forward x=f32:2,3,4,5
 *
 * NAME in the Makefile is the backend's name and that of its file; change it there alone.
 */
#include <anydnn/plugin.h>

/* Answers, by their numbers in anydnn.h. */
enum { SUCCESS = 0, ALLOC_FAILED = 2, BAD_PARAM = 3 };

/* Engines are numbered as one likes, for ever within one version; here there is one way to run. */
enum { THE_ENGINE = 1 };

enum { RELU = 1 }; /* mode of struct anydnn_plugin_activation */

static const struct anydnn_plugin_host *host;

/* What belongs to one handle; with a device: its number, the vendor's handle, scratch memory. */
struct anydnn_plugin_context {
    int32_t device;
};

/* What running needs of a problem, copied: the problem is gone when plan_create returns. Shapes and
 * parameters only; never data, which may change under the same pointer between two calls. */
struct anydnn_plugin_plan {
    int32_t relu; /* else scaling */
    int32_t nan_propagate;
    int32_t out; /* slot; the input's is 0 */
    int32_t ndims;
    int64_t dims[ANYDNN_PLUGIN_DIM_MAX];
    int64_t in_strides[ANYDNN_PLUGIN_DIM_MAX];
    int64_t out_strides[ANYDNN_PLUGIN_DIM_MAX];
};

static int32_t fail(int32_t status, const char *sentence)
{
    host->set_error(host, sentence);
    return status;
}

/* ------------------------------------------------------------------ candidates */

/* ANYDNN_PLUGIN_REASON_NONE, or the reason and a sentence that tells the user what is missing. */
static int32_t why_not(const struct anydnn_plugin_problem *problem, const char **sentence)
{
    const struct anydnn_plugin_extension *node;

    for (node = problem->extension; node; node = node->next)
        if (node->must_understand) {
            *sentence = "the problem has an extension that this backend does not know";
            return ANYDNN_PLUGIN_REASON_EXTENSION;
        }
    for (int slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++)
        if (problem->tensor[slot] && problem->tensor[slot]->type != ANYDNN_PLUGIN_FLOAT) {
            *sentence = "an operand is not float; this backend takes float alone";
            return ANYDNN_PLUGIN_REASON_TYPE;
        }
    if (problem->operation == ANYDNN_PLUGIN_ACTIVATION_FORWARD) {
        const struct anydnn_plugin_activation *activation = problem->params;

        if (activation->mode != RELU) {
            *sentence = "of the activations this backend has ReLU alone";
            return ANYDNN_PLUGIN_REASON_PARAMETER;
        }
    }
    return ANYDNN_PLUGIN_REASON_NONE;
}

/* One offer for each way to run the problem, best first; or one that says why there is none. */
static int32_t candidates(struct anydnn_plugin_context *context,
                          const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                          void *cookie)
{
    struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof(candidate),
        .engine = THE_ENGINE,
        .algorithm = -1, /* none of cuDNN's */
        .math = ANYDNN_PLUGIN_MATH_DEFAULT,
    };

    (void)context;
    candidate.reason = why_not(problem, &candidate.sentence);
    offer(cookie, &candidate);
    return SUCCESS;
}

/* ------------------------------------------------------------------ plans */

static int32_t plan_create(struct anydnn_plugin_context *context,
                           const struct anydnn_plugin_problem *problem, uint64_t engine,
                           struct anydnn_plugin_plan **plan)
{
    struct anydnn_plugin_plan *made;

    (void)context;
    if (engine != THE_ENGINE)
        return fail(BAD_PARAM, "there is no such engine");
    made = host->alloc(sizeof(*made));
    if (!made)
        return fail(ALLOC_FAILED, "out of memory for a plan");
    *made = (struct anydnn_plugin_plan){.ndims = problem->tensor[0]->ndims};
    /* Slots, as plugin.h lists them: activation_forward 0 x | 1 y, scale_tensor | 0 y. */
    if (problem->operation == ANYDNN_PLUGIN_ACTIVATION_FORWARD) {
        const struct anydnn_plugin_activation *activation = problem->params;

        made->relu = 1;
        made->nan_propagate = activation->nan_propagate;
        made->out = 1;
    }
    for (int32_t dim = 0; dim < made->ndims; dim++) {
        made->dims[dim] = problem->tensor[0]->dims[dim];
        made->in_strides[dim] = problem->tensor[0]->strides[dim];
        made->out_strides[dim] = problem->tensor[made->out]->strides[dim];
    }
    *plan = made;
    return SUCCESS;
}

static double relu_of(float x, int32_t nan_propagate)
{
    if (x > 0 || (nan_propagate && x != x))
        return (double)x;
    return 0;
}

/* out = alpha * result + beta * out over dimensions `dim` and up. With beta 0 the old value is not
 * read: it may be NaN, or memory that was never written. */
static void run(const struct anydnn_plugin_plan *plan, double alpha, double beta, int32_t dim,
                const float *in, float *out)
{
    const int32_t inner = dim + 1;

    for (int64_t i = 0; i < plan->dims[dim]; i++) {
        const float *from = in + i * plan->in_strides[dim];
        float *to = out + i * plan->out_strides[dim];
        double value;

        if (inner < plan->ndims) {
            run(plan, alpha, beta, inner, from, to);
            continue;
        }
        value = plan->relu ? relu_of(*from, plan->nan_propagate) : (double)*from;
        *to = (float)(beta == 0 ? alpha * value : alpha * value + beta * (double)*to);
    }
}

/* Nothing can fail here. A backend with a device sets *effect to ANYDNN_PLUGIN_EFFECT_ENQUEUED as
 * soon as it has enqueued something, so that a failure after that is not repeated elsewhere. */
static int32_t plan_execute(struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    (void)effect;
    run(plan, operands->scale[0], plan->relu ? operands->scale[1] : 0, 0, operands->data[0],
        operands->data[plan->out]);
    return SUCCESS;
}

static void plan_destroy(struct anydnn_plugin_plan *plan)
{
    host->free(plan);
}

/* ------------------------------------------------------------------ contexts */

static int32_t context_create(int32_t device, struct anydnn_plugin_context **context)
{
    struct anydnn_plugin_context *made = host->alloc(sizeof(*made));

    if (!made)
        return fail(ALLOC_FAILED, "out of memory for a context");
    made->device = device;
    *context = made;
    return SUCCESS;
}

static void context_destroy(struct anydnn_plugin_context *context)
{
    host->free(context);
}

/* ------------------------------------------------------------------ what anydnn is told */

#define OFFERED(number)                                                                            \
    {                                                                                              \
        .struct_size = sizeof(struct anydnn_plugin_operation), .operation = (number),              \
        .types = ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT),                                      \
        .layouts =                                                                                 \
            ANYDNN_PLUGIN_LAYOUT_NCHW | ANYDNN_PLUGIN_LAYOUT_NHWC | ANYDNN_PLUGIN_LAYOUT_STRIDED,  \
        .maths = 0x1, .candidates = candidates, .plan_create = plan_create,                        \
        .plan_execute = plan_execute, .plan_destroy = plan_destroy                                 \
    }

static const struct anydnn_plugin_operation activation_forward =
    OFFERED(ANYDNN_PLUGIN_ACTIVATION_FORWARD);
static const struct anydnn_plugin_operation scale_tensor = OFFERED(ANYDNN_PLUGIN_SCALE_TENSOR);
static const struct anydnn_plugin_operation *const operations[] = {&activation_forward,
                                                                   &scale_tensor};

static const struct anydnn_plugin_limit relu_only = {
    .struct_size = sizeof(relu_only),
    .operation = ANYDNN_PLUGIN_ACTIVATION_FORWARD,
    .value = RELU,
    .name = "activation",
    .sentence = "ReLU alone",
};
static const struct anydnn_plugin_limit *const limits[] = {&relu_only};

static const struct anydnn_plugin description = {
    .struct_size = sizeof(description),
    .flags = ANYDNN_PLUGIN_FORK_SAFE,
    .name = PLUGIN_NAME,
    .vendor = "anydnn",
    .version = "1.0",
    .build_id = "",
    .space = "host",
    .operation_count = sizeof(operations) / sizeof(operations[0]),
    .limit_count = sizeof(limits) / sizeof(limits[0]),
    .operations = operations,
    .limits = limits,
    .context_create = context_create,
    .context_destroy = context_destroy,
};

/* Data, read before any code of this file runs. */
ANYDNN_PLUGIN_EXPORT const struct anydnn_plugin_abi anydnn_plugin_abi =
    ANYDNN_PLUGIN_ABI_INITIALIZER;

/* Called once. Cheap: no threads, no vendor's library, no device; those wait for the first context.
 */
ANYDNN_PLUGIN_EXPORT int32_t anydnn_plugin_main(const struct anydnn_plugin_host *given,
                                                const struct anydnn_plugin **plugin)
{
    host = given;
    *plugin = &description;
    return SUCCESS;
}
