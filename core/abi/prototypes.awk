# SPDX-License-Identifier: Apache-2.0
# Makes the prototypes of `anydnn abi` from entries.def and anydnn.h, one for each row of rows.awk.
#   awk -f table.awk -f header.awk -f prototypes.awk entries.def anydnn.h

END {
    if (table_end())
        exit 1
    print "/* prototypes.awk makes this file from core/abi/entries.def and anydnn.h. */"
    for (s = 0; s < symbols; s++) {
        i = symbol_entry[s]
        form = form_key(i, symbol_form[s])
        if (!((entry[i], form) in result_of)) {
            print "anydnn.h does not declare " symbol[s] > "/dev/stderr"
            exit 1
        }
        print "\"" result_of[entry[i], form] symbol[s] arguments_of[entry[i], form] "\","
    }
}
