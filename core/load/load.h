/* SPDX-License-Identifier: Apache-2.0 */
/* Backends: their files are listed, trusted and opened, and the reason of a failure is kept. A
 * registry is made once. Backends are known from the start and opened at first need. The result
 * of opening is kept forever, unless memory or descriptors were short: the next need tries again
 * then. */
#ifndef ADN_LOAD_LOAD_H
#define ADN_LOAD_LOAD_H

#include <stdint.h>

#include <anydnn/plugin.h>

#include "sys/float_mode.h"

/* The stages of opening a backend. */
enum adn_load_stage {
    ADN_LOAD_KNOWN,     /* found, not opened yet */
    ADN_LOAD_MISSING,   /* named by a setting, no such file */
    ADN_LOAD_DISABLED,  /* enable = no */
    ADN_LOAD_UNTRUSTED, /* ownership, mode, kind of file */
    ADN_LOAD_UNOPENED,  /* dlopen refused */
    ADN_LOAD_ABI,       /* no or another plugin ABI */
    ADN_LOAD_MAIN,      /* anydnn_plugin_main failed */
    ADN_LOAD_INVALID,   /* its description breaks a rule */
    ADN_LOAD_LIVE
};

/* A backend that a setting names, in addition to those in the folders. */
struct adn_load_module {
    const char *name;
    const char
        *module; /* file name in one of the folders, or an absolute path; NULL: anydnn_NAME.so */
    int32_t disabled;
    const char *origin; /* of the setting, for messages */
};

struct adn_backend;

struct adn_load_options {
    const char *const *folders; /* absolute, searched in order; NULL-terminated */
    const struct adn_load_module *modules;
    int32_t module_count;
    /* Returns the value of `set.KEY` for a backend, or NULL. It may be called at any time from any
     * thread. `kind` is what the backend publishes (ANYDNN_PLUGIN_SETTING_xxx). It is CODE for a
     * key that the backend does not publish, and for every key until its description is known. */
    const char *(*setting)(void *cookie, const char *backend, const char *key, uint32_t kind);
    /* Returns the bits ANYDNN_PLUGIN_ERRATUM_xxx of the errata that match a candidate, and sets
     * *algorithm, as struct anydnn_plugin_host says. It may be NULL. */
    uint32_t (*errata)(void *cookie, const struct adn_backend *backend,
                       const struct anydnn_plugin_problem *problem,
                       const struct anydnn_plugin_candidate *candidate, int32_t *algorithm);
    /* Is called once for each backend that becomes live, outside of all locks. It may be NULL. */
    void (*opened)(void *cookie, const struct adn_backend *backend);
    void *cookie;
};

struct adn_backend {
    /* The first member, so that the address that the backend gets is that of this object. */
    struct anydnn_plugin_host host;
    char name[ANYDNN_PLUGIN_NAME_MAX + 1];
    char *path;                         /* absolute; NULL when missing */
    int32_t index;                      /* in the registry; what perf structs call `backend` */
    _Atomic int32_t stage;              /* enum adn_load_stage; written last */
    char *reason;                       /* a sentence when neither KNOWN nor LIVE */
    int32_t order;                      /* the number of live backends when it became live */
    int32_t changes_float;              /* opening it changed the floating-point environment */
    const struct anydnn_plugin *plugin; /* when LIVE; a full copy */
    const struct anydnn_plugin_operation
        *operation[ANYDNN_PLUGIN_OPERATION_END]; /* by number; NULL: not offered */
    const struct adn_registry *registry;
};

struct adn_registry {
    int32_t count;
    struct adn_backend **backend; /* sorted by name */
    struct adn_load_options options;
    char **unreadable; /* folders that could not be read and files whose name is no backend's, as
                          sentences; NULL-terminated */
};

/* Lists the files anydnn_NAME.so of the folders and the modules. The first folder that has a name
 * wins. Opens nothing, and logs only ignored files at level debug. The arrays and strings of the
 * options must live as long. Returns NULL if memory is out. */
struct adn_registry *adn_load_registry(const struct adn_load_options *options);
void adn_load_registry_free(struct adn_registry *registry); /* for tests; opened objects stay */

/* Returns the backend called `name`, or NULL. */
struct adn_backend *adn_load_find(const struct adn_registry *registry, const char *name);

/* Opens the backend if that was not done yet. Returns 1 if it is live, else 0 with `reason` set. If
 * it has no table for its space, and no live backend owns that, also opens the backend that has the
 * space's name. A
 * failure is logged once, as a warning with path, stage and cause. Thread-safe. A call from inside
 * an anydnn_plugin_main (same thread) or after exit() has begun returns 0 and changes nothing. The
 * stage may then still be KNOWN, with `reason` NULL. The same holds if memory or descriptors were
 * short, which is noted (adn_shortage_noted). */
int adn_load_open(struct adn_backend *backend);

/* Returns the backend that owns the space: the first live one with a table, or NULL. */
const struct adn_backend *adn_load_owner(const struct adn_registry *registry, const char *space);

/* Returns why a backend that adn_load_open refused is not live; never NULL then. */
const char *adn_load_reason(const struct adn_backend *backend);

/* Returns the kind that a live backend publishes for a key; CODE for any other key or backend. */
uint32_t adn_load_setting_kind(const struct adn_backend *backend, const char *key);

/* Returns the value of the limit that a live backend publishes under this name for the operation,
 * or for all operations. Returns 0 if there is none. */
int64_t adn_load_limit(const struct adn_backend *backend, int32_t operation, const char *name);

/* Returns the version of the library below a live backend, or the backend's own. Returns NULL if
 * the former is not known yet. */
const char *adn_load_version(const struct adn_backend *backend);

/* Returns "known", "missing", "disabled", ..., "live". */
const char *adn_load_stage_name(int32_t stage);

/* Returns the sentence that a backend set in this thread since the last clear, or "". */
const char *adn_load_error_text(void);
void adn_load_error_clear(void);
/* Sets the sentence for code that works in a backend's place. */
void adn_load_error_set(const char *text);

/* Calls a function of a backend in the floating-point modes on which it relies. Afterwards,
 * adn_load_error_text holds what this call set, and nothing older. The hot path cannot afford that:
 * it begins with modes set and no sentence. Cleanup and questions after a failure do not use the
 * macro, so that the sentence of the failure stays. */
#define ADN_BACKEND_CALL(call) (adn_load_error_clear(), adn_float_standard(), (call))

#endif
