/* SPDX-License-Identifier: Apache-2.0 */
/* Tries every engine configuration of cuDNN for one problem, and prints its notes and results. */
#include "engines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "desc/operations.h"
#include "errata/errata.h"
#include "numerics/numerics.h"
#include "problem/problem.h"
#include "problem/text.h"

static const enum content contents[KINDS] = {INTEGERS, PILED, RANDOM};
static const char *const content_name[KINDS] = {"integers", "piled", "random"};

/* ------------------------------------------------------------------ the backend's host */

static void log_nothing(const struct anydnn_plugin_host *host, int32_t level, const char *file,
                        int32_t line, const char *text)
{
    (void)host, (void)level, (void)file, (void)line, (void)text;
}

static const char *setting(const struct anydnn_plugin_host *host, const char *key)
{
    (void)host;
    return strcmp(key, "library") == 0 ? getenv("CUDNN_LIBRARY") : NULL;
}

static void say(const struct anydnn_plugin_host *host, const char *text)
{
    (void)host;
    printf("%s", text);
}

/* Compares the errata that the backend publishes, as the library does. */
static uint32_t look_up(const struct anydnn_plugin_host *of,
                        const struct anydnn_plugin_problem *problem,
                        const struct anydnn_plugin_candidate *candidate, int32_t *algorithm)
{
    static struct adn_errata *errata;
    struct adn_errata_query query = {.backend = "cudnn",
                                     .version = cdn_library_version_text(),
                                     .problem = problem,
                                     .candidate = candidate};

    (void)of;
    if (!errata) {
        errata = adn_errata_load_from(&(struct adn_errata_sources){NULL, NULL, NULL});
        adn_errata_publish(errata, "cudnn", cdn_errata_list);
    }
    return adn_errata_plugin_bits(adn_errata_verdicts(errata, &query, algorithm));
}

static const struct anydnn_plugin_host host = {
    .struct_size = sizeof(host),
    .log = log_nothing,
    .setting = setting,
    .set_error = say,
    .alloc = malloc,
    .free = free,
    .errata = look_up,
};

void engines_begin(void)
{
    kit_host = &host;
}

/* ------------------------------------------------------------------ one configuration */

static cudnnStatus_t run_plan(struct trial *trial, cudnnBackendDescriptor_t plan, size_t bytes,
                              int kind)
{
    struct exact *exact = &trial->exact;
    struct cdn_parts parts = {.count = 0};
    cudnnBackendDescriptor_t pack =
        cdn_part(&parts, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, "a variant pack");
    void *data[OPERANDS];
    int64_t number[OPERANDS], count = 0;
    cudnnStatus_t status;

    for (int slot = 0; slot < OPERANDS; slot++) {
        if (!(trial->view.present >> slot & 1))
            continue;
        number[count] = slot + 1;
        data[count] = count == trial->output ? exact->output[TESTED][count].data
                                             : trial->input[kind][count].data;
        count++;
    }
    if (exact_reserve(exact, &exact->workspace, bytes) != 0)
        return CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
    cdn_set(&parts, pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count, number);
    cdn_set(&parts, pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count, data);
    cdn_set(&parts, pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1,
            &exact->workspace.data);
    cdn_finalize(&parts, pack, "a variant pack");
    status = parts.status == CUDNN_STATUS_SUCCESS
                 ? cudnn.cudnnBackendExecute(trial->cudnn, plan, pack)
                 : parts.status;
    cdn_parts_destroy(&parts);
    return status;
}

/* Prints the difference from the results in double, rounded to the type of the output. */
static void print_difference(const struct trial *trial, const double *want)
{
    const struct operand *output = &trial->held.work.operand[trial->output];
    size_t size = exact_type_size(output->type), count = output->bytes / size, different = 0;
    double errors = 0, wants = 0;

    for (size_t i = 0; i < count; i++) {
        double a = adn_element_load((int32_t)output->type, trial->got + i * size);
        double b = adn_type_round((int32_t)output->type, want[i]);

        different += !(a == b);
        errors += (a - b) * (a - b);
        wants += b * b;
    }
    printf("%zu/%zu:%.1e", different, count,
           errors > 0 && wants > 0 ? sqrt(errors / wants) : sqrt(errors));
}

static int fill(struct trial *trial, int kind)
{
    for (int i = 0; i < trial->held.work.count; i++)
        if (i != trial->output &&
            exact_fill(&trial->exact, &trial->input[kind][i], &trial->held.work, i,
                       trial->held.work.operand[i].type, contents[kind]) != 0)
            return -1;
    return 0;
}

static int fetch(struct trial *trial, void *host_data, const struct device_memory *memory,
                 size_t bytes)
{
    return anydnnMemCopy(trial->exact.handle[TESTED], host_data, memory->data, bytes,
                         ANYDNN_MEMCPY_DEVICE_TO_HOST) == SUCCESS
               ? 0
               : -1;
}

/* Runs an engine on one kind of inputs. A persistent failure ends the process. */
static void run_engine(struct trial *trial, struct cdn_engine *engine, int kind)
{
    struct device_memory *output = &trial->exact.output[TESTED][trial->output];
    anydnnHandle_t handle = trial->exact.handle[TESTED];
    size_t bytes = trial->held.work.operand[trial->output].bytes;
    cudnnStatus_t status;

    if (exact_reserve(&trial->exact, output, bytes) != 0 ||
        anydnnMemSet(handle, output->data, 0xff, bytes) != SUCCESS)
        exit(1);
    status = run_plan(trial, engine->plan, engine->workspace, kind);
    printf(" %s=", content_name[kind]);
    if (status != CUDNN_STATUS_SUCCESS)
        printf("failed(%d)", (int)status);
    else if (fetch(trial, trial->got, output, bytes) != 0)
        exit(1);
    else
        print_difference(trial, trial->want[kind]);
}

