/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of convolutions, of what goes with them, and of im2col. */
#include "shapes.h"

#define END                                                                                        \
    {                                                                                              \
        NULL, NULL, 0                                                                              \
    }

const struct verify_shape verify_convolution_shapes[] = {
    {"plain", "x=$:2,5,7,9 w=$:6,5,3,4 pad=1,2", 0},
    {"stride", "x=$:3,4,11,8 w=$:5,4,3,2 pad=0,1 stride=2,3", 0},
    {"dilation", "x=$:2,3,10,13 w=$:4,3,3,2 pad=1,2 dilation=2,3", 0},
    {"groups", "x=$:2,6,7,5 w=$:9,2,3,2 groups=3 pad=1,0", 0},
    {"groups,depthwise", "x=$:3,5,6,8 w=$:5,1,3,2 groups=5 pad=1,1 stride=1,2", 0},
    {"mode=convolution", "x=$:2,3,6,7 w=$:4,3,3,2 pad=1,0 mode=convolution", 0},
    {"alpha,beta", "x=$:2,3,5,8 w=$:4,3,3,2 pad=1,1 alpha=0.5 beta=0.5", 0},
    {"beta", "x=$:3,2,6,5 w=$:7,2,2,3 pad=0,1 beta=1", 0},
    {"3-D,stride,dilation", "x=$:2,3,4,6,7 w=$:5,3,2,3,2 pad=1,0,2 stride=1,2,1 dilation=1,1,3", 0},
    {"1x1", "x=$:2,7,5,6 w=$:4,7,1,1", 0},
    {"fully connected", "x=$:4,3,5,6 w=$:7,3,5,6", 0},
    {"fully connected,groups", "x=$:4,6,3,5 w=$:8,3,3,5 groups=2", 0},
    {"whole filter,pad", "x=$:2,3,4,5 w=$:6,3,4,5 pad=1,1 stride=4,3", 0},
    {"groups,mode=convolution,dilation,alpha,beta",
     "x=$:2,4,9,8 w=$:6,2,2,3 groups=2 pad=2,1 dilation=3,2 mode=convolution alpha=2 beta=-1", 0},
    {"3-D,groups,mode=convolution",
     "x=$:2,4,5,3,6 w=$:6,2,2,3,2 groups=2 pad=0,1,1 stride=2,1,1 mode=convolution", 0},
    {"pad,stride", "x=$:1,3,4,5 w=$:2,3,4,3 pad=3,4 stride=3,2", 0},
    {"many channels", "x=$:1,37,5,4 w=$:35,37,3,2 pad=1,1", 0},
    {"alpha=0,beta", "x=$:2,3,5,4 w=$:4,3,2,3 alpha=0 beta=1", 0},
    {"long rows", "x=$:1,2,3,1100 w=$:3,2,2,5 pad=0,3", 0},
    {"long rows,stride,dilation", "x=$:1,1,2,2300 w=$:2,1,1,3 pad=0,5 stride=1,2 dilation=1,4", 0},
    {"many channels,1x1", "x=$:1,523,1,3 w=$:517,523,1,1", 0},
    {"larger", "x=$:2,17,13,19 w=$:19,17,3,2 pad=1,0", 0},
    {"larger,groups,stride", "x=$:2,34,9,11 w=$:36,17,3,2 groups=2 pad=1,0 stride=2,1", 0},
    {"mode=default,tf32", "x=$:2,5,7,9 w=$:6,5,3,4 pad=1,2 math=allow_conversion", 0},
    {"mode=split", "x=$:2,5,7,9 w=$:6,5,3,4 pad=1,2 math=split", 0},
    {"mode=tensor_op", "x=$:2,8,7,9 w=$:16,8,3,4 pad=1,2 math=tensor_op", 0},
    {"compute=half", "x=$:2,5,7,9 w=$:6,5,3,4 pad=1,2 compute=f16", VERIFY_SHAPE_HALF},
    {"compute=half,groups,stride,alpha,beta",
     "x=$:2,6,7,5 w=$:9,2,3,2 groups=3 stride=2,1 alpha=0.5 beta=1 compute=f16", VERIFY_SHAPE_HALF},
    {"sums wrap", "x=$:1,2304,8,8 w=$:4,2304,8,8", VERIFY_SHAPE_LARGE},
    {"sums wrap,alpha,beta", "x=$:1,2304,8,8 w=$:4,2304,8,8 alpha=5.9604644775390625e-08 beta=0.5",
     VERIFY_SHAPE_LARGE},
    {"sums wrap,to float", "x=$:1,2304,8,8 w=$:4,2304,8,8 y=f32:1,4,1,1", VERIFY_SHAPE_LARGE},
    {"to float", "x=$:2,5,6,7 w=$:6,5,3,2 y=f32:2,6,6,6 pad=1,0 alpha=0.5", VERIFY_SHAPE_INTEGERS},
    {"vectors", "x=$:2,32,5,7 w=$:64,32,3,2 pad=1,0", VERIFY_SHAPE_VECTORS},
    {"vectors,stride,dilation", "x=$:3,64,7,6 w=$:32,64,2,3 pad=1,2 stride=2,1 dilation=1,2",
     VERIFY_SHAPE_VECTORS},
    {"vectors,alpha,beta", "x=$:2,32,4,5 w=$:32,32,3,2 alpha=0.125 beta=0.5", VERIFY_SHAPE_VECTORS},
    {"vectors,groups", "x=$:2,64,5,4 w=$:64,32,3,2 groups=2 pad=1,1 alpha=0.0625",
     VERIFY_SHAPE_VECTORS},
    {"vectors,beta", "x=$:3,32,4,5 w=$:32,32,2,3 pad=0,1 alpha=0.03125 beta=-1",
     VERIFY_SHAPE_VECTORS},
    {"vectors,to float", "x=$:2,32,4,6 w=$:12,32,2,3 y=f32:2,12,3,4", VERIFY_SHAPE_VECTORS},
    {"vectors,1x1", "x=$:2,32,3,5 w=$:32,32,1,1 beta=1", VERIFY_SHAPE_VECTORS},
    {"vectors,mode=convolution", "x=$:1,32,6,5 w=$:32,32,3,2 mode=convolution alpha=0.0625",
     VERIFY_SHAPE_VECTORS},
    END};

