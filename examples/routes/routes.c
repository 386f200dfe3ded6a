/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses backends for one handle, prints what would run a problem and why, and runs it.
 *   routes [ROUTE]    "onednn, cpu_ref" by default */
#include <anydnn/anydnn.h>
#include <stdio.h>
#include <stdlib.h>

static void try(anydnnStatus_t status)
{
    char text[2048];

    if (status == ANYDNN_STATUS_SUCCESS)
        return;
    anydnnGetLastErrorString(text, sizeof text);
    fprintf(stderr, "routes: %s\n", text);
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    const char *route = argc > 1 ? argv[1] : "onednn, cpu_ref";
    double x[6] = {0, 1, 2, 3, 3, 3}, y[6];
    void *operands[] = {x, y};
    char text[8192];
    anydnnHandle_t handle;
    anydnnProblem_t problem;

    try(anydnnCreateOnDevice(&handle, "cpu"));
    try(anydnnSetRoute(handle, "*", NULL, route));
    try(anydnnProblemParse("softmax_forward x=f64:2,3,1,1", &problem));
    try(anydnnProblemExplain(handle, problem, text, sizeof text, NULL));
    fputs(text, stdout);
    try(anydnnProblemExecute(handle, problem, operands, NULL, 0));
    try(anydnnGetDispatchInfo(handle, "backend", text, sizeof text));
    printf("%.3f %.3f %.3f, computed by %s\n", y[0], y[1], y[2], text);
    try(anydnnGetDispatchInfo(handle, "passed_over", text, sizeof text));
    printf("skipped before it: %s\n", *text ? text : "none");
    try(anydnnProblemDestroy(problem));
    try(anydnnDestroy(handle));
    return EXIT_SUCCESS;
}
