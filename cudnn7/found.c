/* SPDX-License-Identifier: Apache-2.0 */
/* Converts lists of results: from anydnn's 80 bytes each to cuDNN 7's 48. */
#include "cudnn7/shim.h"

anydnnStatus_t cudnn7_found(anydnnStatus_t status, const union cudnn7_answers *answers, int count,
                            int requested, int *returned, struct cudnn7_perf *results)
{
    int given = 0;

    if (status != ANYDNN_STATUS_SUCCESS)
        return cudnn7_status(status);
    for (int i = 0; i < count && given < requested; i++) {
        const anydnnConvolutionFwdAlgoPerf_t *answer = &answers->Fwd[i];

        if (cudnn7_has_number(answer->mathType))
            results[given++] = (struct cudnn7_perf){.algo = (int)answer->algo,
                                                    .status = (int)cudnn7_status(answer->status),
                                                    .time = answer->time,
                                                    .memory = answer->memory,
                                                    .determinism = (int)answer->determinism,
                                                    .mathType = (int)answer->mathType};
    }
    *returned = given;
    return ANYDNN_STATUS_SUCCESS;
}
