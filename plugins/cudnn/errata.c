/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Publishes engines, by cuDNN's index, whose behavior differs from their numerical notes. The
 * library reads the list (docs/errata.md), and this backend asks it. tests/gpu/modes, step
 * `engines`, found most of them with cuDNN 9.19 on an H200. It runs each engine configuration for a
 * list of convolutions, on whole numbers whose sums are exact in float, and compares the results
 * with kernels that sum in double. Other versions and devices were not tried, so the entries hold
 * for all of them. A file of errata.d can replace or withdraw each entry by its id.
 */
#include "convolutions.h"
#include "engines.h"

#include <stdio.h>
#include <string.h>

#define NOTE(name) (UINT32_C(1) << CUDNN_NUMERICAL_NOTE_##name)

#define ENTRY(id, operation, engine, rest)                                                         \
    "[cudnn-" id "]\nbackend = cudnn\noperations = " operation "\nengine = " engine "\n" rest

#define FORWARD "convolution_forward"
#define DATA    "convolution_backward_data"
#define FILTER  "convolution_backward_filter"
#define FUSED   "convolution_bias_activation_forward"

#define WINOGRAD "verdict = transform\nalgorithm = winograd_nonfused\n"
#define FFT      "verdict = transform\nalgorithm = fft_tiling\n"
#define SHORT    "verdict = short_sums\n"

