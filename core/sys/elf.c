/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/elf.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/files.h"

/* The header of the file that this code is linked into; the linker defines the symbol. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

int adn_elf_open(const char *path, struct adn_elf *elf)
{
    struct stat status;
    char reason[200];
    int error;

    *elf = (struct adn_elf){.file = adn_file_open(path, &status, reason, sizeof(reason))};
    if (elf->file < 0)
        return errno == EINVAL ? 0 : -1;
    elf->size = (uint64_t)status.st_size;
    if (elf->size < sizeof(elf->header) ||
        adn_elf_read(elf, &elf->header, sizeof(elf->header), 0) == 0)
        return 0;
    error = errno;
    adn_elf_close(elf);
    errno = error;
    return -1;
}

void adn_elf_close(struct adn_elf *elf)
{
    if (elf->file >= 0)
        close(elf->file);
    elf->file = -1;
}

int adn_elf_is_elf(const struct adn_elf *elf)
{
    return memcmp(elf->header.e_ident, ELFMAG, SELFMAG) == 0;
}

int adn_elf_is_readable(const struct adn_elf *elf)
{
    const unsigned char *own = __ehdr_start.e_ident;

    return elf->header.e_ident[EI_CLASS] == own[EI_CLASS] &&
           elf->header.e_ident[EI_DATA] == own[EI_DATA];
}

int adn_elf_own_machine(void)
{
    return __ehdr_start.e_machine;
}

int adn_elf_holds(const struct adn_elf *elf, uint64_t from, uint64_t bytes)
{
    return from <= elf->size && bytes <= elf->size - from;
}

int adn_elf_read(const struct adn_elf *elf, void *to, size_t bytes, uint64_t from)
{
    if (!adn_elf_holds(elf, from, bytes)) {
        errno = ENODATA;
        return -1;
    }
    for (size_t got = 0; got < bytes;) {
        ssize_t some = pread(elf->file, (char *)to + got, bytes - got, (off_t)(from + got));

        if (some < 0 && errno == EINTR)
            continue;
        if (some <= 0) {
            errno = some < 0 ? errno : ENODATA;
            return -1;
        }
        got += (size_t)some;
    }
    return 0;
}
