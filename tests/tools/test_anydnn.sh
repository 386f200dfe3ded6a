#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks tools/anydnn: the output of each command, its JSON, and the message and exit code of every failure.
# Needs: tools/anydnn tests/tools/anydnn_trespass.la mocks-dir
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
. "$ANYDNN_TEST_SRCDIR/tests/tools/answers.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
manual=$ANYDNN_TEST_SRCDIR/tools/anydnn.1
settings_manual=$ANYDNN_TEST_SRCDIR/conf/anydnn.conf.5
mocks=$ANYDNN_TEST_MOCKDIR
conv="convolution_forward x=f32:2,6,9,8 w=f32:4,3,3,2 pad=1,2 stride=2,1 groups=2"

run() {
    keep "$anydnn" "$@"
}

# json STATUS EXPRESSION ARGUMENT...: succeeds if the exit status is STATUS and the Python expression is true
# for the answer `a`.
json() {
    status=$1 expression=$2
    shift 2
    run "$@" --json
    [ "$found" -eq "$status" ] || { echo "exit status $found, not $status"; return 1; }
    python3 -c 'import json, math, sys
a = json.load(open(sys.argv[1]))
sys.exit(0 if eval(sys.argv[2]) else 1)' "$tap_dir/out" "$expression"
}

# feed TEXT COMMAND...: runs COMMAND with TEXT on standard input.
feed() {
    input=$1
    shift
    printf '%b' "$input" >"$tap_dir/in"
    "$@" <"$tap_dir/in"
}

# conf TEXT: writes a settings file.
conf() {
    printf '%b\n' "$1" >"$tap_dir/a.conf"
}

# ---- the program

check "help lists the commands" gives 0 "^  explain " --help
check "version" gives 0 "^anydnn 0\.[0-9]*\.[0-9]*, API level 2\$" --version
check "no command" refuses 2 "missing command; available: info, config, explain, run, bench, compare, tune, replay, verify, errata, abi, shim, exec and doctor"
check "an unknown command" refuses 2 "unknown command \`brench\`; available: info, config, explain, run, bench, compare, tune, replay, verify, errata, abi, shim, exec and doctor" brench
check "output that cannot be written" sh -c \
    "! '$anydnn' --help >/dev/full 2>'$tap_dir/err' && grep 'cannot write the output' '$tap_dir/err'"

for command in info config explain run; do
    problem=$conv
    case $command in info | config) problem= ;; esac
    check "$command --help" gives 0 "^Usage: anydnn $command \[OPTION...\]" "$command" --help
    check "$command: an unknown option" refuses 2 \
        "--bogus: unknown option; \`anydnn $command --help\`" "$command" --bogus
    check "$command: an option without its value" refuses 2 "--device: requires a value" \
        "$command" --device
    check "$command: a missing settings file" refuses 1 "$tap_dir/none.conf" \
        "$command" --config "$tap_dir/none.conf" ${problem:+"$problem"}
done

# The manual has exactly the options of --help.
same_options() {
    for command in info config explain run bench compare tune replay verify errata abi shim exec; do
        "$anydnn" "$command" --help
    done | sed -n 's/^  \(--[a-z-]*\)\( [A-Z=/]*\)\{0,1\} .*/\1\2/p' | sed 's/ $//' |
        sort -u >"$tap_dir/helped"
    sed -n 's/^\.It Fl -\([a-z-]*\)\( Ar \(.*\)\)\{0,1\}$/--\1 \3/p' "$manual" | sed 's/ $//' |
        sort -u >"$tap_dir/written"
    cat "$tap_dir/helped"
    [ -s "$tap_dir/helped" ] && diff "$tap_dir/helped" "$tap_dir/written"
}
check "the manual has the options of --help" same_options
every_key() {
    sed -n -e 's/^KEY(\([a-z_]*\),.*/\1/p' -e 's/^SECTION_KEY([a-z]*, \([a-z_]*\),.*/\1/p' \
        "$ANYDNN_TEST_SRCDIR/core/settings/keys.def" >"$tap_dir/keys"
    [ -s "$tap_dir/keys" ] || return 1
    while read -r key; do
        grep -qx "\.It Cm $key" "$settings_manual" || {
            echo "$key is missing"
            return 1
        }
    done <"$tap_dir/keys"
}
check "the manual of the settings names every key" every_key
if command -v mandoc >/dev/null 2>&1; then
    check "the manual is sound" mandoc -Tlint -Wwarning "$manual"
    check "the manual of the settings is sound" mandoc -Tlint -Wwarning "$settings_manual"
else
    skip "the manual is sound" "no mandoc"
    skip "the manual of the settings is sound" "no mandoc"
fi

# ---- info

