/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of both libraries that do more than call the entry of their name. */
#include "cudnn7/functions.h"

ANYDNN_API size_t CUDNN7_NAME(GetVersion)(void);
ANYDNN_API size_t CUDNN7_NAME(GetVersion)(void)
{
    return CUDNN7_VERSION;
}

ANYDNN_API anydnnStatus_t CUDNN7_NAME(GetProperty)(anydnnLibraryPropertyType_t type, int *value);
ANYDNN_API anydnnStatus_t CUDNN7_NAME(GetProperty)(anydnnLibraryPropertyType_t type, int *value)
{
    static const int properties[] = {CUDNN7_MAJOR, CUDNN7_MINOR, CUDNN7_PATCHLEVEL};
    int ignored;
    /* anydnn's entry checks the arguments. */
    anydnnStatus_t status = anydnnGetProperty(type, value ? &ignored : NULL);

    if (status == ANYDNN_STATUS_SUCCESS)
        *value = properties[type];
    return cudnn7_status(status);
}

ANYDNN_API anydnnStatus_t CUDNN7_NAME(QueryRuntimeError)(anydnnHandle_t handle,
                                                         anydnnStatus_t *rstatus,
                                                         anydnnErrQueryMode_t mode, void *tag);
ANYDNN_API anydnnStatus_t CUDNN7_NAME(QueryRuntimeError)(anydnnHandle_t handle,
                                                         anydnnStatus_t *rstatus,
                                                         anydnnErrQueryMode_t mode, void *tag)
{
    anydnnStatus_t status = anydnnQueryRuntimeError(handle, rstatus, mode, tag);

    if (status == ANYDNN_STATUS_SUCCESS)
        *rstatus = cudnn7_status(*rstatus);
    return cudnn7_status(status);
}
