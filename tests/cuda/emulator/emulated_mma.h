/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Emulates the instructions of plugins/cuda_tensorcore/common/mma.h on the host's processor.
 * Fragments have the layout of the PTX manual, and lanes exchange their contents. Copies arrive
 * only when a thread waits for them.
 */
#ifndef EMULATOR_EMULATED_MMA_H
#define EMULATOR_EMULATED_MMA_H

#include <cuda_runtime.h>

/* Capability 7.5 has no asynchronous copies. */
#define TC_CAPABILITY   EMULATOR_CAPABILITY
#define TC_HAS_CP_ASYNC (TC_CAPABILITY >= 80)

/* Dynamic shared memory, with the contents that the previous block left. */
#define TC_SHARED(name) uint4 *const name = (uint4 *)emulator_shared()

/* Returns the bytes that all lanes of a warp pass, lane by lane. Each of the 32 lanes must call it
 * with the same `bytes`. The result stays valid until the lane's next call but one. */
const void *emulator_warp_share(const void *mine, size_t bytes);

/* Addresses of shared memory are offsets in it. */
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

static inline const void *tc_address(const void *from, int32_t count, int32_t bytes)
{
    return (const char *)from + (int64_t)count * bytes;
}

static inline void tc_copy(void *to, const void *from, bool inside)
{
    emulator_copy(to, from, inside);
}

static inline void tc_copy(uint32_t to, const void *from, bool inside)
{
    emulator_copy(emulator_shared_at(to), from, inside);
}

static inline void tc_cp_async_commit()
{
    emulator_copy_commit();
}

template <int LEFT> static inline void tc_cp_async_wait()
{
    emulator_copy_wait(LEFT);
}

static inline void tc_ldmatrix(uint32_t to[4], const void *row)
{
    const char *const *rows = (const char *const *)emulator_warp_share(&row, sizeof row);
    unsigned lane = threadIdx.x % EMULATOR_WARP;

    for (unsigned i = 0; i < 4; i++) {
        const uint4 line = *(const uint4 *)rows[8 * i + lane / 4];

        memcpy(&to[i], (const char *)&line + lane % 4 * 4, 4);
    }
}

static inline void tc_ldmatrix_trans(uint32_t to[4], const void *row)
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

static inline void tc_ldmatrix(uint32_t to[4], uint32_t row)
{
    tc_ldmatrix(to, emulator_shared_at(row));
}

static inline void tc_ldmatrix_trans(uint32_t to[4], uint32_t row)
{
    tc_ldmatrix_trans(to, emulator_shared_at(row));
}

static inline uint32_t tc_load_word(uint32_t address)
{
    return *(const uint32_t *)emulator_shared_at(address);
}

static inline void tc_load_pair(uint32_t to[2], uint32_t address)
{
    const uint2 pair = *(const uint2 *)emulator_shared_at(address);

    memcpy(to, &pair, sizeof pair);
}

static inline uint32_t tc_round_tf32(uint32_t bits)
{
    return (bits & 0x7f800000) == 0x7f800000 ? bits : bits + 0x1000;
}

template <class E> static inline uint32_t tc_round_pair(E, float first, float second)
{
    E low, high;

    cuda_store(&low, first);
    cuda_store(&high, second);
    return low.bits | (uint32_t)high.bits << 16;
}

/* Returns element i of a word of a fragment. */
static inline float emulator_operand(tc_half, uint32_t word, int i)
{
    return cuda_load(cuda_half{(uint16_t)(word >> 16 * i)});
}

static inline float emulator_operand(tc_bfloat16, uint32_t word, int i)
{
    return cuda_load(cuda_bfloat16{(uint16_t)(word >> 16 * i)});
}

/* Returns the element truncated, as matrix units do. Callers that need rounding round it before. */
static inline float emulator_operand(tc_tf32, uint32_t word, int)
{
    return cuda_float_of(word & ~UINT32_C(0x1fff));
}

/* Returns element i of a word of the first or the second operand. */
template <bool FIRST, class M> static inline float emulator_number(M, uint32_t word, int i)
{
    return emulator_operand(M(), word, i);
}

template <bool FIRST, int X, int OTHER>
static inline int32_t emulator_number(tc_integers<X, OTHER>, uint32_t word, int i)
{
    uint8_t bits = (uint8_t)(word >> 8 * i);

    return (FIRST ? X : OTHER) ? (int8_t)bits : bits;
}

