/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the parts of anydnn bench share: the options, the pairs, and one row per pair
 * for each problem. */
#ifndef TOOLS_BENCH_BENCH_H
#define TOOLS_BENCH_BENCH_H

#include "tools/problem/contender.h"
#include "tools/problem/traffic.h"
#include "tools/suite/suite.h"

struct bench_options {
    struct suite_options suite; /* the first member, which its setters rely on */
    int rounds;
    double seconds; /* for each pair and problem */
    double peak_flops;
    double peak_bytes; /* per second; 0: measured */
    double cache;      /* bytes; below 0: the device's cache */
    int hot;
    int find;
    int plain; /* 1: --find skips transform algorithms */
    int list;
    const char *csv;
    const char *plot;
    const char *html;
};

struct page;

/* The result of one pair on one problem. */
struct row {
    char *declined; /* the reason, or NULL if it ran */
    int failed;     /* 1 if it accepted the problem and then failed */
    double median;  /* microseconds per call */
    double least;
    double spread; /* interquartile range over the median */
    int rounds;
    int calls; /* in one recording */
    double tflops;
    double gbps;
    double roofline; /* fraction; 0: the ceiling is unknown */
    double ratio;    /* time of the first pair over this one's; 0 if one of them has none */
    size_t workspace;
    long long engine;
    char *algorithm;
    char *chosen; /* the backend chosen of several; NULL if there is only one */
};

struct layer {
    const struct suite_item *item;
    char operation[64];
    struct traffic traffic;
    int again;   /* 1 if the same problem occurs earlier; means count it once */
    int counted; /* 1 if every pair ran it */
    int sets;    /* sets of operands on the first pair's device */
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
    struct layer *layer; /* one per problem of the suite */
};

/* ---- options.c */
extern const struct tool_option bench_options_table[];

/* ---- measure.c: runs a layer on every pair. Returns TOOL_FAILED if one of them failed. */
int bench_measure(struct bench *bench, struct layer *layer);
/* Returns the number of bytes that the operand sets must exceed on this device. */
long long bench_cache(const struct bench_options *options, const char *device);

/* ---- ceiling.c: returns the peak rates of a pair's device in its math mode, measured once. If
 * `type` is NULL, only the memory rate is measured. */
struct ceiling bench_ceiling(struct bench *bench, int pair, const char *type);
/* Returns the ceilings that were used, as an array. */
json_t *bench_ceilings(const struct bench *bench);
void bench_forget_ceilings(void);

/* ---- summary.c: returns means, totals and worst layers, for each operation. If there are several
 * operations, an entry of this name covers all of them. */
#define BENCH_ALL "all operations"
json_t *bench_summary(const struct bench *bench);
json_t *bench_answer(const struct bench *bench);

/* ---- table.c: prints layer by layer, then the summary, as text. */
void bench_print_head(const struct bench *bench);
void bench_print_layer(const struct bench *bench, const struct layer *layer, int first);
void bench_print_summary(const struct bench *bench, const json_t *summary);
/* Returns each pair's version, device, settings, and the cache size that its operand sets
 * exceed. */
json_t *bench_pairs(const struct bench *bench);

/* ---- csv.c, plot.c, html.c */
int bench_write_csv(const struct bench *bench);
int bench_write_plot(const struct bench *bench);
int bench_write_html(const struct bench *bench);
/* Fails before any measurement if a file cannot be created or its suffix is unknown. */
int bench_check_files(struct tool *tool, const struct bench_options *options);

/* ---- html_figures.c */
void bench_put_figures(struct page *page, const struct bench *bench);

#endif
