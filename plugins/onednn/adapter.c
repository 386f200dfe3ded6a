/* SPDX-License-Identifier: Apache-2.0 */
/* Calls oneDNN 2.6 or 3.x. No other file depends on the version. */
#include "adapter.h"

#include "onednn.h"

#include <string.h>

/* A flag that every call sets when it runs out of memory. A NULL result does not suffice as a sign,
 * since it has other reasons, too. */
static _Thread_local int out_of_memory;

int onednn_ran_out_of_memory(void)
{
    int was = out_of_memory;

    out_of_memory = 0;
    return was;
}

static int done(dnnl_status_t status)
{
    out_of_memory |= status == dnnl_out_of_memory;
    return status == dnnl_success;
}

/* ------------------------------------------------------------------ differences between the
 * versions */

/* A constant of 3.x and its value in 2.6. */
struct constant {
    int32_t value, old;
};
#define CONSTANT(name, old) {(int32_t)(name), old},

static int32_t translated(const struct constant *table, size_t count, int32_t value)
{
    for (size_t i = 0; onednn_is_old && i < count; i++)
        if (table[i].value == value)
            return table[i].old;
    return value;
}

static dnnl_format_tag_t tag_of(dnnl_format_tag_t tag)
{
    static const struct constant tags[] = {ONEDNN_OLD_TAGS(CONSTANT)};
    return (dnnl_format_tag_t)translated(tags, sizeof tags / sizeof tags[0], (int32_t)tag);
}

static dnnl_alg_kind_t eltwise_of(dnnl_alg_kind_t algorithm)
{
    static const struct constant algorithms[] = {ONEDNN_OLD_ELTWISE(CONSTANT)};
    return (dnnl_alg_kind_t)translated(algorithms, sizeof algorithms / sizeof algorithms[0],
                                       (int32_t)algorithm);
}

static unsigned flags_of(unsigned flags)
{
    static const struct constant bits[] = {ONEDNN_OLD_FLAGS(CONSTANT)};
    unsigned found = flags & dnnl_use_global_stats;

    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++)
        if (flags & (unsigned)bits[i].value)
            found |= (unsigned)translated(bits, sizeof bits / sizeof bits[0], bits[i].value);
    return found;
}

int onednn_shift_in_backward(void)
{
    return onednn_is_old;
}

static onednn_layout new_layout(dnnl_data_type_t type, int32_t ndims, const int64_t *dims,
                                const int64_t *strides, dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t made = NULL;
    dnnl_status_t status =
        strides ? onednn.dnnl_memory_desc_create_with_strides(&made, ndims, dims, type, strides)
                : onednn.dnnl_memory_desc_create_with_tag(&made, ndims, dims, type, tag);
    return done(status) ? made : NULL;
}

static onednn_layout old_layout(dnnl_data_type_t type, int32_t ndims, const int64_t *dims,
                                const int64_t *strides, dnnl_format_tag_t tag)
{
    union onednn_old_memory_desc *made = kit_host->alloc(sizeof *made);
    dnnl_status_t status = dnnl_out_of_memory;

    if (made)
        status = strides
                     ? onednn.dnnl_memory_desc_init_by_strides(made, ndims, dims, type, strides)
                     : onednn.dnnl_memory_desc_init_by_tag(made, ndims, dims, type, tag_of(tag));
    if (done(status))
        return (onednn_layout)made;
    if (made)
        kit_host->free(made);
    return NULL;
}

static onednn_layout layout_create(dnnl_data_type_t type, int32_t ndims, const int64_t *dims,
                                   const int64_t *strides, dnnl_format_tag_t tag)
{
    return (onednn_is_old ? old_layout : new_layout)(type, ndims, dims, strides, tag);
}

void onednn_layout_destroy(onednn_layout layout)
{
    if (onednn_is_old)
        kit_host->free((void *)layout);
    else
        onednn.dnnl_memory_desc_destroy((dnnl_memory_desc_t)layout);
}

/*
 * These macros set `made` to the primitive descriptor, or leave it NULL. They call the function of
 * 3.x, or the one of 2.6 that fills a description. The arguments of each version are a list in
 * parentheses. 2.6 takes one layout where 3.x takes one for each side.
 */
#define LIST(...) __VA_ARGS__
#define MADE_OLD(made, name, list, hint)                                                           \
    do {                                                                                           \
        union onednn_old_description description;                                                  \
        if (done(onednn.dnnl_##name##_desc_init(&description, LIST list)))                         \
            (void)done(onednn.dnnl_primitive_desc_create(&(made), &description, attributes,        \
                                                         onednn_engine, hint));                    \
    } while (0)
#define FORWARD(made, old_name, old_list, name, list)                                              \
    do {                                                                                           \
        if (onednn_is_old)                                                                         \
            MADE_OLD(made, old_name, old_list, NULL);                                              \
        else                                                                                       \
            (void)done(onednn.dnnl_##name##_primitive_desc_create(&(made), onednn_engine,          \
                                                                  LIST list, attributes));         \
    } while (0)
#define BACKWARD(made, old_name, old_list, name, list, hint)                                       \
    do {                                                                                           \
        if (onednn_is_old)                                                                         \
            MADE_OLD(made, old_name, old_list, hint);                                              \
        else                                                                                       \
            (void)done(onednn.dnnl_##name##_primitive_desc_create(&(made), onednn_engine,          \
                                                                  LIST list, hint, attributes));   \
    } while (0)
