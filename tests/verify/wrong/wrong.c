/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small backend in float, written plainly: convolution forward, activation forward, scale. Right
 * as it stands, also with -DRIGHT_TF32, which rounds operands and says so; with -DWRONG_xxx it
 * breaks one rule, for the tests of `anydnn verify`. WRONG_NAME is its name.
 */
#include <anydnn/plugin.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <fenv.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tensor.h"

#if defined(WRONG_SPACE_ALLOC) || defined(WRONG_SPACE_OWNER) || defined(WRONG_SPACE_WITHIN) ||     \
    defined(WRONG_SPACE_SET) || defined(WRONG_SPACE_LATE) || defined(WRONG_SPACE_RECORDS) ||       \
    defined(WRONG_SPACE_IDENTITY) || defined(WRONG_SPACE_STREAM) || defined(WRONG_SPACE_COUNT)
#define WRONG_DEVICE
#endif

#define SUCCESS      0
#define NO_MEMORY    2
#define NO_SUPPORT   9
#define RELU         1
#define SCRATCH_ROOM 65536

static const struct anydnn_plugin_host *host;

#ifdef WRONG_FLOAT_LOAD
__attribute__((constructor)) static void change_float(void)
{
    fesetround(FE_UPWARD);
}
#endif

struct anydnn_plugin_context {
    int calls;
};

struct anydnn_plugin_plan {
    int32_t operation;
    struct anydnn_plugin_tensor tensor[3];
    struct anydnn_plugin_convolution convolution;
    struct anydnn_plugin_activation activation;
    int runs;
    float *kept;
};

static int64_t count(const struct anydnn_plugin_tensor *tensor)
{
    int64_t product = 1;

    for (int d = 0; d < tensor->ndims; d++)
        product *= tensor->dims[d];
    return product;
}

/* ------------------------------------------------------------------ the operations */

static void blend(float *y, double value, double alpha, double beta)
{
#ifdef WRONG_IGNORES_BETA
    beta = 0;
#endif
#ifdef WRONG_READS_Y
    *y = (float)(alpha * value + beta * (double)*y);
#else
    *y = (float)(beta != 0 ? alpha * value + beta * (double)*y : alpha * value);
#endif
}

/* What this backend multiplies. */
static double operand(float value)
{
#if defined(WRONG_TF32) || defined(RIGHT_TF32)
    /* 11 bits of significand, to nearest, ties to even. */
    int exponent;
    double digits = frexp((double)value, &exponent);

    return ldexp(rint(ldexp(digits, 11)), exponent - 11);
#else
    return (double)value;
#endif
}

/* One position of y: the sum over the filter in 1 to 3 spatial dims. */
static double sum_at(const struct anydnn_plugin_plan *plan, const float *x, const float *w,
                     const int64_t *y_index)
{
    const struct anydnn_plugin_tensor *filter = &plan->tensor[1];
    int64_t group = y_index[1] / (filter->dims[0] / plan->convolution.groups);
    int64_t w_index[ANYDNN_PLUGIN_DIM_MAX] = {y_index[1]};
    double sum = 0;

#ifdef WRONG_SPLITS
    /* As a kernel that splits long sums, and adds up the parts in 6 bits. */
    int64_t terms = 0;
    int exponent;
#endif
#ifdef WRONG_IGNORES_GROUPS
    group = 0;
#endif
    do {
        int64_t x_index[ANYDNN_PLUGIN_DIM_MAX] = {y_index[0]};

        if (w_index[0] != y_index[1])
            break;
        x_index[1] = group * filter->dims[1] + w_index[1];
        if (place_of(&plan->convolution, &plan->tensor[0], filter, y_index, w_index, x_index))
            sum +=
                operand(x[offset(&plan->tensor[0], x_index)]) * operand(w[offset(filter, w_index)]);
#ifdef WRONG_SPLITS
        if (++terms % 4096 == 0)
            sum = ldexp(rint(ldexp(frexp(sum, &exponent), 6)), exponent - 6);
#endif
    } while (step(filter, w_index));
    return sum;
}

