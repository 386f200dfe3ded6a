/* SPDX-License-Identifier: Apache-2.0 */
/* A mock of cuDNN's library for machines without a GPU. Its descriptors follow the rules that cuDNN
 * 9.19 was observed to have: a finalized descriptor takes no attribute; a descriptor that refers to
 * another requires that to be finalized; the number of results can be queried, the number of knobs
 * cannot. It has a fixed list of engine configurations, and its calls compute nothing. It is built
 * in three forms: as it is, as an older version, and without one function. */
#include "mock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC visibility push(default)

#ifndef MOCK_VERSION
#define MOCK_VERSION CUDNN_VERSION
#endif

#define NOTE(name) (UINT32_C(1) << CUDNN_NUMERICAL_NOTE_##name)

/* The usual engines, in cuDNN's order. */
static const struct mock_engine usual_engines[] = {
    {62, 4, 131, NOTE(TENSOR_CORE), 0, 1},
    {62, 1, 4096, NOTE(TENSOR_CORE), 0, 0},
    {22, 5, 64, NOTE(TENSOR_CORE) | NOTE(DOWN_CONVERT_INPUTS), 0, 0},
    {45, 3, 0, NOTE(TENSOR_CORE) | NOTE(NONDETERMINISTIC), 0, 0},
    {30, 2, 512, NOTE(WINOGRAD) | NOTE(WINOGRAD_TILE_4x4), 0, 0},
    {28, 7, 256, 0, 0, 0},
    {62, 1, 4096, NOTE(TENSOR_CORE), 1, 0},
    {1, -1, 51200, 0, 1, 0},
    {0, -1, 0, 0, 1, 0},
};
/* Records that an older call ran. */
void mock_cudnn_call(const char *name);

struct mock_cudnn mock_cudnn = {.engine = usual_engines,
                                .engines = sizeof usual_engines / sizeof usual_engines[0]};

struct part {
    cudnnBackendDescriptorType_t type;
    int final;
    int64_t engine; /* index among the engines; -1: found by index and knob */
    int64_t index, knob;
    cudnnBackendHeurMode_t mode;
    int64_t operand; /* operand of a tensor */
    float factor[2]; /* factors of its convolution */
    int has_factor;
};

size_t cudnnGetVersion(void)
{
    return MOCK_VERSION;
}

const char *cudnnGetErrorString(cudnnStatus_t status)
{
    return status == CUDNN_STATUS_NOT_SUPPORTED ? "CUDNN_STATUS_NOT_SUPPORTED" : "CUDNN_STATUS_X";
}

void cudnnGetLastErrorString(char *message, size_t max_size)
{
    snprintf(message, max_size, "the mock's\nown words");
}

cudnnStatus_t cudnnCreate(cudnnHandle_t *handle)
{
    *handle = (cudnnHandle_t)(void *)&mock_cudnn;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle)
{
    (void)handle;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream)
{
    (void)handle, (void)stream;
    mock_cudnn.streams++;
    return CUDNN_STATUS_SUCCESS;
}

/* ------------------------------------------------------------------ the graph interface */

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                           cudnnBackendDescriptor_t *descriptor)
{
    struct part *made = calloc(1, sizeof *made);

    made->type = type;
    made->engine = -1;
    made->knob = -1;
    mock_cudnn.live++;
    *descriptor = made;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor)
{
    mock_cudnn.live--;
    free(descriptor);
    return CUDNN_STATUS_SUCCESS;
}

