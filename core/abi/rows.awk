# SPDX-License-Identifier: Apache-2.0
# Makes the rows of `anydnn abi` from entries.def, one for each symbol:
#   {symbol, entry, version node, level that introduced the form, level that deprecated it or 0, replacement or NULL},
#   awk -f table.awk -f rows.awk entries.def

END {
    if (table_end())
        exit 1
    print "/* rows.awk makes this file from core/abi/entries.def. */"
    for (s = 0; s < symbols; s++) {
        i = symbol_entry[s]
        k = symbol_form[s]
        old = deprecated_from(i, k)
        printf "{\"%s\", \"%s\", \"ANYDNN_%s\", %d, %d, %s},\n", symbol[s], entry[i], symbol_node[s],
            level[i, k], old, old ? "\"" symbol_of(i, k + 1) "\"" : "NULL"
    }
}
