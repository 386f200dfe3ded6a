/* SPDX-License-Identifier: Apache-2.0 */
/* An oracle that gives problems as text to a handle, whose routes name the backend that is trusted.
 */
#include "tools/oracle/oracle.h"

#include <stdlib.h>
#include <string.h>

#include "desc/shape.h"
#include "judge/oracle.h"
#include "judge/subject.h"
#include "problem/host.h"
#include "problem/problem.h"
#include "problem/text.h"

#define SUCCESS ANYDNN_STATUS_SUCCESS

/* Memory of the handle that holds what the images hold. */
static anydnnStatus_t send(anydnnHandle_t handle, const struct adn_problem *wide,
                           void *const image[ADN_SLOTS], void *there[ADN_SLOTS])
{
    anydnnStatus_t status = SUCCESS;

    for (int i = 0; i < ADN_SLOTS && status == SUCCESS; i++) {
        size_t bytes = (size_t)adn_shape_bytes(&wide->tensor[i]);

        if (!(wide->present >> i & 1) || adn_problem_on_host(wide, i))
            continue;
        status = anydnnMemAlloc(handle, bytes, &there[i]);
        if (status == SUCCESS)
            status = anydnnMemCopy(handle, there[i], image[i], bytes, ANYDNN_MEMCPY_HOST_TO_DEVICE);
    }
    return status;
}

static anydnnStatus_t fetch(anydnnHandle_t handle, const struct adn_problem *wide,
                            void *const there[ADN_SLOTS], void *image[ADN_SLOTS])
{
    anydnnStatus_t status = SUCCESS;

    for (int i = 0; i < ADN_SLOTS && status == SUCCESS; i++)
        if (there[i] != NULL)
            status =
                anydnnMemCopy(handle, image[i], there[i], (size_t)adn_shape_bytes(&wide->tensor[i]),
                              ANYDNN_MEMCPY_DEVICE_TO_HOST);
    return status;
}

/* Images by slot; an execution takes those of the present operands alone. */
static anydnnStatus_t execute_on(anydnnHandle_t handle, anydnnProblem_t problem,
                                 const struct adn_problem *wide, void *image[ADN_SLOTS])
{
    void *there[ADN_SLOTS] = {NULL};
    void *pointers[ADN_SLOTS];
    void *workspace = NULL;
    size_t bytes = 0;
    int count = 0;
    anydnnStatus_t status = anydnnProblemGetWorkspaceSize(handle, problem, &bytes);

    if (status == SUCCESS)
        status = send(handle, wide, image, there);
    for (int i = 0; i < ADN_SLOTS; i++)
        if (wide->present >> i & 1)
            pointers[count++] = adn_problem_on_host(wide, i) ? image[i] : there[i];
    if (status == SUCCESS && bytes > 0)
        status = anydnnMemAlloc(handle, bytes, &workspace);
    if (status == SUCCESS)
        status = anydnnProblemExecute(handle, problem, pointers, workspace, bytes);
    if (status == SUCCESS)
        status = fetch(handle, wide, there, image);
    anydnnMemFree(handle, workspace);
    for (int i = 0; i < ADN_SLOTS; i++)
        anydnnMemFree(handle, there[i]);
    return status;
}

static int run(struct adn_oracle *oracle, const struct adn_problem *wide,
               const struct adn_values *values, void *image[ADN_SLOTS], char *sentence)
{
    char *text = tool_alloc(ADN_PROBLEM_TEXT_MAX);
    anydnnProblem_t problem = NULL;
    anydnnStatus_t status;

    adn_problem_print(wide, values, text, ADN_PROBLEM_TEXT_MAX);
    status = anydnnProblemParse(text, &problem);
    if (status == SUCCESS)
        status = execute_on(oracle->own, problem, wide, image);
    if (status != SUCCESS)
        anydnnGetLastErrorString(sentence, ADN_JUDGE_SENTENCE);
    anydnnProblemDestroy(problem);
    free(text);
    return status == SUCCESS ? 0 : status == ANYDNN_STATUS_NOT_SUPPORTED ? 1 : -1;
}

void oracle_on_handle(struct adn_oracle *oracle, anydnnHandle_t handle)
{
    memset(oracle, 0, sizeof(*oracle));
    oracle->run = run;
    oracle->own = handle;
}
