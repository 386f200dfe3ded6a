/* SPDX-License-Identifier: Apache-2.0 */
/* The double-precision reference: cpu_ref on a host handle, given problems as text. */
#include "compare.h"

#include <stdlib.h>
#include <string.h>

#define SUCCESS ANYDNN_STATUS_SUCCESS

int compare_reference_open(struct compare *compare)
{
    if (anydnnCreateOnDevice(&compare->reference, "cpu") == SUCCESS &&
        anydnnSetRoute(compare->reference, "*", NULL, "cpu_ref, fallback:off") == SUCCESS)
        return TOOL_FINE;
    return tool_fail_status(compare->tool, TOOL_FAILED);
}

/* Images by slot; an execution takes those of the present operands alone. */
static anydnnStatus_t execute_on(anydnnHandle_t handle, anydnnProblem_t problem, uint32_t present,
                                 void *image[VERIFY_SLOTS])
{
    void *pointers[VERIFY_SLOTS];
    void *workspace = NULL;
    size_t bytes = 0;
    int count = 0;
    anydnnStatus_t status = anydnnProblemGetWorkspaceSize(handle, problem, &bytes);

    for (int i = 0; i < VERIFY_SLOTS; i++)
        if (present >> i & 1)
            pointers[count++] = image[i];
    if (status == SUCCESS && bytes > 0)
        status = anydnnMemAlloc(handle, bytes, &workspace);
    if (status == SUCCESS)
        status = anydnnProblemExecute(handle, problem, pointers, workspace, bytes);
    anydnnMemFree(handle, workspace);
    return status;
}

static int run(struct verify_oracle *oracle, const struct adn_problem *wide,
               const struct adn_values *values, void *image[VERIFY_SLOTS], char *sentence)
{
    const struct compare *compare = oracle->own;
    char *text = tool_alloc(ADN_PROBLEM_TEXT_MAX);
    anydnnProblem_t problem = NULL;
    anydnnStatus_t status;

    adn_problem_print(wide, values, text, ADN_PROBLEM_TEXT_MAX);
    status = anydnnProblemParse(text, &problem);
    if (status == SUCCESS)
        status = execute_on(compare->reference, problem, wide->present, image);
    if (status != SUCCESS)
        anydnnGetLastErrorString(sentence, VERIFY_SENTENCE);
    anydnnProblemDestroy(problem);
    free(text);
    return status == SUCCESS ? 0 : status == ANYDNN_STATUS_NOT_SUPPORTED ? 1 : -1;
}

void compare_reference(struct compare *compare, struct verify_oracle *oracle)
{
    memset(oracle, 0, sizeof(*oracle));
    oracle->run = run;
    oracle->own = compare;
}
