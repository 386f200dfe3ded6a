/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the text form of problems: printing and parsing are inverse, defaults may be omitted,
 * operands are inferred, and each bad word gets a sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/layout.h"
#include "desc/names.h"
#include "problem/check_problem.h"
#include "problem/operation.h"
#include "problem/params.h"
#include "problem/problem.h"
#include "problem/text.h"
#include "sys/error.h"

static uint64_t seed;

/* Returns the next number of splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t draw(void)
{
    uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int64_t draw_in(int64_t low, int64_t high)
{
    return low + (int64_t)(draw() % (uint64_t)(high - low + 1));
}

static double draw_double(void)
{
    static const double common[] = {0, 1, -0.0, 0.5, 1e-5, 1e300, -3.25, 0.1, 1.0 / 3, 5e-324};
    uint64_t bits = draw();
    double value;

    if (draw() % 2)
        return common[draw() % (sizeof(common) / sizeof(common[0]))];
    memcpy(&value, &bits, sizeof(value));
    return value - value == 0 ? value : 7.5; /* finite */
}

static int32_t draw_type(void)
{
    static const int32_t types[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1000, 1001, 1002};

    return types[draw() % (sizeof(types) / sizeof(types[0]))];
}

static void draw_tensor(struct anydnn_plugin_tensor *tensor, int32_t ndims)
{
    static const char *const layouts[] = {"nchw", "nhwc", "nchw_vect_c"};

    memset(tensor, 0, sizeof(*tensor));
    tensor->struct_size = sizeof(*tensor);
    tensor->type = draw_type();
    tensor->ndims = ndims;
    for (int32_t i = 0; i < ndims; i++)
        tensor->dims[i] = draw_in(1, 9);
    if (draw() % 4 == 0) /* a size that exceeds 32 bits */
        tensor->dims[draw() % (uint64_t)ndims] = draw_in(1, INT64_C(1) << 34);
    if (ndims > 1 && draw() % 4)
        tensor->dims[1] = draw_in(1, 4) * 32;
    if (draw() % 3 == 0 || adn_layout_set(tensor, layouts[draw() % 3]) != 0)
        for (int32_t i = 0; i < ndims; i++)
            tensor->strides[i] = draw_in(-3, 1000);
}

static void draw_param(struct adn_problem *problem, const struct adn_param *param)
{
    char *at = (char *)&problem->params + param->offset;
    int32_t ndims = problem->tensor[0].ndims;
    int32_t number = 0;
    double real;

    switch (param->kind) {
    case ADN_PARAM_SPATIAL:
    case ADN_PARAM_DIMS:
        for (int32_t i = 0; i < ndims - (param->kind == ADN_PARAM_SPATIAL ? 2 : 0); i++)
            ((int64_t *)(void *)at)[i] = draw_in(-3, 9);
        return;
    case ADN_PARAM_INT64:
        *(int64_t *)(void *)at = (int64_t)draw();
        return;
    case ADN_PARAM_DOUBLE:
        real = draw_double();
        memcpy(at, &real, sizeof(real));
        return;
    case ADN_PARAM_INT32:
        number = (int32_t)draw();
        break;
    case ADN_PARAM_TYPE:
        number = draw_type();
        break;
    case ADN_PARAM_AXES:
        number = (int32_t)(draw() % 256);
        break;
    case ADN_PARAM_NAMES:
        while (adn_param_number(param, number) >= 0)
            number++;
        number = adn_param_number(param, (int32_t)(draw() % (uint64_t)number));
        break;
    }
    memcpy(at, &number, sizeof(number));
}

/* Draws any input for any output: the text form permits what the rules may refuse. */
static void draw_aliases(struct adn_problem *problem, const struct adn_operation *info)
{
    for (int32_t out = 0; out < info->slot_count; out++)
        for (int32_t in = 0; in < info->slot_count; in++)
            if ((info->slot[out].flags & ADN_SLOT_OUT) && (info->slot[in].flags & ADN_SLOT_IN) &&
                in != out && (problem->present >> out & 1) && (problem->present >> in & 1) &&
                draw() % 4 == 0)
                problem->alias[out] = (uint8_t)(in + 1);
}

