/* SPDX-License-Identifier: Apache-2.0 */
/* Tests layers: which file or variable takes precedence, the effect of a bad one, and the origin
 * of each value. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "settings/keys.h"
#include "settings/paths.h"
#include "settings/read.h"
#include "settings/sources.h"
#include "settings_fixture.h"
#include "sys/log.h"

struct layer_case {
    const char *name;
    struct given given;
    const char *section, *key;
    const char *expected;
    const char *origin;   /* part of the origin */
    const char *messages; /* part of the messages; NULL: no messages */
    int dropped;
};

#define SECTIONS                                                                                   \
    "the sections are anydnn, trace, shadow, check, cudnn9, route, route MODE and plugin NAME"
#define CACHE   "anydnn", "plan_cache"
#define FOLDERS "anydnn", "plugin_path"

static const struct layer_case cases[] = {
    {"nothing given", {.system = NULL}, CACHE, "256", "built-in", NULL, 0},
    {"the system's file",
     {.system = "[anydnn]\nplan_cache=1\n"},
     CACHE,
     "1",
     "/anydnn.conf:2",
     NULL,
     0},
    {"conf.d over the system's file",
     {.system = "[anydnn]\nplan_cache=1\n", .drop = {"a.conf", "[anydnn]\nplan_cache=2\n"}},
     CACHE,
     "2",
     "/conf.d/a.conf:2",
     NULL,
     0},
    {"conf.d in the order of bytes",
     {.drop = {"b.conf", "[anydnn]\nplan_cache=2\n", "a.conf", "[anydnn]\nplan_cache=1\n", "B.conf",
               "[anydnn]\nplan_cache=3\n", "10.conf", "[anydnn]\nplan_cache=4\n"}},
     CACHE,
     "2",
     "b.conf:2",
     NULL,
     0},
    {"conf.d: 9 comes after 10",
     {.drop = {"9.conf", "[anydnn]\nplan_cache=9\n", "10.conf", "[anydnn]\nplan_cache=10\n"}},
     CACHE,
     "9",
     "9.conf:2",
     NULL,
     0},
    {"conf.d takes only *.conf",
     {.drop = {".d.conf", "[anydnn]\nplan_cache=4\n", "b.conf~", "[anydnn]\nplan_cache=2\n",
               "c.ini", "[anydnn]\nplan_cache=3\n", "conf", "[anydnn]\nplan_cache=5\n"}},
     CACHE,
     "256",
     "built-in",
     NULL,
     0},
    {"one bad file of conf.d",
     {.drop = {"a.conf", "[anydnn]\nplan_cache=1\n", "b.conf", "[anydnn]\nplan_cache=2\nx=1\n",
               "c.conf", "[anydnn]\nlog=error\n"}},
     CACHE,
     "1",
     "a.conf:2",
     "/conf.d/b.conf:3: unknown key `x`",
     1},
    {"two bad files",
     {.system = "x\n", .user = "y\n"},
     CACHE,
     "256",
     "built-in",
     "/user.conf:1: the line is neither",
     2},
    {"the user's file over the system's",
     {.system = "[anydnn]\nplan_cache=1\n", .user = "[anydnn]\nplan_cache=2\n"},
     CACHE,
     "2",
     "/user.conf:2",
     NULL,
     0},
    {"ANYDNN_CONFIG over the user's",
     {.user = "[anydnn]\nplan_cache=2\n", .config = "[anydnn]\nplan_cache=3\n"},
     CACHE,
     "3",
     "/config.conf:2",
     NULL,
     0},
    {"the environment over ANYDNN_CONFIG",
     {.config = "[anydnn]\nplan_cache=3\n", .environment = {"ANYDNN_PLAN_CACHE=4"}},
     CACHE,
     "4",
     "environment ANYDNN_PLAN_CACHE",
     NULL,
     0},
    {"other keys of lower layers stay",
     {.system = "[anydnn]\nplan_cache=1\n", .user = "[anydnn]\nfallback=off\n"},
     CACHE,
     "1",
     "/anydnn.conf:2",
     NULL,
     0},
    {"lines of folders add up in a file",
     {.system = "[anydnn]\nplugin_path=/a:/b\nplan_cache=1\nplugin_path=/c\n[route]\n[anydnn]\n"
                "plugin_path=/d, /e\n"},
     FOLDERS,
     "/a:/b:/c:/d:/e",
     "/anydnn.conf:2",
     NULL,
     0},
    {"folders of a later file replace them",
     {.system = "[anydnn]\nplugin_path=/a\nplugin_path=/b\n",
      .user = "[anydnn]\nplugin_path=/c\nplugin_path=/d\n"},
     FOLDERS,
     "/c:/d",
     "/user.conf:2",
     NULL,
     0},
    {"a bad second line of folders",
     {.system = "[anydnn]\nplugin_path=/a\n", .user = "[anydnn]\nplugin_path=/b\nplugin_path=c\n"},
     FOLDERS,
     "/a",
     "/anydnn.conf:2",
     "/user.conf:3: plugin_path = c: the value must be none or absolute folders",
     1},
    {"a bad user's file changes nothing",
     {.system = "[anydnn]\nplan_cache=1\n",
      .user = "[anydnn]\nplan_cache=2\n[plugin p]\nenable=yes\nenable=no\n"},
     CACHE,
     "1",
     "/anydnn.conf:2",
     "/user.conf:5: `enable` is given twice in [plugin p]; the first is line 4; the whole file is "
     "ignored",
     1},

    {"user_config = none",
     {.system = "[anydnn]\nuser_config=none\nplan_cache=1\n", .user = "[anydnn]\nplan_cache=2\n"},
     CACHE,
     "1",
     "/anydnn.conf:3",
     NULL,
     0},
    {"user_config = none: not even a bad file is read",
     {.system = "[anydnn]\nuser_config=none\n", .user = "bad\n"},
     CACHE,
     "256",
     "built-in",
     NULL,
     0},
    {"user_config = merge",
     {.system = "[anydnn]\nuser_config=merge\nplan_cache=1\nlog=error\n",
      .user = "[anydnn]\nplan_cache=2\n"},
     "anydnn",
     "log",
     "error",
     "/anydnn.conf:4",
     NULL,
     0},
    {"user_config = only",
     {.system = "[anydnn]\nuser_config=only\nplan_cache=1\n", .user = "[anydnn]\nlog=error\n"},
     CACHE,
     "256",
     "built-in",
     NULL,
     0},
    {"user_config = only keeps its own value and origin",
     {.system = "[anydnn]\nuser_config=only\n", .user = "\n"},
     "anydnn",
     "user_config",
     "only",
     "/anydnn.conf:2",
     NULL,
     0},
    {"user_config = only: the user's values",
     {.system = "[anydnn]\nuser_config=only\nlog=error\n[route]\n*=a\n",
      .user = "[route]\nim2col=b\n"},
     "route",
     "*",
     "cuda_simt, cudnn, cuda_naive, onednn, cpu_ref",
     "built-in",
     NULL,
     0},
    {"user_config = only without a user's file",
     {.system = "[anydnn]\nuser_config=only\nplan_cache=1\n"},
     CACHE,
     "1",
     "/anydnn.conf:3",
     NULL,
     0},
    {"user_config = only with a bad user's file",
     {.system = "[anydnn]\nuser_config=only\nplan_cache=1\n", .user = "bad\n"},
     CACHE,
     "1",
     "/anydnn.conf:3",
     "/user.conf:1: the line is neither",
     1},
    {"user_config from conf.d",
     {.system = "[anydnn]\nuser_config=merge\n",
      .drop = {"x.conf", "[anydnn]\nuser_config=none\n"},
      .user = "[anydnn]\nplan_cache=2\n"},
     CACHE,
     "256",
     "built-in",
     NULL,
     0},
    {"user_config in the user's file counts for nothing",
     {.user = "[anydnn]\nuser_config=none\nplan_cache=2\n"},
     CACHE,
     "2",
     "/user.conf:3",
     "/user.conf:2: user_config is allowed only in the system's files; ignored",
     0},
    {"user_config in the environment is unknown",
     {.environment = {"ANYDNN_USER_CONFIG=none"}},
     "anydnn",
     "user_config",
     "merge",
     "built-in",
     "unknown environment variable ANYDNN_USER_CONFIG",
     0},

    {"a newer schema: unknown keys only warn",
     {.system = "[anydnn]\nplan_cache=1\ncolour=red\nschema=2\n"},
     CACHE,
     "1",
     "/anydnn.conf:2",
     "/anydnn.conf:3: unknown key `colour` in [anydnn]; anydnn.conf(5) lists the keys; ignored, "
     "because the file has schema 2 and this library has 1",
     0},
    {"a newer schema: unknown sections",
     {.system = "[anydnn]\nplan_cache=1\nschema=3\n[cloud]\na=b\n"},
     CACHE,
     "1",
     "/anydnn.conf:2",
     "/anydnn.conf:5: unknown section [cloud]; " SECTIONS "; ignored",
     0},
    {"a newer schema: unknown operations",
     {.system = "[anydnn]\nplan_cache=1\nschema=3\n[route]\nattention=b\n"},
     CACHE,
     "1",
     "/anydnn.conf:2",
     "/anydnn.conf:5: unknown operation `attention`; `anydnn info --operations` lists the "
     "operations; ignored",
     0},
    {"a newer schema: unknown modes",
     {.system = "[anydnn]\nplan_cache=1\nschema=3\n[route fp4]\n*=b\n"},
     CACHE,
     "1",
     "/anydnn.conf:2",
     "/anydnn.conf:5: unknown section [route fp4]; " SECTIONS "; ignored",
     0},
    {"a newer schema: unknown keys of plugins",
     {.system = "[anydnn]\nplan_cache=1\nschema=3\n[plugin p]\ncores=b\n"},
     CACHE,
     "1",
     "/anydnn.conf:2",
     "/anydnn.conf:5: unknown key `cores` in [plugin p]; its keys are module, enable and set.KEY; "
     "ignored",
     0},
    {"a newer schema: bad values are errors",
     {.system = "[anydnn]\nschema=2\nplan_cache=zero\n"},
     CACHE,
     "256",
     "built-in",
     "/anydnn.conf:3: plan_cache = zero",
     1},
    {"a newer schema: syntax is an error",
     {.system = "[anydnn]\nschema=2\nplan_cache\n"},
     CACHE,
     "256",
     "built-in",
     "/anydnn.conf:3: the line is neither",
     1},
    {"a newer schema counts for its own file",
     {.system = "[anydnn]\nschema=2\n", .user = "[anydnn]\ncolour=red\n"},
     CACHE,
     "256",
     "built-in",
     "/user.conf:2: unknown key `colour` in [anydnn]; anydnn.conf(5) lists the keys; the whole "
     "file",
     1},

    {"plugin: a later layer's enable",
     {.system = "[plugin p]\nenable=yes\nmodule=a.so\n", .user = "[plugin p]\nenable=no\n"},
     "plugin p",
     "enable",
     "no",
     "/user.conf:2",
     NULL,
     0},
    {"plugin: the other key stays",
     {.system = "[plugin p]\nenable=yes\nmodule=a.so\n", .user = "[plugin p]\nenable=no\n"},
     "plugin p",
     "module",
     "a.so",
     "/anydnn.conf:3",
     NULL,
     0},
    {"plugin: a later layer's set",
     {.system = "[plugin p]\nset.a=1\nset.b=2\n", .user = "[plugin p]\nset.a=3\n"},
     "plugin p",
     "set.a",
     "3",
     "/user.conf:2",
     NULL,
     0},
    {"plugin: the other set stays",
     {.system = "[plugin p]\nset.a=1\nset.b=2\n", .user = "[plugin p]\nset.a=3\n"},
     "plugin p",
     "set.b",
     "2",
     "/anydnn.conf:3",
     NULL,
     0},
    {"plugin: enable where only a set is given",
     {.system = "[plugin p]\nset.a=1\n"},
     "plugin p",
     "enable",
     "auto",
     "built-in",
     NULL,
     0},
    {"plugin: two of them",
     {.system = "[plugin p]\nset.a=1\n[plugin q]\nset.a=2\n"},
     "plugin q",
     "set.a",
     "2",
     "/anydnn.conf:4",
     NULL,
     0},

    {"ANYDNN_DEVICE",
     {.environment = {"ANYDNN_DEVICE=cpu"}},
     "anydnn",
     "device",
     "cpu",
     "environment ANYDNN_DEVICE",
     NULL,
     0},
    {"ANYDNN_FALLBACK",
     {.environment = {"ANYDNN_FALLBACK=off"}},
     "anydnn",
     "fallback",
     "off",
     "environment ANYDNN_FALLBACK",
     NULL,
     0},
    {"ANYDNN_STAGING",
     {.environment = {"ANYDNN_STAGING=off"}},
     "anydnn",
     "staging",
     "off",
     "environment ANYDNN_STAGING",
     NULL,
     0},
    {"ANYDNN_DETERMINISTIC",
     {.environment = {"ANYDNN_DETERMINISTIC=no"}},
     "anydnn",
     "deterministic",
     "no",
     "environment ANYDNN_DETERMINISTIC",
     NULL,
     0},
    {"ANYDNN_WORKSPACE_LIMIT",
     {.environment = {"ANYDNN_WORKSPACE_LIMIT=1G"}},
     "anydnn",
     "workspace_limit",
     "1G",
     "environment ANYDNN_WORKSPACE_LIMIT",
     NULL,
     0},
    {"ANYDNN_LOG",
     {.environment = {"ANYDNN_LOG=error"}},
     "anydnn",
     "log",
     "error",
     "environment ANYDNN_LOG",
     NULL,
     0},
    {"ANYDNN_LOG_FILE",
     {.environment = {"ANYDNN_LOG_FILE=/dev/null"}},
     "anydnn",
     "log_file",
     "/dev/null",
     "environment ANYDNN_LOG_FILE",
     NULL,
     0},
    {"ANYDNN_PLUGIN_PATH",
     {.environment = {"ANYDNN_PLUGIN_PATH=/a:/b"}},
     "anydnn",
     "plugin_path",
     "/a:/b",
     "environment ANYDNN_PLUGIN_PATH",
     NULL,
     0},
    {"ANYDNN_PLUGIN_PATH must be absolute",
     {.environment = {"ANYDNN_PLUGIN_PATH=/a:b"}},
     "anydnn",
     "plugin_path",
     "none",
     "built-in",
     "environment ANYDNN_PLUGIN_PATH: plugin_path = /a:b: the value must be none or absolute "
     "folders",
     1},
    {"a bad value in the environment",
     {.system = "[anydnn]\nplan_cache=1\n",
      .environment = {"ANYDNN_PLAN_CACHE=no", "ANYDNN_FALLBACK=off"}},
     CACHE,
     "1",
     "/anydnn.conf:2",
     "environment ANYDNN_PLAN_CACHE: plan_cache = no: the value must be a number from 1 to 65536; "
     "this variable is ignored",
     1},
    {"a bad level in the environment is told once",
     {.environment = {"ANYDNN_LOG=loud"}},
     "anydnn",
     "log",
     "warn",
     "built-in",
     "environment ANYDNN_LOG: log = loud: the value must be",
     1},
    {"a bad route in the environment",
     {.environment = {"ANYDNN_ROUTE=a b"}},
     "route",
     "*",
     "cuda_simt, cudnn, cuda_naive, onednn, cpu_ref",
     "built-in",
     "environment ANYDNN_ROUTE: `a b` is not a valid backend name",
     1},
    {"an unknown operation in the environment",
     {.environment = {"ANYDNN_ROUTE_CONVOLUTION_FORWRAD=a"}},
     "route",
     "*",
     "cuda_simt, cudnn, cuda_naive, onednn, cpu_ref",
     "built-in",
     "environment ANYDNN_ROUTE_CONVOLUTION_FORWRAD: unknown operation "
     "`convolution_forwrad`; did you mean `convolution_forward`?",
     1},
    {"an unknown mode in the environment",
     {.environment = {"ANYDNN_ROUTE_IM2COL__TENSOROP=a"}},
     "route",
     "*",
     "cuda_simt, cudnn, cuda_naive, onednn, cpu_ref",
     "built-in",
     "environment ANYDNN_ROUTE_IM2COL__TENSOROP: unknown section "
     "[route tensorop]; did you mean",
     1},
    {"an unknown variable",
     {.environment = {"ANYDNN_DEVCIE=cpu"}},
     "anydnn",
     "device",
     "auto",
     "built-in",
     "unknown environment variable ANYDNN_DEVCIE; did you mean `ANYDNN_DEVICE`?",
     0},
    {"a variable that is near to ANYDNN_ROUTE",
     {.environment = {"ANYDNN_ROUTES=a"}},
     "anydnn",
     "device",
     "auto",
     "built-in",
     "unknown environment variable ANYDNN_ROUTES; did you mean `ANYDNN_ROUTE`?",
     0},
    {"a variable that is near to ANYDNN_CONFIG",
     {.environment = {"ANYDNN_CONFG=a"}},
     "anydnn",
     "device",
     "auto",
     "built-in",
     "unknown environment variable ANYDNN_CONFG; did you mean `ANYDNN_CONFIG`?",
     0},
    {"a variable near to nothing",
     {.environment = {"ANYDNN_ZZZZZZZZZZZZZ=a"}},
     "anydnn",
     "device",
     "auto",
     "built-in",
     "unknown environment variable ANYDNN_ZZZZZZZZZZZZZ",
     0},
    {"small letters in a variable",
     {.environment = {"ANYDNN_device=cpu"}},
     "anydnn",
     "device",
     "auto",
     "built-in",
     "unknown environment variable ANYDNN_device",
     0},
    {"a very long variable",
     {.environment = {"ANYDNN_ROUTE_0123456789012345678901234567890123456789012345678901234567890"
                      "123456789=a"}},
     "anydnn",
     "device",
     "auto",
     "built-in",
     "is longer than any operation's name",
     1},
    {"the tests' own variables",
     {.environment = {"ANYDNN_TEST_SOMETHING=1", "ANYDNN_CONFIG=/somewhere"}},
     "anydnn",
     "device",
     "auto",
     "built-in",
     NULL,
     0},
    {"the Python package's variables",
     {.environment = {"ANYDNN_LIBRARY=/a", "ANYDNN_TOOL=/b", "ANYDNN_INCLUDE=/c"}},
     "anydnn",
     "device",
     "auto",
     "built-in",
     NULL,
     0},
    {"a variable that begins like one of the Python package",
     {.environment = {"ANYDNN_LIBRARY_PATH=/a"}},
     "anydnn",
     "device",
     "auto",
     "built-in",
     "unknown environment variable ANYDNN_LIBRARY_PATH",
     0},
    {"other variables",
     {.environment = {"ANYDNNX=1", "HOME=/", "XANYDNN_DEVICE=cpu"}},
     "anydnn",
     "device",
     "auto",
     "built-in",
     NULL,
     0},
};
#define CASE_COUNT (sizeof(cases) / sizeof(cases[0]))

