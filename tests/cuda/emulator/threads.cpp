// SPDX-License-Identifier: Apache-2.0
// Runs the threads of the emulated device as coroutines, one block after another. Each thread runs
// until it waits for others of its block or warp. Blocks that were launched together take turns:
// the next one runs when all threads of a block wait.

// The library's checked longjmp would report a switch to another stack as corruption.
#undef _FORTIFY_SOURCE
#include "cuda_runtime.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <vector>

dim3 threadIdx, blockIdx, blockDim, gridDim;

void emulator_fault(const char *what)
{
    fprintf(stderr, "emulator: block %u,%u thread %u: %s\n", blockIdx.x, blockIdx.y, threadIdx.x,
            what);
    abort();
}

namespace
{
const size_t stack_bytes = 128 << 10;

enum state { READY, AT_BLOCK, AT_WARP, AT_EVENT, DONE };

// A coroutine, made once, that runs one thread of a kernel after another. Coroutines are switched
// by jumps which, unlike swapcontext, make no system call.
struct coroutine {
    ucontext_t first;
    jmp_buf at;
    std::vector<char> stack;
    bool begun;
    enum state state;
    unsigned mask;    // lanes that it waits for
    uint64_t offered; // its value in an exchange
    const std::function<bool()> *event;
};

jmp_buf scheduler;
coroutine *current;
// The coroutines of each concurrent block: one block, or all that were launched together.
typedef std::vector<coroutine *> coroutine_set;
std::vector<coroutine_set> sets(1);
unsigned turn; // the set of the running block
#define coroutines (sets[turn])
const std::function<void()> *body;

void wait(enum state state)
{
    current->state = state;
    if (_setjmp(current->at) == 0)
        _longjmp(scheduler, 1);
}

void coroutine_main()
{
    for (;;) {
        (*body)();
        wait(DONE);
    }
}

void make_coroutines(size_t count)
{
    while (coroutines.size() < count) {
        coroutine *made = new coroutine();

        made->stack.resize(stack_bytes);
        getcontext(&made->first);
        made->first.uc_stack.ss_sp = made->stack.data();
        made->first.uc_stack.ss_size = made->stack.size();
        makecontext(&made->first, coroutine_main, 0);
        coroutines.push_back(made);
    }
}

// Runs a thread until it waits or ends.
void resume(unsigned thread)
{
    current = coroutines[thread];
    threadIdx.x = thread;
    if (_setjmp(scheduler) != 0)
        return;
    if (current->begun)
        _longjmp(current->at, 1);
    current->begun = true;
    setcontext(&current->first);
}

// Returns true if all lanes that this thread waits for have arrived.
bool has_met(unsigned thread, unsigned block_size)
{
    const coroutine *waiting = coroutines[thread];
    unsigned warp = thread / EMULATOR_WARP * EMULATOR_WARP;

    for (unsigned lane = 0; lane < EMULATOR_WARP; lane++) {
        const coroutine *other = warp + lane < block_size ? coroutines[warp + lane] : nullptr;

        if (!(waiting->mask >> lane & 1) || !other)
            continue;
        if (other->state != AT_WARP)
            return false;
        if (other->mask != waiting->mask)
            emulator_fault("two threads of a warp meet with different masks");
    }
    return true;
}

// Runs the threads of a warp until all of them have ended or wait for others of the block. Returns
// true if any thread ran.
bool run_warp(unsigned first, unsigned end, unsigned block_size)
{
    bool moved = true, ran = false;

    for (; moved; ran |= moved) {
        moved = false;
        for (unsigned t = first; t < end; t++) {
            threadIdx.x = t;
            if (coroutines[t]->state == AT_EVENT && (*coroutines[t]->event)())
                coroutines[t]->state = READY;
            if (coroutines[t]->state != READY)
                continue;
            resume(t);
            moved = true;
        }
        for (unsigned t = first; t < end; t++) {
            if (coroutines[t]->state != AT_WARP || !has_met(t, block_size))
                continue;
            for (unsigned lane = 0; lane < EMULATOR_WARP && first + lane < end; lane++) {
                if (coroutines[t]->mask >> lane & 1)
                    coroutines[first + lane]->state = READY;
            }
            moved = true;
        }
    }
    return ran;
}

// Returns true if a thread of the block waits for something that its own block cannot bring about.
// This is a fault unless blocks were launched together.
bool is_stuck(unsigned size, bool together)
{
    bool stuck = false;

    for (unsigned t = 0; t < size; t++) {
        threadIdx.x = t;
        stuck |= coroutines[t]->state == AT_WARP || coroutines[t]->state == AT_EVENT;
        if (!together && coroutines[t]->state == AT_WARP)
            emulator_fault("waits for threads of its warp that do not come");
        if (!together && coroutines[t]->state == AT_EVENT)
            emulator_fault("waits for a barrier that the others of its block do not bring on");
    }
    return stuck;
}

// Releases the threads that wait for the block. Returns their number.
unsigned release_block(unsigned size, bool together)
{
    unsigned released = 0;

    if (is_stuck(size, together))
        return 0;
    for (unsigned t = 0; t < size; t++) {
        if (coroutines[t]->state != AT_BLOCK)
            continue;
        coroutines[t]->state = READY;
        released++;
    }
    return released;
}

void start_block(unsigned size)
{
    make_coroutines(size);
    for (unsigned t = 0; t < size; t++)
        coroutines[t]->state = READY;
}

// Runs a block until all of its threads wait or have ended. Returns true if any thread ran.
bool run_block(unsigned size, bool together)
{
    bool moved = false;

    do {
        bool ran = true;

        while (ran) {
            ran = false;
            for (unsigned warp = 0; warp < size; warp += EMULATOR_WARP)
                ran |=
                    run_warp(warp, warp + EMULATOR_WARP < size ? warp + EMULATOR_WARP : size, size);
            moved |= ran;
        }
    } while (release_block(size, together) > 0);
    return moved;
}

bool has_ended(unsigned size)
{
    bool ended = true;

    for (unsigned t = 0; t < size; t++)
        ended = ended && coroutines[t]->state == DONE;
    return ended;
}

// Returns the block to run as number `block`. EMULATOR_LAST_BLOCK_FIRST reverses the order.
unsigned in_order(unsigned block, unsigned blocks)
{
    return getenv("EMULATOR_LAST_BLOCK_FIRST") ? blocks - 1 - block : block;
}
} // namespace