check "info shows the backends" gives 0 "^cpu_ref  *live .* host .*/anydnn_cpu_ref.so\$" info
check "info shows the device of handles" gives 0 "^cpu  *host .*(default of handles)" info
check "info of one backend" gives 0 "^cpu_ref  *live" info cpu_ref
# If a backend aborts when it is opened, info names it and lists the others.
printf '[plugin good_a]\nset.fault = nonsense\n[route]\n* = good_a, cpu_ref\n' >"$tap_dir/aborts.conf"
lists_beside_abort() {
    env ANYDNN_PLUGIN_PATH="$mocks" "$anydnn" info --config "$tap_dir/aborts.conf" "$@" \
        >"$tap_dir/out" 2>"$tap_dir/err"
    found=$?
    cat "$tap_dir/out" "$tap_dir/err"
    [ "$found" -eq 1 ] && grep -q '^cpu_ref  *live' "$tap_dir/out" && grep -q '^good_a  *crashed' "$tap_dir/out" &&
        grep -q 'it ends the process that opens it: signal 6' "$tap_dir/out" &&
        grep -q "^anydnn: backend .good_a. ends every process that opens it; remove it, or set" "$tap_dir/err"
}
if [ -e "$mocks/anydnn_good_a.so" ]; then
    check "info beside a backend that aborts" lists_beside_abort
    check "info of some backends, of which one aborts" lists_beside_abort cpu_ref good_a
else
    skip "info beside a backend that aborts" "the test backends need cmocka"
fi

# cpu_ref refuses this setting.
printf '[plugin cpu_ref]\nset.threads = 0\n' >"$tap_dir/invalid.conf"
warns_once() {
    feed "activation_forward x=f32:4\nscale_tensor y=f32:4\n" run run --config "$tap_dir/invalid.conf" -
    [ "$(grep -c '^anydnn: warning: backend cpu_ref is skipped: set.threads is "0"; it must be' "$tap_dir/err")" -eq 1 ]
}
check "info says which setting is invalid" \
    gives 0 'invalid setting and cannot be used: set.threads is "0"; it must be auto or a number from 1 to' \
    info --config "$tap_dir/invalid.conf" cpu_ref
check "a skip for an invalid setting warns once" warns_once

check "info of a missing backend" refuses 1 "backend \`nonesuch\` is not installed" info nonesuch
check "info --operations" gives 0 "^  convolution_forward .*f32.* nchw .* default" info --operations cpu_ref
check "info --json" json 0 \
    "[b for b in a['backends'] if b['name'] == 'cpu_ref'][0]['stage'] == 'live' and a['api_level'] == 2 and a['device'] == 'cpu' and a['devices'][0]['space'] == 'host'" \
    info
check "info --operations --json" json 0 \
    "[o for o in a['backends'][0]['operations'] if o['name'] == 'pooling_forward'][0]['types'][0] == 'f32'" \
    info --operations cpu_ref
# The file has a choice, a suspect, a suspect that succeeded later, and a line that is not a record.
printf 'anydnn tuning 1\nsoftmax_forward x=f32:2,3\tadevice, 4 multiprocessors\tmock_a 1.0, mock_b 1.0\tnone\tmock_b\t7\t12.5\n' >"$tap_dir/tuning"
for engine in 3 4; do
    printf 'p\tadevice\tmock_a 1.0\tsuspect mock_a %s\tnone\tmock_a\t%s\t4242\n' $engine $engine >>"$tap_dir/tuning"
done
printf 'p\tadevice\tmock_a 1.0\tsuspect mock_a 3\tnone\tmock_a\t3\t0\nno record\n' >>"$tap_dir/tuning"
check "info --tuning shows choices" gives 0 "^ *12.5  mock_b  *7  *softmax_forward x=f32:2,3; adevice, 4 multiprocessors; mock_a 1.0, mock_b 1.0\$" \
    info --tuning "$tap_dir/tuning"
check "info --tuning shows suspects" gives 0 "^ *suspect  mock_a  *4  *p; adevice; mock_a 1.0\$" info --tuning "$tap_dir/tuning"
check "info --tuning --json" json 0 \
    "len(a['choices']) == 1 and a['choices'][0]['engine'] == '7' and [s['engine'] for s in a['suspects']] == ['4']" \
    info --tuning "$tap_dir/tuning"
check "info --tuning of another file" refuses 1 "it does not begin like a tuning file" info --tuning "$ANYDNN_TEST_SRCDIR/README.md"
check "info --tuning of a missing file" refuses 1 "nonesuch: No such file" info --tuning "$tap_dir/nonesuch"
check "info --device of an unknown device" refuses 1 "device \`nonesuch\`: no usable backend provides this memory space" \
    info --device nonesuch
check "info --json with an error" json 1 "'nonesuch' in a['error'] and a['backends']" info --device nonesuch

# ---- config

check "config shows origins" gives 0 "^plan_cache = 256  *; built-in\$" config
check "config shows routes" gives 0 "^\[route tensor_op\]\$" config
# As root with another user's file: keys that name code or files are ignored, and both commands report that.
# good_a of the loader's tests queries set.fault before its description is known, and states no kind.
foreign() {
    rm -f "$tap_dir/written"
    conf "[anydnn]\\nplan_cache = 7\\nlog_file = $tap_dir/written\\n[plugin good_a]\\nset.fault = nonsense
[plugin cpu_ref]\\nset.threads = 3"
    chown 12345 "$tap_dir/a.conf"
    ANYDNN_PLUGIN_PATH=$mocks
    export ANYDNN_PLUGIN_PATH
    foreign_says
    foreign_found=$?
    unset ANYDNN_PLUGIN_PATH
    rm -f "$tap_dir/a.conf"
    return $foreign_found
}
foreign_says() {
    gives 0 '^    set.fault = nonsense is ignored: .*/a.conf:5 belongs to user 12345$' \
        info --config "$tap_dir/a.conf" good_a cpu_ref || return 1
    grep -q '^    limit \* dilation=4' "$tap_dir/out" && grep -q '^    set.threads = 3$' "$tap_dir/out" || return 1
    says 'a.conf:5: set.fault = nonsense of backend good_a is ignored: the file belongs to user 12345' || return 1
    says "a.conf:3: log_file = $tap_dir/written is ignored: the file belongs to user 12345" || return 1
    gives 0 '^plan_cache = 7 ' config --config "$tap_dir/a.conf" || return 1
    grep -q '^log_file = stderr ' "$tap_dir/out" && grep -q '^#set.fault = nonsense ' "$tap_dir/out" || return 1
    says "^# .*/a.conf:3: log_file = $tap_dir/written is ignored" || return 1
    json 0 "[s['key'] for s in a['settings'] if 'withheld' in s] == ['log_file', 'set.fault', 'set.threads']" config --config "$tap_dir/a.conf" ||
        return 1
    [ ! -e "$tap_dir/written" ]
}
if [ "$(id -u)" = 0 ]; then
    check "root ignores keys for code and files in another user's settings" foreign
