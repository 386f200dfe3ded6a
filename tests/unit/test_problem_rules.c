/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the rules of each operation: valid problems, and the sentence for each invalid one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "problem/check_problem.h"
#include "problem/masks.h"
#include "problem/operation.h"
#include "problem/problem.h"
#include "problem/text.h"
#include "sys/error.h"

#define BAD  ANYDNN_STATUS_BAD_PARAM
#define NONE ANYDNN_STATUS_NOT_SUPPORTED

static anydnnStatus_t check(const char *text)
{
    struct adn_problem problem;
    struct adn_values values;

    if (adn_problem_parse(text, &problem, &values) != ANYDNN_STATUS_SUCCESS)
        fail_msg("%s\n%s", text, adn_error_text());
    return adn_problem_check(&problem, "anydnnTest");
}

#define CONV "convolution_forward x=f32:2,6,7,5 w=f32:4,3,3,2 groups=2 "
#define BN   "batch_normalization_training x=f32:2,3,4,5 "
#define BNB  "batch_normalization_backward x=f32:2,3,4,5 "

static const char *const good[] = {
    CONV,
    "convolution_forward x=f32:2,6,5 w=f32:6,1,3 groups=6",
    "convolution_forward x=f32:2,3,4,5,6 w=f32:7,3,1,2,3:nhwc mode=convolution",
    "convolution_forward x=f32:1,1,2,2,2,2,2,2 w=f32:1,1,1,1,1,1,1,1",
    "convolution_forward x=f16:1,3,4,5 w=f16:2,3,1,1 compute=f32",
    "convolution_forward x=f16:1,3,4,5 w=f16:2,3,1,1 compute=f16",
    "convolution_forward x=bf16:1,3,4,5 w=bf16:2,3,1,1",
    "convolution_forward x=f64:1,3,4,5 w=f64:2,3,1,1",
    "convolution_forward x=s8:1,4,4,5 w=s8:4,4,1,1",
    "convolution_forward x=s8:1,4,4,5 w=s8:4,4,1,1 y=f32:1,4,4,5",
    "convolution_forward x=u8x4:1,4,4,5 w=s8x4:4,4,1,1 y=f32:1,4,4,5",
    "convolution_forward x=s8x32:1,32,4,5 w=s8x32:32,32,1,1",
    "convolution_forward x=f32:1,3,5,5 w=f32:10,3,5,5",
    "convolution_backward_data w=f32:4,3,3,3 dy=f32:2,4,4,4 dx=f32:2,3,6,6",
    "convolution_backward_filter x=f32:2,3,6,6 dy=f32:2,4,4,4 dw=f32:4,3,3,3",
    "convolution_backward_bias dy=f16:2,4,5,6,7",
    "convolution_bias_activation_forward x=f32:2,3,4,5 w=f32:4,3,1,1 z=f32:2,4,4,5 alias=y:z",
    "convolution_bias_activation_forward x=f32:2,3,4,5 w=f32:4,3,1,1 activation=identity",
    "convolution_bias_activation_forward x=f32:2,3,4,5 w=f32:4,3,1,1 activation=swish coef=1 "
    "nan=propagate",
    "convolution_bias_activation_forward x=s8:2,4,4,5 w=s8:4,4,1,1 bias=f32:1,4,1,1",
    "pooling_forward x=f32:2,3,7,5 window=3,2",
    "pooling_forward x=f32:2,3,7,5 y=f32:2,3,1,9 window=3,2",
    "pooling_forward x=f32:2,3,7,5 window=3,2 pad=5,5",
    "pooling_forward x=f32:2,3,7,5 window=3,2 pad=-1,0",
    "pooling_backward y=f64:2,3,3 x=f64:2,3,5 window=3",
    "activation_forward x=f32:7 alias=y:x",
    "activation_backward y=f32:7,3 alias=dx:dy activation=clipped_relu coef=6",
    "activation_backward y=f32:7,3 alias=dx:y,dx:dy,dx:x activation=swish",
    "activation_backward dy=f32:7,3 x=f32:7,3 without=y alias=dx:x activation=swish",
    "activation_backward y=f32:7,3 without=x alias=dx:y",
    "lrn_forward x=f32:2,3,4,5 n=1 k=1e-5 lrn_beta=0.01",
    "lrn_backward y=f32:2,3,4 n=16",
    "softmax_forward x=f32:2,3 alias=y:x",
    "softmax_backward y=f32:2,3 alias=dx:dy softmax=log",
    "softmax_backward y=f32:2,3 alias=dx:dy,dx:y",
    "pooling_backward dy=f32:2,3,4 dx=f32:2,3,8 window=2 stride=2 mode=average_include without=y,x",
    "pooling_backward y=f32:2,3,7 x=f32:2,3,7 alias=dx:x,dx:y mode=average_exclude",
    "lrn_forward x=f32:2,3,4 alias=y:x",
    "lrn_backward dy=f32:2,3,4 x=f32:2,3,4 without=y alias=dx:dy",
    "lrn_backward y=f32:2,3,4 alias=dx:y",
    "divisive_normalization_forward x=f32:2,3,4,5",
    "divisive_normalization_backward x=f32:2,3,4,5 means=f32:2,3,4,5 dmeans=f32:2,3,4,5",
    "batch_normalization_inference x=f32:2,3 epsilon=0",
    "batch_normalization_inference x=f16:2,3,4,5 mode=per_activation alias=y:x",
    "batch_normalization_inference x=f16:2,3,4,5 scale=f16:1,3,1,1",
    "batch_normalization_inference x=bf16:2,3,4,5 scale=bf16:1,3,1,1 mean=bf16:1,3,1,1",
    "batch_normalization_training x=f16:2,3 scale=f16:1,3 save_mean=f32:1,3 save_inv_var=f32:1,3 "
    "running_mean=f16:1,3 running_var=f16:1,3",
    "batch_normalization_backward x=bf16:2,3 save_mean=bf16:1,3 save_inv_var=bf16:1,3",
    BN,
    BN "running_mean=f32:1,3,1,1 running_var=f32:1,3,1,1 save_mean=f32:1,3,1,1 "
       "save_inv_var=f32:1,3,1,1",
    BN "ops=bn_activation reserve=u8:15",
    BN "ops=bn_add_activation z=f32:2,3,4,5 reserve=u8:16 alias=y:z",
    BNB,
    BNB "ops=bn_activation y=f32:2,3,4,5 bias=f32:1,3,1,1 reserve=u8:15 alias=dx:dy",
    BNB "alias=dx:x,dx:dy",
    BNB "ops=bn_add_activation reserve=u8:15 y=f32:2,3,4,5 bias=f32:1,3,1,1 dz=f32:2,3,4,5 "
        "alias=dx:x,dz:y",
    BNB "ops=bn_add_activation y=f32:2,3,4,5 bias=f32:1,3,1,1 reserve=u8:15 dz=f32:2,3,4,5",
    "dropout_forward x=f32:2,3,4 p=0 alias=y:x",
    "dropout_forward x=f32:2,3,4 p=1",
    "dropout_backward dy=f32:2,3,4 alias=dx:dy",
    "transform_tensor x=f32:2,3,4,5 y=f32:2,3,4,5:nhwc",
    "transform_tensor x=s8:1,8,2,2 y=s8x4:1,8,2,2",
    "transform_tensor_ex x=f32:2,3,4,5 y=f32:2,3,5,5 pad_before=0,0,1,0",
    "transform_filter x=f32:4,3,5,4 y=f32:4,12,3,2 fold=2,2",
    "transform_tensor_ex x=f32:2,12,3,2 y=f32:2,3,6,4 fold=2,2 direction=unfold",
    "add_tensor x=f32:1,3,1,1 y=f32:2,3,4,5",
    "add_tensor x=f32:2,3,4,5 alias=y:x",
    "op_tensor a=f32:2,3,4,5 b=f32:1,3,1,1 alias=c:a",
    "op_tensor a=f32:2,3 alias=c:b,c:a",
    "op_tensor a=f32:2,3 op=not without=b alias=c:a",
    "op_tensor a=s8:2,3 compute=f32",
    "op_tensor a=f64:2,3 op=not",
    "reduce_tensor a=f32:2,3,4 c=f32:2,1,1",
    "reduce_tensor a=f32:2,3,4 c=f32:2,3,4",
    "reduce_tensor a=f32:2,3,4 c=f32:1,1,1 op=min indices=u8:1,1,1",
    "set_tensor y=s8x4:1,8,2,2",
    "scale_tensor y=f32:2,3:1,2",
    "im2col x=f32:2,3,6,7 window=3,2",
    "spatial_grid_forward theta=f32:2,2,3:7,3,1 grid=f32:2,4,5,2:1,2,8,40",
    "spatial_grid_backward dgrid=bf16:1,1,1,2",
    "spatial_sampler_forward x=f64:2,3,5,7:nhwc grid=f64:2,4,6,2",
    "spatial_sampler_backward x=f16:2,3,1,1 grid=f16:2,4,6,2 dy=f16:2,3,4,6 beta_grid=1",
    "ctc_loss x=f32:7,3,5 labels=s32:4",
    "ctc_loss x=f32:7,3,5:1,7,21 labels=s32:1 gradients=f32:7,3,5 normalization=none nan=propagate",
    "ctc_loss x=f64:7,3,1 labels=s32:1 costs=f64:3",
    "ctc_loss x=f16:1,1,2 labels=s32:4000 costs=f32:1 gradients=f16:1,1,2",
    "normalization_forward x=f16:4,5,6 kind=layer axes=2",
    "normalization_forward x=f16:4,5,6 z=f32:4,5,6 sum=bf16:4,5,6 y=f32:4,5,6 scale=f32:1,1,6 "
    "save_mean=f32:4,5,1 save_inv_dev=f32:4,5,1 kind=layer axes=2",
    "normalization_forward x=f64:4,6 save_inv_dev=f64:4,1 kind=rms axes=1",
    "normalization_forward x=f32:2,6,5 save_mean=f32:2,3,1 save_inv_dev=f32:2,3,1 kind=group "
    "groups=3",
    "normalization_forward x=f32:2,3,8 save_mean=f32:2,1,4 save_inv_dev=f32:2,1,4 kind=group "
    "groups=4 channel_axis=2",
    "normalization_forward x=f32:2,6,5 save_mean=f32:2,6,1 save_inv_dev=f32:2,6,1 kind=instance",
    "normalization_forward x=f32:9 kind=layer axes=0",
    "normalization_forward x=f32:3,4 z=f32:3,4 sum=f32:3,4 kind=rms axes=1 alias=y:x,sum:z",
    "normalization_backward x=f32:4,6 dscale=f32:1,6 dbias=f32:1,1 kind=layer axes=1",
    "normalization_backward x=f32:4,6 dsum=f32:4,6 kind=layer axes=1 alias=dx:dsum",
    "matmul a=f32:4,5 b=f32:5,6",
    "matmul a=f16:1,2,4,5 b=f16:3,1,5,6:30,30,1,5 c=f32:3,2,4,6 d=f32:3,2,4,6 bias=f32:1,1,4,1",
    "matmul a=f32:4,5 b=f32:5,6 c=f32:4,6 alias=d:c",
};

