/* SPDX-License-Identifier: Apache-2.0 */
/* Declares LeNet, for its program and for tests. */
#ifndef LENET_LENET_H
#define LENET_LENET_H

#include "examples/layers/example.h"

extern const struct example lenet;

#endif
