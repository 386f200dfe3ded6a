/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptors of the mock. Its functions that compute do nothing, so an output that keeps its
 * value shows that the real library got the call. */
#include <stdlib.h>

struct descriptor {
    int number[64];
    double real[4];
};

#define OBJECT(name)                                                                               \
    int cudnnCreate##name##Descriptor(struct descriptor **made);                                   \
    int cudnnCreate##name##Descriptor(struct descriptor **made)                                    \
    {                                                                                              \
        *made = calloc(1, sizeof(**made));                                                         \
        return *made ? 0 : 1;                                                                      \
    }                                                                                              \
    int cudnnDestroy##name##Descriptor(struct descriptor *it);                                     \
    int cudnnDestroy##name##Descriptor(struct descriptor *it)                                      \
    {                                                                                              \
        free(it);                                                                                  \
        return 0;                                                                                  \
    }

OBJECT(Tensor)
OBJECT(Filter)
OBJECT(Convolution)
OBJECT(Pooling)
OBJECT(Activation)
OBJECT(LRN)
OBJECT(OpTensor)
OBJECT(ReduceTensor)

/* Copies up to `room` of the `count` numbers at `from`. */
static int give(const int *from, int count, int room, int *to)
{
    for (int i = 0; to && i < count && i < room; i++)
        to[i] = from[i];
    return 0;
}

static void keep(int *to, const int *from, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = from[i];
}

int cudnnSetTensorNdDescriptor(struct descriptor *d, int type, int count, const int *dim,
                               const int *stride);
int cudnnSetTensorNdDescriptor(struct descriptor *d, int type, int count, const int *dim,
                               const int *stride)
{
    d->number[0] = type;
    d->number[1] = count;
    keep(d->number + 10, dim, count);
    keep(d->number + 20, stride, count);
    return 0;
}

int cudnnGetTensorNdDescriptor(const struct descriptor *d, int room, int *type, int *count,
                               int *dim, int *stride);
int cudnnGetTensorNdDescriptor(const struct descriptor *d, int room, int *type, int *count,
                               int *dim, int *stride)
{
    if (!d)
        return 2000;
    *type = d->number[0];
    *count = d->number[1];
    return give(d->number + 10, *count, room, dim) | give(d->number + 20, *count, room, stride);
}

int cudnnSetFilterNdDescriptor(struct descriptor *d, int type, int format, int count,
                               const int *dim);
int cudnnSetFilterNdDescriptor(struct descriptor *d, int type, int format, int count,
                               const int *dim)
{
    d->number[0] = type;
    d->number[1] = count;
    d->number[2] = format;
    keep(d->number + 10, dim, count);
    return 0;
}

int cudnnGetFilterNdDescriptor(const struct descriptor *d, int room, int *type, int *format,
                               int *count, int *dim);
int cudnnGetFilterNdDescriptor(const struct descriptor *d, int room, int *type, int *format,
                               int *count, int *dim)
{
    if (!d)
        return 2000;
    *type = d->number[0];
    *count = d->number[1];
    *format = d->number[2];
    return give(d->number + 10, *count, room, dim);
}

int cudnnSetConvolutionNdDescriptor(struct descriptor *d, int count, const int *pad,
                                    const int *stride, const int *dilation, int mode, int type);
int cudnnSetConvolutionNdDescriptor(struct descriptor *d, int count, const int *pad,
                                    const int *stride, const int *dilation, int mode, int type)
{
    d->number[0] = type;
    d->number[1] = count;
    d->number[2] = mode;
    d->number[3] = 1;
    keep(d->number + 10, pad, count);
    keep(d->number + 20, stride, count);
    keep(d->number + 30, dilation, count);
    return 0;
}

/* The real getter refuses more than 6 dims. */
int cudnnGetConvolutionNdDescriptor(const struct descriptor *d, int room, int *count, int *pad,
                                    int *stride, int *dilation, int *mode, int *type);
int cudnnGetConvolutionNdDescriptor(const struct descriptor *d, int room, int *count, int *pad,
                                    int *stride, int *dilation, int *mode, int *type)
{
    if (!d || room > 6)
        return 3000;
    *type = d->number[0];
    *count = d->number[1];
    *mode = d->number[2];
    return give(d->number + 10, *count, room, pad) | give(d->number + 20, *count, room, stride) |
           give(d->number + 30, *count, room, dilation);
}

#define ONE_NUMBER(name, place)                                                                    \
    int cudnnSetConvolution##name(struct descriptor *d, int value);                                \
    int cudnnSetConvolution##name(struct descriptor *d, int value)                                 \
    {                                                                                              \
        d->number[place] = value;                                                                  \
        return 0;                                                                                  \
    }                                                                                              \
    int cudnnGetConvolution##name(const struct descriptor *d, int *value);                         \
    int cudnnGetConvolution##name(const struct descriptor *d, int *value)                          \
    {                                                                                              \
        *value = d->number[place];                                                                 \
        return 0;                                                                                  \
    }

