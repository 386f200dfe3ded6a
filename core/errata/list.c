/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the entries, takes what backends publish, and answers questions. */
#include "errata/list.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "errata/pattern.h"
#include "errata/read.h"
#include "errata/values.h"
#include "problem/operation.h"
#include "sys/error.h"
#include "sys/log.h"
#include "sys/process.h"
#include "sys/text.h"

/* Guards every list: backends that are opened later add entries. */
static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void guard(void)
{
    adn_process_fork_waits(&lock);
}

static void enter(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, guard);
    pthread_mutex_lock(&lock);
}

/* ---- entries */

/* Returns 1 if the entry replaces earlier ones of its id. What a backend publishes does not, since
 * only the lists of other backends are as early. */
static int replaces(const struct adn_erratum *entry)
{
    return !entry->only_adds && entry->layer != ADN_LAYER_BUILTIN;
}

void adn_errata_supersede(struct adn_errata *errata)
{
    for (int i = 0; i < errata->count; i++) {
        struct adn_erratum *earlier = errata->entry[i];

        earlier->superseded = earlier->verdict == ADN_ERRATUM_NONE;
        for (int k = i + 1; k < errata->count; k++)
            earlier->superseded |=
                replaces(errata->entry[k]) && strcmp(errata->entry[k]->id, earlier->id) == 0;
    }
}

int adn_errata_add(void *cookie, struct adn_erratum *erratum)
{
    struct adn_errata *errata = cookie;
    struct adn_erratum **grown =
        realloc(errata->entry, ((size_t)errata->count + 1) * sizeof(*grown));
    int at = errata->count;

    if (!grown) {
        adn_erratum_free(erratum);
        return -1;
    }
    errata->entry = grown;
    while (at > 0 && grown[at - 1]->layer > erratum->layer) {
        grown[at] = grown[at - 1];
        at--;
    }
    grown[at] = erratum;
    errata->count++;
    return 0;
}

void adn_errata_free(struct adn_errata *errata)
{
    for (int i = 0; errata && i < errata->count; i++)
        adn_erratum_free(errata->entry[i]);
    while (errata && errata->published) {
        struct published *next = errata->published->next;

        free(errata->published);
        errata->published = next;
    }
    if (errata)
        free(errata->entry);
    free(errata);
}

int adn_errata_dropped(const struct adn_errata *errata)
{
    return errata->dropped;
}

/* ---- what backends publish */

struct publishing {
    struct adn_errata *errata;
    const char *backend;
};

static int add_published(void *cookie, struct adn_erratum *erratum)
{
    struct publishing *publishing = cookie;

    if (strcmp(erratum->text[ADN_ERRATUM_BACKEND] ? erratum->text[ADN_ERRATUM_BACKEND] : "",
               publishing->backend) == 0)
        return adn_errata_add(publishing->errata, erratum);
    adn_warn("erratum %s that %s publishes is skipped: it is not for that backend", erratum->id,
             publishing->backend);
    adn_erratum_free(erratum);
    return 0;
}

/* Notes that a backend's list is added. Returns 0 if it was before, or if memory is out. */
static int note_published(struct adn_errata *errata, const char *backend)
{
    struct published *note = errata->published;

    while (note && strcmp(note->backend, backend) != 0)
        note = note->next;
    if (note)
        return 0;
    note = calloc(1, sizeof(*note));
    if (!note) {
        adn_shortage(ENOMEM);
        return 0;
    }
    snprintf(note->backend, sizeof(note->backend), "%s", backend);
    note->next = errata->published;
    errata->published = note;
    return 1;
}

void adn_errata_publish(struct adn_errata *errata, const char *backend, const char *text)
{
    struct publishing publishing = {errata, backend};
    char path[64], error[600];
    struct adn_errata_text from = {
        .path = path, .text = text, .size = strlen(text), .layer = ADN_LAYER_BUILTIN};

    snprintf(path, sizeof(path), "published by %s", backend);
    enter();
    if (!note_published(errata, backend)) {
        pthread_mutex_unlock(&lock);
        return;
    }
    if (adn_errata_read(&from, add_published, &publishing, error, sizeof(error)) != 0)
        adn_warn("%s; the whole list is ignored", error);
    adn_errata_supersede(errata);
    pthread_mutex_unlock(&lock);
}

/* ---- questions */

