// SPDX-License-Identifier: Apache-2.0
// Implements the base of the emulated matrix instructions: lanes that exchange bytes, copies that
// are waited for, and dynamic shared memory.
#include <deque>
#include <stdlib.h>
#include <vector>

#include "../../../plugins/cuda_tensorcore/common/mma.h"

namespace
{
const unsigned threads_most = 1024;
// The limit of shared memory for a block of the emulated device.
const size_t shared_bytes = 227 << 10;

// Two alternating buffers. While a lane reads one, no other lane can be more than one call ahead.
std::vector<char> buffers[threads_most / EMULATOR_WARP][2];
unsigned turns[threads_most];

struct copy {
    void *to;
    const void *from;
    bool inside;
};
struct copies {
    std::vector<copy> open;
    std::deque<std::vector<copy>> groups;
};
copies pending[threads_most];
} // namespace

void *emulator_shared()
{
    static std::vector<void *> memory; // of each concurrent block

    while (memory.size() <= emulator_block())
        memory.push_back(aligned_alloc(1024, shared_bytes / 1024 * 1024));
    return memory[emulator_block()];
}

const void *emulator_warp_share(const void *mine, size_t bytes)
{
    unsigned thread = threadIdx.x;
    std::vector<char> &buffer = buffers[thread / EMULATOR_WARP][turns[thread]++ % 2];

    if (buffer.size() < bytes * EMULATOR_WARP)
        buffer.resize(bytes * EMULATOR_WARP);
    memcpy(buffer.data() + thread % EMULATOR_WARP * bytes, mine, bytes);
    __syncwarp();
    return buffer.data();
}

void emulator_copy(void *to, const void *from, bool inside)
{
    pending[threadIdx.x].open.push_back({to, from, inside});
}

void emulator_copy_commit()
{
    copies &mine = pending[threadIdx.x];

    mine.groups.push_back(std::move(mine.open));
    mine.open.clear();
}

void emulator_copy_wait(int left)
{
    copies &mine = pending[threadIdx.x];

    for (; mine.groups.size() > (size_t)left; mine.groups.pop_front())
        for (const copy &one : mine.groups.front()) {
            uint4 value = {0, 0, 0, 0};

            if (one.inside)
                value = *(const uint4 *)one.from;
            *(uint4 *)one.to = value;
        }
}
