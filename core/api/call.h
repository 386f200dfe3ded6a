/* SPDX-License-Identifier: Apache-2.0 */
/* Builders that turn an entry's arguments into a call, one for each kind of argument. An entry
 * calls them in the order in which bad arguments are reported, and ends with adn_call_run. A
 * builder that refuses its argument records the status and puts a blank operand in its place. The
 * later builders still run, and adn_call_run returns the first refusal. The builders have no loops
 * or calls, so the compiler folds everything that is constant in an entry. */
#ifndef ADN_API_CALL_H
#define ADN_API_CALL_H

#include <string.h>

#include "desc/desc.h"
#include "dispatch/dispatch.h"
#include "dispatch/handle/handle.h"
#include "problem/masks.h"
#include "problem/problem.h"
#include "sys/callback.h"

/* The rules that a refused argument may break. */
enum adn_refused_rule {
    ADN_REFUSED_NOTHING,
    ADN_REFUSED_OPERAND, /* the descriptor of an operand is NULL, destroyed, of another kind, or not
                            set */
    ADN_REFUSED_DESCRIPTOR, /* the same for the descriptor of an operation */
    ADN_REFUSED_DATA,       /* an operand's pointer is NULL */
    ADN_REFUSED_SCALE,      /* a scaling factor is NULL */
    ADN_REFUSED_ALGORITHM   /* the number is negative */
};

struct adn_refused {
    enum adn_refused_rule rule;
    int number; /* slot, index of the factor, or the given algorithm */
    const void *desc;
    enum adn_desc_kind kind;
    const char *argument; /* name of an operation's descriptor */
};

/* The counters of an entry's builders. They are separate from the call, whose address is passed to
 * dispatch, so that the compiler keeps them in registers. */
struct adn_entry {
    struct adn_call *call;
    uint32_t present;
    uint32_t key_words;
    uint64_t hash;
    struct adn_refused refused; /* the first refusal */
};

/* A blank in place of a refused descriptor or factor: every member is 0. */
extern const union adn_call_blank {
    struct anydnnTensorStruct tensor;
    struct anydnnFilterStruct filter;
    struct anydnnConvolutionStruct convolution;
    struct anydnnPoolingStruct pooling;
    struct anydnnActivationStruct activation;
    struct anydnnLRNStruct lrn;
    struct anydnnOpTensorStruct op_tensor;
    struct anydnnReduceTensorStruct reduce;
    struct anydnnTensorTransformStruct transform;
    struct anydnnDropoutStruct dropout;
    struct anydnnSpatialTransformerStruct spatial;
    struct anydnnCTCLossStruct ctc;
    struct anydnnNormalizationStruct normalization;
    struct anydnnMatMulStruct matmul;
    double factor;
} adn_call_blank;

/* Returns 1 while no argument was refused. */
static inline int adn_call_accepted(const struct adn_entry *entry)
{
    return entry->refused.rule == ADN_REFUSED_NOTHING;
}

/* Records a refusal, if it is the first. It calls no function, because a call would keep the
 * compiler from folding the builders after it. */
static inline __attribute__((always_inline)) void adn_call_refuse(struct adn_entry *entry,
                                                                  struct adn_refused refused)
{
    if (adn_call_accepted(entry))
        entry->refused = refused;
}

/* Returns BAD_PARAM with the message of the first refusal. */
anydnnStatus_t adn_call_report_refused(const struct adn_call *call, struct adn_refused refused)
    __attribute__((cold));

static inline __attribute__((always_inline)) anydnnStatus_t
adn_call_report(const struct adn_entry *entry)
{
    return adn_call_report_refused(entry->call, entry->refused);
}

