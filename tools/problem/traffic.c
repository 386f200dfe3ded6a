/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of each operation: the bytes of every tensor in its formula, each once unless noted, and
 * its arithmetic operations. Scratch does not count, since another kernel may not need it. */
#include "tools/problem/traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/problem/words.h"

struct view {
    const struct operands *operands;
    const struct words *words;
};

/* ---- operation counts */

static double elements(const struct view *view, const char *role)
{
    int at = operands_index(view->operands, role);

    return at >= 0 ? (double)view->operands->item[at].count : 0;
}

static int number(const struct view *view, const char *key, int at, int missing)
{
    const char *text = words_get(view->words, key);

    for (; at > 0 && text != NULL; at--) {
        text = strchr(text, ',');
        text += text != NULL;
    }
    return text != NULL ? atoi(text) : missing;
}

static double window_size(const struct view *view)
{
    int x = operands_index(view->operands, "x");
    double size = 1;

    for (int i = 0; x >= 0 && i < view->operands->item[x].ndims - 2; i++)
        size *= number(view, "window", i, 1);
    return size;
}

static const struct operand *first_of(const struct view *view, const char *a, const char *b)
{
    int at = operands_index(view->operands, a);

    at = at >= 0 ? at : operands_index(view->operands, b);
    return at >= 0 ? &view->operands->item[at] : NULL;
}

/* Counts a multiplication and an addition for each element of the result and each of a filter,
 * including padding, as is customary. The count is equal in all three directions. */
static double convolution(const struct view *view)
{
    const struct operand *y = first_of(view, "y", "dy");
    const struct operand *w = first_of(view, "w", "dw");

    return y != NULL && w != NULL ? 2 * (double)y->count * (double)w->count / w->dims[0] : 0;
}

static double per_output(const struct view *view)
{
    const struct operand *y = first_of(view, "y", "dy");

    return y != NULL ? (double)y->count * window_size(view) : 0;
}

static double lrn_window(const struct view *view)
{
    return elements(view, "x") * (number(view, "n", 0, 5) + 3);
}

static double divisive_window(const struct view *view)
{
    int x = operands_index(view->operands, "x");
    int spatial = x >= 0 ? view->operands->item[x].ndims - 2 : 0;

    return elements(view, "x") * (2 * pow(number(view, "n", 0, 5), spatial) + 3);
}

static double points(const struct view *view)
{
    return 5 * (elements(view, "grid") + elements(view, "dgrid"));
}

static double samples(const struct view *view)
{
    return 8 * elements(view, "y");
}

static double samples_back(const struct view *view)
{
    return 24 * elements(view, "dy");
}

/* Counts a multiplication and an addition for each element of d and each column of a. */
static double product(const struct view *view)
{
    int a = operands_index(view->operands, "a");
    const struct operand *operand = a >= 0 ? &view->operands->item[a] : NULL;

    return operand != NULL ? 2 * elements(view, "d") * operand->dims[operand->ndims - 1] : 0;
}

/* ---- the table */

/* The cost of an operation: its first row whose `key` is absent (NULL) or begins with `value`.
 * Bytes: roles, of which absent ones count nothing; *2: twice; /t: the part that a window
 * touches. */
struct cost {
    const char *operation;
    const char *key;
    const char *value;
    const char *bytes;
    double (*flops)(const struct view *view);
    double each; /* without a function: operations per element of the first role */
};

