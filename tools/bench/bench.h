/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of anydnn bench share: the options, the pairs side by side, and for each problem
 * one row a pair. */
#ifndef TOOLS_BENCH_BENCH_H
#define TOOLS_BENCH_BENCH_H

#include "tools/problem/contender.h"
#include "tools/problem/traffic.h"
#include "tools/suite/suite.h"

struct bench_options {
    struct suite_options suite; /* first: its setters find it so */
    int rounds;
    double seconds; /* of each pair and problem */
    double peak_flops;
    double peak_bytes; /* a second; 0: to be measured */
    double cache;      /* bytes; below 0: the device's */
    int hot;
    int find;
    int plain; /* no transforms among what is found */
    int list;
    const char *csv;
    const char *plot;
    const char *html;
};

struct page;

/* What one pair did with one problem. */
struct row {
    char *declined; /* NULL: it ran */
    int failed;     /* it took the problem and then broke */
    double median;  /* microseconds of one call */
    double least;
    double spread; /* between the quartiles, of the median */
    int rounds;
    int calls; /* in one recording */
    double tflops;
    double gbps;
    double roofline; /* fraction; 0: no ceiling is known */
    double ratio;    /* the first pair's time over this one's; 0: one of them has none */
    size_t workspace;
    long long engine;
    char *algorithm;
    char *chosen; /* of several backends; NULL where there is one */
};

struct layer {
    const struct suite_item *item;
    char operation[64];
    struct traffic traffic;
    int again;   /* the very same problem stood further up: counts once in means */
    int counted; /* every pair ran it */
    int sets;    /* of operands on the first pair's device */
    struct row *row;
};

struct ceiling {
    double flops;
    double bytes;
};

struct bench {
    struct tool *tool;
    struct bench_options options;
    struct suite suite;
    int pairs;
    struct contender *pair;
    struct layer *layer; /* one a problem of the suite */
};

/* ---- options.c */
extern const struct tool_option bench_options_table[];

/* ---- measure.c: runs a layer on every pair. Returns TOOL_FAILED when one of them broke. */
int bench_measure(struct bench *bench, struct layer *layer);
/* Bytes that the operands' sets must exceed on this device. */
long long bench_cache(const struct bench_options *options, const char *device);

/* ---- ceiling.c: what the device of a pair can do in its math mode, measured once. `type` NULL: of
 * memory alone. */
struct ceiling bench_ceiling(struct bench *bench, int pair, const char *type);
/* Those that were needed, as an array. */
json_t *bench_ceilings(const struct bench *bench);
void bench_forget_ceilings(void);

/* ---- summary.c: means, totals and worst layers of what was measured, as an answer: for each
 * operation, and where there are several for all of them under this name. */
#define BENCH_ALL "all operations"
json_t *bench_summary(const struct bench *bench);
json_t *bench_answer(const struct bench *bench);

/* ---- table.c: as text, layer by layer, and the summary. */
void bench_print_head(const struct bench *bench);
void bench_print_layer(const struct bench *bench, const struct layer *layer, int first);
void bench_print_summary(const struct bench *bench, const json_t *summary);
/* Each pair's version, device, settings, and the cache beyond which its operands go round. */
json_t *bench_pairs(const struct bench *bench);

/* ---- csv.c, plot.c, html.c */
int bench_write_csv(const struct bench *bench);
int bench_write_plot(const struct bench *bench);
int bench_write_html(const struct bench *bench);
/* Complains early where the file cannot be made or its ending is unknown. */
int bench_check_files(struct tool *tool, const struct bench_options *options);

/* ---- html_figures.c */
void bench_put_figures(struct page *page, const struct bench *bench);

#endif