static inline void adn_call_begin(struct adn_entry *entry, struct adn_call *call, const char *name,
                                  int32_t operation)
{
    entry->call = call;
    entry->present = 0;
    entry->key_words = 2;
    entry->hash = 0;
    entry->refused.rule = ADN_REFUSED_NOTHING;
    call->entry = name;
    call->operation = operation;
    call->algorithm = ADN_ALGORITHM_ANY;
    call->math = ANYDNN_PLUGIN_MATH_DEFAULT;
    call->variant = 0;
    call->unread = 0;
    call->params = NULL;
    /* Backends find NULL in every slot without an operand, including slots that the operation does
     * not have today. */
    call->operands.struct_size = sizeof(call->operands);
    call->operands.reserved = 0;
    for (int i = 0; i < 4; i++) {
        call->operands.scale[i] = 0;
        call->operands.number[i] = 0;
    }
    call->operands.value = NULL;
    call->operands.workspace = NULL;
    call->operands.workspace_bytes = 0;
    call->operands.flags = 0;
    call->operands.reserved_end = 0;
}

/* Adds a word to the key: a mode, or a parameter's bits. It updates the hash at once. A later loop
 * over the key would read words that a compiler cannot prove initialized, unless it unrolls the
 * loop. */
static inline void adn_call_key(struct adn_entry *entry, uint64_t word)
{
    entry->call->key[entry->key_words++] = word;
    entry->hash = adn_table_key_mix(entry->hash, word);
}

static inline void adn_call_key_double(struct adn_entry *entry, double value)
{
    uint64_t word;

    memcpy(&word, &value, sizeof(word));
    adn_call_key(entry, word);
}

/* Puts an operand into a slot without a check. */
static inline void adn_call_put(struct adn_entry *entry, int slot,
                                const struct anydnn_plugin_tensor *tensor, const void *data)
{
    entry->call->tensor[slot] = tensor;
    entry->call->operands.data[slot] = (void *)data;
    entry->present |= UINT32_C(1) << slot;
}

/* Marks an input that the operation does not read, so that it does not count as an alias if an
 * output has the same address. Backends still find every operand: another one of the same dims,
 * `like`, replaces one that is NULL. */
static inline void adn_call_substitute(struct adn_entry *entry, int slot, int like)
{
    struct adn_call *call = entry->call;

    call->unread |= UINT32_C(1) << slot;
    if (!(entry->present >> slot & 1))
        adn_call_put(entry, slot, call->tensor[like], call->operands.data[like]);
}

/* Puts a scaling factor. Factors are in host memory, as double if the operands are double (slot 0
 * decides), else as float. */
static inline void adn_call_put_scale(struct adn_entry *entry, int index, const void *factor)
{
    entry->call->operands.scale[index] = entry->call->tensor[0]->type == ANYDNN_PLUGIN_DOUBLE
                                             ? *(const double *)factor
                                             : (double)*(const float *)factor;
}

/* Returns an operand's tensor and adds its descriptor to the key. */
static inline const struct anydnn_plugin_tensor *
adn_call_take_tensor(struct adn_entry *entry, int slot, const struct anydnnTensorStruct *desc)
{
    if (__builtin_expect(!adn_desc_usable(desc, ADN_DESC_TENSOR), 0)) {
        adn_call_refuse(
            entry, (struct adn_refused){ADN_REFUSED_OPERAND, slot, desc, ADN_DESC_TENSOR, NULL});
        desc = &adn_call_blank.tensor;
    }
    adn_call_key(entry, desc->head.stamp);
    return &desc->t;
}

static inline const struct anydnn_plugin_tensor *
adn_call_take_filter(struct adn_entry *entry, int slot, const struct anydnnFilterStruct *desc)
{
    if (__builtin_expect(!adn_desc_usable(desc, ADN_DESC_FILTER), 0)) {
        adn_call_refuse(
            entry, (struct adn_refused){ADN_REFUSED_OPERAND, slot, desc, ADN_DESC_FILTER, NULL});
        desc = &adn_call_blank.filter;
    }
    adn_call_key(entry, desc->head.stamp);
    return &desc->t;
}

