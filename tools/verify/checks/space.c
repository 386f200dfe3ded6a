/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the functions of a device memory space as handles use them: devices, memory, copies,
 * marks, streams and recordings. */
#include "load/load.h"
#include "tools/verify/checks/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES 70001 /* not a multiple of any vector size */
#define SHORT 4099
#define AT    1021
#define LARGE (4 << 20)
#define TIMES 8

#define FIND(...) return verify_note(finding, "space", __VA_ARGS__)

/* ---- devices */

static int check_devices(const struct anydnn_plugin_space *space, struct verify_finding *finding)
{
    char name[256] = "";
    int32_t count = -1;
    int32_t current = -1;

    if (space->device_count(&count) != 0 || count < 1)
        FIND("device_count returns %d, but a context was created on device 0", (int)count);
    if (space->device_current(&current) != 0 || current < 0 || current >= count)
        FIND("device_current returns %d; there are %d devices", (int)current, (int)count);
    if (space->device_name(0, name, sizeof(name)) != 0 || name[0] == '\0' ||
        memchr(name, '\0', sizeof(name)) == NULL)
        FIND("device_name returns no name for device 0");
    if (space->stream_check(0, NULL) != 0)
        FIND("stream_check refuses the stream NULL, the initial stream of every handle");
    if (space->poisoned(0) != 0)
        FIND("poisoned reports that device 0 needs a new process");
    return 0;
}

/* ---- memory */

struct area {
    const struct anydnn_plugin_space *space;
    unsigned char *memory;
    unsigned char *second;
    unsigned char *host; /* BYTES */
    unsigned char *back; /* BYTES */
};

static void fill(unsigned char *bytes, unsigned seed)
{
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)((i * 131 + seed) >> 3);
}

static int check_pointers(const struct area *area, struct verify_finding *finding)
{
    int32_t owner = -1;

    if ((uintptr_t)area->memory % 256 != 0 || (uintptr_t)area->second % 256 != 0)
        FIND("memory_alloc returns memory that is not aligned to 256 bytes");
    if (area->space->pointer_owner(0, area->memory + AT, &owner) != 0 ||
        (owner != ANYDNN_PLUGIN_POINTER_DEVICE && owner != ANYDNN_PLUGIN_POINTER_BOTH))
        FIND(
            "pointer_owner returns %d for a pointer into memory of memory_alloc; it must return %d",
            (int)owner, ANYDNN_PLUGIN_POINTER_DEVICE);
    owner = -1;
    if (area->space->pointer_owner(0, area->host, &owner) != 0 ||
        (owner != ANYDNN_PLUGIN_POINTER_HOST && owner != ANYDNN_PLUGIN_POINTER_DEVICE &&
         owner != ANYDNN_PLUGIN_POINTER_UNKNOWN))
        FIND("pointer_owner returns %d for a pointer of malloc; it must be a value of plugin.h",
             (int)owner);
    return 0;
}

/* Compares the device's memory with the host's model of it. */
static int check_same(const struct area *area, const void *from, const char *what,
                      struct verify_finding *finding)
{
    memset(area->back, 0x5a, BYTES);
    if (area->space->memory_copy(0, NULL, area->back, from, BYTES, ANYDNN_PLUGIN_COPY_FROM) != 0)
        FIND("memory_copy from the device fails: %s", adn_load_error_text());
    if (memcmp(area->back, area->host, BYTES) != 0)
        FIND("%s", what);
    return 0;
}

static int check_copies(const struct area *area, struct verify_finding *finding)
{
    const struct anydnn_plugin_space *space = area->space;

    fill(area->host, 1);
    if (space->memory_copy(0, NULL, area->memory, area->host, BYTES, ANYDNN_PLUGIN_COPY_TO) != 0)
        FIND("memory_copy to the device fails: %s", adn_load_error_text());
    if (check_same(area, area->memory,
                   "data that memory_copy copies to the device comes back changed", finding) != 0)
        return -1;
    if (space->memory_copy(0, NULL, area->second, area->memory, BYTES, ANYDNN_PLUGIN_COPY_WITHIN) !=
        0)
        FIND("memory_copy within the device fails: %s", adn_load_error_text());
    if (check_same(area, area->second, "memory_copy within the device copies wrong data",
                   finding) != 0)
        return -1;
    if (space->memory_set(0, NULL, area->second + AT, 0xa7, SHORT) != 0)
        FIND("memory_set fails: %s", adn_load_error_text());
    memset(area->host + AT, 0xa7, SHORT);
    if (check_same(area, area->second, "memory_set does not set exactly the given bytes",
                   finding) != 0)
        return -1;
    /* The host's memory may be reused once memory_copy returns. */
    fill(area->back, 2);
    if (space->memory_copy(0, NULL, area->memory, area->back, BYTES, ANYDNN_PLUGIN_COPY_TO) != 0)
        FIND("memory_copy to the device fails the second time: %s", adn_load_error_text());
    fill(area->host, 2);
    memset(area->back, 0, BYTES);
    return check_same(area, area->memory,
                      "memory_copy to the device still reads host memory after it returned",
                      finding);
}

