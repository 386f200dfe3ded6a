/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the engine that was chosen for a fixed batch to other batches and other pointers. */
#include "dispatch/offers/offers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem/text.h"
#include "sys/error.h"

/* Begins a list for the request and picks the engine. A transform was named when it was chosen, so
 * that flaw is waived. Returns 0 with the reason, or if memory is out. The caller frees the list.
 */
static int pick(anydnnHandle_t handle, const struct adn_request *request, int32_t backend,
                uint64_t engine, struct adn_offers **offers, struct adn_pick *pick, char *reason,
                size_t size)
{
    *pick = (struct adn_pick){.by = ADN_BY_PIN, .searched = 1};
    snprintf(reason, size, "memory is out");
    *offers = malloc(sizeof(**offers));
    if (!*offers)
        return 0;
    adn_offers_begin(*offers, handle, request);
    return adn_offers_pick_engine(*offers, backend, engine, ADN_FLAW_TRANSFORM, pick, reason, size);
}

static void drop(struct adn_offers *offers)
{
    if (offers)
        adn_offers_free(offers);
    free(offers);
}

/* Gives the new plan the record of the choice. */
static void inherit(struct adn_plan *plan, const struct adn_plan *chosen)
{
    char *passed_over = strdup(chosen->passed_over), *errata = strdup(chosen->errata);

    if (passed_over && errata) {
        free(plan->passed_over);
        free(plan->errata);
        plan->passed_over = passed_over;
        plan->errata = errata;
    } else {
        free(passed_over);
        free(errata);
    }
    plan->timed = chosen->timed;
    plan->past_first = chosen->past_first;
}

anydnnStatus_t adn_offers_remake(anydnnHandle_t handle, const char *entry,
                                 const struct adn_request *request, const struct adn_plan *chosen,
                                 struct adn_plan **out)
{
    anydnnStatus_t status = ANYDNN_STATUS_SUCCESS;
    struct adn_offers *offers;
    struct adn_pick picked;
    char problem[600], reason[400];
    int found = pick(handle, request, chosen->backend->index, chosen->engine, &offers, &picked,
                     reason, sizeof(reason));

    *out = found ? adn_offers_make(offers, &picked) : NULL;
    if (*out) {
        inherit(*out, chosen);
    } else {
        adn_problem_print(request->problem, NULL, problem, sizeof(problem));
        status = adn_fail(ANYDNN_STATUS_NOT_SUPPORTED,
                          "%s: %s engine %" PRIu64 " is chosen for every batch and cannot run this "
                          "call: %s. Problem: %s",
                          entry, chosen->backend->name, chosen->engine,
                          found ? picked.answer->reason : reason, problem);
    }
    drop(offers);
    return status;
}

int adn_offers_workspace(anydnnHandle_t handle, const struct adn_request *request, int32_t backend,
                         uint64_t engine, uint64_t *workspace)
{
    struct adn_offers *offers;
    struct adn_pick picked;
    char reason[400];
    int found = pick(handle, request, backend, engine, &offers, &picked, reason, sizeof(reason));

    if (found)
        *workspace = picked.answer->staged ? 0 : picked.offer->candidate.workspace;
    drop(offers);
    return found;
}