/* Puts an operand without data, for queries. */
static inline void adn_call_shape(struct adn_entry *entry, int slot,
                                  const struct anydnnTensorStruct *desc)
{
    adn_call_put(entry, slot, adn_call_take_tensor(entry, slot, desc), NULL);
}

/* Puts an operand without data, for queries, if it has a descriptor. */
static inline void adn_call_shape_optional(struct adn_entry *entry, int slot,
                                           const struct anydnnTensorStruct *desc)
{
    if (desc)
        adn_call_shape(entry, slot, desc);
}

static inline void adn_call_filter_shape(struct adn_entry *entry, int slot,
                                         const struct anydnnFilterStruct *desc)
{
    adn_call_put(entry, slot, adn_call_take_filter(entry, slot, desc), NULL);
}

/* Puts a pointer into a slot, with a tensor that another argument describes. */
static inline void adn_call_data(struct adn_entry *entry, int slot,
                                 const struct anydnn_plugin_tensor *tensor, const void *pointer)
{
    if (__builtin_expect(!pointer, 0))
        adn_call_refuse(entry, (struct adn_refused){.rule = ADN_REFUSED_DATA, .number = slot});
    adn_call_put(entry, slot, tensor, pointer);
}

/* Puts an operand that may be absent. */
static inline void adn_call_optional(struct adn_entry *entry, int slot,
                                     const struct anydnn_plugin_tensor *tensor, const void *pointer)
{
    if (pointer)
        adn_call_put(entry, slot, tensor, pointer);
}

/* Puts an operand: its descriptor and its pointer. */
static inline void adn_call_tensor(struct adn_entry *entry, int slot,
                                   const struct anydnnTensorStruct *desc, const void *pointer)
{
    adn_call_data(entry, slot, adn_call_take_tensor(entry, slot, desc), pointer);
}

static inline void adn_call_filter(struct adn_entry *entry, int slot,
                                   const struct anydnnFilterStruct *desc, const void *pointer)
{
    adn_call_data(entry, slot, adn_call_take_filter(entry, slot, desc), pointer);
}

/* Puts an operand that is absent where its pointer is NULL. Its descriptor is then not read. */
static inline void adn_call_take_optional(struct adn_entry *entry, int slot,
                                          const struct anydnnTensorStruct *desc,
                                          const void *pointer)
{
    if (pointer)
        adn_call_tensor(entry, slot, desc, pointer);
    else
        adn_call_key(entry, 0);
}

/* Puts an input that the operation does not read if `unread` is set. Then it may be NULL, with or
 * without a descriptor. The entry calls adn_call_substitute after it has put the other operands. */
static inline void adn_call_maybe_unread(struct adn_entry *entry, int slot,
                                         const struct anydnnTensorStruct *desc, const void *pointer,
                                         int unread)
{
    if (unread)
        adn_call_take_optional(entry, slot, desc, pointer);
    else
        adn_call_tensor(entry, slot, desc, pointer);
}

static inline void adn_call_scale(struct adn_entry *entry, int index, const void *factor)
{
    if (__builtin_expect(!factor, 0)) {
        adn_call_refuse(entry, (struct adn_refused){.rule = ADN_REFUSED_SCALE, .number = index});
        factor = &adn_call_blank.factor;
    }
    adn_call_put_scale(entry, index, factor);
}

static inline void adn_call_blend(struct adn_entry *entry, const void *alpha, const void *beta)
{
    adn_call_scale(entry, 0, alpha);
    adn_call_scale(entry, 1, beta);
}

/* Puts the descriptor of an operation, from which adn_call.params makes parameters. Returns it, or
 * a blank one if it is refused. */
static inline const void *adn_call_descriptor(struct adn_entry *entry, enum adn_desc_kind kind,
                                              const char *argument, const void *desc, int place)
{
    if (__builtin_expect(!adn_desc_usable(desc, kind), 0)) {
        adn_call_refuse(entry,
                        (struct adn_refused){ADN_REFUSED_DESCRIPTOR, 0, desc, kind, argument});
        desc = &adn_call_blank;
    }
    entry->call->descriptor[place] = desc;
    adn_call_key(entry, ((const struct adn_desc *)desc)->stamp);
    return desc;
}

