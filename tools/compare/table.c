/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the answer to one problem as a table. */
#include "tools/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME 28 /* width of the first column */

/* ---- columns */

static void print_heading(const json_t *output)
{
    char name[128];
    char sample[40] = "";

    if (json_object_get(output, "sampled") != NULL)
        snprintf(sample, sizeof(sample), "%lld of ", compare_count(output, "sampled"));
    snprintf(name, sizeof(name), "%s (%s, %s%lld values)", tool_text_of(output, "role"),
             tool_text_of(output, "type"), sample, compare_count(output, "count"));
    printf(
        "  %-*s   max abs  mean abs   rel. L2       bias    outward  ulp max     mean     99 %%  "
        "of bound    time us\n",
        NAME, name);
}

/* Prints an error in units, with three decimals if they are significant. */
static void print_ulp(double value)
{
    if (value != 0 && (value >= 1e5 || value < 1e-2))
        printf(" %8.1e", value);
    else
        printf(" %8.*f", value >= 100 ? 0 : 3, value);
}

static void print_bound(const json_t *bound)
{
    char text[40];

    if (strcmp(tool_text_of(bound, "kind"), "exact") == 0)
        snprintf(text, sizeof(text), "exact");
    else
        snprintf(text, sizeof(text), "%.2g", compare_real(bound, "ratio"));
    printf("  %8s", json_is_true(json_object_get(bound, "holds")) ? text : "BROKEN");
}

static void print_errors(const json_t *answer, const json_t *errors, int first)
{
    static const char *const plain[] = {"max_abs", "mean_abs", "relative_l2"};
    static const char *const either[] = {"bias", "outward"};
    static const char *const ulps[] = {"ulp_max", "ulp_mean", "ulp_p99"};
    size_t side = (size_t)compare_count(errors, "side");

    printf("    %c %-*s", "AB"[side], NAME - 4, tool_text_of(errors, "pair"));
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
        printf(" %9.2e", compare_real(errors, plain[i]));
    for (size_t i = 0; i < sizeof(either) / sizeof(either[0]); i++)
        printf(" %+10.2e", compare_real(errors, either[i]));
    for (size_t i = 0; i < sizeof(ulps) / sizeof(ulps[0]); i++)
        print_ulp(compare_real(errors, ulps[i]));
    print_bound(json_object_get(errors, "bound"));
    if (first)
        printf(" %10.1f", compare_time(answer, side));
    putchar('\n');
}

/* ---- lines below */

static void print_difference(const json_t *output)
{
    const json_t *difference = json_object_get(output, "difference");
    long long differing = compare_count(difference, "differing");

    if (difference == NULL)
        return;
    if (differing == 0)
        printf("    %-*s bitwise equal\n", NAME - 2, "A and B");
    else
        printf("    %-*s %9.2e           %9.2e   %lld values differ, by %.3g ulp at most\n",
               NAME - 2, "A and B", compare_real(difference, "max_abs"),
               compare_real(difference, "relative_l2"), differing,
               compare_real(difference, "max_ulp"));
}

static void print_not_finite(const json_t *errors)
{
    long long not_finite = compare_count(errors, "not_finite");
    long long mismatches = compare_count(errors, "mismatches");

    if (not_finite + mismatches > 0)
        printf(
            "    %s: %lld values are NaN or infinite; %lld are so where the reference is not, or "
            "the reverse\n",
            tool_text_of(errors, "pair"), not_finite, mismatches);
}

static void print_broken(const json_t *output, const json_t *errors)
{
    char sentence[512];

    if (compare_holds(errors))
        return;
    compare_broken(output, errors, sentence, sizeof(sentence));
    printf("    %s\n", sentence);
}

/* Returns the share p that a sample may miss at 5 percent probability. A share p of all values
 * beyond the largest error of n samples is missed with probability (1 - p)^n. This is 5 percent for
 * p = 1 - 0.05^(1/n). */
double compare_unseen(const json_t *output)
{
    return 1 - pow(0.05, 1 / (double)compare_count(output, "sampled"));
}

static void print_sample(const json_t *output)
{
    if (json_object_get(output, "sampled") != NULL)
        printf("    a sample: with 95 %% confidence, at most %.2g %% of all values have larger "
               "errors than its worst; it cannot show how large\n",
               100 * compare_unseen(output));
}

static void print_output(const json_t *answer, const json_t *output, int first)
{
    const json_t *errors = json_object_get(output, "errors");

    print_heading(output);
    for (size_t i = 0; i < json_array_size(errors); i++)
        print_errors(answer, json_array_get(errors, i), first);
    print_difference(output);
    print_sample(output);
    for (size_t i = 0; i < json_array_size(errors); i++) {
        print_not_finite(json_array_get(errors, i));
        print_broken(output, json_array_get(errors, i));
    }
}

/* Prints a side that did not run, or ran otherwise than requested. */
static void print_side(const json_t *side)
{
    const json_t *record = json_object_get(side, "record");
    const char *name = tool_text_of(side, "pair");
    const char *asked = strchr(name, ':');
    const char *math = tool_text_of(record, "math");
    const char *notes = tool_text_of(record, "notes");

    if (record == NULL)
        printf("  %s %s: %s\n", name, tool_text_of(side, "outcome"), tool_text_of(side, "reason"));
    else if (asked != NULL && math[0] != '\0' && strcmp(asked + 1, math) != 0)
        printf("  %s ran in %s math\n", name, math);
    if (notes[0] != '\0')
        printf("  %s notes: %s\n", name, notes);
}

void compare_print(const json_t *answer)
{
    const json_t *outputs = json_object_get(answer, "outputs");
    const json_t *sides = json_object_get(answer, "pairs");

    printf("%s: %s\n", tool_text_of(answer, "layer"), tool_text_of(answer, "problem"));
    for (size_t i = 0; i < json_array_size(sides); i++)
        print_side(json_array_get(sides, i));
    for (size_t i = 0; i < json_array_size(outputs); i++)
        print_output(answer, json_array_get(outputs, i), i == 0);
    if (json_object_get(answer, "again") != NULL)
        printf("  again: %s\n", tool_text_of(answer, "again"));
}