static void draw_problem(struct adn_problem *problem, struct adn_values *values, int32_t operation)
{
    static const int32_t maths[] = {0, 1, 2, 1000};
    const struct adn_operation *info = adn_problem_operation(operation);
    int32_t ndims = (int32_t)draw_in(1, 8);
    int32_t algorithms = 0;

    adn_problem_init(problem, operation);
    adn_values_init(values, operation);
    problem->math = maths[draw() % 4];
    problem->deterministic = (int32_t)(draw() % 2);
    while (info->algorithms && info->algorithms[algorithms])
        algorithms++;
    problem->algorithm = (int32_t)draw_in(-1, algorithms - 1);
    for (int32_t i = 0; i < info->slot_count; i++)
        if (!(info->slot[i].flags & ADN_SLOT_OPTIONAL) || draw() % 2) {
            problem->present |= UINT32_C(1) << i;
            draw_tensor(&problem->tensor[i], draw() % 3 ? ndims : (int32_t)draw_in(1, 8));
        }
    for (const struct adn_param *param = adn_problem_params(info->family); param->key; param++)
        draw_param(problem, param);
    if (info->family >= ADN_FAMILY_CONVOLUTION && info->family <= ADN_FAMILY_IM2COL)
        problem->params.convolution.spatial_dims = problem->tensor[0].ndims - 2;
    if (info->family == ADN_FAMILY_POOLING)
        problem->params.pooling.spatial_dims = problem->tensor[0].ndims - 2;
    draw_aliases(problem, info);
    for (int i = 0; i < 4 && info->scale[i].name; i++)
        values->scale[i] = draw_double();
    if (info->number)
        values->number[0] = draw_double();
    if (operation == ANYDNN_PLUGIN_SET_TENSOR)
        values->value = draw_double();
    values->align = draw() % 2 ? 0 : 1 << draw() % 9;
}

static void random_problems_survive_their_text(void **state)
{
    struct adn_problem problem, back;
    struct adn_values values, values_back;
    static char text[ADN_PROBLEM_TEXT_MAX], again[ADN_PROBLEM_TEXT_MAX];

    (void)state;
    for (int32_t operation = 1; operation < ANYDNN_PLUGIN_OPERATION_END; operation++)
        for (seed = 0; seed < 400; seed++) {
            uint64_t started = seed;

            draw_problem(&problem, &values, operation);
            seed = started;
            assert_true(adn_problem_print(&problem, &values, text, sizeof(text)) < sizeof(text));
            if (adn_problem_parse(text, &back, &values_back) != ANYDNN_STATUS_SUCCESS)
                fail_msg("seed %d: %s\n%s", (int)seed, text, adn_error_text());
            adn_problem_print(&back, &values_back, again, sizeof(again));
            assert_string_equal(text, again);
            if (!adn_problem_equal(&problem, &back) || !adn_problem_equal(&back, &problem) ||
                adn_problem_hash(&problem) != adn_problem_hash(&back) ||
                memcmp(&values, &values_back, sizeof(values)) != 0)
                fail_msg("seed %d reads back to something else: %s", (int)seed, text);
        }
}

/* Every single change of a problem affects equality and the text. */
static void unequal_problems_differ_in_their_text(void **state)
{
    static const char base[] = "convolution_forward x=f32:2,6,7,5:nchw w=f32:4,3,3,2:nchw "
                               "y=f32:2,4,4,6:nchw pad=1,2 stride=2,1 dilation=1,3 groups=2 "
                               "mode=cross compute=f32 math=default";
    static const char *const changed[][2] = {
        {"x=f32:2,6,7,5:nchw", "x=f16:2,6,7,5:nchw"},
        {"x=f32:2,6,7,5:nchw", "x=f32:2,6,7,5:nhwc"},
        {"x=f32:2,6,7,5:nchw", "x=f32:2,6,7,5:300,42,6,1"},
        {"x=f32:2,6,7,5:nchw", "x=f32:3,6,7,5:nchw"},
        {"w=f32:4,3,3,2:nchw", "w=f32:4,3,3,2:nhwc"},
        {"y=f32:2,4,4,6:nchw", "y=f32:2,4,4,7:nchw"},
        {"pad=1,2", "pad=2,1"},
        {"stride=2,1", "stride=1,2"},
        {"dilation=1,3", "dilation=1,1"},
        {"groups=2", "groups=3"},
        {"mode=cross", "mode=convolution"},
        {"compute=f32", "compute=f64"},
        {"math=default", "math=split"},
        {"math=default", "math=default algo=fft"},
        {"math=default", "math=default deterministic=0"},
        {"math=default", "math=default alias=y:x"},
    };
    struct adn_problem first, other;
    struct adn_values values;
    char text[600];

    (void)state;
    assert_int_equal(adn_problem_parse(base, &first, &values), 0);
    for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++) {
        const char *at = strstr(base, changed[i][0]);

        assert_non_null(at);
        snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - base), base, changed[i][1],
                 at + strlen(changed[i][0]));
        assert_int_equal(adn_problem_parse(text, &other, &values), 0);
        if (adn_problem_equal(&first, &other))
            fail_msg("`%s` and `%s` count as equal", changed[i][0], changed[i][1]);
        assert_true(adn_problem_hash(&first) != adn_problem_hash(&other));
    }
}

