/* SPDX-License-Identifier: Apache-2.0 */
/* Warns of forward convolutions that applications' algorithms pass over. */
#include "tools/verify/checks/target.h"

#include <stdio.h>

#include "problem/operation.h"
#include "problem/problem.h"

static void add_algorithms(const struct verify_target *target, const struct verify_sample *sample,
                           uint32_t *numbers)
{
    struct anydnn_plugin_problem view;
    struct verify_offers offers;

    adn_problem_view(sample->problem, 0, &view);
    verify_ask(target, target->context, &view, &offers);
    for (int i = 0; i < offers.count; i++)
        if (offers.candidate[i].algorithm >= 0)
            *numbers |= UINT32_C(1) << offers.candidate[i].algorithm;
}

void verify_algorithms(const struct verify_target *target, const struct verify_sample *few,
                       const struct verify_sample *many, struct verify_finding *warning)
{
    uint32_t numbers = 0;
    char what[60] = "no algorithm number";
    int number = 0;

    if (few->problem == NULL || few->problem->operation != ANYDNN_PLUGIN_CONVOLUTION_FORWARD)
        return;
    add_algorithms(target, few, &numbers);
    add_algorithms(target, many, &numbers);
    if ((numbers & (numbers - 1)) != 0)
        return;
    while (numbers >> number > 1)
        number++;
    if (numbers != 0)
        snprintf(what, sizeof(what), "algorithm number %d (%s) alone", number,
                 adn_problem_algorithm_name(ANYDNN_PLUGIN_CONVOLUTION_FORWARD, number));
    verify_note(warning, "algorithm",
                "it offers forward convolutions under %s: a call that names another algorithm "
                "passes it over if a later backend of the route offers that one; offer an engine "
                "under each number that it can serve",
                what);
}
