#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks anydnn abi: its list is the table of entries; --scan lists the imports of programs, libraries and
# objects.
# Needs: tools/anydnn
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
# shellcheck disable=SC2034
abi_root=$ANYDNN_TEST_SRCDIR abi_tmp=$tap_dir
. "$ANYDNN_TEST_SRCDIR/tests/abi/abi.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn

# gives STATUS PATTERN ARGUMENT...: succeeds if the exit status is STATUS and the output matches the pattern.
gives() {
    status=$1 pattern=$2
    shift 2
    found=0
    "$anydnn" abi "$@" >"$tap_dir/out" 2>"$tap_dir/err" || found=$?
    cat "$tap_dir/out" "$tap_dir/err"
    [ "$found" -eq "$status" ] || {
        echo "exit status $found, not $status"
        return 1
    }
    grep -q -e "$pattern" "$tap_dir/out" "$tap_dir/err" || {
        echo "no line with: $pattern"
        return 1
    }
}

# json STATUS EXPRESSION ARGUMENT...: succeeds if the exit status is STATUS and the Python expression is true for
# the answer `a`.
json() {
    status=$1 expression=$2
    shift 2
    gives "$status" . "$@" --json || return 1
    python3 -c 'import json, sys
a = json.load(open(sys.argv[1]))
sys.exit(0 if eval(sys.argv[2]) else 1)' "$tap_dir/out" "$expression"
}

# ---- the list

abi_table map -v list=1 >"$tap_dir/symbols"
listed() {
    "$anydnn" abi | sed -e '/^#/d' -e 's/ .*//' | diff "$tap_dir/symbols" -
}
get=anydnnGetConvolutionForwardAlgorithm
old_form="'anydnnStatus_t ${get}_v1(anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, \
anydnnFilterDescriptor_t wDesc, anydnnConvolutionDescriptor_t convDesc, anydnnTensorDescriptor_t yDesc, \
anydnnConvolutionFwdPreference_t preference, size_t memoryLimitInBytes, anydnnConvolutionFwdAlgo_t *algo)'"
check "every symbol of the table is listed" listed
check "a current entry" gives 0 "^anydnnCreate  *1  current$"
check "an old form, and its replacement" gives 0 "^$get  *1  deprecated from level 2, use ${get}_v2$"
check "its second name" gives 0 "^${get}_v1  *1  deprecated from level 2, use ${get}_v2$"
check "the new form" gives 0 "^${get}_v2  *2  current$"
check "old forms alone" json 0 "len(a['symbols']) == 6 and all(s['status'] == 'deprecated' for s in a['symbols'])" --deprecated
check "as JSON" json 0 "a['api_level'] == 2 and {'symbol': '${get}_v1', 'entry': '$get', 'prototype': $old_form,
    'version_node': 'ANYDNN_2', 'level': 1, 'status': 'deprecated', 'deprecated_from': 2, 'use': '${get}_v2'} in a['symbols']"
check "every symbol has its prototype, under its own name" json 0 "all(s['prototype'].count('(') == 1 and
    s['prototype'].endswith(')') and s['prototype'].split('(')[0].split()[-1].lstrip('*') == s['symbol']
    for s in a['symbols'])"
check "the plain symbol has its first form" json 0 "[s['prototype'] for s in a['symbols']
    if s['symbol'] == '$get'] == [$old_form.replace('_v1(', '(')]"
check "the new form has another prototype" json 0 "[s['prototype'].count(',') for s in a['symbols']
    if s['symbol'] == '${get}_v2'] == [8]"
check "arguments are refused" gives 2 "anydnn abi takes no arguments" some
check "an unknown option is refused" gives 2 "anydnn: " --scanning

# ---- the scan

# imports NAME FLAG...: builds a file that calls the functions on standard input.
# shellcheck disable=SC2086
imports() {
    name=$1
    shift
    cat >"$tap_dir/names"
    {
        sed 's/.*/void &(void);/' "$tap_dir/names"
        echo "void f(void); void f(void) {"
        sed 's/.*/&();/' "$tap_dir/names"
        echo "}"
    } >"$tap_dir/$name.c"
    $CC -fPIC "$@" "$tap_dir/$name.c" -o "$tap_dir/$name"
}
printf '%s\n' $get anydnnCreate anydnn_plugin_main other | imports old -shared
printf '%s\n' ${get}_v2 anydnnCreate | imports new -shared
printf '%s\n' ${get}_v1 | imports object.o -c
printf '%s\n' anydnnCreate anydnnFromTheFuture | imports future -shared
echo anydnnCudnn7Create | imports ported.o -c

check "a library that imports an old form" gives 1 "^$get: deprecated from level 2, use ${get}_v2$" --scan "$tap_dir/old"
check "what it imports is counted" gives 1 "imports 2 symbols of libanydnn, 1 of them deprecated$" --scan "$tap_dir/old"
check "as JSON" json 1 "a['imported'] == 2 and a['unknown'] == [] and a['deprecated'] == [
    {'symbol': '$get', 'level': 1, 'deprecated_from': 2, 'use': '${get}_v2'}]" --scan "$tap_dir/old"
check "a library that imports new forms alone" gives 0 "imports 2 symbols of libanydnn, 0 of them deprecated$" --scan "$tap_dir/new"
check "an object file" gives 1 "^${get}_v1: deprecated from level 2" --scan "$tap_dir/object.o"
check "a program of the porting header needs no newer version" gives 0 "imports 1 symbol of libanydnn, 0 of them deprecated$" \
    --scan "$tap_dir/ported.o"
check "a program that needs a newer library" gives 1 "^anydnnFromTheFuture: this version of anydnn does not have it" \
    --scan "$tap_dir/future"
check "as JSON" json 1 "a['unknown'] == ['anydnnFromTheFuture']" --scan "$tap_dir/future"
check "the library itself imports nothing of itself" gives 0 "imports 0 symbols" \
    --scan "$ANYDNN_TEST_BUILDDIR/.libs/libanydnn.so"
check "a file that is no program" gives 1 "not an ELF program, library or object file" --scan "$tap_dir/old.c"
check "a file that is not there" gives 1 "the file cannot be read: No such file or directory" --scan "$tap_dir/none"
check "a folder" gives 1 "anydnn: --scan=.*/:" --scan "$tap_dir/"

# foreign: makes the same file with the other word size in its header.
foreign() {
    class=$(head -c 5 "$tap_dir/old" | tail -c 1 | od -An -tu1)
    { head -c 4 "$tap_dir/old" && printf '%b' "\\00$((3 - class))" && tail -c +6 "$tap_dir/old"; } >"$tap_dir/foreign"
    gives 1 "the file is for another machine or is damaged" --scan "$tap_dir/foreign"
}
check "a file for another kind of machine" foreign

# A file that is cut at any place is read or refused without a fault.
damaged() {
    size=$(wc -c <"$tap_dir/old")
    for part in 1 17 63 100 $((size / 4)) $((size / 2)) $((size - 700)) $((size - 64)) $((size - 1)); do
        head -c "$part" "$tap_dir/old" >"$tap_dir/cut"
        "$anydnn" abi --scan "$tap_dir/cut" 2>&1
        [ $? -eq 1 ] || return 1
    done
}
check "a damaged file is refused" damaged
tap_end
