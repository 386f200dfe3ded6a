/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A backend that breaks one rule. It is built many times: MOCK_NAME is its name, and one of the
 * MOCK_ macros selects a defect of the object. The setting `fault` selects a defect of the
 * description at run time (table below). All code of it writes a line to the file
 * ANYDNN_MOCK_MARKER when it runs.
 */
#if defined(MOCK_ABI_CODE) || defined(MOCK_ABI_SMALL)
#define anydnn_plugin_abi mock_abi_as_declared
#endif
#ifdef MOCK_NO_MAIN
#define anydnn_plugin_main mock_main_of_another_name
#endif
#include <anydnn/plugin.h>
#undef anydnn_plugin_abi

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MOCK_MAGIC
#define MOCK_MAGIC ANYDNN_PLUGIN_MAGIC
#endif
#ifndef MOCK_MAJOR
#define MOCK_MAJOR ANYDNN_PLUGIN_ABI_MAJOR
#endif
#ifndef MOCK_MINOR
#define MOCK_MINOR ANYDNN_PLUGIN_ABI_MINOR
#endif
#ifndef MOCK_ABI_SIZE
#define MOCK_ABI_SIZE sizeof(struct anydnn_plugin_abi)
#endif

static void mock_mark(const char *what)
{
    const char *file = getenv("ANYDNN_MOCK_MARKER");
    char line[128];

    if (!file)
        return;
    int length = snprintf(line, sizeof(line), "%s %s\n", MOCK_NAME, what);
    int fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0 || write(fd, line, (size_t)length) != length)
        abort();
    close(fd);
}

__attribute__((constructor)) static void mock_constructor(void)
{
    mock_mark("constructor");
}

#ifdef MOCK_UNRESOLVED
void anydnn_mock_defined_nowhere(void);
#endif

#if defined(MOCK_ABI_CODE)
ANYDNN_PLUGIN_EXPORT int anydnn_plugin_abi(void);
int anydnn_plugin_abi(void)
{
    return 0;
}
#elif defined(MOCK_ABI_SMALL)
ANYDNN_PLUGIN_EXPORT extern const uint64_t anydnn_plugin_abi;
const uint64_t anydnn_plugin_abi = ANYDNN_PLUGIN_MAGIC;
#elif !defined(MOCK_BARE) && !defined(MOCK_NO_ABI)
const struct anydnn_plugin_abi anydnn_plugin_abi = {MOCK_MAGIC, MOCK_MAJOR, MOCK_MINOR,
                                                    MOCK_ABI_SIZE, 0};
#endif

#ifndef MOCK_BARE
/* The global names that every mock defines; each mock must use its own. */
extern const char *mock_identity;
const char *mock_identity = MOCK_NAME;
#ifdef MOCK_INTERPOSED
#define MOCK_INTERPOSABLE __attribute__((visibility("default")))
#else
#define MOCK_INTERPOSABLE
#endif
MOCK_INTERPOSABLE int32_t mock_shared_candidates(struct anydnn_plugin_context *context,
                                                 const struct anydnn_plugin_problem *problem,
                                                 anydnn_plugin_offer_fn offer, void *cookie);

int32_t mock_shared_candidates(struct anydnn_plugin_context *context,
                               const struct anydnn_plugin_problem *problem,
                               anydnn_plugin_offer_fn offer, void *cookie)
{
    struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof(candidate),
        .reason = ANYDNN_PLUGIN_REASON_OTHER,
        .algorithm = -1,
        .sentence = mock_identity,
    };

    (void)context;
    (void)problem;
    mock_mark("candidates");
    return offer(cookie, &candidate);
}

static int32_t mock_plan_create(struct anydnn_plugin_context *context,
                                const struct anydnn_plugin_problem *problem, uint64_t engine,
                                struct anydnn_plugin_plan **plan)
{
    (void)context;
    (void)problem;
    (void)engine;
    (void)plan;
    return 9;
}

static int32_t mock_plan_execute(struct anydnn_plugin_plan *plan,
                                 const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    (void)plan;
    (void)operands;
    *effect = ANYDNN_PLUGIN_EFFECT_NONE;
    return 9;
}