else
    skip "root ignores keys for code and files in another user's settings" "needs root"
fi
check "config takes no arguments" refuses 2 "device: anydnn config takes no arguments" config device
check "config --device" gives 0 "^device = cpu  *; environment ANYDNN_DEVICE\$" config --device cpu
check "config --json" json 0 \
    "[s for s in a['settings'] if s['key'] == 'plan_cache'][0] == {'section': 'anydnn', 'key': 'plan_cache', 'value': '256', 'origin': 'built-in'}" \
    config
conf '[anydnn]\nplan_cache = 7\n[plugin cpu_ref]\nset.threads = 1\n[route]\npooling_* = cpu_ref, fallback:off'
check "config names file and line" gives 0 "^plan_cache = 7  *; $tap_dir/a.conf:2\$" \
    config --config "$tap_dir/a.conf"
check "a relative settings file" sh -c \
    "cd '$tap_dir' && '$anydnn' config --config a.conf | grep 'pooling_\* = cpu_ref, fallback:off  *; $tap_dir/a.conf:6'"

# A key that the backend does not have is reported only if the backend is opened.
conf '[plugin cpu_ref]\nset.thread = 1\nset.nonesuch = 1\n[route]\n* = cpu_ref'
misspelt() {
    "$anydnn" explain --config "$tap_dir/a.conf" "$conv" 2>"$tap_dir/err" >/dev/null
    cat "$tap_dir/err"
    grep -qF "a.conf:2: backend \`cpu_ref\` does not have the setting \`set.thread\`; did you mean \`set.threads\`?" "$tap_dir/err" &&
        grep -q "a.conf:3: backend \`cpu_ref\` does not have the setting \`set.nonesuch\`$" "$tap_dir/err" &&
        [ "$(wc -l <"$tap_dir/err")" -eq 2 ]
}
check "a misspelt key of a backend's settings" misspelt

# conf/anydnn.conf has the lines that the backends of this tree publish. Backends that were not built are
# skipped.
published() {
    "$anydnn" config --backends >"$tap_dir/out" || return
    for backend in cpu_ref onednn cuda_naive cuda_simt cuda_tensorcore cudnn opencl; do
        sed -n "/^;\[plugin $backend\]/,/^\$/p" "$tap_dir/out" | grep '^# set\.' >"$tap_dir/published"
        sed -n "/^;\[plugin $backend\]/,/^\$/p" "$ANYDNN_TEST_SRCDIR/conf/anydnn.conf" | grep '^# set\.' >"$tap_dir/shipped"
        "$anydnn" info "$backend" 2>&1 | grep -q "^$backend  *live" || continue
        diff "$tap_dir/published" "$tap_dir/shipped" || return
    done
    sed -n '/^;\[plugin cpu_ref\]/,/^$/p' "$tap_dir/out" | grep -q '^# set.threads: '
}
check "config --backends prints the lines of anydnn.conf" published
check "config --backends --json" json 0 \
    "[b for b in a['backends'] if b['name'] == 'cpu_ref'][0]['settings'][1].startswith('set.emulate: ')" config --backends
opens_all() {
    ANYDNN_LOG=info "$anydnn" config --backends 2>&1 | grep -q "backend cpu_ref .* opened: "
}
check "config --backends opens them" opens_all

# A file that is no backend shows that nothing is opened: otherwise the program would fail.
opens_none() {
    mkdir -p "$tap_dir/broken" && echo nothing >"$tap_dir/broken/anydnn_broken.so" || return
    conf "[anydnn]\nplugin_path = $tap_dir/broken\n[plugin broken]\nenable = yes\n[route]\n* = cpu_ref"
    ANYDNN_LOG=info "$anydnn" config --config "$tap_dir/a.conf" >"$tap_dir/out" 2>&1 || return
    cat "$tap_dir/out"
    grep -q ' opened: ' "$tap_dir/out" && return 1
    grep -q '^# No backend was opened' "$tap_dir/out" && ! grep -q '^# set\.' "$tap_dir/out" &&
        refuses 1 "broken.*enable = yes.*cannot be used" config --backends --config "$tap_dir/a.conf"
}
check "config alone opens nothing" opens_none
conf '[anydnn]\nplan_cache = 7\n[plugin cpu_ref]\nset.threads = 1\n[route]\npooling_* = cpu_ref, fallback:off'

