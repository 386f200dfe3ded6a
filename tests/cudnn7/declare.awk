# SPDX-License-Identifier: Apache-2.0
# Fills cudnn.h.in: the binary interface of cuDNN 7.6.5, for programs that are linked to a library of its name. Unlike
# in the porting header, functions are declared, and results have 48 bytes.
# awk -f table.awk -f header.awk -f cudnn7.awk -f declare.awk -f compat.awk entries.def anydnn.h cudnn7.def cudnn.h.in

BEGIN {
    declared_only = 1
}

# This rule changes the structs before the rule of compat.awk prints them.
file == 4 && $0 == "@TYPES@" {
    for (name in struct) {
        gsub(/ *int (backend|reason);\n/, "", struct[name])
        sub(/int reserved\[10\]/, "int reserved[3]", struct[name])
    }
}
