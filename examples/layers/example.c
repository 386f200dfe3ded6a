/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the program of an example: trains its network once, or in several modes from several
 * seeds. It only uses the public interface of anydnn and the handle's memory, so it runs on any
 * backend that the settings select. */
#include "example.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "experiment.h"
#include "options.h"
#include "progress.h"
#include "report.h"

static int load_set(const struct example *e, const struct options *o, struct dataset *set, int test)
{
    int asked = test ? o->test_images : o->train_images;
    int usual = test ? e->test_images : e->train_images;

    if (o->data != NULL)
        return e->read(set, o->data, test, asked);
    return e->draw(set, asked > 0 ? asked : usual, o->apart ? o->drawing : o->training.seed, test);
}

/* Names the settings file to the library. The library requires an absolute path, since settings
 * outlive the current folder. */
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

static void print_task(const struct example *e, const struct options *o,
                       const struct images *images, anydnnHandle_t handle)
{
    const struct training *t = &o->training;
    char device[64];

    if (anydnnGetDevice(handle, device, sizeof device) != ANYDNN_STATUS_SUCCESS)
        snprintf(device, sizeof device, "?");
    if (o->modes == 0)
        printf("%s, %s, %s math, on %s: ", e->title, o->mode.element->name, o->mode.math_name,
               device);
    else
        printf("%s, %d modes, %d seeds, on %s: ", e->title, o->modes, o->seeds, device);
    printf("%d training and %d test images %s%s\n", images->train.count, images->test.count,
           o->data != NULL ? "from " : "drawn by the program", o->data != NULL ? o->data : "");
    printf("batch %d, learning rate %g%s, momentum %g, ", t->batch, t->learning_rate,
           t->falling ? " falling to 0" : "", t->momentum);
    if (t->decay > 0)
        printf("weight decay %g, ", t->decay);
    printf("dropout %g, seed %llu\n", o->dropout, (unsigned long long)t->seed);
    fflush(stdout);
}

int example_network(const struct example *example, const struct options *o,
                    const struct element *element, anydnnMathType_t math, uint64_t seed,
                    anydnnHandle_t handle, struct net *net)
{
    if (net_begin(net, handle, element, math, trainer_most(&o->training), example->channels,
                  example->side) < 0)
        return -1;
    example->build(net, o->dropout, seed);
    return net_create(net, seed);
}

/* ---- one training */

static int train_epoch(const struct options *o, struct trainer *t, int epoch, struct report *report,
                       double *loss)
{
    struct progress progress;
    double seconds;
    int right;

    progress_start(&progress, epoch, o->training.epochs, t->images->count);
    if (trainer_epoch(t, &progress, report, loss) < 0)
        return -1;
    seconds = progress_clock() - progress.started;
    if (trainer_test(t, &right) < 0)
        return -1;
    progress_finish(&progress);
    printf("epoch %d/%d: loss %.6f, test accuracy %.2f %%, %.2f s, %.0f images/s\n", epoch,
           o->training.epochs, *loss, 100.0 * right / t->test_images->count, seconds,
           t->images->count / seconds);
    fflush(stdout);
    return 0;
}

static int train(const struct example *example, const struct options *o,
                 const struct images *images, anydnnHandle_t handle)
{
    static struct report report;
    static struct net net;
    struct trainer trainer = {0};
    double loss = 0;
    int result = -1;

    if (example_network(example, o, o->mode.element, o->mode.math, o->training.seed, handle, &net) <
            0 ||
        trainer_create(&trainer, &net, &o->training, &images->train, &images->test) < 0)
        goto out;
    for (int epoch = 1; epoch <= o->training.epochs; epoch++)
        if (train_epoch(o, &trainer, epoch, epoch == o->training.epochs ? &report : NULL, &loss) <
            0)
            goto out;
    if (net.parameters.skipped > 0)
        printf("%d steps of %d were skipped because their gradients were not finite; the scale of "
               "the loss is %g\n",
               net.parameters.skipped, trainer.done, net.parameters.loss_scale);
    printf("final loss %.17g (%a)\n", loss, loss);
    report_print(&report);
    result = 0;
out:
    trainer_destroy(&trainer);
    net_destroy(&net);
    return result;
}

int example_main(const struct example *example, int argc, char **argv)
{
    static struct options o;
    struct images images = {0};
    anydnnHandle_t handle = NULL;
    int result = EXIT_FAILURE;

    complain_as(example->name);
    switch (options_parse(&o, example, argc, argv)) {
    case OPTIONS_DONE:
        return EXIT_SUCCESS;
    case OPTIONS_WRONG:
        return 2;
    default:
        break;
    }
    if (o.redraw != NULL)
        return experiment_redraw(example, &o) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    if (load_set(example, &o, &images.train, 0) < 0 || load_set(example, &o, &images.test, 1) < 0 ||
        create_handle(&o, &handle) < 0)
        goto out;
    print_task(example, &o, &images, handle);
    if ((o.modes > 0 ? experiment(example, &o, &images, handle)
                     : train(example, &o, &images, handle)) == 0)
        result = EXIT_SUCCESS;
out:
    if (handle != NULL)
        anydnnDestroy(handle);
    dataset_free(&images.train);
    dataset_free(&images.test);
    return result;
}