static void mock_plan_destroy(struct anydnn_plugin_plan *plan)
{
    (void)plan;
}

static int32_t mock_context_create(int32_t device, struct anydnn_plugin_context **context)
{
    (void)device;
    *context = NULL;
    return 0;
}

static void mock_context_destroy(struct anydnn_plugin_context *context)
{
    (void)context;
}

/* Stands in for every function of a space table; these tests call none. */
static int32_t mock_space_any(int32_t *count)
{
    (void)count;
    return 9;
}

/* The data that the faults modify; each call of main refills it. The members named `beyond`
 * follow a structure and reveal reads past its end. */
static struct {
    struct anydnn_plugin plugin;
    uint64_t plugin_beyond[4];
    struct anydnn_plugin_operation operation;
    uint64_t operation_beyond[4];
    struct anydnn_plugin_operation second;
    struct anydnn_plugin_limit limit;
    struct anydnn_plugin_space space;
    const struct anydnn_plugin_operation *operations[2];
    const struct anydnn_plugin_limit *limits[1];
    struct anydnn_plugin_setting setting;
    const struct anydnn_plugin_setting *settings[1];
    char long_text[1025]; /* the longest string that is accepted, plus one character */
    char endless_text[1024 * 1024 + 2]; /* the same for errata */
} mock;

#define SET(name, member, value)                                                                   \
    {                                                                                              \
        name, offsetof(__typeof__(mock), member), sizeof(mock.member), (const void *)(value)       \
    }
#define UP_TO(type, member) offsetof(struct type, member)

/* A fault, which writes `width` bytes of `value` at `offset` of the structure above. */
struct mock_fault {
    const char *name;
    size_t offset;
    size_t width;
    const void *value;
};

static const struct mock_fault mock_faults[] = {
    SET("size_0", plugin.struct_size, 0),
    SET("size_short", plugin.struct_size, UP_TO(anydnn_plugin, context_destroy)),
    SET("size_huge", plugin.struct_size, 0xdeadbeef),
    SET("size_long", plugin.struct_size, sizeof(struct anydnn_plugin) + 32),
    SET("name_null", plugin.name, NULL),
    SET("name_bad", plugin.name, "Faulty-1"),
    SET("name_long", plugin.name, "a_name_that_is_longer_than_the_31_characters_allowed"),
    SET("name_empty", plugin.name, ""),
    SET("name_other", plugin.name, "somebody_else"),
    SET("vendor_null", plugin.vendor, NULL),
    SET("version_long", plugin.version, mock.long_text),
    SET("build_id_null", plugin.build_id, NULL),
    SET("space_null", plugin.space, NULL),
    SET("space_bad", plugin.space, "my space"),
    SET("space_cpu", plugin.space, "cpu"),
    SET("space_without_table", plugin.space, "mockdev"),
    SET("host_with_table", plugin.space_functions, &mock.space),
    SET("context_create_null", plugin.context_create, NULL),
    SET("context_destroy_wild", plugin.context_destroy, 0x20),
    SET("no_operations", plugin.operation_count, 0),
    SET("many_operations", plugin.operation_count, 0x7fffffff),
    SET("operations_null", plugin.operations, NULL),
    SET("operations_misaligned", plugin.operations, 0x31),
    SET("operation_null", operations[1], NULL),
    SET("operation_misaligned", operations[1], 0x11),
    SET("duplicate", second.operation, ANYDNN_PLUGIN_CONVOLUTION_FORWARD),
    SET("operation_unknown", second.operation, 999),
    SET("operation_zero", second.operation, 0),
    SET("operation_short", operation.struct_size, UP_TO(anydnn_plugin_operation, params_size)),
    SET("operation_long", operation.struct_size, sizeof(struct anydnn_plugin_operation) + 32),
    SET("no_candidates", operation.candidates, NULL),
    SET("no_plan_create", operation.plan_create, NULL),
    SET("no_plan_execute", operation.plan_execute, NULL),
    SET("no_plan_destroy", operation.plan_destroy, NULL),
    SET("foreign_function", operation.plan_destroy, free),
    SET("no_slots", operation.slots, 0),
    SET("no_types", operation.types, 0),
    SET("no_layouts", operation.layouts, 0),
    SET("no_maths", operation.maths, 0),
    SET("limits_null", plugin.limits, NULL),
    SET("limit_short", limit.struct_size, UP_TO(anydnn_plugin_limit, name)),
    SET("limit_without_sentence", limit.struct_size, UP_TO(anydnn_plugin_limit, sentence)),
    SET("limit_name_null", limit.name, NULL),
    SET("settings_null", plugin.settings, NULL),
    SET("setting_null", settings[0], NULL),
    SET("setting_short", setting.struct_size, UP_TO(anydnn_plugin_setting, help)),
    SET("setting_key_bad", setting.key, "Fault"),
    SET("setting_is_file", setting.kind, ANYDNN_PLUGIN_SETTING_FILE),
    SET("setting_is_choice", setting.kind, ANYDNN_PLUGIN_SETTING_CHOICE),
    SET("setting_kind_unknown", setting.kind, ANYDNN_PLUGIN_SETTING_CHOICE + 1),
    SET("setting_help_null", setting.help, NULL),
    SET("setting_help_lines", setting.help, "one\ntwo"),
    SET("errata_long", plugin.errata, mock.endless_text),
    SET("library_version_wild", plugin.library_version, 0x20),
};

