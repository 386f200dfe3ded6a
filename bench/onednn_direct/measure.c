/* SPDX-License-Identifier: Apache-2.0 */
/* Makes one measurement: creates its data, checks that all ways agree, times them, and prints its
 * row. */
#include "measure.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ANYDNN, PLAIN, WEIGHTS, ALL, BLOCKED, WAY_END };

#define SETS_MAX 256
/* The size if the system does not report the cache. */
#define CACHE_BYTES (64L << 20)
/* The bound for results. Another order of some thousand float terms changes far less. */
#define DISTANCE_MAX 1e-4

static const char *const way_names[] = {"anydnn", "plain", "weights", "all", "blocked"};
const char *const direction_names[] = {"forward", "backward_data", "backward_filter"};
const char *const layout_names[] = {"nchw", "nhwc"};

/* A function of the OpenMP runtime that oneDNN links. It is declared here because omp.h belongs to
 * the compiler. */
extern void omp_set_num_threads(int count);

/* ------------------------------------------------------------------ data */

/* Returns a random number (xorshift64*). */
static float random_float(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (float)(*state * UINT64_C(0x2545f4914f6cdd1d) >> 40) * 0x1p-23f - 1;
}

static int count_sets(const struct measurement *m)
{
    long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    size_t bytes = (m->elements[X] + m->elements[W] + m->elements[Y]) * sizeof(float);
    size_t sets = 2 * (size_t)(cache > 0 ? cache : CACHE_BYTES) / bytes + 1;

    return sets < SETS_MAX ? (int)sets : SETS_MAX;
}

static void make_data(struct measurement *m)
{
    const struct layer *l = m->layer;
    uint64_t state = 88172645463325252u;

    m->elements[X] = (size_t)l->n * l->c * l->h * l->w;
    m->elements[W] = (size_t)l->k * (l->c / l->groups) * l->r * l->s;
    m->elements[Y] = (size_t)l->n * l->k * out_height(l) * out_width(l);
    m->sets = count_sets(m);
    for (int i = 0; i < OPERAND_END; i++) {
        m->data[i] = take((size_t)m->sets * sizeof *m->data[i]);
        for (int set = 0; set < m->sets; set++) {
            if (posix_memalign((void **)&m->data[i][set], 256, m->elements[i] * sizeof(float)))
                fail("out of memory for the arrays of %s", l->name);
            for (size_t e = 0; e < m->elements[i]; e++)
                m->data[i][set][e] = random_float(&state);
        }
    }
}

static void free_data(struct measurement *m)
{
    for (int i = 0; i < OPERAND_END; i++) {
        for (int set = 0; set < m->sets; set++)
            free(m->data[i][set]);
        free(m->data[i]);
    }
}

/* ------------------------------------------------------------------ comparison of results */

static double distance(const float *a, const float *b, size_t n)
{
    double differences = 0, squares = 0;

    for (size_t i = 0; i < n; i++) {
        differences += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
        squares += (double)a[i] * a[i];
    }
    return sqrt(differences / squares);
}

static void check_results(const struct measurement *m, const struct way ways[WAY_END])
{
    enum operand out = output_of(m->direction);
    size_t bytes = m->elements[out] * sizeof(float);
    float *place = m->data[out][0], *first = take(bytes);

    ways[ANYDNN].run(ways[ANYDNN].state, 0);
    memcpy(first, place, bytes);
    for (int i = PLAIN; i < WAY_END; i++) {
        double far;

        if (!ways[i].state)
            continue;
        memset(place, 0xff, bytes);
        ways[i].run(ways[i].state, 0);
        if (i == BLOCKED)
            onednn_fetch(&ways[i], 0);
        far = distance(first, place, m->elements[out]);
        if (!(far <= DISTANCE_MAX))
            fail("%s %s: anydnn and %s differ by %g (relative L2)", m->layer->name,
                 direction_names[m->direction], way_names[i], far);
    }
    free(first);
}

/* ------------------------------------------------------------------ time */

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

/* Returns the microseconds per call. Sets the number of threads again, since the backend may have
 * changed it. */
static double time_calls(const struct way *way, const struct options *options, int sets, int calls,
                         int *set)
{
    double begin;

    omp_set_num_threads(options->threads);
    begin = now();
    for (int i = 0; i < calls; i++, *set = (*set + 1) % sets)
        way->run(way->state, *set);
    return (now() - begin) / calls;
}

