/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a backend with one planted fault in convolution_forward. `set.copy` is the file of the
 * copy; `set.rows` is the number of filter rows with which the fault occurs. `set.fault` selects
 * the fault. In float:
 *   product    omits the product of the first input channel, at the first position of the last
 *              channel of each sample
 *   bit        flips the last bit of the first element
 *   truncate   clears the last 12 bits of every element
 *   unsteady   makes the first element larger with each call
 *   large      makes elements beyond 65536 1 too small
 *   transform  offers the same results also as Winograd, named and noted, with the last bit of the
 *              first element flipped
 *   far        as transform, but with the first element 1000 too large
 *   rare       makes y's first element 1 too large if a hash of x's largest number is a multiple of
 *              `set.rate`; also in convolution_bias_activation_forward
 * In double, `wide` makes the first element 1 too large. In both types, `declines` declines, and
 * `none` has no fault. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <anydnn/plugin.h>

#include "../../plugins/kit/slots.h"

#define PLAIN(name) slot_convolution_forward_##name
#define FUSED(name) slot_convolution_bias_activation_forward_##name
_Static_assert(KIT_SAME_SLOT(convolution_forward, convolution_bias_activation_forward, x) &&
                   KIT_SAME_SLOT(convolution_forward, convolution_bias_activation_forward, w),
               "x and w have the same slots in both operations");

#define SLOTS 3 /* x, w and y */

/* The number added to the copy's engine for the offer that claims to be Winograd. */
#define TRANSFORM_ENGINE (UINT64_C(1) << 40)
#define WINOGRAD         6

struct anydnn_plugin_plan {
    int32_t operation;
    int faulty;
    int y;                            /* slot of y */
    struct anydnn_plugin_plan *inner; /* the copy's plan */
    struct anydnn_plugin_tensor tensor[SLOTS];
    int64_t pad[2];
};

static const struct anydnn_plugin_host *the_host;
static const struct anydnn_plugin *the_copy;
static struct anydnn_plugin description;
static struct anydnn_plugin_operation operation[ANYDNN_PLUGIN_OPERATION_END];
static const struct anydnn_plugin_operation *pointers[ANYDNN_PLUGIN_OPERATION_END];

static const struct anydnn_plugin_operation *of_copy(int32_t number)
{
    for (uint32_t i = 0; i < the_copy->operation_count; i++)
        if (the_copy->operations[i]->operation == number)
            return the_copy->operations[i];
    return NULL;
}

/* ---- the fault */

static int64_t offset(const struct anydnn_plugin_tensor *tensor, int64_t a, int64_t b, int64_t c,
                      int64_t d)
{
    return a * tensor->strides[0] + b * tensor->strides[1] + c * tensor->strides[2] +
           d * tensor->strides[3];
}

static int64_t last(const struct anydnn_plugin_tensor *tensor)
{
    return offset(tensor, tensor->dims[0] - 1, tensor->dims[1] - 1, tensor->dims[2] - 1,
                  tensor->dims[3] - 1);
}

/* Subtracts the product of the tap that meets the first element of x at the first position of y. */
static void leave_out(const struct anydnn_plugin_plan *plan, const float *x, const float *w,
                      float *y)
{
    int64_t k = plan->tensor[PLAIN(y)].dims[1] - 1;

    for (int64_t n = 0; n < plan->tensor[PLAIN(y)].dims[0]; n++)
        y[offset(&plan->tensor[PLAIN(y)], n, k, 0, 0)] -=
            x[offset(&plan->tensor[PLAIN(x)], n, 0, 0, 0)] *
            w[offset(&plan->tensor[PLAIN(w)], k, 0, plan->pad[0], plan->pad[1])];
}

