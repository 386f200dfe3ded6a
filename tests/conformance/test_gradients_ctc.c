/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the CTC loss's gradient with difference quotients of its costs, in double, and that
 * of the linear grid generator with the grid itself.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <anydnn/anydnn.h>

#include "tests/conformance/draw.h"
#include "tests/conformance/problem_run.h"

#define OK ANYDNN_STATUS_SUCCESS

enum { STEPS = 7, SEQUENCES = 4, LETTERS = 4, COUNT = STEPS * SEQUENCES * LETTERS };

/* The first sequence has equal neighbours, the second only one path, the third no labels, the last
 * fewer steps. */
static const int labels[] = {2, 2, 1, 1, 2, 3, 1, 2, 3, 1, 3};
static const int label_lengths[SEQUENCES] = {3, 7, 0, 1};
static const int input_lengths[SEQUENCES] = {7, 7, 6, 5};

#define STEP 1e-4

/* Returns the tolerance of a difference quotient. A cost is a difference of two logarithms of
 * sums of exponentials. The third derivative of such a logarithm along one x is p (1 - p) (1 - 2
 * p), for a share p between 0 and 1. It is at most 0.0963. So the quotient is off by at most
 * STEP^2 / 6 * 2 * 0.0963. The rounding of a cost adds some roundings per time step, of numbers
 * up to the cost, divided by STEP. */
static double tolerance_of(double cost)
{
    return STEP * STEP / 6 * 2 * 0.0963 + 8 * STEPS * DBL_EPSILON * (1 + fabs(cost)) / STEP;
}

struct fixture {
    anydnnHandle_t handle;
    anydnnTensorDescriptor_t probs;
    anydnnCTCLossDescriptor_t loss;
    anydnnSpatialTransformerDescriptor_t transformer;
};

static int setup(void **state)
{
    static struct fixture made;
    const int dims[3] = {STEPS, SEQUENCES, LETTERS};
    const int strides[3] = {SEQUENCES * LETTERS, LETTERS, 1};

    *state = &made;
    made.handle = prun_handle();
    return !made.handle || anydnnCreateTensorDescriptor(&made.probs) != OK ||
           anydnnSetTensorNdDescriptor(made.probs, ANYDNN_DATA_DOUBLE, 3, dims, strides) != OK ||
           anydnnCreateCTCLossDescriptor(&made.loss) != OK ||
           anydnnSetCTCLossDescriptorEx(made.loss, ANYDNN_DATA_DOUBLE,
                                        ANYDNN_LOSS_NORMALIZATION_SOFTMAX,
                                        ANYDNN_NOT_PROPAGATE_NAN) != OK ||
           anydnnCreateSpatialTransformerDescriptor(&made.transformer) != OK;
}

static int teardown(void **state)
{
    struct fixture *made = *state;

    return anydnnDestroySpatialTransformerDescriptor(made->transformer) != OK ||
           anydnnDestroyCTCLossDescriptor(made->loss) != OK ||
           anydnnDestroyTensorDescriptor(made->probs) != OK || anydnnDestroy(made->handle) != OK;
}

static void costs_of(struct fixture *f, const double *x, double *costs, double *gradients)
{
    assert_int_equal(anydnnCTCLoss(f->handle, f->probs, x, labels, label_lengths, input_lengths,
                                   costs, gradients ? f->probs : NULL, gradients,
                                   ANYDNN_CTC_LOSS_ALGO_DETERMINISTIC, f->loss, NULL, 0),
                     OK);
}

static void ctc_gradients_are_slopes(void **state)
{
    struct fixture *f = *state;
    double x[COUNT], gradients[COUNT], costs[SEQUENCES], above[SEQUENCES], below[SEQUENCES];
    struct draw draw = {2006};

    draw_reals(&draw, x, COUNT);
    costs_of(f, x, costs, gradients);
    for (int i = 0; i < COUNT; i++) {
        double kept = x[i];

        x[i] = kept + STEP;
        costs_of(f, x, above, NULL);
        x[i] = kept - STEP;
        costs_of(f, x, below, NULL);
        x[i] = kept;
        for (int n = 0; n < SEQUENCES; n++) {
            double slope = (above[n] - below[n]) / (2 * STEP);
            double wanted = i / LETTERS % SEQUENCES == n ? gradients[i] : 0;

            if (!(fabs(slope - wanted) <= tolerance_of(costs[n])))
                fail_msg("x[%d], sequence %d: gradient %.12g, difference quotient %.12g", i, n,
                         wanted, slope);
        }
    }
}

/* The grid is linear in theta, without a constant, so grid . dgrid equals theta . dtheta. Each
 * product is rounded twice on either side, and there are three times as many products as numbers
 * in the grid. */
static void grid_gradients_are_its_transpose(void **state)
{
    enum { N = 2, H = 5, W = 3, POINTS = N * H * W * 2, MATRICES = N * 6 };
    struct fixture *f = *state;
    const int dims[4] = {N, 1, H, W};
    double theta[MATRICES], dtheta[MATRICES], grid[POINTS], dgrid[POINTS];
    double forward = 0, backward = 0, size = 0;
    struct draw draw = {5};

    draw_reals(&draw, theta, MATRICES);
    draw_reals(&draw, dgrid, POINTS);
    assert_int_equal(anydnnSetSpatialTransformerNdDescriptor(
                         f->transformer, ANYDNN_SAMPLER_BILINEAR, ANYDNN_DATA_DOUBLE, 4, dims),
                     OK);
    assert_int_equal(anydnnSpatialTfGridGeneratorForward(f->handle, f->transformer, theta, grid),
                     OK);
    assert_int_equal(anydnnSpatialTfGridGeneratorBackward(f->handle, f->transformer, dgrid, dtheta),
                     OK);
    for (int i = 0; i < POINTS; i++) {
        forward += grid[i] * dgrid[i];
        size += 3 * fabs(dgrid[i]);
    }
    for (int i = 0; i < MATRICES; i++)
        backward += theta[i] * dtheta[i];
    assert_true(fabs(forward) > 1e-3);
    if (!(fabs(forward - backward) <= 3 * POINTS * DBL_EPSILON * size))
        fail_msg("grid . dgrid is %.17g, theta . dtheta %.17g", forward, backward);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ctc_gradients_are_slopes),
        cmocka_unit_test(grid_gradients_are_its_transpose),
    };

    return cmocka_run_group_tests_name("gradients of sequences and grids", tests, setup, teardown);
}
