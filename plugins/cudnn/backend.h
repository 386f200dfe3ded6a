/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the operations of the backend cudnn share: table entries, plans, calls, descriptors
 * of tensors. */
#ifndef CDN_BACKEND_H
#define CDN_BACKEND_H

#include "../cuda_common/cuda_common.h"
#include "../kit/problem.h"
#include "library.h"

#include <stddef.h>

/* The most dims of the tensors of an operation without a dims_max, and of moved tensors. */
#define CDN_USUAL_DIMS 5

/* Sets of types and layouts for the table. */
#define CDN_TYPE(name)          ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_##name)
#define CDN_REALS               (CDN_TYPE(FLOAT) | CDN_TYPE(DOUBLE) | CDN_TYPE(HALF))
#define CDN_FLOATS              (CDN_REALS | CDN_TYPE(BFLOAT16))
#define CDN_LAYOUTS_AND_VECTORS (KIT_LAYOUTS | ANYDNN_PLUGIN_LAYOUT_VECT_C)

/* A bit set of all slots. */
#define CDN_ALL_SLOTS UINT32_MAX

/* The alignment in bytes that cuDNN's kernels may assume for operands. */
#define CDN_ALIGNMENT 16

/* The engine of an operation that has only one. */
#define CDN_ONLY_ENGINE 1

struct cdn_list; /* list of engine configurations of a convolution (engines.h) */

struct anydnn_plugin_context {
    int32_t device;
    uint64_t primary;     /* the primary context in which the handle was created */
    int32_t checked;      /* 1 once the folders of cuDNN's parts were checked after a search */
    const char *missing;  /* reason why there is no handle */
    cudnnHandle_t handle; /* NULL if everything is declined */
    cudaStream_t stream;  /* current stream of the handle */
    struct cdn_list *lists;
    int32_t list_count;
};

/* Refuses because of a status of cuDNN: the sentence names `what` and includes cuDNN's own
 * words. */
int32_t cdn_refuse_status(struct kit_refusal *why, int32_t reason, cudnnStatus_t status,
                          const char *what);

/* Returns 0 for success. Otherwise passes a sentence with cuDNN's own words to the host and returns
 * a status. */
int32_t cdn_check(cudnnStatus_t status, const char *what);

/* An execution of a plan on its device, with the handle set to its stream. */
struct cdn_call {
    const struct anydnn_plugin_operands *operands;
    cudaStream_t stream;
    int32_t *effect;
    union {
        float single;
        double wide;
    } scale[4]; /* in the type that cuDNN requires */
};

struct cdn_plan_kernels; /* kernels of a convolution (kernels.h) */

/* The cuDNN descriptors of a plan. Those that it does not need are NULL. */
struct cdn_descriptors {
    cudnnTensorDescriptor_t tensor[ANYDNN_PLUGIN_OPERAND_MAX];
    /* The views of moved operands for the transforms. */
    cudnnTensorDescriptor_t home[ANYDNN_PLUGIN_OPERAND_MAX], copy[ANYDNN_PLUGIN_OPERAND_MAX];
    cudnnFilterDescriptor_t filter[2];
    cudnnConvolutionDescriptor_t convolution;
    cudnnPoolingDescriptor_t pooling;
    cudnnActivationDescriptor_t activation;
    cudnnActivationDescriptor_t behind; /* activation after a convolution that cannot fuse it */
    cudnnTensorDescriptor_t behind_y;
    cudnnLRNDescriptor_t lrn;
    cudnnTensorTransformDescriptor_t transform, second; /* see transform_moving.c */
    cudnnTensorDescriptor_t between;                    /* tensor between the two transforms */
    cudnnOpTensorDescriptor_t op_tensor;
    cudnnReduceTensorDescriptor_t reduce;
};

/* A plan: the problem with copies of its tensors and parameters, and cuDNN's objects for it. */
struct anydnn_plugin_plan {
    const struct cdn_operation *operation;
    struct anydnn_plugin_context *context;
    struct anydnn_plugin_problem problem; /* points to `copies` */
    struct kit_copies copies;
    uint32_t moved; /* slots that cuDNN gets as copies; copies.tensor describes the copy */
    struct anydnn_plugin_tensor home[ANYDNN_PLUGIN_OPERAND_MAX]; /* the caller's operands */
    uint64_t engine;
    uint64_t workspace;
    uint64_t legacy_workspace; /* workspace of the older calls */
    uint32_t notes;            /* notes of the candidate */
    size_t indices_bytes;      /* reductions only */
    int32_t wide;              /* 1 if factors are double */
    struct cdn_descriptors made;
    struct cdn_plan_kernels *kernels; /* convolutions by engines only */
    struct {
        int32_t is_there, mode, nan_propagate;
        double coef;
    } behind; /* activation that runs after a fused convolution */
};

