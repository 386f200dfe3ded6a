/* SPDX-License-Identifier: Apache-2.0 */
/* Defines what the tests of staged calls share: a handle that stages, and a call that it stages. */
#ifndef TESTS_DISPATCH_STAGE_H
#define TESTS_DISPATCH_STAGE_H

#include <stdio.h>
#include <string.h>

#include "settings/settings.h"
#include "tests/dispatch/fixture.h"

/* Runs y = x on `rows` rows of 3 elements. */
static inline anydnnStatus_t stage_transform(anydnnHandle_t handle, int rows, const void *x,
                                             void *y)
{
    static const float one = 1, zero = 0;
    anydnnTensorDescriptor_t desc;
    char text[32];

    snprintf(text, sizeof(text), "f32:%d,3", rows);
    desc = fixture_tensor(text);
    return anydnnTransformTensor(handle, &one, desc, x, &zero, desc, y);
}

/* Creates a handle that stages, with mock_device writing 0x3c, and fills data 1 with 0x11. */
static inline anydnnHandle_t stage_handle(const char *list)
{
    fixture_settings()->staging = ADN_STAGING_LISTED;
    fixture_set("mock_device", "fill", "0x3c");
    memset(fixture_data(1), 0x11, 64);
    return fixture_handle(list);
}

/* Returns 1 if data 1 is as stage_handle filled it. */
static inline int stage_untouched(void)
{
    const unsigned char *y = fixture_data(1);
    int same = 1;

    for (int i = 0; i < 64; i++)
        same &= y[i] == 0x11;
    return same;
}

#endif
