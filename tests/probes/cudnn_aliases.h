/* SPDX-License-Identifier: Apache-2.0 */
/* Defines what both files of cudnn_aliases share: a call with its operands, and its variations. */
#ifndef CUDNN_ALIASES_H
#define CUDNN_ALIASES_H

#include <cudnn.h>

#define COUNT(array)  ((int)(sizeof(array) / sizeof((array)[0])))
#define MAX_OPERANDS  12
#define MAX_WORKSPACE ((size_t)64 << 20)

struct operand {
    const char *role;
    cudnnTensorDescriptor_t desc;
    size_t bytes; /* if there is no descriptor */
    int output;
    int positive;
};

/* The arguments of one call: the variation's addresses and descriptors. */
struct given {
    void *at[MAX_OPERANDS];
    cudnnTensorDescriptor_t desc[MAX_OPERANDS];
    float alpha, beta;
};

struct call {
    char name[160];
    struct operand operand[MAX_OPERANDS];
    int count, mode, mode2;
    void *desc; /* of the operation */
    /* Computes inputs by another call, such as y of a backward pass. May be NULL. */
    cudnnStatus_t (*before)(const struct call *, const struct given *);
    cudnnStatus_t (*run)(const struct call *, const struct given *);
};

extern cudnnHandle_t handle;
extern void *workspace;

/*
 * Variations are separated by ';'. "dx=x,y" puts dx, x and y at one address. "-y" passes a null
 * pointer for y, "!y" also a null descriptor. Each variation is compared with the plain call.
 */
void ask(const struct call *call, const char *variations);

/* Return a tensor of a type, a layout and four dims, and an operand with its role. */
cudnnTensorDescriptor_t tensor(cudnnDataType_t type, cudnnTensorFormat_t format, int n, int c,
                               int h, int w);
struct operand in(const char *role, cudnnTensorDescriptor_t desc);
struct operand out(const char *role, cudnnTensorDescriptor_t desc);

void ask_normalizations(cudnnDataType_t type, cudnnTensorFormat_t format, int absent);
void ask_tensors(cudnnDataType_t type, cudnnTensorFormat_t format, int absent);

#endif
