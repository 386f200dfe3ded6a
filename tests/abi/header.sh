#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks anydnn.h in every supported language and mode: gcc and clang, C99 to C17 and C++11 to C++17, every view,
# asm labels and macros, with and without link-time optimisation. Each program refers to everything that its
# view declares, links with the library and runs.
# Needs: libanydnn.la
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
# shellcheck disable=SC2034
abi_root=$ANYDNN_TEST_SRCDIR abi_tmp=$tap_dir
. "$ANYDNN_TEST_SRCDIR/tests/abi/abi.sh"

libraries=$ANYDNN_TEST_BUILDDIR/.libs
newest=$(abi_table views | sed -n 's/^#define ANYDNN_API_LEVEL_NEWEST //p')

# Writes a table of the addresses of the view's entries. The program fails if one of them belongs to another
# symbol than in the table of entries.
write_program() {
    {
        cat <<'EOT'
#include <anydnn/anydnn.h>
#ifndef HEADER_ALONE
#include <dlfcn.h>
#include <stdio.h>
typedef void (*function)(void);
static const struct { const char *name; const char *symbol; function address; } entries[] = {
EOT
        abi_table views -v list="$1" | sed 's/^\([^ ]*\) \([^ ]*\) .*/    {"\1", "\2", (function)\1},/'
        cat <<'EOT'
};
int main(void)
{
    size_t i;
    for (i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
        if (dlsym(RTLD_DEFAULT, entries[i].symbol) != (void *)entries[i].address) {
            printf("%s is not bound to %s\n", entries[i].name, entries[i].symbol);
            return 1;
        }
    return anydnnGetApiLevel() < ANYDNN_API_LEVEL;
}
#endif
EOT
    } >"$tap_dir/program$1.c"
}

# builds COMPILER FLAG... FILE: compiles, links and runs the program; a warning is an error. It omits -pedantic,
# because ISO C lacks the conversion of functions to data pointers that dlsym needs.
builds() {
    "$@" -x none -Wall -Wextra -Werror -Wno-deprecated-declarations -D_GNU_SOURCE \
        -I"${abi_header%/anydnn/anydnn.h}" -I"$abi_views_folder" -o "$tap_dir/program" -L"$libraries" -lanydnn -ldl &&
        LD_LIBRARY_PATH=$libraries "$tap_dir/program"
}

# strict COMPILER FLAG... FILE: compiles the file alone with all warnings that a careful user may enable.
strict() {
    "$@" -x none -fsyntax-only -Wall -Wextra -Werror -pedantic -Wundef -Wshadow -Wredundant-decls \
        -Wno-deprecated-declarations -DHEADER_ALONE -I"${abi_header%/anydnn/anydnn.h}" -I"$abi_views_folder"
}

# link_time COMPILER: prints its flags for link-time optimisation, or nothing if it has none.
link_time() {
    echo 'int main(void) { return 0; }' >"$tap_dir/lto.c"
    for flags in -flto "-flto -fuse-ld=lld"; do
        # shellcheck disable=SC2086
        if $1 $flags "$tap_dir/lto.c" -o "$tap_dir/lto" 2>/dev/null; then
            echo "$flags"
            return
        fi
    done
}

# each_view COMMAND...: runs the command with every view, by labels and by macros; the file is its last argument.
each_view() {
    level=1
    while [ "$level" -le "$newest" ]; do
        for mode in -DWITH_LABELS -DANYDNN_NO_LABELS; do
            "$@" "$mode" "-DANYDNN_API_LEVEL=$level" "$tap_dir/program$level.c" || {
                echo "with $mode, in view $level"
                return 1
            }
        done
        level=$((level + 1))
    done
}

# all COMPILER LANGUAGE STANDARD...: checks the header in each standard, a program in the first and the last, and
# the last one with link-time optimisation.
all() {
    compiler=$1 language=$2
    shift 2
    command -v "$compiler" >/dev/null 2>&1 || {
        skip "$compiler: $*" "no $compiler"
        return
    }
    for standard in "$@"; do
        check "$compiler -std=$standard: the header" each_view strict "$compiler" -x "$language" "-std=$standard"
    done
    check "$compiler -std=$1: a program" each_view builds "$compiler" -x "$language" "-std=$1"
    check "$compiler -std=$standard: a program" each_view builds "$compiler" -x "$language" "-std=$standard"
    lto=$(link_time "$compiler")
    if [ -n "$lto" ]; then
        # shellcheck disable=SC2086
        check "$compiler: a program, optimised at link time" \
            each_view builds "$compiler" -x "$language" "-std=$standard" -O2 $lto
    else
        skip "$compiler: a program, optimised at link time" "$compiler cannot link with -flto here"
    fi
}

level=1
while [ "$level" -le "$newest" ]; do
    write_program "$level"
    level=$((level + 1))
done
all gcc c c99 c11 c17
all clang c c99 c11 c17
all g++ c++ c++11 c++14 c++17
all clang++ c++ c++11 c++14 c++17

# Checks every changed entry with a call of its previous form, in the view in which the plain name is the new
# form. These views may belong to future levels.
mkdir -p "$tap_dir/future/anydnn"
abi_table views -v newest=$((newest + 2)) >"$tap_dir/future/anydnn/views.h"
abi_prototypes -DANYDNN_EVERY_FORM | cut -d'|' -f1,2 >"$tap_dir/counts"

# call ENTRY SYMBOL: prints a call of ENTRY with the number of arguments of SYMBOL's form.
call() {
    count=$(sed -n "s/^$2|//p" "$tap_dir/counts")
    zeros=$(printf ', 0%.0s' $(seq "$count"))
    printf '#include <anydnn/anydnn.h>\nvoid f(void);\nvoid f(void)\n{\n    (void)%s(%s);\n}\n' "$1" "${zeros#, }" \
        >"$tap_dir/call.c"
    # shellcheck disable=SC2086
    $CC -fsyntax-only -std=c99 -Werror=implicit-function-declaration -DANYDNN_API_LEVEL="$3" \
        -I"${abi_header%/anydnn/anydnn.h}" -I"$tap_dir/future" "$tap_dir/call.c"
}
too_few_or_many() {
    if call "$@" 2>"$tap_dir/refusal"; then
        return 1
    fi
    grep -qE "too (few|many) arguments" "$tap_dir/refusal"
}
abi_table rows | sed -n 's/^{"\(.*\)", "\(.*\)", ".*", [0-9]*, \([1-9][0-9]*\), "\(.*\)"},$/\1 \2 \3 \4/p' >"$tap_dir/changes"
while read -r symbol entry changed new; do
    check "$entry: a call as of $symbol does not compile in view $((changed + 1))" \
        too_few_or_many "$entry" "$symbol" $((changed + 1))
    check "$entry: a call as of $new does" call "$entry" "$new" $((changed + 1))
done <"$tap_dir/changes"

refused() {
    if strict "$@" 2>"$tap_dir/refusal"; then
        return 1
    fi
    grep -q "ANYDNN_API_LEVEL names a view that this anydnn.h does not have" "$tap_dir/refusal"
}
# shellcheck disable=SC2086
check "a level above the newest is refused" refused $CC "-DANYDNN_API_LEVEL=$((newest + 1))" "$tap_dir/program1.c"
# shellcheck disable=SC2086
check "level 0 is refused" refused $CC -DANYDNN_API_LEVEL=0 "$tap_dir/program1.c"
# shellcheck disable=SC2086
check "the newest level is the default" builds $CC -std=c99 "$tap_dir/program$newest.c"
tap_end
