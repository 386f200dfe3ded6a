/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the OpenCL devices that this backend can use, and makes their contexts. */
#include "opencl.h"

#include <ctype.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define DEVICES_MAX   64
#define PLATFORMS_MAX 16

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct opencl_device devices[DEVICES_MAX];
static atomic_int ready[DEVICES_MAX]; /* 1 if the device has a context */
static int32_t total;
static atomic_int searched; /* 1 once the lines above and below are final */
static char failure[700];   /* why there is no device */
static uint64_t searched_at_fork;

/* Formats the reason why there is no device. */
__attribute__((format(printf, 1, 2))) static void explain(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    kit_print(failure, sizeof failure, format, list);
    va_end(list);
}

/* ------------------------------------------------------------------ the search */

/* Returns 1 if `text` contains `part`, in upper or lower case. */
static int contains(const char *text, const char *part)
{
    size_t length = strlen(part);

    for (; *text; text++) {
        size_t same = 0;

        while (same < length &&
               tolower((unsigned char)text[same]) == tolower((unsigned char)part[same]))
            same++;
        if (same == length)
            return 1;
    }
    return length == 0;
}

static void device_text(cl_device_id id, cl_device_info what, char *text, size_t size)
{
    if (opencl.clGetDeviceInfo(id, what, size - 1, text, NULL) != CL_SUCCESS)
        snprintf(text, size, "unknown");
    text[size - 1] = '\0';
    text[strcspn(text, "\r\n\t")] = '\0';
}

static cl_bool device_bool(cl_device_id id, cl_device_info what)
{
    cl_bool value = CL_FALSE;

    return opencl.clGetDeviceInfo(id, what, sizeof value, &value, NULL) == CL_SUCCESS && value;
}

/* Returns 1 if the setting `device` permits the device: it is absent, a kind, or a part of the
 * name. */
static int is_wanted(cl_device_type type, const char *name)
{
    const char *wanted = kit_host->setting(kit_host, "device");

    if (!wanted)
        return 1;
    if (strcmp(wanted, "gpu") == 0)
        return (type & CL_DEVICE_TYPE_GPU) != 0;
    if (strcmp(wanted, "accelerator") == 0)
        return (type & CL_DEVICE_TYPE_ACCELERATOR) != 0;
    if (strcmp(wanted, "cpu") == 0)
        return (type & CL_DEVICE_TYPE_CPU) != 0;
    return contains(name, wanted);
}

/* Returns 1 if the device can be used, or 0 after it has explained why not. */
static int check_device(const struct opencl_device *device)
{
    cl_device_svm_capabilities svm = 0;
    size_t group = 0;

    if (!device_bool(device->id, CL_DEVICE_AVAILABLE) ||
        !device_bool(device->id, CL_DEVICE_COMPILER_AVAILABLE)) {
        explain("the OpenCL device %s is not available, or has no compiler", device->name);
        return 0;
    }
    if (opencl.clGetDeviceInfo(device->id, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL) !=
            CL_SUCCESS ||
        !(svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER)) {
        explain("the OpenCL device %s has no shared virtual memory, which this backend requires "
                "for its pointers",
                device->name);
        return 0;
    }
    opencl.clGetDeviceInfo(device->id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL);
    if (group < JOB_GROUP) {
        explain("the OpenCL device %s has work-groups of at most %llu work-items; this backend "
                "requires %d",
                device->name, (unsigned long long)group, JOB_GROUP);
        return 0;
    }
    return 1;
}

/* Does the same, and logs why not. */
static int is_usable(const struct opencl_device *device)
{
    int usable = check_device(device);

    if (!usable)
        kit_host->log(kit_host, ANYDNN_PLUGIN_LOG_INFO, __FILE__, __LINE__, failure);
    return usable;
}

