/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of layer, group, instance and RMS normalization, and of matrix products. */
#include "tools/verify/cases/shapes.h"

#define END                                                                                        \
    {                                                                                              \
        NULL, NULL, 0                                                                              \
    }

/* The shapes of both directions, without statistics. */
/* clang-format off */
#define NORMALIZED \
    {"layer", "x=$:5,7,12 kind=layer axes=2", 0}, \
    {"layer,scale,bias", "x=$:4,3,17 scale=$:1,1,17 bias=$:1,1,17 kind=layer axes=2", 0}, \
    {"layer,two axes", "x=$:3,4,5,6 scale=$:1,1,5,6 bias=$:1,1,5,6 kind=layer axes=2,3", 0}, \
    {"layer,channels", "x=$:2,12,5,3 scale=$:1,12,1,1 bias=$:1,12,1,1 kind=layer axes=1", 0}, \
    {"layer,axes apart", "x=$:3,5,4,6 kind=layer axes=1,3", 0}, \
    {"layer,all axes", "x=$:7,9 kind=layer axes=0,1", 0}, \
    {"layer,first axis", "x=$:11,5 scale=$:11,1 kind=layer axes=0", 0}, \
    {"layer,bias alone", "x=$:5,13 bias=$:1,13 kind=layer axes=1", 0}, \
    {"layer,sets of one", "x=$:6,5,1 scale=$:1,1,1 kind=layer axes=2", 0}, \
    {"layer,per sample", "x=$:4,3,10 scale=$:4,1,10 bias=$:4,1,10 kind=layer axes=2", 0}, \
    {"layer,zero_centered", "x=$:5,14 scale=$:1,14 kind=layer axes=1 scaling=zero_centered", 0}, \
    {"layer,epsilon", "x=$:6,10 kind=layer axes=1 epsilon=0.25", 0}, \
    {"layer,long", "x=$:2,1500 scale=$:1,1500 bias=$:1,1500 kind=layer axes=1", 0}, \
    {"layer,many", "x=$:1100,3 scale=$:1,3 bias=$:1,3 kind=layer axes=1", 0}, \
    {"layer,8-D", "x=$:2,1,3,1,2,2,1,5 kind=layer axes=4,5,7", 0}, \
    {"rms", "x=$:5,3,16 scale=$:1,1,16 kind=rms axes=2", 0}, \
    {"rms,bias", "x=$:4,18 scale=$:1,18 bias=$:1,18 kind=rms axes=1", 0}, \
    {"rms,zero_centered", "x=$:6,9 scale=$:1,9 kind=rms axes=1 scaling=zero_centered", 0}, \
    {"rms,sets of one", "x=$:9,1 scale=$:1,1 kind=rms axes=1", 0}, \
    {"rms,long", "x=$:3,1100 scale=$:1,1100 kind=rms axes=1", 0}, \
    {"group", "x=$:2,12,5,3 scale=$:1,12,1,1 bias=$:1,12,1,1 kind=group groups=3", 0}, \
    {"group,one", "x=$:3,6,4,2 scale=$:1,6,1,1 bias=$:1,6,1,1 kind=group groups=1", 0}, \
    {"group,channels apart", "x=$:2,20,3,5 scale=$:1,20,1,1 kind=group groups=2", 0}, \
    {"group,channel_axis", "x=$:2,5,3,8 scale=$:1,1,1,8 bias=$:1,1,1,8 kind=group groups=4 " \
     "channel_axis=3", 0}, \
    {"group,2-D", "x=$:5,12 bias=$:1,12 kind=group groups=4", 0}, \
    {"group,5-D", "x=$:2,6,2,3,4 scale=$:1,6,1,1,1 kind=group groups=2", 0}, \
    {"group,per sample", "x=$:3,8,5 scale=$:3,8,1 bias=$:3,8,1 kind=group groups=4", 0}, \
    {"group,large", "x=$:1,8,19,23 scale=$:1,8,1,1 bias=$:1,8,1,1 kind=group groups=2", 0}, \
    {"group,32", "x=$:2,64,3,3 scale=$:1,64,1,1 bias=$:1,64,1,1 kind=group groups=32", 0}, \
    {"instance", "x=$:2,5,6,4 scale=$:1,5,1,1 bias=$:1,5,1,1 kind=instance", 0}, \
    {"instance,3-D", "x=$:3,7,11 kind=instance", 0}

