/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves out what errata forbid, as the library does; or, to check one erratum, all but what it
 * concerns. */
#include "tools/verify/checks/target.h"

#include <string.h>

#include "errata/errata.h"
#include "load/load.h"

static struct adn_errata *errata; /* of this process */

static void write_device(void *cookie, char *text, size_t size)
{
    const struct verify_target *target = cookie;
    const struct anydnn_plugin_space *space = target->space;

    text[0] = '\0';
    if (space != NULL && space->device_identity != NULL &&
        space->device_identity(0, text, size) != 0)
        text[0] = '\0';
}

static void fill_query(const struct verify_target *target,
                       const struct anydnn_plugin_problem *problem,
                       const struct anydnn_plugin_candidate *candidate,
                       struct adn_errata_query *query)
{
    *query = (struct adn_errata_query){.backend = target->backend->name,
                                       .version = adn_load_version(target->backend),
                                       .device = write_device,
                                       .cookie = (void *)target,
                                       .problem = problem,
                                       .candidate = candidate};
}

int verify_errata_open(const struct verify_target *target)
{
    struct adn_settings *settings = adn_settings_load();

    if (settings == NULL)
        return -1;
    errata = adn_errata_load(settings);
    adn_settings_free(settings);
    if (errata != NULL && target->backend->plugin->errata != NULL)
        adn_errata_publish(errata, target->backend->name, target->backend->plugin->errata);
    return errata != NULL ? 0 : -1;
}

uint32_t verify_errata_verdicts(void *cookie, const struct adn_backend *backend,
                                const struct anydnn_plugin_problem *problem,
                                const struct anydnn_plugin_candidate *candidate, int32_t *algorithm)
{
    struct verify_target target = {.backend = (struct adn_backend *)(uintptr_t)backend};
    struct adn_errata_query query;

    (void)cookie;
    if (errata == NULL)
        return 0;
    fill_query(&target, problem, candidate, &query);
    return adn_errata_plugin_bits(adn_errata_verdicts(errata, &query, algorithm));
}

/* Returns 1 if the erratum under check concerns the candidate. Entries that it replaces do not
 * count, unless none of this id is in force. */
static int is_under_check(const struct verify_target *target, const struct adn_errata_query *query)
{
    const struct adn_erratum *erratum;
    int in_force = 0;
    int concerns[2] = {0, 0}; /* by `superseded` */

    for (int i = 0; (erratum = adn_errata_at(errata, i)) != NULL; i++)
        if (strcmp(erratum->id, target->erratum) == 0) {
            in_force |= !erratum->superseded;
            concerns[erratum->superseded] |= adn_erratum_matches(erratum, query);
        }
    return concerns[in_force ? 0 : 1];
}

int verify_errata_leave_out(const struct verify_target *target,
                            const struct anydnn_plugin_problem *problem,
                            struct anydnn_plugin_candidate *candidate)
{
    struct adn_errata_query query;
    int32_t algorithm;
    uint32_t found;

    if (errata == NULL)
        return 0;
    fill_query(target, problem, candidate, &query);
    if (target->erratum != NULL)
        return !is_under_check(target, &query);
    found = adn_errata_verdicts(errata, &query, &algorithm);
    if (found & ADN_ERRATUM_BIT(ADN_ERRATUM_NONDETERMINISTIC))
        candidate->notes |= ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC;
    if (found & ADN_ERRATUM_BIT(ADN_ERRATUM_TRANSFORM))
        candidate->notes |= ANYDNN_PLUGIN_NOTE_TRANSFORM;
    if (algorithm >= 0)
        candidate->algorithm = algorithm;
    return (found & ADN_ERRATUM_AVOIDED) != 0;
}
