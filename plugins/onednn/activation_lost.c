/* SPDX-License-Identifier: Apache-2.0 */
/* Restores results of sigmoid and swish that oneDNN flushes to 0. */
#include "activation_lost.h"

#include "wide.h"

#include <stdatomic.h>
#include <string.h>

/* The elements of a piece, which is the work of one thread at a time, and of the vectors that are
 * scanned. */
#define PIECE 65536
#define CHUNK 256

/* The flag precedes the saved elements. */
#define FLAG_BYTES 64

int onednn_loses(const struct onednn_activation *activation, int backward)
{
    return activation->mode == ONEDNN_SWISH || (activation->mode == ONEDNN_SIGMOID && !backward);
}

/* Returns the factor between x and the argument of the exponential. */
static float factor_of(const struct onednn_lost *lost)
{
    return lost->activation.mode == ONEDNN_SWISH ? (float)lost->activation.coef : 1;
}

ONEDNN_INLINE int is_lost(float x, float factor)
{
    float argument = x * factor;
    return (argument < (float)ONEDNN_EXP_LEAST) & (argument > (float)ONEDNN_EXP_NOTHING);
}

static int64_t pieces_of(const struct onednn_lost *lost)
{
    return (lost->count + PIECE - 1) / PIECE;
}

static int64_t length_of(const struct onednn_lost *lost, int64_t piece)
{
    int64_t left = lost->count - piece * PIECE;
    return left < PIECE ? left : PIECE;
}

/* ------------------------------------------------------------------ before oneDNN's step */

struct looking {
    const struct onednn_lost *lost;
    const float *x;
    atomic_int found;
};

ONEDNN_INLINE int any_lost(const float *x, int64_t n, float factor)
{
    int64_t i = 0;
    int found = 0;

    for (; i + CHUNK <= n; i += CHUNK)
        for (int k = 0; k < CHUNK; k++)
            found |= is_lost(x[i + k], factor);
    for (; i < n; i++)
        found |= is_lost(x[i], factor);
    return found;
}

ONEDNN_WIDE(any_lost_in_vectors, any_lost, (const float *x, int64_t n, float factor),
            (x, n, factor))

static void look_at_piece(void *arg, int64_t piece)
{
    struct looking *looking = arg;

    if (any_lost_in_vectors(looking->x + piece * PIECE, length_of(looking->lost, piece),
                            factor_of(looking->lost)))
        atomic_store(&looking->found, 1);
}

static void look(const struct onednn_call *call, const void *data)
{
    const struct onednn_lost *lost = data;
    struct looking looking = {lost, onednn_at(call, lost->x), 0};
    const float *over = onednn_at(call, lost->backward ? lost->dy : lost->x);
    char *kept = onednn_at(call, lost->kept);
    int found;

    onednn_share(call, pieces_of(lost), look_at_piece, &looking);
    found = atomic_load(&looking.found);
    memcpy(kept, &found, sizeof found);
    if (found && lost->in_place)
        memcpy(kept + FLAG_BYTES, over, (size_t)lost->count * sizeof *over);
}

void onednn_lost_look(struct onednn_build *build, struct onednn_lost *lost)
{
    size_t kept = lost->in_place ? kit_bytes(lost->count, sizeof(float)) : 0;

    lost->kept = onednn_reserve(build, FLAG_BYTES + kept);
    onednn_run_own(build, look, lost, sizeof *lost);
}

/* ------------------------------------------------------------------ after oneDNN's step */

struct mending {
    const struct onednn_lost *lost;
    const float *x, *dy;
    float *out;
};

static void mend_piece(void *arg, int64_t piece)
{
    const struct mending *mending = arg;
    const struct onednn_activation *activation = &mending->lost->activation;
    const float factor = factor_of(mending->lost);
    int64_t first = piece * PIECE, end = first + length_of(mending->lost, piece);

    for (int64_t i = first; i < end; i++) {
        double x = (double)mending->x[i];

        if (!is_lost(mending->x[i], factor))
            continue;
        mending->out[i] = (float)(mending->lost->backward
                                      ? onednn_gradient(activation, 0, (double)mending->dy[i], x)
                                      : onednn_activate(activation, x));
    }
}

static void mend(const struct onednn_call *call, const void *data)
{
    const struct onednn_lost *lost = data;
    const char *kept = onednn_at(call, lost->kept);
    const float *over = (const float *)(const void *)(kept + FLAG_BYTES);
    struct mending mending = {lost, onednn_at(call, lost->x), NULL, onednn_at(call, lost->out)};
    int found;

    memcpy(&found, kept, sizeof found);
    if (!found)
        return;
    if (lost->backward)
        mending.dy = lost->in_place ? over : onednn_at(call, lost->dy);
    else
        mending.x = lost->in_place ? over : mending.x;
    onednn_share(call, pieces_of(lost), mend_piece, &mending);
}

void onednn_lost_mend(struct onednn_build *build, const struct onednn_lost *lost)
{
    onednn_run_own(build, mend, lost, sizeof *lost);
}
