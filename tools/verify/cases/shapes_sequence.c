/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of the spatial transformer and of the CTC loss. */
#include "tools/verify/cases/shapes.h"

#define END                                                                                        \
    {                                                                                              \
        NULL, NULL, 0                                                                              \
    }

const struct verify_shape verify_grid_forward_shapes[] = {
    {"grid", "theta=$:2,2,3 grid=$:2,5,7,2", 0},
    {"grid,many images", "theta=$:70,2,3 grid=$:70,3,4,2", 0},
    {"grid,large", "theta=$:1,2,3 grid=$:1,33,65,2", 0},
    {"grid,one row", "theta=$:3,2,3 grid=$:3,1,6,2", 0},
    {"grid,one column", "theta=$:2,2,3 grid=$:2,4,1,2", 0},
    {"grid,one point", "theta=$:4,2,3 grid=$:4,1,1,2", 0},
    END,
};

/* The shapes of both directions. */
/* clang-format off */
#define SAMPLED \
    {"sampler", "x=$:2,3,5,7 grid=$:2,4,6,2", 0}, \
    {"sampler,enlarges", "x=$:2,2,3,4 grid=$:2,9,11,2", 0}, \
    {"sampler,shrinks", "x=$:3,5,13,9 grid=$:3,2,3,2", 0}, \
    {"sampler,many channels", "x=$:1,70,4,5 grid=$:1,3,4,2", 0}, \
    {"sampler,large", "x=$:1,2,40,33 grid=$:1,31,50,2", 0}, \
    {"sampler,one pixel", "x=$:2,3,1,1 grid=$:2,3,2,2", 0}, \
    {"sampler,one point", "x=$:3,4,6,5 grid=$:3,1,1,2", 0}
/* clang-format on */

const struct verify_shape verify_sampler_shapes[] = {
    SAMPLED,
    {"sampler,alpha,beta", "x=$:2,3,5,4 grid=$:2,4,3,2 alpha=0.5 beta=2", 0},
    {"sampler,beta", "x=$:2,3,5,4 grid=$:2,4,3,2 beta=1", 0},
    END,
};

const struct verify_shape verify_sampler_backward_shapes[] = {
    SAMPLED,
    {"sampler,alpha,beta",
     "x=$:2,3,5,4 grid=$:2,4,3,2 alpha_data=0.5 beta_data=2 alpha_grid=-1 beta_grid=0.5", 0},
    {"sampler,beta_grid", "x=$:2,3,5,4 grid=$:2,4,3,2 beta_grid=1", 0},
    END,
};

const struct verify_shape verify_ctc_shapes[] = {
    {"ctc", "x=$:11,3,6 labels=s32:9 gradients=$:11,3,6", 0},
    {"ctc,costs", "x=$:9,4,5 labels=s32:7", 0},
    {"ctc,none", "x=$:10,3,5 labels=s32:8 gradients=$:10,3,5 normalization=none", 0},
    {"ctc,none,costs", "x=$:8,2,4 labels=s32:5 normalization=none", 0},
    {"ctc,one step", "x=$:1,3,4 labels=s32:3 gradients=$:1,3,4", 0},
    {"ctc,one letter", "x=$:5,2,1 labels=s32:1 gradients=$:5,2,1", 0},
    {"ctc,impossible", "x=$:4,3,5 labels=s32:13 gradients=$:4,3,5", 0},
    {"ctc,impossible,nan", "x=$:4,3,5 labels=s32:13 gradients=$:4,3,5 nan=propagate", 0},
    {"ctc,many letters", "x=$:7,2,300 labels=s32:6 gradients=$:7,2,300", 0},
    {"ctc,many sequences", "x=$:6,70,4 labels=s32:130 gradients=$:6,70,4", 0},
    {"ctc,long", "x=$:90,2,7 labels=s32:60 gradients=$:90,2,7", 0},
    {"ctc,hundreds of labels", "x=$:700,1,5 labels=s32:300 gradients=$:700,1,5", 0},
    END,
};
