#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests the settings of a whole process: the user's file, the environment and a moved library. It also tests the
# restrictions for a process with more privileges than its user (as root, by a setuid copy).
# Needs: tests/unit/settings_probe
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

probe=$tap_dir/prefix/lib/probe
secret=$tap_dir/home/.config/anydnn
chmod 755 "$tap_dir"
mkdir -p "$tap_dir/prefix/lib" "$secret" "$tap_dir/xdg/anydnn"
cp "$ANYDNN_TEST_BUILDDIR/tests/unit/settings_probe" "$probe"
printf '[anydnn]\nplan_cache = 11\n' >"$secret/anydnn.conf"
printf '[anydnn]\nplan_cache = 12\n' >"$tap_dir/xdg/anydnn/anydnn.conf"
printf '[anydnn]\nplan_cache = 13\n' >"$tap_dir/config.conf"
unset XDG_CONFIG_HOME HOME

# shows TEXT [NAME=VALUE...]: checks that the probe prints that line when run with these variables.
shows() {
    shows_text=$1
    shift
    env "$@" "$probe" >"$tap_dir/shown" 2>&1
    cat "$tap_dir/shown"
    grep -q -F -e "$shows_text" "$tap_dir/shown"
}

hides() {
    ! shows "$@" && grep -q '^sysconfdir: ' "$tap_dir/shown"
}

user="HOME=$tap_dir/home"
xdg="XDG_CONFIG_HOME=$tap_dir/xdg"
config="ANYDNN_CONFIG=$tap_dir/config.conf"

check "no home: built-in values" shows 'plan_cache = 256 (built-in)' LC_ALL=C
check "the user's file in ~/.config" shows "plan_cache = 11 ($secret/anydnn.conf:2)" "$user"
check "the user's file in XDG_CONFIG_HOME" shows "plan_cache = 12 ($tap_dir/xdg/anydnn/anydnn.conf:2)" "$user" "$xdg"
check "a relative XDG_CONFIG_HOME is ignored" shows 'plan_cache = 11 ' "$user" XDG_CONFIG_HOME=xdg
check "a relative HOME is ignored" shows 'plan_cache = 256 (built-in)' HOME=home
check "ANYDNN_CONFIG" shows "plan_cache = 13 ($tap_dir/config.conf:2)" "$user" "$config"
check "an empty ANYDNN_CONFIG is ignored" hides 'fatal: ANYDNN_CONFIG' "$user" ANYDNN_CONFIG=
check "ANYDNN_CONFIG names a missing file" shows \
    'fatal: ANYDNN_CONFIG: /nowhere.conf: cannot be opened: No such file or directory' ANYDNN_CONFIG=/nowhere.conf
check "a variable" shows 'device = cpu (environment ANYDNN_DEVICE)' ANYDNN_DEVICE=cpu
check "an empty variable is ignored" shows 'device = auto (built-in)' ANYDNN_DEVICE=
# shellcheck disable=SC2016
check "a misspelt variable is warned of" shows \
    'anydnn: warning: unknown environment variable ANYDNN_DEVISE; did you mean `ANYDNN_DEVICE`?' ANYDNN_DEVISE=cpu
check "a route" shows '[route] im2col = a (environment ANYDNN_ROUTE_IM2COL)' ANYDNN_ROUTE_IM2COL=a
check "not privileged" shows 'privileged: 0' LC_ALL=C

# If the library was moved with its prefix, the probe reports folders in the new prefix.
folder=$("$probe" 2>/dev/null | sed -n 's/^sysconfdir: //p')
case $folder in
"$tap_dir"/*)
    mkdir -p "$folder/conf.d"
    printf '[anydnn]\nplan_cache = 21\n[plugin p]\nenable = no\n' >"$folder/anydnn.conf"
    printf '[anydnn]\nplan_cache = 22\n' >"$folder/conf.d/50-x.conf"
    check "the system's files of a moved prefix" shows "plan_cache = 22 ($folder/conf.d/50-x.conf:2)" LC_ALL=C
    check "and their other keys" shows "[plugin p] enable = no ($folder/anydnn.conf:4)" LC_ALL=C
    check "the user's file comes after them" shows 'plan_cache = 11 ' "$user"
    system=22
    ;;
*)
    skip "the system's files of a moved prefix" "the configured folders share no prefix"
    system=256
    ;;
esac

if [ "$(id -u)" = 0 ] && chown 65534 "$probe" && chmod 4755 "$probe" && shows 'privileged: 1' LC_ALL=C >/dev/null; then
    check "privileged: no user's file" shows "plan_cache = $system " "$user"
    check "privileged: no XDG_CONFIG_HOME" shows "plan_cache = $system " "$xdg"
    check "privileged: no ANYDNN_CONFIG" shows "plan_cache = $system " "$config"
    check "privileged: nor its error" hides 'nowhere' ANYDNN_CONFIG=/nowhere.conf
    check "privileged: no choice by variables" shows 'device = auto ' ANYDNN_DEVICE=cpu
    check "privileged: no folder by variables" shows 'plugin_path = none ' ANYDNN_PLUGIN_PATH=/tmp
    check "privileged: no log file by variables" shows 'log_file = stderr ' "ANYDNN_LOG_FILE=$tap_dir/written"
    check "privileged: that file is not made" test ! -e "$tap_dir/written"
    check "privileged: no route by variables" hides 'im2col' ANYDNN_ROUTE_IM2COL=a
    check "privileged: no word of strange variables" hides 'ANYDNN_X' ANYDNN_X=1
    if [ "$system" = 22 ]; then
        chmod g+w "$folder/conf.d/50-x.conf"
        check "privileged: no file that others can write" shows 'plan_cache = 21 ' LC_ALL=C
        check "privileged: and a word of it" shows \
            '50-x.conf: is not read by a privileged process: it is writable by its group or others (mode 0664)' LC_ALL=C
        chmod g-w "$folder/conf.d/50-x.conf"
        chown 65534 "$folder/conf.d/50-x.conf"
        check "privileged: no file of another user" shows 'plan_cache = 21 ' LC_ALL=C
        check "privileged: and a word of its owner" shows \
            '50-x.conf: is not read by a privileged process: it is owned by user 65534, not by root: chown root' LC_ALL=C
        chown 0 "$folder/conf.d/50-x.conf"
        chown 65534 "$folder/conf.d"
        check "privileged: no file in a folder of another user" shows 'plan_cache = 21 ' LC_ALL=C
        check "privileged: and a word of the folder" shows \
            "50-x.conf: is not read by a privileged process: $folder/conf.d is owned by user 65534, not by root" LC_ALL=C
        chown 0 "$folder/conf.d"
        check "privileged: root's own file" shows 'plan_cache = 22 ' LC_ALL=C
    fi
    check "privileged: the log level is read" shows 'log = error (environment ANYDNN_LOG)' ANYDNN_LOG=error
else
    skip "privileged" "needs root and a file system that knows setuid"
fi
tap_end
