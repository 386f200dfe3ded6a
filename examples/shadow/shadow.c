/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a convolution ten times and has each call checked against a trusted backend, on the data of
 * the program. The same works without a change of a program, by the variables ANYDNN_SHADOW_.... */
#include <anydnn/anydnn.h>
#include <stdio.h>
#include <stdlib.h>

static void try(anydnnStatus_t status)
{
    char text[2048];

    if (status == ANYDNN_STATUS_SUCCESS)
        return;
    anydnnGetLastErrorString(text, sizeof text);
    fprintf(stderr, "shadow: %s\n", text);
    exit(EXIT_FAILURE);
}

int main(void)
{
    static float x[8 * 14 * 14], w[8 * 8 * 3 * 3], y[8 * 12 * 12];
    static const char *const keys[] = {"compared",    "mismatches", "passed_over",
                                       "worst_ratio", "reference",  "last_mismatch"};
    void *operands[] = {x, w, y};
    char text[2048];
    anydnnHandle_t handle;
    anydnnProblem_t problem;

    try(anydnnCreateOnDevice(&handle, "cpu"));
    /* Without `budget = none`, most of the ten calls would be skipped: shadow may use 5 % of the
     * time. */
    try(anydnnSetShadow(handle, "sample = all; budget = none; on_mismatch = warn"));
    try(anydnnProblemParse("convolution_forward x=f32:1,8,14,14 w=f32:8,8,3,3", &problem));
    for (int call = 0; call < 10; call++) {
        for (int i = 0; i < 8 * 14 * 14; i++)
            x[i] = (float)((i * 37 + call) % 101) / 101 - 0.5F;
        for (int i = 0; i < 8 * 8 * 3 * 3; i++)
            w[i] = (float)((i * 53) % 97) / 97 - 0.5F;
        try(anydnnProblemExecute(handle, problem, operands, NULL, 0));
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        try(anydnnGetShadowInfo(handle, keys[i], text, sizeof text));
        printf("%-14s %s\n", keys[i], text);
    }
    try(anydnnProblemDestroy(problem));
    try(anydnnDestroy(handle));
    return EXIT_SUCCESS;
}
