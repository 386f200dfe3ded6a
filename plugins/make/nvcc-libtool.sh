#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Stands between libtool and nvcc: host compiler flags, which nvcc takes only after -Xcompiler (and
# which libtool would strip of it), get it here. Kernels whose registers ptxas spills to memory are
# told, as it tells them, and kept beside the object, in OBJECT.spills, a line each: name, bytes
# stored, bytes loaded. tests/cuda/test_spills.sh judges them. Not with --Ofast-compile, whose registers
# are nobody's. ANYDNN_NVCC_THROUGH may name what nvcc is
# called through, as scripts/lib.sh does with a compiler cache.
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
# One line for each kernel, however many GPU generations it is compiled for.
[ -z "$warn" ] || sed -n "s/^ptxas warning.* spilled .*function '\([^']*\)', \([0-9]*\) bytes spill stores, \([0-9]*\) bytes.*/\1 \2 \3/p" \
    "$said" | sort -u >"$object.spills"
# Products of a warpgroup that ptxas serialises, and registers that it does not hand over: such a kernel
# runs at a fraction of its speed, and fails here.
! grep -qE '\(C75(08|10|12)\)' "$said" || status=1
rm -f "$said"
exit $status
