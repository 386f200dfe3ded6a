# SPDX-License-Identifier: Apache-2.0
# Reads cudnn7.def, the third file behind header.awk's, for the scripts that bring cuDNN 7's names: the
# porting header's and the shim's. Such a script puts into `written` the entries that it does not want
# made. Leaves
#   lacking, lacking_kind[l], lacking_name[l], lacking_text[l]   the records of cudnn7.def
# and functions about both.

BEGIN {
    lacking = 0
}

# The name in cuDNN of everything named in a text of declarations.
function renamed(text) {
    gsub(/anydnnStream_t/, "struct CUstream_st *", text)
    gsub(/anydnn/, "cudnn", text)
    gsub(/ANYDNN_/, "CUDNN_", text)
    return text
}

# cudnn7.def: a record may go over several lines; its parentheses say where it ends.
function take_lacking(text,    name) {
    gsub(/[ \t]+/, " ", text)
    gsub(/\( /, "(", text)
    name = text
    sub(/^ *[A-Z]+\(/, "", name)
    sub(/[,)].*/, "", name)
    lacking_kind[lacking] = text ~ /^ *HANDLE/ ? "handle" : text ~ /^ *ENUM/ ? "enum" : text ~ /^ *STRUCT/ ? "struct" : \
        text ~ /^ *NUMBER/ ? "number" : text ~ /^ *CALL/ ? "call" : ""
    if (lacking_kind[lacking] == "") {
        print "cudnn7.def: not HANDLE, ENUM, STRUCT, NUMBER or CALL(...): " text > "/dev/stderr"
        exit 1
    }
    lacking_name[lacking] = name
    sub(/^[^,]*, */, "", text)
    sub(/\) *$/, "", text)
    lacking_text[lacking++] = text
}

file == 3 && (record != "" || /^[A-Z]+\(/) {
    record = record " " $0
    opened = gsub(/\(/, "(", record)
    if (opened == gsub(/\)/, ")", record)) {
        take_lacking(record)
        record = ""
    }
}

# Breaks a line behind commas, or where there is none behind the opening parenthesis.
function folded(text,    out, at) {
    while (length(text) > 100) {
        for (at = 100; at > 4 && substr(text, at, 1) != ","; at--)
            ;
        if (at == 4)
            at = index(text, "(")
        out = out substr(text, 1, at) "\n"
        text = substr(text, at + 1)
        sub(/^ */, "        ", text)
    }
    return out text
}

# A symbol whose name no view binds to another form.
function own_symbol(i, k) {
    return forms[i] > 1 ? suffixed(i, k) : entry[i]
}

# The name of an argument.
function argument_name(text) {
    sub(/\[[^]]*\]$/, "", text)
    match(text, /[A-Za-z0-9_]+$/)
    return substr(text, RSTART)
}

# An entry to be made: cuDNN 7 has it, and the script has not written it.
function of_cudnn_7(i) {
    return !ours[i] && !(entry[i] in written)
}

# Of cudnn7.def: gone from there once anydnn.h has it.
function is_had(name) {
    sub(/^cudnn/, "anydnn", name)
    return name in seen || name in of_cudnn
}

# To be called before anything is printed.
function cudnn7_prepare(    i) {
    if (table_end())
        exit 1
    for (i = 0; i < entries; i++)
        if (!(entry[i] in declared_in_header)) {
            print "anydnn.h does not declare " entry[i] > "/dev/stderr"
            exit 1
        }
}
