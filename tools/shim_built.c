/* SPDX-License-Identifier: Apache-2.0 */
/* Determines the cuDNN version that a program was built for: from the libraries that it needs, the
 * versions of its symbols, and functions that only some versions have. */
#include "shim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OLDEST = 7, NEWEST = 9 };

/* The cuDNN versions that have a function, limited to versions that programs are still built
 * for. */
static const struct {
    const char *name;
    int first, last;
} marks[] = {
    {"cudnnGetConvolutionForwardAlgorithm", 7, 7},
    {"cudnnGetConvolutionBackwardDataAlgorithm", 7, 7},
    {"cudnnGetConvolutionBackwardFilterAlgorithm", 7, 7},
    {"cudnnSetRNNDescriptor_v5", 7, 7},
    {"cudnnSetRNNDescriptor_v6", 7, 8},
    {"cudnnRNNForwardInference", 7, 8},
    {"cudnnRNNForwardTraining", 7, 8},
    {"cudnnOpsInferVersionCheck", 8, 8},
    {"cudnnCnnInferVersionCheck", 8, 8},
    {"cudnnBackendCreateDescriptor", 8, 9},
    {"cudnnBackendExecute", 8, 9},
    {"cudnnBackendFinalize", 8, 9},
    {"cudnnBackendSetAttribute", 8, 9},
    {"cudnnRNNForward", 8, 9},
    {"cudnnSetRNNDescriptor_v8", 8, 9},
    {"cudnnCTCLoss_v8", 8, 9},
    {"cudnnGetLastErrorString", 9, 9},
    {"cudnnGraphVersionCheck", 9, 9},
    {"cudnnOpsVersionCheck", 9, 9},
};

static void note(struct shim_built *built, int first, int last, const char *name)
{
    if (first <= built->first && last >= built->last)
        return;
    built->first = first > built->first ? first : built->first;
    built->last = last < built->last ? last : built->last;
    snprintf(built->because, sizeof(built->because), "it imports %s", name);
}

/* Returns the version in "libcudnn.so.9" or "libcudnn_ops.so.9", or 0 for other names. */
static int version_of(const char *library)
{
    const char *number = strncmp(library, "libcudnn", 8) == 0 ? strstr(library, ".so.") : NULL;
    int version = number != NULL ? atoi(number + 4) : 0;

    return version > 0 ? version : 0;
}

void shim_built_start(struct shim_built *built)
{
    *built = (struct shim_built){.first = OLDEST, .last = NEWEST};
}

void shim_built_needed(struct shim_built *built, const char *library)
{
    int version = version_of(library);

    if (version == 0 || built->needed)
        return;
    built->needed = 1;
    built->library = version;
    snprintf(built->because, sizeof(built->because), "it needs %s", library);
}

/* A renamed library keeps the version of its symbols. */
void shim_built_version(struct shim_built *built, const char *node)
{
    int version = version_of(node);

    if (version == 0 || built->library != 0)
        return;
    built->library = version;
    snprintf(built->because, sizeof(built->because), "its symbols are of the version %s", node);
}

void shim_built_import(struct shim_built *built, const char *name)
{
    if (shim_is_ported(name))
        built->ported++;
    else if (strncmp(name, "anydnn", 6) == 0)
        built->own++;
    if (built->library != 0)
        return;
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
        if (strcmp(marks[i].name, name) == 0)
            note(built, marks[i].first, marks[i].last, name);
}

void shim_built_for(const struct shim_built *built, char *text, size_t size)
{
    int first = built->library != 0 ? built->library : built->first;
    int last = built->library != 0 ? built->library : built->last;

    *text = '\0';
    if (*built->because == '\0' && built->ported > 0)
        snprintf(text, size, "with anydnn's cudnn.h: it imports functions that begin with %s",
                 SHIM_PORTED);
    else if (*built->because == '\0' && built->own > 0)
        snprintf(text, size, "with anydnn.h: it imports functions that begin with anydnn");
    else if (first > last)
        snprintf(text, size, "for no single version of cuDNN: its functions belong to several");
    else if (first == last)
        snprintf(text, size, "for cuDNN %d: %s", first, built->because);
    else if (*built->because != '\0')
        snprintf(text, size, "for cuDNN %d or %d: %s", first, last, built->because);
}
