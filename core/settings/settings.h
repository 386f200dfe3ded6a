/* SPDX-License-Identifier: Apache-2.0 */
/* Settings: INI files, environment and built-in defaults, merged into one immutable object. Every
 * value keeps its origin, so that messages can name the file and line to change. docs/using.md
 * describes grammar and layers. */
#ifndef ADN_SETTINGS_SETTINGS_H
#define ADN_SETTINGS_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

#define ADN_NAME_MAX  31 /* backend names */
#define ADN_ROUTE_MAX 16 /* backends in one rule */
/* Bytes of "FILE:LINE", "environment NAME", "built-in" or "anydnnSetRoute". */
#define ADN_ORIGIN_MAX 320

enum adn_fallback {
    ADN_FALLBACK_UNSET = -1,
    ADN_FALLBACK_OFF = 0,
    ADN_FALLBACK_WARN = 1,
    ADN_FALLBACK_ON = 2
};
enum adn_staging { ADN_STAGING_OFF = 0, ADN_STAGING_LISTED = 1, ADN_STAGING_LAST = 2 };
enum adn_tuning_mode { ADN_TUNING_WRITE = 0, ADN_TUNING_READ = 1 };
enum adn_tune_check { ADN_TUNE_CHECK_NO = 0, ADN_TUNE_CHECK_YES = 1, ADN_TUNE_CHECK_ALL = 2 };
enum adn_enable { ADN_ENABLE_NO = 0, ADN_ENABLE_AUTO = 1, ADN_ENABLE_YES = 2 };

/* The layers, weakest first. */
enum adn_layer {
    ADN_LAYER_BUILTIN,
    ADN_LAYER_SYSTEM, /* anydnn.conf and conf.d */
    ADN_LAYER_USER,
    ADN_LAYER_CONFIG, /* the file named by ANYDNN_CONFIG */
    ADN_LAYER_ENVIRONMENT,
    ADN_LAYER_API
};

/* A line of a [route] section. */
struct adn_route_rule {
    char pattern[64]; /* operation, prefix with a final '*', or "*" */
    int32_t math;     /* ANYDNN_PLUGIN_MATH_xxx, or -1: [route] without a mode */
    int32_t layer;
    int32_t fallback; /* enum adn_fallback */
    int32_t fastest;  /* 1: `fastest` stands before the backends, which are timed */
    int32_t count;
    char backend[ADN_ROUTE_MAX][ADN_NAME_MAX + 1];
    char origin[ADN_ORIGIN_MAX];
};

/* A withheld value. It comes from another user's file, and this process runs as root. It is
 * ignored, or used only if the backend permits it. */
struct adn_withheld {
    char *value;
    long owner;
    char origin[ADN_ORIGIN_MAX];
};

/* A `set.KEY = VALUE` of a [plugin NAME] section. One of `value` and `withheld` may be NULL. */
struct adn_plugin_setting {
    struct adn_plugin_setting *next;
    char *key;
    char *value;
    char origin[ADN_ORIGIN_MAX];
    struct adn_withheld *withheld; /* from a later layer than `value` */
};

struct adn_plugin_section {
    struct adn_plugin_section *next;
    char name[ADN_NAME_MAX + 1];
    char *
        module; /* as written: a file name in plugindir or an absolute path; NULL: anydnn_NAME.so */
    int32_t enable;
    char origin[ADN_ORIGIN_MAX]; /* of `enable` */
    char module_origin[ADN_ORIGIN_MAX];
    struct adn_withheld *module_withheld;
    struct adn_plugin_setting *set;
};

enum adn_on_mismatch {
    ADN_MISMATCH_COUNT,
    ADN_MISMATCH_WARN,
    ADN_MISMATCH_DUMP,
    ADN_MISMATCH_ERROR
};

/* The effective values of [anydnn], [trace], [shadow] and [check]. Texts of the last three are as
 * written; settings/section_values.h reads them. */
