/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations of the backend cudnn share: the table entry of an operation, its plan, its
 * calls, descriptors of tensors. */
#ifndef CDN_BACKEND_H
#define CDN_BACKEND_H

#include "../cuda_common/cuda_common.h"
#include "../kit/problem.h"
#include "library.h"

#include <stddef.h>

/* Dims of the tensors of an operation that says nothing else, and of those that are moved. */
#define CDN_USUAL_DIMS 5

/* Sets of types and layouts, for the table. */
#define CDN_TYPE(name)          ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_##name)
#define CDN_REALS               (CDN_TYPE(FLOAT) | CDN_TYPE(DOUBLE) | CDN_TYPE(HALF))
#define CDN_FLOATS              (CDN_REALS | CDN_TYPE(BFLOAT16))
#define CDN_LAYOUTS_AND_VECTORS (KIT_LAYOUTS | ANYDNN_PLUGIN_LAYOUT_VECT_C)

/* Bytes that cuDNN's kernels may take operands to be aligned to. */
#define CDN_ALIGNMENT 16

/* The engine of an operation that has one way to run. */
#define CDN_ONLY_ENGINE 1

struct cdn_list; /* of engine configurations for a convolution, in engines.h */

struct anydnn_plugin_context {
    int32_t device;
    uint64_t primary;     /* the context that the handle was made in */
    int32_t checked;      /* the places of cuDNN's parts were looked at after the first search */
    const char *missing;  /* why there is no handle */
    cudnnHandle_t handle; /* NULL: everything is declined */
    cudaStream_t stream;  /* that the handle has */
    struct cdn_list *lists;
    int32_t list_count;
};

/* kit_refuse for a status of cuDNN that is not success: `what` was refused, and cuDNN's own words.
 */
int32_t cdn_refuse_status(struct kit_refusal *why, int32_t reason, cudnnStatus_t status,
                          const char *what);

/* 0 for success. Else hands the host a sentence with cuDNN's own words and returns a status. */
int32_t cdn_check(cudnnStatus_t status, const char *what);

/* One execution of a plan, on its device, with the handle on its stream. */
struct cdn_call {
    const struct anydnn_plugin_operands *operands;
    cudaStream_t stream;
    int32_t *effect;
    union {
        float single;
        double wide;
    } scale[4]; /* in the type that cuDNN wants them in */
};

struct cdn_plan_kernels; /* of a convolution, in engines.h */

/* cuDNN's descriptors of a plan; NULL where it has none. */
struct cdn_descriptors {
    cudnnTensorDescriptor_t tensor[ANYDNN_PLUGIN_OPERAND_MAX];
    /* Of moved operands, as the transforms take them. */
    cudnnTensorDescriptor_t home[ANYDNN_PLUGIN_OPERAND_MAX], copy[ANYDNN_PLUGIN_OPERAND_MAX];
    cudnnFilterDescriptor_t filter[2];
    cudnnConvolutionDescriptor_t convolution;
    cudnnPoolingDescriptor_t pooling;
    cudnnActivationDescriptor_t activation;
    cudnnActivationDescriptor_t behind; /* a convolution that cuDNN does not fuse with it */
    cudnnTensorDescriptor_t behind_y;
    cudnnLRNDescriptor_t lrn;
    cudnnTensorTransformDescriptor_t transform, second; /* transform.c */
    cudnnTensorDescriptor_t between;                    /* the two */
    cudnnOpTensorDescriptor_t op_tensor;
    cudnnReduceTensorDescriptor_t reduce;
};

/* A plan: the problem with copies of its tensors and parameters, and what cuDNN made of them. */
struct anydnn_plugin_plan {
    const struct cdn_operation *operation;
    struct anydnn_plugin_context *context;
    struct anydnn_plugin_problem problem; /* points to `copies` */
    struct kit_copies copies;
    uint32_t moved; /* slots that cuDNN gets as copies; copies.tensor describes the copy */
    struct anydnn_plugin_tensor home[ANYDNN_PLUGIN_OPERAND_MAX]; /* and this the caller's operand */
    uint64_t engine;
    uint64_t workspace;
    uint64_t legacy_workspace; /* of the older calls */
    uint32_t notes;            /* of the candidate */
    size_t indices_bytes;      /* reductions */
    int32_t wide;              /* factors are double */
    struct cdn_descriptors made;
    struct cdn_plan_kernels *kernels; /* convolutions by engines */
    struct {
        int32_t is_there, mode, nan_propagate;
        double coef;
    } behind; /* the activation that runs behind a fused convolution */
};

