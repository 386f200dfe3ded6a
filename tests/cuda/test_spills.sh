#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests that no kernel of this build spills registers, except for those that plugins/make/spills lists with a
# reason. It also tests that a spill would be found.
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

list=$ANYDNN_TEST_SRCDIR/plugins/make/spills
wrapper=$ANYDNN_TEST_SRCDIR/plugins/make/nvcc-libtool.sh

# release_of LIST: prints the release of the compiler for which the list was made.
release_of() {
    sed -n 's/^# release \([0-9.]*\)$/\1/p' "$1"
}

# is_compiled_by NVCC LIST: the list was made for NVCC, which may be several words.
is_compiled_by() {
    # shellcheck disable=SC2086
    $1 --version | grep -q "release $(release_of "$2" | sed 's/\./\\./g')[^0-9]"
}

# unlisted LIST FOLDER: prints the spills under the folder that are not in the list.
unlisted() {
    find "$2" -name '*.spills' | sort | while read -r file; do
        name=${file#"$2"/}
        name=${name%.spills}
        name=$(printf '%s\n' "${name%.*}.cu" | sed 's|\.libs/||')
        awk -v source="$name" '
            FILENAME == ARGV[1] { if (!/^#/ && NF) { file[++n] = "^(" $1 ")$"; kernel[n] = "^(" $2 ")$" } next }
            { known = 0
              for (i = 1; i <= n; i++) known = known || (source ~ file[i] && $1 ~ kernel[i])
              if (!known) print source ": " $1 " stores " $2 " bytes and loads " $3 }' "$1" "$file"
    done | sort -u
}

none_unlisted() {
    unlisted "$list" "$ANYDNN_TEST_BUILDDIR/plugins" >"$tap_dir/found"
    cat "$tap_dir/found"
    [ ! -s "$tap_dir/found" ]
}

every_entry_has_a_reason() {
    ! awk '!/^#/ && NF && NF < 5' "$list" | grep .
}

# This nvcc prints the warnings of ptxas among other messages on stderr.
cat >"$tap_dir/nvcc" <<'EOS'
#!/bin/sh
echo "$*" >"$NVCC_SAW"
echo 'a.cu(3): warning #177-D: unused' >&2
for twice in 1 2; do
    echo "ptxas warning : Registers are spilled to local memory in function '_Z5firstILi3EEvPf', 24 bytes spill stores, 28 bytes spill loads" >&2
done
echo "ptxas warning : Registers are spilled to local memory in function '_Z6secondv', 4 bytes spill stores, 4 bytes spill loads" >&2
exit "$NVCC_STATUS"
EOS
chmod +x "$tap_dir/nvcc"

# wrapped STATUS: the wrapper of this nvcc ends with the given status.
wrapped() {
    mkdir -p "$tap_dir/built/objects/family/.libs"
    NVCC_SAW=$tap_dir/saw NVCC_STATUS=$1 sh "$wrapper" "$tap_dir/nvcc" -O3 -fPIC -o "$tap_dir/built/objects/family/.libs/a.o" -c a.cu \
        2>"$tap_dir/said"
    found=$?
    [ $found -eq "$1" ] || {
        echo "status $found, not $1"
        return 1
    }
}
passes_through() {
    wrapped 0 && wrapped 3 && grep -q 'unused' "$tap_dir/said" && grep -q "'_Z6secondv'" "$tap_dir/said" &&
        grep -x -e "-O3 -Xcompiler -fPIC -o $tap_dir/built/objects/family/.libs/a.o -c a.cu -Xptxas -warn-spills" "$tap_dir/saw"
}
finds() {
    : >"$tap_dir/list"
    unlisted "$tap_dir/list" "$tap_dir/built" >"$tap_dir/found"
    printf '%s\n' 'objects/family/a.cu: _Z5firstILi3EEvPf stores 24 bytes and loads 28' 'objects/family/a.cu: _Z6secondv stores 4 bytes and loads 4' |
        diff - "$tap_dir/found"
}
knows() {
    printf '%s\n' '# a note' 'objects/family/a.cu _Z5first.* it is the fastest' \
        'objects/family/b.cu _Z6secondv another file' 'others/family/a.cu _Z6secondv another backend' 'objects/a.cu _Z6secondv another folder' 'objects/family/a.cu second not whole' \
        >"$tap_dir/list"
    unlisted "$tap_dir/list" "$tap_dir/built" >"$tap_dir/found"
    echo 'objects/family/a.cu: _Z6secondv stores 4 bytes and loads 4' | diff - "$tap_dir/found"
}

cat >"$tap_dir/other" <<'EOS'
#!/bin/sh
echo 'Cuda compilation tools, release 13.10, V13.10.1'
EOS
chmod +x "$tap_dir/other"
tells_compilers_apart() {
    echo '# release 13.10' >"$tap_dir/list"
    is_compiled_by "$tap_dir/other" "$tap_dir/list" || return 1
    echo '# release 13.1' >"$tap_dir/list"
    ! is_compiled_by "$tap_dir/other" "$tap_dir/list" && [ -n "$(release_of "$list")" ]
}

# serialises: the wrapper fails on serialized products, which ptxas reports as information.
serialises() {
    printf '#!/bin/sh\necho "ptxas info    : (C7512) Potential Performance Loss: wgmma.mma_async instructions are serialized" >&2\n' \
        >"$tap_dir/remarks"
    chmod +x "$tap_dir/remarks"
    mkdir -p "$tap_dir/objects"
    ! sh "$wrapper" "$tap_dir/remarks" -o "$tap_dir/objects/b.o" -c b.cu 2>"$tap_dir/said" && grep -q C7512 "$tap_dir/said"
}

check 'the compiler gets its arguments, and its messages are read' passes_through
check 'products that are serialised fail the build' serialises
check 'spills are found' finds
check 'spills that are listed are not' knows
check 'every listed spill has a reason' every_entry_has_a_reason
check 'the list names its compiler' tells_compilers_apart
# The project's own checks (ANYDNN_TEST_STRICT) apply the list to any compiler.
if ! find "$ANYDNN_TEST_BUILDDIR/plugins" -name '*.spills' | grep -q .; then
    skip 'no kernel spills but those listed' 'no CUDA backend was built here to be fast'
elif [ -n "${ANYDNN_TEST_STRICT-}" ] || is_compiled_by "${NVCC:-nvcc}" "$list"; then
    check 'no kernel spills but those listed' none_unlisted
else
    skip 'no kernel spills but those listed' "the list is that of release $(release_of "$list") of nvcc"
fi
tap_end
