/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the headers of a backend's file before the dynamic linker maps it. The linker trusts the
 * headers, and a truncated file kills the process when it touches a page beyond the end.
 */
#include "load/attempt.h"

#include <errno.h>
#include <string.h>

#include "sys/elf.h"
#include "sys/error.h"

/* More program headers than any linker writes. */
#define ELF_SEGMENTS_MAX 512

static const struct {
    int number;
    const char *name;
} elf_machines[] = {
    {EM_386, "x86 (32 bits)"}, {EM_X86_64, "x86-64"}, {EM_ARM, "ARM (32 bits)"},
    {EM_AARCH64, "AArch64"},   {EM_PPC64, "POWER"},   {EM_RISCV, "RISC-V"},
    {EM_S390, "S/390"},
};

static const char *elf_machine(int number)
{
    for (size_t i = 0; i < sizeof(elf_machines) / sizeof(elf_machines[0]); i++) {
        if (elf_machines[i].number == number)
            return elf_machines[i].name;
    }
    return "another machine";
}

static int elf_check_header(struct adn_load_attempt *attempt, const struct adn_elf *elf)
{
    const char *path = attempt->slot->backend.path;
    const ElfW(Ehdr) *header = &elf->header;
    int own = adn_elf_own_machine();

    if (!adn_elf_is_elf(elf))
        return adn_load_refuse(attempt,
                               "%s cannot be opened: invalid ELF header: this file is not a shared "
                               "object; install the backend again",
                               path);
    if (!adn_elf_is_readable(elf))
        return adn_load_refuse(
            attempt,
            "%s cannot be opened: wrong ELF class or byte order: the backend was "
            "built for another kind of machine than %s; install the one for "
            "this machine",
            path, elf_machine(own));
    if (header->e_machine != own)
        return adn_load_refuse(
            attempt,
            "%s cannot be opened: the backend was built for %s (machine %d), and "
            "this is %s (machine %d); install the one for this machine",
            path, elf_machine(header->e_machine), header->e_machine, elf_machine(own), own);
    if (header->e_type != ET_DYN || header->e_phentsize != sizeof(ElfW(Phdr)) ||
        header->e_phnum < 1 || header->e_phnum > ELF_SEGMENTS_MAX)
        return adn_load_refuse(attempt,
                               "%s cannot be opened: it is of ELF type %d with %d program headers "
                               "of %d bytes, not a shared object; link the backend with -shared",
                               path, header->e_type, header->e_phnum, header->e_phentsize);
    return 0;
}

/* Computes the end of the bytes that the program headers name. Returns -1 if reading fails. */
static int elf_end(const struct adn_elf *elf, uint64_t *end)
{
    uint64_t at = elf->header.e_phoff;
    ElfW(Phdr) segment;
    size_t bytes = elf->header.e_phnum * sizeof(segment);

    *end = at <= UINT64_MAX - bytes ? at + bytes : UINT64_MAX;
    if (*end > elf->size)
        return 0;
    for (size_t i = 0; i < elf->header.e_phnum; i++) {
        uint64_t offset, length, last;

        if (adn_elf_read(elf, &segment, sizeof(segment), at + i * sizeof(segment)) != 0)
            return -1;
        offset = segment.p_offset;
        length = segment.p_filesz;
        last = offset <= UINT64_MAX - length ? offset + length : UINT64_MAX;
        if (length > 0 && last > *end)
            *end = last;
    }
    return 0;
}

static int elf_check_file(struct adn_load_attempt *attempt, const struct adn_elf *elf)
{
    const char *path = attempt->slot->backend.path;
    uint64_t end;

    if (elf->size < sizeof(elf->header))
        return adn_load_refuse(attempt,
                               "%s cannot be opened: file too short: with %llu bytes this file is "
                               "not a whole shared object; install the backend again",
                               path, (unsigned long long)elf->size);
    if (elf_check_header(attempt, elf) != 0)
        return -1;
    if (elf_end(elf, &end) != 0)
        return adn_load_refuse(attempt, "%s cannot be read: %s", path, strerror(errno));
    if (end > elf->size)
        return adn_load_refuse(attempt,
                               "%s cannot be opened: file too short: it was cut off at %llu bytes, "
                               "and its program headers reach to %llu; install the backend again",
                               path, (unsigned long long)elf->size, (unsigned long long)end);
    return 0;
}

int adn_load_check_elf(struct adn_load_attempt *attempt)
{
    struct adn_elf elf;
    int answer;

    if (adn_elf_open(attempt->real_path, &elf) != 0) {
        adn_shortage(errno);
        return adn_load_refuse(attempt,
                               "%s cannot be opened: %s: see the file's mode and the mount options "
                               "of its folder",
                               attempt->slot->backend.path, strerror(errno));
    }
    answer = elf_check_file(attempt, &elf);
    adn_elf_close(&elf);
    return answer;
}
