/* SPDX-License-Identifier: Apache-2.0 */
/* For source that includes <cudnn.h>: this folder stands first in its include path. */
#ifndef ANYDNN_CUDNN7_CUDNN_H
#define ANYDNN_CUDNN7_CUDNN_H

#include <anydnn/cudnn_compat.h>

#endif
