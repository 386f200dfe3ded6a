#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests that anydnn shim prints what a program imports and which backends run it, and that anydnn exec runs it with
# anydnn's library.
# Needs: cudnn7/built/.stamp tools/anydnn
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
. "$ANYDNN_TEST_SRCDIR/tests/cudnn7/cudnn7.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
# The test runs the program itself, since libtool's script changes LD_LIBRARY_PATH.
real=$ANYDNN_TEST_BUILDDIR/tools/.libs/anydnn
[ -e "$real" ] || real=$anydnn

# gives STATUS COMMAND...: checks the exit status.
gives() {
    want=$1
    shift
    got=0
    "$@" >"$tap_dir/out" 2>"$tap_dir/err" || got=$?
    [ "$got" -eq "$want" ] && return 0
    echo "exit status $got, not $want"
    cat "$tap_dir/out" "$tap_dir/err"
    return 1
}

# stub NAME FLAG...: builds a library that imports the functions on standard input.
stub() {
    name=$1
    shift
    {
        cat >"$tap_dir/names"
        sed 's/.*/void &(void);/' "$tap_dir/names"
        echo 'void (*const imports[])(void) = {'
        sed 's/.*/    &,/' "$tap_dir/names"
        echo '};'
    } >"$tap_dir/stub.c"
    # shellcheck disable=SC2086
    $cc -shared -fPIC "$tap_dir/stub.c" -o "$tap_dir/$name" "$@"
}

# ---- shim

all_of_darknet() {
    cudnn7_imports darknet | stub darknet.so "$cudnn7_import/libcudnn.so.7" &&
        gives 0 env ANYDNN_ROUTE=cpu_ref "$anydnn" shim --device cpu "$tap_dir/darknet.so" &&
        says 'darknet.so imports 19 functions of cuDNN; 19 of them run, on device cpu' &&
        says '^  cudnnConvolutionBackwardFilter  *cpu_ref$' && says '^  cudnnCreate  *anydnn itself$'
}

some_of_the_sample() {
    cudnn7_imports RNN | stub rnn.so "$cudnn7_import/libcudnn.so.7" &&
        gives 1 "$anydnn" shim --device cpu "$tap_dir/rnn.so" &&
        says '^  cudnnRNNForwardTraining  *answers CUDNN_STATUS_NOT_SUPPORTED$' &&
        says '^  cudnnSetDropoutDescriptor  *anydnn itself$'
}

# Each function that computes has a problem of its operation, and no operation is missing.
knows_operations() {
    cudnn7_names | stub all.so "$cudnn7_import/libcudnn.so.7" || return 1
    gives 1 env ANYDNN_ROUTE=cpu_ref "$anydnn" shim --json --device cpu "$tap_dir/all.so" || return 1
    sed -n 's/^ *OPERATION([A-Z0-9_]*, \([a-z0-9_]*\),.*/\1/p' "$ANYDNN_TEST_SRCDIR/plugins/kit/operations.def" >"$tap_dir/operations"
    python3 - "$tap_dir/out" "$tap_dir/operations" <<'EOT'
import json, sys
(answer,) = json.load(open(sys.argv[1]))
functions = answer["functions"]
assert len(functions) == 234 and all(f["known"] for f in functions), len(functions)
run = [f for f in functions if "problem" in f]
wrong = [f for f in run if f["backend"] != "cpu_ref"]
assert not wrong, wrong
found = {f["problem"].split()[0] for f in run}
# cuDNN 7 has no functions for these operations.
wanted = set(open(sys.argv[2]).read().split()) - {"normalization_forward", "normalization_backward", "matmul"}
assert len(wanted) > 20 and found == wanted, found ^ wanted
EOT
}

remarks() {
    echo cudnnCreate | stub eight.so -L"$tap_dir" -l:libcudnn.so.8 && gives 0 "$anydnn" shim --device cpu "$tap_dir/eight.so" &&
        says 'linked to another version than cuDNN 7' &&
        gives 1 "$anydnn" shim --device cpu "$cudnn7_import/libcudnn.so.7" && says 'it contains cuDNN functions itself' &&
        gives 0 "$anydnn" shim --device cpu "$(command -v sh)" && says 'imports 0 functions of cuDNN$' && says 'libraries opened with dlopen are not shown'
}

