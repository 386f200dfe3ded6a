/* SPDX-License-Identifier: Apache-2.0 */
/* Shared parts of the porting header's functions. anydnn/cudnn_compat.h declares cudnnCreate as a
 * plain function whose symbol is anydnnCudnn7Create, and so on. A program may therefore redeclare
 * the function, take its address, or define an inline function in its place. The symbols are not
 * called cudnn..., because a process may also contain cuDNN itself.
 *
 * Enumerations have the same numbers, and structs the same members, as in anydnn.h. The functions
 * translate statuses, and leave out results in a math type that cuDNN 7 lacks. */
#ifndef CUDNN7_PORTED_H
#define CUDNN7_PORTED_H

#include "cudnn7/answers.h"

#define CUDNN7_NAME(name)         anydnnCudnn7##name
#define CUDNN7_RESULTS(direction) anydnnConvolution##direction##AlgoPerf_t *

/* Returns at most `requested` of the `count` answers if the search succeeded. `results` has the
 * type of the direction. */
anydnnStatus_t cudnn7_found(anydnnStatus_t status, const union cudnn7_answers *answers, int count,
                            int requested, int *returned, void *results);

#endif
