/* SPDX-License-Identifier: Apache-2.0 */
/* Runs convolutions through cuDNN's own calls. The execution plan and the variant pack are made
 * beforehand, and each call is one cudnnBackendExecute. The backend's list selects the
 * configuration, so that both ways run the same kernel. No code of the backend runs between the
 * call and cuDNN. */
#include "direct.h"

#include "../../plugins/cudnn/engines.h"
#include "../../plugins/cudnn/kernels.h"
#include "../../plugins/cudnn/table.h"

#include "errata/errata.h"

#include <stdlib.h>
#include <string.h>

static struct anydnn_plugin_context *context;
static const struct anydnn_plugin *plugin;

/* ------------------------------------------------------------------ the host that the list needs
 */

static void no_log(const struct anydnn_plugin_host *host, int32_t level, const char *file,
                   int32_t line, const char *text)
{
    (void)host, (void)level, (void)file, (void)line, (void)text;
}

static const char *no_setting(const struct anydnn_plugin_host *host, const char *key)
{
    (void)host, (void)key;
    return NULL;
}

static char last_error[800];

static void keep_error(const struct anydnn_plugin_host *host, const char *text)
{
    (void)host;
    strncpy(last_error, text, sizeof last_error - 1);
}

static void *take_memory(size_t bytes)
{
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static uint64_t no_fork(void)
{
    return 0;
}

/* Compares the errata that the backend publishes, as the library does. */
static uint32_t look_up(const struct anydnn_plugin_host *of,
                        const struct anydnn_plugin_problem *problem,
                        const struct anydnn_plugin_candidate *candidate, int32_t *algorithm)
{
    static struct adn_errata *errata;
    struct adn_errata_query query = {.backend = "cudnn",
                                     .version = cdn_library_version_text(),
                                     .problem = problem,
                                     .candidate = candidate};

    (void)of;
    if (!errata) {
        errata = adn_errata_load_from(&(struct adn_errata_sources){NULL, NULL, NULL});
        adn_errata_publish(errata, "cudnn", cdn_errata_list);
    }
    return adn_errata_plugin_bits(adn_errata_verdicts(errata, &query, algorithm));
}

static const struct anydnn_plugin_host host = {
    .struct_size = sizeof host,
    .log = no_log,
    .setting = no_setting,
    .set_error = keep_error,
    .alloc = take_memory,
    .free = free,
    .fork_number = no_fork,
    .errata = look_up,
};

void cudnn_direct_begin(void)
{
    if (anydnn_plugin_main(&host, &plugin) || plugin->context_create(0, &context))
        fail("cuDNN: %s", last_error);
    if (!context->handle)
        fail("%s", context->missing);
}

void cudnn_direct_end(void)
{
    plugin->context_destroy(context);
}

static void try(cudnnStatus_t status, const char *what)
{
    if (status != CUDNN_STATUS_SUCCESS)
        fail("%s: %s", what, cudnn.cudnnGetErrorString(status));
}

/* ------------------------------------------------------------------ convolutions */

struct state {
    struct anydnn_plugin_plan *plan;
    cudnnBackendDescriptor_t execution, pack;
    void *workspace;
};

static void run(void *arg, int set)
{
    const struct state *s = arg;

    (void)set;
    try(cudnn.cudnnBackendExecute(context->handle, s->execution, s->pack), "cudnnBackendExecute");
}

static void close_state(void *arg)
{
    struct state *s = arg;

    cudnn.cudnnBackendDestroyDescriptor(s->pack);
    if (s->workspace)
        anydnn_release(s->workspace);
    cdn_plan_destroy(s->plan);
    free(s);
}

static struct anydnn_plugin_tensor tensor(const struct case_ *c, int n, int ch, int h, int w)
{
    struct anydnn_plugin_tensor made = {
        .struct_size = sizeof made,
        .type = c->kind == HALF_NHWC ? ANYDNN_PLUGIN_HALF : ANYDNN_PLUGIN_FLOAT,
        .ndims = 4,
        .dims = {n, ch, h, w},
        .strides = {(int64_t)ch * h * w, (int64_t)h * w, w, 1},
    };

    if (c->kind == HALF_NHWC) {
        made.strides[1] = 1;
        made.strides[2] = (int64_t)w * ch;
        made.strides[3] = ch;
    }
    return made;
}

/* The search for an engine. */
struct search {
    const struct anydnn_plugin_problem *problem;
    uint64_t engine; /* 0: not found yet */
};

/* Takes the first candidate with the implicit GEMM's number that no erratum forbids, as anydnn
 * does. */
static int32_t take_first(void *cookie, const struct anydnn_plugin_candidate *candidate)
{
    struct search *search = cookie;
    int32_t algorithm;

    if (candidate->reason)
        fail("cuDNN: %s", candidate->sentence);
    if (!search->engine &&
        !(look_up(&host, search->problem, candidate, &algorithm) & ANYDNN_PLUGIN_ERRATUM_AVOID) &&
        candidate->algorithm == 1 &&
        !(candidate->notes & (ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC | ANYDNN_PLUGIN_NOTE_TRANSFORM)))
        search->engine = candidate->engine;
    return 0;
}

static void make_pack(struct state *s, const struct anydnn_plugin_problem *problem,
                      void *const data[3])
{
    int64_t numbers[3] = {1, 2, 3};
    cudnnBackendDescriptor_t *pack = &s->pack;

    (void)problem;
    try(cudnn.cudnnBackendCreateDescriptor(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, pack), "pack");
    try(cudnn.cudnnBackendSetAttribute(*pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64,
                                       3, numbers),
        "pack");
    try(cudnn.cudnnBackendSetAttribute(*pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
                                       CUDNN_TYPE_VOID_PTR, 3, data),
        "pack");
    try(cudnn.cudnnBackendSetAttribute(*pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE,
                                       CUDNN_TYPE_VOID_PTR, 1, &s->workspace),
        "pack");
    try(cudnn.cudnnBackendFinalize(*pack), "pack");
}

struct way cdn_way(const struct case_ *c, uint64_t *engine)
{
    static const int32_t operations[] = {ANYDNN_PLUGIN_CONVOLUTION_FORWARD,
                                         ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA,
                                         ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER};
    /* The operands in the order of the operation's slots. */
    static const enum operand slots[][3] = {{X, W, Y}, {W, Y, X}, {X, Y, W}};
    const struct layer *l = c->layer;
    struct anydnn_plugin_tensor all[OPERAND_END] = {
        [X] = tensor(c, l->n, l->c, l->h, l->w),
        [W] = tensor(c, l->k, l->c / l->groups, l->r, l->s),
        [Y] = tensor(c, l->n, l->k, out_height(l), out_width(l)),
    };
    struct anydnn_plugin_convolution params = {
        .struct_size = sizeof params,
        .spatial_dims = 2,
        .pad = {l->pad[0], l->pad[1]},
        .stride = {l->stride[0], l->stride[1]},
        .dilation = {l->dilation[0], l->dilation[1]},
        .groups = l->groups,
        .mode = 1,
    };
    struct anydnn_plugin_problem problem = {
        .struct_size = sizeof problem,
        .operation = operations[c->direction],
        .math = c->kind == HALF_NHWC ? ANYDNN_PLUGIN_MATH_TENSOR_OP : ANYDNN_PLUGIN_MATH_DEFAULT,
        .algorithm = 1,
        .deterministic = 1,
        .present = 7,
        .params = &params,
    };
    struct search search = {&problem, 0};
    void *data[3];
    struct state *s = take(sizeof *s);

    for (int i = 0; i < 3; i++) {
        problem.tensor[i] = &all[slots[c->direction][i]];
        data[i] = c->data[slots[c->direction][i]];
    }
    if (cdn_candidates(context, &problem, take_first, &search) || !search.engine ||
        cdn_plan_create(context, &problem, search.engine, &s->plan))
        fail("cuDNN: %s", last_error);
    *engine = search.engine;
    s->execution = s->plan->kernels->usual.execution;
    if (s->plan->workspace)
        s->workspace = anydnn_memory(s->plan->workspace);
    make_pack(s, &problem, data);
    return (struct way){run, close_state, s};
}

/* ------------------------------------------------------------------ an activation */

struct activation {
    cudnnActivationDescriptor_t relu;
    cudnnTensorDescriptor_t desc;
    void *x, *y;
};

static void run_activation(void *arg, int set)
{
    static const float one = 1, zero = 0;
    const struct activation *a = arg;

    (void)set;
    try(cudnn.cudnnActivationForward(context->handle, a->relu, &one, a->desc, a->x, &zero, a->desc,
                                     a->y),
        "cudnnActivationForward");
}

static void close_activation(void *arg)
{
    struct activation *a = arg;

    cudnn.cudnnDestroyActivationDescriptor(a->relu);
    cudnn.cudnnDestroyTensorDescriptor(a->desc);
    free(a);
}

struct way cdn_activation(void *x, void *y)
{
    const int dims[4] = {1, 64, 8, 8}, strides[4] = {4096, 64, 8, 1};
    struct activation *a = take(sizeof *a);

    a->x = x;
    a->y = y;
    try(cudnn.cudnnCreateActivationDescriptor(&a->relu), "activation");
    try(cudnn.cudnnSetActivationDescriptor(a->relu, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN,
                                           0),
        "activation");
    try(cudnn.cudnnCreateTensorDescriptor(&a->desc), "activation");
    try(cudnn.cudnnSetTensorNdDescriptor(a->desc, CUDNN_DATA_FLOAT, 4, dims, strides),
        "activation");
    return (struct way){run_activation, close_activation, a};
}
