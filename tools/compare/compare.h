/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn compare: its options and its parts. Answers are JSON objects. The table, the CSV file and
 * the summary are made from them. */
#ifndef TOOLS_COMPARE_COMPARE_H
#define TOOLS_COMPARE_COMPARE_H

#include <stdio.h>

#include "judge/element.h"
#include "judge/subject.h"
#include "tools/oracle/sample.h"
#include "tools/problem/contender.h"
#include "tools/problem/execute.h"
#include "tools/suite/suite.h"

#define COMPARE_SIDES 2

struct compare_options {
    struct suite_options suite;
    unsigned long long seed;
    unsigned long long repeat;
    unsigned long long sample; /* number of elements of a result that are judged; 0: all */
    enum oracle_data inputs;
    const char *folder;    /* folder of .npy files to use instead; NULL: none */
    const char *csv;       /* NULL: none */
    const char *html;      /* NULL: none */
    int redraw;            /* 1: run nothing, draw --html from files */
    const char *reference; /* BACKEND */
};

struct compare {
    struct tool *tool;
    const struct compare_options *options;
    const struct suite *suite;
    struct contender side[COMPARE_SIDES];
    struct contender reference; /* computes the results in double */
    const char *again;          /* the command that repeats the problem; NULL: compare itself */
};

/* Checks the value of --reference. */
int compare_check_reference(struct tool *tool, void *own, const char *value);

/* Returns the command line that repeats one problem. The caller frees it. */
char *compare_again(const struct compare *compare, const char *problem);

/* ---- problem.c */

/* Runs a problem on both sides and on the reference, and fills in the answer. Fails with a message
 * if an error other than rounding occurs; the answer then has the member `error`. */
int compare_problem(struct compare *compare, const struct suite_item *item, json_t *answer);
/* Sets *broken to 1 if side A exceeds its bound on these inputs. Fails if side A does not run
 * them. */
int compare_is_broken(struct compare *compare, const struct adn_subject *inputs, int *broken);

/* ---- inputs.c */

/* Fills the operands of a problem as compare_problem does before a run. */
int compare_inputs(struct compare *compare, const struct suite_item *item,
                   struct adn_subject *subject);

/* ---- dump.c */

/* Returns 0, or -1 with errno if the path is not a readable folder. */
int compare_dump_check(const char *path);
/* Reads operands from a folder of .npy files. Returns 0, or -1 with a message. */
int compare_dump_read(const char *path, struct adn_subject *subject, char *sentence);
/* Creates the folder and writes the operands. Returns 0, or -1 with errno. */
int compare_dump_write(const char *path, const struct adn_subject *subject);
/* Converts a file's bytes to `count` numbers. Returns -1 if they are not an array of that type and
 * size. */
int compare_dump_take(const struct anydnn_plugin_tensor *tensor, int64_t count,
                      const unsigned char *bytes, size_t size, double *numbers);

/* ---- errors.c */

/* The errors of one output on one side, relative to the reference. */
struct compare_errors {
    struct adn_statistics statistics;
    struct adn_method method;
    int exact;               /* 1 if only the exact number is right */
    int transform;           /* 1 if judged by the relative L2 error */
    int64_t wrong;           /* elements beyond the bound */
    double expected;         /* expected relative L2 error of such sums of N(0,1); 0: unknown */
    double terms;            /* terms of the longest sum behind an element */
    int64_t sampled;         /* elements that were judged; 0: all */
    double ratio;            /* the largest error as a fraction of its bound */
    struct adn_judged worst; /* the element with that error; `at` -1: no error */
    double limit;            /* bound of that element */
    int holds;
};

/* Computes the errors of an output. `after` holds the operand after the run. */
void compare_errors(const struct adn_subject *subject, int slot, const struct adn_method *method,
                    const struct operand *operand, const unsigned char *after,
                    const struct oracle_sample *sample, struct compare_errors *errors);
/* Returns the members of `errors` as an object. */
json_t *compare_errors_object(const struct adn_subject *subject, int slot,
                              const struct compare_errors *errors);
/* Returns the difference between A and B. */
json_t *compare_difference(const struct operand *operand, int32_t type, const unsigned char *a,
                           const unsigned char *b);

/* ---- reading.c */

/* Return a number of an answer. A real may be stored as a text for infinity or NaN. */
double compare_real(const json_t *object, const char *key);
long long compare_count(const json_t *object, const char *key);
/* Return the result of a side, and its microseconds, or NaN. */
const json_t *compare_side(const json_t *answer, size_t side);
double compare_time(const json_t *answer, size_t side);
int compare_holds(const json_t *errors);
/* Writes a sentence about a broken bound. */
void compare_broken(const json_t *output, const json_t *errors, char *sentence, size_t size);
/* Calls `each` for the errors of each side in each output. */
typedef void (*compare_each_fn)(void *cookie, const json_t *answer, const json_t *output,
                                const json_t *errors);
void compare_each(const json_t *answer, compare_each_fn each, void *cookie);
void compare_each_of(const json_t *answers, compare_each_fn each, void *cookie);

/* ---- growth.c */

/* Returns the errors as a function of the length of sums: in steps, and as a power. */
json_t *compare_growth(const json_t *answers);
void compare_growth_print(const json_t *growth);
/* Returns 1 if the errors have both an error and a length. */
int compare_has_length(const json_t *errors);

/* ---- table.c, csv.c, html.c, summary.c, verdict.c */

void compare_print(const json_t *answer);
/* Returns an upper limit for the share of values that a sample missed although their error exceeds
 * its largest. */
double compare_unseen(const json_t *output);

int compare_csv_open(struct compare *compare, FILE **csv);
void compare_csv_add(FILE *csv, const json_t *answer);
int compare_csv_close(struct compare *compare, FILE *csv);

/* Draws the page from comparisons that --json printed. */
int compare_redraw(struct tool *tool, const char *html, int count, char **paths);
/* Writes the answers as a page. `names` holds the names of the sides on it. */
int compare_html(struct tool *tool, const char *path, const char *title, const char *const *names,
                 const json_t *answers);

/* Returns the summary of all answers. */
json_t *compare_summary(const struct compare *compare, const json_t *answers);
void compare_summary_print(const json_t *summary);
/* Prints the message and fails if a bound is broken or nothing was compared. */
int compare_verdict(struct compare *compare, const json_t *summary, const json_t *answers);

#endif
