/* SPDX-License-Identifier: Apache-2.0 */
/* Feeds batches of images to the network and reads back its results. */
#include "train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "pass.h"

enum { SHUFFLE_STREAM = 3 };

int trainer_most(const struct training *how)
{
    return how->batch > TEST_BATCH ? how->batch : TEST_BATCH;
}

int trainer_steps(const struct training *how, const struct dataset *images)
{
    return how->epochs * ((images->count + how->batch - 1) / how->batch);
}

static int trainer_describe(struct trainer *t, struct net_batch *full, struct net_batch *rest,
                            int size, int images)
{
    if (size <= images && net_batch_create(t->net, full, size) < 0)
        return -1;
    return images % size > 0 ? net_batch_create(t->net, rest, images % size) : 0;
}

int trainer_create(struct trainer *t, struct net *net, const struct training *how,
                   const struct dataset *images, const struct dataset *test_images)
{
    const struct element *e = net->element;
    size_t most = (size_t)trainer_most(how);
    size_t image = dataset_pixels(images) > CLASSES ? dataset_pixels(images) : CLASSES;

    *t = (struct trainer){
        .net = net,
        .how = how,
        .images = images,
        .test_images = test_images,
        .shuffling = random_stream(how->seed, SHUFFLE_STREAM),
        .order = malloc(sizeof(int) * (size_t)images->count),
        .pixel = malloc(256 * e->size),
        .staging = malloc(most * image * sizeof(double)),
        .guesses = malloc(most * CLASSES * sizeof(double)),
    };
    if (t->order == NULL || t->pixel == NULL || t->staging == NULL || t->guesses == NULL)
        return complain("out of memory for batches of %zu images.", most);
    for (int i = 0; i < images->count; i++)
        t->order[i] = i;
    for (size_t value = 0; value < 256; value++)
        e->store(t->pixel, value, (double)value / 127.5 - 1);
    if (trainer_describe(t, &t->step, &t->last_step, how->batch, images->count) < 0 ||
        trainer_describe(t, &t->test, &t->last_test, TEST_BATCH, test_images->count) < 0)
        return -1;
    return 0;
}

void trainer_destroy(struct trainer *t)
{
    if (t->recording != NULL)
        anydnnRecordingDestroy(t->net->handle, t->recording);
    net_batch_destroy(&t->step);
    net_batch_destroy(&t->last_step);
    net_batch_destroy(&t->test);
    net_batch_destroy(&t->last_test);
    free(t->order);
    free(t->pixel);
    free(t->staging);
    free(t->guesses);
    *t = (struct trainer){0};
}

static int trainer_upload(struct trainer *t, void *to, size_t bytes)
{
    CALL(NULL, anydnnMemCopy(t->net->handle, to, t->staging, bytes, ANYDNN_MEMCPY_HOST_TO_DEVICE));
    return 0;
}

/* Loads images. `order` lists them; if it is NULL, they start at `first`. */
static int trainer_load_images(struct trainer *t, const struct dataset *set, const int *order,
                               int first, int count)
{
    size_t size = t->net->element->size, pixels = dataset_pixels(set);
    char *to = t->staging;

    for (int i = 0; i < count; i++) {
        int image = order != NULL ? order[first + i] : first + i;
        const uint8_t *from = set->pixels + (size_t)image * pixels;

        for (size_t p = 0; p < pixels; p++, to += size)
            memcpy(to, t->pixel + from[p] * size, size);
    }
    return trainer_upload(t, t->net->value[0].data, (size_t)count * pixels * size);
}

static int trainer_load_target(struct trainer *t, int first, int count)
{
    const struct element *e = t->net->parameters.own;
    size_t elements = (size_t)count * CLASSES;
    double each = -t->net->parameters.loss_scale / count;

    memset(t->staging, 0, elements * e->size);
    for (int i = 0; i < count; i++) {
        size_t label = t->images->labels[t->order[first + i]];

        e->store(t->staging, (size_t)i * CLASSES + label, each);
    }
    return trainer_upload(t, t->net->target, elements * e->size);
}

