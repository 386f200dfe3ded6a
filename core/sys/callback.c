/* SPDX-License-Identifier: Apache-2.0 */
/* Messages on their way to the application's receiver. */
#include "sys/callback.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sys/error.h"
#include "sys/log.h"

struct adn_message {
    struct adn_message *next;
    anydnnSeverity_t severity;
    char text[]; /* two zero bytes follow */
};

_Thread_local struct adn_messages adn_messages_here;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned callback_mask;
static void *callback_user;
static anydnnCallback_t callback_function;
static _Thread_local int inside_callback;

/* Calls the receiver that there is now. Its own calls do not change the thread's last error. */
static void call(anydnnSeverity_t severity, const char *text)
{
    char sentence[ADN_ERROR_MAX];
    anydnnCallback_t function;
    void *user;
    unsigned mask;

    adn_log_callback_get(&mask, &user, &function);
    if (!function || inside_callback || !(mask & (1u << severity)))
        return;
    adn_error_save(sentence);
    inside_callback = 1;
    function(severity, user, NULL, text);
    inside_callback = 0;
    adn_error_restore(sentence);
}

/* Without memory the message is lost to the receiver; the log has it. */
static void keep(struct adn_messages *messages, anydnnSeverity_t severity, const char *text,
                 size_t length)
{
    struct adn_message *message = malloc(sizeof(*message) + length + 2);

    if (!message)
        return;
    message->next = NULL;
    message->severity = severity;
    memcpy(message->text, text, length + 2);
    if (messages->last)
        messages->last->next = message;
    else
        messages->first = message;
    messages->last = message;
}

void adn_callback_send(anydnnSeverity_t severity, const char *text, size_t length)
{
    struct adn_messages *messages = &adn_messages_here;
    anydnnCallback_t function;
    void *user;
    unsigned mask;

    if (inside_callback)
        return;
    if (messages->depth == 0) {
        call(severity, text);
        return;
    }
    adn_log_callback_get(&mask, &user, &function);
    if (function && (mask & (1u << severity)))
        keep(messages, severity, text, length);
}

void adn_callback_deliver(struct adn_messages *messages)
{
    struct adn_message *message = messages->first;

    messages->first = messages->last = NULL;
    while (message) {
        struct adn_message *next = message->next;

        call(message->severity, message->text);
        free(message);
        message = next;
    }
}

void adn_callback_after_fork(void)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

    lock = fresh;
}

void adn_log_callback_set(unsigned mask, void *user, anydnnCallback_t function)
{
    pthread_mutex_lock(&lock);
    callback_mask = mask;
    callback_user = user;
    callback_function = function;
    pthread_mutex_unlock(&lock);
    adn_log_threshold_update();
}

void adn_log_callback_get(unsigned *mask, void **user, anydnnCallback_t *function)
{
    pthread_mutex_lock(&lock);
    *mask = callback_mask;
    *user = callback_user;
    *function = callback_function;
    pthread_mutex_unlock(&lock);
}
