/* SPDX-License-Identifier: Apache-2.0 */
/* Runs convolutions through oneDNN's own API, in plain layouts or in those that oneDNN prefers. */
#include "direct.h"
#include "version.h"

#include <string.h>

static dnnl_engine_t engine;
static dnnl_stream_t stream;

struct state {
    const struct measurement *m;
    int outside;
    dnnl_primitive_t conv;
    dnnl_primitive_t reorder[OPERAND_END]; /* NULL: the operand is used in place */
    dnnl_memory_t *user[OPERAND_END];      /* one per set, on the arrays of the measurement */
    dnnl_memory_t
        *own[OPERAND_END]; /* one per set; a single one if the timing includes the reorder */
};

static void try(dnnl_status_t status, const char *what)
{
    if (status != dnnl_success)
        fail("oneDNN: %s failed with status %d", what, (int)status);
}

void onednn_begin(void)
{
    try(dnnl_engine_create(&engine, dnnl_cpu, 0), "dnnl_engine_create");
    try(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags), "dnnl_stream_create");
}

void onednn_end(void)
{
    dnnl_stream_destroy(stream);
    dnnl_engine_destroy(engine);
}

/* ------------------------------------------------------------------ descriptors */

/* Stores the operand's dims. A filter with groups begins with the groups. */
static int dims_of(const struct layer *l, enum operand operand, dnnl_dims_t dims)
{
    int groups = l->groups > 1;
    dnnl_dims_t all[OPERAND_END] = {
        {l->n, l->c, l->h, l->w},
        {l->k, l->c, l->r, l->s},
        {l->n, l->k, out_height(l), out_width(l)},
    };

    if (operand != W || !groups) {
        memcpy(dims, all[operand], sizeof all[operand]);
        return 4;
    }
    dims[0] = l->groups;
    dims[1] = l->k / l->groups;
    dims[2] = l->c / l->groups;
    dims[3] = l->r;
    dims[4] = l->s;
    return 5;
}

static dnnl_format_tag_t plain_tag(const struct measurement *m, enum operand operand)
{
    int last = m->layout == NHWC;

    if (operand != W)
        return last ? dnnl_nhwc : dnnl_nchw;
    if (m->layer->groups > 1)
        return last ? dnnl_gohwi : dnnl_goihw;
    return last ? dnnl_ohwi : dnnl_oihw;
}

static md make_md(const struct measurement *m, enum operand operand, int any)
{
    dnnl_dims_t dims;
    int ndims = dims_of(m->layer, operand, dims);
    md made;

    try(md_make(&made, ndims, dims, any ? dnnl_format_tag_any : plain_tag(m, operand)),
        "a memory descriptor");
    return made;
}

/* Creates the convolution's primitive descriptor. Returns NULL if oneDNN has none. */
static dnnl_primitive_desc_t make_desc(const struct measurement *m, unsigned own)
{
    const struct layer *l = m->layer;
    struct geometry g = {.tensor = {NULL}};
    dnnl_primitive_desc_t forward = NULL, desc = NULL;
    dnnl_status_t status;

    for (int i = 0; i < 2; i++) {
        g.stride[i] = l->stride[i];
        g.dilation[i] = l->dilation[i] - 1;
        g.pad[i] = l->pad[i];
    }
    for (int i = 0; i < OPERAND_END; i++)
        g.tensor[i] = make_md(m, (enum operand)i, own >> i & 1);
    status = forward_make(&forward, engine, &g);
    if (m->direction == FORWARD)
        desc = forward;
    else if (status == dnnl_success && m->direction == BACKWARD_DATA)
        status = backward_data_make(&desc, engine, &g, forward);
    else if (status == dnnl_success)
        status = backward_filter_make(&desc, engine, &g, forward);
    for (int i = 0; i < OPERAND_END; i++)
        md_free(g.tensor[i]);
    if (forward && desc != forward)
        dnnl_primitive_desc_destroy(forward);
    if (status != dnnl_success && status != dnnl_unimplemented)
        try(status, "a convolution's primitive descriptor");
    return status == dnnl_success ? desc : NULL;
}

/* Returns the layout that the convolution prefers for an operand. */
static md wanted(dnnl_primitive_desc_t desc, enum direction direction, enum operand operand)
{
    static const dnnl_query_t queries[DIRECTION_END][OPERAND_END] = {
        {dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md},
        {dnnl_query_diff_src_md, dnnl_query_weights_md, dnnl_query_diff_dst_md},
        {dnnl_query_src_md, dnnl_query_diff_weights_md, dnnl_query_diff_dst_md},
    };
    return dnnl_primitive_desc_query_md(desc, queries[direction][operand], 0);
}

static dnnl_primitive_t make_reorder(md from, md to)
{
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t made;

    try(dnnl_reorder_primitive_desc_create(&desc, from, engine, to, engine, NULL),
        "a reorder's primitive descriptor");
    try(dnnl_primitive_create(&made, desc), "a reorder");
    dnnl_primitive_desc_destroy(desc);
    return made;
}

