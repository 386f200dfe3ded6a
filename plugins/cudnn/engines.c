/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the properties of cuDNN's engine configurations and creates execution plans of them. */
#include "engines.h"

#include <string.h>

/* The first version in which a configuration reports its workspace before a plan exists. */
#define CONFIG_TELLS_WORKSPACE 90200

/* ------------------------------------------------------------------ plans */

static void destroy(cudnnBackendDescriptor_t *part)
{
    if (*part)
        (void)cudnn.cudnnBackendDestroyDescriptor(*part);
    *part = NULL;
}

cudnnStatus_t cdn_execution_make(cudnnHandle_t handle, cudnnBackendDescriptor_t config,
                                 cudnnBackendDescriptor_t *execution, uint64_t *workspace)
{
    cudnnBackendDescriptor_t made = NULL;
    int64_t bytes = 0, count = 0;
    cudnnStatus_t status =
        cudnn.cudnnBackendCreateDescriptor(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, &made);

    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnBackendSetAttribute(made, CUDNN_ATTR_EXECUTION_PLAN_HANDLE,
                                                CUDNN_TYPE_HANDLE, 1, &handle);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnBackendSetAttribute(made, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
                                                CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &config);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnBackendFinalize(made);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnBackendGetAttribute(made, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                                CUDNN_TYPE_INT64, 1, &count, &bytes);
    if (status == CUDNN_STATUS_SUCCESS) {
        *execution = made;
        *workspace = bytes > 0 ? (uint64_t)bytes : 0;
    } else {
        destroy(&made);
    }
    return status;
}

int cdn_engine_try(struct cdn_engine *engine, cudnnHandle_t handle)
{

    if (engine->state == CUDNN_UNTRIED)
        engine->state = cdn_execution_make(handle, engine->config, &engine->plan,
                                           &engine->workspace) == CUDNN_STATUS_SUCCESS
                            ? CUDNN_WORKS
                            : CUDNN_REFUSED;
    return engine->state == CUDNN_WORKS;
}

cudnnBackendDescriptor_t cdn_config_make(struct cdn_parts *parts, cudnnBackendDescriptor_t graph,
                                         const struct cdn_engine *engine)
{
    cudnnBackendDescriptor_t of = cdn_part(parts, CUDNN_BACKEND_ENGINE_DESCRIPTOR, "an engine");
    cudnnBackendDescriptor_t knob[CDN_KNOBS_MAX], config;

    cdn_set(parts, of, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &graph);
    cdn_set(parts, of, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &engine->index);
    cdn_finalize(parts, of, "an engine");
    for (int32_t i = 0; i < engine->knobs; i++) {
        cudnnBackendKnobType_t type = (cudnnBackendKnobType_t)engine->knob_type[i];

        knob[i] = cdn_part(parts, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, "a knob of an engine");
        cdn_set(parts, knob[i], CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1, &type);
        cdn_set(parts, knob[i], CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, 1,
                &engine->knob_value[i]);
        cdn_finalize(parts, knob[i], "a knob of an engine");
    }
    config = cdn_part(parts, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, "an engine configuration");
    cdn_set(parts, config, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &of);
    if (engine->knobs)
        cdn_set(parts, config, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                engine->knobs, knob);
    cdn_finalize(parts, config, "an engine configuration");
    return config;
}

/* ------------------------------------------------------------------ properties of a
 * configuration */

static int read_knob(struct cdn_engine *engine, cudnnBackendDescriptor_t knob)
{
    cudnnBackendKnobType_t type = CUDNN_KNOB_TYPE_COUNTS;
    int64_t value = 0, count;

    if (cudnn.cudnnBackendGetAttribute(knob, CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE,
                                       1, &count, &type) != CUDNN_STATUS_SUCCESS ||
        cudnn.cudnnBackendGetAttribute(knob, CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, 1,
                                       &count, &value) != CUDNN_STATUS_SUCCESS)
        return -1;
    engine->knob_type[engine->knobs] = (int64_t)type;
    engine->knob_value[engine->knobs++] = value;
    return 0;
}

/* Reads the knobs. cuDNN does not report their number in advance. */
static int read_knobs(struct cdn_engine *engine)
{
    cudnnBackendDescriptor_t knob[CDN_KNOBS_MAX] = {NULL};
    cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
    int64_t count = 0;
    int result = -1;

    for (int i = 0; i < CDN_KNOBS_MAX && status == CUDNN_STATUS_SUCCESS; i++)
        status = cudnn.cudnnBackendCreateDescriptor(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, &knob[i]);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnBackendGetAttribute(engine->config, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                                                CUDNN_TYPE_BACKEND_DESCRIPTOR, CDN_KNOBS_MAX,
                                                &count, knob);
    if (status == CUDNN_STATUS_SUCCESS && count <= CDN_KNOBS_MAX)
        result = 0;
    for (int64_t i = 0; i < count && result == 0; i++)
        result = read_knob(engine, knob[i]);
    for (int i = 0; i < CDN_KNOBS_MAX; i++)
        destroy(&knob[i]);
    return result;
}

