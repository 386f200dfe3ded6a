/* SPDX-License-Identifier: Apache-2.0 */
/* Reads ELF files by libelf, which is careful with damaged ones. */
#include "elf.h"

#include "config.h"

#if HAVE_LIBELF

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>

int elf_can_read(void)
{
    return 1;
}

static int read_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                        const struct elf_visitor *visitor)
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
        name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name != NULL && *name != '\0' && visitor->symbol != NULL)
            visitor->symbol(visitor->cookie, name, symbol.st_shndx != SHN_UNDEF);
    }
    return 0;
}

static int read_needed(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                       const struct elf_visitor *visitor)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = header->sh_entsize > 0 ? header->sh_size / header->sh_entsize : 0;

    if (data == NULL)
        return -1;
    for (size_t i = 0; i < count; i++) {
        GElf_Dyn entry;
        const char *name;

        if (gelf_getdyn(data, (int)i, &entry) == NULL)
            return -1;
        name = entry.d_tag == DT_NEEDED ? elf_strptr(elf, header->sh_link, entry.d_un.d_val) : NULL;
        if (name != NULL && visitor->needed != NULL)
            visitor->needed(visitor->cookie, name);
    }
    return 0;
}

/* The versions of imports: a chain of libraries, each with a chain of version nodes. */
static int read_versions(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                         const struct elf_visitor *visitor)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t at = 0;
    int more = 1;

    if (data == NULL)
        return -1;
    for (size_t i = 0; more && i < header->sh_info; i++) {
        GElf_Verneed library;
        size_t node_at;

        if (gelf_getverneed(data, (int)at, &library) == NULL)
            return -1;
        node_at = at + library.vn_aux;
        for (unsigned k = 0; k < library.vn_cnt; k++) {
            GElf_Vernaux node;
            const char *name;

            if (gelf_getvernaux(data, (int)node_at, &node) == NULL)
                return -1;
            name = elf_strptr(elf, header->sh_link, node.vna_name);
            if (name != NULL && visitor->version != NULL)
                visitor->version(visitor->cookie, name);
            if (node.vna_next == 0)
                break;
            node_at += node.vna_next;
        }
        more = library.vn_next != 0;
        at += library.vn_next;
    }
    return 0;
}

/* This program's own head in memory; the linker makes the symbol. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static int is_foreign(const GElf_Ehdr *head)
{
    return head->e_machine != __ehdr_start.e_machine ||
           head->e_ident[EI_CLASS] != __ehdr_start.e_ident[EI_CLASS];
}

static int read_all(Elf *elf, const struct elf_visitor *visitor, struct elf_facts *facts)
{
    GElf_Ehdr head;
    Elf_Scn *section = NULL;
    GElf_Word wanted;
    size_t sections;

    /* A file cut behind its head has no sections left. */
    if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &head) == NULL ||
        elf_getshdrnum(elf, &sections) != 0 || sections == 0)
        return -1;
    facts->foreign = is_foreign(&head);
    wanted = head.e_type == ET_REL ? SHT_SYMTAB : SHT_DYNSYM;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        int bad = 0;

        if (gelf_getshdr(section, &header) == NULL)
            return -1;
        if (header.sh_type == wanted)
            bad = read_symbols(elf, section, &header, visitor);
        if (header.sh_type == SHT_GNU_verneed)
            bad = read_versions(elf, section, &header, visitor);
        if (header.sh_type == SHT_DYNAMIC) {
            facts->dynamic = 1;
            bad = read_needed(elf, section, &header, visitor);
        }
        if (bad)
            return -1;
    }
    return 0;
}

int elf_read(struct tool *tool, const char *what, const char *file,
             const struct elf_visitor *visitor, struct elf_facts *facts)
{
    int number = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    Elf *elf = NULL;
    int code = TOOL_FINE;

    *facts = (struct elf_facts){0, 0};
    if (number < 0)
        return tool_fail(tool, TOOL_FAILED, "%s: the file cannot be read: %s", what,
                         strerror(errno));
    if (fstat(number, &status) == 0 && S_ISREG(status.st_mode) &&
        elf_version(EV_CURRENT) != EV_NONE)
        elf = elf_begin(number, ELF_C_READ_MMAP, NULL);
    if (elf == NULL || read_all(elf, visitor, facts) != 0)
        code =
            tool_fail(tool, TOOL_FAILED,
                      "%s: it is no ELF program, library or object file, or a damaged one", what);
    elf_end(elf);
    close(number);
    return code;
}

#else

int elf_can_read(void)
{
    return 0;
}

int elf_read(struct tool *tool, const char *what, const char *file,
             const struct elf_visitor *visitor, struct elf_facts *facts)
{
    (void)file;
    (void)visitor;
    *facts = (struct elf_facts){0, 0};
    return tool_fail(tool, TOOL_FAILED,
                     "%s: this anydnn was built without libelf and cannot read programs", what);
}

#endif
