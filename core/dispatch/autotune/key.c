/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of the tuning file: a problem, a device, and the backends that stood in the contest,
 * with their versions and builds. */
#include "dispatch/autotune/store.h"

#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "problem/text.h"
#include "sys/text.h"
#include "tuning/tuning.h"

/* What a line of text cannot hold is left out of names. */
static void add_name(struct adn_text *text, const char *name)
{
    for (; *name; name++)
        if ((unsigned char)*name >= ' ')
            adn_text_add(text, "%c", *name);
}

/* Backends of the rule that work in the handle's own space. */
static int stands(const struct adn_walk *walk, const struct adn_answer *answer)
{
    return answer->backend && adn_world_open(walk->handle->world, answer->backend) &&
           strcmp(answer->backend->plugin->space, walk->handle->space->name) == 0;
}

static void add_contest(struct adn_text *text, struct adn_walk *walk)
{
    const char *between = "";
    int32_t end = adn_walk_end(walk);

    for (int32_t i = 0; i < end; i++) {
        const struct adn_answer *answer = &walk->answer[i];

        if (!stands(walk, answer))
            continue;
        adn_text_add(text, "%s%s ", between, answer->name);
        add_name(text, answer->backend->plugin->version);
        adn_text_add(text, "%s", answer->backend->plugin->build_id[0] != '\0' ? " " : "");
        add_name(text, answer->backend->plugin->build_id);
        between = ", ";
    }
}

/* The key of a problem in memory that the caller frees; NULL when there is none. `walk`: of the
 * problem. */
static char *key_of(struct adn_walk *walk)
{
    const struct adn_space *space = walk->handle->space;
    char *key = malloc(ADN_TUNING_KEY);
    char device[256] = "";
    struct adn_problem broad;
    const struct adn_problem *problem = walk->wish->problem;
    struct adn_text text;

    if (!key)
        return NULL;
    if (adn_problem_broaden(problem, &broad))
        problem = &broad;
    adn_text_begin(&text, key, ADN_TUNING_KEY);
    text.length = adn_problem_print(problem, NULL, key, ADN_TUNING_KEY);
    adn_space_device_identity(space, walk->handle->device, device, sizeof(device));
    adn_text_add(&text, "\t");
    add_name(&text, device);
    adn_text_add(&text, "\t");
    add_contest(&text, walk);
    if (text.length < ADN_TUNING_KEY && device[0] != '\0')
        return key;
    free(key);
    return NULL;
}

char *adn_tuned_key_of(struct adn_walk *walk, anydnnHandle_t handle,
                       const struct adn_problem *problem)
{
    struct adn_wish wish = {problem, UINT64_MAX, ADN_ASSUMED_ALIGNMENT, NULL, NULL};
    char *key;

    adn_walk_begin(walk, handle, &wish);
    key = key_of(walk);
    walk->wish = NULL;
    return key;
}
