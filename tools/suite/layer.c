/* SPDX-License-Identifier: Apache-2.0 */
/* Rewrites the problem of one layer: changes batch, type, layout or compute type, and derives the
 * backward operations of a forward one. */
#include "tools/suite/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/problem/words.h"

/* ---- operands */

static int begins(const char *text, const char *begin)
{
    return strncmp(text, begin, strlen(begin)) == 0;
}

static int listed(const char *role, const char *const *roles)
{
    for (; *roles != NULL; roles++)
        if (strcmp(*roles, role) == 0)
            return 1;
    return 0;
}

/* Returns 1 if the operand has a batch dim. Filters and parameters have none, nor have matrices,
 * whose rows may be samples or not. Normalizations beyond the batch have statistics of a sample. */
static int has_samples(const char *operation, const struct word *word)
{
    static const char *const roles[] = {"x", "y", "dy", "dx", "z", "dz", "a", "b", "c", NULL};
    static const char *const kinds[] = {"sum", "dsum", "save_mean", "save_inv_dev", NULL};

    if (strcmp(operation, "matmul") == 0 || !word_is_operand(word))
        return 0;
    return listed(word->key, roles) ||
           (begins(operation, "normalization_") && listed(word->key, kinds));
}

static long long first_dim(const struct word *word)
{
    return atoll(word->value + strcspn(word->value, ":") + 1);
}

/* Returns the number of samples: the largest batch dim. An operand with one sample beside larger
 * ones is broadcast or a sum. */
static long long samples_of(const struct words *words)
{
    long long most = 0;

    for (int i = 0; i < words->count; i++)
        if (has_samples(words->operation, &words->word[i]) && first_dim(&words->word[i]) > most)
            most = first_dim(&words->word[i]);
    return most;
}

/* Returns 1 for operands whose type does not follow the data's: bytes, indices, and statistics of
 * normalizations, which are float for every type but double. */
static int has_own_type(const char *operation, const char *role)
{
    static const char *const roles[] = {"states",    "reserve",      "indices",
                                        "save_mean", "save_inv_dev", NULL};
    static const char *const data[] = {"x", "y", "dy", "dx", "z", "dz", NULL};

    return listed(role, roles) ||
           (begins(operation, "batch_normalization_") && !listed(role, data));
}

/* Returns the type that an operand gets from the option, or NULL if it keeps its own. Parameters of
 * batch normalization in half or bfloat16 follow the data, and are float beside other data. */
static const char *new_type(const struct suite_options *options, const char *operation,
                            const struct word *word)
{
    const char *type = options->type;

    if (type == NULL || !has_own_type(operation, word->key))
        return type;
    if (!begins(operation, "batch_normalization_") ||
        (!begins(word->value, "f16:") && !begins(word->value, "bf16:")))
        return NULL;
    return strcmp(type, "f16") == 0 || strcmp(type, "bf16") == 0 || strcmp(type, "f64") == 0
               ? type
               : "f32";
}

/* Returns 1 if dim 1 of the operands is the channels, which a layout moves. It is in groups and
 * instances; layers may have the channels in any dim, and matrices have none. */
static int has_channels(const struct words *words)
{
    if (begins(words->operation, "normalization_"))
        for (int i = 0; i < words->count; i++)
            if (strcmp(words->word[i].key, "kind") == 0)
                return strcmp(words->word[i].value, "layer") != 0 &&
                       strcmp(words->word[i].value, "rms") != 0;
    return strcmp(words->operation, "matmul") != 0;
}

static int has_layout(const char *operation, const char *role, const char *value)
{
    return operand_dims(value) >= 3 && !has_own_type(operation, role) &&
           strcmp(role, "bias") != 0 && strcmp(role, "db") != 0;
}

/* Returns the layout of the operand. A layout transform starts with the requested layout. */
static const char *new_layout(const struct suite_options *options, const struct words *words,
                              const struct word *word, const char *from, const char *to)
{
    if (options->layout == NULL || !has_channels(words) ||
        !has_layout(words->operation, word->key, word->value))
        return NULL;
    if (!begins(words->operation, "transform_tensor") || strcmp(word->key, "y") != 0 ||
        strcmp(from, to) == 0)
        return options->layout;
    return strcmp(options->layout, to) == 0 ? from : to;
}