const struct adn_erratum *adn_errata_at(struct adn_errata *errata, int index)
{
    const struct adn_erratum *found;

    enter();
    found = index >= 0 && index < errata->count ? errata->entry[index] : NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

int adn_errata_concern(struct adn_errata *errata, const struct adn_erratum *erratum,
                       const char *backend)
{
    const char *pattern = erratum->text[ADN_ERRATUM_BACKEND];
    int found = pattern && adn_pattern_word(pattern, backend);

    enter();
    for (int i = 0; !pattern && i < errata->count; i++) {
        const char *other = errata->entry[i]->text[ADN_ERRATUM_BACKEND];

        found |= other && strcmp(errata->entry[i]->id, erratum->id) == 0 &&
                 adn_pattern_word(other, backend);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

const struct adn_erratum *adn_errata_next(struct adn_errata *errata,
                                          const struct adn_errata_query *query, int *at)
{
    const struct adn_erratum *found = NULL;

    enter();
    for (; !found && *at < errata->count; ++*at) {
        const struct adn_erratum *entry = errata->entry[*at];

        if (!entry->superseded && adn_erratum_matches(entry, query))
            found = entry;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

uint32_t adn_errata_verdicts(struct adn_errata *errata, const struct adn_errata_query *query,
                             int32_t *algorithm)
{
    const struct adn_erratum *entry;
    uint32_t bits = 0;
    int at = 0;

    if (algorithm)
        *algorithm = -1;
    while ((entry = adn_errata_next(errata, query, &at)) != NULL) {
        const char *name = entry->text[ADN_ERRATUM_ALGORITHM];
        int32_t number = name && entry->verdict == ADN_ERRATUM_TRANSFORM
                             ? adn_problem_algorithm_parse(query->problem->operation, name)
                             : -1;

        bits |= ADN_ERRATUM_BIT(entry->verdict);
        if (algorithm && number >= 0)
            *algorithm = number;
    }
    return bits;
}

uint32_t adn_errata_plugin_bits(uint32_t verdicts)
{
    static const struct {
        uint32_t ours, theirs;
    } bits[] = {
        {ADN_ERRATUM_AVOIDED, ANYDNN_PLUGIN_ERRATUM_AVOID},
        {ADN_ERRATUM_BIT(ADN_ERRATUM_NONDETERMINISTIC), ANYDNN_PLUGIN_ERRATUM_NONDETERMINISTIC},
        {ADN_ERRATUM_BIT(ADN_ERRATUM_TRANSFORM), ANYDNN_PLUGIN_ERRATUM_TRANSFORM},
        {ADN_ERRATUM_BIT(ADN_ERRATUM_FINER), ANYDNN_PLUGIN_ERRATUM_FINER},
    };
    uint32_t found = 0;

    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
        if (verdicts & bits[i].ours)
            found |= bits[i].theirs;
    return found;
}

/* Adds a text to a hash (FNV-1a). */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    do {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    } while (*text++);
    return hash;
}

static uint64_t hash_entry(uint64_t hash, const struct adn_erratum *entry)
{
    hash = hash_text(hash, entry->id);
    hash = hash_text(hash, entry->superseded ? "superseded" : "");
    for (int i = 0; i < ADN_ERRATUM_SOURCE; i++)
        hash = hash_text(hash, entry->text[i] ? entry->text[i] : "");
    for (int i = 0; i < entry->conditions; i++) {
        hash = hash_text(hash, entry->condition[i].key);
        hash = hash_text(hash, entry->condition[i].value);
    }
    return hash;
}

uint64_t adn_errata_digest(struct adn_errata *errata, const struct adn_errata_query *query)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    int any = 0;

    enter();
    for (int i = 0; i < errata->count; i++) {
        const struct adn_erratum *entry = errata->entry[i];

        /* A backend's own list belongs to its build, which keys hold already. */
        if ((entry->layer == ADN_LAYER_BUILTIN && !entry->superseded) ||
            !adn_erratum_matches(entry, query))
            continue;
        hash = hash_entry(hash, entry);
        any = 1;
    }
    pthread_mutex_unlock(&lock);
    return any ? hash : 0;
}

size_t adn_erratum_print(const struct adn_erratum *erratum, char *buffer, size_t size)
{
    struct adn_text text;

    adn_text_begin(&text, buffer, size);
    adn_text_add(&text, "# %s%s\n[%s]\n", erratum->origin,
                 erratum->superseded ? ", not in force" : "", erratum->id);
    for (int i = 0; i < ADN_ERRATUM_KEYS; i++) {
        for (int k = 0; i == ADN_ERRATUM_ENGINE && k < erratum->conditions; k++)
            adn_text_add(&text, "%s = %s\n", erratum->condition[k].key,
                         erratum->condition[k].value);
        if (erratum->text[i])
            adn_text_add(&text, "%s = %s\n", adn_erratum_keys[i], erratum->text[i]);
    }
    return text.length;
}
