/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the backend cudnn over a mock of cuDNN's library, without a GPU: when it declines all
 * problems, and how it offers cuDNN's engine configurations.
 * Needs: tests/cudnn/libcudnn_mock.la tests/cudnn/libcudnn_old.la tests/cudnn/libcudnn_lacks.la
 * cudnn9/built/.stamp */
#include "harness.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ unsuitable libraries */

static void expect_declined(const char *words)
{
    struct anydnn_plugin_context *first = start(), *second = NULL;
    struct answer answer;
    struct layer layer;

    assert_int_equal(plugin->context_create(0, &second), 0);
    make_layer(&layer, ANYDNN_PLUGIN_FLOAT, ANYDNN_PLUGIN_MATH_DEFAULT);
    ask(first, &layer, &answer);
    assert_int_equal(answer.count, 1);
    assert_int_equal(answer.offer[0].reason, ANYDNN_PLUGIN_REASON_LIBRARY);
    if (!strstr(answer.sentence, words))
        fail_msg("\"%s\" does not say \"%s\"", answer.sentence, words);
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(warning, words));
    plugin->context_destroy(first);
    plugin->context_destroy(second);
}

static void no_library(void)
{
    snprintf(library, sizeof library, "/nowhere/libcudnn.so.9");
    expect_declined("/nowhere/libcudnn.so.9");
}

static void old_library(void)
{
    use_library("libcudnn_old.so");
    expect_declined("is cuDNN version 8907; this backend was compiled for cuDNN");
    assert_string_equal(plugin->library_version(), "8.9.7");
}

static void lacking_library(void)
{
    use_library("libcudnn_lacks.so");
    expect_declined("does not have the function cudnnIm2Col");
}

/* Opens a copy of the mock under that name. */
static void open_beside(const char *name)
{
    char folder[] = "/tmp/anydnn-cudnn-XXXXXX", command[1500], part[100];

    use_library("libcudnn_mock.so");
    assert_non_null(mkdtemp(folder));
    snprintf(part, sizeof part, "%s/%s", folder, name);
    snprintf(command, sizeof command, "cp '%s' '%s'", library, part);
    assert_int_equal(system(command), 0);
    assert_non_null(dlopen(part, RTLD_NOW | RTLD_LOCAL));
    unlink(part);
    rmdir(folder);
}

/* Checks the case that the process has loaded a part of another installation. */
static void mixed_library(void)
{
    open_beside("libcudnn_graph.so.9");
    expect_declined("two places");
}

/* Checks that a program for cuDNN 7 can run over anydnn's library of that name. */
static void version_7_beside(void)
{
    struct anydnn_plugin_context *context;
    struct answer answer;
    struct layer layer;

    open_beside("libcudnn.so.7.0.0");
    context = start();
    make_layer(&layer, ANYDNN_PLUGIN_FLOAT, ANYDNN_PLUGIN_MATH_DEFAULT);
    ask(context, &layer, &answer);
    assert_int_not_equal(answer.offer[0].reason, ANYDNN_PLUGIN_REASON_LIBRARY);
    assert_int_equal(warnings, 0);
    plugin->context_destroy(context);
}

#ifdef __x86_64__
/* Checks that the backend does not call anydnn's own libcudnn.so.9, but the file behind it. */
static void front_before(void)
{
    struct anydnn_plugin_context *context;
    const char *build = getenv("ANYDNN_TEST_BUILDDIR");
    struct answer answer;
    struct layer layer;

    use_library("libcudnn_mock.so");
    setenv("ANYDNN_CUDNN9_LIBRARY", library, 1);
    snprintf(library, sizeof library, "%s/cudnn9/.libs/libcudnn.so.9", build ? build : ".");
    context = start();
    make_layer(&layer, ANYDNN_PLUGIN_FLOAT, ANYDNN_PLUGIN_MATH_DEFAULT);
    ask(context, &layer, &answer);
    assert_int_not_equal(answer.offer[0].reason, ANYDNN_PLUGIN_REASON_LIBRARY);
    assert_int_equal(warnings, 0);
    plugin->context_destroy(context);
}

