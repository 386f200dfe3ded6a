/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Engines, by cuDNN's index, that were found by trial to be other than their numerical notes say
 * (cuDNN 9.19, H200). The trial is tests/gpu/modes, step `engines`: each engine configuration that
 * cuDNN has for a list of convolutions, on whole numbers whose sums are exact in float, beside
 * kernels that add up in double. Problems here are those that show it.
 */
#include "engines.h"

#define NOTE(name) (UINT32_C(1) << CUDNN_NUMERICAL_NOTE_##name)
#define FLOAT      CUDNN_TYPE(FLOAT)
#define HALF       CUDNN_TYPE(HALF)
#define SHORTS     (CUDNN_TYPE(HALF) | CUDNN_TYPE(BFLOAT16))

#define FORWARD  ANYDNN_PLUGIN_CONVOLUTION_FORWARD
#define DATA     ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA
#define FILTER   ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER
#define FUSED    ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD
#define ANY_TYPE UINT32_MAX

enum finding {
    IS_WINOGRAD, /* and not noted so */
    IS_FFT,      /* and not noted so, or for some shapes alone */
    COARSER,     /* sums or keeps what lies between in a shorter type than the math mode permits */
    COARSER_SPLIT,       /* the same, if the sums are split, and not otherwise, whatever is noted */
    FINER,               /* noted to sum in a shorter type, and does not */
    COARSER_WITH_FACTORS /* COARSER with other factors than the usual ones */
};

static const struct {
    int32_t operation;
    int64_t index;
    uint32_t types;
    enum finding finding;
} errata[] = {
    /* Winograd of 4x4 tiles: convolution_backward_filter x=f32:32,48,35,35 dw=f32:64,48,5,5
     * dy=f32:32,64,35,35 pad=2,2 is 2.2e-3 off in relative L2, x=f32:32,128,28,28 with a 3x3 filter
     * 4e-6. Of 253 runs in three types none was exact. */
    {FILTER, 17, ANY_TYPE, IS_WINOGRAD},
    /* Kernels fft1d_r2c, then products of complex numbers, then fft1d_c2r; noted for filters of two
     * dims, and not for 1x1, one and three dims: convolution_forward x=f32:2,64,1,200
     * w=f32:64,1,1,4 groups=64. */
    {FORWARD, 4, ANY_TYPE, IS_FFT},
    {DATA, 5, ANY_TYPE, IS_FFT},
    {FILTER, 4, ANY_TYPE, IS_FFT},
    {FUSED, 13, ANY_TYPE, IS_FFT},

    /* Adds up the parts of split sums in the type of the filter: convolution_backward_filter
     * x=bf16:128,3,16,16 dw=bf16:21,3,4,4 dy=bf16:128,21,13,13. 457 of 490 split runs are wrong,
     * none of 236 others. It is noted for half alone, and there whether split or not. */
    {FILTER, 47, SHORTS, COARSER_SPLIT},
    /* Depthwise, adds up parts in half: convolution_backward_filter x=f16:2,128,1,16
     * dw=f16:128,1,1,3 dy=f16:2,128,1,16 pad=0,1 groups=128. */
    {FILTER, 61, HALF, COARSER},
    /* 1x1 by cuBLASLt, which for some shapes adds up parts in the type of the result:
     * convolution_forward x=bf16:1,2048,7,7 w=bf16:512,2048,1,1, and convolution_backward_data of
     * the same layer. Of the engine for half there, and of the fused one, this was not seen. */
    {FORWARD, 58, SHORTS, COARSER},
    {DATA, 63, SHORTS, COARSER},
    {FUSED, 39, SHORTS, COARSER},
    /* Rounds the convolution to 16 bits, or to TF32, before the bias is added; to TF32 where the
     * output's channels are no multiple of 4: x=f32:4,44,8,8 w=f32:38,44,3,3 pad=1,1. */
    {FUSED, 26, SHORTS | FLOAT, COARSER},
    {FUSED, 29, SHORTS | FLOAT, COARSER},
    {FUSED, 33, SHORTS, COARSER},
    /* Sums in 16 bits: convolution_backward_data w=f16:3,2,2,5:nchw dy=f16:1,3,2,1102:nchw
     * dx=f16:1,2,3,1100:nchw pad=0,3. */
    {DATA, 2, HALF, COARSER},
    /* Cuts float to TF32 where it should round, 7.3e-4 off instead of 2.9e-4:
     * convolution_backward_filter x=f32:2,5,7,9:nchw dy=f32:2,6,7,10:nchw dw=f32:6,5,3,4:nchw
     * pad=1,2 math=allow_conversion. */
    {FILTER, 68, FLOAT, COARSER},
    /* Gives numbers that are wrong altogether: convolution_backward_filter x=f32:4,120,1,1
     * dw=f32:84,120,1,1 dy=f32:4,84,1,1 math=allow_conversion. */
    {FILTER, 69, FLOAT, COARSER},

    /* Applies alpha and beta to a result that it has rounded to 16 bits already:
     * convolution_backward_data w=f16:4,3,5,6:nchw dy=f16:2,4,5,7:1,190,5,27
     * dx=f16:2,3,7,8:450,90,9,1 pad=1,2 alpha=-0.5 beta=2. */
    {DATA, 2, SHORTS, COARSER_WITH_FACTORS},
    /* The same, convolution_backward_data w=f16:4,3,3,2:nhwc dy=f16:2,4,5,9:nhwc
     * dx=f16:2,3,5,8:nhwc pad=1,1 alpha=0.5 beta=0.5. */
    {DATA, 1, HALF, COARSER_WITH_FACTORS},
    /* The same, convolution_forward x=f16:2,3,5,8:nhwc w=f16:4,3,3,2:nhwc y=f16:2,4,5,9:nhwc
     * pad=1,1 alpha=0.5 beta=0.5. */
    {FORWARD, 1, SHORTS, COARSER_WITH_FACTORS},
    /* For first layers. Noted to sum in a shorter type, and exact where such sums are not:
     * convolution_forward x=f16:4,3,64,64:nhwc w=f16:64,3,7,7:nhwc pad=3,3 stride=2,2
     * math=tensor_op. Its likes for the filter do sum so. With other factors it was not tried. */
    {FORWARD, 63, HALF, FINER},
    {FORWARD, 63, HALF, COARSER_WITH_FACTORS},
};

static int is_split(const struct cudnn_engine *engine)
{
    for (int32_t i = 0; i < engine->knobs; i++) {
        if (engine->knob_type[i] == CUDNN_KNOB_TYPE_SPLIT_K)
            return engine->knob_value[i] != 1;
    }
    return 0;
}

uint32_t cudnn_errata(struct cudnn_engine *engine, int32_t operation, int32_t type, uint32_t notes)
{
    for (size_t i = 0; i < sizeof errata / sizeof errata[0]; i++) {
        enum finding finding = errata[i].finding;

        if (errata[i].operation != operation || errata[i].index != engine->index ||
            !(errata[i].types >> type & 1))
            continue;
        if (finding == FINER || finding == COARSER_SPLIT)
            notes &= ~NOTE(REDUCED_PRECISION_REDUCTION);
        if (finding == COARSER || (finding == COARSER_SPLIT && is_split(engine)))
            notes |= NOTE(REDUCED_PRECISION_REDUCTION);
        notes |= finding == IS_WINOGRAD ? NOTE(WINOGRAD) : finding == IS_FFT ? NOTE(FFT) : 0;
        engine->one_factor_set |= finding == COARSER_WITH_FACTORS;
    }
    return notes;
}