static void parsed(const char *text, const char *printed)
{
    static char again[ADN_PROBLEM_TEXT_MAX];
    struct adn_problem problem;
    struct adn_values values;

    if (adn_problem_parse(text, &problem, &values) != ANYDNN_STATUS_SUCCESS)
        fail_msg("%s\n%s", text, adn_error_text());
    adn_problem_print(&problem, &values, again, sizeof(again));
    assert_string_equal(again, printed);
}

static void the_example_of_the_manual(void **state)
{
    static const char text[] =
        "convolution_forward x=f16:64,128,28,28:nhwc w=f16:128,128,3,3:nhwc "
        "y=f16:64,128,28,28:nhwc pad=1,1 stride=1,1 dilation=1,1 groups=1 mode=cross compute=f32 "
        "math=tensor_op";

    (void)state;
    parsed(text, text);
    parsed("convolution_forward x=f32:1,3,8,8 w=f32:4,3,3,3 pad=1,1",
           "convolution_forward x=f32:1,3,8,8:nchw w=f32:4,3,3,3:nchw y=f32:1,4,8,8:nchw pad=1,1 "
           "stride=1,1 dilation=1,1 groups=1 mode=cross compute=f32 math=default");
}

/* The left column is the shortest text, the right one the full text. */
static const char *const shortest[][2] = {
    {"convolution_forward x=f64:2,3,5 w=f64:4,3,2",
     "convolution_forward x=f64:2,3,5:nchw w=f64:4,3,2:nchw y=f64:2,4,4:nchw pad=0 stride=1 "
     "dilation=1 groups=1 mode=cross compute=f64 math=default"},
    {"convolution_forward x=s8x4:1,8,3,3 w=s8x4:4,8,1,1",
     "convolution_forward x=s8x4:1,8,3,3:nchw_vect_c w=s8x4:4,8,1,1:nchw_vect_c "
     "y=s8x4:1,4,3,3:nchw_vect_c pad=0,0 stride=1,1 dilation=1,1 groups=1 mode=cross compute=s32 "
     "math=default"},
    {"convolution_forward x=u8:1,8,3,3:nhwc w=s8:4,8,1,1:nhwc",
     "convolution_forward x=u8:1,8,3,3:nhwc w=s8:4,8,1,1:nhwc y=s8:1,4,3,3:nhwc pad=0,0 stride=1,1 "
     "dilation=1,1 groups=1 mode=cross compute=s32 math=default"},
    {"convolution_bias_activation_forward x=u8x4:1,8,3,3 w=s8x4:4,8,1,1 y=f32:1,4,3,3 without=z",
     "convolution_bias_activation_forward x=u8x4:1,8,3,3:nchw_vect_c w=s8x4:4,8,1,1:nchw_vect_c "
     "bias=f32:1,4,1,1:nchw y=f32:1,4,3,3:nchw pad=0,0 stride=1,1 dilation=1,1 groups=1 mode=cross "
     "compute=s32 activation=relu math=default without=z"},
    {"convolution_forward math=split algo=winograd w=f32:6,2,3,3:nhwc stride=2,1 groups=2 "
     "x=f32:1,4,7,5:nhwc dilation=1,2",
     "convolution_forward x=f32:1,4,7,5:nhwc w=f32:6,2,3,3:nhwc y=f32:1,6,3,1:nhwc pad=0,0 "
     "stride=2,1 dilation=1,2 groups=2 mode=cross compute=f32 math=split algo=winograd"},
    {"convolution_backward_data w=f32:4,3,3,3 dy=f32:2,4,4,4 dx=f32:2,3,6,6",
     "convolution_backward_data w=f32:4,3,3,3:nchw dy=f32:2,4,4,4:nchw dx=f32:2,3,6,6:nchw "
     "pad=0,0 stride=1,1 dilation=1,1 groups=1 mode=cross compute=f32 math=default"},
    {"convolution_backward_bias dy=f32:2,4,5,6",
     "convolution_backward_bias dy=f32:2,4,5,6:nchw db=f32:1,4,1,1:nchw"},
    {"convolution_bias_activation_forward x=f32:1,3,5,5 w=f32:4,3,3,3",
     "convolution_bias_activation_forward x=f32:1,3,5,5:nchw w=f32:4,3,3,3:nchw "
     "bias=f32:1,4,1,1:nchw y=f32:1,4,3,3:nchw pad=0,0 stride=1,1 dilation=1,1 groups=1 "
     "mode=cross compute=f32 activation=relu math=default without=z"},
    {"convolution_bias_activation_forward x=s8x4:1,8,3,3 w=s8x4:4,8,1,1 z=s8x4:1,4,3,3 alpha2=0.5 "
     "alias=y:z",
     "convolution_bias_activation_forward x=s8x4:1,8,3,3:nchw_vect_c w=s8x4:4,8,1,1:nchw_vect_c "
     "z=s8x4:1,4,3,3:nchw_vect_c bias=f32:1,4,1,1:nchw y=s8x4:1,4,3,3:nchw_vect_c pad=0,0 "
     "stride=1,1 dilation=1,1 groups=1 mode=cross compute=s32 activation=relu math=default "
     "alias=y:z alpha2=0.5"},
    {"pooling_forward x=f32:2,3,7,5 window=3,2 stride=2,1",
     "pooling_forward x=f32:2,3,7,5:nchw y=f32:2,3,3,4:nchw mode=max window=3,2 pad=0,0 "
     "stride=2,1"},
    {"pooling_backward y=f32:2,3,3,4 x=f32:2,3,7,5 window=3,2 stride=2,1 mode=average_exclude",
     "pooling_backward y=f32:2,3,3,4:nchw dy=f32:2,3,3,4:nchw x=f32:2,3,7,5:nchw "
     "dx=f32:2,3,7,5:nchw mode=average_exclude window=3,2 pad=0,0 stride=2,1"},
    {"activation_forward x=f32:2,3", "activation_forward x=f32:2,3:nchw y=f32:2,3:nchw "
                                     "activation=relu"},
    {"activation_backward y=f32:2,3,4:40,10,2 activation=elu coef=0.5 nan=propagate beta=1",
     "activation_backward y=f32:2,3,4:40,10,2 dy=f32:2,3,4:40,10,2 x=f32:2,3,4:40,10,2 "
     "dx=f32:2,3,4:40,10,2 activation=elu nan=propagate coef=0.5 beta=1"},
    {"lrn_forward x=f32:2,3,4,5",
     "lrn_forward x=f32:2,3,4,5:nchw y=f32:2,3,4,5:nchw n=5 lrn_alpha=0.0001 lrn_beta=0.75 k=2"},
    {"softmax_forward x=f32:2,3", "softmax_forward x=f32:2,3:nchw y=f32:2,3:nchw softmax=accurate "
                                  "mode=channel"},
    {"softmax_backward y=f32:2,3 softmax=log mode=instance",
     "softmax_backward y=f32:2,3:nchw dy=f32:2,3:nchw dx=f32:2,3:nchw softmax=log mode=instance"},
    {"divisive_normalization_forward x=f32:2,3,4,5 without=means",
     "divisive_normalization_forward x=f32:2,3,4,5:nchw temp=f32:2,3,4,5:nchw "
     "temp2=f32:2,3,4,5:nchw y=f32:2,3,4,5:nchw n=5 lrn_alpha=0.0001 lrn_beta=0.75 k=2 "
     "without=means"},
    {"batch_normalization_inference x=bf16:2,3,4,5",
     "batch_normalization_inference x=bf16:2,3,4,5:nchw scale=f32:1,3,1,1:nchw "
     "bias=f32:1,3,1,1:nchw mean=f32:1,3,1,1:nchw var=f32:1,3,1,1:nchw y=bf16:2,3,4,5:nchw "
     "mode=spatial epsilon=1e-05"},
    {"batch_normalization_training x=f64:2,3,4 mode=per_activation average_factor=0.25",
     "batch_normalization_training x=f64:2,3,4:nchw scale=f64:1,3,4:nchw bias=f64:1,3,4:nchw "
     "y=f64:2,3,4:nchw mode=per_activation epsilon=1e-05 "
     "without=z,running_mean,running_var,save_mean,save_inv_var,reserve average_factor=0.25"},
    {"batch_normalization_backward x=f32:2,3,4,5 alpha_param=2 beta_data=0.5",
     "batch_normalization_backward x=f32:2,3,4,5:nchw dy=f32:2,3,4,5:nchw scale=f32:1,3,1,1:nchw "
     "dx=f32:2,3,4,5:nchw dscale=f32:1,3,1,1:nchw dbias=f32:1,3,1,1:nchw mode=spatial "
     "epsilon=1e-05 without=y,bias,save_mean,save_inv_var,reserve,dz beta_data=0.5 alpha_param=2"},
    {"dropout_forward x=f32:2,3,5", "dropout_forward x=f32:2,3,5:nchw states=u8:32:nchw "
                                    "y=f32:2,3,5:nchw reserve=u8:4:nchw p=0.5"},
    {"spatial_grid_backward dgrid=f32:2,4,5,2",
     "spatial_grid_backward dgrid=f32:2,4,5,2:nchw dtheta=f32:2,2,3:nchw"},
    {"spatial_sampler_forward x=f16:2,3,5,7:nhwc grid=f16:2,4,6,2 beta=1",
     "spatial_sampler_forward x=f16:2,3,5,7:nhwc grid=f16:2,4,6,2:nchw y=f16:2,3,4,6:nhwc beta=1"},
    {"spatial_sampler_backward x=f32:2,3,5,7 grid=f32:2,4,6,2 beta_grid=1 sampler=bilinear",
     "spatial_sampler_backward x=f32:2,3,5,7:nchw grid=f32:2,4,6,2:nchw dy=f32:2,3,4,6:nchw "
     "dx=f32:2,3,5,7:nchw dgrid=f32:2,4,6,2:nchw beta_grid=1"},
    {"ctc_loss x=f16:7,3,5 labels=s32:4 nan=propagate",
     "ctc_loss x=f16:7,3,5:nchw labels=s32:4:nchw label_lengths=s32:3:nchw "
     "input_lengths=s32:3:nchw costs=f32:3:nchw normalization=softmax nan=propagate "
     "without=gradients"},
    {"ctc_loss x=f64:7,3,5 labels=s32:4 gradients=f64:7,3,5:nhwc normalization=none",
     "ctc_loss x=f64:7,3,5:nchw labels=s32:4:nchw label_lengths=s32:3:nchw "
     "input_lengths=s32:3:nchw costs=f64:3:nchw gradients=f64:7,3,5:nhwc normalization=none"},
    {"normalization_forward x=f16:4,7,32 kind=layer axes=2",
     "normalization_forward x=f16:4,7,32:nchw y=f16:4,7,32:nchw kind=layer axes=2 epsilon=1e-05 "
     "without=scale,bias,z,sum,save_mean,save_inv_dev"},
    {"normalization_forward x=f16:2,8,5,5:nhwc scale=f32:1,8,1,1 bias=f32:1,8,1,1 kind=group "
     "groups=4 activation=swish coef=1",
     "normalization_forward x=f16:2,8,5,5:nhwc scale=f32:1,8,1,1:nchw bias=f32:1,8,1,1:nchw "
     "y=f16:2,8,5,5:nhwc kind=group groups=4 epsilon=1e-05 activation=swish coef=1 "
     "without=z,sum,save_mean,save_inv_dev"},
    /* An instance is a group of one channel. */
    {"normalization_forward x=f32:2,6,5 kind=instance",
     "normalization_forward x=f32:2,6,5:nchw y=f32:2,6,5:nchw kind=group groups=6 epsilon=1e-05 "
     "without=scale,bias,z,sum,save_mean,save_inv_dev"},
    {"normalization_backward x=bf16:6,9 dscale=f32:1,9 kind=rms axes=1 scaling=zero_centered "
     "epsilon=0.5",
     "normalization_backward x=bf16:6,9:nchw dy=bf16:6,9:nchw dx=bf16:6,9:nchw "
     "dscale=f32:1,9:nchw kind=rms axes=1 scaling=zero_centered epsilon=0.5 "
     "without=scale,bias,save_mean,save_inv_dev,dsum,dbias"},
    {"normalization_forward x=f64:2,3,4 kind=layer axes=0,2 activation=gelu",
     "normalization_forward x=f64:2,3,4:nchw y=f64:2,3,4:nchw kind=layer axes=0,2 epsilon=1e-05 "
     "activation=gelu without=scale,bias,z,sum,save_mean,save_inv_dev"},
    {"matmul a=f16:16,32 b=f16:32,48:1,32 bias=f16:1,48 activation=gelu_tanh",
     "matmul a=f16:16,32:nchw b=f16:32,48:1,32 bias=f16:1,48:nchw d=f16:16,48:nchw compute=f32 "
     "activation=gelu_tanh without=c,scale_a,scale_b,scale_d,zero_a,zero_b,aux,amax"},
    {"matmul a=f64:1,2,3 b=f64:5,3,4 c=f64:5,2,4 math=tensor_op beta=1",
     "matmul a=f64:1,2,3:nchw b=f64:5,3,4:nchw c=f64:5,2,4:nchw d=f64:5,2,4:nchw compute=f64 "
     "math=tensor_op without=bias,scale_a,scale_b,scale_d,zero_a,zero_b,aux,amax beta=1"},
    {"dropout_backward dy=f32:9 p=0.25",
     "dropout_backward dy=f32:9:nchw reserve=u8:2:nchw dx=f32:9:nchw p=0.25"},
    {"transform_tensor x=f32:2,3,4,5:nhwc y=f32:2,3,4,5",
     "transform_tensor x=f32:2,3,4,5:nhwc y=f32:2,3,4,5:nchw"},
    {"transform_filter x=f32:2,3,4,5 y=f32:2,6,2,5 fold=2,1",
     "transform_filter x=f32:2,3,4,5:nchw y=f32:2,6,2,5:nchw pad_before=0,0,0,0 "
     "pad_after=0,0,0,0 fold=2,1 direction=fold"},
    {"add_tensor x=f32:1,3,1,1 y=f32:2,3,4,5 beta=1",
     "add_tensor x=f32:1,3,1,1:nchw y=f32:2,3,4,5:nchw beta=1"},
    {"op_tensor a=s8:2,3 op=max", "op_tensor a=s8:2,3:nchw b=s8:2,3:nchw c=s8:2,3:nchw op=max "
                                  "compute=f32"},
    {"reduce_tensor a=f32:2,3,4 c=f32:2,1,1 op=amax indices=u16:2,1,1",
     "reduce_tensor a=f32:2,3,4:nchw c=f32:2,1,1:nchw indices=u16:2,1,1:nchw op=amax compute=f32"},
    {"set_tensor y=f32:2,3 value=-0.1", "set_tensor y=f32:2,3:nchw value=-0.1"},
    {"scale_tensor y=f64:2,3:8,2 alpha=1e-300", "scale_tensor y=f64:2,3:8,2 alpha=1e-300"},
    {"im2col x=f32:2,3,6,7 window=3,2 pad=1,0 stride=2,1",
     "im2col x=f32:2,3,6,7:nchw col=f32:18,36:nchw pad=1,0 stride=2,1 dilation=1,1 window=3,2"},
    {"activation_backward dy=f32:2,3 x=f32:2,3 activation=swish without=y alias=dx:x",
     "activation_backward dy=f32:2,3:nchw x=f32:2,3:nchw dx=f32:2,3:nchw activation=swish "
     "without=y alias=dx:x"},
    {"activation_backward y=f32:2,3:1,2 dy=f32:2,3 activation=tanh without=x alias=dx:y,dx:dy",
     "activation_backward y=f32:2,3:1,2 dy=f32:2,3:nchw dx=f32:2,3:1,2 activation=tanh "
     "without=x alias=dx:y,dx:dy"},
    {"softmax_forward x=f32:2,3 deterministic=0 align=4 alias=y:x alpha=-0",
     "softmax_forward x=f32:2,3:nchw y=f32:2,3:nchw softmax=accurate mode=channel deterministic=0 "
     "alias=y:x alpha=-0 align=4"},
};

