/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests that calls enqueued one after another on a stream wait for one another, however early their
 * kernels begin.
 *
 *   chain [--device DEVICE] [--repeat N] TESTED OTHER <PROBLEMS
 *
 * Each convolution gives chains of 24 calls of the backend TESTED: forward, backward data and
 * backward filter, two directions in turn. Each call reads what the previous one wrote, and writes
 * what the previous one read. All calls share one workspace. The chain `plain` has only these
 * calls. In `blend`, each call adds to the previous contents. In `copies`, each result is copied to
 * its place, and its memory is set to other bytes. In `other`, an activation by the backend OTHER
 * moves each result to its place. The program first runs a chain and waits for each step. The chain
 * must leave the same bits if no step is waited for: N times (default 20) as calls, and N times as
 * a recording that is replayed three times.
 *
 * PROBLEMS has one problem per line in text form, as `anydnn bench --list` prints them (NAME:
 * PROBLEM), of any direction. They should be small, because a long kernel hides that the next one
 * begins early. Problems that are not convolutions of two operands, or that TESTED declines, are
 * reported with the reason. The exit status is 0 if all chains that ran are the same, and 1 if one
 * differs or failed or if none ran. It is 2 for wrong usage, and 77 if the device does not exist.
 */
#include "chain.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/numerics.h"

#define REPLAYS 3

static const char *const variants[VARIANTS] = {"plain", "blend", "copies", "other"};

static int steps(const struct chain *chain, int waited)
{
    int failed = chain_start(chain);

    for (int i = 0; i < chain->count && !failed; i++)
        failed = chain_step(chain, &chain->step[i]) != 0 ||
                 (waited && anydnnSynchronize(chain->memory->handle[TESTED]) != SUCCESS);
    return failed ? -1 : 0;
}

/* ---- comparing */

static void tell(const struct chain *chain, enum place place, const char *how, long run)
{
    static const char *const names[PLACES] = {"x", "w", "y", "the spare place"};
    size_t size = exact_type_size(chain->type), first = 0, others = 0;

    for (size_t i = chain->bytes[place]; i > 0; i -= size)
        if (memcmp(chain->found[place] + i - size, chain->wanted[place] + i - size, size) != 0) {
            first = i - size;
            others++;
        }
    snprintf(chain->memory->sentence, sizeof(chain->memory->sentence),
             "first element %zu of %s, %g for %g, and %zu of %zu in all, %s, run %ld", first / size,
             names[place], adn_element_load((int32_t)chain->type, chain->found[place] + first),
             adn_element_load((int32_t)chain->type, chain->wanted[place] + first), others,
             chain->bytes[place] / size, how, run);
}

static enum verdict compare(const struct chain *chain, const char *how, long run)
{
    for (int i = X; i < PLACES; i++) {
        if (chain_take(chain, i, chain->found[i]) != 0)
            return FAILED;
        if (memcmp(chain->found[i], chain->wanted[i], chain->bytes[i]) != 0) {
            tell(chain, i, how, run);
            return BAD;
        }
    }
    return GOOD;
}

/* ---- running */

static enum verdict enqueued(const struct chain *chain, long repeat)
{
    enum verdict verdict = GOOD;

    for (long i = 0; i < repeat && verdict == GOOD; i++)
        verdict = steps(chain, 0) == 0 ? compare(chain, "enqueued", i + 1) : FAILED;
    return verdict;
}

static enum verdict recorded(const struct chain *chain, long repeat)
{
    anydnnHandle_t handle = chain->memory->handle[TESTED];
    anydnnRecording_t recording = NULL;
    enum verdict verdict = GOOD;
    int failed;

    if (anydnnRecordBegin(handle) != SUCCESS)
        return FAILED;
    failed = steps(chain, 0);
    if (anydnnRecordEnd(handle, &recording) != SUCCESS || failed)
        verdict = FAILED;
    for (long i = 0; i < repeat && verdict == GOOD; i++) {
        for (int j = 0; j < REPLAYS && verdict == GOOD; j++)
            verdict = anydnnReplay(handle, recording) == SUCCESS ? GOOD : FAILED;
        if (verdict == GOOD)
            verdict = compare(chain, "replayed", i + 1);
    }
    anydnnRecordingDestroy(handle, recording);
    return verdict;
}

static enum verdict run(struct chain *chain, long repeat)
{
    enum verdict verdict = chain_make(chain);

