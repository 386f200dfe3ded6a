/* SPDX-License-Identifier: Apache-2.0 */
/* What came out of a run, element by element: against the reference, and against the other side. */
#include "tools/compare/compare.h"

#include <math.h>
#include <string.h>

#include "desc/names.h"
#include "judge/element.h"
#include "judge/rules.h"
#include "judge/subject.h"

/* ---- against the reference */

/* A transform algorithm rounds intermediate values, and is judged as a whole. */
static void judge_transform(const struct adn_subject *subject, int slot,
                            struct compare_errors *errors)
{
    const struct adn_measure *measure = &errors->statistics.measure;

    errors->limit = adn_subject_transform_limit(subject, slot);
    errors->ratio = measure->mismatches > 0 ? (double)INFINITY
                                            : adn_measure_relative_l2(measure) / errors->limit;
    errors->holds = errors->ratio <= 1;
}

/* What rounding costs sums of N(0,1) in relative L2: terms that are added one after the other,
 * 0.3 sqrt(K) of half a unit; operands that are rounded, 0.6 of half a unit for
 * both; the result, 0.42 of half a unit: the root of 1 / (8 ln 2), the mean over the places in a
 * power of 2. */
static double expected_of(const struct adn_bound *bound)
{
    double result = 0.42 * ldexp(1, -adn_type_digits(bound->type));
    double sums = 0.3 * sqrt(bound->terms) * ldexp(1, -adn_type_digits(bound->compute));
    double operands = 0.6 * bound->rounding;

    return sqrt(result * result + sums * sums + operands * operands);
}

static int64_t next_place(const struct oracle_sample *sample, int64_t count, int64_t i)
{
    return i < sample->count ? oracle_sample_place(sample, count, i) : -1;
}

void compare_errors(const struct adn_subject *subject, int slot, const struct adn_method *method,
                    const struct operand *operand, const unsigned char *after,
                    const struct oracle_sample *sample, struct compare_errors *errors)
{
    int64_t count = subject->slot[slot].count;
    int64_t next = sample->count > 0 ? oracle_sample_place(sample, count, 0) : 0;
    struct adn_judged now;
    struct walk walk;

    memset(errors, 0, sizeof(*errors));
    adn_statistics_begin(&errors->statistics);
    errors->method = *method;
    errors->transform = adn_method_is_transform(method);
    errors->exact = adn_subject_is_exact(subject, slot) && !errors->transform;
    errors->worst.at = -1;
    adn_subject_bound(subject, slot, method, &now.bound);
    errors->terms = now.bound.terms;
    if (adn_judge_of(&subject->problem) == ADN_JUDGE_SUMS && !errors->exact &&
        adn_type_digits(now.bound.type) > 0)
        errors->expected = expected_of(&now.bound);
    now.at = -1;
    for (walk_begin(&walk, operand); walk_goes_on(&walk); walk_next(&walk)) {
        double ratio;

        if (++now.at != next)
            continue;
        next = sample->count > 0 ? next_place(sample, count, ++errors->sampled) : next + 1;
        now.got = operand->element->load(after + walk.at);
        adn_judged_fill(subject, slot, method, &now);
        adn_statistics_add(&errors->statistics, now.bound.type, now.got, now.want);
        errors->wrong += !now.right;
        ratio = adn_judged_ratio(&now, errors->exact);
        if (ratio > errors->ratio) {
            errors->ratio = ratio;
            errors->worst = now;
        }
    }
    errors->holds = errors->wrong == 0;
    errors->limit = errors->worst.at >= 0 ? adn_judged_limit(&errors->worst, errors->exact) : 0;
    if (errors->transform)
        judge_transform(subject, slot, errors);
}

