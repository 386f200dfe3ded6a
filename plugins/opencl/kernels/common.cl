/* SPDX-License-Identifier: Apache-2.0 */
/* Defines what all kernels share: index tuples, elements and sums of a group. It stands, behind jobs.h, before the
 * source of every program. HAS_DOUBLE is defined if the device computes with double. */

#ifdef HAS_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
/* Products and sums round separately, except in fma(), so that results do not depend on the compiler. */
#pragma OPENCL FP_CONTRACT OFF

/* The element types of plugin.h. */
#define FLOAT    0
#define DOUBLE   1
#define HALF     2
#define INT8     3
#define INT32    4
#define UINT8    6
#define BFLOAT16 9

/* The type in which values are computed: the widest that the device has. */
#ifdef HAS_DOUBLE
typedef double wide;
#define NUMBER(number) as_double((number).bits)
#define WIDE_MAX       DBL_MAX
#else
typedef float wide;
#define NUMBER(number) ((number).single)
#define WIDE_MAX       FLT_MAX
#endif

#define FACTOR(call, which) NUMBER((call).factor[which])

#define GROUPED kernel __attribute__((reqd_work_group_size(JOB_GROUP, 1, 1))) void

/* ------------------------------------------------------------------ indices */

/* Splits the row-major element number i into an index tuple. */
void unravel(constant const i64 *dims, int ndims, i64 i, i64 *at)
{
    for (int d = ndims - 1; d >= 0; d--) {
        at[d] = i % dims[d];
        i /= dims[d];
    }
}

/* Does the same without dim 1, whose index becomes `channel`. */
void unravel_beside(constant const i64 *dims, int ndims, i64 i, i64 channel, i64 *at)
{
    for (int d = ndims - 1; d >= 0; d--) {
        i64 extent = d == 1 ? 1 : dims[d];

        at[d] = i % extent;
        i /= extent;
    }
    at[1] = channel;
}

/* Advances an index tuple in row-major order. Returns 0 after the last one. */
int advance(constant const i64 *dims, int ndims, i64 *at)
{
    for (int d = ndims - 1; d >= 0; d--) {
        if (++at[d] < dims[d])
            return 1;
        at[d] = 0;
    }
    return 0;
}

/* Returns the offset of channel c. */
i64 channel_offset(constant const struct job_tensor *t, i64 c)
{
    return t->lanes == 1 ? c * t->strides[1] : c / t->lanes * t->strides[1] + c % t->lanes;
}

/* Returns the offset of an element. */
i64 offset_of(constant const struct job_tensor *t, const i64 *at)
{
    i64 offset = 0;

    for (int d = 0; d < t->ndims; d++)
        offset += d == 1 ? channel_offset(t, at[d]) : at[d] * t->strides[d];
    return offset;
}

/* ------------------------------------------------------------------ elements */

/* Returns an element of a type that float represents. */
float load_float(i32 type, global const u8 *data, i64 at)
{
    switch (type) {
    case FLOAT:
        return ((global const float *)data)[at];
    case HALF:
        return vload_half(at, (global const half *)data);
    case BFLOAT16:
        return as_float((u32)((global const ushort *)data)[at] << 16);
    case UINT8:
        return (float)data[at];
    default:
        return (float)((global const char *)data)[at];
    }
}

wide load(i32 type, global const u8 *data, i64 at)
{
#ifdef HAS_DOUBLE
    if (type == DOUBLE)
        return ((global const double *)data)[at];
    if (type == INT32)
        return (wide)((global const i32 *)data)[at];
#endif
    return (wide)load_float(type, data, at);
}

/* Returns the number truncated to float, with the last bit set if the truncation was inexact. Rounding this to a type
 * at least two bits shorter gives the same result as rounding the number (Boldo and Melquiond, "When double rounding
 * is odd", 2005). */
float round_odd(wide value)
{
#ifdef HAS_DOUBLE
    float nearest = convert_float_rte(value);
    u32 bits = as_uint(nearest);

    if (isnan(value) || (wide)nearest == value)
        return nearest;
    if (fabs((wide)nearest) > fabs(value))
        bits--;
    return as_float(bits | 1);
#else
    return value;
#endif
}

/* Rounds a float to bfloat16, to nearest, ties to even. */
ushort bfloat16_of(float value)
{
    u32 bits = as_uint(value);

    if ((bits & 0x7fffffff) > 0x7f800000)
        return (ushort)((bits | 0x400000) >> 16);
    return (ushort)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* Rounds and saturates a number; NaN becomes 0. */
wide saturate(wide value, wide least, wide most)
{
    if (isnan(value))
        return 0;
    return rint(value < least ? least : value > most ? most : value);
}

/* Stores a number as an element, rounded once. */
void store(i32 type, global u8 *data, i64 at, wide value)
{
    switch (type) {
    case FLOAT:
        ((global float *)data)[at] = (float)value;
        break;
    case HALF:
        vstore_half_rte(round_odd(value), at, (global half *)data);
        break;
    case BFLOAT16:
        ((global ushort *)data)[at] = bfloat16_of(round_odd(value));
        break;
#ifdef HAS_DOUBLE
    case DOUBLE:
        ((global double *)data)[at] = value;
        break;
    case INT32:
        ((global i32 *)data)[at] = (i32)saturate(value, -2147483648.0, 2147483647.0);
        break;
#endif
    case UINT8:
        data[at] = (u8)saturate(value, 0, 255);
        break;
    default:
        ((global char *)data)[at] = (char)saturate(value, -128, 127);
    }
}

/* Stores alpha * value + beta * prior. With beta 0 the prior value is not read. */
void blend(i32 type, global u8 *data, i64 at, wide value, wide alpha, wide beta)
{
    value *= alpha;
    if (beta != 0)
        value += beta * load(type, data, at);
    store(type, data, at, value);
}

/* ------------------------------------------------------------------ groups */

/* Returns the sum of the values of a group's work-items to each of them. The order of the sum is fixed. */
wide group_sum(local wide *part, wide value)
{
    int me = (int)get_local_id(0);

    part[me] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int apart = JOB_GROUP / 2; apart > 0; apart /= 2) {
        if (me < apart)
            part[me] += part[me + apart];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    value = part[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return value;
}
