/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the operands of a problem and iterates over them in logical order. The walk is not
 * that of core/judge, so that the golden vectors and anydnn verify check each other. */
#include "tools/problem/operands.h"

#include <stdlib.h>
#include <string.h>

/* ---- describing */

/* Returns the text after " KEY=" in the problem, or NULL. */
static const char *word_of(const char *text, const char *key)
{
    size_t length = strlen(key);

    while ((text = strchr(text, ' ')) != NULL) {
        text++;
        if (strncmp(text, key, length) == 0 && text[length] == '=')
            return text + length + 1;
    }
    return NULL;
}

static int describe_one(struct tool *tool, anydnnProblem_t problem, int index,
                        anydnnTensorDescriptor_t tensor, const char *text, struct operand *operand)
{
    anydnnDataType_t type = ANYDNN_DATA_FLOAT;
    const char *word;

    if (anydnnProblemGetOperand(problem, index, &operand->role, tensor, &operand->direction) !=
            ANYDNN_STATUS_SUCCESS ||
        anydnnProblemGetOperandHost(problem, index, &operand->host) != ANYDNN_STATUS_SUCCESS ||
        anydnnGetTensorNdDescriptor(tensor, ANYDNN_DIM_MAX, &type, &operand->ndims, operand->dims,
                                    operand->strides) != ANYDNN_STATUS_SUCCESS ||
        anydnnGetTensorSizeInBytes(tensor, &operand->bytes) != ANYDNN_STATUS_SUCCESS)
        return tool_fail_status(tool, TOOL_FAILED);
    word = word_of(text, operand->role);
    operand->element = word != NULL ? element_lookup(word, strcspn(word, ":")) : NULL;
    if (operand->element == NULL)
        return tool_fail(tool, TOOL_FAILED, "operand %s: unknown type", operand->role);
    operand->alias = -1;
    operand->written = (operand->direction & ANYDNN_DIRECTION_OUTPUT) != 0;
    operand->count = 1;
    for (int i = 0; i < operand->ndims; i++) {
        operand->count *= operand->dims[i];
        if (operand->strides[i] < 1)
            return tool_fail(tool, TOOL_FAILED, "operand %s: stride %d of dim %d is below 1",
                             operand->role, operand->strides[i], i);
    }
    return TOOL_FINE;
}

/* Parses comma-separated pairs OUTPUT:INPUT. */
static void describe_aliases(struct operands *operands, const char *pairs)
{
    while (pairs != NULL && *pairs != '\0' && *pairs != ' ') {
        size_t length = strcspn(pairs, ":, ");
        int both[2] = {-1, -1};

        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < operands->count; i++)
                if (strlen(operands->item[i].role) == length &&
                    memcmp(operands->item[i].role, pairs, length) == 0)
                    both[side] = i;
            pairs += length + (pairs[length] == ':' || pairs[length] == ',');
            length = strcspn(pairs, ":, ");
        }
        if (both[0] < 0 || both[1] < 0)
            return;
        /* A second input for the same output shares the memory of the first. */
        if (operands->item[both[0]].alias >= 0)
            operands->item[both[1]].alias = operands->item[both[0]].alias;
        else
            operands->item[both[0]].alias = both[1];
        operands->item[both[1]].written = 1;
    }
}

int operands_describe(struct tool *tool, anydnnProblem_t problem, const char *text,
                      struct operands *operands)
{
    static const char *const betas[] = {"beta", "beta_data", "beta_param", "beta_grid"};
    anydnnTensorDescriptor_t tensor = NULL;
    const char *align = word_of(text, "align");
    int code = TOOL_FINE;

    memset(operands, 0, sizeof(*operands));
    if (anydnnProblemGetOperandCount(problem, &operands->count) != ANYDNN_STATUS_SUCCESS ||
        anydnnCreateTensorDescriptor(&tensor) != ANYDNN_STATUS_SUCCESS)
        return tool_fail_status(tool, TOOL_FAILED);
    if (operands->count > OPERANDS_MAX)
        code = tool_fail(tool, TOOL_FAILED, "the problem has %d operands; the maximum is %d",
                         operands->count, OPERANDS_MAX);
    for (int i = 0; i < operands->count && code == TOOL_FINE; i++)
        code = describe_one(tool, problem, i, tensor, text, &operands->item[i]);
    anydnnDestroyTensorDescriptor(tensor);
    if (code != TOOL_FINE)
        return code;
    describe_aliases(operands, word_of(text, "alias"));
    operands->align = align != NULL ? atoi(align) : 0;
    for (size_t i = 0; i < sizeof(betas) / sizeof(betas[0]); i++)
        operands->blends |= strncmp(text, "matmul ", 7) != 0 && word_of(text, betas[i]) != NULL;
    return TOOL_FINE;
}

int operands_index(const struct operands *operands, const char *role)
{
    for (int i = 0; i < operands->count; i++)
        if (strcmp(operands->item[i].role, role) == 0)
            return i;
    return -1;
}

void operands_free(struct operands *operands)
{
    for (int i = 0; i < operands->count; i++)
        free(operands->item[i].image);
}

/* ---- iterating */

/* Returns the bytes from index 0 to `index` along a dim. Dim 1 of a vector type iterates over the
 * lanes first. */
static size_t offset_along(const struct operand *operand, int dim, int index)
{
    size_t size = operand->element->size;
    size_t lanes = (size_t)operand->element->lanes;
    size_t stride = (size_t)operand->strides[dim] * size * lanes;

    if (dim != 1 || lanes == 1)
        return (size_t)index * stride;
    return (size_t)index / lanes * stride + (size_t)index % lanes * size;
}

void walk_begin(struct walk *walk, const struct operand *operand)
{
    memset(walk, 0, sizeof(*walk));
    walk->operand = operand;
    walk->left = operand->count;
}

int walk_goes_on(const struct walk *walk)
{
    return walk->left > 0;
}

void walk_next(struct walk *walk)
{
    const struct operand *operand = walk->operand;

    walk->left--;
    for (int dim = operand->ndims - 1; dim >= 0; dim--) {
        int *index = &walk->index[dim];

        if (++*index < operand->dims[dim]) {
            walk->at += offset_along(operand, dim, *index) - offset_along(operand, dim, *index - 1);
            return;
        }
        walk->at -= offset_along(operand, dim, *index - 1);
        *index = 0;
    }
}