/* Plants the fault `rare`; x must be packed. */
static void plant_rarely(const struct anydnn_plugin_plan *plan,
                         const struct anydnn_plugin_operands *operands)
{
    const float *x = operands->data[PLAIN(x)];
    uint32_t rate = (uint32_t)atoi(the_host->setting(the_host, "rate"));
    float largest = x[0];
    uint32_t bits;

    for (int64_t i = 0; i <= last(&plan->tensor[PLAIN(x)]); i++)
        largest = x[i] > largest ? x[i] : largest;
    memcpy(&bits, &largest, sizeof(bits));
    /* Knuth's multiplicative hash also spreads numbers with few digits. */
    if ((bits * UINT32_C(2654435761) >> 8) % rate == 0)
        ((float *)operands->data[plan->y])[0] += 1;
}

static int unsteady_calls;

static void plant(const struct anydnn_plugin_plan *plan,
                  const struct anydnn_plugin_operands *operands)
{
    const char *fault = the_host->setting(the_host, "fault");
    uint32_t *bits = operands->data[PLAIN(y)];
    int wide = plan->tensor[PLAIN(y)].type == ANYDNN_PLUGIN_DOUBLE;

    if (!wide && strcmp(fault, "rare") == 0)
        plant_rarely(plan, operands);
    else if (wide && strcmp(fault, "wide") == 0)
        ((double *)operands->data[PLAIN(y)])[0] += 1;
    else if (wide)
        return;
    else if (strcmp(fault, "product") == 0)
        leave_out(plan, operands->data[PLAIN(x)], operands->data[PLAIN(w)],
                  operands->data[PLAIN(y)]);
    else if (strcmp(fault, "bit") == 0 || strcmp(fault, "transform") == 0)
        bits[0] ^= 1;
    else if (strcmp(fault, "far") == 0)
        ((float *)operands->data[PLAIN(y)])[0] += 1000;
    else if (strcmp(fault, "large") == 0)
        for (int64_t i = 0; i <= last(&plan->tensor[PLAIN(y)]); i++)
            ((float *)operands->data[PLAIN(y)])[i] -=
                ((float *)operands->data[PLAIN(y)])[i] > 65536;
    else if (strcmp(fault, "truncate") == 0)
        for (int64_t i = 0; i <= last(&plan->tensor[PLAIN(y)]); i++)
            bits[i] &= ~UINT32_C(0xfff);
    else if (strcmp(fault, "unsteady") == 0)
        ((float *)operands->data[PLAIN(y)])[0] += (float)++unsteady_calls / 1024;
}

static int is_faulty(const struct anydnn_plugin_problem *problem)
{
    const char *rows = the_host->setting(the_host, "rows");

    if (problem->operation == ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD)
        return strcmp(the_host->setting(the_host, "fault"), "rare") == 0 &&
               problem->tensor[FUSED(y)]->type == ANYDNN_PLUGIN_FLOAT &&
               problem->tensor[FUSED(y)]->ndims == 4 &&
               problem->tensor[FUSED(w)]->dims[2] == atoi(rows);
    return problem->operation == ANYDNN_PLUGIN_CONVOLUTION_FORWARD &&
           (problem->tensor[PLAIN(y)]->type == ANYDNN_PLUGIN_FLOAT ||
            problem->tensor[PLAIN(y)]->type == ANYDNN_PLUGIN_DOUBLE) &&
           problem->tensor[PLAIN(y)]->ndims == 4 &&
           problem->tensor[PLAIN(w)]->dims[2] == atoi(rows);
}

/* ---- the operations */

static int is_transform(void)
{
    const char *fault = the_host->setting(the_host, "fault");

    return strcmp(fault, "transform") == 0 || strcmp(fault, "far") == 0;
}

/* A forwarded offer: the copy's first candidate is offered again as another engine. */
struct twice {
    anydnn_plugin_offer_fn offer;
    void *cookie;
};

static int32_t offer_twice(void *cookie, const struct anydnn_plugin_candidate *offered)
{
    const struct twice *twice = cookie;
    struct anydnn_plugin_candidate other = *offered;

    other.engine += TRANSFORM_ENGINE;
    other.algorithm = WINOGRAD;
    other.notes |= ANYDNN_PLUGIN_NOTE_TRANSFORM;
    twice->offer(twice->cookie, offered);
    return twice->offer(twice->cookie, &other);
}

