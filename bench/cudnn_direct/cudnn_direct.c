/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the cost of anydnn over cuDNN. It times convolutions through anydnn's public API on the
 * backend cudnn and through cuDNN's own calls with the same engine configuration, alternately in
 * one process. Then it measures the host time to enqueue a call.
 *
 *   cudnn_direct [options] bench/suites/resnet50_v1.5.suite > cudnn_direct.csv
 *
 *   --layer TEXT     only layers whose name contains it
 *   --batch N        images (default 64)
 *   --rounds N       rounds; the result is their median (default 7)
 *   --calls N        calls of a way in one round (default 20)
 *   --host           only the lines `host`; needs no suite
 *
 * Each layer runs in half NHWC with tensor_op math and in float NCHW with default math, in each
 * direction. Columns are microseconds per call. ratio is direct / anydnn (1: equal, less: anydnn is
 * slower). same is 1 if both ways ran the same engine. The geometric means of the ratios follow.
 * Lines `host: ...` have the microseconds of the host to enqueue a call: ReLU of 4096 floats, and a
 * convolution of a 3x3 filter over 1,16,8,8. Both ways alternate. --host prints only these lines.
 *
 * Timings require a quiet machine.
 */
#include "direct.h"

#include <cuda_runtime_api.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void try_cuda(cudaError_t error)
{
    if (error != cudaSuccess)
        fail("CUDA: %s", cudaGetErrorString(error));
}

struct options {
    const char *path, *layer;
    int batch, rounds, calls, host;
};

static int by_size(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return *a < *b ? -1 : *a > *b;
}

double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof values[0], by_size);
    return values[count / 2];
}

/* ------------------------------------------------------------------ time on the device */

static double time_once(const struct way *way, int calls)
{
    cudaEvent_t from, to;
    float milliseconds = 0;

    try_cuda(cudaEventCreate(&from));
    try_cuda(cudaEventCreate(&to));
    try_cuda(cudaEventRecord(from, NULL));
    for (int i = 0; i < calls; i++)
        way->run(way->state, 0);
    try_cuda(cudaEventRecord(to, NULL));
    try_cuda(cudaEventSynchronize(to));
    try_cuda(cudaEventElapsedTime(&milliseconds, from, to));
    try_cuda(cudaEventDestroy(from));
    try_cuda(cudaEventDestroy(to));
    return 1e3 * milliseconds / calls;
}

static void alternate(struct way ways[2], const struct options *options, double result[2])
{
    double times[2][ROUNDS_MAX];

    for (int way = 0; way < 2; way++)
        time_once(&ways[way], 3);
    for (int round = 0; round < options->rounds; round++) {
        for (int i = 0; i < 2; i++) {
            int way = (round + i) % 2;

            times[way][round] = time_once(&ways[way], options->calls);
        }
    }
    for (int way = 0; way < 2; way++)
        result[way] = median(times[way], options->rounds);
}

/* ------------------------------------------------------------------ cases */

static const char *const directions[] = {"forward", "backward_data", "backward_filter"};
static const char *const kinds[] = {"f16_nhwc_tensor_op", "f32_nchw_default"};

const char *kind_name(enum kind kind)
{
    return kinds[kind];
}

void make_data(struct case_ *c)
{
    const struct layer *l = c->layer;
    size_t size = c->kind == HALF_NHWC ? 2 : 4;

    c->data[X] = anydnn_memory(size * (size_t)l->n * (size_t)l->c * (size_t)(l->h * l->w));
    c->data[W] =
        anydnn_memory(size * (size_t)l->k * (size_t)(l->c / l->groups) * (size_t)(l->r * l->s));
    c->data[Y] =
        anydnn_memory(size * (size_t)l->n * (size_t)l->k * (size_t)(out_height(l) * out_width(l)));
}

void free_data(const struct case_ *c)
{
    for (int i = 0; i < OPERAND_END; i++)
        anydnn_release(c->data[i]);
}

/* Returns the logarithm of the ratio. */
static double measure(struct case_ *c, const struct options *options)
{
    uint64_t engine;
    double result[2];
    struct way ways[2];

    make_data(c);
    ways[0] = anydnn_convolution(c);
    ways[1] = cdn_way(c, &engine);
    alternate(ways, options, result);
    printf("%s,%s,%s,%d,%.2f,%.2f,%.4f,%d\n", c->layer->name, directions[c->direction],
           kinds[c->kind], c->layer->n, result[0], result[1], result[1] / result[0],
           anydnn_engine() == engine);
    fflush(stdout);
    for (int i = 0; i < 2; i++)
        ways[i].close(ways[i].state);
    free_data(c);
    return log(result[1] / result[0]);
}

static void measure_all(const struct layer layers[], int count, enum kind kind,
                        enum direction direction, const struct options *options)
{
    double sum = 0;
    int measured = 0;

    for (int i = 0; i < count; i++) {
        struct case_ c = {.layer = &layers[i], .direction = direction, .kind = kind};

        if (options->layer && !strstr(layers[i].name, options->layer))
            continue;
        sum += measure(&c, options);
        measured++;
    }
    if (measured)
        printf("geometric mean,%s,%s,%d,,,%.4f,\n", directions[direction], kinds[kind],
               options->batch, exp(sum / measured));
}

/* ------------------------------------------------------------------ options */

static int number(const char *name, const char *text, int most)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (end == text || *end || value < 1 || value > most)
        fail("--%s is %s; it must be a number from 1 to %d", name, text, most);
    return (int)value;
}

static void read_options(int argc, char **argv, struct options *o)
{
    static const struct option known[] = {
        {"layer", required_argument, NULL, 'l'},  {"batch", required_argument, NULL, 'b'},
        {"rounds", required_argument, NULL, 'r'}, {"calls", required_argument, NULL, 'c'},
        {"host", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0},
    };
    int at = 0, letter;

    while ((letter = getopt_long(argc, argv, "", known, &at)) != -1) {
        if (letter == 'l')
            o->layer = optarg;
        else if (letter == 'b')
            o->batch = number("batch", optarg, 65536);
        else if (letter == 'r')
            o->rounds = number("rounds", optarg, ROUNDS_MAX);
        else if (letter == 'c')
            o->calls = number("calls", optarg, 100000);
        else if (letter == 'h')
            o->host = 1;
        else
            exit(2);
    }
    if (optind != argc - !o->host) {
        fputs("usage: cudnn_direct [--layer TEXT] [--batch N] [--rounds N] [--calls N] FILE.suite\n"
              "       cudnn_direct --host [--rounds N]\n",
              stderr);
        exit(2);
    }
    o->path = argv[optind];
}

static void measure_suite(const struct options *options)
{
    static struct layer layers[LAYERS_MAX];
    int count = suite_read(options->path, options->batch, layers, LAYERS_MAX);

    for (int kind = 0; kind < KIND_END; kind++) {
        for (int direction = 0; direction < DIRECTION_END; direction++)
            measure_all(layers, count, (enum kind)kind, (enum direction)direction, options);
    }
}

int main(int argc, char **argv)
{
    struct options options = {.batch = 64, .rounds = 7, .calls = 20};

    read_options(argc, argv, &options);
    anydnn_direct_begin();
    cudnn_direct_begin();
    puts("layer,direction,kind,batch,anydnn_us,direct_us,ratio,same");
    if (!options.host)
        measure_suite(&options);
    measure_host(options.rounds);
    cudnn_direct_end();
    anydnn_direct_end();
    return EXIT_SUCCESS;
}
