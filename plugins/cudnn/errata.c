/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists engines, by cuDNN's index, whose behavior differs from their numerical notes (cuDNN 9.19,
 * H200). tests/gpu/modes, step `engines`, found them. It runs each engine configuration of cuDNN
 * for a list of convolutions, on whole numbers whose sums are exact in float. It compares the
 * results with kernels that sum in double. The problems cited below reproduce the findings.
 */
#include "convolutions.h"
#include "engines.h"

#define NOTE(name) (UINT32_C(1) << CUDNN_NUMERICAL_NOTE_##name)
#define FLOAT      CDN_TYPE(FLOAT)
#define HALF       CDN_TYPE(HALF)
#define SHORTS     (CDN_TYPE(HALF) | CDN_TYPE(BFLOAT16))

#define FORWARD  ANYDNN_PLUGIN_CONVOLUTION_FORWARD
#define DATA     ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA
#define FILTER   ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER
#define FUSED    ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD
#define ANY_TYPE UINT32_MAX

enum finding {
    IS_WINOGRAD, /* not noted as Winograd */
    IS_FFT,      /* not noted as FFT, or for some shapes only */
    COARSER, /* sums, or stores intermediate values, in a shorter type than the math mode permits */
    COARSER_SPLIT,     /* COARSER if the sums are split, and only then, whatever is noted */
    COARSER_OVER_3,    /* COARSER for filters longer than 3 */
    COARSER_BUT_NHWC,  /* COARSER, or worse, unless every tensor is channels-last */
    WRONG_OVER_PAD_12, /* wrong if an axis is padded by more than 12 */
    FINER,             /* noted to sum in a shorter type, but does not */
};

static const struct {
    int32_t operation;
    int64_t index;
    uint32_t types;
    enum finding finding;
} errata[] = {
    /* Winograd with 4x4 tiles. convolution_backward_filter x=f32:32,48,35,35 dw=f32:64,48,5,5
     * dy=f32:32,64,35,35 pad=2,2 has a relative L2 error of 2.2e-3. x=f32:32,128,28,28 with a 3x3
     * filter has 4e-6. Of 253 runs in three types, none was exact. */
    {FILTER, 17, ANY_TYPE, IS_WINOGRAD},
    /* This engine and similar ones use Winograd with 4x4 tiles for float. With 5x5 filters, the
     * error is 2.7e-4 to 2.2e-3; the limit for a transform of float is 2e-5. An example is
     * convolution_backward_filter x=f32:1,6,12,12 dw=f32:16,6,5,5 dy=f32:1,16,8,8
     * algo=winograd_nonfused. They keep half's limit of 7e-3. */
    {FILTER, 17, FLOAT, COARSER_OVER_3},
    {FORWARD, 6, FLOAT, COARSER_OVER_3},
    {DATA, 7, FLOAT, COARSER_OVER_3},
    {FUSED, 14, FLOAT, COARSER_OVER_3},
    /* The kernels are fft1d_r2c, products of complex numbers, and fft1d_c2r. FFT is noted for 2-D
     * filters, but not for 1x1, one and three dims: convolution_forward x=f32:2,64,1,200
     * w=f32:64,1,1,4 groups=64. */
    {FORWARD, 4, ANY_TYPE, IS_FFT},
    {DATA, 5, ANY_TYPE, IS_FFT},
    {FILTER, 4, ANY_TYPE, IS_FFT},
    {FUSED, 13, ANY_TYPE, IS_FFT},

    /* It adds the parts of split sums in the type of the filter: convolution_backward_filter
     * x=bf16:128,3,16,16 dw=bf16:21,3,4,4 dy=bf16:128,21,13,13. 457 of 490 split runs are wrong,
     * none of 236 others. This is noted only for half, and there regardless of splitting. */
    {FILTER, 47, SHORTS, COARSER_SPLIT},
    /* This depthwise engine adds parts in half: convolution_backward_filter x=f16:2,128,1,16
     * dw=f16:128,1,1,3 dy=f16:2,128,1,16 pad=0,1 groups=128. */
    {FILTER, 61, HALF, COARSER},
    /* These engines compute 1x1 filters with cuBLASLt, which for some shapes adds parts in the type
     * of the result. Examples are convolution_forward x=bf16:1,2048,7,7 w=bf16:512,2048,1,1, and
     * convolution_backward_data of the same layer. The engine for half there and the fused one have
     * not shown this. */
    {FORWARD, 58, SHORTS, COARSER},
    {DATA, 63, SHORTS, COARSER},
    {FUSED, 39, SHORTS, COARSER},
    /* These engines round the convolution to 16 bits, or to TF32, before they add the bias. TF32
     * occurs if the output channels are no multiple of 4: x=f32:4,44,8,8 w=f32:38,44,3,3
     * pad=1,1. */
    {FUSED, 26, SHORTS | FLOAT, COARSER},
    {FUSED, 29, SHORTS | FLOAT, COARSER},
    {FUSED, 33, SHORTS, COARSER},
    /* It sums in 16 bits: convolution_backward_data w=f16:3,2,2,5:nchw dy=f16:1,3,2,1102:nchw
     * dx=f16:1,2,3,1100:nchw pad=0,3. */
    {DATA, 2, HALF, COARSER},
    /* It truncates float to TF32 instead of rounding, with an error of 7.3e-4 instead of 2.9e-4:
     * convolution_backward_filter x=f32:2,5,7,9:nchw dy=f32:2,6,7,10:nchw dw=f32:6,5,3,4:nchw
     * pad=1,2 math=allow_conversion. */
    {FILTER, 68, FLOAT, COARSER},
    /* Its results are completely wrong: convolution_backward_filter x=f32:4,120,1,1
     * dw=f32:84,120,1,1 dy=f32:4,84,1,1 math=allow_conversion. */
    {FILTER, 69, FLOAT, COARSER},

    /* cuDNN compiles these kernels, and they fail in NCHW. For some shapes, the results are
     * unrelated to the right ones (relative L2 1.4) or NaN, and depend on the prior content of the
     * workspace. For others they are exact: 256 channels and 16 filters of 38x38 are; 24 of 19x19,
     * 10x10 or 5x5 are not. Examples are convolution_forward x=bf16:1,32,79,341:nchw
     * w=bf16:32,32,5,10:nchw stride=2,2; convolution_backward_filter x=bf16:1,256,3,3:nchw
     * dy=bf16:1,16,3,3:nchw dw=bf16:16,256,3,3:nchw pad=1,1; convolution_backward_data
     * w=f16:24,256,3,3:nchw dy=f16:1,24,5,5:nchw dx=f16:1,256,5,5:nchw pad=1,1. For layers that had
     * shown the error, 16 of 32 runs were wrong; for others, 6 of 316; in NHWC, none. */
    {FORWARD, 72, SHORTS | FLOAT, COARSER_BUT_NHWC},
    {FILTER, 70, SHORTS | FLOAT, COARSER_BUT_NHWC},
    {DATA, 78, SHORTS | FLOAT, COARSER_BUT_NHWC},

    /* Its results are completely wrong (relative L2 1.1) if an axis is padded by 18 or 19, in NHWC
     * and NCHW, whatever the window is. An example is convolution_backward_data w=f32:2,96,1,7:nhwc
     * dy=f32:3,2,21,23:nhwc dx=f32:3,96,17,3:nhwc pad=2,19 dilation=1,3 math=allow_conversion. All
     * 208 runs with such a padding were wrong; all 112 others, with paddings up to 12, were
     * exact. */
    {DATA, 76, SHORTS | FLOAT, WRONG_OVER_PAD_12},

    /* This engine for first layers is noted to sum in a shorter type, but is exact where such sums
     * are not: convolution_forward x=f16:4,3,64,64:nhwc w=f16:64,3,7,7:nhwc pad=3,3 stride=2,2
     * math=tensor_op. Similar engines for the filter gradient do sum in a shorter type. */
    {FORWARD, 63, HALF, FINER},
};

