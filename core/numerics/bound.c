/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds for the error that rounding alone may cause: for sums of products in any order, and the
 * norm-wise bound for transform algorithms. */
#include "numerics/numerics.h"

#include <math.h>

#include <anydnn/plugin.h>

/* Returns the largest error of the computation before its result is stored. */
static double error_before_store(const struct adn_bound *bound, double sum, double squares)
{
    int compute = adn_type_digits(bound->compute);
    /* Integer accumulation is exact; its result is scaled in float. */
    double unit = ldexp(1, 1 - (compute > 0 ? compute : 24));
    /* A term below the least normal number has an error of at most half the least number, and
     * adding such terms adds no error. */
    double small = compute > 0 ? 0.5 * bound->terms * adn_type_least(bound->compute) : 0;

    return (8 + 0.5 * sqrt(bound->terms) + bound->splits) * unit * sum + small +
           4 * bound->rounding * sqrt(squares);
}

double adn_bound_error(const struct adn_bound *bound, double want, double sum, double squares)
{
    int digits = adn_type_digits(bound->type);
    double half = digits > 0 ? ldexp(1, -digits) * fabs(want) : 0.5;
    double least = digits > 0 ? adn_type_least(bound->type) : 0;
    double error = half + error_before_store(bound, sum, squares) + least;

    return bound->type == ANYDNN_PLUGIN_DOUBLE ? 2 * error : error;
}

int adn_bound_holds(const struct adn_bound *bound, double got, double want, double sum,
                    double squares)
{
    double nearest = adn_type_round(bound->type, want);
    double before;

    if (isnan(want) && adn_type_digits(bound->type) > 0)
        return isnan(got);
    if (isnan(got))
        return 0;
    if (got == want || nearest == got)
        return 1;
    if (isinf(want) || isnan(want))
        return 0;
    if (adn_type_digits(bound->type) > 0 && isfinite(got) && isfinite(nearest))
        return fabs(got - want) <= adn_bound_error(bound, want, sum, squares);
    before = error_before_store(bound, sum, squares);
    return got >= adn_type_round(bound->type, want - before) &&
           got <= adn_type_round(bound->type, want + before);
}

double adn_bound_transform(int32_t type, double positions)
{
    int digits = adn_type_digits(type);
    double limit = digits >= 53 ? 2e-5 * ldexp(1, 24 - 53) : digits >= 24 ? 2e-5 : 7e-3;
    double growth = positions > 0 ? pow(10, 0.4 * log10(0.125 * positions)) : 1;

    /* bfloat16 has three bits fewer than half, for which the limit was measured. */
    if (digits == 8)
        limit *= 8;
    return growth > 1 ? limit * growth : limit;
}