unsigned emulator_block()
{
    return turn;
}

void emulator_run_grid(const std::function<void()> &thread, dim3 grid, dim3 block)
{
    /* No block waits for another, so they run to their ends one by one. */
    gridDim = grid;
    blockDim = block;
    body = &thread;
    turn = 0;
    for (unsigned y = 0; y < grid.y; y++)
        for (unsigned x = 0; x < grid.x; x++) {
            blockIdx.x = in_order(x, grid.x);
            blockIdx.y = in_order(y, grid.y);
            start_block(block.x);
            run_block(block.x, false);
        }
}

void emulator_run_together(const std::function<void()> &thread, dim3 grid, dim3 block)
{
    bool moved = true;

    gridDim = grid;
    blockDim = block;
    blockIdx.y = 0;
    body = &thread;
    if (sets.size() < grid.x)
        sets.resize(grid.x);
    for (turn = 0; turn < grid.x; turn++)
        start_block(block.x);
    while (moved) {
        moved = false;
        for (unsigned x = 0; x < grid.x; x++) {
            blockIdx.x = turn = in_order(x, grid.x);
            moved |= run_block(block.x, true);
        }
    }
    for (turn = 0; turn < grid.x; turn++) {
        blockIdx.x = turn;
        if (!has_ended(block.x))
            emulator_fault("a thread of its block waits for what no other block brings on");
    }
    turn = 0;
}

void __syncthreads()
{
    wait(AT_BLOCK);
}

void emulator_wait_until(const std::function<bool()> &event)
{
    if (event())
        return;
    current->event = &event;
    wait(AT_EVENT);
}

void __syncwarp(unsigned mask)
{
    if (!(mask >> threadIdx.x % EMULATOR_WARP & 1))
        emulator_fault("is not in the mask that it meets with");
    current->mask = mask;
    wait(AT_WARP);
}

uint64_t emulator_exchange(unsigned mask, uint64_t offered, unsigned from)
{
    unsigned warp = threadIdx.x / EMULATOR_WARP * EMULATOR_WARP;
    uint64_t taken;

    if (from >= EMULATOR_WARP || !(mask >> from & 1) || warp + from >= blockDim.x)
        emulator_fault("takes the value of a thread that is not in the mask");
    current->offered = offered;
    __syncwarp(mask);
    taken = coroutines[warp + from]->offered;
    __syncwarp(mask);
    return taken;
}

unsigned __ballot_sync(unsigned mask, int predicate)
{
    unsigned warp = threadIdx.x / EMULATOR_WARP * EMULATOR_WARP, bits = 0;

    current->offered = predicate != 0;
    __syncwarp(mask);
    for (unsigned lane = 0; lane < EMULATOR_WARP; lane++) {
        if ((mask >> lane & 1) && warp + lane < blockDim.x)
            bits |= (unsigned)coroutines[warp + lane]->offered << lane;
    }
    __syncwarp(mask);
    return bits;
}

int __any_sync(unsigned mask, int predicate)
{
    return __ballot_sync(mask, predicate) != 0;
}

int __all_sync(unsigned mask, int predicate)
{
    return __ballot_sync(mask, !predicate) == 0;
}
