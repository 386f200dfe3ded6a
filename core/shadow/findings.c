/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the findings on a handle and in the process, returns them by key, and reports them at
 * exit. */
#include "shadow/findings.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "dispatch/handle/handle.h"
#include "problem/text.h"
#include "shadow/shadow.h"
#include "shadow/verdict.h"
#include "shadow/watch.h"
#include "sys/error.h"
#include "sys/log.h"
#include "sys/process.h"
#include "sys/text.h"

static _Atomic int64_t totals[ADN_COUNTS];
static _Atomic uint64_t total_spent; /* microseconds */
static _Atomic double total_ratio;   /* the largest */
/* The totals belong to one process: a child begins with none. */
static _Atomic uint64_t total_fork_number;

static void begin_totals(void)
{
    uint64_t before = total_fork_number;

    if (before == adn_process_fork_number ||
        !atomic_compare_exchange_strong(&total_fork_number, &before, adn_process_fork_number))
        return;
    for (int i = 0; i < ADN_COUNTS; i++)
        totals[i] = 0;
    total_spent = 0;
    total_ratio = 0;
}

void adn_findings_add(struct adn_findings *findings, enum adn_count which)
{
    begin_totals();
    findings->count[which]++;
    atomic_fetch_add_explicit(&totals[which], 1, memory_order_relaxed);
}

void adn_findings_say(char **place, const char *text)
{
    free(*place);
    *place = strdup(text);
}

void adn_findings_spend(struct adn_findings *findings, double microseconds)
{
    findings->spent_us += microseconds;
    atomic_fetch_add_explicit(&total_spent, (uint64_t)microseconds, memory_order_relaxed);
}

void adn_findings_take(struct adn_findings *findings, double ratio,
                       const struct adn_problem *problem)
{
    char text[ADN_PROBLEM_TEXT_MAX];
    double before;

    adn_findings_add(findings, ADN_COUNT_COMPARED);
    before = total_ratio;
    while (ratio > before && !atomic_compare_exchange_weak(&total_ratio, &before, ratio))
        ;
    if (ratio <= findings->ratio && findings->worst)
        return;
    findings->ratio = ratio;
    adn_problem_print(problem, NULL, text, sizeof(text));
    adn_findings_say(&findings->worst, text);
}

void adn_findings_free(struct adn_findings *findings)
{
    free(findings->worst);
    free(findings->mismatch);
    free(findings->special);
    free(findings->passed);
}

/* ---- at exit */

static void tell_totals(void)
{
    int64_t passed = 0, open;

    if (total_fork_number != adn_process_fork_number)
        return;
    for (int i = ADN_COUNT_OVER_BUDGET; i <= ADN_COUNT_FAILED; i++)
        passed += totals[i];
    open = totals[ADN_COUNT_SAMPLED] - totals[ADN_COUNT_COMPARED] - passed;
    if (totals[ADN_COUNT_CALLS] > 0)
        adn_warn("shadow: of %" PRId64 " calls %" PRId64 " were chosen: %" PRId64
                 " compared in %.3f s, %" PRId64 " of them beyond their bound; %" PRId64
                 " skipped (%" PRId64 " over budget, %" PRId64 " over memory, %" PRId64
                 " recorded, %" PRId64 " declined, %" PRId64
                 " failed); the largest error is %.3g of its bound",
                 totals[ADN_COUNT_CALLS], totals[ADN_COUNT_SAMPLED], totals[ADN_COUNT_COMPARED],
                 (double)total_spent / 1e6, totals[ADN_COUNT_MISMATCHES], passed,
                 totals[ADN_COUNT_OVER_BUDGET], totals[ADN_COUNT_OVER_MEMORY],
                 totals[ADN_COUNT_RECORDED], totals[ADN_COUNT_DECLINED], totals[ADN_COUNT_FAILED],
                 total_ratio);
    if (open > 0)
        adn_warn("shadow: %" PRId64 " calls had no verdict when the process ended; call "
                 "anydnnSynchronize or anydnnDestroy to wait for it",
                 open);
    if (totals[ADN_COUNT_CHECKED] > 0)
        adn_warn("check: of %" PRId64 " calls %" PRId64 " returned NaN, %" PRId64
                 " infinities, %" PRId64 " only zeros",
                 totals[ADN_COUNT_CHECKED], totals[ADN_COUNT_NAN], totals[ADN_COUNT_INF],
                 totals[ADN_COUNT_ZERO]);
}

static void register_exit(void)
{
    atexit(tell_totals);
}

void adn_findings_at_exit(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    begin_totals();
    pthread_once(&once, register_exit);
}

/* ---- by keys */

