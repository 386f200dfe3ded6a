#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests that libcudnn.so.9 forwards each call to the library that it finds, a mock here, in each kind of process, and that
# it reports a missing or mixed installation.
# Needs: cudnn9/built/.stamp
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
. "$ANYDNN_TEST_SRCDIR/tests/cudnn9/cudnn9.sh"

library=$cudnn9_folder/libcudnn.so.9
mock=$tap_dir/mock

# shellcheck disable=SC2016
exports_the_list() {
    [ "$(cudnn9_names | wc -l)" = 243 ] && [ "$(cudnn9_newer | wc -l)" = 19 ] || return 1
    cudnn9_names | sed 's/$/@@libcudnn.so.9/' | LC_ALL=C sort >"$tap_dir/want"
    $NM -D --defined-only "$library" | ${AWK:-awk} '$2 != "A" && $3 !~ /^anydnn/ { print $3 }' | LC_ALL=C sort >"$tap_dir/found"
    diff "$tap_dir/want" "$tap_dir/found"
}

has_the_name() {
    readelf -d "$library" >"$tap_dir/dynamic"
    grep 'Library soname: \[libcudnn.so.9\]' "$tap_dir/dynamic" && grep 'NODELETE' "$tap_dir/dynamic"
}

on_the_mock() {
    ANYDNN_CUDNN9_LIBRARY=$mock calls "$@"
}

