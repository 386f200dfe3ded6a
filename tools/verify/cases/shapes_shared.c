/* SPDX-License-Identifier: Apache-2.0 */
/* The shapes of backward operations whose result overwrites inputs, or that omit inputs that they
 * do not read. */
#include "tools/verify/cases/shapes.h"

#define END                                                                                        \
    {                                                                                              \
        NULL, NULL, 0                                                                              \
    }

const struct verify_shape verify_pooling_backward_shapes[] = {
    {"average_include,without y,x",
     "dy=$:2,3,4,3 dx=$:2,3,7,5 window=3,2 stride=2,2 pad=1,1 mode=average_include without=y,x", 0},
    {"average_exclude,in place of x",
     "y=$:2,3,7,5 x=$:2,3,7,5 window=3,3 stride=1,1 pad=1,1 mode=average_exclude alias=dx:x beta=1",
     0},
    {"average_include,in place of y,x",
     "y=$:3,2,5,7 x=$:3,2,5,7 window=3,1 stride=1,1 pad=1,0 mode=average_include alias=dx:y,dx:x",
     0},
    END};

const struct verify_shape verify_activation_backward_shapes[] = {
    {"tanh,in place of y", "y=$:2,3,5,6 activation=tanh alias=dx:y", 0},
    {"relu,without x", "y=$:3,2,6,5 activation=relu without=x", 0},
    {"relu,in place of y", "y=$:2,3,6,5 activation=relu alias=dx:y", 0},
    {"elu,in place of y,beta", "y=$:3,2,5,6 activation=elu coef=0.75 alias=dx:y beta=0.5", 0},
    {"sigmoid,in place of y,dy", "y=$:2,5,3,6 activation=sigmoid alias=dx:y,dx:dy", 0},
    {"swish,in place of x", "y=$:2,3,4,7 activation=swish coef=1.25 alias=dx:x", 0},
    {"swish,in place of y,dy,x,beta",
     "y=$:3,2,4,5 activation=swish coef=0.5 alias=dx:y,dx:dy,dx:x beta=1", 0},
    {"tanh,in place of x", "y=$:2,4,3,7 activation=tanh alias=dx:x", 0},
    {"clipped_relu,without x,in place of y",
     "y=$:2,4,5,3 activation=clipped_relu coef=1.5 without=x alias=dx:y", 0},
    {"swish,without y,in place of dy",
     "dy=$:2,3,7,4 x=$:2,3,7,4 activation=swish without=y alias=dx:dy", 0},
    END};

const struct verify_shape verify_softmax_backward_shapes[] = {
    {"in place of y", "y=$:3,5,2,4 alias=dx:y", 0},
    {"in place of y,dy", "y=$:2,7,3,4 alias=dx:y,dx:dy", 0},
    {"log,in place of y,beta", "y=$:3,4,2,5 softmax=log alias=dx:y beta=0.5", 0},
    {"instance,in place of y,dy", "y=$:2,3,5,4 mode=instance alias=dx:y,dx:dy", 0},
    {"in place of y,many channels", "y=$:2,1300,1,1 alias=dx:y", 0},
    END};

const struct verify_shape verify_lrn_backward_shapes[] = {
    {"without y", "dy=$:2,7,3,4 x=$:2,7,3,4 n=5 lrn_alpha=0.5 k=1 without=y", 0},
    {"in place of y", "y=$:2,7,4,3 n=4 lrn_alpha=0.5 k=1 alias=dx:y", 0},
    {"without y,in place of dy,beta",
     "dy=$:3,9,2,5 x=$:3,9,2,5 n=5 lrn_alpha=0.5 k=1 without=y alias=dx:dy beta=0.5", 0},
    END};
