/* SPDX-License-Identifier: Apache-2.0 */
/* Tests half, bfloat16 and float on cpu_ref. Computation in double with one rounding must equal,
 * bit for bit, the rounded result of the double operation on the same numbers. The test runs
 * every small double problem of the golden vectors, on numbers that all types represent. */
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_ref_fixture.h"
#include "desc/names.h"
#include "numerics/numerics.h"
#include "problem/operation.h"
#include "problem/problem.h"
#include "problem/text.h"

#define SLOTS ANYDNN_PLUGIN_OPERAND_MAX
/* The limit on elements of an operand: larger problems test loops, not types. */
#define MOST 65536

/* ------------------------------------------------------------------ elements */

static int is_floating(int32_t type)
{
    return type == ANYDNN_PLUGIN_DOUBLE || type == ANYDNN_PLUGIN_FLOAT ||
           type == ANYDNN_PLUGIN_HALF || type == ANYDNN_PLUGIN_BFLOAT16;
}

static double get(int32_t type, const void *data, int64_t at)
{
    return adn_element_load(type, (const char *)data + at * (int64_t)adn_type_size(type));
}

static void put(int32_t type, void *data, int64_t at, double value)
{
    adn_element_store(type, (char *)data + at * (int64_t)adn_type_size(type), value);
}

/* ------------------------------------------------------------------ one run */

struct run {
    struct adn_problem problem;
    struct adn_values values;
    struct anydnn_plugin_problem view;
    struct anydnn_plugin_operands operands;
    int64_t bytes[SLOTS];
    double value; /* the value of set_tensor, in the type of y */
};

static const char *const data_roles[] = {"x", "y", "z", "dx", "dy", "dz"};

/* Writes the text with another type instead of double. Costs and the parameters of batch
 * normalization become float; the parameters are all operands with a role other than those
 * above. */
static void with_type(const char *text, const char *type, char *to, size_t size)
{
    int batch_norm = strncmp(text, "batch_normalization", 19) == 0;
    char copy[2048], *save = NULL;
    size_t used = 0;

    snprintf(copy, sizeof copy, "%s", text);
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *equals = strstr(word, "=f64:");
        int is_data = !batch_norm && strncmp(word, "costs=", 6) != 0;

        if (!equals) {
            used += (size_t)snprintf(to + used, size - used, " %s", word);
            continue;
        }
        *equals = 0;
        for (size_t i = 0; i < sizeof data_roles / sizeof data_roles[0]; i++)
            is_data = is_data || strcmp(word, data_roles[i]) == 0;
        used += (size_t)snprintf(to + used, size - used, " %s=%s:%s", word,
                                 is_data || strcmp(type, "f64") == 0 ? type : "f32", equals + 5);
    }
    assert_in_range(used, 1, size - 1);
}

static int is_positive(const char *role)
{
    return strcmp(role, "var") == 0 || strcmp(role, "running_var") == 0 ||
           strcmp(role, "save_inv_var") == 0;
}

/* Fills a slot with the same numbers for every type: eighths of small integers. Byte buffers get
 * random bytes, and dropout states get their format. */
static void fill(struct run *run, int32_t slot, const char *role)
{
    const struct anydnn_plugin_tensor *tensor = run->view.tensor[slot];
    uint32_t state = 77u * (uint32_t)(slot + 1);
    int64_t size = (int64_t)adn_type_size(tensor->type);

    for (int64_t i = 0; i < run->bytes[slot] / size; i++) {
        state = state * 1664525 + 1013904223;
        if (tensor->type == ANYDNN_PLUGIN_UINT8)
            ((uint8_t *)run->operands.data[slot])[i] = (uint8_t)(state >> 24);
        else if (is_positive(role))
            put(tensor->type, run->operands.data[slot], i, ((state >> 24) % 40 + 1) / 8.0);
        else if (is_floating(tensor->type))
            put(tensor->type, run->operands.data[slot], i, ((int)((state >> 24) % 81) - 40) / 8.0);
    }
    if (strcmp(role, "states") == 0)
        memcpy(run->operands.data[slot],
               (const uint64_t[]){UINT64_C(0x706f7264796e61), 1, 1234567, 8}, 32);
}