#define ACTIVATED \
    {"layer,relu", "x=$:5,12 scale=$:1,12 bias=$:1,12 kind=layer axes=1 activation=relu", 0}, \
    {"layer,gelu", "x=$:6,10 scale=$:1,10 bias=$:1,10 kind=layer axes=1 activation=gelu", 0}, \
    {"rms,gelu_tanh", "x=$:4,15 scale=$:1,15 kind=rms axes=1 activation=gelu_tanh", 0}, \
    {"group,swish", "x=$:2,12,5,4 scale=$:1,12,1,1 bias=$:1,12,1,1 kind=group groups=4 " \
     "activation=swish coef=1", 0}, \
    {"instance,tanh", "x=$:3,4,5,2 scale=$:1,4,1,1 bias=$:1,4,1,1 kind=instance activation=tanh", \
     0}, \
    {"group,gelu,no scale", "x=$:2,6,7 bias=$:1,6,1 kind=group groups=3 activation=gelu", 0}, \
    {"layer,elu", "x=$:3,14 scale=$:1,14 kind=layer axes=1 activation=elu coef=0.5", 0}
/* clang-format on */

const struct verify_shape verify_normalization_forward_shapes[] = {
    NORMALIZED,
    ACTIVATED,
    {"layer,save", "x=$:5,3,12 save_mean=%:5,3,1 save_inv_dev=%:5,3,1 kind=layer axes=2", 0},
    {"group,save",
     "x=$:3,12,4,2 scale=$:1,12,1,1 save_mean=%:3,4,1,1 save_inv_dev=%:3,4,1,1 kind=group groups=4",
     0},
    {"instance,save",
     "x=$:3,5,4,2 bias=$:1,5,1,1 save_mean=%:3,5,1,1 save_inv_dev=%:3,5,1,1 kind=instance", 0},
    {"rms,save", "x=$:7,11 scale=$:1,11 save_inv_dev=%:7,1 kind=rms axes=1", 0},
    {"layer,add", "x=$:4,5,9 z=$:4,5,9 scale=$:1,1,9 bias=$:1,1,9 kind=layer axes=2", 0},
    {"layer,add,sum",
     "x=$:4,5,9 z=$:4,5,9 sum=$:4,5,9 scale=$:1,1,9 bias=$:1,1,9 save_mean=%:4,5,1 "
     "save_inv_dev=%:4,5,1 kind=layer axes=2",
     0},
    {"rms,add,sum", "x=$:6,17 z=$:6,17 sum=$:6,17 scale=$:1,17 kind=rms axes=1", 0},
    {"group,add,sum,swish",
     "x=$:2,8,5,3 z=$:2,8,5,3 sum=$:2,8,5,3 scale=$:1,8,1,1 bias=$:1,8,1,1 kind=group groups=2 "
     "activation=swish coef=1",
     0},
    {"layer,in place", "x=$:5,8 scale=$:1,8 kind=layer axes=1 alias=y:x", 0},
    {"layer,add,in place of z", "x=$:5,8 z=$:5,8 kind=layer axes=1 alias=y:z", 0},
    {"rms,add,sum,in place of x,z",
     "x=$:7,6 z=$:7,6 sum=$:7,6 scale=$:1,6 kind=rms axes=1 alias=y:x,sum:z", 0},
    {"group,nan=propagate",
     "x=$:2,6,3 bias=$:1,6,1 kind=group groups=2 activation=relu nan=propagate", 0},
    {"layer,specials", "x=$:6,9 scale=$:1,9 kind=layer axes=1", VERIFY_SHAPE_SPECIALS},
    {"layer,mean far from zero", "x=$:5,60 scale=$:1,60 bias=$:1,60 kind=layer axes=1",
     VERIFY_SHAPE_FAR},
    {"group,mean far from zero", "x=$:2,6,5,7 scale=$:1,6,1,1 kind=group groups=2",
     VERIFY_SHAPE_FAR},
    END,
};

