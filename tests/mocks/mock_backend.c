/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test backend: well-behaved, offers every operation for every type, computes nothing, and
 * logs its calls. It is built as mock_a and mock_b (space "host"), as mock_device (space "mockdev",
 * mock_space.c) and as mock_far (space "mockfar"). It reads the settings of its section [plugin
 * NAME] at each call:
 *
 *   set.log = /path
 *     appends one line per call: NAME VERB KEY=VALUE ...
 *       context_create   context= device= answer=
 *       context_destroy  context=
 *       candidates       context= PROBLEM
 *       plan_create      context= plan= engine= PROBLEM answer=
 *       plan_execute     plan= operation= engine= OPERANDS answer= effect=
 *       plan_destroy     plan=
 *     mock_device also logs each function of its space.
 *     PROBLEM: operation= math= algorithm= deterministic= device= present=0xMASK
 *       aliasSLOT=SLOT (if set) tSLOT=TYPE:DIMS:STRIDES (if present)
 *       params=FAMILY|none and the family's members with plugin.h's names
 *       (size= is struct_size, nan= nan_propagate, compute= compute_type)
 *     OPERANDS: dSLOT=0xPOINTER (if present) scale=a,b,c,d number=a,b,c,d
 *       value=HEX|none stream=0x workspace=0x bytes=
 *     Contexts and plans are numbered from 1 in the order of their creation.
 *   set.says = LIST
 *     the verbs above, and `main`, whose lines are also logged as warnings through the host,
 *     while the backend holds its own lock
 *
 *   set.decline = LIST
 *     operations to decline, separated by commas: names, prefixes with a final *, or *
 *   set.reason = WORD
 *     the reason: operation type layout shape groups math parameter alias device library
 *     extension memory other (default)
 *   set.sentence = TEXT
 *     the sentence of the refusal
 *   set.candidates_status = N
 *     the status of candidates; if not 0, nothing is offered before
 *
 *   set.algorithms = LIST
 *     one candidate for each number, best first (default -1)
 *   set.engine_count = N
 *     N candidates for each algorithm (default 1); engines are numbered from 1 in the order of
 *     the offers
 *   The next five may differ by candidate: parts are separated by /, and the last part serves all
 *   further candidates, as in `set.workspace = 4096 / 0`.
 *   set.workspace = N
 *     bytes (default 0)
 *   set.math = WORD
 *     default (the default), tensor_op, allow_conversion, split, or problem: the problem's mode
 *   set.alignment = N
 *     bytes required of every operand (default 0: that of its element)
 *   set.notes = LIST
 *     nondeterministic, transform, reduced_precision, batch_invariant,
 *     flushes_subnormals
 *   set.expected_us = X
 *     the expected time (default 0)
 *   set.garbage = KIND
 *     an invalid candidate instead: size math alignment notes algorithm reason time workspace
 *     (one of these is invalid), silent (offers nothing, returns 0), status (returns 77), both (a
 *     reason, then a candidate)
 *
 *   set.fail_context = yes
 *     context_create fails with status 4
 *   set.fail_plan = yes|LIST
 *     plan_create fails with status 4, for all engines or those listed
 *   set.execute = WORD
 *     ok (default); fails with that effect: none, enqueued, unknown; trial: fails if the third
 *     operand begins with 0xff, as in the trials of a search; or kill: ends the process
 *   set.execute_engines = LIST
 *     the engines that set.execute concerns (default: all)
 *   set.status = N
 *     the status of that failure (default 8)
 *   set.fill = BYTE
 *     fills the described elements of the outputs with a byte (not if `execute = none`);
 *     otherwise they stay unchanged
 *   set.compute = WORD / WORD
 *     forward convolutions of packed 2-D float tensors in the memory of the host are computed, by
 *     engine as the five above: right; or with a fault: border (columns outside the image are
 *     those at its border), race (every second run has other last bits), past and before (writes
 *     next to y), workspace (writes behind it), nan (in every second run), short (rounds to half),
 *     lazy (adds 0 times what the workspace holds)
 *   set.words = WORDS / WORDS
 *     the words of the candidates, as the five above
 *   set.library_version = TEXT
 *     the version of the library below (default 9.19.0); mock_b has none
 *   set.sleep_us = N / N
 *     the duration of plan_execute by engine, as the five above (default 0)
 *   set.launch_us = N / N
 *     the additional duration of a direct call, which replays do not take (default 0)
 *   set.slots = N, set.params_size = N
 *     what it knows of every operation, if less than plugin.h has (read once)
 *   set.fork_safe = no
 *     does not state ANYDNN_PLUGIN_FORK_SAFE (read once; mock_device never states it)
 *
 * mock_device also has:
 *   set.captured = yes             no mark can be set
 *   set.devices = N                the number of devices (default 1)
 *   set.current = N                the current device (default 0)
 *   set.poisoned = yes             the space is lost
 *   set.fail_space = FUNCTION      that function of the space returns set.status (default 4)
 *   set.memory = N                 bytes of the largest allocation that succeeds
 *   set.space = WORD               the table (read once): old ends before its optional members;
 *                                  guest: there is none; unrecorded lacks recordings; streams: no
 *                                  default stream; both: pointer_owner may answer BOTH
 *   set.owner = both               pointer_owner answers BOTH
 *   set.native = shared|own        publishes native objects, the same as others or its own, and
 *                                  adopts those of the application (read once: that it does)
 *   set.convention = TEXT          the convention of the space (read once)
 *   set.multiprocessors = N        part of the device's identity (default 4)
 *   set.driver = TEXT              part of the device's identity (default 1.0)
 */
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock.h"
#include "mock_settings.h"

