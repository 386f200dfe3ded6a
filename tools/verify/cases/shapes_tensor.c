/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of the operations on tensors as such. */
#include "tools/verify/cases/shapes.h"

#define END                                                                                        \
    {                                                                                              \
        NULL, NULL, 0                                                                              \
    }

const struct verify_shape verify_transform_shapes[] = {
    {"plain", "x=$:2,3,4,5", 0},
    {"alpha,beta", "x=$:3,4,2,5 alpha=0.5 beta=0.5", 0},
    {"beta", "x=$:4,2,5,3 beta=1", 0},
    {"5-D", "x=$:2,3,4,2,5", 0},
    {"to channels last", "x=$:2,3,4,5:nchw y=$:2,3,4,5:nhwc alpha=2", 0},
    {"from channels last", "x=$:3,5,2,4:nhwc y=$:3,5,2,4:nchw", 0},
    {"alpha=0,beta", "x=$:2,5,3,4 alpha=0 beta=-1", 0},
    {"ties", "x=$:2,5,4,3 alpha=1.5", 0},
    {"larger", "x=$:2,35,9,33", 0},
    {"3-D", "x=$:4,5,6", 0},
    {"vectors", "x=$:3,32,2,5", VERIFY_SHAPE_VECTORS},
    {"vectors,alpha,beta", "x=$:2,64,3,5 alpha=0.5 beta=0.5", VERIFY_SHAPE_VECTORS},
    {"vectors,alpha", "x=$:2,32,4,3 alpha=1.5", VERIFY_SHAPE_VECTORS},
    {"vectors,beta", "x=$:4,32,3,2 beta=-1", VERIFY_SHAPE_VECTORS},
    {"vectors,larger", "x=$:2,96,9,33", VERIFY_SHAPE_VECTORS},
    {"vectors,5-D", "x=$:2,32,3,2,5", VERIFY_SHAPE_VECTORS},
    END};

const struct verify_shape verify_transform_ex_shapes[] = {
    {"pad", "x=$:2,3,4,5 y=$:2,3,7,9 pad_before=0,0,1,3 pad_after=0,0,2,1", 0},
    {"pad,channels", "x=$:2,3,4,5 y=$:2,8,4,5 pad_before=0,2,0,0 pad_after=0,3,0,0", 0},
    {"fold", "x=$:2,3,4,6 y=$:2,18,2,2 fold=2,3", 0},
    {"unfold", "x=$:2,18,2,3 y=$:2,3,4,9 fold=2,3 direction=unfold", 0},
    {"plain", "x=$:3,4,2,5 y=$:3,4,2,5", 0},
    {"fold,pad", "x=$:2,3,4,5 y=$:2,12,3,3 fold=2,2 pad_before=0,0,1,0 pad_after=0,0,1,1", 0},
    {"plain,alpha,beta", "x=$:2,5,3,4 y=$:2,5,3,4 alpha=0.5 beta=1", 0},
    {"pad,beta", "x=$:2,3,4,5 y=$:2,3,6,9 pad_before=0,0,2,1 pad_after=0,0,0,3 beta=1", 0},
    {"crop", "x=$:2,3,6,7 y=$:2,3,4,5 pad_before=0,0,-1,-2 pad_after=0,0,-1,0", 0},
    {"vectors", "x=$:3,32,2,5 y=$:3,32,2,5", VERIFY_SHAPE_VECTORS},
    {"vectors,pad", "x=$:2,32,4,5 y=$:2,32,7,9 pad_before=0,0,1,3 pad_after=0,0,2,1",
     VERIFY_SHAPE_VECTORS},
    {"vectors,fold", "x=$:2,32,4,6 y=$:2,192,2,2 fold=2,3", VERIFY_SHAPE_VECTORS},
    {"vectors,unfold", "x=$:2,192,2,3 y=$:2,32,4,9 fold=2,3 direction=unfold",
     VERIFY_SHAPE_VECTORS},
    {"vectors,crop", "x=$:2,64,6,7 y=$:2,64,4,5 pad_before=0,0,-1,-2 pad_after=0,0,-1,0",
     VERIFY_SHAPE_VECTORS},
    {"vectors,alpha,beta", "x=$:2,32,3,4 y=$:2,32,3,4 alpha=0.5 beta=1", VERIFY_SHAPE_VECTORS},
    {"vectors,pad", "x=$:2,32,4,5 y=$:2,32,7,9 pad_before=0,0,1,3 pad_after=0,0,2,1",
     VERIFY_SHAPE_VECTORS},
    {"vectors,pad,channels", "x=$:2,32,4,5 y=$:2,96,4,5 pad_before=0,32,0,0 pad_after=0,32,0,0",
     VERIFY_SHAPE_VECTORS},
    {"vectors,fold", "x=$:2,32,4,6 y=$:2,192,2,2 fold=2,3", VERIFY_SHAPE_VECTORS},
    {"vectors,unfold", "x=$:2,192,2,3 y=$:2,32,4,9 fold=2,3 direction=unfold",
     VERIFY_SHAPE_VECTORS},
    {"vectors,crop", "x=$:2,32,6,7 y=$:2,32,4,5 pad_before=0,0,-1,-2 pad_after=0,0,-1,0",
     VERIFY_SHAPE_VECTORS},
    {"vectors,alpha,beta", "x=$:2,64,3,4 y=$:2,64,3,4 alpha=0.5 beta=1", VERIFY_SHAPE_VECTORS},
    END};

