/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN 2.6 and 3.x: the only file with both in it. */
#include "adapter.h"

#include "onednn.h"

#include <string.h>

/* Set by whatever lacked memory, since what is made is NULL for other reasons, too. */
static _Thread_local int starved;

int onednn_starved(void)
{
    int was = starved;

    starved = 0;
    return was;
}

static int done(dnnl_status_t status)
{
    starved |= status == dnnl_out_of_memory;
    return status == dnnl_success;
}

#define DONE(call) done(call)

#if DNNL_VERSION_MAJOR >= 3

static onednn_layout layout_by_strides(dnnl_data_type_t type, int32_t ndims, const int64_t *dims,
                                       const int64_t *strides)
{
    dnnl_memory_desc_t layout = NULL;
    return DONE(onednn.dnnl_memory_desc_create_with_strides(&layout, ndims, dims, type, strides))
               ? layout
               : NULL;
}

static onednn_layout layout_by_tag(dnnl_data_type_t type, int32_t ndims, const int64_t *dims,
                                   dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t layout = NULL;
    return DONE(onednn.dnnl_memory_desc_create_with_tag(&layout, ndims, dims, type, tag)) ? layout
                                                                                          : NULL;
}

void onednn_layout_destroy(onednn_layout layout)
{
    onednn.dnnl_memory_desc_destroy((dnnl_memory_desc_t)layout);
}

/* Both give `made` its value, the descriptor or NULL: by the function of 3.x, with the arguments.
 * TWICE stands where 3.x wants the layout of each side and 2.6 one for both. */
#define FORWARD(made, old_type, old_function, name, ...)                                           \
    ((made) = NULL, (void)DONE(onednn.dnnl_##name##_primitive_desc_create(                         \
                        &(made), onednn_engine, __VA_ARGS__, attributes)))
#define BACKWARD(made, old_type, old_function, name, hint, ...)                                    \
    ((made) = NULL, (void)DONE(onednn.dnnl_##name##_primitive_desc_create(                         \
                        &(made), onednn_engine, __VA_ARGS__, hint, attributes)))
#define TWICE(layout) layout, layout
#define NO_SCALE

#else

/* `filled` says whether oneDNN has filled the layout. */
static onednn_layout keep_or_free(dnnl_memory_desc_t *layout, int filled)
{
    if (filled)
        return layout;
    onednn_host->free(layout);
    return NULL;
}

static onednn_layout layout_by_strides(dnnl_data_type_t type, int32_t ndims, const int64_t *dims,
                                       const int64_t *strides)
{
    dnnl_memory_desc_t *layout = onednn_host->alloc(sizeof *layout);

    starved |= !layout;
    return layout ? keep_or_free(layout, DONE(onednn.dnnl_memory_desc_init_by_strides(
                                             layout, ndims, dims, type, strides)))
                  : NULL;
}

static onednn_layout layout_by_tag(dnnl_data_type_t type, int32_t ndims, const int64_t *dims,
                                   dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t *layout = onednn_host->alloc(sizeof *layout);

    starved |= !layout;
    return layout ? keep_or_free(layout, DONE(onednn.dnnl_memory_desc_init_by_tag(layout, ndims,
                                                                                  dims, type, tag)))
                  : NULL;
}

void onednn_layout_destroy(onednn_layout layout)
{
    onednn_host->free((void *)layout);
}