struct anydnn_plugin_context {
    int number;
    int32_t device;
};

struct anydnn_plugin_plan {
    int number;
    int32_t operation;
    uint64_t engine;
    uint32_t present;
    struct anydnn_plugin_convolution params;                       /* of a convolution */
    struct anydnn_plugin_tensor tensor[ANYDNN_PLUGIN_OPERAND_MAX]; /* ndims 0: absent */
};

static atomic_int context_count;
static atomic_int plan_count;

/* ------------------------------------------------------------------ candidates */

static const char *const reason_words[] = {
    [ANYDNN_PLUGIN_REASON_OPERATION] = "operation", [ANYDNN_PLUGIN_REASON_TYPE] = "type",
    [ANYDNN_PLUGIN_REASON_LAYOUT] = "layout",       [ANYDNN_PLUGIN_REASON_SHAPE] = "shape",
    [ANYDNN_PLUGIN_REASON_GROUPS] = "groups",       [ANYDNN_PLUGIN_REASON_MATH] = "math",
    [ANYDNN_PLUGIN_REASON_PARAMETER] = "parameter", [ANYDNN_PLUGIN_REASON_ALIAS] = "alias",
    [ANYDNN_PLUGIN_REASON_DEVICE] = "device",       [ANYDNN_PLUGIN_REASON_LIBRARY] = "library",
    [ANYDNN_PLUGIN_REASON_EXTENSION] = "extension", [ANYDNN_PLUGIN_REASON_MEMORY] = "memory",
    [ANYDNN_PLUGIN_REASON_OTHER] = "other",
};

static int32_t chosen_reason(void)
{
    const char *word = mock_setting("reason");

    for (int32_t i = 1; word && i <= ANYDNN_PLUGIN_REASON_OTHER; i++) {
        if (strcmp(reason_words[i], word) == 0)
            return i;
    }
    return ANYDNN_PLUGIN_REASON_OTHER;
}

static int in_list(const char *list, const char *name)
{
    char part[64];

    for (int i = 0; mock_part(list, ',', i, 0, part, sizeof(part)); i++) {
        size_t length = strlen(part);

        if (strcmp(part, name) == 0 ||
            (length > 0 && part[length - 1] == '*' && strncmp(part, name, length - 1) == 0))
            return 1;
    }
    return 0;
}

