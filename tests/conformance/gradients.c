/* SPDX-License-Identifier: Apache-2.0 */
/* Compares central differences of a forward problem with the gradients of a backward problem. */
#include "tests/conformance/gradients.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/draw.h"
#include "tests/conformance/problem_run.h"

#define STEP      1e-5
#define TOLERANCE 2e-8 /* h^2 times a third derivative of some tens, plus rounding / h */

/* The values of every input of the forward problem, of y and of dy. */
struct sheet {
    struct prun forward;
    double *value[PRUN_OPERANDS];
    struct prun_operand *y;
    double *y_value;
    double *y_prior;
    double *dy;
    char *error;
    size_t error_size;
};

static double away_from_kinks(double v)
{
    v *= 2.5;
    for (int kink = 0; kink <= 1; kink++)
        if (fabs(v - kink) < 0.1)
            v = kink + (v < kink ? -0.1 : 0.1) + (v - kink);
    return v;
}

static void draw_values(struct draw *draw, enum draw_kind kind, double *value, size_t count)
{
    draw_reals(draw, value, count);
    if (kind == OFF_KINKS)
        for (size_t i = 0; i < count; i++)
            value[i] = away_from_kinks(value[i]);
    for (size_t i = 0; i < count && kind == SPACED; i++)
        value[i] = 0.01 * (double)i;
    for (size_t i = count; kind == SPACED && i > 1; i--) {
        size_t other = (size_t)draw_int(draw, 0, (int)i - 1);
        double v = value[i - 1];

        value[i - 1] = value[other];
        value[other] = v;
    }
}

static int sheet_open(struct sheet *sheet, anydnnHandle_t handle, const struct gradient_case *c,
                      struct draw *draw)
{
    struct prun *run = &sheet->forward;

    if (prun_open(run, handle, c->forward, 0))
        return -1;
    for (int i = 0; i < run->count; i++) {
        size_t bytes = run->operand[i].count * sizeof(double);

        if (run->operand[i].direction == ANYDNN_DIRECTION_INPUT) {
            sheet->value[i] = malloc(bytes);
            draw_values(draw, c->kind, sheet->value[i], run->operand[i].count);
            continue;
        }
        if (strcmp(run->operand[i].role, "y") != 0)
            continue;
        sheet->y = &run->operand[i];
        sheet->y_value = malloc(bytes);
        sheet->y_prior = malloc(bytes);
        sheet->dy = malloc(bytes);
        draw_reals(draw, sheet->y_prior, run->operand[i].count);
        draw_reals(draw, sheet->dy, run->operand[i].count);
    }
    return 0;
}

static void sheet_close(struct sheet *sheet)
{
    for (int i = 0; i < PRUN_OPERANDS; i++)
        free(sheet->value[i]);
    free(sheet->y_value);
    free(sheet->y_prior);
    free(sheet->dy);
    prun_close(&sheet->forward);
}

/* Sets dropout states of one seed, so that every run drops the same elements. */
static void set_states(struct prun *run)
{
    static const double states[32] = {
        'a', 'n', 'y', 'd', 'r', 'o', 'p', 0, ANYDNN_DROPOUT_VERSION, [16] = 77};
    struct prun_operand *operand = prun_find(run, "states");

    if (operand)
        prun_set(operand, states);
}

/* Computes <f(inputs), dy>; y keeps its first content if the problem adds to it. */
static int loss(struct sheet *sheet, double *sum)
{
    struct prun *run = &sheet->forward;

    for (int i = 0; i < run->count; i++)
        if (sheet->value[i])
            prun_set(&run->operand[i], sheet->value[i]);
    prun_set(sheet->y, sheet->y_prior);
    set_states(run);
    if (prun_execute(run, 1))
        return -1;
    prun_get(sheet->y, sheet->y_value);
    *sum = 0;
    for (size_t i = 0; i < sheet->y->count; i++)
        *sum += sheet->y_value[i] * sheet->dy[i];
    return 0;
}

/* Masks the dy of the backward problem: after a ReLU, dy passes only where the ReLU did. */
static void pass_activation(struct sheet *sheet, const char *forward)
{
    if (!strstr(forward, "bias_activation"))
        return;
    for (size_t i = 0; i < sheet->y->count; i++)
        if (!(sheet->y_value[i] > 0))
            sheet->dy[i] = 0;
}

