/* SPDX-License-Identifier: Apache-2.0 */
/* A handle whose calls are shadowed or checked. */
#ifndef ADN_SHADOW_WATCH_H
#define ADN_SHADOW_WATCH_H

#include <stdint.h>
#include <time.h>

#include "dispatch/handle/handle.h"
#include "dispatch/plan/plan.h"
#include "problem/problem.h"
#include "settings/section_values.h"
#include "settings/settings.h"
#include "shadow/block.h"
#include "shadow/findings.h"
#include "shadow/referee.h"

/* The state of shadow and checks on a handle. */
struct adn_watch {
    struct adn_hook hook;
    anydnnHandle_t handle;
    struct adn_findings findings;

    struct adn_settings *shadow; /* [shadow] of this handle */
    struct adn_sample sample;
    uint64_t operations;
    double bound;
    double budget;
    struct adn_referee referee;
    struct adn_backlog backlog;
    struct timespec began;
    uint64_t random;
    int told_wait;

    struct adn_settings *check; /* [check] of this handle */
    uint32_t values;
    uint64_t check_operations;
    uint32_t told_values;
    void *counts; /* in the device's memory; NULL before the first use */
    uint64_t counts_fork;
};

/* A plan that is shadowed. */
struct adn_shadowed {
    struct adn_wrap wrap;
    struct adn_plan *plan;
    struct adn_watch *watch;
    uint64_t calls;
    int reported; /* 1 after its first mismatch was reported */
};

/* Collects the factors of a call. */
void adn_watch_factors(const struct adn_plan *plan, const struct anydnn_plugin_operands *operands,
                       struct adn_values *values);
/* Returns the microseconds between two times. */
double adn_watch_between(const struct timespec *from, const struct timespec *to);

#endif
