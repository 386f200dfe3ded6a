/* SPDX-License-Identifier: Apache-2.0 */
/* The handle on which the reference runs a call again. */
#ifndef ADN_SHADOW_REFEREE_H
#define ADN_SHADOW_REFEREE_H

#include <stdint.h>

#include "dispatch/handle/handle.h"
#include "judge/element.h"
#include "judge/oracle.h"
#include "problem/problem.h"
#include "settings/section_values.h"

/* A referee. */
struct adn_referee {
    anydnnHandle_t outer;
    anydnnHandle_t handle; /* runs the reference; NULL before the first use */
    void *stream;          /* of that handle, if its space makes streams */
    struct adn_store {
        void *memory;
        uint64_t bytes;
    } store[ADN_SLOTS + 1]; /* memory of the device that later runs reuse: operands, workspace */
    uint64_t fork_number;
    struct adn_reference wanted;
    char name[ANYDNN_PLUGIN_NAME_MAX + 1]; /* of the backend, once there is a handle */
    const struct adn_problem *problem;     /* of the call */
    int narrow;                            /* 1 if the last run used the problem's own types */
    struct adn_method method;              /* of that run */
    char why[400];                         /* the reason if there is no handle */
};

/* Makes the handle if there is none. Returns 0, or -1 with `why`. */
int adn_referee_open(struct adn_referee *referee);
/* Destroys the handle and its memory. */
void adn_referee_close(struct adn_referee *referee);
/* Returns memory to the device. */
void adn_referee_drop(const struct adn_referee *referee, struct adn_store *store);
/* Makes an oracle that runs on the referee. Its `run` is NULL if the referee has no handle. */
void adn_referee_oracle(struct adn_referee *referee, struct adn_oracle *oracle);

#endif