# ---- the cuDNN that a file was built for

# objects NAME: builds an object file that refers to the functions on standard input.
objects() {
    { echo 'void (*imports[])(void) = {' && sed 's/.*/    &,/' && echo '};'; } >"$tap_dir/body"
    { sed -n 's/^    \(cudnn[A-Za-z0-9_]*\),$/void \1(void);/p' "$tap_dir/body" && cat "$tap_dir/body"; } >"$tap_dir/object.c"
    # shellcheck disable=SC2086
    $cc -c "$tap_dir/object.c" -o "$tap_dir/$1"
}

# built FILE TEXT: checks what the program prints about it.
built() {
    "$anydnn" shim --device cpu "$1" >"$tap_dir/out" 2>"$tap_dir/err"
    says "^  built $2\$" || { cat "$tap_dir/out" "$tap_dir/err"; return 1; }
}

built_by_library() {
    built "$tap_dir/darknet.so" 'for cuDNN 7: it needs libcudnn.so.7' || return 1
    echo cudnnCreate | stub nine.so -L"$tap_dir" -l:libcudnn.so.9 &&
        built "$tap_dir/nine.so" 'for cuDNN 9: it needs libcudnn.so.9' || return 1
    # The library has another name, but its symbols keep cuDNN's version.
    echo 'libcudnn.so.8 { global: *; };' >"$tap_dir/eight.map"
    # shellcheck disable=SC2086
    echo 'int cudnnCreate(void); int cudnnCreate(void) { return 0; }' | $cc -shared -fPIC -Wl,-soname,libother.so \
        -Wl,--version-script="$tap_dir/eight.map" -x c - -o "$tap_dir/libother.so" &&
        echo cudnnCreate | stub eight.so "$tap_dir/libother.so" &&
        built "$tap_dir/eight.so" 'for cuDNN 8: its symbols are of the version libcudnn.so.8'
}

built_by_functions() {
    printf 'cudnnCreate\ncudnnGetConvolutionForwardAlgorithm\n' | objects seven.o &&
        built "$tap_dir/seven.o" 'for cuDNN 7: it imports cudnnGetConvolutionForwardAlgorithm' &&
        printf 'cudnnBackendCreateDescriptor\ncudnnCreate\n' | objects later.o &&
        built "$tap_dir/later.o" 'for cuDNN 8 or 9: it imports cudnnBackendCreateDescriptor' &&
        printf 'cudnnBackendCreateDescriptor\ncudnnGetLastErrorString\n' | objects nine.o &&
        built "$tap_dir/nine.o" 'for cuDNN 9: it imports cudnnGetLastErrorString' &&
        printf 'cudnnGetConvolutionForwardAlgorithm\ncudnnBackendExecute\n' | objects mixed.o &&
        built "$tap_dir/mixed.o" 'for no single version of cuDNN: its functions belong to several' || return 1
    echo cudnnCreate | objects any.o && "$anydnn" shim --device cpu "$tap_dir/any.o" >"$tap_dir/out" &&
        ! grep '^  built' "$tap_dir/out"
}

# The file has the porting header's symbols: cuDNN's names again, and anydnn's own.
built_with_anydnn() {
    printf '#include <cudnn.h>\nint main(void) { cudnnRNNDescriptor_t r; cudnnHandle_t h; return cudnnCreate(&h) || cudnnCreateRNNDescriptor(&r); }\n' \
        >"$tap_dir/ported.c"
    printf '#include <anydnn/anydnn.h>\nint main(void) { anydnnHandle_t h; return anydnnCreate(&h); }\n' >"$tap_dir/own.c"
    for name in ported own; do
        # shellcheck disable=SC2086
        $cc $cudnn7_sanitize -I"$ANYDNN_TEST_SRCDIR/include" -I"$ANYDNN_TEST_BUILDDIR/include" \
            -I"$ANYDNN_TEST_SRCDIR/include/anydnn/cudnn7" -I"$ANYDNN_TEST_SRCDIR/tests/porting/stub" "$tap_dir/$name.c" \
            -o "$tap_dir/$name" -L"$ANYDNN_TEST_BUILDDIR/.libs" -lanydnn || return 1
    done
    built "$tap_dir/ported" "with anydnn's cudnn.h: it imports functions that begin with anydnnCudnn7" &&
        says 'ported imports 2 functions of cuDNN; 1 of them runs' && says '^  cudnnCreate  *anydnn itself$' &&
        says '^  cudnnCreateRNNDescriptor  *answers CUDNN_STATUS_NOT_SUPPORTED$' &&
        built "$tap_dir/own" 'with anydnn.h: it imports functions that begin with anydnn' &&
        "$anydnn" shim --json --device cpu "$tap_dir/own" | grep -q '"built": "with anydnn.h: '
}

