/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layers of the examples: gradients of a network with every kind of layer against differences
 * of its loss, in double; what the parameters do in half and with gradients that are no numbers;
 * and the numbers of a comparison, by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "examples/layers/pass.h"
#include "examples/layers/random.h"
#include "examples/layers/statistics.h"

enum { IMAGES = 6, SIDE = 6, CHANNELS = 2, PIXELS = CHANNELS * SIDE * SIDE };

static void ok(int seen)
{
    char why[900] = "";

    if (seen == 0)
        return;
    anydnnGetLastErrorString(why, sizeof(why));
    print_error("%s\n", why);
    fail();
}

static anydnnHandle_t open_handle(void)
{
    anydnnHandle_t handle = NULL;

    ok(anydnnCreateOnDevice(&handle, "cpu"));
    ok(anydnnSetRoute(handle, "*", NULL, "cpu_ref"));
    return handle;
}

/* Builds a network with a value that has two users, an addition in a normalization, both poolings,
 * and a bias without a ReLU. */
static void build(struct net *net)
{
    struct net_convolution first = {
        .outputs = 4, .window = 3, .stride = 1, .pad = 1, .biased = 1, .relu = 1, .gain = 1.5};
    struct net_convolution plain = {.outputs = 4, .window = 3, .stride = 1, .pad = 1, .gain = 1.5};
    struct net_convolution shorter = {.outputs = 6, .window = 1, .stride = 2, .gain = 1.5};
    struct net_convolution scores = {
        .outputs = CLASSES, .window = 1, .stride = 1, .biased = 1, .gain = 1};
    int x = net_add_convolution(net, "a", 0, first), y, z;

    y = net_add_normalization(net, "b", net_add_convolution(net, "b", x, plain), -1, 1);
    y = net_add_convolution(net, "c", y, plain);
    x = net_add_normalization(net, "c", y, x, 1);
    z = net_add_normalization(net, "d", net_add_convolution(net, "d", x, shorter), -1, 0);
    y = net_add_pooling(net, "e", x, ANYDNN_POOLING_MAX, 2, 2);
    shorter.stride = 1;
    y = net_add_convolution(net, "f", y, shorter);
    x = net_add_normalization(net, "f", y, z, 1);
    x = net_add_pooling(net, "g", x, ANYDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING, 3, 1);
    net_add_convolution(net, "h", x, scores);
}

static void make(struct net *net, anydnnHandle_t handle, const char *type)
{
    ok(net_begin(net, handle, element_lookup(type), ANYDNN_DEFAULT_MATH, IMAGES, CHANNELS, SIDE));
    build(net);
    ok(net_create(net, 5));
    net->training = 1;
}

/* Fills the images with random numbers; the labels take turns. */
static void feed(struct net *net)
{
    struct random r = random_stream(7, 1);
    char images[IMAGES * PIXELS * sizeof(double)], target[IMAGES * CLASSES * sizeof(double)];
    const struct element *e = net->element, *own = net->parameters.own;

    for (size_t i = 0; i < IMAGES * PIXELS; i++)
        e->store(images, i, random_uniform(&r, -1, 1));
    memset(target, 0, sizeof(target));
    for (size_t i = 0; i < IMAGES; i++)
        own->store(target, i * CLASSES + i % CLASSES, -net->parameters.loss_scale / IMAGES);
    ok(anydnnMemCopy(net->handle, net->value[0].data, images, IMAGES * PIXELS * e->size,
                     ANYDNN_MEMCPY_HOST_TO_DEVICE));
    ok(anydnnMemCopy(net->handle, net->target, target, IMAGES * CLASSES * own->size,
                     ANYDNN_MEMCPY_HOST_TO_DEVICE));
}

/* Returns the loss. The handle is the host's, so the test can read its memory. */
static double loss(struct net *net, const struct net_batch *batch)
{
    const double *guesses = net->log_probability;
    double sum = 0;

    ok(pass_forward(net, batch));
    for (int i = 0; i < IMAGES; i++)
        sum -= guesses[i * CLASSES + i % CLASSES] / IMAGES;
    return sum;
}

/* (f(p + h) - f(p - h)) / 2h is off by h^2 f'''/6 and by the rounding of f divided by h. For
 * h = 1e-5 and values about 1, these are some 1e-10, and 1e-11 times the layers. One value in 1e5
 * is so close to the kink of a ReLU or a maximum that it changes sides within h. These numbers have
 * none. */
static void gradients_are_the_losss_differences(void **state)
{
    static struct net net;
    anydnnHandle_t handle = open_handle();
    struct net_batch batch;
    const double h = 1e-5;
    double largest = 0;

    (void)state;
    make(&net, handle, "double");
    ok(net_batch_create(&net, &batch, IMAGES));
    feed(&net);
    loss(&net, &batch);
    ok(pass_backward(&net, &batch));
    for (int item = 0; item < net.parameters.items; item++) {
        double *value = parameters_value(&net.parameters, item);
        const double *gradient = parameters_gradient(&net.parameters, item);

        for (size_t i = 0; i < net.parameters.item[item].count; i++) {
            double kept = value[i], above, below;

            value[i] = kept + h;
            above = loss(&net, &batch);
            value[i] = kept - h;
            below = loss(&net, &batch);
            value[i] = kept;
            assert_true(fabs((above - below) / (2 * h) - gradient[i]) < 1e-7);
            largest = fmax(largest, fabs(gradient[i]));
        }
    }
    assert_true(largest > 0.05);
    net_batch_destroy(&batch);
    net_destroy(&net);
    ok(anydnnDestroy(handle));
}

static double first_weight(const struct net *net)
{
    double *values = malloc(parameters_count(&net->parameters) * sizeof(double)), first;

    assert_non_null(values);
    ok(parameters_read(&net->parameters, values));
    first = values[0];
    free(values);
    return first;
}

