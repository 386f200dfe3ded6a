/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of the spatial transformer and of the CTC loss as data. */
#include "tests/dispatch/entries.h"

static anydnnStatus_t grid_forward(void *const *a)
{
    return anydnnSpatialTfGridGeneratorForward(a[0], a[1], a[2], a[3]);
}

static anydnnStatus_t grid_backward(void *const *a)
{
    return anydnnSpatialTfGridGeneratorBackward(a[0], a[1], a[2], a[3]);
}

static anydnnStatus_t sampler_forward(void *const *a)
{
    return anydnnSpatialTfSamplerForward(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]);
}

static anydnnStatus_t sampler_backward(void *const *a)
{
    return anydnnSpatialTfSamplerBackward(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8],
                                          a[9], a[10], a[11], a[12], a[13]);
}

static anydnnStatus_t ctc_loss(void *const *a)
{
    return anydnnCTCLoss(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8],
                         ANYDNN_CTC_LOSS_ALGO_NON_DETERMINISTIC, a[9], a[10],
                         ENTRY_WORKSPACE_BYTES);
}

#define COMMON " math=default algorithm=-1 deterministic=1 device=0 "

const struct entry_case entries_sequence[] = {
    {"anydnnSpatialTfGridGeneratorForward",
     grid_forward,
     {{"handle", "h"}, {"stDesc", "S"}, {"theta", "d0"}, {"grid", "d1"}},
     "operation=spatial_grid_forward" COMMON
     "present=0x3 t0=@:2,2,3:6,3,1 t1=@:2,4,6,2:48,12,2,1 params=spatial sampler=0",
     0,
     0},
    {"anydnnSpatialTfGridGeneratorBackward",
     grid_backward,
     {{"handle", "h"}, {"stDesc", "S"}, {"dgrid", "d0"}, {"dtheta", "d1"}},
     "operation=spatial_grid_backward" COMMON
     "present=0x3 t0=@:2,4,6,2:48,12,2,1 t1=@:2,2,3:6,3,1 params=spatial sampler=0",
     0,
     0},
    {"anydnnSpatialTfSamplerForward",
     sampler_forward,
     {{"handle", "h"},
      {"stDesc", "S"},
      {"alpha", "f0"},
      {"xDesc", "t@:2,3,5,7:120,40,8,1"},
      {"x", "d0"},
      {"grid", "d1"},
      {"beta", "f1"},
      {"yDesc", "t@:2,3,4,6:80,25,6,1"},
      {"y", "d2"}},
     "operation=spatial_sampler_forward" COMMON
     "present=0x7 t0=@:2,3,5,7:120,40,8,1 t1=@:2,4,6,2:48,12,2,1 t2=@:2,3,4,6:80,25,6,1 "
     "params=spatial sampler=0",
     0,
     0},
    {"anydnnSpatialTfSamplerBackward",
     sampler_backward,
     {{"handle", "h"},
      {"stDesc", "S"},
      {"alpha", "f0"},
      {"xDesc", "t@:2,3,5,7:120,40,8,1"},
      {"x", "d0"},
      {"beta", "f1"},
      {"dxDesc", "t@:2,3,5,7:130,41,8,1"},
      {"dx", "d3"},
      {"alphaDgrid", "f2"},
      {"dyDesc", "t@:2,3,4,6:80,25,6,1"},
      {"dy", "d2"},
      {"grid", "d1"},
      {"betaDgrid", "f3"},
      {"dgrid", "d4"}},
     "operation=spatial_sampler_backward" COMMON
     "present=0x1f t0=@:2,3,5,7:120,40,8,1 t1=@:2,4,6,2:48,12,2,1 t2=@:2,3,4,6:80,25,6,1 "
     "t3=@:2,3,5,7:130,41,8,1 t4=@:2,4,6,2:48,12,2,1 params=spatial sampler=0",
     0,
     0},
    {"anydnnCTCLoss",
     ctc_loss,
     {{"handle", "h"},
      {"probsDesc", "t@:5,2,4:9,4,1"},
      {"probs", "d0"},
      {"labels", "i1"},
      {"labelLengths", "i2"},
      {"inputLengths", "i3"},
      {"costs", "d4"},
      {"gradientsDesc", "t@:5,2,4:10,5,1"},
      {"?gradients", "d5"},
      {"ctcLossDesc", "C"},
      {"?workspace", "ws"}},
     "operation=ctc_loss" COMMON "present=0x3f t0=@:5,2,4:9,4,1 t1=s32:4:1 t2=s32:2:1 t3=s32:2:1 "
     "t4=@:2:1 t5=@:5,2,4:10,5,1 params=ctc normalization=1 nan=1",
     0,
     0},
    {NULL, NULL, {{NULL, NULL}}, NULL, 0, 0},
};
