/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the operations with the vectors of tests/vectors, whose oracles are independent.
 * Every case runs in every type that it serves, within the bound of README.md there. Prints a
 * TAP line per case and type. Arguments, if any, name the files to run instead.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/problem_run.h"
#include "tools/verify/cases/vec_reader.h"
#include "tools/verify/cases/vec_types.h"

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
                                         "im2col",
                                         "spatial_grid_forward",
                                         "spatial_grid_backward",
                                         "spatial_sampler_forward",
                                         "spatial_sampler_backward",
                                         "ctc_loss",
                                         "normalization_forward",
                                         "normalization_backward",
                                         "matmul"};

struct tally {
    int cases;
    int failed;
};

/* The bound as defined in README.md of tests/vectors; sum < 0 requires equality. */
struct bound {
    double want;
    double sum;
    double kred;
    double rounds;
};

static int close_enough(const struct number_type *type, double got, const struct bound *bound)
{
    double want = bound->want == -DBL_MAX ? type->low : bound->want;
    double nearest = number_round(type, want);
    double unit = ldexp(1, -type->digits);
    double eps = type->digits == DBL_MANT_DIG ? DBL_EPSILON : (double)FLT_EPSILON;
    double before;

    if (isnan(want) && type->digits)
        return isnan(got);
    if (got == nearest)
        return 1;
    if (isinf(want) || bound->sum < 0 || !type->digits)
        return 0;
    before = (8 + 0.5 * sqrt(bound->kred)) * eps * bound->sum + unit * bound->rounds;
    if (isinf(got) || isinf(nearest))
        return got == number_round(type, want - before) || got == number_round(type, want + before);
    return fabs(got - want) <= unit * fabs(want) + before + number_least(type);
}

static double nth(const struct vec_values *values, size_t i, double otherwise)
{
    return values ? values->value[i] : otherwise;
}

static int compare(struct prun *run, const struct vec_case *vec, const struct vec_values *out)
{
    struct prun_operand *operand = prun_find(run, out->role);
    const struct vec_values *sum = vec_lookup(&vec->sum, out->role);
    const struct vec_values *rounds = vec_lookup(&vec->rounds, out->role);
    double kred = nth(vec_lookup(&vec->kred, out->role), 0, 1);
    double *got;
    int bad = 0;

    if (!operand || operand->count != out->count || (sum && sum->count != out->count) ||
        (rounds && rounds->count != out->count)) {
        snprintf(run->error, sizeof(run->error), "%s: the vector has %zu values, the operand %zu",
                 out->role, out->count, operand ? operand->count : 0);
        return -1;
    }
    got = malloc(out->count * sizeof(*got));
    if (!got)
        return -1;
    prun_get(operand, got);
    for (size_t i = 0; i < out->count && !bad; i++) {
        struct bound bound = {out->value[i], nth(sum, i, -1), kred, nth(rounds, i, 0)};

        bad = !close_enough(operand->number, got[i], &bound);
        if (bad)
            snprintf(run->error, sizeof(run->error),
                     "%s: element %zu in logical order is %.17g, expected %.17g (sum %.3g)",
                     out->role, i, got[i], out->value[i], bound.sum);
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

/* Runs the case twice on aligned operands with the required workspace, with equal bits. Then
 * runs it once with operands aligned only to their elements, without workspace. */
static void run_case(struct tally *tally, anydnnHandle_t handle, const struct vec_case *vec,
                     const char *text, const char *type)
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
           text, vec->name, type);
    if (error)
        printf("# %s\n# %s\n", text, error);
    prun_close(&first);
    prun_close(&second);
    prun_close(&shifted);
}

/* Runs the case in each type, or list of types, that it serves. */
static void run_types(struct tally *tally, anydnnHandle_t handle, const struct vec_case *vec)
{
    char *types = strdup(vec->types ? vec->types : VEC_TYPES_DEFAULT);
    char *save = NULL;

    if (!types)
        tally->failed++;
    for (char *word = types ? strtok_r(types, " ", &save) : NULL; word;
         word = strtok_r(NULL, " ", &save)) {
        char *text = vec_as_type(vec->problem, word, vec->wide);

        if (text)
            run_case(tally, handle, vec, text, word);
        else
            tally->failed++;
        free(text);
    }
    free(types);
}

static void run_file(struct tally *tally, anydnnHandle_t handle, const char *path)
{
    struct vec_reader reader;
    struct vec_case vec;
    int more = vec_open(&reader, path) ? -1 : 1;

    while (more > 0 && (more = vec_next(&reader, &vec)) > 0) {
        run_types(tally, handle, &vec);
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