#ifdef WRONG_SHARED
/* Spoils y while another process does the same: the lock is on this module's own file. */
static void meet_others(float *y)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    Dl_info self;
    int fd = dladdr((void *)meet_others, &self) ? open(self.dli_fname, O_RDWR | O_CLOEXEC) : -1;

    if (fd < 0 || fcntl(fd, F_SETLK, &lock) != 0)
        *y += 1;
    usleep(500);
    if (fd >= 0)
        close(fd);
}
#endif

static void convolve(struct anydnn_plugin_plan *plan, const struct anydnn_plugin_operands *operands)
{
    const float *x = operands->data[0];
    const float *w = operands->data[1];
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0};
    double wobble = 1;

#ifdef WRONG_CACHES_WEIGHTS
    if (!plan->kept) {
        plan->kept = malloc((size_t)count(&plan->tensor[1]) * sizeof(float));
        memcpy(plan->kept, w, (size_t)count(&plan->tensor[1]) * sizeof(float));
    }
    w = plan->kept;
#endif
#ifdef WRONG_READS_BEYOND
    wobble = w[count(&plan->tensor[1])] == 12345 ? 2 : 1;
#endif
#ifdef WRONG_NONDETERMINISTIC
    wobble = plan->runs % 2 ? 1 + 0x1p-23 : 1;
#endif
    plan->runs++;
    do {
        float *y = (float *)operands->data[2] + offset(&plan->tensor[2], index);

        blend(y, sum_at(plan, x, w, index) * wobble, operands->scale[0], operands->scale[1]);
#ifdef WRONG_WRITES_GAP
        if (plan->tensor[2].strides[plan->tensor[2].ndims - 1] == 2 &&
            index[plan->tensor[2].ndims - 1] == 0)
            y[1] = 0;
#endif
    } while (step(&plan->tensor[2], index));
#ifdef WRONG_SHARED
    meet_others(operands->data[2]);
#endif
}

static double activate(const struct anydnn_plugin_activation *params, double x)
{
    switch (params->mode) {
    case 0:
        return 1 / (1 + exp(-x));
    case RELU:
        return params->nan_propagate && isnan(x) ? x : x > 0 ? x : 0;
    default:
        return tanh(x);
    }
}

static void each_element(const struct anydnn_plugin_plan *plan,
                         const struct anydnn_plugin_operands *operands)
{
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0};

    do {
        const float *x = (const float *)operands->data[0] + offset(&plan->tensor[0], index);

        if (plan->operation == ANYDNN_PLUGIN_SCALE_TENSOR)
            ((float *)operands->data[0])[offset(&plan->tensor[0], index)] =
                (float)(operands->scale[0] * (double)*x);
        else
            blend((float *)operands->data[1] + offset(&plan->tensor[1], index),
                  activate(&plan->activation, (double)*x), operands->scale[0], operands->scale[1]);
    } while (step(&plan->tensor[0], index));
}

/* Sums through memory that all contexts share. */
static void through_scratch(const struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands)
{
    static float scratch[SCRATCH_ROOM];
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0};
    int64_t at = 0;

    do
        scratch[at++ % SCRATCH_ROOM] =
            ((float *)operands->data[2])[offset(&plan->tensor[2], index)];
    while (step(&plan->tensor[2], index));
    usleep(200);
    at = 0;
    do
        ((float *)operands->data[2])[offset(&plan->tensor[2], index)] =
            scratch[at++ % SCRATCH_ROOM];
    while (step(&plan->tensor[2], index));
}

#ifdef WRONG_DEVICE
#include "shelf.h"
#else
#define SPACE           "host"
#define SPACE_FUNCTIONS NULL
#endif

/* ------------------------------------------------------------------ candidates and plans */

