/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between a backend and its host: publishing, settings, error messages, memory. */
#ifndef KIT_HOST_H
#define KIT_HOST_H

#include <anydnn/plugin.h>

#include <stdarg.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The host's table and the backend's name, which kit_begin sets. host.c defines the exported data
 * object anydnn_plugin_abi. */
extern const struct anydnn_plugin_host *kit_host;
extern const char *kit_name;

/* Begins the description, which has no operations yet. It must be the first call of
 * anydnn_plugin_main. */
void kit_begin(const struct anydnn_plugin_host *host, struct anydnn_plugin *description);

/* Adds an operation to the description, whose list of operations belongs to the kit. The operation
 * is a copy of `common` with these numbers, and with the slots and parameters that plugin.h has.
 * `common` holds the four functions and everything else that all operations share. */
void kit_publish(struct anydnn_plugin *description, const struct anydnn_plugin_operation *common,
                 int32_t operation, uint32_t types, uint32_t layouts);

/* The sets of math modes and layouts that many operations have. Math modes are permissions, and
 * each of them includes default math. */
#define KIT_EVERY_MATH                                                                             \
    (ANYDNN_PLUGIN_MATHS_DEFAULT | ANYDNN_PLUGIN_MATHS_TENSOR_OP |                                 \
     ANYDNN_PLUGIN_MATHS_ALLOW_CONVERSION | ANYDNN_PLUGIN_MATHS_SPLIT)
#define KIT_LAYOUTS                                                                                \
    (ANYDNN_PLUGIN_LAYOUT_NCHW | ANYDNN_PLUGIN_LAYOUT_NHWC | ANYDNN_PLUGIN_LAYOUT_STRIDED)

/* Formats a message with `.` as decimal point, whatever the program's locale is. */
void kit_print(char *text, size_t size, const char *format, va_list list)
    __attribute__((format(printf, 3, 0)));

/* Reports a message to the host and returns `status`. */
int32_t kit_fail(int32_t status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Allocates zeroed host memory, aligned to 64 bytes, which kit_host->free frees. Returns NULL when
 * memory runs out, after it has reported "out of memory for WHAT" to the host. */
void *kit_alloc(size_t bytes, const char *what);

/* The value of sizes that overflow. No allocation succeeds for so many bytes, and the sum of four
 * such sizes still fits. */
#define KIT_TOO_MANY_BYTES (SIZE_MAX / 4)

/* Returns the bytes of `count` elements, at most KIT_TOO_MANY_BYTES. Sizes come from the
 * application. An input whose elements overlap may have more elements than memory can hold. */
static inline size_t kit_bytes(int64_t count, size_t size)
{
    return count < 0 || (uint64_t)count > KIT_TOO_MANY_BYTES / size ? KIT_TOO_MANY_BYTES
                                                                    : (size_t)count * size;
}

/* Return the product and the sum of two nonnegative sizes, or INT64_MAX if the result does not fit.
 */
static inline int64_t kit_times(int64_t a, int64_t b)
{
    return b > 0 && a > INT64_MAX / b ? INT64_MAX : a * b;
}

static inline int64_t kit_plus(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* Checks a device number of the space "host", which has only device 0. Returns 0, or a status with
 * a message. */
int32_t kit_check_host_device(int32_t device);

/* Reads the setting `key`, which is "on" or "off"; off if it is not set. Returns 0, or a status
 * with a message. */
int32_t kit_setting_switch(const char *key, int32_t *is_on);

/* Reads the setting `threads`, which is a number from 1 to `most`. The default, `auto`, means one
 * thread for each processor that the process may use. Returns 0, or a status with a message. */
int32_t kit_setting_threads(int32_t most, int32_t *threads);

/* Returns the number of threads for work that begins now: `count`, which kit_setting_threads gave,
 * or fewer if the setting is `auto` and the program limits the calling thread. The limit is that of
 * the program's OpenMP library (omp_set_num_threads, OMP_NUM_THREADS), or else OMP_NUM_THREADS. */
int32_t kit_threads_now(int32_t count);

#ifdef __cplusplus
}
#endif

#endif
