/* SPDX-License-Identifier: Apache-2.0 */
/* Reads ELF files, which may be damaged or cut off, without mapping them. */
#ifndef ADN_SYS_ELF_H
#define ADN_SYS_ELF_H

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

struct adn_elf {
    int file;
    uint64_t size;
    ElfW(Ehdr) header; /* zero where the file is shorter */
};

/* Opens a file and reads its header. Returns -1 with errno set where the file cannot be read;
 * returns 0 for a file that is not ELF, too. A folder or another special file counts as empty. */
int adn_elf_open(const char *path, struct adn_elf *elf);

void adn_elf_close(struct adn_elf *elf);

/* Returns 1 if the file begins as an ELF file does and holds a whole header. */
int adn_elf_is_elf(const struct adn_elf *elf);

/* Returns 1 if the file has this machine's word size and byte order. All but the first bytes of the
 * header have a meaning only then. */
int adn_elf_is_readable(const struct adn_elf *elf);

/* Returns the number (EM_...) of the machine that this code was built for. */
int adn_elf_own_machine(void);

/* Returns 1 if `bytes` bytes at `from` lie in the file. */
int adn_elf_holds(const struct adn_elf *elf, uint64_t from, uint64_t bytes);

/* Reads `bytes` bytes at `from`. Returns -1 with errno set if they cannot be read; errno is ENODATA
 * if the file ends before. */
int adn_elf_read(const struct adn_elf *elf, void *to, size_t bytes, uint64_t from);

#endif
