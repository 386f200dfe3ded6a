/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A backend that meddles with the floating-point environment: as it is opened, as a file linked
 * with -ffast-math does, and in the function that the variable MOCK_FLOAT_CHANGES names. Its one
 * operation, activation_forward, writes into y what it found: y[0] the rounding mode, y[1] a
 * subnormal number times 1, y[2] the factor alpha, y[3] the bits of a long double's fraction.
 */
#include <anydnn/plugin.h>

#include <fenv.h>
#include <stdlib.h>
#include <string.h>

struct anydnn_plugin_context {
    int unused;
};

struct anydnn_plugin_plan {
    int unused;
};

static struct anydnn_plugin_context float_context;
static struct anydnn_plugin_plan float_plan;

static void change(void)
{
    fesetround(FE_UPWARD);
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040u);
#endif
    feraiseexcept(FE_INVALID | FE_OVERFLOW);
}

static void change_in(const char *function)
{
    const char *named = getenv("MOCK_FLOAT_CHANGES");

    if (named && strcmp(named, function) == 0)
        change();
}

__attribute__((constructor)) static void opened(void)
{
    change();
}

static int32_t float_candidates(struct anydnn_plugin_context *context,
                                const struct anydnn_plugin_problem *problem,
                                anydnn_plugin_offer_fn offer, void *cookie)
{
    static const struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof(candidate),
        .engine = 1,
        .algorithm = -1,
        .math = ANYDNN_PLUGIN_MATH_DEFAULT,
    };

    (void)context;
    (void)problem;
    change_in("candidates");
    offer(cookie, &candidate);
    return 0;
}

static int32_t float_plan_create(struct anydnn_plugin_context *context,
                                 const struct anydnn_plugin_problem *problem, uint64_t engine,
                                 struct anydnn_plugin_plan **plan)
{
    (void)context;
    (void)problem;
    (void)engine;
    change_in("plan_create");
    *plan = &float_plan;
    return 0;
}

/* Bits until adding half a unit makes no difference. */
static float fraction_bits(void)
{
    volatile long double unit = 1, sum;
    int bits = 0;

    do {
        unit /= 2;
        sum = 1 + unit;
        bits++;
    } while (sum != 1 && bits < 200);
    return (float)bits;
}

static int32_t float_plan_execute(struct anydnn_plugin_plan *plan,
                                  const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    volatile float tiny = 0x1p-140f;
    float *y = operands->data[1];

    (void)plan;
    (void)effect;
    y[0] = (float)fegetround();
    y[1] = tiny * 1;
    y[2] = (float)operands->scale[0];
    y[3] = fraction_bits();
    change_in("plan_execute");
    return 0;
}

static void float_plan_destroy(struct anydnn_plugin_plan *plan)
{
    (void)plan;
    change_in("plan_destroy");
}

static int32_t float_context_create(int32_t device, struct anydnn_plugin_context **context)
{
    (void)device;
    change_in("context_create");
    *context = &float_context;
    return 0;
}

static void float_context_destroy(struct anydnn_plugin_context *context)
{
    (void)context;
    change_in("context_destroy");
}

static const struct anydnn_plugin_operation activation = {
    .struct_size = sizeof(activation),
    .operation = ANYDNN_PLUGIN_ACTIVATION_FORWARD,
    .types = ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT),
    .layouts = 0xf,
    .maths = 0xf,
    .candidates = float_candidates,
    .plan_create = float_plan_create,
    .plan_execute = float_plan_execute,
    .plan_destroy = float_plan_destroy,
};

static const struct anydnn_plugin_operation *const operations[] = {&activation};

static const struct anydnn_plugin description = {
    .struct_size = sizeof(description),
    .flags = ANYDNN_PLUGIN_FORK_SAFE,
    .name = "mock_float",
    .vendor = "the anydnn tests",
    .version = "1.0",
    .build_id = "",
    .space = "host",
    .operation_count = 1,
    .operations = operations,
    .context_create = float_context_create,
    .context_destroy = float_context_destroy,
};

const struct anydnn_plugin_abi anydnn_plugin_abi = ANYDNN_PLUGIN_ABI_INITIALIZER;

int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                           const struct anydnn_plugin **plugin)
{
    (void)host;
    change_in("main");
    *plugin = &description;
    return 0;
}
