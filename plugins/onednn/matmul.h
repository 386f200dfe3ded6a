/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the files of matrix products share. */
#ifndef ONEDNN_MATMUL_H
#define ONEDNN_MATMUL_H

#include "build.h"

#define ONEDNN_MATMUL(name) slot_matmul_##name

/* Returns an operand with the dims of d. Its strides are 0 where it does not vary. */
struct onednn_view onednn_matmul_spread(const struct onednn_build *build, int32_t slot);

/* Adds the step v = alpha * r + beta * c + bias, aux = v, d = activation(v) in double; each result
 * is rounded once. r has the dims of d. */
void onednn_matmul_finish(struct onednn_build *build, struct onednn_place place,
                          const struct onednn_view *r);

#endif
