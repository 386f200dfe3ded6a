/* SPDX-License-Identifier: Apache-2.0 */
/* set_tensor: copies one element, or one vector, of any type to all elements. */
#include "../../cuda_common/table.h"
#include "../shared/map.h"

/* The bytes of the longest vector. */
#define VALUE_MAX 32

/* An element is one or more words of 1 to 8 bytes. */
struct set_job {
    cuda_walk walk;
    void *y;
    int32_t words;     /* words of one element */
    int32_t word_size; /* bytes of a word */
    unsigned char value[VALUE_MAX];
};

template <class W> __device__ static inline void set_word(const set_job &job, int64_t at, int word)
{
    W value;

    memcpy(&value, job.value + word * sizeof(W), sizeof value);
    ((W *)job.y)[at * job.words + word] = value;
}

static __global__ void __launch_bounds__(CUDA_THREADS) set_elements(set_job job)
{
    int64_t first = (int64_t)blockIdx.x * (CUDA_THREADS * CUDA_MAP_ITEMS) + threadIdx.x;

    for (int item = 0; item < CUDA_MAP_ITEMS; item++) {
        int64_t i = first + item * CUDA_THREADS, at[1];
        int word = (int)(i % job.words);

        if (i >= job.walk.count * job.words)
            return;
        cuda_walk_place<1>(job.walk, i / job.words, at);
        switch (job.word_size) {
        case 1:
            set_word<uint8_t>(job, at[0], word);
            break;
        case 2:
            set_word<uint16_t>(job, at[0], word);
            break;
        case 4:
            set_word<uint32_t>(job, at[0], word);
            break;
        default:
            set_word<uint64_t>(job, at[0], word);
        }
    }
}

/* Fills a packed tensor: 16 bytes per thread, then the remaining elements. */
static __global__ void __launch_bounds__(CUDA_THREADS) set_packed(set_job job)
{
    int64_t i = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    int element = job.words * job.word_size;
    int64_t bytes = job.walk.count * element, whole = bytes / 16;
    uint4 value;

    if (i < whole) {
        memcpy(&value, job.value + (element > 16 && i % 2 ? 16 : 0), sizeof value);
        ((uint4 *)job.y)[i] = value;
    } else if (i == whole) {
        for (int64_t b = whole * 16; b < bytes; b++)
            ((unsigned char *)job.y)[b] = job.value[b % VALUE_MAX];
    }
}

/* Prepares a plan. It treats vectors as single elements. */
static void set_prepare(struct anydnn_plugin_plan *plan)
{
    struct anydnn_plugin_tensor elements = *plan->problem.tensor[slot_set_tensor_y];
    const struct anydnn_plugin_tensor *walked[] = {&elements};
    int64_t lanes = kit_lanes(elements.type);
    set_job *job = (set_job *)plan->job;
    int32_t size = (int32_t)lanes * cuda_type_size(elements.type);

    if (lanes > 1)
        elements.dims[1] /= lanes;
    elements.type = kit_lane_type(elements.type);
    cuda_walk_make(&job->walk, walked, 1, KIT_WALK_ALL, KIT_WALK_SORTED);
    job->word_size = size < 8 ? size : 8;
    job->words = size / job->word_size;
}

static int32_t set_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    set_job job = *(const set_job *)plan->job;
    int element = job.words * job.word_size;
    int64_t elements = job.walk.count;

    if (!call->operands->value)
        return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM, "set_tensor: value is a NULL pointer");
    job.y = call->operands->data[slot_set_tensor_y];
    for (int b = 0; b < VALUE_MAX; b++)
        job.value[b] = ((const unsigned char *)call->operands->value)[b % element];
    if (job.walk.ndims == 1 && cuda_walk_unit(&job.walk, 0) && (uintptr_t)job.y % 16 == 0)
        return cuda_launch(call, set_packed, cuda_blocks(elements * element / 16 + 1, CUDA_THREADS),
                           1, job);
    return cuda_launch(call, set_elements,
                       cuda_blocks(elements * job.words, CUDA_THREADS * CUDA_MAP_ITEMS), 1, job);
}

CUDA_OPERATION(set_tensor, SET_TENSOR, .types = CUDA_FLOATS | CUDA_INTEGERS | CUDA_VECTORS,
               .layouts = CUDA_LAYOUTS_AND_VECTORS, .job_size = sizeof(set_job),
               .prepare = set_prepare, .run = set_run);
