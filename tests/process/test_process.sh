#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests unusual processes: without standard streams, with limited file sizes, with small thread stacks, in another
# locale. It also tests files of other users at the paths where the library writes.
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

calls=$ANYDNN_TEST_BUILDDIR/tests/process/calls
anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
ANYDNN_ROUTE=cpu_ref
export ANYDNN_PLUGIN_PATH ANYDNN_ROUTE
pool='pooling_forward x=f32:1,2,8,8 window=2,2 stride=2,2'
blend='scale_tensor y=f32:2,3 alpha=0.5'
trace=$tap_dir/calls

fresh() {
    rm -rf "$tap_dir/files" "$trace"* "$tap_dir"/log* "$tap_dir"/store*
    mkdir "$tap_dir/files"
}

# only FILE PATTERN: checks that the file has lines and that each line matches.
only() {
    [ -s "$1" ] && ! grep -v -e "$2" "$1"
}

# ---- standard streams

# The trace, the dumps, the log and the tuning file are opened while 0 to 2 are free; the program continues to print.
closed_streams() {
    fresh
    ANYDNN_LOG=trace ANYDNN_LOG_FILE=$tap_dir/log ANYDNN_TUNING=$tap_dir/store "$calls" \
        "route:fastest, onednn, cpu_ref" "trace:file=$trace;tensors=*" print "$pool" print "$blend" print <&- >&- 2>&- || return 1
    only "$trace" '^# anydnn trace\|	ok$' && only "$tap_dir/log" '^anydnn: ' &&
        [ "$(grep -c '	ok$' "$trace")" -eq 2 ] && [ -e "$tap_dir/1/0.npy" ] &&
        ! grep -q "the program's" "$tap_dir/log" "$trace" "$tap_dir"/1/*
}

# The program anydnn must print nothing into these files either.
closed_streams_of_anydnn() {
    fresh
    "$anydnn" compare --csv "$tap_dir/files/csv" cpu_ref:default cpu_ref:default "$pool" >&-
    only "$tap_dir/files/csv" ',.*,'
}

# ---- files that may not grow

# limited BYTES ARGUMENT...: prints the program's exit status, SIGXFSZ included.
limited() {
    bytes=$1
    shift
    prlimit --fsize="$bytes" "$@" >/dev/null 2>"$tap_dir/err"
    status=$?
    [ "$status" -eq 0 ] && return 0
    echo "status $status with files of $bytes bytes at most: $*"
    cat "$tap_dir/err"
    return 1
}

limits() {
    for bytes in 0 1 20 100 150 300 1000 5000; do
        fresh
        ANYDNN_LOG=trace ANYDNN_LOG_FILE=$tap_dir/log ANYDNN_TUNING=$tap_dir/store limited "$bytes" "$calls" \
            "route:fastest, onednn, cpu_ref" "trace:file=$trace;tensors=*" "$pool" "$blend" "$pool" find || return 1
    done
}

# The trace consists of complete lines, and the log gives the reason for its end.
limited_trace() {
    fresh
    limited 300 "$calls" "trace:file=$trace" "$pool" "$blend" "$pool" || return 1
    [ -z "$(tail -c 1 "$trace")" ] && says 'cannot be written: File too large; tracing stops'
}

# The program's own writes still behave as before.
own_signal() {
    # shellcheck disable=SC2016
    ! prlimit --fsize=0 sh -c 'echo x >"$1"' sh "$tap_dir/own" 2>/dev/null
}

# ---- small stacks

# on_stack KIB ROUTE ARGUMENT...: runs calls with that many KiB of stack, and with trace, shadow, checks and log.
on_stack() {
    fresh
    kib=$1 route=$2
    shift 2
    ANYDNN_LOG=trace ANYDNN_LOG_FILE=$tap_dir/log ANYDNN_TUNING=$tap_dir/store "$calls" "stack=$kib" "route:$route" \
        "trace:file=$trace;tensors=*;size=10000" "shadow:sample=all;budget=none;on_mismatch=dump" \
        "check:outputs=nan,inf,zero" "$@"
}

all_on_stack() {
    on_stack "$1" "$2" find "$pool" "$blend" 'convolution_forward x=f32:2,3,8,6 w=f32:4,3,3,3 pad=1,1' \
        'convolution_backward_filter x=f32:2,3,8,6 dy=f32:2,4,8,6 dw=f32:4,3,3,3 pad=1,1' \
        'convolution_backward_data w=f32:4,3,3,3 dy=f32:2,4,8,6 dx=f32:2,3,8,6 pad=1,1' 'lrn_forward x=f32:2,8,4,4' \
        'lrn_backward y=f32:2,8,4,4 dy=f32:2,8,4,4 x=f32:2,8,4,4 dx=f32:2,8,4,4'
}

# The numbers come from anydnn.h. Frames are several times as large with a sanitizer, whose runs look for other faults.
small_stack() {
    times=1
    [ "${ANYDNN_TEST_SANITIZER:-no}" = no ] || times=4
    tr -d '\n*' <"$ANYDNN_TEST_SRCDIR/include/anydnn/anydnn.h" | tr -s ' ' >"$tap_dir/header"
    grep -q "at least 128 KiB of stack.*cpu_ref runs in 64 KiB" "$tap_dir/header" &&
        on_stack $((64 * times)) 'fastest, cpu_ref' 'softmax_forward x=f32:2,3,4,5' "$pool" &&
        all_on_stack $((64 * times)) 'fastest, cpu_ref' && all_on_stack $((128 * times)) 'fastest, onednn, cpu_ref'
}

# ---- another locale

german() {
    fresh
    ANYDNN_LOG=trace ANYDNN_LOG_FILE=$tap_dir/log "$calls" locale=de_DE.UTF-8 "trace:file=$trace" "$blend" \
        "shadow:sample=all;bound=0.5;budget=2.5 %" "$blend" || return 1
    grep -q 'alpha=0\.5	cpu_ref	[0-9]*	default	[0-9]*\.[0-9]*	' "$trace" && ! grep '	[0-9]*,[0-9]*	' "$trace" &&
        "$anydnn" replay "$trace" >"$tap_dir/out" 2>"$tap_dir/err" && says '2 calls, 1 of them distinct'
}

# The lower case of I is not an ASCII letter in Turkish.
turkish() {
    fresh
    ANYDNN_TRACE_FILE=$trace ANYDNN_DETERMINISTIC=no "$calls" locale=tr_TR.ISO-8859-9 "$pool" 2>"$tap_dir/err" || return 1
    [ ! -s "$tap_dir/err" ] && grep -q '	ok$' "$trace"
}

# ---- files of others

foreign_part() {
    fresh
    echo 'my own notes' >"$trace.1"
    "$calls" "trace:file=$trace;size=400;keep=2" "$pool" "$pool" "$pool" "$pool" "$pool" 2>"$tap_dir/err" || return 1
    [ "$(cat "$trace.1")" = 'my own notes' ] && [ ! -e "$trace.2" ] && [ "$(grep -c '	ok$' "$trace")" -ge 1 ] &&
        says 'the file of this name with .1 is not a trace'
}

own_parts() {
    fresh
    "$calls" "trace:file=$trace;size=400;keep=2" "$pool" "$pool" "$pool" "$pool" "$pool" "$pool" "$pool" "$pool" \
        2>"$tap_dir/err" || return 1
    [ ! -s "$tap_dir/err" ] && grep -q '	ok$' "$trace.1" && grep -q '	ok$' "$trace.2" && [ ! -e "$trace.3" ]
}

hard_link() {
    fresh
    echo 'my own notes' >"$tap_dir/files/notes"
    ln "$tap_dir/files/notes" "$trace"
    "$calls" "trace:file=$trace" "$pool" 2>"$tap_dir/err" || return 1
    [ "$(cat "$tap_dir/files/notes")" = 'my own notes' ] && says 'has a second hard link'
}

# link OWNER: makes the log's path a link that this user owns.
link_of() {
    fresh
    : >"$tap_dir/files/target"
    ln -s "$tap_dir/files/target" "$tap_dir/log"
    chown -h "$1" "$tap_dir/log" && ANYDNN_LOG=info ANYDNN_LOG_FILE=$tap_dir/log "$calls" "$pool" 2>"$tap_dir/err"
}

others_link() {
    link_of 12345 && [ ! -s "$tap_dir/files/target" ] && says "log_file = $tap_dir/log: .* link owned by another user"
}

# The first link is our own, the second leads to one of another user.
own_link() {
    link_of "$(id -u)" && only "$tap_dir/files/target" '^anydnn: ' || return 1
    [ "$(id -u)" -eq 0 ] || return 0
    fresh
    : >"$tap_dir/files/target"
    ln -s "$tap_dir/files/target" "$tap_dir/files/theirs"
    chown -h 12345 "$tap_dir/files/theirs"
    ln -s files/theirs "$tap_dir/log"
    ANYDNN_LOG=info ANYDNN_LOG_FILE=$tap_dir/log "$calls" "$pool" 2>"$tap_dir/err"
    [ ! -s "$tap_dir/files/target" ] && says "link owned by another user"
}

# These are the kernel's links: a pipe behind a descriptor.
descriptor_as_log() {
    ANYDNN_LOG=info ANYDNN_LOG_FILE=/dev/fd/5 "$calls" "$pool" 5>&1 >/dev/null 2>"$tap_dir/err" | cat >"$tap_dir/out"
    only "$tap_dir/out" '^anydnn: ' && [ ! -s "$tap_dir/err" ]
}

# ---- incomplete files are removed

no_half_dump() {
    fresh
    "$calls" "trace:file=$tap_dir/files/calls;tensors=*;dump_size=600" "$pool" "$pool" 2>"$tap_dir/err" || return 1
    grep -q '	-	ok$' "$tap_dir/files/calls" && [ "$(ls "$tap_dir/files")" = calls ]
}

check "without standard streams, no output of the program goes into files" closed_streams
check "and no output of the program anydnn" closed_streams_of_anydnn
check "a file-size limit ends no program" limits
check "and truncates no line of a trace" limited_trace
check "the signal stays the program's own" own_signal
check "the stack that anydnn.h names is enough" small_stack
if [ -d "$LOCPATH/de_DE.UTF-8" ] && [ -d "$LOCPATH/tr_TR.ISO-8859-9" ]; then
    check "numbers have a point in a locale with commas" german
    check "variables are found in a Turkish locale" turkish
else
    skip "locales" "there is no localedef, or no source of de_DE and tr_TR"
fi
check "a file that is no older part of a trace stays" foreign_part
check "older parts of a trace are kept" own_parts
check "a trace with another name is not written" hard_link
if [ "$(id -u)" -eq 0 ]; then
    check "log_file: another user's link" others_link
else
    skip "log_file: another user's link" "only root can make one"
fi
check "log_file: links of one's own" own_link
check "log_file: a pipe behind a descriptor" descriptor_as_log
check "a dump that is cut short is removed" no_half_dump
tap_end
