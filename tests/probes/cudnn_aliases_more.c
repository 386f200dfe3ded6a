/* SPDX-License-Identifier: Apache-2.0 */
/* The trials of cudnn_aliases for batch normalization, AddTensor and OpTensor. */
#include "cudnn_aliases.h"

#include <stdio.h>

enum { N = 4, C = 32, H = 28, W = 26 };

static const double epsilon = 1e-3, factor = 0.25;
static const float one = 1, zero = 0;

static const char *label_of(cudnnDataType_t type, cudnnTensorFormat_t format)
{
    if (type == CUDNN_DATA_HALF)
        return format == CUDNN_TENSOR_NHWC ? "f16 nhwc" : "f16 nchw";
    return format == CUDNN_TENSOR_NHWC ? "f32 nhwc" : "f32 nchw";
}

static struct operand positive(struct operand operand)
{
    operand.positive = 1;
    return operand;
}

static struct operand bytes(const char *role, size_t size, int output)
{
    return (struct operand){.role = role, .bytes = size, .output = output};
}

/* ---- batch normalization: inference and training */

static cudnnStatus_t infer(const struct call *call, const struct given *g)
{
    return cudnnBatchNormalizationForwardInference(
        handle, (cudnnBatchNormMode_t)call->mode, &g->alpha, &g->beta, g->desc[0], g->at[0],
        g->desc[5], g->at[5], g->desc[1], g->at[1], g->at[2], g->at[3], g->at[4], epsilon);
}

static cudnnStatus_t train(const struct call *call, const struct given *g)
{
    return cudnnBatchNormalizationForwardTraining(
        handle, (cudnnBatchNormMode_t)call->mode, &g->alpha, &g->beta, g->desc[0], g->at[0],
        g->desc[5], g->at[5], g->desc[1], g->at[1], g->at[2], factor, g->at[3], g->at[4], epsilon,
        g->at[6], g->at[7]);
}

static void forward(cudnnBatchNormMode_t mode, const char *name, const char *label,
                    cudnnTensorDescriptor_t x, int absent)
{
    cudnnTensorDescriptor_t p;
    struct call call = {.mode = mode};

    cudnnCreateTensorDescriptor(&p);
    cudnnDeriveBNTensorDescriptor(p, x, mode);
    if (mode != CUDNN_BATCHNORM_SPATIAL_PERSISTENT) {
        struct operand operands[] = {in("x", x),    in("scale", p),         in("bias", p),
                                     in("mean", p), positive(in("var", p)), out("y", x)};

        for (call.count = 0; call.count < COUNT(operands); call.count++)
            call.operand[call.count] = operands[call.count];
        call.run = infer;
        snprintf(call.name, sizeof(call.name), "batch_normalization_inference %s %s", name, label);
        ask(&call, "y=x");
        if (absent)
            ask(&call, "-scale;-bias;-mean;-var");
    }
    {
        struct operand operands[] = {in("x", x),
                                     in("scale", p),
                                     in("bias", p),
                                     out("running_mean", p),
                                     positive(out("running_var", p)),
                                     out("y", x),
                                     out("save_mean", p),
                                     out("save_inv_var", p)};

        for (call.count = 0; call.count < COUNT(operands); call.count++)
            call.operand[call.count] = operands[call.count];
        call.run = train;
        snprintf(call.name, sizeof(call.name), "batch_normalization_training %s %s", name, label);
        ask(&call, "y=x");
        if (absent)
            ask(&call,
                "-scale;-bias;-running_mean,running_var;-running_mean;-running_var;"
                "-save_mean,save_inv_var;-save_mean;-save_inv_var;y=x -save_mean,save_inv_var");
    }
}

/* ---- batch normalization: backward */

static cudnnStatus_t save(const struct call *call, const struct given *g)
{
    return cudnnBatchNormalizationForwardTraining(
        handle, (cudnnBatchNormMode_t)call->mode, &one, &zero, g->desc[0], g->at[0], g->desc[0],
        g->at[5], g->desc[2], g->at[2], g->at[2], 1, NULL, NULL, epsilon, g->at[3], g->at[4]);
}

static cudnnStatus_t differentiate(const struct call *call, const struct given *g)
{
    return cudnnBatchNormalizationBackward(
        handle, (cudnnBatchNormMode_t)call->mode, &g->alpha, &g->beta, &g->alpha, &g->beta,
        g->desc[0], g->at[0], g->desc[1], g->at[1], g->desc[5], g->at[5], g->desc[2], g->at[2],
        g->at[6], g->at[7], epsilon, g->at[3], g->at[4]);
}

