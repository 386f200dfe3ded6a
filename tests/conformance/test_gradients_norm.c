/* SPDX-License-Identifier: Apache-2.0 */
/* Compares gradients of the normalizations and of dropout with difference quotients. */
#include "tests/conformance/gradients.h"

#define N2    "f64:2,6,3,4:nchw "
#define G2    "f64:2,6,3,4:160,25,7,2 "
#define N3    "f64:1,5,2,3,4:nchw "
#define G3    "f64:1,5,2,3,4:250,50,20,6,1 "
#define SMALL "f64:1,6,1,1:nchw "
#define WHOLE "f64:1,6,3,4:nchw "

#define LRN(N, DIMS, GAPS)                                                                         \
    {                                                                                              \
        "lrn n=" #N " " #DIMS, "lrn_forward x=" GAPS "y=" DIMS "n=" #N " lrn_alpha=2 k=1.5",       \
            REALS,                                                                                 \
        {                                                                                          \
            "x",                                                                                   \
                "lrn_backward y=" DIMS "dy=" DIMS "x=" GAPS "dx=" DIMS "n=" #N                     \
                " lrn_alpha=2 k=1.5",                                                              \
                "dx"                                                                               \
        }                                                                                          \
    }

#define DIVISIVE(N, DIMS, GAPS, BY, GRADIENT)                                                      \
    {                                                                                              \
        "divisive n=" #N " by " BY " " #DIMS,                                                      \
            "divisive_normalization_forward x=" GAPS "means=" GAPS "y=" DIMS "n=" #N               \
            " lrn_alpha=3 k=1",                                                                    \
            REALS,                                                                                 \
        {                                                                                          \
            BY,                                                                                    \
                "divisive_normalization_backward x=" GAPS "means=" GAPS "dy=" DIMS "dx=" DIMS      \
                "dmeans=" DIMS "n=" #N " lrn_alpha=3 k=1",                                         \
                GRADIENT                                                                           \
        }                                                                                          \
    }

/* A case of batch normalization. `PAIR` selects if forward saves mean and deviation for
 * backward, as operands of both. */
#define NORM(MODE, CELL, PAIR, BY, GRADIENT)                                                       \
    {                                                                                              \
        "batch normalization " #MODE " by " BY " (" PAIR ")",                                      \
            "batch_normalization_training x=" G2 "scale=" CELL "bias=" CELL "y=" N2 PAIR           \
            "epsilon=0.5 mode=" #MODE,                                                             \
            REALS,                                                                                 \
        {                                                                                          \
            BY,                                                                                    \
                "batch_normalization_backward x=" G2 "dy=" N2 "scale=" CELL PAIR "dx=" N2          \
                "dscale=" CELL "dbias=" CELL "epsilon=0.5 mode=" #MODE,                            \
                GRADIENT                                                                           \
        }                                                                                          \
    }

#define SAVED(CELL) "save_mean=" CELL "save_inv_var=" CELL

#define NORM_ACT(ACTIVATION, BY, GRADIENT)                                                         \
    {                                                                                              \
        "batch normalization " ACTIVATION " by " BY,                                               \
            "batch_normalization_training x=" G2 "scale=" SMALL "bias=" SMALL "y=" N2              \
            "reserve=u8:18:nchw epsilon=0.5 ops=bn_activation activation=" ACTIVATION,             \
            REALS,                                                                                 \
        {                                                                                          \
            BY,                                                                                    \
                "batch_normalization_backward x=" G2 "dy=" N2 "y=" N2 "scale=" SMALL "bias=" SMALL \
                "reserve=u8:18:nchw dx=" N2 "dscale=" SMALL "dbias=" SMALL                         \
                "epsilon=0.5 ops=bn_activation activation=" ACTIVATION,                            \
                GRADIENT                                                                           \
        }                                                                                          \
    }

#define NORM_ADD(ACTIVATION, BY, GRADIENT)                                                         \
    {                                                                                              \
        "batch normalization and z " ACTIVATION " by " BY,                                         \
            "batch_normalization_training x=" G2 "scale=" SMALL "bias=" SMALL "z=" G2 "y=" N2      \
            "reserve=u8:18:nchw epsilon=0.5 ops=bn_add_activation activation=" ACTIVATION,         \
            REALS,                                                                                 \
        {                                                                                          \
            BY,                                                                                    \
                "batch_normalization_backward x=" G2 "dy=" N2 "y=" N2 "scale=" SMALL "bias=" SMALL \
                "reserve=u8:18:nchw dx=" N2 "dz=" G2 "dscale=" SMALL "dbias=" SMALL                \
                "epsilon=0.5 ops=bn_add_activation activation=" ACTIVATION,                        \
                GRADIENT                                                                           \
        }                                                                                          \
    }

#define DROPOUT(P)                                                                                 \
    {                                                                                              \
        "dropout " #P,                                                                             \
            "dropout_forward x=" G2 "states=u8:32:nchw y=" N2 "reserve=u8:18:nchw p=" #P, REALS,   \
        {                                                                                          \
            "x", "dropout_backward dy=" N2 "reserve=u8:18:nchw dx=" G2 "p=" #P, "dx"               \
        }                                                                                          \
    }

static const struct gradient_case cases[] = {
    LRN(5, N2, G2),
    LRN(4, N2, G2),
    LRN(1, N2, G2),
    LRN(3, N3, G3),
    DIVISIVE(3, N2, G2, "x", "dx"),
    DIVISIVE(3, N2, G2, "means", "dmeans"),
    DIVISIVE(2, N2, G2, "x", "dx"),
    DIVISIVE(2, N2, G2, "means", "dmeans"),
    DIVISIVE(2, N3, G3, "x", "dx"),
    DIVISIVE(5, N3, G3, "means", "dmeans"),
    NORM(spatial, SMALL, "", "x", "dx"),
    NORM(spatial, SMALL, SAVED(SMALL), "x", "dx"),
    NORM(spatial, SMALL, SAVED(SMALL), "scale", "dscale"),
    NORM(spatial, SMALL, "", "bias", "dbias"),
    NORM(per_activation, WHOLE, "", "x", "dx"),
    NORM(per_activation, WHOLE, SAVED(WHOLE), "x", "dx"),
    NORM(per_activation, WHOLE, "", "scale", "dscale"),
    NORM(per_activation, WHOLE, SAVED(WHOLE), "bias", "dbias"),
    NORM_ACT("relu", "x", "dx"),
    NORM_ACT("relu", "scale", "dscale"),
    NORM_ACT("clipped_relu coef=0.4", "x", "dx"),
    NORM_ACT("tanh", "x", "dx"),
    NORM_ACT("sigmoid", "bias", "dbias"),
    NORM_ACT("elu coef=0.75", "x", "dx"),
    NORM_ACT("swish coef=1.5", "x", "dx"),
    NORM_ADD("relu", "x", "dx"),
    NORM_ADD("relu", "z", "dz"),
    NORM_ADD("tanh", "z", "dz"),
    NORM_ADD("tanh", "scale", "dscale"),
    DROPOUT(0.5),
    DROPOUT(0.25),
};

#define CASES (int)(sizeof(cases) / sizeof(cases[0]))

int main(void)
{
    return gradients_run(cases, CASES);
}