static void defaults_and_inference(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(shortest) / sizeof(shortest[0]); i++) {
        parsed(shortest[i][0], shortest[i][1]);
        parsed(shortest[i][1], shortest[i][1]);
    }
}

static void a_short_buffer_cuts_the_text(void **state)
{
    struct adn_problem problem;
    struct adn_values values;
    char text[20];

    (void)state;
    assert_int_equal(adn_problem_parse("set_tensor y=f32:2,3", &problem, &values), 0);
    assert_int_equal(adn_problem_print(&problem, &values, NULL, 0), 25);
    assert_int_equal(adn_problem_print(&problem, &values, text, sizeof(text)), 25);
    assert_string_equal(text, "set_tensor y=f32:2,");
}

static const char *const bad[][2] = {
    {"", "unknown operation ``"},
    {"convolution_foward x=f32:1,1,1,1",
     "unknown operation `convolution_foward`; did you mean `convolution_forward`?"},
    {"sofa x=f32:1", "unknown operation `sofa`"},
    {"softmax_forward", "operand `x` is missing"},
    {"softmax_forward y=f32:1,2", "operand `x` is missing"},
    {"softmax_forward x", "`x`: words after the operation must be KEY=VALUE"},
    {"softmax_forward x=f32", "`x=f32`: an operand must be TYPE:DIMS or TYPE:DIMS:LAYOUT"},
    {"softmax_forward x=f33:1,2", "`x=f33:1,2`: the type must be one of f64 f32"},
    {"softmax_forward x=f32:1,a", "`x=f32:1,a`: the dims must be 1 to 8 integers"},
    {"softmax_forward x=f32:", "`x=f32:`: the dims must be 1 to 8 integers"},
    {"softmax_forward x=f32:1,2,", "`x=f32:1,2,`: the dims must be 1 to 8 integers"},
    {"softmax_forward x=f32:1,1,1,1,1,1,1,1,1", "the dims must be 1 to 8 integers"},
    {"softmax_forward x=f32:99999999999999999999,1", "the dims must be 1 to 8 integers"},
    {"softmax_forward x=f32:1,0", "`x=f32:1,0`: every dim must be at least 1"},
    {"softmax_forward x=f32:1,-2", "every dim must be at least 1"},
    {"softmax_forward x=f32:3037000500,3037000500", "its size in bytes exceeds 64 bits"},
    {"softmax_forward x=f32:1,2:3", "the number of strides must be the number of dims"},
    {"softmax_forward x=f32:1,2:3,2,1", "the number of strides must be the number of dims"},
    {"softmax_forward x=f32:1,2:nhcw", "the layout must be nchw, nhwc, nchw_vect_c"},
    {"softmax_forward x=f32:1,2:nchw_vect_c", "the layout must be nchw, nhwc, nchw_vect_c"},
    {"softmax_forward x=s8x4:1,2:nchw_vect_c", "dim 1, its channels, must be a multiple of 4"},
    {"scale_tensor y=s8x32:2,36",
     "dim 1, its channels, must be a multiple of 32, the vector length of s8x32"},
    {"scale_tensor y=s8x4:8", "the layout must be"},
    {"softmax_forward x=f32:1,2 x=f32:1,2", "`x=f32:1,2`: the key is given twice"},
    {"softmax_forward x=f32:1,2 mode=channel mode=channel", "the key is given twice"},
    {"softmax_forward x=f32:1,2 alpha=1 alpha=1", "`alpha=1`: the key is given twice"},
    {"softmax_forward x=f32:1,2 math=default math=split", "the key is given twice"},
    {"softmax_forward x=f32:1,2 mod=channel", "`mod=channel`: unknown key; did you mean `mode`?"},
    {"softmax_forward x=f32:1,2 window=3", "`window=3`: unknown key of softmax_forward; its keys "
                                           "are math, algo, deterministic, batch_invariant, align, "
                                           "without, alias, x, y, alpha, beta, "},
    {"softmax_forward x=f32:1,2 mode=chanel",
     "`mode=chanel`: unknown value; did you mean `channel`?"},
    {"softmax_forward x=f32:1,2 mode=7", "`mode=7`: unknown value"},
    {"matmul a=f32:1,2 b=f32:2,1 activation=g",
     "`activation=g`: unknown value; the first choice is `sigmoid`"},
    {"softmax_forward x=f32:1,2 math=fast",
     "`math=fast`: the mode must be default, tensor_op, allow_conversion or split"},
    {"softmax_forward x=f32:1,2 algo=fft", "this operation does not have that algorithm"},
    {"convolution_forward x=f32:1,1,1,1 w=f32:1,1,1,1 algo=3",
     "`algo=3`: this operation does not have that algorithm"},
    {"softmax_forward x=f32:1,2 deterministic=2", "`deterministic=2`: it must be 0 or 1"},
    {"softmax_forward x=f32:1,2 align=3", "`align=3`: it must be a power of two"},
    {"softmax_forward x=f32:1,2 align=0", "it must be a power of two"},
    {"softmax_forward x=f32:1,2 alpha=one", "`alpha=one`: it must be a number"},
    {"softmax_forward x=f32:1,2 alpha=", "`alpha=`: it must be a number"},
    {"softmax_forward x=f32:1,2 alpha=1x", "it must be a number"},
    {"softmax_forward x=f32:1,2 without=y", "`y` is not an optional operand of this operation"},
    {"softmax_forward x=f32:1,2 without=x,y", "`y` is not an optional operand of this operation"},
    {"activation_backward dy=f32:1,2 without=y activation=tanh",
     "`y` is not an optional operand of this operation with these parameters"},
    {"pooling_backward x=f32:1,1,4 without=y mode=average_include window=1",
     "`without=y`: no other operand determines its dims"},
    {"activation_backward y=f32:1,2 without=x alias=dx:x",
     "alias `dx:x`: one of the two is absent"},
    {"batch_normalization_training x=f32:1,2 without=z z=f32:1,2",
     "an operand is both given and named by `without`"},
    {"softmax_forward x=f32:1,2 alias=x:y", "alias `x:y`: an alias is OUTPUT:INPUT"},
    {"softmax_forward x=f32:1,2 alias=y", "alias `y:`: an alias is OUTPUT:INPUT"},
    {"softmax_forward x=f32:1,2 alias=y:q", "an alias is OUTPUT:INPUT"},
    {"convolution_bias_activation_forward x=f32:1,1,1,1 w=f32:1,1,1,1 alias=y:z",
     "alias `y:z`: one of the two is absent"},
    {"lrn_forward x=f32:1,2,3,4 n=2.5", "`n=2.5`: it must be an integer"},
    {"lrn_forward x=f32:1,2,3,4 n=3000000000", "`n=3000000000`: the number is too large"},
    {"lrn_forward x=f32:1,2,3,4 k=k", "`k=k`: it must be a number"},
    {"convolution_forward x=f32:1,1,1,1 w=f32:1,1,1,1 groups=two", "it must be an integer"},
    {"convolution_forward x=f32:1,1,1,1 w=f32:1,1,1,1 compute=f31", "the compute type must be"},
    {"convolution_forward x=f32:1,1,1,1 w=f32:1,1,1,1 pad=1;1", "it must be a list of integers"},
    {"convolution_forward x=f32:1,1,1,1 w=f32:1,1,1,1 pad=1",
     "`pad` has 1 values; operand `x` has 4 dims, so there must be 2"},
    {"convolution_forward x=f32:1,1,1,1", "operand `w` of convolution_forward is missing, and the "
                                          "others do not determine it"},
    {"convolution_forward x=f32:1,2,3 w=f32:4,2,5,5", "operand `x` has 3 dims and `w` has 4"},
    {"convolution_backward_data w=f32:4,2,5 dy=f32:1,4,3,3",
     "operand `w` has 3 dims and `dy` has 4"},
    {"convolution_backward_data w=f32:1,1,1,1 dy=f32:1,1,1,1", "operand `dx` of"},
    {"convolution_forward x=f32:1,1,1,1 w=f32:1,1,3,3",
     "operand `y` would have 0 elements in dim 2: the window does not fit"},
    {"pooling_forward x=f32:1,1,4,4 window=5,5", "the window does not fit the padded input"},
    {"pooling_backward y=f32:1,1,4,4", "operand `x` of pooling_backward is missing"},
    {"reduce_tensor a=f32:2,3", "operand `c` of reduce_tensor is missing"},
};

