/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the command line with getopt_long; every option has a long name only. */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "dataset.h"

enum { BATCH_AT_MOST = 65536, EPOCHS_AT_MOST = 100000 };

static void print_help(const struct example *e)
{
    const struct training *t = &e->training;

    printf("Usage: %s [OPTION...]\n"
           "       %s [OPTION...] --compare MODE MODE...\n"
           "%s\n"
           "\n"
           "  --data DIR            %s (default: images that it draws)\n"
           "  --train-images N      use or draw N images (default: all of DIR; %d drawn)\n"
           "  --test-images N       likewise (default: all of DIR; %d drawn)\n"
           "  --batch N             images a step (%d)\n"
           "  --epochs N            passes over the training images (%d)\n"
           "  --learning-rate X     (%g)\n"
           "  --schedule NAME       constant, or cosine: the rate falls to 0 (%s)\n"
           "  --momentum X          (%g)\n"
           "  --weight-decay X      (%g)\n"
           "  --dropout P           drop inputs of the last layer with probability P (0: none)\n"
           "  --seed N              of drawing, weights, shuffling and dropout (%llu)\n"
           "  --draw-seed N         of drawing alone, where trainings in several processes are to\n"
           "                        have the same images (that of --seed)\n",
           e->name, e->name, e->about, e->data, e->train_images, e->test_images, t->batch,
           t->epochs, t->learning_rate, t->falling ? "cosine" : "constant", t->momentum, t->decay,
           (unsigned long long)t->seed);
    fputs(
        "  --type NAME           float, double, half or bfloat16 (float)\n"
        "  --math NAME           default, tensor_op, allow_conversion or split (default)\n"
        "  --device NAME         auto, cpu, cuda or cuda:N (auto)\n"
        "  --config FILE         settings of anydnn, as ANYDNN_CONFIG=FILE\n"
        "  --record              record the calls of a step once, and replay them (a CUDA graph)\n"
        "  --compare MODE...     train in each MODE, a --math or TYPE:MATH, from the same seeds\n"
        "  --seeds N             trainings in each mode (5)\n"
        "  --target-loss X       count steps to this loss (default: the first mode's in the "
        "middle)\n"
        "  --html FILE           the comparison as a page\n"
        "  --csv FILE            its curves and distances as a table\n"
        "  --redraw FILE         train nothing: the verdict and page of such a table\n"
        "  --help\n"
        "\n"
        "Exit status: 0 trained, 1 something failed, 2 the command line is wrong.\n",
        stdout);
}

enum option_name {
    DATA = 1000,
    TRAIN_IMAGES,
    TEST_IMAGES,
    BATCH,
    EPOCHS,
    LEARNING_RATE,
    SCHEDULE,
    MOMENTUM,
    DECAY,
    DROPOUT,
    SEED,
    DRAW_SEED,
    TYPE,
    MATH,
    DEVICE,
    CONFIG,
    RECORD,
    COMPARE,
    SEEDS,
    TARGET,
    HTML,
    CSV,
    REDRAW,
    HELP,
};

static const struct option names[] = {
    {"data", required_argument, NULL, DATA},
    {"train-images", required_argument, NULL, TRAIN_IMAGES},
    {"test-images", required_argument, NULL, TEST_IMAGES},
    {"batch", required_argument, NULL, BATCH},
    {"epochs", required_argument, NULL, EPOCHS},
    {"learning-rate", required_argument, NULL, LEARNING_RATE},
    {"schedule", required_argument, NULL, SCHEDULE},
    {"momentum", required_argument, NULL, MOMENTUM},
    {"weight-decay", required_argument, NULL, DECAY},
    {"dropout", required_argument, NULL, DROPOUT},
    {"seed", required_argument, NULL, SEED},
    {"draw-seed", required_argument, NULL, DRAW_SEED},
    {"type", required_argument, NULL, TYPE},
    {"math", required_argument, NULL, MATH},
    {"device", required_argument, NULL, DEVICE},
    {"config", required_argument, NULL, CONFIG},
    {"record", no_argument, NULL, RECORD},
    {"compare", required_argument, NULL, COMPARE},
    {"seeds", required_argument, NULL, SEEDS},
    {"target-loss", required_argument, NULL, TARGET},
    {"html", required_argument, NULL, HTML},
    {"csv", required_argument, NULL, CSV},
    {"redraw", required_argument, NULL, REDRAW},
    {"help", no_argument, NULL, HELP},
    {NULL, 0, NULL, 0},
};

