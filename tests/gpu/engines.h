/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of engines share: a trial of one problem. */
#ifndef GPU_ENGINES_H
#define GPU_ENGINES_H

#include "../../plugins/cudnn/engines.h"
#include "exact.h"
#include "problem/problem.h"

/* Seconds after which a configuration counts as hanging. */
#define PATIENCE 60

/* Kinds of inputs. */
enum { KINDS = 3 };

/* Of cuDNN's numbers for engines, those that are kept apart; of types. */
#define INDICES 1000
#define TYPES   16

/* Where a process is, seen by the one that starts the next. */
struct place {
    long problem, engine;
};

struct trial {
    struct exact exact;
    cudnnHandle_t cudnn;
    struct adn_problem problem;
    struct anydnn_plugin_problem view;
    struct held held; /* with the work, and the same in double */
    int output;
    struct room input[KINDS][OPERANDS];
    double *want[KINDS];
    unsigned char *got;
    struct cdn_list list;
    long compiled_most;
    unsigned char compiled[INDICES][TYPES][ANYDNN_PLUGIN_OPERATION_END]; /* how many were tried */
};

/* Before the library is opened: what stands in for the backend's host. */
void engines_begin(void);

/* Tries the engines of a problem from place->engine on, and prints a line for each. */
void engines_try(struct trial *trial, const char *text, struct place *place);

#endif