static void bad_words_have_sentences(void **state)
{
    struct adn_problem problem;
    struct adn_values values;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (adn_problem_parse(bad[i][0], &problem, &values) != ANYDNN_STATUS_BAD_PARAM)
            fail_msg("`%s` is taken", bad[i][0]);
        if (strncmp(adn_error_text(), "problem text: ", 14) != 0 ||
            !strstr(adn_error_text(), bad[i][1]))
            fail_msg("`%s`:\n  %s\n  lacks `%s`", bad[i][0], adn_error_text(), bad[i][1]);
    }
}

static void a_word_without_end(void **state)
{
    static char text[3000] = "softmax_forward x=f32:";
    struct adn_problem problem;
    struct adn_values values;

    (void)state;
    memset(text + strlen(text), '1', 2000);
    assert_int_equal(adn_problem_parse(text, &problem, &values), ANYDNN_STATUS_BAD_PARAM);
    assert_non_null(strstr(adn_error_text(), "the word is too long"));
    strcpy(text, "softmax_forward x=f32:1,1");
    for (int i = 0; i < 100; i++)
        strcat(text, " q=1");
    assert_int_equal(adn_problem_parse(text, &problem, &values), ANYDNN_STATUS_BAD_PARAM);
}

/* Texts with a byte changed, cut or doubled must be parsed or refused, and must not crash. */
static void spoilt_texts(void **state)
{
    struct adn_problem problem;
    struct adn_values values;
    char text[2048], out[ADN_PROBLEM_TEXT_MAX];

    (void)state;
    seed = 11;
    for (int i = 0; i < 20000; i++) {
        size_t length;
        size_t at;

        snprintf(text, sizeof(text), "%s",
                 shortest[draw() % (sizeof(shortest) / sizeof(shortest[0]))][draw() % 2]);
        length = strlen(text);
        at = draw() % length;
        if (draw() % 3 == 0)
            memmove(text + at, text + at + 1, length - at);
        else if (draw() % 2)
            text[at] = (char)draw_in(1, 255);
        else
            text[at] = "0123456789,:=-. "[draw() % 16];
        if (adn_problem_parse(text, &problem, &values) == ANYDNN_STATUS_SUCCESS) {
            adn_problem_check(&problem, "spoilt");
            adn_problem_print(&problem, &values, out, sizeof(out));
        }
    }
}

