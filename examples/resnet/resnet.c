/* SPDX-License-Identifier: Apache-2.0 */
/* Defines ResNet-20 for 32 x 32 color images (He, Zhang, Ren, Sun, 2016, section 4.2). It has a
 * convolution, three stages of three blocks with two convolutions each, the mean of each channel,
 * and a fully connected layer. Where a stage halves the image, a 1 x 1 convolution converts the
 * other operand of the sum to the same shape. */
#include "resnet.h"

#include "cifar.h"
#include "scenes.h"

enum { STAGES = 3, BLOCKS = 3, WIDTH = 16 };

/* The gain of the weights. A uniform number between -+ sqrt(6 / terms) has the variance 2 / terms,
 * which preserves the variance of the data through a ReLU (He, Zhang, Ren, Sun, 2015). */
static const double he = 2.449489742783178;

static int convolution(struct net *net, const char *name, int x, int outputs, int window,
                       int stride)
{
    struct net_convolution how = {
        .outputs = outputs, .window = window, .stride = stride, .pad = window / 2, .gain = he};

    return net_add_convolution(net, name, x, how);
}

/* Adds a block. Its convolutions are named a and b; that of the sum's other operand is named z. */
static int block(struct net *net, const char *const names[3], int x, int outputs, int stride)
{
    int y, z = x;

    if (stride > 1) {
        z = convolution(net, names[2], x, outputs, 1, stride);
        z = net_add_normalization(net, names[2], z, -1, 0);
    }
    y = convolution(net, names[0], x, outputs, 3, stride);
    y = net_add_normalization(net, names[0], y, -1, 1);
    y = convolution(net, names[1], y, outputs, 3, 1);
    return net_add_normalization(net, names[1], y, z, 1);
}

static void build(struct net *net, double dropout, uint64_t seed)
{
    static const char *const names[STAGES][BLOCKS][3] = {
        {{"1.1a", "1.1b", NULL}, {"1.2a", "1.2b", NULL}, {"1.3a", "1.3b", NULL}},
        {{"2.1a", "2.1b", "2.1z"}, {"2.2a", "2.2b", NULL}, {"2.3a", "2.3b", NULL}},
        {{"3.1a", "3.1b", "3.1z"}, {"3.2a", "3.2b", NULL}, {"3.3a", "3.3b", NULL}},
    };
    struct net_convolution scores = {
        .outputs = CLASSES, .window = 1, .stride = 1, .biased = 1, .gain = 1};
    int x = convolution(net, "first", 0, WIDTH, 3, 1);

    x = net_add_normalization(net, "first", x, -1, 1);
    for (int stage = 0; stage < STAGES; stage++)
        for (int b = 0; b < BLOCKS; b++)
            x = block(net, names[stage][b], x, WIDTH << stage, stage > 0 && b == 0 ? 2 : 1);
    x = net_add_pooling(net, "mean", x, ANYDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING,
                        net->value[x].side, 1);
    if (dropout > 0)
        x = net_add_dropout(net, x, dropout, seed);
    net_add_convolution(net, "scores", x, scores);
}

const struct example resnet = {
    .name = "resnet",
    .title = "ResNet-20",
    .about =
        "Trains ResNet-20 on 32 x 32 images in colour, using only the public interface of anydnn.",
    .data = "the binary files of CIFAR-10",
    .channels = 3,
    .side = SCENE_SIDE,
    .train_images = 10000,
    .test_images = 2000,
    .training = {.learning_rate = 0.1,
                 .momentum = 0.9,
                 .decay = 1e-4,
                 .falling = 1,
                 .batch = 128,
                 .epochs = 10,
                 .seed = 3},
    .read = cifar_read,
    .draw = scenes_draw,
    .build = build,
};
