/* SPDX-License-Identifier: Apache-2.0 */
/* The test backend's settings and its log: one line per call, with all arguments. */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mock.h"

const char *mock_setting(const char *key)
{
    const char *value = kit_host->setting(kit_host, key);

    return value && value[0] ? value : NULL;
}

int64_t mock_setting_number(const char *key, int64_t otherwise)
{
    const char *value = mock_setting(key);

    return value ? strtoll(value, NULL, 0) : otherwise;
}

int mock_setting_is(const char *key, const char *value)
{
    const char *text = mock_setting(key);

    return text && strcmp(text, value) == 0;
}

int mock_part(const char *list, char separator, int position, int repeat, char *part, size_t size)
{
    const char *end;

    if (!list)
        return 0;
    for (;;) {
        end = strchr(list, separator);
        if (!end)
            end = list + strlen(list);
        if (position == 0 || (!*end && repeat))
            break;
        if (!*end)
            return 0;
        position--;
        list = end + 1;
    }
    while (*list == ' ')
        list++;
    while (end > list && end[-1] == ' ')
        end--;
    snprintf(part, size, "%.*s", (int)(end - list), list);
    return 1;
}

void mock_line_begin(struct mock_line *line, const char *verb)
{
    line->length = 0;
    mock_line_add(line, "%s %s", kit_name, verb);
}

void mock_line_add(struct mock_line *line, const char *format, ...)
{
    va_list arguments;
    size_t capacity = sizeof(line->text) - line->length;

    va_start(arguments, format);
    int length = vsnprintf(line->text + line->length, capacity, format, arguments);
    va_end(arguments);
    if (length > 0)
        line->length += (size_t)length < capacity ? (size_t)length : capacity - 1;
}

void mock_line_say(const struct mock_line *line)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const char *verbs = mock_setting("says");
    const char *verb = line->text + strlen(kit_name) + 1;
    char part[64];

    for (int i = 0; mock_part(verbs, ',', i, 0, part, sizeof(part)); i++) {
        if (strncmp(verb, part, strcspn(verb, " ")) != 0 || part[strcspn(verb, " ")] != '\0')
            continue;
        pthread_mutex_lock(&lock);
        kit_host->log(kit_host, ANYDNN_PLUGIN_LOG_WARN, NULL, 0, line->text);
        pthread_mutex_unlock(&lock);
    }
}

void mock_line_end(struct mock_line *line)
{
    const char *file = mock_setting("log");

    mock_line_say(line);
    if (!file)
        return;
    if (line->length == sizeof(line->text) - 1)
        line->length--;
    line->text[line->length++] = '\n';
    int fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0 || write(fd, line->text, line->length) != (ssize_t)line->length) {
        perror(file);
        abort();
    }
    close(fd);
}

static const struct {
    int32_t type;
    const char *name;
    size_t size;
} mock_types[] = {
    {ANYDNN_PLUGIN_FLOAT, "f32", 4},      {ANYDNN_PLUGIN_DOUBLE, "f64", 8},
    {ANYDNN_PLUGIN_HALF, "f16", 2},       {ANYDNN_PLUGIN_INT8, "s8", 1},
    {ANYDNN_PLUGIN_INT32, "s32", 4},      {ANYDNN_PLUGIN_INT8X4, "s8x4", 4},
    {ANYDNN_PLUGIN_UINT8, "u8", 1},       {ANYDNN_PLUGIN_UINT8X4, "u8x4", 4},
    {ANYDNN_PLUGIN_INT8X32, "s8x32", 32}, {ANYDNN_PLUGIN_BFLOAT16, "bf16", 2},
    {ANYDNN_PLUGIN_INT64, "s64", 8},      {ANYDNN_PLUGIN_UINT16, "u16", 2},
    {ANYDNN_PLUGIN_UINT32, "u32", 4},     {ANYDNN_PLUGIN_UINT64, "u64", 8},
};

static const char *type_name(int32_t type)
{
    for (size_t i = 0; i < sizeof(mock_types) / sizeof(mock_types[0]); i++) {
        if (mock_types[i].type == type)
            return mock_types[i].name;
    }
    return "?";
}

size_t mock_type_size(int32_t type)
{
    for (size_t i = 0; i < sizeof(mock_types) / sizeof(mock_types[0]); i++) {
        if (mock_types[i].type == type)
            return mock_types[i].size;
    }
    return 0;
}

static void add_list(struct mock_line *line, const char *key, const int64_t *values, int32_t count)
{
    mock_line_add(line, "%s", key);
    for (int32_t i = 0; i < count; i++)
        mock_line_add(line, "%s%" PRId64, i ? "," : "", values[i]);
}

