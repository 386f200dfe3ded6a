/* SPDX-License-Identifier: Apache-2.0 */
/* The shapes of the cases: sizes that differ by axis, so that no two can be taken for each other,
 * and small enough that a wrong element is seen and the whole list is run in seconds. */
#include "cases.h"

#define END                                                                                        \
    {                                                                                              \
        NULL, NULL, 0                                                                              \
    }

static const struct verify_shape convolution[] = {
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
    {"to float", "x=$:2,5,6,7 w=$:6,5,3,2 y=f32:2,6,6,6 pad=1,0 alpha=0.5", VERIFY_ONLY_INTEGERS},
    {"vectors", "x=$:2,32,5,7:nchw_vect_c w=$:64,32,3,2:nchw_vect_c pad=1,0", VERIFY_ONLY_VECTORS},
    {"vectors,stride,dilation",
     "x=$:3,64,7,6:nchw_vect_c w=$:32,64,2,3:nchw_vect_c pad=1,2 stride=2,1 dilation=1,2",
     VERIFY_ONLY_VECTORS},
    {"vectors,alpha,beta",
     "x=$:2,32,4,5:nchw_vect_c w=$:32,32,3,2:nchw_vect_c alpha=0.125 beta=0.5",
     VERIFY_ONLY_VECTORS},
    {"vectors,to float", "x=$:2,32,4,6:nchw_vect_c w=$:12,32,2,3:nchw_vect_c y=f32:2,12,3,4",
     VERIFY_ONLY_VECTORS},
    {"vectors,1x1", "x=$:2,32,3,5:nchw_vect_c w=$:32,32,1,1:nchw_vect_c beta=1",
     VERIFY_ONLY_VECTORS},
    {"vectors,mode=convolution",
     "x=$:1,32,6,5:nchw_vect_c w=$:32,32,3,2:nchw_vect_c mode=convolution alpha=0.0625",
     VERIFY_ONLY_VECTORS},
    END};

static const struct verify_shape backward_bias[] = {
    {"plain", "dy=$:3,5,4,7 db=$:1,5,1,1", 0},
    {"beta", "dy=$:2,7,5,3 db=$:1,7,1,1 beta=1", 0},
    {"alpha,beta", "dy=$:4,3,6,5 db=$:1,3,1,1 alpha=0.5 beta=0.5", 0},
    {"3-D", "dy=$:2,3,4,5,6 db=$:1,3,1,1,1", 0},
    {"one image", "dy=$:1,6,3,8 db=$:1,6,1,1 alpha=2", 0},
    {"one position", "dy=$:9,4,1,1 db=$:1,4,1,1", 0},
    {"alpha=0,beta", "dy=$:2,4,3,5 db=$:1,4,1,1 alpha=0 beta=-1", 0},
    {"long rows", "dy=$:2,2,1,65 db=$:1,2,1,1", 0},
    END};

static const struct verify_shape fused[] = {
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
     VERIFY_ONLY_INTEGERS},
    {"vectors",
     "x=$:2,32,5,7:nchw_vect_c w=$:64,32,3,2:nchw_vect_c bias=f32:1,64,1,1 pad=1,0 alpha1=0.125 "
     "without=z",
     VERIFY_ONLY_VECTORS},
    {"vectors,z",
     "x=$:2,32,4,5:nchw_vect_c w=$:32,32,2,3:nchw_vect_c bias=f32:1,32,1,1 "
     "z=$:2,32,3,3:nchw_vect_c alpha1=0.25 alpha2=0.5",
     VERIFY_ONLY_VECTORS},
    END};

