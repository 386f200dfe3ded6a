/* SPDX-License-Identifier: Apache-2.0 */
/* Delivers messages to the application's receiver. */
#include "sys/callback.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sys/error.h"
#include "sys/log.h"
#include "sys/process.h"

struct adn_message {
    struct adn_message *next;
    anydnnSeverity_t severity;
    char text[]; /* two zero bytes follow */
};

_Thread_local struct adn_messages adn_messages_here;
_Atomic int adn_messages_pending;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static struct adn_messages for_any_thread;
static unsigned callback_mask;
static void *callback_user;
static anydnnCallback_t callback_function;
static _Thread_local int inside_callback;

/* Calls the current receiver. Its own calls do not change the thread's last error. */
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

/* Keeps a message. If memory is out, the receiver misses it; the log still has it. */
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

/* Keeps a message for the next call on any thread, which takes the slow path and delivers it. */
static void keep_for_any_thread(anydnnSeverity_t severity, const char *text, size_t length)
{
    pthread_mutex_lock(&lock);
    keep(&for_any_thread, severity, text, length);
    adn_messages_pending = 1;
    adn_process_attention = 1;
    pthread_mutex_unlock(&lock);
}

void adn_callback_send(anydnnSeverity_t severity, const char *text, size_t length, int backend)
{
    struct adn_messages *messages = &adn_messages_here;
    anydnnCallback_t function;
    void *user;
    unsigned mask;

    adn_log_callback_get(&mask, &user, &function);
    if (inside_callback || !function || !(mask & (1u << severity)))
        return;
    if (messages->depth > 0)
        keep(messages, severity, text, length);
    else if (backend)
        keep_for_any_thread(severity, text, length);
    else
        call(severity, text);
}

static void deliver(struct adn_message *message)
{
    while (message) {
        struct adn_message *next = message->next;

        call(message->severity, message->text);
        free(message);
        message = next;
    }
}

void adn_callback_deliver(struct adn_messages *messages)
{
    struct adn_message *first = messages->first;

    messages->first = messages->last = NULL;
    deliver(first);
    /* Inside the receiver, the messages would be dropped. */
    if (!adn_messages_pending || inside_callback)
        return;
    pthread_mutex_lock(&lock);
    first = for_any_thread.first;
    for_any_thread.first = for_any_thread.last = NULL;
    adn_messages_pending = 0;
    pthread_mutex_unlock(&lock);
    deliver(first);
}

void adn_callback_after_fork(void)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

    lock = fresh;
    /* The parent process delivers these. */
    for_any_thread.first = for_any_thread.last = NULL;
    adn_messages_pending = 0;
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
