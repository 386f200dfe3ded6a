/* SPDX-License-Identifier: Apache-2.0 */
/* Adds memories, layouts and steps to a plan under construction. */
#include "build.h"

#include "plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Temporaries begin at whole cache lines, and at another page offset than their neighbors. */
#define ALIGNMENT 256

int onednn_build_fail(struct onednn_build *build, int32_t status, const char *format, ...)
{
    va_list list;

    if (build->status != ANYDNN_PLUGIN_STATUS_SUCCESS)
        return -1;
    build->status = status;
    va_start(list, format);
    vsnprintf(build->sentence, sizeof build->sentence, format, list);
    va_end(list);
    return -1;
}

/* ------------------------------------------------------------------ objects that live as long as a
 * build */

void onednn_build_begin(struct onednn_build *build)
{
    build->attributes = onednn_attributes(build);
}

void onednn_build_end(struct onednn_build *build)
{
    for (int32_t i = 0; i < build->kept.layouts; i++)
        onednn_layout_destroy(build->kept.layout[i]);
    for (int32_t i = 0; i < build->kept.descriptors; i++)
        onednn.dnnl_primitive_desc_destroy(build->kept.descriptor[i]);
    for (int32_t i = 0; i < build->kept.attribute_count; i++)
        onednn.dnnl_primitive_attr_destroy(build->kept.attributes[i]);
    memcpy(build->plan->arena_bytes, build->used, sizeof build->used);
}

/* Fails the build if oneDNN ran out of memory, which must not be reported as a missing
 * implementation. */
static void blame_memory(struct onednn_build *build, const void *made)
{
    if (onednn_ran_out_of_memory() && !made)
        onednn_build_fail(build, ANYDNN_PLUGIN_STATUS_ALLOC_FAILED,
                          "out of memory for a plan of oneDNN");
}

static onednn_layout keep_layout(struct onednn_build *build, onednn_layout layout)
{
    blame_memory(build, layout);
    if (layout && build->kept.layouts == ONEDNN_KEPT) {
        onednn_layout_destroy(layout);
        onednn_build_fail(build, ANYDNN_PLUGIN_STATUS_INTERNAL_ERROR,
                          "a plan of onednn has too many layouts");
        return NULL;
    }
    if (layout)
        build->kept.layout[build->kept.layouts++] = layout;
    return layout;
}

dnnl_primitive_desc_t onednn_keep_if(struct onednn_build *build, dnnl_primitive_desc_t descriptor)
{
    blame_memory(build, descriptor);
    if (descriptor && build->kept.descriptors == ONEDNN_KEPT) {
        onednn.dnnl_primitive_desc_destroy(descriptor);
        onednn_build_fail(build, ANYDNN_PLUGIN_STATUS_INTERNAL_ERROR,
                          "a plan of onednn has too many primitives");
        return NULL;
    }
    if (descriptor)
        build->kept.descriptor[build->kept.descriptors++] = descriptor;
    return descriptor;
}

dnnl_primitive_desc_t onednn_keep(struct onednn_build *build, dnnl_primitive_desc_t descriptor,
                                  const char *what)
{
    dnnl_primitive_desc_t kept = onednn_keep_if(build, descriptor);

    if (!descriptor)
        onednn_build_fail(build, ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED, "oneDNN does not support %s",
                          what);
    return kept;
}

dnnl_primitive_attr_t onednn_attributes(struct onednn_build *build)
{
    dnnl_primitive_attr_t made = NULL;

    if (build->kept.attribute_count == ONEDNN_KEPT ||
        onednn.dnnl_primitive_attr_create(&made) != dnnl_success) {
        onednn_build_fail(build, ANYDNN_PLUGIN_STATUS_ALLOC_FAILED,
                          "out of memory for the attributes of a primitive");
        return NULL;
    }
    build->kept.attributes[build->kept.attribute_count++] = made;
    if (onednn.dnnl_primitive_attr_set_fpmath_mode(made, dnnl_fpmath_mode_strict) != dnnl_success ||
        onednn.dnnl_primitive_attr_set_scratchpad_mode(made, dnnl_scratchpad_mode_user) !=
            dnnl_success)
        onednn_build_fail(build, ANYDNN_PLUGIN_STATUS_INTERNAL_ERROR,
                          "oneDNN rejected the attributes of a primitive");
    return made;
}