static int computes(const char *operation)
{
    return begins(operation, "convolution_") && strcmp(operation, "convolution_backward_bias") != 0;
}

/* Rewrites the size of a reserve, which holds one bit per element and so scales with the
 * samples. */
static char *reserve_word(const struct word *word, long long samples, long long batch)
{
    char text[64];

    snprintf(text, sizeof(text), "u8:%lld", (first_dim(word) * batch + samples - 1) / samples);
    return strcpy(tool_alloc(strlen(text) + 1), text);
}

/* Applies the options to the words. The library infers omitted operands. */
static void apply(const struct suite_options *options, struct words *words)
{
    const char *operation = words->operation;
    long long samples = samples_of(words);
    char from[OPERAND_LAYOUT_MAX];
    char to[OPERAND_LAYOUT_MAX];

    operand_layout(words_get(words, "x"), from);
    operand_layout(words_get(words, "y"), to);
    for (int i = 0; i < words->count; i++) {
        struct word *word = &words->word[i];
        const char *type = new_type(options, operation, word);
        char *value;

        if (!word_is_operand(word))
            continue;
        if (strcmp(word->key, "reserve") == 0 && options->batch > 0 && samples > 0)
            value = reserve_word(word, samples, options->batch);
        else
            value = operand_word(
                word->value, type, new_layout(options, words, word, from, to),
                has_samples(operation, word) && first_dim(word) == samples ? options->batch : 0);
        free(word->value);
        word->value = value;
    }
    if (options->compute != NULL && computes(operation))
        words_set(words, "compute", options->compute);
}

/* ---- directions */

/* A recipe that derives one operation from another: its operands NEW=OLD, then the keys that it
 * keeps. The library infers everything else. */
struct recipe {
    const char *from;
    const char *to;
    unsigned direction;
    const char *operands;
    const char *keys;
};

#define CONVOLUTION    "pad stride dilation groups mode compute math deterministic"
#define POOLING        "mode window pad stride nan"
#define ACTIVATION     "activation nan coef"
#define LRN            "n lrn_alpha lrn_beta k"
#define NORMALIZATION  "mode epsilon ops activation coef nan"
#define KINDS          "kind axes groups channel_axis scaling epsilon activation coef nan compute"
#define FORWARD_CONV   "convolution_forward"
#define DATA_CONV      "convolution_backward_data"
#define FILTER_CONV    "convolution_backward_filter"
#define FUSED_CONV     "convolution_bias_activation_forward"
#define LAYER_OPERANDS "y=y dy=y x=x dx=x"

static const struct recipe recipes[] = {
    {FORWARD_CONV, DATA_CONV, SUITE_DATA, "w=w dy=y dx=x", CONVOLUTION},
    {FORWARD_CONV, FILTER_CONV, SUITE_FILTER, "x=x dy=y dw=w", CONVOLUTION},
    {DATA_CONV, FORWARD_CONV, SUITE_FORWARD, "x=dx w=w y=dy", CONVOLUTION},
    {DATA_CONV, FILTER_CONV, SUITE_FILTER, "x=dx dy=dy dw=w", CONVOLUTION},
    {FILTER_CONV, FORWARD_CONV, SUITE_FORWARD, "x=x w=dw y=dy", CONVOLUTION},
    {FILTER_CONV, DATA_CONV, SUITE_DATA, "w=dw dy=dy dx=x", CONVOLUTION},
    {FUSED_CONV, DATA_CONV, SUITE_DATA, "w=w dy=y dx=x", CONVOLUTION},
    {FUSED_CONV, FILTER_CONV, SUITE_FILTER, "x=x dy=y dw=w", CONVOLUTION},
    {"pooling_forward", "pooling_backward", SUITE_DATA, LAYER_OPERANDS, POOLING},
    {"activation_forward", "activation_backward", SUITE_DATA, LAYER_OPERANDS, ACTIVATION},
    {"lrn_forward", "lrn_backward", SUITE_DATA, LAYER_OPERANDS, LRN},
    {"softmax_forward", "softmax_backward", SUITE_DATA, "y=y dy=y dx=x", "softmax mode"},
    {"divisive_normalization_forward", "divisive_normalization_backward", SUITE_DATA,
     "x=x means=means dy=y temp=temp temp2=temp2 dx=x", LRN},
    {"batch_normalization_training", "batch_normalization_backward", SUITE_DATA,
     "x=x dy=y dx=x dz=z scale=scale save_mean=save_mean save_inv_var=save_inv_var reserve=reserve",
     NORMALIZATION},
    {"normalization_forward", "normalization_backward", SUITE_DATA,
     "x=x dy=y dx=x scale=scale bias=bias save_mean=save_mean save_inv_dev=save_inv_dev "
     "dscale=scale dbias=bias dsum=sum",
     KINDS},
    {"dropout_forward", "dropout_backward", SUITE_DATA, "dy=y reserve=reserve dx=x", "p"},
};

