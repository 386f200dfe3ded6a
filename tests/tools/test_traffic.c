/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the counts of floating-point operations and bytes against layers and networks counted by
 * hand, and the least time that a roofline gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tools/problem/traffic.h"
#include "tools/suite/suite.h"

static struct traffic count(const char *given)
{
    struct tool tool = {.device = NULL};
    struct operands operands;
    struct traffic traffic;
    anydnnProblem_t problem = NULL;
    char *text = NULL;

    assert_int_equal(tool_parse(&tool, given, &problem, &text), TOOL_FINE);
    assert_int_equal(operands_describe(&tool, problem, text, &operands), TOOL_FINE);
    assert_int_equal(traffic_of(&operands, text, &traffic), 0);
    anydnnProblemDestroy(problem);
    free(text);
    return traffic;
}

static void costs(const char *problem, double flops, double bytes)
{
    struct traffic traffic = count(problem);

    if (traffic.flops != flops || traffic.bytes != bytes)
        fail_msg("%s: %.0f operations and %.0f bytes, not %.0f and %.0f", problem, traffic.flops,
                 traffic.bytes, flops, bytes);
}

/* Checks convolutions. y is 2,4,3,3: 72 elements of 3*3*3 products. The windows reach all of x,
 * which has 150 elements; w has 108. */
static void a_convolution(void **state)
{
    (void)state;
    costs("convolution_forward x=f32:2,3,5,5 w=f32:4,3,3,3 pad=1,1 stride=2,2", 2 * 72 * 27,
          4 * (150 + 108 + 72));
    costs("convolution_backward_data dx=f32:2,3,5,5 w=f32:4,3,3,3 dy=f32:2,4,3,3 pad=1,1 "
          "stride=2,2",
          2 * 72 * 27, 4 * (150 + 108 + 72));
    costs("convolution_backward_filter x=f16:2,3,5,5 dw=f16:4,3,3,3 dy=f16:2,4,3,3 pad=1,1 "
          "stride=2,2",
          2 * 72 * 27, 2 * (150 + 108 + 72));
    costs("convolution_backward_bias dy=f32:2,4,3,3", 72, 4 * (72 + 4));
    /* z and bias are read too. */
    costs("convolution_bias_activation_forward x=f32:2,3,5,5 w=f32:4,3,3,3 z=f32:2,4,3,3 pad=1,1 "
          "stride=2,2 activation=relu",
          2 * 72 * 27, 4 * (150 + 108 + 72 + 72 + 4));
}

/* Checks windows that do not touch all of x. A 1x1 filter with a stride of 2 leaves three quarters
 * of x unread, but the whole gradient is written. A dilation of 3 with a stride of 6 reads 0 3 6 9
 * of 0 .. 9. */
static void what_windows_touch(void **state)
{
    (void)state;
    costs("convolution_forward x=f32:1,8,6,6 w=f32:16,8,1,1 stride=2,2", 2 * 144 * 8,
          4 * (8 * 9 + 128 + 144));
    costs("convolution_backward_data dx=f32:1,8,6,6 w=f32:16,8,1,1 dy=f32:1,16,3,3 stride=2,2",
          2 * 144 * 8, 4 * (8 * 36 + 128 + 144));
    costs("convolution_forward x=f32:1,1,1,10 w=f32:1,1,1,2 stride=1,6 dilation=1,3", 2 * 2 * 2,
          4 * (4 + 2 + 2));
    costs("pooling_forward x=f32:1,1,1,9 window=1,2 stride=1,4", 4, 4 * (4 + 2));
}

/* Checks that each output reads only its group's channels. */
static void groups(void **state)
{
    (void)state;
    costs("convolution_forward x=f32:1,8,4,4 w=f32:8,1,3,3 pad=1,1 groups=8", 2 * 128 * 9,
          4 * (128 + 72 + 128));
    costs("convolution_forward x=f32:1,8,4,4 w=f32:6,4,1,1 groups=2", 2 * 96 * 4,
          4 * (128 + 24 + 96));
    /* Two channels and three spatial dims. */
    costs("convolution_forward x=f32:1,2,4,4,4 w=f32:3,2,2,2,2", 2 * 81 * 16, 4 * (128 + 48 + 81));
}

