/*
 * Interned text: a list under one lock. Few and short texts, so a list will do.
 */
#include "base/intern.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    struct entry *next;
    char text[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries; /* under lock */
static size_t entry_count;    /* under lock */

static const char *add(const char *text)
{
    if (entry_count >= NVP__INTERN_MAX) {
        return "(too many different texts)";
    }
    size_t bytes = strlen(text) + 1;
    struct entry *entry = malloc(sizeof(*entry) + bytes);
    if (entry == NULL) {
        return "(out of memory)";
    }
    memcpy(entry->text, text, bytes);
    entry->next = entries;
    entries = entry;
    entry_count++;
    return entry->text;
}

const char *nvp__intern(const char *text)
{
    const char *kept = NULL;
    pthread_mutex_lock(&lock);
    for (struct entry *entry = entries; entry != NULL && kept == NULL; entry = entry->next) {
        if (strcmp(entry->text, text) == 0) {
            kept = entry->text;
        }
    }
    if (kept == NULL) {
        kept = add(text);
    }
    pthread_mutex_unlock(&lock);
    return kept;
}

void nvp__intern_fork_prepare(void)
{
    pthread_mutex_lock(&lock);
}

void nvp__intern_fork_parent(void)
{
    pthread_mutex_unlock(&lock);
}

void nvp__intern_fork_child(void)
{
    pthread_mutex_init(&lock, NULL);
}
