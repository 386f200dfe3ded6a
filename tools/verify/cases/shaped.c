/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the cases of the shapes: a problem in each type and each published layout. */
#include "tools/verify/cases/cases.h"

#include <stdio.h>
#include <string.h>

#include "desc/names.h"
#include "judge/rules.h"
#include "numerics/numerics.h"
#include "problem/problem.h"
#include "sys/error.h"

#define TYPES    32
#define ANY_MATH (-1) /* the math mode of the shape */

const struct verify_shapes *verify_shapes_of(int32_t operation)
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

static enum oracle_data data_of(enum verify_shape_kind kind)
{
    return kind == VERIFY_SHAPE_SPECIALS         ? ORACLE_SPECIALS
           : kind == VERIFY_SHAPE_LARGE          ? ORACLE_LARGE
           : kind == VERIFY_SHAPE_FAR            ? ORACLE_FAR
           : kind == VERIFY_SHAPE_SUBNORMAL      ? ORACLE_SUBNORMAL
           : kind == VERIFY_SHAPE_SUBNORMAL_SUMS ? ORACLE_SUBNORMAL
                                                 : ORACLE_INTEGERS;
}

int32_t verify_math_of(const struct anydnn_plugin_operation *published, int32_t type, int32_t math)
{
    int32_t least = type == ANYDNN_PLUGIN_FLOAT ? ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION
                                                : ANYDNN_PLUGIN_MATH_TENSOR_OP;

    if (math == ANYDNN_PLUGIN_MATH_DEFAULT && !(published->maths & 1) &&
        (published->maths >> math_bit(least) & 1))
        return least;
    return math;
}

/* Adds a shape. A shape that the type cannot have is skipped. If float cannot have it, this program
 * has a defect. */
static void add_shape(struct verify_cases *cases, const struct verify_shapes *shapes,
                      const struct anydnn_plugin_operation *published,
                      const struct verify_shape *shape, int32_t type, const char *layout,
                      int32_t math)
{
    struct adn_problem problem;
    struct adn_values values;
    int wrong = verify_shape_problem(shapes, shape, type, layout, &problem, &values);
    struct verify_case *item;

    if (!wrong && shape->kind == VERIFY_SHAPE_LONG && adn_judge_terms(&problem) < VERIFY_LONG_TERMS)
        return;
    if (!wrong)
        problem.math = math != ANY_MATH ? math : verify_math_of(published, type, problem.math);
    if (wrong ? type != ANYDNN_PLUGIN_FLOAT : !(published->maths >> math_bit(problem.math) & 1))
        return;
    item = verify_problem_add(cases, &problem, &values, type, layout, shape->label);
    item->operation = shapes->operation;
    item->data = data_of(shape->kind);
    if (wrong)
        snprintf(item->fault, sizeof(item->fault), "the case \"%s\" is not a valid problem: %.800s",
                 shape->text, adn_error_text());
}

/* Returns 1 if the type can have the shape. Only of sums of products, the backward operations of
 * subnormal numbers are subnormal, too. */
static int suits(const struct verify_shapes *shapes, const struct verify_shape *shape, int32_t type)
{
    int vectors = adn_type_lanes(type) > 1;
    int floating = adn_type_digits(type) > 0;

    switch (shape->kind) {
    case VERIFY_SHAPE_PLAIN:
        return !vectors;
    case VERIFY_SHAPE_SPECIALS:
    case VERIFY_SHAPE_FAR:
    case VERIFY_SHAPE_LONG:
    case VERIFY_SHAPE_LAYER:
        return floating;
    case VERIFY_SHAPE_SUBNORMAL:
        return floating && shapes->from == 0;
    case VERIFY_SHAPE_SUBNORMAL_SUMS:
        return adn_type_digits(type) >= 24;
    case VERIFY_SHAPE_VECTORS:
        return vectors;
    case VERIFY_SHAPE_INTEGERS:
        return !floating && !vectors;
    case VERIFY_SHAPE_LARGE:
        return !floating;
    case VERIFY_SHAPE_HALF:
        return type == ANYDNN_PLUGIN_HALF;
    }
    return 0;
}

int verify_takes_subnormals(const struct adn_problem *problem)
{
    const struct verify_shapes *shapes = verify_shapes_of(problem->operation);
    const struct verify_shape *shape = shapes == NULL      ? NULL
                                       : shapes->from != 0 ? verify_shapes_of(shapes->from)->shape
                                                           : shapes->shape;

    if (problem->math != ANYDNN_PLUGIN_MATH_DEFAULT ||
        (problem->operation == ANYDNN_PLUGIN_ACTIVATION_FORWARD &&
         problem->params.activation.mode != ANYDNN_PLUGIN_ACTIVATION_RELU))
        return 0;
    for (; shape != NULL && shape->text != NULL; shape++)
        if (data_of(shape->kind) == ORACLE_SUBNORMAL &&
            suits(shapes, shape, problem->tensor[0].type))
            return 1;
    return 0;
}

