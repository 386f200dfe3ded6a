/* SPDX-License-Identifier: Apache-2.0 */
/* Serves sources that include <cudnn.h>. Place this folder first in the include path. */
#ifndef ANYDNN_CUDNN7_CUDNN_H
#define ANYDNN_CUDNN7_CUDNN_H

#include <anydnn/cudnn_compat.h>

/* Repeats the version of cudnn_compat.h for build systems that search this file's text and expect
 * one blank before the number. */
#define CUDNN_MAJOR 7

#define CUDNN_MINOR 6

#define CUDNN_PATCHLEVEL 5

#endif
