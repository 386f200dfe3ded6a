/* SPDX-License-Identifier: Apache-2.0 */
/* The structs behind the opaque descriptors of anydnn.h. Setters keep every value on which a plan
 * depends in the form that backends read (plugin.h), so that building a problem is copying. */
#ifndef ADN_DESC_DESC_H
#define ADN_DESC_DESC_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <anydnn/anydnn.h>
#include <anydnn/plugin.h>

/* The first word of a descriptor. A destroyed one has 0. The numbers are not small, so that a
 * pointer to something else is detected. */
enum adn_desc_kind {
    ADN_DESC_TENSOR = 0x616e7901,
    ADN_DESC_FILTER,
    ADN_DESC_CONVOLUTION,
    ADN_DESC_POOLING,
    ADN_DESC_ACTIVATION,
    ADN_DESC_LRN,
    ADN_DESC_OP_TENSOR,
    ADN_DESC_REDUCE_TENSOR,
    ADN_DESC_TENSOR_TRANSFORM,
    ADN_DESC_DROPOUT,
    ADN_DESC_SPATIAL_TRANSFORMER,
    ADN_DESC_CTC_LOSS,
    ADN_DESC_NORMALIZATION,
    ADN_DESC_MATMUL,
    ADN_DESC_ALGORITHM,
    ADN_DESC_ALGORITHM_PERFORMANCE,
    ADN_DESC_END
};

/* The beginning of every descriptor. `stamp` is new after each successful Set, so that equal stamps
 * mean equal values. */
struct adn_desc {
    uint32_t kind; /* enum adn_desc_kind */
    uint32_t set;  /* 0 until the first Set that gives shape or mode */
    uint64_t stamp;
};

struct anydnnTensorStruct {
    struct adn_desc head;
    struct anydnn_plugin_tensor t;
};

/* A filter. `t` is the packed tensor [K, C/groups, spatial...] with the strides of `format`. */
struct anydnnFilterStruct {
    struct adn_desc head;
    struct anydnn_plugin_tensor t;
    int32_t format; /* anydnnTensorFormat_t */
};

/* A convolution. `c.activation` and the members after it stay 0, since the call supplies them. */
struct anydnnConvolutionStruct {
    struct adn_desc head;
    struct anydnn_plugin_convolution c;
    int32_t math_type; /* anydnnMathType_t as set; ANYDNN_FMA_MATH is not folded into default */
    int32_t reorder;
};

struct anydnnPoolingStruct {
    struct adn_desc head;
    struct anydnn_plugin_pooling p;
};

/* An activation. `a.coef` is the value that the mode uses: swish_beta for swish, else coef. */
struct anydnnActivationStruct {
    struct adn_desc head;
    struct anydnn_plugin_activation a;
    double coef;
    double swish_beta;
};

struct anydnnLRNStruct {
    struct adn_desc head;
    struct anydnn_plugin_lrn n;
};

struct anydnnOpTensorStruct {
    struct adn_desc head;
    struct anydnn_plugin_op_tensor o;
};

struct anydnnReduceTensorStruct {
    struct adn_desc head;
    struct anydnn_plugin_reduce r;
    int32_t indices;      /* anydnnReduceTensorIndices_t */
    int32_t indices_type; /* anydnnIndicesType_t; adn_desc_indices_type gives the element type */
};

struct anydnnTensorTransformStruct {
    struct adn_desc head;
    struct anydnn_plugin_transform x;
    int32_t ndims;
    int32_t format; /* anydnnTensorFormat_t of the destination */
};

struct anydnnDropoutStruct {
    struct adn_desc head;
    struct anydnn_plugin_dropout d;
    void *states; /* in the space of the handle that it was set with; NULL: none yet */
    uint64_t seed;
    float probability; /* as given: the getter returns the same float */
};

/* A spatial transformer. Its tensors are all packed, so the descriptor holds them: theta and
 * grid. */
struct anydnnSpatialTransformerStruct {
    struct adn_desc head;
    struct anydnn_plugin_spatial s;
    struct anydnn_plugin_tensor theta; /* n,2,3 */
    struct anydnn_plugin_tensor grid;  /* n,h,w,2 */
};

struct anydnnCTCLossStruct {
    struct adn_desc head;
    struct anydnn_plugin_ctc l;
    int32_t compute_type;
};

/* A normalization. `n.activation` and the members after it stay 0, since the call brings them. */
struct anydnnNormalizationStruct {
    struct adn_desc head;
    struct anydnn_plugin_normalization n;
};

/* A matrix product. `m.activation` and the members after it stay 0. */
struct anydnnMatMulStruct {
    struct adn_desc head;
    struct anydnn_plugin_matmul m;
    int32_t math_type; /* anydnnMathType_t as set; ANYDNN_FMA_MATH is not folded into default */
};