static void run_case(void **state)
{
    const struct layer_case *it = *state;
    struct adn_settings *settings = fixture_load(&it->given);
    const char *origin = "";

    if (it->messages != NULL)
        assert_holds(fixture_messages, it->messages);
    else
        assert_string_equal(fixture_messages, "");
    assert_string_equal(fixture_item(settings, it->section, it->key, &origin), it->expected);
    assert_holds(origin, it->origin);
    assert_int_equal(settings->dropped, it->dropped);
    assert_string_equal(settings->fatal, "");
    adn_settings_free(settings);
}

/* ---- the file that ANYDNN_CONFIG names */

struct fatal_case {
    const char *name;
    struct given given;
    const char *sentence;
};

static const struct fatal_case fatals[] = {
    {"ANYDNN_CONFIG is relative",
     {.config_path = "my.conf"},
     "ANYDNN_CONFIG = my.conf: it must be an absolute path"},
    {"ANYDNN_CONFIG does not exist",
     {.config_path = "/nowhere/my.conf"},
     "ANYDNN_CONFIG: /nowhere/my.conf: cannot be opened: No such file or directory"},
    {"ANYDNN_CONFIG is a folder",
     {.config_path = "/tmp"},
     "ANYDNN_CONFIG: /tmp: is a folder, not a regular file"},
    {"an unknown key in ANYDNN_CONFIG",
     {.config = "[anydnn]\nlogg = info\n"},
     "config.conf:2: unknown key `logg` in [anydnn]; did you mean `log`?"},
    {"a bad value in ANYDNN_CONFIG",
     {.config = "[anydnn]\nlog = loud\n"},
     "config.conf:2: log = loud: the value must be"},
    {"bad syntax in ANYDNN_CONFIG",
     {.config = "[anydnn]\n  log = warn\n"},
     "config.conf:2: an indented line"},
    {"a bad route in ANYDNN_CONFIG",
     {.config = "[route]\nconv_fwd = cpu_ref\n"},
     "config.conf:2: unknown operation `conv_fwd`"},
};
#define FATAL_COUNT (sizeof(fatals) / sizeof(fatals[0]))