static const struct cost costs[] = {
    /* A stride larger than the window leaves elements of x unread. All of dx is written. */
    {"convolution_forward", NULL, NULL, "x/t w y", convolution, 0},
    {"convolution_backward_data", NULL, NULL, "dy w dx", convolution, 0},
    {"convolution_backward_filter", NULL, NULL, "x/t dy dw", convolution, 0},
    {"convolution_backward_bias", NULL, NULL, "dy db", NULL, 1},
    {"convolution_bias_activation_forward", NULL, NULL, "x/t w z bias y", convolution, 0},
    {"im2col", NULL, NULL, "x/t col", NULL, 0},
    /* One addition or comparison per element of a window. */
    {"pooling_forward", NULL, NULL, "x/t y", per_output, 0},
    /* The gradient of an average depends only on dy. A maximum must be found again. */
    {"pooling_backward", "mode", "average", "dy dx", per_output, 0},
    {"pooling_backward", NULL, NULL, "y dy x dx", per_output, 0},
    /* Functions such as the exponential count as one operation. The gradient is a function of y and
     * dy. */
    {"activation_forward", NULL, NULL, "x y", NULL, 1},
    {"activation_backward", "activation", "swish", "x dy dx", NULL, 1},
    {"activation_backward", NULL, NULL, "y dy dx", NULL, 1},
    /* Squares, their sum over the window, power, product. The backward operation recomputes y from
     * x. */
    {"lrn_forward", NULL, NULL, "x y", lrn_window, 0},
    {"lrn_backward", NULL, NULL, "x dy dx", lrn_window, 0},
    /* Forward: exponential, sum, quotient. Backward: product, sum, difference, product. A row stays
     * in the cache. */
    {"softmax_forward", NULL, NULL, "x y", NULL, 3},
    {"softmax_backward", NULL, NULL, "y dy dx", NULL, 4},
    {"divisive_normalization_forward", NULL, NULL, "x means y", divisive_window, 0},
    {"divisive_normalization_backward", NULL, NULL, "x means dy dx dmeans", divisive_window, 0},
    {"batch_normalization_inference", NULL, NULL, "x scale bias mean var y", NULL, 2},
    /* Mean and variance need all of x before its first element can be normalized. */
    {"batch_normalization_training", NULL, NULL,
     "x*2 scale bias z running_mean running_var y save_mean save_inv_var reserve", NULL, 5},
    /* dscale and dbias are sums over all of x and dy, and every element of dx needs them. The
     * reserve holds the ReLU mask; other activations need y. */
    {"batch_normalization_backward", "ops", "bn_",
     "x*2 dy*2 y scale bias save_mean save_inv_var "
     "reserve dx dz dscale dbias",
     NULL, 8},
    {"batch_normalization_backward", NULL, NULL,
     "x*2 dy*2 scale save_mean save_inv_var dx dscale dbias", NULL, 7},
    {"dropout_forward", NULL, NULL, "x y reserve", NULL, 1},
    {"dropout_backward", NULL, NULL, "dy reserve dx", NULL, 1},
    {"transform_tensor", NULL, NULL, "x y", NULL, 0},
    {"transform_tensor_ex", NULL, NULL, "x y", NULL, 0},
    {"transform_filter", NULL, NULL, "x y", NULL, 0},
    {"add_tensor", NULL, NULL, "x y", NULL, 1},
    {"op_tensor", NULL, NULL, "a b c", NULL, 1},
    {"reduce_tensor", NULL, NULL, "a c indices", NULL, 1},
    {"set_tensor", NULL, NULL, "y", NULL, 0},
    {"scale_tensor", NULL, NULL, "y", NULL, 1},
    /* Two dot products of three terms per point. */
    {"spatial_grid_forward", NULL, NULL, "theta grid", points, 0},
    {"spatial_grid_backward", NULL, NULL, "dgrid dtheta", points, 0},
    /* Four weighted pixels. The backward operation scatters them and computes two slopes. */
    {"spatial_sampler_forward", NULL, NULL, "x grid y", samples, 0},
    {"spatial_sampler_backward", NULL, NULL, "x grid dy dx dgrid", samples_back, 0},
    /* Exponential, sum and quotient per letter. The paths of the labels cost little. */
    {"ctc_loss", NULL, NULL, "x costs gradients", NULL, 3},
    /* A set of elements fits the chip, so x and dy are read once. Two sums, then difference,
     * product and the affine part; backward two sums of products, two of parameters and the
     * difference. */
    {"normalization_forward", NULL, NULL, "x z scale bias y sum save_mean save_inv_dev", NULL, 7},
    {"normalization_backward", NULL, NULL,
     "x dy dsum scale bias save_mean save_inv_dev dx dscale dbias", NULL, 12},
    {"matmul", NULL, NULL, "a b c bias d aux", product, 0},
};

