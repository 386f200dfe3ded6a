/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A backend for transform_tensor of floats that leaves y as it is and writes one byte where it must
 * not. Its setting `set.do` says where: before, after (y), gap (of y's last dim), input (x),
 * workspace (behind it); or restless: y's first element grows with every run.
 */
#include <string.h>

#include <anydnn/plugin.h>

#define X         0
#define Y         1
#define WORKSPACE 512

struct anydnn_plugin_context {
    int unused;
};

struct anydnn_plugin_plan {
    int unused;
};

static struct anydnn_plugin_context the_context;
static struct anydnn_plugin_plan the_plan;
static const struct anydnn_plugin_host *the_host;
static uint64_t bytes_of_y;
static int runs;

static int told(const char *what)
{
    const char *setting = the_host->setting(the_host, "do");

    return setting && strcmp(setting, what) == 0;
}

static int32_t candidates(struct anydnn_plugin_context *context,
                          const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                          void *cookie)
{
    struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof(candidate),
        .engine = 1,
        .algorithm = -1,
        .math = ANYDNN_PLUGIN_MATH_DEFAULT,
        .workspace = WORKSPACE,
    };

    (void)context;
    (void)problem;
    offer(cookie, &candidate);
    return 0;
}

static int32_t plan_create(struct anydnn_plugin_context *context,
                           const struct anydnn_plugin_problem *problem, uint64_t engine,
                           struct anydnn_plugin_plan **plan)
{
    const struct anydnn_plugin_tensor *y = problem->tensor[Y];

    (void)context;
    (void)engine;
    bytes_of_y = sizeof(float);
    for (int32_t i = 0; i < y->ndims; i++)
        bytes_of_y += (uint64_t)((y->dims[i] - 1) * y->strides[i]) * sizeof(float);
    *plan = &the_plan;
    return 0;
}

static int32_t plan_execute(struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    unsigned char *y = operands->data[Y];
    unsigned char *workspace = operands->workspace;

    (void)plan;
    (void)effect;
    if (told("before"))
        y[-3] ^= 1;
    else if (told("after"))
        y[bytes_of_y + 1] ^= 1;
    else if (told("gap"))
        y[sizeof(float)] ^= 1;
    else if (told("input"))
        *(unsigned char *)operands->data[X] ^= 1;
    else if (told("workspace"))
        workspace[operands->workspace_bytes] ^= 1;
    else if (told("restless"))
        *(float *)operands->data[Y] = (float)++runs;
    return 0;
}

static void plan_destroy(struct anydnn_plugin_plan *plan)
{
    (void)plan;
}

static int32_t context_create(int32_t device, struct anydnn_plugin_context **context)
{
    (void)device;
    *context = &the_context;
    return 0;
}

static void context_destroy(struct anydnn_plugin_context *context)
{
    (void)context;
}

static const struct anydnn_plugin_operation transform = {
    .struct_size = sizeof(transform),
    .operation = ANYDNN_PLUGIN_TRANSFORM_TENSOR,
    .types = ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT),
    .layouts = ANYDNN_PLUGIN_LAYOUT_NCHW | ANYDNN_PLUGIN_LAYOUT_STRIDED,
    .maths = 1,
    .candidates = candidates,
    .plan_create = plan_create,
    .plan_execute = plan_execute,
    .plan_destroy = plan_destroy,
};

static const struct anydnn_plugin_operation *const operations[] = {&transform};

static const struct anydnn_plugin description = {
    .struct_size = sizeof(description),
    .name = "trespass",
    .vendor = "the anydnn tests",
    .version = "1.0",
    .build_id = "",
    .space = "host",
    .operation_count = 1,
    .operations = operations,
    .context_create = context_create,
    .context_destroy = context_destroy,
};

const struct anydnn_plugin_abi anydnn_plugin_abi = ANYDNN_PLUGIN_ABI_INITIALIZER;

int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                           const struct anydnn_plugin **plugin)
{
    the_host = host;
    *plugin = &description;
    return 0;
}