const struct verify_shape verify_normalization_backward_shapes[] = {
    NORMALIZED,
    ACTIVATED,
    {"layer,dscale,dbias",
     "x=$:5,4,12 scale=$:1,1,12 dscale=$:1,1,12 dbias=$:1,1,12 kind=layer axes=2", 0},
    {"layer,save",
     "x=$:6,3,11 scale=$:1,1,11 save_mean=%:6,3,1 save_inv_dev=%:6,3,1 dscale=$:1,1,11 "
     "dbias=$:1,1,11 kind=layer axes=2",
     0},
    {"layer,channels,dscale,dbias",
     "x=$:3,9,4,5 scale=$:1,9,1,1 dscale=$:1,9,1,1 dbias=$:1,9,1,1 kind=layer axes=1", 0},
    {"layer,many,dscale,dbias", "x=$:1300,3 scale=$:1,3 dscale=$:1,3 dbias=$:1,3 kind=layer axes=1",
     0},
    {"layer,per sample,dscale,dbias",
     "x=$:4,3,7 scale=$:4,1,7 dscale=$:4,1,7 dbias=$:4,1,7 kind=layer axes=2", 0},
    {"layer,whole scale,dscale", "x=$:4,7 scale=$:4,7 dscale=$:4,7 kind=layer axes=1", 0},
    {"layer,dbias alone", "x=$:5,8 dbias=$:1,8 kind=layer axes=1", 0},
    {"layer,dsum", "x=$:5,12 scale=$:1,12 dsum=$:5,12 dscale=$:1,12 kind=layer axes=1", 0},
    {"layer,gelu,dscale,dbias",
     "x=$:6,10 scale=$:1,10 bias=$:1,10 dscale=$:1,10 dbias=$:1,10 kind=layer axes=1 "
     "activation=gelu",
     0},
    {"rms,dscale,save",
     "x=$:6,5,16 scale=$:1,1,16 save_inv_dev=%:6,5,1 dscale=$:1,1,16 kind=rms axes=2", 0},
    {"rms,dsum,zero_centered",
     "x=$:9,14 scale=$:1,14 dsum=$:9,14 dscale=$:1,14 kind=rms axes=1 scaling=zero_centered", 0},
    {"group,dscale,dbias",
     "x=$:3,12,4,5 scale=$:1,12,1,1 dscale=$:1,12,1,1 dbias=$:1,12,1,1 kind=group groups=3", 0},
    {"group,save,swish",
     "x=$:3,12,5,2 scale=$:1,12,1,1 bias=$:1,12,1,1 save_mean=%:3,4,1,1 save_inv_dev=%:3,4,1,1 "
     "dscale=$:1,12,1,1 dbias=$:1,12,1,1 kind=group groups=4 activation=swish coef=1",
     0},
    {"group,channel_axis,dscale,dbias",
     "x=$:2,5,3,8 scale=$:1,1,1,8 dscale=$:1,1,1,8 dbias=$:1,1,1,8 kind=group groups=4 "
     "channel_axis=3",
     0},
    {"instance,dscale,dbias",
     "x=$:3,5,4,6 scale=$:1,5,1,1 dscale=$:1,5,1,1 dbias=$:1,5,1,1 kind=instance", 0},
    {"layer,in place of dy", "x=$:5,8 scale=$:1,8 dscale=$:1,8 kind=layer axes=1 alias=dx:dy", 0},
    {"layer,in place of x,dsum",
     "x=$:5,8 dsum=$:5,8 scale=$:1,8 dscale=$:1,8 dbias=$:1,8 kind=layer axes=1 alias=dx:x,dx:dsum",
     0},
    {"layer,mean far from zero",
     "x=$:5,60 scale=$:1,60 dscale=$:1,60 bias=$:1,60 kind=layer axes=1", VERIFY_SHAPE_FAR},
    {"group,mean far from zero", "x=$:2,6,5,7 scale=$:1,6,1,1 kind=group groups=2",
     VERIFY_SHAPE_FAR},
    END,
};

