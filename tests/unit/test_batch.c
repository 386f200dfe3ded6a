/* SPDX-License-Identifier: Apache-2.0 */
/* Tests problems with a fixed batch: nothing of the batch, of its stride and of meaningless strides
 * remains, and all else does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "problem/batch.h"
#include "problem/operation.h"
#include "problem/text.h"

static struct adn_problem parse(const char *text)
{
    struct adn_problem problem;
    struct adn_values values;

    assert_int_equal(adn_problem_parse(text, &problem, &values), ANYDNN_STATUS_SUCCESS);
    return problem;
}

static struct adn_problem fix(const char *text)
{
    struct adn_problem problem = parse(text), fixed;

    problem.batch_invariant = 1;
    assert_int_equal(adn_batch_fix(&problem, &fixed), 1);
    return fixed;
}

/* Checks that two problems have the same fixed one. */
static void same(const char *one, const char *other)
{
    struct adn_problem a = fix(one), b = fix(other);

    if (!adn_problem_equal(&a, &b))
        fail_msg("`%s` and `%s` differ", one, other);
}

static void differ(const char *one, const char *other)
{
    struct adn_problem a = fix(one), b = fix(other);

    if (adn_problem_equal(&a, &b))
        fail_msg("`%s` and `%s` are equal", one, other);
}

static void the_batch_vanishes(void **state)
{
    (void)state;
    same("pooling_forward x=f32:1,3,8,8 window=2,2 stride=2,2",
         "pooling_forward x=f32:77,3,8,8 window=2,2 stride=2,2");
    same("convolution_forward x=f16:2,3,8,8:nhwc w=f16:4,3,3,3:nhwc y=f16:2,4,6,6:nhwc",
         "convolution_forward x=f16:9,3,8,8:nhwc w=f16:4,3,3,3:nhwc y=f16:9,4,6,6:nhwc");
    same("convolution_backward_data w=f32:4,3,3,3 dy=f32:5,4,6,6 dx=f32:5,3,8,8",
         "convolution_backward_data w=f32:4,3,3,3 dy=f32:6,4,6,6 dx=f32:6,3,8,8");
    same("convolution_forward x=s8x4:3,8,6,6:nchw_vect_c w=s8x4:4,8,1,1:nchw_vect_c "
         "y=f32:3,4,6,6 compute=s32",
         "convolution_forward x=s8x4:4,8,6,6:nchw_vect_c w=s8x4:4,8,1,1:nchw_vect_c "
         "y=f32:4,4,6,6 compute=s32");
}

static void the_stride_of_the_batch_vanishes(void **state)
{
    (void)state;
    same("activation_forward x=f32:2,3,4,5 y=f32:2,3,4,5",
         "activation_forward x=f32:2,3,4,5:1000,20,5,1 y=f32:2,3,4,5:64,20,5,1");
    same("activation_forward x=f32:1,3,4,5:1,40,10,2 y=f32:1,3,4,5",
         "activation_forward x=f32:7,3,4,5:500,40,10,2 y=f32:7,3,4,5");
}

static void strides_of_single_elements_vanish(void **state)
{
    (void)state;
    same("activation_forward x=f32:2,3,1,1 y=f32:2,3,1,1",
         "activation_forward x=f32:2,3,1,1:3,1,9,4 y=f32:2,3,1,1");
    same("activation_forward x=f32:2,3,4,1:nhwc y=f32:2,3,4,1",
         "activation_forward x=f32:2,3,4,1:12,1,3,99 y=f32:2,3,4,1");
    same("convolution_forward x=f32:2,3,8,8 w=f32:4,3,1,1 y=f32:2,4,8,8",
         "convolution_forward x=f32:2,3,8,8 w=f32:4,3,1,1:3,1,7,5 y=f32:2,4,8,8");
}

