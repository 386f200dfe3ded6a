/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions for the files that are compiled twice: into libcudnn.so.7 and, with CUDNN7_PORTED,
 * into libanydnn. */
#ifndef CUDNN7_FUNCTIONS_H
#define CUDNN7_FUNCTIONS_H

#ifdef CUDNN7_PORTED
#include "cudnn7/ported.h"
#else
#include "cudnn7/shim.h"
#endif

/* Defines a function that anydnn lacks. The caller removes its arguments. */
#define CUDNN7_MISSING(name)                                                                       \
    ANYDNN_API anydnnStatus_t CUDNN7_NAME(name)(void);                                             \
    ANYDNN_API anydnnStatus_t CUDNN7_NAME(name)(void)                                              \
    {                                                                                              \
        return cudnn7_status(anydnnNotImplemented("cudnn" #name));                                 \
    }

#endif
