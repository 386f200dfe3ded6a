/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the functions of CLBlast, which is opened at run time. */
#ifndef CLBLAST_LIBRARY_H
#define CLBLAST_LIBRARY_H

#include "../kit/host.h"

#define CL_TARGET_OPENCL_VERSION 200
#include <clblast_c.h>

/* The functions that this backend uses. CLBlast needs the OpenCL loader, which has the last one. */
#define CLBLAST_FUNCTIONS(FUNCTION)                                                                \
    FUNCTION(CLBlastSgemm)                                                                         \
    FUNCTION(CLBlastDgemm)                                                                         \
    FUNCTION(CLBlastSim2col)                                                                       \
    FUNCTION(CLBlastDim2col)                                                                       \
    FUNCTION(clGetDeviceInfo)

struct clblast_functions {
#define FUNCTION(name) __typeof__(name) *name;
    CLBLAST_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

/* The functions, which clblast_load fills in. */
extern struct clblast_functions clblast;

/* Opens CLBlast once for the process. Returns 0, or NOT_SUPPORTED after a message. */
int32_t clblast_load(void);

/* CLBlast fills its tables at its first call, without a lock. clblast_enter holds a lock until one
 * call has returned; clblast_leave releases it. */
void clblast_enter(void);
void clblast_leave(void);

#endif
