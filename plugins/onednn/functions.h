/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the functions of oneDNN that this backend calls, with their types: those common to 2.6 and
 * 3.x, and those of one version only. */
#ifndef ONEDNN_FUNCTIONS_H
#define ONEDNN_FUNCTIONS_H

#include "dnnl.h"

/* The entries are X(result, name, (parameters)). */
#define ONEDNN_COMMON_FUNCTIONS(X)                                                                 \
    X(const dnnl_version_t *, dnnl_version, (void))                                                \
    X(dnnl_status_t, dnnl_engine_create, (dnnl_engine_t *, dnnl_engine_kind_t, size_t))            \
    X(dnnl_status_t, dnnl_stream_create, (dnnl_stream_t *, dnnl_engine_t, unsigned))               \
    X(dnnl_status_t, dnnl_stream_destroy, (dnnl_stream_t))                                         \
    X(dnnl_status_t, dnnl_stream_wait, (dnnl_stream_t))                                            \
    X(dnnl_status_t, dnnl_memory_create,                                                           \
      (dnnl_memory_t *, const_dnnl_memory_desc_t, dnnl_engine_t, void *))                          \
    X(dnnl_status_t, dnnl_memory_destroy, (dnnl_memory_t))                                         \
    X(dnnl_status_t, dnnl_memory_set_data_handle, (dnnl_memory_t, void *))                         \
    X(int, dnnl_memory_desc_equal, (const_dnnl_memory_desc_t, const_dnnl_memory_desc_t))           \
    X(size_t, dnnl_memory_desc_get_size, (const_dnnl_memory_desc_t))                               \
    X(dnnl_status_t, dnnl_post_ops_create, (dnnl_post_ops_t *))                                    \
    X(dnnl_status_t, dnnl_post_ops_destroy, (dnnl_post_ops_t))                                     \
    X(dnnl_status_t, dnnl_primitive_attr_create, (dnnl_primitive_attr_t *))                        \
    X(dnnl_status_t, dnnl_primitive_attr_destroy, (dnnl_primitive_attr_t))                         \
    X(dnnl_status_t, dnnl_primitive_attr_set_fpmath_mode,                                          \
      (dnnl_primitive_attr_t, dnnl_fpmath_mode_t))                                                 \
    X(dnnl_status_t, dnnl_primitive_attr_set_post_ops,                                             \
      (dnnl_primitive_attr_t, const_dnnl_post_ops_t))                                              \
    X(dnnl_status_t, dnnl_primitive_attr_set_scratchpad_mode,                                      \
      (dnnl_primitive_attr_t, dnnl_scratchpad_mode_t))                                             \
    X(dnnl_status_t, dnnl_primitive_create, (dnnl_primitive_t *, const_dnnl_primitive_desc_t))     \
    X(dnnl_status_t, dnnl_primitive_destroy, (dnnl_primitive_t))                                   \
    X(dnnl_status_t, dnnl_primitive_execute,                                                       \
      (const_dnnl_primitive_t, dnnl_stream_t, int, const dnnl_exec_arg_t *))                       \
    X(dnnl_status_t, dnnl_primitive_desc_destroy, (dnnl_primitive_desc_t))                         \
    X(dnnl_status_t, dnnl_primitive_desc_query,                                                    \
      (const_dnnl_primitive_desc_t, dnnl_query_t, int, void *))                                    \
    X(const_dnnl_memory_desc_t, dnnl_primitive_desc_query_md,                                      \
      (const_dnnl_primitive_desc_t, dnnl_query_t, int))                                            \
    X(dnnl_status_t, dnnl_reorder_primitive_desc_create,                                           \
      (dnnl_primitive_desc_t *, const_dnnl_memory_desc_t, dnnl_engine_t, const_dnnl_memory_desc_t, \
       dnnl_engine_t, const_dnnl_primitive_attr_t))                                                \
    X(dnnl_cpu_isa_t, dnnl_get_effective_cpu_isa, (void))

