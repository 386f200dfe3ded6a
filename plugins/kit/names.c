/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of operations, operands and types for the functions of names.h. */
#include "names.h"

struct slot {
    const char *name;
    int32_t is_written;
};

struct operation {
    const char *name;
    size_t params_size;
    struct slot slot[ANYDNN_PLUGIN_OPERAND_MAX];
};

#define NONE                0
#define CONVOLUTION         sizeof(struct anydnn_plugin_convolution)
#define FUSED               sizeof(struct anydnn_plugin_convolution)
#define IM2COL              sizeof(struct anydnn_plugin_convolution)
#define POOLING             sizeof(struct anydnn_plugin_pooling)
#define ACTIVATION          sizeof(struct anydnn_plugin_activation)
#define SOFTMAX             sizeof(struct anydnn_plugin_softmax)
#define LRN                 sizeof(struct anydnn_plugin_lrn)
#define BATCH_NORMALIZATION sizeof(struct anydnn_plugin_batch_normalization)
#define DROPOUT             sizeof(struct anydnn_plugin_dropout)
#define TRANSFORM           sizeof(struct anydnn_plugin_transform)
#define OP_TENSOR           sizeof(struct anydnn_plugin_op_tensor)
#define REDUCE              sizeof(struct anydnn_plugin_reduce)
#define SPATIAL             sizeof(struct anydnn_plugin_spatial)
#define CTC                 sizeof(struct anydnn_plugin_ctc)
#define NORMALIZATION       sizeof(struct anydnn_plugin_normalization)
#define MATMUL              sizeof(struct anydnn_plugin_matmul)

/* clang-format off */
#define READ(role)    {#role, 0}
#define WRITTEN(role) {#role, 1}
/* clang-format on */
#define IN             READ
#define OPTIONAL_IN    READ
#define HOST_IN        READ
#define OUT            WRITTEN
#define INOUT          WRITTEN
#define OPTIONAL_OUT   WRITTEN
#define OPTIONAL_INOUT WRITTEN

#define OPERATION(number, text, params, factors, algorithms, ...)                                  \
    [number] = {.name = #text, .params_size = (params), .slot = {__VA_ARGS__}},
static const struct operation operations[ANYDNN_PLUGIN_OPERATION_END] = {
#include "operations.def"
};

/* The types. The size of a vector type is that of one lane, in bytes. */
static const struct {
    const char *name;
    int64_t size;
} types[KIT_TYPES] = {
    [ANYDNN_PLUGIN_FLOAT] = {"float", 4},     [ANYDNN_PLUGIN_DOUBLE] = {"double", 8},
    [ANYDNN_PLUGIN_HALF] = {"half", 2},       [ANYDNN_PLUGIN_INT8] = {"int8", 1},
    [ANYDNN_PLUGIN_INT32] = {"int32", 4},     [ANYDNN_PLUGIN_INT8X4] = {"int8x4", 1},
    [ANYDNN_PLUGIN_UINT8] = {"uint8", 1},     [ANYDNN_PLUGIN_UINT8X4] = {"uint8x4", 1},
    [ANYDNN_PLUGIN_INT8X32] = {"int8x32", 1}, [ANYDNN_PLUGIN_BFLOAT16] = {"bfloat16", 2},
    [ANYDNN_PLUGIN_INT64] = {"int64", 8},
};

static int has(int32_t operation)
{
    return operation > 0 && operation < ANYDNN_PLUGIN_OPERATION_END;
}

static int is_index(int32_t type)
{
    return type >= ANYDNN_PLUGIN_UINT16 && type <= ANYDNN_PLUGIN_UINT64;
}

const char *kit_operation_name(int32_t operation)
{
    return has(operation) ? operations[operation].name : "an unknown operation";
}

const char *kit_slot_name(int32_t operation, int32_t slot)
{
    const char *name = NULL;

    if (has(operation) && slot >= 0 && slot < ANYDNN_PLUGIN_OPERAND_MAX)
        name = operations[operation].slot[slot].name;
    return name ? name : "?";
}

int kit_is_written(int32_t operation, int32_t slot)
{
    return has(operation) && slot >= 0 && slot < ANYDNN_PLUGIN_OPERAND_MAX &&
           operations[operation].slot[slot].is_written;
}

uint32_t kit_slots(int32_t operation)
{
    uint32_t slots = 0;

    for (int32_t slot = 0; has(operation) && slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++)
        if (operations[operation].slot[slot].name)
            slots |= UINT32_C(1) << slot;
    return slots;
}

size_t kit_params_size(int32_t operation)
{
    return has(operation) ? operations[operation].params_size : 0;
}

const char *kit_type_name(int32_t type)
{
    static const char *const index_names[] = {"uint16", "uint32", "uint64"};

    if (is_index(type))
        return index_names[type - ANYDNN_PLUGIN_UINT16];
    return type >= 0 && type < KIT_TYPES ? types[type].name : "an unknown type";
}

int64_t kit_type_size(int32_t type)
{
    if (is_index(type))
        return INT64_C(2) << (type - ANYDNN_PLUGIN_UINT16);
    return type >= 0 && type < KIT_TYPES ? types[type].size : 0;
}
