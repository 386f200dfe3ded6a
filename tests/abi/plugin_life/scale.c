/* SPDX-License-Identifier: Apache-2.0 */
/* Scales a tensor by the backend sim alone, and prints the values, the backend and its engine. */
#include <anydnn/anydnn.h>

#include <stdio.h>

static int failed(void)
{
    char text[2048];

    anydnnGetLastErrorString(text, sizeof(text));
    printf("%s\n", text);
    return 1;
}

int main(void)
{
    float y[6] = {1, 2, 3, 4, 5, 6};
    const float factor = 3;
    char backend[32];
    int64_t engine = 0;
    anydnnHandle_t handle;
    anydnnTensorDescriptor_t tensor;

    if (anydnnCreateOnDevice(&handle, "cpu") != ANYDNN_STATUS_SUCCESS ||
        anydnnSetRoute(handle, "*", NULL, "sim") != ANYDNN_STATUS_SUCCESS ||
        anydnnCreateTensorDescriptor(&tensor) != ANYDNN_STATUS_SUCCESS ||
        anydnnSetTensor4dDescriptor(tensor, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 1, 2, 1, 3) !=
            ANYDNN_STATUS_SUCCESS ||
        anydnnScaleTensor(handle, tensor, y, &factor) != ANYDNN_STATUS_SUCCESS ||
        anydnnGetDispatchInfo(handle, "backend", backend, sizeof(backend)) !=
            ANYDNN_STATUS_SUCCESS ||
        anydnnGetDispatchInfoInt(handle, "engine", &engine) != ANYDNN_STATUS_SUCCESS)
        return failed();
    printf("%g %g %g %g %g %g by %s, engine %d\n", (double)y[0], (double)y[1], (double)y[2],
           (double)y[3], (double)y[4], (double)y[5], backend, (int)engine);
    anydnnDestroyTensorDescriptor(tensor);
    anydnnDestroy(handle);
    return 0;
}