static void run_fatal(void **state)
{
    const struct fatal_case *it = *state;
    struct adn_settings *settings = fixture_load(&it->given);

    assert_int_equal(strncmp(settings->fatal, "ANYDNN_CONFIG", 13), 0);
    assert_holds(settings->fatal, it->sentence);
    assert_string_equal(fixture_messages, "");
    assert_int_equal(settings->dropped, 0);
    assert_string_equal(fixture_item(settings, "anydnn", "log", NULL), "warn");
    adn_settings_free(settings);
}

/* ---- single cases */

static void unreadable_file(void **state)
{
    int root = geteuid() == 0;
    enum adn_read result;
    struct adn_file file;
    char path[256];

    (void)state;
    fixture_write("closed.conf", "[anydnn]\n");
    fixture_path(path, sizeof(path), "closed.conf");
    assert_int_equal(chmod(path, 0), 0);
    /* Root can read every file, so the test switches to another user here. */
    if (root && seteuid(65534) != 0)
        skip();
    result = adn_file_read(&file, path);
    assert_int_equal(root ? seteuid(0) : 0, 0);
    assert_int_equal(result, ADN_READ_BAD);
    assert_holds(file.error, "closed.conf: cannot be opened: Permission denied");
    adn_file_free(&file);
}

static void absent_files_are_silent(void **state)
{
    struct adn_settings_sources sources = {.system_file = "/nowhere/anydnn.conf",
                                           .system_folder = "/nowhere/conf.d",
                                           .user_file = "/dev/null/anydnn.conf"};
    struct adn_settings *settings = adn_settings_load_from(&sources);

    (void)state;
    assert_non_null(settings);
    assert_int_equal(settings->dropped, 0);
    adn_settings_free(settings);
}

