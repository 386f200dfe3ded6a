/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of cuDNN 7.6.5: which of them run, what they compute, and where the library is
 * installed. */
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

/* The sample problems: small float images. A backend that runs these runs most problems that
 * programs use. */
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

/* Returns where the folder of this version is if it is installed. The installed tree may have been
 * moved as a whole. */
static char *folder_of(int version)
{
    void *symbol = dlsym(RTLD_DEFAULT, "anydnnGetVersion");
    char *path = NULL;
    char *folder;
    Dl_info info;
    size_t size;

    if (symbol != NULL && dladdr(symbol, &info) != 0 && info.dli_fname != NULL)
        path = realpath(info.dli_fname, NULL);
    size = (path != NULL ? strlen(path) : strlen(ANYDNN_LIBDIR)) + sizeof("/anydnn/cudnn7");
    folder = tool_alloc(size);
    if (path != NULL)
        snprintf(folder, size, "%.*s/anydnn/cudnn%d", (int)(strrchr(path, '/') - path), path,
                 version);
    else
        snprintf(folder, size, "%s/anydnn/cudnn%d", ANYDNN_LIBDIR, version);
    free(path);
    return folder;
}

static char *file_in(const char *folder, int version)
{
    size_t size = strlen(folder) + sizeof("/libcudnn.so.7");
    char *file = tool_alloc(size);

    snprintf(file, size, "%s/libcudnn.so.%d", folder, version);
    return file;
}

char *shim_folder(int version)
{
    char *folder = folder_of(version);
    char *file = file_in(folder, version);

    if (access(file, R_OK) != 0) {
        free(folder);
        folder = NULL;
    }
    free(file);
    return folder;
}

int shim_missing(struct tool *tool, int version)
{
    char *folder = folder_of(version);
    char *file = file_in(folder, version);
    int code = tool_fail(tool, TOOL_FAILED,
                         "%s: %s; configure --enable-cudnn%d installs it, or Debian's package "
                         "anydnn-cudnn%d",
                         file, strerror(ENOENT), version, version);

    free(folder);
    free(file);
    return code;
}
