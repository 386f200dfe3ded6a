/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the data object anydnn_plugin_abi, and calls anydnn_plugin_main once if both sides have the
 * same plugin ABI. */
#include "load/attempt.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "load/dl.h"
#include "load/load.h"

/* The members that every backend has, however many a later minor number adds. */
#define HANDSHAKE_SIZE_LEAST (offsetof(struct anydnn_plugin_abi, reserved) + sizeof(uint32_t))

/* No description of this ABI is nearly as large. A larger size is a field that was never set. */
#define HANDSHAKE_SIZE_MAX 4096

static int handshake_symbols(struct adn_load_attempt *attempt, struct adn_load_symbol abi,
                             struct adn_load_symbol entry)
{
    const char *path = attempt->slot->backend.path;

    if (!abi.address && !entry.address)
        return adn_load_refuse(attempt,
                               "%s exports neither anydnn_plugin_abi nor anydnn_plugin_main: it is "
                               "not a backend; remove it, or export both (see plugin.h)",
                               path);
    if (!abi.address)
        return adn_load_refuse(
            attempt,
            "%s does not export the data object anydnn_plugin_abi: define it in the "
            "backend with ANYDNN_PLUGIN_ABI_INITIALIZER",
            path);
    if (abi.is_code)
        return adn_load_refuse(attempt,
                               "%s exports anydnn_plugin_abi as a function, not as a data object: "
                               "define it with ANYDNN_PLUGIN_ABI_INITIALIZER",
                               path);
    if (abi.size != 0 && abi.size < HANDSHAKE_SIZE_LEAST)
        return adn_load_refuse(
            attempt,
            "%s exports an anydnn_plugin_abi of %zu bytes, fewer than %zu: define it "
            "with ANYDNN_PLUGIN_ABI_INITIALIZER",
            path, abi.size, HANDSHAKE_SIZE_LEAST);
    return 0;
}

/* Compares versions. While the major number is 0, both must be equal. From 1 on, structures grow
 * only at their end, so that either side may have the larger minor number. */
static int handshake_agrees(const struct anydnn_plugin_abi *abi)
{
    if (ANYDNN_PLUGIN_ABI_MAJOR == 0 && abi->minor != ANYDNN_PLUGIN_ABI_MINOR)
        return 0;
    return abi->major == ANYDNN_PLUGIN_ABI_MAJOR;
}

/* Checks magic and version, whose places never change. Other members are read only after that. */
static int handshake_version(struct adn_load_attempt *attempt, const struct anydnn_plugin_abi *abi)
{
    const char *path = attempt->slot->backend.path;
    const uint32_t major = ANYDNN_PLUGIN_ABI_MAJOR;
    const uint32_t minor = ANYDNN_PLUGIN_ABI_MINOR;

    if (abi->magic != ANYDNN_PLUGIN_MAGIC)
        return adn_load_refuse(attempt,
                               "%s has the magic number 0x%" PRIx64
                               " in anydnn_plugin_abi instead of "
                               "0x%llx: it is not a backend of this library",
                               path, abi->magic, ANYDNN_PLUGIN_MAGIC);
    if (!handshake_agrees(abi)) {
        int older = abi->major < major || (abi->major == major && abi->minor < minor);

        return adn_load_refuse(
            attempt, "%s was built for plugin ABI %u.%u, but this library supports %u.%u: %s", path,
            abi->major, abi->minor, major, minor,
            older ? "rebuild the backend with this library's plugin.h"
                  : "update libanydnn, or rebuild the backend with this library's plugin.h");
    }
    if (abi->struct_size < HANDSHAKE_SIZE_LEAST || abi->struct_size > HANDSHAKE_SIZE_MAX)
        return adn_load_refuse(attempt,
                               "%s has struct_size %u in anydnn_plugin_abi; it must be %zu: define "
                               "it with ANYDNN_PLUGIN_ABI_INITIALIZER",
                               path, abi->struct_size, HANDSHAKE_SIZE_LEAST);
    return 0;
}

int adn_load_check_abi(struct adn_load_attempt *attempt)
{
    struct adn_load_symbol abi = adn_load_dl_symbol(attempt->object, "anydnn_plugin_abi");
    struct adn_load_symbol entry = adn_load_dl_symbol(attempt->object, "anydnn_plugin_main");

    if (handshake_symbols(attempt, abi, entry) != 0 || handshake_version(attempt, abi.address) != 0)
        return -1;
    if (!entry.address || !entry.is_code)
        return adn_load_refuse(
            attempt,
            "%s exports anydnn_plugin_abi but no function anydnn_plugin_main: define "
            "it with ANYDNN_PLUGIN_EXPORT",
            attempt->slot->backend.path);
    memcpy(&attempt->main, &entry.address, sizeof(attempt->main));
    return 0;
}

int adn_load_call_main(struct adn_load_attempt *attempt)
{
    const char *path = attempt->slot->backend.path;
    int32_t status;

    /* This happens once per process, even if a later step is tried again. */
    attempt->given = attempt->slot->given;
    if (attempt->given)
        return 0;
    status = ADN_BACKEND_CALL(attempt->main(&attempt->slot->backend.host, &attempt->given));
    if (status != 0) {
        const char *text = adn_load_error_text();

        return adn_load_refuse(
            attempt, "%s: its anydnn_plugin_main returned status %d%s%s", path, status,
            text[0] ? ": " : " without a message: report this to its vendor", text);
    }
    if (!attempt->given)
        return adn_load_refuse(attempt,
                               "%s: its anydnn_plugin_main returned success but no description "
                               "(NULL): report this to its vendor",
                               path);
    attempt->slot->given = attempt->given;
    return 0;
}
