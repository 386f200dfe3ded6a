/* SPDX-License-Identifier: Apache-2.0 */
/* The route's word `fastest`: the candidates of its backends are timed when the first plan of a
 * problem is made, and the fastest one is the choice. */
#ifndef ADN_DISPATCH_AUTOTUNE_FASTEST_H
#define ADN_DISPATCH_AUTOTUNE_FASTEST_H

#include "dispatch/autotune/search.h"

/* What came of it. */
enum adn_fastest {
    ADN_FASTEST_NONE,  /* the route does not ask for it, or there is nothing to time: the order of
                          the route decides */
    ADN_FASTEST_TIMED, /* the plan of the fastest one, held once by the caller */
    ADN_FASTEST_FOUND, /* another thread timed it meanwhile: the tuning file tells */
    ADN_FASTEST_LATER, /* nothing may be timed now (a recording, a capture): the order of the route
                          decides for this call alone */
    ADN_FASTEST_FAILED /* the device is lost */
};

/* Times at most `tune_limit` long, on operands and, where the space makes streams, a stream of its
 * own, one problem at a time on a device, and keeps the time in the tuning file. */
enum adn_fastest adn_fastest_plan(const char *entry, anydnnHandle_t handle,
                                  const struct adn_problem *problem, struct adn_plan **plan);

#endif
