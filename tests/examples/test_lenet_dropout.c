/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests LeNet with dropout on several backends. The masks, the losses and the parameters must have
 * the same bits on cpu_ref, with staged dropout of a second backend (mock_dropout, from the host
 * and from the device), and with every call staged to a device (mock_mirror).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "examples/layers/report.h"
#include "examples/layers/train.h"
#include "examples/lenet/digits.h"
#include "examples/lenet/lenet.h"

enum { IMAGES = 20, STEPS = 4, RESERVE = IMAGES * 84 / 8 };

struct way {
    const char *device;
    const char *dropout;  /* route of dropout_* */
    const char *all;      /* route of all other operations */
    const char *backends; /* the backends that run dropout and a convolution */
    int64_t staged;       /* calls per step */
};

/* The calls per step. Convolutions have 5 forward, 5 for the filter, 4 for the data and 5 for the
 * bias. There are 2 + 2 poolings, 4 activations backward, softmax and its gradient, 1 + 2
 * additions, and dropout forward and backward. */
#define CALLS   (5 + 5 + 4 + 5 + 4 + 4 + 2 + 3 + 2)
#define DROPOUT 2

static const struct way plain = {"cpu", "cpu_ref", "cpu_ref", "cpu_ref cpu_ref", 0};

/* The results of a few training steps. */
struct trained {
    double loss[STEPS];
    unsigned char reserve[STEPS][RESERVE];
    char *parameters;
    size_t bytes;
};

struct job {
    const struct way *way;
    const char *type;
    double probability;
    uint64_t seed;
};

static void ok(int seen)
{
    char why[900] = "";

    if (seen == 0)
        return;
    anydnnGetLastErrorString(why, sizeof(why));
    print_error("%s\n", why);
    fail();
}

static anydnnHandle_t open_handle(const struct way *way)
{
    anydnnHandle_t handle = NULL;

    ok(anydnnCreateOnDevice(&handle, way->device));
    ok(anydnnSetRoute(handle, "*", NULL, way->all));
    ok(anydnnSetRoute(handle, "dropout_*", NULL, way->dropout));
    return handle;
}

/* The report's rows name the backend of each operation. */
static void assert_backends(const struct report *report, const char *wanted)
{
    char seen[100] = "";
    const char *dropout = "?", *convolution = "?";

    for (int i = 0; i < report->rows; i++) {
        if (strcmp(report->row[i].operation, "dropout_forward") == 0)
            dropout = report->row[i].backend;
        if (strcmp(report->row[i].operation, "convolution_backward_filter") == 0)
            convolution = report->row[i].backend;
    }
    snprintf(seen, sizeof(seen), "%s %s", dropout, convolution);
    assert_string_equal(seen, wanted);
}

/* Returns the dropout layer of the network. */
static struct net_dropout *dropout_of(struct net *net)
{
    for (int l = 0; l < net->layers; l++)
        if (net->layer[l].kind == &net_dropouts)
            return &net->layer[l].of.dropout;
    fail_msg("no layer drops anything");
    return NULL;
}

static void steps(const struct job *job, struct net *net, struct trainer *trainer,
                  struct trained *made)
{
    static struct report report;
    struct progress progress;
    int64_t calls = 0, staged = 0;

    for (int i = 0; i < STEPS; i++) {
        memset(&report, 0, sizeof(report));
        progress_start(&progress, i, STEPS, IMAGES);
        ok(trainer_epoch(trainer, &progress, &report, &made->loss[i]));
        if (job->probability > 0) {
            assert_int_equal(dropout_of(net)->reserve_bytes, RESERVE);
            ok(anydnnMemCopy(net->handle, made->reserve[i], dropout_of(net)->reserve, RESERVE,
                             ANYDNN_MEMCPY_DEVICE_TO_HOST));
        }
    }
    if (job->probability > 0)
        assert_backends(&report, job->way->backends);
    ok(anydnnGetDispatchInfoInt(net->handle, "calls", &calls));
    ok(anydnnGetDispatchInfoInt(net->handle, "staged_calls", &staged));
    assert_int_equal(calls, STEPS * (CALLS - (job->probability > 0 ? 0 : DROPOUT)));
    assert_int_equal(staged, STEPS * job->way->staged);
}

/* Checks that a test run draws no mask: training's states stay unchanged. */
static void test_without(struct net *net, struct trainer *trainer)
{
    unsigned char before[32], after[32];
    int right = -1;

    ok(anydnnMemCopy(net->handle, before, dropout_of(net)->states, 32,
                     ANYDNN_MEMCPY_DEVICE_TO_HOST));
    ok(trainer_test(trainer, &right));
    assert_in_range(right, 0, IMAGES);
    ok(anydnnMemCopy(net->handle, after, dropout_of(net)->states, 32,
                     ANYDNN_MEMCPY_DEVICE_TO_HOST));
    assert_memory_equal(before, after, 32);
}

