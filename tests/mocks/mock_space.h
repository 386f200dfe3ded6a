/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of the test space share. */
#ifndef MOCK_SPACE_H
#define MOCK_SPACE_H

#include "mock.h"

#define MOCK_SPACE_LOG(line, function, ...)                                                        \
    mock_line_begin(&(line), function);                                                            \
    mock_line_add(&(line), __VA_ARGS__)

/* Logs a call and returns its status: 4 if set.fail_space names it, 9 for marks while
 * set.captured reports that a stream is captured. */
int32_t mock_space_answer(struct mock_line *line, const char *function);

/* Returns 1 if set.nothing names the function, which then reports success and returns nothing. */
int mock_space_gives_nothing(const char *function);

int mock_mark_number(const void *mark);

/* Returns the stream; aborts if it was destroyed, as a driver crashes on such a pointer. */
void *mock_stream_alive(void *stream);

int32_t mock_stream_create(int32_t device, void **stream);
void mock_stream_destroy(int32_t device, void *stream);
int32_t mock_stream_wait(int32_t device, void *stream, void *mark);

int32_t mock_host_alloc(int32_t device, uint64_t bytes, void **pointer);
int32_t mock_host_free(int32_t device, void *pointer);
int32_t mock_memory_copy_async(int32_t device, void *stream, void *to, const void *from,
                               uint64_t bytes, int32_t kind);
int32_t mock_count_special(int32_t device, void *stream, const struct anydnn_plugin_tensor *tensor,
                           const void *data, uint64_t *counts);

/* Return the number of copies to the host started so far, and complete those of a stream up to
 * such a number. */
uint64_t mock_space_departed(void);
void mock_space_arrive(const void *stream, uint64_t up_to);

#endif
