/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declares the parts of oneDNN's C interface that this backend uses, for 2.6 and 3.x at once, so
 * that one build serves either library. Names are oneDNN's. A constant that differs between the
 * versions has its value of 3.x; ONEDNN_OLD_TAGS and similar lists give that of 2.6. tests/onednn
 * compares all constants with the installed headers.
 */
#ifndef ONEDNN_DNNL_H
#define ONEDNN_DNNL_H

#include <stddef.h>
#include <stdint.h>

typedef int64_t dnnl_dim_t;
typedef dnnl_dim_t dnnl_dims_t[12];

typedef enum {
    dnnl_success = 0,
    dnnl_out_of_memory = 1,
    dnnl_invalid_arguments = 2,
} dnnl_status_t;

typedef enum {
    dnnl_f16 = 1,
    dnnl_bf16 = 2,
    dnnl_f32 = 3,
    dnnl_s32 = 4,
    dnnl_s8 = 5,
    dnnl_u8 = 6,
} dnnl_data_type_t;

typedef enum {
    dnnl_format_tag_any = 1,
    dnnl_aBc16b = 56,
    dnnl_aBcd16b = 78,
    dnnl_aBcde16b = 121,
} dnnl_format_tag_t;

typedef enum {
    dnnl_forward_training = 64,
    dnnl_forward_inference = 96,
    dnnl_backward = 128,
    dnnl_backward_data = 160,
    dnnl_backward_weights = 192,
} dnnl_prop_kind_t;

typedef enum {
    dnnl_convolution_direct = 0x1,
    dnnl_convolution_winograd = 0x2,
    dnnl_eltwise_relu = 0x20,
    dnnl_eltwise_tanh = 0x21,
    dnnl_eltwise_logistic = 0x29,
    dnnl_eltwise_swish = 0x2c,
    dnnl_eltwise_clip = 0x2e,
    dnnl_eltwise_tanh_use_dst_for_bwd = 0x101,
    dnnl_eltwise_logistic_use_dst_for_bwd = 0x104,
    dnnl_pooling_max = 0x1ff,
    dnnl_pooling_avg_include_padding = 0x2ff,
    dnnl_pooling_avg_exclude_padding = 0x3ff,
    dnnl_lrn_across_channels = 0xaff,
    dnnl_softmax_accurate = 0x30000,
    dnnl_softmax_log = 0x30001,
} dnnl_alg_kind_t;

/* The entries are X(name, value in 2.6). */
#define ONEDNN_OLD_TAGS(X) X(dnnl_aBc16b, 47) X(dnnl_aBcd16b, 69) X(dnnl_aBcde16b, 112)
#define ONEDNN_OLD_ELTWISE(X)                                                                      \
    X(dnnl_eltwise_relu, 0x1f)                                                                     \
    X(dnnl_eltwise_tanh, 0x2f)                                                                     \
    X(dnnl_eltwise_logistic, 0xaf) X(dnnl_eltwise_swish, 0xdf) X(dnnl_eltwise_clip, 0xff)
#define ONEDNN_OLD_FLAGS(X) X(dnnl_use_scale, 0x8) X(dnnl_use_shift, 0x10)

/* The flags of batch and layer normalization. */
enum {
    dnnl_use_global_stats = 0x1,
    dnnl_use_scale = 0x2,
    dnnl_use_shift = 0x4,
};

typedef enum {
    dnnl_query_impl_info_str = 8,
    dnnl_query_src_md = 129,
    dnnl_query_diff_src_md = 130,
    dnnl_query_weights_md = 131,
    dnnl_query_diff_weights_md = 132,
    dnnl_query_dst_md = 133,
    dnnl_query_diff_dst_md = 134,
    dnnl_query_workspace_md = 135,
    dnnl_query_scratchpad_md = 136,
} dnnl_query_t;

enum {
    DNNL_ARG_SRC = 1,
    DNNL_ARG_FROM = DNNL_ARG_SRC,
    DNNL_ARG_DST = 17,
    DNNL_ARG_TO = DNNL_ARG_DST,
    DNNL_ARG_WEIGHTS = 33,
    DNNL_ARG_BIAS = 41,
    DNNL_ARG_MEAN = 49,
    DNNL_ARG_VARIANCE = 50,
    DNNL_ARG_SCALE = 51,
    DNNL_ARG_SHIFT = 52,
    DNNL_ARG_WORKSPACE = 64,
    DNNL_ARG_SCRATCHPAD = 80,
    DNNL_ARG_DIFF_SRC = 129,
    DNNL_ARG_DIFF_DST = 145,
    DNNL_ARG_DIFF_WEIGHTS = 161,
    DNNL_ARG_DIFF_SCALE = 255,
    DNNL_ARG_DIFF_SHIFT = 256,
};

typedef enum { dnnl_cpu = 1 } dnnl_engine_kind_t;
typedef enum { dnnl_stream_default_flags = 1 } dnnl_stream_flags_t;
typedef enum { dnnl_scratchpad_mode_user = 1 } dnnl_scratchpad_mode_t;
typedef enum { dnnl_fpmath_mode_strict = 0 } dnnl_fpmath_mode_t;
typedef enum { dnnl_cpu_isa_avx2 = 0x7 } dnnl_cpu_isa_t;

#define DNNL_MEMORY_NONE NULL

/* The runtimes in dnnl_version_t for which a library may be built. */
enum {
    DNNL_RUNTIME_SEQ = 1,
    DNNL_RUNTIME_OMP = 2,
    DNNL_RUNTIME_TBB = 4,
};

typedef struct {
    int major, minor, patch;
    const char *hash;
    unsigned cpu_runtime, gpu_runtime;
} dnnl_version_t;

typedef struct dnnl_engine *dnnl_engine_t;
typedef struct dnnl_stream *dnnl_stream_t;
typedef struct dnnl_memory *dnnl_memory_t;
typedef const struct dnnl_memory *const_dnnl_memory_t;
typedef struct dnnl_post_ops *dnnl_post_ops_t;
typedef const struct dnnl_post_ops *const_dnnl_post_ops_t;
typedef struct dnnl_primitive *dnnl_primitive_t;
typedef const struct dnnl_primitive *const_dnnl_primitive_t;
typedef struct dnnl_primitive_attr *dnnl_primitive_attr_t;
typedef const struct dnnl_primitive_attr *const_dnnl_primitive_attr_t;
typedef struct dnnl_primitive_desc *dnnl_primitive_desc_t;
typedef const struct dnnl_primitive_desc *const_dnnl_primitive_desc_t;

/* oneDNN 3.x allocates memory descriptors; 2.6 fills a structure of the caller, of 696 bytes. Both
 * read them by pointer. */
typedef struct dnnl_memory_desc *dnnl_memory_desc_t;
typedef const struct dnnl_memory_desc *const_dnnl_memory_desc_t;
union onednn_old_memory_desc {
    int64_t align;
    char bytes[1024];
};

/* The description of an operation, which 3.x no longer has. The largest is that of a convolution,
 * of 5,976 bytes. */
union onednn_old_description {
    int64_t align;
    char bytes[8192];
};

typedef struct {
    int arg;
    dnnl_memory_t memory;
} dnnl_exec_arg_t;

#endif