static int is_split(const struct cdn_engine *engine)
{
    for (int32_t i = 0; i < engine->knobs; i++) {
        if (engine->knob_type[i] == CUDNN_KNOB_TYPE_SPLIT_K)
            return engine->knob_value[i] != 1;
    }
    return 0;
}

int32_t cdn_filter_slot(int32_t operation)
{
    return operation == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA     ? 0
           : operation == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER ? 2
                                                                    : 1;
}

static int is_over_3(const struct cdn_list_key *key)
{
    const struct anydnn_plugin_tensor *filter = &key->tensor[cdn_filter_slot(key->operation)];
    int over = 0;

    for (int32_t d = 2; d < filter->ndims; d++)
        over |= filter->dims[d] > 3;
    return over;
}

static int is_nhwc(const struct cdn_list_key *key)
{
    int is = 1;

    for (int slot = 0; slot < 3; slot++)
        is &= key->tensor[slot].strides[1] == 1;
    return is;
}

static int is_over_pad_12(const struct cdn_list_key *key)
{
    const struct anydnn_plugin_convolution *params = &key->params.convolution;
    int over = 0;

    for (int32_t d = 0; d < params->spatial_dims; d++)
        over |= params->pad[d] > 12;
    return over;
}

/*
 * Corrects the notes of an engine. For half and bfloat16, no engine gets other factors than the
 * usual ones. Many apply the factors to a result that is already rounded to 16 bits, or truncate
 * the blend. Random problems found further such engines in each run of a minute, 8 configurations
 * in two runs. Examples are convolution_forward x=bf16:1,8,1:32,4,3 w=bf16:34,4,1:4,1,93
 * y=bf16:1,34,1:68,2,35 stride=3 groups=2 mode=convolution math=tensor_op beta=0.25;
 * convolution_backward_data w=f16:1,17,1:18,1,1 dy=f16:2,1,7:4,1,10 dx=f16:2,17,13:19,1,38 stride=2
 * dilation=5 math=tensor_op beta=-0.5; convolution_backward_filter x=f16:2,5,1,4:nhwc
 * dy=f16:2,5,1,6:nhwc dw=f16:5,5,1,3:nhwc pad=0,3 stride=2,1 dilation=1,2 mode=convolution
 * math=tensor_op beta=1.
 */
uint32_t cdn_errata(struct cdn_engine *engine, const struct cdn_list_key *key, uint32_t notes)
{
    int32_t operation = key->operation, type = key->tensor[0].type;

    engine->one_factor_set = (SHORTS >> type & 1) != 0;
    for (size_t i = 0; i < sizeof errata / sizeof errata[0]; i++) {
        enum finding finding = errata[i].finding;

        if (errata[i].operation != operation || errata[i].index != engine->index ||
            !(errata[i].types >> type & 1))
            continue;
        if (finding == FINER || finding == COARSER_SPLIT)
            notes &= ~NOTE(REDUCED_PRECISION_REDUCTION);
        if (finding == COARSER || (finding == COARSER_SPLIT && is_split(engine)) ||
            (finding == COARSER_OVER_3 && is_over_3(key)) ||
            (finding == COARSER_BUT_NHWC && !is_nhwc(key)) ||
            (finding == WRONG_OVER_PAD_12 && is_over_pad_12(key)))
            notes |= NOTE(REDUCED_PRECISION_REDUCTION);
        notes |= finding == IS_WINOGRAD ? NOTE(WINOGRAD) : finding == IS_FFT ? NOTE(FFT) : 0;
    }
    return notes;
}