static void open_run(struct run *run, const char *text)
{
    const struct adn_operation *info;

    memset(run, 0, sizeof *run);
    if (adn_problem_parse(text, &run->problem, &run->values))
        fail_msg("cannot read: %s", text);
    info = adn_problem_operation(run->problem.operation);
    if (info->family == ADN_FAMILY_LRN) {
        struct anydnn_plugin_lrn *lrn = &run->problem.params.lrn;

        /* The parameters are floats anyway unless the type is double. */
        lrn->alpha = adn_type_round(ANYDNN_PLUGIN_FLOAT, lrn->alpha);
        lrn->beta = adn_type_round(ANYDNN_PLUGIN_FLOAT, lrn->beta);
        lrn->k = adn_type_round(ANYDNN_PLUGIN_FLOAT, lrn->k);
    }
    adn_problem_view(&run->problem, 0, &run->view);
    run->operands.struct_size = sizeof run->operands;
    memcpy(run->operands.scale, run->values.scale, sizeof run->operands.scale);
    memcpy(run->operands.number, run->values.number, sizeof run->operands.number);
    put(adn_problem_type(&run->problem), &run->value, 0, run->values.value);
    run->operands.value = &run->value;
    for (int32_t slot = 0; slot < info->slot_count; slot++) {
        const struct anydnn_plugin_tensor *tensor = run->view.tensor[slot];
        int64_t last = 0;

        if (!(run->view.present >> slot & 1))
            continue;
        for (int32_t d = 0; d < tensor->ndims; d++)
            last += (tensor->dims[d] - 1) * tensor->strides[d];
        run->bytes[slot] = (last + 1) * (int64_t)adn_type_size(tensor->type);
        if (run->view.alias[slot]) {
            run->operands.data[slot] = run->operands.data[run->view.alias[slot] - 1];
            continue;
        }
        run->operands.data[slot] = calloc((size_t)run->bytes[slot], 1);
        assert_non_null(run->operands.data[slot]);
        fill(run, slot, info->slot[slot].role);
    }
}

static void close_run(struct run *run)
{
    for (int32_t slot = 0; slot < SLOTS; slot++) {
        if (!run->view.alias[slot])
            free(run->operands.data[slot]);
    }
}

static void execute(struct run *run, struct anydnn_plugin_context *context, const char *text)
{
    const struct anydnn_plugin_operation *operation = fixture_operation(run->view.operation);
    struct anydnn_plugin_plan *plan = NULL;
    int32_t effect = 0;

    if (operation->plan_create(context, &run->view, 1, &plan) ||
        operation->plan_execute(plan, &run->operands, &effect))
        fail_msg("%s\n%s", text, fixture_error);
    operation->plan_destroy(plan);
}

/* ------------------------------------------------------------------ comparison */

/* Compares every element and every gap, since unwritten bytes must also be equal. A maximum over
 * an empty window is the lowest number of its type, which is not a rounded double. */
static void compare(const struct run *wide, const struct run *narrow, int32_t slot,
                    const char *text)
{
    int32_t from = wide->view.tensor[slot]->type, type = narrow->view.tensor[slot]->type;

    if (!is_floating(type)) {
        assert_memory_equal(wide->operands.data[slot], narrow->operands.data[slot],
                            (size_t)wide->bytes[slot]);
        return;
    }
    for (int64_t i = 0; i < wide->bytes[slot] / 8; i++) {
        double exact = get(from, wide->operands.data[slot], i);
        double got = get(type, narrow->operands.data[slot], i);
        double expected = adn_type_round(type, exact);

        if (fabs(exact) < 1e300 && !(got == expected || (isnan(got) && isnan(expected))))
            fail_msg("%s\nslot %d, element %lld: %a is %a and must be %a", text, (int)slot,
                     (long long)i, exact, got, expected);
    }
}

static int is_small(const char *text)
{
    struct adn_problem problem;
    struct adn_values values;
    int64_t most = 0;

    if (adn_problem_parse(text, &problem, &values))
        fail_msg("cannot read: %s", text);
    for (int32_t slot = 0; slot < SLOTS; slot++) {
        int64_t count = 1;

        for (int32_t d = 0; (problem.present >> slot & 1) && d < problem.tensor[slot].ndims; d++)
            count *= problem.tensor[slot].dims[d];
        most = count > most ? count : most;
    }
    return most <= MOST;
}

