/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN's shared library: opened at the first need, its functions in a table, its threads. */
#ifndef ONEDNN_LIBRARY_H
#define ONEDNN_LIBRARY_H

#include <stdint.h>

#include <oneapi/dnnl/dnnl.h>

/* The functions that both versions have under one name. */
#define ONEDNN_COMMON_FUNCTIONS(X)                                                                 \
    X(dnnl_version)                                                                                \
    X(dnnl_engine_create)                                                                          \
    X(dnnl_stream_create)                                                                          \
    X(dnnl_stream_destroy)                                                                         \
    X(dnnl_stream_wait)                                                                            \
    X(dnnl_memory_create)                                                                          \
    X(dnnl_memory_destroy)                                                                         \
    X(dnnl_memory_set_data_handle)                                                                 \
    X(dnnl_memory_desc_equal)                                                                      \
    X(dnnl_memory_desc_get_size)                                                                   \
    X(dnnl_post_ops_create)                                                                        \
    X(dnnl_post_ops_destroy)                                                                       \
    X(dnnl_post_ops_append_eltwise)                                                                \
    X(dnnl_primitive_attr_create)                                                                  \
    X(dnnl_primitive_attr_destroy)                                                                 \
    X(dnnl_primitive_attr_set_fpmath_mode)                                                         \
    X(dnnl_primitive_attr_set_post_ops)                                                            \
    X(dnnl_primitive_attr_set_scratchpad_mode)                                                     \
    X(dnnl_primitive_create)                                                                       \
    X(dnnl_primitive_destroy)                                                                      \
    X(dnnl_primitive_execute)                                                                      \
    X(dnnl_primitive_desc_destroy)                                                                 \
    X(dnnl_primitive_desc_query)                                                                   \
    X(dnnl_primitive_desc_query_md)                                                                \
    X(dnnl_reorder_primitive_desc_create)                                                          \
    X(dnnl_get_effective_cpu_isa)

#if DNNL_VERSION_MAJOR >= 3
#define ONEDNN_NEEDS_MINOR 0
#define ONEDNN_OWN_FUNCTIONS(X)                                                                    \
    X(dnnl_memory_desc_create_with_strides)                                                        \
    X(dnnl_memory_desc_create_with_tag)                                                            \
    X(dnnl_memory_desc_destroy)                                                                    \
    X(dnnl_convolution_forward_primitive_desc_create)                                              \
    X(dnnl_convolution_backward_data_primitive_desc_create)                                        \
    X(dnnl_convolution_backward_weights_primitive_desc_create)                                     \
    X(dnnl_inner_product_forward_primitive_desc_create)                                            \
    X(dnnl_inner_product_backward_data_primitive_desc_create)                                      \
    X(dnnl_inner_product_backward_weights_primitive_desc_create)                                   \
    X(dnnl_pooling_forward_primitive_desc_create)                                                  \
    X(dnnl_pooling_backward_primitive_desc_create)                                                 \
    X(dnnl_softmax_forward_primitive_desc_create)                                                  \
    X(dnnl_softmax_backward_primitive_desc_create)                                                 \
    X(dnnl_lrn_forward_primitive_desc_create)                                                      \
    X(dnnl_lrn_backward_primitive_desc_create)                                                     \
    X(dnnl_batch_normalization_forward_primitive_desc_create)                                      \
    X(dnnl_batch_normalization_backward_primitive_desc_create)                                     \
    X(dnnl_eltwise_forward_primitive_desc_create)                                                  \
    X(dnnl_eltwise_backward_primitive_desc_create)
#else
/* fpmath modes came with 2.6. */
#define ONEDNN_NEEDS_MINOR 6
#define ONEDNN_OWN_FUNCTIONS(X)                                                                    \
    X(dnnl_memory_desc_init_by_strides)                                                            \
    X(dnnl_memory_desc_init_by_tag)                                                                \
    X(dnnl_primitive_desc_create)                                                                  \
    X(dnnl_dilated_convolution_forward_desc_init)                                                  \
    X(dnnl_dilated_convolution_backward_data_desc_init)                                            \
    X(dnnl_dilated_convolution_backward_weights_desc_init)                                         \
    X(dnnl_inner_product_forward_desc_init)                                                        \
    X(dnnl_inner_product_backward_data_desc_init)                                                  \
    X(dnnl_inner_product_backward_weights_desc_init)                                               \
    X(dnnl_pooling_v2_forward_desc_init)                                                           \
    X(dnnl_pooling_v2_backward_desc_init)                                                          \
    X(dnnl_softmax_v2_forward_desc_init)                                                           \
    X(dnnl_softmax_v2_backward_desc_init)                                                          \
    X(dnnl_lrn_forward_desc_init)                                                                  \
    X(dnnl_lrn_backward_desc_init)                                                                 \
    X(dnnl_batch_normalization_forward_desc_init)                                                  \
    X(dnnl_batch_normalization_backward_desc_init)                                                 \
    X(dnnl_eltwise_forward_desc_init)                                                              \
    X(dnnl_eltwise_backward_desc_init)
#endif
#define ONEDNN_FUNCTIONS(X) ONEDNN_COMMON_FUNCTIONS(X) ONEDNN_OWN_FUNCTIONS(X)

/* onednn.dnnl_engine_create(...) and so on; filled once the library is open. */
struct onednn_functions {
#define ONEDNN_MEMBER(name) __typeof__(name) *name;
    ONEDNN_FUNCTIONS(ONEDNN_MEMBER)
#undef ONEDNN_MEMBER
};
extern struct onednn_functions onednn;

/* The processors, one engine for the process. */
extern dnnl_engine_t onednn_engine;

/* Opens the library at the first call; every call has the same answer: 0, or a status with a
 * sentence that names the library. The first failure also writes a warning. ONEDNN_ALLOC_FAILED for
 * want of memory or descriptors: then the next call tries again. */
int32_t onednn_library_open(const char **sentence);

/* Reads set.threads. Returns 0, or a status with a sentence at the host. */
int32_t onednn_threads_configure(void);

/* As it was read. */
int onednn_threads(void);

/* oneDNN asks OpenMP for the number of threads, a value of each thread: these two stand round
 * everything that makes or runs primitives. The first returns what the second takes back. A
 * primitive is to run in as many threads as it was made for. */
int onednn_threads_enter(int count);
void onednn_threads_leave(int before);

#endif