static int32_t candidates(struct anydnn_plugin_context *context,
                          const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                          void *cookie)
{
    struct anydnn_plugin_candidate refusal = {.struct_size = sizeof(refusal),
                                              .reason = ANYDNN_PLUGIN_REASON_SHAPE,
                                              .sentence = "filters of this height are not liked"};

    if (is_transform() && is_faulty(problem))
        return of_copy(problem->operation)
            ->candidates(context, problem, offer_twice, &(struct twice){offer, cookie});
    if (strcmp(the_host->setting(the_host, "fault"), "declines") != 0 || !is_faulty(problem))
        return of_copy(problem->operation)->candidates(context, problem, offer, cookie);
    offer(cookie, &refusal);
    return 0;
}

static int32_t plan_create(struct anydnn_plugin_context *context,
                           const struct anydnn_plugin_problem *problem, uint64_t engine,
                           struct anydnn_plugin_plan **plan)
{
    const struct anydnn_plugin_convolution *convolution = problem->params;
    struct anydnn_plugin_plan *own = calloc(1, sizeof(*own));
    int32_t status;

    if (own == NULL)
        return 2;
    own->operation = problem->operation;
    own->faulty = is_faulty(problem) && (!is_transform() || engine >= TRANSFORM_ENGINE);
    own->y = problem->operation == ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD ? FUSED(y)
                                                                                     : PLAIN(y);
    for (int i = 0; own->faulty && i < SLOTS; i++)
        own->tensor[i] = *problem->tensor[i == PLAIN(y) ? own->y : i];
    for (int i = 0; own->faulty && i < 2; i++)
        own->pad[i] = convolution->pad[i];
    status = of_copy(problem->operation)
                 ->plan_create(context, problem, engine % TRANSFORM_ENGINE, &own->inner);
    if (status != 0)
        free(own);
    else
        *plan = own;
    return status;
}

static int32_t plan_execute(struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    int32_t status = of_copy(plan->operation)->plan_execute(plan->inner, operands, effect);

    if (status == 0 && plan->faulty)
        plant(plan, operands);
    return status;
}

static void plan_destroy(struct anydnn_plugin_plan *plan)
{
    of_copy(plan->operation)->plan_destroy(plan->inner);
    free(plan);
}

static int32_t context_create(int32_t device, struct anydnn_plugin_context **context)
{
    return the_copy->context_create(device, context);
}

static void context_destroy(struct anydnn_plugin_context *context)
{
    the_copy->context_destroy(context);
}

/* ---- the description */

static void describe(void)
{
    for (uint32_t i = 0; i < the_copy->operation_count; i++) {
        operation[i] = *the_copy->operations[i];
        operation[i].candidates = candidates;
        operation[i].plan_create = plan_create;
        operation[i].plan_execute = plan_execute;
        operation[i].plan_destroy = plan_destroy;
        pointers[i] = &operation[i];
    }
    description = *the_copy;
    description.name = "faulty";
    description.operations = pointers;
    description.context_create = context_create;
    description.context_destroy = context_destroy;
}

const struct anydnn_plugin_abi anydnn_plugin_abi = ANYDNN_PLUGIN_ABI_INITIALIZER;

int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                           const struct anydnn_plugin **plugin)
{
    int32_t (*copy_main)(const struct anydnn_plugin_host *host,
                         const struct anydnn_plugin **plugin);
    void *file = dlopen(host->setting(host, "copy"), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    int32_t status;

    if (file == NULL) {
        host->set_error(host, dlerror());
        return 9;
    }
    the_host = host;
    *(void **)&copy_main = dlsym(file, "anydnn_plugin_main");
    status = copy_main(host, &the_copy);
    if (status == 0)
        describe();
    *plugin = &description;
    return status;
}