static int64_t engine_of(const struct part *part)
{
    for (int64_t i = 0; i < mock_cudnn.engines; i++) {
        if (mock_cudnn.engine[i].index == part->index && mock_cudnn.engine[i].knob == part->knob)
            return i;
    }
    return -1;
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor)
{
    struct part *part = descriptor;

    if (part->final)
        return CUDNN_STATUS_BAD_PARAM;
    if (part->type == CUDNN_BACKEND_ENGINECFG_DESCRIPTOR && part->engine < 0)
        part->engine = engine_of(part);
    if (part->type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) {
        int usual = part->factor[0] == 1 && part->factor[1] == 0;

        if (part->engine < 0 || mock_cudnn.engine[part->engine].refuses ||
            (mock_cudnn.refuse_factors && !usual))
            return CUDNN_STATUS_NOT_SUPPORTED;
        mock_cudnn.plans++;
        if (mock_cudnn.watched)
            memcpy(&mock_cudnn.seen, mock_cudnn.watched, sizeof mock_cudnn.seen);
    }
    mock_cudnn.packs += part->type == CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR;
    part->final = 1;
    return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t refer(struct part *part, cudnnBackendAttributeName_t name, int64_t count,
                           const void *values)
{
    struct part *const *other = values;

    for (int64_t i = 0; i < count; i++) {
        if (!other[i] || !other[i]->final)
            return CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
        if (other[i]->has_factor) {
            memcpy(part->factor, other[i]->factor, sizeof part->factor);
            part->has_factor = 1;
        }
        if (name == CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)
            part->engine = other[i]->engine;
        if (name == CUDNN_ATTR_ENGINECFG_ENGINE)
            part->index = other[i]->index;
        if (name == CUDNN_ATTR_ENGINECFG_KNOB_CHOICES)
            part->knob = other[i]->knob;
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t count,
                                       const void *values)
{
    struct part *part = descriptor;

    if (part->final)
        return CUDNN_STATUS_BAD_PARAM;
    if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR)
        return refer(part, name, count, values);
    if (name == CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA)
        memcpy(&part->factor[0], values, sizeof(float));
    if (name == CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA) {
        memcpy(&part->factor[1], values, sizeof(float));
        memcpy(mock_cudnn.factor, part->factor, sizeof part->factor);
        part->has_factor = 1;
    }
    if (name == CUDNN_ATTR_TENSOR_UNIQUE_ID)
        memcpy(&part->operand, values, sizeof part->operand);
    if (name == CUDNN_ATTR_TENSOR_STRIDES && part->operand >= 1 && part->operand <= 8)
        memcpy(mock_cudnn.strides[part->operand - 1], values, (size_t)count * sizeof(int64_t));
    if (name == CUDNN_ATTR_ENGINE_GLOBAL_INDEX)
        memcpy(&part->index, values, sizeof part->index);
    if (name == CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE)
        memcpy(&part->knob, values, sizeof part->knob);
    if (name == CUDNN_ATTR_ENGINEHEUR_MODE)
        memcpy(&part->mode, values, sizeof part->mode);
    return CUDNN_STATUS_SUCCESS;
}

/* Writes the results of a mode into existing descriptors. Without descriptors, it only counts
 * them. */
static cudnnStatus_t results(const struct part *part, int64_t capacity, int64_t *count,
                             void *values)
{
    struct part **to = values;

    *count = 0;
    for (int64_t i = 0; i < mock_cudnn.engines; i++) {
        if (mock_cudnn.engine[i].fallback != (part->mode == CUDNN_HEUR_MODE_FALLBACK))
            continue;
        if (*count < capacity) {
            to[*count]->engine = i;
            to[*count]->index = mock_cudnn.engine[i].index;
            to[*count]->knob = mock_cudnn.engine[i].knob;
            memcpy(to[*count]->factor, part->factor, sizeof part->factor);
            to[*count]->has_factor = 1;
            to[*count]->final = 1;
        }
        (*count)++;
    }
    return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t notes(int64_t engine, int64_t *count, void *values)
{
    cudnnBackendNumericalNote_t *to = values;

    *count = 0;
    for (int bit = 0; bit < CUDNN_NUMERICAL_NOTE_TYPE_COUNT; bit++) {
        if (mock_cudnn.engine[engine].numerical >> bit & 1)
            to[(*count)++] = (cudnnBackendNumericalNote_t)bit;
    }
    return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t give(int64_t value, int64_t *count, void *values)
{
    *count = 1;
    memcpy(values, &value, sizeof value);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t const descriptor,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t capacity,
                                       int64_t *count, void *values)
{
    const struct part *part = descriptor;
    int knob_type = CUDNN_KNOB_TYPE_TILE_SIZE;
    struct part **to = values;

    (void)type;
    switch (name) {
    case CUDNN_ATTR_ENGINEHEUR_RESULTS:
        return results(part, capacity, count, values);
    case CUDNN_ATTR_ENGINECFG_ENGINE:
        to[0]->engine = part->engine;
        to[0]->index = part->index;
        to[0]->final = 1;
        *count = 1;
        return CUDNN_STATUS_SUCCESS;
    case CUDNN_ATTR_ENGINECFG_KNOB_CHOICES:
        *count = capacity > 0 && part->knob >= 0;
        if (*count) {
            to[0]->engine = part->engine;
            to[0]->knob = part->knob;
            to[0]->final = 1;
        }
        return CUDNN_STATUS_SUCCESS;
    case CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE:
        if (mock_cudnn.engine[part->engine].splits)
            knob_type = CUDNN_KNOB_TYPE_SPLIT_K;
        *count = 1;
        memcpy(values, &knob_type, sizeof knob_type);
        return CUDNN_STATUS_SUCCESS;
    case CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE:
        return give(part->knob, count, values);
    case CUDNN_ATTR_ENGINE_GLOBAL_INDEX:
        return give(part->index, count, values);
    case CUDNN_ATTR_ENGINE_NUMERICAL_NOTE:
        return notes(part->engine, count, values);
    case CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE:
        *count = 0;
        return CUDNN_STATUS_SUCCESS;
    case CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE:
    case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
        return give(mock_cudnn.engine[part->engine].workspace, count, values);
    default:
        return CUDNN_STATUS_NOT_SUPPORTED;
    }
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
                                  cudnnBackendDescriptor_t pack)
{
    (void)handle;
    mock_cudnn.runs++;
    if (mock_cudnn.neighbour)
        *mock_cudnn.neighbour = 1;
    return ((struct part *)plan)->final && ((struct part *)pack)->final
               ? mock_cudnn.execution
               : CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
}

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const cudnnFilterDescriptor_t w,
    const cudnnConvolutionDescriptor_t convolution, const cudnnTensorDescriptor_t y,
    cudnnConvolutionFwdAlgo_t algorithm, size_t *bytes)
{
    int integers = ((const struct mock_tensor *)x)->type == CUDNN_DATA_INT8;

    (void)handle, (void)w, (void)convolution, (void)y, (void)algorithm;
    *bytes = 0;
    return mock_cudnn.refuse_older == 2 || (mock_cudnn.refuse_older && integers)
               ? CUDNN_STATUS_NOT_SUPPORTED
               : CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t descriptor,
                                           cudnnActivationMode_t mode, cudnnNanPropagation_t nan,
                                           double coef)
{
    (void)descriptor, (void)mode, (void)nan;
    mock_cudnn.coef = coef;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnTransformTensor(cudnnHandle_t handle, const void *alpha,
                                   const cudnnTensorDescriptor_t x_desc, const void *x,
                                   const void *beta, const cudnnTensorDescriptor_t y_desc, void *y)
{
    struct mock_transform *next = &mock_cudnn.transform[mock_cudnn.transforms++ % 8];

    (void)handle, (void)y_desc;
    memcpy(next->strides, ((const struct mock_tensor *)x_desc)->strides, sizeof next->strides);
    memcpy(&next->alpha, alpha, sizeof next->alpha);
    memcpy(&next->beta, beta, sizeof next->beta);
    next->from = x;
    next->to = y;
    mock_cudnn_call("cudnnTransformTensor");
    return mock_cudnn.transforming;
}

/* Functions for mock_cudnn_calls.c. */
void mock_cudnn_count(int live, int adds, int fused);

void mock_cudnn_call(const char *name)
{
    size_t used = strlen(mock_cudnn.calls);

    snprintf(mock_cudnn.calls + used, sizeof mock_cudnn.calls - used, "%s ", name);
}

void mock_cudnn_count(int live, int adds, int fused)
{
    mock_cudnn.live += live;
    mock_cudnn.adds += adds;
    mock_cudnn.fused += fused;
}

#pragma GCC visibility pop