refuses_files() {
    gives 2 "$anydnn" shim && says 'missing FILE;' &&
        gives 1 "$anydnn" shim --device cpu "$tap_dir/none" && says 'none: the file cannot be read: No such file' &&
        gives 1 "$anydnn" shim --device cpu "$tap_dir/names" && says 'not an ELF program' &&
        gives 1 "$anydnn" shim --device cpu "$tap_dir/names" "$tap_dir/darknet.so" && says 'darknet.so imports 19'
}

# A file that is truncated or overwritten anywhere must be read or refused.
damaged() {
    size=$(wc -c <"$tap_dir/darknet.so")
    for part in 1 17 52 63 100 $((size / 3)) $((size / 2)) $((size - 700)) $((size - 64)) $((size - 1)); do
        head -c "$part" "$tap_dir/darknet.so" >"$tap_dir/cut"
        gives 1 "$anydnn" shim --device cpu "$tap_dir/cut" || return 1
    done
    for place in 18 40 48 58 60 62 $((size - 100)) $((size - 500)) $((size - 900)) $((size - 1300)); do
        { head -c "$place" "$tap_dir/darknet.so" && printf '\377\377\377\377' && tail -c "+$((place + 5))" "$tap_dir/darknet.so"; } >"$tap_dir/cut"
        "$anydnn" shim --device cpu "$tap_dir/cut" >"$tap_dir/out" 2>"$tap_dir/err"
        got=$?
        [ "$got" -le 1 ] || { echo "byte $place: exit status $got"; cat "$tap_dir/err"; return 1; }
    done
}

# ---- exec

# The program's RPATH leads to another library of that name.
in_the_others_place() {
    gives 0 "$anydnn" exec --device cpu "$tap_dir/interface" create && says '^CUDNN_STATUS_SUCCESS$' &&
        gives 0 "$anydnn" exec --device=cpu "$tap_dir/interface" beside libcudnn.so && says '^CUDNN_STATUS_SUCCESS$'
}

all_of_it() {
    gives 0 "$anydnn" exec --device cpu --route 'cpu_ref' "$tap_dir/interface"
}

# The shell that runs them expands these.
# shellcheck disable=SC2016
hands_on() {
    gives 0 "$anydnn" exec echo --route -x --json && says '^--route -x --json$' &&
        gives 7 "$anydnn" exec sh -c 'exit 7' &&
        gives 0 "$anydnn" exec --route 'onednn, cpu_ref' --device cpu -- sh -c 'echo "$ANYDNN_ROUTE; $ANYDNN_DEVICE; $LD_PRELOAD"' &&
        says '^onednn, cpu_ref; cpu; /.*/libcudnn.so.7$' &&
        gives 0 env LD_PRELOAD=/nowhere.so LD_LIBRARY_PATH=/no "$anydnn" exec sh -c 'echo "$LD_PRELOAD $LD_LIBRARY_PATH"' &&
        says '/libcudnn.so.7:/nowhere.so .*/cudnn7:.*/no$'
}

a_script() {
    printf '#!/bin/sh\nexec "%s" create\n' "$tap_dir/interface" >"$tap_dir/script"
    chmod +x "$tap_dir/script"
    (cd "$tap_dir" && gives 0 "$anydnn" exec --device cpu ./script && says '^CUDNN_STATUS_SUCCESS$')
}

