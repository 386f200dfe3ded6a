/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How an entry turns its arguments into a call: one step an argument, in the order of the sentence
 * that a user should get first, then adn_call_run. A step that fails returns from the entry with
 * the status; as the steps are straight code, the compiler folds all that is constant of an entry.
 */
#ifndef ADN_API_CALL_H
#define ADN_API_CALL_H

#include <string.h>

#include "desc/desc.h"
#include "dispatch/dispatch.h"
#include "dispatch/handle/handle.h"
#include "problem/masks.h"
#include "sys/callback.h"

struct adn_entry {
    struct adn_call call;
};

/* BAD_PARAM with the sentence for: a descriptor or the pointer of an operand, a descriptor of an
 * operation, a factor, an algorithm. `entry` tells name and operation. */
anydnnStatus_t adn_call_refuse(const struct adn_entry *entry, int slot, const void *desc,
                               enum adn_desc_kind kind) __attribute__((cold));
anydnnStatus_t adn_call_refuse_data(const struct adn_entry *entry, int slot) __attribute__((cold));
anydnnStatus_t adn_call_refuse_scale(const struct adn_entry *entry, int index)
    __attribute__((cold));
anydnnStatus_t adn_call_refuse_algorithm(const struct adn_entry *entry, int algorithm)
    __attribute__((cold));

static inline void adn_call_begin(struct adn_entry *entry, const char *name, int32_t operation)
{
    struct adn_call *call = &entry->call;

    call->entry = name;
    call->operation = operation;
    call->algorithm = ADN_ALGORITHM_ANY;
    call->math = ANYDNN_PLUGIN_MATH_DEFAULT;
    call->present = 0;
    call->key_words = 2;
    call->hash = 0;
    call->variant = 0;
    call->unread = 0;
    call->params = NULL;
    /* Backends find NULL in every slot without an operand, also in those that the operation lacks
     * today. */
    call->operands.struct_size = sizeof(call->operands);
    call->operands.reserved = 0;
    for (int i = 0; i < 4; i++) {
        call->operands.scale[i] = 0;
        call->operands.number[i] = 0;
    }
    call->operands.value = NULL;
    call->operands.stream = NULL;
    call->operands.workspace = NULL;
    call->operands.workspace_bytes = 0;
}

/* A word of the key: a mode, a parameter's bits. The hash takes it at once: a loop over the key at
 * the end would read words that a compiler, where it does not unroll it, cannot see written. */
static inline void adn_call_key(struct adn_entry *entry, uint64_t word)
{
    entry->call.key[entry->call.key_words++] = word;
    entry->call.hash = adn_table_key_mix(entry->call.hash, word);
}

static inline void adn_call_key_double(struct adn_entry *entry, double value)
{
    uint64_t word;

    memcpy(&word, &value, sizeof(word));
    adn_call_key(entry, word);
}

/* Puts an operand into a slot without a test. */
static inline void adn_call_put(struct adn_entry *entry, int slot,
                                const struct anydnn_plugin_tensor *tensor, const void *data)
{
    entry->call.tensor[slot] = tensor;
    entry->call.operands.data[slot] = (void *)data;
    entry->call.present |= UINT32_C(1) << slot;
}

/* An input that the operation reads nothing of is no alias where an output lies on it. Backends
 * find every operand all the same: in the place of one that is NULL another of the same dims,
 * `like`. */
static inline void adn_call_stand_in(struct adn_entry *entry, int slot, int like)
{
    struct adn_call *call = &entry->call;

    call->unread |= UINT32_C(1) << slot;
    if (!(call->present >> slot & 1))
        adn_call_put(entry, slot, call->tensor[like], call->operands.data[like]);
}

/* Factors are float in host memory, double when the operands are (slot 0 decides). */
static inline void adn_call_put_scale(struct adn_entry *entry, int index, const void *factor)
{
    entry->call.operands.scale[index] = entry->call.tensor[0]->type == ANYDNN_PLUGIN_DOUBLE
                                            ? *(const double *)factor
                                            : (double)*(const float *)factor;
}

#define ADN_REQUIRE(condition, refusal)                                                            \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0))                                                     \
            return refusal;                                                                        \
    } while (0)

/* A descriptor that says an operand's shape, for queries. */
#define ADN_SHAPE_OF(into, slot, desc, kind)                                                       \
    do {                                                                                           \
        ADN_REQUIRE(adn_desc_usable(desc, kind), adn_call_refuse(into, slot, desc, kind));         \
        adn_call_put(into, slot, &(desc)->t, NULL);                                                \
        adn_call_key(into, (desc)->head.stamp);                                                    \
    } while (0)
#define ADN_SHAPE(into, slot, desc)        ADN_SHAPE_OF(into, slot, desc, ADN_DESC_TENSOR)
#define ADN_FILTER_SHAPE(into, slot, desc) ADN_SHAPE_OF(into, slot, desc, ADN_DESC_FILTER)

