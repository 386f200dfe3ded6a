/* SPDX-License-Identifier: Apache-2.0 */
/* The environment in which a search runs its choices: marks, operands and workspace, either the
 * caller's or the search's own. */
#ifndef ADN_DISPATCH_AUTOTUNE_BENCH_ENV_H
#define ADN_DISPATCH_AUTOTUNE_BENCH_ENV_H

#include "dispatch/autotune/search.h"

struct adn_trial;

/* The bytes of an operand that are drawn. The rest of it repeats them. */
#define ADN_BENCH_ENV_DRAWN (256 * 1024)
/* The bytes around operands and workspace that a contender with a fault may overwrite. */
#define ADN_BENCH_ENV_GUARD 4096

struct adn_bench_env {
    struct adn_choices *choices;
    const struct anydnn_plugin_space *space;
    int32_t device;
    int own;                /* 1 if the operands are the search's own */
    int32_t sets, set;      /* number of own operand sets, and the index of the one in `operands` */
    void *first[ADN_SLOTS]; /* of each own operand, all sets in one block */
    void *marks[2];
    void *stream; /* created for the search; NULL: the runs use the handle's stream */
    struct anydnn_plugin_operands operands;
    struct adn_trial *trial; /* NULL: results are not judged */
    void *numbers;           /* drawn numbers of the type below, or NULL */
    int32_t numbers_type;
    uint64_t guard; /* ADN_BENCH_ENV_GUARD, or 0 if the settings forbid trials */
};

/* Allocates memory of the device with env->guard bytes on both sides. Returns 0 or a status. */
int32_t adn_bench_env_alloc(const struct adn_bench_env *env, uint64_t bytes, void **memory);
void adn_bench_env_release(const struct adn_bench_env *env, void *memory);

/* Makes marks, and the search's own operands if `given` is NULL. Under `fastest`, also creates a
 * stream if the space can, which waits for the work on the handle's stream. The caller must call
 * adn_bench_env_leave, whatever the status is. */
anydnnStatus_t adn_bench_env_enter(struct adn_bench_env *env, struct adn_choices *choices,
                                   const struct anydnn_plugin_operands *given);
/* Waits for the enqueued work and frees everything. */
void adn_bench_env_leave(struct adn_bench_env *env);

/* Provides a workspace of at least `bytes` if the search owns its memory. Returns 0 or -1. A
 * caller's workspace is not checked, since no choice needs more than it has. */
int adn_bench_env_workspace(struct adn_bench_env *env, uint64_t bytes);

/* Fails with the error of the space or of a backend as the search's message. */
anydnnStatus_t adn_bench_env_failed(const struct adn_bench_env *env, const char *what,
                                    int32_t result);

/* ---- operands.c */

/* Makes the search's own operands. Under `fastest` on a device there are several sets. No run may
 * find data of an earlier run in the cache, since an application runs other work between two calls.
 */
anydnnStatus_t adn_bench_env_operands(struct adn_bench_env *env);
void adn_bench_env_free_operands(struct adn_bench_env *env);

/* Switches to the next set, or to the first. */
void adn_bench_env_turn(struct adn_bench_env *env);
void adn_bench_env_first(struct adn_bench_env *env);

/* Returns the numbers that operands of a floating type hold at the beginning of the first set, up
 * to ADN_BENCH_ENV_DRAWN bytes of them, or NULL if memory is out. The caller frees them. */
double *adn_bench_env_drawn(struct adn_bench_env *env, int32_t type);

/* Restores the contents that in-place runs replaced in the search's own operands. Returns 0 or the
 * space's status. */
int32_t adn_bench_env_restore(struct adn_bench_env *env);

/* ---- runs.c */

/* Times a plan: the median of a few samples. Returns 0, or the status of the space or the backend.
 * One run suffices for a plan that, when warm, takes longer than `hopeless` microseconds (-1: no
 * limit). */
int32_t adn_bench_env_time(struct adn_bench_env *env, const struct adn_plan *plan, double hopeless,
                           double *microseconds);

#endif
