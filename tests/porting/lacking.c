/* SPDX-License-Identifier: Apache-2.0 */
/* Calls functions of families that anydnn lacks. Each must report that it is not supported, with
 * its name. */
#include <cudnn.h>
#include <stdio.h>
#include <string.h>

static int refused(const char *name, cudnnStatus_t status)
{
    char sentence[200];

    anydnnGetLastErrorString(sentence, sizeof(sentence));
    if (status == CUDNN_STATUS_NOT_SUPPORTED && strstr(sentence, name))
        return 1;
    fprintf(stderr, "%s: %d, %s\n", name, (int)status, sentence);
    return 0;
}

#define REFUSED(name, arguments) refused(#name, name arguments)

int main(void)
{
    cudnnRNNDescriptor_t rnn = NULL;
    cudnnAttnDescriptor_t attention = NULL;
    cudnnFusedOpsPlan_t plan = NULL;
    int result = 0;

    result |= !REFUSED(cudnnCreateRNNDescriptor, (&rnn));
    result |=
        !REFUSED(cudnnSetRNNDescriptor_v5, (rnn, 8, 2, NULL, CUDNN_LINEAR_INPUT,
                                            CUDNN_BIDIRECTIONAL, CUDNN_LSTM, CUDNN_DATA_FLOAT));
    result |=
        !REFUSED(cudnnRNNForwardInference, (NULL, rnn, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                            NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0));
    result |= !REFUSED(cudnnCreateAttnDescriptor, (&attention));
    result |=
        !REFUSED(cudnnCreateFusedOpsPlan, (&plan, CUDNN_FUSED_SCALE_BIAS_ACTIVATION_CONV_BNSTATS));
    (void)cudnnGetCudartVersion();
    return result;
}