# The output of config is a settings file with the same values.
pastes() {
    values="import json, sys
print(sorted((s['section'], s['key'], s['value']) for s in json.load(sys.stdin)['settings']))"
    "$anydnn" config --config "$tap_dir/a.conf" >"$tap_dir/b.conf" &&
        "$anydnn" config --json --config "$tap_dir/a.conf" | python3 -c "$values" >"$tap_dir/a.values" &&
        "$anydnn" config --json --config "$tap_dir/b.conf" 2>"$tap_dir/err" | python3 -c "$values" \
            >"$tap_dir/b.values" &&
        cat "$tap_dir/b.conf" "$tap_dir/err" && [ ! -s "$tap_dir/err" ] && diff "$tap_dir/a.values" "$tap_dir/b.values"
}
check "what config prints can be pasted" pastes

# Wrong settings give one message with file, line and the nearest key, and nothing runs.
bad_conf() {
    conf "$1"
    for command in "info" "config" "explain $conv" "run $conv"; do
        # shellcheck disable=SC2086
        refuses 1 "$2" $command --config "$tap_dir/a.conf" || return 1
    done
}
at=$tap_dir/a.conf
long=$(printf '%0250d' 0)
check "a misspelt key" bad_conf '[anydnn]\nplan_cach = 9' \
    "$at:2: .*\`plan_cach\`.*did you mean \`plan_cache\`"
check "a misspelt section" bad_conf '[anydn]\nlog = off' "$at:.*anydn.*anydnn"
check "a bad value" bad_conf '[anydnn]\n\nfallback = perhaps' \
    "$at:3: .*fallback = perhaps: the value must be on, warn or off"
check "an over-long line" bad_conf "[plugin cpu_ref]\nset.x = $long" "$at:2: "
check "a key given twice" bad_conf '[anydnn]\nlog = off\nlog = warn' "$at:3: "
check "an indented line" bad_conf '[anydnn]\nlog = off\n  device = cpu' "$at:3: "
check "a syntax error" bad_conf '[anydnn]\nnonsense' "$at:2: "
check "a required backend is missing" bad_conf '[plugin nonesuch]\nenable = yes' \
    "nonesuch.*enable = yes.*not installed"
check "config --json with an error" json 1 "'a.conf:2' in a['error']" config --config "$at"

# ---- routes and missing backends

check "a route to a backend that is not installed" env ANYDNN_ROUTE=nonesuch sh -c "
    '$anydnn' run $conv 2>'$tap_dir/err'; [ \$? -eq 1 ] && grep 'ANYDNN_ROUTE.*nonesuch: .*not installed' '$tap_dir/err'"
check "explain of it" env ANYDNN_ROUTE=nonesuch sh -c "
    '$anydnn' explain $conv >'$tap_dir/out'; [ \$? -eq 1 ] && grep '^choice: none' '$tap_dir/out'"
check "a misspelt backend" env ANYDNN_ROUTE=cpu_rev sh -c "
    '$anydnn' run $conv 2>'$tap_dir/err'; [ \$? -eq 1 ] && grep 'did you mean .cpu_ref' '$tap_dir/err'"
printf '[plugin cpu_rev]\nset.threads = 2\n' >"$tap_dir/misspelt.conf"
check "a misspelt backend's section" sh -c "
    '$anydnn' info --config '$tap_dir/misspelt.conf' 2>'$tap_dir/err' &&
    grep 'misspelt.conf:2: backend .cpu_rev. is not installed; did you mean .cpu_ref' '$tap_dir/err'"
check "a missing plugin folder" env ANYDNN_PLUGIN_PATH="$tap_dir/none" sh -c "
    '$anydnn' info 2>'$tap_dir/err' && grep 'plugin folder $tap_dir/none cannot be read' '$tap_dir/err'"

# Copies the library to a folder without a plugin folder.
without_plugins() {
    real=$ANYDNN_TEST_BUILDDIR/tools/.libs/anydnn
    [ -x "$real" ] || real=$anydnn
    mkdir -p "$tap_dir/lone/lib" || return 1
    cp "$ANYDNN_TEST_BUILDDIR"/.libs/libanydnn.so.* "$tap_dir/lone/lib" || return 1
    # shellcheck disable=SC2086
    LD_LIBRARY_PATH=$tap_dir/lone/lib "$real" run $conv 2>"$tap_dir/err"
    found=$?
    cat "$tap_dir/err"
    [ "$found" -eq 1 ] && grep -q "plugin folder $tap_dir/lone/lib/.* cannot be read" "$tap_dir/err" &&
        grep -q "^anydnn: anydnnProblem.*cpu_ref: not installed" "$tap_dir/err"
}
check "no plugin folder at all" without_plugins

if [ -e "$mocks/anydnn_newer.so" ]; then
    for mock in newer older; do
        check "a plugin for another ABI, $mock" env ANYDNN_PLUGIN_PATH="$mocks" ANYDNN_ROUTE="$mock" sh -c "
            '$anydnn' run $conv 2>'$tap_dir/err'; [ \$? -eq 1 ] &&
            grep '^anydnn: anydnnProblem.*$mock: .*was built for plugin ABI' '$tap_dir/err'"
        check "info of it, $mock" env ANYDNN_PLUGIN_PATH="$mocks" ANYDNN_ROUTE="$mock" sh -c "
            '$anydnn' info $mock 2>/dev/null >'$tap_dir/out' && grep '^$mock  *abi ' '$tap_dir/out' &&
            grep '^    .*anydnn_$mock.so was built for plugin ABI' '$tap_dir/out'"
    done
