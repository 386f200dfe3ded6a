# SPDX-License-Identifier: Apache-2.0
# Makes anydnn/views.h from entries.def. It has the levels of anydnn.h. For each entry whose declaration
# depends on the level, it has a macro for each form. With -v list=L, prints the declarations of view L for
# the tests, one per line:
#   NAME SYMBOL deprecated|-
#   awk -f table.awk -f views.awk entries.def

# Stores in declared[] the names under which view `view` declares form k of entry i. Returns their number.
function names_of(i, k, view,    n, since, next_since) {
    since = level[i, k]
    next_since = deprecated_from(i, k)
    n = 0
    if (view < since)
        return n
    if (k == 0 ? !next_since || view <= next_since : view > since && (!next_since || view <= next_since))
        declared[n++] = entry[i]
    if ((k > 0 && (view == since || view == since + 1)) || (next_since && view == next_since + 1))
        declared[n++] = suffixed(i, k)
    return n
}

# Returns the symbol of a name. A plain name has the symbol of its form; a suffixed name is itself a symbol.
function bound_to(i, k, name) {
    return name == entry[i] ? symbol_of(i, k) : name
}

# Returns a declaration. `again` is 1 if another name of this form is declared before it.
function declaration(i, k, name, since_old, again,    symbol_name, old) {
    symbol_name = bound_to(i, k, name)
    old = since_old ? " ANYDNN_DEPRECATED(\"changed at API level " since_old ": " symbol_of(i, k + 1) " is the new form\")" : ""
    if (name == symbol_name)
        return "ANYDNN_API result " name " arguments" old
    return (again ? "ANYDNN_LABELLED_AGAIN" : "ANYDNN_LABELLED") "(result, " name ", " symbol_name ", arguments," old ")"
}

function macro_line(i, k, text) {
    return "#define ANYDNN_FORM_" entry[i] "_" level[i, k] "(result, arguments) \\\n    " text "\n"
}

# Returns the macro of form k in the view. The suffixed name comes first, since it is the only one without labels.
function form_macro(i, k, view,    n, d, text, old) {
    old = deprecated_from(i, k)
    old = old && view >= old ? old : 0
    n = names_of(i, k, view)
    for (d = n - 1; d >= 0; d--)
        text = text (text == "" ? "" : "; \\\n    ") declaration(i, k, declared[d], old, d < n - 1)
    return macro_line(i, k, text == "" ? "ANYDNN_NOT_DECLARED" : text)
}

# Returns the macro for the plain name of a changed entry, for compilers without labels.
function plain_macro(i, view,    k, n, d, text) {
    for (k = 1; k < forms[i]; k++) {
        n = names_of(i, k, view)
        for (d = 0; d < n; d++)
            if (declared[d] == entry[i])
                text = "#ifndef ANYDNN_LABELS\n#define " entry[i] " " symbol_of(i, k) "\n#endif\n"
    }
    return text
}

function view_text(i, view,    k, text) {
    for (k = 0; k < forms[i]; k++)
        text = text form_macro(i, k, view)
    return text plain_macro(i, view)
}

function every_form_text(i,    k, text) {
    for (k = 0; k < forms[i]; k++)
        text = text macro_line(i, k, "ANYDNN_API result " symbol_of(i, k) " arguments" \
            (k == 0 && forms[i] > 1 ? "; \\\n    ANYDNN_API result " suffixed(i, 0) " arguments" : ""))
    return text
}

function branch(from, to) {
    return "ANYDNN_API_LEVEL " (from == to ? "== " from : to == newest ? ">= " from : \
        ">= " from " && ANYDNN_API_LEVEL <= " to)
}

# Prints the branches of an entry. Consecutive views with the same text share a branch.
function print_entry(i,    view, text, next_text, from) {
    printf "\n#ifdef ANYDNN_EVERY_FORM\n%s", every_form_text(i)
    from = 1
    text = view_text(i, 1)
    for (view = 2; view <= newest + 1; view++) {
        next_text = view <= newest ? view_text(i, view) : ""
        if (next_text != text) {
            printf "#elif %s\n%s", branch(from, view - 1), text
            from = view
        }
        text = next_text
    }
    print "#endif"
}