/* Returns the FNV-1a hash of the index and the knobs, which come in a fixed order. */
static uint64_t number_of(const struct cdn_engine *engine)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (int32_t i = -1; i < engine->knobs; i++) {
        int64_t pair[2] = {i < 0 ? engine->index : engine->knob_type[i],
                           i < 0 ? 0 : engine->knob_value[i]};

        for (size_t b = 0; b < sizeof pair; b++)
            hash = (hash ^ ((const unsigned char *)pair)[b]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* The algorithm numbers of cuDNN, of which the notes distinguish four kinds. */
static const struct {
    int32_t plain, nondeterministic, winograd, fft;
} algorithms[] = {
    [ANYDNN_PLUGIN_CONVOLUTION_FORWARD] = {CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
                                           CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
                                           CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED,
                                           CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING},
    [ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA] = {CUDNN_CONVOLUTION_BWD_DATA_ALGO_1,
                                                 CUDNN_CONVOLUTION_BWD_DATA_ALGO_0,
                                                 CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED,
                                                 CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING},
    [ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER] =
        {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0,
         CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED,
         CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING},
    [ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD] =
        {CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
         CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
         CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED, CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING},
};

int cdn_is_fft(int32_t operation, int32_t algorithm)
{
    return algorithm == algorithms[operation].fft;
}

/* Returns the numerical notes as bits. */
static uint32_t read_notes(cudnnBackendDescriptor_t engine)
{
    cudnnBackendNumericalNote_t note[CUDNN_NUMERICAL_NOTE_TYPE_COUNT];
    int64_t count = 0;
    uint32_t bits = 0;

    if (cudnn.cudnnBackendGetAttribute(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                       CUDNN_TYPE_NUMERICAL_NOTE, CUDNN_NUMERICAL_NOTE_TYPE_COUNT,
                                       &count, note) != CUDNN_STATUS_SUCCESS)
        return UINT32_MAX;
    for (int64_t i = 0; i < count && i < CUDNN_NUMERICAL_NOTE_TYPE_COUNT; i++)
        bits |= UINT32_C(1) << note[i];
    return bits;
}

static int compiles(cudnnBackendDescriptor_t engine)
{
    cudnnBackendBehaviorNote_t note[CUDNN_BEHAVIOR_NOTE_TYPE_COUNT];
    int64_t count = 0;
    int found = 0;

    if (cudnn.cudnnBackendGetAttribute(engine, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE,
                                       CUDNN_TYPE_BEHAVIOR_NOTE, CUDNN_BEHAVIOR_NOTE_TYPE_COUNT,
                                       &count, note) != CUDNN_STATUS_SUCCESS)
        return 1;
    for (int64_t i = 0; i < count && i < CUDNN_BEHAVIOR_NOTE_TYPE_COUNT; i++)
        found |= note[i] == CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION;
    return found;
}

#define NOTE(name) (UINT32_C(1) << CUDNN_NUMERICAL_NOTE_##name)

/*
 * Sets the math mode, algorithm and notes of an engine. Tensor Cores compute with half, bfloat16
 * and double as they are, and with float as TF32. Engines that convert their inputs to a shorter
 * type, or sum in one, are less precise than any mode permits. An engine whose notes cannot be read
 * counts as one of these. cuDNN does not document which engines flush subnormal numbers. On an
 * H200, engines of cuDNN 9.19 did for gradients of float in NHWC, so every engine of float may.
 */
static void judge(struct cdn_engine *engine, int32_t operation, int32_t type, uint32_t bits)
{
    int transforms = (bits & (NOTE(WINOGRAD) | NOTE(WINOGRAD_TILE_4x4) | NOTE(WINOGRAD_TILE_6x6) |
                              NOTE(WINOGRAD_TILE_13x13))) != 0;

    engine->math = !(bits & NOTE(TENSOR_CORE))   ? ANYDNN_PLUGIN_MATH_DEFAULT
                   : type == ANYDNN_PLUGIN_FLOAT ? ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION
                                                 : ANYDNN_PLUGIN_MATH_TENSOR_OP;
    if (bits & (NOTE(DOWN_CONVERT_INPUTS) | NOTE(REDUCED_PRECISION_REDUCTION)))
        engine->math = -1;
    engine->algorithm = bits & NOTE(FFT)                ? algorithms[operation].fft
                        : transforms                    ? algorithms[operation].winograd
                        : bits & NOTE(NONDETERMINISTIC) ? algorithms[operation].nondeterministic
                                                        : algorithms[operation].plain;
    if (transforms || bits & NOTE(FFT))
        engine->notes |= ANYDNN_PLUGIN_NOTE_TRANSFORM;
    if (bits & NOTE(NONDETERMINISTIC))
        engine->notes |= ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC;
    if (engine->math == ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION)
        engine->notes |= ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION;
    if (type == ANYDNN_PLUGIN_FLOAT)
        engine->notes |= ANYDNN_PLUGIN_NOTE_FLUSHES_SUBNORMALS;
}

static void read_workspace(struct cdn_engine *engine, cudnnHandle_t handle)
{
    int64_t bytes = 0, count = 0;

    if (cdn_library_version() >= CONFIG_TELLS_WORKSPACE &&
        cudnn.cudnnBackendGetAttribute(engine->config, CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE,
                                       CUDNN_TYPE_INT64, 1, &count, &bytes) == CUDNN_STATUS_SUCCESS)
        engine->workspace = bytes > 0 ? (uint64_t)bytes : 0;
    else
        cdn_engine_try(engine, handle);
}

int cdn_engine_read(struct cdn_engine *engine, const struct cdn_list_key *key, cudnnHandle_t handle)
{
    int64_t count;

    if (cudnn.cudnnBackendGetAttribute(engine->engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX,
                                       CUDNN_TYPE_INT64, 1, &count,
                                       &engine->index) != CUDNN_STATUS_SUCCESS ||
        read_knobs(engine) != 0)
        return -1;
    engine->number = number_of(engine);
    engine->numerical = read_notes(engine->engine);
    judge(engine, key->operation, key->tensor[0].type, cdn_errata(engine, key, engine->numerical));
    engine->compiles = compiles(engine->engine);
    if (engine->math >= 0)
        read_workspace(engine, handle);
    return 0;
}

void cdn_engine_drop(struct cdn_engine *engine)
{
    destroy(&engine->plan);
    destroy(&engine->config);
    destroy(&engine->engine);
}