static int32_t chosen_math(const char *word, int32_t permitted)
{
    static const char *const words[] = {
        [ANYDNN_PLUGIN_MATH_TENSOR_OP] = "tensor_op",
        [ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION] = "allow_conversion",
        [ANYDNN_PLUGIN_MATH_SPLIT] = "split",
    };

    for (int32_t i = 0; i < (int32_t)(sizeof(words) / sizeof(words[0])); i++)
        if (words[i] && strcmp(words[i], word) == 0)
            return i;
    return strcmp(word, "problem") == 0 ? permitted : ANYDNN_PLUGIN_MATH_DEFAULT;
}

static uint32_t chosen_notes(const char *list)
{
    return (in_list(list, "nondeterministic") ? ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC : 0) |
           (in_list(list, "transform") ? ANYDNN_PLUGIN_NOTE_TRANSFORM : 0) |
           (in_list(list, "reduced_precision") ? ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION : 0) |
           (in_list(list, "batch_invariant") ? ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT : 0) |
           (in_list(list, "flushes_subnormals") ? ANYDNN_PLUGIN_NOTE_FLUSHES_SUBNORMALS : 0);
}

/* Makes candidate number `position`, from 0. */
static struct anydnn_plugin_candidate make_candidate(const struct anydnn_plugin_problem *problem,
                                                     int position, int32_t algorithm,
                                                     char words[128])
{
    struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof(candidate),
        .engine = (uint64_t)position + 1,
        .algorithm = algorithm,
    };
    char part[128];

    if (mock_part(mock_setting("workspace"), '/', position, 1, part, sizeof(part)))
        candidate.workspace = strtoull(part, NULL, 0);
    if (mock_part(mock_setting("math"), '/', position, 1, part, sizeof(part)))
        candidate.math = chosen_math(part, problem->math);
    if (mock_part(mock_setting("notes"), '/', position, 1, part, sizeof(part)))
        candidate.notes = chosen_notes(part);
    if (mock_part(mock_setting("expected_us"), '/', position, 1, part, sizeof(part)))
        candidate.expected_us = strtod(part, NULL);
    if (mock_part(mock_setting("words"), '/', position, 1, words, 128))
        candidate.words = words;
    if (mock_part(mock_setting("alignment"), '/', position, 1, part, sizeof(part))) {
        for (int slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++)
            candidate.alignment[slot] = (uint32_t)strtoul(part, NULL, 0);
    }
    return candidate;
}

static struct anydnn_plugin_candidate make_decline(void)
{
    const char *sentence = mock_setting("sentence");

    return (struct anydnn_plugin_candidate){
        .struct_size = sizeof(struct anydnn_plugin_candidate),
        .reason = chosen_reason(),
        .algorithm = -1,
        .sentence = sentence ? sentence : "the test backend was told to decline",
    };
}

#define VALID .struct_size = sizeof(struct anydnn_plugin_candidate), .engine = 1, .algorithm = -1

/* The candidates of set.garbage. */
static const struct {
    const char *kind;
    struct anydnn_plugin_candidate candidate;
} garbage_rows[] = {
    {"size", {.engine = 1, .algorithm = -1}},
    {"math", {VALID, .math = 77}},
    {"alignment", {VALID, .alignment = {3}}},
    {"notes", {VALID, .notes = 0xffff0000u}},
    {"algorithm",
     {.struct_size = sizeof(struct anydnn_plugin_candidate), .engine = 1, .algorithm = 12345}},
    {"reason", {VALID, .reason = -99}},
    {"time", {VALID, .expected_us = NAN}},
    {"workspace", {VALID, .workspace = UINT64_MAX}},
    {"both", {VALID}},
};

static int32_t offer_garbage(const char *kind, anydnn_plugin_offer_fn offer, void *cookie)
{
    if (strcmp(kind, "both") == 0) {
        struct anydnn_plugin_candidate decline = make_decline();

        offer(cookie, &decline);
    }
    for (size_t i = 0; i < sizeof(garbage_rows) / sizeof(garbage_rows[0]); i++)
        if (strcmp(kind, garbage_rows[i].kind) == 0)
            offer(cookie, &garbage_rows[i].candidate);
    return strcmp(kind, "status") == 0 ? 77 : 0;
}

