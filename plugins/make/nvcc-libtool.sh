#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs nvcc for libtool. It puts -Xcompiler before flags of the host compiler, since nvcc requires it
# and libtool would strip it. ptxas reports kernels whose registers it spills to memory. They are
# stored beside the object, in OBJECT.spills, one per line: name, bytes stored, bytes loaded.
# tests/cuda/test_spills.sh checks them. --Ofast-compile disables this, since its register use is not
# representative. ANYDNN_NVCC_THROUGH may name a command that runs nvcc, such as the compiler cache of
# scripts/lib.sh.
set -eu
n=$#
object=
warn='-Xptxas -warn-spills'
while [ "$n" -gt 0 ]; do
    arg=$1
    shift
    n=$((n - 1))
    case $arg in
    --Ofast-compile=*)
        warn=
        set -- "$@" "$arg"
        ;;
    -fPIC | -fvisibility=* | -fno-* | -fstack-* | -fcf-* | -pthread | -W[!l]*) set -- "$@" -Xcompiler "$arg" ;;
    *) set -- "$@" "$arg" ;;
    esac
    [ "$arg" != -o ] || object=$1
done
[ -n "$object" ] || exec "$@"
said=$object.said
status=0
# shellcheck disable=SC2086 # words of commands
${ANYDNN_NVCC_THROUGH-} "$@" $warn 2>"$said" || status=$?
cat "$said" >&2
# Each kernel has one line, regardless of the number of GPU generations.
[ -z "$warn" ] || sed -n "s/^ptxas warning.* spilled .*function '\([^']*\)', \([0-9]*\) bytes spill stores, \([0-9]*\) bytes.*/\1 \2 \3/p" \
    "$said" | sort -u >"$object.spills"
# A kernel fails here if ptxas serializes its warpgroup products or ignores its register reallocation.
# Such a kernel would run at a fraction of its speed.
! grep -qE '\(C75(08|10|12)\)' "$said" || status=1
rm -f "$said"
exit $status
