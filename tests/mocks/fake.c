/* SPDX-License-Identifier: Apache-2.0 */
#include "fake.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct anydnn_plugin description;

const char *fake_file_name(void)
{
    static char name[ANYDNN_PLUGIN_NAME_MAX + 1];
    const char *file, *slash;
    Dl_info self;

    if (dladdr((void *)&description, &self) == 0)
        abort();
    slash = strrchr(self.dli_fname, '/');
    file = slash ? slash + 1 : self.dli_fname;
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(file + strlen("anydnn_"), "."),
             file + strlen("anydnn_"));
    return name;
}

int32_t fake_check_types(const struct anydnn_plugin_problem *problem, uint32_t types,
                         struct kit_refusal *why)
{
    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        const struct anydnn_plugin_tensor *tensor = problem->tensor[slot];

        if (tensor && !(types >> tensor->type & 1))
            return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE, "%s does not take %s as %s", kit_name,
                              kit_type_name(tensor->type), kit_slot_name(problem->operation, slot));
    }
    return 0;
}

static void enter(const char *function)
{
    if (fake.enter)
        fake.enter(function);
}

static int32_t candidates(struct anydnn_plugin_context *context,
                          const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                          void *cookie)
{
    struct kit_refusal why = {0};
    struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof(candidate), .engine = 1, .algorithm = ANYDNN_PLUGIN_ALGORITHM_NONE};

    enter("candidates");
    if (kit_check_extensions(problem, &why) == 0 && fake.refuse)
        fake.refuse(problem, &why);
    candidate.reason = why.reason;
    candidate.sentence = why.reason ? why.sentence : NULL;
    if (fake.change)
        fake.change(context, problem, &candidate);
    offer(cookie, &candidate);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

static int32_t plan_create(struct anydnn_plugin_context *context,
                           const struct anydnn_plugin_problem *problem, uint64_t engine,
                           struct anydnn_plugin_plan **plan)
{
    struct anydnn_plugin_plan *made = kit_alloc(sizeof(*made), "a plan");

    (void)context;
    (void)engine;
    enter("plan_create");
    if (!made)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    kit_copy_problem(&made->problem, &made->copies, problem);
    if (fake.made)
        fake.made(made, problem);
    *plan = made;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

static void plan_destroy(struct anydnn_plugin_plan *plan)
{
    enter("plan_destroy");
    free(plan->kept);
    kit_host->free(plan);
}

static int32_t context_create(int32_t device, struct anydnn_plugin_context **context)
{
    (void)device;
    enter("context_create");
    *context = kit_alloc(sizeof(**context), "a context");
    return *context ? ANYDNN_PLUGIN_STATUS_SUCCESS : ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
}

static void context_destroy(struct anydnn_plugin_context *context)
{
    enter("context_destroy");
    kit_host->free(context);
}

int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                           const struct anydnn_plugin **plugin)
{
    struct anydnn_plugin_operation common = {
        .candidates = candidates,
        .plan_create = plan_create,
        .plan_execute = fake.execute,
        .plan_destroy = plan_destroy,
    };

    enter("main");
    common.maths = fake.maths;
    description = (struct anydnn_plugin){
        .struct_size = sizeof(description),
        .flags = fake.flags,
        .name = fake.name ? fake.name : fake_file_name(),
        .vendor = "the anydnn tests",
        .version = "1.0",
        .build_id = "",
        .space = fake.space ? fake.space : "host",
        .space_functions = fake.space_functions,
        .space_convention = "fake-1",
        .context_create = context_create,
        .context_destroy = context_destroy,
        .settings = fake.settings,
        .setting_count = fake.setting_count,
        .limits = fake.limits,
        .limit_count = fake.limit_count,
    };
    kit_begin(host, &description);
    for (int32_t i = 0; i < fake.operation_count; i++)
        kit_publish(&description, &common, fake.operations[i].operation, fake.operations[i].types,
                    fake.layouts);
    *plugin = &description;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}
