/* SPDX-License-Identifier: Apache-2.0 */
/* The backend under test: its memory, its offers, and one run of one engine. */
#ifndef TOOLS_VERIFY_CHECKS_TARGET_H
#define TOOLS_VERIFY_CHECKS_TARGET_H

#include "judge/element.h"
#include "judge/oracle.h"
#include "judge/subject.h"
#include "numerics/numerics.h"
#include "problem/problem.h"
#include "tools/oracle/oracle.h"

#define VERIFY_OFFERS 48
#define VERIFY_CHECK  16 /* bytes of the name of a check */

/* What a check found; `check` is empty while there is nothing. */
struct verify_finding {
    char check[VERIFY_CHECK];
    char sentence[2 * ADN_JUDGE_SENTENCE];
};

/* Keeps the first finding; returns -1. */
int verify_note(struct verify_finding *finding, const char *check, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

struct verify_target {
    struct adn_backend *backend;
    struct anydnn_plugin_context *context;
    struct adn_oracle oracle;
    struct oracle_backend reference; /* of the oracle */
    int quick;
};

/* ---- open.c */

/* The backend of a file and a context of it, and the oracle: another file, "" for none, or the
 * same, which then answers itself in another context. `settings` as verify_setting takes them; they
 * live as long as the process. 0, or -1 with the stage that was not passed. */
int verify_open(struct verify_target *target, const char *name, const char *path,
                const char *oracle_path, char **settings, const char **stage);
void verify_close(struct verify_target *target);

/* ---- memory.c: guarded memory of the backend's space */

struct verify_block {
    const struct anydnn_plugin_space *space; /* NULL: the host */
    size_t total;
    size_t mapped; /* bytes of a mapping, or 0 */
    size_t at;     /* where the operand begins */
    size_t bytes;  /* of the operand */
    unsigned char *memory;
    unsigned char *image; /* what was put there */
    unsigned char *back;  /* what was there afterwards */
};

/* `shift` bytes past a multiple of 256. 0, or -1. */
int verify_block_make(struct verify_block *block, const struct anydnn_plugin_space *space,
                      size_t bytes, size_t guard, size_t shift);
/* In the host's memory, up to the end of a page behind which nothing may be touched, as far as the
 * alignment permits. */
int verify_block_make_at_edge(struct verify_block *block, size_t bytes, size_t guard,
                              size_t alignment);
void verify_block_free(struct verify_block *block);
/* All ones, NaN in every floating type, with something of the place in the low bits. */
void verify_block_poison(struct verify_block *block, size_t element_size);
int verify_block_put(struct verify_block *block);
int verify_block_get(struct verify_block *block);
static inline void *verify_block_data(const struct verify_block *block)
{
    return block->memory + block->at;
}

/* ---- environment.c: floating point's */

/* After `function` of the backend, here or where no finding can be made: -1 with the finding that
 * this thread's environment was left changed, since the last question. */
int verify_environment(const char *function, struct verify_finding *finding);
void verify_environment_look(const char *function);

/* ---- offers.c: what candidates says */

struct verify_offers {
    int count;
    int calls; /* of offer */
    int32_t status;
    struct anydnn_plugin_candidate candidate[VERIFY_OFFERS];
    int32_t reason; /* 0: it can */
    char sentence[ADN_JUDGE_SENTENCE];
    struct verify_finding fault;
};

void verify_ask(const struct verify_target *target, struct anydnn_plugin_context *context,
                const struct anydnn_plugin_problem *view, struct verify_offers *offers);
/* Asks repeatedly, in several ways that must not matter. */
int verify_ask_well(const struct verify_target *target, const struct adn_problem *problem,
                    struct verify_offers *offers, struct verify_finding *finding);
/* Same engines, or the same reason. */
int verify_same_offers(const struct verify_offers *a, const struct verify_offers *b);
const char *verify_reason_name(int32_t reason);

/* ---- engine.c: plans and their runs */

struct verify_run {
    const struct verify_target *target;
    struct anydnn_plugin_context *context;
    const struct adn_problem *problem;
    const struct anydnn_plugin_candidate *candidate;
    struct anydnn_plugin_plan *plan;
    struct verify_block block[ADN_SLOTS];
    struct verify_block workspace;
};

/* Where operands lie. On a device the edge is as SHIFTED is. */
enum verify_place {
    VERIFY_ALIGNED, /* at multiples of 256 */
    VERIFY_SHIFTED, /* at the alignment that the candidate asks for and no better */
    VERIFY_AT_EDGE  /* right before a page that faults, as far as that alignment permits */
};
/* Makes plan and memory. `shared` NULL, or the run whose plan is used too. */
int verify_run_open(struct verify_run *run, const struct verify_target *target,
                    struct anydnn_plugin_context *context, const struct adn_problem *problem,
                    const struct anydnn_plugin_candidate *candidate, enum verify_place place,
                    const struct verify_run *shared, struct verify_finding *finding);
void verify_run_close(struct verify_run *run);
/* Puts the operands there, runs, fetches what came of it. `zeros`: outputs that are not read hold
 * zeros, not NaN. */
int verify_run_execute(struct verify_run *run, const struct adn_subject *subject, int zeros,
                       struct verify_finding *finding);

/* ---- look.c: what memory looks like after a run */

/* Nothing but the outputs' elements has changed. */
int verify_run_untouched(const struct verify_run *run, const struct adn_subject *subject,
                         struct verify_finding *finding);
/* The outputs are what the oracle says. */
int verify_run_right(const struct verify_run *run, const struct adn_subject *subject,
                     struct verify_finding *finding);

/* Calls `each` for every element of a compared output. */
void verify_each_element(const struct verify_run *run, const struct adn_subject *subject, int slot,
                         void (*each)(void *cookie, const struct adn_judged *element),
                         void *cookie);

/* ---- name.c */

/* What all wrong elements of a run have in common, as the name of a check and a sentence; NULL when
 * they have nothing. */
const char *verify_name_of_wrong(const struct verify_run *run, const struct adn_subject *subject,
                                 const char **sentence);

/* ---- diagnose.c */

/* What the checks of one engine share. */
struct verify_trial {
    const struct verify_target *target;
    struct adn_problem problem; /* with the algorithm named where the engine wants it */
    const struct anydnn_plugin_candidate *candidate;
    struct adn_subject *first;  /* whole numbers */
    struct adn_subject *second; /* reals */
    struct verify_finding *finding;
};

/* A wrong result: tells what it comes from, where another run or a look at it can tell. `reused`:
 * the run had a plan that ran on other data before. What the run's operands hold is
 * not kept. */
void verify_diagnose(const struct verify_trial *trial, struct verify_run *run,
                     const struct adn_subject *subject, int reused);
/* Puts a check and a sentence before what was found. */
void verify_rename(struct verify_finding *finding, const char *check, const char *sentence);

/* ---- case.c */

enum verify_verdict {
    VERIFY_PASSED,
    VERIFY_DECLINED,
    VERIFY_FAILED,
    VERIFY_UNJUDGED /* ran, but nobody knows the right result */
};

struct verify_outcome {
    enum verify_verdict verdict;
    int32_t reason;                    /* when declined */
    char sentence[ADN_JUDGE_SENTENCE]; /* why declined or not judged */
    struct verify_finding finding;
};

/* What must hold of the description and of an operation's functions whatever the problem (rules.c).
 * `few` and `many`: the first problem that it takes and the largest, or NULL. */
struct verify_sample {
    const struct adn_problem *problem;
    const struct adn_values *values;
};
void verify_description(const struct verify_target *target, struct verify_finding *finding);
/* ... (space.c) of the functions of a space that is not the host's. */
void verify_space(const struct verify_target *target, struct verify_finding *finding);
/* Its parts for what a space may lack: 0, or -1 and a finding. */
int verify_space_late(const struct anydnn_plugin_space *space, struct verify_finding *finding);
int verify_space_counts(const struct anydnn_plugin_space *space, struct verify_finding *finding);
void verify_operation(const struct verify_target *target, int32_t operation,
                      const struct verify_sample *few, const struct verify_sample *many,
                      uint64_t seed, struct verify_finding *finding);
/* Several contexts at once, a thread each (threads.c). */
void verify_threads(const struct verify_target *target, const struct adn_problem *problem,
                    const struct adn_values *values, uint64_t seed, struct verify_finding *finding);
/* In a child after fork(), if the backend says that it can (forks.c). */
void verify_forks(const struct verify_target *target, const struct adn_problem *problem,
                  const struct adn_values *values, uint64_t seed, struct verify_finding *finding);
/* The names that a shared object exports besides the two, with blanks between (exports.c). 0; -1
 * with a sentence. */
int verify_exports(const char *path, char *extra, size_t size);

/* A subject whose results are known from elsewhere: one run of each engine. */
void verify_known(const struct verify_target *target, struct adn_subject *subject,
                  struct verify_outcome *outcome);
/* Every check of one problem: on such data, and where those are small whole numbers on reals, too.
 */
void verify_problem(const struct verify_target *target, const struct adn_problem *problem,
                    const struct adn_values *values, enum oracle_data data, uint64_t seed,
                    struct verify_outcome *outcome);

#endif
