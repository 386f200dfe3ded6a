/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of layer, group, instance and RMS normalization and of matrix products as data. */
#include "tests/dispatch/entries.h"

static anydnnStatus_t norm_forward(void *const *a)
{
    return anydnnNormalizationForward(a[0], a[1], NULL, a[2], a[3], a[4], a[5], a[6], a[7], a[8],
                                      a[9], a[10], a[11], a[12], a[13], a[14], a[15], a[16], a[17],
                                      ENTRY_WORKSPACE_BYTES);
}

static anydnnStatus_t norm_backward(void *const *a)
{
    return anydnnNormalizationBackward(a[0], a[1], NULL, a[2], a[3], a[4], a[5], a[6], a[7], a[8],
                                       NULL, a[9], a[10], a[11], a[12], a[13], a[14], a[15], a[16],
                                       a[17], a[18], ENTRY_WORKSPACE_BYTES);
}

static anydnnStatus_t matmul(void *const *a)
{
    return anydnnMatMul(a[0], a[1], NULL, a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10],
                        a[11], a[12], a[13], a[14], a[15], a[16], ENTRY_WORKSPACE_BYTES);
}

#define COMMON " algorithm=-1 deterministic=1 device=0 "
#define NORMALIZATION                                                                              \
    " params=normalization kind=0 axes=4 channel_axis=1 groups=1 flags=1 activation=5 nan=0 "      \
    "compute=@ epsilon=0.0625 coef=0"

const struct entry_case entries_product[] = {
    {"anydnnNormalizationForward",
     norm_forward,
     {{"handle", "h"},
      {"normDesc", "N"},
      {"xDesc", "t@:2,3,5:30,7,1"},
      {"x", "d0"},
      {"scaleDesc", "t@:1,1,5:9,8,1"},
      {"?scale", "d1"},
      {"biasDesc", "t@:1,1,5:7,6,1"},
      {"?bias", "d2"},
      {"zDesc", "t@:2,3,5:31,7,1"},
      {"&z", "d3"},
      {"yDesc", "t@:2,3,5:32,8,1"},
      {"y", "d4"},
      {"sumDesc", "t@:2,3,5:33,9,1"},
      {"?sum", "d5"},
      {"statDesc", "t@:2,3,1:6,2,1"},
      {"&saveMean", "d6"},
      {"&saveInvDev", "d7"},
      {"?workspace", "ws"}},
     "operation=normalization_forward math=default" COMMON
     "present=0xff t0=@:2,3,5:30,7,1 t1=@:1,1,5:9,8,1 t2=@:1,1,5:7,6,1 t3=@:2,3,5:31,7,1 "
     "t4=@:2,3,5:32,8,1 t5=@:2,3,5:33,9,1 t6=@:2,3,1:6,2,1 t7=@:2,3,1:6,2,1" NORMALIZATION,
     0,
     0},
    {"anydnnNormalizationBackward",
     norm_backward,
     {{"handle", "h"},
      {"normDesc", "N"},
      {"xDesc", "t@:2,3,5:30,7,1"},
      {"x", "d0"},
      {"dyDesc", "t@:2,3,5:31,7,1"},
      {"dy", "d1"},
      {"scaleDesc", "t@:1,1,5:9,8,1"},
      {"?scale", "d2"},
      {"biasDesc", "t@:1,1,5:7,6,1"},
      {"statDesc", "t@:2,3,1:6,2,1"},
      {"&saveMean", "d4"},
      {"&saveInvDev", "d5"},
      {"dsumDesc", "t@:2,3,5:32,8,1"},
      {"?dsum", "d6"},
      {"dxDesc", "t@:2,3,5:33,9,1"},
      {"dx", "d7"},
      {"?dscale", "d8"},
      {"?dbias", "d9"},
      {"?workspace", "ws"}},
     "operation=normalization_backward math=default" COMMON
     "present=0x3f7 t0=@:2,3,5:30,7,1 t1=@:2,3,5:31,7,1 t2=@:1,1,5:9,8,1 t4=@:2,3,1:6,2,1 "
     "t5=@:2,3,1:6,2,1 t6=@:2,3,5:32,8,1 t7=@:2,3,5:33,9,1 t8=@:1,1,5:9,8,1 "
     "t9=@:1,1,5:7,6,1" NORMALIZATION,
     0,
     0},
    {"anydnnMatMul",
     matmul,
     {{"handle", "h"},
      {"matmulDesc", "M"},
      {"alpha", "f0"},
      {"aDesc", "t@:3,4,5:20,1,4"},
      {"a", "d0"},
      {"bDesc", "t@:1,5,6:30,6,1"},
      {"b", "d1"},
      {"beta", "f1"},
      {"cDesc", "t@:3,4,6:30,7,1"},
      {"?c", "d2"},
      {"biasDesc", "t@:1,1,6:8,8,1"},
      {"?bias", "d3"},
      {"dDesc", "t@:3,4,6:31,7,1"},
      {"d", "d9"},
      {"auxDesc", "t@:3,4,6:32,8,1"},
      {"?aux", "d10"},
      {"?workspace", "ws"}},
     "operation=matmul math=tensor_op" COMMON
     "present=0x60f t0=@:3,4,5:20,1,4 t1=@:1,5,6:30,6,1 t2=@:3,4,6:30,7,1 t3=@:1,1,6:8,8,1 "
     "t9=@:3,4,6:31,7,1 t10=@:3,4,6:32,8,1 params=matmul activation=5 nan=0 compute=@ coef=0 "
     "epilogue=0",
     0,
     0},
    {NULL, NULL, {{NULL, NULL}}, NULL, 0, 0},
};
