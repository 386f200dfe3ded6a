/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that only libcudnn.so.7 has, and that do more than call the entry of their name: handle
 * creation, the runtime's version, status names, and undocumented functions. */
#include "cudnn7/functions.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define SUCCESS ANYDNN_STATUS_SUCCESS

/* The names in the order of anydnn.h's numbers. */
static const char *const status_names[] = {
    "CUDNN_STATUS_SUCCESS",
    "CUDNN_STATUS_NOT_INITIALIZED",
    "CUDNN_STATUS_ALLOC_FAILED",
    "CUDNN_STATUS_BAD_PARAM",
    "CUDNN_STATUS_INTERNAL_ERROR",
    "CUDNN_STATUS_INVALID_VALUE",
    "CUDNN_STATUS_ARCH_MISMATCH",
    "CUDNN_STATUS_MAPPING_ERROR",
    "CUDNN_STATUS_EXECUTION_FAILED",
    "CUDNN_STATUS_NOT_SUPPORTED",
    "CUDNN_STATUS_LICENSE_ERROR",
    "CUDNN_STATUS_RUNTIME_PREREQUISITE_MISSING",
    "CUDNN_STATUS_RUNTIME_IN_PROGRESS",
    "CUDNN_STATUS_RUNTIME_FP_OVERFLOW",
};

/* Returns the version of the process's CUDA runtime if it can be queried. Programs compare it with
 * the version that they were built for. */
ANYDNN_API size_t cudnnGetCudartVersion(void);
ANYDNN_API size_t cudnnGetCudartVersion(void)
{
    void *symbol = dlsym(RTLD_DEFAULT, "cudaRuntimeGetVersion");
    int (*ask)(int *version);
    int version = 0;

    if (!symbol)
        return CUDNN7_CUDART_VERSION;
    memcpy(&ask, &symbol, sizeof(ask));
    return ask(&version) == 0 && version > 0 ? (size_t)version : CUDNN7_CUDART_VERSION;
}

ANYDNN_API const char *cudnnGetErrorString(anydnnStatus_t status);
ANYDNN_API const char *cudnnGetErrorString(anydnnStatus_t status)
{
    size_t number = (size_t)(int)status;

    return number < sizeof(status_names) / sizeof(status_names[0]) ? status_names[number]
                                                                   : "CUDNN_UNKNOWN_STATUS";
}

/* Returns 1 if the settings leave the device to anydnn. */
static int is_auto(void)
{
    char key[16], section[16], value[16];
    int count = 0;

    if (anydnnGetSettingCount(&count) != SUCCESS)
        return 0;
    for (int i = 0; i < count; i++)
        if (anydnnGetSettingInfo(i, "section", section, sizeof(section)) == SUCCESS &&
            strcmp(section, "anydnn") == 0 &&
            anydnnGetSettingInfo(i, "key", key, sizeof(key)) == SUCCESS &&
            strcmp(key, "device") == 0 &&
            anydnnGetSettingInfo(i, "value", value, sizeof(value)) == SUCCESS)
            return strcmp(value, "auto") == 0;
    return 0;
}

/* Refuses a handle on the host unless a setting names the host. A program for cuDNN passes pointers
 * to device memory, which a host backend would read as host memory. */
static anydnnStatus_t refuse_host(anydnnHandle_t handle)
{
    char device[16];

    if (anydnnGetDevice(handle, device, sizeof(device)) != SUCCESS || strcmp(device, "cpu") != 0 ||
        !is_auto())
        return SUCCESS;
    return anydnnRefuse(
        ANYDNN_STATUS_NOT_INITIALIZED,
        "cudnnCreate: device = auto finds no device, and programs for cuDNN pass device pointers; "
        "if this program passes host pointers, set device = cpu (ANYDNN_DEVICE=cpu)");
}

ANYDNN_API anydnnStatus_t cudnnCreate(anydnnHandle_t *handle);
ANYDNN_API anydnnStatus_t cudnnCreate(anydnnHandle_t *handle)
{
    anydnnHandle_t made = NULL;
    anydnnStatus_t status = cudnn7_alone("cudnnCreate");

    if (status == SUCCESS)
        status = anydnnCreate(handle ? &made : NULL);
    if (status == SUCCESS) {
        status = refuse_host(made);
        if (status == SUCCESS)
            *handle = made;
        else
            anydnnDestroy(made);
    }
    return cudnn7_status(status);
}

/* NVIDIA's library exports these functions; no header declares them. */
CUDNN7_MISSING(GetBackdoor)
CUDNN7_MISSING(SetBackdoor)
CUDNN7_MISSING(SetBackdoorEx)
