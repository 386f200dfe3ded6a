/* SPDX-License-Identifier: Apache-2.0 */
/* What the command line of an example asks for. */
#ifndef LAYERS_OPTIONS_H
#define LAYERS_OPTIONS_H

#include <stdint.h>

#include "element.h"
#include "example.h"
#include "train.h"

enum { MODES_AT_MOST = 8, SEEDS_AT_MOST = 32 };

/* A type of the data and a math mode of convolutions. */
struct mode {
    const char *text; /* as it was given */
    const struct element *element;
    anydnnMathType_t math;
    const char *math_name;
};

struct options {
    const char *data;   /* NULL: draw images */
    const char *config; /* NULL: as the environment says */
    const char *device; /* NULL: auto, as the settings say; else for anydnnCreateOnDevice */
    struct mode mode;
    struct training training;
    double dropout;
    int train_images; /* 0: all, or the default number of drawn ones */
    int test_images;
    int apart; /* images are drawn from `drawing`, not from the training's seed */
    uint64_t drawing;
    int modes; /* to compare; 0: one training */
    struct mode compared[MODES_AT_MOST];
    int seeds;
    double target; /* a loss, 0: one that is chosen */
    const char *html;
    const char *csv;
    const char *redraw; /* a table to draw again */
};

enum options_answer { OPTIONS_RUN, OPTIONS_DONE, OPTIONS_WRONG };

/* DONE: --help was asked for and answered. WRONG: the sentence has been printed. */
enum options_answer options_parse(struct options *o, const struct example *example, int argc,
                                  char **argv);

#endif
