#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Stands between libtool and nvcc: host compiler flags, which nvcc takes only after -Xcompiler (and
# which libtool would strip of it), get it here.
set -eu
n=$#
while [ "$n" -gt 0 ]; do
    arg=$1
    shift
    n=$((n - 1))
    case $arg in
    -fPIC | -fvisibility=* | -fno-* | -pthread | -W[!l]*) set -- "$@" -Xcompiler "$arg" ;;
    *) set -- "$@" "$arg" ;;
    esac
done
exec "$@"
