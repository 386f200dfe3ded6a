/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the cost of anydnn over oneDNN. It times float convolutions through anydnn's public API
 * on the backend onednn and through oneDNN's own API, alternately in one process.
 *
 *   onednn_direct [options] bench/suites/resnet50_v1.5.suite > onednn_direct.csv
 *
 *   --layer TEXT       only layers whose name contains it
 *   --batch N          images (default 4)
 *   --direction NAME   forward, backward_data or backward_filter (default: each)
 *   --layout NAME      nchw or nhwc (default nchw)
 *   --threads N        of both sides (default 1)
 *   --rounds N         rounds; the result is their median (default 5)
 *   --milliseconds N   the least time of one way in one round (default 20)
 *
 * All ways but the last compute the same from and to the same plain arrays:
 *   anydnn    anydnnConvolutionForward and so on, with an algorithm that is not a transform
 *   plain     oneDNN's primitive on the plain arrays of activations and weights
 *   weights   weights in the layout that oneDNN prefers, reordered at each call
 *   all       everything in the layouts that oneDNN prefers, reordered at each call
 *   blocked   the same with the reorders outside of the timing: the gain of a program that keeps
 *             all of its data in oneDNN's layouts
 * `direct` is the best of plain, weights and all for each layer: what a sensible user of oneDNN's
 * API gets on plain layouts. Columns are microseconds per call. direct_ratio is direct / anydnn
 * (1: equal, less: anydnn is slower), and blocked_ratio is blocked / anydnn. The column of a way
 * that oneDNN lacks for a layer is empty. The last lines give the geometric means of the ratios.
 *
 * Data is random, in -1..1. Calls use sets of arrays in turn that hold twice the last-level cache.
 * Each round runs all ways and begins with another one each time. Before the timing, every way's
 * result is compared with anydnn's. A relative L2 distance beyond 1e-4 ends the program.
 *
 * The plugin must be where the library searches, or in ANYDNN_PLUGIN_PATH. Timings require a quiet
 * machine.
 */
#include "measure.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ options */

static int number(const char *name, const char *text, int least, int most)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (end == text || *end || value < least || value > most)
        fail("--%s is %s; it must be a number from %d to %d", name, text, least, most);
    return (int)value;
}

static int word(const char *name, const char *text, const char *const words[], int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(words[i], text) == 0)
            return i;
    }
    fail("--%s: unknown value %s", name, text);
}

static void usage(int code)
{
    fputs("usage: onednn_direct [--layer TEXT] [--batch N] [--direction NAME]\n"
          "       [--layout nchw|nhwc] [--threads N] [--rounds N] [--milliseconds N] FILE.suite\n",
          code ? stderr : stdout);
    exit(code);
}

static void read_options(int argc, char **argv, struct options *o)
{
    static const struct option known[] = {
        {"layer", required_argument, NULL, 'l'},
        {"batch", required_argument, NULL, 'b'},
        {"direction", required_argument, NULL, 'd'},
        {"layout", required_argument, NULL, 'f'},
        {"threads", required_argument, NULL, 't'},
        {"rounds", required_argument, NULL, 'r'},
        {"milliseconds", required_argument, NULL, 'm'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int at, letter;

    while ((letter = getopt_long(argc, argv, "", known, &at)) != -1) {
        if (letter == 'l')
            o->layer = optarg;
        else if (letter == 'b')
            o->batch = number(known[at].name, optarg, 1, 65536);
        else if (letter == 'd')
            o->direction = word(known[at].name, optarg, direction_names, DIRECTION_END);
        else if (letter == 'f')
            o->layout = word(known[at].name, optarg, layout_names, LAYOUT_END);
        else if (letter == 't')
            o->threads = number(known[at].name, optarg, 1, 4096);
        else if (letter == 'r')
            o->rounds = number(known[at].name, optarg, 1, ROUNDS_MAX);
        else if (letter == 'm')
            o->microseconds = 1e3 * number(known[at].name, optarg, 1, 60000);
        else
            usage(letter == 'h' ? EXIT_SUCCESS : 2);
    }
    if (optind != argc - 1)
        usage(2);
    o->path = argv[optind];
}

static void measure_direction(const struct layer layers[], int count, enum direction direction,
                              const struct options *options)
{
    struct totals totals = {.direct = {.sum = 0}};

    for (int i = 0; i < count; i++) {
        if (options->layer && !strstr(layers[i].name, options->layer))
            continue;
        fprintf(stderr, "%s: %s\n", direction_names[direction], layers[i].name);
        measure(&layers[i], direction, options, &totals);
    }
    print_means(direction, options, &totals);
}

int main(int argc, char **argv)
{
    static struct layer layers[LAYERS_MAX];
    struct options options = {
        .batch = 4, .direction = -1, .threads = 1, .rounds = 5, .microseconds = 20e3};
    int count;

    read_options(argc, argv, &options);
    count = suite_read(options.path, options.batch, layers, LAYERS_MAX);
    anydnn_begin(options.threads);
    onednn_begin();
    print_heading();
    for (int d = 0; d < DIRECTION_END; d++) {
        if (options.direction < 0 || options.direction == d)
            measure_direction(layers, count, (enum direction)d, &options);
    }
    onednn_end();
    anydnn_end();
    return EXIT_SUCCESS;
}
