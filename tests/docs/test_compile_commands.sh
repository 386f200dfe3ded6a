#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests `make compile_commands.json`, the database for clangd: each C file of the core, the tools, cpu_ref and the unit
# tests has an entry, and the entry's command compiles.
# Needs: nothing
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
: "${MAKE:=make}"

top=$(cd "$ANYDNN_TEST_SRCDIR" && pwd -P) || exit 2
database=$ANYDNN_TEST_BUILDDIR/compile_commands.json

# The flags of an outer make must not apply to this one.
made() {
    rm -f "$database"
    (unset MAKEFLAGS MFLAGS MAKELEVEL && "$MAKE" -s -C "$ANYDNN_TEST_BUILDDIR" compile_commands.json) && [ -s "$database" ]
}

# holds FOLDER: the database has each C file of the folder once.
holds() {
    find "$top/$1" -name '*.c' | sort >"$tap_dir/sources"
    python3 - "$database" "$top/$1/" >"$tap_dir/entries" <<'END'
import json, os, sys
for entry in json.load(open(sys.argv[1])):
    file = os.path.realpath(os.path.join(entry["directory"], entry["file"]))
    if file.startswith(sys.argv[2]):
        print(file)
END
    sort "$tap_dir/entries" | diff "$tap_dir/sources" - && [ -s "$tap_dir/sources" ]
}

# compiles FILE: runs the database's command with -fsyntax-only.
compiles() {
    python3 - "$database" "$top/$1" <<'END'
import json, os, subprocess, sys
entry = next(entry for entry in json.load(open(sys.argv[1]))
             if os.path.realpath(os.path.join(entry["directory"], entry["file"])) == sys.argv[2])
arguments = [word for word in entry["arguments"] if word not in ("-MD", "-MP")]
for option in ("-MT", "-MF", "-o"):
    if option in arguments:
        at = arguments.index(option)
        del arguments[at:at + 2]
sys.exit(subprocess.run(arguments + ["-fsyntax-only"], cwd=entry["directory"]).returncode)
END
}

if command -v python3 >/dev/null 2>&1; then
    check "it is made" made
    for folder in core tools plugins/cpu_ref tests/unit; do
        [ "$folder" != tests/unit ] || [ -e "$ANYDNN_TEST_BUILDDIR/tests/unit/test_sys.o" ] || continue
        check "it holds each C file of $folder" holds "$folder"
    done
    check "a command of core compiles" compiles core/sys/log.c
    check "a command of the tools compiles" compiles tools/main.c
    check "a command of a backend compiles" compiles plugins/cpu_ref/walk.c
else
    skip "the database of commands" "no python3"
fi
tap_end
