/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a backend leaves the floating-point environment as the host set it. What it changed is
 * put back at once, so that the next function, the oracle and the judge compute as they should. */
#include "tools/verify/checks/target.h"

#include "sys/float_mode.h"

/* The function that left it changed; some are called where no finding can be made. */
static _Thread_local const char *changed_by;

void verify_environment_look(const char *function)
{
    if (!adn_float_is_changed())
        return;
    adn_float_set_standard();
    if (!changed_by)
        changed_by = function;
}

int verify_environment(const char *function, struct verify_finding *finding)
{
    const char *by;

    verify_environment_look(function);
    by = changed_by;
    changed_by = NULL;
    if (!by)
        return 0;
    return verify_note(finding, "environment",
                       "%s left the floating-point environment changed: rounding, flushing to "
                       "zero, precision or traps; it must put back what it changes",
                       by);
}
