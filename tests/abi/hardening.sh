#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks the hardening of the built files: the library, a backend and the program must have each protection that
# the compiler supports. With --disable-hardening, this does not run.
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
build=$ANYDNN_TEST_BUILDDIR
program=$build/tools/.libs/anydnn
[ -e "$program" ] || program=$build/tools/anydnn
flags=${ANYDNN_TEST_CFLAGS-}
cc=${CC:-cc} # may be several words

# takes FLAG...: succeeds if the compiler accepts the flags, with those of the build.
takes() {
    # shellcheck disable=SC2086
    printf '#include <stdio.h>\nint main(void) { return puts(""); }\n' | $cc $flags -Werror "$@" -x c - -o "$tap_dir/taken" 2>/dev/null
}

# The dynamic linker binds all symbols at the start, and their table is read-only afterwards.
bound_now() {
    readelf -dW "$1" | grep -qE '\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*NOW' && readelf -lW "$1" | grep -q GNU_RELRO
}

imports() {
    readelf --dyn-syms -W "$1" | awk -v name="$2" '$7 == "UND" && $8 ~ "^(" name ")(@|$)" { found = 1 } END { exit !found }'
}

# Each object has a note. A library keeps it only if the C library's own objects have one too.
tracked() {
    echo 'int f(void); int f(void) { return 1; }' >"$tap_dir/f.c"
    # shellcheck disable=SC2086
    $cc $flags -fcf-protection -fPIC -shared "$tap_dir/f.c" -o "$tap_dir/f.so" || return 1
    if readelf -nW "$tap_dir/f.so" | grep -q 'IBT, SHSTK'; then
        readelf -nW "$build/.libs/libanydnn.so" | grep -q 'IBT, SHSTK' || return 1
    fi
    for object in "$build"/core/api/.libs/*.o "$build"/plugins/cpu_ref/.libs/*.o; do
        case $object in
        *.libs/'*.o') return 1 ;;
        esac
        readelf -nW "$object" | grep -q 'IBT, SHSTK' || {
            echo "$object: $(readelf -nW "$object")"
            return 1
        }
    done
}

# Object files show the effect of the flag: a large frame is touched page by page.
probes_the_stack() {
    grep -q '^ANYDNN_HARDEN_CFLAGS = .*-fstack-clash-protection' "$build/Makefile"
}

for file in "$build/.libs/libanydnn.so" "$build/plugins/cpu_ref/.libs/anydnn_cpu_ref.so" "$program"; do
    name=${file##*/}
    check "$name: bound at the start, then read-only" bound_now "$file"
    if ! takes -fstack-protector-strong; then
        skip "$name: the stack is guarded" "the compiler has no stack protector"
    else
        check "$name: the stack is guarded" imports "$file" __stack_chk_fail
    fi
    if [ "${ANYDNN_TEST_SANITIZER:-no}" != no ]; then
        skip "$name: the C library checks sizes" "a sanitizer does"
    elif ! takes -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2; then
        skip "$name: the C library checks sizes" "it does so only in what is optimised, or not at all"
    else
        check "$name: the C library checks sizes" imports "$file" '__[a-z]*_chk'
    fi
done
if takes -fcf-protection && [ "$(uname -m)" = x86_64 ]; then
    case " $flags " in
    *" -flto"*) skip "jumps and returns are tracked" "objects of link-time optimisation have no notes" ;;
    *) check "jumps and returns are tracked" tracked ;;
    esac
else
    skip "jumps and returns are tracked" "the compiler or the processor has no such protection"
fi
if takes -fstack-clash-protection; then
    check "large frames are touched page by page" probes_the_stack
else
    skip "large frames are touched page by page" "the compiler has no such protection"
fi
tap_end
