/* SPDX-License-Identifier: Apache-2.0 */
/* Checks candidates, for code that chooses among them and code that judges them. */
#include "problem/candidate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "desc/names.h"
#include "problem/operation.h"
#include "sys/text.h"

#define KNOWN_NOTES                                                                                \
    (ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC | ANYDNN_PLUGIN_NOTE_TRANSFORM |                          \
     ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION | ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT |                   \
     ANYDNN_PLUGIN_NOTE_FLUSHES_SUBNORMALS)

int adn_math_permits(int32_t permission, int32_t used)
{
    if (used == permission || used == ANYDNN_PLUGIN_MATH_DEFAULT)
        return 1;
    if (used == ANYDNN_PLUGIN_MATH_TENSOR_OP)
        return adn_math_permits_rounding(permission);
    return used == ANYDNN_PLUGIN_MATH_SPLIT && permission == ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION;
}

int adn_math_permits_rounding(int32_t permission)
{
    return permission == ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION ||
           permission == ANYDNN_PLUGIN_MATH_SPLIT;
}

static int is_math(int32_t math)
{
    return math == ANYDNN_PLUGIN_MATH_DEFAULT || math == ANYDNN_PLUGIN_MATH_TENSOR_OP ||
           adn_math_permits_rounding(math);
}

static int is_alignment(uint32_t bytes)
{
    return bytes <= 256 && (bytes & (bytes - 1)) == 0;
}

int adn_candidate_malformed(int32_t operation, const struct anydnn_plugin_candidate *candidate,
                            char *text, size_t size)
{
    text[0] = '\0';
    if (candidate->struct_size < offsetof(struct anydnn_plugin_candidate, sentence) ||
        candidate->struct_size > 65536)
        snprintf(text, size, "its struct_size is invalid (%" PRIu32 ")", candidate->struct_size);
    else if (candidate->reason < 0 || candidate->reason > ANYDNN_PLUGIN_REASON_OTHER)
        snprintf(text, size, "its reason is not defined in plugin.h (%" PRId32 ")",
                 candidate->reason);
    else if (candidate->reason != 0)
        return 0;
    else if (!is_math(candidate->math))
        snprintf(text, size, "its math mode does not exist (%" PRId32 ")", candidate->math);
    else if (strcmp(adn_problem_algorithm_name(operation, candidate->algorithm), "?") == 0)
        snprintf(text, size, "its algorithm does not exist (%" PRId32 ")", candidate->algorithm);
    else if (candidate->notes & ~KNOWN_NOTES)
        snprintf(text, size, "its notes are not defined in plugin.h (0x%" PRIx32 ")",
                 candidate->notes);
    else if (candidate->workspace > INT64_MAX)
        snprintf(text, size, "its workspace is invalid (%" PRIu64 " bytes)", candidate->workspace);
    else if (!(candidate->expected_us >= 0))
        adn_text_print(text, size, "its expected time is invalid (%g microseconds)",
                       candidate->expected_us);
    for (int i = 0; text[0] == '\0' && i < ANYDNN_PLUGIN_OPERAND_MAX; i++)
        if (!is_alignment(candidate->alignment[i]))
            snprintf(text, size,
                     "an alignment is not a power of two up to 256 (slot %d: %" PRIu32 " bytes)", i,
                     candidate->alignment[i]);
    return text[0] != '\0';
}