static void add_convolution(struct mock_line *line, const void *params)
{
    const struct anydnn_plugin_convolution *p = params;

    mock_line_add(line, " params=convolution size=%u", p->struct_size);
    add_list(line, " pad=", p->pad, p->spatial_dims);
    add_list(line, " stride=", p->stride, p->spatial_dims);
    add_list(line, " dilation=", p->dilation, p->spatial_dims);
    mock_line_add(line, " groups=%" PRId64 " mode=%d compute=%s activation=%d nan=%d coef=%.17g",
                  p->groups, p->mode, type_name(p->compute_type), p->activation, p->nan_propagate,
                  p->coef);
}

static void add_pooling(struct mock_line *line, const void *params)
{
    const struct anydnn_plugin_pooling *p = params;

    mock_line_add(line, " params=pooling size=%u mode=%d nan=%d", p->struct_size, p->mode,
                  p->nan_propagate);
    add_list(line, " window=", p->window, p->spatial_dims);
    add_list(line, " pad=", p->pad, p->spatial_dims);
    add_list(line, " stride=", p->stride, p->spatial_dims);
}

static void add_activation(struct mock_line *line, const void *params)
{
    const struct anydnn_plugin_activation *p = params;

    mock_line_add(line, " params=activation size=%u mode=%d nan=%d coef=%.17g", p->struct_size,
                  p->mode, p->nan_propagate, p->coef);
}

static void add_softmax(struct mock_line *line, const void *params)
{
    const struct anydnn_plugin_softmax *p = params;

    mock_line_add(line, " params=softmax size=%u softmax=%d mode=%d", p->struct_size, p->algorithm,
                  p->mode);
}

static void add_lrn(struct mock_line *line, const void *params)
{
    const struct anydnn_plugin_lrn *p = params;

    mock_line_add(line, " params=lrn size=%u n=%d alpha=%.17g beta=%.17g k=%.17g", p->struct_size,
                  p->n, p->alpha, p->beta, p->k);
}

static void add_batch_normalization(struct mock_line *line, const void *params)
{
    const struct anydnn_plugin_batch_normalization *p = params;

    mock_line_add(
        line,
        " params=batch_normalization size=%u mode=%d ops=%d activation=%d nan=%d coef=%.17g "
        "epsilon=%.17g",
        p->struct_size, p->mode, p->ops, p->activation, p->nan_propagate, p->coef, p->epsilon);
}

static void add_dropout(struct mock_line *line, const void *params)
{
    const struct anydnn_plugin_dropout *p = params;

    mock_line_add(line, " params=dropout size=%u probability=%.17g", p->struct_size,
                  p->probability);
}

static void add_transform(struct mock_line *line, const void *params)
{
    const struct anydnn_plugin_transform *p = params;

    mock_line_add(line, " params=transform size=%u direction=%d", p->struct_size, p->direction);
    add_list(line, " pad_before=", p->pad_before, ANYDNN_PLUGIN_DIM_MAX);
    add_list(line, " pad_after=", p->pad_after, ANYDNN_PLUGIN_DIM_MAX);
    add_list(line, " fold=", p->fold, ANYDNN_PLUGIN_SPATIAL_MAX);
}

static void add_op_tensor(struct mock_line *line, const void *params)
{
    const struct anydnn_plugin_op_tensor *p = params;

    mock_line_add(line, " params=op_tensor size=%u op=%d compute=%s nan=%d", p->struct_size, p->op,
                  type_name(p->compute_type), p->nan_propagate);
}

static void add_reduce(struct mock_line *line, const void *params)
{
    const struct anydnn_plugin_reduce *p = params;

    mock_line_add(line, " params=reduce size=%u op=%d compute=%s nan=%d", p->struct_size, p->op,
                  type_name(p->compute_type), p->nan_propagate);
}

static void add_spatial(struct mock_line *line, const void *params)
{
    const struct anydnn_plugin_spatial *p = params;

    mock_line_add(line, " params=spatial size=%u sampler=%d", p->struct_size, p->sampler);
}

static void add_ctc(struct mock_line *line, const void *params)
{
    const struct anydnn_plugin_ctc *p = params;

    mock_line_add(line, " params=ctc size=%u normalization=%d nan=%d", p->struct_size,
                  p->normalization, p->nan_propagate);
}

