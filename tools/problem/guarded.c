/* SPDX-License-Identifier: Apache-2.0 */
/* Places operands in the handle's memory between guard zones, and checks which bytes were
 * written. */
#include "tools/problem/guarded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/problem/edges.h"

/* The bytes on both sides of every operand, a multiple of the 256-byte alignment of memory. */
#define GUARD 1024

#define SUCCESS ANYDNN_STATUS_SUCCESS

static unsigned char guard_byte(size_t at)
{
    return (unsigned char)(0xa5 ^ at * 29);
}

/* ---- memory */

static void tell_access(const char *sentence)
{
    dprintf(STDERR_FILENO, "anydnn: the backend breaks its contract: %s\n", sentence);
    _exit(TOOL_FAILED);
}

/* Maps host memory between pages that fault. The operand lies as near to the last one as its
 * alignment permits, except at EDGE_START. */
static int map(struct run *run, const char *role, size_t bytes, size_t align, size_t element,
               struct place *place)
{
    const enum execution_edge edge = run->execution->edge;
    size_t step = edge == EDGE_END ? element : align > 0 ? 2 * align : 256;

    edges_watch(tell_access);
    place->bytes = bytes;
    place->mapped = 1;
    place->capacity = edges_round(2 * GUARD + step + bytes);
    place->lead = 0;
    if (edge == EDGE_END)
        place->lead = (place->capacity - bytes) / step * step;
    else if (edge == EDGE_ANY)
        place->lead = (place->capacity - bytes - align) / step * step + align;
    place->memory = edges_map(place->capacity, role, place->lead, bytes);
    return place->memory != NULL
               ? TOOL_FINE
               : tool_fail(run->tool, TOOL_FAILED, "cannot allocate %zu bytes for operand %s",
                           bytes, role);
}

/* Allocates an operand. The text align=N places it N bytes past a multiple of 2 N, but at least at
 * its element's own alignment. */
static int allocate(struct run *run, const char *role, size_t bytes, size_t align, size_t element,
                    struct place *place)
{
    size_t slack = 2 * align;
    void *memory = NULL;

    if (strncmp(run->outcome->device, "cpu", 3) == 0)
        return map(run, role, bytes, align, element, place);
    if (run->execution->edge != EDGE_ANY)
        return tool_fail(run->tool, TOOL_USAGE,
                         "--edge requires host memory; the device is %s (device = cpu in the "
                         "settings, or ANYDNN_DEVICE=cpu)",
                         run->outcome->device);
    place->bytes = bytes;
    place->capacity = GUARD + slack + bytes + GUARD;
    if (anydnnMemAlloc(run->handle, place->capacity, &memory) != SUCCESS)
        return tool_fail_status(run->tool, TOOL_FAILED);
    place->memory = memory;
    place->lead = GUARD;
    while (align > 0 && ((uintptr_t)memory + place->lead) % slack != align)
        place->lead++;
    return TOOL_FINE;
}

/* Uploads the image (NULL: all ones) and the guard zones. */
static int upload(struct run *run, const struct place *place, const unsigned char *image)
{
    unsigned char *bytes = tool_alloc(place->capacity);
    anydnnStatus_t status;

    for (size_t i = 0; i < place->capacity; i++)
        bytes[i] = guard_byte(i);
    if (image != NULL)
        memcpy(bytes + place->lead, image, place->bytes);
    else
        memset(bytes + place->lead, 0xff, place->bytes);
    status = anydnnMemCopy(run->handle, place->memory, bytes, place->capacity,
                           ANYDNN_MEMCPY_HOST_TO_DEVICE);
    free(bytes);
    return status == SUCCESS ? TOOL_FINE : tool_fail_status(run->tool, TOOL_FAILED);
}

static size_t alignment_of(const struct operands *operands, const struct operand *operand)
{
    size_t element = operand->element->size * (size_t)operand->element->lanes;

    if (operands->align == 0)
        return 0;
    return (size_t)operands->align > element ? (size_t)operands->align : element;
}

int guarded_place(struct run *run)
{
    const struct operands *operands = run->operands;
    size_t workspace = 0;
    int code = TOOL_FINE;

    if (anydnnProblemGetWorkspaceSize(run->handle, run->problem, &workspace) != SUCCESS)
        return tool_fail_status(run->tool, TOOL_FAILED);
    for (int i = 0; i < operands->count && code == TOOL_FINE; i++)
        if (operands->item[i].host) {
            run->pointers[i] = operands->item[i].image;
        } else if (operands->item[i].alias < 0) {
            const struct operand *operand = &operands->item[i];

            code =
                allocate(run, operand->role, operand->bytes, alignment_of(operands, operand),
                         operand->element->size * (size_t)operand->element->lanes, &run->place[i]);
            run->pointers[i] = run->place[i].memory + run->place[i].lead;
        }
    for (int i = 0; i < operands->count; i++)
        if (operands->item[i].alias >= 0)
            run->pointers[i] = run->pointers[operands->item[i].alias];
    if (code == TOOL_FINE && workspace > 0)
        code = allocate(run, "workspace", workspace, 0, 256, &run->workspace);
    if (code == TOOL_FINE && workspace > 0)
        code = upload(run, &run->workspace, NULL);
    return code;
}