static int32_t offer_all(const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                         void *cookie)
{
    const char *algorithms = mock_setting("algorithms");
    int64_t engines = mock_setting_number("engine_count", 1);
    char part[32], words[128];

    for (int i = 0; mock_part(algorithms ? algorithms : "-1", ',', i, 0, part, sizeof(part)); i++) {
        for (int64_t k = 0; k < engines; k++) {
            struct anydnn_plugin_candidate candidate = make_candidate(
                problem, (int)(i * engines + k), (int32_t)strtol(part, NULL, 0), words);

            if (offer(cookie, &candidate) != 0)
                return 0;
        }
    }
    return 0;
}

static int32_t mock_candidates(struct anydnn_plugin_context *context,
                               const struct anydnn_plugin_problem *problem,
                               anydnn_plugin_offer_fn offer, void *cookie)
{
    const char *garbage = mock_setting("garbage");
    int64_t status = mock_setting_number("candidates_status", 0);
    struct mock_line line;

    mock_line_begin(&line, "candidates");
    mock_line_add(&line, " context=%d", context->number);
    mock_line_problem(&line, problem);
    mock_line_end(&line);
    if (status != 0)
        return kit_fail((int32_t)status, "the test backend was told to fail in candidates");
    if (in_list(mock_setting("decline"), mock_operations[problem->operation].name)) {
        struct anydnn_plugin_candidate decline = make_decline();

        offer(cookie, &decline);
        return 0;
    }
    return garbage ? offer_garbage(garbage, offer, cookie) : offer_all(problem, offer, cookie);
}

/* ------------------------------------------------------------------ plans */

static int plan_fails(uint64_t engine)
{
    const char *list = mock_setting("fail_plan");
    char number[24];

    snprintf(number, sizeof(number), "%" PRIu64, engine);
    return list && (strcmp(list, "yes") == 0 || in_list(list, number));
}

static int32_t mock_plan_create(struct anydnn_plugin_context *context,
                                const struct anydnn_plugin_problem *problem, uint64_t engine,
                                struct anydnn_plugin_plan **plan)
{
    int32_t answer = plan_fails(engine) ? 4 : 0;
    struct anydnn_plugin_plan *made = answer == 0 ? kit_alloc(sizeof(*made), "a plan") : NULL;
    struct mock_line line;

    if (answer == 0 && !made)
        return 2;
    if (made) {
        made->number = atomic_fetch_add(&plan_count, 1) + 1;
        made->operation = problem->operation;
        made->engine = engine;
        made->present = problem->present;
        if (problem->operation == ANYDNN_PLUGIN_CONVOLUTION_FORWARD)
            memcpy(&made->params, problem->params, sizeof(made->params));
        for (int slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
            if (problem->tensor[slot])
                made->tensor[slot] = *problem->tensor[slot];
        }
        *plan = made;
    } else {
        kit_fail(4, "the test backend was told to fail in plan_create");
    }
    mock_line_begin(&line, "plan_create");
    mock_line_add(&line, " context=%d plan=%d engine=%" PRIu64, context->number,
                  made ? made->number : 0, engine);
    mock_line_problem(&line, problem);
    mock_line_add(&line, " answer=%d", answer);
    mock_line_end(&line);
    return answer;
}

/* Sets every described element, dimension by dimension, and leaves the gaps. */
static void fill_tensor(const struct anydnn_plugin_tensor *tensor, char *base, int32_t dim,
                        int byte)
{
    /* The channels of a vector are adjacent: dims count elements, strides count vectors. */
    int64_t lanes = dim == 1 ? kit_lanes(tensor->type) : 1;
    int64_t count = (tensor->dims[dim] + lanes - 1) / lanes;
    size_t size = mock_type_size(tensor->type);

    for (int64_t i = 0; i < count; i++) {
        char *at = base + i * tensor->strides[dim] * (int64_t)size;

        if (dim + 1 == tensor->ndims)
            memset(at, byte, size);
        else
            fill_tensor(tensor, at, dim + 1, byte);
    }
}

