/* SPDX-License-Identifier: Apache-2.0 */
/* What the loader's tests share: a folder of backends of their own, a registry over it, and what
 * can be seen from outside: log, marker file, the process's mappings. */
#ifndef TESTS_LOADER_FIXTURE_H
#define TESTS_LOADER_FIXTURE_H

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "load/load.h"

struct fixture {
    char folder[PATH_MAX];
    char marker[PATH_MAX + 16];
    char log[PATH_MAX + 16];
    const char *folders[3]; /* of the registry; starts as `folder` alone */
    struct adn_load_module modules[4];
    int32_t module_count;
    const char *fault; /* what the mocks get as set.fault */
    uint32_t kind;     /* with which set.fault was last read */
    struct adn_registry *registry;
    struct adn_backend *inner; /* opened from inside a mock's main, by set.reenter */
    int inner_answer;
    const void *given; /* the case's initial state */
};

/* cmocka's setup and teardown: *state becomes a fixture. */
int fixture_setup(void **state);
int fixture_teardown(void **state);

/* Path of a file in the fixture's folder; the text lasts for a few more calls. */
const char *fixture_path(const struct fixture *fixture, const char *file);

/* Copies the mock anydnn_MOCK.so as `file` into the folder, so that it is a library of its own.
 * When `find` is given, replaces the first such bytes by as many of `put`. */
void fixture_copy(const struct fixture *fixture, const char *mock, const char *file);
void fixture_copy_patched(const struct fixture *fixture, const char *mock, const char *file,
                          const void *find, const void *put, size_t length);
/* Replaces bytes of a file in the folder. */
void fixture_patch(const struct fixture *fixture, const char *file, long offset, const void *put,
                   size_t length);
void fixture_write(const struct fixture *fixture, const char *file, const char *text);
void fixture_folder(const struct fixture *fixture, const char *name);

/* Makes the registry (dropping an earlier one). */
struct adn_registry *fixture_registry(struct fixture *fixture);

/* Finds a backend, opens it, and wants it live. */
struct adn_backend *fixture_live(struct fixture *fixture, const char *name);

/* Opens a backend and wants it to fail at `stage`, with a sentence that names its file and holds
 * every one of the strings up to NULL, logged once as a warning. */
struct adn_backend *fixture_fails(struct fixture *fixture, const char *name, int32_t stage, ...)
    __attribute__((sentinel));

/* The name that the global variable of a live mock holds. */
const char *fixture_identity(const struct adn_backend *backend);

/* Lines of a file that hold `text`; 0 when there is no such file. */
int fixture_count(const char *file, const char *text);

/* 1 when a mapping of this process is of a file whose path holds `text`. */
int fixture_mapped(const char *text);

#endif