static void backward(cudnnBatchNormMode_t mode, const char *name, const char *label,
                     cudnnTensorDescriptor_t x, int absent)
{
    cudnnTensorDescriptor_t p;
    struct call call = {.mode = mode, .before = save, .run = differentiate};

    cudnnCreateTensorDescriptor(&p);
    cudnnDeriveBNTensorDescriptor(p, x, mode);
    {
        struct operand operands[] = {in("x", x),         in("dy", x),           in("scale", p),
                                     in("save_mean", p), in("save_inv_var", p), out("dx", x),
                                     out("dscale", p),   out("dbias", p)};

        for (call.count = 0; call.count < COUNT(operands); call.count++)
            call.operand[call.count] = operands[call.count];
    }
    snprintf(call.name, sizeof(call.name), "batch_normalization_backward %s %s", name, label);
    ask(&call, "dx=dy;dx=x;dx=dy,x");
    if (absent)
        ask(&call, "-scale;-save_mean,save_inv_var;-save_mean;-save_inv_var;-dx;-dscale;-dbias;"
                   "dx=dy -save_mean,save_inv_var;dx=x -save_mean,save_inv_var");
}

/* ---- the Ex forms: x z scale bias running.. | y save.. reserve, and x y dy scale bias save.. */

static cudnnActivationDescriptor_t relu(void)
{
    static cudnnActivationDescriptor_t desc;

    if (!desc) {
        cudnnCreateActivationDescriptor(&desc);
        cudnnSetActivationDescriptor(desc, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0);
    }
    return desc;
}

static cudnnStatus_t train_ex(const struct call *call, const struct given *g)
{
    return cudnnBatchNormalizationForwardTrainingEx(
        handle, (cudnnBatchNormMode_t)call->mode, (cudnnBatchNormOps_t)call->mode2, &one, &zero,
        g->desc[0], g->at[0], g->desc[1], call->mode2 == 2 ? g->at[1] : NULL, g->desc[6], g->at[6],
        g->desc[2], g->at[2], g->at[3], factor, g->at[4], g->at[5], epsilon, g->at[7], g->at[8],
        relu(), workspace, MAX_WORKSPACE, g->at[9], call->operand[9].bytes);
}

static cudnnStatus_t save_ex(const struct call *call, const struct given *g)
{
    /* dx and dz have the descriptor of x. Here the slot of dx holds z, and y is the result. */
    return cudnnBatchNormalizationForwardTrainingEx(
        handle, (cudnnBatchNormMode_t)call->mode, (cudnnBatchNormOps_t)call->mode2, &one, &zero,
        g->desc[0], g->at[0], g->desc[0], call->mode2 == 2 ? g->at[8] : NULL, g->desc[1], g->at[1],
        g->desc[3], g->at[3], g->at[4], 1, NULL, NULL, epsilon, g->at[5], g->at[6], relu(),
        workspace, MAX_WORKSPACE, g->at[7], call->operand[7].bytes);
}

static cudnnStatus_t differentiate_ex(const struct call *call, const struct given *g)
{
    return cudnnBatchNormalizationBackwardEx(
        handle, (cudnnBatchNormMode_t)call->mode, (cudnnBatchNormOps_t)call->mode2, &one, &zero,
        &one, &zero, g->desc[0], g->at[0], g->desc[1], g->at[1], g->desc[2], g->at[2], g->desc[9],
        call->mode2 == 2 ? g->at[9] : NULL, g->desc[8], g->at[8], g->desc[3], g->at[3], g->at[4],
        g->at[10], g->at[11], epsilon, g->at[5], g->at[6], relu(), workspace, MAX_WORKSPACE,
        g->at[7], call->operand[7].bytes);
}