/* Copies what the forward run left for the backward run: the reserve and the saved pair. */
static void hand_over(struct prun_operand *to, const struct prun_operand *from)
{
    double *value = malloc(from->count * sizeof(double));

    prun_get(from, value);
    prun_set(to, value);
    free(value);
}

/* Runs a backward problem with operands by role: y and dy of the forward run, and the rest by
 * name. */
static int backward(struct sheet *sheet, anydnnHandle_t handle, const struct wanted *wanted,
                    double **gradient, size_t *count)
{
    struct prun run;
    struct prun_operand *out;
    int bad = prun_open(&run, handle, wanted->backward, 0);

    for (int i = 0; i < run.count && !bad; i++) {
        struct prun_operand *operand = &run.operand[i];
        struct prun_operand *same = prun_find(&sheet->forward, operand->role);

        if (operand->direction == ANYDNN_DIRECTION_INPUT_OUTPUT || strcmp(operand->role, "dy") == 0)
            prun_set(operand, sheet->dy);
        else if (strcmp(operand->role, "y") == 0)
            prun_set(operand, sheet->y_value);
        else if (same && sheet->value[same - sheet->forward.operand])
            prun_set(operand, sheet->value[same - sheet->forward.operand]);
        else if (same)
            hand_over(operand, same);
    }
    bad = bad || prun_execute(&run, 1);
    out = bad ? NULL : prun_find(&run, wanted->gradient);
    if (out) {
        *count = out->count;
        *gradient = malloc(out->count * sizeof(double));
        prun_get(out, *gradient);
    } else {
        snprintf(sheet->error, sheet->error_size, "%s\n# %s", wanted->backward, run.error);
    }
    prun_close(&run);
    return out ? 0 : -1;
}

static int differ(struct sheet *sheet, const struct gradient_case *c, const double *gradient,
                  size_t count)
{
    struct prun_operand *operand = prun_find(&sheet->forward, c->wanted.role);
    double *value = operand ? sheet->value[operand - sheet->forward.operand] : NULL;

    if (!value || operand->count != count) {
        snprintf(sheet->error, sheet->error_size, "no %s of %zu elements", c->wanted.role, count);
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        double kept = value[i], above, below, slope;

        value[i] = kept + STEP;
        if (loss(sheet, &above))
            return -1;
        value[i] = kept - STEP;
        if (loss(sheet, &below))
            return -1;
        value[i] = kept;
        slope = (above - below) / (2 * STEP);
        if (fabs(slope - gradient[i]) <= TOLERANCE * (1 + fabs(slope)))
            continue;
        snprintf(sheet->error, sheet->error_size,
                 "%s\n# element %zu of %s is %.12g, the difference quotient %.12g",
                 c->wanted.backward, i, c->wanted.gradient, gradient[i], slope);
        return -1;
    }
    return 0;
}

static int run_case(anydnnHandle_t handle, const struct gradient_case *c, struct draw *draw,
                    char *error, size_t error_size)
{
    struct sheet sheet = {.error = error, .error_size = error_size};
    double *gradient = NULL, *full_dy = NULL, sum;
    size_t count = 0;
    int bad = sheet_open(&sheet, handle, c, draw) || loss(&sheet, &sum);

    if (!bad) {
        full_dy = sheet.dy;
        sheet.dy = malloc(sheet.y->count * sizeof(double));
        memcpy(sheet.dy, full_dy, sheet.y->count * sizeof(double));
        pass_activation(&sheet, c->forward);
        bad = backward(&sheet, handle, &c->wanted, &gradient, &count);
        free(sheet.dy);
        sheet.dy = full_dy;
        bad = bad || differ(&sheet, c, gradient, count);
    }
    if (bad && !*error)
        snprintf(error, error_size, "%s\n# %s", c->forward, sheet.forward.error);
    free(gradient);
    sheet_close(&sheet);
    return bad;
}

int gradients_run(const struct gradient_case *cases, int count)
{
    anydnnHandle_t handle = prun_handle();
    struct draw draw = {771};
    int failed = 0;

    if (!handle)
        return 1;
    for (int i = 0; i < count; i++) {
        char error[2400] = "";
        int bad = run_case(handle, &cases[i], &draw, error, sizeof(error)) != 0;

        printf("%sok %d - %s\n", bad ? "not " : "", i + 1, cases[i].name);
        if (bad)
            printf("# %s\n", error);
        failed += bad;
    }
    printf("1..%d\n", count);
    anydnnDestroy(handle);
    return failed ? 1 : 0;
}