static void file_too_long(void **state)
{
    size_t size = 300 * 1024;
    char *text = malloc(size);
    struct given given = {.system = text};
    struct adn_settings *settings;

    (void)state;
    memset(text, '\n', size - 1);
    text[size - 1] = '\0';
    settings = fixture_load(&given);
    assert_holds(fixture_messages, "/anydnn.conf: longer than 262144 bytes");
    assert_int_equal(settings->dropped, 1);
    adn_settings_free(settings);
    free(text);
}

static void long_origin_keeps_its_end(void **state)
{
    char path[700], origin[ADN_ORIGIN_MAX];

    (void)state;
    memset(path, 'd', sizeof(path));
    strcpy(path + sizeof(path) - 14, "/last.conf");
    adn_file_origin(origin, path, 123456);
    assert_int_equal(strncmp(origin, "...d", 4), 0);
    assert_string_equal(origin + strlen(origin) - 17, "/last.conf:123456");
    adn_file_origin(origin, "/a", 0);
    assert_string_equal(origin, "/a");
}

static void log_is_put_in_force(void **state)
{
    char variable[300], path[280], text[512] = "";
    struct given given = {.environment = {"ANYDNN_LOG=trace", variable}};
    struct adn_settings *settings;
    FILE *file;

    (void)state;
    snprintf(path, sizeof(path), "%s/log.%%p", fixture_folder());
    snprintf(variable, sizeof(variable), "ANYDNN_LOG_FILE=%s", path);
    /* The first load ends with the fixture's own level and target; the file remains. */
    given.environment[2] = "ANYDNN_NONSENSE_VARIABLE=1";
    settings = fixture_load(&given);
    assert_int_equal(settings->log, ADN_LOG_TRACE);
    snprintf(path, sizeof(path), "%s/log.%ld", fixture_folder(), (long)getpid());
    file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof(text), file));
    fclose(file);
    assert_string_equal(text,
                        "anydnn: warning: unknown environment variable ANYDNN_NONSENSE_VARIABLE; "
                        "anydnn.conf(5) lists the variables\n");
    adn_settings_free(settings);
}