static void describe(struct opencl_device *device)
{
    cl_device_svm_capabilities svm = 0;
    cl_device_fp_config doubles = 0;
    char name[sizeof device->name], driver[200];
    cl_uint units = 0;
    cl_ulong largest = 0;
    int32_t is_off = 0;

    opencl.clGetDeviceInfo(device->id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles, NULL);
    opencl.clGetDeviceInfo(device->id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    opencl.clGetDeviceInfo(device->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest,
                           NULL);
    device_text(device->id, CL_DEVICE_NAME, name, sizeof name);
    device_text(device->id, CL_DRIVER_VERSION, driver, sizeof driver);
    if (kit_setting_switch("no_double", &is_off))
        is_off = 0;
    device->has_double = doubles != 0 && !is_off;
    device->largest = largest;
    opencl.clGetDeviceInfo(device->id, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL);
    device->both = (svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0 &&
                   device_bool(device->id, CL_DEVICE_HOST_UNIFIED_MEMORY);
    snprintf(device->identity, sizeof device->identity, "%s, %u compute units, driver %s", name,
             (unsigned)units, driver);
}

/* Adds the devices of one kind of a platform. */
static void search_platform(cl_platform_id platform, cl_device_type kind)
{
    cl_device_id ids[DEVICES_MAX];
    cl_uint count = 0;

    if (opencl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, DEVICES_MAX, ids, &count) != CL_SUCCESS)
        return;
    for (cl_uint i = 0; i < count && i < DEVICES_MAX && total < DEVICES_MAX; i++) {
        struct opencl_device *device = &devices[total];
        cl_device_type type = 0;

        device->id = ids[i];
        if (opencl.clGetDeviceInfo(ids[i], CL_DEVICE_TYPE, sizeof type, &type, NULL) !=
                CL_SUCCESS ||
            !(type & kind))
            continue;
        device_text(ids[i], CL_DEVICE_NAME, device->name, sizeof device->name);
        if (!is_wanted(type, device->name) || !is_usable(device))
            continue;
        describe(device);
        device->number = total;
        pthread_mutex_init(&device->lock, NULL);
        total++;
    }
}

/* Lists the platforms that the setting `platform` permits. Returns their number. */
static cl_uint list_platforms(cl_platform_id chosen[PLATFORMS_MAX])
{
    const char *wanted = kit_host->setting(kit_host, "platform");
    cl_platform_id platforms[PLATFORMS_MAX];
    cl_uint count = 0, kept = 0;

    if (opencl.clGetPlatformIDs(PLATFORMS_MAX, platforms, &count) != CL_SUCCESS || count == 0) {
        explain("the OpenCL loader finds no platform: no OpenCL driver is installed");
        return 0;
    }
    for (cl_uint i = 0; i < count && i < PLATFORMS_MAX; i++) {
        char name[200] = "";

        opencl.clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
        if (!wanted || contains(name, wanted))
            chosen[kept++] = platforms[i];
    }
    if (kept == 0)
        explain("no OpenCL platform has \"%s\" (set.platform) in its name", wanted);
    return kept;
}

/* Returns the table of the backend that owns the space, or NULL if this one does. */
static const struct anydnn_plugin_space *find_owner(void)
{
    const struct anydnn_plugin_space *owner = kit_host->space(kit_host);

    return owner && owner->memory_alloc != opencl_memory_alloc ? owner : NULL;
}

/* Lists the devices of the backend that owns the space, in its order. */
static void list_owners_devices(const struct anydnn_plugin_space *owner)
{
    int32_t count = 0;

    if (!owner->native || owner->device_count(&count) != 0) {
        explain("the backend that owns the space publishes no native objects");
        return;
    }
    for (int32_t i = 0; i < count && i < DEVICES_MAX; i++) {
        struct opencl_device *device = &devices[i];
        void *id = NULL;

        if (owner->native(i, ANYDNN_PLUGIN_NATIVE_DEVICE, NULL, &id) != 0) {
            explain("the backend that owns the space publishes no native device %d", i);
            return;
        }
        device->id = id;
        device_text(id, CL_DEVICE_NAME, device->name, sizeof device->name);
        describe(device);
        device->number = i;
        pthread_mutex_init(&device->lock, NULL);
        total++;
    }
}

/* Finds all devices, GPUs first. */
static void search(void)
{
    static const cl_device_type kinds[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR,
                                           CL_DEVICE_TYPE_CPU};
    const char *wanted = kit_host->setting(kit_host, "device");
    cl_platform_id platforms[PLATFORMS_MAX];
    cl_uint count;

    if (!opencl_load(failure, sizeof failure))
        return;
    if (find_owner()) {
        list_owners_devices(find_owner());
        return;
    }
    count = list_platforms(platforms);
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++)
        for (cl_uint i = 0; i < count; i++)
            search_platform(platforms[i], kinds[kind]);
    if (total == 0 && !failure[0] && wanted)
        explain("no OpenCL device is of the kind \"%s\" (set.device), or has that in its name",
                wanted);
    else if (total == 0 && !failure[0])
        explain("the OpenCL platforms have no device");
}

