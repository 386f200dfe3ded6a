# SPDX-License-Identifier: Apache-2.0
# Fills cudnn_compat.h.in from entries.def, anydnn.h and cudnn7.def: every type, constant and entry that
# anydnn has of cuDNN 7, under its name there, and stubs of what it lacks. Entries of OURS(...), types that
# only they use, and constants from 1000 are not cuDNN's. Enumerations and the structs of results are the
# header's own types with cuDNN 7's members, so that a switch over them is complete; what a function
# takes of them is cast.
#   awk -f table.awk -f header.awk -f cudnn7.awk -f compat.awk entries.def anydnn.h cudnn7.def cudnn_compat.h.in

BEGIN {
    constants = types = 0
    # The template has functions of its own for them.
    written["anydnnGetVersion"] = written["anydnnGetProperty"] = 1
    # cuDNN got these later: they are constants, but no members.
    later["ANYDNN_DATA_BFLOAT16"] = later["ANYDNN_DATA_INT64"] = 1
    later["ANYDNN_FMA_MATH"] = later["ANYDNN_ACTIVATION_SWISH"] = 1
    of_cudnn["anydnnDebug_t"] = of_cudnn["anydnnSeverity_t"] = 1
    of_cudnn["anydnnDeterminism_t"] = 1
    # The template takes over CUDA's types in the place of these.
    foreign["anydnnStream_t"] = foreign["anydnnLibraryPropertyType_t"] = 1
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

# ---- what the template's marks stand for

# The name of the symbol behind form k, whatever view of anydnn.h a program takes.
function raw_name(i, k,    name) {
    name = symbol_of(i, k)
    sub(/^anydnn/, "anydnnCompat", name)
    return name
}

function raw_prototype(i, k, name) {
    return "ANYDNN_API " result_of[entry[i], form_key(i, k)] name arguments_of[entry[i], form_key(i, k)]
}

function print_raw(i, k, labelled) {
    if (labelled) {
        print folded(raw_prototype(i, k, raw_name(i, k))) "\n    ANYDNN_COMPAT_SYMBOL(" symbol_of(i, k) ");"
        return
    }
    print "#define " raw_name(i, k) " " own_symbol(i, k)
    if (forms[i] > 1)
        print folded(raw_prototype(i, k, own_symbol(i, k)) ";")
}

function is_own(name) {
    return name in of_cudnn && !(name in foreign) && (name in enumeration || name in struct)
}

# How an argument is handed on: cast where its type is the header's own.
function handed_on(text,    name, type_text) {
    name = argument_name(text)
    if (text == "void")
        return ""
    type_text = substr(text, 1, length(text) - length(name))
    sub(/ +$/, "", type_text)
    if (text ~ /anydnnCallback_t fptr/)
        return "(anydnnCallback_t)(void (*)(void))" name
    if (text ~ /anydnnCallback_t \*/)
        return "(anydnnCallback_t *)" name
    # The only struct that is passed by value.
    if (text ~ /^anydnnAlgorithm_t [a-z]/)
        return "anydnnCompatAlgorithm(" name ")"
    if (name == "requestedAlgoCount")
        return "ANYDNN_COMPAT_WANTED(" name ")"
    if (text ~ /AlgoPerf_t \*/)
        return name " ? found : 0"
    if (match(text, /anydnn[A-Za-z]+_t/) && is_own(substr(text, RSTART, RLENGTH)))
        return "(" type_text ")" name
    return name
}

# Where the library itself writes statuses: they are cuDNN's as well.
function mend_statuses(text, count, part,    a, out) {
    for (a = 1; a <= count; a++) {
        if (part[a] ~ /anydnnStatus_t \*/)
            out = out "    if (" argument_name(part[a]) ")\n        anydnnCompatStatusAt(" argument_name(part[a]) ");\n"
        if (part[a] ~ /AlgoPerf_t \*/)
            out = out "    if (answer == CUDNN_STATUS_SUCCESS)\n        *returnedAlgoCount =\n" \
                "            anydnnCompatKeep(found, *returnedAlgoCount, requestedAlgoCount, " argument_name(part[a]) ");\n"
    }
    return out
}

# Results are asked for in anydnn's own struct, of which some are handed on.
function print_found(text) {
    if (match(text, /anydnn[A-Za-z]+AlgoPerf_t \*/))
        print "    " substr(text, RSTART, RLENGTH - 2) " found[ANYDNN_COMPAT_ANSWERS];"
}

function print_wrapper(i, k, name,    text, count, part, a, call, mended, result) {
    text = arguments_of[entry[i], form_key(i, k)]
    result = renamed(result_of[entry[i], form_key(i, k)])
    sub(/^\(/, "", text)
    sub(/\)$/, "", text)
    count = split(text, part, /, */)
    for (a = 1; a <= count; a++)
        call = call (a > 1 ? ", " : "") handed_on(part[a])
    call = raw_name(i, k) "(" call ")"
    mended = mend_statuses(text, count, part)
    if (result ~ /^cudnnStatus_t/)
        call = "anydnnCompatStatus(" call ")"
    print folded("ANYDNN_COMPAT_INLINE " result name "(" renamed(text) ")") "\n{"
    if (mended == "")
        print folded("    return " call ";") "\n}\n"
    else {
        print_found(text)
        print folded("    cudnnStatus_t answer = " call ";") "\n\n" mended "    return answer;\n}\n"
    }
}

function print_raws(labelled,    i, k) {
    for (i = 0; i < entries; i++)
        for (k = 0; k < forms[i] && of_cudnn_7(i); k++)
            print_raw(i, k, labelled)
}

function print_wrappers(    i) {
    for (i = 0; i < entries; i++)
        if (of_cudnn_7(i))
            print_wrapper(i, 0, renamed(entry[i]))
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

# ---- what anydnn lacks

function print_stub(name, text,    count, part, a, unused) {
    if (declared_only) {
        print folded("cudnnStatus_t " name "(" text ");")
        return
    }
    count = split(text, part, /, */)
    for (a = 1; a <= count; a++)
        unused = unused "    (void)" argument_name(part[a]) ";\n"
    print folded("ANYDNN_COMPAT_INLINE cudnnStatus_t " name "(" text ")") "\n{\n" unused \
        "    return anydnnCompatStatus(anydnnCompatNotImplemented(\"" name "\"));\n}\n"
}

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
            print_stub(lacking_name[l], text)
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
    else if ($0 == "@LABELLED@")
        print_raws(1)
    else if ($0 == "@PLAIN@")
        print_raws(0)
    else if ($0 == "@WRAPPERS@")
        print_wrappers()
    else if ($0 == "@LACKING@")
        print_lacking()
    else
        print
}
