/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that a backend's offers for a problem are well formed and repeatable. */
#include "tools/verify/checks/target.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "desc/names.h"
#include "load/load.h"
#include "problem/candidate.h"
#include "problem/operation.h"
#include "problem/problem.h"

/* The bytes that a newer host would append to the known members. */
#define NEWER 64

static const char *const reason_names[] = {"none",    "operation", "type",      "layout", "shape",
                                           "groups",  "math",      "parameter", "alias",  "device",
                                           "library", "extension", "memory",    "other"};

const char *verify_reason_name(int32_t reason)
{
    return reason >= 0 && reason <= ANYDNN_PLUGIN_REASON_OTHER ? reason_names[reason] : "?";
}

int verify_note(struct verify_finding *finding, const char *check, const char *format, ...)
{
    va_list args;

    if (finding->check[0] != '\0')
        return -1;
    snprintf(finding->check, sizeof(finding->check), "%s", check);
    va_start(args, format);
    vsnprintf(finding->sentence, sizeof(finding->sentence), format, args);
    va_end(args);
    return -1;
}

/* ---- one candidate */

#define FAULT(...) return verify_note(&offers->fault, "candidates", __VA_ARGS__)

static int check_decline(struct verify_offers *offers,
                         const struct anydnn_plugin_candidate *candidate)
{
    if (candidate->sentence == NULL || strlen(candidate->sentence) < 8 ||
        strchr(candidate->sentence, ' ') == NULL)
        FAULT("it declined with reason %s but without a message",
              verify_reason_name(candidate->reason));
    return 0;
}

static int check_candidate(struct verify_offers *offers, const struct anydnn_plugin_problem *view,
                           const struct anydnn_plugin_candidate *candidate)
{
    int rounds = (candidate->notes & ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION) != 0;

    if (!adn_math_permits(view->math, candidate->math))
        FAULT("a candidate computes in %s; the problem permits %s", adn_math_name(candidate->math),
              adn_math_name(view->math));
    if (rounds && !adn_math_permits_rounding(view->math))
        FAULT("a candidate rounds operands; %s does not permit it", adn_math_name(view->math));
    if (rounds && !adn_math_permits_rounding(candidate->math))
        FAULT("a candidate notes that it rounds operands but states %s, which does not permit it",
              adn_math_name(candidate->math));
    if (candidate->workspace > (UINT64_C(1) << 40))
        FAULT("a candidate needs %" PRIu64 " bytes of workspace for a problem of a few kilobytes",
              candidate->workspace);
    if (!(candidate->expected_us < 1e15))
        FAULT("a candidate expects to take %g microseconds", candidate->expected_us);
    return 0;
}

struct asking {
    const struct verify_target *target;
    struct verify_offers *offers;
    const struct anydnn_plugin_problem *view;
    int left_out; /* because of errata */
};

static int32_t take(void *cookie, const struct anydnn_plugin_candidate *offered)
{
    struct asking *asking = cookie;
    struct verify_offers *offers = asking->offers;
    struct anydnn_plugin_candidate candidate = {0};
    char fault[200];

    if (++offers->calls > 10000)
        return verify_note(&offers->fault, "candidates", "it offers candidates endlessly");
    if (offered == NULL)
        return verify_note(&offers->fault, "candidates", "it offered a NULL pointer");
    memcpy(&candidate, offered,
           offered->struct_size < sizeof(candidate) ? offered->struct_size : sizeof(candidate));
    if (adn_candidate_malformed(asking->view->operation, &candidate, fault, sizeof(fault)))
        return verify_note(&offers->fault, "candidates", "it offered a malformed candidate: %s",
                           fault);
    if (candidate.reason != 0) {
        if (check_decline(offers, &candidate) != 0)
            return 1;
        offers->reason = candidate.reason;
        snprintf(offers->sentence, sizeof(offers->sentence), "%s", candidate.sentence);
    } else if (check_candidate(offers, asking->view, &candidate) != 0) {
        return 1;
    } else if (verify_errata_leave_out(asking->target, asking->view, &candidate)) {
        asking->left_out++;
    } else if (offers->count < VERIFY_OFFERS) {
        candidate.sentence = candidate.words = NULL;
        offers->candidate[offers->count++] = candidate;
    }
    if (offers->count > 0 && offers->reason != 0)
        return verify_note(&offers->fault, "candidates",
                           "it both declined the problem and offered candidates");
    return 0;
}

/* ---- the offers for a problem */

void verify_ask(const struct verify_target *target, struct anydnn_plugin_context *context,
                const struct anydnn_plugin_problem *view, struct verify_offers *offers)
{
    struct asking asking = {.target = target, .offers = offers, .view = view};

    memset(offers, 0, sizeof(*offers));
    adn_load_error_clear();
    offers->status =
        target->backend->operation[view->operation]->candidates(context, view, take, &asking);
    if (offers->status != 0)
        verify_note(&offers->fault, "candidates", "candidates returned %d: %s", (int)offers->status,
                    adn_load_error_text());
    else if (offers->calls == 0)
        verify_note(&offers->fault, "candidates", "it offered no candidate and gave no reason");
    verify_environment("candidates", &offers->fault);
    if (offers->count > 0 || offers->reason != 0 || asking.left_out == 0)
        return;
    offers->reason = ANYDNN_PLUGIN_REASON_OTHER;
    snprintf(offers->sentence, sizeof(offers->sentence), "%s",
             target->erratum != NULL ? "the erratum concerns no engine that it offers"
                                     : "every engine that it offers has an erratum");
}

