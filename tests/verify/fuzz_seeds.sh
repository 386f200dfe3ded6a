#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs anydnn verify --fuzz over many seeds for each backend on the host. onednn runs with each available oneDNN
# library, with the processor's vector instructions and with AVX2 only. scripts/test --full runs this; it takes three
# minutes of processor time.
#
#   tests/verify/fuzz_seeds.sh BUILD [SEEDS]
#
# BUILD is a built tree, in which tests/onednn/wheels.sh installs oneDNN 3.x. SEEDS (default 10) seeds run from
# ANYDNN_TEST_SEED on. Without that variable the first seed changes each day, so that every day tests new problems.
# Prints TAP; a failure prints the command that repeats it.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/tap.sh
. "$root/tests/tap.sh"
build=$(cd "${1:?the build folder}" && pwd) || exit 2
seeds=${2:-10}
day=$(($(date +%s) / 86400))
first=${ANYDNN_TEST_SEED:-$((day * seeds))}
last=$((first + seeds - 1))
ANYDNN_PLUGIN_PATH=$build/plugins/built
export ANYDNN_PLUGIN_PATH

# is_right CONFIG BACKEND OPTION...: checks each seed. It uses one thread, since few random problems have work for two.
is_right() {
    config=$1
    shift
    seed=$first
    verdict=0
    while [ "$seed" -le $last ]; do
        if ! "$build/tools/anydnn" verify --config "$config" --case-limit 60 --seed "$seed" "$@" >"$tap_dir/found" 2>&1; then
            echo "ONEDNN_MAX_CPU_ISA=${ONEDNN_MAX_CPU_ISA-} anydnn verify --seed $seed $*, with"
            sed 's/^/    /' "$config"
            grep -A 4 '^  \[' "$tap_dir/found"
            tail -n 3 "$tap_dir/found"
            verdict=1
        fi
        seed=$((seed + 1))
    done
    return $verdict
}

# judged NAME BACKEND [LIBRARY]: runs all operations, and convolutions once more, which have the most code.
judged() {
    printf '[plugin %s]\nset.threads = 1\n' cpu_ref onednn >"$tap_dir/conf"
    [ -z "${3-}" ] || echo "set.library = $3" >>"$tap_dir/conf"
    check "$1: 1000 problems of each seed from $first to $last" is_right "$tap_dir/conf" --fuzz 1000 "$2"
    check "$1: 1000 convolutions of each" is_right "$tap_dir/conf" --fuzz 1000 --op 'convolution_*' "$2"
}

# vectors NAME LIBRARY: runs onednn with the processor's vector instructions and with fewer.
vectors() {
    if grep -qs avx512 /proc/cpuinfo; then
        ONEDNN_MAX_CPU_ISA=DEFAULT
        export ONEDNN_MAX_CPU_ISA
        judged "onednn, $1, AVX-512" onednn "$2"
    else
        skip "onednn, $1, AVX-512" "this processor has no AVX-512"
    fi
    ONEDNN_MAX_CPU_ISA=AVX2
    export ONEDNN_MAX_CPU_ISA
    judged "onednn, $1, AVX2" onednn "$2"
    unset ONEDNN_MAX_CPU_ISA
}

judged cpu_ref cpu_ref
if [ ! -e "$build/plugins/onednn/.libs/anydnn_onednn.so" ]; then
    skip onednn "the backend onednn is not built"
else
    vectors "the system's oneDNN" ''
    newer=$build/wheels/onednn-cpu-gomp/libdnnl.so.3
    if [ -e "$newer" ]; then
        vectors "oneDNN 3.x" "$newer"
    else
        skip "onednn, oneDNN 3.x" "tests/onednn/wheels.sh has not fetched it"
    fi
fi
tap_end