static void release(struct run *run, const struct place *place)
{
    if (place->mapped)
        edges_unmap(place->memory, place->capacity);
    else
        anydnnMemFree(run->handle, place->memory);
}

void guarded_free(struct run *run)
{
    for (int i = 0; i < OPERANDS_MAX; i++)
        release(run, &run->place[i]);
    release(run, &run->workspace);
}

int guarded_upload(struct run *run, int all)
{
    int code = TOOL_FINE;

    for (int i = 0; i < run->operands->count && code == TOOL_FINE; i++) {
        const struct operand *operand = &run->operands->item[i];

        if (operand->alias < 0 && !operand->host && (all || operand->written))
            code = upload(run, &run->place[i], operand->image);
    }
    return code;
}

/* ---- checks of written bytes */

static int damage(struct run *run, const char *role, const char *what, size_t distance,
                  const char *where)
{
    return tool_fail(run->tool, TOOL_FAILED, "backend %s %s operand %s, %zu bytes %s",
                     tool_text_of(run->outcome->record, "backend"), what, role, distance, where);
}

/* Downloads the whole place. The guard zones must be unchanged. */
static int download(struct run *run, const struct place *place, const char *role,
                    unsigned char **bytes)
{
    size_t end = place->lead + place->bytes;

    *bytes = tool_alloc(place->capacity);
    if (anydnnMemCopy(run->handle, *bytes, place->memory, place->capacity,
                      ANYDNN_MEMCPY_DEVICE_TO_HOST) != SUCCESS)
        return tool_fail_status(run->tool, TOOL_FAILED);
    for (size_t i = place->lead; i-- > 0;)
        if ((*bytes)[i] != guard_byte(i))
            return damage(run, role, "wrote outside", place->lead - i, "before its first");
    for (size_t i = end; i < place->capacity; i++)
        if ((*bytes)[i] != guard_byte(i))
            return damage(run, role, "wrote outside", i - end + 1, "after its last");
    return TOOL_FINE;
}

/* Checks that the bytes between the elements are unchanged. */
static int check_gaps(struct run *run, const struct operand *operand, const unsigned char *after)
{
    unsigned char *expected = tool_alloc(operand->bytes);
    int code = TOOL_FINE;
    struct walk walk;

    memcpy(expected, operand->image, operand->bytes);
    if (operand->written)
        for (walk_begin(&walk, operand); walk_goes_on(&walk); walk_next(&walk))
            memcpy(expected + walk.at, after + walk.at, operand->element->size);
    for (size_t i = 0; i < operand->bytes && code == TOOL_FINE; i++)
        if (expected[i] != after[i])
            code = damage(run, operand->role, operand->written ? "wrote into a gap of" : "changed",
                          i, "after its first");
    free(expected);
    return code;
}

static int look_at(struct run *run, int index, unsigned char **after)
{
    const struct operand *operand = &run->operands->item[index];
    unsigned char *bytes = NULL;
    int code = download(run, &run->place[index], operand->role, &bytes);

    *after = NULL;
    if (code == TOOL_FINE)
        code = check_gaps(run, operand, bytes + run->place[index].lead);
    if (code == TOOL_FINE && operand->written) {
        *after = tool_alloc(operand->bytes);
        memcpy(*after, bytes + run->place[index].lead, operand->bytes);
    }
    free(bytes);
    return code;
}

/* Keeps the result of the first run. Later runs must give the same bits if the record promises
 * it. */
static int keep_or_compare(struct run *run, int index, unsigned char *after)
{
    unsigned char **kept = &run->outcome->after[index];
    size_t bytes = run->operands->item[index].bytes;
    int same;

    if (*kept == NULL) {
        *kept = after;
        return TOOL_FINE;
    }
    same = after == NULL || memcmp(*kept, after, bytes) == 0;
    free(after);
    if (same || json_integer_value(json_object_get(run->outcome->record, "deterministic")) == 0)
        return TOOL_FINE;
    return tool_fail(
        run->tool, TOOL_FAILED,
        "backend %s declares itself deterministic, but operand %s differs between two runs",
        tool_text_of(run->outcome->record, "backend"), run->operands->item[index].role);
}

int guarded_look(struct run *run)
{
    unsigned char *after = NULL;
    unsigned char *bytes = NULL;
    int code = TOOL_FINE;

    for (int i = 0; i < run->operands->count && code == TOOL_FINE; i++) {
        if (run->operands->item[i].alias >= 0 || run->operands->item[i].host)
            continue;
        code = look_at(run, i, &after);
        if (code == TOOL_FINE)
            code = keep_or_compare(run, i, after);
    }
    if (code == TOOL_FINE && run->workspace.memory != NULL)
        code = download(run, &run->workspace, "workspace", &bytes);
    free(bytes);
    return code;
}
