/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of LRN, divisive and batch normalization as data. */
#include "tests/dispatch/entries.h"

static anydnnStatus_t lrn_forward(void *const *a)
{
    return anydnnLRNCrossChannelForward(a[0], a[1], ANYDNN_LRN_CROSS_CHANNEL_DIM1, a[2], a[3], a[4],
                                        a[5], a[6], a[7]);
}

static anydnnStatus_t lrn_backward(void *const *a)
{
    return anydnnLRNCrossChannelBackward(a[0], a[1], ANYDNN_LRN_CROSS_CHANNEL_DIM1, a[2], a[3],
                                         a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]);
}

static anydnnStatus_t divisive_forward(void *const *a)
{
    return anydnnDivisiveNormalizationForward(a[0], a[1], ANYDNN_DIVNORM_PRECOMPUTED_MEANS, a[2],
                                              a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10]);
}

static anydnnStatus_t divisive_backward(void *const *a)
{
    return anydnnDivisiveNormalizationBackward(a[0], a[1], ANYDNN_DIVNORM_PRECOMPUTED_MEANS, a[2],
                                               a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10],
                                               a[11], a[12]);
}

static anydnnStatus_t training(void *const *a)
{
    return anydnnBatchNormalizationForwardTraining(a[0], ANYDNN_BATCHNORM_SPATIAL, a[1], a[2], a[3],
                                                   a[4], a[5], a[6], a[7], a[8], a[9], ENTRY_FACTOR,
                                                   a[10], a[11], ENTRY_EPSILON, a[12], a[13]);
}

static anydnnStatus_t training_ex(void *const *a)
{
    return anydnnBatchNormalizationForwardTrainingEx(
        a[0], ANYDNN_BATCHNORM_SPATIAL_PERSISTENT, ANYDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION, a[1],
        a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], ENTRY_FACTOR, a[12], a[13],
        ENTRY_EPSILON, a[14], a[15], a[16], a[17], ENTRY_WORKSPACE_BYTES, a[18],
        ENTRY_RESERVE_BYTES);
}

static anydnnStatus_t inference(void *const *a)
{
    return anydnnBatchNormalizationForwardInference(a[0], ANYDNN_BATCHNORM_PER_ACTIVATION, a[1],
                                                    a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
                                                    a[10], a[11], ENTRY_EPSILON);
}

static anydnnStatus_t backward(void *const *a)
{
    return anydnnBatchNormalizationBackward(a[0], ANYDNN_BATCHNORM_SPATIAL, a[1], a[2], a[3], a[4],
                                            a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12],
                                            a[13], a[14], ENTRY_EPSILON, a[15], a[16]);
}

static anydnnStatus_t backward_ex(void *const *a)
{
    return anydnnBatchNormalizationBackwardEx(
        a[0], ANYDNN_BATCHNORM_SPATIAL, ANYDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION, a[1], a[2], a[3],
        a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14], a[15], a[16], a[17],
        a[18], a[19], ENTRY_EPSILON, a[20], a[21], a[22], a[23], ENTRY_WORKSPACE_BYTES, a[24],
        ENTRY_RESERVE_BYTES);
}

#define COMMON  " math=default algorithm=-1 deterministic=1 device=0 "
#define LRN_LOG " params=lrn n=3 alpha=0.25 beta=0.5 k=1.5"
#define T0      "@:2,3,4,5:60,20,5,1"
#define T1      "@:2,3,4,5:61,20,5,1"
#define T2      "@:2,3,4,5:62,20,5,1"
#define T3      "@:2,3,4,5:63,20,5,1"
#define T4      "@:2,3,4,5:64,20,5,1"
#define P       "@:1,3,1,1:3,1,1,1"

