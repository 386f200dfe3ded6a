/* SPDX-License-Identifier: Apache-2.0 */
/* Compares layer, group, instance and RMS normalization with their definition in anydnn.h, computed
 * in long double: every kind, axes, layouts, types, means far from zero, and in place. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/conformance/draw.h"
#include "tests/conformance/problem_run.h"
#include "tools/problem/operands.h"

/* The error that is permitted in addition to a single rounding, as a part of a unit. */
#define SLACK 1e-3L

enum kind { LAYER, GROUP, RMS };
enum activation { NONE, RELU, SWISH, GELU, GELU_TANH };

struct norm_case {
    const char *text; /* without the operation; `$` stands for the type */
    enum kind kind;
    uint32_t axes;
    int axis, groups;
    int centered;
    enum activation activation;
    long double epsilon;
};

static anydnnHandle_t handle;

static long double activate(enum activation activation, long double v)
{
    const long double root = sqrtl(2 / acosl(-1));

    switch (activation) {
    case RELU:
        return v > 0 ? v : 0;
    case SWISH:
        return v / (1 + expl(-v));
    case GELU:
        return v * erfcl(-v / sqrtl(2)) / 2;
    case GELU_TANH:
        return v * (1 + tanhl(root * (v + 0.044715L * v * v * v))) / 2;
    default:
        return v;
    }
}

/* Splits a row-major position. */
static void unravel(size_t at, const struct prun_operand *x, int *index)
{
    for (int d = x->shape->ndims - 1; d >= 0; d--) {
        index[d] = (int)(at % (size_t)x->shape->dims[d]);
        at /= (size_t)x->shape->dims[d];
    }
}

/* Returns the position in an operand whose dims are those of x or 1. */
static size_t part(const struct prun_operand *operand, const int *index)
{
    size_t at = 0;

    for (int d = 0; d < operand->shape->ndims; d++)
        at = at * (size_t)operand->shape->dims[d] +
             (operand->shape->dims[d] == 1 ? 0 : (size_t)index[d]);
    return at;
}

/* Returns the number of the set of an element, in row-major order of the statistics. */
static size_t set_of(const struct norm_case *c, const struct prun_operand *x, const int *index)
{
    size_t set = 0;

    for (int d = 0; d < x->shape->ndims; d++)
        if (c->kind != GROUP)
            set = c->axes >> d & 1 ? set : set * (size_t)x->shape->dims[d] + (size_t)index[d];
        else if (d == c->axis)
            set = set * (size_t)c->groups + (size_t)(index[d] / (x->shape->dims[d] / c->groups));
        else if (d == 0)
            set = (size_t)index[d];
    return set;
}

static double *values_of(struct prun *run, const char *role)
{
    struct prun_operand *operand = prun_find(run, role);
    double *value = operand ? malloc(operand->count * sizeof(double)) : NULL;

    if (value)
        prun_get(operand, value);
    return value;
}

/* Fills an input with numbers of the type around a mean. */
static void fill(struct prun *run, const char *role, struct draw *draw, double mean)
{
    struct prun_operand *operand = prun_find(run, role);
    double *value;

    if (!operand)
        return;
    value = malloc(operand->count * sizeof(double));
    draw_reals(draw, value, operand->count);
    for (size_t i = 0; i < operand->count; i++)
        value[i] = mean + 2 * value[i];
    prun_set(operand, value);
    free(value);
}

/* Checks one number: the error is at most one rounding to its type, plus a small error of the
 * computation. */
static void near(const char *what, const struct prun_operand *operand, size_t at, double got,
                 long double want)
{
    int digits = operand->number->digits;
    long double unit =
        ldexpl(1, -digits) * fabsl(want) + (long double)number_least(operand->number);

    if (digits > 24 ? fabsl((long double)got - want) <= 1e-13L * (1 + fabsl(want))
                    : fabsl((long double)got - want) <= (1 + SLACK) * unit)
        return;
    fail_msg("%s: element %zu of %s is %.17g; the definition gives %.17Lg", what, at, operand->role,
             got, want);
}

