/* SPDX-License-Identifier: Apache-2.0 */
/* The route's word `fastest`: the candidates of its backends are timed when the first plan of a
 * problem is made, and the fastest one is the choice. */
#ifndef ADN_DISPATCH_AUTOTUNE_FASTEST_H
#define ADN_DISPATCH_AUTOTUNE_FASTEST_H

#include "dispatch/autotune/search.h"

/* What came of it. */
enum adn_fastest {
    ADN_FASTEST_NONE,  /* nothing is timed: the order of the route decides */
    ADN_FASTEST_TIMED, /* the fastest one, with its plan */
    ADN_FASTEST_FOUND, /* another thread timed it meanwhile: the tuning file tells */
    ADN_FASTEST_LATER, /* nothing may be timed now (a recording, a capture): the order of the route
                          decides for this call alone */
    ADN_FASTEST_LOST   /* the device is lost */
};

/* Times what the list offers, at most `tune_limit` long, on operands and, where the space makes
 * streams, a stream of its own, one problem at a time on a device, and keeps the time in the tuning
 * file. With `dry` nothing is timed. The reason why nothing was goes to *reason. */
enum adn_fastest adn_fastest_pick(struct adn_offers *offers, const char *entry, int dry,
                                  struct adn_pick *pick, const char **reason);

#endif