static const struct verify_shape pooling[] = {
    {"max", "x=$:2,3,7,9 window=3,2 stride=2,1 pad=1,0", 0},
    {"average_include", "x=$:3,2,8,7 window=3,4 stride=2,3 pad=1,2 mode=average_include", 0},
    {"average_exclude", "x=$:2,4,9,6 window=4,3 stride=3,2 pad=2,1 mode=average_exclude", 0},
    {"max_deterministic", "x=$:2,5,6,8 window=2,3 stride=1,2 mode=max_deterministic", 0},
    {"max,3-D", "x=$:2,3,4,6,5 window=2,3,2 stride=1,2,1 pad=1,0,1", 0},
    {"average_exclude,3-D",
     "x=$:2,2,5,4,7 window=3,2,3 stride=2,1,2 pad=1,1,0 mode=average_exclude", 0},
    {"average_include,3-D",
     "x=$:1,3,4,6,5 window=2,3,2 stride=1,1,3 pad=0,1,1 mode=average_include", 0},
    {"max,alpha,beta", "x=$:2,3,6,7 window=2,3 stride=2,2 alpha=0.5 beta=1", 0},
    {"average_include,alpha,beta",
     "x=$:2,3,6,7 window=2,2 stride=1,3 mode=average_include alpha=2 beta=0.5", 0},
    {"max,global", "x=$:3,5,4,6 window=4,6 stride=1,1", 0},
    {"max,nan=propagate", "x=$:2,3,7,9 window=3,3 stride=2,2 nan=propagate", VERIFY_ONLY_SPECIALS},
    {"max,nan=ignore", "x=$:2,3,7,9 window=3,3 stride=2,2 nan=ignore", VERIFY_ONLY_SPECIALS},
    {"max,overlapping", "x=$:1,2,9,10 window=5,4 stride=1,1 pad=2,1", 0},
    {"max,long rows", "x=$:1,2,3,700 window=2,3 stride=1,1 pad=0,1", 0},
    {"average_exclude,long rows",
     "x=$:1,2,3,1300 window=3,4 stride=1,2 pad=1,2 mode=average_exclude", 0},
    {"max,alpha", "x=$:2,3,5,6 window=2,2 stride=1,2 alpha=-1", 0},
    {"max,beta", "x=$:2,3,6,5 window=3,2 stride=2,2 beta=1", 0},
    {"max,nan=propagate,beta", "x=$:2,3,7,9 window=2,3 stride=2,2 nan=propagate beta=0.5",
     VERIFY_ONLY_SPECIALS},
    {"larger", "x=$:3,37,13,17 window=3,3 stride=2,2 pad=1,1", 0},
    END};

static const struct verify_shape activation[] = {
    {"sigmoid", "x=$:2,3,5,7 activation=sigmoid", 0},
    {"relu", "x=$:3,4,2,5 activation=relu", 0},
    {"tanh", "x=$:2,5,3,4 activation=tanh", 0},
    {"clipped_relu", "x=$:2,3,7,4 activation=clipped_relu coef=1.5", 0},
    {"elu", "x=$:4,3,2,5 activation=elu coef=0.75", 0},
    {"swish", "x=$:2,3,4,6 activation=swish coef=1.25", 0},
    {"relu,in place", "x=$:2,3,5,6 activation=relu alias=y:x", 0},
    {"tanh,in place,5-D", "x=$:2,3,2,4,5 activation=tanh alias=y:x", 0},
    {"sigmoid,alpha,beta", "x=$:2,4,3,7 activation=sigmoid alpha=0.5 beta=1", 0},
    {"relu,alpha,beta", "x=$:3,2,5,4 activation=relu alpha=2 beta=0.5", 0},
    {"relu,beta", "x=$:2,5,4,3 activation=relu beta=-1", 0},
    {"relu,alpha", "x=$:3,4,5,2 activation=relu alpha=2", 0},
    {"relu,nan=propagate", "x=$:2,3,5,7 activation=relu nan=propagate", VERIFY_ONLY_SPECIALS},
    {"relu,nan=ignore", "x=$:2,3,5,7 activation=relu nan=ignore", VERIFY_ONLY_SPECIALS},
    {"clipped_relu,alpha,beta", "x=$:5,3,4,2 activation=clipped_relu coef=2.5 alpha=-1 beta=1", 0},
    {"elu,beta", "x=$:3,5,2,4 activation=elu coef=1.5 beta=0.5", 0},
    END};

