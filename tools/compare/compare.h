/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn compare: what it was asked for, and the parts that do it. Answers are JSON objects; the
 * table, the CSV file and the summary are read from them. */
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
    unsigned long long sample; /* elements of a result that are judged; 0: all */
    enum oracle_data inputs;
    const char *folder;    /* of .npy files, instead; NULL: none */
    const char *csv;       /* NULL: none */
    const char *html;      /* likewise */
    int redraw;            /* run nothing: --html of files */
    const char *reference; /* BACKEND */
};

struct compare {
    struct tool *tool;
    const struct compare_options *options;
    const struct suite *suite;
    struct contender side[COMPARE_SIDES];
    struct contender reference; /* gives the results in double */
    const char *again;          /* the command that repeats the problem; NULL: compare itself */
};

/* Checks the value of --reference. */
int compare_check_reference(struct tool *tool, void *own, const char *value);

/* The command line that repeats one problem, to be freed. */
char *compare_again(const struct compare *compare, const char *problem);

/* ---- problem.c */

/* Runs a problem on both sides and by the reference, and fills the answer. Fails, with a sentence,
 * where something else than rounding is wrong; the answer then has the member `error`. */
int compare_problem(struct compare *compare, const struct suite_item *item, json_t *answer);
/* Whether side A breaks its bound on these inputs; fails where it does not run them. */
int compare_is_broken(struct compare *compare, const struct adn_subject *inputs, int *broken);

/* ---- inputs.c */

/* What a problem's operands hold before a run, as compare_problem has it. */
int compare_inputs(struct compare *compare, const struct suite_item *item,
                   struct adn_subject *subject);

/* ---- dump.c */

/* 0, or -1 with errno where it is no folder to read. */
int compare_dump_check(const char *path);
/* Reads what operands hold from a folder of .npy files; 0, or -1 with a sentence. */
int compare_dump_read(const char *path, struct adn_subject *subject, char *sentence);
/* Makes the folder with them; 0, or -1 with errno. */
int compare_dump_write(const char *path, const struct adn_subject *subject);
/* One file's bytes as `count` numbers; -1 where they are no array of that type and size. */
int compare_dump_take(const struct anydnn_plugin_tensor *tensor, int64_t count,
                      const unsigned char *bytes, size_t size, double *numbers);

/* ---- errors.c */

/* One output of one side, held to the reference. */
struct compare_errors {
    struct adn_statistics statistics;
    struct adn_method method;
    int exact;               /* no other number of the type is right */
    int transform;           /* judged by the relative L2 error */
    int64_t wrong;           /* elements beyond the bound */
    double expected;         /* relative L2 of such sums of N(0,1); 0: nothing is */
    double terms;            /* of the longest sum behind an element */
    int64_t sampled;         /* elements that were judged; 0: all */
    double ratio;            /* the largest error in parts of its bound */
    struct adn_judged worst; /* whose that is; `at` -1: no error */
    double limit;            /* its bound */
    int holds;
};

/* `after` is what the operand held after the run. */
void compare_errors(const struct adn_subject *subject, int slot, const struct adn_method *method,
                    const struct operand *operand, const unsigned char *after,
                    const struct oracle_sample *sample, struct compare_errors *errors);
/* The members of `errors` as an object. */
json_t *compare_errors_object(const struct adn_subject *subject, int slot,
                              const struct compare_errors *errors);
/* How far A and B are apart. */
json_t *compare_difference(const struct operand *operand, int32_t type, const unsigned char *a,
                           const unsigned char *b);

/* ---- reading.c */

/* Numbers of an answer; reals may be its texts for infinities and NaN. */
double compare_real(const json_t *object, const char *key);
long long compare_count(const json_t *object, const char *key);
/* What became of a side; the microseconds that it took, or NaN. */
const json_t *compare_side(const json_t *answer, size_t side);
double compare_time(const json_t *answer, size_t side);
int compare_holds(const json_t *errors);
/* A broken bound in words. */
void compare_broken(const json_t *output, const json_t *errors, char *sentence, size_t size);
/* Calls `each` for the errors of each side in each output. */
typedef void (*compare_each_fn)(void *cookie, const json_t *answer, const json_t *output,
                                const json_t *errors);
void compare_each(const json_t *answer, compare_each_fn each, void *cookie);
void compare_each_of(const json_t *answers, compare_each_fn each, void *cookie);

/* ---- growth.c */

/* Errors over the length of sums, as steps and as a power of it. */
json_t *compare_growth(const json_t *answers);
void compare_growth_print(const json_t *growth);
/* Whether there are an error and a length. */
int compare_has_length(const json_t *errors);

/* ---- table.c, csv.c, html.c, summary.c, verdict.c */

void compare_print(const json_t *answer);
/* The share of values that a sample may have missed, each further off than its worst. */
double compare_unseen(const json_t *output);

int compare_csv_open(struct compare *compare, FILE **csv);
void compare_csv_add(FILE *csv, const json_t *answer);
int compare_csv_close(struct compare *compare, FILE *csv);

/* Draws the page of comparisons that --json printed. */
int compare_redraw(struct tool *tool, const char *html, int count, char **paths);
/* Writes the answers as a page. `names`: what the sides are called there. */
int compare_html(struct tool *tool, const char *path, const char *title, const char *const *names,
                 const json_t *answers);

/* What all answers amount to. */
json_t *compare_summary(const struct compare *compare, const json_t *answers);
void compare_summary_print(const json_t *summary);
/* The sentence, where a bound is broken or nothing was compared. */
int compare_verdict(struct compare *compare, const json_t *summary, const json_t *answers);

#endif
