/* SPDX-License-Identifier: Apache-2.0 */
/* Accumulates the distribution of an error over many elements: its direction and its sizes. */
#include "numerics/numerics.h"

#include <math.h>
#include <string.h>

/* ---- sizes */

/* Returns the bucket of a size. Bucket k holds the sizes in [1 + k % STEPS / STEPS, 1 + (k % STEPS
 * + 1) / STEPS) times 2^(LEAST + k / STEPS). */
static int bucket_of(double size)
{
    int exponent;
    double digits = 2 * frexp(size, &exponent) - 1;
    int power = exponent - 1 - ADN_SPREAD_LEAST;

    if (power < 0)
        return 0;
    if (power >= ADN_SPREAD_POWERS)
        return ADN_SPREAD_POWERS * ADN_SPREAD_STEPS - 1;
    return power * ADN_SPREAD_STEPS + (int)(digits * ADN_SPREAD_STEPS);
}

static double upper_edge(int bucket)
{
    int step = bucket % ADN_SPREAD_STEPS + 1;

    return ldexp(1 + (double)step / ADN_SPREAD_STEPS, ADN_SPREAD_LEAST + bucket / ADN_SPREAD_STEPS);
}

void adn_spread_add(struct adn_spread *spread, double size)
{
    spread->count++;
    spread->largest = fmax(spread->largest, size);
    if (size > 0)
        spread->at[bucket_of(size)]++;
    else
        spread->zeros++;
}

double adn_spread_quantile(const struct adn_spread *spread, double part)
{
    double wanted = ceil(part * (double)spread->count);
    int64_t below = spread->zeros;

    if ((double)below >= wanted)
        return 0;
    for (int i = 0; i < ADN_SPREAD_POWERS * ADN_SPREAD_STEPS - 1; i++) {
        below += spread->at[i];
        if ((double)below >= wanted)
            return fmin(upper_edge(i), spread->largest);
    }
    return spread->largest;
}

int64_t adn_spread_power(const struct adn_spread *spread, int power)
{
    const int64_t *at = &spread->at[(power - ADN_SPREAD_LEAST) * ADN_SPREAD_STEPS];
    int64_t count = 0;

    for (int i = 0; i < ADN_SPREAD_STEPS; i++)
        count += at[i];
    return count;
}

/* ---- all statistics */

void adn_statistics_begin(struct adn_statistics *statistics)
{
    memset(statistics, 0, sizeof(*statistics));
    adn_measure_begin(&statistics->measure);
}

void adn_statistics_add(struct adn_statistics *statistics, int32_t type, double got, double want)
{
    double nearest = adn_type_round(type, want);

    if (adn_type_digits(type) == 0 || (isinf(got) && got == nearest))
        want = nearest;
    adn_measure_add(&statistics->measure, type, got, want);
    statistics->not_finite += !isfinite(got);
    if (!isfinite(got) || !isfinite(want))
        return;
    adn_spread_add(&statistics->ulps, adn_ulp_distance(type, got, want));
    statistics->sum_error += got - want;
    statistics->sum_outward += want < 0 ? want - got : got - want;
    statistics->want_sum += fabs(want);
}

static double relative(double error, double size)
{
    if (error == 0)
        return 0;
    return size > 0 ? error / size : copysign(INFINITY, error);
}

double adn_statistics_bias(const struct adn_statistics *statistics)
{
    return relative(statistics->sum_error, statistics->want_sum);
}

double adn_statistics_outward(const struct adn_statistics *statistics)
{
    return relative(statistics->sum_outward, statistics->want_sum);
}
