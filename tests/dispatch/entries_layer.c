/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of pooling, softmax, activation and dropout as data. */
#include "tests/dispatch/entries.h"

static anydnnStatus_t pooling_forward(void *const *a)
{
    return anydnnPoolingForward(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
}

static anydnnStatus_t pooling_backward(void *const *a)
{
    return anydnnPoolingBackward(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10],
                                 a[11]);
}

static anydnnStatus_t softmax_forward(void *const *a)
{
    return anydnnSoftmaxForward(a[0], ANYDNN_SOFTMAX_LOG, ANYDNN_SOFTMAX_MODE_INSTANCE, a[1], a[2],
                                a[3], a[4], a[5], a[6]);
}

static anydnnStatus_t softmax_backward(void *const *a)
{
    return anydnnSoftmaxBackward(a[0], ANYDNN_SOFTMAX_FAST, ANYDNN_SOFTMAX_MODE_CHANNEL, a[1], a[2],
                                 a[3], a[4], a[5], a[6], a[7], a[8]);
}

static anydnnStatus_t activation_forward(void *const *a)
{
    return anydnnActivationForward(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
}

static anydnnStatus_t activation_backward(void *const *a)
{
    return anydnnActivationBackward(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
                                    a[10], a[11]);
}

static anydnnStatus_t dropout_forward(void *const *a)
{
    return anydnnDropoutForward(a[0], a[1], a[2], a[3], a[4], a[5], a[6], ENTRY_RESERVE_BYTES);
}

static anydnnStatus_t dropout_backward(void *const *a)
{
    return anydnnDropoutBackward(a[0], a[1], a[2], a[3], a[4], a[5], a[6], ENTRY_RESERVE_BYTES);
}

#define COMMON      " math=default algorithm=-1 deterministic=1 device=0 "
#define POOLING_LOG " params=pooling mode=2 nan=1 window=3,2 pad=1,0 stride=2,1"

const struct entry_case entries_layer[] = {
    {"anydnnPoolingForward",
     pooling_forward,
     {{"handle", "h"},
      {"poolingDesc", "P"},
      {"alpha", "f0"},
      {"xDesc", "t@:2,3,7,5"},
      {"x", "d0"},
      {"beta", "f1"},
      {"yDesc", "t@:2,3,4,4"},
      {"y", "d1"}},
     "operation=pooling_forward" COMMON
     "present=0x3 t0=@:2,3,7,5:105,35,5,1 t1=@:2,3,4,4:48,16,4,1" POOLING_LOG,
     0,
     0},
    {"anydnnPoolingBackward",
     pooling_backward,
     {{"handle", "h"},
      {"poolingDesc", "P"},
      {"alpha", "f0"},
      {"yDesc", "t@:2,3,4,4:48,16,4,1"},
      {"-y", "d0"},
      {"dyDesc", "t@:2,3,4,4:49,16,4,1"},
      {"dy", "d1"},
      {"xDesc", "t@:2,3,7,5:105,35,5,1"},
      {"-x", "d2"},
      {"beta", "f1"},
      {"dxDesc", "t@:2,3,7,5:106,35,5,1"},
      {"dx", "d3"}},
     "operation=pooling_backward" COMMON
     "present=0xf t0=@:2,3,4,4:48,16,4,1 t1=@:2,3,4,4:49,16,4,1 "
     "t2=@:2,3,7,5:105,35,5,1 t3=@:2,3,7,5:106,35,5,1" POOLING_LOG,
     0,
     0},
    {"anydnnSoftmaxForward",
     softmax_forward,
     {{"handle", "h"},
      {"alpha", "f0"},
      {"xDesc", "t@:2,3,4:20,5,1"},
      {"x", "d0"},
      {"beta", "f1"},
      {"yDesc", "t@:2,3,4:21,6,1"},
      {"y", "d1"}},
     "operation=softmax_forward" COMMON
     "present=0x3 t0=@:2,3,4:20,5,1 t1=@:2,3,4:21,6,1 params=softmax softmax=2 mode=0",
     0,
     0},
    {"anydnnSoftmaxBackward",
     softmax_backward,
     {{"handle", "h"},
      {"alpha", "f0"},
      {"yDesc", "t@:2,3:20,1"},
      {"y", "d0"},
      {"dyDesc", "t@:2,3:21,1"},
      {"dy", "d1"},
      {"beta", "f1"},
      {"dxDesc", "t@:2,3:22,1"},
      {"dx", "d2"}},
     "operation=softmax_backward" COMMON
     "present=0x7 t0=@:2,3:20,1 t1=@:2,3:21,1 t2=@:2,3:22,1 params=softmax softmax=0 mode=1",
     0,
     0},
    {"anydnnActivationForward",
     activation_forward,
     {{"handle", "h"},
      {"activationDesc", "A"},
      {"alpha", "f0"},
      {"xDesc", "t@:2,3,4:20,5,1"},
      {"x", "d0"},
      {"beta", "f1"},
      {"yDesc", "t@:2,3,4:21,6,1"},
      {"y", "d1"}},
     "operation=activation_forward" COMMON
     "present=0x3 t0=@:2,3,4:20,5,1 t1=@:2,3,4:21,6,1 params=activation mode=4 nan=1 coef=0.75",
     0,
     0},
    {"anydnnActivationBackward",
     activation_backward,
     {{"handle", "h"},
      {"activationDesc", "A"},
      {"alpha", "f0"},
      {"yDesc", "t@:2,3,4:20,5,1"},
      {"y", "d0"},
      {"dyDesc", "t@:2,3,4:21,5,1"},
      {"dy", "d1"},
      {"xDesc", "t@:2,3,4:22,5,1"},
      {"-x", "d2"},
      {"beta", "f1"},
      {"dxDesc", "t@:2,3,4:23,5,1"},
      {"dx", "d3"}},
     "operation=activation_backward" COMMON
     "present=0xf t0=@:2,3,4:20,5,1 t1=@:2,3,4:21,5,1 t2=@:2,3,4:22,5,1 t3=@:2,3,4:23,5,1 "
     "params=activation mode=4 nan=1 coef=0.75",
     0,
     0},
    {"anydnnDropoutForward",
     dropout_forward,
     {{"handle", "h"},
      {"dropoutDesc", "D"},
      {"xDesc", "t@:2,3,4:20,5,1"},
      {"x", "d0"},
      {"yDesc", "t@:2,3,4:21,5,1"},
      {"y", "d2"},
      {"reserveSpace", "d3"},
      {"-states", "d1"}}, /* passed with dropoutDesc */
     "operation=dropout_forward" COMMON
     "present=0xf t0=@:2,3,4:20,5,1 t1=u8:32:1 t2=@:2,3,4:21,5,1 t3=u8:900:1 "
     "params=dropout probability=0.25",
     0,
     0},
    {"anydnnDropoutBackward",
     dropout_backward,
     {{"handle", "h"},
      {"dropoutDesc", "D"},
      {"dyDesc", "t@:2,3,4:20,5,1"},
      {"dy", "d0"},
      {"dxDesc", "t@:2,3,4:21,5,1"},
      {"dx", "d2"},
      {"reserveSpace", "d1"}},
     "operation=dropout_backward" COMMON
     "present=0x7 t0=@:2,3,4:20,5,1 t1=u8:900:1 t2=@:2,3,4:21,5,1 params=dropout probability=0.25",
     0,
     0},
    {NULL, NULL, {{NULL, NULL}}, NULL, 0, 0},
};