const struct verify_shape verify_add_shapes[] = {
    {"bias", "x=$:1,3,1,1 y=$:2,3,4,5 beta=1", 0},
    {"same", "x=$:2,3,5,4 y=$:2,3,5,4 beta=1", 0},
    {"row", "x=$:1,1,1,5 y=$:2,3,4,5 alpha=0.5 beta=1", 0},
    {"in place", "x=$:2,3,5,4 y=$:2,3,5,4 alpha=2 beta=0.5 alias=y:x", 0},
    {"image", "x=$:1,3,4,5 y=$:2,3,4,5 alpha=2 beta=0.5", 0},
    {"prior unread", "x=$:1,4,1,1 y=$:3,4,2,5", 0},
    {"scalar", "x=$:1,1,1,1 y=$:2,4,3,5 beta=-1", 0},
    {"5-D", "x=$:1,3,1,2,1 y=$:2,3,4,2,5 beta=1", 0},
    {"ties", "x=$:2,3,1,5 y=$:2,3,4,5 alpha=0.5 beta=0.25", 0},
    {"vectors", "x=$:2,32,3,5 y=$:2,32,3,5 beta=1", VERIFY_SHAPE_VECTORS},
    {"vectors,bias", "x=$:1,32,1,1 y=$:3,32,5,2 beta=1", VERIFY_SHAPE_VECTORS},
    {"vectors,row", "x=$:1,64,1,5 y=$:2,64,4,5 alpha=0.5 beta=1", VERIFY_SHAPE_VECTORS},
    {"vectors,image", "x=$:1,32,4,5 y=$:2,32,4,5 alpha=2 beta=0.5", VERIFY_SHAPE_VECTORS},
    {"vectors,prior unread", "x=$:1,32,1,1 y=$:3,32,2,5", VERIFY_SHAPE_VECTORS},
    {"vectors,alpha=0", "x=$:1,32,1,1 y=$:2,32,4,5 alpha=0 beta=0.5", VERIFY_SHAPE_VECTORS},
    {"alpha=0", "x=$:1,3,1,1 y=$:2,3,4,5 alpha=0 beta=0.5", 0},
    END};

