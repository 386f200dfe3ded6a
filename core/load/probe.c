/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether memory that a backend points to can be read: a wild pointer in a description then gives a
 * sentence instead of a crash in the application.
 */
#include "load/probe.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static uintptr_t probe_page_size(void)
{
    return (uintptr_t)sysconf(_SC_PAGESIZE);
}

/* The kernel reads the byte, and answers EFAULT where a load of ours would fault: no mapping, one
 * that may not be read, or one beyond the end of its file. */
static int probe_byte(uintptr_t address)
{
    char byte;
    struct iovec here = {&byte, 1};
    struct iovec there = {(void *)address, 1};
    int saved = errno;
    int readable = process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1;

    /* Where a sandbox forbids that call, another that reads before it refuses its first argument.
     */
    if (!readable && errno != EFAULT)
        readable =
            syscall(SYS_rt_sigprocmask, -1, (void *)(address & ~(uintptr_t)7), NULL, 8) == 0 ||
            errno != EFAULT;
    errno = saved;
    return readable;
}

int adn_load_readable(const void *address, size_t bytes)
{
    uintptr_t first = (uintptr_t)address;
    uintptr_t page = probe_page_size();

    if (!address || bytes == 0 || first > UINTPTR_MAX - bytes)
        return 0;
    for (uintptr_t at = first; at < first + bytes; at = (at / page + 1) * page) {
        if (!probe_byte(at))
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
