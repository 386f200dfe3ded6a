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

static const char help[] =
    "Usage: lenet [OPTION...]\n"
    "Trains LeNet on 28 x 28 images of digits, through the public interface of anydnn alone.\n"
    "\n"
    "  --data DIR            IDX files of MNIST or its kin, gzipped or not (default: draw digits)\n"
    "  --train-images N      use or draw N images (default: all of DIR; 20000 drawn)\n"
    "  --test-images N       likewise (default: all of DIR; 4000 drawn)\n"
    "  --batch N             images a step (64)\n"
    "  --epochs N            passes over the training images (3)\n"
    "  --learning-rate X     (0.01)\n"
    "  --momentum X          (0.9)\n"
    "  --dropout P           drop each input of the last layer with probability P (0: none)\n"
    "  --seed N              of drawing, weights, shuffling and dropout (3)\n"
    "  --type NAME           float, double, half or bfloat16 (float)\n"
    "  --math NAME           default, tensor_op, allow_conversion or split (default)\n"
    "  --device NAME         auto, cpu, cuda or cuda:N (auto)\n"
    "  --config FILE         settings of anydnn, as ANYDNN_CONFIG=FILE\n"
    "  --help\n"
    "\n"
    "Exit status: 0 trained, 1 something failed, 2 the command line is wrong.\n";

enum option_name {
    DATA = 1000,
    TRAIN_IMAGES,
    TEST_IMAGES,
    BATCH,
    EPOCHS,
    LEARNING_RATE,
    MOMENTUM,
    DROPOUT,
    SEED,
    TYPE,
    MATH,
    DEVICE,
    CONFIG,
    HELP,
};

static const struct option names[] = {
    {"data", required_argument, NULL, DATA},
    {"train-images", required_argument, NULL, TRAIN_IMAGES},
    {"test-images", required_argument, NULL, TEST_IMAGES},
    {"batch", required_argument, NULL, BATCH},
    {"epochs", required_argument, NULL, EPOCHS},
    {"learning-rate", required_argument, NULL, LEARNING_RATE},
    {"momentum", required_argument, NULL, MOMENTUM},
    {"dropout", required_argument, NULL, DROPOUT},
    {"seed", required_argument, NULL, SEED},
    {"type", required_argument, NULL, TYPE},
    {"math", required_argument, NULL, MATH},
    {"device", required_argument, NULL, DEVICE},
    {"config", required_argument, NULL, CONFIG},
    {"help", no_argument, NULL, HELP},
    {NULL, 0, NULL, 0},
};

static const struct {
    const char *name;
    anydnnMathType_t math;
} modes[] = {
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

static int read_seed(const char *text, uint64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoull(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || strchr(text, '-') != NULL)
        return complain("--seed=%s: takes a whole number from 0 to 2^64 - 1.", text);
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

static int read_math(struct options *o, const char *text)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(modes[i].name, text) == 0) {
            o->math_name = modes[i].name;
            o->math = modes[i].math;
            return 0;
        }
    return complain("--math=%s: takes default, tensor_op, allow_conversion or split.", text);
}

static int read_type(struct options *o, const char *text)
{
    o->element = element_find(text);
    return o->element != NULL ? 0
                              : complain("--type=%s: takes float, double, half or bfloat16.", text);
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
    case BATCH:
        return read_count("batch", text, BATCH_AT_MOST, &o->batch);
    case EPOCHS:
        return read_count("epochs", text, EPOCHS_AT_MOST, &o->epochs);
    case LEARNING_RATE:
        return read_number("learning-rate", text, 1e6, &o->learning_rate);
    case MOMENTUM:
        return read_number("momentum", text, 1, &o->momentum);
    case DROPOUT:
        return read_number("dropout", text, 1, &o->dropout);
    case SEED:
        return read_seed(text, &o->seed);
    case TYPE:
        return read_type(o, text);
    case MATH:
        return read_math(o, text);
    case DEVICE:
        o->device = strcmp(text, "auto") != 0 ? text : NULL;
        return 0;
    default:
        o->config = text;
        return 0;
    }
}

enum options_answer options_parse(struct options *o, int argc, char **argv)
{
    int option;

    *o = (struct options){
        .math_name = "default",
        .math = ANYDNN_DEFAULT_MATH,
        .element = element_find("float"),
        .learning_rate = 0.01,
        .momentum = 0.9,
        .seed = 3,
        .batch = 64,
        .epochs = 3,
    };
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":", names, NULL)) != -1) {
        if (option == HELP) {
            fputs(help, stdout);
            return OPTIONS_DONE;
        }
        if (option == ':' || option == '?') {
            complain(option == ':' ? "%s: takes a value; lenet --help shows which."
                                   : "%s: is not an option here; lenet --help lists them all.",
                     argv[optind - 1]);
            return OPTIONS_WRONG;
        }
        if (read_option(o, option, optarg) < 0)
            return OPTIONS_WRONG;
    }
    if (optind < argc) {
        complain("%s: no arguments are taken beside options; a data folder is named by --data.",
                 argv[optind]);
        return OPTIONS_WRONG;
    }
    return OPTIONS_RUN;
}