/* A program whose locale writes 0,5 must read and write the same texts. */
static void the_programs_locale_does_not_matter(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8"};
    const char *found = NULL;

    (void)state;
    for (size_t i = 0; !found && i < sizeof(names) / sizeof(names[0]); i++)
        found = setlocale(LC_NUMERIC, names[i]);
    if (!found)
        skip();
    parsed("scale_tensor y=f32:2 alpha=0.5", "scale_tensor y=f32:2:nchw alpha=0.5");
    assert_int_equal(adn_fail(ANYDNN_STATUS_BAD_PARAM, "alpha is %g", 0.5),
                     ANYDNN_STATUS_BAD_PARAM);
    assert_string_equal(adn_error_text(), "alpha is 0.5");
    setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems_survive_their_text),
        cmocka_unit_test(unequal_problems_differ_in_their_text),
        cmocka_unit_test(the_example_of_the_manual),
        cmocka_unit_test(defaults_and_inference),
        cmocka_unit_test(a_short_buffer_cuts_the_text),
        cmocka_unit_test(bad_words_have_sentences),
        cmocka_unit_test(a_word_without_end),
        cmocka_unit_test(spoilt_texts),
        cmocka_unit_test(the_programs_locale_does_not_matter),
    };

    return cmocka_run_group_tests_name("problem text", tests, NULL, NULL);
}
