/* SPDX-License-Identifier: Apache-2.0 */
/* The dynamic symbols that a shared object defines, read from the file. */
#include "tools/verify/checks/target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What every linker, or a sanitizer, puts there. */
static int is_tolerated(const char *name)
{
    static const char *const exact[] = {"anydnn_plugin_abi",
                                        "anydnn_plugin_main",
                                        "_init",
                                        "_fini",
                                        "__bss_start",
                                        "_edata",
                                        "_end"};

    for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++)
        if (strcmp(name, exact[i]) == 0)
            return 1;
    return strncmp(name, "__asan_", 7) == 0 || strncmp(name, "__odr_asan", 10) == 0 ||
           strncmp(name, "__gcov", 6) == 0 || strncmp(name, "__ubsan", 7) == 0;
}

static int in_file(size_t size, uint64_t at, uint64_t bytes)
{
    return at <= size && bytes <= size - at;
}

static void list_symbols(const unsigned char *file, size_t size, const Elf64_Shdr *symbols,
                         const Elf64_Shdr *names, char *extra, size_t room)
{
    size_t length = 0;

    for (uint64_t i = 0; i < symbols->sh_size / sizeof(Elf64_Sym); i++) {
        Elf64_Sym symbol;
        const char *name;
        int binding;

        memcpy(&symbol, file + symbols->sh_offset + i * sizeof(symbol), sizeof(symbol));
        binding = ELF64_ST_BIND(symbol.st_info);
        if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= names->sh_size ||
            binding == STB_LOCAL || ELF64_ST_VISIBILITY(symbol.st_other) == STV_HIDDEN)
            continue;
        name = (const char *)file + names->sh_offset + symbol.st_name;
        if (memchr(name, '\0', size - (size_t)(name - (const char *)file)) == NULL ||
            is_tolerated(name) || length + 2 >= room)
            continue;
        length +=
            (size_t)snprintf(extra + length, room - length, "%s%.60s", length > 0 ? " " : "", name);
    }
}

static int read_sections(const unsigned char *file, size_t size, char *extra, size_t room)
{
    Elf64_Ehdr header;

    if (size < sizeof(header))
        return -1;
    memcpy(&header, file, sizeof(header));
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_shentsize != sizeof(Elf64_Shdr) ||
        !in_file(size, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr)))
        return -1;
    for (int i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr symbols;
        Elf64_Shdr names;

        memcpy(&symbols, file + header.e_shoff + (size_t)i * sizeof(symbols), sizeof(symbols));
        if (symbols.sh_type != SHT_DYNSYM || symbols.sh_link >= header.e_shnum)
            continue;
        memcpy(&names, file + header.e_shoff + symbols.sh_link * sizeof(names), sizeof(names));
        if (!in_file(size, symbols.sh_offset, symbols.sh_size) ||
            !in_file(size, names.sh_offset, names.sh_size))
            return -1;
        list_symbols(file, size, &symbols, &names, extra, room);
        return 0;
    }
    return -1;
}

int verify_exports(const char *path, char *extra, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    void *file = MAP_FAILED;
    struct stat status;
    int result = -1;

    extra[0] = '\0';
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
        file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (file != MAP_FAILED) {
        result = read_sections(file, (size_t)status.st_size, extra, size);
        munmap(file, (size_t)status.st_size);
    }
    if (fd >= 0)
        close(fd);
    if (result != 0)
        snprintf(extra, size, "%.400s has no readable table of dynamic symbols", path);
    return result;
}