static void good_problems_pass(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        if (check(good[i]) != ANYDNN_STATUS_SUCCESS)
            fail_msg("%s\n%s", good[i], adn_error_text());
}

static const struct {
    const char *text;
    anydnnStatus_t status;
    const char *sentence;
} bad[] = {
    /* spatial transformer */
    {"spatial_grid_forward theta=s8:2,2,3 grid=s8:2,4,5,2", NONE,
     "theta is s8:2,2,3; this operation takes f32, f64, f16 or bf16"},
    {"spatial_grid_forward theta=f32:2,3,3 grid=f32:2,4,5,2", BAD,
     "theta is f32:2,3,3; its dims must be 2,2,3, an affine matrix for each n of the grid"},
    {"spatial_grid_forward theta=f32:3,2,3 grid=f32:2,4,5,2", BAD, "its dims must be 2,2,3"},
    {"spatial_grid_forward theta=f32:2,2,3 grid=f32:2,4,5,3", BAD,
     "grid is f32:2,4,5,3; a grid has the dims n,h,w,2"},
    {"spatial_grid_forward theta=f32:2,2,3 grid=f32:2,4,2", BAD, "a grid has the dims n,h,w,2"},
    {"spatial_grid_forward theta=f32:2,2,3 grid=f64:2,4,5,2", BAD, "its type must be f32"},
    {"spatial_grid_forward theta=f32:2,2,3 grid=f32:2,4,5,2:1,2,3,4", NONE, "must not overlap"},
    {"spatial_grid_backward dgrid=f32:2,4,5,3", BAD, "dgrid is f32:2,4,5,3; a grid has the dims"},
    {"spatial_grid_backward dgrid=f32:2,4,5,2 dtheta=f16:2,2,3", BAD, "its type must be f32"},
    {"spatial_sampler_forward x=f32:2,3,4,5,6 grid=f32:2,4,6,2 y=f32:2,3,4,6", BAD,
     "x is f32:2,3,4,5,6; the sampler requires images with dims n,c,h,w"},
    {"spatial_sampler_forward x=f32:2,3,5,7 grid=f32:3,4,6,2 y=f32:2,3,4,6", BAD,
     "grid is f32:3,4,6,2; its dims must be 2,4,6,2, n being that of x"},
    {"spatial_sampler_forward x=f32:2,3,5,7 grid=f32:2,4,6,2 y=f32:2,3,6,4", BAD,
     "its dims must be 2,3,4,6, n and c of x, h and w of the grid"},
    {"spatial_sampler_forward x=f32:2,3,5,7 grid=f32:2,4,6,2 y=f32:2,4,4,6", BAD,
     "its dims must be 2,3,4,6"},
    {"spatial_sampler_forward x=f16:2,3,5,7 grid=f32:2,4,6,2", BAD, "its type must be f16"},
    {"spatial_sampler_forward x=f32:2,3,4,6 grid=f32:2,4,6,2 alias=y:x", BAD,
     "cannot overwrite it in place"},
    {"spatial_sampler_backward x=f32:2,3,5,7 grid=f32:2,4,6,2 dy=f32:2,3,5,7", BAD,
     "dy is f32:2,3,5,7; its dims must be 2,3,4,6"},
    {"spatial_sampler_backward x=f32:2,3,5,7 grid=f32:2,4,6,2 dy=f32:2,3,4,6 dx=f32:2,3,5,6", BAD,
     "dx is f32:2,3,5,6; its dims must be 2,3,5,7, those of x"},
    {"spatial_sampler_backward x=f32:2,3,5,7 grid=f32:2,4,6,2 dy=f32:2,3,4,6 dgrid=f32:2,4,5,2",
     BAD, "dgrid is f32:2,4,5,2; its dims must be 2,4,6,2, those of the grid"},
    {"spatial_sampler_backward x=f32:2,3,5,7 grid=f32:2,4,6,2 dy=f32:2,3,4,6 alias=dgrid:grid", BAD,
     "cannot overwrite it in place"},
    /* CTC loss */
    {"ctc_loss x=f32:7,3 labels=s32:4 label_lengths=s32:3 input_lengths=s32:3 costs=f32:3", BAD,
     "x is f32:7,3; it must have three dims: time, sequence, letter of the alphabet"},
    {"ctc_loss x=f32:7,3,5 labels=f32:4", BAD, "labels is f32:4; it must be s32:K, packed"},
    {"ctc_loss x=f32:7,3,5 labels=s32:4:2", BAD, "it must be s32:K, packed"},
    {"ctc_loss x=f32:7,3,5 labels=s32:2,2", BAD, "it must be s32:K, packed"},
    {"ctc_loss x=f32:7,3,5 labels=s32:4 label_lengths=s32:4", BAD,
     "label_lengths is s32:4; it must be s32:3, packed, one for each sequence"},
    {"ctc_loss x=f32:7,3,5 labels=s32:4 input_lengths=s64:3", BAD, "it must be s32:3"},
    {"ctc_loss x=f16:7,3,5 labels=s32:4 costs=f16:3", BAD, "it must be f32:3"},
    {"ctc_loss x=f64:7,3,5 labels=s32:4 costs=f32:3", BAD, "it must be f64:3"},
    {"ctc_loss x=f32:7,3,5 labels=s32:4 gradients=f32:7,3,6", BAD, "those of x"},
    {"ctc_loss x=f32:7,3,5 labels=s32:4 gradients=f64:7,3,5", BAD, "its type must be f32"},
    {"ctc_loss x=f32:7,3,5 labels=s32:4 gradients=f32:7,3,5 alias=gradients:x", BAD,
     "cannot overwrite it in place"},
    /* normalizations */
    {"normalization_forward x=f32:4,6 kind=layer", BAD,
     "axes is 0x0; it must have a bit for each dim to sum over, of the 2 that x has"},
    {"normalization_forward x=f32:4,6 kind=layer axes=2", BAD, "axes is 0x4"},
    {"normalization_forward x=f32:4,6 kind=rms axes=1 groups=2", BAD,
     "groups is 2 and channel_axis 1; without groups both must be 1"},
    {"normalization_forward x=f32:4,6 kind=group axes=1", BAD,
     "axes is 0x2; it must be 0 for groups"},
    {"normalization_forward x=f32:4,6 kind=group groups=4", BAD,
     "groups is 4; it must divide the 6 channels of x"},
    {"normalization_forward x=f32:4,6 kind=group channel_axis=2", BAD,
     "channel_axis is 2; x has 2 dims, so it must be 1 to 1"},
    {"normalization_forward x=f32:4,6 kind=instance groups=2", BAD,
     "groups is 2; it must be 1 for instances"},
    {"normalization_forward x=f32:4,6 kind=instance channel_axis=0", BAD, "channel_axis is 0"},
    {"normalization_forward x=f32:4,6 save_mean=f32:4,1 kind=layer axes=1", BAD,
     "of save_mean and save_inv_dev one is given; both or neither must be"},
    {"normalization_forward x=f32:4,6 save_mean=f32:4,1 save_inv_dev=f32:4,1 kind=rms axes=1", BAD,
     "save_mean is given; an RMS normalization has no mean"},
    {"normalization_forward x=f32:4,6 sum=f32:4,6 kind=rms axes=1", BAD,
     "sum is given and z is not; it holds x + z"},
    {"normalization_forward x=f16:4,6 save_inv_dev=f16:4,1 kind=rms axes=1", BAD,
     "save_inv_dev is f16:4,1; its type must be f32"},
    {"normalization_forward x=f32:4,6 save_inv_dev=f32:1,6 kind=rms axes=1", BAD,
     "save_inv_dev is f32:1,6; its dims must be 4,1, one element for each mean and deviation"},
    {"normalization_forward x=f32:4,6 scale=f32:1,3 kind=rms axes=1", BAD,
     "scale is f32:1,3; each of its dims must be that of x, or 1"},
    {"normalization_forward x=f32:4,6 scale=f32:6 kind=rms axes=1", BAD,
     "scale is f32:6; it must have as many dims as x"},
    {"normalization_forward x=f64:4,6 scale=f32:1,6 kind=rms axes=1", NONE,
     "scale is f32:1,6; its type must be f64 beside an x of f64"},
    {"normalization_forward x=f32:4,6 bias=f64:1,6 kind=rms axes=1", NONE,
     "bias is f64:1,6; its type must be f32, f16 or bf16, unless x is f64"},
    {"normalization_forward x=f32:4,6 y=f32:4,5 kind=rms axes=1", BAD,
     "y is f32:4,5; its dims must be 4,6, those of x"},
    {"normalization_forward x=f32:4,6 kind=rms axes=1 epsilon=-1", BAD,
     "epsilon is -1; it must be at least 0 and finite"},
    {"normalization_forward x=f32:4,6 kind=rms axes=1 compute=f64", NONE,
     "the compute type is f64; for x of type f32 it must be f32"},
    {"normalization_forward x=f32:4,6 z=f32:4,6 sum=f32:4,6 kind=rms axes=1 alias=y:x,sum:x", BAD,
     "sum is f32:4,6; it has the same address as another output"},
    {"normalization_backward x=f32:4,6 scale=f32:1,6 dscale=f32:4,1 kind=rms axes=1", BAD,
     "dscale is f32:4,1; its dims must be 1,6, those of scale"},
    {"normalization_backward x=f32:4,6 scale=f32:4,6 kind=rms axes=1 alias=dx:scale", BAD,
     "this operation cannot overwrite it in place"},
    /* matrix products */
    {"matmul a=f32:4 b=f32:4 d=f32:4", BAD, "a is f32:4; a matrix has at least two dims"},
    {"normalization_forward x=f32:4 kind=instance", BAD,
     "x is f32:4; groups need a dim of samples and one of channels"},
    {"matmul a=f32:4 b=f32:4", BAD, "a is f32:4; a matrix has at least two dims"},
    {"matmul a=f32:4,5 b=f32:1,5,6", BAD, "b is f32:1,5,6; it must have as many dims as a"},
    {"matmul a=f32:4,5 b=f32:6,7", BAD, "b is f32:6,7; it must have as many rows as a has columns"},
    {"matmul a=f32:2,4,5 b=f32:3,5,6 d=f32:3,4,6", BAD,
     "b is f32:3,5,6; each dim before its last two must be that of a, or one of both must be 1"},
    {"matmul a=f32:2,4,5 b=f32:5,6 d=f32:2,4,6", BAD,
     "b is f32:5,6; it must have as many dims as a"},
    {"matmul a=f32:4,5 b=f32:5,6 d=f32:4,7", BAD,
     "d is f32:4,7; it must have the rows of a, the columns of b and the larger of each other dim"},
    {"matmul a=f32:4,5 b=f32:5,6 c=f32:1,6", BAD, "c is f32:1,6; its dims must be 4,6, those of d"},
    {"matmul a=f32:4,5 b=f32:5,6 bias=f32:1,5", BAD,
     "bias is f32:1,5; each of its dims must be that of d, or 1"},
    {"matmul a=f32:4,5 b=f16:5,6", NONE, "b is f16:5,6; its type must be that of a"},
    {"matmul a=f32:4,5 b=f32:5,6 aux=f16:4,6", NONE,
     "aux is f16:4,6; its type must be that of d, or f32"},
    {"matmul a=f32:4,5 b=f32:5,6 scale_a=f32:1,1", NONE,
     "scale_a is given; this version has no scales, zero points and maxima"},
    {"matmul a=f32:4,5 b=f32:5,6 compute=f64", NONE,
     "the compute type is f64; for a of type f32 it must be f32"},
    {"matmul a=f32:5,5 b=f32:5,5 alias=d:a", BAD, "this operation cannot overwrite it in place"},
    /* convolution */
    {"convolution_forward x=f32:2,3 w=f32:4,3 y=f32:2,4", BAD,
     "x is f32:2,3; it must have spatial"},
    {"convolution_forward x=f32:2,6,7,5 w=f32:4,3,3 y=f32:2,4,5,5", BAD,
     "w has 3 dims and the convolution descriptor has 2 spatial dims; it must have 4"},
    {"convolution_forward x=f32:2,6,7,5 w=f32:4,3,3,2", BAD,
     "the filter has 3 channels in each of 1 groups and the input has 6; the filter needs 6"},
    {CONV "dilation=1,5 y=f32:2,4,5,1", BAD, "in spatial dim 1, the filter has 2 elements"},
    {CONV "y=f32:2,4,5,5", BAD, "y is f32:2,4,5,5; its dims must be 2,4,5,4"},
    {CONV "y=f32:2,4,5,3", BAD, "its dims must be 2,4,5,4, those of the convolution's result"},
    {CONV "y=f32:3,4,5,4", BAD, "its dims must be 2,4,5,4"},
    {CONV "y=f32:2,5,5,4", BAD, "its dims must be 2,4,5,4"},
    {"convolution_forward x=f32:2,6,7,5 w=f32:4,3,3,2 groups=4 y=f32:2,4,5,4", BAD,
     "4 groups with 6 input and 4 output channels; groups must divide both"},
    {"convolution_forward x=f32:2,6,7,5 w=f32:4,2,3,2 groups=3 y=f32:2,4,5,4", BAD,
     "3 groups with 6 input and 4 output channels"},
    {"convolution_forward x=f32:2,6,7,5 w=f32:4,3,3,2 groups=0 y=f32:2,4,5,4", BAD, "0 groups"},
    {CONV "pad=-1,0 y=f32:2,4,3,4", BAD, "in spatial dim 0, pad is -1"},
    {CONV "stride=0,1 y=f32:2,4,5,4", BAD, "stride 0"},
    {CONV "dilation=1,0 y=f32:2,4,5,4", BAD, "dilation 0"},
    {CONV "y=f16:2,4,5,4", NONE, "this combination is not supported"},
    {CONV "compute=f64", NONE, "the compute type is f64"},
    {"convolution_forward x=f16:2,6,7,5 w=f32:6,6,3,2", NONE, "x is f16, w is f32, y is f16"},
    {"convolution_forward x=s8:1,4,4,5 w=s8:4,4,1,1 y=s32:1,4,4,5", NONE,
     "x is s8, w is s8, y is s32, the compute type is s32; this combination is not supported"},
    {"convolution_forward x=s8:1,4,4,5 w=u8:4,4,1,1", NONE, "x is s8, w is u8, y is u8"},
    {"convolution_forward x=s8x32:1,32,4,5 w=s8x32:32,32,1,1 y=f32:1,32,4,5", NONE,
     "x is s8x32, w is s8x32, y is f32"},
    {"convolution_forward x=bf16:1,4,4,5 w=bf16:4,4,1,1 compute=f16", NONE, "x is bf16"},
    {"convolution_backward_data w=s8:4,4,3,3 dy=s8:2,4,4,4 dx=s8:2,4,6,6", NONE,
     "this combination is not supported"},
    {"convolution_forward x=f32:2,3,5,5 w=f32:3,3,1,1 alias=y:x", BAD,
     "y is f32:2,3,5,5; it has the same address as x; this operation cannot overwrite it in place"},
    {"convolution_backward_data w=f32:4,3,3,3 dy=f32:2,4,4,4 dx=f32:2,3,6,7", BAD,
     "its dims must be 2,4,4,5"},
    {"convolution_backward_filter x=f32:2,3,6,6 dy=f32:2,4,4,4 dw=f32:4,3,3,2", BAD,
     "dims must be"},
    {"convolution_backward_bias dy=f32:2,4,5,6 db=f32:1,5,1,1", BAD, "its dims must be 1,4,1,1"},
    {"convolution_backward_bias dy=f32:2,4,5,6 db=f64:1,4,1,1", BAD, "that of dy"},
    {"convolution_backward_bias dy=f32:2,4,5,6 db=f32:1,4", BAD, "as many dims as dy"},
/* fused */
#define FUSED "convolution_bias_activation_forward x=f32:2,3,4,5 w=f32:4,3,1,1 "
    {FUSED "bias=f32:1,3,1,1", BAD, "bias is f32:1,3,1,1; its dims must be 1,4,1,1"},
    {FUSED "bias=f64:1,4,1,1", BAD, "its type must be that of y, or f32 for integers"},
    {FUSED "bias=f32:1,4", BAD, "as many dims as y"},
    {FUSED "z=f32:2,4,4,4", BAD, "z is f32:2,4,4,4; its dims must be 2,4,4,5, those of y"},
    {FUSED "z=f16:2,4,4,5", BAD, "its type must be f32, that of y"},
    {FUSED "z=f32:2,4,4,5:nhwc alias=y:z", BAD, "in-place operands need the same descriptor"},
    {FUSED "activation=elu coef=inf", BAD, "coefficient is inf"},
    {"convolution_bias_activation_forward x=f16:2,4,4,5 w=f16:4,4,1,1 bias=f32:1,4,1,1", BAD,
     "its type must be that of y"},
    {"convolution_bias_activation_forward x=s8:2,4,4,5 w=s8:4,4,1,1 bias=s8:1,4,1,1", BAD,
     "or f32 for integers"},
    {"convolution_bias_activation_forward x=f32:2,4,4,5 w=f32:4,4,1,1 alias=y:x", BAD,
     "cannot overwrite it in place"},
    /* pooling, activation, softmax, dropout */
    {"pooling_forward x=f32:2,3 y=f32:2,3", BAD,
     "x is f32:2,3; it must have n, c and spatial dims"},
    {"pooling_forward x=f32:2,3,7,5 y=f32:2,4,1,1 window=3,2", BAD, "n and c must be those of x"},
    {"pooling_forward x=f32:2,3,7,5 y=f32:2,3,1 window=3,2", BAD, "its number of dims"},
    {"pooling_forward x=f32:2,3,7,5 y=f64:2,3,1,1 window=3,2", BAD, "its type must be that of x"},
    {"pooling_forward x=f32:2,3,7,5 y=f32:2,3,1,1 window=0,2", BAD, "the window is 0"},
    {"pooling_forward x=f32:2,3,7,5 y=f32:2,3,1,1 stride=1,-1", BAD, "the stride is -1"},
    {"pooling_forward x=f32:2,3,7,5 y=f32:2,3,7,5 alias=y:x", BAD, "cannot overwrite it in place"},
    {"pooling_backward y=f32:2,3,3 dy=f32:2,3,4 x=f32:2,3,5 window=3", BAD, "those of y"},
    {"pooling_backward y=f32:2,3,3 x=f32:2,3,5 dx=f32:2,3,4 window=3", BAD, "those of x"},
    {"activation_forward x=f32:2,3 y=f32:3,2", BAD,
     "y is f32:3,2; its dims must be 2,3, those of x"},
    {"activation_forward x=f32:2,3 y=f64:2,3", BAD, "its type must be f32, that of x"},
    {"activation_forward x=f32:2,3 y=f32:2,3,1", BAD, "as many dims"},
    {"activation_forward x=f32:2,3 y=f32:2,3:1,2 alias=y:x", BAD, "need the same descriptor"},
    {"activation_forward x=f32:2,3 activation=identity", BAD, "the mode is identity"},
    {"activation_forward x=f32:2,3 activation=elu coef=nan", BAD, "coefficient is nan"},
    {"activation_backward y=f32:2,3 dx=f32:2,3:1,2 alias=dx:y", BAD, "need the same descriptor"},
    {"activation_backward y=f32:2,3 x=f32:2,3:1,2 alias=dx:y,dx:x activation=swish", BAD,
     "same address as x; in-place operands need the same descriptor"},
    {"softmax_forward x=f32:5", BAD, "a softmax needs at least the dims n and c"},
    {"softmax_backward y=f32:2,3 dy=f32:2,4", BAD, "dy is f32:2,4"},
    {"softmax_backward y=f32:2,3 dy=f32:2,3:1,2 alias=dx:y,dx:dy", BAD,
     "same address as dy; in-place operands need the same descriptor"},
    {"pooling_backward y=f32:2,3,7 x=f32:2,3,7 alias=dx:x", BAD, "same address as x; this op"},
    {"pooling_backward y=f32:2,3,7 x=f32:2,3,7 alias=dx:dy mode=average_include", BAD,
     "same address as dy; this operation cannot"},
    {"pooling_backward y=f32:2,3,7 x=f32:2,3,7 alias=dx:y,dx:dy mode=average_include", BAD,
     "same address as dy; this operation cannot"},
    {"dropout_forward x=f32:2,3 p=1.5", BAD, "the probability is 1.5; it must be 0 to 1"},
    {"dropout_forward x=f32:2,3 p=-0.1", BAD, "the probability is -0.1"},
    {"dropout_forward x=f32:2,3 p=nan", BAD, "the probability is nan"},
    {"dropout_forward x=f32:2,3,3 reserve=u8:2", BAD, "it must be at least u8:3, one bit"},
    {"dropout_forward x=f32:2,3,3 reserve=f32:3", BAD, "it must be at least u8:3"},
    {"dropout_forward x=f32:2,3,3 states=u8:31", BAD, "it must be at least u8:32"},
    {"dropout_forward x=f32:2,3,3 y=f32:2,3,4", BAD, "those of x"},
    {"dropout_backward dy=f32:2,3,3 reserve=u8:2", BAD, "it must be at least u8:3"},
    /* normalization */
    {"lrn_forward x=f32:2,3,4 n=0", BAD, "n is 0"},
    {"lrn_forward x=f32:2,3,4 n=17", BAD, "n must be 1 to 16"},
    {"lrn_forward x=f32:2,3,4 k=1e-6", BAD, "k at least 1e-5"},
    {"lrn_forward x=f32:2,3,4 lrn_beta=0.001", BAD, "beta at least 0.01"},
    {"lrn_forward x=f32:2,3,4 lrn_alpha=inf", BAD, "alpha finite"},
    {"lrn_forward x=f32:2,3", BAD, "it must have n, c and spatial dims"},
    {"lrn_backward y=f32:2,3,4 alias=dx:x", BAD, "cannot overwrite it in place"},
    {"lrn_backward y=f32:2,3,4 alias=dx:dy,dx:x", BAD, "same address as x; this operation cannot"},
    {"divisive_normalization_forward x=f32:2,3,4 means=f32:2,3,5", BAD, "means is f32:2,3,5"},
    {"divisive_normalization_backward x=f32:2,3,4 alias=dx:dy", BAD,
     "cannot overwrite it in place"},
    {BN "scale=f32:1,4,1,1", BAD, "its dims must be 1,3,1,1, those that mode and x determine"},
    {BN "mode=per_activation scale=f32:1,3,1,1", BAD, "its dims must be 1,3,4,5"},
    {BN "scale=f64:1,3,1,1", BAD, "its type must be f32"},
    {"batch_normalization_training x=f16:2,3,4,5 scale=bf16:1,3,1,1", BAD,
     "scale is bf16:1,3,1,1; its type must be f32 or x's type, f16"},
    {"batch_normalization_training x=bf16:2,3,4,5 bias=f16:1,3,1,1", BAD,
     "its type must be f32 or x's type, bf16"},
    {"batch_normalization_inference x=f16:2,3,4,5 scale=f16:1,3,1,1 bias=f32:1,3,1,1", BAD,
     "bias is f32:1,3,1,1; its type must be that of scale, f16"},
    {"batch_normalization_inference x=f16:2,3,4,5 mean=f16:1,3,1,1 var=f32:1,3,1,1", BAD,
     "its type must be that of mean, f16"},
    {"batch_normalization_training x=f16:2,3,4,5 running_mean=f32:1,3,1,1 "
     "running_var=f16:1,3,1,1",
     BAD, "its type must be that of running_mean, f32"},
    {"batch_normalization_backward x=bf16:2,3,4,5 save_mean=f32:1,3,1,1 save_inv_var=bf16:1,3,1,1",
     BAD, "its type must be that of save_mean, f32"},
    {"batch_normalization_backward x=f16:2,3,4,5 scale=f16:1,3,1,1 dbias=f32:1,3,1,1", BAD,
     "its type must be that of scale, f16"},
    {"batch_normalization_inference x=f32:2,3,4,5 scale=f16:1,3,1,1", BAD, "its type must be f32"},
    {"batch_normalization_inference x=s8:2,3,4,5 scale=s8:1,3,1,1", BAD, "its type must be f32"},
    {"batch_normalization_training x=f64:2,3,4,5 bias=f32:1,3,1,1", BAD,
     "must be f64, since x is f64"},
    {BN "scale=f32:1,3,1", BAD, "as many dims as x"},
    {BN "y=f16:2,3,4,5", BAD, "its type must be f32, that of x"},
    {BN "running_mean=f32:1,3,1,1", BAD, "only one of running_mean and running_var is given"},
    {BN "save_inv_var=f32:1,3,1,1", BAD, "only one of save_mean and save_inv_var is given"},
    {BN "epsilon=-1", BAD, "epsilon is -1"},
    {BN "epsilon=nan", BAD, "epsilon is nan"},
    {BN "ops=bn_activation", BAD, "the reserve is absent"},
    {BN "ops=bn_activation reserve=u8:14", BAD, "it must be at least u8:15"},
    {BN "ops=bn_add_activation reserve=u8:15", BAD, "z is absent"},
    {BN "z=f32:2,3,4,5", BAD, "z is given; it must be given for bn_add_activation"},
    {BN "running_mean=f32:1,3,1,1 running_var=f32:1,3,1,1 alias=running_mean:scale", BAD,
     "cannot overwrite it in place"},
    {BNB "ops=bn_add_activation reserve=u8:15", BAD, "dz is absent"},
    {BNB "alias=dx:scale", BAD, "cannot overwrite it in place"},
    {BNB "alias=dx:x,dx:scale", BAD, "same address as scale; this operation cannot"},
    {BNB "ops=bn_add_activation reserve=u8:15 y=f32:2,3,4,5 bias=f32:1,3,1,1 dz=f32:2,3,4,5 "
         "alias=dx:dy,dz:dy",
     BAD, "dz is f32:2,3,4,5; it has the same address as another output"},
    {BNB "ops=bn_add_activation reserve=u8:15 y=f32:2,3,4,5 bias=f32:1,3,1,1 dz=f32:2,3,4,5 "
         "alias=dx:x,dx:dy,dz:dy",
     BAD, "dz is f32:2,3,4,5; it has the same address as another output"},
    {"batch_normalization_inference x=f32:2,3,4,5 ops=bn_activation", BAD,
     "inference does not support an activation"},
    {"batch_normalization_inference x=f32:7", BAD, "at least the dims n and c"},
    /* tensors */
    {"transform_tensor x=f32:2,3 y=f32:2,4", BAD, "those of x"},
    {"transform_tensor x=f32:2,3 alias=y:x", BAD, "cannot overwrite it in place"},
    {"transform_tensor_ex x=f32:2,3,4,5 y=f32:2,3,4,5 pad_after=0,0,0,1", BAD,
     "its dims must be 2,3,4,6"},
    {"transform_tensor_ex x=f32:2,3,4,5 y=f64:2,3,4,5", NONE,
     "y is f64:2,3,4,5; with x of type f32 its type must be f32, f16, s8, s8x4, s8x32 or bf16"},
    {"transform_tensor_ex x=f32:2,3,4,5 y=f32:2,3,4,5 pad_before=0,0,-4,0", BAD, "no elements"},
    {"transform_tensor_ex x=f32:2,3,4,5 y=f32:2,1,4,5 fold=2,1 direction=unfold", BAD,
     "its channels are not divisible by the folds"},
    {"transform_tensor_ex x=f32:2,3,4,5 y=f32:2,3,4,5 fold=0,1", BAD, "folds"},
    {"add_tensor x=f32:2,1,4,5 y=f32:2,3,4,6", BAD, "each of its dims must be that of y or 1"},
    {"add_tensor x=f32:3,1,1 y=f32:2,3,4,6", BAD, "as many dims"},
    {"add_tensor x=f64:1,1 y=f32:2,3", BAD, "its type must be that of y"},
    {"add_tensor x=f32:1,1 y=f32:2,3 alias=y:x", BAD, "need the same descriptor"},
    {"op_tensor a=f32:2,3 c=f32:2,4", BAD, "those of a"},
    {"op_tensor a=f32:2,3 b=f32:2,2", BAD, "each of its dims must be that of a or 1"},
    {"op_tensor a=f32:2,3 b=f64:2,3", BAD, "its type must be that of a"},
    {"op_tensor a=f32:2,3 compute=f64", BAD,
     "the compute type is f64; for operand a of type f32 it must be f32"},
    {"op_tensor a=f64:2,3 compute=f32", BAD, "for operand a of type f64 it must be f64"},
    {"op_tensor a=s8:2,3 compute=s32", BAD, "for operand a of type s8 it must be f32"},
    {"op_tensor a=f32:2,3 alias=c:b", BAD, "same address as b; this operation cannot"},
    {"op_tensor a=f32:2,3 b=f32:1,3 alias=c:a,c:b", BAD, "need the same descriptor"},
    {"reduce_tensor a=f32:2,3,4 c=f32:2,2,1", BAD, "each of its dims must be that of a or 1"},
    {"reduce_tensor a=f32:2,3,4 c=f64:2,1,1", NONE, "c is f64:2,1,1; with a of type f32"},
    {"reduce_tensor a=f32:2,3,4 c=f32:2,1,1 compute=f64", BAD, "the compute type is f64"},
    {"reduce_tensor a=f32:2,3 c=f32:2,1 op=add indices=u32:2,1", BAD, "only min, max and amax"},
    {"reduce_tensor a=f32:2,3 c=f32:2,1 op=max indices=f32:2,1", BAD, "u8, u16, u32 or u64"},
    {"reduce_tensor a=f32:2,3 c=f32:2,1 op=max indices=u32:2,3", BAD, "those of c"},
    {"im2col x=f32:2,3,6,7 window=3,2 col=f32:18,47", BAD, "col is f32:18,47"},
    {"im2col x=s8:2,3,6,7 window=3,2", NONE, "this operation takes f32, f64, f16 or bf16"},
    {"im2col x=f32:2,3,6,7 window=3,2 stride=0,1 col=f32:18,48", BAD, "stride 0"},
    /* strides, for all */
    {"softmax_forward x=f32:2,3:-3,1 y=f32:2,3", NONE, "a stride is not positive"},
    {"softmax_forward x=f32:2,3:0,1 y=f32:2,3", NONE, "a stride is not positive"},
    {"softmax_forward x=f32:2,3 y=f32:2,3:1,1", NONE, "elements of an output must not overlap"},
};

