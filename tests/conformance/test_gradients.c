/* SPDX-License-Identifier: Apache-2.0 */
/* Compares gradients with difference quotients: pooling, softmax, activations, fused
 * convolutions and samples of images. */
#include "tests/conformance/gradients.h"

#define POOL_2D "pad=1,2 window=3,4 stride=2,3"
#define POOL_3D "pad=1,0,2 window=2,3,4 stride=1,2,3"
#define X_2D    "x=f64:2,3,6,7:nchw "
#define X_3D    "x=f64:1,2,4,5,6:520,240,60,11,1 "
#define Y_2D    "f64:2,3,3,3:nhwc "
#define Y_3D    "f64:1,2,5,2,3:nchw "
#define DX_2D   "dx=f64:2,3,6,7:nchw "
#define DX_3D   "dx=f64:1,2,4,5,6:520,240,60,11,1 "
#define SOFT    "f64:2,3,4,2:60,20,4,2 "
#define ACT     "f64:2,3,4,5:nchw "
#define FULL                                                                                       \
    "x=f64:2,4,5,6:nchw w=f64:6,2,3,2:nhwc z=f64:2,6,3,4:nhwc bias=f64:1,6,1,1:nchw "              \
    "y=f64:2,6,3,4:nhwc "
#define CONV "pad=1,2 stride=2,2 dilation=1,2 groups=2 mode=convolution"
#define BIASED                                                                                     \
    "convolution_bias_activation_forward " FULL CONV " alpha1=0.75 alpha2=-1.5 activation=relu"
#define BACK_X                                                                                     \
    "convolution_backward_data w=f64:6,2,3,2:nhwc dy=f64:2,6,3,4:nhwc dx=f64:2,4,5,6:nchw " CONV   \
    " alpha=0.75"
#define BACK_W                                                                                     \
    "convolution_backward_filter x=f64:2,4,5,6:nchw dy=f64:2,6,3,4:nhwc dw=f64:6,2,3,2:nhwc " CONV \
    " alpha=0.75"
#define BACK_B "convolution_backward_bias dy=f64:2,6,3,4:nhwc db=f64:1,6,1,1:nchw"
#define BACK_Z "scale_tensor y=f64:2,6,3,4:nhwc alpha=-1.5"

#define IMAGE  "x=f64:2,3,5,4:nchw "
#define POINTS "grid=f64:2,3,6,2:nchw "
#define SAMPLE "spatial_sampler_forward " IMAGE POINTS "y=f64:2,3,3,6:nchw alpha=0.75"
#define SAMPLE_BACK                                                                                \
    "spatial_sampler_backward " IMAGE POINTS "dy=f64:2,3,3,6:nchw dx=f64:2,3,5,4:nchw "            \
    "dgrid=f64:2,3,6,2:nchw alpha_data=0.75 alpha_grid=0.75"

#define POOLING(MODE, D, KIND)                                                                     \
    {                                                                                              \
        "pooling " #MODE " " #D, "pooling_forward " X_##D "y=" Y_##D POOL_##D " mode=" #MODE,      \
            KIND,                                                                                  \
        {                                                                                          \
            "x", "pooling_backward y=" Y_##D "dy=" Y_##D X_##D DX_##D POOL_##D " mode=" #MODE,     \
                "dx"                                                                               \
        }                                                                                          \
    }

#define SOFTMAX(ALGORITHM, MODE)                                                                   \
    {                                                                                              \
        "softmax " #ALGORITHM " " #MODE,                                                           \
            "softmax_forward x=" SOFT "y=" SOFT "softmax=" #ALGORITHM " mode=" #MODE, REALS,       \
        {                                                                                          \
            "x",                                                                                   \
                "softmax_backward y=" SOFT "dy=" SOFT "dx=" SOFT "softmax=" #ALGORITHM             \
                " mode=" #MODE,                                                                    \
                "dx"                                                                               \
        }                                                                                          \
    }

#define ACTIVATION(MODE, COEF)                                                                     \
    {                                                                                              \
        "activation " #MODE,                                                                       \
            "activation_forward x=" ACT "y=" ACT "activation=" #MODE " coef=" COEF, OFF_KINKS,     \
        {                                                                                          \
            "x",                                                                                   \
                "activation_backward y=" ACT "dy=" ACT "x=" ACT "dx=" ACT "activation=" #MODE      \
                " coef=" COEF,                                                                     \
                "dx"                                                                               \
        }                                                                                          \
    }

static const struct gradient_case cases[] = {
    POOLING(max, 2D, SPACED),
    POOLING(max, 3D, SPACED),
    POOLING(max_deterministic, 2D, SPACED),
    POOLING(average_include, 2D, REALS),
    POOLING(average_include, 3D, REALS),
    POOLING(average_exclude, 2D, REALS),
    POOLING(average_exclude, 3D, REALS),
    SOFTMAX(accurate, channel),
    SOFTMAX(accurate, instance),
    SOFTMAX(fast, channel),
    SOFTMAX(fast, instance),
    SOFTMAX(log, channel),
    SOFTMAX(log, instance),
    ACTIVATION(sigmoid, "0"),
    ACTIVATION(relu, "0"),
    ACTIVATION(tanh, "0"),
    ACTIVATION(clipped_relu, "1"),
    ACTIVATION(elu, "0.75"),
    ACTIVATION(swish, "1.5"),
    {"backward_bias",
     "add_tensor x=f64:1,6,1,1:nchw y=f64:2,6,3,4:nhwc alpha=1 beta=1",
     REALS,
     {"x", BACK_B, "db"}},
    {"convolution_bias_activation by x", BIASED, REALS, {"x", BACK_X, "dx"}},
    {"convolution_bias_activation by w", BIASED, REALS, {"w", BACK_W, "dw"}},
    {"convolution_bias_activation by bias", BIASED, REALS, {"bias", BACK_B, "db"}},
    {"convolution_bias_activation by z", BIASED, REALS, {"z", BACK_Z, "y"}},
    {"sampler by x", SAMPLE, REALS, {"x", SAMPLE_BACK, "dx"}},
    {"sampler by grid", SAMPLE, REALS, {"grid", SAMPLE_BACK, "dgrid"}},
};

#define CASES (int)(sizeof(cases) / sizeof(cases[0]))

int main(void)
{
    return gradients_run(cases, CASES);
}
