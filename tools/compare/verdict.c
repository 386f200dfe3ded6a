/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the summary as text, and determines the exit code. */
#include "tools/compare/compare.h"

#include <stdio.h>
#include <string.h>

static void print_side(size_t number, const json_t *side)
{
    const json_t *mean = json_object_get(side, "relative_l2");

    printf("  %c %-26s %6lld %8lld %6lld", "AB"[number], tool_text_of(side, "pair"),
           compare_count(side, "ran"), compare_count(side, "declined"),
           compare_count(side, "failed"));
    if (json_is_number(mean))
        printf("  %11.3e %9lld", json_number_value(mean), compare_count(side, "outputs"));
    else
        printf("  %11s %9d", "-", 0);
    printf(" %8lld  %8.2g %12.1f\n", compare_count(side, "without_error"),
           compare_real(side, "largest_ratio"), compare_real(side, "time_us"));
}

void compare_summary_print(const json_t *summary)
{
    const json_t *sides = json_object_get(summary, "pairs");
    const json_t *worst = json_object_get(summary, "worst");

    printf("\n%lld of %lld problems ran on both sides; of those:\n",
           compare_count(summary, "compared"), compare_count(summary, "problems"));
    printf("  %-28s %6s %8s %6s  %11s %9s %8s  %8s %12s\n", "", "ran", "declined", "failed",
           "rel. L2", "mean of", "no error", "of bound", "time us");
    for (size_t i = 0; i < json_array_size(sides); i++)
        print_side(i, json_array_get(sides, i));
    printf("  A and B: %lld outputs bitwise equal, %lld not\n", compare_count(summary, "equal"),
           compare_count(summary, "unequal"));
    compare_growth_print(json_object_get(summary, "growth"));
    if (json_array_size(worst) > 0)
        printf("Worst by relative L2%s:\n",
               compare_count(summary, "broken") > 0 ? ", broken bounds first" : "");
    for (size_t i = 0; i < json_array_size(worst); i++) {
        const json_t *row = json_array_get(worst, i);

        printf("  %9.2e  %8.2g of the bound%s  %s %s %s\n", compare_real(row, "relative_l2"),
               compare_real(row, "ratio"),
               json_is_true(json_object_get(row, "holds")) ? "" : ", BROKEN",
               tool_text_of(row, "pair"), tool_text_of(row, "layer"), tool_text_of(row, "output"));
    }
}

/* Returns the reason why a side ran nothing, from its first answer. */
static const char *first_reason(const json_t *answers, size_t side)
{
    for (size_t i = 0; i < json_array_size(answers); i++) {
        const char *reason = tool_text_of(compare_side(json_array_get(answers, i), side), "reason");

        if (reason[0] != '\0')
            return reason;
    }
    return "";
}

static int nothing_compared(struct compare *compare, const json_t *summary, const json_t *answers)
{
    const json_t *sides = json_object_get(summary, "pairs");
    long long problems = compare_count(summary, "problems");

    for (size_t side = 0; side < COMPARE_SIDES; side++)
        if (compare_count(json_array_get(sides, side), "declined") == problems)
            return tool_fail(compare->tool, TOOL_FAILED, "nothing was compared: %s declined %s: %s",
                             compare->side[side].name,
                             problems == 1 ? "the problem" : "every problem; the first reason is",
                             first_reason(answers, side));
    return tool_fail(compare->tool, TOOL_FAILED,
                     "nothing was compared: none of the %lld problems ran on both sides", problems);
}

int compare_verdict(struct compare *compare, const json_t *summary, const json_t *answers)
{
    const json_t *broken = json_object_get(summary, "first_broken");
    long long failed = 0;

    for (size_t side = 0; side < COMPARE_SIDES; side++)
        failed += compare_count(json_array_get(json_object_get(summary, "pairs"), side), "failed");
    if (broken != NULL)
        return tool_fail(compare->tool, TOOL_FAILED,
                         "%lld outputs are beyond their bound; %s: %s; "
                         "repeat it with `%s`",
                         compare_count(summary, "broken"), tool_text_of(broken, "layer"),
                         tool_text_of(broken, "sentence"), tool_text_of(broken, "again"));
    if (compare_count(summary, "compared") == 0 && failed == 0)
        return nothing_compared(compare, summary, answers);
    return TOOL_FINE;
}