static int trainer_read_guesses(struct trainer *t, int count)
{
    const struct element *e = t->net->parameters.own;
    size_t elements = (size_t)count * CLASSES;

    CALL(NULL, anydnnMemCopy(t->net->handle, t->staging, t->net->log_probability,
                             elements * e->size, ANYDNN_MEMCPY_DEVICE_TO_HOST));
    for (size_t i = 0; i < elements; i++)
        t->guesses[i] = e->load(t->staging, i);
    return 0;
}

static double trainer_rate(const struct trainer *t)
{
    const double pi = 3.14159265358979323846;
    int steps = trainer_steps(t->how, t->images);

    return t->how->learning_rate * (t->how->falling ? 0.5 + 0.5 * cos(pi * t->done / steps) : 1);
}

static int trainer_calls(struct trainer *t, const struct net_batch *batch)
{
    return pass_forward(t->net, batch) < 0 || pass_backward(t->net, batch) < 0 ||
                   parameters_update(&t->net->parameters, trainer_rate(t), t->how->momentum,
                                     t->how->decay) < 0
               ? -1
               : 0;
}

static int trainer_record(struct trainer *t, const struct net_batch *batch)
{
    int result;

    CALL(NULL, anydnnRecordBegin(t->net->handle));
    result = trainer_calls(t, batch);
    CALL(NULL, anydnnRecordEnd(t->net->handle, &t->recording));
    return result;
}

/* Runs a batch. The first full batch is not recorded, since it creates plans. Neither is a batch
 * whose calls are `noted`, since a replay makes no calls. */
static int trainer_compute(struct trainer *t, const struct net_batch *batch, int noted)
{
    int full = batch == &t->step;

    if (!t->how->recorded || !full || !t->warm || noted) {
        t->warm |= full;
        return trainer_calls(t, batch);
    }
    if (t->recording == NULL && trainer_record(t, batch) < 0)
        return -1;
    CALL(NULL, anydnnReplay(t->net->handle, t->recording));
    return 0;
}

/* Runs a step, and adds the losses of the batch's images to `sum`. */
static int trainer_step(struct trainer *t, const struct net_batch *batch, int first, int noted,
                        double *sum)
{
    double loss = 0;

    if (trainer_load_images(t, t->images, t->order, first, batch->count) < 0 ||
        trainer_load_target(t, first, batch->count) < 0 || trainer_compute(t, batch, noted) < 0 ||
        trainer_read_guesses(t, batch->count) < 0)
        return -1;
    for (int i = 0; i < batch->count; i++)
        loss -= t->guesses[i * CLASSES + t->images->labels[t->order[first + i]]];
    if (t->each != NULL)
        t->each(t->cookie, t->done, loss / batch->count);
    t->done++;
    *sum += loss;
    return 0;
}

int trainer_epoch(struct trainer *t, struct progress *progress, struct report *report, double *loss)
{
    int count = t->images->count;
    double sum = 0;

    random_shuffle(&t->shuffling, t->order, count);
    t->net->training = 1;
    for (int first = 0; first < count;) {
        int full = t->step.count > 0 && first + t->step.count <= count;
        const struct net_batch *batch = full ? &t->step : &t->last_step;
        struct report *listens = first + batch->count == count ? report : NULL;
        int result;

        call_note(listens, t->net->handle);
        result = trainer_step(t, batch, first, listens != NULL, &sum);
        call_note(NULL, NULL);
        if (result < 0)
            return -1;
        first += batch->count;
        if (progress != NULL)
            progress_show(progress, first, sum / first);
    }
    *loss = sum / count;
    return 0;
}

static int best_class(const double *guesses)
{
    int best = 0;

    for (int c = 1; c < CLASSES; c++)
        if (guesses[c] > guesses[best])
            best = c;
    return best;
}

int trainer_test(struct trainer *t, int *right)
{
    int count = t->test_images->count;

    *right = 0;
    t->net->training = 0;
    for (int first = 0; first < count;) {
        int full = t->test.count > 0 && first + t->test.count <= count;
        const struct net_batch *batch = full ? &t->test : &t->last_test;

        if (trainer_load_images(t, t->test_images, NULL, first, batch->count) < 0 ||
            pass_forward(t->net, batch) < 0 || trainer_read_guesses(t, batch->count) < 0)
            return -1;
        for (int i = 0; i < batch->count; i++)
            *right += best_class(t->guesses + i * CLASSES) == t->test_images->labels[first + i];
        first += batch->count;
    }
    return 0;
}
