# SPDX-License-Identifier: Apache-2.0
# Fills cudnn_compat.h.in from entries.def, anydnn.h and cudnn7.def. The result has every type, constant and
# function of cuDNN 7 under cuDNN's name, including those that anydnn lacks. It omits entries of OURS(...),
# types that only they use, and constants from 1000. Enumerations and the structs of results are the
# header's own types with cuDNN 7's members, so that a switch over them is complete. If `declared_only` is
# set, functions are declared without libanydnn's symbols.
#   awk -f table.awk -f header.awk -f cudnn7.awk -f compat.awk entries.def anydnn.h cudnn7.def cudnn_compat.h.in

BEGIN {
    constants = types = 0
    # cuDNN added these after version 7, so they are constants and not members of the enumerations.
    later["ANYDNN_DATA_BFLOAT16"] = later["ANYDNN_DATA_INT64"] = 1
    later["ANYDNN_FMA_MATH"] = later["ANYDNN_ACTIVATION_SWISH"] = 1
    of_cudnn["anydnnDebug_t"] = of_cudnn["anydnnSeverity_t"] = 1
    of_cudnn["anydnnDeterminism_t"] = 1
    # The template uses CUDA's types in place of these.
    foreign["anydnnStream_t"] = foreign["anydnnLibraryPropertyType_t"] = 1
}

function add_type(name) {
    type[types++] = name
}

# Stores a constant. The name of its type follows at the end of the enumeration. Statuses from 100 are anydnn's own.
function take_constant(line,    part, ours_from) {
    split(line, part, /[ =,]+/)
    ours_from = part[2] ~ /^ANYDNN_STATUS_/ ? 100 : 1000
    if (part[2] !~ /FORCE_32$/ && !(part[3] ~ /^[0-9]+$/ && part[3] + 0 >= ours_from)) {
        constant[constants] = part[2]
        value[constants] = part[3]
        constant_type[constants++] = "?"
    }
}

function name_type(name,    c) {
    for (c = constants - 1; c >= 0 && constant_type[c] == "?"; c--) {
        constant_type[c] = name
        enumeration[name] = 1
    }
    add_type(name)
}

function use_types(text) {
    while (match(text, /anydnn[A-Za-z]+_t/)) {
        of_cudnn[substr(text, RSTART, RLENGTH)] = 1
        text = substr(text, RSTART + RLENGTH)
    }
}

file == 2 {
    if (line ~ /^typedef struct {/)
        members = "typedef struct {"
    else if (members != "") {
        members = members "\n" line
        if (match(line, /anydnn[A-Za-z]+_t;$/)) {
            struct[substr(line, RSTART, RLENGTH - 1)] = members
            members = ""
        }
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
}

# ---- replacements of the template's marks

# Returns 1 for enumerations and structs that the header defines itself.
function is_own(name) {
    return name in of_cudnn && !(name in foreign) && (name in enumeration || name in struct)
}

function print_declaration(result, name, text) {
    sub(/^\(/, "", text)
    sub(/\)$/, "", text)
    gsub(/anydnnLibraryPropertyType_t/, "libraryPropertyType", text)
    print folded((declared_only ? "" : "ANYDNN_API ") renamed(result) name "(" renamed(text) ")") \
        (declared_only ? ";" : "\n    ANYDNN_CUDNN7(" substr(name, 6) ");")
}

# Prints the ranked list of entry i. cuDNN 7's form has no limit for the workspace.
function print_ranked(i,    text) {
    text = arguments_of[entry[i], form_key(i, 1)]
    sub(/size_t workspaceLimit, /, "", text)
    print_declaration(result_of[entry[i], form_key(i, 1)], renamed(entry[i]) "_v7", text)
}

function print_declarations(    i) {
    for (i = 0; i < entries; i++)
        if (!ours[i]) {
            print_declaration(result_of[entry[i], form_key(i, 0)], renamed(entry[i]), arguments_of[entry[i], form_key(i, 0)])
            if (forms[i] > 1)
                print_ranked(i)
        }
    print_declaration("size_t ", "cudnnGetCudartVersion", "void")
}

function print_macro(name) {
    print "#define " name " anydnnCudnn7" substr(name, 6)
}

function print_macros(    i, l) {
    for (i = 0; i < entries; i++)
        if (!ours[i]) {
            print_macro(renamed(entry[i]))
            if (forms[i] > 1)
                print_macro(renamed(entry[i]) "_v7")
        }
    for (l = 0; l < lacking; l++)
        if (lacking_kind[l] == "call" && !is_had(lacking_name[l]))
            print_macro(lacking_name[l])
    print_macro("cudnnGetCudartVersion")
}

function print_enumeration(name,    c, first) {
    first = 1
    for (c = 0; c < constants; c++)
        if (constant_type[c] == name && !(constant[c] in later)) {
            printf "%s    %s = %s", first ? "typedef enum {\n" : ",\n", renamed(constant[c]), value[c]
            first = 0
        }
    print "\n} " renamed(name) ";\n"
}

function print_types(    t) {
    for (t = 0; t < types; t++) {
        if (!(type[t] in of_cudnn) || type[t] in foreign)
            continue
        if (type[t] in enumeration)
            print_enumeration(type[t])
        else if (type[t] in struct)
            print renamed(struct[type[t]]) "\n"
        else if (type[t] == "anydnnCallback_t")
            print "typedef void (*cudnnCallback_t)(cudnnSeverity_t sev, void *udata, const cudnnDebug_t *dbg, const char *msg);"
        else
            print "typedef " type[t] " " renamed(type[t]) ";"
    }
}

function print_constants(    c) {
    for (c = 0; c < constants; c++)
        if (constant_type[c] == "")
            print "#define " renamed(constant[c]) " " constant[c]
        else if (constant[c] in later && is_own(constant_type[c]))
            print "#define " renamed(constant[c]) " ((" renamed(constant_type[c]) ")" value[c] ")"
}

# ---- functions and types that anydnn lacks

function print_lacking(    l, text) {
    for (l = 0; l < lacking; l++) {
        text = lacking_text[l]
        if (is_had(lacking_name[l]))
            continue
        if (lacking_kind[l] == "handle")
            print "typedef struct " text " *" lacking_name[l] ";"
        else if (lacking_kind[l] == "enum") {
            gsub(/, /, ",\n    ", text)
            print "\ntypedef enum {\n    " text "\n} " lacking_name[l] ";"
        } else if (lacking_kind[l] == "struct")
            print "\ntypedef struct {\n    " text "\n} " lacking_name[l] ";\n"
        else if (lacking_kind[l] == "number")
            print "#define " lacking_name[l] " " text
        else
            print_declaration("cudnnStatus_t ", lacking_name[l], text)
    }
}

function prepare(    i, form) {
    prepared = 1
    cudnn7_prepare()
    for (i = 0; i < entries; i++)
        if (!ours[i])
            for (form in result_of) {
                split(form, part, SUBSEP)
                if (part[1] == entry[i])
                    use_types(result_of[form] arguments_of[form])
            }
    for (name in struct)
        if (name in of_cudnn)
            use_types(struct[name])
}

file == 4 {
    if (!prepared)
        prepare()
    if ($0 == "@TYPES@")
        print_types()
    else if ($0 == "@CONSTANTS@")
        print_constants()
    else if ($0 == "@MACROS@")
        print_macros()
    else if ($0 == "@DECLARATIONS@")
        print_declarations()
    else if ($0 == "@LACKING@")
        print_lacking()
    else
        print
}
