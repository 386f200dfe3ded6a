/* SPDX-License-Identifier: Apache-2.0 */
/* The exported functions for x86-64. Each jumps to the address in its slot, so no arguments need be
 * known. A slot first holds code that finds the function. Afterwards it holds the function of the real
 * library, code that counts the call first, or a function of this library. */
#ifdef __CET__
#include <cet.h>
#else
#define _CET_ENDBR
#endif

    .text

/* The exported functions. */
    .set index, 0
#define ENTRY(name, result)                                                                        \
    .globl name; .type name, @function; .p2align 4;                                                \
name: .cfi_startproc; _CET_ENDBR; jmp *cudnn9_slot+8*index(%rip); .cfi_endproc;                    \
    .size name, .-name; .set index, index+1;
#include "cudnn9/names.def"
#undef ENTRY

/* The first contents of the slots. Each function pushes its index. */
    .set index, 0
#define ENTRY(name, result)                                                                        \
    .p2align 4;                                                                                    \
first_##name: .cfi_startproc; _CET_ENDBR; pushq $index; .cfi_adjust_cfa_offset 8; jmp find_first;    \
    .cfi_endproc; .set index, index+1;
#include "cudnn9/names.def"
#undef ENTRY

/* Counts the call and jumps to the real function. Counters are aligned: an atomic addition across two
 * cache lines takes a microsecond. */
    .set index, 0
#define ENTRY(name, result)                                                                        \
    .p2align 4;                                                                                    \
count_##name: .cfi_startproc; _CET_ENDBR; lock incq cudnn9_count+8*index(%rip);                      \
    jmp *cudnn9_onward+8*index(%rip); .cfi_endproc; .set index, index+1;
#include "cudnn9/names.def"
#undef ENTRY

/* The functions that the real library lacks. */
    .set index, 0
#define ENTRY(name, result)                                                                        \
    .p2align 4;                                                                                    \
lack_##name: .cfi_startproc; _CET_ENDBR; movl $index, %edi; jmp cudnn9_answer_lacking; .cfi_endproc; \
    .set index, index+1;
#include "cudnn9/names.def"
#undef ENTRY

/* Keeps all registers that can hold arguments, and continues in the function that was found. */
    .p2align 4
    .type find_first, @function
find_first:
    .cfi_startproc
    .cfi_def_cfa_offset 16
    pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %rcx
    pushq %r8
    pushq %r9
    pushq %rax
    subq $136, %rsp
    .cfi_adjust_cfa_offset 192
    movaps %xmm0, (%rsp)
    movaps %xmm1, 16(%rsp)
    movaps %xmm2, 32(%rsp)
    movaps %xmm3, 48(%rsp)
    movaps %xmm4, 64(%rsp)
    movaps %xmm5, 80(%rsp)
    movaps %xmm6, 96(%rsp)
    movaps %xmm7, 112(%rsp)
    movq 192(%rsp), %rdi
    call cudnn9_find
    movq %rax, %r11
    movaps (%rsp), %xmm0
    movaps 16(%rsp), %xmm1
    movaps 32(%rsp), %xmm2
    movaps 48(%rsp), %xmm3
    movaps 64(%rsp), %xmm4
    movaps 80(%rsp), %xmm5
    movaps 96(%rsp), %xmm6
    movaps 112(%rsp), %xmm7
    addq $136, %rsp
    popq %rax
    popq %r9
    popq %r8
    popq %rcx
    popq %rdx
    popq %rsi
    popq %rdi
    addq $8, %rsp
    .cfi_def_cfa_offset 8
    jmp *%r11
    .cfi_endproc
    .size find_first, .-find_first

/* The tables. The linker relocates the addresses in them. */
    .section .data.rel, "aw", @progbits
    .p2align 6
    .globl cudnn9_slot
    .hidden cudnn9_slot
cudnn9_slot:
#define ENTRY(name, result) .quad first_##name;
#include "cudnn9/names.def"
#undef ENTRY

    .section .data.rel.ro, "aw", @progbits
    .p2align 6
    .globl cudnn9_counting
    .hidden cudnn9_counting
cudnn9_counting:
#define ENTRY(name, result) .quad count_##name;
#include "cudnn9/names.def"
#undef ENTRY
    .globl cudnn9_lacking
    .hidden cudnn9_lacking
cudnn9_lacking:
#define ENTRY(name, result) .quad lack_##name;
#include "cudnn9/names.def"
#undef ENTRY

    .section .note.GNU-stack, "", @progbits