const struct verify_shape verify_matmul_shapes[] = {
    {"matmul", "a=$:5,7 b=$:7,9", 0},
    {"matmul,row", "a=$:1,33 b=$:33,20", 0},
    {"matmul,column", "a=$:17,12 b=$:12,1", 0},
    {"matmul,dot", "a=$:1,40 b=$:40,1", 0},
    {"matmul,outer", "a=$:9,1 b=$:1,13", 0},
    {"matmul,alpha", "a=$:6,5 b=$:5,8 alpha=0.5", 0},
    {"matmul,c", "a=$:6,5 b=$:5,8 c=$:6,8 beta=1", 0},
    {"matmul,alpha,beta", "a=$:6,5 b=$:5,8 c=$:6,8 alpha=-0.5 beta=2", 0},
    {"matmul,beta 0", "a=$:4,6 b=$:6,7 c=$:4,7", 0},
    {"matmul,in place of c", "a=$:7,4 b=$:4,6 c=$:7,6 beta=1 alias=d:c", 0},
    {"matmul,bias", "a=$:6,11 b=$:11,5 bias=$:1,5", 0},
    {"matmul,column bias", "a=$:6,4 b=$:4,5 bias=$:6,1", 0},
    {"matmul,whole bias", "a=$:3,4 b=$:4,5 bias=$:3,5", 0},
    {"matmul,c,bias,relu", "a=$:5,8 b=$:8,7 c=$:5,7 bias=$:1,7 beta=0.5 activation=relu", 0},
    {"matmul,bias,gelu", "a=$:6,9 b=$:9,8 bias=$:1,8 alpha=0.125 activation=gelu", 0},
    {"matmul,gelu_tanh", "a=$:6,9 b=$:9,8 alpha=0.125 activation=gelu_tanh", 0},
    {"matmul,swish", "a=$:7,5 b=$:5,9 alpha=0.25 activation=swish coef=1", 0},
    {"matmul,aux", "a=$:5,6 b=$:6,4 aux=$:5,4 bias=$:1,4", 0},
    {"matmul,aux,gelu", "a=$:5,6 b=$:6,4 aux=$:5,4 bias=$:1,4 alpha=0.125 activation=gelu", 0},
    {"matmul,batch", "a=$:3,4,6 b=$:3,6,5", 0},
    {"matmul,batch,two dims", "a=$:2,3,4,5 b=$:2,3,5,6 bias=$:1,1,1,6", 0},
    {"matmul,broadcast a", "a=$:1,4,6 b=$:5,6,3", 0},
    {"matmul,broadcast b", "a=$:5,4,6 b=$:1,6,3 c=$:5,4,3 beta=1", 0},
    {"matmul,broadcast both", "a=$:1,3,4,5 b=$:2,1,5,6", 0},
    {"matmul,batch bias", "a=$:3,4,5 b=$:3,5,6 bias=$:3,1,6", 0},
    {"matmul,transposed b", "a=$:8,12 b=$:12,10:1,12", 0},
    {"matmul,transposed a", "a=$:8,12:1,8 b=$:12,10", 0},
    {"matmul,transposed both", "a=$:6,9:1,6 b=$:9,7:1,9", 0},
    {"matmul,blocks", "a=$:64,64 b=$:64,64", 0},
    {"matmul,odd", "a=$:67,131 b=$:131,35 bias=$:1,35", 0},
    {"matmul,long", "a=$:3,10000 b=$:10000,2", VERIFY_SHAPE_LONG},
    {"matmul,wide", "a=$:2,16 b=$:16,600", 0},
    {"matmul,tall", "a=$:600,16 b=$:16,2", 0},
    {"matmul,8-D", "a=$:1,2,1,1,2,1,3,4 b=$:2,1,1,2,1,1,4,2", 0},
    {"matmul,specials", "a=$:6,5 b=$:5,4", VERIFY_SHAPE_SPECIALS},
    END,
};
