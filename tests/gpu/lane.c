/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the problems of a lane and runs them on its stream or as a recording. Compares the results
 * with the bits of a quiet run. */
#include "lane.h"
#include "work.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The problems of a lane. They cover persistent blocks with tiles of several classes, and sums
 * split in workspace that a second kernel adds up. They also cover copies before a kernel, halos,
 * and sums of cuda_simt in two kernels. */
static const char *const problems[] = {
    "convolution_forward x=f16:16,128,28,28:nhwc w=f16:128,128,3,3:nhwc y=f16:16,128,28,28:nhwc "
    "pad=1,1 math=tensor_op",
    "convolution_forward x=f16:16,64,56,56:nhwc w=f16:256,64,1,1:nhwc y=f16:16,256,56,56:nhwc "
    "math=tensor_op",
    "convolution_backward_data w=f16:128,128,3,3:nhwc dy=f16:16,128,28,28:nhwc "
    "dx=f16:16,128,56,56:nhwc pad=1,1 stride=2,2 math=tensor_op",
    "convolution_backward_filter x=f16:16,128,28,28:nhwc dy=f16:16,128,28,28:nhwc "
    "dw=f16:128,128,3,3:nhwc pad=1,1 math=tensor_op",
    "convolution_backward_filter x=bf16:16,64,56,56:nhwc dy=bf16:16,256,56,56:nhwc "
    "dw=bf16:256,64,1,1:nhwc math=tensor_op",
    "convolution_forward x=f16:1,512,4,4:nhwc w=f16:64,512,3,3:nhwc y=f16:1,64,4,4:nhwc pad=1,1 "
    "math=tensor_op",
    "convolution_forward x=f32:16,128,28,28:nhwc w=f32:128,128,3,3:nhwc y=f32:16,128,28,28:nhwc "
    "pad=1,1 math=allow_conversion",
    "convolution_backward_data w=f32:128,128,3,3:nhwc dy=f32:16,128,28,28:nhwc "
    "dx=f32:16,128,28,28:nhwc pad=1,1 math=allow_conversion",
    "convolution_backward_filter x=f32:16,128,28,28:nhwc dy=f32:16,128,28,28:nhwc "
    "dw=f32:128,128,3,3:nhwc pad=1,1 math=allow_conversion",
    "convolution_forward x=f32:2,512,7,7:nhwc w=f32:512,512,3,3:nhwc y=f32:2,512,7,7:nhwc pad=1,1 "
    "math=split",
    "convolution_backward_filter x=f32:8,64,28,28:nhwc dy=f32:8,64,28,28:nhwc "
    "dw=f32:64,64,3,3:nhwc pad=1,1 math=split",
    "convolution_backward_filter x=f16:16,64,28,28:nhwc dy=f16:16,64,28,28:nhwc "
    "dw=f16:64,8,3,3:nhwc pad=1,1 groups=8 math=tensor_op",
    "convolution_backward_filter x=f16:16,3,64,64:nhwc dy=f16:16,64,32,32:nhwc "
    "dw=f16:64,3,7,7:nhwc pad=3,3 stride=2,2 math=tensor_op",
    "convolution_forward x=f16:8,64,28,28:nchw w=f16:64,64,3,3:nchw y=f16:8,64,28,28:nchw pad=1,1 "
    "math=tensor_op",
    "convolution_forward x=s8:8,256,28,28:nhwc w=s8:256,256,3,3:nhwc y=s8:8,256,28,28:nhwc "
    "pad=1,1 compute=s32 math=tensor_op",
    "convolution_backward_filter x=f32:8,64,28,28:nchw dy=f32:8,64,28,28:nchw "
    "dw=f32:64,64,3,3:nchw pad=1,1",
    "convolution_backward_filter x=f16:16,64,28,28:nhwc dy=f16:16,64,28,28:nhwc "
    "dw=f16:64,1,3,3:nhwc pad=1,1 groups=64",
    "convolution_backward_bias dy=f16:16,256,28,28:nhwc db=f16:1,256,1,1:nhwc",
    "reduce_tensor a=f32:16,64,65,66:nchw c=f32:1,64,1,1:nchw op=add",
    "softmax_forward x=f32:64,20000,1,1:nchw y=f32:64,20000,1,1:nchw softmax=accurate "
    "mode=instance",
};
static_assert(sizeof problems / sizeof problems[0] == LANE_PROBLEMS, "a lane holds every problem");

/* ------------------------------------------------------------------ operands */

/* Draws random bits such that every element is a number of either sign. Its size is at least 0.5,
 * and less than 1 (half, float) or 2 (bfloat16). `keep` selects the drawn bits, and `set` has the
 * bits that are set. */
static void draw(unsigned char *values, size_t bytes, anydnnDataType_t type, unsigned *seed)
{
    static const struct {
        unsigned keep, set;
    } forms[] = {[ANYDNN_DATA_FLOAT] = {0x807fffff, 0x3f000000},
                 [ANYDNN_DATA_HALF] = {0x83ff83ff, 0x38003800},
                 [ANYDNN_DATA_BFLOAT16] = {0x80ff80ff, 0x3f003f00},
                 [ANYDNN_DATA_INT8] = {0xffffffff, 0}};

    must((size_t)type < sizeof forms / sizeof forms[0] && forms[type].keep != 0);
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        unsigned word;

        *seed = *seed * 1664525u + 1013904223u;
        word = (*seed ^ *seed >> 15) * 2654435761u;
        word = ((word ^ word >> 13) & forms[type].keep) | forms[type].set;
        memcpy(values + i, &word, 4);
    }
}

