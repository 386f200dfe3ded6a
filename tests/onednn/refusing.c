/* SPDX-License-Identifier: Apache-2.0 */
/* A library that replaces oneDNN's, calls it, and refuses some descriptors. The environment
 * variable REFUSED selects these: `reorder`, or the primitives of one direction, `inference`,
 * `training` or `backward` (only with 2.x). */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { UNIMPLEMENTED = 3 };

typedef int (*reorder_fn)(void **, const void *, void *, const void *, void *, const void *);
typedef int (*primitive_fn)(void **, const void *, const void *, void *, const void *);

/* Sets `function` to the real library's function. */
static void take(void *function, const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(function, &symbol, sizeof symbol);
}

int dnnl_reorder_primitive_desc_create(void **made, const void *from, void *from_engine,
                                       const void *to, void *to_engine, const void *attributes)
{
    const char *refused = getenv("REFUSED");
    reorder_fn real;

    if (refused && strcmp(refused, "reorder") == 0)
        return UNIMPLEMENTED;
    take(&real, "dnnl_reorder_primitive_desc_create");
    return real(made, from, from_engine, to, to_engine, attributes);
}

static const char *direction_of(int propagation)
{
    return propagation >= 128 ? "backward" : propagation == 64 ? "training" : "inference";
}

/* Refuses primitives of one direction. Every description begins with the kind of primitive and the
 * propagation. */
int dnnl_primitive_desc_create(void **made, const void *description, const void *attributes,
                               void *engine, const void *hint)
{
    const char *refused = getenv("REFUSED");
    const int *begin = description;
    primitive_fn real;

    if (refused && strcmp(refused, direction_of(begin[1])) == 0)
        return UNIMPLEMENTED;
    take(&real, "dnnl_primitive_desc_create");
    return real(made, description, attributes, engine, hint);
}
