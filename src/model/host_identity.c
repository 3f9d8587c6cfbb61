/*
 * Who a process is: its name, command line, user and groups. That is many files to read and seldom changes, so it is kept for a while, and
 * read again when the process runs another program.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/utf8.h"
#include "model/host.h"
#include "model/proc.h"
#include "model/reading.h"

#define FRESH_S 5.0

static const nvp_process_field fields[] = { NVP_PROCESS_NAME, NVP_PROCESS_COMMAND, NVP_PROCESS_CONTAINER_ID, NVP_PROCESS_POD_UID,
                                            NVP_PROCESS_USER, NVP_PROCESS_UID,     NVP_PROCESS_SLURM_JOB };
_Static_assert(NVP__COUNT_OF(fields) == NVP__IDENTITY_COUNT, "one reading for each field");

enum { NAME, COMMAND, CONTAINER, POD, USER, UID, SLURM_JOB };

/* What is being made of one process: texts stand one behind the other, each with a NUL. */
struct maker {
    nvp_reading *readings;
    char texts[2 * NVP__COMMAND_BYTES + 512]; /* more than all of them together */
    size_t used;
    int64_t now_us;
};

static void put_clean(struct maker *make, int place, const char *raw, size_t length, size_t most)
{
    char *text = make->texts + make->used;
    nvp__utf8_clean(raw, length, text, most);
    if (text[0] == '\0') {
        make->readings[place] = nvp__reading_na(NVP_ERROR_NO_DATA);
        return;
    }
    make->used += strlen(text) + 1;
    make->readings[place] = nvp__reading_text(text, make->now_us);
}

/* In a path of Windows, as a driver there tells it, a backslash. */
const char *nvp__without_folder(const char *path)
{
    const char *slash = strrchr(path, strstr(path, ":\\") != NULL ? '\\' : '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* A kernel thread and a zombie have no command line; ps writes them like this. */
static void put_kernel_name(struct maker *make, const struct nvp__proc *proc)
{
    char title[sizeof proc->program + 2];
    size_t length = strlen(proc->program);
    title[0] = '[';
    memcpy(title + 1, proc->program, length);
    title[length + 1] = ']';
    put_clean(make, NAME, proc->program, length, NVP__COMMAND_BYTES);
    if (proc->command_status == NVP_SUCCESS) {
        put_clean(make, COMMAND, title, length + 2, NVP__COMMAND_BYTES);
    } else {
        make->readings[COMMAND] = nvp__reading_na(proc->command_status);
    }
}

/* Programs that write a title over their arguments ("sshd: ada@pts/0") have the kernel's name alone. */
static void put_names(struct maker *make, const struct nvp__proc *proc)
{
    char command[NVP__COMMAND_BYTES];
    if (proc->command_status != NVP_SUCCESS || proc->command_length == 0) {
        put_kernel_name(make, proc);
        return;
    }
    memcpy(command, proc->command, proc->command_length);
    command[proc->command_length] = '\0'; /* it was read with a NUL behind it */
    const char *program = strpbrk(command, " \t\n") == NULL ? nvp__without_folder(command) : proc->program;
    put_clean(make, NAME, program, strlen(program), NVP__COMMAND_BYTES);
    for (size_t i = 0; i < proc->command_length; i++) {
        command[i] = command[i] == '\0' ? ' ' : command[i];
    }
    put_clean(make, COMMAND, command, proc->command_length, NVP__COMMAND_BYTES);
}

static void put_user(struct nvp__users *users, struct maker *make, const struct nvp__proc *proc)
{
    char name[64];
    if (proc->uid_status != NVP_SUCCESS) {
        make->readings[USER] = make->readings[UID] = nvp__reading_na(proc->uid_status);
        return;
    }
    nvp__users_name(users, proc->uid, name, sizeof name);
    put_clean(make, USER, name, strlen(name), sizeof name);
    make->readings[UID] = nvp__reading_uint(proc->uid, make->now_us);
}

static void put_groups(struct maker *make, const struct nvp__proc *proc)
{
    const struct nvp__cgroup *cgroup = &proc->cgroup;
    make->readings[SLURM_JOB] =
        cgroup->has_slurm_job ? nvp__reading_uint(cgroup->slurm_job, make->now_us) : nvp__reading_na(proc->cgroup_status);
    if (proc->cgroup_status != NVP_SUCCESS) {
        make->readings[CONTAINER] = make->readings[POD] = nvp__reading_na(proc->cgroup_status);
        return;
    }
    put_clean(make, CONTAINER, cgroup->container, strlen(cgroup->container), sizeof cgroup->container);
    put_clean(make, POD, cgroup->pod, strlen(cgroup->pod), sizeof cgroup->pod);
}

bool nvp__identity_is_fresh(const struct nvp__host *host, const struct nvp__host_process *process)
{
    double age_s = host->uptime_s - process->identity.read_at_s;
    return process->is_known && process->identity.texts != NULL && host->has_uptime && age_s >= 0 && age_s < FRESH_S;
}

void nvp__identity_take(struct nvp__host *host, struct nvp__host_process *process, const struct nvp__proc *proc)
{
    struct nvp__identity *identity = &process->identity;
    struct maker make = { .readings = identity->readings, .now_us = host->now_us };
    free(identity->texts);
    put_names(&make, proc);
    put_user(&host->users, &make, proc);
    put_groups(&make, proc);
    memcpy(identity->program, proc->program, sizeof identity->program);
    identity->read_at_s = host->uptime_s;
    identity->texts = malloc(make.used + 1);
    for (size_t i = 0; i < NVP__IDENTITY_COUNT; i++) {
        nvp_reading *reading = &identity->readings[i];
        if (reading->kind == NVP_KIND_TEXT) {
            size_t place = (size_t)(reading->as.text - make.texts);
            *reading = nvp__reading_text(identity->texts != NULL ? identity->texts + place : NULL, make.now_us);
        }
    }
    if (identity->texts != NULL) {
        memcpy(identity->texts, make.texts, make.used);
    }
}

void nvp__identity_put(struct nvp__host_process *process, struct nvp__arena *arena)
{
    for (size_t i = 0; i < NVP__IDENTITY_COUNT; i++) {
        process->fields[nvp__host_place(fields[i])] = nvp__reading_copy(arena, &process->identity.readings[i]);
    }
}