/* Takes no lock after the search, since another thread might have held it at a fork. */
int32_t opencl_device_count(const char **why)
{
    if (!atomic_load_explicit(&searched, memory_order_acquire)) {
        pthread_mutex_lock(&lock);
        if (!atomic_load(&searched)) {
            searched_at_fork = kit_host->fork_number();
            search();
            atomic_store_explicit(&searched, 1, memory_order_release);
        }
        pthread_mutex_unlock(&lock);
    }
    *why = failure;
    if (searched_at_fork == kit_host->fork_number())
        return total;
    *why = "OpenCL was opened before fork(); its threads do not exist in the child";
    return 0;
}

/* ------------------------------------------------------------------ contexts */

cl_command_queue opencl_make_queue(const struct opencl_device *device, cl_int *error)
{
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};

    return opencl.clCreateCommandQueueWithProperties(device->context, device->id, properties,
                                                     error);
}

/* Takes the context and the default queue of the backend that owns the space. */
static int32_t share_context(struct opencl_device *device, const struct anydnn_plugin_space *owner)
{
    void *context = NULL, *queue = NULL;
    int32_t status = owner->native(device->number, ANYDNN_PLUGIN_NATIVE_CONTEXT, NULL, &context);

    if (!status)
        status = owner->native(device->number, ANYDNN_PLUGIN_NATIVE_STREAM, NULL, &queue);
    device->context = context;
    device->queue = queue;
    return status;
}

/* Makes the default queue of a device that has a context, which it releases on failure. */
static int32_t make_default_queue(struct opencl_device *device)
{
    cl_int error = CL_SUCCESS;
    int32_t status;

    device->queue = opencl_make_queue(device, &error);
    status = opencl_check(error, "creating a command queue");
    if (status)
        opencl.clReleaseContext(device->context);
    return status;
}

/* Makes the context and the default queue. The caller holds the lock. */
static int32_t make_context(struct opencl_device *device)
{
    const struct anydnn_plugin_space *owner = find_owner();
    cl_int error = CL_SUCCESS;
    int32_t status;

    if (owner)
        return share_context(device, owner);
    device->context = opencl.clCreateContext(NULL, 1, &device->id, NULL, NULL, &error);
    status = opencl_check(error, "creating a context");
    return status ? status : make_default_queue(device);
}

int32_t opencl_adopt_context(cl_device_id id, cl_context context, struct opencl_device **device)
{
    const char *why;
    int32_t number = 0, status, count = opencl_device_count(&why);

    if (count == 0)
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED, "%s", why);
    while (number < count && devices[number].id != id)
        number++;
    if (number == count)
        return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM,
                        "the device of the context is none of the %d that this backend uses",
                        count);
    *device = &devices[number];
    pthread_mutex_lock(&lock);
    if (atomic_load(&ready[number])) {
        status = (*device)->context == context
                     ? ANYDNN_PLUGIN_STATUS_SUCCESS
                     : kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM,
                                "OpenCL device %d already works in another context; take over the "
                                "application's context before any other handle of the device",
                                number);
    } else {
        (*device)->context = context;
        status = opencl_check(opencl.clRetainContext(context), "taking over a context");
        if (!status)
            status = make_default_queue(*device);
        atomic_store_explicit(&ready[number], status == 0, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

int32_t opencl_enter(int32_t number, struct opencl_device **device)
{
    int32_t count, status = ANYDNN_PLUGIN_STATUS_SUCCESS;
    const char *why;

    count = opencl_device_count(&why);
    if (count == 0)
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED, "%s", why);
    if (number < 0 || number >= count)
        return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM,
                        "the OpenCL device is %d; it must be below the number of devices, %d",
                        number, count);
    *device = &devices[number];
    if (atomic_load_explicit(&ready[number], memory_order_acquire))
        return status;
    pthread_mutex_lock(&lock);
    if (!atomic_load(&ready[number])) {
        status = make_context(&devices[number]);
        atomic_store_explicit(&ready[number], status == 0, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return status;
}
