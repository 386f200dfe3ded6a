/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the options of an example's command line. */
#ifndef LAYERS_OPTIONS_H
#define LAYERS_OPTIONS_H

#include <stdint.h>

#include "element.h"
#include "example.h"
#include "train.h"

enum { MODES_AT_MOST = 8, SEEDS_AT_MOST = 32 };

/* A data type and a math mode of convolutions. */
struct mode {
    const char *text; /* as given on the command line */
    const struct element *element;
    anydnnMathType_t math;
    const char *math_name;
};

struct options {
    const char *data;   /* NULL to draw images */
    const char *config; /* NULL for the environment's settings */
    const char *device; /* for anydnnCreateOnDevice; NULL for auto, as the settings specify */
    struct mode mode;
    struct training training;
    double dropout;
    int train_images; /* 0 for all, or for the default number of drawn images */
    int test_images;
    int apart; /* 1 if images are drawn with seed `drawing`, not with the training's seed */
    uint64_t drawing;
    int modes; /* modes to compare; 0 for a single training */
    struct mode compared[MODES_AT_MOST];
    int seeds;
    double target; /* target loss; 0 to choose one */
    const char *html;
    const char *csv;
    const char *redraw; /* table to draw again */
};

enum options_answer { OPTIONS_RUN, OPTIONS_DONE, OPTIONS_WRONG };

/* Parses the command line. DONE means that --help was printed. WRONG means that a message was
 * printed. */
enum options_answer options_parse(struct options *o, const struct example *example, int argc,
                                  char **argv);

#endif
