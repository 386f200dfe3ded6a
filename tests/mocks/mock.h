/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of the test backend share: its settings, log, operations and
 * memory space. */
#ifndef MOCK_H
#define MOCK_H

#include "kit/host.h"
#include "kit/names.h"

#ifndef MOCK_FLAGS
#define MOCK_FLAGS 0
#endif
#define MOCK_CONVENTION "fake-1"
#ifndef MOCK_SPACE
#define MOCK_SPACE "host"
#endif

/* The kinds of `params`. */
enum mock_family {
    MOCK_NONE,
    MOCK_CONVOLUTION,
    MOCK_POOLING,
    MOCK_ACTIVATION,
    MOCK_SOFTMAX,
    MOCK_LRN,
    MOCK_BATCH_NORMALIZATION,
    MOCK_DROPOUT,
    MOCK_TRANSFORM,
    MOCK_OP_TENSOR,
    MOCK_REDUCE,
    MOCK_SPATIAL,
    MOCK_CTC,
    MOCK_NORMALIZATION,
    MOCK_MATMUL,
    MOCK_FAMILY_COUNT
};

struct mock_operation {
    const char *name;
    int first_output; /* slot */
    enum mock_family family;
};

/* The operations by number; all members are zero for numbers without an operation. */
extern const struct mock_operation mock_operations[ANYDNN_PLUGIN_OPERATION_END];

/* The space that the object was compiled with. */
extern const char mock_space_name[];

/* Returns the value of set.KEY; NULL if unset. */
const char *mock_setting(const char *key);
int64_t mock_setting_number(const char *key, int64_t otherwise);
int mock_setting_is(const char *key, const char *value);

/* Copies part number `position` of a list separated by `separator`, without outer blanks. If
 * `repeat` is set, the last part also serves all later positions. Returns 1, or 0 if there is no
 * such part. */
int mock_part(const char *list, char separator, int position, int repeat, char *part, size_t size);

/* A line under construction; text that does not fit is cut. */
struct mock_line {
    char text[8192];
    size_t length;
};

void mock_line_begin(struct mock_line *line, const char *verb);
void mock_line_add(struct mock_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void mock_line_problem(struct mock_line *line, const struct anydnn_plugin_problem *problem);
void mock_line_operands(struct mock_line *line, const struct anydnn_plugin_operands *operands,
                        uint32_t present, int32_t value_type);
/* Logs the line under a lock of the backend, if set.says names its verb. */
void mock_line_say(const struct mock_line *line);
/* Does the same and appends the line to the file of set.log, if there is one. */
void mock_line_end(struct mock_line *line);

/* Returns the bytes of an element (of a vector, for VECT_C). */
size_t mock_type_size(int32_t type);

/* Sleeps for so many microseconds. */
void mock_sleep(long microseconds);

/* The duration of the runs being recorded, which each replay takes; -1 if none are recorded. */
extern _Atomic long mock_recorded;

/* Takes as long as set.sleep_us and set.launch_us specify for the engine. */
void mock_run(uint64_t engine);

/* Computes a forward convolution of packed 2-D float tensors x, w and y. `fault` is `right`, or one
 * of those that set.compute lists. */
void mock_convolution(const char *fault, const struct anydnn_plugin_tensor *const *tensor,
                      const struct anydnn_plugin_convolution *params,
                      const struct anydnn_plugin_operands *operands);

/* Gives the description the table of its space that settings choose. */
void mock_vary_space(struct anydnn_plugin *description);

/* The table of the object's memory space. */
extern const struct anydnn_plugin_space mock_space;

/* Returns the address at which a backend accesses the bytes at `pointer`; NULL if they are not
 * all memory of the space. */
void *mock_space_reach(const void *pointer, uint64_t bytes);

#endif
