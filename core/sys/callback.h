/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The application's receiver of messages (anydnnSetCallback), and when it runs: a message that is
 * sent inside an entry waits until the outermost entry of its thread returns. The receiver then
 * finds no lock held and no object in use, so it may wait for other threads and make any call.
 */
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

/* Its address takes two instructions in this TLS model, and a call in the default one. */
extern _Thread_local struct adn_messages adn_messages_here
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Hands a line to the receiver, if it wants the severity: now, or when the outermost entry returns.
 * Two zero bytes follow the text. A line that the receiver itself causes is dropped. */
void adn_callback_send(anydnnSeverity_t severity, const char *text, size_t length);

/* Hands over what waits. */
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
    if (--(*messages)->depth == 0 && __builtin_expect((*messages)->first != NULL, 0))
        adn_callback_deliver(*messages);
}

/* What an entry begins with, if it takes a handle, reads the settings, or calls a backend: up to
 * the end of the block the thread is in the standard's floating-point environment, and messages
 * wait. They are delivered before the environment of the caller returns. */
#define ADN_ENTRY_SCOPE                                                                            \
    ADN_FLOAT_SCOPE;                                                                               \
    struct adn_messages *const __attribute__((cleanup(adn_messages_release))) adn_entry_messages = \
        adn_messages_hold()

#endif
