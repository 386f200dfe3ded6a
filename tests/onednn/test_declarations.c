/* SPDX-License-Identifier: Apache-2.0 */
/* Compares oneDNN's declarations in plugins/onednn/dnnl.h with the installed header. */
#include "tests/onednn/declarations.h"

#include "plugins/onednn/dnnl.h"

#include <stdio.h>
#include <string.h>

#define DECLARED(name) {#name, (long)(name)},
static const struct declared ours[] = {
#include "tests/onednn/declared.inc"
    {NULL, 0}};
#undef DECLARED

#define OLD(name, value) {#name, value},
static const struct declared old[] = {ONEDNN_OLD_TAGS(OLD) ONEDNN_OLD_ELTWISE(OLD)
                                          ONEDNN_OLD_FLAGS(OLD){NULL, 0}};

static long expected(const struct declared *constant)
{
    for (int i = 0; installed_major < 3 && old[i].name; i++)
        if (strcmp(old[i].name, constant->name) == 0)
            return old[i].value;
    return constant->value;
}

static int wrong_constants(void)
{
    int wrong = 0;

    for (int i = 0; ours[i].name; i++) {
        if (installed_constants[i].value == expected(&ours[i]))
            continue;
        printf("# %s is %ld, not %ld\n", ours[i].name, installed_constants[i].value,
               expected(&ours[i]));
        wrong++;
    }
    return wrong;
}

/* Returns the number of wrong sizes. Structures that oneDNN 2.6 fills must be large enough; the
 * others must be equal. */
static int wrong_sizes(void)
{
    static const struct {
        const char *name;
        long size;
        int at_least;
    } sizes[] = {{"dnnl_exec_arg_t", sizeof(dnnl_exec_arg_t), 0},
                 {"dnnl_version_t", sizeof(dnnl_version_t), 0},
                 {"dnnl_dims_t", sizeof(dnnl_dims_t), 0},
                 {"memory_desc", sizeof(union onednn_old_memory_desc), 1},
                 {"description", sizeof(union onednn_old_description), 1}};
    int wrong = 0;

    for (int i = 0; installed_sizes[i].name; i++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            const long size = installed_sizes[i].value;

            if (strcmp(sizes[s].name, installed_sizes[i].name) != 0 || size == sizes[s].size ||
                (sizes[s].at_least && size < sizes[s].size))
                continue;
            printf("# %s has %ld bytes, not %ld\n", sizes[s].name, size, sizes[s].size);
            wrong++;
        }
    return wrong;
}

int main(void)
{
    const int constants = wrong_constants(), sizes = wrong_sizes();

    printf("%s 1 - the constants of oneDNN %d\n", constants ? "not ok" : "ok", installed_major);
    printf("%s 2 - the sizes of its structures\n", sizes ? "not ok" : "ok");
    printf("1..2\n");
    return constants || sizes;
}