/* These macros serve functions whose arguments are equal in both versions. */
#define FORWARD_ALIKE(made, old_name, name, ...)                                                   \
    FORWARD(made, old_name, (__VA_ARGS__), name, (__VA_ARGS__))
#define BACKWARD_ALIKE(made, old_name, name, hint, ...)                                            \
    BACKWARD(made, old_name, (__VA_ARGS__), name, (__VA_ARGS__), hint)

/* ------------------------------------------------------------------ the common interface */

onednn_layout onednn_layout_create(dnnl_data_type_t type, int32_t ndims, const int64_t *dims,
                                   const int64_t *strides)
{
    return layout_create(type, ndims, dims, strides, dnnl_format_tag_any);
}

onednn_layout onednn_layout_blocked(dnnl_data_type_t type, int32_t ndims, const int64_t *dims)
{
    static const dnnl_format_tag_t tags[] = {dnnl_aBc16b, dnnl_aBcd16b, dnnl_aBcde16b};
    return layout_create(type, ndims, dims, NULL, tags[ndims - 3]);
}

static int is_forward(dnnl_prop_kind_t direction)
{
    return direction == dnnl_forward_training || direction == dnnl_forward_inference;
}

onednn_layout onednn_chosen(const_dnnl_primitive_desc_t descriptor, dnnl_query_t what)
{
    return onednn.dnnl_primitive_desc_query_md(descriptor, what, 0);
}

const char *onednn_implementation(const_dnnl_primitive_desc_t descriptor)
{
    const char *name = NULL;
    dnnl_status_t status =
        onednn.dnnl_primitive_desc_query(descriptor, dnnl_query_impl_info_str, 0, &name);
    return done(status) && name ? name : "";
}

/* The bits in dnnl_cpu_isa_t by which an instruction set differs from its predecessor. */
#define ISA_VNNI      0x40u
#define ISA_AVX2_VNNI 0x400u

int onednn_isa_has_vnni(void)
{
    unsigned isa = (unsigned)onednn.dnnl_get_effective_cpu_isa();
    return (isa & ISA_VNNI) || isa == ((unsigned)dnnl_cpu_isa_avx2 | ISA_AVX2_VNNI);
}

dnnl_primitive_desc_t onednn_describe_convolution(const struct onednn_convolution *c,
                                                  const_dnnl_primitive_attr_t attributes)
{
    dnnl_primitive_desc_t made = NULL;

    if (c->direction == dnnl_backward_data)
        BACKWARD_ALIKE(made, dilated_convolution_backward_data, convolution_backward_data, NULL,
                       c->algorithm, c->x, c->w, c->y, c->stride, c->dilation, c->pad_before,
                       c->pad_after);
    else if (c->direction == dnnl_backward_weights)
        BACKWARD_ALIKE(made, dilated_convolution_backward_weights, convolution_backward_weights,
                       NULL, c->algorithm, c->x, c->w, c->bias, c->y, c->stride, c->dilation,
                       c->pad_before, c->pad_after);
    else
        FORWARD_ALIKE(made, dilated_convolution_forward, convolution_forward, c->direction,
                      c->algorithm, c->x, c->w, c->bias, c->y, c->stride, c->dilation,
                      c->pad_before, c->pad_after);
    return made;
}

dnnl_primitive_desc_t onednn_describe_inner_product(const struct onednn_convolution *c,
                                                    const_dnnl_primitive_attr_t attributes)
{
    dnnl_primitive_desc_t made = NULL;

    if (c->direction == dnnl_backward_data)
        BACKWARD_ALIKE(made, inner_product_backward_data, inner_product_backward_data, NULL, c->x,
                       c->w, c->y);
    else if (c->direction == dnnl_backward_weights)
        BACKWARD_ALIKE(made, inner_product_backward_weights, inner_product_backward_weights, NULL,
                       c->x, c->w, c->bias, c->y);
    else
        FORWARD_ALIKE(made, inner_product_forward, inner_product_forward, c->direction, c->x, c->w,
                      c->bias, c->y);
    return made;
}

dnnl_primitive_desc_t onednn_describe_pooling(const struct onednn_pooling *p,
                                              const_dnnl_primitive_attr_t attributes)
{
    dnnl_primitive_desc_t made = NULL;

    if (is_forward(p->direction))
        FORWARD_ALIKE(made, pooling_v2_forward, pooling_forward, p->direction, p->algorithm, p->x,
                      p->y, p->stride, p->window, p->dilation, p->pad_before, p->pad_after);
    else
        BACKWARD_ALIKE(made, pooling_v2_backward, pooling_backward, p->hint, p->algorithm, p->x,
                       p->y, p->stride, p->window, p->dilation, p->pad_before, p->pad_after);
    return made;
}