static void all_else_remains(void **state)
{
    struct adn_problem fixed;

    (void)state;
    differ("activation_forward x=f32:2,3,4,5", "activation_forward x=f32:2,3,4,6");
    differ("activation_forward x=f32:2,3,4,5:nchw", "activation_forward x=f32:2,3,4,5:nhwc");
    differ("activation_forward x=f32:2,3,4,5", "activation_forward x=f16:2,3,4,5");
    differ("activation_forward x=f32:2,3,4,5", "activation_forward x=f32:2,3,4,5:120,40,10,2");
    differ("convolution_forward x=f32:2,3,8,8 w=f32:4,3,1,1",
           "convolution_forward x=f32:2,3,8,8 w=f32:5,3,1,1");
    fixed = fix("batch_normalization_inference x=f32:6,3,4,5");
    assert_int_equal(fixed.tensor[slot_batch_normalization_inference_scale].dims[0], 1);
    fixed = fix("convolution_forward x=f32:6,3,8,8 w=f32:4,3,1,1");
    assert_int_equal(fixed.tensor[slot_convolution_forward_w].dims[0], 4);
}

/* A batch that keeps a device busy, but no more than 64 samples. */
static void the_batch_suits_the_sample(void **state)
{
    struct adn_problem fixed = fix("activation_forward x=f32:5,3,4,5");

    (void)state;
    assert_int_equal(adn_batch_samples(&fixed), 64);
    fixed = fix("activation_forward x=f32:5,64,256,64");
    assert_int_equal(adn_batch_samples(&fixed), 4);
    fixed = fix("activation_forward x=f32:5,640,256,64");
    assert_int_equal(adn_batch_samples(&fixed), 1);
    fixed = fix("pooling_forward x=f32:5,64,256,64 window=2,2 stride=2,2");
    assert_int_equal(adn_batch_samples(&fixed), 4);
}

/* The alignment that every sample has, also on the operand with the smallest samples. */
static void the_alignment_is_that_of_all_samples(void **state)
{
    struct adn_problem fixed = fix("activation_forward x=f32:2,3,5,7 y=f32:2,3,5,7");

    (void)state;
    assert_int_equal(adn_batch_alignment(&fixed, 256), 4); /* 420 bytes */
    fixed = fix("activation_forward x=f32:2,64,5,7 y=f32:2,64,5,7");
    assert_int_equal(adn_batch_alignment(&fixed, 256), 256);
    fixed = fix("pooling_forward x=f16:2,8,4,4 window=2,2 stride=2,2");
    assert_int_equal(adn_batch_alignment(&fixed, 256), 64); /* 256 and 64 bytes */
}

static void other_operations_are_not_covered(void **state)
{
    struct adn_problem problem, fixed;

    (void)state;
    assert_true(adn_batch_covers(ANYDNN_PLUGIN_SOFTMAX_FORWARD));
    assert_false(adn_batch_covers(ANYDNN_PLUGIN_SOFTMAX_BACKWARD));
    assert_false(adn_batch_covers(ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER));
    assert_false(adn_batch_covers(ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING));
    assert_false(adn_batch_covers(-1));
    assert_false(adn_batch_covers(1000));
    problem = parse("softmax_forward x=f32:2,3");
    assert_int_equal(adn_batch_fix(&problem, &fixed), 0);
    /* A pad along the batch adds samples. */
    problem = parse("transform_tensor_ex x=f32:2,3,4,5 y=f32:3,3,4,5 pad_before=1,0,0,0");
    problem.batch_invariant = 1;
    assert_int_equal(adn_batch_fix(&problem, &fixed), 0);
    /* These pads move samples, and keep their number. */
    problem = parse("transform_tensor_ex x=f32:2,3,4,5 y=f32:2,3,4,5 pad_before=1,0,0,0 "
                    "pad_after=-1,0,0,0");
    problem.batch_invariant = 1;
    assert_int_equal(adn_batch_fix(&problem, &fixed), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_batch_vanishes),
        cmocka_unit_test(the_stride_of_the_batch_vanishes),
        cmocka_unit_test(strides_of_single_elements_vanish),
        cmocka_unit_test(all_else_remains),
        cmocka_unit_test(the_batch_suits_the_sample),
        cmocka_unit_test(the_alignment_is_that_of_all_samples),
        cmocka_unit_test(other_operations_are_not_covered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
