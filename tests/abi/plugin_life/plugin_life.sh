#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks the rules by which the plugin ABI will be frozen, with a header 1.0 and a header 1.1 made from plugin.h;
# in 1.1, every structure is larger. The library and a backend are compiled with each, and must work in all four
# pairs. Another major number, or a structure below its least size, must be refused.
# Needs: libanydnn.la
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

here=$ANYDNN_TEST_SRCDIR/tests/abi/plugin_life
core=$ANYDNN_TEST_SRCDIR/core

# header NAME MAJOR MINOR GROWN: makes a header with this number, in which structures have grown if GROWN is 1.
header() {
    mkdir -p "$tap_dir/$1/anydnn"
    $AWK -v major="$2" -v minor="$3" -v grown="$4" -f "$here/grow.awk" \
        "$ANYDNN_TEST_SRCDIR/include/anydnn/plugin.h" >"$tap_dir/$1/anydnn/plugin.h"
}

# library NAME: builds the whole library with the header NAME.
# shellcheck disable=SC2046,SC2086
library() {
    $CC -std=c11 -O0 -fPIC -shared -fvisibility=hidden -D_GNU_SOURCE -DANYDNN_EVERY_FORM \
        "-DANYDNN_PLUGINDIR=\"$tap_dir/none\"" "-DANYDNN_SYSCONFDIR=\"$tap_dir/none\"" \
        "-DANYDNN_LIBDIR=\"$tap_dir/$1\"" -I"$tap_dir/$1" -I"$ANYDNN_TEST_SRCDIR/include" \
        -I"$ANYDNN_TEST_BUILDDIR/include" -I"$core" $(find "$core" -name "*.c") -o "$tap_dir/$1/libanydnn.so" \
        -Wl,-z,defs -Wl,--version-script="$ANYDNN_TEST_BUILDDIR/core/abi/libanydnn.map" \
        $(${PKG_CONFIG:-pkg-config} --cflags --libs inih) -lpthread -ldl -lm
}

# backend FOLDER HEADER FLAG...: builds the backend sim with this header.
# shellcheck disable=SC2086
backend() {
    mkdir -p "$tap_dir/$1"
    folder=$1 with=$2
    shift 2
    $CC -std=c11 -D_GNU_SOURCE -O0 -Wall -Wextra -Werror -Wno-missing-field-initializers -fPIC -shared -fvisibility=hidden "$@" -I"$tap_dir/$with" \
        "$here/sim.c" -o "$tap_dir/$folder/anydnn_sim.so"
}

# scales LIBRARY BACKEND WANTED: succeeds if the program's output with these two matches the pattern WANTED.
scales() {
    LD_LIBRARY_PATH=$tap_dir/$1 ANYDNN_PLUGIN_PATH=$tap_dir/$2 ANYDNN_LOG=error "$tap_dir/scale" >"$tap_dir/printed"
    cat "$tap_dir/printed"
    grep -q -e "$3" "$tap_dir/printed"
}

for side in 0 1; do
    check "a header 1.$side can be made from plugin.h" header 1.$side 1 $side $side
    check "the library builds with it" library 1.$side
    check "a backend builds with it" backend sim1.$side 1.$side
done
# shellcheck disable=SC2086
check "a program builds" $CC -std=c11 -I"$ANYDNN_TEST_SRCDIR/include" -I"$ANYDNN_TEST_BUILDDIR/include" \
    "$here/scale.c" -o "$tap_dir/scale" -L"$tap_dir/1.0" -lanydnn

# Engine 1 means that the backend saw nothing of 1.1; 15 means that it saw everything.
check "library 1.0 with a backend of 1.0" scales 1.0 sim1.0 "^3 6 9 12 15 18 by sim, engine 1$"
check "library 1.1 with a backend of 1.1" scales 1.1 sim1.1 "^3 6 9 12 15 18 by sim, engine 15$"
check "library 1.1 with an older backend, of 1.0" scales 1.1 sim1.0 "^3 6 9 12 15 18 by sim, engine 1$"
check "library 1.0 with a newer backend, of 1.1" scales 1.0 sim1.1 "^3 6 9 12 15 18 by sim, engine 1$"

header 2.0 2 0 1
header 0.9 0 9 1
for number in 2.0 0.9; do
    backend sim$number $number
    check "library 1.1 refuses a backend of $number" \
        scales 1.1 sim$number "was built for plugin ABI $number, but this library supports 1.1"
done

for part in DESCRIPTION OPERATION CANDIDATE; do
    backend short_$part 1.1 -DSHORT_$part
done
check "a description below its least size is refused" scales 1.1 short_DESCRIPTION \
    "its description has struct_size [0-9]*; plugin ABI 1.1 needs at least"
check "an operation below its least size is refused" scales 1.1 short_OPERATION \
    "element 0 of its operations has struct_size [0-9]*; plugin ABI 1.1 needs at least"
check "a candidate below its least size is refused" scales 1.1 short_CANDIDATE \
    "malformed candidate: its struct_size is invalid"
tap_end