static void print_engine(const struct trial *trial, const struct cdn_engine *engine)
{
    static const char *const notes[] = {
        "tensor_core", "down_convert", "reduced_reduction", "fft",        "shuffled",
        "winograd",    "tile_4x4",     "tile_6x6",          "tile_13x13", "strict_nan"};

    printf("engine %lld %s %s notes=", (long long)engine->index,
           adn_operation_name(trial->problem.operation),
           exact_type_name(trial->held.work.operand[0].type));
    for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
        if (engine->numerical >> i & 1)
            printf("%s%s", engine->numerical & ((UINT32_C(1) << i) - 1) ? "," : "", notes[i]);
    printf(" math=%d kernel=%s knobs=", engine->avoided ? -1 : engine->math,
           engine->compiles ? "compiled" : "ready");
    for (int32_t i = 0; i < engine->knobs; i++)
        printf("%s%lld:%lld", i > 0 ? "," : "", (long long)engine->knob_type[i],
               (long long)engine->knob_value[i]);
}

/* ------------------------------------------------------------------ one problem */

static int prepare(struct trial *trial, const char *text)
{
    struct exact *exact = &trial->exact;
    struct adn_values values;
    const struct operand *output;
    size_t wide_bytes;

    trial->held.text = text;
    if (adn_problem_parse(text, &trial->problem, &values) != SUCCESS ||
        exact_parse(text, &trial->held.work) != 0 ||
        exact_type_name(trial->held.work.operand[0].type) == NULL)
        return -1;
    adn_problem_view(&trial->problem, 0, &trial->view);
    trial->output = trial->held.work.count - 1;
    output = &trial->held.work.operand[trial->output];
    trial->got = malloc(output->bytes);
    wide_bytes = output->bytes / exact_type_size(output->type) * sizeof(double);
    for (int kind = 0; kind < KINDS; kind++) {
        trial->want[kind] = malloc(wide_bytes);
        if (fill(trial, kind) != 0 ||
            exact_reference(exact, &trial->held, contents[kind], 1) != GOOD ||
            fetch(trial, trial->want[kind], &exact->output[contents[kind]][trial->output],
                  wide_bytes) != 0)
            return -1;
    }
    return 0;
}

static void drop(struct trial *trial)
{
    for (int kind = 0; kind < KINDS; kind++) {
        free(trial->want[kind]);
        trial->want[kind] = NULL;
    }
    free(trial->got);
    trial->got = NULL;
    exact_drop(&trial->held);
    for (int32_t i = 0; i < trial->list.count; i++)
        cdn_engine_drop(&trial->list.engine[i]);
    free(trial->list.engine);
    cdn_parts_destroy(&trial->list.parts);
    memset(&trial->list, 0, sizeof(trial->list));
    memset(&trial->held, 0, sizeof(trial->held));
}

static int make_list(struct trial *trial)
{
    struct cdn_factors factors = cdn_usual_factors(trial->problem.operation);
    struct cdn_list *list = &trial->list;

    list->key.operation = trial->problem.operation;
    list->key.tensor[0].type = trial->problem.tensor[0].type;
    list->graph = cdn_graph_make(&list->parts, trial->cudnn, &trial->view, &factors);
    if (list->parts.status != CUDNN_STATUS_SUCCESS)
        return -1;
    cdn_list_fill(list, trial->cudnn);
    cdn_list_enumerate(list, trial->cudnn);
    return 0;
}

static void try_engine(struct trial *trial, struct cdn_engine *engine)
{
    struct timespec began, ended;

    alarm(PATIENCE);
    clock_gettime(CLOCK_MONOTONIC, &began);
    print_engine(trial, engine);
    fflush(stdout);
    if (cdn_execution_make(trial->cudnn, engine->config, &engine->plan, &engine->workspace) !=
        CUDNN_STATUS_SUCCESS) {
        printf(" refused");
    } else {
        for (int kind = 0; kind < KINDS; kind++)
            run_engine(trial, engine, kind);
        (void)cudnn.cudnnBackendDestroyDescriptor(engine->plan);
        engine->plan = NULL;
    }
    clock_gettime(CLOCK_MONOTONIC, &ended);
    printf(" ms=%.0f\n", (double)(ended.tv_sec - began.tv_sec) * 1e3 +
                             (double)(ended.tv_nsec - began.tv_nsec) / 1e6);
}

static int is_enough(struct trial *trial, const struct cdn_engine *engine)
{
    int32_t type = trial->problem.tensor[0].type;
    unsigned char *tried;

    if (!engine->compiles || type >= TYPES)
        return 0;
    tried = &trial->compiled[engine->index % INDICES][type][trial->problem.operation];
    return *tried >= trial->compiled_most || ++*tried > trial->compiled_most;
}

void engines_try(struct trial *trial, const char *text, struct place *place)
{
    printf("problem %s\n", text);
    if (prepare(trial, text) != 0) {
        char words[400];

        anydnnGetLastErrorString(words, sizeof(words));
        printf("failed: %s\n", words);
    } else if (make_list(trial) != 0) {
        printf("cuDNN refuses %s: %s\n", trial->list.parts.what,
               cudnn.cudnnGetErrorString(trial->list.parts.status));
    } else {
        for (; place->engine < trial->list.count; place->engine++)
            if (!is_enough(trial, &trial->list.engine[place->engine]))
                try_engine(trial, &trial->list.engine[place->engine]);
    }
    drop(trial);
    place->engine = 0;
}