/* Returns the sum of `before` and `count` products as matrix units compute it, truncated instead of
 * rounded. Each term is truncated one bit below the last bit of the largest term. The sum loses the
 * bits that a float cannot hold. */
static inline float emulator_add(float before, const float *a, const float *b, int count)
{
    double terms[1 + 8 * 4] = {before}, largest = fabs(before), sum = before, scale;
    float cut;
    int bits;

    for (int i = 0; i < count; i++) {
        terms[1 + i] = (double)a[i] * b[i];
        sum += terms[1 + i];
        largest = fabs(terms[1 + i]) > largest ? fabs(terms[1 + i]) : largest;
    }
    if (!isfinite(sum) || largest == 0)
        return (float)sum;
    (void)frexp(largest, &bits);
    scale = ldexp(1, 25 - bits);
    sum = 0;
    for (int i = 0; i <= count; i++)
        sum += (double)(int64_t)(terms[i] * scale);
    sum /= scale;
    cut = (float)sum;
    return fabs((double)cut) > fabs(sum) ? nextafterf(cut, 0) : cut;
}

/* Returns the sum of integers, which wrap. */
static inline int32_t emulator_add(int32_t before, const int32_t *a, const int32_t *b, int count)
{
    uint32_t sum = (uint32_t)before;

    for (int i = 0; i < count; i++)
        sum += (uint32_t)(a[i] * b[i]);
    return (int32_t)sum;
}

template <class M, int FRAGS_M, int FRAGS_N>
static inline void tc_mma_units(typename M::sum (&c)[FRAGS_M][FRAGS_N][4],
                                const uint32_t (&a)[FRAGS_M][4], const uint32_t (&b)[FRAGS_N][2])
{
    typedef typename M::sum number;
    const int numbers = 4 / sizeof(typename M::element), terms = 8 * numbers;
    /* The half of each row of A and each column of B whose words this lane holds. */
    struct operands {
        number a[FRAGS_M * 2][2 * numbers], b[FRAGS_N][2 * numbers];
        uint32_t some_a[FRAGS_M * 2], some_b[FRAGS_N]; /* 0 if all are 0 */
    } mine;
    unsigned lane = threadIdx.x % EMULATOR_WARP;

    for (int half = 0; half < 2; half++)
        for (int k = 0; k < numbers; k++) {
            for (int i = 0; i < FRAGS_M * 2; i++)
                mine.a[i][half * numbers + k] =
                    emulator_number<true>(M(), a[i / 2][half * 2 + i % 2], k);
            for (int j = 0; j < FRAGS_N; j++)
                mine.b[j][half * numbers + k] = emulator_number<false>(M(), b[j][half], k);
        }
    for (int i = 0; i < FRAGS_M * 2; i++)
        mine.some_a[i] = a[i / 2][i % 2] | a[i / 2][2 + i % 2];
    for (int j = 0; j < FRAGS_N; j++)
        mine.some_b[j] = b[j][0] | b[j][1];
    const operands *all = (const operands *)emulator_warp_share(&mine, sizeof mine);
    for (int n = 0; n < 4; n++) {
        /* Number n belongs to row g or g + 8 and to column 2 t or 2 t + 1. */
        const operands *row = all + lane / 4 * 4, *column = all + (lane % 4 * 2 + n % 2) * 4;

        for (int i = 0; i < FRAGS_M; i++)
            for (int j = 0; j < FRAGS_N; j++) {
                number x[terms], other[terms];
                uint32_t some_a = 0, some_b = 0;

                for (int word = 0; word < 4; word++) {
                    some_a |= row[word].some_a[i * 2 + n / 2];
                    some_b |= column[word].some_b[j];
                }
                if (tc_is_integer<M>() && (!some_a || !some_b))
                    continue;
                for (int word = 0; word < 4; word++)
                    for (int k = 0; k < 2 * numbers; k++) {
                        x[word * 2 * numbers + k] = row[word].a[i * 2 + n / 2][k];
                        other[word * 2 * numbers + k] = column[word].b[j][k];
                    }
                c[i][j][n] = emulator_add(c[i][j][n], x, other, terms);
            }
    }
}

#endif
