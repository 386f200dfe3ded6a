/* SPDX-License-Identifier: Apache-2.0 */
/* Which memory counts as readable: what a load would not fault on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "load/probe.h"

static size_t page;

static char *map(size_t pages, int protection)
{
    char *made = mmap(NULL, pages * page, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(made != MAP_FAILED);
    return made;
}

static void what_is_mapped(void **state)
{
    char *memory = map(3, PROT_READ | PROT_WRITE);

    (void)state;
    assert_true(adn_load_readable(memory, 3 * page));
    assert_true(adn_load_readable(memory + 3 * page - 1, 1));
    assert_true(adn_load_readable("text", 5));
    assert_false(adn_load_readable(NULL, 1));
    assert_false(adn_load_readable(memory, 0));
    assert_false(adn_load_readable((void *)(UINTPTR_MAX - 8), 64));
    munmap(memory + page, page);
    assert_true(adn_load_readable(memory, page));
    assert_false(adn_load_readable(memory, page + 1));
    assert_false(adn_load_readable(memory + page, 1));
    munmap(memory, 3 * page);
}

static void what_may_not_be_read(void **state)
{
    char *memory = map(2, PROT_READ | PROT_WRITE);

    (void)state;
    memset(memory, 'x', 2 * page);
    assert_int_equal(mprotect(memory + page, page, PROT_NONE), 0);
    assert_true(adn_load_readable(memory, page));
    assert_false(adn_load_readable(memory + page, 1));
    assert_false(adn_load_readable(memory + page - 4, 8));
    /* A string that ends nowhere before it. */
    assert_false(adn_load_readable_text(memory + page - 4, 100));
    memory[page - 1] = 0;
    assert_true(adn_load_readable_text(memory + page - 4, 100));
    munmap(memory, 2 * page);
}

static void what_lies_beyond_its_file(void **state)
{
    char name[] = "/tmp/anydnn_probe_XXXXXX";
    int file = mkstemp(name);
    char *memory;

    (void)state;
    assert_true(file >= 0);
    unlink(name);
    assert_int_equal(ftruncate(file, (off_t)(2 * page)), 0);
    memory = mmap(NULL, 2 * page, PROT_READ, MAP_SHARED, file, 0);
    assert_true(memory != MAP_FAILED);
    assert_true(adn_load_readable(memory, 2 * page));
    assert_int_equal(ftruncate(file, (off_t)page), 0);
    assert_true(adn_load_readable(memory, page));
    assert_false(adn_load_readable(memory + page, 1));
    assert_false(adn_load_readable(memory, 2 * page));
    close(file);
    munmap(memory, 2 * page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_mapped),
        cmocka_unit_test(what_may_not_be_read),
        cmocka_unit_test(what_lies_beyond_its_file),
    };

    page = (size_t)sysconf(_SC_PAGESIZE);
    return cmocka_run_group_tests_name("probe", tests, NULL, NULL);
}