static const struct verify_shape softmax[] = {
    {"channel", "x=$:2,5,3,4", 0},
    {"instance", "x=$:3,4,2,5 mode=instance", 0},
    {"fast", "x=$:2,7,4,3 softmax=fast", 0},
    {"log", "x=$:3,6,2,5 softmax=log", 0},
    {"log,instance", "x=$:4,3,5,2 softmax=log mode=instance", 0},
    {"alpha,beta", "x=$:2,5,4,3 alpha=0.5 beta=1", 0},
    {"in place", "x=$:3,5,2,4 alias=y:x", 0},
    {"fast,instance,beta", "x=$:2,3,4,5 softmax=fast mode=instance alpha=2 beta=0.5", 0},
    {"5-D", "x=$:2,4,3,2,5", 0},
    {"many channels", "x=$:3,67,1,2", 0},
    {"many positions", "x=$:2,3,5,131", 0},
    {"log,beta", "x=$:2,5,3,6 softmax=log beta=-1", 0},
    {"log,alpha", "x=$:3,4,5,2 softmax=log alpha=2", 0},
    END};

static const struct verify_shape lrn[] = {
    {"plain", "x=$:2,7,3,5", 0},
    {"strong", "x=$:3,6,4,2 n=3 lrn_alpha=0.5 lrn_beta=0.75 k=1", 0},
    {"even n", "x=$:2,8,3,4 n=4 lrn_alpha=0.25 lrn_beta=0.5 k=1", 0},
    {"n=1", "x=$:2,3,5,4 n=1 lrn_alpha=1 lrn_beta=0.5 k=2", 0},
    {"wide n", "x=$:2,4,5,3 n=9 lrn_alpha=0.5 lrn_beta=1.5 k=1", 0},
    {"alpha,beta", "x=$:3,5,2,4 n=5 lrn_alpha=0.5 k=1 alpha=0.5 beta=1", 0},
    {"5-D", "x=$:2,6,2,3,4 n=3 lrn_alpha=0.25 k=1.5", 0},
    {"beta", "x=$:2,5,4,3 n=2 lrn_alpha=0.5 k=1 beta=0.5", 0},
    {"long rows", "x=$:2,7,3,131 n=4 lrn_alpha=0.5 lrn_beta=0.75 k=1", 0},
    END};

static const struct verify_shape divisive_forward[] = {
    {"plain", "x=$:2,3,7,6 n=3 lrn_alpha=0.5 lrn_beta=0.75 k=1", 0},
    {"means", "x=$:2,4,5,6 means=$:2,4,5,6 n=3 lrn_alpha=0.5 lrn_beta=0.5 k=1", 0},
    {"wide n", "x=$:3,2,5,4 n=5 lrn_alpha=1 lrn_beta=0.5 k=2", 0},
    {"even n", "x=$:2,3,6,5 n=4 lrn_alpha=1 lrn_beta=0.75 k=1", 0},
    {"alpha,beta", "x=$:2,3,4,6 n=3 lrn_alpha=0.5 k=1 alpha=0.5 beta=1", 0},
    {"5-D", "x=$:2,3,4,3,5 n=3 lrn_alpha=0.5 k=1", 0},
    {"means,beta", "x=$:3,2,4,5 means=$:3,2,4,5 n=3 lrn_alpha=0.5 k=1 beta=0.5", 0},
    END};

static const struct verify_shape divisive_backward[] = {
    {"plain", "x=$:2,3,7,6 n=3 lrn_alpha=0.5 lrn_beta=0.75 k=1", 0},
    {"means,dmeans",
     "x=$:2,4,5,6 means=$:2,4,5,6 dmeans=$:2,4,5,6 n=3 lrn_alpha=0.5 lrn_beta=0.5 k=1", 0},
    {"means", "x=$:2,3,5,4 means=$:2,3,5,4 n=3 lrn_alpha=0.5 k=1", 0},
    {"wide n", "x=$:3,2,5,4 n=5 lrn_alpha=1 lrn_beta=0.5 k=2", 0},
    {"even n", "x=$:2,3,6,5 n=4 lrn_alpha=1 lrn_beta=0.75 k=1", 0},
    {"alpha,beta", "x=$:2,3,4,6 n=3 lrn_alpha=0.5 k=1 alpha=0.5 beta=1", 0},
    {"5-D", "x=$:2,3,4,3,5 n=3 lrn_alpha=0.5 k=1", 0},
    END};

