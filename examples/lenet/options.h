/* SPDX-License-Identifier: Apache-2.0 */
/* The command line. */
#ifndef LENET_OPTIONS_H
#define LENET_OPTIONS_H

#include <stdint.h>

#include "element.h"

struct options {
    const char *data;   /* NULL: draw digits */
    const char *config; /* NULL: as the environment says */
    const char *device; /* NULL: auto, as the settings say; else for anydnnCreateOnDevice */
    const char *math_name;
    anydnnMathType_t math;
    const struct element *element;
    double learning_rate;
    double momentum;
    double dropout;
    uint64_t seed;
    int batch;
    int epochs;
    int train_images; /* 0: all, or the default number of drawn ones */
    int test_images;
};

enum options_answer { OPTIONS_RUN, OPTIONS_DONE, OPTIONS_WRONG };

/* DONE: --help was asked for and answered. WRONG: the sentence has been printed. */
enum options_answer options_parse(struct options *o, int argc, char **argv);

#endif