static const struct {
    const char *name;
    anydnnMathType_t math;
} maths[] = {
    {"default", ANYDNN_DEFAULT_MATH},
    {"tensor_op", ANYDNN_TENSOR_OP_MATH},
    {"allow_conversion", ANYDNN_TENSOR_OP_MATH_ALLOW_CONVERSION},
    {"split", ANYDNN_TENSOR_OP_MATH_SPLIT},
};

static int read_count(const char *name, const char *text, int most, int *value)
{
    char *end;
    long number;

    errno = 0;
    number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || number < 1 || number > most)
        return complain("--%s=%s: takes a whole number from 1 to %d.", name, text, most);
    *value = (int)number;
    return 0;
}

static int read_seed(const char *name, const char *text, uint64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoull(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || strchr(text, '-') != NULL)
        return complain("--%s=%s: takes a whole number from 0 to 2^64 - 1.", name, text);
    return 0;
}

static int read_number(const char *name, const char *text, double below, double *value)
{
    char *end;

    *value = strtod(text, &end);
    if (end == text || *end != '\0' || !(*value >= 0 && *value < below))
        return complain("--%s=%s: takes a number from 0 to below %g.", name, text, below);
    return 0;
}

static int read_math(struct mode *mode, const char *name, const char *text)
{
    for (size_t i = 0; i < sizeof maths / sizeof *maths; i++)
        if (strcmp(maths[i].name, text) == 0) {
            mode->math_name = maths[i].name;
            mode->math = maths[i].math;
            return 0;
        }
    return complain("--%s=%s: takes default, tensor_op, allow_conversion or split.", name, text);
}

static int read_type(struct mode *mode, const char *name, const char *text)
{
    mode->element = element_find(text);
    return mode->element != NULL
               ? 0
               : complain("--%s=%s: takes float, double, half or bfloat16.", name, text);
}

static int read_schedule(struct training *t, const char *text)
{
    t->falling = strcmp(text, "cosine") == 0;
    return t->falling || strcmp(text, "constant") == 0
               ? 0
               : complain("--schedule=%s: takes constant or cosine.", text);
}

/* [TYPE:]MATH; without a type the one of --type, wherever that stands. */
static int add_mode(struct options *o, const char *text)
{
    struct mode *mode = &o->compared[o->modes];
    const char *colon = strchr(text, ':');
    char type[16];

    if (o->modes == MODES_AT_MOST)
        return complain("--compare: more than %d modes.", MODES_AT_MOST);
    o->modes++;
    *mode = (struct mode){.text = text};
    if (colon != NULL) {
        snprintf(type, sizeof type, "%.*s", (int)(colon - text), text);
        if (read_type(mode, "compare", type) < 0)
            return -1;
        text = colon + 1;
    }
    return read_math(mode, "compare", text);
}

static int read_file(const char *name, const char *text, const char **file)
{
    *file = text;
    return text[0] != '\0' ? 0 : complain("--%s=: takes the name of a file.", name);
}

static int read_training(struct training *t, int option, const char *text)
{
    switch (option) {
    case BATCH:
        return read_count("batch", text, BATCH_AT_MOST, &t->batch);
    case EPOCHS:
        return read_count("epochs", text, EPOCHS_AT_MOST, &t->epochs);
    case LEARNING_RATE:
        return read_number("learning-rate", text, 1e6, &t->learning_rate);
    case SCHEDULE:
        return read_schedule(t, text);
    case MOMENTUM:
        return read_number("momentum", text, 1, &t->momentum);
    case DECAY:
        return read_number("weight-decay", text, 1, &t->decay);
    default:
        return read_seed("seed", text, &t->seed);
    }
}