forwards() {
    on_the_mock arguments arguments cudnnGetVersion cudnnCreate message message cudnnBackendExecute && [ ! -s "$tap_dir/err" ] &&
        says '^arguments: 4711$' && says '^cudnnGetVersion: 91900$' && says '^cudnnCreate: 2000$' &&
        [ "$(grep '^message' "$tap_dir/out")" = "message: mock: handle is NULL
message: " ]
}

same_as_the_mock() {
    cudnn9_callable >"$tap_dir/names"
    "$tap_dir/calls" "$mock/libcudnn.so.9" strings each <"$tap_dir/names" >"$tap_dir/want" || return 1
    on_the_mock strings each <"$tap_dir/names" && diff "$tap_dir/want" "$tap_dir/out"
}

# ---- names that only some releases have

hides_names() {
    on_the_mock '?cudnnGnnMhaGatForward' cudnnGetVersion '?cudnnGnnMhaGatForward' '?cudnnConvolutionForward' &&
        [ "$(grep -c '^cudnnGnnMhaGatForward: absent' "$tap_dir/out")" = 1 ] && says '^cudnnConvolutionForward: present'
}

lacks_names() {
    on_the_mock cudnnGnnMhaGatForward message message && says '^cudnnGnnMhaGatForward: 3000$' &&
        says "^message: cudnnGnnMhaGatForward: $mock/libcudnn.so.9 (cuDNN 91900) does not have this function$" &&
        says '^message: $'
}

# ---- where the real library is

by_file() {
    ANYDNN_CUDNN9_LIBRARY=$mock/libcudnn.so.9 calls cudnnGetVersion && says '^cudnnGetVersion: 91900$'
}

by_setting() {
    printf '[cudnn9]\nlibrary = %s\n' "$mock" >"$tap_dir/set.conf"
    ANYDNN_CONFIG=$tap_dir/set.conf calls cudnnGetVersion && says '^cudnnGetVersion: 91900$'
}

# The path of the front itself comes first, as `anydnn exec` sets it.
by_library_path() {
    LD_LIBRARY_PATH=$cudnn9_folder:$mock calls cudnnGetVersion && says '^cudnnGetVersion: 91900$'
}

by_run_path() {
    for flag in --enable-new-dtags --disable-new-dtags; do
        # shellcheck disable=SC2086,SC2016
        $cc $cudnn9_sanitize -D_GNU_SOURCE "$cudnn9_here/calls.c" -o "$tap_dir/with_path" -ldl -lpthread \
            "-Wl,$flag" '-Wl,-rpath,$ORIGIN/mock' && "$tap_dir/with_path" "$library" cudnnGetVersion >"$tap_dir/out" 2>"$tap_dir/err" &&
            says '^cudnnGetVersion: 91900$' || return 1
    done
}

# JAX opens the real file by its path before any call.
by_what_is_loaded() {
    LD_PRELOAD=$cudnn9_preload$library "$tap_dir/calls" "$mock/libcudnn.so.9" cudnnGetVersion >"$tap_dir/out" || return 1
    says '^cudnnGetVersion: 91900$' &&
        LD_PRELOAD=$cudnn9_preload$library:$mock/libcudnn.so.9 "$tap_dir/calls" libcudnn.so.9 arguments >"$tap_dir/out" 2>"$tap_dir/err" &&
        says '^arguments: 4711$'
}

# A Python package lies beside the package of the library that calls.
by_packages() {
    site=$tap_dir/lib/python3.9/site-packages
    mkdir -p "$site/nvidia/cudnn" "$site/torch/lib" "$tap_dir/bin"
    cp -r "$mock" "$site/nvidia/cudnn/lib"
    cp "$tap_dir/calls" "$tap_dir/bin/calls"
    "$tap_dir/bin/calls" "$library" arguments >"$tap_dir/out" 2>"$tap_dir/err" && says '^arguments: 4711$'
}

a_link_to_itself() {
    mkdir -p "$tap_dir/link"
    ln -sf "$library" "$tap_dir/link/libcudnn.so.9"
    ANYDNN_CUDNN9_LIBRARY=$tap_dir/link calls cudnnGetVersion cudnnBackendExecute message &&
        says '^cudnnGetVersion: 0$' && says '^cudnnBackendExecute: 1001$' && says "^message: .*is anydnn's own library$"
}

missing() {
    ANYDNN_CUDNN9_LIBRARY=/nowhere/libcudnn.so.9 calls cudnnCreate message cudnnGetVersion cudnnGetCudartVersion message &&
        says '^cudnnCreate: 1001$' && says '^cudnnGetVersion: 0$' &&
        says '^message: cudnnCreate: /nowhere/libcudnn.so.9 cannot be used: /nowhere/libcudnn.so.9: .*No such file' &&
        [ "$(grep -c 'warning: cudnnCreate: /nowhere/libcudnn.so.9 cannot be used' "$tap_dir/err")" = 1 ]
}

not_a_library() {
    mkdir -p "$tap_dir/text"
    echo text >"$tap_dir/text/libcudnn.so.9"
    ANYDNN_CUDNN9_LIBRARY=$tap_dir/text calls cudnnCreate message && says '^message: cudnnCreate: .*/text/libcudnn.so.9 cannot be used: '
}

without_strings() {
    ANYDNN_CUDNN9_LIBRARY=/nowhere calls strings && says '^1001 CUDNN_STATUS_NOT_INITIALIZED$' && says '^3000 CUDNN_STATUS_NOT_SUPPORTED$' &&
        says '^4711 CUDNN_UNKNOWN_STATUS$'
}

relative_setting() {
    printf '[cudnn9]\nlibrary = mock\n' >"$tap_dir/bad.conf"
    ANYDNN_CONFIG=$tap_dir/bad.conf LD_LIBRARY_PATH=$mock calls cudnnGetVersion &&
        says '^cudnnGetVersion: 91900$'
}

mixed() {
    cudnn9_mock "$tap_dir/mixed" -DMOCK_MIXED || return 1
    LD_PRELOAD=$cudnn9_preload$mock/libcudnn_graph.so.9 ANYDNN_CUDNN9_LIBRARY=$tap_dir/mixed calls cudnnOpsVersionCheck message &&
        says '^cudnnOpsVersionCheck: 1002$' &&
        says "^message: cudnnOpsVersionCheck: mock: ops 9.1.0, graph 9.2.0. the parts of $tap_dir/mixed/libcudnn.so.9 have different versions: $mock/libcudnn_graph.so.9 (anydnn doctor)" &&
        says "warning: cudnnCreate: parts of another cuDNN than $tap_dir/mixed/libcudnn.so.9 are already loaded: $mock/libcudnn_graph.so.9"
}

alone() {
    mkdir -p "$tap_dir/alone"
    cp "$mock/libcudnn.so.9" "$tap_dir/alone"
    ANYDNN_CUDNN9_LIBRARY=$tap_dir/alone calls cudnnGetVersion && says '^cudnnGetVersion: 91900$' &&
        says "warning: cudnnCreate: $tap_dir/alone/libcudnn.so.9 has no libcudnn_graph.so.9 beside it"
}

# ---- processes

in_threads() {
    on_the_mock threads && says '^threads: 0 wrong$' &&
        ANYDNN_CUDNN9_COUNTERS=$tap_dir/threads.count on_the_mock threads && says '^threads: 0 wrong$' &&
        grep '^cudnnBackendExecute	8000$' "$tap_dir/threads.count" && grep '^cudnnRNNForward	8000$' "$tap_dir/threads.count"
}

in_a_child() {
    on_the_mock fork && says '^child: 0 4711$' && says '^child ended: 0$' &&
        on_the_mock cudnnGetVersion fork && says '^child: 0 4711$'
}

# Only the process that counted writes its counters.
counts_of_a_child() {
    rm -f "$tap_dir"/count.*
    ANYDNN_CUDNN9_COUNTERS=$tap_dir/count.%p on_the_mock cudnnBackendExecute fork cudnnBackendExecute || return 1
    [ "$(cat "$tap_dir"/count.* | grep -v RNN)" = "cudnnBackendExecute	2" ]
}

at_the_end() {
    ANYDNN_CUDNN9_COUNTERS=$tap_dir/end.count on_the_mock atexit dlclose && says '^after dlclose: 0$' &&
        grep '^cudnnBackendExecute	2$' "$tap_dir/end.count"
}

two_processes() {
    on_the_mock threads &
    "$tap_dir/calls" "$library" cudnnGetVersion >/dev/null 2>&1
    wait && says '^threads: 0 wrong$'
}

# The counters go to their own file although the number of the closed standard output is free.
without_output() {
    ANYDNN_CUDNN9_LIBRARY=$mock ANYDNN_CUDNN9_COUNTERS=$tap_dir/closed.count "$tap_dir/calls" "$library" arguments >&- 2>"$tap_dir/err"
    [ "$(cat "$tap_dir/closed.count")" = "cudnnRNNForward	1" ]
}

counters_that_fail() {
    ANYDNN_CUDNN9_COUNTERS=/nowhere/counters on_the_mock arguments && says '^arguments: 4711$' &&
        says 'warning: /nowhere/counters: the counters of \[cudnn9\] cannot be written' || return 1
    ln -s "$tap_dir/target" "$tap_dir/linked"
    ANYDNN_CUDNN9_COUNTERS=$tap_dir/linked on_the_mock arguments && says 'cannot be written' && [ ! -e "$tap_dir/target" ]
}

comma_locale() {
    LC_ALL=de_DE.UTF-8 on_the_mock arguments && says '^arguments: 4711$'
}

# ---- the real library

same_as_the_real() {
    cudnn9_callable >"$tap_dir/names"
    "$tap_dir/calls" "$real/libcudnn.so.9" cudnnGetVersion strings each <"$tap_dir/names" >"$tap_dir/want" 2>/dev/null
    ANYDNN_CUDNN9_LIBRARY=$real calls cudnnGetVersion strings each <"$tap_dir/names"
    grep -c '^cudnn' "$tap_dir/out" && diff "$tap_dir/want" "$tap_dir/out"
}

# Heuristics and plans of a graph need no device. One of the attributes is unknown.
same_graphs() {
    python3 "$cudnn9_here/graph.py" "$real/libcudnn.so.9" >"$tap_dir/want" || return 1
    ANYDNN_CUDNN9_LIBRARY=$real python3 "$cudnn9_here/graph.py" "$library" >"$tap_dir/out" || return 1
    diff "$tap_dir/want" "$tap_dir/out" && grep -c '^finalize 0' "$tap_dir/out"
}

check "a mock is built" cudnn9_mock "$mock"
check "the program is built" cudnn9_compiles
check "every function of cuDNN 9.28 in its node" exports_the_list
check "the library's name, and it stays loaded" has_the_name
check "arguments of every kind, results and messages pass" forwards
check "every function returns what the mock returns" same_as_the_mock
check "names that the real library lacks disappear" hides_names
check "a function that the real library lacks: a status and a sentence" lacks_names
check "the real file by its path" by_file
check "the real file by a setting" by_setting
check "the real file in LD_LIBRARY_PATH, after the front" by_library_path
check "the real file in a run path" by_run_path
check "the real file that is loaded already" by_what_is_loaded
if PATH=$PATH:/sbin:/usr/sbin ldconfig -p | grep -q 'libcudnn\.so\.9 '; then
    skip "the real file among Python's packages" "the system has a cuDNN, which precedes them"
else
    check "the real file among Python's packages" by_packages
fi
check "a link to the front is not the real file" a_link_to_itself
check "no real file: a status, and one sentence in message and log" missing
check "a file that is no library" not_a_library
check "names of statuses without a real file" without_strings
check "a relative path in a settings file: the built-in value counts" relative_setting
check "parts of different versions: one sentence with files and versions" mixed
check "a library without its parts" alone
check "threads" in_threads
check "a child of fork()" in_a_child
check "a child of fork() does not write counters" counts_of_a_child
check "calls after dlclose and at exit are counted" at_the_end
check "two processes" two_processes
check "standard output is closed" without_output
check "counters that cannot be written" counters_that_fail
check "a locale with a comma" comma_locale
real=$(cudnn9_real)
if [ -n "$real" ] && [ -z "$cudnn9_sanitize" ]; then
    check "every function returns what the real library returns" same_as_the_real
    check "graphs, heuristics and plans of the real library" same_graphs
else
    skip "every function returns what the real library returns" "no cuDNN 9, or a sanitizer"
    skip "graphs, heuristics and plans of the real library" "no cuDNN 9, or a sanitizer"
fi
tap_end
