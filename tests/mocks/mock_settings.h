/* SPDX-License-Identifier: Apache-2.0 */
/* The `set.KEY` settings of the test backends, published in one list for all of them. */
#ifndef MOCK_SETTINGS_H
#define MOCK_SETTINGS_H

#include <anydnn/plugin.h>

#define MOCK_KEYS(X)                                                                               \
    X(algorithms)                                                                                  \
    X(alignment)                                                                                   \
    X(candidates_status)                                                                           \
    X(complaint)                                                                                   \
    X(compute)                                                                                     \
    X(convention)                                                                                  \
    X(current)                                                                                     \
    X(dead_stream)                                                                                 \
    X(decline)                                                                                     \
    X(devices)                                                                                     \
    X(driver)                                                                                      \
    X(engine_count)                                                                                \
    X(execute)                                                                                     \
    X(execute_engines)                                                                             \
    X(expected_us)                                                                                 \
    X(fail_context)                                                                                \
    X(fail_plan)                                                                                   \
    X(fail_space)                                                                                  \
    X(fault)                                                                                       \
    X(fill)                                                                                        \
    X(fork_safe)                                                                                   \
    X(garbage)                                                                                     \
    X(launch_us)                                                                                   \
    X(library_version)                                                                             \
    X(log)                                                                                         \
    X(math)                                                                                        \
    X(multiprocessors)                                                                             \
    X(native)                                                                                      \
    X(notes)                                                                                       \
    X(nothing)                                                                                     \
    X(of)                                                                                          \
    X(owner)                                                                                       \
    X(params_size)                                                                                 \
    X(poisoned)                                                                                    \
    X(reason)                                                                                      \
    X(reenter)                                                                                     \
    X(says)                                                                                        \
    X(sentence)                                                                                    \
    X(slots)                                                                                       \
    X(sleep_us)                                                                                    \
    X(space)                                                                                       \
    X(status)                                                                                      \
    X(words)                                                                                       \
    X(workspace)

#define MOCK_SETTING(name)                                                                         \
    static const struct anydnn_plugin_setting mock_setting_##name = {                              \
        .struct_size = sizeof(struct anydnn_plugin_setting),                                       \
        .kind = ANYDNN_PLUGIN_SETTING_CHOICE,                                                      \
        .key = #name,                                                                              \
        .help = "of the tests"};
#define MOCK_SETTING_AT(name) &mock_setting_##name,

MOCK_KEYS(MOCK_SETTING)
static const struct anydnn_plugin_setting *const mock_settings[] = {MOCK_KEYS(MOCK_SETTING_AT)};

#define MOCK_SETTINGS                                                                              \
    .settings = mock_settings, .setting_count = sizeof(mock_settings) / sizeof(mock_settings[0])

#endif