/* Only regular files are read, and no read blocks. */
static void settings_are_regular_files(void **state)
{
    static const char *const ends[] = {"fifo", "link_to_fifo", "/dev/zero", "folder"};
    char path[256], target[256];

    (void)state;
    fixture_path(path, sizeof(path), "fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    fixture_path(target, sizeof(target), "link_to_fifo");
    assert_int_equal(symlink(path, target), 0);
    fixture_path(path, sizeof(path), "folder");
    assert_int_equal(mkdir(path, 0700), 0);
    alarm(20);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        struct adn_file file;

        if (ends[i][0] == '/')
            snprintf(path, sizeof(path), "%s", ends[i]);
        else
            fixture_path(path, sizeof(path), ends[i]);
        assert_int_equal(adn_file_read(&file, path), ADN_READ_BAD);
        assert_holds(file.error, ": is a ");
        assert_holds(file.error, ", not a regular file");
        adn_file_free(&file);
    }
    alarm(0);
}

static void links_and_the_null_device_are_read(void **state)
{
    struct given given = {.config_path = "/dev/null"};
    struct adn_settings *settings = fixture_load(&given);
    char path[256];

    (void)state;
    assert_string_equal(settings->fatal, "");
    adn_settings_free(settings);
    fixture_write("target.conf", "[anydnn]\nplan_cache = 7\n");
    fixture_path(path, sizeof(path), "link.conf");
    assert_int_equal(symlink("target.conf", path), 0);
    given.config_path = path;
    settings = fixture_load(&given);
    assert_string_equal(settings->fatal, "");
    assert_int_equal(settings->plan_cache, 7);
    adn_settings_free(settings);
}

