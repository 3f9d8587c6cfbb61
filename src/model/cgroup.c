/*
 * The forms that container engines, Kubernetes, Slurm and systemd give to the names of their groups, as they are seen on machines:
 *
 *   /docker/ID                                     /system.slice/docker-ID.scope           engine without, with systemd
 *   /kubepods/burstable/podUID/ID                  /kubepods.slice/.../kubepods-burstable-podU_I_D.slice/cri-containerd-ID.scope
 *   /.../kubepods-podU_I_D.slice:cri-containerd:ID                                         systemd's name under the other driver
 *   /machine.slice/libpod-ID.scope/container       /machine.slice/libpod-conmon-ID.scope   the second is not in the container
 *   /lxc/NAME  /lxc.payload/NAME  /lxc.payload.NAME                                        likewise lxc.monitor
 *   /machine.slice/machine-NAME.scope/payload      /machine.slice/systemd-nspawn@NAME.service
 *   /slurm/uid_1000/job_42/step_0                  /system.slice/slurmstepd.scope/job_42/step_0
 */
#include "model/cgroup.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define ID_LENGTH 64 /* of a container, in hexadecimal digits */

/* A part of a path between two slashes; not terminated. */
struct part {
    const char *text;
    size_t length;
};

static bool is_hex(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';
        bool letter = text[i] >= 'a' && text[i] <= 'f';
        if (!digit && !letter) {
            return false;
        }
    }
    return true;
}

static bool begins(struct part part, const char *prefix)
{
    size_t length = strlen(prefix);
    return part.length >= length && memcmp(part.text, prefix, length) == 0;
}

static bool is_exactly(struct part part, const char *text)
{
    return part.length == strlen(text) && begins(part, text);
}

static bool contains(struct part part, const char *text)
{
    return memmem(part.text, part.length, text, strlen(text)) != NULL;
}

static struct part without_prefix(struct part part, const char *prefix)
{
    size_t length = strlen(prefix);
    return begins(part, prefix) ? (struct part){ part.text + length, part.length - length } : (struct part){ part.text, 0 };
}

static struct part without_suffix(struct part part, const char *suffix)
{
    size_t length = strlen(suffix);
    bool ends = part.length >= length && memcmp(part.text + part.length - length, suffix, length) == 0;
    return (struct part){ part.text, ends ? part.length - length : part.length };
}

/* systemd writes what cannot stand in the name of a unit as \xNN. */
static size_t unescape(struct part name, char *text, size_t size)
{
    size_t length = 0;
    for (size_t i = 0; i < name.length && length < size; i++) {
        char digits[3] = "";
        if (i + 3 < name.length && name.text[i] == '\\' && name.text[i + 1] == 'x' && is_hex(name.text + i + 2, 2)) {
            memcpy(digits, name.text + i + 2, 2);
            i += 3;
        }
        text[length++] = digits[0] != '\0' ? (char)strtoul(digits, NULL, 16) : name.text[i];
    }
    return length;
}

static void set_container(struct nvp__cgroup *cgroup, struct part name)
{
    char text[sizeof cgroup->container];
    size_t length = unescape(name, text, sizeof text);
    if (length > 0) {
        nvp__utf8_clean(text, length, cgroup->container, sizeof cgroup->container);
    }
}

/* 64 digits, alone or behind the name of the engine. */
static void find_container_id(struct nvp__cgroup *cgroup, struct part part)
{
    struct part name = without_suffix(part, ".scope");
    if (name.length < ID_LENGTH || contains(part, "conmon")) {
        return;
    }
    struct part id = { name.text + name.length - ID_LENGTH, ID_LENGTH };
    if (is_hex(id.text, id.length) && (name.length == ID_LENGTH || strchr("-_:.", id.text[-1]) != NULL)) {
        set_container(cgroup, id);
    }
}

