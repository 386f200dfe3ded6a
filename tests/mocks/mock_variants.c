/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the test space with or without its optional members, as settings choose once. */
#include <inttypes.h>
#include <stddef.h>

#include "mock_space.h"

static struct anydnn_plugin_space varied;
static char own[ANYDNN_PLUGIN_NATIVE_STREAM + 1]; /* objects that no other backend has */

static int32_t native(int32_t device, int32_t kind, void *stream, void **object)
{
    int is_own = mock_setting_is("native", "own");
    struct mock_line line;

    if (kind == ANYDNN_PLUGIN_NATIVE_STREAM && stream)
        *object = stream;
    else
        *object = is_own ? (void *)&own[kind] : (void *)((uintptr_t)kind << 12);
    MOCK_SPACE_LOG(line, "native", " device=%d kind=%d", device, kind);
    return mock_space_answer(&line, "native");
}

/* Makes a stream for the application's. */
static int32_t adopt(void *context, void *queue, int32_t *device, void **stream)
{
    struct mock_line line;
    int32_t result = 0;

    *device = 0;
    if (queue)
        result = mock_stream_create(0, stream);
    MOCK_SPACE_LOG(line, "adopt", " context=0x%" PRIxPTR " native=0x%" PRIxPTR, (uintptr_t)context,
                   (uintptr_t)queue);
    return result ? result : mock_space_answer(&line, "adopt");
}

static int32_t import(int32_t device, void *object, uint64_t bytes, void **pointer)
{
    struct mock_line line;

    *pointer = (char *)object + 0x1000;
    MOCK_SPACE_LOG(line, "memory_import", " device=%d native=0x%" PRIxPTR " bytes=%" PRIu64, device,
                   (uintptr_t)object, bytes);
    return mock_space_answer(&line, "memory_import");
}

void mock_vary_space(struct anydnn_plugin *description)
{
    const char *convention = mock_setting("convention");

    varied = mock_space;
    if (mock_setting_is("space", "old"))
        varied.struct_size = offsetof(struct anydnn_plugin_space, stream_create);
    if (mock_setting_is("space", "unrecorded")) {
        varied.record_begin = NULL;
        varied.record_end = NULL;
        varied.record_replay = NULL;
        varied.record_destroy = NULL;
    }
    if (mock_setting_is("space", "streams"))
        varied.flags = ANYDNN_PLUGIN_SPACE_NO_DEFAULT_STREAM;
    if (mock_setting_is("space", "both"))
        varied.flags = ANYDNN_PLUGIN_SPACE_BOTH;
    if (mock_setting("native")) {
        varied.native = native;
        varied.adopt = adopt;
        varied.memory_import = import;
    }
    description->space_functions = mock_setting_is("space", "guest") ? NULL : &varied;
    if (convention)
        description->space_convention = convention;
}
