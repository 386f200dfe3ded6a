# SPDX-License-Identifier: Apache-2.0
# Makes the functions with cuDNN 7's meaning from entries.def, anydnn.h and cudnn7.def. For each entry of
# cuDNN 7 it makes one that calls anydnn's, and for each ranked list the _v7 form. For each function that
# anydnn lacks, it makes one that reports this. libcudnn.so.7 has them under cuDNN's names, libanydnn under
# those that the porting header binds. With list=1, it prints a row for every name of libcudnn.so.7, with 1
# if the function runs.
#   awk -f table.awk -f header.awk -f cudnn7.awk -f forward.awk entries.def anydnn.h cudnn7.def

BEGIN {
    # both.c, calls.c and ported.c define these functions.
    split("Create GetCallback GetErrorString GetProperty GetVersion QueryRuntimeError SetCallback", name_of_call, " ")
    for (n in name_of_call)
        written["anydnn" name_of_call[n]] = 1
    also = "GetCudartVersion GetBackdoor SetBackdoor SetBackdoorEx"
}

# Returns the name of the member of union cudnn7_answers for such results.
function answers_of(text) {
    return match(text, /Convolution(Fwd|BwdData|BwdFilter)AlgoPerf_t/) ? substr(text, RSTART + 11, RLENGTH - 21) : ""
}

# Returns the expression that passes an argument on.
function argument_of(text,    name) {
    name = argument_name(text)
    if (text == "void")
        return ""
    if (answers_of(text) != "")
        return name " ? answers." answers_of(text) " : NULL"
    if (name == "requestedAlgoCount")
        return "cudnn7_wanted(" name ")"
    if (name == "returnedAlgoCount")
        return name " ? &count : NULL"
    return name
}

# Returns the name of a function in the library that is compiled.
function in_library(name) {
    sub(/^(cudnn|anydnn)/, "", name)
    return "CUDNN7_NAME(" name ")"
}

function print_function(name, symbol, text, dropped,    count, part, a, takes, call, ranked) {
    sub(/^\(/, "", text)
    sub(/\)$/, "", text)
    count = split(text, part, /, */)
    for (a = 1; a <= count; a++) {
        ranked = ranked answers_of(part[a])
        call = call (a > 1 ? ", " : "") (part[a] == dropped ? "(size_t)-1" : argument_of(part[a]))
        if (part[a] == dropped)
            continue
        if (answers_of(part[a]) != "")
            sub(/anydnnConvolution[A-Za-z]*AlgoPerf_t \*/, "CUDNN7_RESULTS(" answers_of(part[a]) ")", part[a])
        takes = takes (takes != "" ? ", " : "") part[a]
    }
    text = "ANYDNN_API anydnnStatus_t " in_library(name) "(" takes ")"
    print folded(text ";") "\n" folded(text) "\n{"
    if (ranked == "")
        print folded("    return cudnn7_status(" symbol "(" call "));") "\n}\n"
    else
        print "    union cudnn7_answers answers;\n    int count = 0;\n" \
            folded("    anydnnStatus_t status = " symbol "(" call ");") "\n\n" \
            "    return cudnn7_found(status, &answers, count, requestedAlgoCount, returnedAlgoCount, perfResults);\n}\n"
}

# Prints the _v7 form. anydnn's form has a workspace limit, which cuDNN 7's lacks.
function print_ranked(i) {
    print_function(renamed(entry[i]) "_v7", suffixed(i, 1), arguments_of[entry[i], form_key(i, 1)], "size_t workspaceLimit")
}

function print_all(    i, l) {
    print "/* forward.awk makes this file from core/abi/entries.def, core/abi/cudnn7.def and anydnn.h. */\n#include \"cudnn7/functions.h\"\n"
    for (i = 0; i < entries; i++) {
        if (!of_cudnn_7(i))
            continue
        print_function(renamed(entry[i]), own_symbol(i, 0), arguments_of[entry[i], form_key(i, 0)])
        if (forms[i] > 1)
            print_ranked(i)
    }
    for (l = 0; l < lacking; l++)
        if (lacking_kind[l] == "call" && !is_had(lacking_name[l]))
            print "CUDNN7_MISSING(" substr(lacking_name[l], 6) ")"
}

function print_row(name, runs) {
    print "{\"" name "\", " runs "},"
}

function list_all(    i, l, n, count, part) {
    print "/* forward.awk makes this file from core/abi/entries.def, core/abi/cudnn7.def and anydnn.h. */"
    for (i = 0; i < entries; i++)
        if (!ours[i]) {
            print_row(renamed(entry[i]), 1)
            if (forms[i] > 1)
                print_row(renamed(entry[i]) "_v7", 1)
        }
    for (l = 0; l < lacking; l++)
        if (lacking_kind[l] == "call" && !is_had(lacking_name[l]))
            print_row(lacking_name[l], 0)
    count = split(also, part, " ")
    for (n = 1; n <= count; n++)
        print_row("cudnn" part[n], part[n] !~ /Backdoor/)
}

END {
    cudnn7_prepare()
    if (list)
        list_all()
    else
        print_all()
}