const char cdn_errata_list[] =
    /* None of 253 runs in three types was exact. */
    ENTRY("wgrad-17-winograd", FILTER, "17",
          WINOGRAD "source = Winograd with 4x4 tiles, not noted: relative L2 2.2e-3\n"
                   "problem = convolution_backward_filter x=f32:32,48,35,35 dw=f32:64,48,5,5 "
                   "dy=f32:32,64,35,35 pad=2,2\n")
    /* Half keeps its limit of 7e-3. */
    ENTRY("wgrad-17-long", FILTER, "17",
          "filter = 4..\nknobs = type=f32\n" SHORT
          "source = Winograd with 4x4 tiles, relative L2 2.7e-4 to 2.2e-3; the limit is 2e-5\n"
          "problem = convolution_backward_filter x=f32:1,6,12,12 dw=f32:16,6,5,5 dy=f32:1,16,8,8 "
          "algo=winograd_nonfused\n")
        ENTRY("fprop-6-long", FORWARD, "6",
              "filter = 4..\nknobs = type=f32\n" SHORT "source = as cudnn-wgrad-17-long\n")
            ENTRY("dgrad-7-long", DATA, "7",
                  "filter = 4..\nknobs = type=f32\n" SHORT "source = as cudnn-wgrad-17-long\n")
                ENTRY("fused-14-long", FUSED, "14",
                      "filter = 4..\nknobs = type=f32\n" SHORT "source = as cudnn-wgrad-17-long\n")
    /* The kernels are fft1d_r2c, products of complex numbers, and fft1d_c2r. FFT is noted for 2-D
     * filters, but not for 1x1, one and three dims. */
    ENTRY("fprop-4-fft", FORWARD, "4",
          FFT "source = FFT, noted for some shapes only\n"
              "problem = convolution_forward x=f32:2,64,1,200 w=f32:64,1,1,4 groups=64\n")
        ENTRY("dgrad-5-fft", DATA, "5", FFT "source = as cudnn-fprop-4-fft\n")
            ENTRY("wgrad-4-fft", FILTER, "4", FFT "source = as cudnn-fprop-4-fft\n")
                ENTRY("fused-13-fft", FUSED, "13", FFT "source = as cudnn-fprop-4-fft\n")

    /* 457 of 490 split runs are wrong, none of 236 others. Short sums are noted only for half, and
     * there regardless of splitting. */
    ENTRY("wgrad-47-whole", FILTER, "47",
          "knobs = type=f16,bf16\nverdict = finer\n"
          "source = noted to sum in a shorter type, which is so for split sums alone\n")
        ENTRY("wgrad-47-split", FILTER, "47",
              "knobs = type=f16,bf16 split_k=!1\n" SHORT
              "source = adds the parts of split sums in the type of the filter\n"
              "problem = convolution_backward_filter x=bf16:128,3,16,16 dw=bf16:21,3,4,4 "
              "dy=bf16:128,21,13,13 math=tensor_op\n")
            ENTRY("wgrad-61-half", FILTER, "61",
                  "knobs = type=f16\n" SHORT "source = a depthwise engine that adds parts in half\n"
                  "problem = convolution_backward_filter x=f16:2,128,1,16 dw=f16:128,1,1,3 "
                  "dy=f16:2,128,1,16 pad=0,1 groups=128\n")
    /* The engine for half of the fused operation has not shown this. */
    ENTRY("fprop-58-short", FORWARD, "58",
          "knobs = type=f16,bf16\n" SHORT
          "source = 1x1 filters by cuBLASLt, which adds parts in the type of the result for some "
          "shapes\n"
          "problem = convolution_forward x=bf16:1,2048,7,7 w=bf16:512,2048,1,1 math=tensor_op\n")
        ENTRY("dgrad-63-short", DATA, "63",
              "knobs = type=f16,bf16\n" SHORT "source = as cudnn-fprop-58-short\n")
            ENTRY("fused-39-short", FUSED, "39",
                  "knobs = type=f16,bf16\n" SHORT "source = as cudnn-fprop-58-short\n")
    /* TF32 occurs if the output channels are no multiple of 4. */
    ENTRY("fused-26-rounds", FUSED, "26",
          "knobs = type=f16,bf16,f32\n" SHORT
          "source = rounds the convolution to 16 bits, or to TF32, before it adds the bias\n"
          "problem = convolution_bias_activation_forward x=f32:4,44,8,8 w=f32:38,44,3,3 pad=1,1 "
          "math=allow_conversion\n")
        ENTRY(
            "fused-29-rounds", FUSED, "29",
            "knobs = type=f16,bf16,f32\n" SHORT "source = as cudnn-fused-26-rounds\n"
            "problem = convolution_bias_activation_forward x=f32:4,44,8,8 w=f32:38,44,3,3 pad=1,1 "
            "math=allow_conversion\n") ENTRY("fused-33-rounds", FUSED, "33",
                                             "knobs = type=f16,bf16\n" SHORT
                                             "source = as cudnn-fused-26-rounds\n")
            ENTRY("dgrad-2-half", DATA, "2",
                  "knobs = type=f16\n" SHORT "source = sums in 16 bits\n"
                  "problem = convolution_backward_data w=f16:3,2,2,5:nchw dy=f16:1,3,2,1102:nchw "
                  "dx=f16:1,2,3,1100:nchw pad=0,3\n")
                ENTRY(
                    "wgrad-68-truncates", FILTER, "68",
                    "knobs = type=f32\n" SHORT "source = truncates float to TF32, with an error of "
                    "7.3e-4; rounding has 2.9e-4\n"
                    "problem = convolution_backward_filter x=f32:2,5,7,9:nchw dy=f32:2,6,7,10:nchw "
                    "dw=f32:6,5,3,4:nchw pad=1,2 math=allow_conversion\n")
                    ENTRY("wgrad-69-wrong", FILTER, "69",
                          "knobs = type=f32\nverdict = wrong\nsource = results unrelated to the "
                          "right ones\n"
                          "problem = convolution_backward_filter x=f32:4,120,1,1 dw=f32:84,120,1,1 "
                          "dy=f32:4,84,1,1 "
                          "math=allow_conversion\n")

    /* cuDNN compiles these kernels. The results depend on the prior content of the workspace. For
     * layers that had shown the error, 16 of 32 runs were wrong; for others, 6 of 316; in NHWC,
     * none. With 256 channels, 16 filters of 38x38 are exact; 24 of 19x19, 10x10 or 5x5 are
     * not. */
    ENTRY("fprop-72-nchw", FORWARD, "72",
          "knobs = type=f16,bf16,f32 layout=!nhwc\nverdict = wrong\n"
          "source = relative L2 1.4, or NaN, for some shapes\n"
          "problem = convolution_forward x=bf16:1,32,79,341:nchw w=bf16:32,32,5,10:nchw "
          "stride=2,2 math=tensor_op\n")
        ENTRY("wgrad-70-nchw", FILTER, "70",
              "knobs = type=f16,bf16,f32 layout=!nhwc\nverdict = wrong\n"
              "source = as cudnn-fprop-72-nchw\n"
              "problem = convolution_backward_filter x=bf16:1,256,3,3:nchw dy=bf16:1,16,3,3:nchw "
              "dw=bf16:16,256,3,3:nchw pad=1,1 math=tensor_op\n")
            ENTRY("dgrad-78-nchw", DATA, "78",
                  "knobs = type=f16,bf16,f32 layout=!nhwc\nverdict = wrong\n"
                  "source = as cudnn-fprop-72-nchw\n"
                  "problem = convolution_backward_data w=f16:24,256,3,3:nchw dy=f16:1,24,5,5:nchw "
                  "dx=f16:1,256,5,5:nchw pad=1,1 math=tensor_op\n")

    /* All 208 runs with a padding of 18 or 19 were wrong, in NHWC and NCHW, whatever the window is;
     * all 112 others, with paddings up to 12, were exact. */
    ENTRY("dgrad-76-pad", DATA, "76",
          "pad = 13..\nknobs = type=f16,bf16,f32\nverdict = wrong\n"
          "source = relative L2 1.1 if an axis is padded by 18 or 19; up to 12 it is exact\n"
          "problem = convolution_backward_data w=f32:2,96,1,7:nhwc dy=f32:3,2,21,23:nhwc "
          "dx=f32:3,96,17,3:nhwc pad=2,19 dilation=1,3 math=allow_conversion\n")

    /* Similar engines for the filter gradient do sum in a shorter type. */
    ENTRY("fprop-63-finer", FORWARD, "63",
          "knobs = type=f16\nverdict = finer\n"
          "source = an engine for first layers, exact where sums in a shorter type are not\n"
          "problem = convolution_forward x=f16:4,3,64,64:nhwc w=f16:64,3,7,7:nhwc pad=3,3 "
          "stride=2,2 math=tensor_op\n");

