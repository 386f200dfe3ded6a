#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks special files that a user names: pipes, folders, devices, huge files. Each command that opens one
# must answer with one message and must not wait. Commands that wait nevertheless end after $limit seconds.
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
built=$ANYDNN_TEST_BUILDDIR/tests/tools/.libs
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
export ANYDNN_PLUGIN_PATH
limit=60
pool="pooling_forward x=f32:1,2,8,8 window=2,2 stride=2,2"
conv="convolution_forward x=f32:2,8,6,6 w=f32:4,8,3,3 pad=1,1"
fifo=$tap_dir/fifo.suite
hole=$tap_dir/hole.suite
mkfifo "$fifo"
mkdir "$tap_dir/folder.suite"

# sparse FILE: extends the file to 1 TB without using disk space.
sparse() {
    truncate -s 1T "$1" 2>/dev/null
}

# answers STATUS PATTERN ARGUMENT...: succeeds if anydnn exits in time with STATUS and a message that matches
# the pattern.
answers() {
    status=$1 pattern=$2
    shift 2
    # An address space of 8 GB makes a command fail that reads a whole file. A sanitizer needs more.
    # shellcheck disable=SC3045
    (
        [ "${ANYDNN_TEST_SANITIZER:-no}" != no ] || ulimit -v 8000000 2>/dev/null || :
        exec timeout -s KILL "$limit" "$anydnn" "$@"
    ) \
        >"$tap_dir/out" 2>"$tap_dir/err" </dev/null
    found=$?
    if [ "$found" -ne "$status" ]; then
        echo "status $found, not $status: anydnn $*"
        tail -n 30 "$tap_dir/out" "$tap_dir/err"
        return 1
    fi
    grep -q '^anydnn: ' "$tap_dir/err" && says "$pattern"
}

# ---- pipes without a writer or reader

check "a suite" answers 2 "is a FIFO that no process writes to" bench "$fifo"
check "a suite to compare" answers 2 "is a FIFO that no process writes to" compare cpu_ref cpu_ref "$fifo"
check "a trace" answers 2 "not a regular file" replay "$fifo"
check "a program to scan" answers 1 "not an ELF program" abi --scan "$fifo"
check "a program of cuDNN's" answers 1 "not an ELF program" shim "$fifo"
check "an operand" answers 1 "is a FIFO that no process writes to" run --in "x=$fifo" "$pool"
check "a result" answers 1 "is a FIFO that no process reads" run --out "y=$fifo" "$pool"
check "a table" answers 2 "is a FIFO that no process reads" bench "--csv=$fifo" --device=cpu "$pool" cpu_ref:default
check "a table to compare" answers 2 "is a FIFO that no process reads" compare "--csv=$fifo" cpu_ref cpu_ref "$pool"
check "a page" answers 2 "is a FIFO that no process reads" bench "--html=$fifo" --device=cpu "$pool" cpu_ref:default
check "settings" answers 1 "is a FIFO" explain "--config=$fifo" "$pool"
check "a backend" answers 2 "" verify "$fifo"

# ---- folders and devices

check "a folder for a suite" answers 2 "is a folder, not a file" bench "$tap_dir/folder.suite"
check "an endless device for a suite" answers 2 "is a device or socket, not a file" bench /dev/zero
check "an endless device for an operand" answers 1 "is a device or socket" run --in x=/dev/zero "$pool"

# ---- pipes that a process writes

from_pipe() {
    (echo "$pool" >"$fifo") &
    timeout -s KILL "$limit" "$anydnn" compare --device=cpu cpu_ref cpu_ref "$fifo" >"$tap_dir/out" 2>"$tap_dir/err"
    found=$?
    kill $! 2>/dev/null
    wait
    [ "$found" -eq 0 ] && return 0
    cat "$tap_dir/out" "$tap_dir/err"
    return 1
}
# The command may open the pipe before the other process does; then it reports that. One of ten attempts must
# succeed.
often_from_pipe() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        from_pipe && return 0
    done
    return 1
}
check "a suite that another process writes" often_from_pipe

# ---- holes

if sparse "$hole"; then
    check "a hole for a suite" answers 2 "a line has more than 1048576 bytes" bench "$hole"
    check "a hole for a trace" answers 1 "line 1 has more than 1048576 bytes" replay "$hole"
    check "a hole for settings" answers 1 "longer than 262144 bytes" explain "--config=$hole" "$pool"
    check "a hole for an operand" answers 1 "has more than 512 bytes" run --in "x=$hole" "$pool"
    check "a hole for a vector" answers 2 "" verify "$hole"
    echo "anydnn tuning 1" >"$tap_dir/tuning"
    sparse "$tap_dir/tuning"
    printf '[anydnn]\ntuning = %s\n[route]\n* = fastest, cpu_ref\n' "$tap_dir/tuning" >"$tap_dir/tuned.conf"
    check "a hole for a tuning file" answers 0 \
        "tuning = $tap_dir/tuning: it has 1099511627776 bytes; the maximum is 1073741824" \
        run "--config=$tap_dir/tuned.conf" --device=cpu "$pool"
    check "a hole in a tuning file that is listed" answers 1 "a line has more than 1048576 bytes" \
        info "--tuning=$tap_dir/tuning"
else
    skip "holes" "no file of 1 TB can be made here"
fi

# ---- a reduced trace

cp "$ANYDNN_TEST_PLUGINDIR/anydnn_cpu_ref.so" "$tap_dir/copy.so"
printf '[plugin faulty]\nmodule = %s\nset.copy = %s\nset.fault = product\nset.rows = 3\n[route]\n* = faulty, cpu_ref\n' \
    "$built/anydnn_faulty.so" "$tap_dir/copy.so" >"$tap_dir/faulty.conf"
ANYDNN_TRACE_FILE=$tap_dir/calls "$anydnn" run "--config=$tap_dir/faulty.conf" --device=cpu "$conv" >/dev/null 2>&1
mkfifo "$tap_dir/calls.reduced"
check "a FIFO where a reduced trace goes" answers 1 "calls.reduced: cannot be written: not a regular file" \
    replay --reduce "--config=$tap_dir/faulty.conf" --device=cpu "$tap_dir/calls"
tap_end