const struct entry_case entries_normalization[] = {
    {"anydnnLRNCrossChannelForward",
     lrn_forward,
     {{"handle", "h"},
      {"normDesc", "L"},
      {"alpha", "f0"},
      {"xDesc", "t" T0},
      {"x", "d0"},
      {"beta", "f1"},
      {"yDesc", "t" T1},
      {"y", "d1"}},
     "operation=lrn_forward" COMMON "present=0x3 t0=" T0 " t1=" T1 LRN_LOG,
     0,
     0},
    {"anydnnLRNCrossChannelBackward",
     lrn_backward,
     {{"handle", "h"},
      {"normDesc", "L"},
      {"alpha", "f0"},
      {"yDesc", "t" T0},
      {"-y", "d0"},
      {"dyDesc", "t" T1},
      {"dy", "d1"},
      {"xDesc", "t" T2},
      {"x", "d2"},
      {"beta", "f1"},
      {"dxDesc", "t" T3},
      {"dx", "d3"}},
     "operation=lrn_backward" COMMON "present=0xf t0=" T0 " t1=" T1 " t2=" T2 " t3=" T3 LRN_LOG,
     0,
     0},
    {"anydnnDivisiveNormalizationForward",
     divisive_forward,
     {{"handle", "h"},
      {"normDesc", "L"},
      {"alpha", "f0"},
      {"xDesc", "t" T0},
      {"x", "d0"},
      {"?means", "d1"},
      {"temp", "d2"},
      {"temp2", "d3"},
      {"beta", "f1"},
      {"yDesc", "t" T1},
      {"y", "d4"}},
     "operation=divisive_normalization_forward" COMMON "present=0x1f t0=" T0 " t1=" T0 " t2=" T0
     " t3=" T0 " t4=" T1 LRN_LOG,
     0,
     0},
    {"anydnnDivisiveNormalizationBackward",
     divisive_backward,
     {{"handle", "h"},
      {"normDesc", "L"},
      {"alpha", "f0"},
      {"xDesc", "t" T0},
      {"x", "d0"},
      {"?means", "d1"},
      {"dy", "d2"},
      {"temp", "d3"},
      {"temp2", "d4"},
      {"beta", "f1"},
      {"dXdMeansDesc", "t" T1},
      {"dx", "d5"},
      {"?dMeans", "d6"}},
     "operation=divisive_normalization_backward" COMMON "present=0x7f t0=" T0 " t1=" T0 " t2=" T0
     " t3=" T0 " t4=" T0 " t5=" T1 " t6=" T1 LRN_LOG,
     0,
     0},
    {"anydnnBatchNormalizationForwardTraining",
     training,
     {{"handle", "h"},
      {"alpha", "f0"},
      {"beta", "f1"},
      {"xDesc", "t" T0},
      {"x", "d0"},
      {"yDesc", "t" T1},
      {"y", "d6"},
      {"bnScaleBiasMeanVarDesc", "t" P},
      {"bnScale", "d1"},
      {"bnBias", "d2"},
      {"&resultRunningMean", "d4"},
      {"&resultRunningVariance", "d5"},
      {"&resultSaveMean", "d7"},
      {"&resultSaveInvVariance", "d8"}},
     "operation=batch_normalization_training" COMMON "present=0x1f7 t0=" T0 " t1=" P " t2=" P
     " t4=" P " t5=" P " t6=" T1 " t7=" P " t8=" P
     " params=batch_normalization mode=1 ops=0 activation=1 nan=0 coef=0 epsilon=0.0625",
     ENTRY_FACTOR,
     0},
    {"anydnnBatchNormalizationForwardTrainingEx",
     training_ex,
     {{"handle", "h"},
      {"alpha", "f0"},
      {"beta", "f1"},
      {"xDesc", "t" T0},
      {"xData", "d0"},
      {"zDesc", "t" T1},
      {"zData", "d3"},
      {"yDesc", "t" T2},
      {"yData", "d6"},
      {"bnScaleBiasMeanVarDesc", "t" P},
      {"bnScale", "d1"},
      {"bnBias", "d2"},
      {"&resultRunningMean", "d4"},
      {"&resultRunningVariance", "d5"},
      {"&resultSaveMean", "d7"},
      {"&resultSaveInvVariance", "d8"},
      {"activationDesc", "A"},
      {"?workspace", "ws"},
      {"&reserveSpace", "d9"}},
     "operation=batch_normalization_training" COMMON "present=0x3ff t0=" T0 " t1=" P " t2=" P
     " t3=" T1 " t4=" P " t5=" P " t6=" T2 " t7=" P " t8=" P
     " t9=u8:900:1 params=batch_normalization mode=2 ops=2 activation=4 nan=1 coef=0.75 "
     "epsilon=0.0625",
     ENTRY_FACTOR,
     0},
    {"anydnnBatchNormalizationForwardInference",
     inference,
     {{"handle", "h"},
      {"alpha", "f0"},
      {"beta", "f1"},
      {"xDesc", "t" T0},
      {"x", "d0"},
      {"yDesc", "t" T1},
      {"y", "d5"},
      {"bnScaleBiasMeanVarDesc", "t@:1,3,4,5"},
      {"bnScale", "d1"},
      {"bnBias", "d2"},
      {"estimatedMean", "d3"},
      {"estimatedVariance", "d4"}},
     "operation=batch_normalization_inference" COMMON "present=0x3f t0=" T0
     " t1=@:1,3,4,5:60,20,5,1 t2=@:1,3,4,5:60,20,5,1 t3=@:1,3,4,5:60,20,5,1 "
     "t4=@:1,3,4,5:60,20,5,1 t5=" T1
     " params=batch_normalization mode=0 ops=0 activation=1 nan=0 coef=0 epsilon=0.0625",
     0,
     0},
    {"anydnnBatchNormalizationBackward",
     backward,
     {{"handle", "h"},
      {"alphaDataDiff", "f0"},
      {"betaDataDiff", "f1"},
      {"alphaParamDiff", "f2"},
      {"betaParamDiff", "f3"},
      {"xDesc", "t" T0},
      {"x", "d0"},
      {"dyDesc", "t" T1},
      {"dy", "d1"},
      {"dxDesc", "t" T2},
      {"dx", "d8"},
      {"dBnScaleBiasDesc", "t" P},
      {"bnScale", "d3"},
      {"dBnScaleResult", "d10"},
      {"dBnBiasResult", "d11"},
      {"&savedMean", "d5"},
      {"&savedInvVariance", "d6"}},
     "operation=batch_normalization_backward" COMMON "present=0xd6b t0=" T0 " t1=" T1 " t3=" P
     " t5=" P " t6=" P " t8=" T2 " t10=" P " t11=" P
     " params=batch_normalization mode=1 ops=0 activation=1 nan=0 coef=0 epsilon=0.0625",
     0,
     0},
    {"anydnnBatchNormalizationBackwardEx",
     backward_ex,
     {{"handle", "h"},         {"alphaDataDiff", "f0"},
      {"betaDataDiff", "f1"},  {"alphaParamDiff", "f2"},
      {"betaParamDiff", "f3"}, {"xDesc", "t" T0},
      {"xData", "d0"},         {"yDesc", "t" T1},
      {"yData", "d2"},         {"dyDesc", "t" T2},
      {"dyData", "d1"},        {"dzDesc", "t" T3},
      {"dzData", "d9"},        {"dxDesc", "t" T4},
      {"dxData", "d8"},        {"dBnScaleBiasDesc", "t" P},
      {"bnScaleData", "d3"},   {"bnBiasData", "d4"},
      {"dBnScaleData", "d10"}, {"dBnBiasData", "d11"},
      {"&savedMean", "d5"},    {"&savedInvVariance", "d6"},
      {"activationDesc", "A"}, {"?workSpace", "ws"},
      {"&reserveSpace", "d7"}},
     "operation=batch_normalization_backward" COMMON "present=0xfff t0=" T0 " t1=" T2 " t2=" T1
     " t3=" P " t4=" P " t5=" P " t6=" P " t7=u8:900:1 t8=" T4 " t9=" T3 " t10=" P " t11=" P
     " params=batch_normalization mode=1 ops=2 activation=4 nan=1 coef=0.75 epsilon=0.0625",
     0,
     0},
    {NULL, NULL, {{NULL, NULL}}, NULL, 0, 0},
};
