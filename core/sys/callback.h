/* SPDX-License-Identifier: Apache-2.0 */
/* The application's receiver of messages (anydnnSetCallback), and the time of delivery. A
 * message that is sent inside an entry waits until the outermost entry of its thread returns.
 * The receiver then finds no lock held and no object in use, so it may wait for other threads
 * and make any call. */
#ifndef ADN_SYS_CALLBACK_H
#define ADN_SYS_CALLBACK_H

#include <stddef.h>

#include <anydnn/anydnn.h>

#include "sys/float_mode.h"

struct adn_message;

/* The messages of this thread that wait. */
struct adn_messages {
    int depth; /* of entries that have not returned */
    struct adn_message *first, *last;
};

extern _Thread_local struct adn_messages adn_messages_here;
/* Is 1 while messages wait for the next thread that returns from an entry. */
extern _Atomic int adn_messages_pending;

/* Sends a line to the receiver, if it wants the severity, when the outermost entry returns. Outside
 * of entries, sends it at once, except for the line of a backend: a backend may hold locks and run
 * a call, so its line waits for the end of any entry. Two zero bytes follow the text. Drops a line
 * that the receiver itself causes. */
void adn_callback_send(anydnnSeverity_t severity, const char *text, size_t length, int backend);

/* Delivers the messages that wait. */
void adn_callback_deliver(struct adn_messages *messages) __attribute__((cold));

/* Gives a child of fork() an unlocked lock. */
void adn_callback_after_fork(void);

static inline __attribute__((always_inline)) struct adn_messages *adn_messages_hold(void)
{
    struct adn_messages *messages = &adn_messages_here;

    messages->depth++;
    return messages;
}

static inline __attribute__((always_inline)) void
adn_messages_release(struct adn_messages *const *messages)
{
    if (--(*messages)->depth == 0 &&
        __builtin_expect(((*messages)->first != NULL) | adn_messages_pending, 0))
        adn_callback_deliver(*messages);
}

/* Holds messages back until the end of the block. */
#define ADN_MESSAGES_SCOPE                                                                         \
    struct adn_messages *const __attribute__((cleanup(adn_messages_release), unused))              \
    adn_messages_before = adn_messages_hold()

/* Begins an entry that takes a handle or reads the settings. Until the end of the block, the thread
 * has the standard's floating-point environment, and messages wait; they are delivered in that
 * environment. Entries that end in adn_call_run use ADN_FLOAT_SCOPE, since a call with a known plan
 * has no time for more. Other code on their path that sends messages has a scope of its own. */
#define ADN_ENTRY_SCOPE                                                                            \
    ADN_FLOAT_SCOPE;                                                                               \
    ADN_MESSAGES_SCOPE

#endif
