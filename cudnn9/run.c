/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a described call on anydnn's backends. Each handle of the real library gets one of anydnn at
 * the first such call. What the backends decline goes to the real library, which has the
 * application's handle, descriptors and workspace. */
#include "cudnn9/call.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 256, PROBLEMS_MAX = 4096, EXECUTION_FAILED = 5000 };

struct problem {
    struct problem *next;
    anydnnProblem_t problem;
    int declined; /* 1: no backend of the setting runs it */
    char *text;   /* complete, as anydnn prints it */
    char given[];
};

/* The state that belongs to a handle of the real library. One thread at a time uses it. */
struct own {
    struct own *next;
    void *real;
    anydnnHandle_t handle; /* NULL if no backend may run calls */
    void *stream;
    int number; /* in the trace */
    int problems;
    struct problem *bucket[BUCKETS];
    struct problem *last; /* of the handle's last call, or NULL */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct own *owns;
static int handles;
static int is_child; /* 1 in a child of fork(), which only forwards */
static uint64_t by_backends[CUDNN9_FUNCTIONS], by_real[CUDNN9_FUNCTIONS];

static void note_child(void)
{
    is_child = 1;
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, note_child);
}

/* ---- handles */

/* Returns a handle whose only backends are those of the setting, or NULL. */
static anydnnHandle_t make_handle(void)
{
    const struct cudnn9_settings *settings = cudnn9_settings();
    char list[sizeof(settings->backends) + 20], device[64] = "";
    anydnnHandle_t handle = NULL;

    if (strcmp(settings->backends, "none") == 0 || anydnnCreate(&handle) != ANYDNN_STATUS_SUCCESS)
        return NULL;
    snprintf(list, sizeof(list), "%s, fallback:on", settings->backends);
    if (anydnnSetRoute(handle, "*", NULL, list) != ANYDNN_STATUS_SUCCESS)
        goto refused;
    anydnnGetDevice(handle, device, sizeof(device));
    if (settings->device_is_auto && strcmp(device, "cpu") == 0) {
        (void)anydnnRefuse(
            ANYDNN_STATUS_NOT_INITIALIZED,
            "cudnnCreate: device = auto finds no device, so the backends of [cudnn9] "
            "run no calls; programs for cuDNN pass device pointers");
        goto refused;
    }
    return handle;

refused:
    anydnnDestroy(handle);
    return NULL;
}

static struct own *own_of(void *real)
{
    struct own *own;

    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&lock);
    for (own = owns; own != NULL && own->real != real; own = own->next)
        ;
    if (own == NULL && (own = calloc(1, sizeof(*own))) != NULL) {
        own->real = real;
        own->number = ++handles;
        own->handle = make_handle();
        own->next = owns;
        owns = own;
    }
    pthread_mutex_unlock(&lock);
    return own;
}

static void drop_problems(struct own *own)
{
    for (int i = 0; i < BUCKETS; i++)
        while (own->bucket[i] != NULL) {
            struct problem *problem = own->bucket[i];

            own->bucket[i] = problem->next;
            anydnnProblemDestroy(problem->problem);
            free(problem->text);
            free(problem);
        }
    own->problems = 0;
    own->last = NULL;
}

