#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares the includes of each component with the table in docs/architecture.md. A header that a file
# gets through headers of other components counts, too. The backquotes are Markdown's.
# Needs: nothing
# shellcheck disable=SC2016
set -u
# shellcheck source=tests/tap.sh
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

top=$ANYDNN_TEST_SRCDIR
page=$top/docs/architecture.md
rules=$tap_dir/rules

# Writes "COMPONENT: OTHER OTHER ..." for each line of the page's table.
sed -n '/^<!-- components: begin/,/^<!-- components: end/s/^| `\([^`]*\)` | \([^|]*\) |.*/\1: \2/p' "$page" |
    tr -d '`,' >"$rules"

# breaches TREE: prints each include that the rules do not allow, direct or through other headers.
breaches() {
    (cd "$1" && find core cudnn7 plugins tools examples \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cpp' \) \
        -exec awk '
            FNR == 1 { print FILENAME, "" }
            /^[[:space:]]*#[[:space:]]*include[[:space:]]*"/ { split($0, part, "\""); print FILENAME, part[2] }' {} +) |
        awk -v rules="$rules" '
            # Returns the component of a path: a folder of core, dispatch or tools, otherwise the top folder.
            function component(path, part, n) {
                sub(/^core\//, "", path)
                n = split(path, part, "/")
                if (part[1] == "tools" && n > 2 && ("tools/" part[2]) in known)
                    return "tools/" part[2]
                if (part[1] != "dispatch")
                    return n > 1 ? part[1] : ""
                return n > 2 ? "dispatch/" part[2] : "dispatch"
            }
            # Returns the path of an included file in the tree, or the path as written if the tree lacks the file.
            function resolved(file, included, path) {
                path = file
                sub(/[^\/]*$/, "", path)
                path = path included
                while (path ~ /[^\/.]+\/\.\.\//)
                    sub(/[^\/.]+\/\.\.\//, "", path)
                if (path in there)
                    return path
                return ("core/" included) in there ? "core/" included : included
            }
            # Checks the files that `at` includes, for `file`. Each of them is visited once.
            function visit(file, at, i, path, to) {
                for (i = 1; i <= count[at]; i++) {
                    path = resolved(at, include[at, i])
                    if ((file, path) in seen)
                        continue
                    seen[file, path] = 1
                    to = component(path)
                    if (to in known && to != from && !((from, to) in may))
                        print file " includes " include[at, i] (at == file ? "" : " through " at)
                    visit(file, path)
                }
            }
            BEGIN {
                while ((getline line < rules) > 0) {
                    n = split(line, word, /:? +/)
                    known[word[1]] = 1
                    for (i = 2; i <= n; i++)
                        may[word[1], word[i]] = 1
                }
            }
            NF == 1 { there[$1] = 1 }
            NF == 2 { include[$1, ++count[$1]] = $2 }
            END {
                for (file in there) {
                    from = component(file)
                    visit(file, file)
                }
            }' | sort
}

# kept TREE: succeeds if the tree keeps the rules.
kept() {
    breaches "$1" >"$tap_dir/breaches"
    cat "$tap_dir/breaches"
    [ ! -s "$tap_dir/breaches" ]
}

# Each folder of core, of dispatch and of tools has a line of the table.
complete() {
    for folder in "$top"/core/*/ "$top"/core/dispatch/*/ "$top"/tools/*/; do
        component=${folder#"$top"/}
        component=${component#core/}
        grep -q "^${component%/}: " "$rules" || { echo "no line for ${component%/}"; return 1; }
    done
}

# found FILE INCLUDE: plants the include in a new tree; it must be reported.
found() {
    rm -rf "$tap_dir/tree"
    mkdir -p "$tap_dir/tree/plugins" "$tap_dir/tree/tools" "$tap_dir/tree/examples" "$tap_dir/tree/core"
    mkdir -p "$tap_dir/tree/$(dirname "$1")"
    printf '#include "%s"\n#include "problem/problem.h"\n' "$2" >"$tap_dir/tree/$1"
    breaches "$tap_dir/tree" >"$tap_dir/breaches"
    cat "$tap_dir/breaches"
    grep -q "^$1 includes $2\$" "$tap_dir/breaches"
}

# through FILE HEADER INCLUDE: makes a tree in which FILE gets INCLUDE through HEADER; this must be reported.
through() {
    rm -rf "$tap_dir/tree"
    mkdir -p "$tap_dir/tree/plugins" "$tap_dir/tree/cudnn7" "$tap_dir/tree/examples" "$tap_dir/tree/core" \
        "$tap_dir/tree/$(dirname "$1")" "$tap_dir/tree/$(dirname "$2")"
    printf '#include "%s"\n' "${2#core/}" >"$tap_dir/tree/$1"
    printf '#include "%s"\n' "$3" >"$tap_dir/tree/$2"
    breaches "$tap_dir/tree" >"$tap_dir/breaches"
    cat "$tap_dir/breaches"
    grep -q "^$1 includes $3 through $2\$" "$tap_dir/breaches"
}

# strangers TREE: prints the includes that plugins and core must not have. A backend and the kit may include plugin.h,
# files below their own folder and the kit; CUDA backends also cuda_common. From plugins, core may include only the list
# of operations, the union of their parameters and the slots of their operands.
strangers() {
    (cd "$1" && grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*("[^"]*/|<anydnn/)' --include='*.[ch]' \
        --include='*.cu' --include='*.inc' --include='*.def' plugins core |
        sed 's/:[0-9]*:[^"<]*[<"]\([^">]*\)[">].*/ \1/' |
        awk '
            # Returns the path of an included file in the tree.
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
            $1 == "core/problem/problem.h" && $2 ~ /^\.\.\/\.\.\/plugins\/kit\/(params|slots)\.h$/ { next }
            $1 ~ /^plugins\// && $2 == "anydnn/plugin.h" { next }
            $1 ~ /^plugins\/template\// && $2 ~ /^kit\/[a-z_]*\.h$/ { next }
            $1 ~ /^plugins\// {
                path = resolved($1, $2)
                split($1, folder, "/")
                if (index(path, "plugins/" folder[2] "/") == 1 && exists(path))
                    next
                if (path ~ /^plugins\/kit\/[a-z_]*\.(h|def)$/ || $1 ~ /^plugins\/cud/ && path ~ /^plugins\/cuda_common\/[a-z_]*\.h$/)
                    next
            }
            { print $1 " includes " $2 }')
}

# apart TREE: succeeds if there are no such includes.
apart() {
    strangers "$1" >"$tap_dir/breaches"
    cat "$tap_dir/breaches"
    [ ! -s "$tap_dir/breaches" ]
}

# strange FILE INCLUDE: plants the include in a new tree; it must be reported.
strange() {
    rm -rf "$tap_dir/tree"
    mkdir -p "$tap_dir/tree/plugins" "$tap_dir/tree/core" "$tap_dir/tree/$(dirname "$1")"
    printf '#include <anydnn/plugin.h>\n#include "%s"\n' "$2" >"$tap_dir/tree/$1"
    strangers "$tap_dir/tree" >"$tap_dir/breaches"
    cat "$tap_dir/breaches"
    grep -q "^$1 includes $2\$" "$tap_dir/breaches"
}

# alone PATTERN COMPONENT: succeeds if only sources of this component of core match the pattern.
alone() {
    grep -rlE --include='*.[ch]' "$1" "$top/core" | grep -v "^$top/core/$2/" && return 1
    grep -rqE --include='*.[ch]' "$1" "$top/core/$2"
}

# named PAGE: prints "file PATH" for each file that the page names. Prints "function NAME PATH..." for each function in
# an item of a numbered list, with the files of that item. A file without a folder is in the folder of the file named
# before it.
named() {
    awk '
        BEGIN { top = "^(core|cudnn7|plugins|python|tools|examples|include|conf|bench|tests|docs|scripts|debian|m4)" }
        function finish(i) {
            for (i = 1; i <= functions && files != ""; i++)
                print "function", name[i] files
            functions = 0
            files = ""
        }
        /^ *[0-9]+\. |^$|^#/ {
            finish()
            item = /^ *[0-9]+\. /
        }
        /^```/ { code = !code }
        code { next }
        {
            n = split($0, part, "`")
            for (i = 2; i < n; i += 2) {
                word = part[i]
                if (word ~ top "_?/[^ ]*$" ||
                    word ~ /^[a-z_*]+\.(c|cu|h|def|cpp|py)$/ && !/^\|/ && word !~ /^(anydnn|plugin|dlfcn|ini)\.h$/) {
                    if (word !~ /\//)
                        word = folder word
                    else if (word ~ /\./) {
                        folder = word
                        sub(/[^\/]*$/, "", folder)
                    }
                    print "file", word
                    if (word ~ /\.[a-z]+$/)
                        files = files " " word
                } else if (item && word ~ /^[A-Za-z_][A-Za-z0-9_]*$/ && word ~ /._|[a-z][A-Z]/)
                    name[++functions] = word
            }
        }
        END { finish() }' "$1"
}

# there PAGE: succeeds if each named file exists and a file of the same item contains each function.
there() {
    named "$1" | sort -u | (cd "$top" && while read -r kind first rest; do
        # A name may be a pattern for several files.
        # shellcheck disable=SC2086
        case $kind in
        file) set -- $first; [ -e "$1" ] || echo "$first: no such file" ;;
        function) grep -qwF "$first" $rest || echo "$first: not in$(printf ' %s' $rest)" ;;
        esac
    done) >"$tap_dir/faults" 2>&1
    cat "$tap_dir/faults"
    [ ! -s "$tap_dir/faults" ] && [ "$(named "$1" | grep -c ^file)" -gt 100 ] && [ "$(named "$1" | grep -c ^function)" -gt 80 ]
}

