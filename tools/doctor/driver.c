/* SPDX-License-Identifier: Apache-2.0 */
/* Queries the NVIDIA driver, whose library this program does not link. */
#include "doctor.h"

#include <dlfcn.h>
#include <string.h>

/* The numbers of device attributes in the driver's interface. */
enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 };

/* The functions of the driver. Each returns 0 for success. */
struct driver {
    int (*init)(unsigned flags);
    int (*version)(int *version);
    int (*count)(int *count);
    int (*device)(int *device, int index);
    int (*name)(char *text, int size, int device);
    int (*attribute)(int *value, int attribute, int device);
};

/* Stores the address of a function. Returns 0 if the library has it. */
static int take(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);

    memcpy(function, &symbol, sizeof(symbol));
    return symbol != NULL ? 0 : -1;
}

static int take_all(void *library, struct driver *driver)
{
    return take(library, "cuInit", &driver->init) |
           take(library, "cuDriverGetVersion", &driver->version) |
           take(library, "cuDeviceGetCount", &driver->count) |
           take(library, "cuDeviceGet", &driver->device) |
           take(library, "cuDeviceGetName", &driver->name) |
           take(library, "cuDeviceGetAttribute", &driver->attribute);
}

static json_t *devices_of(const struct driver *driver)
{
    json_t *devices = json_array();
    int count = 0;

    if (driver->count(&count) != 0)
        count = 0;
    for (int i = 0; i < count; i++) {
        char name[200] = "";
        int device = 0, major = 0, minor = 0;
        json_t *one;

        if (driver->device(&device, i) != 0 || driver->name(name, sizeof(name), device) != 0 ||
            driver->attribute(&major, CAPABILITY_MAJOR, device) != 0 ||
            driver->attribute(&minor, CAPABILITY_MINOR, device) != 0)
            continue;
        one = json_object();
        json_object_set_new(one, "name", tool_json_text(name));
        json_object_set_new(one, "capability", json_sprintf("%d.%d", major, minor));
        json_object_set_new(one, "capability_number", json_integer(major * 100 + minor * 10));
        json_array_append_new(devices, one);
    }
    return devices;
}

json_t *doctor_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    json_t *answer = json_object();
    struct driver driver;
    int version = 0;
    int result;

    if (library == NULL) {
        json_object_set_new(answer, "failure", tool_json_text(dlerror()));
        return answer;
    }
    if (take_all(library, &driver) != 0) {
        json_object_set_new(answer, "failure", json_string("libcuda.so.1 lacks functions"));
        return answer;
    }
    if (driver.version(&version) == 0) {
        json_object_set_new(answer, "cuda",
                            json_sprintf("%d.%d", version / 1000, version % 1000 / 10));
        json_object_set_new(answer, "cuda_number", json_integer(version));
    }
    result = driver.init(0);
    if (result != 0)
        json_object_set_new(answer, "failure", json_sprintf("cuInit returns %d", result));
    else
        json_object_set_new(answer, "devices", devices_of(&driver));
    return answer;
}
