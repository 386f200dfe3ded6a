/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the tests of the backend cudnn share. They run over a mock of cuDNN's library.
 * Each case runs in its own process, because a process opens the library only once. Stubs replace
 * the functions of cuda_common that need a GPU. */
#ifndef CDN_HARNESS_H
#define CDN_HARNESS_H

#include "../../plugins/cudnn/backend.h"
#include "../../plugins/cudnn/table.h"
#include "mock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* The library that the host's setting names, the last error and the last warning. */
extern char library[600], error_text[800], warning[1200];
/* Counters and flags: warnings so far; 1 during a capture; scratch buffers in use; copies of
 * operands; exchanges of the capture mode. */
extern int warnings, captured, scratches, copies, exchanges;
extern enum cudaStreamCaptureMode capture_mode;
/* The number of the device's context, and the number of waits for the device. */
extern uint64_t primary;
extern int device_waits;
/* The memory that the scratch allocator returns. */
extern int64_t scratch[1024];

extern const struct anydnn_plugin *plugin;
extern struct mock_cudnn *mock;

/* Selects the mock of that name in the folder of this program. */
void use_library(const char *name);
/* Returns a context of the backend over the selected library. */
struct anydnn_plugin_context *start(void);
/* Begins with a context over the usual mock. end() destroys it and checks that no object of cuDNN
 * is left. */
struct anydnn_plugin_context *begin(void);
void end(struct anydnn_plugin_context *context);
/* Runs `body` in its own process, which must succeed. */
void run_alone(void (*body)(void));

/* Further errata for the tests, set before the first question. */
extern const char *more_errata;
/* Returns how many of the published errata the library understands. */
int count_errata(void);

/* Short names of constants. */
enum {
    DEFAULT = ANYDNN_PLUGIN_MATH_DEFAULT,
    TENSOR_OP = ANYDNN_PLUGIN_MATH_TENSOR_OP,
    CONVERSION = ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION,
    SHUFFLED = ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC,
    TRANSFORM = ANYDNN_PLUGIN_NOTE_TRANSFORM,
    REDUCED = ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION,
    FLUSHES = ANYDNN_PLUGIN_NOTE_FLUSHES_SUBNORMALS
};

#define OFFERS 32

/* The offers that the library would take. Those that errata forbid are counted. */
struct answer {
    const struct anydnn_plugin_problem *problem; /* NULL: errata do not count */
    int count, avoided;
    struct anydnn_plugin_candidate offer[OFFERS];
    char sentence[800];
};

/* A convolution: x is f16 or f32 in NHWC with 8 channels, the filter is 3x3. */
struct layer {
    struct anydnn_plugin_tensor x, w, y;
    struct anydnn_plugin_convolution params;
    struct anydnn_plugin_problem problem;
};

/* Stores an offer; the cookie is a struct answer. */
int32_t take_offer(void *cookie, const struct anydnn_plugin_candidate *candidate);
void make_layer(struct layer *layer, int32_t type, int32_t math);
/* Sets the strides of packed rows; the last dim is the fastest. */
void pack_rows(struct anydnn_plugin_tensor *tensor);
const struct anydnn_plugin_operation *operation(int32_t number);
void ask(struct anydnn_plugin_context *context, const struct layer *layer, struct answer *answer);

#endif