static void train(const struct job *job, struct trained *made)
{
    anydnnHandle_t handle = open_handle(job->way);
    static struct net net;
    const struct training how = {.learning_rate = 0.05,
                                 .momentum = 0.9,
                                 .batch = IMAGES,
                                 .epochs = STEPS,
                                 .seed = job->seed};
    struct trainer trainer;
    struct dataset images;

    memset(made, 0, sizeof(*made));
    ok(digits_draw(&images, IMAGES, job->seed, 0));
    ok(net_begin(&net, handle, element_lookup(job->type), ANYDNN_DEFAULT_MATH, TEST_BATCH, 1,
                 IMAGE_SIDE));
    lenet.build(&net, job->probability, job->seed);
    ok(net_create(&net, job->seed));
    ok(trainer_create(&trainer, &net, &how, &images, &images));
    steps(job, &net, &trainer, made);
    if (job->probability > 0)
        test_without(&net, &trainer);
    made->bytes = parameters_bytes(&net.parameters);
    made->parameters = malloc(made->bytes);
    assert_non_null(made->parameters);
    ok(anydnnMemCopy(handle, made->parameters, net.parameters.row, made->bytes,
                     ANYDNN_MEMCPY_DEVICE_TO_HOST));
    trainer_destroy(&trainer);
    net_destroy(&net);
    dataset_free(&images);
    ok(anydnnDestroy(handle));
}

static void assert_same(const struct trained *a, const struct trained *b)
{
    for (int i = 0; i < STEPS; i++) {
        assert_memory_equal(a->reserve[i], b->reserve[i], RESERVE);
        assert_memory_equal(&a->loss[i], &b->loss[i], sizeof(double));
    }
    assert_int_equal(a->bytes, b->bytes);
    assert_memory_equal(a->parameters, b->parameters, a->bytes);
}

static void compare(const struct way *way, const char *type, double probability)
{
    struct job job = {&plain, type, probability, 3};
    struct trained one, other;

    train(&job, &one);
    job.way = way;
    train(&job, &other);
    assert_same(&one, &other);
    free(one.parameters);
    free(other.parameters);
}

/* ------------------------------------------------------------------ tests */

static void a_second_dropout_by_staging(void **state)
{
    static const struct way way = {"cpu", "mock_dropout, cpu_ref", "cpu_ref",
                                   "mock_dropout cpu_ref", DROPOUT};

    (void)state;
    compare(&way, "float", 0.5);
    compare(&way, "float", 0.3);
    compare(&way, "double", 0.3);
}

static void a_second_dropout_where_the_data_are(void **state)
{
    static const struct way way = {"mockdev", "mock_dropout, cpu_ref", "cpu_ref",
                                   "mock_dropout cpu_ref", CALLS - DROPOUT};

    (void)state;
    compare(&way, "float", 0.3);
}

static void all_of_it_by_staging(void **state)
{
    static const struct way there = {"cpu", "mock_mirror", "mock_mirror", "mock_mirror mock_mirror",
                                     CALLS};
    static const struct way without = {"cpu", "mock_mirror", "mock_mirror", "", CALLS - DROPOUT};
    static const struct way back = {"mockdev", "cpu_ref", "cpu_ref", "cpu_ref cpu_ref", CALLS};

    (void)state;
    compare(&there, "float", 0.3);
    compare(&there, "double", 0.5);
    compare(&without, "float", 0);
    compare(&back, "float", 0.3);
}

static int ones(const unsigned char *bytes, size_t count)
{
    int sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += __builtin_popcount(bytes[i]);
    return sum;
}

/* Checks that the number of kept elements, which is binomial, is within 5 standard deviations of
 * its mean. */
static void masks_are_drawn(void **state)
{
    struct job job = {&plain, "float", 0.3, 3};
    double count = (double)STEPS * RESERVE * 8;
    struct trained made, other;

    (void)state;
    train(&job, &made);
    assert_true(fabs(ones(&made.reserve[0][0], sizeof(made.reserve)) - 0.7 * count) <
                5 * sqrt(count * 0.7 * 0.3));
    for (int i = 1; i < STEPS; i++)
        assert_memory_not_equal(made.reserve[i - 1], made.reserve[i], RESERVE);
    job.seed = 4;
    train(&job, &other);
    assert_memory_not_equal(made.reserve[0], other.reserve[0], RESERVE);
    free(made.parameters);
    free(other.parameters);
}

/* ------------------------------------------------------------------ the process */

static int configure(void **state)
{
    const char *plugins = getenv("ANYDNN_TEST_PLUGINDIR");
    const char *mocks = getenv("ANYDNN_TEST_MOCKDIR");
    char path[] = "/tmp/anydnn-lenet-XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    int count = 0;
    anydnnStatus_t status;

    (void)state;
    if (!file || !plugins || !mocks)
        return -1;
    fprintf(file,
            "[anydnn]\nplugin_path = %s:%s\nstaging = listed\nlog = error\n[plugin mock_mirror]\n"
            "set.of = %s/anydnn_cpu_ref.so\n[route]\n* = cpu_ref, mock_mirror, mock_dropout\n",
            mocks, plugins, plugins);
    fclose(file);
    setenv("ANYDNN_CONFIG", path, 1);
    status = anydnnGetDeviceCount(&count);
    unlink(path);
    return status == ANYDNN_STATUS_SUCCESS && count == 2 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_dropout_by_staging),
        cmocka_unit_test(a_second_dropout_where_the_data_are),
        cmocka_unit_test(all_of_it_by_staging),
        cmocka_unit_test(masks_are_drawn),
    };

    return cmocka_run_group_tests_name("lenet_dropout", tests, configure, NULL);
}