struct cdn_operation {
    int32_t operation;
    uint32_t types;       /* bit set of the types of slot 0 */
    uint32_t layouts;     /* ANYDNN_PLUGIN_LAYOUT_xxx, as published */
    uint32_t tensors;     /* slots that get a tensor descriptor, if present */
    int32_t dims_max;     /* of these tensors; 0 for CDN_USUAL_DIMS */
    const char *function; /* cuDNN's function, for messages */
    /* Optional. Moves operands that cuDNN requires in another layout or type. */
    void (*arrange)(struct anydnn_plugin_plan *plan);
    /* Optional. Returns 0, or the reason why cuDNN refuses the problem or gives it another meaning.
     * It sees the arranged operands. */
    int32_t (*check)(const struct anydnn_plugin_problem *problem, struct kit_refusal *why);
    /* Creates the objects other than tensor descriptors. Returns 0 or a reason. */
    int32_t (*prepare)(struct anydnn_plugin_plan *plan, struct kit_refusal *why);
    /* Enqueues the work. Returns a status, after a message if it is not 0. It never waits. */
    int32_t (*run)(struct anydnn_plugin_plan *plan, const struct cdn_call *call);
    /* Optional. Offers the engines of a problem that has several. Returns 0, or a reason if nothing
     * was offered. */
    int32_t (*offer)(struct anydnn_plugin_plan *plan, struct kit_refusal *why,
                     anydnn_plugin_offer_fn offer, void *cookie);
    /* Optional. Frees what `prepare` created. */
    void (*release)(struct anydnn_plugin_plan *plan);
};

/* Returns the status of an enqueuing call and sets its effect. cuDNN refuses a call before it
 * enqueues anything. */
int32_t cdn_ran(const struct cdn_call *call, cudnnStatus_t status, const char *function);

/* Resets the effect after steps that succeeded but wrote only scratch memory: for the caller,
 * nothing has begun. */
static inline void cdn_wrote_scratch(const struct cdn_call *call, int32_t status)
{
    if (!status)
        *call->effect = ANYDNN_PLUGIN_EFFECT_NONE;
}

/* The functions of every operation in the description, in plan.c. */
int32_t cdn_candidates(struct anydnn_plugin_context *context,
                       const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                       void *cookie);
int32_t cdn_plan_create(struct anydnn_plugin_context *context,
                        const struct anydnn_plugin_problem *problem, uint64_t engine,
                        struct anydnn_plugin_plan **plan);
int32_t cdn_plan_execute(struct anydnn_plugin_plan *plan,
                         const struct anydnn_plugin_operands *operands, int32_t *effect);
void cdn_plan_destroy(struct anydnn_plugin_plan *plan);

/* Returns 1 if a reset of the device destroyed what cuDNN's handle and plans use. They must not be
 * touched any more, and their host memory is not freed. */
static inline int cdn_is_reset(const struct anydnn_plugin_context *context)
{
    return cuda_primary(context->device) != context->primary;
}

/* The following functions are the steps of a plan (problem.c). */
void cdn_copy_problem(struct anydnn_plugin_plan *plan, const struct anydnn_plugin_problem *from);
/* Arranges and checks. Returns 0 or a reason. */
int32_t cdn_plan_check(struct anydnn_plugin_plan *plan, struct kit_refusal *why);
void cdn_plan_release(struct anydnn_plugin_plan *plan);
/* Creates another plan of a convolution for an engine, arranged and checked, but not prepared.
 * cdn_plan_destroy frees it. The problem is the caller's, or has the operands of the plan's own
 * run, which may be copies. Returns NULL and fills in `why` on failure. */
enum cdn_whose { CDN_CALLERS, CDN_RUNS };
struct anydnn_plugin_plan *cdn_plan_like(const struct anydnn_plugin_plan *plan, uint64_t engine,
                                         enum cdn_whose whose, struct kit_refusal *why);
/* Creates cuDNN's descriptors. Returns 0 or a reason. */
int32_t cdn_plan_prepare(struct anydnn_plugin_plan *plan, struct kit_refusal *why);

/* Returns a factor in the type of the plan's factors. */
enum cdn_factor { CDN_ZERO, CDN_ONE };
const void *cdn_number(const struct anydnn_plugin_plan *plan, enum cdn_factor factor);

/* Runs the operation on aligned copies of the unaligned operands (align.c). */
int32_t cdn_run_aligned(struct anydnn_plugin_plan *plan, const struct cdn_call *call);

/* ------------------------------------------------------------------ moved operands (moves.c) */