ONE_NUMBER(GroupCount, 3)
ONE_NUMBER(MathType, 4)

int cudnnSetPoolingNdDescriptor(struct descriptor *d, int mode, int nan, int count,
                                const int *window, const int *pad, const int *stride);
int cudnnSetPoolingNdDescriptor(struct descriptor *d, int mode, int nan, int count,
                                const int *window, const int *pad, const int *stride)
{
    d->number[0] = mode;
    d->number[1] = count;
    d->number[2] = nan;
    keep(d->number + 10, window, count);
    keep(d->number + 20, pad, count);
    keep(d->number + 30, stride, count);
    return 0;
}

int cudnnGetPoolingNdDescriptor(const struct descriptor *d, int room, int *mode, int *nan,
                                int *count, int *window, int *pad, int *stride);
int cudnnGetPoolingNdDescriptor(const struct descriptor *d, int room, int *mode, int *nan,
                                int *count, int *window, int *pad, int *stride)
{
    if (!d || room > 6)
        return 3000;
    *mode = d->number[0];
    *count = d->number[1];
    *nan = d->number[2];
    return give(d->number + 10, *count, room, window) | give(d->number + 20, *count, room, pad) |
           give(d->number + 30, *count, room, stride);
}

int cudnnSetActivationDescriptor(struct descriptor *d, int mode, int nan, double coefficient);
int cudnnSetActivationDescriptor(struct descriptor *d, int mode, int nan, double coefficient)
{
    d->number[0] = mode;
    d->number[1] = nan;
    d->real[0] = coefficient;
    return 0;
}

int cudnnGetActivationDescriptor(const struct descriptor *d, int *mode, int *nan,
                                 double *coefficient);
int cudnnGetActivationDescriptor(const struct descriptor *d, int *mode, int *nan,
                                 double *coefficient)
{
    *mode = d->number[0];
    *nan = d->number[1];
    *coefficient = d->real[0];
    return 0;
}

int cudnnSetLRNDescriptor(struct descriptor *d, unsigned n, double alpha, double beta, double k);
int cudnnSetLRNDescriptor(struct descriptor *d, unsigned n, double alpha, double beta, double k)
{
    d->number[0] = (int)n;
    d->real[0] = alpha;
    d->real[1] = beta;
    d->real[2] = k;
    return 0;
}

int cudnnGetLRNDescriptor(const struct descriptor *d, unsigned *n, double *alpha, double *beta,
                          double *k);
int cudnnGetLRNDescriptor(const struct descriptor *d, unsigned *n, double *alpha, double *beta,
                          double *k)
{
    *n = (unsigned)d->number[0];
    *alpha = d->real[0];
    *beta = d->real[1];
    *k = d->real[2];
    return 0;
}

int cudnnSetOpTensorDescriptor(struct descriptor *d, int op, int type, int nan);
int cudnnSetOpTensorDescriptor(struct descriptor *d, int op, int type, int nan)
{
    const int values[] = {op, type, nan};

    keep(d->number, values, 3);
    return 0;
}

int cudnnGetOpTensorDescriptor(const struct descriptor *d, int *op, int *type, int *nan);
int cudnnGetOpTensorDescriptor(const struct descriptor *d, int *op, int *type, int *nan)
{
    *op = d->number[0];
    *type = d->number[1];
    *nan = d->number[2];
    return 0;
}

int cudnnSetReduceTensorDescriptor(struct descriptor *d, int op, int type, int nan, int indices,
                                   int indices_type);
int cudnnSetReduceTensorDescriptor(struct descriptor *d, int op, int type, int nan, int indices,
                                   int indices_type)
{
    const int values[] = {op, type, nan, indices, indices_type};

    keep(d->number, values, 5);
    return 0;
}

int cudnnGetReduceTensorDescriptor(const struct descriptor *d, int *op, int *type, int *nan,
                                   int *indices, int *indices_type);
int cudnnGetReduceTensorDescriptor(const struct descriptor *d, int *op, int *type, int *nan,
                                   int *indices, int *indices_type)
{
    *op = d->number[0];
    *type = d->number[1];
    *nan = d->number[2];
    *indices = d->number[3];
    *indices_type = d->number[4];
    return 0;
}

int cudnnGetStream(void *handle, void **stream);
int cudnnGetStream(void *handle, void **stream)
{
    (void)handle;
    *stream = NULL;
    return 0;
}

int cudnnDestroy(void *handle);
int cudnnDestroy(void *handle)
{
    free(handle);
    return 0;
}
