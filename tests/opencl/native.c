/* SPDX-License-Identifier: Apache-2.0 */
/* Works on a context, a queue and memory that the program made with OpenCL itself, and checks that
 * objects which cannot serve are refused. Prints a line for each check that fails. */
#include <anydnn/anydnn.h>

#include <stdio.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>

enum { COUNT = 1000 };

static int failures;

static void check(int right, const char *what)
{
    char text[2048];

    if (right)
        return;
    anydnnGetLastErrorString(text, sizeof(text));
    printf("%s; last error: %s\n", what, text);
    failures++;
}
#define CHECK(condition) check((condition), #condition)

/* Returns 1 if the last error's sentence contains the text. */
static int says(const char *part)
{
    char text[2048];

    anydnnGetLastErrorString(text, sizeof(text));
    return strstr(text, part) != NULL;
}

static cl_command_queue make_queue(cl_context context, cl_device_id device,
                                   cl_command_queue_properties how)
{
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, how, 0};

    return clCreateCommandQueueWithProperties(context, device, properties, NULL);
}

/* Doubles imported memory on the program's queue, and reads it on that queue. */
static void scale(anydnnHandle_t handle, cl_context context, cl_command_queue queue)
{
    float *own = clSVMAlloc(context, CL_MEM_READ_WRITE, COUNT * sizeof(float), 0);
    const float two = 2, value = 21;
    anydnnTensorDescriptor_t desc;
    float back[COUNT];
    void *y = NULL, *again = NULL;
    int wrong = 0;

    CHECK(clEnqueueSVMMemFill(queue, own, &value, sizeof(value), sizeof(back), 0, NULL, NULL) == 0);
    CHECK(anydnnMemImport(handle, own, sizeof(back), &y) == ANYDNN_STATUS_SUCCESS);
    CHECK(anydnnMemImport(handle, own + 1, 4, &again) == ANYDNN_STATUS_BAD_PARAM);
    CHECK(says("overlap memory that the space already has"));
    CHECK(anydnnCreateTensorDescriptor(&desc) == ANYDNN_STATUS_SUCCESS);
    CHECK(anydnnSetTensor4dDescriptor(desc, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 1, 1, 1,
                                      COUNT) == ANYDNN_STATUS_SUCCESS);
    CHECK(anydnnScaleTensor(handle, desc, y, &two) == ANYDNN_STATUS_SUCCESS);
    CHECK(clEnqueueSVMMemcpy(queue, CL_TRUE, back, own, sizeof(back), 0, NULL, NULL) == 0);
    for (int i = 0; i < COUNT; i++)
        wrong += back[i] != 42;
    CHECK(wrong == 0);
    CHECK(anydnnMemFree(handle, y) == ANYDNN_STATUS_SUCCESS);
    CHECK(anydnnMemFree(handle, y) != ANYDNN_STATUS_SUCCESS);
    clSVMFree(context, own);
    anydnnDestroyTensorDescriptor(desc);
}

/* Checks the refusals once the first context is in use. */
static void refuse(cl_context context, cl_device_id device)
{
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue loose = make_queue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_command_queue foreign = make_queue(other, device, 0);
    anydnnHandle_t none = NULL;

    CHECK(anydnnCreateOnNative(&none, "opencl", other, NULL) == ANYDNN_STATUS_BAD_PARAM);
    CHECK(says("already works in another context"));
    CHECK(anydnnCreateOnNative(&none, "opencl", context, loose) == ANYDNN_STATUS_BAD_PARAM);
    CHECK(says("runs out of order"));
    CHECK(anydnnCreateOnNative(&none, "opencl", context, foreign) == ANYDNN_STATUS_BAD_PARAM);
    CHECK(says("belongs to another context or device"));
    CHECK(none == NULL);
    clReleaseCommandQueue(loose);
    clReleaseCommandQueue(foreign);
    clReleaseContext(other);
}

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    anydnnHandle_t handle = NULL, plain = NULL;
    void *object = NULL;

    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return 77;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = make_queue(context, device, 0);
    CHECK(anydnnCreateOnNative(&handle, "opencl", context, queue) == ANYDNN_STATUS_SUCCESS);
    if (!handle)
        return 1;
    CHECK(anydnnGetNative(handle, ANYDNN_NATIVE_STREAM, &object) == ANYDNN_STATUS_SUCCESS);
    CHECK(object == queue);
    CHECK(anydnnGetNative(handle, ANYDNN_NATIVE_DEVICE, &object) == ANYDNN_STATUS_SUCCESS);
    CHECK(object == device);
    scale(handle, context, queue);
    refuse(context, device);
    CHECK(anydnnCreateOnDevice(&plain, "opencl") == ANYDNN_STATUS_SUCCESS);
    CHECK(anydnnGetNative(plain, ANYDNN_NATIVE_CONTEXT, &object) == ANYDNN_STATUS_SUCCESS);
    CHECK(object == context);
    CHECK(anydnnDestroy(plain) == ANYDNN_STATUS_SUCCESS);
    /* The handle holds the queue itself. */
    clReleaseCommandQueue(queue);
    CHECK(anydnnDestroy(handle) == ANYDNN_STATUS_SUCCESS);
    clReleaseContext(context);
    return failures != 0;
}
