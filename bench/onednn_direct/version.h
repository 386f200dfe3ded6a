/* SPDX-License-Identifier: Apache-2.0 */
/* The few calls of oneDNN that changed from version 2 to 3, under common names. */
#ifndef ONEDNN_DIRECT_VERSION_H
#define ONEDNN_DIRECT_VERSION_H

#include <oneapi/dnnl/dnnl.h>
#include <stdlib.h>

/* Memory descriptors are passed as `md`, a pointer that is never written through. */
#if DNNL_VERSION_MAJOR >= 3
typedef const_dnnl_memory_desc_t md;
#else
typedef const dnnl_memory_desc_t *md;
#endif

/* The geometry for every direction. */
struct geometry {
    md tensor[3]; /* x, w, y */
    dnnl_dims_t stride, dilation, pad;
};

#if DNNL_VERSION_MAJOR >= 3

static inline dnnl_status_t md_make(md *made, int ndims, const dnnl_dims_t dims,
                                    dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t desc = NULL;
    dnnl_status_t status = dnnl_memory_desc_create_with_tag(&desc, ndims, dims, dnnl_f32, tag);

    *made = desc;
    return status;
}

static inline void md_free(md desc)
{
    dnnl_memory_desc_destroy((dnnl_memory_desc_t)desc);
}

static inline dnnl_status_t forward_make(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                         const struct geometry *g)
{
    return dnnl_convolution_forward_primitive_desc_create(
        pd, engine, dnnl_forward_training, dnnl_convolution_direct, g->tensor[0], g->tensor[1],
        NULL, g->tensor[2], g->stride, g->dilation, g->pad, g->pad, NULL);
}

static inline dnnl_status_t backward_data_make(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                               const struct geometry *g, dnnl_primitive_desc_t hint)
{
    return dnnl_convolution_backward_data_primitive_desc_create(
        pd, engine, dnnl_convolution_direct, g->tensor[0], g->tensor[1], g->tensor[2], g->stride,
        g->dilation, g->pad, g->pad, hint, NULL);
}

static inline dnnl_status_t backward_filter_make(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                 const struct geometry *g,
                                                 dnnl_primitive_desc_t hint)
{
    return dnnl_convolution_backward_weights_primitive_desc_create(
        pd, engine, dnnl_convolution_direct, g->tensor[0], g->tensor[1], NULL, g->tensor[2],
        g->stride, g->dilation, g->pad, g->pad, hint, NULL);
}

#else

static inline dnnl_status_t md_make(md *made, int ndims, const dnnl_dims_t dims,
                                    dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t *desc = malloc(sizeof *desc);

    *made = desc;
    return desc ? dnnl_memory_desc_init_by_tag(desc, ndims, dims, dnnl_f32, tag)
                : dnnl_out_of_memory;
}

static inline void md_free(md desc)
{
    free((void *)desc);
}

static inline dnnl_status_t forward_make(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                         const struct geometry *g)
{
    dnnl_convolution_desc_t desc;
    dnnl_status_t status = dnnl_dilated_convolution_forward_desc_init(
        &desc, dnnl_forward_training, dnnl_convolution_direct, g->tensor[0], g->tensor[1], NULL,
        g->tensor[2], g->stride, g->dilation, g->pad, g->pad);

    return status ? status : dnnl_primitive_desc_create(pd, &desc, NULL, engine, NULL);
}

static inline dnnl_status_t backward_data_make(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                               const struct geometry *g, dnnl_primitive_desc_t hint)
{
    dnnl_convolution_desc_t desc;
    dnnl_status_t status = dnnl_dilated_convolution_backward_data_desc_init(
        &desc, dnnl_convolution_direct, g->tensor[0], g->tensor[1], g->tensor[2], g->stride,
        g->dilation, g->pad, g->pad);

    return status ? status : dnnl_primitive_desc_create(pd, &desc, NULL, engine, hint);
}

static inline dnnl_status_t backward_filter_make(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                 const struct geometry *g,
                                                 dnnl_primitive_desc_t hint)
{
    dnnl_convolution_desc_t desc;
    dnnl_status_t status = dnnl_dilated_convolution_backward_weights_desc_init(
        &desc, dnnl_convolution_direct, g->tensor[0], g->tensor[1], NULL, g->tensor[2], g->stride,
        g->dilation, g->pad, g->pad);

    return status ? status : dnnl_primitive_desc_create(pd, &desc, NULL, engine, hint);
}

#endif

/* Returns 1 if two descriptors mean the same memory. */
static inline int md_same(md a, md b)
{
    return dnnl_memory_desc_equal(a, b);
}

#endif
