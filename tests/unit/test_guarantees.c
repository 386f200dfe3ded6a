/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the guarantees of plugin.h. Each problem breaks one rule that backends rely on without a
 * check, and the core refuses it before it queries a backend. The first column names the check
 * that cpu_ref had before it relied on the rule. Authors of backends see here which checks they
 * may omit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "problem/check_problem.h"
#include "problem/operation.h"
#include "problem/params.h"
#include "problem/problem.h"
#include "problem/text.h"
#include "sys/error.h"

#define CONV  "convolution_forward x=f32:2,6,7,5 w=f32:4,3,3,2 groups=2 "
#define FUSED "convolution_bias_activation_forward x=f32:2,3,4,5 w=f32:4,3,1,1 "
#define POOL  "pooling_forward x=f32:2,3,7,5 y=f32:2,3,1,1 "
#define BN    "batch_normalization_training x=f32:2,3,4,5 "
#define BNB   "batch_normalization_backward x=f32:2,3,4,5 "
#define EX    "transform_tensor_ex x=f32:2,3,4,5 y=f32:2,3,4,5 "

static const struct {
    const char *was; /* the check that became unnecessary */
    const char *text;
    const char *sentence;
} refused[] = {
    /* every operand */
    {"an operand is absent", "convolution_forward x=f32:2,6,7,5", "`w`"},
    {"an operand is absent", "op_tensor a=f32:2,3 op=add without=b",
     "`b` is not an optional operand"},
    {"1 to 8 dims", "softmax_forward x=f32:1,1,1,1,1,1,1,1,1", "the dims must be 1 to 8"},
    {"dims of at least 1", "set_tensor y=f32:0,1", "every dim must be at least 1"},
    {"strides of at least 1", "softmax_forward x=f32:2,3:-3,1 y=f32:2,3",
     "a stride is not positive"},
    {"strides of at least 1", "softmax_forward x=f32:2,3:0,1 y=f32:2,3",
     "a stride is not positive"},
    {"an output's elements have places", "softmax_forward x=f32:2,3 y=f32:2,3:1,1",
     "must not overlap"},
    {"an output's elements have places", "scale_tensor y=f32:2,3:1,1", "must not overlap"},
    {"whole vectors", "set_tensor y=s8x4:1,6,2,2", "channels"},
    {"whole vectors", "set_tensor y=s8x4:1,6,2,2:24,4,2,1",
     "its channels must be a multiple of the vector length"},
    {"whole vectors", "set_tensor y=s8x4:8:1",
     "its channels must be a multiple of the vector length"},
    {"a byte buffer", "dropout_forward x=f32:2,3,3 reserve=f32:3", "it must be at least u8:3"},
    {"a byte buffer", "dropout_forward x=f32:2,3,3 reserve=u8:3:2", "it must be at least u8:3"},
    {"a byte buffer's size", "dropout_forward x=f32:2,3,3 states=u8:31", "at least u8:32"},
    {"a byte buffer's size", "dropout_backward dy=f32:2,3,3 reserve=u8:2", "at least u8:3"},
    {"in place: equal places", "activation_forward x=f32:2,3 y=f32:2,3:1,2 alias=y:x",
     "need the same descriptor"},
    {"in place: equal places", "softmax_backward y=f32:2,3 dy=f32:2,3:1,2 alias=dx:y,dx:dy",
     "need the same descriptor"},
    {"in place: equal places", "op_tensor a=f32:2,3 b=f32:1,3 alias=c:a,c:b",
     "need the same descriptor"},
    {"in place: equal places", FUSED "z=f32:2,4,4,5:nhwc alias=y:z", "need the same descriptor"},
    /* convolutions */
    {"spatial dims", "convolution_forward x=f32:2,3 w=f32:4,3 y=f32:2,4", "must have spatial"},
    {"spatial dims", "convolution_forward x=f32:2,6,7,5 w=f32:4,3,3 y=f32:2,4,5,5", "w has 3 dims"},
    {"pad", CONV "pad=-1,0 y=f32:2,4,3,4", "pad is -1"},
    {"pad below 2^31", CONV "pad=3000000000,0 y=f32:2,4,5,4", "below 2^31"},
    {"stride", CONV "stride=0,1 y=f32:2,4,5,4", "stride 0"},
    {"stride below 2^31", CONV "stride=3000000000,1 y=f32:2,4,1,4", "below 2^31"},
    {"dilation", CONV "dilation=1,0 y=f32:2,4,5,4", "dilation 0"},
    {"dilation below 2^31",
     "convolution_forward x=f32:1,1,5,5 w=f32:1,1,1,1 dilation=3000000000,1 y=f32:1,1,5,5",
     "below 2^31"},
    {"groups divide", "convolution_forward x=f32:2,6,7,5 w=f32:4,2,3,2 groups=3 y=f32:2,4,5,4",
     "groups must divide both"},
    {"groups divide", "convolution_forward x=f32:2,6,7,5 w=f32:4,3,3,2 groups=0 y=f32:2,4,5,4",
     "0 groups"},
    {"channels of the filter", "convolution_forward x=f32:2,6,7,5 w=f32:4,3,3,2",
     "the filter needs 6"},
    {"images and channels of y", CONV "y=f32:3,4,5,4", "its dims must be 2,4,5,4"},
    {"images and channels of y", CONV "y=f32:2,5,5,4", "its dims must be 2,4,5,4"},
    {"the filter's reach", CONV "dilation=1,5 y=f32:2,4,5,1", "the filter must fit"},
    {"sizes of y", CONV "y=f32:2,4,5,3", "those of the convolution's result"},
    {"y over an input", "convolution_forward x=f32:2,3,5,5 w=f32:3,3,1,1 alias=y:x",
     "cannot overwrite it in place"},
    {"z like y", FUSED "z=f32:2,4,4,4", "those of y"},
    {"one bias a channel", FUSED "bias=f32:1,3,1,1", "its dims must be 1,4,1,1"},
    {"one bias a channel", "convolution_backward_bias dy=f32:2,4,5,6 db=f32:1,5,1,1",
     "its dims must be 1,4,1,1"},
    {"im2col's window", "im2col x=f32:2,3,6,7 window=0,2 col=f32:18,48", "the window does not fit"},
    {"im2col's window", "im2col x=f32:2,3,6,7 window=-1,-1 col=f32:3,126",
     "the window does not fit"},
    {"im2col's stride", "im2col x=f32:2,3,6,7 window=3,2 stride=0,1 col=f32:18,48", "stride 0"},
    {"im2col's result", "im2col x=f32:2,3,6,7 window=3,2 col=f32:18,47", "col is f32:18,47"},
    /* layers */
    {"pooling's window", POOL "window=0,2", "the window is 0"},
    {"pooling's stride", POOL "window=3,2 stride=1,-1", "the stride is -1"},
    {"pooling's n and c", "pooling_forward x=f32:2,3,7,5 y=f32:2,4,1,1 window=3,2",
     "n and c must be those of x"},
    {"pooling's operands", "pooling_backward y=f32:2,3,3 dy=f32:2,3,4 x=f32:2,3,5 window=3",
     "those of y"},
    {"pooling's operands", "pooling_backward y=f32:2,3,3 x=f32:2,3,5 dx=f32:2,3,4 window=3",
     "those of x"},
    {"equal dims", "activation_backward y=f32:2,3 dy=f32:2,4", "dy is f32:2,4"},
    {"equal dims", "lrn_forward x=f32:2,3,4 y=f32:2,3,5", "those of x"},
    {"equal dims", "softmax_backward y=f32:2,3 dy=f32:2,4", "dy is f32:2,4"},
    {"equal dims", "dropout_forward x=f32:2,3,3 y=f32:2,3,4", "those of x"},
    {"equal dims", "divisive_normalization_forward x=f32:2,3,4 means=f32:2,3,5", "means is"},
    {"n and c", "softmax_forward x=f32:5", "at least the dims n and c"},
    {"LRN's n", "lrn_forward x=f32:2,3,4 n=0", "n is 0"},
    {"LRN's n", "divisive_normalization_forward x=f32:2,3,4 n=17", "n must be 1 to 16"},
    {"a probability", "dropout_forward x=f32:2,3 p=1.5", "it must be 0 to 1"},
    {"a probability", "dropout_backward dy=f32:2,3 p=nan", "it must be 0 to 1"},
    /* batch normalization */
    {"epsilon", BN "epsilon=-1", "epsilon is -1"},
    {"epsilon", BN "epsilon=inf", "epsilon is inf"},
    {"n and c", "batch_normalization_inference x=f32:7", "at least the dims n and c"},
    {"dims of parameters", BN "scale=f32:1,4,1,1", "its dims must be 1,3,1,1"},
    {"types of parameters", BN "scale=f64:1,3,1,1", "its type must be f32"},
    {"dims of data", BN "ops=bn_add_activation z=f32:2,3,4,4 reserve=u8:15", "those of x"},
    {"the reserve is there", BN "ops=bn_activation", "the reserve is absent"},
    {"the reserve's size", BN "ops=bn_activation reserve=u8:14", "at least u8:15"},
    {"z is there", BN "ops=bn_add_activation reserve=u8:15", "z is absent"},
    {"dz is there", BNB "ops=bn_add_activation reserve=u8:15", "dz is absent"},
    {"both saved or none", BNB "save_mean=f32:1,3,1,1", "only one of"},
    {"no addition in inference",
     "batch_normalization_inference x=f32:2,3,4,5 ops=bn_add_activation",
     "inference does not support an activation"},
    /* tensors */
    {"equal dims", "transform_tensor x=f32:2,3 y=f32:2,4", "those of x"},
    {"equal dims or 1", "add_tensor x=f32:2,1,4,5 y=f32:2,3,4,6", "that of y or 1"},
    {"equal dims or 1", "op_tensor a=f32:2,3 b=f32:2,2", "that of a or 1"},
    {"equal dims or 1", "reduce_tensor a=f32:2,3,4 c=f32:2,2,1", "that of a or 1"},
    {"indices of min, max, amax", "reduce_tensor a=f32:2,3 c=f32:2,1 op=add indices=u32:2,1",
     "only min, max and amax"},
    {"indices' types", "reduce_tensor a=f32:2,3 c=f32:2,1 op=max indices=f32:2,1",
     "u8, u16, u32 or u64"},
    {"indices that number all", "reduce_tensor a=f32:2,257 c=f32:2,1 op=max indices=u8:2,1",
     "too narrow for indices up to 257"},
    {"indices' dims", "reduce_tensor a=f32:2,3 c=f32:2,1 op=max indices=u32:2,3", "those of c"},
    {"a transform's dims", "transform_tensor_ex x=f32:2,3 y=f32:2,3", "n, c and spatial dims"},
    {"folds", EX "fold=0,1", "folds"},
    {"folds", EX "fold=-1,-1", "folds"},
    {"a transform's result", EX "pad_after=0,0,0,1", "its dims must be 2,3,4,6"},
    {"a transform's result", EX "pad_before=0,0,-4,0", "no elements"},
};

