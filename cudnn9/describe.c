/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a call as the text form of a problem. The getters of the real library read the
 * application's descriptors. */
#include "cudnn9/call.h"

#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DIMS = 8 };

/* The locale of numbers in problems. */
static locale_t plain;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_locale(void)
{
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

void cudnn9_add(struct cudnn9_call *call, const char *format, ...)
{
    size_t size = sizeof(call->text) - call->length;
    locale_t before = (locale_t)0;
    va_list args;
    int written;

    pthread_once(&once, make_locale);
    if (plain != (locale_t)0)
        before = uselocale(plain);
    va_start(args, format);
    written = vsnprintf(call->text + call->length, size, format, args);
    va_end(args);
    if (before != (locale_t)0)
        (void)uselocale(before);
    if (written < 0 || (size_t)written >= size)
        call->unmapped = 1;
    else
        call->length += (size_t)written;
}

void cudnn9_begin(struct cudnn9_call *call, size_t index, void *handle, const char *operation)
{
    call->index = index;
    call->handle = handle;
    call->length = 0;
    call->operands = 0;
    call->is_double = 0;
    call->unmapped = handle == NULL;
    cudnn9_add(call, "%s", operation);
}

const char *cudnn9_type(int type)
{
    static const char *const names[] = {"f32", "f64", "f16", "s8", "s32",
                                        NULL,  "u8",  NULL,  NULL, "bf16"};

    return type >= 0 && type < (int)(sizeof(names) / sizeof(names[0])) ? names[type] : NULL;
}

void cudnn9_word(struct cudnn9_call *call, const char *key, const char *const *words, int count,
                 int value)
{
    if (value < 0 || value >= count || words[value] == NULL)
        call->unmapped = 1;
    else
        cudnn9_add(call, " %s=%s", key, words[value]);
}

/* Adds the operand's type and dims. */
static void add_operand(struct cudnn9_call *call, const char *role, const void *data, int type,
                        int dims, const int *dim)
{
    const char *name = cudnn9_type(type);

    if (name == NULL || data == NULL || dims < 1 || dims > DIMS ||
        call->operands == CUDNN9_OPERANDS) {
        call->unmapped = 1;
        return;
    }
    call->is_double |= type == 1;
    /* Backends write only to outputs. */
    memcpy(&call->data[call->operands], &data, sizeof(data));
    call->role[call->operands] = role;
    call->is_output[call->operands++] = 0;
    cudnn9_add(call, " %s=%s", role, name);
    for (int i = 0; i < dims; i++)
        cudnn9_add(call, "%c%d", i == 0 ? ':' : ',', dim[i]);
}

void cudnn9_tensor(struct cudnn9_call *call, const char *role, void *desc, const void *data)
{
    int (*get)(void *desc, int room, int *type, int *dims, int *dim, int *stride) = NULL;
    int type = -1, dims = 0, dim[DIMS], stride[DIMS];

    CUDNN9_REAL(get, cudnnGetTensorNdDescriptor);
    if (desc == NULL || get(desc, DIMS, &type, &dims, dim, stride) != CUDNN9_SUCCESS) {
        call->unmapped = 1;
        return;
    }
    add_operand(call, role, data, type, dims, dim);
    for (int i = 0; i < dims && i < DIMS && !call->unmapped; i++)
        cudnn9_add(call, "%c%d", i == 0 ? ':' : ',', stride[i]);
}

void cudnn9_filter(struct cudnn9_call *call, const char *role, void *desc, const void *data)
{
    static const char *const formats[] = {":nchw", ":nhwc"};
    int (*get)(void *desc, int room, int *type, int *format, int *dims, int *dim) = NULL;
    int type = -1, format = -1, dims = 0, dim[DIMS];

    CUDNN9_REAL(get, cudnnGetFilterNdDescriptor);
    if (desc == NULL || get(desc, DIMS, &type, &format, &dims, dim) != CUDNN9_SUCCESS ||
        format < 0 || format > 1) {
        call->unmapped = 1;
        return;
    }
    add_operand(call, role, data, type, dims, dim);
    cudnn9_add(call, "%s", formats[format]);
}

void cudnn9_output(struct cudnn9_call *call)
{
    int output = call->operands - 1;
    int pairs = 0;

    if (call->unmapped)
        return;
    call->is_output[output] = 1;
    for (int i = 0; i < output; i++)
        if (call->data[i] == call->data[output])
            cudnn9_add(call, "%s%s:%s", pairs++ == 0 ? " alias=" : ",", call->role[output],
                       call->role[i]);
}

void cudnn9_factor(struct cudnn9_call *call, const char *key, const void *factor)
{
    double value = 0;
    float single = 0;

    if (factor == NULL) {
        call->unmapped = 1;
        return;
    }
    if (call->is_double) {
        memcpy(&value, factor, sizeof(value));
    } else {
        memcpy(&single, factor, sizeof(single));
        value = single;
    }
    cudnn9_add(call, " %s=%.17g", key, value);
}