static void a_file_that_others_can_write_is_told(void **state)
{
    static const unsigned modes[] = {0664, 0646, 0600};
    char path[256];

    (void)state;
    fixture_write("loose.conf", "[anydnn]\nplan_cache = 7\n");
    fixture_path(path, sizeof(path), "loose.conf");
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        struct given given = {.config_path = path};
        char told[64];
        struct adn_settings *settings;

        assert_int_equal(chmod(path, modes[i]), 0);
        settings = fixture_load(&given);
        assert_int_equal(settings->plan_cache, 7);
        assert_int_equal(fixture_message_count, modes[i] & 022 ? 1 : 0);
        snprintf(told, sizeof(told), "others (mode %04o): chmod go-w /", modes[i]);
        assert_holds(fixture_messages, modes[i] & 022 ? told : "");
        adn_settings_free(settings);
    }
}

/* Writes a file of another user and loads it as ANYDNN_CONFIG on top of the system's file. */
static struct adn_settings *load_theirs(const char *system, const char *text)
{
    static char path[256];
    struct given given = {.system = system, .config_path = path};

    fixture_write("theirs.conf", text);
    fixture_path(path, sizeof(path), "theirs.conf");
    assert_int_equal(chown(path, 12345, 12345), 0);
    return fixture_load(&given);
}

