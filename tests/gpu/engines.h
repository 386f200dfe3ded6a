/* SPDX-License-Identifier: Apache-2.0 */
/* Defines what the files of engines share: a trial of one problem. */
#ifndef GPU_ENGINES_H
#define GPU_ENGINES_H

#include "../../plugins/cudnn/engines.h"
#include "exact.h"
#include "problem/problem.h"

/* Seconds after which a configuration is considered to hang. */
#define PATIENCE 60

/* Number of kinds of inputs. */
enum { KINDS = 3 };

/* The number of cuDNN's engines, and of types, that are counted separately. */
#define INDICES 1000
#define TYPES   16

/* The position of a process. The parent reads it to start the next process. */
struct place {
    long problem, engine;
};

struct trial {
    struct exact exact;
    cudnnHandle_t cudnn;
    struct adn_problem problem;
    struct anydnn_plugin_problem view;
    struct held held; /* with the problem, and the same in double */
    int output;
    struct device_memory input[KINDS][OPERANDS];
    double *want[KINDS];
    unsigned char *got;
    struct cdn_list list;
    long compiled_most;
    unsigned char compiled[INDICES][TYPES][ANYDNN_PLUGIN_OPERATION_END]; /* number of tries */
};

/* Sets up a substitute for the backend's host. It must be called before the library is opened. */
void engines_begin(void);

/* Tries the engines of a problem from place->engine on, and prints a line for each. */
void engines_try(struct trial *trial, const char *text, struct place *place);

#endif
