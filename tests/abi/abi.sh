# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2016
# The frozen parts of the two ABIs, and their comparison with the current state. The tests here and
# scripts/abi-baseline source this file. The caller sets abi_root, the tree's top, and abi_tmp, a folder.
#
# tests/abi/frozen/level-<L>/   the promises of level L when it was frozen
#   library.abi     abidw's view of the symbols of levels up to L, their arguments and types
#   constants       every enumerator and every macro that is a number
#   views           the names that each view up to L declares, and the symbols to which they are bound
# tests/abi/frozen/cudnn7/library.abi      the functions of libcudnn.so.7 that ran then
# tests/abi/frozen/plugin-numbers          every MAJOR.MINOR of plugin.h that was recorded, with its
#                 text's SHA-256; plugin-text is the text of the last

abi_tmp=${abi_tmp:?}
abi_frozen=${abi_root:?}/tests/abi/frozen
abi_header=$abi_root/include/anydnn/anydnn.h
abi_plugin_header=$abi_root/include/anydnn/plugin.h
abi_entries=$abi_root/core/abi/entries.def
abi_views_folder=${ANYDNN_TEST_BUILDDIR-}/include
abi_dump_options="--no-show-locs --no-comp-dir-path --no-corpus-path --no-elf-needed --no-parameter-names
    --drop-undefined-syms --exported-interfaces-only --drop-private-types"

# abi_table SCRIPT OPTION...: prints the output of a script of core/abi for the table.
abi_table() {
    abi_script=$1
    shift
    ${AWK:-awk} "$@" -f "$abi_root/core/abi/table.awk" -f "$abi_root/core/abi/$abi_script.awk" "$abi_entries"
}

# abi_fit LIBRARY: succeeds if the library can be compared.
abi_fit() {
    [ -e "$1" ] || {
        echo "there is no $1: build first"
        return 1
    }
    readelf -S -W "$1" | grep -q '\.debug_info' || {
        echo "$1 has no debug information, without which abidiff sees no types: build with -g"
        return 1
    }
}

# abi_dump LIBRARY LEVEL OUT: writes abidw's view of the symbols up to the level. Paths contain only folders of
# the tree.
abi_dump() {
    abi_table map -v newest="$2" -v list=1 | abi_dump_these "$1" "$3"
}

# abi_dump_these LIBRARY OUT: does the same for the symbols on standard input.
abi_dump_these() {
    { echo "[abi_whitelist]" && cat; } >"$abi_tmp/whitelist"
    # shellcheck disable=SC2086
    abidw $abi_dump_options --headers-dir "${abi_header%/anydnn/anydnn.h}" --headers-dir "$abi_root/cudnn7" \
        --kmi-whitelist "$abi_tmp/whitelist" --out-file "$abi_tmp/dump" "$1" || return 1
    # Types of foreign headers are hidden; this checks that ours are not.
    ! grep "<class-decl name='\([A-Za-z]*Perf_t\|cudnn7_[a-z]*\)'.*is-declaration-only" "$abi_tmp/dump" || return 1
    sed -e "s| path='[^']*/\(\(core\|cudnn7\)/[^']*\)'| path='\1'|" -e "s| path='/[^']*/| path='|" "$abi_tmp/dump" >"$2"
}

# abi_constants: prints NAME VALUE, sorted, without the version of the header.
abi_constants() {
    abi_plain "$abi_header" | ${AWK:-awk} '
        $1 == "#define" && $2 ~ /^ANYDNN_[A-Z0-9_]+$/ && NF > 2 {
            name = $2
            sub(/^#define +[A-Z0-9_]+ +/, "")
            print name, $0
        }
        /^#/ { next }
        { text = text " " $0 }
        END {
            while (match(text, /enum *\{[^}]*\}/)) {
                list = substr(text, RSTART, RLENGTH)
                text = substr(text, RSTART + RLENGTH)
                gsub(/enum *\{|\}/, "", list)
                n = split(list, item, ",")
                for (i = 1; i <= n; i++) {
                    gsub(/[ \t]+/, "", item[i])
                    if (item[i] != "")
                        print sprintf("%s", substr(item[i], 1, index(item[i] "=", "=") - 1)), \
                            substr(item[i], index(item[i] "=", "=") + 1)
                }
            }
        }' | grep -vE '^ANYDNN_(MAJOR|MINOR|PATCHLEVEL|VERSION|API) ' | LC_ALL=C sort
}

# abi_views LEVEL: prints VIEW NAME SYMBOL deprecated|-, for the views up to LEVEL.
abi_views() {
    abi_view=1
    while [ "$abi_view" -le "$1" ]; do
        abi_table views -v list="$abi_view" | sed "s/^/$abi_view /"
        abi_view=$((abi_view + 1))
    done | LC_ALL=C sort
}

