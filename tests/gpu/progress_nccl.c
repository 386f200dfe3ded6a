/* SPDX-License-Identifier: Apache-2.0 */
/* Tests two devices whose lanes run beside sums over both devices. NCCL's kernels hold
 * multiprocessors of one device until those of the other have begun. */
#include "progress.h"

#include "hold.h"
#include "lane.h"
#include "nccl.h"
#include "work.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES 2
#define ROUNDS  4                  /* of each order */
#define COUNT   ((size_t)16 << 20) /* floats of a sum: 64 MB */
#define BYTES   (COUNT * sizeof(float))
#define SUMS    16 /* sums in a row */
#define TIMES   8  /* runs of a lane in a row */

static struct nccl nccl;

#define must_nccl(call)                                                                            \
    do {                                                                                           \
        int result_ = (call);                                                                      \
        if (result_ != 0) {                                                                        \
            fprintf(stderr, "# %s:%d: %s: %s\n", __FILE__, __LINE__, #call,                        \
                    nccl.error_string(result_));                                                   \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

/* ------------------------------------------------------------------ a device */

enum { LANE, SUM, STREAMS };
enum { BEGIN, END, MARKS };

static struct side {
    struct lane lane;
    cudaStream_t stream[STREAMS];
    cudaEvent_t mark[STREAMS][MARKS];
    void *comm;
    float *terms, *sums; /* on the device */
} sides[DEVICES];

static float *wanted, *found; /* sums, on the host */

/* Returns a number from 1 to 7, so that sums are exact and stay exact when they are doubled. */
static float term(size_t i, int device)
{
    return (float)((i * 5 + i / 7 + (size_t)device * 3) % 7 + 1);
}

static void make_side(int device)
{
    struct side *side = &sides[device];

    lane_make(&side->lane, device, device, 1);
    side->stream[LANE] = side->lane.stream;
    must(cudaSetDevice(device) == cudaSuccess);
    must(cudaStreamCreateWithFlags(&side->stream[SUM], cudaStreamNonBlocking) == cudaSuccess);
    for (int i = 0; i < STREAMS * MARKS; i++)
        must(cudaEventCreate(&side->mark[i / MARKS][i % MARKS]) == cudaSuccess);
    must(cudaMalloc((void **)&side->terms, BYTES) == cudaSuccess);
    must(cudaMalloc((void **)&side->sums, BYTES) == cudaSuccess);
    for (size_t i = 0; i < COUNT; i++)
        found[i] = term(i, device);
    must(cudaMemcpy(side->terms, found, BYTES, cudaMemcpyHostToDevice) == cudaSuccess);
}

static void make_sides(void)
{
    void *comms[DEVICES];

    wanted = malloc(BYTES);
    found = malloc(BYTES);
    must(wanted && found);
    for (size_t i = 0; i < COUNT; i++)
        wanted[i] = ldexpf(term(i, 0) + term(i, 1), SUMS - 1);
    for (int i = 0; i < DEVICES; i++)
        make_side(i);
    must_nccl(nccl.comm_init_all(comms, DEVICES, (const int[DEVICES]){0, 1}));
    for (int i = 0; i < DEVICES; i++)
        sides[i].comm = comms[i];
}

static void mark(int device, int stream, int which)
{
    const struct side *side = &sides[device];

    must(cudaSetDevice(device) == cudaSuccess);
    must(cudaEventRecord(side->mark[stream][which], side->stream[stream]) == cudaSuccess);
}

/* ------------------------------------------------------------------ work for both */

/* Enqueues the sums in place, so that each sum is twice the previous one. */
static void start_sums(void)
{
    for (int i = 0; i < DEVICES; i++) {
        mark(i, SUM, BEGIN);
        must(cudaMemcpyAsync(sides[i].sums, sides[i].terms, BYTES, cudaMemcpyDeviceToDevice,
                             sides[i].stream[SUM]) == cudaSuccess);
    }
    for (int time = 0; time < SUMS; time++) {
        must_nccl(nccl.group_start());
        for (int i = 0; i < DEVICES; i++)
            must_nccl(nccl.all_reduce(sides[i].sums, sides[i].sums, COUNT, NCCL_FLOAT32, NCCL_SUM,
                                      sides[i].comm, sides[i].stream[SUM]));
        must_nccl(nccl.group_end());
    }
    for (int i = 0; i < DEVICES; i++)
        mark(i, SUM, END);
}

static void *sums_of_a_thread(void *unused)
{
    start_sums();
    return unused;
}

/* Enqueues the lanes of the devices from `first` on and before `end`, as calls or as recordings.
 * The host enqueues recordings faster than the device runs them. */
static void start_lanes(int first, int end, int is_replay)
{
    for (int i = first; i < end; i++)
        mark(i, LANE, BEGIN);
    for (int time = 0; time < TIMES; time++)
        for (int i = first; i < end; i++) {
            if (is_replay)
                lane_start(&sides[i].lane);
            else
                lane_enqueue(&sides[i].lane);
        }
    for (int i = first; i < end; i++)
        mark(i, LANE, END);
}

/* ------------------------------------------------------------------ orders */

static void sums_first(int round)
{
    start_sums();
    start_lanes(0, DEVICES, round % 2);
}

static void lanes_first(int round)
{
    (void)round;
    start_lanes(0, DEVICES, 1);
    start_sums();
}

/* Enqueues the lane of one device before the sums, and that of the other device after them. */
static void sums_between(int round)
{
    start_lanes(1, DEVICES, 1);
    start_sums();
    start_lanes(0, 1, round % 2);
}

static void two_threads(int round)
{
    pthread_t thread;

    must(pthread_create(&thread, NULL, sums_of_a_thread, NULL) == 0);
    start_lanes(0, DEVICES, round % 2);
    must(pthread_join(thread, NULL) == 0);
}

static const struct order {
    const char *name;
    void (*start)(int round);
} orders[] = {{"sums first", sums_first},
              {"lanes first", lanes_first},
              {"sums between the lanes", sums_between},
              {"two threads", two_threads}};

/* ------------------------------------------------------------------ the watch */

static void must_end(const struct order *order, int round)
{
    static const char *const names[STREAMS] = {"lane", "sums"};
    int waits = 0;

    for (int i = 0; i < DEVICES * STREAMS; i++) {
        if (progress_ends_in(sides[i / STREAMS].stream[i % STREAMS], waits ? 0 : HOLD_IS_WAITING))
            continue;
        fprintf(stderr, "# %s, round %d: %s of device %d still waits after %d s\n", order->name,
                round, names[i % STREAMS], i / STREAMS, HOLD_IS_WAITING);
        waits = 1;
    }
    must(!waits);
}

static void check_sums(const char *when, int round)
{
    for (int device = 0; device < DEVICES; device++) {
        size_t i = 0;

        must(cudaSetDevice(device) == cudaSuccess);
        must(cudaMemcpyAsync(found, sides[device].sums, BYTES, cudaMemcpyDeviceToHost,
                             sides[device].stream[SUM]) == cudaSuccess);
        must(cudaStreamSynchronize(sides[device].stream[SUM]) == cudaSuccess);
        if (memcmp(found, wanted, BYTES) == 0)
            continue;
        while (memcmp(&found[i], &wanted[i], sizeof *found) == 0)
            i++;
        fprintf(stderr, "# %s, round %d: sum %zu of device %d is %.9g, not %.9g\n", when, round, i,
                device, (double)found[i], (double)wanted[i]);
        _exit(1);
    }
}

/* Returns 1 if each of the two streams began before the other ended. */
static int were_at_once(const struct side *side)
{
    float sums_left, lane_left;

    must(cudaEventElapsedTime(&sums_left, side->mark[LANE][BEGIN], side->mark[SUM][END]) ==
         cudaSuccess);
    must(cudaEventElapsedTime(&lane_left, side->mark[SUM][BEGIN], side->mark[LANE][END]) ==
         cudaSuccess);
    return sums_left > 0 && lane_left > 0;
}

/* Runs the rounds of an order. Both streams of each device must run at once in at least one round;
 * otherwise the test shows nothing. */
static void run(const struct order *order)
{
    int at_once[DEVICES] = {0};

    for (int round = 0; round < ROUNDS; round++) {
        order->start(round);
        must_end(order, round);
        check_sums(order->name, round);
        for (int i = 0; i < DEVICES; i++) {
            lane_compare(&sides[i].lane);
            at_once[i] += were_at_once(&sides[i]);
        }
    }
    for (int i = 0; i < DEVICES; i++) {
        fprintf(stderr, "# %s: device %d had both at work in %d of %d rounds\n", order->name, i,
                at_once[i], ROUNDS);
        must(at_once[i] > 0);
    }
}

void progress_nccl(void)
{
    static const struct order quiet = {"sums alone", NULL};
    int count = 0;

    if (cudaGetDeviceCount(&count) != cudaSuccess || count < DEVICES)
        gpu_skip("there are not two CUDA devices");
    nccl_open(&nccl);
    make_sides();
    start_sums();
    must_end(&quiet, 0);
    check_sums(quiet.name, 0);
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
        run(&orders[i]);
    for (int i = 0; i < DEVICES; i++)
        must_nccl(nccl.comm_destroy(sides[i].comm));
}
