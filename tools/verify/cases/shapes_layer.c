/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of pooling, activation, softmax and dropout. */
#include "tools/verify/cases/shapes.h"

#define END                                                                                        \
    {                                                                                              \
        NULL, NULL, 0                                                                              \
    }

const struct verify_shape verify_pooling_shapes[] = {
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
    {"max,nan=propagate", "x=$:2,3,7,9 window=3,3 stride=2,2 nan=propagate", VERIFY_SHAPE_SPECIALS},
    {"max,nan=ignore", "x=$:2,3,7,9 window=3,3 stride=2,2 nan=ignore", VERIFY_SHAPE_SPECIALS},
    {"max,overlapping", "x=$:1,2,9,10 window=5,4 stride=1,1 pad=2,1", 0},
    {"max,long rows", "x=$:1,2,3,700 window=2,3 stride=1,1 pad=0,1", 0},
    {"average_exclude,long rows",
     "x=$:1,2,3,1300 window=3,4 stride=1,2 pad=1,2 mode=average_exclude", 0},
    {"max,alpha", "x=$:2,3,5,6 window=2,2 stride=1,2 alpha=-1", 0},
    {"max,beta", "x=$:2,3,6,5 window=3,2 stride=2,2 beta=1", 0},
    {"max,nan=propagate,beta", "x=$:2,3,7,9 window=2,3 stride=2,2 nan=propagate beta=0.5",
     VERIFY_SHAPE_SPECIALS},
    {"max,empty windows", "x=$:2,3,4,5 window=2,2 pad=3,2 stride=2,3", 0},
    {"average_include,empty windows",
     "x=$:2,3,4,5 window=2,2 pad=3,2 stride=2,3 mode=average_include", 0},
    {"vectors,max", "x=$:2,32,7,9 window=3,2 stride=2,1 pad=1,0", VERIFY_SHAPE_VECTORS},
    {"vectors,average_include", "x=$:3,32,5,7 window=3,4 stride=2,3 pad=1,2 mode=average_include",
     VERIFY_SHAPE_VECTORS},
    {"vectors,average_exclude", "x=$:2,64,6,5 window=4,3 stride=3,2 pad=2,1 mode=average_exclude",
     VERIFY_SHAPE_VECTORS},
    {"vectors,max_deterministic", "x=$:1,96,4,6 window=2,3 stride=1,2 mode=max_deterministic",
     VERIFY_SHAPE_VECTORS},
    {"vectors,max,alpha,beta", "x=$:2,32,6,7 window=2,3 stride=2,2 alpha=0.5 beta=1",
     VERIFY_SHAPE_VECTORS},
    {"vectors,average_include,alpha,beta",
     "x=$:2,32,5,6 window=2,2 stride=1,3 mode=average_include alpha=2 beta=0.5",
     VERIFY_SHAPE_VECTORS},
    {"vectors,max,empty windows", "x=$:2,32,4,5 window=2,2 pad=3,2 stride=2,3",
     VERIFY_SHAPE_VECTORS},
    {"larger", "x=$:3,37,13,17 window=3,3 stride=2,2 pad=1,1", 0},
    /* Channels in whole vectors, planes beyond what a processor keeps at hand, windows worth being
     * shared by many threads. */
    {"max,many channels", "x=$:2,72,9,7 window=3,2 stride=2,1 pad=1,0", 0},
    {"max,many channels,specials", "x=$:2,24,5,6 window=2,3 stride=1,2 nan=propagate",
     VERIFY_SHAPE_SPECIALS},
    {"average_exclude,many channels,alpha,beta",
     "x=$:1,136,6,8 window=4,3 stride=3,2 pad=2,1 mode=average_exclude alpha=2 beta=0.5", 0},
    {"max,many channels,large windows", "x=$:2,24,12,10 window=9,8 stride=3,2 pad=1,0", 0},
    {"average_include,many channels,large windows",
     "x=$:3,8,11,9 window=10,7 stride=2,1 pad=1,3 mode=average_include", 0},
    {"max,large planes", "x=$:1,2,85,67 window=3,4 stride=2,3 pad=1,2", 0},
    {"average_include,large planes",
     "x=$:1,2,67,85 window=4,3 stride=3,2 pad=1,0 mode=average_include", 0},
    {"max,3-D,large planes", "x=$:1,2,11,22,25 window=2,3,4 stride=1,2,3 pad=1,0,2", 0},
    {"max,very long rows", "x=$:1,2,3,4500 window=2,5 stride=1,4 pad=1,2", 0},
    {"average_exclude,very long rows",
     "x=$:2,1,3,4700 window=3,5 stride=2,3 pad=1,2 mode=average_exclude", 0},
    {"max,global,large", "x=$:2,3,12,15 window=12,15 stride=1,1", 0},
    {"average_include,global,very large",
     "x=$:1,2,66,70 window=66,70 stride=1,1 mode=average_include", 0},
    END};

const struct verify_shape verify_activation_shapes[] = {
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
    {"relu,beta", "x=$:3,4,2,7 activation=relu beta=1", 0},
    {"relu,alpha", "x=$:3,4,5,2 activation=relu alpha=2", 0},
    {"relu,nan=propagate", "x=$:2,3,5,7 activation=relu nan=propagate", VERIFY_SHAPE_SPECIALS},
    {"relu,nan=ignore", "x=$:2,3,5,7 activation=relu nan=ignore", VERIFY_SHAPE_SPECIALS},
    {"clipped_relu,alpha,beta", "x=$:5,3,4,2 activation=clipped_relu coef=2.5 alpha=-1 beta=1", 0},
    {"elu,beta", "x=$:3,5,2,4 activation=elu coef=1.5 beta=0.5", 0},
    END};

const struct verify_shape verify_softmax_shapes[] = {
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

const struct verify_shape verify_dropout_forward_shapes[] = {
    {"half", "x=$:2,3,5,7", 0},
    {"p=0.25", "x=$:3,4,5,3 p=0.25", 0},
    {"p=0", "x=$:2,3,4,5 p=0", 0},
    {"p=0.9", "x=$:2,7,3,5 p=0.9", 0},
    {"in place", "x=$:3,2,5,4 alias=y:x", 0},
    {"5-D", "x=$:2,3,2,5,3 p=0.75", 0},
    {"long", "x=$:1,1,1,777", 0},
    END};

const struct verify_shape verify_dropout_backward_shapes[] = {
    {"half", "dy=$:2,3,5,7", 0},
    {"p=0.25", "dy=$:3,4,5,3 p=0.25", 0},
    {"p=0", "dy=$:2,3,4,5 p=0", 0},
    {"p=0.9", "dy=$:2,7,3,5 p=0.9", 0},
    {"in place", "dy=$:3,2,5,4 alias=dx:dy", 0},
    {"5-D", "dy=$:2,3,2,5,3 p=0.75", 0},
    {"long", "dy=$:1,1,1,777", 0},
    END};
