/* SPDX-License-Identifier: Apache-2.0 */
/* Handles, descriptors and data for the dispatch tests, from short texts. */
#include "tests/dispatch/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "tests/dispatch/fixture_private.h"

#define MADE_MAX 4096
#define PAGES    40

enum kind { HANDLE, TENSOR, FILTER, CONVOLUTION };

static struct {
    enum kind kind;
    void *object;
} made[MADE_MAX];
static int made_count;

static _Alignas(4096) char pages[PAGES][4096];

static void keep(enum kind kind, void *object)
{
    assert_in_range(made_count, 0, MADE_MAX - 1);
    made[made_count].kind = kind;
    made[made_count++].object = object;
}

void fixture_free_all(void)
{
    while (made_count > 0) {
        void *object = made[--made_count].object;

        switch (made[made_count].kind) {
        case HANDLE:
            anydnnDestroy(object);
            break;
        case TENSOR:
            anydnnDestroyTensorDescriptor(object);
            break;
        case FILTER:
            anydnnDestroyFilterDescriptor(object);
            break;
        case CONVOLUTION:
            anydnnDestroyConvolutionDescriptor(object);
            break;
        }
    }
}

void *fixture_data(int index)
{
    assert_in_range(index, 0, PAGES - 1);
    return pages[index];
}

anydnnHandle_t fixture_handle_on(const char *device, const char *list)
{
    anydnnHandle_t handle = NULL;

    assert_ok(anydnnCreateOnDevice(&handle, device));
    keep(HANDLE, handle);
    if (list)
        assert_ok(anydnnSetRoute(handle, "*", NULL, list));
    return handle;
}

anydnnHandle_t fixture_handle(const char *list)
{
    return fixture_handle_on("cpu", list);
}

/* Reads numbers such as "1,2,3" at *text and advances *text past them. */
static int read_numbers(const char **text, int *numbers)
{
    int count = 0;

    do {
        char *end;

        numbers[count++] = (int)strtol(*text, &end, 10);
        assert_ptr_not_equal(end, *text);
        *text = end;
    } while (*(*text)++ == ',' && count < 8);
    --*text;
    return count;
}

static anydnnDataType_t read_type(const char **text)
{
    size_t length = strcspn(*text, ":;");
    char name[16];

    snprintf(name, sizeof(name), "%.*s", (int)length, *text);
    *text += length + ((*text)[length] == ':');
    assert_true(adn_type_parse(name) >= 0);
    return (anydnnDataType_t)adn_type_parse(name);
}

anydnnTensorDescriptor_t fixture_tensor(const char *text)
{
    anydnnTensorDescriptor_t desc = NULL;
    anydnnDataType_t type = read_type(&text);
    int dims[8], strides[8];
    int ndims = read_numbers(&text, dims);

    assert_ok(anydnnCreateTensorDescriptor(&desc));
    keep(TENSOR, desc);
    if (*text == ':') {
        text++;
        assert_int_equal(read_numbers(&text, strides), ndims);
        assert_ok(anydnnSetTensorNdDescriptor(desc, type, ndims, dims, strides));
    } else {
        assert_ok(anydnnSetTensorNdDescriptorEx(
            desc,
            adn_type_lanes((int32_t)type) > 1 ? ANYDNN_TENSOR_NCHW_VECT_C : ANYDNN_TENSOR_NCHW,
            type, ndims, dims));
    }
    return desc;
}

anydnnFilterDescriptor_t fixture_filter(const char *text)
{
    anydnnFilterDescriptor_t desc = NULL;
    anydnnDataType_t type = read_type(&text);
    anydnnTensorFormat_t format = ANYDNN_TENSOR_NCHW;
    int dims[8];
    int ndims = read_numbers(&text, dims);

    if (strcmp(text, ":nhwc") == 0)
        format = ANYDNN_TENSOR_NHWC;
    else if (strcmp(text, ":nchw_vect_c") == 0)
        format = ANYDNN_TENSOR_NCHW_VECT_C;
    assert_ok(anydnnCreateFilterDescriptor(&desc));
    keep(FILTER, desc);
    assert_ok(anydnnSetFilterNdDescriptor(desc, type, format, ndims, dims));
    return desc;
}

anydnnConvolutionDescriptor_t fixture_convolution(const char *text)
{
    anydnnConvolutionDescriptor_t desc = NULL;
    anydnnConvolutionMode_t mode;
    int lists[3][8];
    int groups[8];
    int count = 0;

    for (int i = 0; i < 3; i++, text++)
        count = read_numbers(&text, lists[i]);
    assert_int_equal(read_numbers(&text, groups), 1);
    mode = strncmp(text, ";cross;", 7) == 0 ? ANYDNN_CROSS_CORRELATION : ANYDNN_CONVOLUTION;
    text = strrchr(text, ';') + 1;
    assert_ok(anydnnCreateConvolutionDescriptor(&desc));
    keep(CONVOLUTION, desc);
    assert_ok(anydnnSetConvolutionNdDescriptor(desc, count, lists[0], lists[1], lists[2], mode,
                                               read_type(&text)));
    assert_ok(anydnnSetConvolutionGroupCount(desc, groups[0]));
    return desc;
}

void fixture_convolution_make(struct fixture_convolution *with, int height)
{
    char text[64];

    memset(with, 0, sizeof(*with));
    snprintf(text, sizeof(text), "f32:2,3,%d,5", height);
    with->x = fixture_tensor(text);
    with->w = fixture_filter("f32:4,3,3,3");
    with->conv = fixture_convolution("0,0;1,1;1,1;1;cross;f32");
    snprintf(text, sizeof(text), "f32:2,4,%d,3", height - 2);
    with->y = fixture_tensor(text);
    for (int i = 0; i < 3; i++)
        with->data[i] = fixture_data(i);
}

anydnnStatus_t fixture_convolution_run(anydnnHandle_t handle,
                                       const struct fixture_convolution *with)
{
    static const float one = 1;
    static const float zero = 0;

    return anydnnConvolutionForward(handle, &one, with->x, with->data[0], with->w, with->data[1],
                                    with->conv, (anydnnConvolutionFwdAlgo_t)with->algorithm,
                                    with->workspace, with->bytes, &zero, with->y, with->data[2]);
}
