/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of a run, built line by line from the reports of the children. */
#ifndef TOOLS_VERIFY_TALLY_H
#define TOOLS_VERIFY_TALLY_H

#include "tools/verify/verify.h"

struct verify_tally {
    const struct verify_options *options;
    json_t *answer;
    json_t *now;     /* the running case, or NULL */
    json_t *hang;    /* the child's notice of what a hang of that case means, or NULL */
    json_t *crash;   /* its notice of what a crash means, or NULL */
    int next;        /* the first case that no child has begun */
    const char *cut; /* why the run ended early, or NULL */
    int said_hello;
    int done;
};

/* Initializes the tally. `options` and `answer` must be set. */
void verify_tally_begin(struct verify_tally *tally);
/* Processes one line of a child. Returns 1 if the time of a case begins. */
int verify_tally_line(struct verify_tally *tally, const char *text, size_t length);
/* Handles a child that ended before it was done: the running case fails, or else the whole run.
 * `notice` replaces the check and `what` if the child reported what such an end means. */
void verify_tally_end(struct verify_tally *tally, const json_t *notice, const char *check,
                      const char *what, const char *detail);
/* Discards the running case. */
void verify_tally_drop(struct verify_tally *tally);
/* Writes the words of a case, comma-separated: those of its label, its type and its layout. */
void verify_words(const json_t *item, char *words, size_t size);

#endif
