# SPDX-License-Identifier: Apache-2.0
# Fills cudnn_compat.h.in from entries.def and anydnn.h: every type, constant and entry that anydnn has
# of cuDNN 7, under its name there. Entries of OURS(...), types that only they use, and constants from
# 1000 are not cuDNN's.
#   awk -f table.awk -f compat.awk entries.def anydnn.h cudnn_compat.h.in

BEGIN {
    constants = types = 0
    # The template has functions of its own for them.
    inlined["anydnnGetVersion"] = inlined["anydnnGetProperty"] = 1
    of_cudnn["anydnnDebug_t"] = of_cudnn["anydnnSeverity_t"] = 1
    of_cudnn["anydnnDeterminism_t"] = 1
    # The template takes over CUDA's types in the place of these.
    foreign["anydnnStream_t"] = foreign["anydnnLibraryPropertyType_t"] = 1
}

# The name in cuDNN of everything named in a text of declarations.
function renamed(text) {
    gsub(/anydnnStream_t/, "struct CUstream_st *", text)
    gsub(/anydnn/, "cudnn", text)
    gsub(/ANYDNN_/, "CUDNN_", text)
    return text
}

function add_type(name) {
    type[types++] = name
}

# Constants wait for the name of their type, which comes last. Statuses from 100 are ours.
function take_constant(line,    part, ours_from) {
    split(line, part, /[ =,]+/)
    ours_from = part[2] ~ /^ANYDNN_STATUS_/ ? 100 : 1000
    if (part[2] !~ /FORCE_32$/ && !(part[3] ~ /^[0-9]+$/ && part[3] + 0 >= ours_from)) {
        constant[constants] = part[2]
        constant_type[constants++] = "?"
    }
}

function name_type(name,    c) {
    for (c = constants - 1; c >= 0 && constant_type[c] == "?"; c--)
        constant_type[c] = name
    add_type(name)
}

function use_types(text) {
    while (match(text, /anydnn[A-Za-z]+_t/)) {
        of_cudnn[substr(text, RSTART, RLENGTH)] = 1
        text = substr(text, RSTART + RLENGTH)
    }
}

# "ANYDNN_API result name(arguments);" or "ANYDNN_FORM(result, name, level, (arguments));"
function take_declaration(text,    part, form) {
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
    if (line ~ /^ +ANYDNN_[A-Za-z0-9_]+ *=/)
        take_constant(line)
    else if (line ~ /^#define ANYDNN_(DIM_MAX|LRN_|BN_|SEV_)/) {
        split(line, part, /[ (]+/)
        constant[constants] = part[2]
        constant_type[constants++] = ""
    } else if (line ~ /^(typedef struct|})/ && match(line, /anydnn[A-Za-z]+_t;/))
        name_type(substr(line, RSTART, RLENGTH - 1))
    else if (line ~ /^typedef void \(\*anydnnCallback_t\)/)
        add_type("anydnnCallback_t")
    if (line ~ /^ANYDNN_(API|FORM)/ || declaration != "") {
        declaration = declaration " " line
        if (line ~ /;[ \t]*$/) {
            take_declaration(declaration)
            declaration = ""
        }
    }
}

# ---- what the template's marks stand for

function form_key(i, k) {
    return (entry[i], level[i, k]) in result_of ? level[i, k] : 0
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
        sub(/^ */, "    ", text)
    }
    return out text
}

function prototype(i, k, name) {
    return folded("ANYDNN_API " renamed(result_of[entry[i], form_key(i, k)]) name \
        renamed(arguments_of[entry[i], form_key(i, k)]) ";")
}

# The name here of form k: cuDNN's own for the first, another for what came later.
function compat_name(i, k,    name) {
    if (k == 0)
        return renamed(entry[i])
    name = suffixed(i, k)
    sub(/^anydnn/, "anydnnCompat", name)
    return name
}

# A symbol whose name no view binds to another form.
function own_symbol(i, k) {
    return forms[i] > 1 ? suffixed(i, k) : entry[i]
}

function print_entry(i, k, labelled,    text) {
    if (labelled) {
        text = prototype(i, k, compat_name(i, k))
        sub(/;$/, "\n    ANYDNN_COMPAT_SYMBOL(" symbol_of(i, k) ");", text)
        print text
        return
    }
    print "#define " compat_name(i, k) " " own_symbol(i, k)
    if (forms[i] > 1)
        print prototype(i, k, own_symbol(i, k))
}

function print_entries(labelled,    i, k) {
    for (i = 0; i < entries; i++)
        for (k = 0; k < forms[i] && !ours[i] && !(entry[i] in inlined); k++)
            print_entry(i, k, labelled)
}

function print_types(    t) {
    for (t = 0; t < types; t++)
        if (type[t] in of_cudnn && !(type[t] in foreign))
            print "typedef " type[t] " " renamed(type[t]) ";"
}

function print_constants(    c) {
    for (c = 0; c < constants; c++)
        if (constant_type[c] == "" || (constant_type[c] in of_cudnn && !(constant_type[c] in foreign)))
            print "#define " renamed(constant[c]) " " constant[c]
}

function prepare(    i, form) {
    prepared = 1
    if (table_end())
        exit 1
    for (i = 0; i < entries; i++) {
        if (!(entry[i] in declared_in_header)) {
            print "anydnn.h does not declare " entry[i] > "/dev/stderr"
            exit 1
        }
        if (!ours[i])
            for (form in result_of) {
                split(form, part, SUBSEP)
                if (part[1] == entry[i])
                    use_types(result_of[form] arguments_of[form])
            }
    }
}

file == 3 {
    if (!prepared)
        prepare()
    if ($0 == "@TYPES@")
        print_types()
    else if ($0 == "@CONSTANTS@")
        print_constants()
    else if ($0 == "@LABELLED@")
        print_entries(1)
    else if ($0 == "@PLAIN@")
        print_entries(0)
    else
        print
}
