/* SPDX-License-Identifier: Apache-2.0 */
/* Reports installations of cuDNN whose files do not belong together. The real library opens its
 * parts, such as libcudnn_ops.so.9, when it first needs them. It finds them beside itself or
 * elsewhere, and returns SUBLIBRARY_VERSION_MISMATCH if their versions differ. */
#include "cudnn9/front.h"

#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct places {
    char text[900]; /* the paths of the parts, separated by commas */
    size_t length;
    char folder[PATH_MAX]; /* of the first part */
    int folders;           /* 2 if there are several */
};

static int collect(struct dl_phdr_info *object, size_t size, void *cookie)
{
    struct places *places = cookie;
    const char *slash = object->dlpi_name != NULL ? strrchr(object->dlpi_name, '/') : NULL;
    size_t length = slash != NULL ? (size_t)(slash - object->dlpi_name) : 0;
    int written;

    (void)size;
    if (slash == NULL || strncmp(slash + 1, "libcudnn_", 9) != 0)
        return 0;
    if (places->folders == 0)
        snprintf(places->folder, sizeof(places->folder), "%.*s", (int)length, object->dlpi_name);
    else if (strlen(places->folder) != length ||
             strncmp(places->folder, object->dlpi_name, length) != 0)
        places->folders = 2;
    places->folders = places->folders > 0 ? places->folders : 1;
    written = snprintf(places->text + places->length, sizeof(places->text) - places->length, "%s%s",
                       places->length > 0 ? ", " : "", object->dlpi_name);
    if (written > 0 && (size_t)written < sizeof(places->text) - places->length)
        places->length += (size_t)written;
    else
        places->text[places->length] = '\0';
    return 0;
}

void cudnn9_check_parts(const char *real)
{
    const char *slash = strrchr(real, '/');
    struct places places = {.length = 0};
    char graph[PATH_MAX + sizeof("libcudnn_graph.so.9")];
    char sentence[1900] = "";

    snprintf(graph, sizeof(graph), "%.*slibcudnn_graph.so.9", (int)(slash - real) + 1, real);
    dl_iterate_phdr(collect, &places);
    if (access(graph, R_OK) != 0)
        snprintf(sentence, sizeof(sentence),
                 "cudnnCreate: %s has no libcudnn_graph.so.9 beside it, so its parts may come from "
                 "another cuDNN (anydnn doctor)",
                 real);
    else if (places.folders > 0 && strncmp(places.folder, real, (size_t)(slash - real)) != 0)
        snprintf(
            sentence, sizeof(sentence),
            "cudnnCreate: parts of another cuDNN than %s are already loaded: %s (anydnn doctor)",
            real, places.text);
    if (sentence[0] != '\0')
        (void)anydnnRefuse(ANYDNN_STATUS_NOT_INITIALIZED, sentence);
}

int cudnn9_check_mismatch(const char *entry, int status)
{
    void (*get)(char *message, size_t size) = NULL;
    struct places places = {.length = 0};
    char sentence[1900];
    char message[700] = "";

    if (status != CUDNN9_SUBLIBRARY_VERSION_MISMATCH)
        return status;
    CUDNN9_REAL(get, cudnnGetLastErrorString);
    if (get != NULL)
        get(message, sizeof(message));
    dl_iterate_phdr(collect, &places);
    snprintf(sentence, sizeof(sentence),
             "%s: %s%sthe parts of %s have different versions: %s (anydnn doctor)", entry, message,
             message[0] != '\0' ? " " : "", anydnnCudnn9Real(), places.text);
    return cudnn9_refuse(status, ANYDNN_STATUS_NOT_INITIALIZED, sentence);
}