/* The mean is the sum of `mean` and `shift`, so that a long double no wider than double suffices.
 */
struct statistics {
    long double mean, shift, square, r;
    size_t count;
};

/* Computes mean and 1 / deviation of each set of v. */
static struct statistics *statistics_of(const struct norm_case *c, const struct prun_operand *x,
                                        const long double *v)
{
    struct statistics *sets = calloc(x->count, sizeof(*sets));
    int index[ANYDNN_DIM_MAX];

    for (size_t i = 0; i < x->count; i++) {
        unravel(i, x, index);
        sets[set_of(c, x, index)].mean += v[i];
        sets[set_of(c, x, index)].count++;
    }
    for (size_t s = 0; s < x->count && sets[s].count > 0; s++)
        sets[s].mean = c->kind == RMS ? 0 : sets[s].mean / (long double)sets[s].count;
    for (size_t i = 0; i < x->count; i++) {
        struct statistics *set;

        unravel(i, x, index);
        set = &sets[set_of(c, x, index)];
        set->shift += c->kind == RMS ? 0 : (v[i] - set->mean) / (long double)set->count;
    }
    for (size_t i = 0; i < x->count; i++) {
        struct statistics *set;

        unravel(i, x, index);
        set = &sets[set_of(c, x, index)];
        set->square += (v[i] - set->mean - set->shift) * (v[i] - set->mean - set->shift);
    }
    for (size_t s = 0; s < x->count && sets[s].count > 0; s++)
        sets[s].r = 1 / sqrtl(sets[s].square / (long double)sets[s].count + c->epsilon);
    return sets;
}

/* Compares all outputs of a run with the definition. `x` and `z` are what the run read. */
static void compare(const struct norm_case *c, struct prun *run, const char *text, const double *x,
                    const double *z)
{
    struct prun_operand *to = prun_find(run, "y"), *sum = prun_find(run, "sum");
    struct prun_operand *scale = prun_find(run, "scale"), *bias = prun_find(run, "bias");
    double *y = values_of(run, "y"), *stored = values_of(run, "sum");
    double *s = values_of(run, "scale"), *b = values_of(run, "bias");
    double *mean = values_of(run, "save_mean"), *r = values_of(run, "save_inv_dev");
    long double *v = malloc(to->count * sizeof(*v));
    struct statistics *sets;
    int index[ANYDNN_DIM_MAX];

    for (size_t i = 0; i < to->count; i++) {
        v[i] = (long double)x[i] + (z ? (long double)z[i] : 0);
        if (sum) {
            near(text, sum, i, stored[i], v[i]);
            v[i] = (long double)stored[i];
        }
    }
    sets = statistics_of(c, to, v);
    for (size_t i = 0; i < to->count; i++) {
        const struct statistics *set;
        long double factor, want;

        unravel(i, to, index);
        set = &sets[set_of(c, to, index)];
        factor = scale ? c->centered + (long double)s[part(scale, index)] : 1;
        want = factor * (v[i] - set->mean - set->shift) * set->r +
               (bias ? (long double)b[part(bias, index)] : 0);
        near(text, to, i, y[i], activate(c->activation, want));
    }
    for (size_t k = 0; k < to->count && sets[k].count > 0; k++) {
        if (mean)
            near(text, prun_find(run, "save_mean"), k, mean[k], sets[k].mean + sets[k].shift);
        if (r)
            near(text, prun_find(run, "save_inv_dev"), k, r[k], sets[k].r);
    }
    free(y);
    free(stored);
    free(s);
    free(b);
    free(mean);
    free(r);
    free(v);
    free(sets);
}

/* Writes the problem with a type for each `$`, and that of statistics for each `%`. */
static void expand(const char *from, const char *type, char *text, size_t size)
{
    const char *saved = strcmp(type, "f64") == 0 ? type : "f32";
    size_t length = (size_t)snprintf(text, size, "normalization_forward ");

    for (; *from && length < size; from++)
        if (*from == '$' || *from == '%')
            length +=
                (size_t)snprintf(text + length, size - length, "%s", *from == '$' ? type : saved);
        else
            length += (size_t)snprintf(text + length, size - length, "%c", *from);
}