static const struct verify_shape norm_inference[] = {
    {"spatial", "x=$:3,4,5,2", 0},
    {"per_activation", "x=$:2,3,4,5 mode=per_activation", 0},
    {"epsilon", "x=$:2,5,3,4 epsilon=0.25", 0},
    {"alpha,beta", "x=$:3,2,4,5 alpha=0.5 beta=1", 0},
    {"5-D", "x=$:2,3,4,2,5", 0},
    {"per_activation,beta", "x=$:4,3,2,3 mode=per_activation alpha=2 beta=0.5", 0},
    {"2-D", "x=$:5,7", 0},
    {"persistent", "x=$:4,3,5,2 mode=spatial_persistent", 0},
    END};

static const struct verify_shape norm_training[] = {
    {"spatial", "x=$:3,4,5,2", 0},
    {"running,save",
     "x=$:3,4,2,5 running_mean=%:1,4,1,1 running_var=%:1,4,1,1 save_mean=%:1,4,1,1 "
     "save_inv_var=%:1,4,1,1 average_factor=0.25",
     0},
    {"per_activation,running",
     "x=$:4,2,3,5 mode=per_activation running_mean=%:1,2,3,5 running_var=%:1,2,3,5 "
     "average_factor=0.5",
     0},
    {"save", "x=$:5,3,2,4 save_mean=%:1,3,1,1 save_inv_var=%:1,3,1,1 epsilon=0.125", 0},
    {"alpha,beta", "x=$:3,5,4,2 alpha=0.5 beta=1", 0},
    {"5-D,save", "x=$:2,3,4,2,5 save_mean=%:1,3,1,1,1 save_inv_var=%:1,3,1,1,1", 0},
    {"activation", "x=$:2,3,5,7 ops=bn_activation reserve=u8:27", 0},
    {"add,activation", "x=$:2,3,7,5 z=$:2,3,7,5 ops=bn_add_activation reserve=u8:27", 0},
    {"activation,tanh", "x=$:2,5,3,7 ops=bn_activation activation=tanh reserve=u8:27", 0},
    {"persistent,save",
     "x=$:4,3,5,2 mode=spatial_persistent save_mean=%:1,3,1,1 save_inv_var=%:1,3,1,1", 0},
    END};

static const struct verify_shape norm_backward[] = {
    {"spatial", "x=$:3,4,5,2", 0},
    {"save", "x=$:3,4,2,5 save_mean=%:1,4,1,1 save_inv_var=%:1,4,1,1", 0},
    {"per_activation", "x=$:4,2,3,5 mode=per_activation", 0},
    {"per_activation,save",
     "x=$:5,2,3,4 mode=per_activation save_mean=%:1,2,3,4 save_inv_var=%:1,2,3,4", 0},
    {"alpha,beta", "x=$:3,5,4,2 alpha_data=0.5 beta_data=1 alpha_param=2 beta_param=0.5", 0},
    {"beta_param", "x=$:4,3,2,5 beta_param=1", 0},
    {"beta_data", "x=$:2,4,5,3 beta_data=0.5", 0},
    {"5-D,save", "x=$:2,3,4,2,5 save_mean=%:1,3,1,1,1 save_inv_var=%:1,3,1,1,1", 0},
    {"activation",
     "x=$:2,3,5,7 y=$:2,3,5,7 bias=%:1,3,1,1 ops=bn_activation reserve=u8:27 save_mean=%:1,3,1,1 "
     "save_inv_var=%:1,3,1,1",
     0},
    {"activation,sigmoid",
     "x=$:2,5,3,7 y=$:2,5,3,7 bias=%:1,5,1,1 ops=bn_activation activation=sigmoid reserve=u8:27 "
     "save_mean=%:1,5,1,1 save_inv_var=%:1,5,1,1",
     0},
    {"add,activation",
     "x=$:2,3,7,5 y=$:2,3,7,5 bias=%:1,3,1,1 dz=$:2,3,7,5 ops=bn_add_activation reserve=u8:27 "
     "save_mean=%:1,3,1,1 save_inv_var=%:1,3,1,1",
     0},
    END};

static const struct verify_shape dropout_forward[] = {{"half", "x=$:2,3,5,7", 0},
                                                      {"p=0.25", "x=$:3,4,5,3 p=0.25", 0},
                                                      {"p=0", "x=$:2,3,4,5 p=0", 0},
                                                      {"p=0.9", "x=$:2,7,3,5 p=0.9", 0},
                                                      {"in place", "x=$:3,2,5,4 alias=y:x", 0},
                                                      {"5-D", "x=$:2,3,2,5,3 p=0.75", 0},
                                                      {"long", "x=$:1,1,1,777", 0},
                                                      END};

