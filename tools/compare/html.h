/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of compare's page. */
#ifndef TOOLS_COMPARE_HTML_H
#define TOOLS_COMPARE_HTML_H

#include "tools/compare/compare.h"
#include "tools/report/page.h"

/* The outputs nearest to their bound as a table. */
void compare_html_worst(struct page *page, const json_t *answers);

#endif
