/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the porting header that differ from those of libcudnn.so.7. */
#include "cudnn7/ported.h"

#include <string.h>

#define SUCCESS ANYDNN_STATUS_SUCCESS

/* The three directions differ only in the type of `algo`. */
anydnnStatus_t cudnn7_found(anydnnStatus_t status, const union cudnn7_answers *answers, int count,
                            int requested, int *returned, void *results)
{
    int given = 0;

    if (status != SUCCESS)
        return cudnn7_status(status);
    for (int i = 0; i < count && given < requested; i++) {
        anydnnConvolutionFwdAlgoPerf_t answer = answers->Fwd[i];

        if (!cudnn7_has_number(answer.mathType))
            continue;
        answer.status = cudnn7_status(answer.status);
        memcpy((char *)results + (size_t)given++ * sizeof(answer), &answer, sizeof(answer));
    }
    *returned = given;
    return SUCCESS;
}

/* A program compares it with its own version. The reference is resolved if the process has CUDA's
 * runtime as a shared library. */
extern int cudaRuntimeGetVersion(int *version) __attribute__((weak));

ANYDNN_API size_t anydnnCudnn7GetCudartVersion(void);
ANYDNN_API size_t anydnnCudnn7GetCudartVersion(void)
{
    int version = 0;

    if (!cudaRuntimeGetVersion || cudaRuntimeGetVersion(&version) != 0 || version <= 0)
        return CUDNN7_CUDART_VERSION;
    return (size_t)version;
}

ANYDNN_API const char *anydnnCudnn7GetErrorString(anydnnStatus_t status);
ANYDNN_API const char *anydnnCudnn7GetErrorString(anydnnStatus_t status)
{
    return anydnnGetErrorString(status);
}

ANYDNN_API anydnnStatus_t anydnnCudnn7Create(anydnnHandle_t *handle);
ANYDNN_API anydnnStatus_t anydnnCudnn7Create(anydnnHandle_t *handle)
{
    return cudnn7_status(anydnnCreate(handle));
}

/* The callback's description of the call is NULL, as in anydnn.h. */
ANYDNN_API anydnnStatus_t anydnnCudnn7SetCallback(unsigned mask, void *udata,
                                                  anydnnCallback_t fptr);
ANYDNN_API anydnnStatus_t anydnnCudnn7SetCallback(unsigned mask, void *udata, anydnnCallback_t fptr)
{
    return cudnn7_status(anydnnSetCallback(mask, udata, fptr));
}

ANYDNN_API anydnnStatus_t anydnnCudnn7GetCallback(unsigned *mask, void **udata,
                                                  anydnnCallback_t *fptr);
ANYDNN_API anydnnStatus_t anydnnCudnn7GetCallback(unsigned *mask, void **udata,
                                                  anydnnCallback_t *fptr)
{
    return cudnn7_status(anydnnGetCallback(mask, udata, fptr));
}