dnnl_primitive_desc_t onednn_describe_softmax(const struct onednn_softmax *s,
                                              const_dnnl_primitive_attr_t attributes)
{
    dnnl_primitive_desc_t made = NULL;

    if (is_forward(s->direction))
        FORWARD_ALIKE(made, softmax_v2_forward, softmax_forward, s->direction, s->algorithm, s->x,
                      s->y, s->axis);
    else
        BACKWARD_ALIKE(made, softmax_v2_backward, softmax_backward, s->hint, s->algorithm, s->dx,
                       s->dy, s->y, s->axis);
    return made;
}

dnnl_primitive_desc_t onednn_describe_lrn(const struct onednn_lrn *l,
                                          const_dnnl_primitive_attr_t attributes)
{
    const dnnl_alg_kind_t across = dnnl_lrn_across_channels;
    dnnl_primitive_desc_t made = NULL;

    if (is_forward(l->direction))
        FORWARD(made, lrn_forward, (l->direction, across, l->x, l->n, l->alpha, l->beta, l->k),
                lrn_forward, (l->direction, across, l->x, l->x, l->n, l->alpha, l->beta, l->k));
    else
        BACKWARD(made, lrn_backward, (across, l->dx, l->x, l->n, l->alpha, l->beta, l->k),
                 lrn_backward, (across, l->dx, l->dx, l->x, l->n, l->alpha, l->beta, l->k),
                 l->hint);
    return made;
}

dnnl_primitive_desc_t
onednn_describe_batch_normalization(const struct onednn_batch_normalization *b,
                                    const_dnnl_primitive_attr_t attributes)
{
    const unsigned flags = flags_of(b->flags);
    dnnl_primitive_desc_t made = NULL;

    if (is_forward(b->direction))
        FORWARD(made, batch_normalization_forward, (b->direction, b->x, b->epsilon, flags),
                batch_normalization_forward, (b->direction, b->x, b->x, b->epsilon, flags));
    else
        BACKWARD(made, batch_normalization_backward, (b->direction, b->dx, b->x, b->epsilon, flags),
                 batch_normalization_backward,
                 (b->direction, b->dx, b->dx, b->x, b->epsilon, flags), b->hint);
    return made;
}

dnnl_primitive_desc_t
onednn_describe_layer_normalization(const struct onednn_layer_normalization *l,
                                    const_dnnl_primitive_attr_t attributes)
{
    const unsigned flags = flags_of(l->flags);
    dnnl_primitive_desc_t made = NULL;

    if (is_forward(l->direction))
        FORWARD(made, layer_normalization_forward,
                (l->direction, l->x, l->statistics, l->epsilon, flags), layer_normalization_forward,
                (l->direction, l->x, l->x, l->statistics, l->epsilon, flags));
    else
        BACKWARD(made, layer_normalization_backward,
                 (l->direction, l->dx, l->x, l->statistics, l->epsilon, flags),
                 layer_normalization_backward,
                 (l->direction, l->dx, l->dx, l->x, l->statistics, l->epsilon, flags), l->hint);
    return made;
}

dnnl_primitive_desc_t onednn_describe_product(const struct onednn_product *p,
                                              const_dnnl_primitive_attr_t attributes)
{
    dnnl_primitive_desc_t made = NULL;

    FORWARD_ALIKE(made, matmul, matmul, p->a, p->b, p->bias, p->d);
    return made;
}

dnnl_primitive_desc_t onednn_describe_eltwise(const struct onednn_eltwise *e,
                                              const_dnnl_primitive_attr_t attributes)
{
    const dnnl_alg_kind_t algorithm = eltwise_of(e->algorithm);
    dnnl_primitive_desc_t made = NULL;

    if (is_forward(e->direction))
        FORWARD(made, eltwise_forward, (e->direction, algorithm, e->x, e->alpha, e->beta),
                eltwise_forward, (e->direction, algorithm, e->x, e->x, e->alpha, e->beta));
    else
        BACKWARD(made, eltwise_backward, (algorithm, e->dx, e->x, e->alpha, e->beta),
                 eltwise_backward, (algorithm, e->dx, e->dx, e->x, e->alpha, e->beta), e->hint);
    return made;
}

int onednn_append_relu(dnnl_post_ops_t post_ops)
{
    const dnnl_alg_kind_t relu = eltwise_of(dnnl_eltwise_relu);
    return !done(onednn_is_old ? onednn.append_eltwise_old(post_ops, 1, relu, 0, 0)
                               : onednn.append_eltwise(post_ops, relu, 0, 0));
}

dnnl_primitive_desc_t onednn_describe_reorder(onednn_layout from, onednn_layout to,
                                              const_dnnl_primitive_attr_t attributes)
{
    dnnl_primitive_desc_t made = NULL;
    dnnl_status_t status = onednn.dnnl_reorder_primitive_desc_create(&made, from, onednn_engine, to,
                                                                     onednn_engine, attributes);
    return done(status) ? made : NULL;
}
