/* SPDX-License-Identifier: Apache-2.0 */
/* The convolution entries as data. */
#include "tests/dispatch/entries.h"

static anydnnStatus_t forward(void *const *a)
{
    return anydnnConvolutionForward(a[0], a[1], a[2], a[3], a[4], a[5], a[6],
                                    ANYDNN_CONVOLUTION_FWD_ALGO_FFT_TILING, a[7],
                                    ENTRY_WORKSPACE_BYTES, a[8], a[9], a[10]);
}

static anydnnStatus_t fused(void *const *a)
{
    return anydnnConvolutionBiasActivationForward(
        a[0], a[1], a[2], a[3], a[4], a[5], a[6], ANYDNN_CONVOLUTION_FWD_ALGO_GEMM, a[7],
        ENTRY_WORKSPACE_BYTES, a[8], a[9], a[10], a[11], a[12], a[13], a[14], a[15]);
}

static anydnnStatus_t backward_bias(void *const *a)
{
    return anydnnConvolutionBackwardBias(a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
}

static anydnnStatus_t backward_filter(void *const *a)
{
    return anydnnConvolutionBackwardFilter(a[0], a[1], a[2], a[3], a[4], a[5], a[6],
                                           ANYDNN_CONVOLUTION_BWD_FILTER_ALGO_3, a[7],
                                           ENTRY_WORKSPACE_BYTES, a[8], a[9], a[10]);
}

static anydnnStatus_t backward_data(void *const *a)
{
    return anydnnConvolutionBackwardData(a[0], a[1], a[2], a[3], a[4], a[5], a[6],
                                         ANYDNN_CONVOLUTION_BWD_DATA_ALGO_FFT, a[7],
                                         ENTRY_WORKSPACE_BYTES, a[8], a[9], a[10]);
}

static anydnnStatus_t im2col(void *const *a)
{
    return anydnnIm2Col(a[0], a[1], a[2], a[3], a[4], a[5]);
}

#define CONV     "c1,2;2,1;1,3;2;cross;@"
#define X        "t@:2,6,7,5:250,40,5,1"
#define W        "w@:4,3,3,2"
#define Y        "t@:2,4,4,6:130,30,7,1"
#define CONV_LOG " params=convolution pad=1,2 stride=2,1 dilation=1,3 groups=2 mode=1 compute=@ "
#define X_LOG    "@:2,6,7,5:250,40,5,1"
#define W_LOG    "@:4,3,3,2:18,6,2,1"
#define Y_LOG    "@:2,4,4,6:130,30,7,1"

const struct entry_case entries_convolution[] = {
    {"anydnnConvolutionForward",
     forward,
     {{"handle", "h"},
      {"alpha", "f0"},
      {"xDesc", X},
      {"x", "d0"},
      {"wDesc", W},
      {"w", "d1"},
      {"convDesc", CONV},
      {"?workSpace", "ws"},
      {"beta", "f1"},
      {"yDesc", Y},
      {"y", "d2"}},
     "operation=convolution_forward math=default algorithm=5 deterministic=1 device=0 present=0x7 "
     "t0=" X_LOG " t1=" W_LOG " t2=" Y_LOG CONV_LOG "activation=0 nan=0 coef=0",
     0,
     0},
    {"anydnnConvolutionForward",
     forward,
     {{"handle", "h"},
      {"alpha", "f0"},
      {"xDesc", "t@:2,3,4,5,6"},
      {"x", "d0"},
      {"wDesc", "w@:7,3,1,2,3:nhwc"},
      {"w", "d1"},
      {"convDesc", "c1,0,2;1,2,3;1,1,2;1;convolution;@"},
      {"?workSpace", "ws"},
      {"beta", "f1"},
      {"yDesc", "t@:2,7,6,2,2:168,1,28,14,7"},
      {"y", "d2"}},
     "operation=convolution_forward math=default algorithm=5 deterministic=1 device=0 present=0x7 "
     "t0=@:2,3,4,5,6:360,120,30,6,1 t1=@:7,3,1,2,3:18,1,18,9,3 t2=@:2,7,6,2,2:168,1,28,14,7 "
     "params=convolution pad=1,0,2 stride=1,2,3 dilation=1,1,2 groups=1 mode=0 compute=@ "
     "activation=0 nan=0 coef=0",
     0,
     0},
    {"anydnnConvolutionForward",
     forward,
     {{"handle", "h"},
      {"alpha", "f0"},
      {"xDesc", "ts8x4:2,8,4,5"},
      {"x", "d0"},
      {"wDesc", "ws8x4:12,8,1,2:nchw_vect_c"},
      {"w", "d1"},
      {"convDesc", "c0,0;1,1;1,1;1;cross;s32"},
      {"?workSpace", "ws"},
      {"beta", "f1"},
      {"yDesc", "tf32:2,12,4,4"},
      {"y", "d2"}},
     "operation=convolution_forward math=default algorithm=5 deterministic=1 device=0 present=0x7 "
     "t0=s8x4:2,8,4,5:40,20,5,1 t1=s8x4:12,8,1,2:4,2,2,1 t2=f32:2,12,4,4:192,16,4,1 "
     "params=convolution pad=0,0 stride=1,1 dilation=1,1 groups=1 mode=1 compute=s32 "
     "activation=0 nan=0 coef=0",
     0,
     1},
    {"anydnnConvolutionForward",
     forward,
     {{"handle", "h"},
      {"alpha", "f0"},
      {"xDesc", "tf16:2,3,4,5"},
      {"x", "d0"},
      {"wDesc", "wf16:4,3,1,2"},
      {"w", "d1"},
      {"convDesc", "c0,0;1,1;1,1;1;cross;f32"},
      {"?workSpace", "ws"},
      {"beta", "f1"},
      {"yDesc", "tf16:2,4,4,4"},
      {"y", "d2"}},
     "operation=convolution_forward math=default algorithm=5 deterministic=1 device=0 present=0x7 "
     "t0=f16:2,3,4,5:60,20,5,1 t1=f16:4,3,1,2:6,2,2,1 t2=f16:2,4,4,4:64,16,4,1 "
     "params=convolution pad=0,0 stride=1,1 dilation=1,1 groups=1 mode=1 compute=f32 "
     "activation=0 nan=0 coef=0",
     0,
     1},
    {"anydnnConvolutionBiasActivationForward",
     fused,
     {{"handle", "h"},
      {"alpha1", "f0"},
      {"xDesc", X},
      {"x", "d0"},
      {"wDesc", W},
      {"w", "d1"},
      {"convDesc", CONV},
      {"?workSpace", "ws"},
      {"alpha2", "f1"},
      {"zDesc", "t@:2,4,4,6:131,31,7,1"},
      {"z", "d2"},
      {"biasDesc", "t@:1,4,1,1"},
      {"bias", "d3"},
      {"activationDesc", "R"},
      {"yDesc", Y},
      {"y", "d4"}},
     "operation=convolution_bias_activation_forward math=default algorithm=2 deterministic=1 "
     "device=0 present=0x1f t0=" X_LOG " t1=" W_LOG
     " t2=@:2,4,4,6:131,31,7,1 t3=@:1,4,1,1:4,1,1,1 t4=" Y_LOG CONV_LOG "activation=1 nan=0 coef=0",
     0,
     0},
    {"anydnnConvolutionBackwardBias",
     backward_bias,
     {{"handle", "h"},
      {"alpha", "f0"},
      {"dyDesc", Y},
      {"dy", "d0"},
      {"beta", "f1"},
      {"dbDesc", "t@:1,4,1,1"},
      {"db", "d1"}},
     "operation=convolution_backward_bias math=default algorithm=-1 deterministic=1 device=0 "
     "present=0x3 t0=" Y_LOG " t1=@:1,4,1,1:4,1,1,1 params=none",
     0,
     0},
    {"anydnnConvolutionBackwardFilter",
     backward_filter,
     {{"handle", "h"},
      {"alpha", "f0"},
      {"xDesc", X},
      {"x", "d0"},
      {"dyDesc", Y},
      {"dy", "d1"},
      {"convDesc", CONV},
      {"?workSpace", "ws"},
      {"beta", "f1"},
      {"dwDesc", W},
      {"dw", "d2"}},
     "operation=convolution_backward_filter math=default algorithm=3 deterministic=1 device=0 "
     "present=0x7 t0=" X_LOG " t1=" Y_LOG " t2=" W_LOG CONV_LOG "activation=0 nan=0 coef=0",
     0,
     0},
    {"anydnnConvolutionBackwardData",
     backward_data,
     {{"handle", "h"},
      {"alpha", "f0"},
      {"wDesc", W},
      {"w", "d0"},
      {"dyDesc", Y},
      {"dy", "d1"},
      {"convDesc", CONV},
      {"?workSpace", "ws"},
      {"beta", "f1"},
      {"dxDesc", X},
      {"dx", "d2"}},
     "operation=convolution_backward_data math=default algorithm=2 deterministic=1 device=0 "
     "present=0x7 t0=" W_LOG " t1=" Y_LOG " t2=" X_LOG CONV_LOG "activation=0 nan=0 coef=0",
     0,
     0},
    {"anydnnIm2Col",
     im2col,
     {{"handle", "h"},
      {"xDesc", X},
      {"x", "d0"},
      {"wDesc", "w@:4,6,3,2"},
      {"convDesc", "c1,2;2,1;1,3;1;cross;@"},
      {"colBuffer", "d1"}},
     "operation=im2col math=default algorithm=-1 deterministic=1 device=0 present=0x3 t0=" X_LOG
     " t1=@:36,48:48,1 params=convolution pad=1,2 stride=2,1 dilation=1,3 groups=1 mode=1 "
     "compute=@ activation=0 nan=0 coef=0",
     0,
     0},
    {NULL, NULL, {{NULL, NULL}}, NULL, 0, 0},
};
