/* SPDX-License-Identifier: Apache-2.0 */
/* The route's keyword `fastest`: the candidates of its backends are timed when the first plan of a
 * problem is made. The fastest one is the choice. */
#ifndef ADN_DISPATCH_AUTOTUNE_FASTEST_H
#define ADN_DISPATCH_AUTOTUNE_FASTEST_H

#include "dispatch/autotune/search.h"

/* The results of a contest. */
enum adn_fastest {
    ADN_FASTEST_NONE,  /* nothing was timed; the order of the route decides */
    ADN_FASTEST_TIMED, /* the fastest candidate was picked, with its plan */
    ADN_FASTEST_FOUND, /* another thread timed it meanwhile; the choice is in the tuning file */
    ADN_FASTEST_LATER, /* timing is impossible now (a recording or capture); the order of the route
                          decides for this call alone */
    ADN_FASTEST_LOST   /* the device is lost */
};

/* Times the offers of the list for at most `tune_limit`, and stores the result in the tuning file.
 * The runs use operands of their own, and a stream of their own if the space can create streams. A
 * device has one contest at a time. With `dry` nothing is timed. *reason says why nothing was
 * timed. */
enum adn_fastest adn_fastest_pick(struct adn_offers *offers, const char *entry, int dry,
                                  struct adn_pick *pick, const char **reason);

#endif
