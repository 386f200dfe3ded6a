/* SPDX-License-Identifier: Apache-2.0 */
/* The counter-based generator Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3" (SC 2011). */
#ifndef KIT_PHILOX_H
#define KIT_PHILOX_H

#include <stdint.h>

#define KIT_PHILOX_ROUNDS 10

#ifdef __CUDACC__
#define KIT_HOST_DEVICE __host__ __device__
#else
#define KIT_HOST_DEVICE
#endif

/* Computes the four words for a counter and a key. */
KIT_HOST_DEVICE static inline void kit_philox(const uint32_t counter[4], const uint32_t key[2],
                                              uint32_t word[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];

    for (int round = 0; round < KIT_PHILOX_ROUNDS; round++) {
        uint64_t a = UINT64_C(0xd2511f53) * c0;
        uint64_t b = UINT64_C(0xcd9e8d57) * c2;

        c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)b;
        c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)a;
        k0 += UINT32_C(0x9e3779b9);
        k1 += UINT32_C(0xbb67ae85);
    }
    word[0] = c0;
    word[1] = c1;
    word[2] = c2;
    word[3] = c3;
}

#endif
