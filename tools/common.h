/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that all commands share: messages and exit codes, options, and the answer of a
 * command, or to one problem, as a JSON object. */
#ifndef TOOLS_COMMON_H
#define TOOLS_COMMON_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <anydnn/anydnn.h>

/* The exit codes. The largest of several counts. */
enum { TOOL_FINE = 0, TOOL_FAILED = 1, TOOL_USAGE = 2 };
/* The result of tool_options if the command continues. */
enum { TOOL_GO_ON = -1 };

struct tool {
    const char *device; /* --device, or NULL */
    const char *config; /* --config, or NULL */
    int json;
    int line;       /* line of standard input with the current problem; 0: an argument */
    int printed;    /* number of answers printed as text */
    int quiet;      /* 1: failures are kept, not printed */
    char *sentence; /* message of the last failure, or NULL */
};

/* The kinds of option. The kind determines how a value is stored in the member at `offset` of the
 * command's structure. */
enum tool_option_kind {
    TOOL_OWN,    /* stores nothing: `set` does all */
    TOOL_FLAG,   /* int: set to `low` */
    TOOL_TEXT,   /* const char *: any text */
    TOOL_FILE,   /* const char *: not empty */
    TOOL_WORD,   /* const char *: one of `words` */
    TOOL_NUMBER, /* unsigned long long: an integer from `low` to `high` */
    TOOL_INT,    /* int: the same */
    TOOL_REAL    /* double: a number above 0, optionally with the suffix k, M, G or T */
};

struct tool_option {
    const char *name;
    const char *value; /* name of the value in the help; NULL: no value */
    const char *help;
    enum tool_option_kind kind;
    size_t offset;
    unsigned long long low, high;
    const char *const *words; /* NULL-terminated */
    /* NULL, or called after the value is stored: checks it, or does what the kind does not. Returns
     * TOOL_FINE or fails. */
    int (*set)(struct tool *tool, void *own, const char *value);
};

/* The members of a row after `help`. */
#define TOOL_KEEP(type, member, of_kind) .kind = (of_kind), .offset = offsetof(struct type, member)
#define TOOL_KEEP_FLAG(type, member)     TOOL_KEEP(type, member, TOOL_FLAG), .low = 1
#define TOOL_KEEP_NUMBER(type, member, from, to)                                                   \
    TOOL_KEEP(type, member, TOOL_NUMBER), .low = (from), .high = (to)

/* The last row of a table. */
#define TOOL_OPTIONS_END                                                                           \
    {                                                                                              \
        .name = NULL                                                                               \
    }

struct tool_command {
    const char *name;
    const char *arguments; /* as the help shows them */
    const char *summary;
    const struct tool_option *options; /* ends with a NULL name */
    int (*run)(struct tool *tool, int argc, char **argv);
    int takes_program; /* 1: the words after the first argument belong to another program */
};

extern const struct tool_command tool_info;
extern const struct tool_command tool_config;
extern const struct tool_command tool_explain;
extern const struct tool_command tool_run;
extern const struct tool_command tool_bench;
extern const struct tool_command tool_compare;
extern const struct tool_command tool_tune;
extern const struct tool_command tool_replay;
extern const struct tool_command tool_verify;
extern const struct tool_command tool_errata;
extern const struct tool_command tool_abi;
extern const struct tool_command tool_shim;
extern const struct tool_command tool_exec;
extern const struct tool_command tool_doctor;

/* Prints "anydnn: ..." on stderr and returns `code`. */
int tool_fail(struct tool *tool, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Does the same with the library's last error message. */
int tool_fail_status(struct tool *tool, int code);
/* Allocates memory as malloc does, but ends the program if there is none. */
void *tool_alloc(size_t bytes);
/* Does the same for `count` elements, and checks the product for overflow. */
void *tool_alloc_array(int64_t count, size_t size);

/* Parses the options and sets *first to the index of the first argument. Returns TOOL_GO_ON, or the
 * exit code (also after --help). */
int tool_options(struct tool *tool, const struct tool_command *command, void *own, int argc,
                 char **argv, int *first);
/* Creates a handle on --device, or on the device that the settings select. */
int tool_handle(struct tool *tool, anydnnHandle_t *handle);

/* Returns the folder of the package's data of this name: the configured one, or, if the
 * installation was moved, the one beside the program's folder. */
const char *tool_data_folder(const char *configured, const char *name, char *path, size_t size);

/* Returns the index of an installed backend, or -1. */
int tool_backend_index(const char *name);

/* Returns a text of the library of any length, or NULL if it has none. The caller frees it. */
char *tool_ask(anydnnStatus_t (*get)(int index, const char *key, char *text, size_t size),
               int index, const char *key);
char *tool_ask_handle(anydnnHandle_t handle, const char *key);
char *tool_ask_problem(anydnnHandle_t handle, anydnnProblem_t problem); /* how it would be run */

/* Functions for answers. Members with NULL values are left out. */
json_t *tool_json_text(const char *text);
json_t *tool_json_take(char *text); /* frees it */
json_t *tool_json_lines(const char *text);
/* Converts a number. JSON has no NaN and no infinity: they become "nan", "inf" and "-inf". */
json_t *tool_json_real(double value);
const char *tool_text_of(const json_t *object, const char *key); /* "" if absent */
double tool_number_of(const json_t *object, const char *key);    /* 0 if absent */
/* The schema of JSON output: it grows when a member is removed or changes its meaning. */
#define TOOL_JSON_SCHEMA 1
/* Prints the answer, an object with the member "schema", and takes ownership. */
int tool_print_json(struct tool *tool, json_t *answer);

/* Calls `each` for the problem in the arguments, or for each line of standard input. `each` fills
 * in the answer, and prints it unless the output is JSON. */
int tool_each_problem(struct tool *tool, int argc, char **argv,
                      int (*each)(struct tool *tool, void *own, const char *text, json_t *answer),
                      void *own);
/* Prints a blank line between two text answers. */
void tool_begin_text(struct tool *tool);
/* Parses a problem. *text becomes the complete problem as text; the caller frees it. */
int tool_parse(struct tool *tool, const char *given, anydnnProblem_t *problem, char **text);

#endif
