/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the list of cases: shapes as problems of a type, laid out in each of the published ways. */
#include "cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/layout.h"
#include "desc/names.h"
#include "desc/operations.h"
#include "desc/shape.h"
#include "numerics/numerics.h"
#include "sys/error.h"

#define TYPES 32

static const struct {
    uint32_t bit;
    const char *name;
} layouts[] = {
    {ANYDNN_PLUGIN_LAYOUT_NCHW, "nchw"},
    {ANYDNN_PLUGIN_LAYOUT_NHWC, "nhwc"},
    {ANYDNN_PLUGIN_LAYOUT_STRIDED, "strided"},
    {ANYDNN_PLUGIN_LAYOUT_VECT_C, "nchw_vect_c"},
};

#define LAYOUTS ((int)(sizeof(layouts) / sizeof(layouts[0])))

/* ---- the list */

static struct verify_case *add_case(struct verify_cases *cases, enum verify_kind kind,
                                    int32_t operation, int32_t type, const char *layout,
                                    const char *label)
{
    struct verify_case *item = tool_alloc(sizeof(*item));

    memset(item, 0, sizeof(*item));
    item->kind = kind;
    item->operation = operation;
    item->type = type;
    item->layout = layout;
    item->label = strdup(label);
    if (cases->count == cases->room) {
        struct verify_case **more;

        cases->room = cases->room > 0 ? 2 * cases->room : 256;
        more = realloc(cases->item, (size_t)cases->room * sizeof(*more));
        if (more == NULL)
            exit(TOOL_FAILED);
        cases->item = more;
    }
    cases->item[cases->count++] = item;
    return item;
}

void verify_cases_free(struct verify_cases *cases)
{
    for (int i = 0; i < cases->count; i++) {
        free(cases->item[i]->label);
        free(cases->item[i]);
    }
    free(cases->item);
    free(cases);
}

char *verify_case_text(const struct verify_case *item)
{
    size_t size = adn_problem_print(&item->problem, &item->values, NULL, 0) + 1;
    char *text = tool_alloc(size);

    adn_problem_print(&item->problem, &item->values, text, size);
    return text;
}

/* ---- texts */

/* `$` is the type, `%` that of statistics and parameters. */
static void expand(char *to, size_t size, int32_t operation, const char *text, int32_t type)
{
    const char *parameter =
        adn_type_name(type == ANYDNN_PLUGIN_DOUBLE ? ANYDNN_PLUGIN_DOUBLE : ANYDNN_PLUGIN_FLOAT);
    size_t length = (size_t)snprintf(to, size, "%s ", adn_operation_name(operation));

    for (; *text != '\0' && length + 16 < size; text++)
        if (*text == '$' || *text == '%')
            length += (size_t)snprintf(to + length, size - length, "%s",
                                       *text == '$' ? adn_type_name(type) : parameter);
        else
            to[length++] = *text;
    to[length] = '\0';
}

/* The way back over the same shapes: operands by name, `d` before a role for its gradient. */
static void turn_back(struct adn_problem *problem, struct adn_values *values, int32_t operation)
{
    const struct adn_operation *from = adn_problem_operation(problem->operation);
    const struct adn_operation *info = adn_problem_operation(operation);
    struct adn_problem back;
    int32_t data = -1;

    adn_problem_init(&back, operation);
    back.params = problem->params;
    back.math = problem->math;
    for (int i = 0; i < info->slot_count; i++) {
        const char *role = info->slot[i].role;

        for (int k = 0; k < from->slot_count; k++)
            if (strcmp(role + (role[0] == 'd'), from->slot[k].role) == 0)
                back.tensor[i] = problem->tensor[k];
        back.present |= UINT32_C(1) << i;
        if (strcmp(role, "dy") == 0)
            data = i;
    }
    for (int k = 0; k < from->slot_count; k++)
        if (problem->alias[k] > 0)
            back.alias[info->slot_count - 1] = (uint8_t)(data + 1);
    *problem = back;
    (void)values; /* alpha and beta have the same places in both directions */
}

/* ---- layouts */

static int stays_packed(const struct adn_problem *problem, int slot)
{
    static const char *const packed[] = {"w",         "dw",           "bias",         "scale",
                                         "mean",      "var",          "running_mean", "running_var",
                                         "save_mean", "save_inv_var", "dscale",       "dbias",
                                         "states",    "reserve",      "indices",      "col"};
    const struct adn_operation *info = adn_problem_operation(problem->operation);

    for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++)
        if (strcmp(info->slot[slot].role, packed[i]) == 0)
            return 1;
    return 0;
}