static const char *refusal(const struct anydnn_plugin_problem *problem, int32_t *reason)
{
    for (int i = 0; i < ANYDNN_PLUGIN_OPERAND_MAX; i++)
        if (problem->tensor[i] && problem->tensor[i]->type != ANYDNN_PLUGIN_FLOAT) {
            *reason = ANYDNN_PLUGIN_REASON_TYPE;
            return "this backend takes float alone";
        }
    for (int i = 0; i < ANYDNN_PLUGIN_OPERAND_MAX; i++)
        if (problem->tensor[i] && count(problem->tensor[i]) > INT32_MAX) {
            *reason = ANYDNN_PLUGIN_REASON_SHAPE;
            return "this backend takes up to 2^31 - 1 elements";
        }
    for (const struct anydnn_plugin_extension *node = problem->extension; node; node = node->next)
        if (node->must_understand) {
            *reason = ANYDNN_PLUGIN_REASON_EXTENSION;
            return "this backend knows no extensions";
        }
    if (problem->operation == ANYDNN_PLUGIN_ACTIVATION_FORWARD &&
        ((const struct anydnn_plugin_activation *)problem->params)->mode > 2) {
        *reason = ANYDNN_PLUGIN_REASON_PARAMETER;
        return "this backend has sigmoid, relu and tanh";
    }
    return NULL;
}

static int32_t candidates(struct anydnn_plugin_context *context,
                          const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                          void *cookie)
{
    struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof(candidate), .algorithm = -1, .engine = 1};

    candidate.sentence = refusal(problem, &candidate.reason);
#ifdef WRONG_FLOAT_ASK
    fesetround(FE_UPWARD);
#endif
#ifdef WRONG_NO_SENTENCE
    candidate.sentence = NULL;
#endif
#ifdef WRONG_GARBAGE
    candidate.alignment[0] = 3;
    candidate.notes = 0xffff0000u;
#endif
#ifdef WRONG_IMPURE
    candidate.engine = (uint64_t)++context->calls;
#endif
#ifdef RIGHT_TF32
    if (problem->math == ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION && candidate.reason == 0) {
        candidate.math = ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION;
        candidate.notes = ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION;
    } else if (candidate.reason == 0) {
        candidate.reason = ANYDNN_PLUGIN_REASON_MATH;
        candidate.sentence = "this backend rounds operands to TF32";
    }
#endif
#ifdef WRONG_NEEDS_MORE
    if (problem->operation == ANYDNN_PLUGIN_CONVOLUTION_FORWARD && candidate.reason == 0)
        candidate.workspace = (uint64_t)count(problem->tensor[1]) * sizeof(float) - 4;
#endif
    (void)context;
    offer(cookie, &candidate);
    return SUCCESS;
}

static int32_t plan_create(struct anydnn_plugin_context *context,
                           const struct anydnn_plugin_problem *problem, uint64_t engine,
                           struct anydnn_plugin_plan **plan)
{
    struct anydnn_plugin_plan *made = calloc(1, sizeof(*made));

    (void)context;
    (void)engine;
#ifdef WRONG_FLOAT_PLAN
    fesetround(FE_UPWARD);
#endif
    if (!made) {
        host->set_error(host, "there is no memory for a plan");
        return NO_MEMORY;
    }
    made->operation = problem->operation;
    for (int i = 0; i < 3; i++)
        if (problem->tensor[i])
            made->tensor[i] = *problem->tensor[i];
    if (problem->operation == ANYDNN_PLUGIN_CONVOLUTION_FORWARD)
        made->convolution = *(const struct anydnn_plugin_convolution *)problem->params;
    if (problem->operation == ANYDNN_PLUGIN_ACTIVATION_FORWARD)
        made->activation = *(const struct anydnn_plugin_activation *)problem->params;
    *plan = made;
    return SUCCESS;
}