const struct verify_shape verify_backward_bias_shapes[] = {
    {"plain", "dy=$:3,5,4,7 db=$:1,5,1,1", 0},
    {"beta", "dy=$:2,7,5,3 db=$:1,7,1,1 beta=1", 0},
    {"alpha,beta", "dy=$:4,3,6,5 db=$:1,3,1,1 alpha=0.5 beta=0.5", 0},
    {"3-D", "dy=$:2,3,4,5,6 db=$:1,3,1,1,1", 0},
    {"one image", "dy=$:1,6,3,8 db=$:1,6,1,1 alpha=2", 0},
    {"one position", "dy=$:9,4,1,1 db=$:1,4,1,1", 0},
    {"alpha=0,beta", "dy=$:2,4,3,5 db=$:1,4,1,1 alpha=0 beta=-1", 0},
    {"long rows", "dy=$:2,2,1,65 db=$:1,2,1,1", 0},
    END};

const struct verify_shape verify_fused_shapes[] = {
    {"relu", "x=$:2,5,7,9 w=$:6,5,3,4 pad=1,2 without=z", 0},
    {"identity", "x=$:2,3,6,8 w=$:4,3,3,2 pad=1,0 activation=identity without=z", 0},
    {"z,alpha2", "x=$:3,4,7,5 w=$:5,4,2,3 z=$:3,5,6,3 alpha2=1", 0},
    {"z,alpha2,alpha1,identity",
     "x=$:2,3,5,7 w=$:4,3,3,2 z=$:2,4,3,6 alpha1=0.5 alpha2=0.5 activation=identity", 0},
    {"groups,stride", "x=$:2,6,7,5 w=$:9,2,3,2 groups=3 pad=1,0 stride=2,1 without=z", 0},
    {"dilation,mode=convolution",
     "x=$:2,3,10,13 w=$:4,3,3,2 pad=1,2 dilation=2,3 mode=convolution without=z", 0},
    {"in place,z,alpha2", "x=$:2,3,5,7 w=$:4,3,3,2 z=$:2,4,3,6 alpha2=2 alias=y:z", 0},
    {"3-D", "x=$:2,3,4,6,7 w=$:5,3,2,3,2 pad=1,0,1 stride=1,2,1 without=z", 0},
    {"1x1", "x=$:2,7,5,6 w=$:4,7,1,1 without=z", 0},
    {"strided bias", "x=$:2,3,5,6 w=$:5,3,2,3 bias=$:1,5,1,1:31,3,2,1 without=z", 0},
    {"float bias", "x=$:2,5,6,7 w=$:6,5,3,2 bias=f32:1,6,1,1 alpha1=0.125 without=z",
     VERIFY_SHAPE_INTEGERS},
    {"vectors",
     "x=$:2,32,5,7 w=$:64,32,3,2 bias=f32:1,64,1,1 pad=1,0 alpha1=0.125 "
     "without=z",
     VERIFY_SHAPE_VECTORS},
    {"sums wrap",
     "x=$:1,2304,8,8 w=$:4,2304,8,8 bias=f32:1,4,1,1 "
     "alpha1=5.9604644775390625e-08 activation=identity without=z",
     VERIFY_SHAPE_LARGE},
    {"vectors,identity",
     "x=$:1,32,5,4 w=$:32,32,2,3 bias=f32:1,32,1,1 stride=2,1 alpha1=0.0625 "
     "activation=identity without=z",
     VERIFY_SHAPE_VECTORS},
    {"vectors,1x1", "x=$:2,64,3,5 w=$:32,64,1,1 bias=f32:1,32,1,1 alpha1=0.25 without=z",
     VERIFY_SHAPE_VECTORS},
    {"vectors,in place,z,alpha2",
     "x=$:2,32,3,5 w=$:32,32,1,1 bias=f32:1,32,1,1 z=$:2,32,3,5 alpha1=0.125 "
     "alpha2=2 alias=y:z",
     VERIFY_SHAPE_VECTORS},
    {"vectors,dilation,mode=convolution",
     "x=$:1,32,6,7 w=$:64,32,3,2 bias=f32:1,64,1,1 pad=1,2 dilation=1,3 "
     "mode=convolution alpha1=0.0625 without=z",
     VERIFY_SHAPE_VECTORS},
    {"vectors,z",
     "x=$:2,32,4,5 w=$:32,32,2,3 bias=f32:1,4,1,1 "
     "z=$:2,32,3,3 alpha1=0.25 alpha2=0.5",
     VERIFY_SHAPE_VECTORS},
    END};

const struct verify_shape verify_im2col_shapes[] = {
    {"plain", "x=$:2,3,5,7 window=3,2 pad=1,0", 0},
    {"stride", "x=$:2,3,8,7 window=2,3 stride=3,2", 0},
    {"dilation", "x=$:1,4,9,8 window=3,2 dilation=2,3 pad=2,1", 0},
    {"1x1", "x=$:3,4,5,2 window=1,1", 0},
    {"pad", "x=$:2,3,4,5 window=2,3 pad=2,3 stride=2,1", 0},
    {"mode=convolution", "x=$:2,3,6,5 window=3,2 pad=1,1 mode=convolution", 0},
    {"whole", "x=$:2,3,4,6 window=4,6", 0},
    END};
