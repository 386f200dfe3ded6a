/* SPDX-License-Identifier: Apache-2.0 */
/* Queries cuDNN's heuristics for the engine configurations of a convolution. */
#include "engines.h"

#include <string.h>

/* Fills `into`, whose descriptors already exist. Returns 0 or -1. */
static int get_descriptors(cudnnBackendDescriptor_t from, cudnnBackendAttributeName_t name,
                           int64_t count, cudnnBackendDescriptor_t *into)
{
    int64_t got = 0;

    return cudnn.cudnnBackendGetAttribute(from, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, count, &got,
                                          into) == CUDNN_STATUS_SUCCESS &&
                   got == count
               ? 0
               : -1;
}

/* Returns the number of descriptors. */
static int64_t count_of(cudnnBackendDescriptor_t from, cudnnBackendAttributeName_t name)
{
    int64_t count = 0;

    return cudnn.cudnnBackendGetAttribute(from, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count,
                                          NULL) == CUDNN_STATUS_SUCCESS
               ? count
               : 0;
}

static int has_number(const struct cdn_list *list, uint64_t number)
{
    int found = 0;

    for (int32_t i = 0; i < list->count; i++)
        found |= list->engine[i].number == number;
    return found;
}

/* Ensures space for `more` engines. Returns 0 or -1. */
static int grow(struct cdn_list *list, int64_t more)
{
    struct cdn_engine *grown;

    if (list->count + more <= list->capacity)
        return 0;
    grown = kit_host->alloc((size_t)(list->count + more) * sizeof *grown);
    if (!grown)
        return -1;
    if (list->count)
        memcpy(grown, list->engine, (size_t)list->count * sizeof *grown);
    if (list->engine)
        kit_host->free(list->engine);
    list->engine = grown;
    list->capacity = list->count + (int32_t)more;
    return 0;
}

/* Adds a configuration. One that is already listed, or cannot be read, is destroyed. */
static void take(struct cdn_list *list, cudnnBackendDescriptor_t config, cudnnHandle_t handle)
{
    struct cdn_engine *engine = &list->engine[list->count];

    memset(engine, 0, sizeof *engine);
    engine->config = config;
    if (cudnn.cudnnBackendCreateDescriptor(CUDNN_BACKEND_ENGINE_DESCRIPTOR, &engine->engine) ==
            CUDNN_STATUS_SUCCESS &&
        get_descriptors(config, CUDNN_ATTR_ENGINECFG_ENGINE, 1, &engine->engine) == 0 &&
        cdn_engine_read(engine, &list->key, handle) == 0 && !has_number(list, engine->number))
        list->count++;
    else
        cdn_engine_drop(engine);
}

static void take_results(struct cdn_list *list, cudnnBackendDescriptor_t heuristics, int64_t count,
                         cudnnHandle_t handle)
{
    cudnnBackendDescriptor_t *config = kit_host->alloc((size_t)count * sizeof *config);
    cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
    int64_t got = 0;

    if (!config)
        return;
    memset(config, 0, (size_t)count * sizeof *config);
    for (int64_t i = 0; i < count && status == CUDNN_STATUS_SUCCESS; i++)
        status = cudnn.cudnnBackendCreateDescriptor(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, &config[i]);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnBackendGetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                                CUDNN_TYPE_BACKEND_DESCRIPTOR, count, &got, config);
    if (status != CUDNN_STATUS_SUCCESS || grow(list, got) != 0)
        got = 0;
    for (int64_t i = 0; i < count; i++) {
        if (i < got)
            take(list, config[i], handle);
        else if (config[i])
            (void)cudnn.cudnnBackendDestroyDescriptor(config[i]);
    }
    kit_host->free(config);
}

/* Adds the proposals of a heuristics mode. A mode that proposes nothing, or fails, adds nothing. */
static void ask(struct cdn_list *list, cudnnBackendHeurMode_t mode, cudnnHandle_t handle)
{
    struct cdn_parts parts = {.count = 0};
    cudnnBackendDescriptor_t heuristics =
        cdn_part(&parts, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, "the heuristics");
    int64_t count = 0;

    cdn_set(&parts, heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH,
            CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &list->graph);
    cdn_set(&parts, heuristics, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
    cdn_finalize(&parts, heuristics, "the heuristics");
    if (parts.status == CUDNN_STATUS_SUCCESS)
        count = count_of(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS);
    if (count > 0)
        take_results(list, heuristics, count, handle);
    cdn_parts_destroy(&parts);
}

static int has_default(const struct cdn_list *list)
{
    int found = 0;

    for (int32_t i = 0; i < list->count; i++)
        found |= list->engine[i].math == ANYDNN_PLUGIN_MATH_DEFAULT &&
                 !(list->engine[i].notes & ANYDNN_PLUGIN_NOTE_TRANSFORM) &&
                 list->engine[i].state != CUDNN_REFUSED;
    return found;
}

void cdn_list_enumerate(struct cdn_list *list, cudnnHandle_t handle)
{
    int64_t count = 0, engines = 0;

    if (cudnn.cudnnBackendGetAttribute(list->graph, CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT,
                                       CUDNN_TYPE_INT64, 1, &count,
                                       &engines) != CUDNN_STATUS_SUCCESS ||
        grow(list, engines) != 0)
        return;
    for (int64_t index = 0; index < engines; index++) {
        struct cdn_engine like = {.index = index};
        struct cdn_parts parts = {.count = 0};
        cudnnBackendDescriptor_t config = cdn_config_make(&parts, list->graph, &like);

        if (parts.status == CUDNN_STATUS_SUCCESS && parts.part[parts.count - 1] == config) {
            struct cdn_engine *engine = &list->engine[list->count];

            memset(engine, 0, sizeof *engine);
            engine->engine = parts.part[0];
            engine->config = config;
            parts.count = 0;
            if (cdn_engine_read(engine, &list->key, handle) == 0 &&
                !has_number(list, engine->number))
                list->count++;
            else
                cdn_engine_drop(engine);
        }
        cdn_parts_destroy(&parts);
    }
}

void cdn_list_fill(struct cdn_list *list, cudnnHandle_t handle)
{
    ask(list, CUDNN_HEUR_MODE_A, handle);
    ask(list, CUDNN_HEUR_MODE_B, handle);
    ask(list, CUDNN_HEUR_MODE_FALLBACK, handle);
    if (!has_default(list))
        cdn_list_enumerate(list, handle);
}
