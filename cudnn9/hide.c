/* SPDX-License-Identifier: Apache-2.0 */
/* Removes from this library the names that the real one lacks. Releases of cuDNN 9 differ in their
 * functions, and programs find out by dlsym which of them exist. The dynamic linker ignores a
 * symbol whose value is 0, so the entries of the symbol table are changed in memory. */
#include "cudnn9/front.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The tables of this library that the dynamic linker reads. */
struct tables {
    ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *hash; /* the GNU hash table, from which the number of symbols follows */
};

static int own_tables(struct tables *tables)
{
    static const char here;
    struct link_map *map = NULL;
    Dl_info info;

    if (dladdr1(&here, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 || map == NULL)
        return -1;
    for (const ElfW(Dyn) *at = map->l_ld; at->d_tag != DT_NULL; at++) {
        void *address = (void *)at->d_un.d_ptr;

        if (at->d_tag == DT_SYMTAB)
            tables->symbols = address;
        if (at->d_tag == DT_STRTAB)
            tables->strings = address;
        if (at->d_tag == DT_GNU_HASH)
            tables->hash = address;
    }
    return tables->symbols != NULL && tables->strings != NULL && tables->hash != NULL ? 0 : -1;
}

/* Returns one more than the last index in the hash table: the end of the longest chain. The table
 * has four numbers, a filter, the buckets and the chains, whose last element is odd. */
static size_t symbol_count(const uint32_t *hash)
{
    uint32_t buckets = hash[0], first = hash[1];
    const uint32_t *bucket = hash + 4 + hash[2] * (sizeof(ElfW(Addr)) / sizeof(*hash));
    const uint32_t *chain = bucket + buckets;
    size_t last = 0;

    for (uint32_t i = 0; i < buckets; i++)
        last = bucket[i] > last ? bucket[i] : last;
    if (last < first)
        return first;
    while ((chain[last - first] & 1) == 0)
        last++;
    return last + 1;
}

static ElfW(Sym) * symbol_of(const struct tables *tables, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(tables->strings + tables->symbols[i].st_name, name) == 0)
            return &tables->symbols[i];
    return NULL;
}

void cudnn9_hide_lacking(void *real)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    struct tables tables = {.symbols = NULL};
    uintptr_t from;
    size_t count, bytes;

    if (own_tables(&tables) != 0)
        return;
    count = symbol_count(tables.hash);
    from = (uintptr_t)tables.symbols & ~(page - 1);
    bytes = (uintptr_t)(tables.symbols + count) - from;
    if (mprotect((void *)from, bytes, PROT_READ | PROT_WRITE) != 0)
        return;
    for (size_t i = 0; i < CUDNN9_FUNCTIONS; i++) {
        ElfW(Sym) *symbol = dlsym(real, cudnn9_functions[i].name) == NULL
                                ? symbol_of(&tables, count, cudnn9_functions[i].name)
                                : NULL;

        if (symbol != NULL)
            __atomic_store_n(&symbol->st_value, 0, __ATOMIC_RELAXED);
    }
    (void)mprotect((void *)from, bytes, PROT_READ);
}
