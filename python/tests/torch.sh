#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs all tests of the Python package, with NumPy, ml_dtypes and torch from pip.
#
#   python/tests/torch.sh BUILD [fetch]
#
# BUILD is a built tree. The packages are installed in BUILD/python-env and stay there; requirements.txt has their
# versions and hashes. Prints TAP; tests whose packages are unavailable are skipped with a reason. With `fetch`, the
# script only installs the packages (gigabytes), and BUILD may be an empty folder. TORCH_REQUIREMENTS may name another
# file of requirements, such as one with the smaller torch that runs only on the CPU.
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/tap.sh
. "$root/tests/tap.sh"
build=$(cd "${1:?the build folder}" && pwd) || exit 2
env=$build/python-env
requirements=${TORCH_REQUIREMENTS:-$root/python/tests/requirements.txt}

# fetch: makes the environment, unless it exists.
fetch() {
    cmp -s "$requirements" "$env/fetched" && return
    python3 -m venv --clear "$env" >"$build/python-env.log" 2>&1 &&
        timeout 1800 "$env/bin/python" -m pip install -q --require-hashes -r "$requirements" >>"$build/python-env.log" 2>&1 &&
        cp "$requirements" "$env/fetched"
}

# wheel_runs: a wheel trains LeNet in a new environment, which uses nothing of the build and the other environment's
# torch.
wheel_runs() (
    unset ANYDNN_LIBRARY ANYDNN_TOOL ANYDNN_INCLUDE ANYDNN_PLUGIN_PATH
    fresh=$build/python-fresh
    rm -rf "$fresh"
    TORCH_PYTHON=$env/bin/python "$root/scripts/wheel" "$build/python-wheel" >>"$build/python-env.log" 2>&1 &&
        python3 -m venv "$fresh" && "$fresh/bin/pip" install -q --no-deps "$build"/python-wheel/anydnn-*.whl || exit 1
    "$env/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
        >"$("$fresh/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/torch.pth"
    # Without a compiler and a cache, the C++ kernels must come from the wheel.
    # shellcheck disable=SC2030
    export CXX=false XDG_CACHE_HOME="$fresh/cache"
    cd / && "$fresh/bin/python" "$root/python/examples/lenet.py" >"$fresh/said" &&
        grep -E 'convolution +onednn' "$fresh/said" && "$fresh/bin/anydnn" info | grep 'cpu_ref  *live' &&
        "$fresh/bin/anydnn" bench --list lenet >"$fresh/said" &&
        "$fresh/bin/python" -c 'import anydnn.torch; anydnn.torch.enable(compiled=True)'
)

# tutorial PAGE: runs the commands of a tutorial, those that need torch included, in an installed tree.
tutorial() (
    # The C++ kernels stay in the cache.
    # shellcheck disable=SC2031
    XDG_CACHE_HOME=${XDG_CACHE_HOME:-$HOME/.cache}
    ANYDNN_TEST_SRCDIR=$root ANYDNN_TEST_BUILDDIR=$build HOME=$tap_dir/home
    . "$root/tests/docs/overlay.sh"
    [ -e "$HOME/anydnn" ] || overlay "$HOME/anydnn" || exit 1
    rm -rf "$tap_dir/page" && mkdir "$tap_dir/page" || exit 1
    unset ANYDNN_PLUGIN_PATH
    PATH=$env/bin:$HOME/anydnn/bin:$PATH LD_LIBRARY_PATH=$HOME/anydnn/lib PKG_CONFIG_PATH=$HOME/anydnn/lib/pkgconfig
    ANYDNN_LIBRARY=$HOME/anydnn/lib/libanydnn.so.0 PYTHONPATH=$root/python
    export XDG_CACHE_HOME HOME PATH LD_LIBRARY_PATH PKG_CONFIG_PATH ANYDNN_LIBRARY PYTHONPATH
    python3 "$root/tests/docs/tutorials.py" "$root/docs/tutorials/$1" "$tap_dir/page" torch
)

if [ "${2-}" = fetch ]; then
    fetch
    exit
fi

ANYDNN_LIBRARY=$build/.libs/libanydnn.so.0
ANYDNN_TOOL=$build/tools/anydnn
ANYDNN_INCLUDE=$root/include:$build/include
ANYDNN_PLUGIN_PATH=$build/plugins/built
# The threads of torch and of a backend wait by spinning, so each pool would take processors from the other.
OMP_NUM_THREADS=1
PYTHONDONTWRITEBYTECODE=1
export ANYDNN_LIBRARY ANYDNN_TOOL ANYDNN_INCLUDE ANYDNN_PLUGIN_PATH OMP_NUM_THREADS PYTHONDONTWRITEBYTECODE

if fetch; then
    check "the package anydnn with all that it may use" "$env/bin/python" "$root/python/tests/test_anydnn.py"
    check "anydnn.torch beside torch's own kernels" "$env/bin/python" "$root/python/tests/test_torch.py"
    check "anydnn.torch.fuse beside the unfused model" "$env/bin/python" "$root/python/tests/test_fuse.py"
    check "batch normalization in half beside double" "$env/bin/python" "$root/python/tests/test_half.py"
    check "layer, group and RMS normalization" "$env/bin/python" "$root/python/tests/test_norms.py"
    check "products of matrices" "$env/bin/python" "$root/python/tests/test_matmul.py"
    check "fused normalizations of samples and linear layers" "$env/bin/python" "$root/python/tests/test_fuse_layers.py"
    check "the same bits for a sample in every batch" "$env/bin/python" "$root/python/tests/test_invariance.py"
    check "gradients of residual blocks' inputs, summed up by fuse" "$env/bin/python" "$root/python/tests/test_shortcut.py"
    check "ResNet-18's losses beside torch's, within the bounds of its calls" "$env/bin/python" "$root/python/tests/test_losses.py"
    check "train_resnet.py, alone and in two processes" "$env/bin/python" "$root/python/tests/test_train.py"
    check "nodes of autograd in C++ beside the Functions in Python" "$env/bin/python" "$root/python/tests/test_node.py"
    check "torch's own samples of its operators" "$env/bin/python" "$root/python/tests/test_opinfo.py"
    check "the tutorial of PyTorch" tutorial pytorch.md
    check "the tutorial with two math modes" tutorial math-modes.md
    check "a wheel in a fresh environment trains LeNet" wheel_runs
    cd "$root/python" || exit 2
    check "types, by mypy" "$env/bin/python" -m mypy --cache-dir "$build/python-env/mypy"
    # pyright downloads itself with npm, which may be unavailable where pip is available.
    if "$env/bin/pyright" --version >/dev/null 2>&1; then
        check "types, by pyright" "$env/bin/pyright" --pythonpath "$env/bin/python" anydnn
    else
        skip "types, by pyright" "pyright does not run: its package brings itself over the network"
    fi
else
    skip "anydnn.torch" "torch cannot be installed: $(tail -n 1 "$build/python-env.log" | cut -c1-200)"
fi
tap_end