static void check(const struct norm_case *c, const char *type, double mean)
{
    struct draw draw = {.state = 7};
    struct prun run;
    char text[1024];
    double *x, *z;

    expand(c->text, type, text, sizeof(text));
    if (prun_open(&run, handle, text, 0))
        fail_msg("%s: %s", text, run.error);
    fill(&run, "x", &draw, mean);
    fill(&run, "z", &draw, 0);
    fill(&run, "scale", &draw, 0);
    fill(&run, "bias", &draw, 0);
    x = values_of(&run, "x");
    z = values_of(&run, "z");
    if (prun_execute(&run, 1))
        fail_msg("%s: %s", text, run.error);
    compare(c, &run, text, x, z);
    free(x);
    free(z);
    prun_close(&run);
}

static const struct norm_case cases[] = {
    {"x=$:3,5,7 kind=layer axes=2", LAYER, 4, 1, 1, 0, NONE, 1e-5L},
    {"x=$:3,5,300 scale=$:1,1,300 bias=$:1,1,300 save_mean=%:3,5,1 save_inv_dev=%:3,5,1 kind=layer "
     "axes=2 epsilon=0.125",
     LAYER, 4, 1, 1, 0, NONE, 0.125L},
    {"x=$:2,6,3,4:nhwc y=$:2,6,3,4 scale=$:1,6,1,1 save_mean=%:2,1,3,4 save_inv_dev=%:2,1,3,4 "
     "kind=layer axes=1",
     LAYER, 2, 1, 1, 0, NONE, 1e-5L},
    {"x=$:3,4,5:31,7,1 bias=$:1,4,5 save_mean=%:3,1,1 save_inv_dev=%:3,1,1 kind=layer axes=1,2 "
     "activation=gelu",
     LAYER, 6, 1, 1, 0, GELU, 1e-5L},
    {"x=$:4,3,5 scale=$:4,1,5 kind=layer axes=0,2 scaling=zero_centered", LAYER, 5, 1, 1, 1, NONE,
     1e-5L},
    {"x=$:6,1 kind=layer axes=1", LAYER, 2, 1, 1, 0, NONE, 1e-5L},
    {"x=$:5,33 scale=$:1,33 save_inv_dev=%:5,1 kind=rms axes=1", RMS, 2, 1, 1, 0, NONE, 1e-5L},
    {"x=$:7,4,6 scale=$:1,4,6 bias=$:1,1,6 kind=rms axes=1,2 activation=gelu_tanh "
     "scaling=zero_centered",
     RMS, 6, 1, 1, 1, GELU_TANH, 1e-5L},
    {"x=$:2,12,3,5 scale=$:1,12,1,1 bias=$:1,12,1,1 save_mean=%:2,4,1,1 save_inv_dev=%:2,4,1,1 "
     "kind=group groups=4 activation=swish coef=1",
     GROUP, 0, 1, 4, 0, SWISH, 1e-5L},
    {"x=$:2,12,3,5:nhwc y=$:2,12,3,5:nhwc scale=$:1,12,1,1 kind=group groups=3", GROUP, 0, 1, 3, 0,
     NONE, 1e-5L},
    {"x=$:3,4,10:53,13,1 bias=$:3,1,10 save_mean=%:3,1,5 save_inv_dev=%:3,1,5 kind=group groups=5 "
     "channel_axis=2 activation=relu",
     GROUP, 0, 2, 5, 0, RELU, 1e-5L},
    {"x=$:3,5,4 scale=$:1,5,1 save_mean=%:3,5,1 save_inv_dev=%:3,5,1 kind=instance", GROUP, 0, 1, 5,
     0, NONE, 1e-5L},
    {"x=$:4,9 z=$:4,9 scale=$:1,9 kind=layer axes=1", LAYER, 2, 1, 1, 0, NONE, 1e-5L},
    {"x=$:4,9 z=$:4,9 sum=$:4,9 scale=$:1,9 save_inv_dev=%:4,1 kind=rms axes=1", RMS, 2, 1, 1, 0,
     NONE, 1e-5L},
    {"x=$:4,9 z=$:4,9 sum=$:4,9 kind=layer axes=1 alias=y:x,sum:z", LAYER, 2, 1, 1, 0, NONE, 1e-5L},
    {"x=$:2,6,4 z=$:2,6,4 sum=$:2,6,4 bias=$:1,6,1 kind=group groups=2 alias=sum:x", GROUP, 0, 1, 2,
     0, NONE, 1e-5L},
};