refuses_programs() {
    gives 2 "$anydnn" exec && says 'missing PROGRAM;' &&
        gives 1 "$anydnn" exec no-such-program-anywhere && says 'no-such-program-anywhere: cannot be run: No such file' &&
        gives 1 "$anydnn" exec "$tap_dir" && says ': not an executable file' &&
        gives 1 "$anydnn" exec "$tap_dir/names" && says 'cannot be run: Permission denied'
}

never_privileged() {
    for bits in u+s g+s; do
        cp "$tap_dir/interface" "$tap_dir/privileged"
        chmod "$bits" "$tap_dir/privileged"
        gives 1 "$anydnn" exec --device cpu "$tap_dir/privileged" create && says 'a program with more privileges than its user' || return 1
    done
    cp "$tap_dir/interface" "$tap_dir/privileged"
    if PATH=$PATH:/sbin:/usr/sbin setcap cap_net_raw=ep "$tap_dir/privileged" 2>/dev/null; then
        gives 1 "$anydnn" exec --device cpu "$tap_dir/privileged" create && says 'a program with more privileges than its user'
    fi
}

not_its_kind() {
    { head -c 18 "$tap_dir/interface" && printf '\363\000' && tail -c +21 "$tap_dir/interface"; } >"$tap_dir/foreign"
    chmod +x "$tap_dir/foreign"
    gives 1 "$anydnn" exec "$tap_dir/foreign" && says 'for another machine' || return 1
    echo 'int main(void) { return 0; }' >"$tap_dir/static.c"
    if $cc -static "$tap_dir/static.c" -o "$tap_dir/static" 2>/dev/null; then
        gives 1 "$anydnn" exec "$tap_dir/static" && says 'linked statically'
    fi
}

# This copy of the library has no folder anydnn/cudnn7 beside it.
not_installed() {
    mkdir -p "$tap_dir/moved"
    cp -L "$ANYDNN_TEST_BUILDDIR/.libs/libanydnn.so.0" "$tap_dir/moved/"
    gives 1 env LD_LIBRARY_PATH="$tap_dir/moved" "$real" exec echo &&
        says "$tap_dir/moved/anydnn/cudnn7/libcudnn.so.7: No such file or directory; configure --enable-cudnn7 installs it"
}

cudnn7_header "$tap_dir"
cudnn7_named "$cudnn7_import/libcudnn.so.7" && cudnn7_named "$tap_dir/real/libcudnn.so.7"
echo 'int cudnnCreate(void); int cudnnCreate(void) { return 0; }' |
    $cc -shared -fPIC -Wl,-soname,libcudnn.so.9 -x c - -o "$tap_dir/libcudnn.so.9"
echo 'int cudnnCreate(void); int cudnnCreate(void) { return 0; }' |
    $cc -shared -fPIC -Wl,-soname,libcudnn.so.8 -x c - -o "$tap_dir/libcudnn.so.8"
check "darknet: every function runs, and its backend is shown" all_of_darknet
check "a program with recurrent layers: some functions do not run" some_of_the_sample
check "every function is known, every operation has its backend" knows_operations
check "another version, cuDNN itself, no import: each gets a remark" remarks
check "which cuDNN a file was built for, by the library that it needs" built_by_library
check "which cuDNN a file was built for, by its functions" built_by_functions
check "a program built with anydnn's headers" built_with_anydnn
check "a file that is no program is refused" refuses_files
check "damaged files are read or refused" damaged
check "a program of cuDNN 7's interface compiles" cudnn7_compiles "$cudnn7_here/interface.c" "$tap_dir/interface" -ldl \
    -Wl,--disable-new-dtags -Wl,-rpath,"$tap_dir/real"
check "programs that cannot run are refused" refuses_programs
check "a program with more rights than its user is refused" never_privileged
check "a program for another machine, or linked statically" not_its_kind
check "where the library is not installed" not_installed
if [ -n "$cudnn7_sanitize" ]; then
    skip "programs run on it" "a sanitizer's library wants to be the first"
else
    check "the library precedes that of a program's RPATH" in_the_others_place
    check "structs, lists, words, messages under exec" all_of_it
    check "arguments, settings and the exit status are passed on" hands_on
    check "a script" a_script
fi
tap_end
