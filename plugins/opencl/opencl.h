/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the OpenCL space: devices, memory, streams and programs. Device memory is shared virtual
 * memory (SVM), so a pointer of the space is a plain address. Each device has one cl_context and
 * one default queue. */
#ifndef OPENCL_OPENCL_H
#define OPENCL_OPENCL_H

#include "jobs.h"
#include "library.h"

#include <pthread.h>

/* The convention of the space: pointers are shared virtual memory, streams are in-order command
 * queues, and each device has one cl_context. */
#define OPENCL_CONVENTION "opencl/svm-1"

/* The space's table of functions, for the plugin description. */
extern const struct anydnn_plugin_space opencl_space;

/* Returns 0 for CL_SUCCESS. Otherwise it reports `what` and the error to the host, and returns a
 * status. */
int32_t opencl_check(cl_int error, const char *what);

/* ------------------------------------------------------------------ programs (program.c) */

/* The programs, each of which is built from common.cl and further sources. */
enum {
    OPENCL_ACTIVATION,
    OPENCL_CONV, /* for one type of x and w each */
    OPENCL_POOLING,
    OPENCL_SOFTMAX,
    OPENCL_LRN,
    OPENCL_NORM,
    OPENCL_TENSOR,
    OPENCL_REDUCE,
    OPENCL_DROPOUT,
    OPENCL_DIVISIVE,
    OPENCL_SPATIAL,
    OPENCL_PROGRAMS
};

/* The bound on the types for which a program is built. */
#define OPENCL_TYPES (ANYDNN_PLUGIN_BFLOAT16 + 1)

/* ------------------------------------------------------------------ devices (device.c) */

struct opencl_device {
    cl_device_id id;
    cl_context context;     /* this and the following members are set when the device is entered */
    cl_command_queue queue; /* for the stream NULL */
    int32_t number;
    int32_t has_double;
    int32_t both;     /* 1 if the host, too, reaches the device's memory at no cost */
    uint64_t largest; /* bytes of the largest allocation */
    char name[256];
    char identity[512];
    pthread_mutex_t lock; /* for the following members */
    cl_program program[OPENCL_PROGRAMS][OPENCL_TYPES];
    cl_kernel special;
    void **streams; /* queues of stream_create */
    size_t stream_count, stream_capacity;
};

/* Returns the number of usable devices. If it is 0, *why becomes the reason. */
int32_t opencl_device_count(const char **why);

/* Finds a device, and makes its context first if necessary. Returns 0, or a status after a
 * message. */
int32_t opencl_enter(int32_t number, struct opencl_device **device);

/* Returns the queue of a stream. */
static inline cl_command_queue opencl_queue(const struct opencl_device *device, void *stream)
{
    return stream ? (cl_command_queue)stream : device->queue;
}

/* Makes the device with that native object work in the application's context. Returns 0, or a
 * status after a message. */
int32_t opencl_adopt_context(cl_device_id id, cl_context context, struct opencl_device **device);

/* Creates an in-order queue whose events have times. */
cl_command_queue opencl_make_queue(const struct opencl_device *device, cl_int *error);

/* Builds a program for a type, unless that was done before, and creates one of its kernels. The
 * caller holds the device's lock. */
int32_t opencl_make_kernel(struct opencl_device *device, int program, int32_t type,
                           const char *name, cl_kernel *kernel);

/* ------------------------------------------------------------------ functions of the space */

int32_t opencl_pointer_owner(int32_t device, const void *pointer, int32_t *owner);
int32_t opencl_memory_alloc(int32_t device, uint64_t bytes, void **pointer);
int32_t opencl_memory_free(int32_t device, void *pointer);
int32_t opencl_memory_copy(int32_t device, void *stream, void *to, const void *from, uint64_t bytes,
                           int32_t kind);
int32_t opencl_memory_copy_async(int32_t device, void *stream, void *to, const void *from,
                                 uint64_t bytes, int32_t kind);
int32_t opencl_memory_set(int32_t device, void *stream, void *to, int32_t byte, uint64_t bytes);
int32_t opencl_host_alloc(int32_t device, uint64_t bytes, void **pointer);
int32_t opencl_host_free(int32_t device, void *pointer);

int32_t opencl_pointer_resolve(int32_t device, const void *pointer, void **object, uint64_t *offset,
                               uint64_t *bytes);
int32_t opencl_memory_import(int32_t device, void *native, uint64_t bytes, void **pointer);

int32_t opencl_flush(int32_t device, void *stream);
int32_t opencl_native(int32_t device, int32_t kind, void *stream, void **object);
int32_t opencl_adopt(void *context, void *native, int32_t *device, void **stream);
int32_t opencl_synchronize(int32_t device, void *stream);
int32_t opencl_stream_check(int32_t device, void *stream);
int32_t opencl_stream_create(int32_t device, void **stream);
void opencl_stream_destroy(int32_t device, void *stream);
int32_t opencl_stream_wait(int32_t device, void *stream, void *mark);
int32_t opencl_mark_create(int32_t device, void **mark);
int32_t opencl_mark_record(int32_t device, void *stream, void *mark);
int32_t opencl_mark_elapsed(int32_t device, void *from, void *to, double *microseconds);
void opencl_mark_destroy(int32_t device, void *mark);

int32_t opencl_count_special(int32_t device, void *stream,
                             const struct anydnn_plugin_tensor *tensor, const void *data,
                             uint64_t *counts);

/* Waits for all queues of a device. */
int32_t opencl_finish(struct opencl_device *device);

#endif
