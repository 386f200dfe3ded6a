/* SPDX-License-Identifier: Apache-2.0 */
/* What all commands of the program share: sentences and exit codes, options, and the answer of a
 * command, or its answer to a problem, as a JSON object. */
#ifndef TOOLS_COMMON_H
#define TOOLS_COMMON_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <anydnn/anydnn.h>

/* Exit codes; the larger one counts where there are several. */
enum { TOOL_FINE = 0, TOOL_FAILED = 1, TOOL_USAGE = 2 };
/* tool_options: the command goes on. */
enum { TOOL_GO_ON = -1 };

struct tool {
    const char *device; /* --device, or NULL */
    const char *config; /* --config, or NULL */
    int json;
    int line;       /* of standard input, where the problem at hand stood; 0: an argument */
    int printed;    /* answers as text so far */
    int quiet;      /* failures are kept and not printed */
    char *sentence; /* the last failure's, or NULL */
};

/* What becomes of an option's value, in the member at `offset` of the command's own structure. */
enum tool_option_kind {
    TOOL_OWN,    /* nothing: `set` does all */
    TOOL_FLAG,   /* int: becomes `low` */
    TOOL_TEXT,   /* const char *: any text */
    TOOL_FILE,   /* const char *: not empty */
    TOOL_WORD,   /* const char *: one of `words` */
    TOOL_NUMBER, /* unsigned long long: a whole number from `low` to `high` */
    TOOL_INT,    /* int: the same */
    TOOL_REAL    /* double: a number above 0, with k, M, G or T behind it where that is meant */
};

struct tool_option {
    const char *name;
    const char *value; /* what help calls its value; NULL: it takes none */
    const char *help;
    enum tool_option_kind kind;
    size_t offset;
    unsigned long long low, high;
    const char *const *words; /* end with NULL */
    /* NULL, or called after the value is kept: checks it, or does with it what no kind does.
     * Returns TOOL_FINE or fails. */
    int (*set)(struct tool *tool, void *own, const char *value);
};

/* Members of a row behind `help`. */
#define TOOL_KEEP(type, member, of_kind) .kind = (of_kind), .offset = offsetof(struct type, member)
#define TOOL_KEEP_FLAG(type, member)     TOOL_KEEP(type, member, TOOL_FLAG), .low = 1
#define TOOL_KEEP_NUMBER(type, member, from, to)                                                   \
    TOOL_KEEP(type, member, TOOL_NUMBER), .low = (from), .high = (to)

/* Ends a table. */
#define TOOL_OPTIONS_END                                                                           \
    {                                                                                              \
        .name = NULL                                                                               \
    }

struct tool_command {
    const char *name;
    const char *arguments; /* as help shows them */
    const char *summary;
    const struct tool_option *options; /* ends with a NULL name */
    int (*run)(struct tool *tool, int argc, char **argv);
    int takes_program; /* 1: what follows the first argument is another program's */
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
extern const struct tool_command tool_abi;
extern const struct tool_command tool_shim;
extern const struct tool_command tool_exec;

/* Says "anydnn: ..." on stderr and returns `code`. */
int tool_fail(struct tool *tool, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with the library's last sentence. */
int tool_fail_status(struct tool *tool, int code);
/* malloc that ends the program where there is no memory. */
void *tool_alloc(size_t bytes);
/* The same for elements, whose bytes may not fit a size. */
void *tool_alloc_array(int64_t count, size_t size);

/* Reads the options; the arguments then begin at *first. Returns TOOL_GO_ON, or the exit code (also
 * after --help). */
int tool_options(struct tool *tool, const struct tool_command *command, void *own, int argc,
                 char **argv, int *first);
/* A handle on --device, or where the settings put it. */
int tool_handle(struct tool *tool, anydnnHandle_t *handle);

/* Where the package's data of this name lie: the folder that was configured, or else that beside
 * the program's own one, where an installation was moved. */
const char *tool_data_folder(const char *configured, const char *name, char *path, size_t size);

/* Index of an installed backend, or -1. */
int tool_backend_index(const char *name);

/* Text of the library, however long, to be freed; NULL when it has none. */
char *tool_ask(anydnnStatus_t (*get)(int index, const char *key, char *text, size_t size),
               int index, const char *key);
char *tool_ask_handle(anydnnHandle_t handle, const char *key);
char *tool_ask_problem(anydnnHandle_t handle, anydnnProblem_t problem); /* what would be done */

/* Answers. Members with NULL values are left out. */
json_t *tool_json_text(const char *text);
json_t *tool_json_take(char *text); /* frees it */
json_t *tool_json_lines(const char *text);
/* JSON has no NaN and no infinity: they become the texts "nan", "inf" and "-inf". */
json_t *tool_json_real(double value);
const char *tool_text_of(const json_t *object, const char *key); /* "" when it has none */
double tool_number_of(const json_t *object, const char *key);    /* 0 when it has none */
int tool_print_json(struct tool *tool, json_t *answer);          /* takes it */

/* Calls `each` for the problem of the arguments, or for each line of standard input; `each` fills
 * the answer and prints it when that is not done as JSON. */
int tool_each_problem(struct tool *tool, int argc, char **argv,
                      int (*each)(struct tool *tool, void *own, const char *text, json_t *answer),
                      void *own);
/* A blank line between two answers as text. */
void tool_begin_text(struct tool *tool);
/* Parses; *text is the whole problem in words, to be freed. */
int tool_parse(struct tool *tool, const char *given, anydnnProblem_t *problem, char **text);

#endif
