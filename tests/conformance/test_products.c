/* SPDX-License-Identifier: Apache-2.0 */
/* Compares matrix products with their definition in anydnn.h, computed in long double. Also tests
 * the entries of products and normalizations: descriptors, workspaces, and that they give the bits
 * of the same problem as text. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/conformance/draw.h"
#include "tests/conformance/problem_run.h"
#include "tools/problem/operands.h"

#define OK  ANYDNN_STATUS_SUCCESS
#define BAD ANYDNN_STATUS_BAD_PARAM

static anydnnHandle_t handle;

/* ---- by definition */

static void fill(struct prun *run, const char *role, struct draw *draw)
{
    struct prun_operand *operand = prun_find(run, role);
    double *value;

    if (!operand)
        return;
    value = malloc(operand->count * sizeof(double));
    draw_reals(draw, value, operand->count);
    prun_set(operand, value);
    free(value);
}

static double *values_of(struct prun *run, const char *role)
{
    struct prun_operand *operand = prun_find(run, role);
    double *value = operand ? malloc(operand->count * sizeof(double)) : NULL;

    if (value)
        prun_get(operand, value);
    return value;
}

/* Returns an element by the index of d, whose last two members are replaced. Dims of 1 serve every
 * index. 0 for an absent operand. */
static long double element(struct prun *run, const char *role, const double *value,
                           const int *index, int row, int column)
{
    const struct prun_operand *operand = prun_find(run, role);
    size_t at = 0;

    if (!operand)
        return 0;
    for (int d = 0; d < operand->shape->ndims; d++) {
        int i = d == operand->shape->ndims - 1   ? column
                : d == operand->shape->ndims - 2 ? row
                                                 : index[d];

        at = at * (size_t)operand->shape->dims[d] + (operand->shape->dims[d] == 1 ? 0 : (size_t)i);
    }
    return (long double)value[at];
}

/* Returns 1 if a number differs from the right one only by rounding, and 0 for NaN. */
static int is_near(const struct prun_operand *operand, double got, long double want)
{
    long double unit = ldexpl(1, -operand->number->digits) * fabsl(want);

    return fabsl((long double)got - want) <=
           1.001L * unit + 1e-13L + (long double)number_least(operand->number);
}

static void compare(struct prun *run, const char *text, double alpha, double beta, int gelu,
                    const double *c)
{
    struct prun_operand *d = prun_find(run, "d"), *aux = prun_find(run, "aux");
    double *a = values_of(run, "a"), *b = values_of(run, "b"), *bias = values_of(run, "bias");
    double *got = values_of(run, "d"), *kept = values_of(run, "aux");
    int index[ANYDNN_DIM_MAX], last = d->shape->ndims - 1;
    int inner = prun_find(run, "a")->shape->dims[last];

    for (size_t i = 0; i < d->count; i++) {
        long double v = 0;
        size_t rest = i;

        for (int k = last; k >= 0; k--) {
            index[k] = (int)(rest % (size_t)d->shape->dims[k]);
            rest /= (size_t)d->shape->dims[k];
        }
        for (int k = 0; k < inner; k++)
            v += element(run, "a", a, index, index[last - 1], k) *
                 element(run, "b", b, index, k, index[last]);
        v = (long double)alpha * v +
            element(run, "bias", bias, index, index[last - 1], index[last]);
        if (c)
            v += (long double)beta * element(run, "c", c, index, index[last - 1], index[last]);
        if (aux && !is_near(aux, kept[i], v))
            fail_msg("%s: element %zu of aux is %.17g; the definition gives %.17Lg", text, i,
                     kept[i], v);
        if (gelu)
            v *= erfcl(-v / sqrtl(2)) / 2;
        if (!is_near(d, got[i], v))
            fail_msg("%s: element %zu of d is %.17g; the definition gives %.17Lg", text, i, got[i],
                     v);
    }
    free(a);
    free(b);
    free(bias);
    free(got);
    free(kept);
}