/* Returns 1 if the type can have the layout. Vectors are packed, or strided if the operation
 * accepts strides. */
static int takes_layout(const struct anydnn_plugin_operation *op, int32_t type, uint32_t layout)
{
    if (adn_type_lanes(type) > 1)
        return (op->layouts & ANYDNN_PLUGIN_LAYOUT_VECT_C) &&
               (layout == ANYDNN_PLUGIN_LAYOUT_VECT_C ||
                (layout == ANYDNN_PLUGIN_LAYOUT_STRIDED && (op->layouts & layout)));
    return layout != ANYDNN_PLUGIN_LAYOUT_VECT_C && (op->layouts & layout);
}

/* Adds a shape in one type. With --quick, the first shape gets every layout of the type, and each
 * other one gets one layout, in turn. */
static void add_shape_of_type(struct verify_cases *cases, const struct verify_shapes *shapes,
                              const struct anydnn_plugin_operation *op,
                              const struct verify_shape *shape, int32_t type, int turn)
{
    int count = 0;
    int number = 0;

    for (int i = 0; i < VERIFY_LAYOUTS; i++)
        count += takes_layout(op, type, verify_layouts[i].bit) != 0;
    for (int i = 0; i < VERIFY_LAYOUTS; i++)
        if (takes_layout(op, type, verify_layouts[i].bit) &&
            (turn < 0 || number++ == (turn + type) % count))
            add_shape(cases, shapes, op, shape, type, verify_layouts[i].name, ANY_MATH);
}

/* Adds a layer in each published mode that changes how the type is computed, with rows last and
 * with channels last. */
static void add_layer(struct verify_cases *cases, const struct verify_shapes *shapes,
                      const struct anydnn_plugin_operation *op, const struct verify_shape *shape,
                      int32_t type)
{
    static const int32_t maths[] = {ANYDNN_PLUGIN_MATH_DEFAULT, ANYDNN_PLUGIN_MATH_TENSOR_OP,
                                    ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION, ANYDNN_PLUGIN_MATH_SPLIT};
    int is_float = type == ANYDNN_PLUGIN_FLOAT, is_short = adn_type_digits(type) < 24;

    for (size_t i = 0; i < sizeof(maths) / sizeof(maths[0]); i++) {
        int differs = maths[i] == ANYDNN_PLUGIN_MATH_DEFAULT     ? 1
                      : maths[i] == ANYDNN_PLUGIN_MATH_TENSOR_OP ? is_short
                                                                 : is_float;

        for (int k = 0; k < VERIFY_LAYOUTS && differs; k++)
            if (verify_layouts[k].bit & op->layouts &
                (ANYDNN_PLUGIN_LAYOUT_NCHW | ANYDNN_PLUGIN_LAYOUT_NHWC))
                add_shape(cases, shapes, op, shape, type, verify_layouts[k].name, maths[i]);
    }
}

/* Adds shapes with long sums. Skips them for cpu_ref, which would be checked against itself. Slow
 * sums get one layout; --quick keeps only the shortest. */
static void add_large(struct verify_cases *cases, const struct verify_shapes *shapes,
                      const struct anydnn_plugin_operation *op, const struct verify_shape *shape,
                      int32_t type, const struct verify_filter *filter, int turn)
{
    if (filter->itself || filter->quick > 1 ||
        (filter->quick && strcmp(shape->label, "long sums") != 0))
        return;
    if (shape->kind == VERIFY_SHAPE_LONG)
        add_shape_of_type(cases, shapes, op, shape, type, turn);
    else
        add_layer(cases, shapes, op, shape, type);
}

static void add_list(struct verify_cases *cases, const struct verify_shapes *shapes,
                     const struct anydnn_plugin_operation *op, const struct verify_filter *filter)
{
    const struct verify_shape *shape = shapes->shape;

    for (int turn = 0; shape->text != NULL; shape++, turn++)
        for (int32_t type = 0; type < TYPES; type++)
            if (!(op->types >> type & 1) || (filter->type >= 0 && filter->type != type) ||
                !suits(shapes, shape, type))
                continue;
            else if (shape->kind == VERIFY_SHAPE_LONG || shape->kind == VERIFY_SHAPE_LAYER)
                add_large(cases, shapes, op, shape, type, filter, turn);
            else
                add_shape_of_type(cases, shapes, op, shape, type,
                                  filter->quick && turn > 0 ? turn : -1);
}

void verify_shapes_add(struct verify_cases *cases, const struct anydnn_plugin_operation *op,
                       const struct verify_filter *filter)
{
    const struct verify_shapes *shapes = verify_shapes_of(op->operation);
    struct verify_shapes list;

    if (shapes == NULL)
        return;
    list = *shapes;
    if (shapes->from != 0) {
        list.shape = verify_shapes_of(shapes->from)->shape;
        add_list(cases, &list, op, filter);
    }
    list.from = 0;
    list.shape = shapes->shape;
    add_list(cases, &list, op, filter);
}
