# SPDX-License-Identifier: Apache-2.0
# Reads anydnn.h, the second file, after that of table.awk, for the scripts that follow. It sets
#   result_of[name, form], arguments_of[name, form]   each declaration; form is the level of its
#                                                     ANYDNN_FORM, or 0 for a plain declaration
#   declared_in_header[name]
# and for each further line `line`, without comments, and `file`, the number of the file.

# Stores "ANYDNN_API result name(arguments);" or "ANYDNN_FORM(result, name, level, (arguments));"
function take_declaration(text,    part, form, name) {
    gsub(/[ \t]+/, " ", text)
    gsub(/\( /, "(", text)
    sub(/ *; *$/, "", text)
    form = 0
    if (sub(/^ ?ANYDNN_FORM\(/, "", text)) {
        sub(/\)$/, "", text)
        split(text, part, /, /)
        form = part[3] + 0
        text = part[1] " " part[2] substr(text, index(text, "("))
    } else {
        sub(/^ ?ANYDNN_API /, "", text)
    }
    match(text, /anydnn[A-Z][A-Za-z0-9]*\(/)
    name = substr(text, RSTART, RLENGTH - 1)
    result_of[name, form] = substr(text, 1, RSTART - 1)
    arguments_of[name, form] = substr(text, RSTART + RLENGTH - 1)
    declared_in_header[name] = form
}

# Returns the key of the declaration of form k of entry i.
function form_key(i, k) {
    return (entry[i], level[i, k]) in result_of ? level[i, k] : 0
}

FNR == 1 {
    file++
}

file == 2 {
    line = $0
    gsub(/\/\*.*\*\//, "", line)
    if (line ~ /\/\*/)
        in_comment = 1
    if (in_comment) {
        in_comment = line !~ /\*\//
        next
    }
    if (line ~ /^ANYDNN_(API|FORM)/ || declaration != "") {
        declaration = declaration " " line
        if (line ~ /;[ \t]*$/) {
            take_declaration(declaration)
            declaration = ""
        }
    }
}
