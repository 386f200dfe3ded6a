/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the sizes of cancelling terms against values computed by hand. A float evaluation must be
 * within the bound that follows from them. One with a factor that is wrong by a thousandth must be
 * beyond it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/cancel.h"
#include "judge/subject.h"
#include "numerics/numerics.h"
#include "problem/operation.h"
#include "problem/problem.h"
#include "problem/text.h"

#define COUNT_MAX 256

static char sentence[ADN_JUDGE_SENTENCE];

struct fixture {
    struct adn_subject subject;
    struct adn_subject_slot *x, *dy, *y, *scale, *mean, *inv, *dx, *dscale, *dbias;
};

static struct adn_subject_slot *slot_of(struct fixture *fixture, const char *role)
{
    int slot = adn_subject_lookup(&fixture->subject, role);

    return slot >= 0 ? &fixture->subject.slot[slot] : NULL;
}

static void open_fixture(struct fixture *fixture, const char *text)
{
    struct adn_subject *subject = &fixture->subject;

    memset(fixture, 0, sizeof(*fixture));
    assert_int_equal(adn_problem_parse(text, &subject->problem, &subject->values), 0);
    subject->info = adn_problem_operation(subject->problem.operation);
    for (int i = 0; i < subject->info->slot_count; i++) {
        struct adn_subject_slot *slot = &subject->slot[i];

        if (!adn_subject_has(subject, i))
            continue;
        slot->count = COUNT_MAX;
        slot->before = test_calloc(COUNT_MAX, sizeof(double));
        slot->want = test_calloc(COUNT_MAX, sizeof(double));
        slot->sum = test_calloc(COUNT_MAX, sizeof(double));
    }
    fixture->x = slot_of(fixture, "x");
    fixture->dy = slot_of(fixture, "dy");
    fixture->y = slot_of(fixture, "y");
    fixture->scale = slot_of(fixture, "scale");
    fixture->mean = slot_of(fixture, "save_mean");
    fixture->inv = slot_of(fixture, "save_inv_var");
    fixture->dx = slot_of(fixture, "dx");
    fixture->dscale = slot_of(fixture, "dscale");
    fixture->dbias = slot_of(fixture, "dbias");
}

static void close_fixture(struct fixture *fixture)
{
    for (int i = 0; i < ADN_SLOTS; i++) {
        test_free(fixture->subject.slot[i].before);
        test_free(fixture->subject.slot[i].want);
        test_free(fixture->subject.slot[i].sum);
    }
}

static void sums_are(const struct adn_subject_slot *slot, const double *want, int count)
{
    for (int i = 0; i < count; i++)
        if (fabs(slot->sum[i] - want[i]) > 1e-12 * want[i])
            fail_msg("sum %d is %.17g, not %.17g", i, slot->sum[i], want[i]);
}

/* Two cells side by side; the second has twice the opposite slope. x = 0 0 0 4 with epsilon 1 has
 * mean 1, inv 1/2 and n = -1/2 -1/2 -1/2 3/2; the slope is 1. dy = 1 2 3 4 gives dbias / m = 5/2,
 * dscale / m = 3/4, sum |g| / m = 5/2. */
static const double small_x[] = {0, 0, 0, 0, 0, 0, 4, 4};
static const double small_dy[] = {1, 1, 2, 2, 3, 3, 4, 4};
static const double small_n[] = {-0.5, -0.5, -0.5, 1.5};

static void fill_small(struct fixture *fixture)
{
    memcpy(fixture->x->before, small_x, sizeof(small_x));
    memcpy(fixture->dy->before, small_dy, sizeof(small_dy));
    for (int c = 0; c < 2; c++) {
        fixture->scale->before[c] = c ? -4 : 2;
        fixture->dbias->want[c] = 10;
        fixture->dscale->want[c] = 3;
        for (int i = 0; i < 4; i++)
            fixture->dx->want[2 * i + c] =
                (c ? -2 : 1) * (small_dy[2 * i + c] - 2.5 - small_n[i] * 0.75);
    }
}

/* Checks statistics that are computed: E = |n| + 1/2 is 1 1 1 2; sum |g| E / m = (1 + 2 + 3 + 8) /
 * 4 = 7/2. */
static void a_mean_that_is_a_sum(void **state)
{
    static const double want[] = {6, 12, 7, 14, 8, 16, 13.25, 26.5};
    struct fixture fixture;

    (void)state;
    open_fixture(&fixture,
                 "batch_normalization_backward x=f32:4,2,1,1 mode=per_activation epsilon=1 "
                 "without=y,bias,save_mean,save_inv_var,reserve,dz");
    fill_small(&fixture);
    assert_int_equal(adn_subject_cancelling(&fixture.subject, sentence), 0);
    sums_are(fixture.dx, want, 8);
    close_fixture(&fixture);
}

/* Checks statistics that are operands: E = |n|; sum |g| E / m = (1/2 + 1 + 3/2 + 6) / 4 = 9/4.
 * Values that are larger already stay. */