/* The functions of 3.x. Hints precede the attributes. */
#define ONEDNN_NEW_FUNCTIONS(X)                                                                    \
    X(dnnl_status_t, dnnl_memory_desc_create_with_strides,                                         \
      (dnnl_memory_desc_t *, int, const int64_t *, dnnl_data_type_t, const int64_t *))             \
    X(dnnl_status_t, dnnl_memory_desc_create_with_tag,                                             \
      (dnnl_memory_desc_t *, int, const int64_t *, dnnl_data_type_t, dnnl_format_tag_t))           \
    X(dnnl_status_t, dnnl_memory_desc_destroy, (dnnl_memory_desc_t))                               \
    X(dnnl_status_t, dnnl_convolution_forward_primitive_desc_create,                               \
      (dnnl_primitive_desc_t *, dnnl_engine_t, dnnl_prop_kind_t, dnnl_alg_kind_t,                  \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, const_dnnl_memory_desc_t,               \
       const_dnnl_memory_desc_t, const int64_t *, const int64_t *, const int64_t *,                \
       const int64_t *, const_dnnl_primitive_attr_t))                                              \
    X(dnnl_status_t, dnnl_convolution_backward_data_primitive_desc_create,                         \
      (dnnl_primitive_desc_t *, dnnl_engine_t, dnnl_alg_kind_t, const_dnnl_memory_desc_t,          \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, const int64_t *, const int64_t *,       \
       const int64_t *, const int64_t *, const_dnnl_primitive_desc_t,                              \
       const_dnnl_primitive_attr_t))                                                               \
    X(dnnl_status_t, dnnl_convolution_backward_weights_primitive_desc_create,                      \
      (dnnl_primitive_desc_t *, dnnl_engine_t, dnnl_alg_kind_t, const_dnnl_memory_desc_t,          \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, const_dnnl_memory_desc_t,               \
       const int64_t *, const int64_t *, const int64_t *, const int64_t *,                         \
       const_dnnl_primitive_desc_t, const_dnnl_primitive_attr_t))                                  \
    X(dnnl_status_t, dnnl_inner_product_forward_primitive_desc_create,                             \
      (dnnl_primitive_desc_t *, dnnl_engine_t, dnnl_prop_kind_t, const_dnnl_memory_desc_t,         \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, const_dnnl_memory_desc_t,               \
       const_dnnl_primitive_attr_t))                                                               \
    X(dnnl_status_t, dnnl_inner_product_backward_data_primitive_desc_create,                       \
      (dnnl_primitive_desc_t *, dnnl_engine_t, const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, \
       const_dnnl_memory_desc_t, const_dnnl_primitive_desc_t, const_dnnl_primitive_attr_t))        \
    X(dnnl_status_t, dnnl_inner_product_backward_weights_primitive_desc_create,                    \
      (dnnl_primitive_desc_t *, dnnl_engine_t, const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, const_dnnl_primitive_desc_t,            \
       const_dnnl_primitive_attr_t))                                                               \
    X(dnnl_status_t, dnnl_pooling_forward_primitive_desc_create,                                   \
      (dnnl_primitive_desc_t *, dnnl_engine_t, dnnl_prop_kind_t, dnnl_alg_kind_t,                  \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, const int64_t *, const int64_t *,       \
       const int64_t *, const int64_t *, const int64_t *, const_dnnl_primitive_attr_t))            \
    X(dnnl_status_t, dnnl_pooling_backward_primitive_desc_create,                                  \
      (dnnl_primitive_desc_t *, dnnl_engine_t, dnnl_alg_kind_t, const_dnnl_memory_desc_t,          \
       const_dnnl_memory_desc_t, const int64_t *, const int64_t *, const int64_t *,                \
       const int64_t *, const int64_t *, const_dnnl_primitive_desc_t,                              \
       const_dnnl_primitive_attr_t))                                                               \
    X(dnnl_status_t, dnnl_softmax_forward_primitive_desc_create,                                   \
      (dnnl_primitive_desc_t *, dnnl_engine_t, dnnl_prop_kind_t, dnnl_alg_kind_t,                  \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, int, const_dnnl_primitive_attr_t))      \
    X(dnnl_status_t, dnnl_softmax_backward_primitive_desc_create,                                  \
      (dnnl_primitive_desc_t *, dnnl_engine_t, dnnl_alg_kind_t, const_dnnl_memory_desc_t,          \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, int, const_dnnl_primitive_desc_t,       \
       const_dnnl_primitive_attr_t))                                                               \
    X(dnnl_status_t, dnnl_lrn_forward_primitive_desc_create,                                       \
      (dnnl_primitive_desc_t *, dnnl_engine_t, dnnl_prop_kind_t, dnnl_alg_kind_t,                  \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, int64_t, float, float, float,           \
       const_dnnl_primitive_attr_t))                                                               \
    X(dnnl_status_t, dnnl_lrn_backward_primitive_desc_create,                                      \
      (dnnl_primitive_desc_t *, dnnl_engine_t, dnnl_alg_kind_t, const_dnnl_memory_desc_t,          \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, int64_t, float, float, float,           \
       const_dnnl_primitive_desc_t, const_dnnl_primitive_attr_t))                                  \
    X(dnnl_status_t, dnnl_batch_normalization_forward_primitive_desc_create,                       \
      (dnnl_primitive_desc_t *, dnnl_engine_t, dnnl_prop_kind_t, const_dnnl_memory_desc_t,         \
       const_dnnl_memory_desc_t, float, unsigned, const_dnnl_primitive_attr_t))                    \
    X(dnnl_status_t, dnnl_batch_normalization_backward_primitive_desc_create,                      \
      (dnnl_primitive_desc_t *, dnnl_engine_t, dnnl_prop_kind_t, const_dnnl_memory_desc_t,         \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, float, unsigned,                        \
       const_dnnl_primitive_desc_t, const_dnnl_primitive_attr_t))                                  \
    X(dnnl_status_t, dnnl_layer_normalization_forward_primitive_desc_create,                       \
      (dnnl_primitive_desc_t *, dnnl_engine_t, dnnl_prop_kind_t, const_dnnl_memory_desc_t,         \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, float, unsigned,                        \
       const_dnnl_primitive_attr_t))                                                               \
    X(dnnl_status_t, dnnl_layer_normalization_backward_primitive_desc_create,                      \
      (dnnl_primitive_desc_t *, dnnl_engine_t, dnnl_prop_kind_t, const_dnnl_memory_desc_t,         \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, float,        \
       unsigned, const_dnnl_primitive_desc_t, const_dnnl_primitive_attr_t))                        \
    X(dnnl_status_t, dnnl_matmul_primitive_desc_create,                                            \
      (dnnl_primitive_desc_t *, dnnl_engine_t, const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, const_dnnl_primitive_attr_t))           \
    X(dnnl_status_t, dnnl_eltwise_forward_primitive_desc_create,                                   \
      (dnnl_primitive_desc_t *, dnnl_engine_t, dnnl_prop_kind_t, dnnl_alg_kind_t,                  \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, float, float,                           \
       const_dnnl_primitive_attr_t))                                                               \
    X(dnnl_status_t, dnnl_eltwise_backward_primitive_desc_create,                                  \
      (dnnl_primitive_desc_t *, dnnl_engine_t, dnnl_alg_kind_t, const_dnnl_memory_desc_t,          \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, float, float,                           \
       const_dnnl_primitive_desc_t, const_dnnl_primitive_attr_t))

