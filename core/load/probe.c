/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether memory that a backend points to can be read: a wild pointer in a description then gives a
 * sentence instead of a crash in the application.
 */
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "load/private.h"

static uintptr_t probe_page_size(void)
{
    return (uintptr_t)sysconf(_SC_PAGESIZE);
}

/* mincore answers ENOMEM for a page that is not mapped, and reads nothing. */
static int probe_page(uintptr_t address, uintptr_t page)
{
    unsigned char resident;
    int saved = errno;
    int mapped = mincore((void *)(address / page * page), 1, &resident) == 0 || errno != ENOMEM;

    errno = saved;
    return mapped;
}

int adn_load_readable(const void *address, size_t bytes)
{
    uintptr_t first = (uintptr_t)address;
    uintptr_t page = probe_page_size();

    if (!address || bytes == 0 || first > UINTPTR_MAX - bytes)
        return 0;
    for (uintptr_t at = first; at < first + bytes; at = (at / page + 1) * page) {
        if (!probe_page(at, page))
            return 0;
    }
    return 1;
}

int adn_load_readable_text(const char *text, size_t max)
{
    uintptr_t page = probe_page_size();

    for (size_t i = 0; i <= max; i++) {
        if ((i == 0 || (uintptr_t)(text + i) % page == 0) && !adn_load_readable(text + i, 1))
            return 0;
        if (text[i] == 0)
            return 1;
    }
    return 0;
}