# abi_plain FILE: prints a header without comments, repeated blanks and continued lines.
abi_plain() {
    ${AWK:-awk} '
        {
            sub(/\r$/, "")
            line = line $0
            if (sub(/\\$/, " ", line))
                next
            text = text line "\n"
            line = ""
        }
        END {
            while ((start = index(text, "/*")) > 0) {
                printf "%s ", substr(text, 1, start - 1)
                text = substr(text, start + 2)
                text = substr(text, index(text, "*/") + 2)
            }
            printf "%s", text
        }' "$1" | sed -e 's/[[:space:]][[:space:]]*/ /g' -e 's/^ //' -e 's/ $//' -e '/^$/d'
}

# Prints MAJOR.MINOR of plugin.h.
abi_plugin_number() {
    ${AWK:-awk} '$1 == "#define" && $2 == "ANYDNN_PLUGIN_ABI_MAJOR" { major = $3 }
        $1 == "#define" && $2 == "ANYDNN_PLUGIN_ABI_MINOR" { minor = $3 }
        END { print major "." minor }' "$abi_plugin_header"
}

# Prints plugin.h in the form in which its ABI is compared: one part of a statement per line, independent of
# wrapping. The two version numbers are omitted, so that two texts differ only in their changes.
abi_plugin_text() {
    abi_plain "$abi_plugin_header" | grep -v '^#define ANYDNN_PLUGIN_ABI_M[AI][JN]OR ' | ${AWK:-awk} '
        /^#/ { print statement $0; statement = ""; next }
        {
            statement = statement (statement == "" ? "" : " ") $0
            while (match(statement, /[;{},]/)) {
                print substr(statement, 1, RSTART)
                statement = substr(statement, RSTART + 1)
                sub(/^ /, "", statement)
            }
        }
        END { print statement }' | sed -e 's/\([(*]\) /\1/g' -e 's/ \([),;]\)/\1/g' -e '/^$/d'
}