/* Checks other operations; most tensors have 2*3*4*5 = 120 elements in 3 channels. */
static void memory_bound(void **state)
{
    (void)state;
    costs("activation_forward x=f32:2,3,4,5 activation=tanh", 120, 4 * 240);
    costs("activation_backward y=f32:2,3,4,5 dy=f32:2,3,4,5 x=f32:2,3,4,5 dx=f32:2,3,4,5", 120,
          4 * 360);
    costs("activation_backward x=f16:2,3,4,5 y=f16:2,3,4,5 dy=f16:2,3,4,5 activation=swish coef=1",
          120, 2 * 360);
    costs("pooling_backward y=f32:1,1,2,2 dy=f32:1,1,2,2 x=f32:1,1,4,4 mode=max window=2,2 "
          "stride=2,2",
          16, 4 * (4 + 4 + 16 + 16));
    costs("pooling_backward y=f32:1,1,2,2 dy=f32:1,1,2,2 x=f32:1,1,4,4 mode=average_include "
          "window=2,2 stride=2,2",
          16, 4 * (4 + 16));
    costs("softmax_forward x=f32:2,3,4,5", 360, 4 * 240);
    costs("lrn_backward y=f32:2,3,4,5 dy=f32:2,3,4,5 x=f32:2,3,4,5", 960, 4 * 360);
    costs("transform_tensor x=f32:2,3,4,5 y=f16:2,3,4,5:nhwc", 0, 6 * 120);
    /* y is also read if it is blended. */
    costs("transform_tensor x=f32:2,3,4,5 y=f32:2,3,4,5:nhwc beta=1", 0, 4 * 360);
    costs("scale_tensor y=f32:2,3,4,5 alpha=2", 120, 4 * 240);
    costs("set_tensor y=f32:2,3,4,5", 0, 4 * 120);
    costs("op_tensor a=f32:2,3,4,5 b=f32:1,3,1,1 c=f32:2,3,4,5", 120, 4 * (240 + 3));
    costs("reduce_tensor a=f32:2,3,4,5 c=f32:1,3,1,1", 120, 4 * 123);
    costs("spatial_sampler_forward x=f32:2,3,4,5 grid=f32:2,6,7,2", 8 * 252, 4 * (120 + 168 + 252));
    costs("ctc_loss x=f32:7,3,5 labels=s32:4 gradients=f32:7,3,5", 315, 4 * (2 * 105 + 3));
    /* x is read once and y written; the rest as given. */
    costs("normalization_forward x=f16:6,20 scale=f32:1,20 kind=layer axes=1", 7 * 120,
          2 * 240 + 4 * 20);
    costs("normalization_forward x=f16:6,20 z=f16:6,20 sum=f16:6,20 save_inv_dev=f32:6,1 kind=rms "
          "axes=1",
          7 * 120, 2 * 480 + 4 * 6);
    costs("normalization_backward x=f32:6,20 dscale=f32:1,20 kind=layer axes=1", 12 * 120,
          4 * (360 + 20));
    costs("matmul a=f16:2,5,7 b=f16:1,7,3 bias=f16:1,1,3", 2 * 30 * 7, 2 * (70 + 21 + 3 + 30));
    costs("matmul a=f32:5,7 b=f32:7,3 c=f32:5,3 beta=1", 2 * 15 * 7, 4 * (35 + 21 + 30));
}

/* Checks batch normalization. The statistics need a separate pass, so x (and dy) is read twice. */
static void batch_normalization(void **state)
{
    (void)state;
    costs("batch_normalization_inference x=f16:2,3,4,5", 240, 2 * 240 + 4 * 12);
    costs("batch_normalization_training x=f32:2,3,4,5", 600, 4 * (3 * 120 + 6));
    /* The running mean and variance are read and written. */
    costs("batch_normalization_training x=f32:2,3,4,5 running_mean=f32:1,3,1,1 "
          "running_var=f32:1,3,1,1 save_mean=f32:1,3,1,1 save_inv_var=f32:1,3,1,1",
          600, 4 * (3 * 120 + 6 + 12 + 6));
    costs("batch_normalization_backward x=f32:2,3,4,5", 840, 4 * (5 * 120 + 9));
    costs("batch_normalization_backward x=f32:2,3,4,5 save_mean=f32:1,3,1,1 "
          "save_inv_var=f32:1,3,1,1",
          840, 4 * (5 * 120 + 15));
}

