/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests flags in shared memory, as hopper/split.h uses them, in a kernel that does nothing else. A
 * lane of one warp writes the flag, and another warp reads it. mbarriers make the next write wait
 * until all have read. Three ways enforce this order, and each of them is correct:
 *
 *   each     the lane that reads arrives itself, and the lane that writes waits itself
 *   warp     all lanes read, and one arrives for them after a barrier of the warp
 *   between  as `each`, but another thread waits for the arrival, and the writer waits for it
 *
 *   arrivals [WAY]
 *
 * The program shows which of these ways racecheck recognizes. It prints TAP. The exit status is 77
 * if there is no device of capability 9.0.
 */
#include "ptx.h"
#include "work.h"

#include <cuda_runtime_api.h>
#include <string.h>

#define ROUNDS 64u
#define LANES  32
#define WARPS  3

static const char source[] =
    ".version 8.0\n"
    ".target sm_90\n"
    ".address_size 64\n"
    ".visible .entry arrivals(.param .u64 sums_at, .param .u32 way_of, .param .u32 rounds_of)\n"
    "{\n"
    "    .shared .align 8 .b64 ready;\n"
    "    .shared .align 8 .b64 empty;\n"
    "    .shared .align 8 .b64 passed;\n"
    "    .shared .align 4 .b32 flag;\n"
    "    .reg .pred is, is_first, reads_all, has_between, ended;\n"
    "    .reg .b32 thread, lane, warp, round, rounds, parity, before, word, sum, way;\n"
    "    .reg .b64 sums, at;\n"
    "    ld.param.u64 sums, [sums_at];\n"
    "    ld.param.u32 way, [way_of];\n"
    "    ld.param.u32 rounds, [rounds_of];\n"
    "    setp.eq.u32 reads_all, way, 1;\n"
    "    setp.eq.u32 has_between, way, 2;\n"
    "    mov.u32 thread, %tid.x;\n"
    "    and.b32 lane, thread, 31;\n"
    "    shr.u32 warp, thread, 5;\n"
    "    setp.eq.u32 is_first, lane, 0;\n"
    "    setp.ne.u32 is, thread, 0;\n"
    "    @is bra begun;\n"
    "    mbarrier.init.shared.b64 [ready], 1;\n"
    "    mbarrier.init.shared.b64 [empty], 1;\n"
    "    mbarrier.init.shared.b64 [passed], 1;\n"
    "begun:\n"
    "    bar.sync 0;\n"
    "    mov.u32 round, 0;\n"
    "    mov.u32 sum, 0;\n"
    "    setp.eq.u32 is, warp, 1;\n"
    "    @is bra reader;\n"
    "    @!is_first bra done;\n"
    "    setp.eq.u32 is, warp, 2;\n"
    "    @is bra between;\n"
    "writer:\n"
    "    and.b32 parity, round, 1;\n"
    "    xor.b32 before, parity, 1;\n"
    "    @has_between bra writer_passed;\n"
    "writer_empty:\n"
    "    mbarrier.try_wait.parity.shared.b64 ended, [empty], before;\n"
    "    @!ended bra writer_empty;\n"
    "    bra write;\n"
    "writer_passed:\n"
    "    mbarrier.try_wait.parity.shared.b64 ended, [passed], parity;\n"
    "    @!ended bra writer_passed;\n"
    "write:\n"
    "    mad.lo.u32 word, round, 3, 1;\n"
    "    st.shared.u32 [flag], word;\n"
    "    mbarrier.arrive.shared.b64 _, [ready];\n"
    "    add.u32 round, round, 1;\n"
    "    setp.lt.u32 is, round, rounds;\n"
    "    @is bra writer;\n"
    "    bra done;\n"
    "between:\n"
    "    and.b32 parity, round, 1;\n"
    "    xor.b32 before, parity, 1;\n"
    "between_empty:\n"
    "    mbarrier.try_wait.parity.shared.b64 ended, [empty], before;\n"
    "    @!ended bra between_empty;\n"
    "    mbarrier.arrive.shared.b64 _, [passed];\n"
    "    add.u32 round, round, 1;\n"
    "    setp.lt.u32 is, round, rounds;\n"
    "    @is bra between;\n"
    "    bra done;\n"
    "reader:\n"
    "    and.b32 parity, round, 1;\n"
    "reader_ready:\n"
    "    mbarrier.try_wait.parity.shared.b64 ended, [ready], parity;\n"
    "    @!ended bra reader_ready;\n"
    "    @reads_all bra read_by_all;\n"
    "    mov.u32 word, 0;\n"
    "    @is_first ld.shared.u32 word, [flag];\n"
    "    shfl.sync.idx.b32 word, word, 0, 31, 0xffffffff;\n"
    "    bra was_read;\n"
    "read_by_all:\n"
    "    ld.shared.u32 word, [flag];\n"
    "was_read:\n"
    "    add.u32 sum, sum, word;\n"
    "    bar.warp.sync 0xffffffff;\n"
    "    @is_first mbarrier.arrive.shared.b64 _, [empty];\n"
    "    add.u32 round, round, 1;\n"
    "    setp.lt.u32 is, round, rounds;\n"
    "    @is bra reader;\n"
    "    mul.wide.u32 at, lane, 4;\n"
    "    add.u64 at, at, sums;\n"
    "    st.global.u32 [at], sum;\n"
    "done:\n"
    "    ret;\n"
    "}\n";

static const char *const ways[] = {"each", "warp", "between"};

/* Returns 1 if each lane has the sum of the written numbers, which differ in every round. */
static int is_right(CUfunction function, unsigned way)
{
    CUresult (*start)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                      unsigned, CUstream, void **, void **) = ptx_entry("cuLaunchKernel");
    unsigned wanted = 3 * (ROUNDS * (ROUNDS - 1) / 2) + ROUNDS, rounds = ROUNDS, found[LANES];
    void *sums = NULL, *parameters[] = {&sums, &way, &rounds};
    int right = 1;

    must(cudaMalloc(&sums, sizeof found) == cudaSuccess);
    must(cudaMemset(sums, 0, sizeof found) == cudaSuccess);
    must(start(function, 1, 1, 1, WARPS * LANES, 1, 1, 0, NULL, parameters, NULL) == CUDA_SUCCESS);
    must(cudaMemcpy(found, sums, sizeof found, cudaMemcpyDeviceToHost) == cudaSuccess);
    must(cudaFree(sums) == cudaSuccess);
    for (int i = 0; i < LANES; i++)
        right &= found[i] == wanted;
    return right;
}

int main(int argc, char **argv)
{
    int major = 0, number = 0, failed = 0;
    CUfunction function;

    if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) != cudaSuccess ||
        major < 9) {
        puts("1..0 # SKIP no CUDA device of 9.0");
        return 77;
    }
    function = ptx_kernel(source, "arrivals");
    for (unsigned way = 0; way < sizeof ways / sizeof ways[0]; way++) {
        int right;

        if (argc > 1 && strcmp(argv[1], ways[way]) != 0)
            continue;
        right = is_right(function, way);
        failed |= !right;
        printf("%sok %d - %s\n", right ? "" : "not ", ++number, ways[way]);
    }
    printf("1..%d\n", number);
    return failed || number == 0;
}