/* ---- counting */

static const struct cost *lookup_cost(const struct words *words)
{
    for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
        const char *value;

        if (strcmp(costs[i].operation, words->operation) != 0)
            continue;
        if (costs[i].key == NULL)
            return &costs[i];
        value = words_get(words, costs[i].key);
        if (value != NULL && strncmp(value, costs[i].value, strlen(costs[i].value)) == 0)
            return &costs[i];
    }
    return NULL;
}

/* Returns how many of `size` positions along a spatial dim a window covers. */
static int covered(int size, int out, int window, int stride, int dilation, int pad)
{
    char *seen = tool_alloc((size_t)size);
    int count = 0;

    memset(seen, 0, (size_t)size);
    for (int o = 0; o < out; o++)
        for (int f = 0; f < window; f++) {
            int at = o * stride - pad + f * dilation;

            if (at >= 0 && at < size) {
                count += !seen[at];
                seen[at] = 1;
            }
        }
    free(seen);
    return count;
}

static double touched(const struct view *view, const struct operand *x)
{
    const struct operand *y = first_of(view, "y", "dy");
    const struct operand *w = first_of(view, "w", "dw");
    double count = (double)x->dims[0] * x->dims[1];

    if (y == NULL || y->ndims != x->ndims)
        return (double)x->count;
    for (int i = 2; i < x->ndims; i++)
        count *= covered(x->dims[i], y->dims[i],
                         w != NULL ? w->dims[i] : number(view, "window", i - 2, 1),
                         number(view, "stride", i - 2, 1), number(view, "dilation", i - 2, 1),
                         number(view, "pad", i - 2, 0));
    return count;
}

/* Returns the bytes of a tensor. A tensor that is read and written counts twice. */
static double bytes_of(const struct view *view, const char *role, char how)
{
    int at = operands_index(view->operands, role);
    const struct operand *operand;
    double count;
    int ways = 1;

    if (at < 0)
        return 0;
    operand = &view->operands->item[at];
    if (operand->direction == ANYDNN_DIRECTION_INPUT_OUTPUT ||
        (operand->direction == ANYDNN_DIRECTION_OUTPUT && view->operands->blends))
        ways = 2;
    count = how == 't' ? touched(view, operand) : (double)operand->count;
    return count * (double)operand->element->size * ways * (how == '2' ? 2 : 1);
}

static void count_all(const struct cost *cost, const struct view *view, struct traffic *traffic)
{
    for (const char *at = cost->bytes; *at != '\0'; at += strspn(at, " ")) {
        size_t whole = strcspn(at, " ");
        size_t length = strcspn(at, " */");
        char role[32];

        memcpy(role, at, length);
        role[length] = '\0';
        traffic->bytes += bytes_of(view, role, length < whole ? at[length + 1] : '\0');
        if (at == cost->bytes && cost->flops == NULL)
            traffic->flops = elements(view, role) * cost->each;
        at += whole;
    }
    if (cost->flops != NULL)
        traffic->flops = cost->flops(view);
}

int traffic_of(const struct operands *operands, const char *text, struct traffic *traffic)
{
    struct words words;
    struct view view = {operands, &words};
    const struct cost *cost;

    memset(traffic, 0, sizeof(*traffic));
    if (words_read(&words, text) != 0) {
        words_free(&words);
        return -1;
    }
    cost = lookup_cost(&words);
    if (cost != NULL)
        count_all(cost, &view, traffic);
    words_free(&words);
    return cost != NULL ? 0 : -1;
}

double traffic_floor(const struct traffic *traffic, double peak_flops, double peak_bytes)
{
    double arithmetic = peak_flops > 0 ? traffic->flops / peak_flops : 0;
    double memory = peak_bytes > 0 ? traffic->bytes / peak_bytes : 0;

    return 1e6 * (arithmetic > memory ? arithmetic : memory);
}