static void fill_outputs(const struct anydnn_plugin_plan *plan,
                         const struct anydnn_plugin_operands *operands, int byte)
{
    for (int slot = mock_operations[plan->operation].first_output; slot < ANYDNN_PLUGIN_OPERAND_MAX;
         slot++) {
        char *data = operands->data[slot];

#ifdef MOCK_DEVICE
        data = mock_space_reach(data, 1);
#endif
        if (data && plan->tensor[slot].ndims > 0)
            fill_tensor(&plan->tensor[slot], data, 0, byte);
    }
}

/* Computes a convolution if set.compute names a way for the engine. */
static void compute(const struct anydnn_plugin_plan *plan,
                    const struct anydnn_plugin_operands *operands)
{
    const struct anydnn_plugin_tensor *tensor[] = {&plan->tensor[0], &plan->tensor[1],
                                                   &plan->tensor[2]};
    char word[32];

    if (plan->operation == ANYDNN_PLUGIN_CONVOLUTION_FORWARD &&
        mock_part(mock_setting("compute"), '/', (int)plan->engine - 1, 1, word, sizeof(word)) &&
        word[0] != '\0')
        mock_convolution(word, tensor, &plan->params, operands);
}

static int32_t chosen_effect(const char *word)
{
    if (strcmp(word, "none") == 0)
        return ANYDNN_PLUGIN_EFFECT_NONE;
    return strcmp(word, "enqueued") == 0 ? ANYDNN_PLUGIN_EFFECT_ENQUEUED
                                         : ANYDNN_PLUGIN_EFFECT_UNKNOWN;
}

/* Returns 1 if set.execute applies to the engine. */
static int concerned(uint64_t engine)
{
    const char *list = mock_setting("execute_engines");
    char number[24];

    snprintf(number, sizeof(number), "%" PRIu64, engine);
    return !list || in_list(list, number);
}

/* Returns 1 if set.execute lets this run fail. */
static int fails(const char *word, const struct anydnn_plugin_operands *operands)
{
    if (!word || strcmp(word, "ok") == 0)
        return 0;
    return strcmp(word, "trial") != 0 || *(const unsigned char *)operands->data[2] == 0xff;
}

static int32_t mock_plan_execute(struct anydnn_plugin_plan *plan,
                                 const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    const char *word = mock_setting("execute");
    const char *fill = mock_setting("fill");
    int32_t answer = 0;
    struct mock_line line;

    mock_run(plan->engine);
    if (mock_setting_is("execute", "kill") && concerned(plan->engine))
        raise(SIGKILL);
    if (fails(word, operands) && concerned(plan->engine)) {
        answer = (int32_t)mock_setting_number("status", 8);
        *effect = chosen_effect(word);
        kit_fail(answer, "the test backend was told to fail in plan_execute");
    }
    if (answer == 0)
        compute(plan, operands);
    if (fill && (answer == 0 || *effect != ANYDNN_PLUGIN_EFFECT_NONE))
        fill_outputs(plan, operands, (int)strtol(fill, NULL, 0));
    mock_line_begin(&line, "plan_execute");
    mock_line_add(&line, " plan=%d operation=%s engine=%" PRIu64, plan->number,
                  mock_operations[plan->operation].name, plan->engine);
    mock_line_operands(&line, operands, plan->present, plan->tensor[0].type);
    mock_line_add(&line, " answer=%d effect=%d", answer, *effect);
    mock_line_end(&line);
    return answer;
}

static void mock_plan_destroy(struct anydnn_plugin_plan *plan)
{
    struct mock_line line;

    mock_line_begin(&line, "plan_destroy");
    mock_line_add(&line, " plan=%d", plan->number);
    mock_line_end(&line);
    kit_host->free(plan);
}

/* ------------------------------------------------------------------ contexts, description */

static int32_t mock_context_create(int32_t device, struct anydnn_plugin_context **context)
{
    struct anydnn_plugin_context *made = NULL;
    struct mock_line line;

    if (!mock_setting_is("fail_context", "yes")) {
        made = kit_alloc(sizeof(*made), "a context");
        if (!made)
            return 2;
        made->number = atomic_fetch_add(&context_count, 1) + 1;
        made->device = device;
        *context = made;
    } else {
        kit_fail(4, "the test backend was told to fail in context_create");
    }
    mock_line_begin(&line, "context_create");
    mock_line_add(&line, " context=%d device=%d answer=%d", made ? made->number : 0, device,
                  made ? 0 : 4);
    mock_line_end(&line);
    return made ? 0 : 4;
}