int32_t cdn_filter_slot(int32_t operation)
{
    return operation == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA     ? 0
           : operation == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER ? 2
                                                                    : 1;
}

static int is_nhwc(const struct cdn_list_key *key)
{
    int is = 1;

    for (int slot = 0; slot < 3; slot++)
        is &= key->tensor[slot].strides[1] == 1;
    return is;
}

void cdn_engine_words(const struct cdn_engine *engine, const struct cdn_list_key *key, char *text,
                      size_t size)
{
    static const char *const types[] = {[ANYDNN_PLUGIN_FLOAT] = "f32",
                                        [ANYDNN_PLUGIN_DOUBLE] = "f64",
                                        [ANYDNN_PLUGIN_HALF] = "f16",
                                        [ANYDNN_PLUGIN_BFLOAT16] = "bf16"};
    size_t type = (size_t)key->tensor[0].type;
    int length = snprintf(text, size, "engine=%lld type=%s layout=%s", (long long)engine->index,
                          type < sizeof types / sizeof types[0] && types[type] ? types[type] : "?",
                          is_nhwc(key) ? "nhwc" : "nchw");

    for (int32_t i = 0; i < engine->knobs && length < (int)size; i++) {
        char *at = text + length;
        size_t left = size - (size_t)length;

        length += engine->knob_type[i] == CUDNN_KNOB_TYPE_SPLIT_K
                      ? snprintf(at, left, " split_k=%lld", (long long)engine->knob_value[i])
                      : snprintf(at, left, " knob%lld=%lld", (long long)engine->knob_type[i],
                                 (long long)engine->knob_value[i]);
    }
}