struct adn_settings {
    char *device;             /* "auto", "cpu", "SPACE", "SPACE:N" */
    int32_t fallback;         /* enum adn_fallback */
    int32_t staging;          /* enum adn_staging */
    int32_t deterministic;    /* 0, 1 */
    int32_t batch_invariant;  /* 0, 1 */
    uint64_t workspace_limit; /* bytes; UINT64_MAX: none */
    int32_t plan_cache;       /* plans a handle keeps, 1 .. 65536 */
    int32_t log;              /* level of sys/log.h */
    char *log_file;
    char *
        *plugin_path; /* absolute folders searched before plugindir; NULL-terminated, may be NULL */
    char *tuning;     /* "off", or the file of search results */
    int32_t tuning_mode;      /* enum adn_tuning_mode */
    int32_t tune_limit;       /* milliseconds that `fastest` times one problem */
    int32_t tune_check;       /* enum adn_tune_check: whether a search judges what it times */
    int32_t user_config;      /* 0 none, 1 merge, 2 only */
    char *trace_file;         /* "off", or where calls are written */
    uint64_t trace_size;      /* size in bytes at which a new file begins; UINT64_MAX: none */
    int32_t trace_keep;       /* number of older files that are kept */
    int32_t trace_times;      /* 1: calls on a device are waited for, to be timed */
    char *trace_tensors;      /* operations whose operands are kept */
    int32_t trace_dumps;      /* most calls whose operands a process keeps */
    uint64_t trace_dump_size; /* most bytes of these operands */
    char *shadow_sample;
    char *shadow_reference;
    char *shadow_operations;
    char *shadow_bound;
    int32_t shadow_on_mismatch; /* enum adn_on_mismatch */
    char *shadow_budget;
    uint64_t shadow_memory; /* most bytes of copies; UINT64_MAX: no limit */
    char *shadow_file;      /* "off", or where mismatches are written */
    int32_t shadow_summary; /* 1: findings are reported at exit */
    char *check_outputs;
    char *check_operations;
    char *cudnn9_library;  /* "auto", or the real libcudnn.so.9 or its folder */
    char *cudnn9_backends; /* "none", or those that run calls of libcudnn.so.9 */
    char *cudnn9_trace;    /* "off", or where these calls are written */
    char *cudnn9_counters; /* "off", or where the calls of libcudnn.so.9 are counted */
    struct adn_plugin_section *plugins;
    struct adn_route_rule *rules; /* all layers, in order of reading */
    int32_t rule_count;
    int32_t dropped; /* files ignored because of an error: config_dropped in dispatch records */
    /* The origin of each key's value, in the order of keys.def. */
    char (*key_origin)[ADN_ORIGIN_MAX];
    /* The withheld value of each key in the same order, or NULL. */
    struct adn_withheld **key_withheld;
    char fatal[1024]; /* not empty: an explicitly named file is bad; anydnnCreate fails with it */
};

/* Reads all layers. Returns NULL only if memory is out. Logs each warning once. Applies log level
 * and target. The caller frees the settings (tests) or keeps them forever (core). */
struct adn_settings *adn_settings_load(void);
void adn_settings_free(struct adn_settings *settings);

/* Returns the rule that wins for an operation in a mode: the later layer first, then exact name,
 * longer prefix, "*"; between equals, the rule of the mode before that of [route]. `extra` are a
 * handle's own rules (layer API), and may be NULL. Never returns NULL, since a built-in rule for
 * "*" exists. */
const struct adn_route_rule *adn_settings_route(const struct adn_settings *settings,
                                                const struct adn_route_rule *extra,
                                                int32_t extra_count, const char *operation,
                                                int32_t math);

/* Parses "a, b, fallback:warn" into a rule for anydnnSetRoute. Returns 0, or -1 with a sentence in
 * `error`. */
int adn_settings_rule_parse(struct adn_route_rule *rule, const char *pattern, const char *mode,
                            const char *list, char *error, size_t error_size);

/* Return the [plugin NAME] section, or NULL, and a set.KEY of it, or NULL. */
const struct adn_plugin_section *adn_settings_plugin(const struct adn_settings *settings,
                                                     const char *name);
const struct adn_plugin_setting *adn_settings_plugin_set(const struct adn_settings *settings,
                                                         const char *name, const char *key);
/* Returns the effective value, or NULL if there is none. `is_choice` is 1 if the backend publishes
 * the key as one that names neither code nor a file. */
const char *adn_plugin_setting_value(const struct adn_plugin_setting *set, int is_choice);

/* Lists the effective settings for `anydnn config` by index from 0. Returns 0, or -1 past the end.
 * The section is "anydnn", "trace", "shadow", "check", "plugin NAME", "route" or "route MODE".
 * Rules that never win are not listed. */
int adn_settings_item(const struct adn_settings *settings, int index, const char **section,
                      const char **key, char *value, size_t value_size, const char **origin);

/* Writes a sentence about a withheld value of this item; "" if there is none. It begins with the
 * value's origin. If the item has no other value, it has this one. */
void adn_settings_item_withheld(const struct adn_settings *settings, int index, char *text,
                                size_t size);

/* Returns plugindir: where it was configured, or relative to this library's file if that was
 * moved. */
const char *adn_settings_plugindir(void);
const char *adn_settings_sysconfdir(void);
/* Returns the path of the user's file in $XDG_CONFIG_HOME or in ~/.config, written to `path`, or
 * NULL if neither is known. */
const char *adn_settings_user_file(char *path, size_t size);

#endif
