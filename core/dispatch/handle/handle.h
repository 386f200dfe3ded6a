/* SPDX-License-Identifier: Apache-2.0 */
/* The handle: one device of one space, a context for each backend used, plans, pins, last record.
 */
#ifndef ADN_DISPATCH_HANDLE_HANDLE_H
#define ADN_DISPATCH_HANDLE_HANDLE_H

#include <stdatomic.h>

#include "dispatch/handle/space.h"
#include "dispatch/handle/world.h"
#include "dispatch/plan/plan.h"
#include "dispatch/plan/table.h"
#include "sys/process.h"

#define ADN_HANDLE_MAGIC UINT64_C(0x616e79646e6e6831)

/* A backend's context in this handle. */
struct adn_handle_context {
    struct anydnn_plugin_context *context;
    int state;            /* 0 not made yet, 1 made, -1 refused */
    int32_t device;       /* where it is: the handle's own, or one of another space */
    char *reason;         /* why refused */
    uint64_t fork_number; /* of the process that made it */
};

/* How the last call found its plan. */
enum adn_how { ADN_HOW_NONE, ADN_HOW_HIT, ADN_HOW_EQUAL, ADN_HOW_MISS };

struct adn_record {
    struct adn_plan *plan; /* held */
    enum adn_how how;
    int32_t effect;
    int unaligned;
    int workspace_short;
};

struct adn_counters {
    int64_t calls;
    int64_t plan_hits;
    int64_t plan_equal_hits;
    int64_t plan_misses;
    int64_t evictions;
    int64_t fallbacks;
    int64_t pins_dropped;
    int64_t staged_calls;
};

/* What a room above puts before the plans of a handle, as wraps of theirs. */
struct adn_hook {
    void (*plan_made)(struct adn_hook *hook, struct adn_plan *plan);
    /* Brings to an end what calls left under way; NULL: they leave nothing. */
    void (*settle)(struct adn_hook *hook);
    void (*end)(struct adn_hook *hook); /* frees it; no plan of the handle is left */
};

/* By number, the innermost first. */
enum { ADN_HOOK_TRACE, ADN_HOOK_SHADOW, ADN_HOOKS };

struct anydnnContext {
    uint64_t magic;
    uint64_t fork_number;
    struct adn_table cache;
    struct adn_record last;
    struct adn_counters counters;
    struct adn_space *space;
    int32_t device;
    int32_t deterministic;
    void *stream;
    struct adn_recording *recording; /* between RecordBegin and RecordEnd */
    struct adn_world *world;
    uint64_t workspace_limit;
    struct adn_handle_context *contexts; /* by registry index */
    struct adn_arena *arenas;            /* memory for staged calls */
    struct adn_route_rule *rules;        /* anydnnSetRoute */
    int32_t rule_count;
    struct adn_hook *hook[ADN_HOOKS]; /* NULL: nothing there */
    char *complaint; /* what a hook found, for the handle's next call to fail with; or NULL */
    char device_name[64];
};

/* SUCCESS for a live handle; else a sentence that begins with `entry`. */
anydnnStatus_t adn_handle_complain(anydnnHandle_t handle, const char *entry) __attribute__((cold));

static inline anydnnStatus_t adn_handle_check(anydnnHandle_t handle, const char *entry)
{
    if (handle && handle->magic == ADN_HANDLE_MAGIC &&
        !atomic_load_explicit(&adn_process_attention, memory_order_relaxed))
        return ANYDNN_STATUS_SUCCESS;
    return adn_handle_complain(handle, entry);
}

/* The same for a call that is about to run: SPACE_POISONED for a device that is lost, and what a
 * hook complains of, once. */
anydnnStatus_t adn_handle_complain_call(anydnnHandle_t handle, const char *entry)
    __attribute__((cold));

/* Returns 1 where neither of the two refuses. */
static inline int adn_handle_is_ready(anydnnHandle_t handle)
{
    return handle && handle->magic == ADN_HANDLE_MAGIC &&
           !atomic_load_explicit(&adn_process_attention, memory_order_relaxed);
}

anydnnStatus_t adn_handle_create(anydnnHandle_t *handle, const char *device, const char *entry);
void adn_handle_destroy(anydnnHandle_t handle);
/* What hooks found of the calls so far is known afterwards; the host may wait for the device. */
void adn_handle_settle(anydnnHandle_t handle);

/* The context of a backend, made at first need; NULL with *reason set when it is refused. A backend
 * of another space gets one on the device of that space that has the number of the handle's own, on
 * device 0 if there is none. */
struct anydnn_plugin_context *adn_handle_context(anydnnHandle_t handle, struct adn_backend *backend,
                                                 const char **reason);

/* Forgets every plan and pin, after a change that selection depends on; the record stays. */
void adn_handle_forget(anydnnHandle_t handle);
/* Forgets the plans alone, so that new ones get what the hooks put before them now. */
void adn_handle_forget_plans(anydnnHandle_t handle);

/* Lets the handle's next call, or Synchronize, fail with that sentence; the first one stays. */
void adn_handle_complain_later(anydnnHandle_t handle, const char *sentence);
/* EXECUTION_FAILED with the sentence, if there is one, which then is told. */
anydnnStatus_t adn_handle_complain_now(anydnnHandle_t handle, const char *entry);

anydnnStatus_t adn_handle_set_route(anydnnHandle_t handle, const char *operation, const char *mode,
                                    const char *list);

#endif
