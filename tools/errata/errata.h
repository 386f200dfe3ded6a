/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn errata: lists, shows, checks and finds known faults of backends. */
#ifndef TOOLS_ERRATA_ERRATA_H
#define TOOLS_ERRATA_ERRATA_H

#include "tools/suite/suite.h"

/* An entry, as the library prints it. */
struct errata_item {
    char *backend; /* an installed backend that it concerns */
    char *id;
    char *origin;
    char *text; /* the whole entry */
    int in_force;
};

struct errata_items {
    struct errata_item *item;
    int count;
};

struct errata_options {
    struct suite_options suite; /* first member, for SUITE_OPTIONS */
    int check;
    const char *show;
    const char *find;
};

/* Collects the entries of all backends. Opens them all. Fails with a message. */
int errata_collect(struct tool *tool, struct errata_items *items);
void errata_free(struct errata_items *items);
/* Returns the value of a key of an entry, or "". The caller frees it. */
char *errata_value(const struct errata_item *item, const char *key);

/* Runs the problem of each entry in force, or of the one called `id`, on the engines that it
 * concerns, and adds the results to the answer. */
int errata_check(struct tool *tool, const struct errata_items *items, const char *id,
                 json_t *answer);
/* Lets the engines of one backend compete for the problems of a suite, and prints an entry for each
 * that gives wrong results. */
int errata_find(struct tool *tool, const struct errata_options *options, int argc, char **argv);

#endif