void cudnn9_forget(void *handle)
{
    struct own *found = NULL;

    pthread_mutex_lock(&lock);
    for (struct own **at = &owns; *at != NULL; at = &(*at)->next)
        if ((*at)->real == handle) {
            found = *at;
            *at = found->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    if (found == NULL || is_child)
        return;
    drop_problems(found);
    anydnnDestroy(found->handle);
    free(found);
}

/* ---- problems */

static char *print(anydnnProblem_t problem)
{
    size_t needed = 0;
    char *text = NULL;

    if (anydnnProblemPrint(problem, NULL, 0, &needed) == ANYDNN_STATUS_SUCCESS)
        text = malloc(needed);
    if (text != NULL && anydnnProblemPrint(problem, text, needed, NULL) != ANYDNN_STATUS_SUCCESS)
        text[0] = '\0';
    return text;
}

/* Returns 1 if the stream records a CUDA graph. No plan may be made then. */
static int is_capturing(void *stream)
{
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    void *symbol = driver != NULL ? dlsym(driver, "cuStreamIsCapturing") : NULL;
    int (*ask)(void *stream, int *status);
    int status = 0;

    if (symbol != NULL) {
        memcpy(&ask, &symbol, sizeof(ask));
        if (ask(stream, &status) != 0)
            status = 1;
    }
    if (driver != NULL)
        dlclose(driver);
    return status != 0;
}

/* Makes the problem of a text. Returns NULL if anydnn does not have it. */
static struct problem *make_problem(struct own *own, const char *text, size_t bucket)
{
    size_t size = strlen(text) + 1;
    struct problem *made = calloc(1, sizeof(*made) + size);

    if (made == NULL)
        return NULL;
    memcpy(made->given, text, size);
    if (anydnnProblemParse(text, &made->problem) != ANYDNN_STATUS_SUCCESS)
        made->problem = NULL;
    else
        made->text = print(made->problem);
    made->declined = made->problem == NULL || own->handle == NULL;
    if (own->problems >= PROBLEMS_MAX)
        drop_problems(own);
    made->next = own->bucket[bucket];
    own->bucket[bucket] = made;
    own->problems++;
    return made;
}

static struct problem *problem_of(struct own *own, const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    struct problem *at;

    for (const char *c = text; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
    for (at = own->bucket[hash % BUCKETS]; at != NULL && strcmp(at->given, text) != 0;
         at = at->next)
        ;
    if (at == NULL && !(own->handle != NULL && is_capturing(own->stream)))
        at = make_problem(own, text, hash % BUCKETS);
    return at;
}

/* ---- calls */

/* Gives the handle the stream of the real one. */
static int take_stream(struct own *own)
{
    int (*get)(void *handle, void **stream) = NULL;
    void *stream = NULL;

    CUDNN9_REAL(get, cudnnGetStream);
    if (get == NULL || get(own->real, &stream) != CUDNN9_SUCCESS)
        return -1;
    if (stream != own->stream &&
        anydnnSetStream(own->handle, (anydnnStream_t)stream) != ANYDNN_STATUS_SUCCESS)
        return -1;
    own->stream = stream;
    return 0;
}

static void trace_own(const struct own *own, const struct problem *problem)
{
    char backend[64] = "", engine[32] = "", math[32] = "";

    anydnnGetDispatchInfo(own->handle, "backend", backend, sizeof(backend));
    anydnnGetDispatchInfo(own->handle, "engine", engine, sizeof(engine));
    anydnnGetDispatchInfo(own->handle, "math", math, sizeof(math));
    cudnn9_trace(problem->text, backend, engine, math, own->number, CUDNN9_SUCCESS);
}

/* Returns 1 if a failed call has not touched anything, so that the real library may run it. */
static int is_untouched(const struct own *own, anydnnStatus_t status)
{
    char effect[32] = "";

    if (status != ANYDNN_STATUS_EXECUTION_FAILED && status != ANYDNN_STATUS_INTERNAL_ERROR &&
        (int)status != ANYDNN_STATUS_SPACE_POISONED)
        return 1;
    anydnnGetDispatchInfo(own->handle, "effect", effect, sizeof(effect));
    return strcmp(effect, "none") == 0;
}

int cudnn9_run(struct cudnn9_call *call, void *workspace, size_t bytes, int *status)
{
    struct own *own = call->unmapped || is_child ? NULL : own_of(call->handle);
    char sentence[1100], reason[1000];
    struct problem *problem;
    anydnnStatus_t result;

    if (own == NULL)
        return 0;
    own->last = NULL;
    if (own->handle != NULL && take_stream(own) != 0)
        return 0;
    problem = problem_of(own, call->text);
    own->last = problem != NULL && problem->text != NULL ? problem : NULL;
    if (problem == NULL || problem->declined)
        return 0;
    result = anydnnProblemExecute(own->handle, problem->problem, call->data, workspace, bytes);
    if (result == ANYDNN_STATUS_SUCCESS) {
        __atomic_fetch_add(&by_backends[call->index], 1, __ATOMIC_RELAXED);
        trace_own(own, problem);
        *status = CUDNN9_SUCCESS;
        return 1;
    }
    problem->declined = result == ANYDNN_STATUS_NOT_SUPPORTED;
    if (is_untouched(own, result))
        return 0;
    anydnnGetLastErrorString(reason, sizeof(reason));
    snprintf(sentence, sizeof(sentence), "%s: %s", cudnn9_functions[call->index].name, reason);
    *status = cudnn9_refuse(EXECUTION_FAILED, ANYDNN_STATUS_EXECUTION_FAILED, sentence);
    return 1;
}

int cudnn9_forwarded(struct cudnn9_call *call, int status)
{
    struct own *own = call->unmapped || is_child ? NULL : own_of(call->handle);
    char math[32] = "default";
    const char *found;

    __atomic_fetch_add(&by_real[call->index], 1, __ATOMIC_RELAXED);
    if (own == NULL || own->last == NULL)
        return status;
    found = strstr(own->last->text, " math=");
    if (found != NULL)
        snprintf(math, sizeof(math), "%.*s", (int)strcspn(found + 6, " "), found + 6);
    cudnn9_trace(own->last->text, "cudnn", "0", math, own->number, status);
    return status;
}

void cudnn9_ran(size_t index, uint64_t *backends, uint64_t *forwarded)
{
    *backends = __atomic_load_n(&by_backends[index], __ATOMIC_RELAXED);
    *forwarded = __atomic_load_n(&by_real[index], __ATOMIC_RELAXED);
}