/* sudo creates such a file when it keeps HOME. Only root can create one here. */
static void root_hears_others_half(void **state)
{
    struct adn_settings *settings;

    (void)state;
    if (geteuid() != 0)
        skip();
    settings = load_theirs(NULL, "[anydnn]\nplan_cache = 7\nplugin_path = /tmp\n"
                                 "tuning = /tmp/tuning\n[plugin p]\nmodule = /tmp/p.so\n"
                                 "enable = no\n");
    assert_int_equal(settings->plan_cache, 7);
    assert_int_equal(adn_settings_plugin(settings, "p")->enable, ADN_ENABLE_NO);
    assert_null(adn_settings_plugin(settings, "p")->module);
    assert_string_equal(settings->tuning, "off");
    assert_true(settings->plugin_path == NULL || settings->plugin_path[0] == NULL);
    assert_int_equal(fixture_message_count, 4);
    assert_holds(fixture_messages, "theirs.conf: it belongs to user 12345");
    assert_holds(fixture_messages, "its keys that name code or files are ignored");
    assert_holds(fixture_messages, "theirs.conf:3: plugin_path = /tmp is ignored");
    assert_holds(fixture_messages, "theirs.conf:4: tuning = /tmp/tuning is ignored");
    assert_holds(fixture_messages, "theirs.conf:6: module = /tmp/p.so is ignored");
    adn_settings_free(settings);
}

/* SECURITY.md: such a file must not run code or name a file to write. */
static void root_takes_no_path_of_others(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    for (int i = 0; i < adn_key_count; i++) {
        const struct adn_key *key = &adn_keys[i];
        int names_path = key->type == ADN_KEY_LOG_FILE || key->type == ADN_KEY_FILE ||
                         key->type == ADN_KEY_FOLDERS;
        struct adn_settings *settings;
        char text[128], path[64], withheld[512];
        int item = 0;
        const char *section, *name, *origin;
        char value[256];

        if (!names_path)
            continue;
        fixture_path(path, sizeof(path), "a_path");
        snprintf(text, sizeof(text), "[%s]\n%s = %s\n", key->section, key->key, path);
        settings = load_theirs(NULL, text);
        assert_string_equal(fixture_item(settings, key->section, key->key, NULL), key->builtin);
        while (adn_settings_item(settings, item, &section, &name, value, sizeof(value), &origin) ==
                   0 &&
               (strcmp(section, key->section) != 0 || strcmp(name, key->key) != 0))
            item++;
        adn_settings_item_withheld(settings, item, withheld, sizeof(withheld));
        assert_holds(withheld, "theirs.conf:2: ");
        assert_holds(withheld, path);
        assert_holds(withheld, "belongs to user 12345");
        assert_int_equal(access(path, F_OK), -1);
        adn_settings_free(settings);
    }
}

/* A withheld value keeps that of an earlier layer, and a later layer overrides it. */
static void withheld_values_leave_earlier_ones(void **state)
{
    static const char system[] = "[anydnn]\ntuning = /own/tuning\n[plugin p]\nmodule = own.so\n"
                                 "set.library = own\nset.threads = 1\n";
    static const char theirs[] = "[anydnn]\ntuning = /tmp/tuning\n[plugin p]\n"
                                 "module = /tmp/p.so\nset.library = theirs\nset.threads = 2\n"
                                 "set.new = 3\n";
    const struct adn_plugin_setting *set;
    struct adn_settings *settings;
    const char *origin;

    (void)state;
    if (geteuid() != 0)
        skip();
    settings = load_theirs(system, theirs);
    assert_string_equal(settings->tuning, "/own/tuning");
    assert_string_equal(fixture_item(settings, "anydnn", "tuning", &origin), "/own/tuning");
    assert_holds(origin, "/anydnn.conf:2");
    assert_string_equal(adn_settings_plugin(settings, "p")->module, "own.so");
    set = adn_settings_plugin_set(settings, "p", "library");
    assert_string_equal(adn_plugin_setting_value(set, 0), "own");
    assert_holds(set->withheld->origin, "theirs.conf:5");
    assert_int_equal(set->withheld->owner, 12345);
    set = adn_settings_plugin_set(settings, "p", "threads");
    assert_string_equal(adn_plugin_setting_value(set, 0), "1");
    assert_string_equal(adn_plugin_setting_value(set, 1), "2");
    set = adn_settings_plugin_set(settings, "p", "new");
    assert_null(adn_plugin_setting_value(set, 0));
    assert_string_equal(adn_plugin_setting_value(set, 1), "3");
    assert_null(adn_plugin_setting_value(adn_settings_plugin_set(settings, "p", "none"), 1));
    adn_settings_free(settings);
}