struct cdn_operation {
    int32_t operation;
    uint32_t types;       /* of the operand in slot 0, bits */
    uint32_t layouts;     /* ANYDNN_PLUGIN_LAYOUT_xxx, as published */
    uint32_t tensors;     /* slots that get a tensor descriptor, where present */
    int32_t dims_max;     /* of those tensors; 0: CDN_USUAL_DIMS */
    const char *function; /* cuDNN's, for sentences */
    /* Optional; moves operands that cuDNN takes in other places or types only. */
    void (*arrange)(struct anydnn_plugin_plan *plan);
    /* Optional; 0 or the reason why cuDNN does not take it, or takes it to mean something else.
     * Sees what was arranged. */
    int32_t (*check)(const struct anydnn_plugin_problem *problem, struct kit_refusal *why);
    /* Makes what is needed beside the tensor descriptors; 0 or a reason. */
    int32_t (*prepare)(struct anydnn_plugin_plan *plan, struct kit_refusal *why);
    /* Enqueues: a status, with a sentence where it is not 0. Nothing waits. */
    int32_t (*run)(struct anydnn_plugin_plan *plan, const struct cdn_call *call);
    /* Optional; offers the engines of a problem that has several. Returns 0, or a reason before
     * anything was offered. */
    int32_t (*offer)(struct anydnn_plugin_plan *plan, struct kit_refusal *why,
                     anydnn_plugin_offer_fn offer, void *cookie);
    /* Optional. */
    void (*release)(struct anydnn_plugin_plan *plan);
};

/* The status of an enqueuing call, with its effect: what cuDNN refuses, it refuses before it
 * enqueues anything. */
int32_t cdn_ran(const struct cdn_call *call, cudnnStatus_t status, const char *function);

/* After steps that succeeded and wrote scratch memory alone: to the caller nothing has begun. */
static inline void cdn_wrote_scratch(const struct cdn_call *call, int32_t status)
{
    if (!status)
        *call->effect = ANYDNN_PLUGIN_EFFECT_NONE;
}

/* The functions behind every operation of the description, in plan.c. */
int32_t cdn_candidates(struct anydnn_plugin_context *context,
                       const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                       void *cookie);
int32_t cdn_plan_create(struct anydnn_plugin_context *context,
                        const struct anydnn_plugin_problem *problem, uint64_t engine,
                        struct anydnn_plugin_plan **plan);
int32_t cdn_plan_execute(struct anydnn_plugin_plan *plan,
                         const struct anydnn_plugin_operands *operands, int32_t *effect);
void cdn_plan_destroy(struct anydnn_plugin_plan *plan);

/* Whether a reset of the device took away what cuDNN's handle and plans stand on: they are not to
 * be touched any more, and what they hold of the host's memory stays. */
static inline int cdn_is_reset(const struct anydnn_plugin_context *context)
{
    return cuda_primary(context->device) != context->primary;
}

/* The steps of a plan (problem.c). */
void cdn_copy_problem(struct anydnn_plugin_plan *plan, const struct anydnn_plugin_problem *from);
/* Arranges and checks. 0 or a reason. */
int32_t cdn_plan_check(struct anydnn_plugin_plan *plan, struct kit_refusal *why);
void cdn_plan_release(struct anydnn_plugin_plan *plan);
/* For convolutions: another plan for that engine, arranged and checked, and not prepared; goes with
 * cdn_plan_destroy. Of the problem that the caller gave, or of the operands that the plan's own
 * run gets, which may be copies. NULL with `why`. */
enum cdn_whose { CDN_CALLERS, CDN_RUNS };
struct anydnn_plugin_plan *cdn_plan_like(const struct anydnn_plugin_plan *plan, uint64_t engine,
                                         enum cdn_whose whose, struct kit_refusal *why);
/* Makes cuDNN's descriptors. 0 or a reason. */
int32_t cdn_plan_prepare(struct anydnn_plugin_plan *plan, struct kit_refusal *why);

/* The number that cuDNN takes as a factor, in the type that the plan's factors have. */
enum cdn_factor { CDN_ZERO, CDN_ONE };
const void *cdn_number(const struct anydnn_plugin_plan *plan, enum cdn_factor factor);

/* The operation's run, on aligned copies of the operands that are not (align.c). */
int32_t cdn_run_aligned(struct anydnn_plugin_plan *plan, const struct cdn_call *call);

