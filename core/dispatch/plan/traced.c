/* SPDX-License-Identifier: Apache-2.0 */
/* One line of log a call, at level trace. */
#include "dispatch/plan/traced.h"

#include <inttypes.h>
#include <stdlib.h>

#include "sys/log.h"

struct adn_traced {
    const struct adn_plan *plan;
    int32_t (*execute)(struct anydnn_plugin_plan *plan,
                       const struct anydnn_plugin_operands *operands, int32_t *effect);
    struct anydnn_plugin_plan *body;
    char problem[ADN_PROBLEM_TEXT_MAX];
};

static int32_t execute(struct anydnn_plugin_plan *body,
                       const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    const struct adn_traced *traced = (const struct adn_traced *)(const void *)body;
    const struct adn_plan *plan = traced->plan;
    int32_t result = traced->execute(traced->body, operands, effect);

    adn_trace("call: %s engine %" PRIu64 ", stream %p, %" PRIu64
              " bytes of workspace, answer %d: %s",
              plan->backend->name, plan->engine, operands->stream, operands->workspace_bytes,
              (int)result, traced->problem);
    return result;
}

void adn_plan_trace(struct adn_plan *plan)
{
    struct adn_traced *traced = malloc(sizeof(*traced));

    if (!traced)
        return;
    traced->plan = plan;
    traced->execute = plan->execute;
    traced->body = plan->body;
    adn_problem_print(&plan->problem, NULL, traced->problem, sizeof(traced->problem));
    plan->traced = traced;
    plan->execute = execute;
    plan->body = (struct anydnn_plugin_plan *)(void *)traced;
}