/* The functions of 2.6, the first version with fpmath modes. */
#define ONEDNN_OLD_FUNCTIONS(X)                                                                    \
    X(dnnl_status_t, dnnl_memory_desc_init_by_strides,                                             \
      (union onednn_old_memory_desc *, int, const int64_t *, dnnl_data_type_t, const int64_t *))   \
    X(dnnl_status_t, dnnl_memory_desc_init_by_tag,                                                 \
      (union onednn_old_memory_desc *, int, const int64_t *, dnnl_data_type_t, dnnl_format_tag_t)) \
    X(dnnl_status_t, dnnl_primitive_desc_create,                                                   \
      (dnnl_primitive_desc_t *, const union onednn_old_description *, const_dnnl_primitive_attr_t, \
       dnnl_engine_t, const_dnnl_primitive_desc_t))                                                \
    X(dnnl_status_t, dnnl_dilated_convolution_forward_desc_init,                                   \
      (union onednn_old_description *, dnnl_prop_kind_t, dnnl_alg_kind_t,                          \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, const_dnnl_memory_desc_t,               \
       const_dnnl_memory_desc_t, const int64_t *, const int64_t *, const int64_t *,                \
       const int64_t *))                                                                           \
    X(dnnl_status_t, dnnl_dilated_convolution_backward_data_desc_init,                             \
      (union onednn_old_description *, dnnl_alg_kind_t, const_dnnl_memory_desc_t,                  \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, const int64_t *, const int64_t *,       \
       const int64_t *, const int64_t *))                                                          \
    X(dnnl_status_t, dnnl_dilated_convolution_backward_weights_desc_init,                          \
      (union onednn_old_description *, dnnl_alg_kind_t, const_dnnl_memory_desc_t,                  \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, const_dnnl_memory_desc_t,               \
       const int64_t *, const int64_t *, const int64_t *, const int64_t *))                        \
    X(dnnl_status_t, dnnl_inner_product_forward_desc_init,                                         \
      (union onednn_old_description *, dnnl_prop_kind_t, const_dnnl_memory_desc_t,                 \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, const_dnnl_memory_desc_t))              \
    X(dnnl_status_t, dnnl_inner_product_backward_data_desc_init,                                   \
      (union onednn_old_description *, const_dnnl_memory_desc_t, const_dnnl_memory_desc_t,         \
       const_dnnl_memory_desc_t))                                                                  \
    X(dnnl_status_t, dnnl_inner_product_backward_weights_desc_init,                                \
      (union onednn_old_description *, const_dnnl_memory_desc_t, const_dnnl_memory_desc_t,         \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t))                                        \
    X(dnnl_status_t, dnnl_pooling_v2_forward_desc_init,                                            \
      (union onednn_old_description *, dnnl_prop_kind_t, dnnl_alg_kind_t,                          \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, const int64_t *, const int64_t *,       \
       const int64_t *, const int64_t *, const int64_t *))                                         \
    X(dnnl_status_t, dnnl_pooling_v2_backward_desc_init,                                           \
      (union onednn_old_description *, dnnl_alg_kind_t, const_dnnl_memory_desc_t,                  \
       const_dnnl_memory_desc_t, const int64_t *, const int64_t *, const int64_t *,                \
       const int64_t *, const int64_t *))                                                          \
    X(dnnl_status_t, dnnl_softmax_v2_forward_desc_init,                                            \
      (union onednn_old_description *, dnnl_prop_kind_t, dnnl_alg_kind_t,                          \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, int))                                   \
    X(dnnl_status_t, dnnl_softmax_v2_backward_desc_init,                                           \
      (union onednn_old_description *, dnnl_alg_kind_t, const_dnnl_memory_desc_t,                  \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, int))                                   \
    X(dnnl_status_t, dnnl_lrn_forward_desc_init,                                                   \
      (union onednn_old_description *, dnnl_prop_kind_t, dnnl_alg_kind_t,                          \
       const_dnnl_memory_desc_t, int64_t, float, float, float))                                    \
    X(dnnl_status_t, dnnl_lrn_backward_desc_init,                                                  \
      (union onednn_old_description *, dnnl_alg_kind_t, const_dnnl_memory_desc_t,                  \
       const_dnnl_memory_desc_t, int64_t, float, float, float))                                    \
    X(dnnl_status_t, dnnl_batch_normalization_forward_desc_init,                                   \
      (union onednn_old_description *, dnnl_prop_kind_t, const_dnnl_memory_desc_t, float,          \
       unsigned))                                                                                  \
    X(dnnl_status_t, dnnl_batch_normalization_backward_desc_init,                                  \
      (union onednn_old_description *, dnnl_prop_kind_t, const_dnnl_memory_desc_t,                 \
       const_dnnl_memory_desc_t, float, unsigned))                                                 \
    X(dnnl_status_t, dnnl_layer_normalization_forward_desc_init,                                   \
      (union onednn_old_description *, dnnl_prop_kind_t, const_dnnl_memory_desc_t,                 \
       const_dnnl_memory_desc_t, float, unsigned))                                                 \
    X(dnnl_status_t, dnnl_layer_normalization_backward_desc_init,                                  \
      (union onednn_old_description *, dnnl_prop_kind_t, const_dnnl_memory_desc_t,                 \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, float, unsigned))                       \
    X(dnnl_status_t, dnnl_matmul_desc_init,                                                        \
      (union onednn_old_description *, const_dnnl_memory_desc_t, const_dnnl_memory_desc_t,         \
       const_dnnl_memory_desc_t, const_dnnl_memory_desc_t))                                        \
    X(dnnl_status_t, dnnl_eltwise_forward_desc_init,                                               \
      (union onednn_old_description *, dnnl_prop_kind_t, dnnl_alg_kind_t,                          \
       const_dnnl_memory_desc_t, float, float))                                                    \
    X(dnnl_status_t, dnnl_eltwise_backward_desc_init,                                              \
      (union onednn_old_description *, dnnl_alg_kind_t, const_dnnl_memory_desc_t,                  \
       const_dnnl_memory_desc_t, float, float))

/* This function has an extra argument in 2.6, the scale, which 3.x removed. */
#define ONEDNN_APPEND_ELTWISE "dnnl_post_ops_append_eltwise"

struct onednn_functions {
#define ONEDNN_MEMBER(result, name, parameters) result(*name) parameters;
    ONEDNN_COMMON_FUNCTIONS(ONEDNN_MEMBER)
    ONEDNN_NEW_FUNCTIONS(ONEDNN_MEMBER)
    ONEDNN_OLD_FUNCTIONS(ONEDNN_MEMBER)
#undef ONEDNN_MEMBER
    dnnl_status_t (*append_eltwise)(dnnl_post_ops_t, dnnl_alg_kind_t, float, float);
    dnnl_status_t (*append_eltwise_old)(dnnl_post_ops_t, float, dnnl_alg_kind_t, float, float);
};

#endif
