#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks the backend onednn on oneDNN 3.x of the Python packages: runs `anydnn verify` on the packages' library, and
# compares its times with those of oneDNN's own calls.
#
#   tests/onednn/wheels.sh BUILD [OPTION-OF-VERIFY...]
#
# BUILD is a built tree. The packages go to BUILD/wheels and stay there; wheels.txt has their versions and hashes.
# Prints TAP. Unavailable packages are skipped with a message.
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/tap.sh
. "$root/tests/tap.sh"
build=$(cd "${1:?the build folder}" && pwd) || exit 2
shift
wheels=$build/wheels
plugin=$build/plugins/onednn/.libs/anydnn_onednn.so

# pinned PACKAGE: prints its lines of wheels.txt.
pinned() {
    # shellcheck disable=SC2016
    awk -v name="$1==" '/^[a-z]/ { on = index($0, name) == 1 } on' "$root/tests/onednn/wheels.txt"
}

# fetch PACKAGE: puts its shared objects into $wheels/PACKAGE, without its dependencies.
fetch() {
    mkdir -p "$wheels/$1" && pinned "$1" >"$wheels/$1.txt" && [ -s "$wheels/$1.txt" ] || return
    cmp -s "$wheels/$1.txt" "$wheels/$1/fetched" && return
    timeout 300 python3 -m pip download -q --no-deps --require-hashes -d "$wheels/$1" -r "$wheels/$1.txt" >"$wheels/$1.log" 2>&1 &&
        python3 - "$wheels/$1" <<'PYTHON' || return
import glob, os, sys, zipfile
for wheel in glob.glob(sys.argv[1] + '/*.whl'):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith('/libdnnl.so.3') or '/include/' in name:
                target = os.path.join(sys.argv[1], name.split('.data/data/')[-1].replace('lib/', '', 1))
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(target, 'wb') as out:
                    out.write(archive.read(name))
    os.unlink(wheel)
PYTHON
    cp "$wheels/$1.txt" "$wheels/$1/fetched"
}

# configured PACKAGE: prints a settings file that names its library.
configured() {
    printf '[plugin onednn]\nset.library = %s\n' "$wheels/$1/libdnnl.so.3" >"$wheels/$1.conf"
    echo "$wheels/$1.conf"
}

# judged OPTION...: succeeds if verify's last line has no failures and the library was used, not declined.
judged() {
    "$build/tools/anydnn" verify --vectors "$root/tests/vectors" --config "$(configured onednn-cpu-gomp)" \
        "$@" "$plugin" >"$wheels/verify.log" 2>&1
    status=$?
    tail -n 1 "$wheels/verify.log"
    [ $status -eq 0 ] && grep -q ' [1-9][0-9]* passed' "$wheels/verify.log" &&
        ! grep -q 'declines all problems' "$wheels/verify.log"
}

# The newer package is built for SYCL, whose devices cannot use host memory. The backend must give that reason, or
# report that the library cannot be loaded without its dependencies.
refused() {
    "$build/tools/anydnn" verify --op activation_forward --quick --vectors "$root/tests/vectors" \
        --config "$(configured onednn)" "$plugin" >"$wheels/refused.log" 2>&1
    tail -n 3 "$wheels/refused.log"
    grep -qE 'is built for SYCL or|cannot load oneDNN.s library' "$wheels/refused.log"
}

# The direct benchmark, built against the package's headers. It ends if its results differ from oneDNN's own, and
# prints its ratios.
direct() {
    own=$wheels/onednn-cpu-gomp
    ${CC:-cc} -O2 -I"$build" -I"$root/include" -I"$build/include" -I"$root" -I"$wheels/onednn-devel-cpu-gomp/include" \
        "$root"/bench/onednn_direct/*.c -o "$wheels/onednn_direct" \
        -L"$build/.libs" -lanydnn "$own/libdnnl.so.3" -lgomp -lm -Wl,-rpath,"$build/.libs:$own" || return
    configured onednn-cpu-gomp >"$wheels/direct.log"
    ANYDNN_CONFIG=$wheels/onednn-cpu-gomp.conf ANYDNN_PLUGIN_PATH=$build/plugins/built "$wheels/onednn_direct" \
        --batch 1 --rounds 1 --milliseconds 2 "$root/bench/suites/resnet50_v1.5.suite" >"$wheels/direct.csv" || return
    grep ^geometric_mean "$wheels/direct.csv" >"$wheels/direct.means"
}

if [ ! -e "$plugin" ]; then
    skip "oneDNN 3.x" "the backend onednn is not built"
elif ! fetch onednn-cpu-gomp; then
    skip "oneDNN 3.x" "the package onednn-cpu-gomp cannot be fetched: no way to the package index"
else
    check "verify on onednn-cpu-gomp's library" judged "$@"
    if fetch onednn-devel-cpu-gomp; then
        check "the direct benchmark agrees with oneDNN 3.x" direct
        sed 's/^/# /' "$wheels/direct.means" 2>/dev/null
    else
        skip "the direct benchmark" "the package onednn-devel-cpu-gomp cannot be fetched"
    fi
    if fetch onednn; then
        check "a build for SYCL is declined with a reason" refused
    else
        skip "a build for SYCL" "the package onednn cannot be fetched"
    fi
fi
tap_end