static json_t *bound_object(const struct adn_subject *subject, int slot,
                            const struct compare_errors *errors)
{
    const struct adn_judged *worst = &errors->worst;
    json_t *bound = json_object();
    char place[160];

    json_object_set_new(bound, "kind",
                        json_string(errors->exact       ? "exact"
                                    : errors->transform ? "transform"
                                                        : "elements"));
    json_object_set_new(bound, "holds", json_boolean(errors->holds));
    json_object_set_new(bound, "ratio", tool_json_real(errors->ratio));
    json_object_set_new(bound, "limit", tool_json_real(errors->limit));
    json_object_set_new(bound, "wrong", json_integer(errors->wrong));
    if (worst->at < 0)
        return bound;
    adn_index_text(&subject->problem.tensor[slot], worst->at, place, sizeof(place));
    json_object_set_new(bound, "at", json_string(place));
    json_object_set_new(bound, "got", tool_json_real(worst->got));
    json_object_set_new(bound, "want",
                        tool_json_real(errors->exact
                                           ? adn_type_round(worst->bound.type, worst->want)
                                           : worst->want));
    return bound;
}

/* How often errors of so many units occurred, by powers of 2: an error of 2^p and more, and less
 * than 2^(p+1), counts to p. */
static json_t *units_object(const struct adn_spread *ulps)
{
    json_t *object = json_object();
    json_t *powers = json_array();

    for (int power = 0; power < ADN_SPREAD_POWERS; power++) {
        int64_t count = adn_spread_power(ulps, power + ADN_SPREAD_LEAST);

        if (count > 0)
            json_array_append_new(powers,
                                  json_pack("[iI]", power + ADN_SPREAD_LEAST, (json_int_t)count));
    }
    json_object_set_new(object, "zeros", json_integer((json_int_t)ulps->zeros));
    json_object_set_new(object, "powers", powers);
    return object;
}

json_t *compare_errors_object(const struct adn_subject *subject, int slot,
                              const struct compare_errors *errors)
{
    const struct adn_statistics *statistics = &errors->statistics;
    const struct adn_measure *measure = &statistics->measure;
    json_t *object = json_object();
    const struct {
        const char *name;
        double value;
    } reals[] = {
        {"max_abs", measure->max_abs},
        {"mean_abs", adn_measure_mean_abs(measure)},
        {"relative_l2", adn_measure_relative_l2(measure)},
        {"bias", adn_statistics_bias(statistics)},
        {"outward", adn_statistics_outward(statistics)},
        {"ulp_max", measure->max_ulp},
        {"ulp_mean", adn_measure_mean_ulp(measure)},
        {"ulp_p99", adn_spread_quantile(&statistics->ulps, 0.99)},
    };

    for (size_t i = 0; i < sizeof(reals) / sizeof(reals[0]); i++)
        json_object_set_new(object, reals[i].name, tool_json_real(reals[i].value));
    json_object_set_new(object, "terms", json_real(errors->terms));
    if (errors->expected > 0)
        json_object_set_new(object, "expected", json_real(errors->expected));
    json_object_set_new(object, "ulps", units_object(&statistics->ulps));
    json_object_set_new(object, "not_finite", json_integer(statistics->not_finite));
    json_object_set_new(object, "mismatches", json_integer(measure->mismatches));
    json_object_set_new(object, "bound", bound_object(subject, slot, errors));
    return object;
}

/* ---- against each other */

json_t *compare_difference(const struct operand *operand, int32_t type, const unsigned char *a,
                           const unsigned char *b)
{
    json_t *object = json_object();
    struct adn_measure measure;
    int64_t differing = 0;
    struct walk walk;

    adn_measure_begin(&measure);
    for (walk_begin(&walk, operand); walk_goes_on(&walk); walk_next(&walk)) {
        differing += memcmp(a + walk.at, b + walk.at, operand->element->size) != 0;
        adn_measure_add(&measure, type, operand->element->load(b + walk.at),
                        operand->element->load(a + walk.at));
    }
    json_object_set_new(object, "max_abs", tool_json_real(measure.max_abs));
    json_object_set_new(object, "relative_l2", tool_json_real(adn_measure_relative_l2(&measure)));
    json_object_set_new(object, "max_ulp", tool_json_real(measure.max_ulp));
    json_object_set_new(object, "mismatches", json_integer(measure.mismatches));
    json_object_set_new(object, "differing", json_integer(differing));
    json_object_set_new(object, "equal", json_boolean(differing == 0));
    return object;
}