function print_list(view,    i, k, n, d, old) {
    for (i = 0; i < entries; i++)
        for (k = 0; k < forms[i]; k++) {
            n = names_of(i, k, view)
            old = deprecated_from(i, k)
            for (d = 0; d < n; d++)
                print declared[d], bound_to(i, k, declared[d]), (old && view >= old ? "deprecated" : "-")
        }
}

function print_head() {
    print "/* SPDX-License-Identifier: Apache-2.0 */"
    print "/*"
    print " * The levels of anydnn.h, and the names under which each view declares the entries that changed."
    print " * views.awk makes this file from core/abi/entries.def. Only anydnn.h includes it."
    print " *"
    print " *   ANYDNN_NO_LABELS    Binds new forms by macros. Define it for a compiler that claims to be gcc"
    print " *                       but lacks asm labels."
    print " *   ANYDNN_EVERY_FORM   Declares every form under its symbol's name. The library defines it."
    print " *   ANYDNN_DEPRECATED   Marks old forms with a text. Define it as empty to omit the mark."
    print " */"
    print "#ifndef ANYDNN_VIEWS_H"
    print "#define ANYDNN_VIEWS_H"
    print ""
    printf "#define ANYDNN_API_LEVEL_NEWEST %d\n", newest
    print "#ifndef ANYDNN_API_LEVEL"
    print "#define ANYDNN_API_LEVEL ANYDNN_API_LEVEL_NEWEST"
    print "#endif"
    print "#if ANYDNN_API_LEVEL < 1 || ANYDNN_API_LEVEL > ANYDNN_API_LEVEL_NEWEST"
    print "#error \"ANYDNN_API_LEVEL names a view that this anydnn.h does not have\""
    print "#endif"
    print ""
    print "#if defined(__GNUC__) && !defined(ANYDNN_NO_LABELS) && !defined(ANYDNN_EVERY_FORM)"
    print "#define ANYDNN_LABELS 1"
    print "#endif"
    print "#ifndef ANYDNN_DEPRECATED"
    print "#if defined(__GNUC__)"
    print "#define ANYDNN_DEPRECATED(text) __attribute__((deprecated(text)))"
    print "#else"
    print "#define ANYDNN_DEPRECATED(text)"
    print "#endif"
    print "#endif"
    print ""
    print "#define ANYDNN_TEXT_OF(token)   ANYDNN_TEXT_OF_(token)"
    print "#define ANYDNN_TEXT_OF_(token)  #token"
    print "#define ANYDNN_NOT_DECLARED     struct anydnnNotDeclared"
    print "#ifdef ANYDNN_LABELS"
    print "#define ANYDNN_LABELLED(result, name, symbol, arguments, old) \\"
    print "    ANYDNN_API result name arguments __asm__(ANYDNN_TEXT_OF(__USER_LABEL_PREFIX__) #symbol) old"
    print "#define ANYDNN_LABELLED_AGAIN(result, name, symbol, arguments, old) \\"
    print "    ANYDNN_LABELLED(result, name, symbol, arguments, old)"
    print "#else"
    print "#define ANYDNN_LABELLED(result, name, symbol, arguments, old) \\"
    print "    ANYDNN_API result symbol arguments old"
    print "#define ANYDNN_LABELLED_AGAIN(result, name, symbol, arguments, old) ANYDNN_NOT_DECLARED"
    print "#endif"
    print ""
    print "/* Declares the form of `entry` that `level` introduced, if the view has it. */"
    print "#define ANYDNN_FORM(result, entry, level, arguments) \\"
    print "    ANYDNN_FORM_##entry##_##level(result, arguments)"
}

END {
    if (table_end())
        exit 1
    if (list) {
        print_list(list)
        exit
    }
    print_head()
    for (i = 0; i < entries; i++)
        if (forms[i] > 1 || level[i, 0] > 1)
            print_entry(i)
    print "\n#endif"
}
