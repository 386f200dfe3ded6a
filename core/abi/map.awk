# SPDX-License-Identifier: Apache-2.0
# Makes the linker's version script from entries.def. A node ANYDNN_<level> has the symbols that a level
# introduced, and ANYDNN_<level>.<addition> those that a later release added. Each node inherits the one
# before it, and nothing else is exported. With -v list=1, prints only the symbols; with -v list=node,
# prints each symbol and its node.
#   awk -f table.awk -f map.awk entries.def

# Returns 1 if node a precedes node b: by level, then by addition (12 after 2).
function before(a, b,    x, y) {
    split(a ".0", x, ".")
    split(b ".0", y, ".")
    return x[1] + 0 < y[1] + 0 || (x[1] + 0 == y[1] + 0 && x[2] + 0 < y[2] + 0)
}

function sort_nodes(    a, b, moved) {
    for (a = 1; a < nodes; a++) {
        moved = name_of[a]
        for (b = a; b > 0 && before(moved, name_of[b - 1]); b--)
            name_of[b] = name_of[b - 1]
        name_of[b] = moved
    }
}

END {
    if (table_end())
        exit 1
    for (s = 0; s < symbols; s++) {
        if (list)
            print symbol[s] (list == "node" ? " ANYDNN_" symbol_node[s] : "")
        if (!(symbol_node[s] in names))
            name_of[nodes++] = symbol_node[s]
        names[symbol_node[s]] = names[symbol_node[s]] "        " symbol[s] ";\n"
    }
    if (list)
        exit
    sort_nodes()
    for (n = 0; n < nodes; n++) {
        printf "ANYDNN_%s {\n    global:\n%s", name_of[n], names[name_of[n]]
        printf "%s}%s;\n", n == 0 ? "    local:\n        *;\n" : "", n == 0 ? "" : " ANYDNN_" name_of[n - 1]
    }
}
