/* SPDX-License-Identifier: Apache-2.0 */
/* Visits the symbols and libraries that the sections of an ELF file name. */
#include "elf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sys/elf.h"

#define SYMBOL_BIND(info)        ((info) >> 4)
#define SYMBOL_VISIBILITY(other) ((other)&3)

/* A section and the string table that it refers to, both read completely. */
struct section {
    ElfW(Shdr) header;
    char *bytes;
    char *names;
    size_t size, names_size;
};

static int read_header(const struct adn_elf *elf, uint64_t number, ElfW(Shdr) * header)
{
    uint64_t at = number * sizeof(*header);

    return at > UINT64_MAX - elf->header.e_shoff
               ? -1
               : adn_elf_read(elf, header, sizeof(*header), elf->header.e_shoff + at);
}

/* Reads a section's bytes and appends a zero. Returns NULL if they do not lie in the file. */
static char *read_bytes(const struct adn_elf *elf, const ElfW(Shdr) * header)
{
    char *bytes = NULL;

    if (header->sh_type != SHT_NOBITS && adn_elf_holds(elf, header->sh_offset, header->sh_size))
        bytes = calloc(1, header->sh_size + 1);
    if (bytes != NULL && adn_elf_read(elf, bytes, header->sh_size, header->sh_offset) != 0) {
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

/* Returns the string at an offset, or NULL past the end. The appended zero ends the last string. */
static const char *name_at(const struct section *section, uint64_t offset)
{
    return offset < section->names_size ? section->names + offset : NULL;
}

/* Copies `size` bytes from offset `at`. Returns -1 if they do not lie in the section. */
static int take(const struct section *section, uint64_t at, void *to, size_t size)
{
    if (at > section->size || size > section->size - at)
        return -1;
    memcpy(to, section->bytes + at, size);
    return 0;
}

static int visit_symbols(const struct section *section, const struct elf_visitor *visitor)
{
    ElfW(Sym) symbol;

    for (uint64_t at = 0; take(section, at, &symbol, sizeof(symbol)) == 0; at += sizeof(symbol)) {
        const char *name = name_at(section, symbol.st_name);
        int defined = symbol.st_shndx != SHN_UNDEF;

        if (name == NULL || *name == '\0')
            continue;
        if (visitor->symbol != NULL)
            visitor->symbol(visitor->cookie, name, defined);
        if (visitor->exported != NULL && defined && SYMBOL_BIND(symbol.st_info) != STB_LOCAL &&
            SYMBOL_VISIBILITY(symbol.st_other) != STV_HIDDEN)
            visitor->exported(visitor->cookie, name);
    }
    return 0;
}

static int visit_needed(const struct section *section, const struct elf_visitor *visitor)
{
    ElfW(Dyn) entry;

    for (uint64_t at = 0; take(section, at, &entry, sizeof(entry)) == 0; at += sizeof(entry)) {
        int is_path = entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH;
        const char *name =
            entry.d_tag == DT_NEEDED || is_path ? name_at(section, entry.d_un.d_val) : NULL;

        if (name != NULL && is_path && visitor->run_path != NULL)
            visitor->run_path(visitor->cookie, name, entry.d_tag == DT_RPATH);
        if (name != NULL && !is_path && visitor->needed != NULL)
            visitor->needed(visitor->cookie, name);
    }
    return 0;
}

/* Visits the versions of imports: a list of libraries, each with a list of version nodes. Offsets
 * only grow, so every list ends. */
static int visit_versions(const struct section *section, const struct elf_visitor *visitor)
{
    ElfW(Verneed) library = {.vn_next = 0};
    uint64_t at = 0;

    for (uint64_t i = 0; i < section->header.sh_info; i++) {
        uint64_t node_at;

        if (take(section, at, &library, sizeof(library)) != 0)
            return -1;
        node_at = at + library.vn_aux;
        for (unsigned k = 0; k < library.vn_cnt; k++) {
            ElfW(Vernaux) node;
            const char *name;

            if (take(section, node_at, &node, sizeof(node)) != 0)
                return -1;
            name = name_at(section, node.vna_name);
            if (name != NULL && visitor->version != NULL)
                visitor->version(visitor->cookie, name);
            if (node.vna_next == 0)
                break;
            node_at += node.vna_next;
        }
        if (library.vn_next == 0)
            break;
        at += library.vn_next;
    }
    return 0;
}

typedef int (*visit_fn)(const struct section *section, const struct elf_visitor *visitor);

static int visit_section(const struct adn_elf *elf, const ElfW(Shdr) * header, visit_fn visit,
                         const struct elf_visitor *visitor)
{
    struct section section = {.header = *header};
    ElfW(Shdr) names;
    int result = -1;

    if (read_header(elf, header->sh_link, &names) != 0)
        return -1;
    section.bytes = read_bytes(elf, header);
    section.names = read_bytes(elf, &names);
    if (section.bytes != NULL && section.names != NULL) {
        section.size = header->sh_size;
        section.names_size = names.sh_size;
        result = visit(&section, visitor);
    }
    free(section.bytes);
    free(section.names);
    return result;
}

/* Visits all sections. A file truncated after its header has none. If the count does not fit the
 * header, the first section holds it. */
static int visit_sections(const struct adn_elf *elf, const struct elf_visitor *visitor,
                          struct elf_facts *facts)
{
    ElfW(Word) symbols = elf->header.e_type == ET_REL ? SHT_SYMTAB : SHT_DYNSYM;
    uint64_t count = elf->header.e_shnum;
    ElfW(Shdr) header;

    if (elf->header.e_shentsize != sizeof(header) || elf->header.e_shoff == 0 ||
        read_header(elf, 0, &header) != 0)
        return -1;
    if (count == 0)
        count = header.sh_size;
    for (uint64_t i = 0; i < count; i++) {
        visit_fn visit = NULL;

        if (read_header(elf, i, &header) != 0)
            return -1;
        if (header.sh_type == symbols)
            visit = visit_symbols;
        if (header.sh_type == SHT_GNU_verneed)
            visit = visit_versions;
        if (header.sh_type == SHT_DYNAMIC)
            visit = visit_needed;
        facts->dynamic |= header.sh_type == SHT_DYNAMIC;
        if (visit != NULL && visit_section(elf, &header, visit, visitor) != 0)
            return -1;
    }
    return count > 0 ? 0 : -1;
}

int elf_visit(const char *file, const struct elf_visitor *visitor, struct elf_facts *facts)
{
    struct adn_elf elf;
    int result = -1;

    *facts = (struct elf_facts){0, 0};
    if (adn_elf_open(file, &elf) != 0)
        return -1;
    if (adn_elf_is_elf(&elf)) {
        int readable = adn_elf_is_readable(&elf);

        facts->foreign = !readable || elf.header.e_machine != adn_elf_own_machine();
        result = readable ? visit_sections(&elf, visitor, facts) : -1;
    }
    adn_elf_close(&elf);
    if (result != 0)
        errno = ENOEXEC;
    return result;
}

int elf_read(struct tool *tool, const char *what, const char *file,
             const struct elf_visitor *visitor, struct elf_facts *facts)
{
    if (elf_visit(file, visitor, facts) == 0)
        return TOOL_FINE;
    if (facts->foreign)
        return tool_fail(tool, TOOL_FAILED, "%s: the file is for another machine or is damaged",
                         what);
    if (errno == ENOEXEC)
        return tool_fail(tool, TOOL_FAILED,
                         "%s: not an ELF program, library or object file, or a damaged one", what);
    return tool_fail(tool, TOOL_FAILED, "%s: the file cannot be read: %s", what, strerror(errno));
}
