/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the dynamic linker: it opens a backend's file, looks up its symbols, and finds the file
 * that holds an address. */
#include "load/dl.h"

#include <dlfcn.h>
#include <errno.h>
#include <libintl.h>
#include <link.h>
#include <string.h>

#include "load/attempt.h"
#include "sys/error.h"
#include "sys/log.h"

/* Remedies for messages of the dynamic linker, each by a part of the message. */
static const struct {
    const char *part;
    const char *advice;
} dl_advice[] = {
    {"undefined symbol", "link the backend with -Wl,-z,defs and with every library that it uses"},
    {"version `", "rebuild the backend on this system, or update the library that it names"},
    {"cannot allocate memory in static TLS", "build the backend without -ftls-model=initial-exec"},
    {"cannot open shared object file",
     "install the missing library, or rebuild the backend without it"},
    {"invalid ELF header", "this file is not a shared object; install the backend again"},
    {"file too short", "this file is not a whole shared object; install the backend again"},
    {"wrong ELF class", "the backend was built for another kind of machine"},
    {"cannot open shared object", "see the file's mode and the mount options of its folder"},
};

static const char *dl_advise(const char *text)
{
    for (size_t i = 0; i < sizeof(dl_advice) / sizeof(dl_advice[0]); i++) {
        if (strstr(text, dl_advice[i].part))
            return dl_advice[i].advice;
    }
    return "ldd names the libraries that a file needs";
}

/* Notes a shortage that the message names. The dynamic linker leaves no errno, but its messages
 * mostly contain the text of errno. If it lacks memory itself, they contain these words, in the
 * user's language. */
static void dl_note_shortage(const char *text)
{
    /* If nothing follows these words, the file exists, but there was no memory for its name. */
    const char *name = strstr(text, dgettext("libc", "cannot open shared object file"));
    static const int errors[] = {ENOMEM, EMFILE, ENFILE};
    static const char *const sentences[] = {
        "out of memory",
        "cannot create shared object descriptor",
        "cannot allocate name record",
        "cannot allocate dependency list",
        "cannot allocate version reference table",
        "cannot allocate symbol search list",
        "cannot create scope list",
        "cannot create searchlist",
        "cannot create search path array",
        "cannot create cache for search path",
        "cannot create RUNPATH/RPATH copy",
        "cannot create TLS data structures",
        "cannot extend global scope",
        "cannot map zero-fill pages",
    };

    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        if (strstr(text, strerror(errors[i])))
            adn_shortage(errors[i]);
    }
    for (size_t i = 0; i < sizeof(sentences) / sizeof(sentences[0]); i++) {
        if (strstr(text, dgettext("libc", sentences[i])))
            adn_shortage(ENOMEM);
    }
    if (name && !strchr(name, ':'))
        adn_shortage(ENOMEM);
}

int adn_load_dl_open(struct adn_load_attempt *attempt)
{
    /* If the backend's code ends the process, the last line of the log names the backend. */
    adn_info("backend %s: opening %s", attempt->slot->backend.name, attempt->real_path);
    /* LOCAL lets two backends use the same names. NOW reports missing symbols here and not in a
     * call. NODELETE keeps the code, since threads and exit handlers of a backend may outlive every
     * use. */
    attempt->object = dlopen(attempt->real_path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (attempt->object)
        return 0;
    const char *text = dlerror();

    if (!text)
        text = "the dynamic linker reports no cause";
    dl_note_shortage(text);
    return adn_load_refuse(attempt, "%s cannot be opened: %s: %s", attempt->slot->backend.path,
                           text, dl_advise(text));
}

int adn_load_dl_holds(void *object, const void *address)
{
    struct link_map *own = NULL;
    struct link_map *found = NULL;
    Dl_info info;

    return dlinfo(object, RTLD_DI_LINKMAP, &own) == 0 &&
           dladdr1(address, &info, (void **)&found, RTLD_DL_LINKMAP) != 0 && own == found;
}

const char *adn_load_dl_file(const void *address)
{
    Dl_info info;

    if (dladdr(address, &info) == 0 || !info.dli_fname || !info.dli_fname[0])
        return "no file";
    return info.dli_fname;
}

struct adn_load_symbol adn_load_dl_symbol(void *object, const char *name)
{
    struct adn_load_symbol symbol = {NULL, 0, 0};
    const ElfW(Sym) *entry = NULL;
    Dl_info info;
    /* dlsym also searches the libraries that the object needs, and one of them may be a backend. */
    void *address = dlsym(object, name);

    if (!address || !adn_load_dl_holds(object, address))
        return symbol;
    symbol.address = address;
    if (dladdr1(address, &info, (void **)&entry, RTLD_DL_SYMENT) != 0 && entry) {
        int type = ELF64_ST_TYPE(entry->st_info);

        symbol.is_code = type == STT_FUNC || type == STT_GNU_IFUNC;
        symbol.size = (size_t)entry->st_size;
    }
    return symbol;
}