static const struct verify_shape dropout_backward[] = {{"half", "dy=$:2,3,5,7", 0},
                                                       {"p=0.25", "dy=$:3,4,5,3 p=0.25", 0},
                                                       {"p=0", "dy=$:2,3,4,5 p=0", 0},
                                                       {"p=0.9", "dy=$:2,7,3,5 p=0.9", 0},
                                                       {"in place", "dy=$:3,2,5,4 alias=dx:dy", 0},
                                                       {"5-D", "dy=$:2,3,2,5,3 p=0.75", 0},
                                                       {"long", "dy=$:1,1,1,777", 0},
                                                       END};

static const struct verify_shape transform[] = {
    {"plain", "x=$:2,3,4,5", 0},
    {"alpha,beta", "x=$:3,4,2,5 alpha=0.5 beta=0.5", 0},
    {"beta", "x=$:4,2,5,3 beta=1", 0},
    {"5-D", "x=$:2,3,4,2,5", 0},
    {"to channels last", "x=$:2,3,4,5:nchw y=$:2,3,4,5:nhwc alpha=2", 0},
    {"from channels last", "x=$:3,5,2,4:nhwc y=$:3,5,2,4:nchw", 0},
    {"alpha=0,beta", "x=$:2,5,3,4 alpha=0 beta=-1", 0},
    {"larger", "x=$:2,35,9,33", 0},
    {"3-D", "x=$:4,5,6", 0},
    {"to float", "x=$:2,3,5,4 y=f32:2,3,5,4 alpha=2", VERIFY_ONLY_INTEGERS},
    {"to vectors", "x=s8:2,8,3,5 y=s8x4:2,8,3,5:nchw_vect_c", VERIFY_ONLY_INTEGERS},
    {"from vectors", "x=$:2,32,3,5:nchw_vect_c y=s8:2,32,3,5:nchw", VERIFY_ONLY_VECTORS},
    {"vectors", "x=$:3,32,2,5:nchw_vect_c y=$:3,32,2,5:nchw_vect_c", VERIFY_ONLY_VECTORS},
    END};

static const struct verify_shape transform_ex[] = {
    {"pad", "x=$:2,3,4,5 y=$:2,3,7,9 pad_before=0,0,1,3 pad_after=0,0,2,1", 0},
    {"pad,channels", "x=$:2,3,4,5 y=$:2,8,4,5 pad_before=0,2,0,0 pad_after=0,3,0,0", 0},
    {"fold", "x=$:2,3,4,6 y=$:2,18,2,2 fold=2,3", 0},
    {"unfold", "x=$:2,18,2,3 y=$:2,3,4,9 fold=2,3 direction=unfold", 0},
    {"plain", "x=$:3,4,2,5 y=$:3,4,2,5", 0},
    {"fold,pad", "x=$:2,3,4,5 y=$:2,12,3,3 fold=2,2 pad_before=0,0,1,0 pad_after=0,0,1,1", 0},
    {"plain,alpha,beta", "x=$:2,5,3,4 y=$:2,5,3,4 alpha=0.5 beta=1", 0},
    {"pad,beta", "x=$:2,3,4,5 y=$:2,3,6,9 pad_before=0,0,2,1 pad_after=0,0,0,3 beta=1", 0},
    {"crop", "x=$:2,3,6,7 y=$:2,3,4,5 pad_before=0,0,-1,-2 pad_after=0,0,-1,0", 0},
    END};

static const struct verify_shape add[] = {
    {"bias", "x=$:1,3,1,1 y=$:2,3,4,5 beta=1", 0},
    {"same", "x=$:2,3,5,4 y=$:2,3,5,4 beta=1", 0},
    {"row", "x=$:1,1,1,5 y=$:2,3,4,5 alpha=0.5 beta=1", 0},
    {"image", "x=$:1,3,4,5 y=$:2,3,4,5 alpha=2 beta=0.5", 0},
    {"prior unread", "x=$:1,4,1,1 y=$:3,4,2,5", 0},
    {"scalar", "x=$:1,1,1,1 y=$:2,4,3,5 beta=-1", 0},
    {"5-D", "x=$:1,3,1,2,1 y=$:2,3,4,2,5 beta=1", 0},
    {"alpha=0", "x=$:1,3,1,1 y=$:2,3,4,5 alpha=0 beta=0.5", 0},
    END};

