/* SPDX-License-Identifier: Apache-2.0 */
/* Computes inputs that are outputs of another operation. The gradient of a maximum goes to the
 * element that equals y, so that with a random y kernels would skip most of their work. */
#include <stdlib.h>
#include <string.h>

#include "tools/bench/runner.h"
#include "tools/problem/words.h"

static char *forward_of(const char *text)
{
    static const char *const kept[] = {"x", "y", "mode", "window", "pad", "stride", "nan"};
    struct words from;
    struct words to;
    char *forward = NULL;

    words_read(&from, text);
    words_read(&to, "pooling_forward");
    if (strcmp(from.operation, "pooling_backward") == 0 && words_get(&from, "mode") != NULL &&
        strncmp(words_get(&from, "mode"), "max", 3) == 0) {
        for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
            words_set(&to, kept[i], words_get(&from, kept[i]));
        forward = words_print(&to);
    }
    words_free(&from);
    words_free(&to);
    return forward;
}

/* Runs the forward operation on the backend that the routes name. If none runs it, y stays
 * unchanged. */
static void run_forward(struct tool *tool, const struct contender *pair, const char *text,
                        const struct operands *operands, const struct buffers *buffers)
{
    int x = operands_index(operands, "x");
    int y = operands_index(operands, "y");
    struct contender routed;
    struct entrant entrant;

    if (!contender_open_routed(pair, &routed))
        return;
    if (entrant_make(tool, &routed, text, &entrant) == TOOL_FINE &&
        entrant_workspace(tool, &routed, &entrant) == TOOL_FINE && entrant.declined == NULL)
        for (int set = 0; set < buffers->sets; set++) {
            void *all[OPERANDS_MAX];
            void *two[2];

            buffers_pointers(buffers, set, all);
            two[0] = all[x];
            two[1] = all[y];
            entrant_call(&routed, &entrant, two);
        }
    anydnnSynchronize(routed.handle);
    entrant_free(&routed, &entrant);
    contender_close(&routed);
}

void bench_make_outputs(struct tool *tool, const struct contender *pair, const char *text,
                        const struct operands *operands, const struct buffers *buffers)
{
    char *forward = forward_of(text);

    if (forward != NULL)
        run_forward(tool, pair, forward, operands, buffers);
    free(forward);
}
