/* SPDX-License-Identifier: Apache-2.0 */
/* Trains LeNet through the public interface of anydnn alone, in the handle's memory, so that the
 * same program runs on whatever backend the settings choose. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "digits.h"
#include "dropout.h"
#include "idx.h"
#include "network.h"
#include "options.h"
#include "progress.h"
#include "report.h"
#include "train.h"

enum { DRAWN_TRAIN_IMAGES = 20000, DRAWN_TEST_IMAGES = 4000 };

struct images {
    struct dataset train;
    struct dataset test;
};

static int load_images(const struct options *o, struct images *images)
{
    if (o->data != NULL)
        return idx_read(&images->train, o->data, "train", o->train_images) < 0 ||
                       idx_read(&images->test, o->data, "t10k", o->test_images) < 0
                   ? -1
                   : 0;
    return digits_draw(&images->train, o->train_images > 0 ? o->train_images : DRAWN_TRAIN_IMAGES,
                       o->seed, 0) < 0 ||
                   digits_draw(&images->test,
                               o->test_images > 0 ? o->test_images : DRAWN_TEST_IMAGES, o->seed,
                               1) < 0
               ? -1
               : 0;
}

/* The library takes absolute paths alone, since settings outlive the current folder. */
static int name_settings(const char *file)
{
    char *path = realpath(file, NULL);
    int result = 0;

    if (path == NULL)
        return complain("--config=%s: cannot be opened: %s.", file, strerror(errno));
    if (setenv("ANYDNN_CONFIG", path, 1) < 0)
        result = complain("out of memory for the name of the settings file.");
    free(path);
    return result;
}

static int create_handle(const struct options *o, anydnnHandle_t *handle)
{
    anydnnStatus_t status;

    if (o->config != NULL && name_settings(o->config) < 0)
        return -1;
    status = o->device == NULL ? anydnnCreate(handle) : anydnnCreateOnDevice(handle, o->device);
    return status == ANYDNN_STATUS_SUCCESS ? 0 : complain_of_library(NULL);
}

static void print_task(const struct options *o, const struct images *images, anydnnHandle_t handle)
{
    char device[64];

    if (anydnnGetDevice(handle, device, sizeof device) != ANYDNN_STATUS_SUCCESS)
        snprintf(device, sizeof device, "?");
    printf("LeNet, %s, %s math, on %s: %d training and %d test images %s%s\n", o->element->name,
           o->math_name, device, images->train.count, images->test.count,
           o->data != NULL ? "from " : "drawn by the program", o->data != NULL ? o->data : "");
    printf("batch %d, learning rate %g, momentum %g, dropout %g, seed %llu\n", o->batch,
           o->learning_rate, o->momentum, o->dropout, (unsigned long long)o->seed);
    fflush(stdout);
}

static int train_epoch(const struct options *o, struct trainer *t, int epoch, struct report *report,
                       double *loss)
{
    struct progress progress;
    double seconds;
    int right;

    progress_start(&progress, epoch, o->epochs, t->images->count);
    if (trainer_epoch(t, &progress, report, loss) < 0)
        return -1;
    seconds = progress_clock() - progress.started;
    if (trainer_test(t, &right) < 0)
        return -1;
    progress_finish(&progress);
    printf("epoch %d/%d: loss %.6f, test accuracy %.2f %%, %.2f s, %.0f images/s\n", epoch,
           o->epochs, *loss, 100.0 * right / t->test_images->count, seconds,
           t->images->count / seconds);
    fflush(stdout);
    return 0;
}

static int train(const struct options *o, const struct images *images, anydnnHandle_t handle)
{
    static struct report report;
    struct network net;
    struct trainer trainer = {0};
    int most = o->batch > TEST_BATCH ? o->batch : TEST_BATCH;
    double loss = 0;
    int result = -1;

    if (network_create(&net, handle, o->element, o->math, most, o->seed) < 0 ||
        (o->dropout > 0 && dropout_create(&net, o->dropout, most, o->seed) < 0) ||
        trainer_create(&trainer, &net, &images->train, &images->test, o->batch, o->seed) < 0)
        goto out;
    trainer.rate = o->learning_rate;
    trainer.momentum = o->momentum;
    for (int epoch = 1; epoch <= o->epochs; epoch++)
        if (train_epoch(o, &trainer, epoch, epoch == o->epochs ? &report : NULL, &loss) < 0)
            goto out;
    printf("final loss %.17g (%a)\n", loss, loss);
    report_print(&report);
    result = 0;
out:
    trainer_destroy(&trainer);
    network_destroy(&net);
    return result;
}

int main(int argc, char **argv)
{
    struct options o;
    struct images images = {0};
    anydnnHandle_t handle = NULL;
    int result = EXIT_FAILURE;

    switch (options_parse(&o, argc, argv)) {
    case OPTIONS_DONE:
        return EXIT_SUCCESS;
    case OPTIONS_WRONG:
        return 2;
    default:
        break;
    }
    if (load_images(&o, &images) < 0 || create_handle(&o, &handle) < 0)
        goto out;
    print_task(&o, &images, handle);
    if (train(&o, &images, handle) == 0)
        result = EXIT_SUCCESS;
out:
    if (handle != NULL)
        anydnnDestroy(handle);
    dataset_free(&images.train);
    dataset_free(&images.test);
    return result;
}