int verify_same_offers(const struct verify_offers *a, const struct verify_offers *b)
{
    if (a->count != b->count || a->reason != b->reason || strcmp(a->sentence, b->sentence) != 0)
        return 0;
    for (int i = 0; i < a->count; i++) {
        struct anydnn_plugin_candidate left = a->candidate[i];
        struct anydnn_plugin_candidate right = b->candidate[i];

        left.expected_us = right.expected_us = 0; /* the backend may update its estimate */
        if (memcmp(&left, &right, sizeof(left)) != 0)
            return 0;
    }
    return 1;
}

/* A problem as a newer host would pass it: each structure is longer, with garbage in the new
 * part. */
struct newer {
    struct anydnn_plugin_problem problem;
    unsigned char problem_tail[NEWER];
    struct {
        struct anydnn_plugin_tensor tensor;
        unsigned char tail[NEWER];
    } tensor[ADN_SLOTS];
    union kit_params params;
    unsigned char params_tail[NEWER];
};

static void make_newer(struct newer *newer, const struct adn_problem *problem)
{
    size_t known = adn_problem_params_size(adn_problem_operation(problem->operation)->family);

    memset(newer, 0xa5, sizeof(*newer));
    adn_problem_view(problem, 0, &newer->problem);
    newer->problem.struct_size += NEWER;
    memcpy(&newer->params, &problem->params, known);
    newer->params.struct_size = (uint32_t)known + NEWER;
    if (newer->problem.params != NULL)
        newer->problem.params = &newer->params;
    for (int i = 0; i < ADN_SLOTS; i++)
        if (newer->problem.tensor[i] != NULL) {
            newer->tensor[i].tensor = problem->tensor[i];
            newer->tensor[i].tensor.struct_size += NEWER;
            newer->problem.tensor[i] = &newer->tensor[i].tensor;
        }
}

static int ask_again(const struct verify_target *target, const struct anydnn_plugin_problem *view,
                     const struct verify_offers *first, const char *what,
                     struct verify_finding *finding)
{
    struct verify_offers again;

    verify_ask(target, target->context, view, &again);
    if (again.fault.check[0] != '\0')
        return verify_note(finding, again.fault.check, "queried %s: %s", what,
                           again.fault.sentence);
    if (!verify_same_offers(first, &again))
        return verify_note(finding, "candidates",
                           "queried %s it answers differently (%d candidates, then %d)", what,
                           first->count, again.count);
    return 0;
}

/* Queries with a mandatory extension of an unknown kind. */
static int ask_extended(const struct verify_target *target, struct anydnn_plugin_problem *view,
                        const struct verify_offers *first, struct verify_finding *finding)
{
    struct anydnn_plugin_extension extension = {
        .struct_size = sizeof(extension), .kind = 987654, .must_understand = 0};
    struct verify_offers again;
    int result;

    view->extension = &extension;
    result =
        ask_again(target, view, first, "with an extension that need not be understood", finding);
    if (result == 0 && first->reason == 0) {
        extension.must_understand = 1;
        verify_ask(target, target->context, view, &again);
        if (again.fault.check[0] != '\0')
            result = verify_note(finding, again.fault.check, "%s", again.fault.sentence);
        else if (again.reason != ANYDNN_PLUGIN_REASON_EXTENSION)
            result = verify_note(finding, "candidates",
                                 "with an extension of an unknown kind that must be understood it "
                                 "does not decline with the reason extension");
    }
    view->extension = NULL;
    return result;
}

static int has_engine(const struct verify_offers *offers, uint64_t engine)
{
    for (int i = 0; i < offers->count; i++)
        if (offers->candidate[i].engine == engine)
            return 1;
    return 0;
}

/* Queries for each engine with its algorithm named. The engines must be the same with and without
 * the name. */
static int ask_by_name(const struct verify_target *target, struct anydnn_plugin_problem *view,
                       const struct verify_offers *first, struct verify_finding *finding)
{
    int32_t any = view->algorithm;
    struct verify_offers again;
    int result = 0;

    for (int i = 0; i < first->count && result == 0; i++) {
        if (first->candidate[i].algorithm < 0)
            continue;
        view->algorithm = first->candidate[i].algorithm;
        verify_ask(target, target->context, view, &again);
        if (again.fault.check[0] != '\0')
            result = verify_note(finding, again.fault.check, "queried with algorithm %d: %s",
                                 (int)view->algorithm, again.fault.sentence);
        for (int k = 0; k < first->count && result == 0; k++)
            if (!has_engine(&again, first->candidate[k].engine))
                result = verify_note(finding, "candidates",
                                     "engine %" PRIu64
                                     " is offered, but not when the problem names algorithm %d",
                                     first->candidate[k].engine, (int)view->algorithm);
        for (int k = 0; k < again.count && result == 0; k++)
            if (!has_engine(first, again.candidate[k].engine))
                result = verify_note(finding, "candidates",
                                     "engine %" PRIu64 " is offered only when the problem names "
                                     "algorithm %d",
                                     again.candidate[k].engine, (int)view->algorithm);
    }
    view->algorithm = any;
    return result;
}

int verify_ask_well(const struct verify_target *target, const struct adn_problem *problem,
                    struct verify_offers *offers, struct verify_finding *finding)
{
    struct anydnn_plugin_problem view;
    struct newer newer;

    adn_problem_view(problem, 0, &view);
    verify_ask(target, target->context, &view, offers);
    if (offers->fault.check[0] != '\0') {
        *finding = offers->fault;
        return -1;
    }
    make_newer(&newer, problem);
    if (ask_again(target, &view, offers, "a second time", finding) != 0 ||
        ask_again(target, &newer.problem, offers, "with the longer structures of a newer host",
                  finding) != 0 ||
        ask_by_name(target, &view, offers, finding) != 0)
        return -1;
    return ask_extended(target, &view, offers, finding);
}