# wrong PATTERN SED_COMMAND: changes a name in the page; the report must match the pattern.
wrong() {
    sed "$2" "$page" >"$tap_dir/page.md"
    cmp -s "$page" "$tap_dir/page.md" && { echo "the sed command changed nothing"; return 1; }
    there "$tap_dir/page.md" >"$tap_dir/said" && { echo "the fault was not detected"; return 1; }
    cat "$tap_dir/said"
    grep -q -e "$1" "$tap_dir/said"
}

check "the files and functions that the page names exist" there "$page"
check "a missing file is detected" wrong '^core/judge/element_.c: no such file' 's,core/judge/element\.c,core/judge/element_.c,'
check "a missing file without a folder is detected" wrong '^core/dispatch/autotune/runs_.c: no' 's,`runs\.c`,`runs_.c`,'
check "a missing folder is detected" wrong '^examples_/: no such file' 's,^| `examples/`,| `examples_/`,'
check "a missing function is detected" wrong '^adn_judge_outputs: not in' 's,adn_judge_output`,adn_judge_outputs`,'
check "the table names every component" complete
check "no component includes one that it may not" kept "$top"
check "an include of a component above is found" found core/problem/planted.c dispatch/dispatch.h
check "an include of a folder above is found" found core/dispatch/handle/planted.c dispatch/offers/offers.h
check "an include of a sub-command in a shared component is found" found tools/suite/planted.c tools/compare/compare.h
check "an include through a header of another component is found" through tools/replay/planted.c tools/oracle/planted.h load/load.h
check "an include through a header that may include it is found" through core/settings/planted.c core/desc/planted.h problem/problem.h
check "an include of core in a backend is found" found plugins/cpu_ref/planted.c desc/desc.h
check "backends include plugin.h, their own files, the kit" apart "$top"
check "an include of another backend is found" strange plugins/onednn/planted.c ../cpu_ref/tensor.h
check "an include of another backend in a folder of one is found" strange plugins/cuda_simt/conv/planted.cu ../../cudnn/table.h
check "an include of a backend in the kit is found" strange plugins/kit/planted.c ../cpu_ref/tensor.h
check "an include of the kit in core is found" strange core/load/planted.c ../../plugins/kit/names.h
check "the kit's parameters elsewhere in core than in problem.h are found" strange core/problem/planted.c ../../plugins/kit/params.h
check "the kit's slots elsewhere in core than in problem.h are found" strange core/problem/planted.c ../../plugins/kit/slots.h
check "only load includes dlfcn.h" alone '# *include <dlfcn\.h>' load
check "only settings includes ini.h" alone '# *include <ini\.h>' settings
check "only sys reads the environment" alone '[^a-z_](secure_)?getenv\(' sys
tap_end
