/* SPDX-License-Identifier: Apache-2.0 */
/* Memory in which a trial runs: it shows writes outside, and holds NaN before each run. */
#ifndef ADN_DISPATCH_AUTOTUNE_GUARDED_H
#define ADN_DISPATCH_AUTOTUNE_GUARDED_H

#include "dispatch/autotune/bench_env.h"

/* Memory of the device between two guard zones. */
struct adn_guarded {
    void *memory; /* behind the first zone */
    uint64_t bytes;
};

/* Makes memory of that size, unless there is some. Returns 0 or -1. */
int adn_guarded_make(const struct adn_bench_env *env, struct adn_guarded *guarded, uint64_t bytes);
void adn_guarded_drop(const struct adn_bench_env *env, struct adn_guarded *guarded);
/* Fills the zones, and poisons what lies between them. Returns 0 or a status. */
int32_t adn_guarded_poison(const struct adn_bench_env *env, const struct adn_guarded *guarded);
/* Looks for the first byte of a zone that changed. Returns 1 if there is one, with its distance
 * from the memory that the zone guards. */
int adn_guarded_is_hurt(const struct adn_bench_env *env, const struct adn_guarded *guarded,
                        int *distance);
/* Copies bytes of the device to the host, in the order of the search's stream. */
int32_t adn_bench_env_fetch(const struct adn_bench_env *env, void *to, const void *from,
                            uint64_t bytes);

#endif
