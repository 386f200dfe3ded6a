/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What plugins/cuda_tensorcore/mma.h asks of a GPU, on the host's processor. Fragments lie as PTX
 * describes them, lanes give each other what they hold, and copies arrive no sooner than they are
 * waited for.
 */
#ifndef EMULATOR_EMULATED_MMA_H
#define EMULATOR_EMULATED_MMA_H

#include <cuda_runtime.h>

/* 75 has no copies that go on by themselves. */
#define TC_CAPABILITY EMULATOR_CAPABILITY
#define TC_COPIES     (TC_CAPABILITY >= 80)

#define TC_SHARED(name) uint4 *const name = (uint4 *)emulator_shared()

/* Shared memory asked for at the launch, as it was left by whoever had it before. */
void *emulator_shared();

/* Every lane of a warp hands over so many bytes and gets those of all, lane by lane; all 32 call
 * it. They stay until the lane's next but one call. */
const void *emulator_warp_share(const void *mine, size_t bytes);

/* Addresses of shared memory are places in it. */
static inline uint32_t tc_shared_address(const void *pointer)
{
    return (uint32_t)((const char *)pointer - (const char *)emulator_shared());
}

static inline char *emulator_shared_at(uint32_t address)
{
    return (char *)emulator_shared() + address;
}

void emulator_copy(void *to, const void *from, bool inside);
void emulator_copy_commit();
void emulator_copy_wait(int left);

static inline void tc_copy(void *to, const void *from, bool inside)
{
    emulator_copy(to, from, inside);
}

static inline void tc_copy(uint32_t to, const void *from, bool inside)
{
    emulator_copy(emulator_shared_at(to), from, inside);
}

static inline void tc_copy_commit()
{
    emulator_copy_commit();
}

template <int LEFT> static inline void tc_copy_wait()
{
    emulator_copy_wait(LEFT);
}

static inline void tc_load_matrices(uint32_t to[4], const void *row)
{
    const char *const *rows = (const char *const *)emulator_warp_share(&row, sizeof row);
    unsigned lane = threadIdx.x % EMULATOR_WARP;

    for (unsigned i = 0; i < 4; i++) {
        const uint4 line = *(const uint4 *)rows[8 * i + lane / 4];

        memcpy(&to[i], (const char *)&line + lane % 4 * 4, 4);
    }
}

static inline void tc_load_transposed(uint32_t to[4], const void *row)
{
    const char *const *rows = (const char *const *)emulator_warp_share(&row, sizeof row);
    unsigned lane = threadIdx.x % EMULATOR_WARP;

    for (unsigned i = 0; i < 4; i++) {
        uint16_t pair[2];

        for (unsigned j = 0; j < 2; j++)
            memcpy(&pair[j], rows[8 * i + lane % 4 * 2 + j] + lane / 4 * 2, 2);
        memcpy(&to[i], pair, 4);
    }
}

static inline void tc_load_matrices(uint32_t to[4], uint32_t row)
{
    tc_load_matrices(to, emulator_shared_at(row));
}

static inline void tc_load_transposed(uint32_t to[4], uint32_t row)
{
    tc_load_transposed(to, emulator_shared_at(row));
}

static inline uint32_t tc_load_word(uint32_t address)
{
    return *(const uint32_t *)emulator_shared_at(address);
}

static inline uint32_t tc_round_tf32(uint32_t bits)
{
    return (bits & 0x7f800000) == 0x7f800000 ? bits : (bits + 0x1000) & ~UINT32_C(0x1fff);
}

template <class E> static inline uint32_t tc_round_pair(E, float first, float second)
{
    E low, high;

    cuda_store(&low, first);
    cuda_store(&high, second);
    return low.bits | (uint32_t)high.bits << 16;
}

/* Number i of a word of a fragment. */
static inline float emulator_operand(tc_half, uint32_t word, int i)
{
    return cuda_load(cuda_half{(uint16_t)(word >> 16 * i)});
}

static inline float emulator_operand(tc_bfloat16, uint32_t word, int i)
{
    return cuda_load(cuda_bfloat16{(uint16_t)(word >> 16 * i)});
}

/* Cut off, as matrix units do: who wants it rounded rounds it before. */
static inline float emulator_operand(tc_tf32, uint32_t word, int)
{
    return cuda_float_of(word & ~UINT32_C(0x1fff));
}

/* Products of two operands are exact in float. */
template <class M, int ROWS, int COLUMNS>
static inline void tc_multiply_all(float (&c)[ROWS][COLUMNS][4], const uint32_t (&a)[ROWS][4],
                                   const uint32_t (&b)[COLUMNS][2])
{
    const int numbers = 4 / sizeof(typename M::element);
    struct operands {
        float a[ROWS][4][numbers], b[COLUMNS][2][numbers];
    } mine;
    unsigned lane = threadIdx.x % EMULATOR_WARP;

    for (int k = 0; k < numbers; k++) {
        for (int i = 0; i < ROWS * 4; i++)
            mine.a[i / 4][i % 4][k] = emulator_operand(M(), a[i / 4][i % 4], k);
        for (int j = 0; j < COLUMNS * 2; j++)
            mine.b[j / 2][j % 2][k] = emulator_operand(M(), b[j / 2][j % 2], k);
    }
    const operands *all = (const operands *)emulator_warp_share(&mine, sizeof mine);
    for (int n = 0; n < 4; n++) {
        /* Row g or g + 8, column 2 t or 2 t + 1. */
        const operands *row = all + lane / 4 * 4, *column = all + (lane % 4 * 2 + n % 2) * 4;

        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++) {
                double sum = c[i][j][n];

                for (int word = 0; word < 8; word++)
                    for (int k = 0; k < numbers; k++)
                        sum += (double)(row[word % 4].a[i][word / 4 * 2 + n / 2][k] *
                                        column[word % 4].b[j][word / 4][k]);
                c[i][j][n] = (float)sum;
            }
    }
}

#endif
