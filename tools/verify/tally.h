/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of a run as it grows, line by line of what the children say. */
#ifndef TOOLS_VERIFY_TALLY_H
#define TOOLS_VERIFY_TALLY_H

#include "tools/verify/verify.h"

struct verify_tally {
    const struct verify_options *options;
    json_t *answer;
    json_t *now;     /* the case that runs, or NULL */
    int next;        /* the first case that no child has begun */
    const char *cut; /* why the run was ended early, or NULL */
    int said_hello;
    int done;
};

/* `options` and `answer` are set. */
void verify_tally_begin(struct verify_tally *tally);
/* One line of a child; 1 when a case begins with it. */
int verify_tally_line(struct verify_tally *tally, const char *text, size_t length);
/* The child ended by itself before it was done: the running case fails, or the run as a whole. */
void verify_tally_end(struct verify_tally *tally, const char *check, const char *sentence);
/* Forgets the case that runs. */
void verify_tally_drop(struct verify_tally *tally);
/* The words of a case, with commas between: those of its label, its type and its layout. */
void verify_words(const json_t *item, char *words, size_t size);

#endif