/* A key and the number of its count. The count is -1 for keys that say_other writes. */
static const struct {
    const char *key;
    int count;
} items[] = {
    {"calls", ADN_COUNT_CALLS},
    {"sampled", ADN_COUNT_SAMPLED},
    {"compared", ADN_COUNT_COMPARED},
    {"mismatches", ADN_COUNT_MISMATCHES},
    {"over_budget", ADN_COUNT_OVER_BUDGET},
    {"over_memory", ADN_COUNT_OVER_MEMORY},
    {"recorded", ADN_COUNT_RECORDED},
    {"declined", ADN_COUNT_DECLINED},
    {"failed", ADN_COUNT_FAILED},
    {"checked", ADN_COUNT_CHECKED},
    {"nan", ADN_COUNT_NAN},
    {"inf", ADN_COUNT_INF},
    {"zero", ADN_COUNT_ZERO},
    {"pending", -1},
    {"spent_us", -1},
    {"worst_ratio", -1},
    {"worst_problem", -1},
    {"last_mismatch", -1},
    {"first_special", -1},
    {"passed_over", -1},
    {"reference", -1},
};

#define ITEM_COUNT ((int)(sizeof(items) / sizeof(items[0])))

static int lookup_item(const char *entry, const char *key)
{
    const char *names[ITEM_COUNT];
    const char *near;

    for (int i = 0; i < ITEM_COUNT; i++) {
        if (strcmp(items[i].key, key) == 0)
            return i;
        names[i] = items[i].key;
    }
    near = adn_name_nearest(key, names, ITEM_COUNT);
    adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: unknown key `%s`%s%s%s", entry, key,
             near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
    return -1;
}

static void say_other(const struct adn_watch *watch, const char *key, struct adn_text *text)
{
    const struct adn_findings *found = &watch->findings;
    const struct {
        const char *key;
        const char *text;
    } texts[] = {{"worst_problem", found->worst},
                 {"last_mismatch", found->mismatch},
                 {"first_special", found->special},
                 {"passed_over", found->passed},
                 {"reference", watch->referee.name}};

    if (strcmp(key, "worst_ratio") == 0)
        adn_text_double(text, found->ratio);
    if (strcmp(key, "spent_us") == 0)
        adn_text_add(text, "%.0f", found->spent_us);
    if (strcmp(key, "pending") == 0)
        adn_text_add(text, "%" PRId64, watch->backlog.count);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (strcmp(key, texts[i].key) == 0 && texts[i].text)
            adn_text_add(text, "%s", texts[i].text);
}

/* Waits for pending verdicts, so that each key is complete. Only the key that counts pending calls
 * does not wait. */
static void settle(anydnnHandle_t handle, int at)
{
    struct adn_watch *watch = (struct adn_watch *)(void *)handle->hook[ADN_HOOK_SHADOW];

    if (watch && strcmp(items[at].key, "pending") != 0)
        adn_later_settle(watch);
}

anydnnStatus_t adn_shadow_text(anydnnHandle_t handle, const char *entry, const char *key,
                               char *buffer, size_t size)
{
    static const struct adn_watch nothing;
    const struct adn_watch *watch =
        (const struct adn_watch *)(const void *)handle->hook[ADN_HOOK_SHADOW];
    int at = lookup_item(entry, key);
    struct adn_text text;

    if (at < 0)
        return ANYDNN_STATUS_BAD_PARAM;
    settle(handle, at);
    if (!watch)
        watch = &nothing;
    adn_text_begin(&text, buffer, size);
    if (items[at].count >= 0)
        adn_text_add(&text, "%" PRId64, watch->findings.count[items[at].count]);
    else
        say_other(watch, key, &text);
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t adn_shadow_int(anydnnHandle_t handle, const char *entry, const char *key,
                              int64_t *value)
{
    const struct adn_watch *watch =
        (const struct adn_watch *)(const void *)handle->hook[ADN_HOOK_SHADOW];
    int at = lookup_item(entry, key);
    int spent = at >= 0 && strcmp(key, "spent_us") == 0;
    int pending = at >= 0 && strcmp(key, "pending") == 0;

    if (at < 0)
        return ANYDNN_STATUS_BAD_PARAM;
    if (items[at].count < 0 && !spent && !pending)
        return adn_fail(
            ANYDNN_STATUS_BAD_PARAM,
            "%s: the value of key `%s` is a text, not a number; use anydnnGetShadowInfo", entry,
            key);
    settle(handle, at);
    *value = !watch    ? 0
             : spent   ? (int64_t)watch->findings.spent_us
             : pending ? watch->backlog.count
                       : watch->findings.count[items[at].count];
    return ANYDNN_STATUS_SUCCESS;
}