void onednn_add_post_ops(struct onednn_build *build, dnnl_primitive_attr_t attributes,
                         dnnl_post_ops_t post_ops)
{
    if (attributes && post_ops &&
        onednn.dnnl_primitive_attr_set_post_ops(attributes, post_ops) != dnnl_success)
        onednn_build_fail(build, ANYDNN_PLUGIN_STATUS_INTERNAL_ERROR,
                          "oneDNN rejected the post-ops of a primitive");
    if (post_ops)
        onednn.dnnl_post_ops_destroy(post_ops);
}

dnnl_primitive_attr_t onednn_relu_attributes(struct onednn_build *build)
{
    dnnl_primitive_attr_t attributes = onednn_attributes(build);
    dnnl_post_ops_t post_ops = NULL;

    if (onednn.dnnl_post_ops_create(&post_ops) != dnnl_success || onednn_append_relu(post_ops) != 0)
        onednn_build_fail(build, ANYDNN_PLUGIN_STATUS_ALLOC_FAILED,
                          "out of memory for the post-ops of a primitive");
    onednn_add_post_ops(build, attributes, post_ops);
    return attributes;
}

/* ------------------------------------------------------------------ views and layouts */

static dnnl_data_type_t data_type(int32_t type)
{
    static const dnnl_data_type_t of[] = {
        [ANYDNN_PLUGIN_FLOAT] = dnnl_f32,     [ANYDNN_PLUGIN_HALF] = dnnl_f16,
        [ANYDNN_PLUGIN_BFLOAT16] = dnnl_bf16, [ANYDNN_PLUGIN_INT8] = dnnl_s8,
        [ANYDNN_PLUGIN_UINT8] = dnnl_u8,      [ANYDNN_PLUGIN_INT32] = dnnl_s32,
    };
    return of[type];
}

onednn_layout onednn_layout_of(struct onednn_build *build, const struct onednn_view *view)
{
    if (build->status != ANYDNN_PLUGIN_STATUS_SUCCESS || view->first != 0)
        return NULL;
    for (int32_t d = 0; d < view->ndims; d++)
        if (view->strides[d] < 1)
            return NULL;
    return keep_layout(
        build, onednn_layout_create(data_type(view->type), view->ndims, view->dims, view->strides));
}

onednn_layout onednn_layout_any(struct onednn_build *build, const struct onednn_view *view)
{
    onednn_layout layout;

    if (build->status != ANYDNN_PLUGIN_STATUS_SUCCESS)
        return NULL;
    layout = keep_layout(
        build, onednn_layout_create(data_type(view->type), view->ndims, view->dims, NULL));
    if (!layout)
        onednn_build_fail(build, ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                          "oneDNN rejected the sizes of a tensor");
    return layout;
}

onednn_layout onednn_layout_in_blocks(struct onednn_build *build, const struct onednn_view *view)
{
    if (build->status != ANYDNN_PLUGIN_STATUS_SUCCESS)
        return NULL;
    return keep_layout(build,
                       onednn_layout_blocked(data_type(view->type), view->ndims, view->dims));
}

int onednn_same_layout(onednn_layout a, onednn_layout b)
{
    return a && b && onednn.dnnl_memory_desc_equal(a, b);
}

/* ------------------------------------------------------------------ memories */

static dnnl_status_t make_memory(const struct onednn_build *build, onednn_layout layout,
                                 dnnl_memory_t *memory)
{
    if (!layout)
        return dnnl_invalid_arguments;
    return build->probes
               ? dnnl_success
               : onednn.dnnl_memory_create(memory, layout, onednn_engine, DNNL_MEMORY_NONE);
}

static int add_value(struct onednn_build *build, onednn_layout layout, struct onednn_place place)
{
    struct anydnn_plugin_plan *plan = build->plan;
    struct onednn_value *value = &plan->value[plan->value_count];
    dnnl_status_t made;

    if (build->status != ANYDNN_PLUGIN_STATUS_SUCCESS)
        return -1;
    if (plan->value_count == ONEDNN_VALUES)
        return onednn_build_fail(build, ANYDNN_PLUGIN_STATUS_INTERNAL_ERROR,
                                 "a plan of onednn has too many memory objects");
    made = make_memory(build, layout, &value->memory);
    if (made != dnnl_success)
        return onednn_build_fail(build, onednn_status(made, ANYDNN_PLUGIN_STATUS_INTERNAL_ERROR),
                                 "oneDNN rejected a memory object");
    value->when = build->when;
    value->place = place;
    value->layout = layout;
    return plan->value_count++;
}

