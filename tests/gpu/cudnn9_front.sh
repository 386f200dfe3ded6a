#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs PyTorch, and JAX if it is installed, with the bundle's libcudnn.so.9 in front of their own cuDNN and without it. The
# results must be equal, and the times are printed as a ratio. It takes about two minutes on an H200.
#   BUNDLE=FOLDER OUT=FOLDER tests/gpu/cudnn9_front.sh [PYTHON]      in a bundle that scripts/bundle made
#        BACKENDS    the backends of the run with TORCH_CUDNN_V8_API_DISABLED=1 (cuda_tensorcore,cuda_simt)
set -u
BUNDLE=${BUNDLE:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck disable=SC1091 # The bundle has it.
. "$BUNDLE/env.sh"
out=${OUT:-/tmp}
python=${1:-python3}
here=$(cd "$(dirname "$0")" && pwd)
backends=${BACKENDS:-cuda_tensorcore,cuda_simt}
XLA_PYTHON_CLIENT_PREALLOCATE=false
XLA_FLAGS="${XLA_FLAGS:-} --xla_gpu_deterministic_ops=true"
CUBLAS_WORKSPACE_CONFIG=:4096:8
export XLA_PYTHON_CLIENT_PREALLOCATE XLA_FLAGS CUBLAS_WORKSPACE_CONFIG
failed=0

# runs NAME COMMAND...: keeps the output of a run as NAME.json.
runs() {
    name=$1
    shift
    "$@" >"$out/$name.json" 2>"$out/$name.err" && return 0
    echo "not ok - $name: exit status $?; see $out/$name.err"
    tail -n 5 "$out/$name.err"
    failed=1
    return 1
}

# compared NAME: compares two runs without the library with two runs in front of it. Results that differ between the two
# runs without it prove nothing.
compared() {
    "$python" - "$1" "$out" <<'EOT'
import json, sys
name, out = sys.argv[1:]
base, again, front, front_again = (json.load(open(f"{out}/{name}_{run}.json")) for run in ("base", "again", "front", "front_again"))
ours = [path for path in front["libraries"] if "/anydnn/cudnn9/" in path]
assert len(front["libraries"]) == 2 and len(ours) == 1, f"{name}: not in front: {front['libraries']}"
assert not any("/anydnn/" in path for path in base["libraries"]), base["libraries"]
repeats = base["bits"] == again["bits"]
same = front["bits"] == base["bits"] or front["bits"] == again["bits"]
ratio = min(front["ms"], front_again["ms"]) / min(base["ms"], again["ms"])
print(f"{'ok' if same or not repeats else 'not ok'} - {name}: results {'equal' if same else 'differ'}"
      f"{'' if repeats else ' (they differ between runs without the library, too)'}, time ratio {ratio:.3f}"
      f" ({min(base['ms'], again['ms']):.3f} ms without)")
sys.exit(0 if same or not repeats else 1)
EOT
}

# both NAME: runs a program twice without the library and twice with it, in alternation.
both() {
    rm -f "$out/$1.count"
    runs "$1_base" "$python" "$here/cudnn9_front.py" "$1" &&
        runs "$1_front" env ANYDNN_CUDNN9_COUNTERS="$out/$1.count" anydnn exec --cudnn 9 "$python" "$here/cudnn9_front.py" "$1" &&
        runs "$1_again" "$python" "$here/cudnn9_front.py" "$1" &&
        runs "$1_front_again" anydnn exec --cudnn 9 "$python" "$here/cudnn9_front.py" "$1" || return 1
    compared "$1" || failed=1
    grep -E '^cudnn(BackendExecute|BatchNormalizationForward[A-Za-z]*)	' "$out/$1.count" || {
        echo "not ok - $1: no call was counted"
        failed=1
    }
}

# Calls of the older functions on anydnn's backends. Losses agree as far as sums in another order do.
on_backends() {
    rm -f "$out/legacy.count" "$out/legacy.trace"
    runs legacy_base env TORCH_CUDNN_V8_API_DISABLED=1 "$python" "$here/cudnn9_front.py" torch &&
        runs legacy_front env TORCH_CUDNN_V8_API_DISABLED=1 ANYDNN_CUDNN9_BACKENDS="$backends" ANYDNN_CUDNN9_COUNTERS="$out/legacy.count" \
            ANYDNN_CUDNN9_TRACE="$out/legacy.trace" anydnn exec --cudnn 9 "$python" "$here/cudnn9_front.py" torch || return 1
    grep -E ':(backends|forwarded)	' "$out/legacy.count"
    "$python" - "$out" <<'EOT' || failed=1
import json, sys
base, front = (json.load(open(f"{sys.argv[1]}/legacy_{run}.json")) for run in ("base", "front"))
print(f"older functions on backends: last losses {front['values']}, {base['values']} on cuDNN; time ratio {front['ms'] / base['ms']:.3f}")
worst = max(abs(a - b) / abs(b) for a, b in zip(front["values"], base["values"]))
sys.exit(0 if worst < 0.05 else 1)
EOT
    echo "trace: $(wc -l <"$out/legacy.trace") lines, $(cut -f 1 "$out/legacy.trace" | sort -u | wc -l) problems in $out/legacy.trace"
}

anydnn doctor || true
if "$python" -c 'import torch' 2>/dev/null; then
    both torch
    both graph
    on_backends
else
    echo "skipped: $python has no torch"
fi
if "$python" -c 'import jax; assert jax.default_backend() == "gpu"' 2>/dev/null; then
    both jax
else
    echo "skipped: $python has no jax for this GPU"
fi
exit $failed