static int32_t plan_execute(struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands, int32_t *effect)
{
#ifdef WRONG_DEVICE
    struct anydnn_plugin_operands reached = *operands;

    for (int i = 0; i < ANYDNN_PLUGIN_OPERAND_MAX; i++)
        if (operands->data[i])
            reached.data[i] = shelf_reach(operands->data[i]);
    operands = &reached;
#endif
#ifdef WRONG_FLOAT_RUN
    fesetround(FE_UPWARD);
#endif
#ifdef WRONG_HANGS
    if (plan->operation == ANYDNN_PLUGIN_CONVOLUTION_FORWARD && plan->convolution.groups > 3)
        for (;;)
            pause();
#endif
#ifdef WRONG_FORKS
    static uint64_t first;

    first = first ? first : host->fork_number();
    if (first != host->fork_number())
        for (;;)
            raise(SIGABRT);
#endif
#ifdef WRONG_CRASHES
    if (plan->operation == ANYDNN_PLUGIN_CONVOLUTION_FORWARD && plan->convolution.groups > 3)
        raise(SIGSEGV);
#endif
#ifdef WRONG_FAILS
    host->set_error(host, host->setting(host, "complaint"));
    return NO_SUPPORT;
#endif
#ifdef WRONG_NEEDS_MORE
    if (plan->operation == ANYDNN_PLUGIN_CONVOLUTION_FORWARD)
        memset(operands->workspace, 0, (size_t)count(&plan->tensor[1]) * sizeof(float));
#endif
    if (plan->operation == ANYDNN_PLUGIN_CONVOLUTION_FORWARD)
        convolve(plan, operands);
    else
        each_element(plan, operands);
#ifdef WRONG_SHARES_SCRATCH
    if (plan->operation == ANYDNN_PLUGIN_CONVOLUTION_FORWARD)
        through_scratch(plan, operands);
#else
    (void)through_scratch;
#endif
#ifdef WRONG_EFFECT
    *effect = ANYDNN_PLUGIN_EFFECT_NONE;
    host->set_error(host, "it went wrong at the end");
    return NO_SUPPORT;
#endif
    (void)effect;
    return SUCCESS;
}

static void plan_destroy(struct anydnn_plugin_plan *plan)
{
#ifdef WRONG_FLOAT_END
    fesetround(FE_UPWARD);
#endif
    free(plan->kept);
    free(plan);
}

/* ------------------------------------------------------------------ description */

static int32_t context_create(int32_t device, struct anydnn_plugin_context **context)
{
    (void)device;
#ifdef WRONG_FLOAT_CONTEXT
    fesetround(FE_UPWARD);
#endif
    *context = calloc(1, sizeof(**context));
    return *context ? SUCCESS : NO_MEMORY;
}

static void context_destroy(struct anydnn_plugin_context *context)
{
    free(context);
}

#ifdef RIGHT_TF32
#define MATHS 0x4
#else
#define MATHS 0x1
#endif

#define OPERATION(number)                                                                          \
    {                                                                                              \
        .struct_size = sizeof(struct anydnn_plugin_operation), .operation = (number),              \
        .types = ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT),                                      \
        .layouts =                                                                                 \
            ANYDNN_PLUGIN_LAYOUT_NCHW | ANYDNN_PLUGIN_LAYOUT_NHWC | ANYDNN_PLUGIN_LAYOUT_STRIDED,  \
        .maths = MATHS, .candidates = candidates, .plan_create = plan_create,                      \
        .plan_execute = plan_execute, .plan_destroy = plan_destroy                                 \
    }

static const struct anydnn_plugin_operation operations[] = {
    OPERATION(ANYDNN_PLUGIN_CONVOLUTION_FORWARD), OPERATION(ANYDNN_PLUGIN_ACTIVATION_FORWARD),
    OPERATION(ANYDNN_PLUGIN_SCALE_TENSOR)};

static const struct anydnn_plugin_operation *const operation_list[] = {
    &operations[0], &operations[1], &operations[2]};

static const struct anydnn_plugin description = {
    .struct_size = sizeof(description),
#ifdef WRONG_FORKS
    .flags = ANYDNN_PLUGIN_FORK_SAFE,
#endif
    .name = WRONG_NAME,
    .vendor = "anydnn tests",
    .version = "1",
    .build_id = "",
    .space = SPACE,
    .operation_count = 3,
    .operations = operation_list,
    .space_functions = SPACE_FUNCTIONS,
    .context_create = context_create,
    .context_destroy = context_destroy,
};

#ifdef WRONG_EXPORTS
ANYDNN_PLUGIN_EXPORT int wrong_extra_symbol;
#endif

ANYDNN_PLUGIN_EXPORT const struct anydnn_plugin_abi anydnn_plugin_abi =
    ANYDNN_PLUGIN_ABI_INITIALIZER;

ANYDNN_PLUGIN_EXPORT int32_t anydnn_plugin_main(const struct anydnn_plugin_host *given,
                                                const struct anydnn_plugin **plugin)
{
    host = given;
    *plugin = &description;
    return SUCCESS;
}
