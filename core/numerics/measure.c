/* SPDX-License-Identifier: Apache-2.0 */
/* Accumulates error measures over two vectors, element by element. */
#include "numerics/numerics.h"

#include <math.h>
#include <string.h>

void adn_measure_begin(struct adn_measure *measure)
{
    memset(measure, 0, sizeof(*measure));
    measure->worst_at = -1;
}

void adn_measure_add(struct adn_measure *measure, int32_t type, double got, double want)
{
    double ulp = adn_ulp_distance(type, got, want);
    double error;

    measure->count++;
    if (isinf(ulp)) {
        measure->mismatches++;
        return;
    }
    if (!isfinite(want))
        return;
    error = fabs(got - want);
    if (error > measure->max_abs || measure->worst_at < 0) {
        measure->max_abs = error;
        measure->worst_at = measure->count - 1;
    }
    measure->max_ulp = fmax(measure->max_ulp, ulp);
    measure->sum_abs += error;
    measure->sum_ulp += ulp;
    measure->error_squares += error * error;
    measure->want_squares += want * want;
}

double adn_measure_mean_abs(const struct adn_measure *measure)
{
    int64_t counted = measure->count - measure->mismatches;

    return counted > 0 ? measure->sum_abs / (double)counted : 0;
}

double adn_measure_mean_ulp(const struct adn_measure *measure)
{
    int64_t counted = measure->count - measure->mismatches;

    return counted > 0 ? measure->sum_ulp / (double)counted : 0;
}

double adn_measure_relative_l2(const struct adn_measure *measure)
{
    if (measure->error_squares == 0)
        return 0;
    return measure->want_squares > 0 ? sqrt(measure->error_squares / measure->want_squares)
                                     : INFINITY;
}
