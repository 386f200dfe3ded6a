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

/* The result of a check. `check` is empty if nothing was found. */
struct verify_finding {
    char check[VERIFY_CHECK];
    char sentence[2 * ADN_JUDGE_SENTENCE];
};

/* Records a finding unless there is one. Returns -1. */
int verify_note(struct verify_finding *finding, const char *check, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

struct verify_target {
    struct adn_backend *backend;
    struct anydnn_plugin_context *context;
    const struct anydnn_plugin_space *space; /* the table of the space's owner; NULL: the host */
    struct adn_oracle oracle;
    struct oracle_backend reference; /* of the oracle */
    int quick;
    const char *erratum; /* the id of the one that is checked, or NULL */
};

/* ---- errata.c */

/* Reads the errata of this process, and those that the backend publishes. Returns 0 or -1. */
int verify_errata_open(const struct verify_target *target);
/* Answers the backend's own question, as struct adn_load_options describes it. */
uint32_t verify_errata_verdicts(void *cookie, const struct adn_backend *backend,
                                const struct anydnn_plugin_problem *problem,
                                const struct anydnn_plugin_candidate *candidate,
                                int32_t *algorithm);
/* Adds the notes of errata to a candidate. Returns 1 if it is not judged: the library would not
 * take it, or it is not what the erratum under check concerns. */
int verify_errata_leave_out(const struct verify_target *target,
                            const struct anydnn_plugin_problem *problem,
                            struct anydnn_plugin_candidate *candidate);

/* ---- open.c */

/* Opens the backend of a file with a context, and the oracle: another file, "" for none, or the
 * same file in another context. `settings` as in verify_setting; they must live as long as the
 * process. Returns 0, or -1 with the stage that failed. */
int verify_open(struct verify_target *target, const char *name, const char *path,
                const char *oracle_path, char **settings, const char **stage);
void verify_close(struct verify_target *target);

/* ---- memory.c: guarded memory of the backend's space */

struct verify_block {
    const struct anydnn_plugin_space *space; /* NULL: the host */
    size_t total;
    size_t mapped; /* bytes of a mapping, or 0 */
    size_t at;     /* offset of the operand */
    size_t bytes;  /* of the operand */
    unsigned char *memory;
    unsigned char *image; /* contents before the run */
    unsigned char *back;  /* contents after the run */
};

/* Allocates an operand `shift` bytes past a multiple of 256. Returns 0, or -1. */
int verify_block_make(struct verify_block *block, const struct anydnn_plugin_space *space,
                      size_t bytes, size_t guard, size_t shift);
/* Allocates host memory between two pages that fault. The operand begins right behind the first
 * page, or ends before the second one, as close as the alignment permits. 0: it begins there. */
int verify_block_make_at_edge(struct verify_block *block, const char *role, size_t bytes,
                              size_t guard, size_t alignment);
void verify_block_free(struct verify_block *block);
/* Fills with ones in all bits, which is NaN in every floating-point type. The low bits depend on
 * the position. */
void verify_block_poison(struct verify_block *block, size_t element_size);
int verify_block_put(struct verify_block *block);
int verify_block_get(struct verify_block *block);
static inline void *verify_block_data(const struct verify_block *block)
{
    return block->memory + block->at;
}

/* ---- environment.c: the floating-point environment */

/* Checks the environment after `function` of the backend. Returns -1 with the finding that this
 * thread's environment changed since the last check, here or where no finding could be recorded. */
int verify_environment(const char *function, struct verify_finding *finding);
void verify_environment_look(const char *function);

/* ---- offers.c: the answers of `candidates` */

struct verify_offers {
    int count;
    int calls; /* calls of offer */
    int32_t status;
    struct anydnn_plugin_candidate candidate[VERIFY_OFFERS];
    int32_t reason; /* 0: accepted */
    char sentence[ADN_JUDGE_SENTENCE];
    struct verify_finding fault;
};

void verify_ask(const struct verify_target *target, struct anydnn_plugin_context *context,
                const struct anydnn_plugin_problem *view, struct verify_offers *offers);
/* Queries repeatedly, with differences that must not change the answer. */
int verify_ask_well(const struct verify_target *target, const struct adn_problem *problem,
                    struct verify_offers *offers, struct verify_finding *finding);
/* Returns 1 if both have the same engines, or the same reason. */
int verify_same_offers(const struct verify_offers *a, const struct verify_offers *b);
const char *verify_reason_name(int32_t reason);

/* ---- engine.c: plans and their runs */

struct verify_run {
    const struct verify_target *target;
    struct anydnn_plugin_context *context;
    const struct adn_problem *problem;
    const struct anydnn_plugin_candidate *candidate;
    struct adn_problem shown; /* what plan_create saw, overwritten when it has returned */
    struct anydnn_plugin_plan *plan;
    struct verify_block block[ADN_SLOTS];
    struct verify_block workspace;
    uint32_t flags; /* of the operands of its calls */
};

/* The positions of operands. On a device, AT_EDGE equals SHIFTED, and no page faults. */
enum verify_place {
    VERIFY_ALIGNED, /* at multiples of 256, right behind a page that faults */
    VERIFY_SHIFTED, /* at the alignment that the candidate requires, and no better */
    VERIFY_AT_EDGE  /* before a page that faults, as close as that alignment permits */
};
/* Makes another plan of a run's problem. Returns 0, or -1 with a finding. */
int verify_run_plan(struct verify_run *run, struct anydnn_plugin_plan **plan,
                    struct verify_finding *finding);
/* Makes the plan and the memory. `shared` is NULL, or the run whose plan is reused. */
int verify_run_open(struct verify_run *run, const struct verify_target *target,
                    struct anydnn_plugin_context *context, const struct adn_problem *problem,
                    const struct anydnn_plugin_candidate *candidate, enum verify_place place,
                    const struct verify_run *shared, struct verify_finding *finding);
void verify_run_close(struct verify_run *run);
/* Runs a plan on the memory of the run, on a stream of the space, and returns its status. */
int32_t verify_run_call(struct verify_run *run, const struct adn_subject *subject,
                        struct anydnn_plugin_plan *plan, void *stream, int32_t *effect);
/* Fills the operands' images, and uploads them. */
void verify_run_fill(struct verify_run *run, const struct adn_subject *subject, int zeros);
int verify_run_put(struct verify_run *run);
/* Waits for the default stream, and downloads the operands. */
int verify_run_get(struct verify_run *run);
/* Uploads the operands, runs, and downloads the results. `zeros`: outputs that are not read hold
 * zeros instead of NaN. */
int verify_run_execute(struct verify_run *run, const struct adn_subject *subject, int zeros,
                       struct verify_finding *finding);

/* ---- look.c: checks of memory after a run */

/* Checks that only the outputs' elements have changed. */
int verify_run_untouched(const struct verify_run *run, const struct adn_subject *subject,
                         struct verify_finding *finding);
/* Checks that the outputs match the oracle. */
int verify_run_right(const struct verify_run *run, const struct adn_subject *subject,
                     struct verify_finding *finding);

/* Keeps the memory of a run in `kept`, which verify_kept_free frees. */
void verify_keep(const struct verify_run *run, unsigned char *kept[ADN_SLOTS]);
/* Returns the role of an output whose bits differ from those kept, or NULL. */
const char *verify_differs(const struct verify_run *run, const struct adn_subject *subject,
                           unsigned char *const kept[ADN_SLOTS]);
void verify_kept_free(unsigned char *kept[ADN_SLOTS]);

/* Calls `each` for every element of a compared output. */
void verify_each_element(const struct verify_run *run, const struct adn_subject *subject, int slot,
                         void (*each)(void *cookie, const struct adn_judged *element),
                         void *cookie);

/* ---- name.c */

/* Returns a property that all wrong elements of a run share, as the name of a check and a sentence.
 * Returns NULL if they share none. */
const char *verify_name_of_wrong(const struct verify_run *run, const struct adn_subject *subject,
                                 const char **sentence);

/* ---- diagnose.c */

/* The data that the checks of one engine share. */
struct verify_trial {
    const struct verify_target *target;
    struct adn_problem problem; /* with the algorithm named if the engine requires it */
    const struct anydnn_plugin_candidate *candidate;
    struct adn_subject *first;  /* integers */
    struct adn_subject *second; /* reals */
    struct verify_finding *finding;
};

/* Checks that a candidate that states batch invariance gives each sample the same bits in every
 * batch (batch.c). Returns 0 or -1. */
int verify_batch(const struct verify_trial *trial);

/* Finds the cause of a wrong result, by further runs or from the elements. `reused`: the plan ran
 * on other data before. Overwrites the run's operands. */
void verify_diagnose(const struct verify_trial *trial, struct verify_run *run,
                     const struct adn_subject *subject, int reused);
/* Returns 1, and renames the finding, if the result of another run on the same operands is right.
 */
int verify_find_race(struct verify_run *run, const struct adn_subject *subject,
                     struct verify_finding *finding);
/* Prepends a check and a sentence to the finding. */
void verify_rename(struct verify_finding *finding, const char *check, const char *sentence);

/* ---- case.c */

enum verify_verdict {
    VERIFY_PASSED,
    VERIFY_DECLINED,
    VERIFY_FAILED,
    VERIFY_UNJUDGED /* ran, but there is no reference result */
};

struct verify_outcome {
    enum verify_verdict verdict;
    int32_t reason;                    /* if declined */
    char sentence[ADN_JUDGE_SENTENCE]; /* why declined or not judged */
    struct verify_finding finding;
    struct verify_finding warning; /* does not make the case fail */
};

/* Checks in rules.c of the description and of an operation's functions for all problems. `few` and
 * `many` are the first and the largest problem that it accepts, or NULL. */
struct verify_sample {
    const struct adn_problem *problem;
    const struct adn_values *values;
};
void verify_description(const struct verify_target *target, struct verify_finding *finding);
/* Checks in space.c of the functions of a device memory space. */
void verify_space(const struct verify_target *target, struct verify_finding *finding);
/* The checks of optional functions of a space. They return 0, or -1 with a finding. */
int verify_space_late(const struct anydnn_plugin_space *space, struct verify_finding *finding);
int verify_space_counts(const struct anydnn_plugin_space *space, struct verify_finding *finding);
void verify_operation(const struct verify_target *target, int32_t operation,
                      const struct verify_sample *few, const struct verify_sample *many,
                      uint64_t seed, struct verify_finding *finding);
/* Records a warning if forward convolutions are offered under fewer than two algorithm numbers
 * (algorithms.c). */
void verify_algorithms(const struct verify_target *target, const struct verify_sample *few,
                       const struct verify_sample *many, struct verify_finding *warning);
/* Checks that runs keep the order of their stream, and that recordings hold them (streams.c). */
void verify_streams(const struct verify_target *target, const struct adn_problem *problem,
                    const struct adn_values *values, uint64_t seed, struct verify_finding *finding);
/* Checks that plans which are made, run and destroyed leave no memory behind (leaks.c). */
void verify_leaks(const struct verify_target *target, const struct adn_problem *problem,
                  const struct adn_values *values, uint64_t seed, struct verify_finding *finding);
/* Checks several contexts at once, one thread each (threads.c). */
void verify_threads(const struct verify_target *target, const struct adn_problem *problem,
                    const struct adn_values *values, uint64_t seed, struct verify_finding *finding);
/* Reports to the parent what a crash or a hang of the case means (notice.c). `when` is "crash" or
 * "hang". For a hang, the time of the case begins anew. The texts must need no escapes in JSON. A
 * signal handler may call this. */
void verify_notice(const char *when, const char *check, const char *sentence);
/* Sets the descriptor of the reports, and reports accesses beside an operand from now on. */
void verify_notice_begin(int fd);
/* Checks a child after fork() if the backend supports that (forks.c). */
void verify_forks(const struct verify_target *target, const struct adn_problem *problem,
                  const struct adn_values *values, uint64_t seed, struct verify_finding *finding);
/* Lists the names that a shared object exports besides the two permitted ones, separated by blanks
 * (exports.c). Returns 0, or -1 with a message. */
int verify_exports(const char *path, char *extra, size_t size);

/* Runs each engine once on a subject whose results are known. */
void verify_known(const struct verify_target *target, struct adn_subject *subject,
                  struct verify_outcome *outcome);
/* Runs every check of one problem on the given data, and, if those are small integers, also on
 * reals. */
void verify_problem(const struct verify_target *target, const struct adn_problem *problem,
                    const struct adn_values *values, enum oracle_data data, uint64_t seed,
                    struct verify_outcome *outcome);

#endif
