/* SPDX-License-Identifier: Apache-2.0 */
/* Defines what the files of cudnn_types share: arrays of every type, printed results, and a count
 * that lets the program continue after a query that ended it. */
#ifndef PROBES_CUDNN_TYPES_H
#define PROBES_CUDNN_TYPES_H

#include <stddef.h>

#include <cudnn.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum {
    F32 = CUDNN_DATA_FLOAT,
    F64 = CUDNN_DATA_DOUBLE,
    F16 = CUDNN_DATA_HALF,
    S8 = CUDNN_DATA_INT8,
    S32 = CUDNN_DATA_INT32,
    S8X4 = 5,
    U8 = CUDNN_DATA_UINT8,
    U8X4 = 7,
    S8X32 = 8,
    BF16 = CUDNN_DATA_BFLOAT16,
    S64 = CUDNN_DATA_INT64,
    TYPES = 10, /* S64 is not counted, because it has no descriptors */
    NCHW = CUDNN_TENSOR_NCHW,
    NHWC = CUDNN_TENSOR_NHWC,
    VECT = CUDNN_TENSOR_NCHW_VECT_C
};

struct array {
    int type;
    int format;
    int dims[4];
    int count;
    cudnnStatus_t status; /* the result of setting the descriptor */
    cudnnTensorDescriptor_t desc;
    cudnnFilterDescriptor_t filter; /* the same array as a filter */
    void *data;
};

extern cudnnHandle_t handle;

/* Begins a query. Returns 0 if an earlier process has begun it. */
int ask(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints the status. Returns 1 if it is a success. Ends the process if the GPU reports an error. */
int answer(const char *what, cudnnStatus_t status);
const char *said(cudnnStatus_t status);

const char *type_name(int type);
const char *format_name(int format);
int lanes(int type);

/* Return an array whose elements repeat `values` in logical order. */
struct array *array(int type, int format, const int dims[4], const double *values, int count);
struct array *row(int type, int w, const double *values, int count);
/* Returns the layout of the type: VECT for vector types, else NCHW. */
int format_of(int type);
/* Prints the first `count` elements in logical order. */
void show(const char *name, const struct array *array, int count);

/* Returns the scaling factor in the type that cuDNN reads for this output type. */
const void *factor(int type, double value);

void *workspace(size_t bytes);

void ask_layers(void);
void ask_normalizations(void);
void ask_tensors(void);
void ask_mixes(void);
void ask_convolutions(void);

#endif