static void front_of_nothing(void)
{
    const char *build = getenv("ANYDNN_TEST_BUILDDIR");

    setenv("ANYDNN_CUDNN9_LIBRARY", "/nowhere", 1);
    setenv("ANYDNN_LOG", "off", 1);
    snprintf(library, sizeof library, "%s/cudnn9/.libs/libcudnn.so.9", build ? build : ".");
    expect_declined("anydnn's libcudnn.so.9 finds no real one");
}
#endif

static void test_libraries(void **state)
{
    (void)state;
    run_alone(no_library);
    run_alone(old_library);
    run_alone(lacking_library);
    run_alone(mixed_library);
    run_alone(version_7_beside);
#ifdef __x86_64__
    run_alone(front_before);
    run_alone(front_of_nothing);
#endif
}

/* ------------------------------------------------------------------ offers */

struct expected {
    int32_t algorithm, math;
    uint64_t workspace;
    uint32_t notes;
};

static void expect_offers(const struct answer *answer, const struct expected *expected, int count)
{
    assert_int_equal(answer->count, count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(answer->offer[i].reason, 0);
        assert_int_equal(answer->offer[i].algorithm, expected[i].algorithm);
        assert_int_equal(answer->offer[i].math, expected[i].math);
        assert_int_equal(answer->offer[i].workspace, expected[i].workspace);
        assert_int_equal(answer->offer[i].notes, expected[i].notes);
        assert_int_equal(answer->offer[i].alignment[0], 0);
    }
}

/* Checks the offers for half. The first proposal gives no plan and the third converts its inputs,
 * so neither is offered. The best offer for direct execution also carries the names of the other
 * GEMMs. */
static void half_offers(void)
{
    static const struct expected all[] = {
        {1, TENSOR_OP, 4096, 0}, {1, TENSOR_OP, 0, SHUFFLED}, {7, DEFAULT, 512, TRANSFORM},
        {1, DEFAULT, 256, 0},    {1, DEFAULT, 51200, 0},      {1, DEFAULT, 0, 0},
        {0, TENSOR_OP, 4096, 0}, {2, TENSOR_OP, 4096, 0},
    };
    static const struct expected plain[] = {
        {7, DEFAULT, 512, TRANSFORM}, {1, DEFAULT, 256, 0}, {1, DEFAULT, 51200, 0},
        {1, DEFAULT, 0, 0},           {0, DEFAULT, 256, 0}, {2, DEFAULT, 256, 0},
    };
    struct anydnn_plugin_context *context;
    struct answer answer;
    struct layer layer;

    context = begin();
    make_layer(&layer, ANYDNN_PLUGIN_HALF, TENSOR_OP);
    ask(context, &layer, &answer);
    expect_offers(&answer, all, 8);
    make_layer(&layer, ANYDNN_PLUGIN_HALF, DEFAULT);
    ask(context, &layer, &answer);
    expect_offers(&answer, plain, 6);
    end(context);
}

/* Checks the offers for float. Tensor Cores read float as TF32, which tensor_op does not permit. */
static void float_offers(void)
{
    struct anydnn_plugin_context *context;
    struct answer answer;
    struct layer layer;

    context = begin();
    make_layer(&layer, ANYDNN_PLUGIN_FLOAT, TENSOR_OP);
    ask(context, &layer, &answer);
    for (int i = 0; i < answer.count; i++)
        assert_int_equal(answer.offer[i].math, DEFAULT);
    make_layer(&layer, ANYDNN_PLUGIN_FLOAT, CONVERSION);
    ask(context, &layer, &answer);
    assert_int_equal(answer.offer[0].math, CONVERSION);
    assert_int_equal(answer.offer[0].notes, REDUCED | FLUSHES);
    assert_int_equal(answer.offer[1].notes, REDUCED | SHUFFLED | FLUSHES);
    end(context);
}

#define NOTE(name) (UINT32_C(1) << CUDNN_NUMERICAL_NOTE_##name)

/* Engines for the filter gradient. 17 is Winograd (only for float with filters up to 3x3) and 4 is
 * FFT, both without notes. 20 sums in 16 bits, with a note; 47 does so without a note if it splits
 * sums. */