/* ------------------------------------------------------------------ running */

static void execute_reorder(dnnl_primitive_t reorder, dnnl_memory_t from, dnnl_memory_t to)
{
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};

    try(dnnl_primitive_execute(reorder, stream, 2, args), "a reorder");
}

static void run(void *arg, int set)
{
    static const int places[DIRECTION_END][OPERAND_END] = {
        {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST},
        {DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST},
        {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST},
    };
    const struct state *s = arg;
    enum direction direction = s->m->direction;
    enum operand out = output_of(direction);
    dnnl_exec_arg_t args[OPERAND_END];

    for (int i = 0; i < OPERAND_END; i++) {
        int inside = s->reorder[i] && !s->outside;

        args[i].arg = places[direction][i];
        args[i].memory = s->own[i] ? s->own[i][inside ? 0 : set] : s->user[i][set];
        if (inside && i != (int)out)
            execute_reorder(s->reorder[i], s->user[i][set], args[i].memory);
    }
    try(dnnl_primitive_execute(s->conv, stream, OPERAND_END, args), "a convolution");
    if (s->reorder[out] && !s->outside)
        execute_reorder(s->reorder[out], args[out].memory, s->user[out][set]);
    try(dnnl_stream_wait(stream), "dnnl_stream_wait");
}

void onednn_fetch(const struct way *way, int set)
{
    const struct state *s = way->state;
    enum operand out = output_of(s->m->direction);

    if (!s->reorder[out])
        return;
    execute_reorder(s->reorder[out], s->own[out][set], s->user[out][set]);
    try(dnnl_stream_wait(stream), "dnnl_stream_wait");
}

/* ------------------------------------------------------------------ making and closing */

static dnnl_memory_t *make_memories(md desc, int count, float *const data[])
{
    dnnl_memory_t *made = take((size_t)count * sizeof *made);

    for (int i = 0; i < count; i++)
        try(dnnl_memory_create(&made[i], desc, engine, data ? data[i] : DNNL_MEMORY_ALLOCATE),
            "a memory");
    return made;
}

/* Creates the operand's memories, and a reorder if the convolution uses another layout than the
 * user's. Outputs are reordered in the opposite direction. */
static void make_operand(struct state *s, dnnl_primitive_desc_t desc, enum operand operand)
{
    const struct measurement *m = s->m;
    md plain = make_md(m, operand, 0);
    md want = wanted(desc, m->direction, operand);

    s->user[operand] = make_memories(plain, m->sets, m->data[operand]);
    if (!md_same(plain, want)) {
        int is_output = operand == output_of(m->direction);

        s->own[operand] = make_memories(want, s->outside ? m->sets : 1, NULL);
        s->reorder[operand] = is_output ? make_reorder(want, plain) : make_reorder(plain, want);
        for (int set = 0; s->outside && !is_output && set < m->sets; set++)
            execute_reorder(s->reorder[operand], s->user[operand][set], s->own[operand][set]);
    }
    md_free(plain);
    try(dnnl_stream_wait(stream), "dnnl_stream_wait");
}

static void destroy_memories(dnnl_memory_t *memories, int count)
{
    for (int i = 0; memories && i < count; i++)
        dnnl_memory_destroy(memories[i]);
    free(memories);
}

static void close_state(void *arg)
{
    struct state *s = arg;

    for (int i = 0; i < OPERAND_END; i++) {
        destroy_memories(s->user[i], s->m->sets);
        destroy_memories(s->own[i], s->outside ? s->m->sets : 1);
        if (s->reorder[i])
            dnnl_primitive_destroy(s->reorder[i]);
    }
    dnnl_primitive_destroy(s->conv);
    free(s);
}

/* Returns 1 for oneDNN's reference code, which is thousands of times slower, so that nobody would
 * choose it. */
static int is_reference(dnnl_primitive_desc_t desc)
{
    const char *name = "";

    try(dnnl_primitive_desc_query(desc, dnnl_query_impl_info_str, 0, &name), "a query");
    return strncmp(name, "ref", 3) == 0;
}

struct way onednn_way(const struct measurement *m, unsigned own, int outside)
{
    dnnl_primitive_desc_t desc = make_desc(m, own);
    struct state *s;

    if (!desc || is_reference(desc)) {
        dnnl_primitive_desc_destroy(desc);
        return (struct way){.state = NULL};
    }
    s = take(sizeof *s);
    s->m = m;
    s->outside = outside;
    try(dnnl_primitive_create(&s->conv, desc), "a convolution");
    for (int i = 0; i < OPERAND_END; i++)
        make_operand(s, desc, (enum operand)i);
    dnnl_primitive_desc_destroy(desc);
    return (struct way){run, close_state, s};
}