static void log_file_without_a_reader(void **state)
{
    struct given given = {0};
    struct adn_settings *settings;
    char path[256], text[300];

    (void)state;
    fixture_path(path, sizeof(path), "log_fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    snprintf(text, sizeof(text), "[anydnn]\nlog_file=%s\n", path);
    given.system = text;
    alarm(20);
    settings = fixture_load(&given);
    alarm(0);
    assert_holds(fixture_messages, "log_fifo: cannot be opened: it is a FIFO without a reader");
    adn_settings_free(settings);
}

static void log_file_that_cannot_be_opened(void **state)
{
    struct given given = {.system = "[anydnn]\nlog_file=/nowhere/log\n"};
    struct adn_settings *settings = fixture_load(&given);

    (void)state;
    assert_holds(fixture_messages,
                 "/anydnn.conf:2: log_file = /nowhere/log: cannot be opened: No such file");
    adn_settings_free(settings);
}

static void relocated_paths(void **state)
{
    static const char *const rows[][4] = {
        {"/usr/local/lib/anydnn/plugins", "/usr/local/lib", "/opt/x/lib",
         "/opt/x/lib/anydnn/plugins"},
        {"/usr/local/etc/anydnn", "/usr/local/lib", "/opt/x/lib", "/opt/x/etc/anydnn"},
        {"/usr/local/library", "/usr/local/lib", "/opt/x/lib", "/opt/x/library"},
        {"/etc/anydnn", "/usr/lib/x86_64-linux-gnu", "/img/usr/lib/x86_64-linux-gnu",
         "/img/etc/anydnn"},
        {"/etc/anydnn", "/usr/lib", "/lib", "/etc/anydnn"},
        {"/a/lib", "/a/lib", "/b/lib", "/b/lib"},
        {"/a/lib/p", "/a/lib/", "/b", "/b/p"},
        {"/a/b", "/a/lib//sub", "/x/y/z", "/x/b"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char path[128];

        adn_path_relocate(path, sizeof(path), rows[i][0], rows[i][1], rows[i][2]);
        assert_string_equal(path, rows[i][3]);
    }
    assert_int_equal(adn_settings_plugindir()[0], '/');
    assert_int_equal(adn_settings_sysconfdir()[0], '/');
}

#define OTHER_COUNT 14

int main(void)
{
    struct CMUnitTest tests[CASE_COUNT + FATAL_COUNT + OTHER_COUNT] = {
        cmocka_unit_test(unreadable_file),
        cmocka_unit_test(absent_files_are_silent),
        cmocka_unit_test(file_too_long),
        cmocka_unit_test(long_origin_keeps_its_end),
        cmocka_unit_test(log_is_put_in_force),
        cmocka_unit_test(log_file_that_cannot_be_opened),
        cmocka_unit_test(relocated_paths),
        cmocka_unit_test(settings_are_regular_files),
        cmocka_unit_test(links_and_the_null_device_are_read),
        cmocka_unit_test(log_file_without_a_reader),
        cmocka_unit_test(a_file_that_others_can_write_is_told),
        cmocka_unit_test(root_hears_others_half),
        cmocka_unit_test(root_takes_no_path_of_others),
        cmocka_unit_test(withheld_values_leave_earlier_ones)};
    size_t count = OTHER_COUNT;

    for (size_t i = 0; i < CASE_COUNT; i++)
        tests[count++] =
            (struct CMUnitTest){cases[i].name, run_case, NULL, NULL, (void *)&cases[i]};
    for (size_t i = 0; i < FATAL_COUNT; i++)
        tests[count++] =
            (struct CMUnitTest){fatals[i].name, run_fatal, NULL, NULL, (void *)&fatals[i]};
    return _cmocka_run_group_tests("settings_layers", tests, count, NULL, NULL);
}