#define CASES (sizeof(cases) / sizeof(cases[0]))

static void kinds_are_as_defined(void **state)
{
    static const char *const types[] = {"f64", "f32", "f16", "bf16"};

    (void)state;
    for (size_t i = 0; i < CASES; i++)
        for (size_t t = 0; t < 4; t++)
            check(&cases[i], types[t], 0.5);
}

/* Checks means far from zero. They reveal a rounded mean, and a variance computed as the difference
 * of two large numbers. */
static void means_far_from_zero(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        check(&cases[i], "f32", 1000);
        check(&cases[i], "f32", -1e5);
        /* The rounding of x + z in double shows if the sum is not stored. */
        if (!strstr(cases[i].text, "z=") || strstr(cases[i].text, "sum="))
            check(&cases[i], "f64", 1e6);
    }
}

/* Types may differ. The statistics read the sum as it is stored. */
static void types_differ(void **state)
{
    static const struct norm_case mixed[] = {
        {"x=f16:5,12 z=f32:5,12 sum=f16:5,12 y=f32:5,12 scale=bf16:1,12 bias=f32:1,12 "
         "save_mean=f32:5,1 save_inv_dev=f32:5,1 kind=layer axes=1",
         LAYER, 2, 1, 1, 0, NONE, 1e-5L},
        {"x=f32:5,12 z=bf16:5,12 sum=bf16:5,12 y=bf16:5,12 scale=f32:1,12 kind=rms axes=1", RMS, 2,
         1, 1, 0, NONE, 1e-5L},
        {"x=bf16:2,6,5 y=f32:2,6,5 scale=f32:1,6,1 kind=group groups=3", GROUP, 0, 1, 3, 0, NONE,
         1e-5L},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(mixed) / sizeof(mixed[0]); i++)
        check(&mixed[i], "f32", 3);
}

/* Far arguments have the slope of the line that the activation approaches. A square overflows. */
static void far_arguments_have_the_slope_of_their_line(void **state)
{
    static const char *const activations[] = {"gelu", "gelu_tanh"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        double x[2] = {1, 3}, dy[2] = {1, 2}, scale = 1e160, dx[2], dbias[2];
        void *pointers[] = {x, dy, &scale, dx, dbias};
        anydnnProblem_t problem = NULL;
        char text[200];

        snprintf(text, sizeof(text),
                 "normalization_backward x=f64:1,2 scale=f64:1,1 dbias=f64:1,2 kind=layer axes=1 "
                 "activation=%s",
                 activations[i]);
        assert_int_equal(anydnnProblemParse(text, &problem), ANYDNN_STATUS_SUCCESS);
        assert_int_equal(anydnnProblemExecute(handle, problem, pointers, NULL, 0),
                         ANYDNN_STATUS_SUCCESS);
        assert_true(dbias[0] == 0 && dbias[1] == 2);
        assert_true(isfinite(dx[0]) && isfinite(dx[1]));
        anydnnProblemDestroy(problem);
    }
}

static int setup(void **state)
{
    (void)state;
    handle = prun_handle();
    return handle == NULL;
}

static int teardown(void **state)
{
    (void)state;
    return anydnnDestroy(handle) != ANYDNN_STATUS_SUCCESS;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_as_defined),
        cmocka_unit_test(means_far_from_zero),
        cmocka_unit_test(types_differ),
        cmocka_unit_test(far_arguments_have_the_slope_of_their_line),
    };

    return cmocka_run_group_tests_name("kinds of normalization", tests, setup, teardown);
}
