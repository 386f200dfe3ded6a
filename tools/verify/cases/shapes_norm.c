/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of LRN, divisive and batch normalization. */
#include "tools/verify/cases/shapes.h"

#define END                                                                                        \
    {                                                                                              \
        NULL, NULL, 0                                                                              \
    }

const struct verify_shape verify_lrn_shapes[] = {
    {"plain", "x=$:2,7,3,5", 0},
    {"strong", "x=$:3,6,4,2 n=3 lrn_alpha=0.5 lrn_beta=0.75 k=1", 0},
    {"even n", "x=$:2,8,3,4 n=4 lrn_alpha=0.25 lrn_beta=0.5 k=1", 0},
    {"n=1", "x=$:2,3,5,4 n=1 lrn_alpha=1 lrn_beta=0.5 k=2", 0},
    {"wide n", "x=$:2,4,5,3 n=9 lrn_alpha=0.5 lrn_beta=1.5 k=1", 0},
    {"alpha,beta", "x=$:3,5,2,4 n=5 lrn_alpha=0.5 k=1 alpha=0.5 beta=1", 0},
    {"5-D", "x=$:2,6,2,3,4 n=3 lrn_alpha=0.25 k=1.5", 0},
    {"beta", "x=$:2,5,4,3 n=2 lrn_alpha=0.5 k=1 beta=0.5", 0},
    {"long rows", "x=$:2,7,3,131 n=4 lrn_alpha=0.5 lrn_beta=0.75 k=1", 0},
    {"many channels", "x=$:2,75,3,4 n=5 lrn_alpha=0.5 lrn_beta=0.75 k=1", 0},
    {"widest n", "x=$:2,45,4,3 n=16 lrn_alpha=1 lrn_beta=0.75 k=1 beta=1", 0},
    {"wide n,part of a vector", "x=$:2,24,5,3 n=7 lrn_alpha=0.5 lrn_beta=0.75 k=1", 0},
    {"wide n,part of a vector,one place", "x=$:3,65,1,1 n=9 lrn_alpha=1 lrn_beta=0.75 k=1", 0},
    {"wide n,part of a vector,alpha,beta",
     "x=$:2,33,3,4 n=15 lrn_alpha=1 lrn_beta=0.75 k=2 alpha=2 beta=0.5", 0},
    {"many places", "x=$:3,8,11,9 n=3 lrn_alpha=0.5 k=1", 0},
    {"whole vectors", "x=$:2,24,11,9 n=5 lrn_alpha=0.5 lrn_beta=0.75 k=1", 0},
    {"whole vectors,even n,beta", "x=$:3,16,9,13 n=8 lrn_alpha=0.5 lrn_beta=0.5 k=1 beta=1", 0},
    {"in place", "x=$:2,7,4,3 n=5 lrn_alpha=0.5 lrn_beta=0.75 k=1 alias=y:x", 0},
    {"in place,even n,many channels",
     "x=$:2,37,3,2 n=4 lrn_alpha=0.5 lrn_beta=0.5 k=1 alias=y:x alpha=2 beta=0.5", 0},
    END};

const struct verify_shape verify_divisive_forward_shapes[] = {
    {"plain", "x=$:2,3,7,6 n=3 lrn_alpha=0.5 lrn_beta=0.75 k=1", 0},
    {"means", "x=$:2,4,5,6 means=$:2,4,5,6 n=3 lrn_alpha=0.5 lrn_beta=0.5 k=1", 0},
    {"wide n", "x=$:3,2,5,4 n=5 lrn_alpha=1 lrn_beta=0.5 k=2", 0},
    {"even n", "x=$:2,3,6,5 n=4 lrn_alpha=1 lrn_beta=0.75 k=1", 0},
    {"alpha,beta", "x=$:2,3,4,6 n=3 lrn_alpha=0.5 k=1 alpha=0.5 beta=1", 0},
    {"5-D", "x=$:2,3,4,3,5 n=3 lrn_alpha=0.5 k=1", 0},
    {"means,beta", "x=$:3,2,4,5 means=$:3,2,4,5 n=3 lrn_alpha=0.5 k=1 beta=0.5", 0},
    {"many places", "x=$:2,3,37,41 n=5 lrn_alpha=0.5 lrn_beta=0.75 k=1", 0},
    {"widest n", "x=$:2,19,11,17 n=16 lrn_alpha=1 lrn_beta=0.75 k=1", 0},
    {"whole vectors", "x=$:2,3,11,24 n=5 lrn_alpha=0.5 lrn_beta=0.75 k=1", 0},
    {"whole vectors,alpha,beta", "x=$:2,3,3,8 n=5 lrn_alpha=0.5 lrn_beta=0.5 k=1 alpha=2 beta=0.5",
     0},
    {"means, many places", "x=$:2,3,37,41 means=$:2,3,37,41 n=5 lrn_alpha=0.5 k=1", 0},
    {"means, widest n", "x=$:2,19,11,17 means=$:2,19,11,17 n=16 lrn_alpha=1 k=1", 0},
    END};

