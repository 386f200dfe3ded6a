/* SPDX-License-Identifier: Apache-2.0 */
/* Names the operations. */
#include "desc/operations.h"

#include <string.h>

#include <anydnn/plugin.h>

#define OPERATION(number, name, ...) [(number)-1] = #name,
static const char *const names[] = {
#include "desc/operations.def"
};
#undef OPERATION

#define NAME_COUNT ((int)(sizeof(names) / sizeof(names[0])))
_Static_assert(sizeof(names) / sizeof(names[0]) == ANYDNN_PLUGIN_OPERATION_END - 1,
               "operations.def and plugin.h list the same operations");

const char *adn_operation_name(int32_t operation)
{
    return operation >= 1 && operation <= NAME_COUNT ? names[operation - 1] : "?";
}

int32_t adn_operation_parse(const char *name)
{
    for (int i = 0; i < NAME_COUNT; i++)
        if (strcmp(names[i], name) == 0)
            return i + 1;
    return -1;
}

const char *const *adn_operation_names(int *count)
{
    *count = NAME_COUNT;
    return names;
}
