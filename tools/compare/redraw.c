/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the page from the JSON output of one or more comparisons, on a machine that has gnuplot. */
#include "tools/compare/compare.h"

/* Checks that errors refer to a side of a comparison. Nothing else in the file is checked. */
static void check_side(void *cookie, const json_t *answer, const json_t *output,
                       const json_t *errors)
{
    long long side = compare_count(errors, "side");

    (void)answer;
    (void)output;
    if (side < 0 || side >= COMPARE_SIDES)
        *(int *)cookie = 0;
}

static int add_file(struct tool *tool, const char *path, json_t *answers)
{
    json_error_t error;
    json_t *whole = json_load_file(path, 0, &error);
    const json_t *layers = json_object_get(whole, "layers");
    json_int_t schema = json_integer_value(json_object_get(whole, "schema"));
    int sound = json_is_array(layers);

    if (schema > TOOL_JSON_SCHEMA) {
        json_decref(whole);
        return tool_fail(tool, TOOL_USAGE,
                         "%s: the file has schema %lld, and this program reads schema %d", path,
                         (long long)schema, TOOL_JSON_SCHEMA);
    }
    compare_each_of(layers, check_side, &sound);
    if (sound)
        json_array_extend(answers, json_object_get(whole, "layers"));
    json_decref(whole);
    if (whole == NULL)
        return tool_fail(tool, TOOL_USAGE,
                         "%s:%d: %s; --redraw requires output of compare --json, not of --csv",
                         path, error.line, error.text);
    return sound ? TOOL_FINE
                 : tool_fail(tool, TOOL_USAGE, "%s: not output of compare --json", path);
}

int compare_redraw(struct tool *tool, const char *html, int count, char **paths)
{
    json_t *answers = json_array();
    int code = TOOL_FINE;

    if (html == NULL || count == 0)
        code = tool_fail(tool, TOOL_USAGE,
                         "--redraw requires --html FILE and files with output of compare --json");
    for (int i = 0; i < count && code == TOOL_FINE; i++)
        code = add_file(tool, paths[i], answers);
    if (code == TOOL_FINE)
        code = compare_html(tool, html, "Errors against double precision", NULL, answers);
    json_decref(answers);
    return code;
}