/* An operand's pointer beside a tensor that another descriptor described. */
#define ADN_DATA(into, slot, tensor, pointer)                                                      \
    do {                                                                                           \
        ADN_REQUIRE(pointer, adn_call_refuse_data(into, slot));                                    \
        adn_call_put(into, slot, tensor, pointer);                                                 \
    } while (0)

/* The same for an operand that may be absent. */
#define ADN_OPTIONAL(into, slot, tensor, pointer)                                                  \
    do {                                                                                           \
        if (pointer)                                                                               \
            adn_call_put(into, slot, tensor, pointer);                                             \
    } while (0)

/* An operand: descriptor and pointer. */
#define ADN_TENSOR(into, slot, desc, pointer)                                                      \
    do {                                                                                           \
        ADN_SHAPE(into, slot, desc);                                                               \
        ADN_DATA(into, slot, &(desc)->t, pointer);                                                 \
    } while (0)
#define ADN_FILTER(into, slot, desc, pointer)                                                      \
    do {                                                                                           \
        ADN_FILTER_SHAPE(into, slot, desc);                                                        \
        ADN_DATA(into, slot, &(desc)->t, pointer);                                                 \
    } while (0)

/* The same for an input that the operation reads nothing of where `unread` is set: it may be NULL
 * then, with or without a descriptor. adn_call_stand_in is called once the others are put. */
#define ADN_MAYBE_UNREAD(into, slot, desc, pointer, unread)                                        \
    do {                                                                                           \
        if ((pointer) || !(unread))                                                                \
            ADN_TENSOR(into, slot, desc, pointer);                                                 \
        else                                                                                       \
            adn_call_key(into, 0);                                                                 \
    } while (0)

#define ADN_SCALE(into, index, factor)                                                             \
    do {                                                                                           \
        ADN_REQUIRE(factor, adn_call_refuse_scale(into, index));                                   \
        adn_call_put_scale(into, index, factor);                                                   \
    } while (0)

#define ADN_BLEND(into, alpha, beta)                                                               \
    do {                                                                                           \
        ADN_SCALE(into, 0, alpha);                                                                 \
        ADN_SCALE(into, 1, beta);                                                                  \
    } while (0)

/* The descriptor of an operation, of which adn_call.params will make parameters. */
#define ADN_DESCRIPTOR(into, kind, argument, desc, place)                                          \
    do {                                                                                           \
        ADN_REQUIRE(adn_desc_usable(desc, kind),                                                   \
                    adn_desc_complain((into)->call.entry, argument, desc, kind));                  \
        (into)->call.descriptor[place] = desc;                                                     \
        adn_call_key(into, (desc)->head.stamp);                                                    \
    } while (0)

static inline void adn_call_workspace(struct adn_entry *entry, void *workspace, size_t bytes)
{
    entry->call.operands.workspace = workspace;
    entry->call.operands.workspace_bytes = bytes;
}

static inline __attribute__((always_inline)) void adn_call_clear_absent(struct adn_call *call)
{
#pragma GCC unroll 16
    for (int slot = 0; slot < ADN_SLOTS; slot++)
        if (!(call->present >> slot & 1))
            call->operands.data[slot] = NULL;
}

/* Clears the pointers of absent operands, joins the others' bits and completes the key, whose first
 * two words hold what stamps do not: operation, variant, presence, algorithm, and which outputs lie
 * on which inputs. With a constant operation nearly all of it folds. */
static inline __attribute__((always_inline)) void adn_call_key_end(struct adn_entry *entry)
{
    struct adn_call *call = &entry->call;
    struct adn_slot_masks masks = adn_slot_masks[call->operation];

    masks.ins &= (uint16_t)~call->unread;
    adn_call_clear_absent(call);
    call->address_bits = 0;
#pragma GCC unroll 16
    for (int slot = 0; slot < ADN_SLOTS; slot++)
        if (call->present >> slot & 1)
            call->address_bits |= (uintptr_t)call->operands.data[slot];
    call->key[0] = (uint64_t)call->operation | (uint64_t)call->variant << 8 |
                   (uint64_t)call->present << 16 | (uint64_t)(uint32_t)call->algorithm << 32;
    call->key[1] = adn_aliases_of(masks, call->present, call->operands.data);
    call->hash = adn_table_key_mix(adn_table_key_mix(call->hash, call->key[0]), call->key[1]);
    if (call->key_words & 1)
        call->key[call->key_words] = 0;
}

static inline __attribute__((always_inline)) anydnnStatus_t adn_call_run(anydnnHandle_t handle,
                                                                         struct adn_entry *entry)
{
    anydnnStatus_t status;

    adn_call_key_end(entry);
    status = adn_handle_check_call(handle, entry->call.entry);
    return status == ANYDNN_STATUS_SUCCESS ? adn_dispatch_run(handle, &entry->call) : status;
}

#endif
