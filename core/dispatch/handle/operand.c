/* SPDX-License-Identifier: Apache-2.0 */
/* What lies in an operand, brought to the host where it is not there. */
#include "dispatch/handle/operand.h"

#include <stdlib.h>

#include "desc/shape.h"
#include "problem/host.h"
#include "problem/problem.h"

int32_t adn_view_begin(const struct anydnnContext *handle, void *stream,
                       const struct adn_problem *problem, int32_t slot, const void *data,
                       struct adn_view *view)
{
    int64_t bytes = adn_shape_bytes(&problem->tensor[slot]);
    int32_t result;

    view->bytes = data;
    view->own = NULL;
    if (handle->space->host || adn_problem_on_host(problem, slot))
        return 0;
    view->own = malloc((size_t)bytes);
    view->bytes = view->own;
    if (!view->own)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    result = ADN_BACKEND_CALL(handle->space->functions->memory_copy(
        handle->device, stream, view->own, data, (uint64_t)bytes, ANYDNN_PLUGIN_COPY_FROM));
    adn_load_error_clear();
    if (result != 0)
        adn_view_end(view);
    return result;
}

void adn_view_end(struct adn_view *view)
{
    free(view->own);
    view->own = NULL;
}
