/*
 * Names of users, each asked for once: the directory can be a server on the network.
 */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "model/host.h"

#define NAME_BYTES 64
#define RECORD_BYTES_MAX (1u << 20)

struct nvp__user {
    unsigned int uid;
    char name[NAME_BYTES];
};

/* False when there is no name, or none can be had. */
static bool look_up(unsigned int uid, char *name, size_t size)
{
    struct passwd user, *found = NULL;
    int error = ERANGE;
    for (size_t bytes = 1024; error == ERANGE && bytes <= RECORD_BYTES_MAX; bytes *= 4) {
        char *record = malloc(bytes);
        error = record == NULL ? ENOMEM : getpwuid_r(uid, &user, record, bytes, &found);
        if (error == 0 && found != NULL) {
            nvp__utf8_clean(user.pw_name, strlen(user.pw_name), name, size);
        }
        free(record);
    }
    return error == 0 && found != NULL && name[0] != '\0';
}

static struct nvp__user *insert(struct nvp__users *users, size_t place)
{
    if (users->count == users->capacity) {
        size_t capacity = users->capacity == 0 ? 16 : users->capacity * 2;
        struct nvp__user *list = reallocarray(users->list, capacity, sizeof *list);
        if (list == NULL) {
            return NULL;
        }
        users->list = list;
        users->capacity = capacity;
    }
    memmove(&users->list[place + 1], &users->list[place], (users->count - place) * sizeof *users->list);
    users->count++;
    return &users->list[place];
}

void nvp__users_name(struct nvp__users *users, unsigned int uid, char *buffer, size_t size)
{
    size_t low = 0, high = users->count;
    struct nvp__user user = { .uid = uid };
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool before = users->list[middle].uid < uid;
        *(before ? &low : &high) = before ? middle + 1 : middle;
    }
    if (low < users->count && users->list[low].uid == uid) {
        snprintf(buffer, size, "%s", users->list[low].name);
        return;
    }
    if (!look_up(uid, user.name, sizeof user.name)) {
        snprintf(user.name, sizeof user.name, "%u", uid);
    }
    struct nvp__user *kept = insert(users, low);
    if (kept != NULL) {
        *kept = user;
    }
    snprintf(buffer, size, "%s", user.name);
}

void nvp__users_free(struct nvp__users *users)
{
    free(users->list);
}
