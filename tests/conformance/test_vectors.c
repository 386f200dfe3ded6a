/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds the operations to the vectors of tests/vectors, whose oracles are not ours: every case as
 * double and as float, within the bound of README.md there. TAP, one line a case and type.
 * Arguments, if any, are the files to take instead.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/problem_run.h"
#include "tests/conformance/vec_reader.h"

static const char *const operations[] = {"convolution_forward",
                                         "convolution_backward_data",
                                         "convolution_backward_filter",
                                         "convolution_backward_bias",
                                         "convolution_bias_activation_forward",
                                         "pooling_forward",
                                         "pooling_backward",
                                         "softmax_forward",
                                         "softmax_backward",
                                         "activation_forward",
                                         "activation_backward",
                                         "transform_tensor",
                                         "add_tensor",
                                         "op_tensor",
                                         "set_tensor",
                                         "scale_tensor",
                                         "lrn_forward",
                                         "lrn_backward",
                                         "divisive_normalization_forward",
                                         "divisive_normalization_backward",
                                         "batch_normalization_inference",
                                         "batch_normalization_training",
                                         "batch_normalization_backward",
                                         "dropout_forward",
                                         "dropout_backward",
                                         "reduce_tensor",
                                         "transform_tensor_ex",
                                         "transform_filter",
                                         "im2col"};

struct tally {
    int cases;
    int failed;
};

/* What README.md of tests/vectors calls the bound; `sum` < 0 asks for equality. */
static int close_enough(double got, double want, double sum, double kred, int is_double)
{
    double unit = is_double ? DBL_EPSILON : (double)FLT_EPSILON;
    double least = is_double ? 4.9406564584124654e-324 : 1.4012984643248171e-45;

    if (want == -DBL_MAX && !is_double)
        want = -(double)FLT_MAX;
    if (isnan(want))
        return isnan(got);
    if (isinf(want))
        return got == want;
    if (sum < 0)
        return got == (is_double ? want : (double)(float)want);
    return fabs(got - want) <=
           0.5 * unit * fabs(want) + (8 + 0.5 * sqrt(kred)) * unit * sum + least;
}

static int compare(struct prun *run, const struct vec_case *vec, const struct vec_values *out)
{
    struct prun_operand *operand = prun_find(run, out->role);
    const struct vec_values *sum = vec_find(&vec->sum, out->role);
    const struct vec_values *kred = vec_find(&vec->kred, out->role);
    double *got;
    int bad = 0;

    if (!operand || operand->count != out->count || (sum && sum->count != out->count)) {
        snprintf(run->error, sizeof(run->error), "%s: the vector has %zu values, the operand %zu",
                 out->role, out->count, operand ? operand->count : 0);
        return -1;
    }
    got = malloc(out->count * sizeof(*got));
    if (!got)
        return -1;
    prun_get(operand, got);
    for (size_t i = 0; i < out->count && !bad; i++) {
        double terms = sum ? sum->value[i] : -1;

        bad = !close_enough(got[i], out->value[i], terms, kred ? kred->value[0] : 1,
                            operand->type != ANYDNN_DATA_FLOAT);
        if (bad)
            snprintf(run->error, sizeof(run->error),
                     "%s: element %zu in logical order is %.17g, expected %.17g (sum %.3g)",
                     out->role, i, got[i], out->value[i], terms);
    }
    free(got);
    return bad ? -1 : 0;
}

static int feed(struct prun *run, const struct vec_list *list)
{
    for (int i = 0; i < list->count; i++) {
        struct prun_operand *operand = prun_find(run, list->at[i].role);

        if (!operand || operand->count != list->at[i].count) {
            snprintf(run->error, sizeof(run->error),
                     "%s: the vector has %zu values, the operand %zu", list->at[i].role,
                     list->at[i].count, operand ? operand->count : 0);
            return -1;
        }
        prun_set(operand, list->at[i].value);
    }
    return 0;
}

static int run_once(struct prun *run, anydnnHandle_t handle, const struct vec_case *vec,
                    const char *text, int shift)
{
    if (prun_open(run, handle, text, shift) || feed(run, &vec->in) || feed(run, &vec->prior) ||
        prun_execute(run, shift == 0))
        return -1;
    for (int i = 0; i < vec->out.count; i++)
        if (compare(run, vec, &vec->out.at[i]))
            return -1;
    return 0;
}

static int same_bytes(struct prun *first, struct prun *second, const struct vec_list *out)
{
    for (int i = 0; i < out->count; i++) {
        if (prun_same_bytes(prun_find(first, out->at[i].role), prun_find(second, out->at[i].role)))
            continue;
        snprintf(second->error, sizeof(second->error), "%s: a second run gave other bytes",
                 out->at[i].role);
        return -1;
    }
    return 0;
}

/* Twice on aligned operands with the workspace asked for, bit for bit alike; then once on operands
 * aligned to their elements alone, without workspace. */
static void run_case(struct tally *tally, anydnnHandle_t handle, const struct vec_case *vec,
                     const char *text)
{
    struct prun first, second = {0}, shifted = {0};
    const char *error = NULL;

    if (run_once(&first, handle, vec, text, 0))
        error = first.error;
    else if (run_once(&second, handle, vec, text, 0) || same_bytes(&first, &second, &vec->out))
        error = second.error;
    else if (run_once(&shifted, handle, vec, text, 1))
        error = shifted.error;
    tally->cases++;
    tally->failed += error != NULL;
    printf("%sok %d - %.*s %s %s\n", error ? "not " : "", tally->cases, (int)strcspn(text, " "),
           text, vec->name, strstr(text, "=f64") ? "f64" : "f32");
    if (error)
        printf("# %s\n# %s\n", text, error);
    prun_close(&first);
    prun_close(&second);
    prun_close(&shifted);
}

static void run_file(struct tally *tally, anydnnHandle_t handle, const char *path)
{
    struct vec_reader reader;
    struct vec_case vec;
    int more = vec_open(&reader, path) ? -1 : 1;

    while (more > 0 && (more = vec_next(&reader, &vec)) > 0) {
        char *narrow = vec.only ? NULL : prun_as_float(vec.problem);

        run_case(tally, handle, &vec, vec.problem);
        if (narrow)
            run_case(tally, handle, &vec, narrow);
        free(narrow);
        vec_case_clear(&vec);
    }
    if (more < 0) {
        tally->failed++;
        printf("not ok %d - reading\n# %s\n", ++tally->cases, reader.error);
    }
    vec_close(&reader);
}

int main(int argc, char **argv)
{
    const char *source = getenv("ANYDNN_TEST_SRCDIR");
    anydnnHandle_t handle = prun_handle();
    struct tally tally = {0, 0};
    char path[1024];

    if (!handle)
        return 1;
    for (int i = 1; i < argc; i++)
        run_file(&tally, handle, argv[i]);
    for (size_t i = 0; argc < 2 && i < sizeof(operations) / sizeof(operations[0]); i++) {
        snprintf(path, sizeof(path), "%s/tests/vectors/%s.vec", source ? source : ".",
                 operations[i]);
        run_file(&tally, handle, path);
    }
    printf("1..%d\n", tally.cases);
    anydnnDestroy(handle);
    return tally.failed ? 1 : 0;
}
