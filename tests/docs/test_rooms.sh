#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A room includes what docs/architecture.md says that it may, and nothing else; and this test finds
# where one does not. The backquotes are Markdown's.
# Needs: nothing
# shellcheck disable=SC2016
set -u
# shellcheck source=tests/tap.sh
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

top=$ANYDNN_TEST_SRCDIR
page=$top/docs/architecture.md
rules=$tap_dir/rules

# "ROOM: OTHER OTHER ..." for each line of the page's table.
sed -n '/^<!-- rooms: begin/,/^<!-- rooms: end/s/^| `\([^`]*\)` | \([^|]*\) |.*/\1: \2/p' "$page" |
    tr -d '`,' >"$rules"

# breaches TREE: each include of another room of core that the rules do not allow.
breaches() {
    (cd "$1" && find core cudnn7 plugins tools examples -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cpp') |
        while read -r file; do
            sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$1/$file" |
                sed "s|^|$file |"
        done |
        awk -v rules="$rules" '
            # The room of a path below core/, or of tools: dispatch and tools have some for their folders.
            function room(path, part, n) {
                n = split(path, part, "/")
                if (part[1] == "tools" && n > 2 && ("tools/" part[2]) in known)
                    return "tools/" part[2]
                if (part[1] != "dispatch")
                    return n > 1 ? part[1] : ""
                return n > 2 ? "dispatch/" part[2] : "dispatch"
            }
            BEGIN {
                while ((getline line < rules) > 0) {
                    n = split(line, word, /:? +/)
                    known[word[1]] = 1
                    for (i = 2; i <= n; i++)
                        may[word[1], word[i]] = 1
                }
            }
            {
                from = $1
                if (sub(/^core\//, "", from))
                    from = room(from)
                else if (from ~ /^tools\//)
                    from = room(from)
                else
                    sub(/\/.*/, "", from)
                to = room($2)
                if (!(to in known) || to == from || (from, to) in may)
                    next
                print $1 " includes " $2
            }'
}

# kept TREE: no breach.
kept() {
    breaches "$1" >"$tap_dir/breaches"
    cat "$tap_dir/breaches"
    [ ! -s "$tap_dir/breaches" ]
}

# Each folder of core, of dispatch and of tools has a line of the table.
complete() {
    for folder in "$top"/core/*/ "$top"/core/dispatch/*/ "$top"/tools/*/; do
        room=${folder#"$top"/}
        room=${room#core/}
        grep -q "^${room%/}: " "$rules" || { echo "no line for ${room%/}"; return 1; }
    done
}

# found FILE INCLUDE: planted in a copy, the include is found and nothing else is.
found() {
    rm -rf "$tap_dir/tree"
    mkdir -p "$tap_dir/tree/plugins" "$tap_dir/tree/tools" "$tap_dir/tree/examples" "$tap_dir/tree/core"
    mkdir -p "$tap_dir/tree/$(dirname "$1")"
    printf '#include "%s"\n#include "problem/problem.h"\n' "$2" >"$tap_dir/tree/$1"
    breaches "$tap_dir/tree" >"$tap_dir/breaches"
    cat "$tap_dir/breaches"
    grep -q "^$1 includes $2\$" "$tap_dir/breaches"
}

# strangers TREE: each include, of a backend and of the kit, of something else than plugin.h, files of its
# own folder and the folders in it, the kit and, in CUDA backends, cuda_common; and each of core, of
# something in plugins but the list of the operations and the union of their parameters.
strangers() {
    (cd "$1" && grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*("[^"]*/|<anydnn/)' --include='*.[ch]' \
        --include='*.cu' --include='*.inc' --include='*.def' plugins core |
        sed 's/:[0-9]*:[^"<]*[<"]\([^">]*\)[">].*/ \1/' |
        awk '
            # The path from the top of the tree of what a file includes.
            function resolved(file, included, path) {
                path = file
                sub(/[^\/]*$/, "", path)
                path = path included
                while (path ~ /[^\/.]+\/\.\.\//)
                    sub(/[^\/.]+\/\.\.\//, "", path)
                return path
            }
            function exists(path, line) { return (getline line < path) >= 0 }

            $1 ~ /^core\// && $2 !~ /plugins\// { next }
            $1 == "core/desc/operations.def" && $2 == "../../plugins/kit/operations.def" { next }
            $1 == "core/problem/problem.h" && $2 == "../../plugins/kit/params.h" { next }
            $1 ~ /^plugins\// && $2 == "anydnn/plugin.h" { next }
            $1 ~ /^plugins\/template\// && $2 ~ /^kit\/[a-z_]*\.h$/ { next }
            $1 ~ /^plugins\// {
                path = resolved($1, $2)
                split($1, folder, "/")
                if (index(path, "plugins/" folder[2] "/") == 1 && exists(path))
                    next
                if (path ~ /^plugins\/kit\/[a-z_]*\.h$/ || $1 ~ /^plugins\/cud/ && path ~ /^plugins\/cuda_common\/[a-z_]*\.h$/)
                    next
            }
            { print $1 " includes " $2 }')
}

# apart TREE: none.
apart() {
    strangers "$1" >"$tap_dir/breaches"
    cat "$tap_dir/breaches"
    [ ! -s "$tap_dir/breaches" ]
}

# strange FILE INCLUDE: planted in a copy, the include is found.
strange() {
    rm -rf "$tap_dir/tree"
    mkdir -p "$tap_dir/tree/plugins" "$tap_dir/tree/core" "$tap_dir/tree/$(dirname "$1")"
    printf '#include <anydnn/plugin.h>\n#include "%s"\n' "$2" >"$tap_dir/tree/$1"
    strangers "$tap_dir/tree" >"$tap_dir/breaches"
    cat "$tap_dir/breaches"
    grep -q "^$1 includes $2\$" "$tap_dir/breaches"
}

# alone PATTERN ROOM: no source of core outside the room holds the pattern.
alone() {
    grep -rlE --include='*.[ch]' "$1" "$top/core" | grep -v "^$top/core/$2/" && return 1
    grep -rqE --include='*.[ch]' "$1" "$top/core/$2"
}

check "the table names every room" complete
check "no room includes one that it may not" kept "$top"
check "an include of a room above is found" found core/problem/planted.c dispatch/dispatch.h
check "an include of a folder above is found" found core/dispatch/handle/planted.c dispatch/select/select.h
check "an include of a sub-command in what all share is found" found tools/suite/planted.c tools/compare/compare.h
check "an include of core in a backend is found" found plugins/cpu_ref/planted.c desc/desc.h
check "backends include plugin.h, their own files, the kit" apart "$top"
check "an include of another backend is found" strange plugins/onednn/planted.c ../cpu_ref/tensor.h
check "an include of another backend in a folder of one is found" strange plugins/cuda_simt/conv/planted.cu ../../cudnn/table.h
check "an include of a backend in the kit is found" strange plugins/kit/planted.c ../cpu_ref/tensor.h
check "an include of the kit in core is found" strange core/load/planted.c ../../plugins/kit/names.h
check "the kit's parameters elsewhere in core than in problem.h are found" strange core/problem/planted.c ../../plugins/kit/params.h
check "dlfcn.h is load's alone" alone '# *include <dlfcn\.h>' load
check "ini.h is settings' alone" alone '# *include <ini\.h>' settings
check "the environment is read in sys alone" alone '[^a-z_](secure_)?getenv\(' sys
tap_end
