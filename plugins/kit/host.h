/* SPDX-License-Identifier: Apache-2.0 */
/* A backend and its host: what it publishes, its settings, sentences of failure, memory. */
#ifndef KIT_HOST_H
#define KIT_HOST_H

#include <anydnn/plugin.h>

#include <stdarg.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The host's table and the backend's name, set by kit_begin. The data object anydnn_plugin_abi,
 * which is exported, stands in host.c. */
extern const struct anydnn_plugin_host *kit_host;
extern const char *kit_name;

/* The first thing that anydnn_plugin_main does. The description has no operations yet. */
void kit_begin(const struct anydnn_plugin_host *host, struct anydnn_plugin *description);

/* Adds an operation to the description, whose list of operations becomes the kit's: a copy of
 * `common`, which holds the four functions and whatever else all operations have in common, with
 * these numbers. */
void kit_publish(struct anydnn_plugin *description, const struct anydnn_plugin_operation *common,
                 int32_t operation, uint32_t types, uint32_t layouts);

/* Sets that many operations have, for ANYDNN_PLUGIN_MATHS_xxx and layouts. Math modes are
 * permissions, and default math is within each of them. */
#define KIT_EVERY_MATH                                                                             \
    (ANYDNN_PLUGIN_MATHS_DEFAULT | ANYDNN_PLUGIN_MATHS_TENSOR_OP |                                 \
     ANYDNN_PLUGIN_MATHS_ALLOW_CONVERSION | ANYDNN_PLUGIN_MATHS_SPLIT)
#define KIT_LAYOUTS                                                                                \
    (ANYDNN_PLUGIN_LAYOUT_NCHW | ANYDNN_PLUGIN_LAYOUT_NHWC | ANYDNN_PLUGIN_LAYOUT_STRIDED)

/* Formats a sentence with a `.` in its numbers, whatever the program's locale is. */
void kit_print(char *text, size_t size, const char *format, va_list list)
    __attribute__((format(printf, 3, 0)));

/* Hands a sentence to the host and returns `status`. */
int32_t kit_fail(int32_t status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Memory of the host's, all zero, 64 bytes aligned, which kit_host->free gives back. NULL, with the
 * sentence "no memory for WHAT" at the host, where there is none. */
void *kit_alloc(size_t bytes, const char *what);

/* What sizes become that do not fit: nothing allocates as many bytes, and the sum of four such
 * sizes still fits. */
#define KIT_TOO_MANY_BYTES (SIZE_MAX / 4)

/* Returns the bytes of `count` elements, at most KIT_TOO_MANY_BYTES. Sizes come from the
 * application, and an input whose elements overlap may have more of them than there is memory. */
static inline size_t kit_bytes(int64_t count, size_t size)
{
    return count < 0 || (uint64_t)count > KIT_TOO_MANY_BYTES / size ? KIT_TOO_MANY_BYTES
                                                                    : (size_t)count * size;
}

/* Return a product and a sum of sizes, none negative; INT64_MAX where they do not fit. */
static inline int64_t kit_times(int64_t a, int64_t b)
{
    return b > 0 && a > INT64_MAX / b ? INT64_MAX : a * b;
}

static inline int64_t kit_plus(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* 0, or a status with a sentence: of the space "host" there is device 0 alone. */
int32_t kit_check_host_device(int32_t device);

/* The setting `key`: "on" or "off", and off where it is not set. 0, or a status with a sentence. */
int32_t kit_setting_switch(const char *key, int32_t *is_on);

/* The setting `threads`: a number from 1 to `most`; for "auto", and where it is not set, one for
 * each processor that the process may use. 0, or a status with a sentence. */
int32_t kit_setting_threads(int32_t most, int32_t *threads);

#ifdef __cplusplus
}
#endif

#endif
