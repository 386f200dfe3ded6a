// SPDX-License-Identifier: Apache-2.0
// Emulates barriers, copies by tensor maps and products of a warpgroup, as observed on an H200
// (docs/kernels.md, "hopper"). Swizzling depends on addresses: bits 7 to 9 swizzle bits 4 to 6.

// Products take most of the time of these kernels here.
#pragma GCC optimize("O3")

#include <deque>
#include <map>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include "../../../plugins/cuda_common/divide.h"
#include "../../../plugins/cuda_tensorcore/hopper/ptx.h"

namespace
{
const unsigned threads_most = 1024;

uint32_t swizzled(uint32_t address)
{
    return address ^ (address >> 7 & 7) << 4;
}

// ---- barriers

struct barrier {
    uint32_t count, left; // arrivals of a phase, and missing arrivals
    int64_t bytes;        // expected and not yet copied
    uint32_t parity;
    std::vector<std::function<int64_t()>> copies; // in flight; each returns its bytes

    void end_phase()
    {
        left = count;
        parity ^= 1;
    }

    // Returns true if the phase `asked` has ended. Copies complete once all arrivals are there.
    bool has_ended(uint32_t asked)
    {
        if (parity == asked && left == 0) {
            for (const auto &copy : copies)
                bytes -= copy();
            copies.clear();
            if (bytes < 0)
                emulator_fault("more bytes came than the barrier expects");
            if (bytes == 0)
                end_phase();
        }
        return parity != asked;
    }
};

std::map<uint32_t, barrier> barriers;

barrier &barrier_at(uint32_t address)
{
    auto found = barriers.find(address);

    if (found == barriers.end())
        emulator_fault("the barrier was not initialised");
    return found->second;
}

struct named {
    unsigned come, generation;
};

named warpgroup_barriers[16];

// ---- maps

enum kind : int32_t { NO_MAP, TILED, PIXELS };

struct emulated_map {
    kind made;
    int32_t rank, size, rounds;
    const char *address;
    int64_t strides[TC_MAP_DIMS];
    int32_t dims[TC_MAP_DIMS], box[TC_MAP_DIMS];
    int32_t lower[2], upper[2], step[2];
};
static_assert(sizeof(emulated_map) <= sizeof(tc_tensor_map), "a map has room");

const emulated_map &map_at(const tc_tensor_map *map, kind wanted)
{
    const emulated_map *found = (const emulated_map *)map;

    if (found->made != wanted || !found->address)
        emulator_fault("a map of another kind, or without an address");
    return *found;
}

// Returns the address of an element, or NULL if it lies outside the tensor.
const char *element(const emulated_map &map, const int32_t at[TC_MAP_DIMS])
{
    const char *address = map.address;

    for (int32_t d = 0; d < map.rank; d++) {
        if (at[d] < 0 || at[d] >= map.dims[d])
            return nullptr;
        address += at[d] * (d == 0 ? map.size : map.strides[d - 1]);
    }
    return address;
}

char *shared_at(const emulated_map &map, uint32_t line, int32_t element)
{
    return emulator_shared_at(swizzled(line + (uint32_t)(element * map.size)));
}

// Rounds to TF32: to nearest, with ties to even. All NaN become the same NaN.
uint32_t round_tf32(uint32_t bits)
{
    if ((bits & 0x7fffffff) > 0x7f800000)
        return 0x7fffe000;
    return (bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000;
}

// Copies an element, or 0 outside the tensor, to shared memory.
void bring(const emulated_map &map, char *to, const int32_t at[TC_MAP_DIMS])
{
    const char *from = element(map, at);
    uint32_t bits = 0;

    if (from)
        memcpy(&bits, from, (size_t)map.size);
    if (map.rounds)
        bits = round_tf32(bits);
    memcpy(to, &bits, (size_t)map.size);
}

// Advances to the next pixel along W, H and images.
void next_pixel(const emulated_map &map, int32_t walk[3])
{
    for (int32_t d = 0; d < 2; d++) {
        walk[d] += map.step[d];
        if (walk[d] <= map.dims[1 + d] - 1 + map.upper[d])
            break;
        walk[d] = map.lower[d];
        if (d == 1)
            walk[2]++;
    }
}

int32_t fill(tc_tensor_map *map, const tc_tiled_map *of, kind made)
{
    emulated_map *to = (emulated_map *)map;

    *to = {};
    to->made = made;
    to->rank = of->rank;
    to->size = cuda_type_size(of->type);
    to->rounds = to->size == 4 && of->rounds;
    for (int32_t &lines : to->box)
        lines = 1;
    for (int32_t d = 0; d < of->rank; d++) {
        to->dims[d] = (int32_t)of->dims[d];
        to->box[d] = of->box[d];
        if (d < of->rank - 1)
            to->strides[d] = of->strides[d];
        if (of->dims[d] < 1 || of->dims[d] > INT32_MAX ||
            (d < of->rank - 1 && (of->strides[d] % TC_MAP_ALIGNMENT != 0 || of->strides[d] <= 0 ||
                                  of->strides[d] >= TC_MAP_STRIDES)))
            return 0;
        if (made == TILED && (of->box[d] < 1 || of->box[d] > 256))
            return 0;
    }
    return made == PIXELS || of->box[0] * to->size == TC_LINE_BYTES;
}

bool is_corner(int32_t value)
{
    return value >= -128 && value <= 127;
}

// ---- stores and products of a thread

struct product {
    float (*load)(uint16_t);
    float *d;
    int n, a_lines, b_lines;
    uint64_t a, b;
    int32_t adds;
    bool has_rows;         // A is in registers
    float rows[2][16 / 2]; // rows g and g + 8 of the warp
};

// A product of 8-bit integers. Lines are rows of A and columns of B.
struct integer_product {
    int x_is_signed;
    int32_t *d;
    int n;
    uint64_t a, b;
    int32_t adds;
};

struct group {
    std::vector<product> products;
    std::vector<integer_product> integers;
};

struct thread_work {
    std::deque<std::function<void()>> stores;
    group open;
    std::deque<group> groups;
};
thread_work work[threads_most];

const int terms = 16; // of 16 bits; floats have half as many

// Returns the values of all bit patterns of a type. The table is made on first use.
const float *numbers_of(float (*load)(uint16_t))
{
    static std::map<float (*)(uint16_t), std::vector<float>> tables;
    std::vector<float> &table = tables[load];

    if (table.empty())
        for (uint32_t bits = 0; bits <= UINT16_MAX; bits++)
            table.push_back(load((uint16_t)bits));
    return table.data();
}

// Returns the address of line i of a tile of rows, before swizzling.
uint32_t row_at(uint64_t tile, int i)
{
    uint32_t start = (uint32_t)(tile & 0x3fff) << 4, eights = (uint32_t)(tile >> 32 & 0x3fff) << 4;

    if (tile >> 62 != 1)
        emulator_fault("a tile without the swizzle of 128 bytes");
    return start + (uint32_t)(i / 8) * eights + (uint32_t)(i % 8) * TC_LINE_BYTES;
}

void read_integers(uint64_t tile, int i, uint8_t to[2 * terms])
{
    for (uint32_t half = 0; half < 2; half++)
        memcpy(to + half * 16, emulator_shared_at(swizzled(row_at(tile, i) + half * 16)), 16);
}

// Truncates a float to TF32.
void cut_word(uint32_t bits, float *to)
{
    bits &= 0xffffe000;
    memcpy(to, &bits, sizeof bits);
}

bool cut(const void *bytes, float to[terms])
{
    uint32_t bits[terms / 2], some = 0;

    memcpy(bits, bytes, sizeof bits);
    for (uint32_t &one : bits) {
        one &= 0xffffe000;
        some |= one;
    }
    memcpy(to, bits, sizeof bits);
    return some != 0;
}

// Reads the terms of line i of a tile, as its descriptor specifies. Returns true if any term is not
// 0.
bool read_line(const float *numbers, uint64_t tile, bool b_is_mn_major, int i, float to[terms])
{
    uint32_t start = row_at(tile, 0), apart = (uint32_t)(tile >> 16 & 0x3fff) << 4;
    uint32_t eights = (uint32_t)(tile >> 32 & 0x3fff) << 4;
    uint16_t bits[terms], some = 0;

    if (b_is_mn_major) {
        start += (uint32_t)(i / 64) * apart + (uint32_t)(i % 64) * 2;
        for (uint32_t k = 0; k < terms; k++)
            memcpy(&bits[k],
                   emulator_shared_at(swizzled(start + k / 8 * eights + k % 8 * TC_LINE_BYTES)), 2);
    } else {
        start = row_at(tile, i);
        for (uint32_t half = 0; half < 2; half++)
            memcpy(&bits[half * 8], emulator_shared_at(swizzled(start + half * 16)), 16);
        if (!numbers)
            return cut(bits, to);
    }
    for (int k = 0; k < terms; k++) {
        to[k] = numbers[bits[k]];
        some |= bits[k];
    }
    return some != 0;
}

// Returns the sum. An exact sum does not depend on the order; all others are truncated as matrix
// units do.
float add(float before, const float *a, const float *b, int count)
{
    double sum = before;

    for (int k = 0; k < count; k++)
        sum += (double)a[k] * b[k];
    return (double)(float)sum == sum ? (float)sum : emulator_add(before, a, b, count);
}

// Computes the accumulators of this thread: rows g and g + 8 of its warp's 16, columns 2 t and
// 2 t + 1 of every 8. Lines of zeros add nothing to finite rows.
void multiply(const product &one)
{
    const float *numbers = one.load ? numbers_of(one.load) : nullptr;
    const int count = one.load ? terms : terms / 2;
    int lane = (int)(threadIdx.x % EMULATOR_WARP), warp = (int)(threadIdx.x % TC_WARPGROUP) / 32;
    bool finite[2] = {true, true};
    float a[2][terms], b[terms];

    for (int half = 0; half < 2; half++) {
        if (one.has_rows)
            memcpy(a[half], one.rows[half], sizeof one.rows[half]);
        else
            read_line(numbers, one.a, one.a_lines, warp * 16 + lane / 4 + half * 8, a[half]);
        for (int k = 0; k < count; k++)
            finite[half] &= isfinite(a[half][k]) != 0;
    }
    for (int column = 0; column < one.n; column += 8)
        for (int i = 0; i < 2; i++) {
            bool some = read_line(numbers, one.b, one.b_lines, column + lane % 4 * 2 + i, b);

            for (int half = 0; half < 2; half++) {
                float *d = &one.d[column / 2 + half * 2 + i], before = one.adds ? *d : 0;

                *d = some || !finite[half] ? add(before, a[half], b, count) : before;
            }
        }
}

void multiply(const integer_product &one)
{
    int lane = (int)(threadIdx.x % EMULATOR_WARP), warp = (int)(threadIdx.x % TC_WARPGROUP) / 32;
    uint8_t a[2][2 * terms], b[2 * terms];

    for (int half = 0; half < 2; half++)
        read_integers(one.a, warp * 16 + lane / 4 + half * 8, a[half]);
    for (int column = 0; column < one.n; column += 8)
        for (int i = 0; i < 2; i++) {
            read_integers(one.b, column + lane % 4 * 2 + i, b);
            for (int half = 0; half < 2; half++) {
                int32_t *d = &one.d[column / 2 + half * 2 + i], sum = one.adds ? *d : 0;

                for (int k = 0; k < 2 * terms; k++)
                    sum += (one.x_is_signed ? (int8_t)a[half][k] : a[half][k]) * (int8_t)b[k];
                *d = sum;
            }
        }
}
} // namespace

// ---- barriers

void tc_barrier_init(uint32_t address, uint32_t count)
{
    barriers[address] = {count, count, 0, 0, {}};
}

void tc_barrier_arrive(uint32_t address)
{
    barrier &to = barrier_at(address);

    if (to.left == 0)
        emulator_fault("more arrive at a barrier than it counts");
    if (--to.left == 0 && to.bytes == 0 && to.copies.empty())
        to.end_phase();
}

void tc_barrier_expect(uint32_t address, uint32_t bytes)
{
    barrier_at(address).bytes += bytes;
    tc_barrier_arrive(address);
}

void tc_barrier_wait(uint32_t address, uint32_t parity)
{
    emulator_wait_until([=] { return barrier_at(address).has_ended(parity); });
}

void tc_warpgroup_sync(int32_t number)
{
    named &at = warpgroup_barriers[number];
    unsigned generation = at.generation;

    if (++at.come == TC_WARPGROUP) {
        at.come = 0;
        at.generation++;
    }
    emulator_wait_until([&at, generation] { return at.generation != generation; });
}

// ---- maps

int32_t tc_tensor_maps_exist(void)
{
    return EMULATOR_CAPABILITY == 90;
}

int32_t tc_make_tiled_map(tc_tensor_map *map, const tc_tiled_map *of)
{
    return fill(map, of, TILED);
}

int32_t tc_make_im2col_map(tc_tensor_map *map, const tc_im2col_map *of)
{
    emulated_map *to = (emulated_map *)map;

    if (!fill(map, &of->tensor, PIXELS) || of->channels * to->size != TC_LINE_BYTES ||
        of->pixels > 1024)
        return 0;
    to->box[0] = of->channels;
    to->box[1] = of->pixels;
    for (int32_t d = 0; d < 2; d++) {
        to->lower[d] = of->lower[d];
        to->upper[d] = of->upper[d];
        to->step[d] = of->step[d];
        if (!is_corner(of->lower[d]) || !is_corner(of->upper[d]) || of->step[d] < 1 ||
            of->step[d] > 8)
            return 0;
    }
    return 1;
}

int32_t tc_bind_map(tc_tensor_map *map, const void *address)
{
    ((emulated_map *)map)->address = (const char *)address;
    return (uintptr_t)address % TC_MAP_ALIGNMENT == 0;
}

void tc_tma_load(uint32_t to, const tc_tensor_map *map, uint32_t barrier, int32_t x, int32_t y,
                 int32_t z, int32_t u)
{
    const emulated_map from = map_at(map, TILED);

    barrier_at(barrier).copies.push_back([=] {
        int32_t at[TC_MAP_DIMS];
        uint32_t line = to;

        for (at[3] = u; at[3] < u + from.box[3]; at[3]++)
            for (at[2] = z; at[2] < z + from.box[2]; at[2]++)
                for (at[1] = y; at[1] < y + from.box[1]; at[1]++, line += TC_LINE_BYTES)
                    for (at[0] = x; at[0] < x + from.box[0]; at[0]++)
                        bring(from, shared_at(from, line, at[0] - x), at);
        return (int64_t)(line - to);
    });
}

void tc_tma_load_im2col(uint32_t to, const tc_tensor_map *map, uint32_t barrier, int32_t c,
                        int32_t w, int32_t h, int32_t n, uint32_t w_offset, uint32_t h_offset)
{
    const emulated_map from = map_at(map, PIXELS);

    if (w_offset > 255 || h_offset > 255)
        emulator_fault("an offset of more than 8 bits");
    barrier_at(barrier).copies.push_back([=] {
        int32_t walk[3] = {w, h, n};
        uint32_t line = to;

        for (int32_t pixel = 0; pixel < from.box[1]; pixel++, line += TC_LINE_BYTES) {
            for (int32_t i = 0; i < from.box[0]; i++) {
                int32_t at[TC_MAP_DIMS] = {c + i, walk[0] + (int32_t)w_offset,
                                           walk[1] + (int32_t)h_offset, walk[2]};

                bring(from, shared_at(from, line, i), at);
            }
            next_pixel(from, walk);
        }
        return (int64_t)(line - to);
    });
}

// Checks the length of rows. The device wrote past the end of rows with an odd number of halves.
static void check_row(const emulated_map &to)
{
    if (to.size * to.dims[0] % TC_MAP_ALIGNMENT != 0)
        emulator_fault("a store of rows that do not end at a multiple of 16 bytes");
}

void tc_tma_store(const tc_tensor_map *map, uint32_t from, int32_t x, int32_t y, int32_t z,
                  int32_t u)
{
    const emulated_map to = map_at(map, TILED);

    if (from % TC_LINE_BYTES != 0)
        emulator_fault("a store from the middle of a line");
    check_row(to);
    work[threadIdx.x].stores.push_back([=] {
        int32_t at[TC_MAP_DIMS];
        uint32_t line = from;

        for (at[3] = u; at[3] < u + to.box[3]; at[3]++)
            for (at[2] = z; at[2] < z + to.box[2]; at[2]++)
                for (at[1] = y; at[1] < y + to.box[1]; at[1]++, line += TC_LINE_BYTES)
                    for (at[0] = x; at[0] < x + to.box[0]; at[0]++) {
                        char *element_at = (char *)element(to, at);

                        if (element_at)
                            memcpy(element_at, shared_at(to, line, at[0] - x), (size_t)to.size);
                    }
    });
}

// Stores by a map of two dims.
void tc_tma_store(const tc_tensor_map *map, uint32_t from, int32_t x, int32_t y)
{
    tc_tma_store(map, from, x, y, 0, 0);
}

void tc_tma_store_im2col(const tc_tensor_map *map, uint32_t from, int32_t c, int32_t w, int32_t h,
                         int32_t n)
{
    const emulated_map to = map_at(map, PIXELS);

    if (to.lower[0] || to.lower[1] || to.upper[0] || to.upper[1])
        emulator_fault("a store by a map with corners");
    check_row(to);
    work[threadIdx.x].stores.push_back([=] {
        int32_t walk[3] = {w, h, n};

        for (int32_t pixel = 0; pixel < to.box[1]; pixel++, next_pixel(to, walk))
            for (int32_t i = 0; i < to.box[0]; i++) {
                int32_t at[TC_MAP_DIMS] = {c + i, walk[0], walk[1], walk[2]};
                char *element_at = (char *)element(to, at);

                if (element_at)
                    memcpy(element_at, shared_at(to, from + (uint32_t)pixel * TC_LINE_BYTES, i),
                           (size_t)to.size);
            }
    });
}

void emulator_store_wait(int left)
{
    std::deque<std::function<void()>> &stores = work[threadIdx.x].stores;

    for (; stores.size() > (size_t)left; stores.pop_front())
        stores.front()();
}

// ---- products

void emulator_wgmma(float (*load)(uint16_t bits), float *d, int n, int a_lines, int b_lines,
                    uint64_t a, uint64_t b, int32_t adds)
{
    work[threadIdx.x].open.products.push_back(
        {load, d, n, a_lines, b_lines, a, b, adds, false, {}});
}

void emulator_wgmma_rs(float *d, int n, const uint32_t a[4], uint64_t b, int32_t adds)
{
    typedef uint32_t fragment[4];
    const fragment *all = (const fragment *)emulator_warp_share(a, sizeof(fragment));
    unsigned row = threadIdx.x % EMULATOR_WARP / 4;
    product one = {nullptr, d, n, 0, 0, 0, b, adds, true, {}};

    for (unsigned half = 0; half < 2; half++)
        for (unsigned t = 0; t < 4; t++) {
            cut_word(all[row * 4 + t][half], &one.rows[half][t]);
            cut_word(all[row * 4 + t][2 + half], &one.rows[half][4 + t]);
        }
    work[threadIdx.x].open.products.push_back(one);
}

void emulator_wgmma(int x_is_signed, int32_t *d, int n, uint64_t a, uint64_t b, int32_t adds)
{
    work[threadIdx.x].open.integers.push_back({x_is_signed, d, n, a, b, adds});
}

void tc_wgmma_commit()
{
    thread_work &mine = work[threadIdx.x];

    mine.groups.push_back(std::move(mine.open));
    mine.open = {};
}

void emulator_wgmma_wait(int left)
{
    thread_work &mine = work[threadIdx.x];

    for (; mine.groups.size() > (size_t)left; mine.groups.pop_front()) {
        for (const product &one : mine.groups.front().products)
            multiply(one);
        for (const integer_product &one : mine.groups.front().integers)
            multiply(one);
    }
}

void tc_store_bytes(uint32_t to, uint32_t pair)
{
    uint16_t bytes = (uint16_t)pair;

    memcpy(emulator_shared_at(to), &bytes, sizeof bytes);
}

void tc_store_pair(uint32_t to, float first, float second)
{
    float pair[2] = {first, second};

    memcpy(emulator_shared_at(to), pair, sizeof pair);
}

void tc_stmatrix(uint32_t row, const uint32_t from[4])
{
    struct offer {
        uint32_t row, words[4];
    } mine = {row, {from[0], from[1], from[2], from[3]}};
    const offer *all = (const offer *)emulator_warp_share(&mine, sizeof mine);
    unsigned lane = threadIdx.x % EMULATOR_WARP;

    for (unsigned t = 0; t < 4; t++)
        memcpy(emulator_shared_at(row + 4 * t), &all[lane % 8 * 4 + t].words[lane / 8], 4);
}

void tc_stmatrix_trans(uint32_t column, const uint32_t from[4])
{
    struct offer {
        uint32_t words[4];
    } mine = {{from[0], from[1], from[2], from[3]}};
    const offer *all = (const offer *)emulator_warp_share(&mine, sizeof mine);
    unsigned lane = threadIdx.x % EMULATOR_WARP;

    for (unsigned row = 0; row < 8; row++) {
        uint32_t word = all[row * 4 + lane % 8 / 2].words[lane / 8];
        uint16_t bits = (uint16_t)(word >> lane % 2 * 16);

        memcpy(emulator_shared_at(column + 2 * row), &bits, 2);
    }
}
