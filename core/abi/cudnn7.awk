# SPDX-License-Identifier: Apache-2.0
# Reads cudnn7.def, the third file, after those of header.awk. The scripts that generate cuDNN 7's names use
# it: those of the porting header and of the shim. Such a script lists in `written` the entries that it
# writes by hand. This file sets
#   lacking, lacking_kind[l], lacking_name[l], lacking_text[l]   the records of cudnn7.def
# and defines functions that both scripts share.

BEGIN {
    lacking = 0
}

# Replaces anydnn's names in a text of declarations by cuDNN's.
function renamed(text) {
    gsub(/anydnnStream_t/, "struct CUstream_st *", text)
    gsub(/anydnn/, "cudnn", text)
    gsub(/ANYDNN_/, "CUDNN_", text)
    return text
}

# Stores a record of cudnn7.def. A record may span several lines and ends with its closing parenthesis.
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

# Breaks a long line after commas, or after the opening parenthesis if there is no comma.
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

# Returns a symbol whose name no view binds to another form.
function own_symbol(i, k) {
    return forms[i] > 1 ? suffixed(i, k) : entry[i]
}

# Returns the name of an argument.
function argument_name(text) {
    sub(/\[[^]]*\]$/, "", text)
    match(text, /[A-Za-z0-9_]+$/)
    return substr(text, RSTART)
}

# Returns 1 for an entry to generate: cuDNN 7 has it, and it is not written by hand.
function of_cudnn_7(i) {
    return !ours[i] && !(entry[i] in written)
}

# Returns 1 for a name of cudnn7.def that anydnn.h has, and that is therefore skipped.
function is_had(name) {
    sub(/^cudnn/, "anydnn", name)
    return name in seen || name in of_cudnn
}

# Checks the tables. A script must call it before it prints anything.
function cudnn7_prepare(    i) {
    if (table_end())
        exit 1
    for (i = 0; i < entries; i++)
        if (!(entry[i] in declared_in_header)) {
            print "anydnn.h does not declare " entry[i] > "/dev/stderr"
            exit 1
        }
}