static void products_are_as_defined(void **state)
{
    static const struct {
        const char *text;
        double alpha, beta;
        int gelu;
    } cases[] = {
        {"matmul a=f32:5,7 b=f32:7,9", 1, 0, 0},
        {"matmul a=f64:5,300 b=f64:300,270 bias=f64:1,270", 1, 0, 0},
        {"matmul a=f16:8,12:1,8 b=f16:12,10:1,12 d=f32:8,10:40,3", 1, 0, 0},
        {"matmul a=bf16:3,4,6 b=bf16:1,6,5 c=bf16:3,4,5 bias=bf16:1,1,5 alpha=0.5 beta=-2", 0.5, -2,
         0},
        {"matmul a=f32:2,1,4,6:100,50,7,1 b=f32:1,3,6,5 c=f32:2,3,4,5 d=f32:2,3,4,5 beta=1 "
         "alias=d:c",
         1, 1, 0},
        {"matmul a=f32:4,6 b=f32:6,3 bias=f32:4,1 aux=f32:4,3 activation=gelu", 1, 0, 1},
        {"matmul a=f16:4,6 b=f16:6,3 aux=f32:4,3 activation=gelu alpha=2", 2, 0, 1},
        {"matmul a=f32:1,1 b=f32:1,1 c=f32:1,1 beta=0.25", 1, 0.25, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct draw draw = {.state = 11 + i};
        struct prun run;
        double *c;

        if (prun_open(&run, handle, cases[i].text, 0))
            fail_msg("%s: %s", cases[i].text, run.error);
        fill(&run, "a", &draw);
        fill(&run, "b", &draw);
        fill(&run, "c", &draw);
        fill(&run, "bias", &draw);
        c = values_of(&run, "c");
        if (prun_execute(&run, 1))
            fail_msg("%s: %s", cases[i].text, run.error);
        compare(&run, cases[i].text, cases[i].alpha, cases[i].beta, cases[i].gelu, c);
        free(c);
        prun_close(&run);
    }
}

/* c may hold anything if beta is 0, also NaN. */
static void beta_zero_does_not_read_c(void **state)
{
    const char *text = "matmul a=f32:3,4 b=f32:4,5 c=f32:3,5";
    const double nan[15] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN,
                            NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    struct draw draw = {.state = 3};
    struct prun run;

    (void)state;
    assert_int_equal(prun_open(&run, handle, text, 0), 0);
    fill(&run, "a", &draw);
    fill(&run, "b", &draw);
    prun_set(prun_find(&run, "c"), nan);
    assert_int_equal(prun_execute(&run, 1), 0);
    compare(&run, text, 1, 0, 0, NULL);
    prun_close(&run);
}

/* ---- entries */

static void set_tensor(anydnnTensorDescriptor_t desc, int n, int c, int h)
{
    const int dims[3] = {n, c, h}, strides[3] = {c * h, h, 1};

    assert_int_equal(anydnnSetTensorNdDescriptor(desc, ANYDNN_DATA_FLOAT, 3, dims, strides), OK);
}

/* Runs a text on arrays, one for each present operand. */
static void run_text(const char *text, void *const *pointers)
{
    anydnnProblem_t problem;

    assert_int_equal(anydnnProblemParse(text, &problem), OK);
    assert_int_equal(anydnnProblemExecute(handle, problem, pointers, NULL, 0), OK);
    assert_int_equal(anydnnProblemDestroy(problem), OK);
}

struct objects {
    anydnnTensorDescriptor_t x, part, stat, matrix;
    anydnnNormalizationDescriptor_t norm;
    anydnnMatMulDescriptor_t matmul;
    anydnnActivationDescriptor_t activation;
};

static struct objects objects_make(void)
{
    struct objects made;

    assert_int_equal(anydnnCreateTensorDescriptor(&made.x), OK);
    assert_int_equal(anydnnCreateTensorDescriptor(&made.part), OK);
    assert_int_equal(anydnnCreateTensorDescriptor(&made.stat), OK);
    assert_int_equal(anydnnCreateTensorDescriptor(&made.matrix), OK);
    assert_int_equal(anydnnCreateNormalizationDescriptor(&made.norm), OK);
    assert_int_equal(anydnnCreateMatMulDescriptor(&made.matmul), OK);
    assert_int_equal(anydnnCreateActivationDescriptor(&made.activation), OK);
    return made;
}

static void objects_free(const struct objects *made)
{
    assert_int_equal(anydnnDestroyTensorDescriptor(made->x), OK);
    assert_int_equal(anydnnDestroyTensorDescriptor(made->part), OK);
    assert_int_equal(anydnnDestroyTensorDescriptor(made->stat), OK);
    assert_int_equal(anydnnDestroyTensorDescriptor(made->matrix), OK);
    assert_int_equal(anydnnDestroyNormalizationDescriptor(made->norm), OK);
    assert_int_equal(anydnnDestroyMatMulDescriptor(made->matmul), OK);
    assert_int_equal(anydnnDestroyActivationDescriptor(made->activation), OK);
}

/* Tests the entries of an instance normalization with an activation, in both directions. */
static void normalization_entries(void **state)
{
    static const char forward[] =
        "normalization_forward x=f32:2,3,4 scale=f32:1,3,1 bias=f32:1,3,1 save_mean=f32:2,3,1 "
        "save_inv_dev=f32:2,3,1 kind=group groups=3 epsilon=0.5 activation=gelu";
    static const char backward[] =
        "normalization_backward x=f32:2,3,4 scale=f32:1,3,1 bias=f32:1,3,1 save_mean=f32:2,3,1 "
        "save_inv_dev=f32:2,3,1 dscale=f32:1,3,1 dbias=f32:1,3,1 kind=group groups=3 epsilon=0.5 "
        "activation=gelu";
    struct objects o = objects_make();
    struct draw draw = {.state = 5};
    float x[24], dy[24], scale[3], bias[3], y[2][24], mean[2][6], r[2][6];
    float dx[2][24], dscale[2][3], dbias[2][3];
    size_t bytes = 1;

    (void)state;
    for (int i = 0; i < 24; i++) {
        x[i] = (float)draw_real(&draw);
        dy[i] = (float)draw_real(&draw);
        scale[i % 3] = (float)draw_real(&draw);
        bias[i % 3] = (float)draw_real(&draw);
    }
    set_tensor(o.x, 2, 3, 4);
    set_tensor(o.part, 1, 3, 1);
    assert_int_equal(anydnnSetActivationDescriptor(o.activation, ANYDNN_ACTIVATION_GELU,
                                                   ANYDNN_NOT_PROPAGATE_NAN, 0),
                     OK);
    assert_int_equal(
        anydnnSetNormalizationDescriptor(o.norm, ANYDNN_NORMALIZATION_INSTANCE, 0, 1, 1, 0, 0.5),
        OK);
    assert_int_equal(anydnnDeriveNormalizationStatisticsDescriptor(o.stat, o.x, o.norm), OK);
    assert_int_equal(anydnnGetNormalizationForwardWorkspaceSize(handle, o.norm, o.activation, o.x,
                                                                o.part, o.part, NULL, o.x, NULL,
                                                                o.stat, &bytes),
                     OK);
    assert_int_equal(bytes, 0);
    assert_int_equal(anydnnNormalizationForward(handle, o.norm, o.activation, o.x, x, o.part, scale,
                                                o.part, bias, NULL, NULL, o.x, y[0], NULL, NULL,
                                                o.stat, mean[0], r[0], NULL, 0),
                     OK);
    run_text(forward, (void *[]){x, scale, bias, y[1], mean[1], r[1]});
    assert_memory_equal(y[0], y[1], sizeof(y[0]));
    assert_memory_equal(mean[0], mean[1], sizeof(mean[0]));
    assert_memory_equal(r[0], r[1], sizeof(r[0]));
    bytes = 1;
    assert_int_equal(anydnnGetNormalizationBackwardWorkspaceSize(handle, o.norm, o.activation, o.x,
                                                                 o.x, o.part, o.part, o.stat, NULL,
                                                                 o.x, 1, 1, &bytes),
                     OK);
    assert_int_equal(bytes, 0);
    /* A query with every operand has the longest key of all. */
    bytes = 1;
    assert_int_equal(anydnnGetNormalizationBackwardWorkspaceSize(handle, o.norm, o.activation, o.x,
                                                                 o.x, o.part, o.part, o.stat, o.x,
                                                                 o.x, 1, 1, &bytes),
                     OK);
    assert_int_equal(bytes, 0);
    assert_int_equal(anydnnNormalizationBackward(handle, o.norm, o.activation, o.x, x, o.x, dy,
                                                 o.part, scale, o.part, bias, o.stat, mean[0], r[0],
                                                 NULL, NULL, o.x, dx[0], dscale[0], dbias[0], NULL,
                                                 0),
                     OK);
    run_text(backward, (void *[]){x, dy, scale, bias, mean[1], r[1], dx[1], dscale[1], dbias[1]});
    assert_memory_equal(dx[0], dx[1], sizeof(dx[0]));
    assert_memory_equal(dscale[0], dscale[1], sizeof(dscale[0]));
    assert_memory_equal(dbias[0], dbias[1], sizeof(dbias[0]));
    objects_free(&o);
}

static void product_entries(void **state)
{
    struct objects o = objects_make();
    struct draw draw = {.state = 9};
    const float one = 1, zero = 0;
    float a[24], b[24], d[2][36];
    size_t bytes = 1;

    (void)state;
    for (int i = 0; i < 24; i++) {
        a[i] = (float)draw_real(&draw);
        b[i] = (float)draw_real(&draw);
    }
    set_tensor(o.x, 2, 3, 4);
    set_tensor(o.part, 1, 4, 6);
    set_tensor(o.matrix, 2, 3, 6);
    assert_int_equal(anydnnSetMatMulDescriptor(o.matmul, ANYDNN_DATA_FLOAT, ANYDNN_DEFAULT_MATH),
                     OK);
    assert_int_equal(anydnnSetActivationDescriptor(o.activation, ANYDNN_ACTIVATION_GELU_TANH,
                                                   ANYDNN_NOT_PROPAGATE_NAN, 0),
                     OK);
    assert_int_equal(anydnnGetMatMulWorkspaceSize(handle, o.matmul, o.activation, o.x, o.part, NULL,
                                                  NULL, o.matrix, NULL, &bytes),
                     OK);
    assert_int_equal(bytes, 0);
    assert_int_equal(anydnnMatMul(handle, o.matmul, o.activation, &one, o.x, a, o.part, b, &zero,
                                  NULL, NULL, NULL, NULL, o.matrix, d[0], NULL, NULL, NULL, 0),
                     OK);
    run_text("matmul a=f32:2,3,4 b=f32:1,4,6 activation=gelu_tanh", (void *[]){a, b, d[1]});
    assert_memory_equal(d[0], d[1], sizeof(d[0]));
    objects_free(&o);
}

static void descriptors_keep_what_they_are_given(void **state)
{
    struct objects o = objects_make();
    anydnnNormalizationKind_t kind;
    anydnnActivationMode_t mode;
    anydnnNanPropagation_t nan;
    anydnnDataType_t type;
    anydnnMathType_t math;
    unsigned axes, flags;
    int axis, groups, dims[3], strides[3], count;
    double epsilon, coef;
    char text[200];

    (void)state;
    assert_int_equal(anydnnSetNormalizationDescriptor(o.norm, ANYDNN_NORMALIZATION_RMS, 0x6, 1, 1,
                                                      ANYDNN_NORMALIZATION_ZERO_CENTERED, 0.25),
                     OK);
    /* A setter that fails leaves the descriptor unchanged. */
    assert_int_equal(
        anydnnSetNormalizationDescriptor(o.norm, (anydnnNormalizationKind_t)4, 0x6, 1, 1, 0, 1),
        BAD);
    assert_int_equal(
        anydnnSetNormalizationDescriptor(o.norm, ANYDNN_NORMALIZATION_LAYER, 0, 1, 1, 0, 1), BAD);
    assert_int_equal(
        anydnnSetNormalizationDescriptor(o.norm, ANYDNN_NORMALIZATION_LAYER, 0x100, 1, 1, 0, 1),
        BAD);
    assert_int_equal(
        anydnnSetNormalizationDescriptor(o.norm, ANYDNN_NORMALIZATION_GROUP, 2, 1, 1, 0, 1), BAD);
    assert_int_equal(
        anydnnSetNormalizationDescriptor(o.norm, ANYDNN_NORMALIZATION_GROUP, 0, 0, 1, 0, 1), BAD);
    assert_int_equal(
        anydnnSetNormalizationDescriptor(o.norm, ANYDNN_NORMALIZATION_GROUP, 0, 1, 0, 0, 1), BAD);
    assert_int_equal(
        anydnnSetNormalizationDescriptor(o.norm, ANYDNN_NORMALIZATION_INSTANCE, 0, 1, 2, 0, 1),
        BAD);
    assert_int_equal(
        anydnnSetNormalizationDescriptor(o.norm, ANYDNN_NORMALIZATION_RMS, 2, 1, 1, 2, 1), BAD);
    assert_int_equal(
        anydnnSetNormalizationDescriptor(o.norm, ANYDNN_NORMALIZATION_RMS, 2, 1, 1, 0, -1), BAD);
    assert_int_equal(
        anydnnGetNormalizationDescriptor(o.norm, &kind, &axes, &axis, &groups, &flags, &epsilon),
        OK);
    assert_true(kind == ANYDNN_NORMALIZATION_RMS && axes == 0x6 && axis == 1 && groups == 1 &&
                flags == ANYDNN_NORMALIZATION_ZERO_CENTERED && epsilon == 0.25);
    set_tensor(o.x, 2, 3, 4);
    assert_int_equal(anydnnDeriveNormalizationStatisticsDescriptor(o.stat, o.x, o.norm), OK);
    assert_int_equal(anydnnGetTensorNdDescriptor(o.stat, 3, &type, &count, dims, strides), OK);
    assert_true(count == 3 && dims[0] == 2 && dims[1] == 1 && dims[2] == 1);
    assert_int_equal(
        anydnnSetNormalizationDescriptor(o.norm, ANYDNN_NORMALIZATION_GROUP, 0, 1, 2, 0, 1), OK);
    assert_int_equal(anydnnDeriveNormalizationStatisticsDescriptor(o.stat, o.x, o.norm), BAD);
    anydnnGetLastErrorString(text, sizeof(text));
    assert_string_equal(text, "anydnnDeriveNormalizationStatisticsDescriptor: groups is 2; it must "
                              "divide the 3 channels of xDesc");
    assert_int_equal(anydnnSetMatMulDescriptor(o.matmul, ANYDNN_DATA_DOUBLE, ANYDNN_FMA_MATH), OK);
    assert_int_equal(anydnnSetMatMulDescriptor(o.matmul, ANYDNN_DATA_HALF, ANYDNN_FMA_MATH), BAD);
    assert_int_equal(anydnnSetMatMulDescriptor(o.matmul, ANYDNN_DATA_FLOAT, (anydnnMathType_t)9),
                     BAD);
    assert_int_equal(anydnnGetMatMulDescriptor(o.matmul, &type, &math), OK);
    assert_true(type == ANYDNN_DATA_DOUBLE && math == ANYDNN_FMA_MATH);
    assert_int_equal(anydnnSetActivationDescriptor(o.activation, ANYDNN_ACTIVATION_GELU_TANH,
                                                   ANYDNN_PROPAGATE_NAN, 0),
                     OK);
    assert_int_equal(anydnnSetActivationDescriptor(o.activation, (anydnnActivationMode_t)7,
                                                   ANYDNN_PROPAGATE_NAN, 0),
                     BAD);
    assert_int_equal(anydnnGetActivationDescriptor(o.activation, &mode, &nan, &coef), OK);
    assert_int_equal(mode, ANYDNN_ACTIVATION_GELU_TANH);
    objects_free(&o);
}

/* The older operations refuse GELU with its name. */
static void other_operations_have_no_gelu(void **state)
{
    struct objects o = objects_make();
    const float one = 1, zero = 0;
    float x[24] = {0}, y[24];
    char text[512];

    (void)state;
    set_tensor(o.x, 2, 3, 4);
    assert_int_equal(anydnnSetActivationDescriptor(o.activation, ANYDNN_ACTIVATION_GELU,
                                                   ANYDNN_NOT_PROPAGATE_NAN, 0),
                     OK);
    assert_int_equal(anydnnActivationForward(handle, o.activation, &one, o.x, x, &zero, o.x, y),
                     BAD);
    anydnnGetLastErrorString(text, sizeof(text));
    assert_non_null(strstr(text, "the activation is gelu"));
    objects_free(&o);
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
    return anydnnDestroy(handle) != OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_as_defined),
        cmocka_unit_test(beta_zero_does_not_read_c),
        cmocka_unit_test(normalization_entries),
        cmocka_unit_test(product_entries),
        cmocka_unit_test(descriptors_keep_what_they_are_given),
        cmocka_unit_test(other_operations_have_no_gelu),
    };

    return cmocka_run_group_tests_name("products", tests, setup, teardown);
}