/* `before`: the part above. Virtual machines have the same form as the containers of systemd, and are none. */
static void find_container_name(struct nvp__cgroup *cgroup, struct part before, struct part part)
{
    struct part machine = without_suffix(without_prefix(part, "machine-"), ".scope");
    if (is_exactly(before, "lxc") || is_exactly(before, "lxc.payload")) {
        set_container(cgroup, part);
    } else if (begins(part, "lxc.payload.")) {
        set_container(cgroup, without_prefix(part, "lxc.payload."));
    } else if (begins(part, "systemd-nspawn@")) {
        set_container(cgroup, without_suffix(without_prefix(part, "systemd-nspawn@"), ".service"));
    } else if (is_exactly(before, "machine.slice") && part.length > machine.length + strlen("machine-") &&
               !begins(machine, "qemu\\x2d")) {
        set_container(cgroup, machine);
    }
}

/* 8-4-4-4-12 digits with dashes or underscores, or 32 digits (pods that a file on the node describes). Returns its length, or 0. */
static size_t pod_uid_length(const char *text, size_t length)
{
    static const size_t groups[] = { 8, 4, 4, 4, 12 };
    size_t at = 0;
    if (length >= 32 && is_hex(text, 32)) {
        return 32;
    }
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (i > 0 && (at >= length || (text[at] != '-' && text[at] != '_'))) {
            return 0;
        }
        at += i > 0;
        if (length - at < groups[i] || !is_hex(text + at, groups[i])) {
            return 0;
        }
        at += groups[i];
    }
    return at;
}

static void find_pod(struct nvp__cgroup *cgroup, struct part part)
{
    for (size_t i = 0; i + 3 < part.length; i++) {
        if (memcmp(part.text + i, "pod", 3) != 0 || (i > 0 && part.text[i - 1] != '-')) {
            continue;
        }
        const char *uid = part.text + i + 3;
        size_t rest = part.length - i - 3;
        size_t length = pod_uid_length(uid, rest);
        if (length == 0 || (length < rest && uid[length] != '.' && uid[length] != ':')) {
            continue;
        }
        for (size_t j = 0; j < length; j++) {
            cgroup->pod[j] = uid[j] == '_' ? '-' : uid[j];
        }
        cgroup->pod[length] = '\0';
    }
}

static void find_slurm_job(struct nvp__cgroup *cgroup, struct part part)
{
    struct part number = without_prefix(part, "job_");
    char digits[20] = "";
    if (number.length == 0 || number.length >= sizeof digits) {
        return;
    }
    memcpy(digits, number.text, number.length);
    if (strspn(digits, "0123456789") == number.length) {
        cgroup->slurm_job = strtoull(digits, NULL, 10);
        cgroup->has_slurm_job = true;
    }
}

static void parse_path(struct nvp__cgroup *cgroup, const char *path, size_t length)
{
    struct part before = { path, 0 };
    bool below_slurm = false;
    const char *end = path + length;
    for (const char *at = path; at < end;) {
        const char *slash = memchr(at, '/', (size_t)(end - at));
        struct part part = { at, (size_t)((slash != NULL ? slash : end) - at) };
        find_container_id(cgroup, part);
        find_container_name(cgroup, before, part);
        find_pod(cgroup, part);
        if (below_slurm) {
            find_slurm_job(cgroup, part);
        }
        below_slurm = below_slurm || contains(part, "slurm");
        before = part;
        at = part.text + part.length + 1;
    }
}

/* HIERARCHY:CONTROLLERS:PATH; the path can have colons of its own, and " (deleted)" behind it. */
static void parse_line(struct nvp__cgroup *cgroup, struct part line)
{
    for (int i = 0; i < 2; i++) {
        const char *colon = memchr(line.text, ':', line.length);
        if (colon == NULL) {
            return;
        }
        line.length -= (size_t)(colon + 1 - line.text);
        line.text = colon + 1;
    }
    line = without_suffix(line, " (deleted)");
    parse_path(cgroup, line.text, line.length);
}

void nvp__cgroup_parse(const char *text, struct nvp__cgroup *cgroup)
{
    *cgroup = (struct nvp__cgroup){ 0 };
    while (*text != '\0') {
        struct part line = { text, strcspn(text, "\n") };
        parse_line(cgroup, line);
        text += line.length + (text[line.length] == '\n');
    }
}