# abi_prototypes FLAG...: prints NAME|NUMBER OF ARGUMENTS|DECLARATION for each declaration of anydnn.h with
# these flags.
abi_prototypes() {
    # shellcheck disable=SC2086
    ${CC:-cc} "$@" -E -P -I"$abi_views_folder" "$abi_header" | ${AWK:-awk} '
        /^#/ { next }
        { text = text " " $0 }
        END {
            n = split(text, statement, ";")
            for (i = 1; i <= n; i++) {
                sub(/^.*extern "C" *\{/, "", statement[i])
                gsub(/[ \t]+/, " ", statement[i])
                if (statement[i] ~ /typedef|_Static_assert/ || !match(statement[i], /anydnn[A-Z][A-Za-z0-9_]* ?\(/))
                    continue
                name = substr(statement[i], RSTART, RLENGTH - 1)
                sub(/ $/, "", name)
                rest = substr(statement[i], RSTART + RLENGTH)
                depth = 1
                count = rest ~ /^ ?(void)? ?\)/ ? 0 : 1
                for (c = 1; c <= length(rest) && depth > 0; c++) {
                    letter = substr(rest, c, 1)
                    depth += (letter == "(") - (letter == ")")
                    count += letter == "," && depth == 1
                }
                print name "|" count "|" statement[i]
            }
        }'
}

# ---- the gates: each prints the differences

# Succeeds if the other file has everything of the frozen file.
abi_all_kept() {
    LC_ALL=C comm -23 "$1" "$2" >"$abi_tmp/gone"
    [ ! -s "$abi_tmp/gone" ] || {
        echo "frozen, but now missing or different:"
        cat "$abi_tmp/gone"
        return 1
    }
}

# abi_symbols_of DUMP: prints SYMBOL NODE, sorted.
abi_symbols_of() {
    sed -n "s/.*<elf-symbol name='\([^']*\)' version='\([^']*\)'.*/\1 \2/p" "$1" | LC_ALL=C sort -u
}

# abi_gate_symbols LEVEL: succeeds if the table still has every frozen symbol in its version node, and no
# frozen node has gained one.
abi_gate_symbols() {
    abi_symbols_of "$abi_frozen/level-$1/library.abi" >"$abi_tmp/frozen_symbols"
    abi_table map -v list=node | LC_ALL=C sort >"$abi_tmp/symbols"
    abi_all_kept "$abi_tmp/frozen_symbols" "$abi_tmp/symbols" || return 1
    # shellcheck disable=SC2016
    ${AWK:-awk} 'NR == FNR { frozen[$1] = 1; nodes[$2] = 1; next }
        $2 in nodes && !($1 in frozen) {
            printf "%s is in the version node %s, which is frozen without it: ", $1, $2
            print "give it the next addition (entries.def says how) or a new level"
            wrong = 1
        }
        END {
            if (NR == FNR)
                print "no frozen symbols are known"
            exit wrong || NR == FNR
        }' "$abi_tmp/frozen_symbols" "$abi_tmp/symbols"
}

# abi_gate_library LEVEL LIBRARY: succeeds if every symbol, argument, struct and enumeration is unchanged. It
# compares two dumps that were made in the same way. With a header given, abidiff would hide changes of its
# types, because a dump does not record where a type is declared.
abi_gate_library() {
    abi_fit "$2" && abi_dump "$2" "$1" "$abi_tmp/library.abi" || return 1
    abidiff --no-added-syms "$abi_frozen/level-$1/library.abi" "$abi_tmp/library.abi" || return 1
    # abidiff ignores a function that lost the second of its two names.
    abi_symbols_of "$abi_frozen/level-$1/library.abi" >"$abi_tmp/frozen_symbols"
    abi_symbols_of "$abi_tmp/library.abi" >"$abi_tmp/symbols"
    abi_all_kept "$abi_tmp/frozen_symbols" "$abi_tmp/symbols"
}

# abi_gate_cudnn7 LIBRARY: succeeds if libcudnn.so.7 has every function that ran when it was frozen, with its
# arguments and types. Functions that returned NOT_SUPPORTED then may change.
abi_gate_cudnn7() {
    abi_fit "$1" && abi_symbols_of "$abi_frozen/cudnn7/library.abi" >"$abi_tmp/frozen_symbols" || return 1
    [ -s "$abi_tmp/frozen_symbols" ] || return 1
    cut -d' ' -f1 "$abi_tmp/frozen_symbols" | abi_dump_these "$1" "$abi_tmp/library.abi" || return 1
    abidiff --no-added-syms "$abi_frozen/cudnn7/library.abi" "$abi_tmp/library.abi" || return 1
    abi_symbols_of "$abi_tmp/library.abi" >"$abi_tmp/symbols"
    abi_all_kept "$abi_tmp/frozen_symbols" "$abi_tmp/symbols"
}

abi_gate_constants() {
    abi_constants >"$abi_tmp/constants" && abi_all_kept "$abi_frozen/level-$1/constants" "$abi_tmp/constants"
}

abi_gate_views() {
    abi_views "$1" >"$abi_tmp/views" && abi_all_kept "$abi_frozen/level-$1/views" "$abi_tmp/views"
}

abi_gate_plugin() {
    abi_number=$(abi_plugin_number)
    abi_plugin_text >"$abi_tmp/plugin-text"
    abi_recorded=$(tail -n 1 "$abi_frozen/plugin-numbers")
    if [ "${abi_recorded% *}" != "$abi_number" ]; then
        echo "plugin.h says that it is plugin ABI $abi_number, the last one recorded is" \
            "${abi_recorded% *}: run scripts/abi-baseline plugin"
        return 1
    fi
    abi_sum=$(sha256sum <"$abi_tmp/plugin-text")
    [ "${abi_recorded#* }" = "${abi_sum%% *}" ] || {
        diff "$abi_frozen/plugin-text" "$abi_tmp/plugin-text"
        echo "plugin.h changed and still calls itself plugin ABI $abi_number: raise" \
            "ANYDNN_PLUGIN_ABI_MINOR, then run scripts/abi-baseline plugin"
        return 1
    }
}

# A constant of plugin.h must have the number of its counterpart in anydnn.h, if there is one. The counterpart's name
# lacks PLUGIN_; for types it has DATA_ instead.
abi_gate_numbers() {
    { abi_plain "$abi_header" && abi_plain "$abi_plugin_header"; } | tr ',{}' '[\n*]' | ${AWK:-awk} '
        $2 == "=" && $1 ~ /^ANYDNN_PLUGIN_/ { plugin[$1] = $3; next }
        $2 == "=" { public[$1] = $3 }
        END {
            for (name in plugin) {
                other = name
                sub(/PLUGIN_/, "", other)
                if (!(other in public))
                    sub(/ANYDNN_/, "ANYDNN_DATA_", other)
                if (!(other in public))
                    continue
                count++
                if (public[other] != plugin[name]) {
                    print name " is " plugin[name] ", " other " is " public[other]
                    bad = 1
                }
            }
            if (count < 70)
                print count " constants are in both headers, of 70 and more"
            exit bad || count < 70
        }'
}
