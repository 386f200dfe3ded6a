/* SPDX-License-Identifier: Apache-2.0 */
/* Builds programs from their sources when a plan first needs them, and keeps them for each device.
 */
#include "opencl.h"
#include "sources.h"

#include <stdio.h>
#include <string.h>

/* The lines of a log that the messages contain. */
#define LOG_LINES 8
#define LOG_BYTES 1500

struct source {
    const char *const *lines;
    cl_uint count;
};

#define SOURCE(name)                                                                               \
    {                                                                                              \
        source_##name, sizeof source_##name / sizeof source_##name[0]                              \
    }

static const struct source common[] = {SOURCE(jobs), SOURCE(common), SOURCE(activate)};

static const struct source programs[OPENCL_PROGRAMS] = {
    [OPENCL_ACTIVATION] = SOURCE(activation),
    [OPENCL_CONV] = SOURCE(conv),
    [OPENCL_POOLING] = SOURCE(pooling),
    [OPENCL_SOFTMAX] = SOURCE(softmax),
    [OPENCL_LRN] = SOURCE(lrn),
    [OPENCL_NORM] = SOURCE(norm),
    [OPENCL_TENSOR] = SOURCE(tensor),
    [OPENCL_REDUCE] = SOURCE(reduce),
    [OPENCL_DROPOUT] = SOURCE(dropout),
    [OPENCL_DIVISIVE] = SOURCE(divisive),
    [OPENCL_SPATIAL] = SOURCE(spatial),
};

/* Creates the program from the lines of all its sources. */
static cl_program create(const struct opencl_device *device, int which, cl_int *error)
{
    const struct source *parts[] = {&common[0], &common[1], &common[2], &programs[which]};
    enum { PARTS = sizeof parts / sizeof parts[0] };
    cl_program program = NULL;
    const char **lines;
    cl_uint count = 0;

    for (int i = 0; i < PARTS; i++)
        count += parts[i]->count;
    lines = kit_alloc(count * sizeof lines[0], "a program");
    if (!lines) {
        *error = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    count = 0;
    for (int i = 0; i < PARTS; i++) {
        memcpy(lines + count, parts[i]->lines, parts[i]->count * sizeof lines[0]);
        count += parts[i]->count;
    }
    program = opencl.clCreateProgramWithSource(device->context, count, lines, NULL, error);
    kit_host->free(lines);
    return program;
}

/* Logs the first lines of the compiler's log. */
static void log_failure(const struct opencl_device *device, cl_program program)
{
    char *log = kit_alloc(LOG_BYTES + 1, "a log");
    size_t bytes = 0, lines = 0;
    char *whole, *end;

    if (!log)
        return;
    opencl.clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    whole = kit_alloc(bytes + 1, "a log");
    if (whole)
        opencl.clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, bytes, whole, NULL);
    snprintf(log, LOG_BYTES + 1, "%s", whole && whole[0] ? whole : "the compiler gives no reason");
    end = log;
    while (*end && lines < LOG_LINES)
        lines += *end++ == '\n';
    *end = '\0';
    kit_host->log(kit_host, ANYDNN_PLUGIN_LOG_ERROR, __FILE__, __LINE__, log);
    kit_host->free(whole);
    kit_host->free(log);
}

/* Builds a program. No option relaxes the arithmetic. Division and square root round correctly
 * where the device can do so. */
static int32_t build(struct opencl_device *device, int which, int32_t type)
{
    cl_device_fp_config floats = 0;
    cl_program program;
    char options[200];
    cl_int error = CL_SUCCESS;
    int32_t status;

    opencl.clGetDeviceInfo(device->id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof floats, &floats, NULL);
    snprintf(options, sizeof options, "-cl-std=CL1.2 -DTYPE=%d%s%s", (int)type,
             device->has_double ? " -DHAS_DOUBLE" : "",
             floats & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT
                 ? " -cl-fp32-correctly-rounded-divide-sqrt"
                 : "");
    program = create(device, which, &error);
    status = opencl_check(error, "creating a program");
    if (status)
        return status;
    error = opencl.clBuildProgram(program, 1, &device->id, options, NULL, NULL);
    if (error != CL_SUCCESS) {
        log_failure(device, program);
        opencl.clReleaseProgram(program);
        return opencl_check(error, "building a program");
    }
    device->program[which][type] = program;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

int32_t opencl_make_kernel(struct opencl_device *device, int program, int32_t type,
                           const char *name, cl_kernel *kernel)
{
    int32_t status = ANYDNN_PLUGIN_STATUS_SUCCESS;
    cl_int error = CL_SUCCESS;

    if (!device->program[program][type])
        status = build(device, program, type);
    if (status)
        return status;
    *kernel = opencl.clCreateKernel(device->program[program][type], name, &error);
    return opencl_check(error, "creating a kernel");
}