static inline void adn_call_workspace(struct adn_entry *entry, void *workspace, size_t bytes)
{
    entry->call->operands.workspace = workspace;
    entry->call->operands.workspace_bytes = bytes;
}

/* Completes the operands of the call: sets the pointers of absent ones to NULL. */
static inline __attribute__((always_inline)) void adn_call_operands_end(struct adn_entry *entry)
{
    entry->call->present = entry->present;
#pragma GCC unroll 32
    for (int slot = 0; slot < ADN_SLOTS; slot++)
        if (!(entry->present >> slot & 1))
            entry->call->operands.data[slot] = NULL;
}

/* Returns the 16 bits of an algorithm in the key. Numbers that need more are of no algorithm, and
 * no plan is kept for them. */
static inline uint64_t adn_call_key_algorithm(int32_t algorithm)
{
    return (uint16_t)(algorithm < INT16_MAX ? algorithm : INT16_MAX);
}

/* Joins the bits of all pointers and completes the key. The first two words hold what the stamps do
 * not: operation, variant, presence, algorithm, and which outputs alias which inputs. The compiler
 * folds nearly all of it if the operation is constant. */
static inline __attribute__((always_inline)) void adn_call_key_end(struct adn_entry *entry)
{
    struct adn_call *call = entry->call;
    struct adn_slot_masks masks = adn_slot_masks[call->operation];
    struct adn_aliases aliases;
    uintptr_t address_bits = 0;

    masks.ins &= ~call->unread;
#pragma GCC unroll 32
    for (int slot = 0; slot < ADN_SLOTS; slot++)
        if (entry->present >> slot & 1)
            address_bits |= (uintptr_t)call->operands.data[slot];
    call->address_bits = address_bits;
    aliases = adn_aliases_of(masks, entry->present, call->operands.data);
    call->aliases.word[0] = aliases.word[0];
    call->key[0] = (uint64_t)call->operation | (uint64_t)call->variant << 8 |
                   adn_call_key_algorithm(call->algorithm) << 16 | (uint64_t)entry->present << 32;
    call->key[1] = aliases.word[0];
    for (int word = 1; adn_aliases_are_wide(masks) && word < ADN_ALIAS_WORDS; word++) {
        call->aliases.word[word] = aliases.word[word];
        adn_call_key(entry, aliases.word[word]);
    }
    call->hash = adn_table_key_end(
        adn_table_key_mix(adn_table_key_mix(entry->hash, call->key[0]), call->key[1]));
    call->key_words = entry->key_words;
    if (entry->key_words & 1)
        call->key[entry->key_words] = 0;
}

/* Runs a call off the hot path: checks the handle first and delays messages. */
anydnnStatus_t adn_call_run_closely(anydnnHandle_t handle, struct adn_call *call)
    __attribute__((cold));

static inline __attribute__((always_inline)) anydnnStatus_t adn_call_run(anydnnHandle_t handle,
                                                                         struct adn_entry *entry)
{
    if (__builtin_expect(!adn_call_accepted(entry), 0))
        return adn_call_report(entry);
    adn_call_operands_end(entry);
    adn_call_key_end(entry);
    if (__builtin_expect(!adn_handle_is_ready(handle), 0))
        return adn_call_run_closely(handle, entry->call);
    return adn_dispatch_run(handle, entry->call);
}

/* Runs a workspace query for the call. */
static inline anydnnStatus_t adn_call_query_workspace(anydnnHandle_t handle,
                                                      struct adn_entry *entry, size_t *bytes)
{
    if (!adn_call_accepted(entry))
        return adn_call_report(entry);
    adn_call_operands_end(entry);
    return adn_dispatch_workspace(handle, entry->call, bytes);
}

#endif