/* Odd slots: part of a larger packed tensor, every second element of its rows. Even slots: the
 * channels outermost, with rows kept apart. No two dims have the same gap. */
static void spread(struct anydnn_plugin_tensor *tensor, int slot)
{
    int64_t step = slot % 2 == 1 ? 2 : 1;

    for (int d = tensor->ndims - 1; d >= 0; d--) {
        if (slot % 2 == 0 && d <= 1 && tensor->ndims > 2)
            continue;
        tensor->strides[d] = step;
        step *= tensor->dims[d] + 1 + d % 2;
    }
    if (slot % 2 == 0 && tensor->ndims > 2) {
        tensor->strides[0] = step + 3;
        tensor->strides[1] = (step + 3) * tensor->dims[0] + 1;
    }
}

static void lay_out(struct adn_problem *problem, const char *layout)
{
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    int plain = strcmp(layout, "nchw") == 0 || strcmp(layout, "nchw_vect_c") == 0;
    int strided = strcmp(layout, "strided") == 0;

    for (int i = 0; i < info->slot_count; i++) {
        const char *role = info->slot[i].role;
        int filter = strcmp(role, "w") == 0 || strcmp(role, "dw") == 0;

        /* Plain stands for what the text says, which may name layouts. */
        if (!(problem->present >> i & 1) || plain)
            continue;
        if (problem->alias[i] > 0)
            problem->tensor[i] = problem->tensor[problem->alias[i] - 1];
        else if (stays_packed(problem, i) && (strided || !filter))
            continue;
        else if (strided)
            spread(&problem->tensor[i], i);
        else
            adn_layout_set(&problem->tensor[i], layout);
    }
}

/* ---- shapes */

static const struct verify_shapes *shapes_of(int32_t operation)
{
    for (const struct verify_shapes *shapes = verify_shapes; shapes->operation != 0; shapes++)
        if (shapes->operation == operation)
            return shapes;
    return NULL;
}

static int math_bit(int32_t math)
{
    return math == ANYDNN_PLUGIN_MATH_SPLIT ? 3 : (int)math;
}

/* A shape that the type cannot have is no case; if float cannot, this program is wrong. */
static int make_problem(const struct verify_shapes *shapes, const struct verify_shape *shape,
                        int32_t type, const char *layout, struct adn_problem *problem,
                        struct adn_values *values)
{
    char text[1024];
    anydnnStatus_t status;

    expand(text, sizeof(text), shapes->from != 0 ? shapes->from : shapes->operation, shape->text,
           type);
    status = adn_problem_parse(text, problem, values);
    if (status != ANYDNN_STATUS_SUCCESS)
        return -1;
    if (shapes->from != 0)
        turn_back(problem, values, shapes->operation);
    lay_out(problem, layout);
    return adn_problem_check(problem, "case") == ANYDNN_STATUS_SUCCESS ? 0 : -1;
}

static void add_shape(struct verify_cases *cases, const struct verify_shapes *shapes,
                      const struct anydnn_plugin_operation *published,
                      const struct verify_shape *shape, int32_t type, const char *layout)
{
    struct adn_problem problem;
    struct adn_values values;
    int wrong = make_problem(shapes, shape, type, layout, &problem, &values);
    struct verify_case *item;

    if (wrong ? type != ANYDNN_PLUGIN_FLOAT : !(published->maths >> math_bit(problem.math) & 1))
        return;
    item = add_case(cases, VERIFY_KIND_PROBLEM, shapes->operation, type, layout, shape->label);
    item->specials = shape->only == VERIFY_ONLY_SPECIALS && adn_type_digits(type) > 0;
    if (wrong)
        snprintf(item->fault, sizeof(item->fault), "the case \"%s\" is no valid problem: %.800s",
                 shape->text, adn_error_text());
    adn_problem_copy(&item->problem, &problem);
    item->values = values;
}

static int suits(const struct verify_shape *shape, int32_t type)
{
    if (adn_type_lanes(type) > 1)
        return shape->only == VERIFY_ONLY_VECTORS;
    return shape->only != VERIFY_ONLY_VECTORS &&
           (shape->only != VERIFY_ONLY_INTEGERS || adn_type_digits(type) == 0);
}