else
    skip "a plugin for another ABI" "no mock backends"
fi

# ---- tune

# The mocks compute nothing, so that their results must not be judged.
ANYDNN_TUNE_CHECK=no
export ANYDNN_TUNE_CHECK
tune() {
    ANYDNN_ROUTE='mock_a, mock_b' ANYDNN_PLUGIN_PATH=$mocks ANYDNN_DEVICE=cpu "$anydnn" tune --tuning "$tap_dir/times" "$@"
}
tuned_once() {
    tune "$conv" >"$tap_dir/out" || return 1
    tail -n 1 "$tap_dir/out" | grep '^1 problems: 1 timed in .* s, 0 known before, 0 not timed, 0 failed$' || return 1
    tune "$conv" >"$tap_dir/out" || return 1
    tail -n 1 "$tap_dir/out" | grep '^1 problems: 0 timed in .* s, 1 known before, 0 not timed, 0 failed$'
}
check "tune times a problem once" tuned_once
# tunes ROUTE COUNTS SAID PROBLEM...: succeeds if the last line has the counts and the first problem's line
# ends with SAID.
tunes() {
    route=$1 counts=$2 said=$3
    shift 3
    printf '%s\n' "$@" | ANYDNN_ROUTE=$route ANYDNN_PLUGIN_PATH=$mocks ANYDNN_DEVICE=cpu "$anydnn" tune \
        --tuning "$tap_dir/one" - >"$tap_dir/out" || return 1
    cat "$tap_dir/out"
    head -n 1 "$tap_dir/out" | grep -q "$said\$" || { echo "the first line does not end with: $said"; return 1; }
    tail -n 1 "$tap_dir/out" | sed 's/ in .* s,/,/' | grep -q "^$# problems: $counts, 0 failed\$"
}
for run in first second; do
    check "one engine alone is not timed, the $run time" tunes mock_a "0 timed, 0 known before, 1 not timed" ", not timed" "$conv"
done
check "a repeated problem is timed once" tunes 'mock_a, mock_b' "1 timed, 1 known before, 0 not timed" ", timed" \
    "$conv" "$conv"
check "also with a route that begins with fastest" tunes 'fastest, mock_b, mock_a' "1 timed, 1 known before, 0 not timed" ", timed" \
    "$conv" "$conv"
check "an algorithm's number does not make another problem" tunes 'mock_a, mock_b' "0 timed, 1 known before, 0 not timed" "(measured before)" \
    "$conv algo=gemm"
frozen() (
    ANYDNN_TUNING_MODE="read"
    export ANYDNN_TUNING_MODE
    tunes 'mock_a, mock_b' "0 timed, 0 known before, 1 not timed" ", not timed" "softmax_forward x=f32:9,9,1,1"
)
check "a frozen file stays as it is" frozen
check "its records serve a route with fastest" env ANYDNN_ROUTE='fastest, mock_a, mock_b' \
    ANYDNN_PLUGIN_PATH="$mocks" ANYDNN_DEVICE=cpu ANYDNN_TUNING="$tap_dir/times" sh -c "
    '$anydnn' explain $conv >'$tap_dir/out'; grep 'measured before' '$tap_dir/out'"
both_fill() {
    rm -f "$tap_dir/times"
    for n in 1 2 3 4 5 6 7 8; do echo "softmax_forward x=f32:$n,4,1,1"; done >"$tap_dir/first"
    for n in 1 2 3 4 5 6 7 8; do echo "softmax_forward x=f32:1$n,4,1,1"; done >"$tap_dir/second"
    tune - <"$tap_dir/first" >/dev/null &
    tune - <"$tap_dir/second" >/dev/null
    wait
    [ "$(grep -c '^softmax_forward' "$tap_dir/times")" -eq 16 ]
}
check "two processes that fill one file lose nothing" both_fill
prunes() {
    rm -f "$tap_dir/times"
    tune "$conv" >/dev/null || return 1
    mine=$(sed -n 's/^convolution[^\t]*\t[^\t]*\t\(mock_a [^,]*\),.*/\1/p' "$tap_dir/times")
    [ -n "$mine" ] || { echo "no record names mock_a"; return 1; }
    # The records are of another version, of another build and of a missing backend. The others are a suspect of an old
    # version and a comment.
    {
        printf 'p\td\t%s\tnone\tmock_a\t1\t2.5\n' "$mine"
        printf 'p\td\tmock_b 0.1, %s\tnone\tmock_a\t1\t2.5\n' "$mine"
        printf 'p\td\t%s 0123abcd\tnone\tmock_a\t2\t2.5\n' "$mine"
        printf 'p\td\tmock_away 0.1\tnone\tmock_away\t3\t2.5\n'
        printf 'p\td\tmock_a 0.1\tsuspect mock_a 4\tnone\tmock_a\t4\t1\n'
        printf '# mine\n'
    } >>"$tap_dir/times"
    chmod 640 "$tap_dir/times"
    ln -sf times "$tap_dir/link"
    ANYDNN_PLUGIN_PATH=$mocks "$anydnn" tune --prune --tuning "$tap_dir/link" >"$tap_dir/out" || return 1
    grep "link: 3 records of other versions removed, 3 kept\$" "$tap_dir/out" || return 1
    [ -L "$tap_dir/link" ] || { echo "the link was replaced"; return 1; }
    [ "$(stat -c %a "$tap_dir/times")" = 640 ] || { echo "the mode changed"; return 1; }
    [ "$(grep -c -e '^# mine' -e '^anydnn tuning 1' -e 'mock_away' -e "	$mine	" -e '^convolution' "$tap_dir/times")" -eq 5 ]
}
check "tune --prune removes only records of other versions" prunes
check "and the remaining records serve" sh -c "ANYDNN_ROUTE='mock_a, mock_b' ANYDNN_PLUGIN_PATH='$mocks' ANYDNN_DEVICE=cpu '$anydnn' \
    tune --tuning '$tap_dir/times' '$conv' | grep ' 1 known before'"