struct anydnnAlgorithmStruct {
    struct adn_desc head;
    int32_t number;
};

struct anydnnAlgorithmPerformanceStruct {
    struct adn_desc head;
    anydnnAlgorithmDescriptor_t algorithm; /* the application's */
    anydnnStatus_t status;
    float time;
    size_t memory;
};

/* Returns 1 if `desc` is a live descriptor of that kind. `adn_desc_usable` also requires that it
 * was set. */
static inline int adn_desc_is(const void *desc, enum adn_desc_kind kind)
{
    return desc && ((const struct adn_desc *)desc)->kind == (uint32_t)kind;
}

static inline int adn_desc_usable(const void *desc, enum adn_desc_kind kind)
{
    /* Both words are compared at once. */
    const struct adn_desc wanted = {.kind = (uint32_t)kind, .set = 1};

    return desc && memcmp(desc, &wanted, 2 * sizeof(uint32_t)) == 0;
}

/* Returns the tensor of a usable descriptor, or NULL. The caller then returns
 * adn_desc_complain(...). */
static inline const struct anydnn_plugin_tensor *adn_desc_tensor(anydnnTensorDescriptor_t desc)
{
    return adn_desc_usable(desc, ADN_DESC_TENSOR) ? &desc->t : NULL;
}

static inline const struct anydnn_plugin_tensor *adn_desc_filter(anydnnFilterDescriptor_t desc)
{
    return adn_desc_usable(desc, ADN_DESC_FILTER) ? &desc->t : NULL;
}

static inline const struct anydnn_plugin_convolution *
adn_desc_convolution(anydnnConvolutionDescriptor_t desc)
{
    return adn_desc_usable(desc, ADN_DESC_CONVOLUTION) ? &desc->c : NULL;
}

static inline const struct anydnn_plugin_pooling *adn_desc_pooling(anydnnPoolingDescriptor_t desc)
{
    return adn_desc_usable(desc, ADN_DESC_POOLING) ? &desc->p : NULL;
}

static inline const struct anydnn_plugin_transform *
adn_desc_transform(anydnnTensorTransformDescriptor_t desc)
{
    return adn_desc_usable(desc, ADN_DESC_TENSOR_TRANSFORM) ? &desc->x : NULL;
}

/* Sets the sentence for a descriptor that is NULL, destroyed, of another kind, or never set.
 * Returns BAD_PARAM. */
anydnnStatus_t adn_desc_complain(const char *entry, const char *argument, const void *desc,
                                 enum adn_desc_kind kind) __attribute__((cold));

/* Checks, for setters and getters, that `desc` is a live descriptor of that kind, set or not. */
anydnnStatus_t adn_desc_check(const char *entry, const char *argument, const void *desc,
                              enum adn_desc_kind kind);

/* Checks that none of `count` pointers is NULL. The sentence names the first that is. */
anydnnStatus_t adn_desc_check_outputs(const char *entry, const char *const *names,
                                      const void *const *outputs, int count);

/* Checks that lowest <= value <= highest. Otherwise returns BAD_PARAM with "entry: argument is
 * value; `rule`". */
anydnnStatus_t adn_desc_check_range(const char *entry, const char *argument, int64_t value,
                                    int64_t lowest, int64_t highest, const char *rule);

/* Writes a value to an int output. Returns NOT_SUPPORTED with a sentence if it does not fit. */
anydnnStatus_t adn_desc_check_int(const char *entry, const char *what, int64_t value);

/* Makes a descriptor whose members are 0 except for its head. Only tests `out` for NULL. */
anydnnStatus_t adn_desc_create(const char *entry, const char *argument, const void *out,
                               enum adn_desc_kind kind, size_t size, void **made);
/* Destroys a descriptor. Accepts NULL, as cuDNN does. */
anydnnStatus_t adn_desc_destroy(const char *entry, const char *argument, void *desc,
                                enum adn_desc_kind kind);

/* Marks the descriptor as set, with a new stamp. */
void adn_desc_stamp(struct adn_desc *head);

/* Fills a tensor from dims and a format (strides NULL) or strides, by the rules of a descriptor:
 * dims at least 1, strides not 0, channels in whole vectors, size within int64_t. `to` changes only
 * on success. */
anydnnStatus_t adn_desc_fill(const char *entry, struct anydnn_plugin_tensor *to, int format,
                             int type, int ndims, const int *dims, const int *strides);

/* Sets the values of a descriptor that the library fills, with a new stamp. */
void adn_desc_assign(anydnnTensorDescriptor_t desc, const struct anydnn_plugin_tensor *tensor);

/* Returns the element type (ANYDNN_PLUGIN_UINT8 ...) of reduction indices of an
 * anydnnIndicesType_t. */
int32_t adn_desc_indices_type(int32_t indices_type);

#endif