static void extended(cudnnBatchNormMode_t mode, const char *name, const char *label,
                     cudnnTensorDescriptor_t x, int absent)
{
    static const char *const ops[] = {"plain", "activation", "add_activation"};

    for (int op = 0; op < 3; op++) {
        cudnnTensorDescriptor_t p;
        struct call call = {.mode = mode, .mode2 = op, .run = train_ex, .count = 10};
        struct call back = {
            .mode = mode, .mode2 = op, .before = save_ex, .run = differentiate_ex, .count = 12};
        size_t reserve = 0;

        cudnnCreateTensorDescriptor(&p);
        cudnnDeriveBNTensorDescriptor(p, x, mode);
        cudnnGetBatchNormalizationTrainingExReserveSpaceSize(handle, mode, (cudnnBatchNormOps_t)op,
                                                             relu(), x, &reserve);
        {
            struct operand forward[] = {in("x", x),
                                        in("z", x),
                                        in("scale", p),
                                        in("bias", p),
                                        out("running_mean", p),
                                        positive(out("running_var", p)),
                                        out("y", x),
                                        out("save_mean", p),
                                        out("save_inv_var", p),
                                        bytes("reserve", reserve, 0)};
            struct operand backwards[] = {in("x", x),
                                          in("y", x),
                                          in("dy", x),
                                          in("scale", p),
                                          in("bias", p),
                                          in("save_mean", p),
                                          in("save_inv_var", p),
                                          bytes("reserve", reserve, 0),
                                          out("dx", x),
                                          out("dz", x),
                                          out("dscale", p),
                                          out("dbias", p)};

            for (int i = 0; i < COUNT(forward); i++)
                call.operand[i] = forward[i];
            for (int i = 0; i < COUNT(backwards); i++)
                back.operand[i] = backwards[i];
        }
        snprintf(call.name, sizeof(call.name), "batch_normalization_training ex %s %s %s", ops[op],
                 name, label);
        snprintf(back.name, sizeof(back.name), "batch_normalization_backward ex %s %s %s", ops[op],
                 name, label);
        ask(&call, op == 2 ? "y=x;y=z;y=x,z" : "y=x");
        ask(&back, op == 2 ? "dx=dy;dx=x;dx=y;dz=dy;dz=y;dz=x" : "dx=dy;dx=x;dx=y;dx=dy,y");
        if (!absent)
            continue;
        ask(&call, "-save_mean,save_inv_var;-running_mean,running_var;-reserve");
        ask(&back, "-y;!y;-bias;-save_mean,save_inv_var;-reserve;dx=x -y;dx=dy -y");
    }
}

void ask_normalizations(cudnnDataType_t type, cudnnTensorFormat_t format, int absent)
{
    static const char *const modes[] = {"per_activation", "spatial", "spatial_persistent"};
    cudnnTensorDescriptor_t x = tensor(type, format, N, C, H, W);
    const char *label = label_of(type, format);

    for (int mode = 0; mode < COUNT(modes); mode++) {
        forward((cudnnBatchNormMode_t)mode, modes[mode], label, x, absent);
        backward((cudnnBatchNormMode_t)mode, modes[mode], label, x, absent);
    }
    for (int mode = 1; mode < COUNT(modes); mode++)
        extended((cudnnBatchNormMode_t)mode, modes[mode], label, x, absent);
}

/* ---- tensor operations */

static cudnnStatus_t add(const struct call *call, const struct given *g)
{
    (void)call;
    return cudnnAddTensor(handle, &g->alpha, g->desc[0], g->at[0], &g->beta, g->desc[1], g->at[1]);
}

static cudnnStatus_t op(const struct call *call, const struct given *g)
{
    return cudnnOpTensor(handle, call->desc, &g->alpha, g->desc[0], g->at[0], &one, g->desc[1],
                         g->at[1], &g->beta, g->desc[2], g->at[2]);
}

static void op_tensor(const char *label, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t row,
                      int absent)
{
    static const char *const ops[] = {"add", "mul", "min", "max", "sqrt", "not"};

    for (int i = 0; i < COUNT(ops); i++)
        for (int broadcast = 0; broadcast < (i < 4 ? 2 : 1); broadcast++) {
            struct call call = {
                .operand = {in("a", x), in("b", broadcast ? row : x), out("c", x)},
                .count = 3,
                .run = op,
            };
            cudnnOpTensorDescriptor_t desc;

            if (i == 4)
                call.operand[0].positive = 1;
            cudnnCreateOpTensorDescriptor(&desc);
            cudnnSetOpTensorDescriptor(desc, (cudnnOpTensorOp_t)i, CUDNN_DATA_FLOAT,
                                       CUDNN_NOT_PROPAGATE_NAN);
            call.desc = desc;
            snprintf(call.name, sizeof(call.name), "op_tensor %s %s%s", ops[i], label,
                     broadcast ? " b one for each channel" : "");
            ask(&call, broadcast ? "c=a" : "c=a;c=b;b=a;c=a,b");
            if (absent && !broadcast && i >= 4)
                ask(&call, "-b;!b;c=a -b;c=a !b");
        }
}

void ask_tensors(cudnnDataType_t type, cudnnTensorFormat_t format, int absent)
{
    cudnnTensorDescriptor_t x = tensor(type, format, N, C, H, W);
    cudnnTensorDescriptor_t row = tensor(type, format, 1, C, 1, 1);
    const char *label = label_of(type, format);

    struct call call = {.operand = {in("x", x), out("y", x)}, .count = 2, .run = add};

    snprintf(call.name, sizeof(call.name), "add_tensor %s", label);
    ask(&call, "y=x");
    op_tensor(label, x, row, absent);
}