/* ------------------------------------------------------------------ moved operands (moves.c) */

/* From here on cuDNN gets the operand of `slot` as a copy, packed in that format, of that type; an
 * absent one, or one that cannot be moved, stays. */
void cdn_move(struct anydnn_plugin_plan *plan, int32_t slot, int format, int32_t type);
/* Moves those of `slots` that have one of `types` to float. */
void cdn_widen(struct anydnn_plugin_plan *plan, uint32_t slots, uint32_t types);
/* Moves what is needed for operands of equal dims to lie in the same places, by the same strides;
 * packed ones, if `packed` says so. */
void cdn_agree(struct anydnn_plugin_plan *plan, uint32_t slots, int packed);
/* Moves those of `slots` that are not packed rows, and settles all. */
void cdn_pack_rows(struct anydnn_plugin_plan *plan, uint32_t slots);
/* Makes the descriptors of what was moved. 0 or a reason. */
int32_t cdn_moves_make(struct anydnn_plugin_plan *plan, struct kit_refusal *why);
/* The operation's run, between the moves. */
int32_t cdn_run_here(struct anydnn_plugin_plan *plan, const struct cdn_call *call);

/* ------------------------------------------------------------------ tensors (tensor.c) */

/* cuDNN's number of a type is anydnn's. */
static inline cudnnDataType_t cdn_type(int32_t type)
{
    return (cudnnDataType_t)type;
}

/* Dims and strides as cuDNN wants them: at least `least` dims, by dims of 1 at the end. */
struct cdn_shape {
    int32_t ndims;
    int dims[ANYDNN_PLUGIN_DIM_MAX];
    int strides[ANYDNN_PLUGIN_DIM_MAX];
};

/* 0, or a reason: too many dims, numbers beyond 31 bits. */
int32_t cdn_shape_of(struct cdn_shape *shape, const struct anydnn_plugin_tensor *tensor,
                     int32_t most, const char *role, struct kit_refusal *why);

/* A tensor descriptor, with the layout NCHW_VECT_C for vector types. 0 or a reason. */
int32_t cdn_tensor_make(cudnnTensorDescriptor_t *made, const struct anydnn_plugin_tensor *tensor,
                        int32_t most, const char *role, struct kit_refusal *why);
/* A filter descriptor; the filter must be packed, rows first, channels last or in vectors. */
int32_t cdn_filter_make(cudnnFilterDescriptor_t *made, const struct anydnn_plugin_tensor *tensor,
                        const char *role, struct kit_refusal *why);

/* Gives a tensor the strides of a format; vectors of channels have but one. */
void cdn_pack(struct anydnn_plugin_tensor *tensor, int format);
/* The format that a tensor is packed in, or -1. */
int cdn_packed_format(const struct anydnn_plugin_tensor *tensor);
/* Gives dims of 1, whose strides say nothing, those that the others suggest: cuDNN compares strides
 * by their numbers. Tensors in the same places are equal afterwards. */
void cdn_settle(struct anydnn_plugin_tensor *tensor);
/* Same dims and strides; dims of 1 have no stride that matters. */
int cdn_same_places(const struct anydnn_plugin_tensor *a, const struct anydnn_plugin_tensor *b);
/* From the first element to behind the last, in bytes. */
size_t cdn_tensor_bytes(const struct anydnn_plugin_tensor *tensor);
/* Returns the bytes of the elements alone: fewer where others lie between them. */
size_t cdn_element_bytes(const struct anydnn_plugin_tensor *tensor);

void cdn_descriptors_destroy(struct cdn_descriptors *made);

/* Fills an array of one number a spatial dim, padded to two dims by `neutral`; returns the number
 * of dims. */
int32_t cdn_spatial(int to[], const int64_t *from, int32_t spatial_dims, int neutral);

/* Whether cuDNN's activation gives 0 where a result of that type is subnormal, and the reason then.
 * Half's subnormal numbers are none of float, in which it computes. */
int cdn_is_flushed(int32_t activation, int32_t type);
int32_t cdn_refuse_flushed(int32_t activation, int32_t type, struct kit_refusal *why);

/* A descriptor for an activation's mode, option and coefficient. 0 or a reason. */
int32_t cdn_activation_make(cudnnActivationDescriptor_t *made, int32_t mode, int32_t nan_propagate,
                            double coef, struct kit_refusal *why);

#endif
