/* SPDX-License-Identifier: Apache-2.0 */
/* Declares ResNet-20, for its program and for tests. */
#ifndef RESNET_RESNET_H
#define RESNET_RESNET_H

#include "examples/layers/example.h"

extern const struct example resnet;

#endif
