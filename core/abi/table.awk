# SPDX-License-Identifier: Apache-2.0
# Reads entries.def for the other scripts here, which follow it on awk's command line. It sets
#   newest                    the newest level; -v newest=N omits everything after level N
#   entries, entry[i]         the number of entries, and their names
#   ours[i]                   1 if cuDNN 7 has no entry like it
#   node[i]                   the version node: LEVEL, or LEVEL.ADDITION
#   forms[i], level[i, k]     its forms: level[i, 0] introduced it, each further one changed it
# and for every symbol, in the order of the table:
#   symbols, symbol[s], symbol_node[s], symbol_entry[s], symbol_form[s]   (the last two: i and k)
# A script's END begins with `if (table_end()) exit 1`.

function refuse(sentence) {
    printf "%s:%d: %s\n", FILENAME, FNR, sentence > "/dev/stderr"
    failed = 1
    exit 1
}

function add_symbol(name, node_name, i, k) {
    symbol[symbols] = name
    symbol_node[symbols] = node_name
    symbol_entry[symbols] = i
    symbol_form[symbols++] = k
}

# Returns the suffixed name of form k of entry i.
function suffixed(i, k) {
    return entry[i] "_v" level[i, k]
}

# Returns the symbol to which a new program binds form k of entry i.
function symbol_of(i, k) {
    return k == 0 ? entry[i] : suffixed(i, k)
}

# Returns the level from which form k of entry i is deprecated, or 0.
function deprecated_from(i, k) {
    return k + 1 < forms[i] ? level[i, k + 1] : 0
}

function add_entry(count, field,    k) {
    entry[entries] = field[1]
    node[entries] = field[2]
    level[entries, 0] = int(field[2])
    for (k = 1; k <= count - 2; k++) {
        if (limit && field[k + 2] > limit)
            break
        level[entries, k] = field[k + 2] + 0
    }
    forms[entries] = k
    if (level[entries, k - 1] > newest)
        newest = level[entries, k - 1]
    add_symbol(entry[entries], field[2], entries, 0)
    if (forms[entries] > 1)
        add_symbol(suffixed(entries, 0), level[entries, 1] "", entries, 0)
    for (k = 1; k < forms[entries]; k++)
        add_symbol(suffixed(entries, k), level[entries, k] "", entries, k)
    entries++
}

BEGIN {
    limit = newest
    newest = entries = symbols = 0
}

/^[ \t]*(ENTRY|OURS)[ \t]*\(/ {
    line = $0
    ours[entries] = line ~ /^[ \t]*OURS/
    sub(/^[ \t]*[A-Z]+[ \t]*\(/, "", line)
    if (!sub(/\)[ \t]*$/, "", line))
        refuse("ENTRY(...) or OURS(...) does not end on its line: " $0)
    gsub(/[ \t]/, "", line)
    count = split(line, field, ",")
    if (count < 2 || field[1] !~ /^anydnn[A-Z][A-Za-z0-9_]*$/ || field[2] !~ /^[1-9][0-9]*(\.[1-9][0-9]*)?$/)
        refuse("not ENTRY or OURS(anydnnName, level or level.addition, levels that changed it...): " $0)
    if (field[1] ~ /_v[0-9]+$/)
        refuse(field[1] ": a name that ends in _v and a number is that of a changed form; add the level to the entry's line")
    if (field[1] in seen)
        refuse(field[1] " is listed twice")
    seen[field[1]] = 1
    for (k = 3; k <= count; k++)
        if (field[k] !~ /^[1-9][0-9]*$/ || field[k] + 0 <= int(field[k - 1]))
            refuse(field[1] ": the levels that changed it are whole and rise; " field[k] " does not")
    if (!limit || int(field[2]) <= limit)
        add_entry(count, field)
}

function table_end() {
    if (!failed && !entries) {
        print FILENAME ": no ENTRY(...) in it" > "/dev/stderr"
        failed = 1
    }
    if (limit)
        newest = limit
    return failed
}
