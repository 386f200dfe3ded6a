/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the loader's tests share: a private folder of backends and a registry for
 * it. Further functions check the log, the marker file and the process's mappings. */
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
    const char *folders[3]; /* folders of the registry; initially only `folder` */
    struct adn_load_module modules[4];
    int32_t module_count;
    const char *fault; /* the mocks' value of set.fault */
    uint32_t kind;     /* the kind of the last read of set.fault */
    struct adn_registry *registry;
    struct adn_backend *inner; /* opened inside a mock's main, by set.reenter */
    int inner_answer;
    const void *given; /* the case's initial state */
};

/* cmocka's setup and teardown; setup points *state to a fixture. */
int fixture_setup(void **state);
int fixture_teardown(void **state);

/* Returns the path of a file in the fixture's folder; the text is valid for a few more calls. */
const char *fixture_path(const struct fixture *fixture, const char *file);

/* Copies the mock anydnn_MOCK.so as `file` into the folder, so that it becomes a separate
 * library. If `find` is given, replaces its first occurrence by the same number of bytes from
 * `put`. */
void fixture_copy(const struct fixture *fixture, const char *mock, const char *file);
void fixture_copy_patched(const struct fixture *fixture, const char *mock, const char *file,
                          const void *find, const void *put, size_t length);
/* Replaces bytes of a file in the folder. */
void fixture_patch(const struct fixture *fixture, const char *file, long offset, const void *put,
                   size_t length);
void fixture_write(const struct fixture *fixture, const char *file, const char *text);
void fixture_folder(const struct fixture *fixture, const char *name);

/* Makes the registry and drops an earlier one. */
struct adn_registry *fixture_registry(struct fixture *fixture);

/* Finds a backend, opens it, and checks that it is live. */
struct adn_backend *fixture_live(struct fixture *fixture, const char *name);

/* Opens a backend and checks that it fails at `stage`. The sentence must name its file, contain
 * each of the strings up to NULL, and be logged once as a warning. */
struct adn_backend *fixture_fails(struct fixture *fixture, const char *name, int32_t stage, ...)
    __attribute__((sentinel));

/* Returns the name in the global variable of a live mock. */
const char *fixture_identity(const struct adn_backend *backend);

/* Returns the number of lines that contain `text`; 0 if the file does not exist. */
int fixture_count(const char *file, const char *text);

/* Returns 1 if the process maps a file whose path contains `text`. */
int fixture_mapped(const char *text);

#endif
