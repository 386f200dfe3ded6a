/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of mismatches. */
#ifndef ADN_SHADOW_REPORT_H
#define ADN_SHADOW_REPORT_H

#include "judge/element.h"
#include "judge/subject.h"
#include "shadow/watch.h"

/* Reacts to outputs beyond their bounds as the settings state. `verdict` is that of the worst
 * output. */
void adn_shadow_report(struct adn_shadowed *own, const struct adn_subject *subject, int slot,
                       const struct adn_verdict *verdict);

#endif
