/* SPDX-License-Identifier: Apache-2.0 */
/* The shared parts of the functions with cuDNN 7's semantics, in libanydnn (for the porting header)
 * and in libcudnn.so.7. That version lacks some statuses and one math type. */
#ifndef CUDNN7_ANSWERS_H
#define CUDNN7_ANSWERS_H

#include <anydnn/anydnn.h>

/* The version that source and programs for cuDNN 7 expect. */
enum { CUDNN7_MAJOR = 7, CUDNN7_MINOR = 6, CUDNN7_PATCHLEVEL = 5 };
enum { CUDNN7_VERSION = CUDNN7_MAJOR * 1000 + CUDNN7_MINOR * 100 + CUDNN7_PATCHLEVEL };
/* The newest CUDA for which that version was built. */
enum { CUDNN7_CUDART_VERSION = 10020 };

/* No direction has more than 8 algorithms, and there are 4 math types. */
#define CUDNN7_ANSWERS 32

/* The results of anydnn. The three types differ only in the type of `algo`. */
union cudnn7_answers {
    anydnnConvolutionFwdAlgoPerf_t Fwd[CUDNN7_ANSWERS];
    anydnnConvolutionBwdDataAlgoPerf_t BwdData[CUDNN7_ANSWERS];
    anydnnConvolutionBwdFilterAlgoPerf_t BwdFilter[CUDNN7_ANSWERS];
};

/* Returns the nearest status of cuDNN 7. Programs switch over statuses, or index arrays with them.
 */
static inline anydnnStatus_t cudnn7_status(anydnnStatus_t status)
{
    switch ((int)status) {
    case ANYDNN_STATUS_CONFIG_ERROR:
    case ANYDNN_STATUS_SHUTTING_DOWN:
        return ANYDNN_STATUS_NOT_INITIALIZED;
    case ANYDNN_STATUS_SPACE_POISONED:
        return ANYDNN_STATUS_EXECUTION_FAILED;
    default:
        return (int)status >= 0 && (int)status < 100 ? status : ANYDNN_STATUS_INTERNAL_ERROR;
    }
}

/* Returns how many results to request: all, since cuDNN 7 lacks some of them. A number that anydnn
 * refuses stays unchanged. */
static inline int cudnn7_wanted(int requested)
{
    return requested < 1 ? requested : CUDNN7_ANSWERS;
}

/* Returns 1 if cuDNN 7 has a number for the math type. It has none for split math, which computes
 * float as sums of shorter terms. */
static inline int cudnn7_has_number(anydnnMathType_t math)
{
    return (int)math >= ANYDNN_DEFAULT_MATH && (int)math <= ANYDNN_TENSOR_OP_MATH_ALLOW_CONVERSION;
}

#endif