/* Checks training in half. The parameters are kept in float, and the scale of the loss does not
 * affect a step. A gradient that is NaN or infinite cancels the step and halves the scale. */
static void half_has_a_scale(void **state)
{
    static struct net net;
    anydnnHandle_t handle = open_handle();
    struct net_batch batch;
    double before, scale, gradient;
    float *weights, infinite = INFINITY;

    (void)state;
    make(&net, handle, "half");
    ok(net_batch_create(&net, &batch, IMAGES));
    scale = net.parameters.loss_scale;
    assert_true(scale > 1);
    feed(&net);
    ok(pass_forward(&net, &batch));
    ok(pass_backward(&net, &batch));
    before = first_weight(&net);
    gradient = net.element->load(parameters_gradient(&net.parameters, 0), 0);
    assert_true(fabs(gradient) > 0);
    ok(parameters_update(&net.parameters, 0.25, 0, 0));
    /* The step is a product and a sum, each rounded to float. */
    assert_true(fabs(first_weight(&net) - (before - 0.25 * gradient / scale)) <=
                0x1p-24 * (fabs(before) + 0.5 * fabs(gradient / scale)) * 2);
    weights = net.parameters.row;
    assert_true(net.element->load(parameters_value(&net.parameters, 0), 0) != (double)weights[0]);
    before = first_weight(&net);
    net.element->store(parameters_gradient(&net.parameters, 0), 1, (double)infinite);
    assert_int_equal(parameters_update(&net.parameters, 0.25, 0, 0), 1);
    assert_true(net.parameters.loss_scale == scale / 2 && net.parameters.skipped == 1);
    assert_true(first_weight(&net) == before);
    net_batch_destroy(&batch);
    net_destroy(&net);
    ok(anydnnDestroy(handle));
}

static void too_many_layers_are_refused(void **state)
{
    static struct net net;
    anydnnHandle_t handle = open_handle();
    int x = 0;

    (void)state;
    ok(net_begin(&net, handle, element_lookup("float"), ANYDNN_DEFAULT_MATH, 1, 1, 4));
    for (int i = 0; i <= NET_LAYERS; i++)
        x = net_add_normalization(&net, "n", x, -1, 1);
    assert_int_equal(net.layers, NET_LAYERS);
    assert_int_equal(net_create(&net, 1), -1);
    net_destroy(&net);
    ok(anydnnDestroy(handle));
}

/* ---- numbers of a comparison */

static void spreads_are_by_students_t(void **state)
{
    static const double values[] = {1, 2, 3, 4, 5};
    struct spread s = statistics_spread(values, 5);

    (void)state;
    assert_true(s.mean == 3 && s.least == 1 && s.most == 5);
    assert_true(fabs(s.deviation - sqrt(2.5)) < 1e-15);
    /* t for 4 degrees of freedom is 2.776. */
    assert_true(fabs(s.half - 2.776 * sqrt(2.5 / 5)) < 1e-12);
    s = statistics_spread(values, 1);
    assert_true(s.mean == 1 && s.deviation == 0 && s.half == 0);
}

/* Compares two modes with three seeds and one epoch. The two layers have two weights and one
 * weight. */
static void comparisons_are_paired(void **state)
{
    static struct experiment x;
    static struct options o = {.modes = 2, .seeds = 3, .training = {.epochs = 1}};
    double accuracy[2][3] = {{90, 92, 94}, {90.5, 92.5, 94.5}};
    double weights[2][3] = {{1, 2, 3}, {1, 2.5, 3}}, begin[3] = {0, 1, 3};

    (void)state;
    x = (struct experiment){.o = &o, .steps = 8, .points = 4, .items = 2, .weights = 3};
    x.item[0] = (struct parameter){.layer = "a", .count = 2};
    x.item[1] = (struct parameter){.layer = "b", .count = 1};
    for (int seed = 0; seed < 3; seed++) {
        x.begin[seed] = begin;
        for (int m = 0; m < 2; m++) {
            x.run[m][seed] = (struct run){
                .accuracy = &accuracy[m][seed], .weights = weights[m], .loss = {4, 3, 2, 1}};
            x.run[m][seed].loss[1] += seed;
        }
    }
    assert_true(fabs(statistics_difference(&x, 1).mean - 0.5) < 1e-12);
    assert_true(statistics_difference(&x, 1).half < 1e-9);
    assert_true(fabs(statistics_seeds(&x) - 2 * sqrt(2)) < 1e-12);
    assert_true(statistics_target(&x) == 5);
    assert_int_equal(statistics_steps(&x, 0, 0, 3), 4);
    assert_int_equal(statistics_steps(&x, 0, 2, 3), 6);
    assert_int_equal(statistics_steps(&x, 0, 0, 0.5), 0);
    experiment_measure(&x);
    assert_true(x.equal[1] == 0 && x.equal[0] == 3);
    assert_int_equal(x.layers, 2);
    assert_string_equal(x.layer[1], "b");
    /* The weights differ by 0.5 after they moved by sqrt(2). */
    assert_true(fabs(x.distance[1][0] - 0.5 / sqrt(2)) < 1e-15);
    assert_true(x.distance[1][1] == 0);
}

static int configure(void **state)
{
    (void)state;
    setenv("ANYDNN_PLUGIN_PATH", getenv("ANYDNN_TEST_PLUGINDIR"), 1);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_the_losss_differences),
        cmocka_unit_test(half_has_a_scale),
        cmocka_unit_test(too_many_layers_are_refused),
        cmocka_unit_test(spreads_are_by_students_t),
        cmocka_unit_test(comparisons_are_paired),
    };

    return cmocka_run_group_tests_name("layers", tests, configure, NULL);
}
