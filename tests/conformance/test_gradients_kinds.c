/* SPDX-License-Identifier: Apache-2.0 */
/* Compares gradients of layer, group, instance and RMS normalization with difference quotients. */
#include "tests/conformance/gradients.h"

#define DATA   "f64:2,6,3,4:nchw "
#define GAPS   "f64:2,6,3,4:160,25,7,2 "
#define PART   "f64:1,6,1,1:nchw "
#define ROWS   "f64:1,1,3,4:nchw "
#define SAMPLE "f64:2,6,1,1:nchw "

/* KIND holds the parameters; PAIR are the saved statistics, operands of both directions. */
#define KINDS(KIND, SCALE, PAIR, BY, GRADIENT)                                                     \
    {                                                                                              \
        "normalization " KIND " by " BY " (" PAIR ")",                                             \
            "normalization_forward x=" GAPS "scale=" SCALE "bias=" SCALE "y=" DATA PAIR            \
            "epsilon=0.5 " KIND,                                                                   \
            REALS,                                                                                 \
        {                                                                                          \
            BY,                                                                                    \
                "normalization_backward x=" GAPS "dy=" DATA "scale=" SCALE "bias=" SCALE PAIR      \
                "dx=" DATA "dscale=" SCALE "dbias=" SCALE "epsilon=0.5 " KIND,                     \
                GRADIENT                                                                           \
        }                                                                                          \
    }

#define ALL(KIND, SCALE, PAIR)                                                                     \
    KINDS(KIND, SCALE, PAIR, "x", "dx"), KINDS(KIND, SCALE, PAIR, "scale", "dscale"),              \
        KINDS(KIND, SCALE, PAIR, "bias", "dbias")

#define LAYER_SAVED "save_mean=f64:2,6,1,1:nchw save_inv_dev=f64:2,6,1,1:nchw "
#define GROUP_SAVED "save_mean=f64:2,3,1,1:nchw save_inv_dev=f64:2,3,1,1:nchw "

static const struct gradient_case cases[] = {
    ALL("kind=layer axes=2,3", ROWS, ""),
    ALL("kind=layer axes=2,3", ROWS, LAYER_SAVED),
    ALL("kind=layer axes=1", PART, ""),
    ALL("kind=layer axes=1,3", SAMPLE, ""),
    ALL("kind=layer axes=0,1,2,3", DATA, ""),
    ALL("kind=layer axes=2,3 scaling=zero_centered", ROWS, ""),
    ALL("kind=layer axes=2,3 activation=gelu", ROWS, ""),
    ALL("kind=layer axes=1 activation=gelu_tanh", PART, ""),
    ALL("kind=rms axes=2,3", ROWS, ""),
    ALL("kind=rms axes=2,3", ROWS, "save_inv_dev=f64:2,6,1,1:nchw "),
    ALL("kind=rms axes=1 scaling=zero_centered", PART, ""),
    ALL("kind=group groups=3", PART, ""),
    ALL("kind=group groups=3", PART, GROUP_SAVED),
    ALL("kind=group groups=2 channel_axis=3", ROWS, ""),
    ALL("kind=group groups=2 activation=swish coef=1", PART, ""),
    ALL("kind=group groups=3 activation=tanh", SAMPLE, ""),
    ALL("kind=instance activation=sigmoid", PART, ""),
    ALL("kind=instance activation=elu coef=1", PART, ""),
};

#define CASES (int)(sizeof(cases) / sizeof(cases[0]))

int main(void)
{
    return gradients_run(cases, CASES);
}