static int check_memory(const struct anydnn_plugin_space *space, struct verify_finding *finding)
{
    struct area area = {.space = space, .host = tool_alloc(BYTES), .back = tool_alloc(BYTES)};
    int result = 0;

    if (space->memory_alloc(0, BYTES, (void **)&area.memory) != 0 || area.memory == NULL ||
        space->memory_alloc(0, BYTES, (void **)&area.second) != 0 || area.second == NULL)
        result = verify_note(finding, "space", "memory_alloc of %d bytes fails: %s", BYTES,
                             adn_load_error_text());
    if (result == 0)
        result = check_pointers(&area, finding);
    if (result == 0)
        result = check_copies(&area, finding);
    if (result == 0 && space->synchronize(0, NULL) != 0)
        result = verify_note(finding, "space", "synchronize fails: %s", adn_load_error_text());
    if (area.memory != NULL && space->memory_free(0, area.memory) != 0 && result == 0)
        result = verify_note(finding, "space", "memory_free fails: %s", adn_load_error_text());
    if (area.second != NULL)
        space->memory_free(0, area.second);
    free(area.host);
    free(area.back);
    return result;
}

/* ---- marks and recordings: a space without them fails to begin one */

/* Sets memory many times between two marks, which takes every device some time. */
static int time_work(const struct anydnn_plugin_space *space, void *from, void *to, void *memory,
                     struct verify_finding *finding)
{
    double microseconds = -1;
    int failed = space->mark_record(0, NULL, from);

    for (int i = 0; i < TIMES && failed == 0; i++)
        failed = space->memory_set(0, NULL, memory, i, LARGE);
    if (failed != 0 || space->mark_record(0, NULL, to) != 0 ||
        space->mark_elapsed(0, from, to, &microseconds) != 0)
        FIND("two marks on one stream fail: %s", adn_load_error_text());
    if (!(microseconds > 0 && microseconds < 6e7))
        FIND("mark_elapsed returns %g microseconds for %d memory_sets of %d bytes", microseconds,
             TIMES, LARGE);
    return 0;
}

static int check_marks(const struct anydnn_plugin_space *space, struct verify_finding *finding)
{
    void *memory = NULL;
    void *from = NULL;
    void *to = NULL;
    int result = 0;

    if (space->mark_create(0, &from) != 0)
        return 0;
    if (space->mark_create(0, &to) != 0 || space->memory_alloc(0, LARGE, &memory) != 0)
        result = verify_note(finding, "space", "cannot create a second mark or memory: %s",
                             adn_load_error_text());
    else
        result = time_work(space, from, to, memory, finding);
    if (memory != NULL)
        space->memory_free(0, memory);
    space->mark_destroy(0, from);
    if (to != NULL)
        space->mark_destroy(0, to);
    return result;
}

/* Checks that a recorded memory_set happens with each replay, and not before. */
static int replay(const struct anydnn_plugin_space *space, void *recording, unsigned char *memory,
                  struct verify_finding *finding)
{
    unsigned char byte = 0;

    for (int times = 0; times < 2; times++) {
        if (space->memory_set(0, NULL, memory, 1, 1) != 0 ||
            space->record_replay(0, NULL, recording) != 0 || space->synchronize(0, NULL) != 0 ||
            space->memory_copy(0, NULL, &byte, memory, 1, ANYDNN_PLUGIN_COPY_FROM) != 0)
            FIND("a recording cannot be replayed: %s", adn_load_error_text());
        if (byte != 2)
            FIND("replaying a recording does not repeat the recorded work");
    }
    return 0;
}

static int check_recordings(const struct anydnn_plugin_space *space, struct verify_finding *finding)
{
    unsigned char *memory = NULL;
    unsigned char byte = 0;
    void *recording = NULL;
    int32_t begun;
    int32_t ended;
    int result = 0;

    if (space->memory_alloc(0, 1, (void **)&memory) != 0)
        FIND("memory_alloc of a byte fails: %s", adn_load_error_text());
    space->memory_set(0, NULL, memory, 1, 1);
    space->synchronize(0, NULL);
    begun = space->record_begin(0, NULL);
    if (begun == 0) {
        space->memory_set(0, NULL, memory, 2, 1);
        ended = space->record_end(0, NULL, &recording);
        if (ended == 0 && recording == NULL)
            result = verify_note(finding, "space", "record_end returns no recording");
        space->memory_copy(0, NULL, &byte, memory, 1, ANYDNN_PLUGIN_COPY_FROM);
        if (result == 0 && ended == 0 && byte != 1)
            result = verify_note(finding, "space", "recorded work also runs while it is recorded");
        if (result == 0 && ended == 0)
            result = replay(space, recording, memory, finding);
        if (recording != NULL)
            space->record_destroy(0, recording);
    }
    space->memory_free(0, memory);
    return result;
}

void verify_space(const struct verify_target *target, struct verify_finding *finding)
{
    const struct anydnn_plugin_space *space = target->space;

    adn_load_error_clear();
    if (space != NULL && check_devices(space, finding) == 0 && check_memory(space, finding) == 0 &&
        check_marks(space, finding) == 0 && verify_space_late(space, finding) == 0 &&
        space->record_begin != NULL)
        check_recordings(space, finding);
}
