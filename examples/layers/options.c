/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the command line with getopt_long. Every option has only a long name. */
#include "options.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>

#include "complain.h"
#include "dataset.h"
#include "options_value.h"

enum { BATCH_AT_MOST = 65536, EPOCHS_AT_MOST = 100000 };

static void print_help(const struct example *e)
{
    const struct training *t = &e->training;

    printf(
        "Usage: %s [OPTION...]\n"
        "       %s [OPTION...] --compare MODE MODE...\n"
        "%s\n\n"
        "  --data DIR            %s (default: images that it draws)\n"
        "  --train-images N      number of images to use or draw (default: all of DIR; %d drawn)\n"
        "  --test-images N       number of test images (default: all of DIR; %d drawn)\n"
        "  --batch N             images per step (%d)\n"
        "  --epochs N            passes over the training images (%d)\n"
        "  --learning-rate X     learning rate (%g)\n"
        "  --schedule NAME       constant, or cosine: the rate falls to 0 (%s)\n"
        "  --momentum X          momentum (%g)\n"
        "  --weight-decay X      weight decay (%g)\n"
        "  --dropout P           drop inputs of the last layer with probability P (0: none)\n"
        "  --seed N              seed of drawing, weights, shuffling and dropout (%llu)\n"
        "  --draw-seed N         seed of drawing only, so that trainings in several processes\n"
        "                        have the same images (that of --seed)\n",
        e->name, e->name, e->about, e->data, e->train_images, e->test_images, t->batch, t->epochs,
        t->learning_rate, t->falling ? "cosine" : "constant", t->momentum, t->decay,
        (unsigned long long)t->seed);
    fputs(
        "  --type NAME           float, double, half or bfloat16 (float)\n"
        "  --math NAME           default, tensor_op, allow_conversion or split (default)\n"
        "  --device NAME         auto, cpu, cuda or cuda:N (auto)\n"
        "  --config FILE         settings of anydnn, like ANYDNN_CONFIG=FILE\n"
        "  --record              record the calls of a step once, and replay them (a CUDA graph)\n"
        "  --compare MODE...     train in each MODE, a --math or TYPE:MATH, from the same seeds\n"
        "  --seeds N             trainings in each mode (5)\n"
        "  --target-loss X       count steps to this loss (default: the first mode's in the "
        "middle)\n"
        "  --html FILE           write the comparison as an HTML page\n"
        "  --csv FILE            write its curves and distances as a table\n"
        "  --redraw FILE         train nothing; print the verdict and page of such a table\n"
        "  --help                show this help\n\n"
        "Exit status: 0 success, 1 something failed, 2 the command line is wrong.\n",
        stdout);
}

/* ---- the options */

#define AT(member) offsetof(struct options, member)

static const struct option_row rows[] = {
    {"data", options_read_text, AT(data), 0, 0},
    {"train-images", options_read_count, AT(train_images), IMAGES_AT_MOST, 0},
    {"test-images", options_read_count, AT(test_images), IMAGES_AT_MOST, 0},
    {"batch", options_read_count, AT(training.batch), BATCH_AT_MOST, 0},
    {"epochs", options_read_count, AT(training.epochs), EPOCHS_AT_MOST, 0},
    {"learning-rate", options_read_number, AT(training.learning_rate), 1e6, 0},
    {"schedule", options_read_schedule, AT(training.falling), 0, 0},
    {"momentum", options_read_number, AT(training.momentum), 1, 0},
    {"weight-decay", options_read_number, AT(training.decay), 1, 0},
    {"dropout", options_read_number, AT(dropout), 1, 0},
    {"seed", options_read_seed, AT(training.seed), 0, 0},
    {"draw-seed", options_read_draw_seed, AT(drawing), 0, 0},
    {"type", options_read_type, AT(mode), 0, 0},
    {"math", options_read_math, AT(mode), 0, 0},
    {"device", options_read_device, AT(device), 0, 0},
    {"config", options_read_text, AT(config), 0, 0},
    {"record", options_read_flag, AT(training.recorded), 0, 1},
    {"compare", options_read_mode, 0, 0, 0},
    {"seeds", options_read_count, AT(seeds), SEEDS_AT_MOST, 0},
    {"target-loss", options_read_number, AT(target), 1e6, 0},
    {"html", options_read_file, AT(html), 0, 0},
    {"csv", options_read_file, AT(csv), 0, 0},
    {"redraw", options_read_file, AT(redraw), 0, 0},
};

enum { ROWS = sizeof rows / sizeof *rows, FIRST = 1000, HELP = FIRST + ROWS };

static void name_options(struct option names[ROWS + 2])
{
    for (int i = 0; i < ROWS; i++)
        names[i] = (struct option){rows[i].name, rows[i].is_flag ? no_argument : required_argument,
                                   NULL, FIRST + i};
    names[ROWS] = (struct option){"help", no_argument, NULL, HELP};
    names[ROWS + 1] = (struct option){NULL, 0, NULL, 0};
}

/* ---- conflicts */

/* Refuses options that conflict with --record. A recording keeps the factors of its calls, and
 * reads nothing back between them. */
static int check_recorded(const struct options *o)
{
    int half = o->modes == 0 && o->mode.element->type == ANYDNN_DATA_HALF;

    for (int m = 0; m < o->modes; m++)
        half |= o->compared[m].element->type == ANYDNN_DATA_HALF;
    if (o->training.falling)
        return complain(
            "--record: requires --schedule constant, since a recording keeps its learning rate.");
    return half ? complain("--record: does not support half, whose scale of the loss changes in "
                           "each step; use float, double or bfloat16.")
                : 0;
}

/* Checks the remaining arguments, which are modes if modes are compared, and conflicts between
 * options. */
static int check_rest(struct options *o, int argc, char **argv)
{
    for (int i = optind; i < argc; i++) {
        if (o->modes == 0)
            return complain("%s: arguments are not supported; give a data folder with --data.",
                            argv[i]);
        if (options_add_mode(o, argv[i]) < 0)
            return -1;
    }
    if (o->redraw != NULL && o->modes > 0)
        return complain(
            "--redraw=%s: cannot be combined with --compare, since the table names the modes.",
            o->redraw);
    if (o->redraw != NULL && o->csv != NULL)
        return complain("--csv=%s: cannot be combined with --redraw, which writes no table.",
                        o->csv);
    if (o->modes == 1)
        return complain("--compare=%s: requires at least two modes.", o->compared[0].text);
    if (o->modes == 0 && o->redraw == NULL && (o->html != NULL || o->csv != NULL))
        return complain("--%s: requires --compare with the modes to compare.",
                        o->html != NULL ? "html" : "csv");
    for (int m = 0; m < o->modes; m++)
        if (o->compared[m].element == NULL)
            o->compared[m].element = o->mode.element;
    return o->training.recorded ? check_recorded(o) : 0;
}

enum options_answer options_parse(struct options *o, const struct example *example, int argc,
                                  char **argv)
{
    struct option names[ROWS + 2];
    int option;

    name_options(names);
    *o = (struct options){
        .mode = {"default", element_lookup("float"), ANYDNN_DEFAULT_MATH, "default"},
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
            complain(option == ':' ? "%s: requires a value; %s --help lists the options."
                                   : "%s: unknown option; %s --help lists the options.",
                     argv[optind - 1], example->name);
            return OPTIONS_WRONG;
        }
        if (rows[option - FIRST].read(o, &rows[option - FIRST], optarg) < 0)
            return OPTIONS_WRONG;
    }
    return check_rest(o, argc, argv) < 0 ? OPTIONS_WRONG : OPTIONS_RUN;
}
