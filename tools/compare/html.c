/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the answers as a page: figures of the errors, and of the cost of speed. */
#include "tools/compare/html.h"

#include <stdlib.h>

/* Lists the sides that did not run, with the reasons. */
static void put_absent(struct page *page, const json_t *answers)
{
    for (size_t i = 0; i < json_array_size(answers); i++)
        for (size_t side = 0; side < COMPARE_SIDES; side++) {
            const json_t *answer = json_array_get(answers, i);
            const json_t *at = compare_side(answer, side);

            if (json_object_get(at, "reason") != NULL)
                page_paragraph(page, "%s: %s %s: %s", tool_text_of(answer, "layer"),
                               tool_text_of(at, "pair"), tool_text_of(at, "outcome"),
                               tool_text_of(at, "reason"));
        }
}

static void put_lead(struct page *page, const struct html_figures *figures)
{
    size_t problems = json_array_size(figures->answers);

    if (figures->names != NULL)
        page_paragraph(page,
                       "%zu problems. A is %s, B is %s; both are compared with a reference in "
                       "double precision.",
                       problems, figures->names[0], figures->names[1]);
    else
        page_paragraph(page,
                       "%zu problems in several comparisons; each side is compared with a "
                       "reference in double precision.",
                       problems);
    if (figures->sampled > 0)
        page_paragraph(page,
                       "These are samples: of a large result only some values are judged, one from "
                       "each of as many equal parts. With 95 %% confidence, at most %.2g %% of the "
                       "values have larger errors than the worst sampled one. A sample cannot show "
                       "where they are or how large they are.",
                       100 * figures->sampled);
    if (figures->left_out > 0)
        page_paragraph(page, "The figures omit %d outputs of further sides or types.",
                       figures->left_out);
}

int compare_html(struct tool *tool, const char *path, const char *title, const char *const *names,
                 const json_t *answers)
{
    struct html_figures *figures = tool_alloc(sizeof(*figures));
    struct page page;
    int code = page_open(tool, path, title, &page);

    *figures = (struct html_figures){.names = names, .answers = answers};
    if (code == TOOL_FINE) {
        html_gather(figures);
        put_lead(&page, figures);
        put_absent(&page, answers);
        html_put_figures(&page, figures);
        compare_html_worst(&page, answers);
        html_put_rows(&page, figures);
        code = page_close(tool, &page);
    }
    html_free(figures);
    free(figures);
    return code;
}