check "tune --prune of another file" refuses 1 "it does not begin like a tuning file" tune --prune --tuning "$ANYDNN_TEST_SRCDIR/README.md"
check "tune --prune of a missing file" refuses 1 "nonesuch: No such file" tune --prune --tuning "$tap_dir/nonesuch"
ln -sf circle "$tap_dir/circle"
check "tune --prune of a link to itself" refuses 1 "it is a dangling link" tune --prune --tuning "$tap_dir/circle"
waits_in_vain() (
    exec 8<"$tap_dir"
    flock 8 && refuses 1 "another process holds the lock" tune --prune --tuning "$tap_dir/times"
)
check "tune --prune while another holds the folder's lock" waits_in_vain
check "tune --prune with a problem" refuses 2 "takes no problems" tune --prune --tuning "$tap_dir/times" "$conv"
check "tune in a math mode" tune --math tensor_op "$conv"
check "and that is another problem" grep -c 'math=tensor_op' "$tap_dir/times"
check "tune without a file" refuses 2 "no tuning file: give --tuning FILE" tune "$conv"
check "an unknown math mode" refuses 2 "\-\-math=half: must be default" tune --math half "$conv"

# ---- explain

check "explain prints the whole problem" gives 0 \
    "^problem: convolution_forward x=f32:2,6,9,8:nchw .* y=f32:2,4,5,11:nchw pad=1,2" explain "$conv"
# shellcheck disable=SC2086
check "a problem in several words" gives 0 "^rule: \[route\] convolution_\* = " explain $conv
# The built-in routes choose onednn on the host if it was built, else cpu_ref.
chosen=cpu_ref
[ ! -e "$ANYDNN_TEST_PLUGINDIR/anydnn_onednn.so" ] || chosen=onednn
check "explain prints the choice" gives 0 "^choice: $chosen engine" explain "$conv"
check "explain --json" json 0 \
    "'$chosen' in [b['name'] for b in a['backends']] and a['choice'].startswith('$chosen') and a['rule'].startswith('[route]') and a['problem'].startswith('convolution_forward x=f32:2,6,9,8:nchw') and any('choice' in l for l in a['lines'])" \
    explain "$conv"
check "no problem" refuses 2 "missing problem, such as" explain
check "an unknown operation" refuses 2 \
    "unknown operation \`convolution_forwrd\`; did you mean \`convolution_forward\`" explain \
    "convolution_forwrd x=f32:1,1,1,1"
check "an unknown key" refuses 2 "\`padd=1,1\`: unknown key; did you mean \`pad\`" explain \
    "$conv padd=1,1"
check "a missing operand" refuses 2 "operand \`w\` of convolution_forward is missing" explain \
    "convolution_forward x=f32:1,1,4,4"
check "an unknown type" refuses 2 "\`x=f33:1,1,4,4\`: the type must be one of" run \
    "pooling_forward x=f33:1,1,4,4 window=2,2 stride=2,2"
check "shapes that do not fit" refuses 2 "the filter has 5 channels" run \
    "convolution_forward x=f32:2,6,9,8 w=f32:4,5,3,2"
check "an unknown mode" refuses 2 "\`math=tensor\`" run "$conv math=tensor"

# ---- run

check "run prints the backend that ran" gives 0 "^backend:   $chosen, engine [0-9]*, on cpu\$" run "$conv"
check "run prints the output" gives 0 "^output:    y f32:2,4,5,11, count 440, min -[0-9]" run "$conv"
check "run prints the backends that did not run" gives 0 "^skipped:   cudnn: " run "$conv"
check "run --json" json 0 \
    "a['record']['backend'] == '$chosen' and a['record']['math'] == 'default' and a['outputs'][0]['dims'] == [2, 4, 5, 11] and len(a['outputs'][0]['first']) == 8 and a['seed'] == 1" \
    run "$conv"
check "run --check" gives 0 \
    "^check:     y against cpu_ref on cpu: largest difference 0, relative L2 0 .*passed" run "$conv" --check \
    cpu_ref
check "run --check --json" json 0 \
    "a['check']['passed'] and a['check']['outputs'][0] == {'role': 'y', 'max_abs': 0.0, 'relative_l2': 0.0, 'tolerance': 1e-5, 'passed': True}" \
    run "$conv" --check cpu_ref
check "run --check says that eighths do not round" gives 0 "^inputs:    multiples of 1/8: sums are exact" \
    run "$conv" --check cpu_ref
