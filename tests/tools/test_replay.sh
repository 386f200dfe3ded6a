#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks traces of an unchanged program and anydnn replay: repeated calls, a planted fault found in them,
# cut traces and files that are no traces, messages. Problems are several words.
# Needs: tools/anydnn tests/tools/anydnn_faulty.la
# shellcheck disable=SC2086,SC2016
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
built=$ANYDNN_TEST_BUILDDIR/tests/tools/.libs
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
export ANYDNN_PLUGIN_PATH
trace=$tap_dir/calls
conv="convolution_forward x=f32:2,8,6,6 w=f32:4,8,3,3 pad=1,1"
pool="pooling_forward x=f32:1,2,8,8 window=2,2 stride=2,2"

cp "$ANYDNN_TEST_PLUGINDIR/anydnn_cpu_ref.so" "$tap_dir/copy.so"
printf '[plugin faulty]\nmodule = %s\nset.copy = %s\nset.fault = product\nset.rows = 3\n[route]\n* = faulty, cpu_ref\n' \
    "$built/anydnn_faulty.so" "$tap_dir/copy.so" >"$tap_dir/faulty.conf"

# traced FILE ARGUMENT...: runs anydnn run and writes a trace of it.
traced() {
    file=$1
    shift
    ANYDNN_TRACE_FILE=$file "$anydnn" run "$@" >"$tap_dir/out" 2>"$tap_dir/err"
}

# replay STATUS ARGUMENT...: succeeds if the exit status is STATUS; output in $tap_dir/out and err.
replay() {
    status=$1
    shift
    "$anydnn" replay "$@" >"$tap_dir/out" 2>"$tap_dir/err"
    found=$?
    [ "$found" -eq "$status" ] && return 0
    echo "status $found, not $status: anydnn replay $*"
    tail -n 30 "$tap_dir/out" "$tap_dir/err"
    return 1
}

# refuses STATUS PATTERN ARGUMENT...: succeeds if one message matches the pattern.
refuses() {
    status=$1 pattern=$2
    shift 2
    replay "$status" "$@" && [ "$(wc -l <"$tap_dir/err")" -eq 1 ] && says "^anydnn: .*$pattern"
}

# ---- the form of a trace

columns() {
    ANYDNN_ROUTE=cpu_ref traced "$trace" --repeat 3 $pool beta=0.5 || return 1
    ANYDNN_ROUTE=cpu_ref traced "$trace" $conv || return 1
    cat "$trace"
    [ "$(grep -c "^pooling_forward x=f32:1,2,8,8.* beta=0.5	cpu_ref	[0-9]*	default	[0-9.]*	[0-9]*:[0-9]*	1	-	ok\$" "$trace")" -eq 3 ] &&
        [ "$(grep -c "^convolution_forward .*	ok\$" "$trace")" -eq 1 ] &&
        [ "$(stat -c %a "$trace")" = 600 ]
}

bad_path() {
    traced calls $pool && grep -q 'ANYDNN_TRACE_FILE: file = calls: the value must be off or an absolute path' "$tap_dir/err"
}

# ---- replay

again() {
    replay 0 "$trace" && says '^line 2: pooling_forward' && says 'recorded: 3 calls, ' &&
        says '^line 5: convolution_forward' && says 'bitwise equal' &&
        says '^4 calls, 2 of them distinct, 0 lines damaged; 0 problems beyond their bound'
}

as_json() {
    replay 0 --json "$trace" cpu_ref:default && python3 -c 'import json, sys
a = json.load(open(sys.argv[1]))
p = a["problems"]
assert a["calls"] == 4 and a["damaged"] == 0 and len(p) == 2
assert p[0]["recorded"]["calls"] == 3 and p[0]["recorded"]["backend"] == "cpu_ref" and p[0]["recorded"]["time_us"] > 0
assert all(x["holds"] and len(x["outputs"][0]["errors"]) == 2 for x in p)' "$tap_dir/out"
}

# The line ends with a command that shows the same fault.
fault_is_found() {
    rm -f "$tap_dir/faulty.trace"
    traced "$tap_dir/faulty.trace" --config "$tap_dir/faulty.conf" $pool &&
        traced "$tap_dir/faulty.trace" --config "$tap_dir/faulty.conf" $conv &&
        replay 1 --config "$tap_dir/faulty.conf" "$tap_dir/faulty.trace" &&
        says '1 of 2 problems are beyond their bound, the first on line [0-9]*; repeat it with `anydnn compare' || return 1
    command=$(sed -n 's/.*repeat it with `anydnn \(.*\)`$/\1/p' "$tap_dir/err")
    eval "\"$anydnn\" $command" >"$tap_dir/out" 2>"$tap_dir/err"
    [ $? -eq 1 ] && says 'beyond their bound'
}

# ---- damage

cut() {
    head -c -20 "$trace" >"$tap_dir/cut" && replay 0 "$tap_dir/cut" &&
        says '^3 calls, 1 of them distinct, 1 lines damaged'
}