const struct verify_shape verify_divisive_backward_shapes[] = {
    {"plain", "x=$:2,3,7,6 n=3 lrn_alpha=0.5 lrn_beta=0.75 k=1", 0},
    {"means,dmeans",
     "x=$:2,4,5,6 means=$:2,4,5,6 dmeans=$:2,4,5,6 n=3 lrn_alpha=0.5 lrn_beta=0.5 k=1", 0},
    {"means", "x=$:2,3,5,4 means=$:2,3,5,4 n=3 lrn_alpha=0.5 k=1", 0},
    {"wide n", "x=$:3,2,5,4 n=5 lrn_alpha=1 lrn_beta=0.5 k=2", 0},
    {"even n", "x=$:2,3,6,5 n=4 lrn_alpha=1 lrn_beta=0.75 k=1", 0},
    {"alpha,beta", "x=$:2,3,4,6 n=3 lrn_alpha=0.5 k=1 alpha=0.5 beta=1", 0},
    {"5-D", "x=$:2,3,4,3,5 n=3 lrn_alpha=0.5 k=1", 0},
    {"many places", "x=$:2,3,37,41 n=5 lrn_alpha=0.5 lrn_beta=0.75 k=1", 0},
    {"widest n", "x=$:2,19,11,17 n=16 lrn_alpha=1 lrn_beta=0.75 k=1", 0},
    {"whole vectors", "x=$:2,3,11,24 n=5 lrn_alpha=0.5 lrn_beta=0.75 k=1", 0},
    {"whole vectors,alpha,beta", "x=$:2,3,3,8 n=5 lrn_alpha=0.5 lrn_beta=0.5 k=1 alpha=2 beta=0.5",
     0},
    {"means,dmeans, many places",
     "x=$:2,3,37,41 means=$:2,3,37,41 dmeans=$:2,3,37,41 n=5 lrn_alpha=0.5 k=1", 0},
    {"means, widest n", "x=$:2,19,11,17 means=$:2,19,11,17 n=16 lrn_alpha=1 k=1", 0},
    END};

const struct verify_shape verify_norm_inference_shapes[] = {
    {"spatial", "x=$:3,4,5,2", 0},
    {"per_activation", "x=$:2,3,4,5 mode=per_activation", 0},
    {"epsilon", "x=$:2,5,3,4 epsilon=0.25", 0},
    {"alpha,beta", "x=$:3,2,4,5 alpha=0.5 beta=1", 0},
    {"5-D", "x=$:2,3,4,2,5", 0},
    {"per_activation,beta", "x=$:4,3,2,3 mode=per_activation alpha=2 beta=0.5", 0},
    {"2-D", "x=$:5,7", 0},
    {"persistent", "x=$:4,3,5,2 mode=spatial_persistent", 0},
    {"in place", "x=$:3,4,2,5 alias=y:x", 0},
    END};

const struct verify_shape verify_norm_training_shapes[] = {
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
    {"activation,clipped_relu at its ceiling",
     "x=$:2,211,1,3 ops=bn_activation activation=clipped_relu coef=2 reserve=u8:159", 0},
    {"persistent,save",
     "x=$:4,3,5,2 mode=spatial_persistent save_mean=%:1,3,1,1 save_inv_var=%:1,3,1,1", 0},
    {"in place", "x=$:4,3,2,5 alias=y:x", 0},
    {"add,activation,in place of z",
     "x=$:2,3,5,7 z=$:2,3,5,7 ops=bn_add_activation reserve=u8:27 alias=y:z", 0},
    {"add,activation,in place of x,z",
     "x=$:2,5,3,7 z=$:2,5,3,7 ops=bn_add_activation reserve=u8:27 alias=y:x,y:z", 0},
    END};

const struct verify_shape verify_norm_backward_shapes[] = {
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
    {"activation,clipped_relu at its ceiling",
     "x=$:2,211,1,3 y=$:2,211,1,3 bias=%:1,211,1,1 ops=bn_activation activation=clipped_relu "
     "coef=2 "
     "reserve=u8:159 save_mean=%:1,211,1,1 save_inv_var=%:1,211,1,1",
     0},
    {"add,activation",
     "x=$:2,3,7,5 y=$:2,3,7,5 bias=%:1,3,1,1 dz=$:2,3,7,5 ops=bn_add_activation reserve=u8:27 "
     "save_mean=%:1,3,1,1 save_inv_var=%:1,3,1,1",
     0},
    {"in place of dy", "x=$:3,4,2,5 alias=dx:dy", 0},
    {"save,in place of x", "x=$:3,4,5,2 save_mean=%:1,4,1,1 save_inv_var=%:1,4,1,1 alias=dx:x", 0},
    {"in place of x,dy,beta_data", "x=$:2,4,3,5 alias=dx:x,dx:dy beta_data=0.5", 0},
    {"activation,tanh,in place of y",
     "x=$:2,5,7,3 y=$:2,5,7,3 bias=%:1,5,1,1 ops=bn_activation activation=tanh reserve=u8:27 "
     "save_mean=%:1,5,1,1 save_inv_var=%:1,5,1,1 alias=dx:y",
     0},
    {"activation,without y",
     "x=$:2,7,3,5 bias=%:1,7,1,1 ops=bn_activation reserve=u8:27 save_mean=%:1,7,1,1 "
     "save_inv_var=%:1,7,1,1",
     0},
    {"add,activation,in place of x,dy",
     "x=$:2,3,7,5 y=$:2,3,7,5 bias=%:1,3,1,1 dz=$:2,3,7,5 ops=bn_add_activation reserve=u8:27 "
     "save_mean=%:1,3,1,1 save_inv_var=%:1,3,1,1 alias=dx:x,dz:dy",
     0},
    {"add,activation,in place of dy,x",
     "x=$:2,3,7,5 y=$:2,3,7,5 bias=%:1,3,1,1 dz=$:2,3,7,5 ops=bn_add_activation reserve=u8:27 "
     "save_mean=%:1,3,1,1 save_inv_var=%:1,3,1,1 alias=dx:dy,dz:x",
     0},
    {"add,activation,sigmoid,dz in place of y",
     "x=$:2,3,7,5 y=$:2,3,7,5 bias=%:1,3,1,1 dz=$:2,3,7,5 ops=bn_add_activation "
     "activation=sigmoid reserve=u8:27 save_mean=%:1,3,1,1 save_inv_var=%:1,3,1,1 alias=dz:y",
     0},
    END};