static const struct mock_engine filter_engines[] = {
    {.index = 17, .knob = 3, .workspace = 17},
    {.index = 18, .knob = -1, .workspace = 18, .numerical = NOTE(FFT)},
    {.index = 20, .knob = -1, .numerical = NOTE(REDUCED_PRECISION_REDUCTION)},
    {.index = 47, .knob = 4, .numerical = NOTE(TENSOR_CORE), .splits = 1},
    {.index = 47, .knob = 1, .workspace = 47, .numerical = NOTE(TENSOR_CORE), .splits = 1},
    {.index = 4, .knob = -1, .workspace = 4},
    {.index = 30, .knob = 2, .workspace = 30, .numerical = NOTE(WINOGRAD)},
    {.index = 1, .knob = -1, .workspace = 1},
};

/* Begins a context over the mock with these engines. */
static struct anydnn_plugin_context *begin_with(const struct mock_engine *engine, int64_t engines)
{
    struct anydnn_plugin_context *context = begin();

    mock->engine = engine;
    mock->engines = engines;
    return context;
}

static void make_filter_layer(struct layer *layer, int32_t type, int32_t math)
{
    make_layer(layer, type, math);
    layer->problem.operation = ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER;
    layer->problem.tensor[1] = &layer->y;
    layer->problem.tensor[2] = &layer->w;
}

static const struct expected bfloat16[] = {
    {5, DEFAULT, 17, TRANSFORM}, {6, DEFAULT, 18, TRANSFORM}, {1, TENSOR_OP, 47, 0},
    {6, DEFAULT, 4, TRANSFORM},  {5, DEFAULT, 30, TRANSFORM}, {1, DEFAULT, 1, 0},
    {0, TENSOR_OP, 47, 0},       {3, TENSOR_OP, 47, 0},
};

/* Checks that errata of one math mode change nothing in another one. */
static void errata_of_one_mode(void)
{
    struct anydnn_plugin_context *context;
    struct answer answer;
    struct layer layer;

    more_errata = "[one]\nbackend = cudnn\nengine = 1\nmath = default\nverdict = transform\n"
                  "[two]\nbackend = cudnn\nengine = 20\nmath = default\nverdict = finer\n";
    context = begin_with(filter_engines, sizeof filter_engines / sizeof filter_engines[0]);
    make_filter_layer(&layer, ANYDNN_PLUGIN_BFLOAT16, TENSOR_OP);
    ask(context, &layer, &answer);
    expect_offers(&answer, bfloat16, 8);
    end(context);
}

static void filter_offers(void)
{
    static const struct expected single[] = {
        {5, DEFAULT, 17, TRANSFORM | FLUSHES},
        {6, DEFAULT, 18, TRANSFORM | FLUSHES},
        {6, DEFAULT, 4, TRANSFORM | FLUSHES},
        {5, DEFAULT, 30, TRANSFORM | FLUSHES},
        {1, DEFAULT, 1, FLUSHES},
        {0, DEFAULT, 1, FLUSHES},
        {3, DEFAULT, 1, FLUSHES},
    };
    struct anydnn_plugin_context *context;
    struct answer answer;
    struct layer layer;

    context = begin_with(filter_engines, sizeof filter_engines / sizeof filter_engines[0]);
    make_filter_layer(&layer, ANYDNN_PLUGIN_BFLOAT16, TENSOR_OP);
    ask(context, &layer, &answer);
    expect_offers(&answer, bfloat16, 8);
    make_filter_layer(&layer, ANYDNN_PLUGIN_FLOAT, DEFAULT);
    ask(context, &layer, &answer);
    expect_offers(&answer, single, 7);
    layer.w.dims[2] = layer.w.dims[3] = 5;
    layer.w.strides[0] = 25 * layer.w.dims[1];
    layer.w.strides[2] = 5 * layer.w.dims[1];
    ask(context, &layer, &answer);
    expect_offers(&answer, single + 1, 6);
    end(context);
}

/* Checks that nothing is taken if every engine sums in a short type or reads one, and that the
 * backend declines if cuDNN's own notes say so. */