static void bad_problems_have_sentences(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        anydnnStatus_t status = check(bad[i].text);

        if (status != bad[i].status)
            fail_msg("%s\nanswers %d, %s", bad[i].text, (int)status,
                     status ? adn_error_text() : "");
        if (status && (strncmp(adn_error_text(), "anydnnTest: ", 12) != 0 ||
                       !strstr(adn_error_text(), bad[i].sentence)))
            fail_msg("%s\n%s\nlacks `%s`", bad[i].text, adn_error_text(), bad[i].sentence);
    }
}

/* Inputs may overlap in memory: only outputs must not. */
static void inputs_may_overlap(void **state)
{
    (void)state;
    assert_int_equal(check("softmax_forward x=f32:2,3:1,1 y=f32:2,3"), ANYDNN_STATUS_SUCCESS);
}

/* The numbers cannot come from text, but a careless caller may pass them. */
static void numbers_that_name_nothing(void **state)
{
    struct adn_problem problem;
    struct adn_values values;

    (void)state;
    assert_int_equal(adn_problem_parse("softmax_forward x=f32:2,3", &problem, &values), 0);
    problem.params.softmax.mode = 2;
    assert_int_equal(adn_problem_check(&problem, "e"), BAD);
    assert_non_null(strstr(adn_error_text(), "e: mode is 2; it is out of range 0..1"));
    problem.params.softmax.mode = -1;
    assert_int_equal(adn_problem_check(&problem, "e"), BAD);
    problem.params.softmax.mode = 1;
    problem.math = 77;
    assert_int_equal(adn_problem_check(&problem, "e"), BAD);
    assert_non_null(strstr(adn_error_text(), "the math type 77 does not exist"));
    problem.math = 0;
    problem.algorithm = 0;
    assert_int_equal(adn_problem_check(&problem, "e"), BAD);
    assert_int_equal(adn_problem_parse(CONV "algo=winograd_nonfused", &problem, &values), 0);
    assert_int_equal(adn_problem_check(&problem, "e"), 0);
    problem.algorithm = 8;
    assert_int_equal(adn_problem_check(&problem, "e"), BAD);
    assert_non_null(
        strstr(adn_error_text(), "algo is 8; this direction does not have that algorithm"));
}

/* The flags by slot must agree in both forms that the library keeps. */
static void masks_say_what_the_table_says(void **state)
{
    (void)state;
    for (int32_t operation = 1; operation < ANYDNN_PLUGIN_OPERATION_END; operation++) {
        const struct adn_operation *info = adn_problem_operation(operation);
        unsigned ins = 0, outs = 0;

        for (int32_t i = 0; i < 12 && i < info->slot_count; i++) {
            ins |= (info->slot[i].flags & ADN_SLOT_IN ? 1u : 0u) << i;
            outs |= (info->slot[i].flags & ADN_SLOT_OUT ? 1u : 0u) << i;
        }
        assert_int_equal(adn_slot_masks[operation].ins, ins);
        assert_int_equal(adn_slot_masks[operation].outs, outs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_problems_pass),
        cmocka_unit_test(bad_problems_have_sentences),
        cmocka_unit_test(inputs_may_overlap),
        cmocka_unit_test(numbers_that_name_nothing),
        cmocka_unit_test(masks_say_what_the_table_says),
    };

    return cmocka_run_group_tests_name("problem rules", tests, NULL, NULL);
}