static const struct verify_shape op[] = {
    {"add", "a=$:2,3,4,5 b=$:2,3,4,5", 0},
    {"mul", "a=$:3,2,5,4 b=$:3,2,5,4 op=mul", 0},
    {"min", "a=$:2,4,3,5 b=$:2,4,3,5 op=min", 0},
    {"max", "a=$:4,3,2,5 b=$:4,3,2,5 op=max", 0},
    {"sqrt", "a=$:2,5,4,3 b=$:2,5,4,3 op=sqrt", 0},
    {"not", "a=$:2,3,5,4 b=$:2,3,5,4 op=not", 0},
    {"broadcast", "a=$:2,3,4,5 b=$:1,3,1,1", 0},
    {"broadcast,alpha,beta", "a=$:2,3,5,4 b=$:1,1,5,1 op=mul alpha1=2 alpha2=0.5 beta=1", 0},
    {"add,alpha,beta", "a=$:3,4,5,2 b=$:3,4,5,2 alpha1=0.5 alpha2=-1 beta=0.5", 0},
    {"max,alpha", "a=$:2,5,3,4 b=$:1,5,1,4 op=max alpha1=-1 alpha2=2", 0},
    {"min,nan=propagate", "a=$:2,3,4,5 b=$:2,3,4,5 op=min nan=propagate", VERIFY_ONLY_SPECIALS},
    {"max,nan=ignore", "a=$:2,3,4,5 b=$:2,3,4,5 op=max nan=ignore", VERIFY_ONLY_SPECIALS},
    {"in place", "a=$:3,5,2,4 b=$:1,5,1,1 alias=c:a", 0},
    {"5-D", "a=$:2,3,4,2,5 b=$:1,3,1,2,1 op=add", 0},
    END};

static const struct verify_shape reduce[] = {
    {"add", "a=$:2,3,4,5 c=$:1,3,1,1", 0},
    {"mul", "a=$:2,3,2,3 c=$:2,3,1,1 op=mul", 0},
    {"min", "a=$:3,4,2,5 c=$:1,4,1,5 op=min", 0},
    {"max", "a=$:3,2,5,4 c=$:3,1,1,4 op=max", 0},
    {"amax", "a=$:2,5,3,4 c=$:1,1,1,1 op=amax", 0},
    {"avg", "a=$:2,4,3,5 c=$:2,1,3,1 op=avg", 0},
    {"norm1", "a=$:4,3,5,2 c=$:4,1,1,2 op=norm1", 0},
    {"norm2", "a=$:3,5,4,2 c=$:1,5,1,1 op=norm2", 0},
    {"mul_no_zeros", "a=$:2,3,2,4 c=$:2,1,1,4 op=mul_no_zeros", 0},
    {"min,indices", "a=$:3,4,2,5 c=$:1,4,1,5 indices=u32:1,4,1,5 op=min", 0},
    {"max,indices", "a=$:2,3,5,4 c=$:2,1,1,4 indices=u32:2,1,1,4 op=max", 0},
    {"amax,indices", "a=$:2,5,3,4 c=$:1,1,1,1 indices=u64:1,1,1,1 op=amax", 0},
    {"add,alpha,beta", "a=$:2,3,4,5 c=$:2,1,4,1 alpha=0.5 beta=1", 0},
    {"max,alpha,beta", "a=$:3,4,2,5 c=$:3,1,2,1 op=max alpha=-1 beta=0.5", 0},
    {"nothing", "a=$:2,3,4,5 c=$:2,3,4,5", 0},
    {"max,nan=propagate", "a=$:2,3,4,5 c=$:2,3,1,1 op=max nan=propagate", VERIFY_ONLY_SPECIALS},
    {"5-D", "a=$:2,3,4,2,5 c=$:1,3,1,2,1", 0},
    END};