int onednn_bind(struct onednn_build *build, int32_t slot, onednn_layout layout)
{
    for (int i = 0; i < build->plan->value_count; i++) {
        struct onednn_value *value = &build->plan->value[i];

        if (value->place.slot == slot && onednn_same_layout(value->layout, layout)) {
            value->when |= build->when;
            return i;
        }
    }
    return add_value(build, layout, (struct onednn_place){.slot = slot});
}

struct onednn_place onednn_reserve(struct onednn_build *build, size_t bytes)
{
    struct onednn_place place = {.slot = -1};
    uint32_t when = build->when < ONEDNN_PART ? build->when : ONEDNN_BOTH;

    if (bytes > KIT_TOO_MANY_BYTES)
        bytes = KIT_TOO_MANY_BYTES;
    for (int mode = 0; mode < ONEDNN_MODES; mode++)
        if ((when >> mode & 1) && build->used[mode] > place.offset)
            place.offset = build->used[mode];
    if (place.offset > KIT_TOO_MANY_BYTES)
        place.offset = KIT_TOO_MANY_BYTES;
    for (int mode = 0; mode < ONEDNN_MODES; mode++)
        if (when >> mode & 1)
            build->used[mode] = (place.offset + bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return place;
}

int onednn_temporary(struct onednn_build *build, onednn_layout layout)
{
    if (build->status != ANYDNN_PLUGIN_STATUS_SUCCESS)
        return -1;
    if (!layout)
        return onednn_build_fail(build, ANYDNN_PLUGIN_STATUS_INTERNAL_ERROR,
                                 "a temporary has no layout");
    return add_value(build, layout,
                     onednn_reserve(build, onednn.dnnl_memory_desc_get_size(layout)));
}

int onednn_recast(struct onednn_build *build, int memory, onednn_layout layout)
{
    if (build->status != ANYDNN_PLUGIN_STATUS_SUCCESS)
        return -1;
    return add_value(build, layout, onednn_place_of(build, memory));
}

struct onednn_place onednn_place_of(const struct onednn_build *build, int memory)
{
    const struct onednn_place nowhere = {.slot = -1};
    return memory < 0 ? nowhere : build->plan->value[memory].place;
}

/* ------------------------------------------------------------------ steps */

static struct onednn_step *add_step(struct onednn_build *build)
{
    struct anydnn_plugin_plan *plan = build->plan;

    if (build->status != ANYDNN_PLUGIN_STATUS_SUCCESS)
        return NULL;
    if (plan->step_count == ONEDNN_STEPS) {
        onednn_build_fail(build, ANYDNN_PLUGIN_STATUS_INTERNAL_ERROR,
                          "a plan of onednn has too many steps");
        return NULL;
    }
    plan->step[plan->step_count].when = build->when;
    return &plan->step[plan->step_count++];
}

void onednn_run(struct onednn_build *build, const_dnnl_primitive_desc_t descriptor,
                const struct onednn_argument *arguments, int count)
{
    onednn_layout scratch;
    int memory = -1;
    struct onednn_step *step;
    dnnl_status_t made;

    if (build->status != ANYDNN_PLUGIN_STATUS_SUCCESS)
        return;
    scratch = onednn_chosen(descriptor, dnnl_query_scratchpad_md);
    if (scratch && onednn.dnnl_memory_desc_get_size(scratch) > 0)
        memory = onednn_temporary(build, scratch);
    step = add_step(build);
    if (!step || build->probes)
        return;
    made = onednn.dnnl_primitive_create(&step->primitive, descriptor);
    if (made != dnnl_success) {
        step->primitive = NULL;
        onednn_build_fail(build, onednn_status(made, ANYDNN_PLUGIN_STATUS_INTERNAL_ERROR),
                          "oneDNN cannot create a primitive");
        return;
    }
    for (int i = 0; i < count; i++)
        step->arguments[step->count++] = (dnnl_exec_arg_t){
            arguments[i].argument, build->plan->value[arguments[i].memory].memory};
    if (memory >= 0)
        step->arguments[step->count++] =
            (dnnl_exec_arg_t){DNNL_ARG_SCRATCHPAD, build->plan->value[memory].memory};
}

void onednn_run_own(struct onednn_build *build, onednn_step_fn run, const void *data, size_t size)
{
    struct onednn_step *step = add_step(build);

    if (!step || build->probes)
        return;
    step->run = run;
    step->data = kit_host->alloc(size);
    if (!step->data)
        onednn_build_fail(build, ANYDNN_PLUGIN_STATUS_ALLOC_FAILED,
                          "out of memory for a step of a plan");
    else
        memcpy(step->data, data, size);
}
