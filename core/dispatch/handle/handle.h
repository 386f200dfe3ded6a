/* SPDX-License-Identifier: Apache-2.0 */
/* The handle: one device of one space, a context for each backend in use, plans, pins and the last
 * call's record. */
#ifndef ADN_DISPATCH_HANDLE_HANDLE_H
#define ADN_DISPATCH_HANDLE_HANDLE_H

#include <stdatomic.h>

#include "dispatch/handle/global.h"
#include "dispatch/handle/space.h"
#include "dispatch/plan/plan.h"
#include "dispatch/plan/table.h"
#include "sys/process.h"

#define ADN_HANDLE_MAGIC UINT64_C(0x616e79646e6e6831)

/* A backend's context in this handle. */
struct adn_handle_context {
    struct anydnn_plugin_context *context;
    int state;            /* 0: not made yet, 1: made, -1: refused */
    int32_t device;       /* the handle's own, or one of another space */
    char *reason;         /* why it was refused */
    uint64_t fork_number; /* of the process that made it */
};

/* The ways in which the last call found its plan. */
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

/* A hook: functions that a component above dispatch adds before the plans of a handle, as wraps. */
struct adn_hook {
    void (*plan_made)(struct adn_hook *hook, struct adn_plan *plan);
    /* Completes unfinished work of earlier calls. NULL if calls leave none. */
    void (*settle)(struct adn_hook *hook);
    void (*end)(struct adn_hook *hook); /* frees the hook; no plan of the handle remains */
};

/* The hooks, the innermost first. */
enum { ADN_HOOK_TRACE, ADN_HOOK_SHADOW, ADN_HOOKS };

struct anydnnContext {
    uint64_t magic;
    uint64_t fork_number;
    struct adn_table cache;
    struct adn_record last;
    struct adn_counters counters;
    struct adn_space *space;
    int32_t device;
    struct adn_modes modes;
    void *stream;
    void *home;  /* what SetStream(NULL) selects: the default stream, or the adopted one */
    int adopted; /* 1 if `home` was made for the application's native stream */
    struct adn_recording *recording; /* set between RecordBegin and RecordEnd */
    struct adn_global *global;
    uint64_t workspace_limit;
    struct adn_handle_context *contexts; /* by registry index */
    struct adn_arena *arenas;            /* memory for staged calls */
    struct adn_route_rule *rules;        /* set by anydnnSetRoute */
    int32_t rule_count;
    struct adn_hook *hook[ADN_HOOKS]; /* NULL if unused */
    char *complaint; /* a hook's finding, with which the handle's next call fails; or NULL */
    char device_name[64];
};

/* Returns SUCCESS for a live handle; otherwise fails with a message that begins with `entry`. */
anydnnStatus_t adn_handle_complain(anydnnHandle_t handle, const char *entry) __attribute__((cold));

static inline anydnnStatus_t adn_handle_check(anydnnHandle_t handle, const char *entry)
{
    if (handle && handle->magic == ADN_HANDLE_MAGIC &&
        !atomic_load_explicit(&adn_process_attention, memory_order_relaxed))
        return ANYDNN_STATUS_SUCCESS;
    return adn_handle_complain(handle, entry);
}

/* Does the same for a call that is about to run. Also fails with SPACE_POISONED if the device is
 * lost, and once with a hook's complaint. */
anydnnStatus_t adn_handle_complain_call(anydnnHandle_t handle, const char *entry)
    __attribute__((cold));

/* Returns 1 if neither check can fail. */
static inline int adn_handle_is_ready(anydnnHandle_t handle)
{
    return handle && handle->magic == ADN_HANDLE_MAGIC &&
           !atomic_load_explicit(&adn_process_attention, memory_order_relaxed);
}

anydnnStatus_t adn_handle_create(anydnnHandle_t *handle, const char *device, const char *entry);
/* Creates a handle on the application's native context and stream, which may be NULL. */
anydnnStatus_t adn_handle_adopt(anydnnHandle_t *handle, const char *space, void *context,
                                void *stream, const char *entry);

/* Returns 1 if the handle's stream lives as long as the handle: its home, or a stream given by a
 * number below any address. A stream of the application may no longer exist when the handle is
 * destroyed. */
static inline int adn_handle_owns_stream(anydnnHandle_t handle)
{
    return handle->stream == handle->home || (uintptr_t)handle->stream < 4096;
}

void adn_handle_destroy(anydnnHandle_t handle);
/* Waits until the hooks have finished with all earlier calls. The host may wait for the device. */
void adn_handle_settle(anydnnHandle_t handle);

/* Returns the context of a backend, made at first use, or NULL with *reason if it was refused. A
 * backend of another space uses the device with the handle's device number in that space, or device
 * 0 if there is none. */
struct anydnn_plugin_context *adn_handle_context(anydnnHandle_t handle, struct adn_backend *backend,
                                                 const char **reason);

/* Forgets all plans and pins, after a change that selection depends on. The record stays. */
void adn_handle_forget(anydnnHandle_t handle);
/* Forgets only the plans, so that new ones get the current hooks. */
void adn_handle_forget_plans(anydnnHandle_t handle);

/* Makes the handle's next call, or Synchronize, fail with that message. An earlier message is kept.
 */
void adn_handle_complain_later(anydnnHandle_t handle, const char *sentence);
/* Fails with EXECUTION_FAILED and the pending message, if there is one, and clears it. */
anydnnStatus_t adn_handle_complain_now(anydnnHandle_t handle, const char *entry);

anydnnStatus_t adn_handle_set_route(anydnnHandle_t handle, const char *operation, const char *mode,
                                    const char *list);

#endif
