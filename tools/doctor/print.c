/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the answer of anydnn doctor as text. */
#include "doctor.h"

#include <stdio.h>
#include <string.h>

static void print_problems(const json_t *object, const char *indent)
{
    const json_t *problems = json_object_get(object, "problems");

    for (size_t i = 0; i < json_array_size(problems); i++)
        printf("%sproblem: %s\n", indent, json_string_value(json_array_get(problems, i)));
}

static void print_driver(const json_t *driver)
{
    const json_t *devices = json_object_get(driver, "devices");
    const char *failure = tool_text_of(driver, "failure");
    const char *cuda = tool_text_of(driver, "cuda");

    if (*cuda == '\0')
        printf("driver     unavailable: %s\n", failure);
    else
        printf("driver     supports CUDA %s%s%s\n", cuda, *failure != '\0' ? "; " : "", failure);
    for (size_t i = 0; i < json_array_size(devices); i++) {
        const json_t *device = json_array_get(devices, i);

        printf("cuda:%-6zu%s, capability %s\n", i, tool_text_of(device, "name"),
               tool_text_of(device, "capability"));
    }
}

static void print_installation(const json_t *one)
{
    const json_t *packages = json_object_get(one, "packages");
    const json_t *parts = json_object_get(one, "parts");
    const char *version = tool_text_of(one, "version_text");

    if (*version != '\0')
        printf("cuDNN      %s for CUDA %s, for capabilities up to %s\n", version,
               tool_text_of(one, "cuda_text"), tool_text_of(one, "newest_text"));
    else if (json_is_true(json_object_get(one, "front")))
        printf("cuDNN      anydnn's library in front of the real one\n");
    else
        printf("cuDNN      unusable: %s\n", tool_text_of(one, "failure"));
    printf("  file     %s (%s)\n", tool_text_of(one, "file"), tool_text_of(one, "found"));
    for (size_t i = 0; i < json_array_size(packages); i++)
        printf("  package  %s\n", json_string_value(json_array_get(packages, i)));
    for (size_t i = 0; i < json_array_size(parts); i++)
        printf("  part     %s\n", json_string_value(json_array_get(parts, i)));
    print_problems(one, "  ");
}

void doctor_print(const json_t *answer)
{
    const json_t *installations = json_object_get(answer, "installations");
    const json_t *libraries = json_object_get(answer, "libraries");

    print_driver(json_object_get(answer, "driver"));
    for (size_t i = 0; i < json_array_size(installations); i++)
        print_installation(json_array_get(installations, i));
    for (size_t i = 0; i < json_array_size(libraries); i++)
        printf("%s %s %s\n", i == 0 ? "libraries " : "          ",
               tool_text_of(json_array_get(libraries, i), "name"),
               tool_text_of(json_array_get(libraries, i), "file"));
    print_problems(answer, "");
}
