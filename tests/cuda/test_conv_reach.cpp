// SPDX-License-Identifier: Apache-2.0
/* Tests the closed form for the taps that reach a position of dx (plugins/cuda_common/conv.h) by
 * trying every pair of tap and output. Prints TAP. */
#include "conv.h"

#include <set>
#include <stdio.h>
#include <string.h>
#include <utility>

typedef std::set<std::pair<int64_t, int64_t>> pairs;

struct sizes {
    int in, out, taps, stride, dilation, pad;
};

static conv geometry(const sizes &s)
{
    anydnn_plugin_tensor dx = {sizeof dx, ANYDNN_PLUGIN_FLOAT, 3, 0, {1, 1, s.in}, {s.in, s.in, 1}};
    anydnn_plugin_tensor w = {sizeof w, ANYDNN_PLUGIN_FLOAT, 3, 0, {1, 1, s.taps}, {9, 9, 1}};
    anydnn_plugin_tensor dy = {sizeof dy, ANYDNN_PLUGIN_FLOAT, 3, 0, {1, 1, s.out}, {99, 99, 1}};
    anydnn_plugin_convolution params;
    anydnn_plugin_problem problem;
    conv made;

    memset(&params, 0, sizeof params);
    params.struct_size = sizeof params;
    params.spatial_dims = 1;
    params.pad[0] = s.pad;
    params.stride[0] = s.stride;
    params.dilation[0] = s.dilation;
    params.groups = 1;
    params.mode = 1;
    memset(&problem, 0, sizeof problem);
    problem.operation = ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA;
    problem.present = 7;
    problem.tensor[0] = &w;
    problem.tensor[1] = &dy;
    problem.tensor[2] = &dx;
    problem.params = &params;
    conv_make(&made, &problem);
    return made;
}

static pairs tried(const sizes &s, int position)
{
    pairs found;

    for (int t = 0; t < s.taps; t++) {
        for (int p = 0; p < s.out; p++) {
            if (p * s.stride + t * s.dilation - s.pad == position)
                found.insert({t, p});
        }
    }
    return found;
}

template <class I> static pairs reached(const conv &conv, const sizes &s, int position)
{
    conv_window<I> line = conv_window_of<I>(conv, CONV_DIMS_MAX - 1, position);
    pairs found;

    for (I t = 0; t < line.count; t++) {
        I at = line.at + t * line.move;

        if (at >= 0 && at < s.out)
            found.insert({line.first + t * line.step, at});
    }
    return found;
}

static bool agrees(const sizes &s)
{
    conv conv = geometry(s);

    for (int position = 0; position < s.in; position++) {
        pairs want = tried(s, position);

        if (reached<int32_t>(conv, s, position) == want &&
            reached<int64_t>(conv, s, position) == want)
            continue;
        printf("# position %d of %d, %d taps, stride %d, dilation %d, pad %d\n", position, s.in,
               s.taps, s.stride, s.dilation, s.pad);
        return false;
    }
    return true;
}

int main()
{
    bool right = true;
    sizes s;

    for (s.in = 1; s.in <= 13; s.in += 3)
        for (s.taps = 1; s.taps <= 6; s.taps++)
            for (s.stride = 1; s.stride <= 9; s.stride++)
                for (s.dilation = 1; s.dilation <= 9; s.dilation++)
                    for (s.pad = 0; s.pad <= 7; s.pad++) {
                        int rest = s.in + 2 * s.pad - ((s.taps - 1) * s.dilation + 1);

                        s.out = 1 + rest / s.stride;
                        right = right && (rest < 0 || agrees(s));
                    }
    printf("1..1\n%s 1 - the taps that reach a position are those that trying finds\n",
           right ? "ok" : "not ok");
    return right ? 0 : 1;
}