    if (verdict == GOOD && steps(chain, 1) != 0)
        verdict = FAILED;
    for (int i = X; i < PLACES && verdict == GOOD; i++)
        verdict = chain_take(chain, i, chain->wanted[i]) == 0 ? GOOD : FAILED;
    if (verdict == GOOD)
        verdict = enqueued(chain, repeat);
    if (verdict == GOOD)
        verdict = recorded(chain, repeat);
    return verdict;
}

/* ---- telling */

static void report(const struct chain *chain, enum verdict verdict, const char *name,
                   const char *variant, int count)
{
    struct exact *memory = chain->memory;

    memory->count[verdict]++;
    if (verdict != GOOD && memory->sentence[0] == '\0')
        anydnnGetLastErrorString(memory->sentence, sizeof(memory->sentence));
    printf("chain %s %s: ", name, variant);
    if (verdict == GOOD)
        printf("%d calls, same\n", count);
    else if (verdict == BAD)
        printf("%d calls, DIFFERS: %s\n", count, memory->sentence);
    else
        printf("%s: %s\n", verdict == DECLINED ? "declined" : "FAILED", memory->sentence);
    fflush(stdout);
}

/* Runs all chains of a line. A colon and a blank end the name of the line; a line without them is
 * its own name. */
static void chains(struct exact *memory, char *line, long repeat)
{
    char *end = strstr(line, ": ");
    struct chain chain = {.memory = memory};
    enum verdict verdict;

    if (end)
        *end = '\0';
    memory->sentence[0] = '\0';
    verdict = chain_read(&chain, end ? end + 2 : line);
    if (verdict != GOOD)
        report(&chain, verdict, line, "of all kinds", 0);
    for (int i = 0; i < VARIANTS && verdict == GOOD; i++) {
        enum verdict of_one;

        memory->sentence[0] = '\0';
        chain.variant = i;
        of_one = run(&chain, repeat);
        report(&chain, of_one, line, variants[i], chain.count);
        anydnnSynchronize(memory->handle[TESTED]);
        chain_clear(&chain);
    }
    chain_free(&chain);
}

static int judge(struct exact *memory, long repeat)
{
    const long *count = memory->count;
    char *line = NULL;
    size_t size = 0;

    while (getline(&line, &size, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\0' && line[0] != '#')
            chains(memory, line, repeat);
    }
    free(line);
    printf("%ld chains same, %ld differ, %ld declined, %ld failed\n", count[GOOD], count[BAD],
           count[DECLINED], count[FAILED]);
    return count[BAD] || count[FAILED] || !count[GOOD] ? 1 : 0;
}

/* Opens the device. Returns 0, or -1 after it has printed the reason. */
static int open_device(struct exact *memory, const char *device, char **names)
{
    static const char *const operations[] = {"*", "convolution_*"};
    anydnnStatus_t status = anydnnCreateOnDevice(&memory->handle[TESTED], device);
    char list[100];

    for (int i = 0; i < 2 && status == SUCCESS; i++) {
        snprintf(list, sizeof(list), "%s, fallback:off", names[1 - i]);
        status = anydnnSetRoute(memory->handle[TESTED], operations[i], NULL, list);
    }
    if (status == SUCCESS)
        return 0;
    anydnnGetLastErrorString(memory->sentence, sizeof(memory->sentence));
    fprintf(stderr, "chain: %s\n", memory->sentence);
    return -1;
}

/* Returns a count of at least 1, or 0 after a message if the text is invalid. */
static long count_of(const char *text)
{
    char *end = NULL;
    long count;

    errno = 0;
    count = strtol(text, &end, 10);
    if (end != text && *end == '\0' && errno == 0 && count >= 1)
        return count;
    fprintf(stderr, "chain: --repeat is `%s`; it must be a whole number from 1 on\n", text);
    return 0;
}

static int usage(void)
{
    fprintf(stderr, "usage: chain [--device DEVICE] [--repeat N] TESTED OTHER <PROBLEMS\n");
    return 2;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"device", required_argument, NULL, 'd'},
                                            {"repeat", required_argument, NULL, 'r'},
                                            {NULL, 0, NULL, 0}};
    struct exact memory = {.handle = {NULL}};
    const char *device = "cuda";
    long repeat = 20;
    int option, code = 77;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'd')
            device = optarg;
        else if (option == 'r')
            repeat = count_of(optarg);
        else
            return usage();
        if (repeat == 0)
            return 2;
    }
    if (argc - optind != 2)
        return usage();
    if (open_device(&memory, device, argv + optind) == 0) {
        code = judge(&memory, repeat);
        exact_free(&memory);
    }
    anydnnDestroy(memory.handle[TESTED]);
    return code;
}
