#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks that LeNet on the backend onednn takes at most 1.1 times as long with two threads as with one, both alone
# and beside a process that keeps both processors busy. It uses the median of 11 ratios of two alternating runs. If
# the median is larger, it takes that of 22 and of 33 ratios, because single ratios on a virtual machine differ by
# 20 %. Prints TAP.
#
#   tests/onednn/lenet_threads.sh BUILD
#
# It times a built tree's examples/lenet on two processors, to which it binds itself. The machine must be idle.
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/tap.sh
. "$root/tests/tap.sh"
build=$(cd "${1:?the build folder}" && pwd) || exit 2
rounds=11
unset OMP_WAIT_POLICY GOMP_SPINCOUNT

# milliseconds THREADS: prints the time of one short training.
milliseconds() {
    begin=$(date +%s%N)
    taskset -c 0,1 "$build/examples/lenet/lenet" --device cpu --train-images 1500 --test-images 100 --epochs 1 \
        --config "$tap_dir/$1.conf" >"$tap_dir/lenet" 2>&1 || return
    grep -q onednn "$tap_dir/lenet" || return
    echo $((($(date +%s%N) - begin) / 1000000))
}

# keeps_up: succeeds if the median ratio, in thousandths, is at most 1,100.
keeps_up() {
    : >"$tap_dir/ratios"
    for all in $rounds $((2 * rounds)) $((3 * rounds)); do
        for _ in $(seq $rounds); do
            one=$(milliseconds 1) && two=$(milliseconds 2) || return
            echo $((two * 1000 / one)) >>"$tap_dir/ratios"
        done
        median=$(sort -n "$tap_dir/ratios" | sed -n "$(((all + 1) / 2))p")
        [ "$median" -gt 1100 ] || break
    done
    echo "two threads take 0.001 * $median of one thread's time"
    echo "$1: median $median of $(sort -n "$tap_dir/ratios" | tr '\n' ' ')" >>"$tap_dir/said"
    [ "$median" -le 1100 ]
}

beside_load() {
    for processor in 0 1; do
        taskset -c $processor sh -c 'while :; do :; done' &
        busy="$busy $!"
    done
    keeps_up "beside two busy processes"
    status=$?
    # shellcheck disable=SC2086
    kill $busy
    return $status
}

for threads in 1 2; do
    {
        printf '[anydnn]\nplugin_path = %s\n[route]\n* = onednn, cpu_ref\n' "$build/plugins/built"
        printf '[plugin onednn]\nset.threads = %d\n[plugin cpu_ref]\nset.threads = 1\n' $threads
    } >"$tap_dir/$threads.conf"
done
busy=
if [ ! -e "$build/plugins/onednn/.libs/anydnn_onednn.so" ]; then
    skip "LeNet with two threads" "the backend onednn is not built"
elif [ "$(nproc)" -lt 2 ]; then
    skip "LeNet with two threads" "this machine has one processor"
else
    check "LeNet with two threads, alone" keeps_up "alone"
    check "LeNet with two threads, beside two busy processes" beside_load
    sed 's/^/# /' "$tap_dir/said"
fi
tap_end
