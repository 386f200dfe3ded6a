/* SPDX-License-Identifier: Apache-2.0 */
/* Logs one line for each call at level trace. */
#include "dispatch/plan/traced.h"

#include <inttypes.h>
#include <stdlib.h>

#include "problem/text.h"
#include "sys/log.h"

struct traced {
    struct adn_wrap wrap;
    char problem[ADN_PROBLEM_TEXT_MAX];
};

static int32_t execute(struct anydnn_plugin_plan *body,
                       const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    const struct traced *traced = (const struct traced *)(const void *)body;
    const struct adn_plan *plan = traced->wrap.plan;
    int32_t result = traced->wrap.execute(traced->wrap.body, operands, effect);

    adn_trace("call: %s engine %" PRIu64 ", stream %p, %" PRIu64
              " bytes of workspace, status %d: %s",
              plan->backend->name, plan->engine, operands->stream, operands->workspace_bytes,
              (int)result, traced->problem);
    return result;
}

static void end(struct adn_wrap *wrap)
{
    free(wrap);
}

void adn_plan_trace(struct adn_plan *plan)
{
    struct traced *traced = malloc(sizeof(*traced));

    if (!traced)
        return;
    adn_problem_print(&plan->problem, NULL, traced->problem, sizeof(traced->problem));
    adn_plan_wrap(plan, &traced->wrap, execute, end);
}