/* The same for a backend with its own space. */
static const struct mock_fault mock_space_faults[] = {
    SET("space_fine", plugin.flags, 0),
    SET("space_short", space.struct_size, UP_TO(anydnn_plugin_space, poisoned)),
    SET("space_hole", space.mark_elapsed, NULL),
    SET("space_foreign", space.record_replay, free),
    SET("space_old", space.struct_size, UP_TO(anydnn_plugin_space, stream_create)),
    SET("space_unnamed", space.device_identity, NULL),
    SET("space_unwaiting", space.stream_wait, NULL),
    SET("space_keeping", space.host_free, NULL),
    SET("space_stream_foreign", space.stream_destroy, free),
    SET("space_unrecorded", space.record_end, NULL),
    SET("space_native_foreign", space.native, free),
    SET("space_guest", plugin.space_functions, NULL),
    SET("space_unnumbered", plugin.space_convention, NULL),
    SET("space_without_convention", plugin.struct_size,
        offsetof(struct anydnn_plugin, space_convention)),
    SET("space_convention_empty", plugin.space_convention, ""),
};

static void mock_fill(void)
{
    memset(&mock, 0, sizeof(mock));
    memset(mock.plugin_beyond, 0xa5, sizeof(mock.plugin_beyond));
    memset(mock.operation_beyond, 0xa5, sizeof(mock.operation_beyond));
    memset(mock.long_text, 'v', sizeof(mock.long_text) - 1);
    memset(mock.endless_text, '#', sizeof(mock.endless_text) - 1);
    mock.operation = (struct anydnn_plugin_operation){
        .struct_size = sizeof(struct anydnn_plugin_operation),
        .operation = ANYDNN_PLUGIN_CONVOLUTION_FORWARD,
        .types = ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT),
        .layouts = ANYDNN_PLUGIN_LAYOUT_NCHW,
        .maths = 1,
        .candidates = mock_shared_candidates,
        .plan_create = mock_plan_create,
        .plan_execute = mock_plan_execute,
        .plan_destroy = mock_plan_destroy,
        .slots = 7,
        .params_size = sizeof(struct anydnn_plugin_convolution),
    };
    mock.second = mock.operation;
    mock.second.operation = ANYDNN_PLUGIN_SOFTMAX_FORWARD;
    mock.second.slots = 3;
    mock.second.params_size = sizeof(struct anydnn_plugin_softmax);
    mock.operations[0] = &mock.operation;
    mock.operations[1] = &mock.second;
    mock.limit = (struct anydnn_plugin_limit){
        .struct_size = sizeof(struct anydnn_plugin_limit),
        .value = 4,
        .name = "dilation",
        .sentence = "dilations up to 4",
    };
    mock.limits[0] = &mock.limit;
    mock.setting = (struct anydnn_plugin_setting){
        .struct_size = sizeof(struct anydnn_plugin_setting),
        .key = "fault",
        .help = "what is wrong with the description (nothing)",
    };
    mock.settings[0] = &mock.setting;
    mock.plugin = (struct anydnn_plugin){
        .struct_size = sizeof(struct anydnn_plugin),
        .flags = ANYDNN_PLUGIN_FORK_SAFE,
        .name = MOCK_NAME,
        .vendor = "the anydnn tests",
        .version = "1.0",
        .build_id = "",
        .space = "host",
        .operation_count = 2,
        .limit_count = 1,
        .operations = mock.operations,
        .limits = mock.limits,
        .context_create = mock_context_create,
        .context_destroy = mock_context_destroy,
        .settings = mock.settings,
        .setting_count = 1,
    };
}

