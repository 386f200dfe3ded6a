/* SPDX-License-Identifier: Apache-2.0 */
/* A backend for a future plugin ABI: scaling of packed float tensors. It is compiled with the
 * header of 1.0 or 1.1, and reports what it sees of the other side's structures in its engine's
 * number. Its own structures end at the end of a mapping, so that reading beyond their size is
 * fatal. The SHORT_ macros make it state less than the least size of a structure. */
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include <anydnn/plugin.h>

/* Evaluates to 1 if the host has the member; an older host may lack it. */
#define HAS(object, member)                                                                        \
    ((object)->struct_size >= offsetof(__typeof__(*(object)), member) + sizeof((object)->member))

#ifdef SHORT_DESCRIPTION
#define DESCRIPTION_SIZE (offsetof(struct anydnn_plugin, context_destroy))
#else
#define DESCRIPTION_SIZE sizeof(struct anydnn_plugin)
#endif
#ifdef SHORT_OPERATION
#define OPERATION_SIZE (offsetof(struct anydnn_plugin_operation, params_size))
#else
#define OPERATION_SIZE sizeof(struct anydnn_plugin_operation)
#endif
#ifdef SHORT_CANDIDATE
#define CANDIDATE_SIZE (offsetof(struct anydnn_plugin_candidate, expected_us))
#else
#define CANDIDATE_SIZE sizeof(struct anydnn_plugin_candidate)
#endif

enum { ENGINE = 1, SEES_LATER_PROBLEM = 2, SEES_LATER_TENSOR = 4, SEES_LATER_HOST = 8 };
enum { UNKNOWN_OPERATION = 1000 };

static const struct anydnn_plugin_host *host;

struct anydnn_plugin_context {
    int32_t device;
};

struct anydnn_plugin_plan {
    int64_t elements;
};

static struct anydnn_plugin_context the_context;

enum { PAGE = 65536 };

/* Returns a copy of an object with no readable memory after it. */
static void *last_of_its_page(const void *object, size_t size)
{
    char *memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED || mprotect(memory + PAGE, PAGE, PROT_NONE) != 0)
        return NULL;
    return memcpy(memory + PAGE - size, object, size);
}

static uint64_t engine_for(const struct anydnn_plugin_problem *problem)
{
    uint64_t engine = ENGINE;

    (void)problem;
#if ANYDNN_PLUGIN_ABI_MINOR >= 1
    if (HAS(problem, later))
        engine |= SEES_LATER_PROBLEM;
    if (HAS(problem->tensor[0], later))
        engine |= SEES_LATER_TENSOR;
    if (HAS(host, later))
        engine |= SEES_LATER_HOST;
#endif
    return engine;
}

static int32_t candidates(struct anydnn_plugin_context *context,
                          const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                          void *cookie)
{
    struct anydnn_plugin_candidate candidate = {
        .struct_size = CANDIDATE_SIZE, .engine = engine_for(problem), .algorithm = -1};

    (void)context;
#if ANYDNN_PLUGIN_ABI_MINOR >= 1
    candidate.later = 99;
#endif
    offer(cookie, last_of_its_page(&candidate, sizeof(candidate)));
    return 0;
}

static int32_t plan_create(struct anydnn_plugin_context *context,
                           const struct anydnn_plugin_problem *problem, uint64_t engine,
                           struct anydnn_plugin_plan **plan)
{
    (void)context;
    if (engine != engine_for(problem))
        return 3;
    *plan = host->alloc(sizeof(**plan));
    (*plan)->elements = 1;
    for (int32_t dim = 0; dim < problem->tensor[0]->ndims; dim++)
        (*plan)->elements *= problem->tensor[0]->dims[dim];
    return 0;
}

static int32_t plan_execute(struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    float *y = operands->data[0];

    (void)effect;
    for (int64_t i = 0; i < plan->elements; i++)
        y[i] = (float)(operands->scale[0] * (double)y[i]);
    return 0;
}

static void plan_destroy(struct anydnn_plugin_plan *plan)
{
    host->free(plan);
}

static int32_t context_create(int32_t device, struct anydnn_plugin_context **context)
{
    the_context.device = device;
    *context = &the_context;
    return 0;
}

static void context_destroy(struct anydnn_plugin_context *context)
{
    (void)context;
}

#define OFFERED(number)                                                                            \
    {                                                                                              \
        .struct_size = OPERATION_SIZE, .operation = (number),                                      \
        .types = ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT),                                      \
        .layouts = ANYDNN_PLUGIN_LAYOUT_NCHW, .maths = 0x1, .candidates = candidates,              \
        .plan_create = plan_create, .plan_execute = plan_execute, .plan_destroy = plan_destroy,    \
        .slots = 0x1                                                                               \
    }

static const struct anydnn_plugin_operation scale_tensor = OFFERED(ANYDNN_PLUGIN_SCALE_TENSOR);
#if ANYDNN_PLUGIN_ABI_MINOR >= 1
static const struct anydnn_plugin_operation unknown = OFFERED(UNKNOWN_OPERATION);
#endif
static const struct anydnn_plugin_operation *operations[2];

static struct anydnn_plugin description = {
    .struct_size = DESCRIPTION_SIZE,
    .name = "sim",
    .vendor = "anydnn",
    .version = "1.0",
    .build_id = "",
    .space = "host",
    .operations = operations,
    .context_create = context_create,
    .context_destroy = context_destroy,
#if ANYDNN_PLUGIN_ABI_MINOR >= 1
    .later = 77,
#endif
};

ANYDNN_PLUGIN_EXPORT const struct anydnn_plugin_abi anydnn_plugin_abi =
    ANYDNN_PLUGIN_ABI_INITIALIZER;

ANYDNN_PLUGIN_EXPORT int32_t anydnn_plugin_main(const struct anydnn_plugin_host *given,
                                                const struct anydnn_plugin **plugin)
{
    host = given;
    operations[description.operation_count++] =
        last_of_its_page(&scale_tensor, sizeof(scale_tensor));
#if ANYDNN_PLUGIN_ABI_MINOR >= 1
    operations[description.operation_count++] = &unknown;
#endif
    *plugin = last_of_its_page(&description, sizeof(description));
    return 0;
}