/* Quick: every shape in all layouts but one, by turns; the first shape in all of them. */
static void add_operation(struct verify_cases *cases, const struct anydnn_plugin_operation *op,
                          const struct verify_filter *filter)
{
    const struct verify_shapes *shapes = shapes_of(op->operation);
    const struct verify_shape *shape;

    if (shapes == NULL)
        return;
    shape = shapes->from != 0 ? shapes_of(shapes->from)->shape : shapes->shape;
    for (int turn = 0; shape->text != NULL; shape++, turn++)
        for (int32_t type = 0; type < TYPES; type++)
            for (int i = 0; i < LAYOUTS; i++) {
                int vectors = adn_type_size(type) > 0 && adn_type_lanes(type) > 1;

                if (!(op->types >> type & 1) || !(op->layouts & layouts[i].bit) ||
                    (filter->type >= 0 && filter->type != type) ||
                    vectors != (layouts[i].bit == ANYDNN_PLUGIN_LAYOUT_VECT_C))
                    continue;
                if (!suits(shape, type))
                    continue;
                if (filter->quick && turn > 0 && !vectors && turn % 3 == i)
                    continue;
                add_shape(cases, shapes, op, shape, type, layouts[i].name);
            }
}

/* ---- the whole list */

static int is_wanted(const struct verify_filter *filter, int32_t operation)
{
    const char *name = adn_operation_name(operation);
    size_t length = filter->operation != NULL ? strlen(filter->operation) : 0;

    if (length == 0)
        return 1;
    if (filter->operation[length - 1] == '*')
        return strncmp(name, filter->operation, length - 1) == 0;
    return strcmp(name, filter->operation) == 0;
}

static int add_one(struct verify_cases *cases, const struct adn_backend *backend, const char *text,
                   char *sentence)
{
    struct adn_problem problem;
    struct adn_values values;
    struct verify_case *item;

    if (adn_problem_parse(text, &problem, &values) != ANYDNN_STATUS_SUCCESS ||
        adn_problem_check(&problem, "anydnn verify") != ANYDNN_STATUS_SUCCESS) {
        snprintf(sentence, VERIFY_SENTENCE, "%.1000s", adn_error_text());
        return -1;
    }
    if (backend->operation[problem.operation] == NULL) {
        snprintf(sentence, VERIFY_SENTENCE, "%s does not offer %s", backend->name,
                 adn_operation_name(problem.operation));
        return -1;
    }
    for (int specials = 0; specials < 2; specials++) {
        const char *layout = adn_layout_name(&problem.tensor[0]);

        item = add_case(cases, VERIFY_KIND_PROBLEM, problem.operation, problem.tensor[0].type,
                        layout != NULL ? layout : "strided",
                        specials ? "given,NaN and infinities" : "given");
        item->specials = specials;
        adn_problem_copy(&item->problem, &problem);
        item->values = values;
        if (strstr(text, "nan=") == NULL)
            break;
    }
    return 0;
}

struct verify_cases *verify_cases_make(const struct adn_backend *backend,
                                       const struct verify_filter *filter,
                                       struct verify_vectors *vectors, char *sentence)
{
    struct verify_cases *cases = tool_alloc(sizeof(*cases));

    memset(cases, 0, sizeof(*cases));
    if (filter->problem != NULL) {
        if (add_one(cases, backend, filter->problem, sentence) == 0)
            return cases;
        verify_cases_free(cases);
        return NULL;
    }
    add_case(cases, VERIFY_KIND_RULES, 0, -1, "", "description");
    for (int32_t number = 1; number < ANYDNN_PLUGIN_OPERATION_END; number++) {
        const struct anydnn_plugin_operation *op = backend->operation[number];

        if (op == NULL || !is_wanted(filter, number))
            continue;
        add_case(cases, VERIFY_KIND_RULES, number, -1, "", "rules");
        add_operation(cases, op, filter);
        for (struct verify_vector *vector = vectors->first; vector != NULL; vector = vector->next) {
            struct verify_case *item;

            if (vector->problem.operation != number ||
                !(op->types >> vector->problem.tensor[0].type & 1) ||
                (filter->type >= 0 && filter->type != vector->problem.tensor[0].type))
                continue;
            item = add_case(cases, VERIFY_KIND_VECTOR, number, vector->problem.tensor[0].type,
                            "golden", vector->name);
            item->vector = vector;
            adn_problem_copy(&item->problem, &vector->problem);
            item->values = vector->values;
        }
    }
    return cases;
}
