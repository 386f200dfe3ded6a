/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn abi --scan: lists which of the library's symbols an ELF file imports. */
#include "abi.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "elf.h"
#include "shim.h"

struct scan {
    int imported;
    json_t *deprecated;
    json_t *unknown;
};

static void add_symbol(struct scan *scan, const char *name)
{
    const struct abi_symbol *symbol = abi_lookup(name);
    json_t *object;

    scan->imported++;
    /* Functions behind the porting header have no levels. */
    if (symbol == NULL && shim_is_ported(name))
        return;
    if (symbol == NULL) {
        json_array_append_new(scan->unknown, tool_json_text(name));
        return;
    }
    if (symbol->deprecated == 0)
        return;
    object = json_object();
    json_object_set_new(object, "symbol", json_string(symbol->name));
    json_object_set_new(object, "level", json_integer(symbol->level));
    json_object_set_new(object, "deprecated_from", json_integer(symbol->deprecated));
    json_object_set_new(object, "use", json_string(abi_newest(symbol)->name));
    json_array_append_new(scan->deprecated, object);
}

/* Returns 1 for names of entries: "anydnn" and a capital letter. This excludes
 * anydnn_plugin_main. */
static int is_entry(const char *name)
{
    return strncmp(name, "anydnn", 6) == 0 && name[6] >= 'A' && name[6] <= 'Z';
}

static void see(void *cookie, const char *name, int defined)
{
    if (!defined && is_entry(name))
        add_symbol(cookie, name);
}

static void print_scan(const struct scan *scan, const char *file)
{
    printf("%s imports %d %s of libanydnn, %zu of them deprecated\n", file, scan->imported,
           scan->imported == 1 ? "symbol" : "symbols", json_array_size(scan->deprecated));
    for (size_t i = 0; i < json_array_size(scan->deprecated); i++) {
        const json_t *object = json_array_get(scan->deprecated, i);

        printf("%s: deprecated from level %lld, use %s\n", tool_text_of(object, "symbol"),
               (long long)json_integer_value(json_object_get(object, "deprecated_from")),
               tool_text_of(object, "use"));
    }
    for (size_t i = 0; i < json_array_size(scan->unknown); i++)
        printf("%s: this version of anydnn does not have it; the file needs a newer version\n",
               json_string_value(json_array_get(scan->unknown, i)));
}

int abi_scan(struct tool *tool, const char *file, json_t *answer)
{
    struct scan scan = {0, json_array(), json_array()};
    const struct elf_visitor visitor = {.symbol = see, .cookie = &scan};
    struct elf_facts facts;
    char what[PATH_MAX + 16];
    int code;
    int found;

    snprintf(what, sizeof(what), "--scan=%s", file);
    code = elf_read(tool, what, file, &visitor, &facts);
    found = json_array_size(scan.deprecated) + json_array_size(scan.unknown) > 0;
    if (code == TOOL_FINE && !tool->json)
        print_scan(&scan, file);
    json_object_set_new(answer, "file", tool_json_text(file));
    if (code == TOOL_FINE)
        json_object_set_new(answer, "imported", json_integer(scan.imported));
    json_object_set_new(answer, "deprecated", scan.deprecated);
    json_object_set_new(answer, "unknown", scan.unknown);
    return code == TOOL_FINE && found ? TOOL_FAILED : code;
}