static void every_operation_has_a_row(void **state)
{
    static const char *const problems[] = {
        "lrn_forward x=f32:2,3,4,5",
        "softmax_backward y=f32:2,3,4,5",
        "divisive_normalization_forward x=f32:2,3,4,5",
        "divisive_normalization_backward x=f32:2,3,4,5",
        "dropout_forward x=f32:2,3,4,5",
        "dropout_backward dy=f32:2,3,4,5",
        "transform_tensor_ex x=f32:2,3,4,5 y=f32:2,3,4,5",
        "transform_filter x=f32:2,3,4,5 y=f32:2,3,4,5",
        "add_tensor x=f32:2,3,4,5",
        "im2col x=f32:2,3,4,5 window=2,2",
        "spatial_grid_forward theta=f32:2,2,3 grid=f32:2,4,5,2",
        "spatial_grid_backward dgrid=f32:2,4,5,2",
        "spatial_sampler_backward x=f32:2,3,4,5 grid=f32:2,6,7,2",
        "ctc_loss x=f32:7,3,5 labels=s32:4",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(problems) / sizeof(problems[0]); i++)
        assert_true(count(problems[i]).bytes > 0);
}

/* ---- networks */

/* Returns the multiply-adds of one image in all convolutions of a suite. */
static double multiply_adds(const char *name, unsigned direction)
{
    struct tool tool = {.device = NULL};
    struct suite_options options = {.batch = 1, .directions = direction};
    char folder[1024];
    struct suite suite;
    char *argument = (char *)name;
    double total = 0;

    snprintf(folder, sizeof(folder), "%s/bench/suites", getenv("ANYDNN_TEST_SRCDIR"));
    options.folder = folder;
    assert_int_equal(suite_open(&tool, &options, 1, &argument, &suite), TOOL_FINE);
    for (int i = 0; i < suite.count; i++)
        if (strncmp(suite.item[i].problem, "convolution_", 12) == 0)
            total += count(suite.item[i].problem).flops / 2 * suite.item[i].times;
    suite_close(&suite);
    return total;
}

/* Compares with published counts, without the last, fully connected layer: 4.1 billion for
 * ResNet-50 v1.5 (3.8 for v1), 15.3 for VGG-16's convolutions, 0.3 for MobileNet v2, 4.2 for
 * ResNeXt-50. LeNet has 24*24*6*25 + 8*8*16*150 + 120*256 + 84*120 + 10*84. */
static void networks(void **state)
{
    (void)state;
    assert_true(multiply_adds("resnet50_v1.5", SUITE_FORWARD) == 4087136256.0);
    assert_true(multiply_adds("resnet50_v1", SUITE_FORWARD) == 3855925248.0);
    assert_true(multiply_adds("vgg16", SUITE_FORWARD) == 15346630656.0);
    assert_true(multiply_adds("mobilenet_v2", SUITE_FORWARD) == 299494272.0);
    assert_true(multiply_adds("resnext50_32x4d", SUITE_FORWARD) == 4228431872.0);
    assert_true(multiply_adds("lenet", SUITE_FORWARD) == 86400 + 153600 + 30720 + 10080 + 840);
    /* The gradients cost the same. */
    assert_true(multiply_adds("vgg", SUITE_DATA) == 15346630656.0);
    assert_true(multiply_adds("VGG-16", SUITE_FILTER) == 15346630656.0);
}

/* ---- roofline */

static void floors(void **state)
{
    struct traffic traffic = {2e9, 1e6};

    (void)state;
    assert_true(traffic_floor(&traffic, 1e12, 1e9) == 2000); /* arithmetic takes longer */
    assert_true(traffic_floor(&traffic, 1e15, 1e9) == 1000); /* memory takes longer */
    assert_true(traffic_floor(&traffic, 0, 1e9) == 1000);    /* only one is known */
    assert_true(traffic_floor(&traffic, 1e12, 0) == 2000);
    assert_true(traffic_floor(&traffic, 0, 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_convolution),
        cmocka_unit_test(what_windows_touch),
        cmocka_unit_test(groups),
        cmocka_unit_test(memory_bound),
        cmocka_unit_test(batch_normalization),
        cmocka_unit_test(every_operation_has_a_row),
        cmocka_unit_test(networks),
        cmocka_unit_test(floors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
