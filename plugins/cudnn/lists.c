/* SPDX-License-Identifier: Apache-2.0 */
/* Manages the lists of engine configurations that a context keeps. */
#include "engines.h"

#include <stdio.h>
#include <string.h>

/* The most lists that a context keeps. */
#define LISTS_MAX 64

static void destroy_list(struct cdn_list *list)
{
    for (int32_t i = 0; i < list->count; i++)
        cdn_engine_drop(&list->engine[i]);
    if (list->engine)
        kit_host->free(list->engine);
    cdn_parts_destroy(&list->parts);
    kit_host->free(list);
}

void cdn_list_drop(struct cdn_list *list)
{
    if (--list->holders == 0)
        destroy_list(list);
}

void cdn_lists_destroy(struct anydnn_plugin_context *context)
{
    while (context->lists) {
        struct cdn_list *list = context->lists;

        context->lists = list->next;
        cdn_list_drop(list);
    }
    context->list_count = 0;
}

static void make_key(struct cdn_list_key *key, const struct anydnn_plugin_plan *plan)
{
    memset(key, 0, sizeof *key);
    key->operation = plan->problem.operation;
    key->device = plan->context->device;
    key->present = plan->problem.present;
    memcpy(key->tensor, plan->copies.tensor, sizeof key->tensor);
    memcpy(&key->params, &plan->copies.params, sizeof key->params);
}

/* Finds a list and moves it to the front. Returns NULL if there is none. */
static struct cdn_list *find(struct anydnn_plugin_context *context, const struct cdn_list_key *key)
{
    struct cdn_list **at = &context->lists, *found;

    while (*at && memcmp(&(*at)->key, key, sizeof *key) != 0)
        at = &(*at)->next;
    found = *at;
    if (found) {
        *at = found->next;
        found->next = context->lists;
        context->lists = found;
    }
    return found;
}

static void keep(struct anydnn_plugin_context *context, struct cdn_list *list)
{
    struct cdn_list **at = &context->lists;

    list->holders = 1;
    list->next = context->lists;
    context->lists = list;
    if (++context->list_count <= LISTS_MAX)
        return;
    while ((*at)->next)
        at = &(*at)->next;
    list = *at;
    *at = NULL;
    context->list_count--;
    cdn_list_drop(list);
}

static void tell(const struct cdn_list *list)
{
    char text[160];

    for (int32_t i = 0; i < list->count; i++) {
        const struct cdn_engine *engine = &list->engine[i];

        snprintf(text, sizeof text,
                 "engine %016llx is cuDNN's %lld with %d knobs: math %d, notes 0x%x, %scompiled, "
                 "workspace %llu",
                 (unsigned long long)engine->number, (long long)engine->index, engine->knobs,
                 engine->math, engine->notes, engine->compiles ? "" : "pre",
                 (unsigned long long)engine->workspace);
        kit_host->log(kit_host, ANYDNN_PLUGIN_LOG_DEBUG, __FILE__, __LINE__, text);
    }
}

static int32_t fill(struct cdn_list *list, const struct anydnn_plugin_plan *plan,
                    struct kit_refusal *why)
{
    struct cdn_factors factors = cdn_usual_factors(plan->problem.operation);
    struct anydnn_plugin_context *context = plan->context;
    const char *sentence;

    list->graph = cdn_graph_make(&list->parts, context->handle, &plan->problem, &factors);
    if (list->parts.status != CUDNN_STATUS_SUCCESS)
        return cdn_refuse_status(why, ANYDNN_PLUGIN_REASON_SHAPE, list->parts.status,
                                 list->parts.what);
    cdn_list_fill(list, context->handle);
    tell(list);
    if (!context->checked && cdn_library_check(&sentence))
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_LIBRARY, "%s", sentence);
    context->checked = 1;
    return 0;
}

struct cdn_list *cdn_list_of(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    struct cdn_list_key *key = kit_host->alloc(sizeof *key);
    struct cdn_list *list;

    if (!key) {
        kit_refuse(why, ANYDNN_PLUGIN_REASON_MEMORY, "out of memory for a search");
        return NULL;
    }
    make_key(key, plan);
    list = find(plan->context, key);
    if (list) {
        kit_host->free(key);
        return list;
    }
    list = kit_host->alloc(sizeof *list);
    if (list) {
        memset(list, 0, sizeof *list);
        list->key = *key;
    }
    kit_host->free(key);
    if (!list) {
        kit_refuse(why, ANYDNN_PLUGIN_REASON_MEMORY, "out of memory for a search");
        return NULL;
    }
    if (fill(list, plan, why)) {
        destroy_list(list);
        return NULL;
    }
    keep(plan->context, list);
    return list;
}