check "run --inputs normal" json 0 \
    "a['inputs'] == 'normal' and a['check']['passed'] and any(v * 64 % 1 for v in a['outputs'][0]['first'])" \
    run "$conv" --check cpu_ref --inputs normal
check "run --inputs of an unknown kind" refuses 2 "--inputs=odd: must be eighths or normal" run "$conv" --inputs odd
check "run --tolerance" json 0 "a['check']['outputs'][0]['tolerance'] == 0.5" run "$conv" --check \
    cpu_ref --tolerance 0.5
check "run --check of an unknown backend" refuses 1 "--check nonesuch: this backend is not installed" run "$conv" \
    --check nonesuch
check "run --time" gives 0 \
    "^time:      first run .* us; later ones at least .*, median .*, at most .* us" run "$conv" --time
check "run --time --json" json 0 \
    "a['time']['runs'] == 3 and 0 < a['time']['min_us'] <= a['time']['median_us'] <= a['time']['max_us']" \
    run "$conv" --time --repeat 3
check "run --repeat 0" refuses 2 "--repeat=0: must be an integer from 1" run "$conv" --repeat 0
check "run --seed -1" refuses 2 "--seed=-1: must be an integer from 0" run "$conv" --seed=-1
check "run --tolerance x" refuses 2 "--tolerance=x: must be a number of at least 0" run "$conv" --tolerance x
check "run --in without a file" refuses 2 "--in x: must be ROLE=FILE" run "$conv" --in x
check "run on a missing device" refuses 1 "device \`nonesuch:1\`" run "$conv" --device nonesuch:1

same_seed() {
    for seed in 1 1 2; do
        # shellcheck disable=SC2086
        "$anydnn" run $conv --seed $seed | sed -n '/^output/,$p' >"$tap_dir/seed.$seed$(test -e "$tap_dir/seed.1" && [ $seed = 1 ] && echo again)" || return 1
    done
    cmp "$tap_dir/seed.1" "$tap_dir/seed.1again" && ! cmp -s "$tap_dir/seed.1" "$tap_dir/seed.2"
}
check "a seed gives the same data again" same_seed

# Files hold values in logical order for every layout: a 2 x 2 maximum over 0..15.
files() {
    python3 -c 'import struct, sys
sys.stdout.buffer.write(struct.pack("<16f", *range(16)))' >"$tap_dir/x.bin"
    "$anydnn" run "pooling_forward x=f32:1,1,4,4:$1 y=f32:1,1,2,2:$2 window=2,2 stride=2,2" \
        --in "x=$tap_dir/x.bin" --out "y=$tap_dir/y.bin" &&
        python3 -c 'import struct, sys
sys.exit(struct.unpack("<4f", open(sys.argv[1], "rb").read()) != (5, 7, 13, 15))' "$tap_dir/y.bin"
}
check "run --in and --out" files nchw nchw
check "run --in and --out, strided" files 200,100,20,3 30,20,7,2
check "run --in and --out, channels last" files nhwc nhwc
pool="pooling_forward x=f32:1,1,4,4 window=2,2 stride=2,2"
head -c 60 "$tap_dir/x.bin" >"$tap_dir/short.bin"
cat "$tap_dir/x.bin" "$tap_dir/x.bin" >"$tap_dir/long.bin"
check "a file cut short" refuses 1 \
    "short.bin: ends after 60 bytes; operand x has 16 values of 4 bytes, 64 in all" run "$pool" --in \
    "x=$tap_dir/short.bin"
check "a file too long" refuses 1 "long.bin: has more than 64 bytes" run "$pool" --in "x=$tap_dir/long.bin"
check "a missing file" refuses 1 "$tap_dir/none.bin: cannot be read: No such file" run "$pool" \
    --in "x=$tap_dir/none.bin"
check "an unknown role" refuses 2 "--in w=.*: the problem does not have this operand; available: x\$" run \
    "$pool" --in "w=$tap_dir/x.bin"
check "an input that is an output" refuses 2 \
    "--out x=.*: the problem does not have this operand; available: y\$" run "$pool" --out "x=$tap_dir/y.bin"
check "a file that cannot be written" refuses 1 "/y.bin: cannot be written" run "$pool" --out \
    "y=$tap_dir/none/y.bin"

# beta reads the old output: 2 x + 3 y.
blends() {
    "$anydnn" run "add_tensor x=f32:1,1,4,4 y=f32:1,1,4,4 alpha=2 beta=3" --repeat 3 \
        --in "x=$tap_dir/x.bin" --in "y=$tap_dir/x.bin" --out "y=$tap_dir/y.bin" &&
        python3 -c 'import struct, sys
sys.exit(list(struct.unpack("<16f", open(sys.argv[1], "rb").read())) != [5 * i for i in range(16)])' "$tap_dir/y.bin"
}
check "an output that is read, run again" blends
check "in place" gives 0 "^output:    y .*count 120, min 0, " run \
    "activation_forward x=f32:2,3,4,5:200,50,10,2 alias=y:x" --repeat 2
check "without an operand" gives 0 "^problem:.* without=z\$" run \
    "convolution_bias_activation_forward x=f32:2,6,9,8 w=f32:4,6,3,2 without=z"
check "misaligned operands" json 0 \
    "a['outputs'][0]['count'] == 440 and a['problem'].endswith('align=4')" run "$conv align=4"