static void mock_context_destroy(struct anydnn_plugin_context *context)
{
    struct mock_line line;

    mock_line_begin(&line, "context_destroy");
    mock_line_add(&line, " context=%d", context->number);
    mock_line_end(&line);
    kit_host->free(context);
}

static const struct anydnn_plugin_limit mock_limit = {
    .struct_size = sizeof(mock_limit),
    .value = 0,
    .name = "results",
    .sentence = "computes nothing",
};
static const struct anydnn_plugin_limit *const mock_limits[] = {&mock_limit};

const char mock_space_name[] = MOCK_SPACE;

/* Returns the version of the library that this backend pretends to use. */
static const char *mock_library_version(void)
{
    const char *version = mock_setting("library_version");

    return version && version[0] != '\0' ? version : "9.19.0";
}

/* The published errata. Only candidates with these words match. */
static const char mock_errata[] = "# of the test backend\n"
                                  "[" MOCK_NAME "-published]\n"
                                  "backend = " MOCK_NAME "\n"
                                  "knobs = fault=published\n"
                                  "verdict = wrong\n"
                                  "source = the tests\n"
                                  "[" MOCK_NAME "-withdrawn]\n"
                                  "backend = " MOCK_NAME "\n"
                                  "knobs = fault=withdrawn\n"
                                  "verdict = wrong\n";

static struct anydnn_plugin description = {
    .struct_size = sizeof(description),
    .name = MOCK_NAME,
    .vendor = "the anydnn tests",
    .version = "1.0",
    .build_id = "",
    .space = MOCK_SPACE,
    .limit_count = 1,
    .limits = mock_limits,
#ifdef MOCK_DEVICE
    .flags = MOCK_FLAGS,
    .space_functions = &mock_space,
    .space_convention = MOCK_CONVENTION,
#else
    .flags = ANYDNN_PLUGIN_FORK_SAFE | MOCK_FLAGS,
#endif
    .context_create = mock_context_create,
    .context_destroy = mock_context_destroy,
    .errata = mock_errata,
    .library_version = mock_library_version,
    MOCK_SETTINGS,
};

/* Publishes less than plugin.h has, as a backend does that was built with an earlier one. */
static void limit_knowledge(void)
{
    for (uint32_t i = 0; i < description.operation_count; i++) {
        struct anydnn_plugin_operation *operation =
            (struct anydnn_plugin_operation *)(uintptr_t)description.operations[i];
        int64_t size = mock_setting_number("params_size", operation->params_size);

        operation->slots &= (uint32_t)mock_setting_number("slots", UINT32_MAX);
        if (size < operation->params_size)
            operation->params_size = (uint32_t)size;
    }
}

int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                           const struct anydnn_plugin **plugin)
{
    static const struct anydnn_plugin_operation common = {
        .maths = KIT_EVERY_MATH,
        .candidates = mock_candidates,
        .plan_create = mock_plan_create,
        .plan_execute = mock_plan_execute,
        .plan_destroy = mock_plan_destroy,
    };
    struct mock_line line;

    kit_begin(host, &description);
    mock_line_begin(&line, "main");
    mock_line_say(&line);
    for (int32_t i = 0; i < ANYDNN_PLUGIN_OPERATION_END; i++)
        if (mock_operations[i].name) /* every type of a main operand */
            kit_publish(&description, &common, i, 0x7ff, KIT_LAYOUTS | ANYDNN_PLUGIN_LAYOUT_VECT_C);
    limit_knowledge();
#ifdef MOCK_DEVICE
    mock_vary_space(&description);
#endif
    if (strcmp(MOCK_NAME, "mock_b") == 0)
        description.library_version = NULL;
    if (mock_setting_is("fork_safe", "no"))
        description.flags &= ~ANYDNN_PLUGIN_FORK_SAFE;
    *plugin = &description;
    return 0;
}
