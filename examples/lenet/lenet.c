/* SPDX-License-Identifier: Apache-2.0 */
/* Defines LeNet for 28 x 28 images of digits: five layers with weights. Its dropout precedes the
 * last layer. */
#include "lenet.h"

#include "digits.h"
#include "idx.h"

static int read_images(struct dataset *set, const char *folder, int test, int limit)
{
    return idx_read(set, folder, test ? "t10k" : "train", limit);
}

static int draw_images(struct dataset *set, int count, uint64_t seed, int test)
{
    return digits_draw(set, count, seed, (uint64_t)test);
}

static int add(struct net *net, const char *name, int x, int outputs, int window, int relu)
{
    struct net_convolution how = {
        .outputs = outputs, .window = window, .stride = 1, .biased = 1, .relu = relu, .gain = 1};

    return net_add_convolution(net, name, x, how);
}

static void build(struct net *net, double dropout, uint64_t seed)
{
    int x = 0;

    x = add(net, "conv1", x, 6, 5, 1);
    x = net_add_pooling(net, "conv1", x, ANYDNN_POOLING_MAX, 2, 2);
    x = add(net, "conv2", x, 16, 5, 1);
    x = net_add_pooling(net, "conv2", x, ANYDNN_POOLING_MAX, 2, 2);
    x = add(net, "full3", x, 120, 4, 1);
    x = add(net, "full4", x, 84, 1, 1);
    if (dropout > 0)
        x = net_add_dropout(net, x, dropout, seed);
    add(net, "full5", x, CLASSES, 1, 0);
}

const struct example lenet = {
    .name = "lenet",
    .title = "LeNet",
    .about = "Trains LeNet on 28 x 28 images of digits, using only the public interface of anydnn.",
    .data = "IDX files in the format of MNIST, gzipped or not",
    .channels = 1,
    .side = IMAGE_SIDE,
    .train_images = 20000,
    .test_images = 4000,
    .training = {.learning_rate = 0.01, .momentum = 0.9, .batch = 64, .epochs = 3, .seed = 3},
    .read = read_images,
    .draw = draw_images,
    .build = build,
};
