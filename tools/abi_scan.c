/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn abi --scan: which of the library's symbols an ELF file imports. */
#include "abi.h"

#include "config.h"

#if HAVE_LIBELF

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>

struct scan {
    int imported;
    json_t *deprecated;
    json_t *unknown;
};

static void add_symbol(struct scan *scan, const char *name)
{
    const struct abi_symbol *symbol = abi_find(name);
    json_t *object;

    scan->imported++;
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

/* Entries are called anydnn and a capital; anydnn_plugin_main and the like are none. */
static int is_entry(const char *name)
{
    return name != NULL && strncmp(name, "anydnn", 6) == 0 && name[6] >= 'A' && name[6] <= 'Z';
}

static int read_symbols(struct scan *scan, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = header->sh_entsize > 0 ? header->sh_size / header->sh_entsize : 0;

    if (data == NULL)
        return -1;
    for (size_t i = 0; i < count; i++) {
        GElf_Sym symbol;
        const char *name;

        if (gelf_getsym(data, (int)i, &symbol) == NULL)
            return -1;
        if (symbol.st_shndx != SHN_UNDEF)
            continue;
        name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (is_entry(name))
            add_symbol(scan, name);
    }
    return 0;
}

/* What the dynamic linker sees; of an object file, what the linker will. */
static int read_elf(struct scan *scan, Elf *elf)
{
    GElf_Ehdr head;
    Elf_Scn *section = NULL;
    GElf_Word wanted;
    size_t sections;

    /* A file cut behind its head has no sections left. */
    if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &head) == NULL ||
        elf_getshdrnum(elf, &sections) != 0 || sections == 0)
        return -1;
    wanted = head.e_type == ET_REL ? SHT_SYMTAB : SHT_DYNSYM;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;

        if (gelf_getshdr(section, &header) == NULL)
            return -1;
        if (header.sh_type == wanted && read_symbols(scan, elf, section, &header) != 0)
            return -1;
    }
    return 0;
}

static int scan_file(struct tool *tool, struct scan *scan, const char *file)
{
    int number = open(file, O_RDONLY | O_CLOEXEC);
    Elf *elf = NULL;
    int code = TOOL_FINE;

    if (number < 0)
        return tool_fail(tool, TOOL_FAILED, "--scan=%s: the file cannot be read: %s", file,
                         strerror(errno));
    if (elf_version(EV_CURRENT) != EV_NONE)
        elf = elf_begin(number, ELF_C_READ_MMAP, NULL);
    if (elf == NULL || read_elf(scan, elf) != 0)
        code = tool_fail(
            tool, TOOL_FAILED,
            "--scan=%s: it is no ELF program, library or object file, or a damaged one", file);
    elf_end(elf);
    close(number);
    return code;
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
        printf("%s: this version of anydnn does not have it; the file needs a newer one\n",
               json_string_value(json_array_get(scan->unknown, i)));
}

int abi_scan(struct tool *tool, const char *file, json_t *answer)
{
    struct scan scan = {0, json_array(), json_array()};
    int code = scan_file(tool, &scan, file);
    int found = json_array_size(scan.deprecated) + json_array_size(scan.unknown) > 0;

    if (code == TOOL_FINE && !tool->json)
        print_scan(&scan, file);
    json_object_set_new(answer, "file", tool_json_text(file));
    if (code == TOOL_FINE)
        json_object_set_new(answer, "imported", json_integer(scan.imported));
    json_object_set_new(answer, "deprecated", scan.deprecated);
    json_object_set_new(answer, "unknown", scan.unknown);
    return code == TOOL_FINE && found ? TOOL_FAILED : code;
}

#else

int abi_scan(struct tool *tool, const char *file, json_t *answer)
{
    (void)answer;
    return tool_fail(tool, TOOL_FAILED,
                     "--scan=%s: this anydnn was built without libelf and cannot read programs",
                     file);
}

#endif
