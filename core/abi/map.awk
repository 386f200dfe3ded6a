# SPDX-License-Identifier: Apache-2.0
# Makes the linker's version script from entries.def: one node ANYDNN_<level> for each API level,
# each on top of the one before, nothing else exported. With -v list=1: the names alone, sorted as
# in the table, for the symbol test.

/^[ \t]*ENTRY[ \t]*\(/ {
    line = $0
    sub(/^[ \t]*ENTRY[ \t]*\(/, "", line)
    sub(/\).*$/, "", line)
    gsub(/[ \t]/, "", line)
    if (split(line, field, ",") != 3 || field[1] !~ /^anydnn[A-Za-z0-9_]+$/ ||
        field[2] !~ /^[1-9][0-9]*$/ || field[3] !~ /^(current|deprecated)$/) {
        printf "%s:%d: not ENTRY(anydnnName, level, current|deprecated): %s\n", FILENAME, FNR, $0 > "/dev/stderr"
        failed = 1
        exit
    }
    if (field[1] in seen) {
        printf "%s:%d: %s is listed twice\n", FILENAME, FNR, field[1] > "/dev/stderr"
        failed = 1
        exit
    }
    seen[field[1]] = 1
    if (list)
        print field[1]
    names[field[2]] = names[field[2]] "        " field[1] ";\n"
    if (field[2] + 0 > newest)
        newest = field[2] + 0
}

END {
    if (!failed && !newest) {
        print FILENAME ": no ENTRY(...) in it" > "/dev/stderr"
        failed = 1
    }
    if (failed)
        exit 1
    if (list)
        exit
    before = ""
    for (level = 1; level <= newest; level++) {
        if (!(level in names))
            continue
        printf "ANYDNN_%d {\n    global:\n%s", level, names[level]
        printf "%s}%s;\n", before == "" ? "    local:\n        *;\n" : "", before
        before = " ANYDNN_" level
    }
}