static void none_left(void)
{
    static const struct mock_engine engines[] = {
        {.index = 20, .knob = -1, .numerical = NOTE(REDUCED_PRECISION_REDUCTION)},
        {.index = 22, .knob = 5, .numerical = NOTE(TENSOR_CORE) | NOTE(DOWN_CONVERT_INPUTS)},
        {.index = 47, .knob = 4, .numerical = NOTE(TENSOR_CORE), .splits = 1},
    };
    struct anydnn_plugin_context *context;
    struct answer answer;
    struct layer layer;

    context = begin_with(engines, 3);
    make_filter_layer(&layer, ANYDNN_PLUGIN_BFLOAT16, TENSOR_OP);
    ask(context, &layer, &answer);
    assert_int_equal(answer.count, 0);
    assert_int_equal(answer.avoided, 1);
    mock->engines = 2;
    layer.x.dims[0] = layer.y.dims[0] = 3;
    ask(context, &layer, &answer);
    assert_int_equal(answer.count, 1);
    assert_int_equal(answer.offer[0].reason, ANYDNN_PLUGIN_REASON_MATH);
    assert_non_null(strstr(answer.sentence, "cuDNN has 2 engine configurations for this "
                                            "convolution, but none for its math mode"));
    end(context);
}

/* Checks that the list is one that the library reads as a whole, and that it compares the version
 * that runs. */
static void published_errata(void)
{
    struct anydnn_plugin_context *context;
    int entries = 0;

    use_library("libcudnn_mock.so");
    context = start();
    assert_non_null(plugin->errata);
    assert_non_null(plugin->library_version());
    assert_int_equal(strncmp(plugin->library_version(), "9.", 2), 0);
    for (const char *at = plugin->errata; (at = strstr(at, "[cudnn-")) != NULL; at++)
        entries++;
    assert_true(entries > 20);
    assert_int_equal(count_errata(), entries);
    end(context);
}

/* Checks an engine that gives wrong results in NCHW: it is offered only if all tensors are NHWC. */
static void nhwc_alone(void)
{
    static const struct mock_engine engines[] = {
        {.index = 70, .knob = -1, .numerical = NOTE(TENSOR_CORE)},
        {.index = 1, .knob = -1},
    };
    static const struct expected both[] = {
        {1, TENSOR_OP, 0, 0}, {1, DEFAULT, 0, 0}, {0, TENSOR_OP, 0, 0}, {3, TENSOR_OP, 0, 0}};
    static const struct expected one[] = {
        {1, DEFAULT, 0, 0}, {0, DEFAULT, 0, 0}, {3, DEFAULT, 0, 0}};
    struct anydnn_plugin_context *context;
    struct answer answer;
    struct layer layer;

    context = begin_with(engines, 2);
    make_filter_layer(&layer, ANYDNN_PLUGIN_HALF, TENSOR_OP);
    ask(context, &layer, &answer);
    expect_offers(&answer, both, 4);
    pack_rows(&layer.y);
    ask(context, &layer, &answer);
    expect_offers(&answer, one, 3);
    pack_rows(&layer.x);
    pack_rows(&layer.w);
    ask(context, &layer, &answer);
    expect_offers(&answer, one, 3);
    end(context);
}

static void make_data_layer(struct layer *layer, int32_t type, int32_t math)
{
    make_layer(layer, type, math);
    layer->problem.operation = ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA;
    layer->problem.tensor[0] = &layer->w;
    layer->problem.tensor[1] = &layer->y;
    layer->problem.tensor[2] = &layer->x;
}

/* Checks an engine that gives wrong results if an axis has a pad above 12: it is offered up to that
 * pad. */
static void wide_padding(void)
{
    static const struct mock_engine engines[] = {
        {.index = 76, .knob = -1, .numerical = NOTE(TENSOR_CORE)},
        {.index = 1, .knob = -1},
    };
    struct anydnn_plugin_context *context;
    struct answer answer;
    struct layer layer;

    context = begin_with(engines, 2);
    make_data_layer(&layer, ANYDNN_PLUGIN_FLOAT, CONVERSION);
    for (int64_t pad = 12; pad < 14; pad++) {
        layer.params.pad[1] = pad;
        layer.y.dims[3] = layer.x.dims[3] + 2 * pad - 2;
        pack_rows(&layer.y);
        ask(context, &layer, &answer);
        assert_true(answer.count > 0);
        assert_int_equal(answer.offer[0].reason, 0);
        assert_int_equal(answer.offer[0].math, pad > 12 ? DEFAULT : CONVERSION);
    }
    end(context);
}

static void test_offers(void **state)
{
    (void)state;
    run_alone(half_offers);
    run_alone(float_offers);
    run_alone(filter_offers);
    run_alone(errata_of_one_mode);
    run_alone(none_left);
    run_alone(nhwc_alone);
    run_alone(wide_padding);
    run_alone(published_errata);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_libraries),
        cmocka_unit_test(test_offers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
