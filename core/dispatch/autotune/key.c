/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the keys of the tuning file: a problem, a device, and the backends in the contest with
 * their versions, builds and errata. */
#include "dispatch/autotune/store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "problem/text.h"
#include "sys/text.h"
#include "tuning/tuning.h"

/* Adds a name without its control characters, which a line of text cannot hold. */
static void add_name(struct adn_text *text, const char *name)
{
    for (; *name; name++)
        if ((unsigned char)*name >= ' ')
            adn_text_add(text, "%c", *name);
}

/* Returns 1 if the backend can be timed: it is open and in the handle's own space. */
static int stands(const struct adn_offers *offers, const struct adn_answer *answer)
{
    return answer->backend && adn_global_open(offers->handle->global, answer->backend) &&
           !adn_offers_is_foreign(offers, answer);
}

/* Adds a number that changes when files of errata change what is known about the problem. A winner
 * that such a change concerns is then no longer found. */
static void add_errata(struct adn_text *text, const struct adn_offers *offers,
                       const struct adn_answer *answer, const struct adn_problem *problem)
{
    struct adn_global_device device = {offers->handle->global, answer->backend,
                                       offers->handle->device};
    struct anydnn_plugin_problem view;
    struct adn_errata_query query;
    uint64_t digest;

    adn_problem_view(problem, device.number, &view);
    adn_global_errata_query(&device, &view, NULL, &query);
    digest = adn_errata_digest(device.global->errata, &query);
    if (digest != 0)
        adn_text_add(text, " errata:%016" PRIx64, digest);
}

static void add_contest(struct adn_text *text, struct adn_offers *offers,
                        const struct adn_problem *problem)
{
    const char *between = "";
    int32_t end = adn_offers_end(offers);

    for (int32_t i = 0; i < end; i++) {
        const struct adn_answer *answer = &offers->answer[i];

        if (!stands(offers, answer))
            continue;
        adn_text_add(text, "%s%s ", between, answer->name);
        add_name(text, answer->backend->plugin->version);
        adn_text_add(text, "%s", answer->backend->plugin->build_id[0] != '\0' ? " " : "");
        add_name(text, answer->backend->plugin->build_id);
        add_errata(text, offers, answer, problem);
        between = ", ";
    }
}

char *adn_tuned_key(struct adn_offers *offers, const struct adn_problem *problem)
{
    const struct adn_space *space = offers->handle->space;
    char *key = malloc(ADN_TUNING_KEY);
    char device[256] = "";
    struct adn_problem broad;
    struct adn_text text;

    if (!key)
        return NULL;
    if (adn_problem_broaden(problem, &broad))
        problem = &broad;
    adn_text_begin(&text, key, ADN_TUNING_KEY);
    text.length = adn_problem_print(problem, NULL, key, ADN_TUNING_KEY);
    adn_space_device_identity(space, offers->handle->device, device, sizeof(device));
    adn_text_add(&text, "\t");
    add_name(&text, device);
    adn_text_add(&text, "\t");
    add_contest(&text, offers, problem);
    if (text.length < ADN_TUNING_KEY && device[0] != '\0')
        return key;
    free(key);
    return NULL;
}

char *adn_tuned_key_of(anydnnHandle_t handle, const struct adn_problem *problem)
{
    struct adn_request request = {problem, UINT64_MAX, ADN_ASSUMED_ALIGNMENT, NULL};
    struct adn_offers *offers = malloc(sizeof(*offers));
    char *key;

    if (!offers)
        return NULL;
    adn_offers_begin(offers, handle, &request);
    key = adn_tuned_key(offers, problem);
    adn_offers_free(offers);
    free(offers);
    return key;
}
