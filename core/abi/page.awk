# SPDX-License-Identifier: Apache-2.0
# Makes the page of entries from entries.def, whose comments are its headings.
#   awk -f table.awk -f page.awk entries.def

/^\/\* .* \*\/$/ && FNR > 1 {
    heading[entries] = substr($0, 4, length($0) - 6)
}

# Returns the status of a form. An old form refers to the newest one, since those between are deprecated, too.
function status(i, k,    old) {
    old = deprecated_from(i, k)
    return old ? "deprecated from level " old ", use `" symbol_of(i, forms[i] - 1) "`" : "current"
}

END {
    if (table_end())
        exit 1
    print "# The entries of anydnn and their levels\n"
    print "This page is made from `core/abi/entries.def`. [levels.md](levels.md) has the rules. The newest level is " newest "."
    print "A symbol, once listed, stays in every later library with the same meaning."
    for (s = 0; s < symbols; s++) {
        i = symbol_entry[s]
        if (i in heading) {
            printf "\n## %s\n\n| symbol | level | version node | status |\n|---|---|---|---|\n", heading[i]
            delete heading[i]
        }
        name = "`" symbol[s] "`" (symbol_form[s] == 0 && symbol[s] != entry[i] ? ", the same as `" entry[i] "`" : "")
        printf "| %s | %d | `ANYDNN_%s` | %s |\n", name, level[i, symbol_form[s]], symbol_node[s], status(i, symbol_form[s])
    }
}
