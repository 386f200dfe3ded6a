/* SPDX-License-Identifier: Apache-2.0 */
/* Finds functions of the driver, and loads kernels with them. */
#include "ptx.h"

#include "work.h"

#include <cuda_runtime_api.h>

void *ptx_entry(const char *name)
{
    void *function = NULL;
    enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;

    must(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found) ==
             cudaSuccess &&
         found == cudaDriverEntryPointSuccess);
    return function;
}

CUfunction ptx_kernel(const char *source, const char *name)
{
    CUresult (*load)(CUmodule *, const void *) = ptx_entry("cuModuleLoadData");
    CUresult (*find)(CUfunction *, CUmodule, const char *) = ptx_entry("cuModuleGetFunction");
    CUmodule module;
    CUfunction function;

    must(cudaFree(NULL) == cudaSuccess);
    must(load(&module, source) == CUDA_SUCCESS);
    must(find(&function, module, name) == CUDA_SUCCESS);
    return function;
}
