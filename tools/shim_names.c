/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of cuDNN 7.6.5: which of them run, what they compute, and where the library lies.
 */
#include "shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct shim_name names[] = {
#include "cudnn7/names.def"
};

#define X    "f32:2,8,16,16"
#define XS   " x=" X
#define YS   " y=" X
#define W    "f32:8,8,3,3 pad=1,1"
#define GRID "f32:2,16,16,2"

/* Small images in float: who runs these runs most that programs ask for. */
static const struct {
    const char *name;
    const char *problem;
} problems[] = {
    {"cudnnActivationBackward", "activation_backward" YS XS},
    {"cudnnActivationForward", "activation_forward" XS},
    {"cudnnAddTensor", "add_tensor x=f32:1,8,1,1" YS},
    {"cudnnBatchNormalizationBackward", "batch_normalization_backward" XS},
    {"cudnnBatchNormalizationBackwardEx", "batch_normalization_backward" XS},
    {"cudnnBatchNormalizationForwardInference", "batch_normalization_inference" XS},
    {"cudnnBatchNormalizationForwardTraining", "batch_normalization_training" XS},
    {"cudnnBatchNormalizationForwardTrainingEx", "batch_normalization_training" XS},
    {"cudnnConvolutionBackwardBias", "convolution_backward_bias dy=" X},
    {"cudnnConvolutionBackwardData", "convolution_backward_data dy=" X " dx=" X " w=" W},
    {"cudnnConvolutionBackwardFilter", "convolution_backward_filter" XS " dy=" X " dw=" W},
    {"cudnnConvolutionBiasActivationForward", "convolution_bias_activation_forward" XS " w=" W},
    {"cudnnConvolutionForward", "convolution_forward" XS " w=" W},
    {"cudnnCTCLoss", "ctc_loss x=f32:7,3,5 labels=s32:6 label_lengths=s32:3 input_lengths=s32:3 "
                     "costs=f32:3 gradients=f32:7,3,5"},
    {"cudnnDivisiveNormalizationBackward", "divisive_normalization_backward" XS},
    {"cudnnDivisiveNormalizationForward", "divisive_normalization_forward" XS},
    {"cudnnDropoutBackward", "dropout_backward dy=" X},
    {"cudnnDropoutForward", "dropout_forward" XS},
    {"cudnnIm2Col", "im2col" XS " window=3,3"},
    {"cudnnLRNCrossChannelBackward", "lrn_backward" YS XS},
    {"cudnnLRNCrossChannelForward", "lrn_forward" XS},
    {"cudnnOpTensor", "op_tensor a=" X " b=f32:1,8,1,1"},
    {"cudnnPoolingBackward", "pooling_backward" XS " y=f32:2,8,8,8 window=2,2 stride=2,2"},
    {"cudnnPoolingForward", "pooling_forward" XS " window=2,2 stride=2,2"},
    {"cudnnReduceTensor", "reduce_tensor a=" X " c=f32:1,8,1,1"},
    {"cudnnScaleTensor", "scale_tensor" YS},
    {"cudnnSetTensor", "set_tensor" YS},
    {"cudnnSoftmaxBackward", "softmax_backward y=f32:2,8,1,1"},
    {"cudnnSoftmaxForward", "softmax_forward x=f32:2,8,1,1"},
    {"cudnnSpatialTfGridGeneratorBackward", "spatial_grid_backward dgrid=" GRID},
    {"cudnnSpatialTfGridGeneratorForward", "spatial_grid_forward theta=f32:2,2,3 grid=" GRID},
    {"cudnnSpatialTfSamplerBackward", "spatial_sampler_backward" XS " grid=" GRID},
    {"cudnnSpatialTfSamplerForward", "spatial_sampler_forward" XS " grid=" GRID},
    {"cudnnTransformFilter", "transform_filter" XS YS},
    {"cudnnTransformTensor", "transform_tensor" XS YS ":nhwc"},
    {"cudnnTransformTensorEx", "transform_tensor_ex" XS " y=f32:2,32,8,8 fold=2,2 direction=fold"},
};

const struct shim_name *shim_lookup(const char *name)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i].name, name) == 0)
            return &names[i];
    return NULL;
}

int shim_is_ported(const char *symbol)
{
    size_t length = strlen(SHIM_PORTED);

    if (strncmp(symbol, SHIM_PORTED, length) != 0)
        return 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i].name + strlen("cudnn"), symbol + length) == 0)
            return 1;
    return 0;
}

const char *shim_problem(const char *name)
{
    for (size_t i = 0; i < sizeof(problems) / sizeof(problems[0]); i++)
        if (strcmp(problems[i].name, name) == 0)
            return problems[i].problem;
    return NULL;
}

int shim_folder(struct tool *tool, char **folder)
{
    static const char below[] = "/anydnn/cudnn7";
    void *symbol = dlsym(RTLD_DEFAULT, "anydnnGetVersion");
    char *path = NULL;
    char *file;
    Dl_info info;
    int code = TOOL_FINE;

    /* The installed tree may have been moved as a whole. */
    if (symbol != NULL && dladdr(symbol, &info) != 0 && info.dli_fname != NULL)
        path = realpath(info.dli_fname, NULL);
    *folder = tool_alloc((path != NULL ? strlen(path) : strlen(ANYDNN_LIBDIR)) + sizeof(below));
    if (path != NULL)
        sprintf(*folder, "%.*s%s", (int)(strrchr(path, '/') - path), path, below);
    else
        sprintf(*folder, "%s%s", ANYDNN_LIBDIR, below);
    free(path);
    file = tool_alloc(strlen(*folder) + sizeof("/libcudnn.so.7"));
    sprintf(file, "%s/libcudnn.so.7", *folder);
    if (access(file, R_OK) != 0)
        code = tool_fail(tool, TOOL_FAILED,
                         "%s: %s; configure --enable-cudnn7 installs it, or Debian's package "
                         "anydnn-cudnn7",
                         file, strerror(errno));
    free(file);
    return code;
}