/* Returns the number of calls that take the requested time. */
static int count_calls(const struct way *way, const struct options *options, int sets)
{
    int set = 0;
    double once = time_calls(way, options, sets, 2, &set);

    return (int)(options->microseconds / once) + 1;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void time_ways(const struct measurement *m, const struct way ways[WAY_END],
                      const struct options *options, double times[WAY_END])
{
    double samples[WAY_END][ROUNDS_MAX];
    int calls[WAY_END] = {0}, set[WAY_END] = {0};

    for (int i = 0; i < WAY_END; i++)
        calls[i] = ways[i].state ? count_calls(&ways[i], options, m->sets) : 0;
    for (int round = 0; round < options->rounds; round++) {
        for (int k = 0; k < WAY_END; k++) {
            int i = (round + k) % WAY_END;

            if (ways[i].state)
                samples[i][round] = time_calls(&ways[i], options, m->sets, calls[i], &set[i]);
        }
    }
    for (int i = 0; i < WAY_END; i++) {
        times[i] = NAN;
        if (!ways[i].state)
            continue;
        qsort(samples[i], (size_t)options->rounds, sizeof samples[i][0], ascending);
        times[i] = samples[i][options->rounds / 2];
    }
}

/* ------------------------------------------------------------------ the table */

static void print_number(const char *format, double value)
{
    putchar(',');
    if (!isnan(value))
        printf(format, value);
}

static void count(struct mean *mean, double ratio)
{
    if (isnan(ratio))
        return;
    mean->sum += log(ratio);
    mean->count++;
}

static double geometric(const struct mean *mean)
{
    return mean->count ? exp(mean->sum / mean->count) : NAN;
}

static void print_row(const struct measurement *m, const double times[WAY_END],
                      struct totals *totals)
{
    int direct = PLAIN;
    double ratio, blocked = times[BLOCKED] / times[ANYDNN];

    for (int i = WEIGHTS; i <= ALL; i++) {
        if (isnan(times[direct]) || times[i] < times[direct])
            direct = i;
    }
    ratio = times[direct] / times[ANYDNN];
    printf("%s,%s,%s", m->layer->name, direction_names[m->direction], layout_names[m->layout]);
    for (int i = 0; i < WAY_END; i++)
        print_number("%.2f", times[i]);
    printf(",%s", isnan(times[direct]) ? "" : way_names[direct]);
    print_number("%.4f", ratio);
    print_number("%.4f", blocked);
    putchar('\n');
    fflush(stdout);
    count(&totals->direct, ratio);
    count(&totals->blocked, blocked);
}

void measure(const struct layer *layer, enum direction direction, const struct options *options,
             struct totals *totals)
{
    struct measurement m = {
        .layer = layer, .direction = direction, .layout = (enum layout)options->layout};
    const unsigned weights = 1u << W, all = 1u << X | 1u << W | 1u << Y;
    struct way ways[WAY_END];
    double times[WAY_END];

    make_data(&m);
    omp_set_num_threads(options->threads);
    ways[ANYDNN] = anydnn_way(&m);
    ways[PLAIN] = onednn_way(&m, 0, 0);
    ways[WEIGHTS] = onednn_way(&m, weights, 0);
    ways[ALL] = onednn_way(&m, all, 0);
    ways[BLOCKED] = onednn_way(&m, all, 1);
    check_results(&m, ways);
    time_ways(&m, ways, options, times);
    print_row(&m, times, totals);
    for (int i = 0; i < WAY_END; i++) {
        if (ways[i].state)
            ways[i].close(ways[i].state);
    }
    free_data(&m);
}

void print_heading(void)
{
    printf("layer,direction,layout");
    for (int i = 0; i < WAY_END; i++)
        printf(",%s_us", way_names[i]);
    printf(",direct,direct_ratio,blocked_ratio\n");
}

void print_means(enum direction direction, const struct options *options,
                 const struct totals *totals)
{
    printf("geometric_mean,%s,%s", direction_names[direction], layout_names[options->layout]);
    for (int i = 0; i <= WAY_END; i++)
        putchar(',');
    print_number("%.4f", geometric(&totals->direct));
    print_number("%.4f", geometric(&totals->blocked));
    putchar('\n');
    fflush(stdout);
}