# Good lines are mixed with lines that are too long, are not text, or have too few columns.
noise() {
    {
        head -c 40000 /dev/zero | tr '\0' x
        printf '\n\n\t\t\t\t\t\t\t\t\n\000\001\377\ta\tb\nx\tcpu_ref\t1\tdefault\tnan\t1:1\t1\t-\tok\n'
        cat "$trace"
    } >"$tap_dir/noise"
    replay 0 "$tap_dir/noise" && says '^4 calls, 2 of them distinct, 5 lines damaged'
}

# If the problem of a well-formed line is invalid, only that line fails.
no_problem() {
    {
        cat "$trace"
        printf 'pooling_sideways x=f32:1\tcpu_ref\t1\tdefault\t1.0\t1:1\t1\t-\tok\n'
    } >"$tap_dir/sideways"
    replay 1 "$tap_dir/sideways" && says 'pooling_sideways' && says '^5 calls, 3 of them distinct'
}

# The trace's name and its content are hostile. A shell that runs the printed command must run nothing else, and the
# terminal must receive no control character.
hostile() {
    mkdir -p "$tap_dir/hostile"
    file="$tap_dir/hostile/x';touch pwned;'"
    escape=$(printf '\033')
    printf '%s\tcpu_ref\t1\tdefault\t1.0\t1:1\t1\t-\tok\n' \
        "pooling_sideways ';touch pwned;' \$(touch pwned) x=${escape}]0;title" >"$file"
    rm -f "$tap_dir/pwned"
    replay 1 "$file" && says '^  again: anydnn ' && says 'touch pwned' || return 1
    if LC_ALL=C grep -q '[^[:print:][:space:]]' "$tap_dir/out" "$tap_dir/err"; then
        echo "a control character is printed"
        cat -v "$tap_dir/out" "$tap_dir/err"
        return 1
    fi
    sed -n 's/^  again: //p' "$tap_dir/out" >"$tap_dir/again"
    # shellcheck disable=SC1091,SC2317
    (
        cd "$tap_dir" && anydnn() { printf '%s\n' "$#" >>"$tap_dir/counted"; }
        . "$tap_dir/again"
    )
    [ ! -e "$tap_dir/pwned" ] || { echo "the shell ran it"; cat "$tap_dir/again"; return 1; }
    # The shell must read the intended words: compare, three options with values, two pairs, a problem.
    grep -qx 10 "$tap_dir/counted"
}

# The same holds for a trace that is reduced to a new one, and for a line that is replayed on a dump.
hostile_name() {
    mkdir -p "$tap_dir/named"
    file="$tap_dir/named/it's;touch pwned;"
    rm -f "$tap_dir/pwned"
    traced "$file" --config "$tap_dir/faulty.conf" $conv || return 1
    replay 1 --reduce --config "$tap_dir/faulty.conf" "$file" && says 'repeat it with: anydnn replay ' || return 1
    command=$(sed -n 's/^  repeat it with: anydnn \(.*\)$/\1/p' "$tap_dir/out")
    (cd "$tap_dir" && eval "\"$anydnn\" $command" >"$tap_dir/out" 2>"$tap_dir/err")
    [ $? -eq 1 ] && says 'beyond their bound' && [ ! -e "$tap_dir/pwned" ]
}

# Every cut of a trace is read without a fault.
every_cut() {
    length=$(wc -c <"$trace")
    for at in $(seq 1 37 "$length"); do
        head -c "$at" "$trace" >"$tap_dir/cut"
        "$anydnn" replay --repeat 1 "$tap_dir/cut" >"$tap_dir/out" 2>"$tap_dir/err"
        [ $? -le 1 ] || { echo "cut at $at"; return 1; }
    done
}

check "a line has its columns, the file is the user's alone" columns
check "a relative path is refused" bad_path
check "the calls run again" again
check "the same as JSON" as_json
check "a planted fault is found, and the command repeats it" fault_is_found
check "a cut trace is read to its last whole line" cut
check "lines that belong to no trace are counted" noise
check "an invalid problem is named" no_problem
check "a hostile trace runs nothing" hostile
check "nor does a hostile name" hostile_name
check "a trace may be cut anywhere" every_cut
check "no argument" refuses 2 "replay requires a trace"
check "no such file" refuses 2 "nonesuch: No such file" "$tap_dir/nonesuch"
check "a folder" refuses 2 "$tap_dir: not a regular file" "$tap_dir"
: >"$tap_dir/empty"
check "an empty file" refuses 1 "the trace contains no call" "$tap_dir/empty"
check "a missing backend" replay 1 "$trace" nonesuch:default
# Twenty seconds of processor time are a hundred times the time for a hundred thousand backends.
many_backends() {
    awk 'BEGIN { for (i = 0; i < 100000; i++)
        printf "softmax_forward x=f32:2,3:nchw\tb%d\t1\tdefault\t1.5\t1:1\t1\t-\tok\n", i }' >"$tap_dir/many"
    prlimit --cpu=20 "$anydnn" replay "$tap_dir/many" >"$tap_dir/out" 2>"$tap_dir/err"
    says '^100000 calls, 100000 of them distinct'
}
check "as many backends as calls" many_backends
tap_end
