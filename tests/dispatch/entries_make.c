/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the arguments of the entries from their texts. */
#include "tests/dispatch/entries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OTHERS_MAX 256

struct other {
    char kind;
    void *object;
};

static struct other others[OTHERS_MAX];
static int other_count;
static union {
    double f64;
    float f32;
} factors[6];
static const unsigned char value[32] = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88};

/* The host operands of ctc_loss for two sequences: labels, label counts and step counts. */
/* The number of labels equals the capacity of a plan, a power of two. Fewer labels would be
 * copied. */
static const int labels[] = {3, 1, 2, 3}, label_lengths[] = {2, 2}, input_lengths[] = {5, 4};
static const int *const lists[] = {NULL, labels, label_lengths, input_lengths};

static void *create(char kind)
{
    anydnnStatus_t status = ANYDNN_STATUS_INTERNAL_ERROR;
    void *object = NULL;

    switch (kind) {
    case 't':
        status = anydnnCreateTensorDescriptor((anydnnTensorDescriptor_t *)&object);
        break;
    case 'w':
        status = anydnnCreateFilterDescriptor((anydnnFilterDescriptor_t *)&object);
        break;
    case 'c':
        status = anydnnCreateConvolutionDescriptor((anydnnConvolutionDescriptor_t *)&object);
        break;
    case 'P':
        status = anydnnCreatePoolingDescriptor((anydnnPoolingDescriptor_t *)&object);
        break;
    case 'A':
    case 'R':
        status = anydnnCreateActivationDescriptor((anydnnActivationDescriptor_t *)&object);
        break;
    case 'L':
        status = anydnnCreateLRNDescriptor((anydnnLRNDescriptor_t *)&object);
        break;
    case 'O':
        status = anydnnCreateOpTensorDescriptor((anydnnOpTensorDescriptor_t *)&object);
        break;
    case 'E':
        status = anydnnCreateReduceTensorDescriptor((anydnnReduceTensorDescriptor_t *)&object);
        break;
    case 'X':
        status =
            anydnnCreateTensorTransformDescriptor((anydnnTensorTransformDescriptor_t *)&object);
        break;
    case 'D':
        status = anydnnCreateDropoutDescriptor((anydnnDropoutDescriptor_t *)&object);
        break;
    case 'S':
        status = anydnnCreateSpatialTransformerDescriptor(
            (anydnnSpatialTransformerDescriptor_t *)&object);
        break;
    case 'C':
        status = anydnnCreateCTCLossDescriptor((anydnnCTCLossDescriptor_t *)&object);
        break;
    case 'N':
        status = anydnnCreateNormalizationDescriptor((anydnnNormalizationDescriptor_t *)&object);
        break;
    case 'M':
        status = anydnnCreateMatMulDescriptor((anydnnMatMulDescriptor_t *)&object);
        break;
    default:
        return NULL;
    }
    assert_ok(status);
    assert_in_range(other_count, 0, OTHERS_MAX - 1);
    others[other_count].kind = kind;
    others[other_count++].object = object;
    return object;
}

void entries_free(void)
{
    while (other_count > 0) {
        void *object = others[--other_count].object;

        switch (others[other_count].kind) {
        case 't':
            anydnnDestroyTensorDescriptor(object);
            break;
        case 'w':
            anydnnDestroyFilterDescriptor(object);
            break;
        case 'c':
            anydnnDestroyConvolutionDescriptor(object);
            break;
        case 'P':
            anydnnDestroyPoolingDescriptor(object);
            break;
        case 'A':
        case 'R':
            anydnnDestroyActivationDescriptor(object);
            break;
        case 'L':
            anydnnDestroyLRNDescriptor(object);
            break;
        case 'O':
            anydnnDestroyOpTensorDescriptor(object);
            break;
        case 'E':
            anydnnDestroyReduceTensorDescriptor(object);
            break;
        case 'X':
            anydnnDestroyTensorTransformDescriptor(object);
            break;
        case 'S':
            anydnnDestroySpatialTransformerDescriptor(object);
            break;
        case 'C':
            anydnnDestroyCTCLossDescriptor(object);
            break;
        case 'N':
            anydnnDestroyNormalizationDescriptor(object);
            break;
        case 'M':
            anydnnDestroyMatMulDescriptor(object);
            break;
        default:
            anydnnDestroyDropoutDescriptor(object);
        }
    }
}