static void make_operand(struct lane *lane, struct work *work, int i, unsigned *seed)
{
    anydnnTensorDescriptor_t desc;
    anydnnDataType_t type;
    anydnnDirection_t direction;
    int dims;
    size_t bytes;
    void *values;

    must_be(SUCCESS, anydnnCreateTensorDescriptor(&desc));
    must_be(SUCCESS, anydnnProblemGetOperand(work->problem, i, NULL, desc, &direction));
    must_be(SUCCESS, anydnnGetTensorSizeInBytes(desc, &bytes));
    must_be(SUCCESS, anydnnGetTensorNdDescriptor(desc, 0, &type, &dims, NULL, NULL));
    must_be(SUCCESS, anydnnDestroyTensorDescriptor(desc));
    must_be(SUCCESS, anydnnMemAlloc(lane->handle, bytes, &work->data[i]));
    values = calloc(1, bytes + 4);
    must(values);
    draw(values, bytes, type, seed);
    must_be(SUCCESS, anydnnMemCopy(lane->handle, work->data[i], values, bytes,
                                   ANYDNN_MEMCPY_HOST_TO_DEVICE));
    free(values);
    if (direction & ANYDNN_DIRECTION_OUTPUT) {
        work->result = i;
        work->bytes = bytes;
    }
}

static void make_work(struct lane *lane, int i, unsigned seed)
{
    struct work *work = &lane->work[i];
    int count;

    must_be(SUCCESS, anydnnProblemParse(problems[i], &work->problem));
    must_be(SUCCESS, anydnnProblemGetOperandCount(work->problem, &count));
    must(count <= LANE_INPUTS + 1);
    for (int j = 0; j < count; j++)
        make_operand(lane, work, j, &seed);
    must_be(SUCCESS,
            anydnnProblemGetWorkspaceSize(lane->handle, work->problem, &work->workspace_bytes));
    if (work->workspace_bytes)
        must_be(SUCCESS, anydnnMemAlloc(lane->handle, work->workspace_bytes, &work->workspace));
    work->quiet = malloc(work->bytes);
    work->last = malloc(work->bytes);
    must(work->quiet && work->last);
}

/* ------------------------------------------------------------------ lanes */

/* Enqueues all problems. Each result is set to other bytes before its problem runs. */
void lane_enqueue(const struct lane *lane)
{
    must(cudaSetDevice(lane->device) == cudaSuccess);
    for (int i = 0; i < LANE_PROBLEMS; i++) {
        const struct work *work = &lane->work[i];

        must(cudaMemsetAsync(work->data[work->result], 0x55, work->bytes, lane->stream) ==
             cudaSuccess);
        must_be(SUCCESS, anydnnProblemExecute(lane->handle, work->problem, work->data,
                                              work->workspace, work->workspace_bytes));
    }
}

static void take(const struct lane *lane, int is_quiet)
{
    must(cudaSetDevice(lane->device) == cudaSuccess);
    for (int i = 0; i < LANE_PROBLEMS; i++) {
        const struct work *work = &lane->work[i];

        must(cudaMemcpyAsync(is_quiet ? work->quiet : work->last, work->data[work->result],
                             work->bytes, cudaMemcpyDeviceToHost, lane->stream) == cudaSuccess);
    }
    must(cudaStreamSynchronize(lane->stream) == cudaSuccess);
}

void lane_make(struct lane *lane, int device, int number, int is_recorded)
{
    char name[20];

    snprintf(name, sizeof name, "cuda:%d", device);
    must(cudaSetDevice(device) == cudaSuccess);
    lane->device = device;
    lane->handle = gpu_handle(name, "cuda_simt");
    must_be(SUCCESS,
            anydnnSetRoute(lane->handle, "convolution_*", NULL, "cuda_tensorcore, cuda_simt"));
    must(cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking) == cudaSuccess);
    must_be(SUCCESS, anydnnSetStream(lane->handle, lane->stream));
    for (int i = 0; i < LANE_PROBLEMS; i++)
        make_work(lane, i, (unsigned)(number * LANE_PROBLEMS + i + 1));
    lane_enqueue(lane);
    take(lane, 1);
    if (is_recorded) {
        must_be(SUCCESS, anydnnRecordBegin(lane->handle));
        lane_enqueue(lane);
        must_be(SUCCESS, anydnnRecordEnd(lane->handle, &lane->recording));
        must_be(SUCCESS, anydnnReplay(lane->handle, lane->recording));
        take(lane, 0);
    }
}

void lane_start(const struct lane *lane)
{
    if (lane->recording)
        must_be(SUCCESS, anydnnReplay(lane->handle, lane->recording));
    else
        lane_enqueue(lane);
}

void lane_compare(const struct lane *lane)
{
    take(lane, 0);
    for (int i = 0; i < LANE_PROBLEMS; i++) {
        const struct work *work = &lane->work[i];

        if (memcmp(work->last, work->quiet, work->bytes) != 0) {
            fprintf(stderr, "# other bits than in a quiet run: %s\n", problems[i]);
            _exit(1);
        }
    }
}