/* Makes cuDNN get the operand of `slot` as a packed copy of this format and type. An absent
 * operand, or one that cannot be moved, is left alone. */
void cdn_move(struct anydnn_plugin_plan *plan, int32_t slot, int format, int32_t type);
/* Moves those of `slots` that have one of `types` to float. */
void cdn_widen(struct anydnn_plugin_plan *plan, uint32_t slots, uint32_t types);
/* Moves operands of equal dims so that all have the same strides. With `packed`, they are also
 * packed. */
void cdn_agree(struct anydnn_plugin_plan *plan, uint32_t slots, int packed);
/* Moves those of `slots` that are not packed in NCHW order, and settles all of them. */
void cdn_pack_rows(struct anydnn_plugin_plan *plan, uint32_t slots);
/* Creates the descriptors of the moved operands. Returns 0 or a reason. */
int32_t cdn_moves_make(struct anydnn_plugin_plan *plan, struct kit_refusal *why);
/* Runs the operation between the moves in and out. */
int32_t cdn_run_here(struct anydnn_plugin_plan *plan, const struct cdn_call *call);

/* ------------------------------------------------------------------ tensors (tensor.c) */

/* Returns cuDNN's number of a type, which equals anydnn's. */
static inline cudnnDataType_t cdn_type(int32_t type)
{
    return (cudnnDataType_t)type;
}

/* The dims and strides in cuDNN's form: at least 4 dims, filled up with dims of 1 at the end. */
struct cdn_shape {
    int32_t ndims;
    int dims[ANYDNN_PLUGIN_DIM_MAX];
    int strides[ANYDNN_PLUGIN_DIM_MAX];
};

/* Fills in a shape. Returns 0, or a reason: more than `most` dims, or numbers beyond 31 bits. */
int32_t cdn_shape_of(struct cdn_shape *shape, const struct anydnn_plugin_tensor *tensor,
                     int32_t most, const char *role, struct kit_refusal *why);

/* Creates a tensor descriptor, with the layout NCHW_VECT_C for vector types. Returns 0 or a
 * reason. */
int32_t cdn_tensor_make(cudnnTensorDescriptor_t *made, const struct anydnn_plugin_tensor *tensor,
                        int32_t most, const char *role, struct kit_refusal *why);
/* Creates a filter descriptor. The filter must be packed: NCHW, NHWC or NCHW_VECT_C. Returns 0 or a
 * reason. */
int32_t cdn_filter_make(cudnnFilterDescriptor_t *made, const struct anydnn_plugin_tensor *tensor,
                        const char *role, struct kit_refusal *why);

/* Sets the packed strides of a format. Vectors of channels have only one format. */
void cdn_pack(struct anydnn_plugin_tensor *tensor, int format);
/* Returns the format in which a tensor is packed, or -1. */
int cdn_packed_format(const struct anydnn_plugin_tensor *tensor);
/* Sets the strides of dims of 1, which have no meaning, to those that the other dims suggest. cuDNN
 * compares strides numerically; tensors with the same places become equal. */
void cdn_settle(struct anydnn_plugin_tensor *tensor);
/* Returns 1 if dims and strides are the same, ignoring the strides of dims of 1. */
int cdn_same_places(const struct anydnn_plugin_tensor *a, const struct anydnn_plugin_tensor *b);
/* Returns the bytes from the first element to the end of the last. */
size_t cdn_tensor_bytes(const struct anydnn_plugin_tensor *tensor);
/* Returns the bytes of a copy in scratch memory, rounded up so that the next copy is aligned. */
size_t cdn_copy_bytes(const struct anydnn_plugin_tensor *tensor);
/* Returns the bytes of the elements alone, without the gaps between them. */
size_t cdn_element_bytes(const struct anydnn_plugin_tensor *tensor);

void cdn_descriptors_destroy(struct cdn_descriptors *made);

/* Fills an array with one number per spatial dim, padded to two dims with `neutral`. Returns the
 * number of dims. */
int32_t cdn_spatial(int to[], const int64_t *from, int32_t spatial_dims, int neutral);

/* Returns 1 if cuDNN's activation gives 0 where a result of that type is subnormal. The second
 * function fills in that refusal. cuDNN computes in float, in which half's subnormal numbers are
 * normal. */
int cdn_is_flushed(int32_t activation, int32_t type);
int32_t cdn_refuse_flushed(int32_t activation, int32_t type, struct kit_refusal *why);

/* Creates an activation descriptor from mode, NaN option and coefficient. Returns 0 or a reason. */
int32_t cdn_activation_make(cudnnActivationDescriptor_t *made, int32_t mode, int32_t nan_propagate,
                            double coef, struct kit_refusal *why);

#endif
