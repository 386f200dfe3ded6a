/* SPDX-License-Identifier: Apache-2.0 */
/* Runs tanh on one backend of the space opencl and ReLU of its result on another, by one handle and
 * without a wait between them. Prints how many elements are wrong. If the backends do not share
 * their queue, the second one reads what the first one has not written yet.
 *   two FIRST SECOND */
#include <anydnn/anydnn.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1 << 22, ROUNDS = 3 };

static void must(anydnnStatus_t status, const char *call)
{
    char text[2048];

    if (status == ANYDNN_STATUS_SUCCESS)
        return;
    anydnnGetLastErrorString(text, sizeof(text));
    fprintf(stderr, "%s: %s\n", call, text);
    exit(1);
}
#define MUST(call) must((call), #call)

static void activate(anydnnHandle_t handle, const char *backend, anydnnActivationMode_t mode,
                     anydnnTensorDescriptor_t desc, const void *x, void *y)
{
    const float one = 1, zero = 0;
    anydnnActivationDescriptor_t activation;

    MUST(anydnnSetRoute(handle, "activation_forward", NULL, backend));
    MUST(anydnnCreateActivationDescriptor(&activation));
    MUST(anydnnSetActivationDescriptor(activation, mode, ANYDNN_NOT_PROPAGATE_NAN, 0));
    MUST(anydnnActivationForward(handle, activation, &one, desc, x, &zero, desc, y));
    MUST(anydnnDestroyActivationDescriptor(activation));
}

/* Returns the number of wrong elements of a round. */
static int count_wrong(anydnnHandle_t handle, char **names, float *host)
{
    const size_t bytes = COUNT * sizeof(float);
    anydnnTensorDescriptor_t desc;
    void *x, *y, *z;
    int wrong = 0;

    MUST(anydnnCreateTensorDescriptor(&desc));
    MUST(anydnnSetTensor4dDescriptor(desc, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 1, 1, 1, COUNT));
    MUST(anydnnMemAlloc(handle, bytes, &x));
    MUST(anydnnMemAlloc(handle, bytes, &y));
    MUST(anydnnMemAlloc(handle, bytes, &z));
    for (int i = 0; i < COUNT; i++)
        host[i] = (float)(i % 7 - 3);
    MUST(anydnnMemCopy(handle, x, host, bytes, ANYDNN_MEMCPY_HOST_TO_DEVICE));
    MUST(anydnnMemSet(handle, y, 0, bytes));
    MUST(anydnnSynchronize(handle));
    activate(handle, names[0], ANYDNN_ACTIVATION_TANH, desc, x, y);
    activate(handle, names[1], ANYDNN_ACTIVATION_RELU, desc, y, z);
    MUST(anydnnMemCopy(handle, host, z, bytes, ANYDNN_MEMCPY_DEVICE_TO_HOST));
    for (int i = 0; i < COUNT; i++) {
        double right = tanh((double)(i % 7 - 3));

        wrong += !(fabs((double)host[i] - (right > 0 ? right : 0)) <= 1e-5);
    }
    MUST(anydnnMemFree(handle, x));
    MUST(anydnnMemFree(handle, y));
    MUST(anydnnMemFree(handle, z));
    MUST(anydnnDestroyTensorDescriptor(desc));
    return wrong;
}

int main(int argc, char **argv)
{
    float *host = malloc(COUNT * sizeof(float));
    anydnnHandle_t handle;
    int total = 0;

    if (argc != 3 || !host)
        return 2;
    MUST(anydnnCreateOnDevice(&handle, "opencl"));
    for (int round = 0; round < ROUNDS; round++) {
        int wrong = count_wrong(handle, argv + 1, host);

        printf("%d of %d elements are wrong\n", wrong, COUNT);
        total += wrong;
    }
    MUST(anydnnDestroy(handle));
    free(host);
    return total != 0;
}