/* Returns the verdicts that hold in every math mode. A list of engines serves all of them. The
 * library compares each offer with the mode of its problem, and adds what holds in that mode alone.
 */
static uint32_t verdicts_in_all_modes(struct anydnn_plugin_problem *problem,
                                      const struct anydnn_plugin_candidate *candidate,
                                      int32_t *algorithm)
{
    static const int32_t modes[] = {ANYDNN_PLUGIN_MATH_DEFAULT, ANYDNN_PLUGIN_MATH_TENSOR_OP,
                                    ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION, ANYDNN_PLUGIN_MATH_SPLIT};
    uint32_t found = UINT32_MAX;

    for (size_t i = 0; i < sizeof modes / sizeof modes[0] && found; i++) {
        problem->math = modes[i];
        found &= kit_host->errata(kit_host, problem, candidate, algorithm);
    }
    return found;
}

/*
 * Corrects the notes of an engine. For half and bfloat16, no engine gets other factors than the
 * usual ones. Many apply the factors to a result that is already rounded to 16 bits, or truncate
 * the blend. Random problems found further such engines in each run of a minute, 8 configurations
 * in two runs. Examples are convolution_forward x=bf16:1,8,1:32,4,3 w=bf16:34,4,1:4,1,93
 * y=bf16:1,34,1:68,2,35 stride=3 groups=2 mode=convolution math=tensor_op beta=0.25;
 * convolution_backward_data w=f16:1,17,1:18,1,1 dy=f16:2,1,7:4,1,10 dx=f16:2,17,13:19,1,38 stride=2
 * dilation=5 math=tensor_op beta=-0.5; convolution_backward_filter x=f16:2,5,1,4:nhwc
 * dy=f16:2,5,1,6:nhwc dw=f16:5,5,1,3:nhwc pad=0,3 stride=2,1 dilation=1,2 mode=convolution
 * math=tensor_op beta=1.
 */
uint32_t cdn_errata(struct cdn_engine *engine, const struct cdn_list_key *key, uint32_t notes)
{
    char words[CDN_WORDS];
    struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof candidate, .engine = engine->number, .words = words};
    struct anydnn_plugin_problem problem = {.struct_size = sizeof problem,
                                            .operation = key->operation,
                                            .algorithm = ANYDNN_PLUGIN_ALGORITHM_NONE,
                                            .device = key->device,
                                            .present = key->present,
                                            .params = &key->params};
    int32_t algorithm;
    uint32_t found;

    for (int i = 0; i < ANYDNN_PLUGIN_OPERAND_MAX; i++)
        problem.tensor[i] = key->present >> i & 1 ? &key->tensor[i] : NULL;
    cdn_engine_words(engine, key, words, sizeof words);
    found = verdicts_in_all_modes(&problem, &candidate, &algorithm);
    engine->one_factor_set =
        key->tensor[0].type == ANYDNN_PLUGIN_HALF || key->tensor[0].type == ANYDNN_PLUGIN_BFLOAT16;
    engine->avoided = (found & ANYDNN_PLUGIN_ERRATUM_AVOID) != 0;
    if (found & ANYDNN_PLUGIN_ERRATUM_FINER)
        notes &= ~NOTE(REDUCED_PRECISION_REDUCTION);
    if (found & ANYDNN_PLUGIN_ERRATUM_NONDETERMINISTIC)
        notes |= NOTE(NONDETERMINISTIC);
    if (found & ANYDNN_PLUGIN_ERRATUM_TRANSFORM)
        notes |= cdn_is_fft(key->operation, algorithm) ? NOTE(FFT) : NOTE(WINOGRAD);
    return notes;
}