static void add_normalization(struct mock_line *line, const void *params)
{
    const struct anydnn_plugin_normalization *p = params;

    mock_line_add(line,
                  " params=normalization size=%u kind=%d axes=%u channel_axis=%d groups=%lld "
                  "flags=%u activation=%d nan=%d compute=%s epsilon=%.17g coef=%.17g",
                  p->struct_size, p->kind, p->axes, p->channel_axis, (long long)p->groups, p->flags,
                  p->activation, p->nan_propagate, type_name(p->compute_type), p->epsilon, p->coef);
}

static void add_matmul(struct mock_line *line, const void *params)
{
    const struct anydnn_plugin_matmul *p = params;

    mock_line_add(line,
                  " params=matmul size=%u activation=%d nan=%d compute=%s coef=%.17g epilogue=%d",
                  p->struct_size, p->activation, p->nan_propagate, type_name(p->compute_type),
                  p->coef, p->epilogue);
}

static void (*const add_params[MOCK_FAMILY_COUNT])(struct mock_line *line, const void *params) = {
    [MOCK_CONVOLUTION] = add_convolution,
    [MOCK_POOLING] = add_pooling,
    [MOCK_ACTIVATION] = add_activation,
    [MOCK_SOFTMAX] = add_softmax,
    [MOCK_LRN] = add_lrn,
    [MOCK_BATCH_NORMALIZATION] = add_batch_normalization,
    [MOCK_DROPOUT] = add_dropout,
    [MOCK_TRANSFORM] = add_transform,
    [MOCK_OP_TENSOR] = add_op_tensor,
    [MOCK_REDUCE] = add_reduce,
    [MOCK_SPATIAL] = add_spatial,
    [MOCK_CTC] = add_ctc,
    [MOCK_NORMALIZATION] = add_normalization,
    [MOCK_MATMUL] = add_matmul,
};

static const char *math_name(int32_t math)
{
    switch (math) {
    case ANYDNN_PLUGIN_MATH_DEFAULT:
        return "default";
    case ANYDNN_PLUGIN_MATH_TENSOR_OP:
        return "tensor_op";
    case ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION:
        return "allow_conversion";
    case ANYDNN_PLUGIN_MATH_SPLIT:
        return "split";
    default:
        return "?";
    }
}

void mock_line_problem(struct mock_line *line, const struct anydnn_plugin_problem *problem)
{
    const struct mock_operation *operation = &mock_operations[problem->operation];

    mock_line_add(line,
                  " operation=%s math=%s algorithm=%d deterministic=%d device=%d present=0x%x",
                  operation->name, math_name(problem->math), problem->algorithm,
                  problem->deterministic, problem->device, problem->present);
    for (int slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        const struct anydnn_plugin_tensor *tensor = problem->tensor[slot];

        if (problem->alias[slot])
            mock_line_add(line, " alias%d=%d", slot, problem->alias[slot] - 1);
        if (!tensor)
            continue;
        mock_line_add(line, " t%d=%s:", slot, type_name(tensor->type));
        add_list(line, "", tensor->dims, tensor->ndims);
        add_list(line, ":", tensor->strides, tensor->ndims);
    }
    if (problem->params && add_params[operation->family])
        add_params[operation->family](line, problem->params);
    else
        mock_line_add(line, " params=%s", problem->params ? "unexpected" : "none");
    if (problem->extension)
        mock_line_add(line, " extension=%d", problem->extension->kind);
}

void mock_line_operands(struct mock_line *line, const struct anydnn_plugin_operands *operands,
                        uint32_t present, int32_t value_type)
{
    for (int slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        if ((present >> slot & 1) || operands->data[slot])
            mock_line_add(line, " d%d=0x%" PRIxPTR, slot, (uintptr_t)operands->data[slot]);
    }
    mock_line_add(line, " scale=%.17g,%.17g,%.17g,%.17g number=%.17g,%.17g,%.17g,%.17g value=",
                  operands->scale[0], operands->scale[1], operands->scale[2], operands->scale[3],
                  operands->number[0], operands->number[1], operands->number[2],
                  operands->number[3]);
    if (!operands->value)
        mock_line_add(line, "none");
    for (size_t i = 0; operands->value && i < mock_type_size(value_type); i++)
        mock_line_add(line, "%02x", ((const unsigned char *)operands->value)[i]);
    if (operands->flags)
        mock_line_add(line, " flags=%" PRIu32, operands->flags);
    mock_line_add(line, " stream=0x%" PRIxPTR " workspace=0x%" PRIxPTR " bytes=%" PRIu64,
                  (uintptr_t)operands->stream, (uintptr_t)operands->workspace,
                  operands->workspace_bytes);
}
