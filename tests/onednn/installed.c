/* SPDX-License-Identifier: Apache-2.0 */
/* The constants and sizes of the installed header of oneDNN. */
#include "tests/onednn/declarations.h"

#include <oneapi/dnnl/dnnl.h>

#define DECLARED(name) {#name, (long)(name)},
const struct declared installed_constants[] = {
#include "tests/onednn/declared.inc"
    {NULL, 0}};
#undef DECLARED

const struct declared installed_sizes[] = {{"dnnl_exec_arg_t", sizeof(dnnl_exec_arg_t)},
                                           {"dnnl_version_t", sizeof(dnnl_version_t)},
                                           {"dnnl_dims_t", sizeof(dnnl_dims_t)},
#if DNNL_VERSION_MAJOR < 3
                                           {"memory_desc", sizeof(dnnl_memory_desc_t)},
                                           {"description", sizeof(dnnl_convolution_desc_t)},
                                           {"description", sizeof(dnnl_inner_product_desc_t)},
                                           {"description", sizeof(dnnl_pooling_v2_desc_t)},
                                           {"description", sizeof(dnnl_softmax_v2_desc_t)},
                                           {"description", sizeof(dnnl_lrn_desc_t)},
                                           {"description", sizeof(dnnl_batch_normalization_desc_t)},
                                           {"description", sizeof(dnnl_eltwise_desc_t)},
#endif
                                           {NULL, 0}};

const int installed_major = DNNL_VERSION_MAJOR;
