/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errata: known faults of backends and their libraries, as data. An erratum names a backend, the
 * versions and devices that have the fault, the problems and engines that show it, and a verdict.
 * Backends publish lists, and files of errata.d folders add, replace and withdraw entries.
 * docs/errata.md describes the form.
 */
#ifndef ADN_ERRATA_ERRATA_H
#define ADN_ERRATA_ERRATA_H

#include <stddef.h>
#include <stdint.h>

#include <anydnn/plugin.h>

#include "settings/settings.h"

#define ADN_ERRATUM_ID_MAX     63
#define ADN_ERRATUM_LINE_MAX   4096 /* bytes of a line, problems are long */
#define ADN_ERRATUM_CONDITIONS 16
#define ADN_ERRATUM_KNOB_MAX   255 /* bytes of the pattern of a knob */

/* The verdicts, in the order of their words. */
enum adn_erratum_verdict {
    ADN_ERRATUM_WRONG,
    ADN_ERRATUM_NAN,
    ADN_ERRATUM_NONDETERMINISTIC,
    ADN_ERRATUM_WRITES_OUTSIDE,
    ADN_ERRATUM_SLOW,
    ADN_ERRATUM_TRANSFORM,
    ADN_ERRATUM_SHORT_SUMS,
    ADN_ERRATUM_BATCH_VARIANT,
    ADN_ERRATUM_FINER, /* permits an engine that its library's notes exclude */
    ADN_ERRATUM_NONE,  /* withdraws an earlier layer's entry */
    ADN_ERRATUM_VERDICTS
};

/* The bit of a verdict in a set of verdicts. */
#define ADN_ERRATUM_BIT(verdict) (UINT32_C(1) << (verdict))
/* The verdicts whose engines never run. */
#define ADN_ERRATUM_AVOIDED                                                                        \
    (ADN_ERRATUM_BIT(ADN_ERRATUM_WRONG) | ADN_ERRATUM_BIT(ADN_ERRATUM_NAN) |                       \
     ADN_ERRATUM_BIT(ADN_ERRATUM_WRITES_OUTSIDE) | ADN_ERRATUM_BIT(ADN_ERRATUM_SHORT_SUMS))

/* The keys of an entry that every operation has. Parameters of operations, such as `pad`, are
 * further keys. */
enum adn_erratum_key {
    ADN_ERRATUM_BACKEND,
    ADN_ERRATUM_VERSIONS,
    ADN_ERRATUM_DEVICES,
    ADN_ERRATUM_OPERATIONS,
    ADN_ERRATUM_TYPES,
    ADN_ERRATUM_LAYOUT,
    ADN_ERRATUM_FILTER,
    ADN_ERRATUM_MATH,
    ADN_ERRATUM_ENGINE,
    ADN_ERRATUM_KNOBS,
    ADN_ERRATUM_ALGORITHM,
    ADN_ERRATUM_VERDICT,
    ADN_ERRATUM_SOURCE,
    ADN_ERRATUM_PROBLEM,
    ADN_ERRATUM_KEYS
};

/* An entry. */
struct adn_erratum {
    char id[ADN_ERRATUM_ID_MAX + 1];
    enum adn_erratum_verdict verdict;
    char *text[ADN_ERRATUM_KEYS]; /* as written; NULL: the key is absent */
    struct {
        char *key; /* of a parameter */
        char *value;
    } condition[ADN_ERRATUM_CONDITIONS];
    int conditions;
    enum adn_layer layer; /* ADN_LAYER_BUILTIN: published by the backend */
    int only_adds;        /* 1 if its file may not replace, withdraw or permit */
    int superseded;       /* 1 if an entry of the same id replaces or withdraws it */
    char origin[ADN_ORIGIN_MAX];
};

struct adn_errata;

/* The folders to read, each beside a settings file of its layer. A path is absolute or NULL. */
struct adn_errata_sources {
    const char *system_folder;
    const char *user_folder;
    const char *config_folder;
};

/* Reads the folders. Files with errors are dropped with a warning, and entries that this version
 * does not understand are skipped with a warning. Returns NULL if memory is out. */
struct adn_errata *adn_errata_load_from(const struct adn_errata_sources *sources);
/* Does the same for the folders of this process's settings. */
struct adn_errata *adn_errata_load(const struct adn_settings *settings);
void adn_errata_free(struct adn_errata *errata);
/* Returns the number of files that were dropped because of an error. */
int adn_errata_dropped(const struct adn_errata *errata);

/* Adds the list that a backend publishes, as the earliest layer, at the first call for that
 * backend. Entries for other backends are skipped. Thread-safe. */
void adn_errata_publish(struct adn_errata *errata, const char *backend, const char *text);

/* A query: the properties that errata are compared with. */
struct adn_errata_query {
    const char *backend;
    const char *version; /* of the library that runs, such as "9.19.0"; NULL: unknown */
    /* Writes the device's identity. It is called only if an entry depends on it. */
    void (*device)(void *cookie, char *text, size_t size);
    void *cookie;
    const struct anydnn_plugin_problem *problem;
    const struct anydnn_plugin_candidate *candidate; /* NULL: any engine matches */
};

/* Returns the next entry in force that matches, from *at on (0: the first), or NULL. Entries live
 * as long as `errata`. */
const struct adn_erratum *adn_errata_next(struct adn_errata *errata,
                                          const struct adn_errata_query *query, int *at);
/* Returns the bits of all verdicts that match. Sets *algorithm, unless it is NULL, to the number of
 * a matching transform, or to -1. */
uint32_t adn_errata_verdicts(struct adn_errata *errata, const struct adn_errata_query *query,
                             int32_t *algorithm);
/* Returns the verdicts as bits ANYDNN_PLUGIN_ERRATUM_xxx. */
uint32_t adn_errata_plugin_bits(uint32_t verdicts);
/* Returns a number that changes when files change what matches the query's problem, or 0 if files
 * have no such entry. */
uint64_t adn_errata_digest(struct adn_errata *errata, const struct adn_errata_query *query);

/* Returns the entry at an index in the order of layers, superseded ones included, or NULL past the
 * end. */
const struct adn_erratum *adn_errata_at(struct adn_errata *errata, int index);
/* Returns 1 if the entry is for the backend, or withdraws one that is. */
int adn_errata_concern(struct adn_errata *errata, const struct adn_erratum *erratum,
                       const char *backend);
/* Writes the entry in the form of a file, preceded by a comment that names its origin. Returns the
 * length that it needs without the final 0. */
size_t adn_erratum_print(const struct adn_erratum *erratum, char *text, size_t size);
/* Returns "wrong", "nan", ... */
const char *adn_erratum_verdict_name(enum adn_erratum_verdict verdict);
/* Returns 1 if the entry matches. Whether it is in force does not count. */
int adn_erratum_matches(const struct adn_erratum *erratum, const struct adn_errata_query *query);

#endif
