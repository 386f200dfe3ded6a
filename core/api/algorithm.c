/* SPDX-License-Identifier: Apache-2.0 */
/* Algorithm objects: a descriptor holds the number of one of cuDNN's algorithms, a performance
 * object holds what was measured with it. A descriptor can be saved as bytes, which a program may
 * keep in a file, and restored. */
#include <anydnn/anydnn.h>

#include <stdint.h>
#include <string.h>

#include "desc/desc.h"
#include "dispatch/handle/handle.h"
#include "sys/callback.h"
#include "sys/error.h"

#define SUCCESS ANYDNN_STATUS_SUCCESS

/* A descriptor as bytes, in the machine's byte order. */
struct saved {
    char magic[8];
    uint32_t version;
    int32_t number;
};

static const struct saved saved_head = {.magic = "anydnnA", .version = 1};

/* ---- descriptors */

anydnnStatus_t anydnnCreateAlgorithmDescriptor(anydnnAlgorithmDescriptor_t *algoDesc)
{
    void *made = NULL;
    anydnnStatus_t status = adn_desc_create(__func__, "algoDesc", algoDesc, ADN_DESC_ALGORITHM,
                                            sizeof(struct anydnnAlgorithmStruct), &made);

    if (status == SUCCESS)
        *algoDesc = made;
    return status;
}

anydnnStatus_t anydnnDestroyAlgorithmDescriptor(anydnnAlgorithmDescriptor_t algoDesc)
{
    return adn_desc_destroy(__func__, "algoDesc", algoDesc, ADN_DESC_ALGORITHM);
}

/* The number belongs to one of several enumerations, which only the program knows, so any number is
 * accepted. */
anydnnStatus_t anydnnSetAlgorithmDescriptor(anydnnAlgorithmDescriptor_t algoDesc,
                                            anydnnAlgorithm_t algorithm)
{
    anydnnStatus_t status = adn_desc_check(__func__, "algoDesc", algoDesc, ADN_DESC_ALGORITHM);

    if (status != SUCCESS)
        return status;
    algoDesc->number = (int32_t)algorithm.algo.convFwdAlgo;
    adn_desc_stamp(&algoDesc->head);
    return SUCCESS;
}

anydnnStatus_t anydnnGetAlgorithmDescriptor(anydnnAlgorithmDescriptor_t algoDesc,
                                            anydnnAlgorithm_t *algorithm)
{
    static const char *const name = "algorithm";
    const void *output = algorithm;
    anydnnStatus_t status = adn_desc_check(__func__, "algoDesc", algoDesc, ADN_DESC_ALGORITHM);

    if (status == SUCCESS)
        status = adn_desc_check_outputs(__func__, &name, &output, 1);
    if (status == SUCCESS)
        algorithm->algo.convFwdAlgo = (anydnnConvolutionFwdAlgo_t)algoDesc->number;
    return status;
}

anydnnStatus_t anydnnCopyAlgorithmDescriptor(anydnnAlgorithmDescriptor_t src,
                                             anydnnAlgorithmDescriptor_t dest)
{
    anydnnStatus_t status = adn_desc_check(__func__, "src", src, ADN_DESC_ALGORITHM);

    if (status == SUCCESS)
        status = adn_desc_check(__func__, "dest", dest, ADN_DESC_ALGORITHM);
    if (status != SUCCESS)
        return status;
    dest->number = src->number;
    adn_desc_stamp(&dest->head);
    return SUCCESS;
}

/* ---- measurements */

static anydnnStatus_t check_count(const char *entry, const char *argument, int count,
                                  const void *array)
{
    if (!array)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: algoPerf is NULL; it must point to an array",
                        entry);
    return adn_desc_check_range(entry, argument, count, 0, INT32_MAX, "it must not be negative");
}

static void destroy_some(anydnnAlgorithmPerformance_t *algoPerf, int count)
{
    for (int i = 0; i < count; i++)
        adn_desc_destroy("anydnnDestroyAlgorithmPerformance", "algoPerf", algoPerf[i],
                         ADN_DESC_ALGORITHM_PERFORMANCE);
}

anydnnStatus_t anydnnCreateAlgorithmPerformance(anydnnAlgorithmPerformance_t *algoPerf,
                                                int numberToCreate)
{
    anydnnStatus_t status = check_count(__func__, "numberToCreate", numberToCreate, algoPerf);

    for (int i = 0; i < numberToCreate && status == SUCCESS; i++) {
        void *made = NULL;

        status = adn_desc_create(__func__, "algoPerf", algoPerf, ADN_DESC_ALGORITHM_PERFORMANCE,
                                 sizeof(struct anydnnAlgorithmPerformanceStruct), &made);
        if (status == SUCCESS)
            algoPerf[i] = made;
        else
            destroy_some(algoPerf, i);
    }
    return status;
}

anydnnStatus_t anydnnDestroyAlgorithmPerformance(anydnnAlgorithmPerformance_t *algoPerf,
                                                 int numberToDestroy)
{
    anydnnStatus_t status = check_count(__func__, "numberToDestroy", numberToDestroy, algoPerf);

    for (int i = 0; i < numberToDestroy && status == SUCCESS; i++)
        if (algoPerf[i])
            status =
                adn_desc_check(__func__, "algoPerf", algoPerf[i], ADN_DESC_ALGORITHM_PERFORMANCE);
    if (status == SUCCESS)
        destroy_some(algoPerf, numberToDestroy);
    return status;
}