static const struct verify_shape set[] = {{"plain", "y=$:2,3,4,5 value=1.5", 0},
                                          {"whole", "y=$:3,2,5,4 value=-7", 0},
                                          {"zero", "y=$:2,5,3,4", 0},
                                          {"5-D", "y=$:2,3,4,2,5 value=3", 0},
                                          {"3-D", "y=$:4,5,6 value=0.25", 0},
                                          {"one element", "y=$:1,1,1,1 value=2", 0},
                                          END};

static const struct verify_shape scale[] = {
    {"half", "y=$:2,3,4,5 alpha=0.5", 0},   {"minus", "y=$:3,2,5,4 alpha=-2", 0},
    {"zero", "y=$:2,5,3,4 alpha=0", 0},     {"5-D", "y=$:2,3,4,2,5 alpha=3", 0},
    {"3-D", "y=$:4,5,6 alpha=0.25", 0},     {"one", "y=$:2,4,3,5", 0},
    {"long", "y=$:1,3,1,1031 alpha=-1", 0}, END};

static const struct verify_shape im2col[] = {
    {"plain", "x=$:2,3,5,7 window=3,2 pad=1,0", 0},
    {"stride", "x=$:2,3,8,7 window=2,3 stride=3,2", 0},
    {"dilation", "x=$:1,4,9,8 window=3,2 dilation=2,3 pad=2,1", 0},
    {"1x1", "x=$:3,4,5,2 window=1,1", 0},
    {"pad", "x=$:2,3,4,5 window=2,3 pad=2,3 stride=2,1", 0},
    {"mode=convolution", "x=$:2,3,6,5 window=3,2 pad=1,1 mode=convolution", 0},
    {"whole", "x=$:2,3,4,6 window=4,6", 0},
    END};

static const struct verify_shape same_as_forward[] = {END};

const struct verify_shapes verify_shapes[] = {
    {ANYDNN_PLUGIN_CONVOLUTION_FORWARD, 0, convolution},
    {ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA, ANYDNN_PLUGIN_CONVOLUTION_FORWARD, same_as_forward},
    {ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER, ANYDNN_PLUGIN_CONVOLUTION_FORWARD, same_as_forward},
    {ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS, 0, backward_bias},
    {ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD, 0, fused},
    {ANYDNN_PLUGIN_POOLING_FORWARD, 0, pooling},
    {ANYDNN_PLUGIN_POOLING_BACKWARD, ANYDNN_PLUGIN_POOLING_FORWARD, same_as_forward},
    {ANYDNN_PLUGIN_ACTIVATION_FORWARD, 0, activation},
    {ANYDNN_PLUGIN_ACTIVATION_BACKWARD, ANYDNN_PLUGIN_ACTIVATION_FORWARD, same_as_forward},
    {ANYDNN_PLUGIN_LRN_FORWARD, 0, lrn},
    {ANYDNN_PLUGIN_LRN_BACKWARD, ANYDNN_PLUGIN_LRN_FORWARD, same_as_forward},
    {ANYDNN_PLUGIN_SOFTMAX_FORWARD, 0, softmax},
    {ANYDNN_PLUGIN_SOFTMAX_BACKWARD, ANYDNN_PLUGIN_SOFTMAX_FORWARD, same_as_forward},
    {ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_FORWARD, 0, divisive_forward},
    {ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_BACKWARD, 0, divisive_backward},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE, 0, norm_inference},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING, 0, norm_training},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, 0, norm_backward},
    {ANYDNN_PLUGIN_DROPOUT_FORWARD, 0, dropout_forward},
    {ANYDNN_PLUGIN_DROPOUT_BACKWARD, 0, dropout_backward},
    {ANYDNN_PLUGIN_TRANSFORM_TENSOR, 0, transform},
    {ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX, 0, transform_ex},
    {ANYDNN_PLUGIN_TRANSFORM_FILTER, 0, transform_ex},
    {ANYDNN_PLUGIN_ADD_TENSOR, 0, add},
    {ANYDNN_PLUGIN_OP_TENSOR, 0, op},
    {ANYDNN_PLUGIN_REDUCE_TENSOR, 0, reduce},
    {ANYDNN_PLUGIN_SET_TENSOR, 0, set},
    {ANYDNN_PLUGIN_SCALE_TENSOR, 0, scale},
    {ANYDNN_PLUGIN_IM2COL, 0, im2col},
    {0, 0, NULL},
};
