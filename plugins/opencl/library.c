/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the OpenCL loader when it is first needed. */
#include "library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct opencl_functions opencl;

static const struct {
    const char *name;
    size_t offset;
} functions[] = {
#define FUNCTION(name) {#name, offsetof(struct opencl_functions, name)},
    OPENCL_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

int opencl_load(char *why, size_t size)
{
    const char *name = kit_host->setting(kit_host, "library");
    void *library;

    name = name ? name : "libOpenCL.so.1";
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        snprintf(why, size, "cannot load the OpenCL loader: %s", dlerror());
        return 0;
    }
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *symbol = dlsym(library, functions[i].name);

        if (!symbol) {
            snprintf(why, size, "%s lacks the function %s; OpenCL 2.0 or later is required", name,
                     functions[i].name);
            return 0;
        }
        memcpy((char *)&opencl + functions[i].offset, &symbol, sizeof symbol);
    }
    return 1;
}
