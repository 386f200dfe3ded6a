/* SPDX-License-Identifier: Apache-2.0 */
/* The row of parameters: where each lies, how it begins, how it is read. */
#include "parameters.h"

#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "complain.h"
#include "random.h"

enum { ALIGNMENT = 256, WEIGHTS_STREAM = 2 };

void parameters_begin(struct parameters *p, anydnnHandle_t handle, const struct element *data,
                      int scaled)
{
    *p = (struct parameters){
        .handle = handle,
        .data = data,
        .own = data->type == ANYDNN_DATA_DOUBLE ? data : element_lookup("float"),
        /* Large, for the first steps find what is too large at the cost of a step each. */
        .loss_scale = scaled ? 0x1p15 : 1,
        .scaled = scaled,
    };
}

int parameters_add(struct parameters *p, struct parameter what)
{
    if (p->items == PARAMETERS_AT_MOST)
        return complain("%s: more than %d parameters.", what.layer, PARAMETERS_AT_MOST);
    what.at = p->count[what.part];
    p->count[what.part] += (what.count + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    p->item[p->items] = what;
    return p->items++;
}

size_t parameters_bytes(const struct parameters *p)
{
    return (p->count[PART_WEIGHTS] + p->count[PART_NORMS]) * p->own->size;
}

size_t parameters_count(const struct parameters *p)
{
    size_t count = 0;

    for (int i = 0; i < p->items; i++)
        count += p->item[i].count;
    return count;
}

/* Elements from the beginning of the row. */
static size_t place(const struct parameters *p, const struct parameter *item)
{
    return item->at + (item->part == PART_NORMS ? p->count[PART_WEIGHTS] : 0);
}

static void *in_row(const struct parameters *p, int number, void *row, void *short_row)
{
    const struct parameter *item = &p->item[number];

    if (item->part == PART_WEIGHTS && short_row != NULL)
        return (char *)short_row + item->at * p->data->size;
    return (char *)row + place(p, item) * p->own->size;
}

void *parameters_value(const struct parameters *p, int item)
{
    return in_row(p, item, p->row, p->short_row);
}

void *parameters_gradient(const struct parameters *p, int item)
{
    return in_row(p, item, p->gradients, p->short_gradients);
}

/* ---- making them */

static int describe_row(anydnnTensorDescriptor_t *tensor, const struct element *element,
                        size_t count)
{
    CALL(NULL, anydnnCreateTensorDescriptor(tensor));
    CALL(NULL, anydnnSetTensor4dDescriptor(*tensor, ANYDNN_TENSOR_NCHW, element->type, 1, 1, 1,
                                           (int)count));
    return 0;
}

static int describe(struct parameters *p)
{
    size_t weights = p->count[PART_WEIGHTS];

    return describe_row(&p->all, p->own, weights + p->count[PART_NORMS]) < 0 ||
                   describe_row(&p->weights, p->own, weights) < 0 ||
                   describe_row(&p->short_weights, p->data, weights) < 0 ||
                   describe_row(&p->one, p->own, 1) < 0
               ? -1
               : 0;
}

static int allocate(const struct parameters *p, void **memory, size_t bytes)
{
    CALL(NULL, anydnnMemAlloc(p->handle, bytes, memory));
    CALL(NULL, anydnnMemSet(p->handle, *memory, 0, bytes));
    return 0;
}

static int allocate_rows(struct parameters *p)
{
    size_t bytes = parameters_bytes(p);
    size_t of_weights = p->count[PART_WEIGHTS] * p->data->size;

    if (allocate(p, &p->row, bytes) < 0 || allocate(p, &p->gradients, bytes) < 0 ||
        allocate(p, &p->velocity, bytes) < 0)
        return -1;
    if (p->data != p->own && (allocate(p, &p->short_row, of_weights) < 0 ||
                              allocate(p, &p->short_gradients, of_weights) < 0))
        return -1;
    return 0;
}

/* The largest gradient, which is no finite number where any is not. */
static int prepare_largest(struct parameters *p)
{
    if (!p->scaled)
        return 0;
    CALL(NULL, anydnnCreateReduceTensorDescriptor(&p->largest));
    CALL(NULL, anydnnSetReduceTensorDescriptor(
                   p->largest, ANYDNN_REDUCE_TENSOR_AMAX, p->own->type, ANYDNN_PROPAGATE_NAN,
                   ANYDNN_REDUCE_TENSOR_NO_INDICES, ANYDNN_32BIT_INDICES));
    CALL(NULL, anydnnGetReductionWorkspaceSize(p->handle, p->largest, p->all, p->one,
                                               &p->workspace_bytes));
    if (p->workspace_bytes > 0)
        CALL(NULL, anydnnMemAlloc(p->handle, p->workspace_bytes, &p->workspace));
    return allocate(p, &p->amax, p->own->size);
}

static void draw(const struct parameters *p, void *host, uint64_t seed)
{
    struct random r = random_stream(seed, WEIGHTS_STREAM);

    for (int i = 0; i < p->items; i++) {
        const struct parameter *item = &p->item[i];

        for (size_t k = 0; k < item->count; k++)
            p->own->store(host, place(p, item) + k,
                          item->bound > 0 ? random_uniform(&r, -item->bound, item->bound)
                                          : item->constant);
    }
}

/* Convolutions read what the row holds, in their own type. */
static int copy_weights(const struct parameters *p)
{
    float one = 1, zero = 0;

    if (p->short_row != NULL)
        CALL("update", anydnnTransformTensor(p->handle, &one, p->weights, p->row, &zero,
                                             p->short_weights, p->short_row));
    return 0;
}

int parameters_create(struct parameters *p, uint64_t seed)
{
    size_t bytes = parameters_bytes(p);
    void *host = calloc(1, bytes);
    int result = -1;

    if (host == NULL)
        return complain("out of memory for the parameters.");
    draw(p, host, seed);
    if (describe(p) < 0 || allocate_rows(p) < 0 || prepare_largest(p) < 0)
        goto out;
    if (call_done(anydnnMemCopy(p->handle, p->row, host, bytes, ANYDNN_MEMCPY_HOST_TO_DEVICE),
                  NULL) < 0)
        goto out;
    result = copy_weights(p);
out:
    free(host);
    return result;
}

static void release(anydnnHandle_t handle, void *memory)
{
    if (memory != NULL)
        anydnnMemFree(handle, memory);
}

void parameters_destroy(struct parameters *p)
{
    anydnnTensorDescriptor_t tensors[] = {p->all, p->weights, p->short_weights, p->one};
    void *memory[] = {p->row,  p->gradients, p->velocity, p->short_row, p->short_gradients,
                      p->amax, p->workspace};

    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
        if (tensors[i] != NULL)
            anydnnDestroyTensorDescriptor(tensors[i]);
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        release(p->handle, memory[i]);
    if (p->largest != NULL)
        anydnnDestroyReduceTensorDescriptor(p->largest);
    *p = (struct parameters){0};
}

int parameters_read(const struct parameters *p, double *values)
{
    size_t bytes = parameters_bytes(p), filled = 0;
    void *host = malloc(bytes);
    int result;

    if (host == NULL)
        return complain("out of memory for the parameters.");
    result = call_done(anydnnMemCopy(p->handle, host, p->row, bytes, ANYDNN_MEMCPY_DEVICE_TO_HOST),
                       NULL);
    for (int i = 0; result == 0 && i < p->items; i++)
        for (size_t k = 0; k < p->item[i].count; k++)
            values[filled++] = p->own->load(host, place(p, &p->item[i]) + k);
    free(host);
    return result;
}

/* ---- a step */

/* 1 where the gradients are finite, 0 where not. */
static int are_finite(const struct parameters *p)
{
    float one = 1, zero = 0;
    double host = 0;

    CALL("update",
         anydnnReduceTensor(p->handle, p->largest, NULL, 0, p->workspace, p->workspace_bytes, &one,
                            p->all, p->gradients, &zero, p->one, p->amax));
    CALL(NULL,
         anydnnMemCopy(p->handle, &host, p->amax, p->own->size, ANYDNN_MEMCPY_DEVICE_TO_HOST));
    host = p->own->load(&host, 0);
    return host - host == 0;
}

/* Twice as large after so many sound steps, half as large after one that is not. */
static int keep_scale(struct parameters *p)
{
    enum { SOUND_STEPS = 500 };
    int finite = are_finite(p);

    if (finite == 0) {
        p->loss_scale /= 2;
        p->sound = 0;
        p->skipped++;
    } else if (finite == 1 && ++p->sound == SOUND_STEPS) {
        p->loss_scale *= 2;
        p->sound = 0;
    }
    return finite;
}

int parameters_update(struct parameters *p, double rate, double momentum, double decay)
{
    union call_factor one = call_factor(p->own, 1), zero = call_factor(p->own, 0);
    union call_factor keep = call_factor(p->own, momentum);
    union call_factor shrink = call_factor(p->own, decay);
    union call_factor unscale = call_factor(p->own, 1 / p->loss_scale);
    union call_factor step = call_factor(p->own, -rate);

    if (p->short_row != NULL)
        CALL("update", anydnnTransformTensor(p->handle, &one, p->short_weights, p->short_gradients,
                                             &zero, p->weights, p->gradients));
    if (p->scaled) {
        int finite = keep_scale(p);

        if (finite != 1)
            return finite < 0 ? -1 : 1;
    }
    CALL("update",
         anydnnAddTensor(p->handle, &unscale, p->all, p->gradients, &keep, p->all, p->velocity));
    if (decay > 0)
        CALL("update",
             anydnnAddTensor(p->handle, &shrink, p->all, p->row, &one, p->all, p->velocity));
    CALL("update", anydnnAddTensor(p->handle, &step, p->all, p->velocity, &one, p->all, p->row));
    return copy_weights(p);
}
