/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of the backend cudnn over a mock of its library share. Each case runs in a process
 * of its own, since the library is opened once in each. What cuda_common does with a GPU is stood
 * in for.
 */
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
/* Warnings so far; whether a capture is under way; scratch memory that is out; copies of operands;
 * how often the mode of captures was exchanged. */
extern int warnings, captured, scratches, copies, exchanges;
extern enum cudaStreamCaptureMode capture_mode;
/* The number of the device's context, and how often somebody waited for the device. */
extern uint64_t primary;
extern int device_waits;
/* What is given out as scratch memory. */
extern int64_t scratch[1024];

extern const struct anydnn_plugin *plugin;
extern struct mock_cudnn *mock;

/* The mock of that name, in the folder of this program. */
void use_library(const char *name);
/* A context of the backend over the library that is in use. */
struct anydnn_plugin_context *start(void);
/* The same over the usual mock; its end, when nothing of cuDNN's may be left. */
struct anydnn_plugin_context *begin(void);
void end(struct anydnn_plugin_context *context);
/* Runs `body` in a process of its own, which must end well. */
void run_alone(void (*body)(void));

/* Shorter names. */
enum {
    DEFAULT = ANYDNN_PLUGIN_MATH_DEFAULT,
    TENSOR_OP = ANYDNN_PLUGIN_MATH_TENSOR_OP,
    CONVERSION = ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION,
    SHUFFLED = ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC,
    TRANSFORM = ANYDNN_PLUGIN_NOTE_TRANSFORM,
    REDUCED = ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION
};

#define OFFERS 32

struct answer {
    int count;
    struct anydnn_plugin_candidate offer[OFFERS];
    char sentence[800];
};

/* x f16 or f32 NHWC with 8 channels, a 3x3 filter, y. */
struct layer {
    struct anydnn_plugin_tensor x, w, y;
    struct anydnn_plugin_convolution params;
    struct anydnn_plugin_problem problem;
};

/* An offer function; the cookie is a struct answer. */
int32_t take_offer(void *cookie, const struct anydnn_plugin_candidate *candidate);
void make_layer(struct layer *layer, int32_t type, int32_t math);
/* Strides of packed rows, the last dim the fastest. */
void pack_rows(struct anydnn_plugin_tensor *tensor);
const struct anydnn_plugin_operation *operation(int32_t number);
void ask(struct anydnn_plugin_context *context, const struct layer *layer, struct answer *answer);

#endif
