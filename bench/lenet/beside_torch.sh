#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the seconds of a LeNet epoch as CSV. examples/lenet and PyTorch alternate on one machine.
#   beside_torch.sh LENET DATA [--device DEVICE] [--route LIST] [--threads "1 2"] [--rounds 3] [--epochs 2]
# LENET: the program; DATA: the folder of MNIST. DEVICE cpu or cuda; LIST: of backends (default: onednn,
# cpu_ref). Threads apply only to the cpu. The last epoch of each run counts, since the first one warms up.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
device=cpu route='onednn, cpu_ref' threads='1 2' rounds=3 epochs=2

usage() {
    sed -n 's/^#  \{0,1\}//p' "$0" | sed 1d >&2
    exit 2
}

[ $# -ge 2 ] || usage
lenet=$1 data=$2
shift 2
while [ $# -ge 2 ]; do
    case $1 in
    --device) device=$2 ;;
    --route) route=$2 ;;
    --threads) threads=$2 ;;
    --rounds) rounds=$2 ;;
    --epochs) epochs=$2 ;;
    *) usage ;;
    esac
    shift 2
done
[ $# -eq 0 ] || usage

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# settings THREADS: writes the file that both kinds of backend read.
settings() {
    printf '[plugin onednn]\nset.threads = %s\n[plugin cpu_ref]\nset.threads = %s\n[route]\n* = %s\n' \
        "$1" "$1" "$route" >"$work/lenet.conf"
}

# row PROGRAM THREADS ROUND: prints the row of the last line about an epoch.
row() {
    sed -nE "s/^epoch .* ([0-9.]+) %, ([0-9.]+) s.*/$1,$2,$3,\\2,\\1/p
        s/^epoch .* ([0-9.]+) s, .* ([0-9.]+) %.*/$1,$2,$3,\\1,\\2/p" "$work/out" | tail -n 1
}

echo program,threads,round,seconds,accuracy
for count in $threads; do
    settings "$count"
    round=1
    while [ "$round" -le "$rounds" ]; do
        ANYDNN_CONFIG=$work/lenet.conf "$lenet" --data "$data" --device "$device" --epochs "$epochs" >"$work/out"
        row anydnn "$count" "$round"
        "${PYTHON:-python3}" "$here/torch_lenet.py" --data "$data" --device "$device" --threads "$count" \
            --epochs "$epochs" >"$work/out"
        row pytorch "$count" "$round"
        round=$((round + 1))
    done
done