static void the_core_refuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        struct adn_problem problem;
        struct adn_values values;
        anydnnStatus_t status = adn_problem_parse(refused[i].text, &problem, &values);

        if (status == ANYDNN_STATUS_SUCCESS)
            status = adn_problem_check(&problem, "anydnnTest");
        if (status == ANYDNN_STATUS_SUCCESS)
            fail_msg("%s: passes\n%s", refused[i].was, refused[i].text);
        if (!strstr(adn_error_text(), refused[i].sentence))
            fail_msg("%s\n%s\nlacks `%s`", refused[i].text, adn_error_text(), refused[i].sentence);
    }
}

/* A type with exactly as many values as there are elements suffices. */
static void indices_of_all_elements_pass(void **state)
{
    struct adn_problem problem;
    struct adn_values values;

    (void)state;
    assert_int_equal(adn_problem_parse("reduce_tensor a=f32:2,256 c=f32:2,1 op=max indices=u8:2,1",
                                       &problem, &values),
                     ANYDNN_STATUS_SUCCESS);
    assert_int_equal(adn_problem_check(&problem, "e"), ANYDNN_STATUS_SUCCESS);
}

/* Every enumeration of every family is tested: no number without a name reaches a backend. */
static void numbers_without_a_name_are_refused(void **state)
{
    int seen = 0;

    (void)state;
    for (int32_t operation = 1; operation < ANYDNN_PLUGIN_OPERATION_END; operation++) {
        enum adn_family family = adn_problem_operation(operation)->family;

        for (const struct adn_param *param = adn_problem_params(family); param->key; param++) {
            struct adn_problem problem;
            int32_t beyond = 0;

            if (param->kind != ADN_PARAM_NAMES)
                continue;
            while (param->names[beyond])
                beyond++;
            for (int32_t number = -1; number <= beyond; number += beyond + 1) {
                adn_problem_init(&problem, operation);
                memcpy((char *)&problem.params + param->offset, &number, sizeof(number));
                assert_int_equal(adn_problem_check(&problem, "e"), ANYDNN_STATUS_BAD_PARAM);
                assert_non_null(strstr(adn_error_text(), param->key));
                seen++;
            }
        }
    }
    assert_true(seen > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_core_refuses),
        cmocka_unit_test(indices_of_all_elements_pass),
        cmocka_unit_test(numbers_without_a_name_are_refused),
    };

    return cmocka_run_group_tests_name("guarantees", tests, NULL, NULL);
}
