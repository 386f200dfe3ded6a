/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the values of the text form: lists, numbers, tensors, names. */
#include "problem/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "desc/layout.h"
#include "desc/names.h"
#include "desc/shape.h"
#include "problem/params.h"
#include "sys/error.h"
#include "sys/text.h"

anydnnStatus_t adn_read_fail(const char *word, const char *rule)
{
    return adn_fail(ANYDNN_STATUS_BAD_PARAM, "problem text: `%s`: %s", word, rule);
}

int32_t adn_read_list(const char *text, int64_t *values, int32_t max)
{
    int32_t count = 0;
    char *end;

    do {
        if (count == max)
            return -1;
        errno = 0;
        values[count++] = strtoll(text, &end, 10);
        if (end == text || errno != 0)
            return -1;
        text = end + 1;
    } while (*end == ',');
    return *end == '\0' ? count : -1;
}

int adn_read_double(const char *text, double *value)
{
    char *end;

    *value = adn_text_to_double(text, &end);
    return end != text && *end == '\0';
}

static const char too_large[] = "its size in bytes exceeds 64 bits";

static anydnnStatus_t check_size(const char *word, const struct anydnn_plugin_tensor *tensor)
{
    if (adn_shape_elements(tensor) == INT64_MAX || adn_shape_bytes(tensor) < 0)
        return adn_read_fail(word, too_large);
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t adn_read_tensor(const char *word, char *value, struct anydnn_plugin_tensor *tensor)
{
    char *dims = strchr(value, ':');
    char *colon = dims ? strchr(dims + 1, ':') : NULL;
    const char *layout = NULL;
    int32_t lanes;

    memset(tensor, 0, sizeof(*tensor));
    tensor->struct_size = sizeof(*tensor);
    if (!dims)
        return adn_read_fail(word, "an operand must be TYPE:DIMS or TYPE:DIMS:LAYOUT");
    *dims++ = '\0';
    if (colon) {
        *colon = '\0';
        layout = colon + 1;
    }
    tensor->type = adn_type_parse(value);
    if (tensor->type < 0)
        return adn_read_fail(word, "the type must be one of " ADN_TYPE_NAMES);
    tensor->ndims = adn_read_list(dims, tensor->dims, ANYDNN_PLUGIN_DIM_MAX);
    if (tensor->ndims < 1)
        return adn_read_fail(word, "the dims must be 1 to 8 integers, separated by commas");
    for (int32_t i = 0; i < tensor->ndims; i++)
        if (tensor->dims[i] < 1)
            return adn_read_fail(word, "every dim must be at least 1");
    if (layout && (*layout == '-' || (*layout >= '0' && *layout <= '9'))) {
        if (adn_read_list(layout, tensor->strides, ANYDNN_PLUGIN_DIM_MAX) != tensor->ndims)
            return adn_read_fail(word, "the number of strides must be the number of dims");
        return check_size(word, tensor);
    }
    lanes = adn_type_lanes(tensor->type);
    if (!layout)
        layout = lanes > 1 ? "nchw_vect_c" : "nchw";
    if (adn_shape_elements(tensor) == INT64_MAX)
        return adn_read_fail(word, too_large);
    if (strcmp(layout, "nchw_vect_c") == 0 && tensor->ndims > 1 && tensor->dims[1] % lanes != 0)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "problem text: `%s`: dim 1, its channels, must be a multiple of %d, the "
                        "vector length of %s",
                        word, (int)lanes, adn_type_name(tensor->type));
    if (adn_layout_set(tensor, layout) != 0)
        return adn_read_fail(word, "the layout must be nchw, nhwc, nchw_vect_c (VECT_C types) or "
                                   "strides separated by commas");
    return check_size(word, tensor);
}

/* Reads a list of dims as bits, or `none`. Returns -1 for another text. */
static int32_t read_axes(const char *value)
{
    int64_t list[ANYDNN_PLUGIN_DIM_MAX];
    int32_t count =
        strcmp(value, "none") == 0 ? 0 : adn_read_list(value, list, ANYDNN_PLUGIN_DIM_MAX);
    int32_t axes = 0;

    for (int32_t i = 0; i < count; i++) {
        if (list[i] < 0 || list[i] >= ANYDNN_PLUGIN_DIM_MAX || (axes >> list[i] & 1))
            return -1;
        axes |= 1 << list[i];
    }
    return count < 0 ? -1 : axes;
}

/* Returns the number of a name, or -1. */
static int32_t number_of_name(const struct adn_param *param, const char *name)
{
    int32_t number = -1;

    for (int32_t i = 0; (number = adn_param_number(param, i)) >= 0; i++)
        if (strcmp(adn_param_name(param, number), name) == 0)
            return number;
    return -1;
}

static int32_t names_count(const char *const *names)
{
    int32_t count = 0;

    while (names[count])
        count++;
    return count;
}

static anydnnStatus_t bad_name(const char *word, const char *value, const char *const *names)
{
    const char *near = adn_name_nearest(value, names, names_count(names));

    if (near)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "problem text: `%s`: unknown value; did you mean `%s`?", word, near);
    return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                    "problem text: `%s`: unknown value; the first choice is `%s`", word, names[0]);
}

anydnnStatus_t adn_read_param(union kit_params *params, const struct adn_param *param,
                              int32_t *count, const char *word, const char *value)
{
    void *at = (char *)params + param->offset;
    int64_t list[ANYDNN_PLUGIN_DIM_MAX];
    int32_t number;
    double real;

    switch (param->kind) {
    case ADN_PARAM_SPATIAL:
    case ADN_PARAM_DIMS:
        number = adn_read_list(value, at,
                               param->kind == ADN_PARAM_SPATIAL ? ANYDNN_PLUGIN_SPATIAL_MAX
                                                                : ANYDNN_PLUGIN_DIM_MAX);
        if (number < 1)
            return adn_read_fail(word, "it must be a list of integers, separated by commas");
        *count = number;
        return ANYDNN_STATUS_SUCCESS;
    case ADN_PARAM_DOUBLE:
        if (!adn_read_double(value, &real))
            return adn_read_fail(word, "it must be a number");
        memcpy(at, &real, sizeof(real));
        return ANYDNN_STATUS_SUCCESS;
    case ADN_PARAM_NAMES:
        number = number_of_name(param, value);
        if (number < 0)
            return bad_name(word, value, param->names);
        break;
    case ADN_PARAM_AXES:
        number = read_axes(value);
        if (number < 0)
            return adn_read_fail(word, "not a list of different dims from 0 to 7, nor `none`");
        break;
    case ADN_PARAM_TYPE:
        number = adn_type_parse(value);
        if (number < 0)
            return adn_read_fail(word, "the compute type must be f64, f32, f16, bf16 or s32");
        break;
    default:
        if (adn_read_list(value, list, 1) != 1)
            return adn_read_fail(word, "it must be an integer");
        if (param->kind == ADN_PARAM_INT64) {
            memcpy(at, list, sizeof(list[0]));
            return ANYDNN_STATUS_SUCCESS;
        }
        if (list[0] < INT32_MIN || list[0] > INT32_MAX)
            return adn_read_fail(word, "the number is too large");
        number = (int32_t)list[0];
    }
    memcpy(at, &number, sizeof(number));
    return ANYDNN_STATUS_SUCCESS;
}
