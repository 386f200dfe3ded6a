/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a backend's file says of itself, looked at before the dynamic linker maps it: the linker
 * trusts the headers, and a file that was cut off kills the process when a page behind its end is
 * touched.
 */
#include "load/attempt.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/error.h"
#include "sys/files.h"

/* More program headers than any linker writes. */
#define ELF_SEGMENTS_MAX 512

/* The header of the file that this code lies in, which is for this machine. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

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

/* The first bytes have one form on all machines; what follows is read only where it has ours. */
static int elf_check_header(struct adn_load_attempt *attempt, const ElfW(Ehdr) * header)
{
    const char *path = attempt->slot->backend.path;
    const unsigned char *own = __ehdr_start.e_ident;

    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return adn_load_refuse(attempt,
                               "%s cannot be opened: invalid ELF header: this file is not a shared "
                               "object; install the backend again",
                               path);
    if (header->e_ident[EI_CLASS] != own[EI_CLASS] || header->e_ident[EI_DATA] != own[EI_DATA])
        return adn_load_refuse(
            attempt,
            "%s cannot be opened: wrong ELF class or byte order: the backend was "
            "built for another kind of machine than %s; install the one for "
            "this machine",
            path, elf_machine(__ehdr_start.e_machine));
    if (header->e_machine != __ehdr_start.e_machine)
        return adn_load_refuse(
            attempt,
            "%s cannot be opened: the backend was built for %s (machine %d), and "
            "this is %s (machine %d); install the one for this machine",
            path, elf_machine(header->e_machine), header->e_machine,
            elf_machine(__ehdr_start.e_machine), __ehdr_start.e_machine);
    if (header->e_type != ET_DYN || header->e_phentsize != sizeof(ElfW(Phdr)) ||
        header->e_phnum < 1 || header->e_phnum > ELF_SEGMENTS_MAX)
        return adn_load_refuse(attempt,
                               "%s cannot be opened: it is of ELF type %d with %d program headers "
                               "of %d bytes, not a shared object; link the backend with -shared",
                               path, header->e_type, header->e_phnum, header->e_phentsize);
    return 0;
}

/* Reads all of it, or fails. */
static int elf_read(int file, void *to, size_t bytes, off_t from)
{
    for (size_t got = 0; got < bytes;) {
        ssize_t some = pread(file, (char *)to + got, bytes - got, from + (off_t)got);

        if (some < 0 && errno == EINTR)
            continue;
        if (some <= 0)
            return -1;
        got += (size_t)some;
    }
    return 0;
}

/* Where the last byte that the program headers name ends; -1 when they cannot be read. */
static int elf_end(int file, const ElfW(Ehdr) * header, uint64_t size, uint64_t *end)
{
    ElfW(Phdr) segment;
    size_t bytes = header->e_phnum * sizeof(segment);

    *end = header->e_phoff <= UINT64_MAX - bytes ? header->e_phoff + bytes : UINT64_MAX;
    if (*end > size)
        return 0;
    for (size_t i = 0; i < header->e_phnum; i++) {
        uint64_t offset, length, last;

        if (elf_read(file, &segment, sizeof(segment),
                     (off_t)(header->e_phoff + i * sizeof(segment))) != 0)
            return -1;
        offset = segment.p_offset;
        length = segment.p_filesz;
        last = offset <= UINT64_MAX - length ? offset + length : UINT64_MAX;
        if (length > 0 && last > *end)
            *end = last;
    }
    return 0;
}

static int elf_check_file(struct adn_load_attempt *attempt, int file)
{
    const char *path = attempt->slot->backend.path;
    struct stat status;
    ElfW(Ehdr) header;
    uint64_t size, end;

    if (fstat(file, &status) != 0)
        return adn_load_refuse(attempt, "%s cannot be examined: %s", path, strerror(errno));
    size = (uint64_t)status.st_size;
    if (size < sizeof(header))
        return adn_load_refuse(attempt,
                               "%s cannot be opened: file too short: with %llu bytes this file is "
                               "not a whole shared object; install the backend again",
                               path, (unsigned long long)size);
    if (elf_read(file, &header, sizeof(header), 0) != 0)
        return adn_load_refuse(attempt, "%s cannot be read: %s", path, strerror(errno));
    if (elf_check_header(attempt, &header) != 0)
        return -1;
    if (elf_end(file, &header, size, &end) != 0)
        return adn_load_refuse(attempt, "%s cannot be read: %s", path, strerror(errno));
    if (end > size)
        return adn_load_refuse(attempt,
                               "%s cannot be opened: file too short: it was cut off at %llu bytes, "
                               "and its program headers reach to %llu; install the backend again",
                               path, (unsigned long long)size, (unsigned long long)end);
    return 0;
}

int adn_load_check_elf(struct adn_load_attempt *attempt)
{
    int file = adn_file_above_standard(
        open(attempt->real_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    int answer;

    if (file < 0) {
        adn_shortage(errno);
        return adn_load_refuse(attempt,
                               "%s cannot be opened: %s: see the file's mode and the mount options "
                               "of its folder",
                               attempt->slot->backend.path, strerror(errno));
    }
    answer = elf_check_file(attempt, file);
    close(file);
    return answer;
}