/* Runs a problem in double and in the type; returns the operation. */
static int32_t try_problem(struct anydnn_plugin_context *context, const char *text,
                           const char *type)
{
    char wide_text[2048], narrow_text[2048];
    struct run wide, narrow;

    with_type(text, "f64", wide_text, sizeof wide_text);
    with_type(text, type, narrow_text, sizeof narrow_text);
    open_run(&wide, wide_text);
    open_run(&narrow, narrow_text);
    execute(&wide, context, wide_text);
    execute(&narrow, context, narrow_text);
    for (int32_t slot = 0; slot < SLOTS; slot++) {
        if (wide.view.present >> slot & 1)
            compare(&wide, &narrow, slot, narrow_text);
    }
    close_run(&wide);
    close_run(&narrow);
    return wide.view.operation;
}

/* Runs every small double problem of the vectors, which cover each operation. */
static void try_vectors(const char *type)
{
    const char *folder = getenv("ANYDNN_TEST_SRCDIR");
    struct anydnn_plugin_context *context = fixture_context();
    uint64_t tried = 0, offered = 0;
    char pattern[4096], *line = NULL;
    size_t size = 0;
    glob_t files;

    assert_non_null(folder);
    snprintf(pattern, sizeof pattern, "%s/tests/vectors/*.vec", folder);
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        FILE *file = fopen(files.gl_pathv[i], "r");

        assert_non_null(file);
        while (getline(&line, &size, file) > 0) {
            line[strcspn(line, "\n")] = 0;
            if (strncmp(line, "problem ", 8) != 0 || !strstr(line, "=f64:") || !is_small(line + 8))
                continue;
            tried |= UINT64_C(1) << try_problem(context, line + 8, type);
        }
        fclose(file);
    }
    free(line);
    globfree(&files);
    fixture_plugin()->context_destroy(context);
    for (uint32_t i = 0; i < fixture_plugin()->operation_count; i++)
        offered |= UINT64_C(1) << fixture_plugin()->operations[i]->operation;
    assert_int_equal(tried, offered);
}

static void rounds_once_to_half(void **state)
{
    (void)state;
    try_vectors("f16");
}

static void rounds_once_to_bfloat16(void **state)
{
    (void)state;
    try_vectors("bf16");
}

static void rounds_once_to_float(void **state)
{
    (void)state;
    try_vectors("f32");
}

/* ------------------------------------------------------------------ the type's own limits */

static void run_with(struct run *run, const char *text, double x)
{
    struct anydnn_plugin_context *context = fixture_context();

    open_run(run, text);
    for (int64_t i = 0; i < run->bytes[0] / (int64_t)adn_type_size(run->view.tensor[0]->type); i++)
        put(run->view.tensor[0]->type, run->operands.data[0], i, x);
    execute(run, context, text);
    fixture_plugin()->context_destroy(context);
}

static void starts_maxima_at_the_lowest(void **state)
{
    struct run run;

    (void)state;
    run_with(&run, "pooling_forward x=f16:1,2,3,4 mode=max window=2,2 stride=1,1 pad=0,0",
             -(double)INFINITY);
    assert_true(get(ANYDNN_PLUGIN_HALF, run.operands.data[1], 0) == -65504);
    close_run(&run);
    run_with(&run, "pooling_forward x=bf16:1,2,3,4 mode=max window=2,2 stride=1,1 pad=0,0",
             -(double)INFINITY);
    assert_true(get(ANYDNN_PLUGIN_BFLOAT16, run.operands.data[1], 0) ==
                -ldexp(2 - ldexp(1, -7), 127));
    close_run(&run);
}

/* 3 * 40000 overflows half; 3 * 2^-25 is a subnormal half, rounded up from 1.5 units. */
static void keeps_to_the_range(void **state)
{
    struct run run;

    (void)state;
    run_with(&run, "scale_tensor y=f16:1,1,2,2 alpha=3", 40000);
    assert_true(get(ANYDNN_PLUGIN_HALF, run.operands.data[0], 3) == (double)INFINITY);
    close_run(&run);
    run_with(&run, "scale_tensor y=f16:1,1,2,2 alpha=0.375", 0x1p-22);
    assert_true(get(ANYDNN_PLUGIN_HALF, run.operands.data[0], 3) == 0x1p-23);
    close_run(&run);
    run_with(&run, "scale_tensor y=bf16:1,1,2,2 alpha=-3", 40000);
    assert_true(get(ANYDNN_PLUGIN_BFLOAT16, run.operands.data[0], 3) == -0x1.d4p16);
    close_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_once_to_half),  cmocka_unit_test(rounds_once_to_bfloat16),
        cmocka_unit_test(rounds_once_to_float), cmocka_unit_test(starts_maxima_at_the_lowest),
        cmocka_unit_test(keeps_to_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