static void fill(char kind, void *object, anydnnHandle_t handle, int wide)
{
    static const int window[] = {3, 2}, pad[] = {1, 0}, stride[] = {2, 1};
    static const int32_t before[] = {0, 0, 1, 0}, after[] = {0, 0, 0, 2};
    static const uint32_t fold[] = {2, 3};
    static const int output[] = {2, 3, 4, 6};
    anydnnDataType_t compute = wide ? ANYDNN_DATA_DOUBLE : ANYDNN_DATA_FLOAT;

    switch (kind) {
    case 'P':
        assert_ok(anydnnSetPoolingNdDescriptor(object, ANYDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING,
                                               ANYDNN_PROPAGATE_NAN, 2, window, pad, stride));
        break;
    case 'A':
        assert_ok(anydnnSetActivationDescriptor(object, ANYDNN_ACTIVATION_ELU, ANYDNN_PROPAGATE_NAN,
                                                0.75));
        break;
    case 'R':
        assert_ok(anydnnSetActivationDescriptor(object, ANYDNN_ACTIVATION_RELU,
                                                ANYDNN_NOT_PROPAGATE_NAN, 0));
        break;
    case 'L':
        assert_ok(anydnnSetLRNDescriptor(object, 3, 0.25, 0.5, 1.5));
        break;
    case 'O':
        assert_ok(anydnnSetOpTensorDescriptor(object, ANYDNN_OP_TENSOR_MAX, compute,
                                              ANYDNN_PROPAGATE_NAN));
        break;
    case 'E':
        assert_ok(anydnnSetReduceTensorDescriptor(
            object, ANYDNN_REDUCE_TENSOR_AMAX, compute, ANYDNN_PROPAGATE_NAN,
            ANYDNN_REDUCE_TENSOR_FLATTENED_INDICES, ANYDNN_16BIT_INDICES));
        break;
    case 'X':
        assert_ok(anydnnSetTensorTransformDescriptor(object, 4, ANYDNN_TENSOR_NCHW, before, after,
                                                     fold, ANYDNN_TRANSFORM_FOLD));
        break;
    case 'S':
        assert_ok(anydnnSetSpatialTransformerNdDescriptor(object, ANYDNN_SAMPLER_BILINEAR, compute,
                                                          4, output));
        break;
    case 'C':
        assert_ok(anydnnSetCTCLossDescriptorEx(object, compute, ANYDNN_LOSS_NORMALIZATION_SOFTMAX,
                                               ANYDNN_PROPAGATE_NAN));
        break;
    case 'N':
        assert_ok(anydnnSetNormalizationDescriptor(object, ANYDNN_NORMALIZATION_LAYER, 0x4, 1, 1,
                                                   ANYDNN_NORMALIZATION_ZERO_CENTERED,
                                                   ENTRY_EPSILON));
        break;
    case 'M':
        assert_ok(anydnnSetMatMulDescriptor(object, compute, ANYDNN_TENSOR_OP_MATH));
        break;
    default:
        assert_ok(anydnnSetDropoutDescriptor(object, handle, 0.25f, fixture_data(1), 32, 5));
    }
}

const char *entries_typed(const char *text, const char *type)
{
    static char made[4096];
    size_t length = 0;

    for (; *text; text++)
        length +=
            (size_t)snprintf(made + length, sizeof(made) - length, "%.*s",
                             *text == '@' ? (int)strlen(type) : 1, *text == '@' ? type : text);
    made[length] = '\0';
    return made;
}

double entries_factor(int index, const char *type)
{
    double exact = 1.0 / 3 + index;

    return strcmp(type, "f64") == 0 ? exact : (double)(float)exact;
}

static void *make_factor(int place, double exact, int wide)
{
    if (wide)
        factors[place].f64 = exact;
    else
        factors[place].f32 = (float)exact;
    return &factors[place];
}

static void *make(const char *what, const char *type, anydnnHandle_t handle)
{
    int wide = strcmp(type, "f64") == 0;
    void *object;

    if (strcmp(what, "ws") == 0)
        return fixture_data(30);
    if (strcmp(what, "value") == 0)
        return (void *)value;
    if (strcmp(what, "one") == 0 || strcmp(what, "zero") == 0)
        return make_factor(what[0] == 'o' ? 4 : 5, what[0] == 'o', wide);
    switch (what[0]) {
    case 'h':
        return handle;
    case 'd':
        return fixture_data(atoi(what + 1));
    case 'i':
        return (void *)lists[atoi(what + 1)];
    case 'f':
        return make_factor(atoi(what + 1), 1.0 / 3 + atoi(what + 1), wide);
    case 't':
        return fixture_tensor(entries_typed(what + 1, type));
    case 'w':
        return fixture_filter(entries_typed(what + 1, type));
    case 'c':
        return fixture_convolution(entries_typed(what + 1, type));
    default:
        object = create(what[0]);
        fill(what[0], object, handle, wide);
        return object;
    }
}

void entries_make(const struct entry_case *entry, const char *type, void **a)
{
    anydnnHandle_t handle = fixture_handle("mock_a");

    for (int i = 0; entry->argument[i].name; i++)
        a[i] = make(entry->argument[i].what, type, handle);
}

void *entries_unset(const char *what)
{
    if (strcmp(what, "ws") == 0 || strcmp(what, "value") == 0 || strcmp(what, "one") == 0 ||
        strcmp(what, "zero") == 0)
        return NULL;
    return create(what[0]);
}
