/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the dispatch tests share: a process whose settings name the test backends of tests/mocks,
 * whose settings may be changed between calls, their log, descriptors from short texts, and data
 * pointers that nobody reads.
 */
#ifndef TESTS_DISPATCH_FIXTURE_H
#define TESTS_DISPATCH_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <anydnn/anydnn.h>

#include "tests/holds.h"

/* Writes the settings file and points ANYDNN_CONFIG at it; makes nothing else. The texts are
 * further lines of [anydnn] and [plugin mock_a], may be "". Before the first handle of the process.
 */
void fixture_configure(const char *anydnn_keys, const char *mock_a_keys);
/* cmocka's group setup and teardown: fixture_configure("", ""), and its folder away. */
int fixture_group_setup(void **state);
int fixture_group_teardown(void **state);
/* Before and after each test: a fresh log and the backends' first settings; frees what the
 * functions below made. */
int fixture_setup(void **state);
int fixture_teardown(void **state);

/* A path in the fixture's folder; lasts for a few more calls. */
const char *fixture_path(const char *file);

/* Changes `set.KEY` of a backend in the settings in force; NULL takes it away. */
void fixture_set(const char *backend, const char *key, const char *value);
/* The settings in force, to be changed by a test (fixture_setup puts them back). */
struct adn_settings *fixture_settings(void);

/* A handle that fixture_teardown destroys: on "cpu", its route `*` = list (NULL: as configured). */
anydnnHandle_t fixture_handle(const char *list);
anydnnHandle_t fixture_handle_on(const char *device, const char *list);

/* What the backends logged since the last call of this function or fixture_setup. */
const char *fixture_log(void);
/* Lines of a log that hold both texts. */
int fixture_lines(const char *log, const char *one, const char *other);
/* Warnings (level 2) and information (3) of the library itself since the last call; from
 * fixture_setup on. */
const char *fixture_messages(void);

/* "f32:2,3,5,7" or "f32:2,3,5,7:STRIDES"; freed by fixture_teardown. */
anydnnTensorDescriptor_t fixture_tensor(const char *text);
/* "f32:4,3,3,2", "f32:4,3,3,2:nhwc" or ":nchw_vect_c" */
anydnnFilterDescriptor_t fixture_filter(const char *text);
/* pads, strides, dilations, groups, mode, compute type, as "1,2;2,1;1,3;2;cross;f32" */
anydnnConvolutionDescriptor_t fixture_convolution(const char *text);

/* An address for operand `index`, aligned to 4096; 4096 bytes of memory of this process. */
void *fixture_data(int index);

/* The record: a key's text, its number. */
const char *fixture_record(anydnnHandle_t handle, const char *key);
int64_t fixture_number(anydnnHandle_t handle, const char *key);

/* The last error's sentence. */
const char *fixture_error(void);
#define assert_ok(call) fixture_status((call), ANYDNN_STATUS_SUCCESS, "", #call, __FILE__, __LINE__)
/* The call answers `status` and its sentence holds `text`. */
#define assert_fails(call, status, text)                                                           \
    fixture_status((call), (status), (text), #call, __FILE__, __LINE__)
void fixture_status(anydnnStatus_t seen, anydnnStatus_t wanted, const char *text, const char *call,
                    const char *file, int line);

/* A small convolution on `handle`: f32 x 2,3,H,5, w 4,3,3,3, y 2,4,H-2,3; H tells problems apart.
 * Descriptors are made anew by each _new, kept by _make. */
struct fixture_convolution {
    anydnnTensorDescriptor_t x;
    anydnnFilterDescriptor_t w;
    anydnnConvolutionDescriptor_t conv;
    anydnnTensorDescriptor_t y;
    int algorithm;
    void *data[3]; /* x w y */
    void *workspace;
    size_t bytes;
};
void fixture_convolution_make(struct fixture_convolution *made, int height);
anydnnStatus_t fixture_convolution_run(anydnnHandle_t handle,
                                       const struct fixture_convolution *with);

#endif