three="# a list\n$pool\n\n$conv\npooling_forward x=f32:1,1,4,4 windo=2,2\n"
check "problems from standard input" feed "$three" refuses 2 \
    "line 5: .*\`windo=2,2\`.*did you mean \`window\`" run -
check "their outputs" sh -c "[ \$(grep -c '^output:' '$tap_dir/out') -eq 2 ]"
check "problems from standard input, as JSON" feed "$three" json 2 \
    "len(a) == 3 and a[0]['outputs'] and 'error' not in a[1] and 'windo' in a[2]['error']" run -
check "explain of standard input" feed "$three" json 2 \
    "[p.get('choice', '').split(' ')[0] for p in a] == ['$chosen', '$chosen', '']" explain -
check "files for many problems" feed "$three" refuses 2 "--in and --out require a single problem, not" run - --in \
    "x=$tap_dir/x.bin"
check "nothing on standard input" feed "" json 0 "a == []" run -

# ---- backends that compute wrong results, or write outside their outputs

if [ -e "$mocks/anydnn_mock_a.so" ] && [ -e "$mocks/anydnn_mock_device.so" ]; then
    conf "[anydnn]\nplugin_path = $mocks\n[plugin mock_a]\nset.fill = 0\n[route]\n* = mock_a"
    check "outputs that differ" refuses 1 "outputs of mock_a and cpu_ref differ by more than the tolerance" \
        run "$conv" --check cpu_ref --config "$at"
    check "as JSON" json 1 \
        "a['check']['passed'] is False and a['check']['outputs'][0]['relative_l2'] == 1 and 'differ' in a['error']" \
        run "$conv" --check cpu_ref --config "$at"
    check "a tolerance that allows it" gives 0 "relative L2 1 of 1 allowed: passed" run "$conv" --check \
        cpu_ref --tolerance 1 --config "$at"
    for type in f16 bf16 s8 u8 s32 s8x4 u8x4 s8x32; do
        check "data of type $type" json 0 \
            "a['outputs'][0]['not_finite'] == 0 and a['outputs'][0]['max'] == 0 and a['record']['backend'] == 'mock_a'" \
            run "transform_tensor x=$type:2,32,3,4" --check mock_a --repeat 2 --config "$at"
        check "data of type $type that differ" refuses 1 "outputs of mock_a and cpu_ref differ" run \
            "transform_tensor x=$type:2,32,3,4" --check cpu_ref --config "$at"
    done
    check "a reserve and states" json 0 \
        "[o['role'] for o in a['outputs']] == ['states', 'y', 'reserve']" run "dropout_forward x=f32:2,3,4,5" \
        --config "$at"
    conf "[anydnn]\nplugin_path = $mocks\n[plugin mock_device]\nset.fill = 0\nset.workspace = 4096\nset.engine_count = 2\nset.alignment = 16 / 0\n[route]\n* = mock_device"
    check "a backend of another space" json 1 \
        "a['device'] == 'mockdev:0' and a['check']['device'] == 'cpu' and not a['check']['passed'] and a['record']['workspace'] == 4096" \
        run "$conv" --check cpu_ref --config "$at" --device mockdev
    check "the device that auto finds" json 0 "a['device'] == 'mockdev:0'" info --config "$at"
    check "operands too misaligned for its first plan" json 0 "a['record']['unaligned'] == 1" run \
        "$conv align=4" --config "$at" --device mockdev
    conf "[anydnn]\nplugin_path = $mocks\nstaging = listed\nlog = error\n[plugin mock_mirror]\nset.of = $ANYDNN_TEST_PLUGINDIR/anydnn_cpu_ref.so\n[route]\n* = mock_mirror"
    check "explained where it would be staged" gives 0 \
        "staged: operands are copied from cpu to mockdev:0 and back\$" explain "$conv" --config "$at" --device cpu
    check "a staged run gives the same" gives 0 "^staged:    on mockdev:0, [1-9][0-9]* bytes copied" run \
        "$conv align=4" --check cpu_ref --tolerance 0 --repeat 3 --config "$at" --device cpu
    check "as JSON" json 0 \
        "a['record']['staged'] == 1 and a['record']['staged_on'] == 'mockdev:0' and a['record']['staged_bytes'] > 0 and a['record']['workspace'] == 0" \
        run "$conv" --config "$at" --device cpu
else
    skip "outputs that differ" "no mock backends"
fi

trespass=$ANYDNN_TEST_BUILDDIR/tests/tools/.libs/anydnn_trespass.so
caught() {
    conf "[plugin trespass]\nmodule = $trespass\nset.do = $1\n[route]\ntransform_tensor = trespass"
    refuses 1 "$2" run "transform_tensor x=f32:1,2,3,4 y=f32:1,2,3,4:60,30,9,2" --repeat 3 --config "$at"
}
check "writing before an output is detected" caught before \
    "backend trespass wrote outside operand y, 3 bytes before its first"
check "writing after an output is caught" caught after \
    "backend trespass wrote outside operand y, 2 bytes after its last"
check "writing into a gap is caught" caught gap \
    "backend trespass wrote into a gap of operand y, 4 bytes after its first"
check "writing into an input is caught" caught input \
    "backend trespass changed operand x, 0 bytes after its first"
check "writing after the workspace is caught" caught workspace \
    "1 byte behind operand workspace"
check "results that do not repeat are caught" caught restless "but operand y differs between two runs"
tap_end
