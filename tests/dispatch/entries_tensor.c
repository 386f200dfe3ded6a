/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of tensor operations as data. */
#include "tests/dispatch/entries.h"

static anydnnStatus_t transform(void *const *a)
{
    return anydnnTransformTensor(a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
}

static anydnnStatus_t transform_ex(void *const *a)
{
    return anydnnTransformTensorEx(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
}

static anydnnStatus_t transform_filter(void *const *a)
{
    return anydnnTransformFilter(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
}

static anydnnStatus_t add(void *const *a)
{
    return anydnnAddTensor(a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
}

static anydnnStatus_t op(void *const *a)
{
    return anydnnOpTensor(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10]);
}

static anydnnStatus_t reduce(void *const *a)
{
    return anydnnReduceTensor(a[0], a[1], a[2], ENTRY_RESERVE_BYTES, a[3], ENTRY_WORKSPACE_BYTES,
                              a[4], a[5], a[6], a[7], a[8], a[9]);
}

static anydnnStatus_t set(void *const *a)
{
    return anydnnSetTensor(a[0], a[1], a[2], a[3]);
}

static anydnnStatus_t scale(void *const *a)
{
    return anydnnScaleTensor(a[0], a[1], a[2], a[3]);
}

#define COMMON " math=default algorithm=-1 deterministic=1 device=0 "
#define TRANSFORM_LOG                                                                              \
    " params=transform direction=0 pad_before=0,0,1,0,0,0,0,0 pad_after=0,0,0,2,0,0,0,0 "          \
    "fold=2,3,0,0,0,0"

const struct entry_case entries_tensor[] = {
    {"anydnnTransformTensor",
     transform,
     {{"handle", "h"},
      {"alpha", "f0"},
      {"xDesc", "t@:2,3,4,5"},
      {"x", "d0"},
      {"beta", "f1"},
      {"yDesc", "t@:2,3,4,5:60,1,15,3"},
      {"y", "d1"}},
     "operation=transform_tensor" COMMON
     "present=0x3 t0=@:2,3,4,5:60,20,5,1 t1=@:2,3,4,5:60,1,15,3 params=none",
     0,
     0},
    {"anydnnTransformTensorEx",
     transform_ex,
     {{"handle", "h"},
      {"transDesc", "X"},
      {"alpha", "one"},
      {"srcDesc", "t@:2,3,5,4"},
      {"srcData", "d0"},
      {"beta", "zero"},
      {"destDesc", "t@:2,18,3,2"},
      {"destData", "d1"}},
     "operation=transform_tensor_ex" COMMON
     "present=0x3 t0=@:2,3,5,4:60,20,4,1 t1=@:2,18,3,2:108,6,2,1" TRANSFORM_LOG,
     0,
     0},
    {"anydnnTransformFilter",
     transform_filter,
     {{"handle", "h"},
      {"transDesc", "X"},
      {"alpha", "one"},
      {"srcDesc", "w@:2,3,5,4"},
      {"srcData", "d0"},
      {"beta", "zero"},
      {"destDesc", "w@:2,18,3,2"},
      {"destData", "d1"}},
     "operation=transform_filter" COMMON
     "present=0x3 t0=@:2,3,5,4:60,20,4,1 t1=@:2,18,3,2:108,6,2,1" TRANSFORM_LOG,
     0,
     0},
    {"anydnnAddTensor",
     add,
     {{"handle", "h"},
      {"alpha", "f0"},
      {"aDesc", "t@:1,3,1,5"},
      {"A", "d0"},
      {"beta", "f1"},
      {"cDesc", "t@:2,3,4,5"},
      {"C", "d1"}},
     "operation=add_tensor" COMMON
     "present=0x3 t0=@:1,3,1,5:15,5,5,1 t1=@:2,3,4,5:60,20,5,1 params=none",
     0,
     0},
    {"anydnnOpTensor",
     op,
     {{"handle", "h"},
      {"opTensorDesc", "O"},
      {"alpha1", "f0"},
      {"aDesc", "t@:2,3,4,5:60,20,5,1"},
      {"A", "d0"},
      {"alpha2", "f1"},
      {"bDesc", "t@:1,3,4,1"},
      {"B", "d1"},
      {"beta", "f2"},
      {"cDesc", "t@:2,3,4,5:61,20,5,1"},
      {"C", "d2"}},
     "operation=op_tensor" COMMON "present=0x7 t0=@:2,3,4,5:60,20,5,1 t1=@:1,3,4,1:12,4,1,1 "
     "t2=@:2,3,4,5:61,20,5,1 params=op_tensor op=3 compute=@ nan=1",
     0,
     0},
    {"anydnnReduceTensor",
     reduce,
     {{"handle", "h"},
      {"reduceTensorDesc", "E"},
      {"indices", "d2"},
      {"?workspace", "ws"},
      {"alpha", "f0"},
      {"aDesc", "t@:2,3,4,5"},
      {"A", "d0"},
      {"beta", "f1"},
      {"cDesc", "t@:2,1,4,1:9,4,2,1"},
      {"C", "d1"}},
     "operation=reduce_tensor" COMMON "present=0x7 t0=@:2,3,4,5:60,20,5,1 t1=@:2,1,4,1:9,4,2,1 "
     "t2=u16:2,1,4,1:4,4,1,1 params=reduce op=4 compute=@ nan=1",
     0,
     0},
    {"anydnnSetTensor",
     set,
     {{"handle", "h"}, {"yDesc", "t@:2,3,4"}, {"y", "d0"}, {"valuePtr", "value"}},
     "operation=set_tensor" COMMON "present=0x1 t0=@:2,3,4:12,4,1 params=none",
     0,
     0},
    {"anydnnSetTensor",
     set,
     {{"handle", "h"}, {"yDesc", "tf16:2,3,4"}, {"y", "d0"}, {"valuePtr", "value"}},
     "operation=set_tensor" COMMON "present=0x1 t0=f16:2,3,4:12,4,1 params=none",
     0,
     1},
    {"anydnnScaleTensor",
     scale,
     {{"handle", "h"}, {"yDesc", "t@:2,3,4"}, {"y", "d0"}, {"alpha", "f0"}},
     "operation=scale_tensor" COMMON "present=0x1 t0=@:2,3,4:12,4,1 params=none",
     0,
     0},
    {NULL, NULL, {{NULL, NULL}}, NULL, 0, 0},
};
