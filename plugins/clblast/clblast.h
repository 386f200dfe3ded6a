/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the backend clblast: matrix products and convolutions by CLBlast, in the space of OpenCL
 * that another backend owns. It has no context, queue or memory of its own. */
#ifndef CLBLAST_CLBLAST_H
#define CLBLAST_CLBLAST_H

#include "../kit/problem.h"
#include "library.h"

/* The convention of the owner's pointers and streams, on which this backend relies. */
#define CLBLAST_CONVENTION "opencl/svm-1"

struct anydnn_plugin_context {
    int32_t device;
    int32_t has_double;
    const struct anydnn_plugin_space *space; /* the owner's */
};

/* A matrix in a buffer. Sizes, strides and offsets count elements. */
struct clblast_matrix {
    int64_t ld;
    int64_t batch; /* between the matrices of a batch */
    int32_t is_transposed;
};

/* The products of a plan: c = alpha a b + beta c, m x k times k x n, `batch` times. */
struct clblast_gemm {
    int64_t m, n, k, batch;
    struct clblast_matrix a, b, c;
};

/* The convolution of a plan. Without im2col, the operands are matrices as they are. */
struct clblast_convolution {
    struct clblast_gemm product; /* of a group of an image */
    int64_t images, groups;
    int64_t a_group, b_group, c_group; /* elements between groups */
    int64_t x_image, y_image;          /* elements between images */
    int32_t has_im2col;
    CLBlastKernelMode mode;
    size_t channels, size[2], window[2], pad[2], stride[2], dilation[2];
    uint64_t workspace;
};

struct anydnn_plugin_plan {
    const struct anydnn_plugin_context *context;
    int32_t operation;
    int32_t type;
    struct clblast_gemm product; /* of MATMUL */
    uint64_t addend;             /* bytes of c that is not d, or 0 */
    struct clblast_convolution convolution;
};

/* An operand in its buffer; the offset counts elements. */
struct clblast_place {
    cl_mem buffer;
    size_t offset;
};

/* A run of a plan. */
struct clblast_call {
    const struct anydnn_plugin_plan *plan;
    const struct anydnn_plugin_operands *operands;
    cl_command_queue queue;
    int32_t *effect;
};

/* ------------------------------------------------------------------ gemm.c */

/* Checks that a type is float or double, and that the device has it. Returns 0 or a reason. */
int32_t clblast_check_type(const struct anydnn_plugin_context *context, int32_t type,
                           const char *what, struct kit_refusal *why);
/* Describes the rows and columns of a tensor's last two dims. Returns 0, or a reason. */
int32_t clblast_take_matrix(struct clblast_matrix *to, int64_t rows, int64_t columns,
                            int64_t row_stride, int64_t column_stride, const char *role,
                            struct kit_refusal *why);
/* Finds the buffer of a pointer. Returns 0 or a status. */
int32_t clblast_place(const struct clblast_call *call, const void *pointer,
                      struct clblast_place *place);
/* Enqueues the products of a batch. Returns 0 or a status. */
int32_t clblast_multiply(const struct clblast_call *call, const struct clblast_gemm *product,
                         struct clblast_place a, struct clblast_place b, struct clblast_place c,
                         double beta);
/* Returns 0 for success, or a status after a message. */
int32_t clblast_status(CLBlastStatusCode code, const char *what);

/* ------------------------------------------------------------------ operations */

/* Check a problem and fill in the plan. Return 0 or a reason. */
int32_t clblast_matmul_take(const struct anydnn_plugin_context *context,
                            const struct anydnn_plugin_problem *problem,
                            struct anydnn_plugin_plan *plan, struct kit_refusal *why);
int32_t clblast_convolution_take(const struct anydnn_plugin_context *context,
                                 const struct anydnn_plugin_problem *problem,
                                 struct anydnn_plugin_plan *plan, struct kit_refusal *why);
/* Enqueue the work of a run. Return 0 or a status. */
int32_t clblast_matmul_run(const struct clblast_call *call);
int32_t clblast_convolution_run(const struct clblast_call *call);

/* ------------------------------------------------------------------ plan.c */

int32_t clblast_candidates(struct anydnn_plugin_context *context,
                           const struct anydnn_plugin_problem *problem,
                           anydnn_plugin_offer_fn offer, void *cookie);
int32_t clblast_plan_create(struct anydnn_plugin_context *context,
                            const struct anydnn_plugin_problem *problem, uint64_t engine,
                            struct anydnn_plugin_plan **plan);
int32_t clblast_plan_execute(struct anydnn_plugin_plan *plan,
                             const struct anydnn_plugin_operands *operands, int32_t *effect);
void clblast_plan_destroy(struct anydnn_plugin_plan *plan);

#endif