/* Returns the direction of an operation by its name. */
static unsigned direction_of(const char *operation)
{
    if (strcmp(operation, FILTER_CONV) == 0)
        return SUITE_FILTER;
    return strstr(operation, "_backward") != NULL ? SUITE_DATA : SUITE_FORWARD;
}

static char *cook(const struct recipe *recipe, const struct words *from)
{
    struct words to;
    char key[64];
    char old[64];
    char *text;
    int used;

    words_read(&to, recipe->to);
    for (const char *at = recipe->operands; sscanf(at, " %63[^=]=%63s%n", key, old, &used) == 2;
         at += used)
        words_set(&to, key, words_get(from, old));
    for (const char *at = recipe->keys; sscanf(at, " %63s%n", key, &used) == 1; at += used)
        words_set(&to, key, words_get(from, key));
    text = words_print(&to);
    words_free(&to);
    return text;
}

/* ---- adding */

/* Returns the number of occurrences: N in NAME*N. */
static int occurrences(const char *layer)
{
    const char *star = strrchr(layer, '*');
    int times = star != NULL ? atoi(star + 1) : 1;

    return times > 0 ? times : 1;
}

static int add(struct tool *tool, struct suite *suite, const char *layer, const char *text)
{
    struct suite_item *item;
    anydnnProblem_t problem = NULL;
    char *whole = NULL;
    int code = tool_parse(tool, text, &problem, &whole);

    if (code != TOOL_FINE)
        return code;
    anydnnProblemDestroy(problem);
    suite->item = realloc(suite->item, (size_t)(suite->count + 1) * sizeof(*suite->item));
    if (suite->item == NULL)
        return tool_fail(tool, TOOL_FAILED, "out of memory for %d problems", suite->count + 1);
    item = &suite->item[suite->count++];
    item->layer = strcpy(tool_alloc(strlen(layer) + 1), layer);
    item->times = occurrences(layer);
    item->problem = whole;
    item->dump = NULL;
    return TOOL_FINE;
}

static int add_directions(struct tool *tool, unsigned wanted, const char *layer, const char *text,
                          struct suite *suite)
{
    struct words words;
    int before = suite->count;
    int code = TOOL_FINE;

    words_read(&words, text);
    for (unsigned bit = SUITE_FORWARD; bit <= SUITE_FILTER && code == TOOL_FINE; bit <<= 1) {
        if (!(wanted & bit))
            continue;
        if (direction_of(words.operation) == bit) {
            code = add(tool, suite, layer, text);
            continue;
        }
        for (size_t i = 0; i < sizeof(recipes) / sizeof(recipes[0]); i++)
            if (recipes[i].direction == bit && strcmp(recipes[i].from, words.operation) == 0) {
                char *other = cook(&recipes[i], &words);

                code = add(tool, suite, layer, other);
                free(other);
            }
    }
    suite->left_out += suite->count == before;
    words_free(&words);
    return code;
}

int suite_add_layer(struct tool *tool, const struct suite_options *options, const char *layer,
                    const char *text, struct suite *suite)
{
    anydnnProblem_t problem = NULL;
    struct words words;
    char *changed;
    char *whole = NULL;
    int code;

    if (words_read(&words, text) != 0) {
        words_free(&words);
        return tool_fail(tool, TOOL_USAGE, "the problem has more than %d words", WORDS_MAX);
    }
    apply(options, &words);
    changed = words_print(&words);
    words_free(&words);
    code = tool_parse(tool, changed, &problem, &whole);
    anydnnProblemDestroy(problem);
    if (code == TOOL_FINE)
        code = options->directions == SUITE_AS_LISTED
                   ? add(tool, suite, layer, whole)
                   : add_directions(tool, options->directions, layer, whole, suite);
    free(changed);
    free(whole);
    return code;
}