const struct verify_shape verify_op_shapes[] = {
    {"add", "a=$:2,3,4,5 b=$:2,3,4,5", 0},
    {"mul", "a=$:3,2,5,4 b=$:3,2,5,4 op=mul", 0},
    {"min", "a=$:2,4,3,5 b=$:2,4,3,5 op=min", 0},
    {"max", "a=$:4,3,2,5 b=$:4,3,2,5 op=max", 0},
    {"sqrt", "a=$:2,5,4,3 b=$:2,5,4,3 op=sqrt", 0},
    {"not", "a=$:2,3,5,4 b=$:2,3,5,4 op=not", 0},
    {"broadcast", "a=$:2,3,4,5 b=$:1,3,1,1", 0},
    {"long rows,beta",
     "a=$:1,2,1,700:2900,1450,1450,2 b=$:1,2,1,700:4300,2150,2150,3 "
     "c=$:1,2,1,700:5700,2850,2850,4 beta=1",
     0},
    {"broadcast,alpha,beta", "a=$:2,3,5,4 b=$:1,1,5,1 op=mul alpha1=2 alpha2=0.5 beta=1", 0},
    {"add,alpha,beta", "a=$:3,4,5,2 b=$:3,4,5,2 alpha1=0.5 alpha2=-1 beta=0.5", 0},
    {"max,alpha", "a=$:2,5,3,4 b=$:1,5,1,4 op=max alpha1=-1 alpha2=2", 0},
    {"min,nan=propagate", "a=$:2,3,4,5 b=$:2,3,4,5 op=min nan=propagate", VERIFY_SHAPE_SPECIALS},
    {"max,nan=ignore", "a=$:2,3,4,5 b=$:2,3,4,5 op=max nan=ignore", VERIFY_SHAPE_SPECIALS},
    {"in place", "a=$:3,5,2,4 b=$:1,5,1,1 alias=c:a", 0},
    {"mul,in place of both,beta", "a=$:3,2,5,4 op=mul alias=c:a,c:b beta=0.5", 0},
    {"not,without b,in place", "a=$:2,3,5,4 op=not without=b alias=c:a", 0},
    {"5-D", "a=$:2,3,4,2,5 b=$:1,3,1,2,1 op=add", 0},
    END};

const struct verify_shape verify_reduce_shapes[] = {
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
    {"max,nan=propagate", "a=$:2,3,4,5 c=$:2,3,1,1 op=max nan=propagate", VERIFY_SHAPE_SPECIALS},
    {"5-D", "a=$:2,3,4,2,5 c=$:1,3,1,2,1", 0},
    END};

const struct verify_shape verify_set_shapes[] = {
    {"plain", "y=$:2,3,4,5 value=1.5", 0},
    {"whole", "y=$:3,2,5,4 value=-7", 0},
    {"zero", "y=$:2,5,3,4", 0},
    {"5-D", "y=$:2,3,4,2,5 value=3", 0},
    {"3-D", "y=$:4,5,6 value=0.25", 0},
    {"one element", "y=$:1,1,1,1 value=2", 0},
    {"vectors", "y=$:2,32,3,5 value=-7", VERIFY_SHAPE_VECTORS},
    {"vectors,zero", "y=$:3,32,2,4", VERIFY_SHAPE_VECTORS},
    {"vectors,one image", "y=$:1,64,5,3 value=100", VERIFY_SHAPE_VECTORS},
    {"vectors,5-D", "y=$:2,32,3,2,4 value=3", VERIFY_SHAPE_VECTORS},
    {"vectors,3-D", "y=$:4,32,5 value=17", VERIFY_SHAPE_VECTORS},
    {"vectors,one vector", "y=$:1,32,1,1 value=2", VERIFY_SHAPE_VECTORS},
    END};

const struct verify_shape verify_scale_shapes[] = {
    {"half", "y=$:2,3,4,5 alpha=0.5", 0},
    {"minus", "y=$:3,2,5,4 alpha=-2", 0},
    {"zero", "y=$:2,5,3,4 alpha=0", 0},
    {"5-D", "y=$:2,3,4,2,5 alpha=3", 0},
    {"3-D", "y=$:4,5,6 alpha=0.25", 0},
    {"one", "y=$:2,4,3,5", 0},
    {"long", "y=$:1,3,1,1031 alpha=-1", 0},
    {"ties", "y=$:2,3,7,11 alpha=1.5", 0},
    {"overflow", "y=$:2,5,3,7 alpha=32760", 0},
    {"subnormal", "y=$:2,3,5,8 alpha=9.5367431640625e-07", 0},
    {"vectors", "y=$:2,32,3,5 alpha=0.5", VERIFY_SHAPE_VECTORS},
    {"vectors,minus", "y=$:3,32,5,2 alpha=-2", VERIFY_SHAPE_VECTORS},
    {"vectors,zero", "y=$:2,64,3,4 alpha=0", VERIFY_SHAPE_VECTORS},
    {"vectors,5-D", "y=$:2,32,3,2,4 alpha=3", VERIFY_SHAPE_VECTORS},
    {"vectors,one", "y=$:2,32,4,3", VERIFY_SHAPE_VECTORS},
    {"vectors,ties", "y=$:1,96,5,7 alpha=1.5", VERIFY_SHAPE_VECTORS},
    END};
