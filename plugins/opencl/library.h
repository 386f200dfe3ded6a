/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the functions of the OpenCL loader, which is opened at run time. */
#ifndef OPENCL_LIBRARY_H
#define OPENCL_LIBRARY_H

#include "../kit/host.h"

#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>

/* The functions that this backend uses, by the standard's names. */
#define OPENCL_FUNCTIONS(FUNCTION)                                                                 \
    FUNCTION(clGetPlatformIDs)                                                                     \
    FUNCTION(clGetPlatformInfo)                                                                    \
    FUNCTION(clGetDeviceIDs)                                                                       \
    FUNCTION(clGetDeviceInfo)                                                                      \
    FUNCTION(clCreateContext)                                                                      \
    FUNCTION(clGetContextInfo)                                                                     \
    FUNCTION(clRetainContext)                                                                      \
    FUNCTION(clReleaseContext)                                                                     \
    FUNCTION(clCreateCommandQueueWithProperties)                                                   \
    FUNCTION(clGetCommandQueueInfo)                                                                \
    FUNCTION(clRetainCommandQueue)                                                                 \
    FUNCTION(clReleaseCommandQueue)                                                                \
    FUNCTION(clFlush)                                                                              \
    FUNCTION(clFinish)                                                                             \
    FUNCTION(clSVMAlloc)                                                                           \
    FUNCTION(clSVMFree)                                                                            \
    FUNCTION(clEnqueueSVMMemcpy)                                                                   \
    FUNCTION(clEnqueueSVMMemFill)                                                                  \
    FUNCTION(clCreateBuffer)                                                                       \
    FUNCTION(clReleaseMemObject)                                                                   \
    FUNCTION(clEnqueueMarkerWithWaitList)                                                          \
    FUNCTION(clEnqueueBarrierWithWaitList)                                                         \
    FUNCTION(clWaitForEvents)                                                                      \
    FUNCTION(clGetEventProfilingInfo)                                                              \
    FUNCTION(clReleaseEvent)                                                                       \
    FUNCTION(clCreateProgramWithSource)                                                            \
    FUNCTION(clBuildProgram)                                                                       \
    FUNCTION(clGetProgramBuildInfo)                                                                \
    FUNCTION(clReleaseProgram)                                                                     \
    FUNCTION(clCreateKernel)                                                                       \
    FUNCTION(clReleaseKernel)                                                                      \
    FUNCTION(clSetKernelArg)                                                                       \
    FUNCTION(clSetKernelArgSVMPointer)                                                             \
    FUNCTION(clEnqueueNDRangeKernel)

struct opencl_functions {
#define FUNCTION(name) __typeof__(name) *name;
    OPENCL_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

/* The loader's functions, which opencl_load fills in. */
extern struct opencl_functions opencl;

/* Opens the loader. Returns 1, or 0 with the reason in `why`. The caller holds a lock. */
int opencl_load(char *why, size_t size);

#endif