/* Fills the space table: all members except the sizes and flags are functions. */
static void mock_fill_space(void)
{
    int32_t (*function)(int32_t *) = mock_space_any;

    for (size_t at = offsetof(struct anydnn_plugin_space, device_count); at < sizeof(mock.space);
         at += sizeof(function))
        memcpy((char *)&mock.space + at, &function, sizeof(function));
    mock.space.struct_size = sizeof(mock.space);
    mock.space.flags = mock.space.reserved_end = 0;
    mock.plugin.space_convention = "mockdev-1";
    mock.plugin.space = "mockdev";
    mock.plugin.space_functions = &mock.space;
}

static int mock_apply(const struct mock_fault *faults, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(faults[i].name, name) == 0) {
            memcpy((char *)&mock + faults[i].offset, &faults[i].value, faults[i].width);
            return 1;
        }
    }
    return 0;
}

static void mock_spoil(const char *fault)
{
    if (mock_apply(mock_faults, sizeof(mock_faults) / sizeof(mock_faults[0]), fault))
        return;
    mock_fill_space();
    if (!mock_apply(mock_space_faults, sizeof(mock_space_faults) / sizeof(mock_space_faults[0]),
                    fault))
        abort();
}

/* Forks. Children must neither hang nor run the program's exit handlers. */
static void mock_fork(void)
{
    pid_t child = fork();

    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
}

static void mock_log_levels(const struct anydnn_plugin_host *host)
{
    host->log(host, ANYDNN_PLUGIN_LOG_ERROR, "/somewhere/mock.c", 17, "an error");
    host->log(host, ANYDNN_PLUGIN_LOG_WARN, NULL, 0, "a warning");
    host->log(host, ANYDNN_PLUGIN_LOG_DEBUG, NULL, 0, "a debug line");
    host->log(host, 99, NULL, 0, "beyond trace");
    host->log(host, -5, NULL, 0, "below error");
}

int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                           const struct anydnn_plugin **plugin)
{
    const char *fault = host->setting(host, "fault");

    mock_mark("main");
#ifdef MOCK_UNRESOLVED
    anydnn_mock_defined_nowhere();
#endif
#ifdef MOCK_SLOW
    usleep(200000);
#endif
    mock_fill();
    *plugin = &mock.plugin;
    if (!fault)
        return 0;
    if (strcmp(fault, "error") == 0) {
        host->set_error(host, "the moon is\nin the wrong phase");
        return 4;
    }
    if (strcmp(fault, "error_silent") == 0)
        return 9;
    if (strcmp(fault, "null") == 0)
        *plugin = NULL;
    else if (strcmp(fault, "misaligned") == 0)
        *plugin = (const struct anydnn_plugin *)(const void *)((char *)&mock.plugin + 1);
    else if (strcmp(fault, "fork") == 0)
        mock_fork();
    else if (strcmp(fault, "log") == 0)
        mock_log_levels(host);
    else if (strcmp(fault, "reenter") == 0)
        host->setting(host, "reenter");
    else
        mock_spoil(fault);
    return 0;
}
#else
/* The object needs some content to link. */
extern const char mock_bare[];
__attribute__((visibility("default"))) const char mock_bare[] = "no backend at all";
#endif
