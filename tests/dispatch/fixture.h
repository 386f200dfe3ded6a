/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations that the dispatch tests share: a process whose settings name the test backends of
 * tests/mocks and may change between calls. Also here: the log of the backends, descriptors made
 * from short texts, and data pointers that nothing reads.
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

/* Writes the settings file and points ANYDNN_CONFIG at it; creates nothing else. The texts are
 * additional lines of [anydnn] and [plugin mock_a], or "". Must run before the process creates
 * its first handle. */
void fixture_configure(const char *anydnn_keys, const char *mock_a_keys);
/* cmocka's group setup and teardown: setup calls fixture_configure("", ""), teardown removes its
 * folder. */
int fixture_group_setup(void **state);
int fixture_group_teardown(void **state);
/* Run before and after each test. Setup clears the log and restores the backends' initial
 * settings; teardown frees what the functions below made. */
int fixture_setup(void **state);
int fixture_teardown(void **state);

/* Returns a path in the fixture's folder; the result is valid for a few more calls. */
const char *fixture_path(const char *file);

/* Changes `set.KEY` of a backend in the current settings; NULL removes it. */
void fixture_set(const char *backend, const char *key, const char *value);
/* Returns the current settings, which a test may change; fixture_setup restores them. */
struct adn_settings *fixture_settings(void);

/* Creates a handle on "cpu" with the route `*` = list (NULL: as configured); fixture_teardown
 * destroys it. */
anydnnHandle_t fixture_handle(const char *list);
anydnnHandle_t fixture_handle_on(const char *device, const char *list);

/* Returns what the backends logged since the last call of this function or fixture_setup. */
const char *fixture_log(void);
/* Counts the lines of a log that contain both texts. */
int fixture_lines(const char *log, const char *one, const char *other);
/* Returns the library's own warnings (level 2) and information (level 3) since the last call or
 * fixture_setup. */
const char *fixture_messages(void);

/* Makes a tensor from "f32:2,3,5,7" or "f32:2,3,5,7:STRIDES"; fixture_teardown frees it. */
anydnnTensorDescriptor_t fixture_tensor(const char *text);
/* Makes a filter from "f32:4,3,3,2", "f32:4,3,3,2:nhwc" or ":nchw_vect_c". */
anydnnFilterDescriptor_t fixture_filter(const char *text);
/* Makes a convolution from pads, strides, dilations, groups, mode and compute type:
 * "1,2;2,1;1,3;2;cross;f32". */
anydnnConvolutionDescriptor_t fixture_convolution(const char *text);

/* Returns an address for operand `index`: 4096 bytes of process memory, aligned to 4096. */
void *fixture_data(int index);

/* Return the text and the number of a key of the dispatch record. */
const char *fixture_record(anydnnHandle_t handle, const char *key);
int64_t fixture_number(anydnnHandle_t handle, const char *key);

/* Returns the sentence of the last error. */
const char *fixture_error(void);
#define assert_ok(call) fixture_status((call), ANYDNN_STATUS_SUCCESS, "", #call, __FILE__, __LINE__)
/* Checks that the call returns `status` and that its sentence contains `text`. */
#define assert_fails(call, status, text)                                                           \
    fixture_status((call), (status), (text), #call, __FILE__, __LINE__)
void fixture_status(anydnnStatus_t seen, anydnnStatus_t wanted, const char *text, const char *call,
                    const char *file, int line);

/* A small convolution on `handle`: f32 x 2,3,H,5, w 4,3,3,3, y 2,4,H-2,3. H distinguishes
 * problems. _new creates its descriptors each time; _make keeps them. */
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