static int read_option(struct options *o, int option, const char *text)
{
    switch (option) {
    case DATA:
        o->data = text;
        return 0;
    case TRAIN_IMAGES:
        return read_count("train-images", text, IMAGES_AT_MOST, &o->train_images);
    case TEST_IMAGES:
        return read_count("test-images", text, IMAGES_AT_MOST, &o->test_images);
    case DRAW_SEED:
        o->apart = 1;
        return read_seed("draw-seed", text, &o->drawing);
    case DROPOUT:
        return read_number("dropout", text, 1, &o->dropout);
    case TYPE:
        return read_type(&o->mode, "type", text);
    case MATH:
        return read_math(&o->mode, "math", text);
    case DEVICE:
        o->device = strcmp(text, "auto") != 0 ? text : NULL;
        return 0;
    case CONFIG:
        o->config = text;
        return 0;
    case RECORD:
        o->training.recorded = 1;
        return 0;
    case COMPARE:
        return add_mode(o, text);
    case SEEDS:
        return read_count("seeds", text, SEEDS_AT_MOST, &o->seeds);
    case TARGET:
        return read_number("target-loss", text, 1e6, &o->target);
    case HTML:
        return read_file("html", text, &o->html);
    case CSV:
        return read_file("csv", text, &o->csv);
    case REDRAW:
        return read_file("redraw", text, &o->redraw);
    default:
        return read_training(&o->training, option, text);
    }
}

/* A recording keeps the factors of its calls, and reads nothing back between them. */
static int check_recorded(const struct options *o)
{
    int half = o->modes == 0 && o->mode.element->type == ANYDNN_DATA_HALF;

    for (int m = 0; m < o->modes; m++)
        half |= o->compared[m].element->type == ANYDNN_DATA_HALF;
    if (o->training.falling)
        return complain("--record: a recording keeps its learning rate; --schedule constant.");
    return half ? complain("--record: half's scale of the loss is set anew by what each step "
                           "gives; takes float, double or bfloat16.")
                : 0;
}

/* What is left over are modes, where modes are compared. */
static int check_rest(struct options *o, int argc, char **argv)
{
    for (int i = optind; i < argc; i++) {
        if (o->modes == 0)
            return complain("%s: no arguments are taken beside options; a data folder is named by "
                            "--data.",
                            argv[i]);
        if (add_mode(o, argv[i]) < 0)
            return -1;
    }
    if (o->redraw != NULL && o->modes > 0)
        return complain("--redraw=%s: has its modes in the table; --compare trains.", o->redraw);
    if (o->redraw != NULL && o->csv != NULL)
        return complain("--csv=%s: --redraw reads a table and writes none.", o->csv);
    if (o->modes == 1)
        return complain("--compare=%s: takes two modes or more.", o->compared[0].text);
    if (o->modes == 0 && o->redraw == NULL && (o->html != NULL || o->csv != NULL))
        return complain("--%s: is of a comparison; name its modes with --compare.",
                        o->html != NULL ? "html" : "csv");
    for (int m = 0; m < o->modes; m++)
        if (o->compared[m].element == NULL)
            o->compared[m].element = o->mode.element;
    return o->training.recorded ? check_recorded(o) : 0;
}

enum options_answer options_parse(struct options *o, const struct example *example, int argc,
                                  char **argv)
{
    int option;

    *o = (struct options){
        .mode = {"default", element_find("float"), ANYDNN_DEFAULT_MATH, "default"},
        .training = example->training,
        .seeds = 5,
    };
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":", names, NULL)) != -1) {
        if (option == HELP) {
            print_help(example);
            return OPTIONS_DONE;
        }
        if (option == ':' || option == '?') {
            complain(option == ':' ? "%s: takes a value; %s --help shows which."
                                   : "%s: is not an option here; %s --help lists them all.",
                     argv[optind - 1], example->name);
            return OPTIONS_WRONG;
        }
        if (read_option(o, option, optarg) < 0)
            return OPTIONS_WRONG;
    }
    return check_rest(o, argc, argv) < 0 ? OPTIONS_WRONG : OPTIONS_RUN;
}