static void a_mean_that_is_an_operand(void **state)
{
    static const double want[] = {5, 10, 6, 12, 7, 100, 11, 22};
    struct fixture fixture;

    (void)state;
    open_fixture(&fixture,
                 "batch_normalization_backward x=f32:4,2,1,1 save_mean=f32:1,2,1,1 "
                 "save_inv_var=f32:1,2,1,1 mode=spatial epsilon=1 without=y,bias,reserve,dz");
    fill_small(&fixture);
    for (int c = 0; c < 2; c++) {
        fixture.mean->before[c] = 1;
        fixture.inv->before[c] = 0.5;
    }
    fixture.dx->sum[5] = 100;
    assert_int_equal(adn_subject_cancelling(&fixture.subject, sentence), 0);
    sums_are(fixture.dx, want, 8);
    close_fixture(&fixture);
}

static void a_logarithm(void **state)
{
    const double want[] = {3 + 3.5, 0.5 + exp(-40) * 3.5};
    struct fixture fixture;

    (void)state;
    open_fixture(&fixture, "softmax_backward y=f32:1,2,1,1 softmax=log mode=channel");
    fixture.dx->count = 2;
    fixture.y->before[1] = -40;
    fixture.dy->before[0] = 3;
    fixture.dy->before[1] = -0.5;
    assert_int_equal(adn_subject_cancelling(&fixture.subject, sentence), 0);
    sums_are(fixture.dx, want, 2);
    close_fixture(&fixture);
}

/* Checks that other operations keep their values. */
static void another_operation(void **state)
{
    static const double want[] = {0, 0};
    struct fixture fixture;

    (void)state;
    open_fixture(&fixture, "softmax_backward y=f32:1,2,1,1 softmax=accurate mode=channel");
    fixture.y->before[0] = 1;
    fixture.dy->before[0] = 3;
    assert_int_equal(adn_subject_cancelling(&fixture.subject, sentence), 0);
    sums_are(fixture.dx, want, 2);
    close_fixture(&fixture);
}

/* ---- a float evaluation */

enum { M = 36, LAST = M - 1 };

/* Evaluates dx of a cell. All x are zero except the last, so the last dx is what remains of terms
 * as large as dy. */
#define EVALUATE(real, dx, x, dy, wrong)                                                           \
    do {                                                                                           \
        real mean_ = 0, var_ = 0, dbias_ = 0, dscale_ = 0, inv_;                                   \
        for (int i_ = 0; i_ < M; i_++)                                                             \
            mean_ += (real)(x)[i_] / M;                                                            \
        for (int i_ = 0; i_ < M; i_++)                                                             \
            var_ += ((real)(x)[i_] - mean_) * ((real)(x)[i_] - mean_) / M;                         \
        inv_ = 1 / (real)sqrt((double)(var_ + (real)1e-5));                                        \
        for (int i_ = 0; i_ < M; i_++) {                                                           \
            dbias_ += (real)(dy)[i_];                                                              \
            dscale_ += (real)(dy)[i_] * (((real)(x)[i_] - mean_) * inv_);                          \
        }                                                                                          \
        for (int i_ = 0; i_ < M; i_++)                                                             \
            (dx)[i_] = (double)(real)((real)1.5 * inv_ *                                           \
                                      ((real)(dy)[i_] - (real)(wrong)*dbias_ / M -                 \
                                       ((real)(x)[i_] - mean_) * inv_ * (dscale_ / M)));           \
        sums_[0] = (double)dbias_;                                                                 \
        sums_[1] = (double)dscale_;                                                                \
    } while (0)

static int wrong_elements(struct fixture *fixture, const double *got)
{
    struct adn_bound bound = {
        .type = ANYDNN_PLUGIN_FLOAT, .compute = ANYDNN_PLUGIN_FLOAT, .terms = M};
    int wrong = 0;

    for (int i = 0; i < M; i++)
        wrong += !adn_bound_holds(&bound, got[i], fixture->dx->want[i], fixture->dx->sum[i], 0);
    return wrong;
}

static void a_float_evaluation(void **state)
{
    struct fixture fixture;
    uint64_t seed = 7;
    double got[M], sums_[2];

    (void)state;
    open_fixture(&fixture, "batch_normalization_backward x=f32:36,1,1,1 mode=spatial epsilon=1e-05 "
                           "without=y,bias,save_mean,save_inv_var,reserve,dz");
    for (int i = 0; i < M; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        fixture.dy->before[i] = (double)(float)((double)(seed >> 40) / 0x1p23 - 1);
    }
    fixture.x->before[LAST] = 3;
    fixture.scale->before[0] = 1.5;
    EVALUATE(double, fixture.dx->want, fixture.x->before, fixture.dy->before, 1);
    fixture.dbias->want[0] = sums_[0];
    fixture.dscale->want[0] = sums_[1];
    EVALUATE(float, got, fixture.x->before, fixture.dy->before, 1);
    assert_true(fabs(got[LAST] - fixture.dx->want[LAST]) > 1e-6 * fabs(fixture.dx->want[LAST]));
    assert_int_equal(adn_subject_cancelling(&fixture.subject, sentence), 0);
    assert_int_equal(wrong_elements(&fixture, got), 0);
    EVALUATE(float, got, fixture.x->before, fixture.dy->before, 1.001);
    assert_true(wrong_elements(&fixture, got) > M / 2);
    close_fixture(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mean_that_is_a_sum), cmocka_unit_test(a_mean_that_is_an_operand),
        cmocka_unit_test(a_logarithm), cmocka_unit_test(another_operation),
        cmocka_unit_test(a_float_evaluation)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