/* By the function of 2.6 that fills a description, and then from that. */
#define BACKWARD(made, old_type, old_function, name, hint, ...)                                    \
    do {                                                                                           \
        dnnl_##old_type##_desc_t description;                                                      \
        (made) = NULL;                                                                             \
        if (DONE(onednn.dnnl_##old_function##_desc_init(&description, __VA_ARGS__)))               \
            (void)DONE(onednn.dnnl_primitive_desc_create(&(made), &description, attributes,        \
                                                         onednn_engine, hint));                    \
    } while (0)
#define FORWARD(made, old_type, old_function, name, ...)                                           \
    BACKWARD(made, old_type, old_function, name, NULL, __VA_ARGS__)
#define TWICE(layout) layout
#define NO_SCALE      1,
#endif

onednn_layout onednn_layout_create(dnnl_data_type_t type, int32_t ndims, const int64_t *dims,
                                   const int64_t *strides)
{
    return strides ? layout_by_strides(type, ndims, dims, strides)
                   : layout_by_tag(type, ndims, dims, dnnl_format_tag_any);
}

onednn_layout onednn_layout_blocked(dnnl_data_type_t type, int32_t ndims, const int64_t *dims)
{
    static const dnnl_format_tag_t tags[] = {dnnl_aBc16b, dnnl_aBcd16b, dnnl_aBcde16b};
    return layout_by_tag(type, ndims, dims, tags[ndims - 3]);
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
    return DONE(status) && name ? name : "";
}

/* Bits that dnnl_cpu_isa_t sets for what an instruction set has beyond its predecessors'. */
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
    dnnl_primitive_desc_t made;

    if (c->direction == dnnl_backward_data)
        BACKWARD(made, convolution, dilated_convolution_backward_data, convolution_backward_data,
                 NULL, c->algorithm, c->x, c->w, c->y, c->stride, c->dilation, c->pad_before,
                 c->pad_after);
    else if (c->direction == dnnl_backward_weights)
        BACKWARD(made, convolution, dilated_convolution_backward_weights,
                 convolution_backward_weights, NULL, c->algorithm, c->x, c->w, c->bias, c->y,
                 c->stride, c->dilation, c->pad_before, c->pad_after);
    else
        FORWARD(made, convolution, dilated_convolution_forward, convolution_forward, c->direction,
                c->algorithm, c->x, c->w, c->bias, c->y, c->stride, c->dilation, c->pad_before,
                c->pad_after);
    return made;
}

dnnl_primitive_desc_t onednn_describe_inner_product(const struct onednn_convolution *c,
                                                    const_dnnl_primitive_attr_t attributes)
{
    dnnl_primitive_desc_t made;

    if (c->direction == dnnl_backward_data)
        BACKWARD(made, inner_product, inner_product_backward_data, inner_product_backward_data,
                 NULL, c->x, c->w, c->y);
    else if (c->direction == dnnl_backward_weights)
        BACKWARD(made, inner_product, inner_product_backward_weights,
                 inner_product_backward_weights, NULL, c->x, c->w, c->bias, c->y);
    else
        FORWARD(made, inner_product, inner_product_forward, inner_product_forward, c->direction,
                c->x, c->w, c->bias, c->y);
    return made;
}

dnnl_primitive_desc_t onednn_describe_pooling(const struct onednn_pooling *p,
                                              const_dnnl_primitive_attr_t attributes)
{
    dnnl_primitive_desc_t made;

    if (is_forward(p->direction))
        FORWARD(made, pooling_v2, pooling_v2_forward, pooling_forward, p->direction, p->algorithm,
                p->x, p->y, p->stride, p->window, p->dilation, p->pad_before, p->pad_after);
    else
        BACKWARD(made, pooling_v2, pooling_v2_backward, pooling_backward, p->hint, p->algorithm,
                 p->x, p->y, p->stride, p->window, p->dilation, p->pad_before, p->pad_after);
    return made;
}

dnnl_primitive_desc_t onednn_describe_softmax(const struct onednn_softmax *s,
                                              const_dnnl_primitive_attr_t attributes)
{
    dnnl_primitive_desc_t made;

    if (is_forward(s->direction))
        FORWARD(made, softmax_v2, softmax_v2_forward, softmax_forward, s->direction, s->algorithm,
                s->x, s->y, s->axis);
    else
        BACKWARD(made, softmax_v2, softmax_v2_backward, softmax_backward, s->hint, s->algorithm,
                 s->dx, s->dy, s->y, s->axis);
    return made;
}

dnnl_primitive_desc_t onednn_describe_lrn(const struct onednn_lrn *l,
                                          const_dnnl_primitive_attr_t attributes)
{
    dnnl_primitive_desc_t made;

    if (is_forward(l->direction))
        FORWARD(made, lrn, lrn_forward, lrn_forward, l->direction, dnnl_lrn_across_channels,
                TWICE(l->x), l->n, l->alpha, l->beta, l->k);
    else
        BACKWARD(made, lrn, lrn_backward, lrn_backward, l->hint, dnnl_lrn_across_channels,
                 TWICE(l->dx), l->x, l->n, l->alpha, l->beta, l->k);
    return made;
}

dnnl_primitive_desc_t
onednn_describe_batch_normalization(const struct onednn_batch_normalization *b,
                                    const_dnnl_primitive_attr_t attributes)
{
    dnnl_primitive_desc_t made;

    if (is_forward(b->direction))
        FORWARD(made, batch_normalization, batch_normalization_forward, batch_normalization_forward,
                b->direction, TWICE(b->x), b->epsilon, b->flags);
    else
        BACKWARD(made, batch_normalization, batch_normalization_backward,
                 batch_normalization_backward, b->hint, b->direction, TWICE(b->dx), b->x,
                 b->epsilon, b->flags);
    return made;
}

dnnl_primitive_desc_t onednn_describe_eltwise(const struct onednn_eltwise *e,
                                              const_dnnl_primitive_attr_t attributes)
{
    dnnl_primitive_desc_t made;

    if (is_forward(e->direction))
        FORWARD(made, eltwise, eltwise_forward, eltwise_forward, e->direction, e->algorithm,
                TWICE(e->x), e->alpha, e->beta);
    else
        BACKWARD(made, eltwise, eltwise_backward, eltwise_backward, e->hint, e->algorithm,
                 TWICE(e->dx), e->x, e->alpha, e->beta);
    return made;
}

int onednn_append_relu(dnnl_post_ops_t post_ops)
{
    return !DONE(onednn.dnnl_post_ops_append_eltwise(post_ops, NO_SCALE dnnl_eltwise_relu, 0, 0));
}

dnnl_primitive_desc_t onednn_describe_reorder(onednn_layout from, onednn_layout to,
                                              const_dnnl_primitive_attr_t attributes)
{
    dnnl_primitive_desc_t made = NULL;
    dnnl_status_t status = onednn.dnnl_reorder_primitive_desc_create(&made, from, onednn_engine, to,
                                                                     onednn_engine, attributes);
    return DONE(status) ? made : NULL;
}
