// SPDX-License-Identifier: Apache-2.0
/* Tests copies of tensors with gaps (plugins/cudnn/copy.cu) on the host's processor. Every element
 * must be copied, at any address that its type permits, and nothing else may be written. Prints
 * TAP. */
#include "../../plugins/cudnn/copy.h"
#include "../../plugins/kit/names.h"

#include <cuda_runtime.h>

#include <stdio.h>
#include <string.h>
#include <vector>

static const anydnn_plugin_host host = {};

struct shape {
    int32_t type, ndims;
    int64_t dims[6], strides[6];
};

/* Marks the bytes of each element. A vector of channels is one element. */
static std::vector<char> bytes_of(const anydnn_plugin_tensor &tensor, size_t room)
{
    int64_t lanes = kit_lanes(tensor.type), index[ANYDNN_PLUGIN_DIM_MAX] = {0};
    size_t size = (size_t)(lanes * kit_type_size(tensor.type));
    std::vector<char> mark(room, 0);
    int32_t d;

    do {
        int64_t at = 0;

        for (d = 0; d < tensor.ndims; d++)
            at += index[d] * tensor.strides[d];
        memset(&mark[(size_t)at * size], 1, size);
        for (d = tensor.ndims - 1; d >= 0; d--) {
            if (++index[d] < tensor.dims[d] / (d == 1 ? lanes : 1))
                break;
            index[d] = 0;
        }
    } while (d >= 0);
    return mark;
}

static int is_right(const shape &of, size_t offset)
{
    anydnn_plugin_tensor tensor = {sizeof tensor, of.type, of.ndims, 0, {}, {}};
    size_t room = 1 << 16;
    std::vector<uint64_t> from(room / 8), to(room / 8);
    char *source = (char *)from.data() + offset, *target = (char *)to.data() + offset;
    std::vector<char> mark;
    int right = 1;

    memcpy(tensor.dims, of.dims, sizeof of.dims);
    memcpy(tensor.strides, of.strides, sizeof of.strides);
    memset(from.data(), 0x11, room);
    memset(to.data(), 0x77, room);
    mark = bytes_of(tensor, room - 64);
    if (cdn_copy_elements(0, nullptr, &tensor, target, source) != 0 ||
        cudaStreamSynchronize(nullptr) != cudaSuccess)
        return 0;
    for (size_t i = 0; i < mark.size(); i++)
        right &= target[i] == (mark[i] ? 0x11 : 0x77);
    return right;
}

int main()
{
    static const shape shapes[] = {
        {ANYDNN_PLUGIN_FLOAT, 4, {2, 1, 2, 1}, {6, 2, 1, 1}},
        {ANYDNN_PLUGIN_FLOAT, 4, {2, 8, 6, 5}, {480, 1, 80, 16}},
        {ANYDNN_PLUGIN_DOUBLE, 4, {3, 2, 5, 4}, {200, 60, 9, 2}},
        {ANYDNN_PLUGIN_HALF, 5, {2, 3, 4, 5, 3}, {400, 120, 30, 6, 2}},
        {ANYDNN_PLUGIN_INT8, 3, {2, 5, 7}, {90, 17, 2}},
        {ANYDNN_PLUGIN_INT8X4, 4, {2, 8, 3, 4}, {60, 24, 6, 1}},
        {ANYDNN_PLUGIN_FLOAT, 2, {70, 130}, {140, 1}},
    };
    int count = 0, failed = 0;

    kit_host = &host;
    for (const shape &of : shapes) {
        size_t size = (size_t)kit_type_size(of.type);

        for (size_t offset = 0; offset < 16; offset += size) {
            int right = is_right(of, offset);

            failed += !right;
            printf("%sok %d - type %d, %d dims, %zu bytes behind an aligned address\n",
                   right ? "" : "not ", ++count, of.type, of.ndims, offset);
        }
    }
    printf("1..%d\n", count);
    return failed != 0;
}