anydnnStatus_t anydnnSetAlgorithmPerformance(anydnnAlgorithmPerformance_t algoPerf,
                                             anydnnAlgorithmDescriptor_t algoDesc,
                                             anydnnStatus_t status, float time, size_t memory)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t result =
        adn_desc_check(__func__, "algoPerf", algoPerf, ADN_DESC_ALGORITHM_PERFORMANCE);

    if (result == SUCCESS && algoDesc)
        result = adn_desc_check(__func__, "algoDesc", algoDesc, ADN_DESC_ALGORITHM);
    if (result != SUCCESS)
        return result;
    algoPerf->algorithm = algoDesc;
    algoPerf->status = status;
    algoPerf->time = time;
    algoPerf->memory = memory;
    adn_desc_stamp(&algoPerf->head);
    return SUCCESS;
}

anydnnStatus_t anydnnGetAlgorithmPerformance(anydnnAlgorithmPerformance_t algoPerf,
                                             anydnnAlgorithmDescriptor_t *algoDesc,
                                             anydnnStatus_t *status, float *time, size_t *memory)
{
    static const char *const names[] = {"algoDesc", "status", "time", "memory"};
    const void *const outputs[] = {algoDesc, status, time, memory};
    anydnnStatus_t result =
        adn_desc_check(__func__, "algoPerf", algoPerf, ADN_DESC_ALGORITHM_PERFORMANCE);

    if (result == SUCCESS)
        result = adn_desc_check_outputs(__func__, names, outputs, 4);
    if (result != SUCCESS)
        return result;
    *algoDesc = algoPerf->algorithm;
    *status = algoPerf->status;
    *time = algoPerf->time;
    *memory = algoPerf->memory;
    return SUCCESS;
}

/* ---- saved bytes */

static anydnnStatus_t check_bytes(anydnnHandle_t handle, const char *entry,
                                  anydnnAlgorithmDescriptor_t algoDesc, const void *space,
                                  size_t bytes)
{
    anydnnStatus_t status = adn_handle_check(handle, entry);

    if (status == SUCCESS)
        status = adn_desc_check(entry, "algoDesc", algoDesc, ADN_DESC_ALGORITHM);
    if (status == SUCCESS && !space)
        status = adn_fail(ANYDNN_STATUS_BAD_PARAM,
                          "%s: algoSpace is NULL; it must point to host memory", entry);
    if (status == SUCCESS && bytes < sizeof(struct saved))
        status = adn_fail(
            ANYDNN_STATUS_BAD_PARAM,
            "%s: algoSpaceSizeInBytes is %zu; it must be the %zu of anydnnGetAlgorithmSpaceSize",
            entry, bytes, sizeof(struct saved));
    return status;
}

anydnnStatus_t anydnnGetAlgorithmSpaceSize(anydnnHandle_t handle,
                                           anydnnAlgorithmDescriptor_t algoDesc,
                                           size_t *algoSpaceSizeInBytes)
{
    ADN_ENTRY_SCOPE;
    static const char *const name = "algoSpaceSizeInBytes";
    const void *output = algoSpaceSizeInBytes;
    anydnnStatus_t status = adn_handle_check(handle, __func__);

    if (status == SUCCESS)
        status = adn_desc_check(__func__, "algoDesc", algoDesc, ADN_DESC_ALGORITHM);
    if (status == SUCCESS)
        status = adn_desc_check_outputs(__func__, &name, &output, 1);
    if (status == SUCCESS)
        *algoSpaceSizeInBytes = sizeof(struct saved);
    return status;
}

anydnnStatus_t anydnnSaveAlgorithm(anydnnHandle_t handle, anydnnAlgorithmDescriptor_t algoDesc,
                                   void *algoSpace, size_t algoSpaceSizeInBytes)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status =
        check_bytes(handle, __func__, algoDesc, algoSpace, algoSpaceSizeInBytes);
    struct saved saved = saved_head;

    if (status != SUCCESS)
        return status;
    saved.number = algoDesc->number;
    memcpy(algoSpace, &saved, sizeof(saved));
    return SUCCESS;
}

anydnnStatus_t anydnnRestoreAlgorithm(anydnnHandle_t handle, void *algoSpace,
                                      size_t algoSpaceSizeInBytes,
                                      anydnnAlgorithmDescriptor_t algoDesc)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status =
        check_bytes(handle, __func__, algoDesc, algoSpace, algoSpaceSizeInBytes);
    struct saved saved;

    if (status != SUCCESS)
        return status;
    memcpy(&saved, algoSpace, sizeof(saved));
    if (memcmp(saved.magic, saved_head.magic, sizeof(saved.magic)) != 0 ||
        saved.version != saved_head.version)
        return adn_fail(ANYDNN_STATUS_NOT_SUPPORTED,
                        "anydnnRestoreAlgorithm: algoSpace was not written by this version's "
                        "anydnnSaveAlgorithm");
    algoDesc->number = saved.number;
    adn_desc_stamp(&algoDesc->head);
    return SUCCESS;
}
