/*
 * What the facts of the system come to: kernel module, GPUs on the bus, device nodes, environment. What keeps NVML from opening is
 * grave; with NVML open the same is only worth a warning. Asks nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "doctor.h"

/** Paths that share a problem, "a, b, c". */
struct path_list {
    char text[512];
    const doctor_node *first;
};

static doctor_severity gravity(const doctor_report *report)
{
    return doctor_is_open(report) ? DOCTOR_WARNING : DOCTOR_FAILURE;
}

static bool is_in_container(const doctor_report *report)
{
    return report->system.container_count > 0;
}

static void judge_module(doctor_report *report)
{
    if (doctor_is_open(report) || doctor_module_version(report)[0] != '\0' || report->driver->would_wake) {
        return;
    }
    if (report->system.pci_count == 0) {
        doctor_find(report, DOCTOR_FAILURE, "module",
                    "No NVIDIA GPU is on the PCI bus, and no kernel module is loaded: this machine has none, or it is not passed "
                    "through to it.");
    } else {
        doctor_find(
            report, DOCTOR_FAILURE, "module",
            "The kernel module nvidia is not loaded%s. Load it with 'modprobe nvidia'; if that fails, the kernel log says why: "
            "often the module was not built for this kernel ('dkms status').",
            is_in_container(report) ? " on the host" : "");
    }
}

static void judge_bus(doctor_report *report)
{
    for (size_t i = 0; i < report->system.pci_count; i++) {
        const doctor_pci *pci = &report->system.pci[i];
        if (strcmp(pci->driver, "nouveau") == 0) {
            doctor_find(
                report, gravity(report), "pci",
                "The GPU at %s is bound to nouveau, so that NVIDIA's driver cannot have it. Blacklist nouveau and reboot.",
                pci->bus_id);
        } else if (strncmp(pci->driver, "vfio", 4) == 0) {
            doctor_find(report, DOCTOR_NOTE, "pci", "The GPU at %s is bound to %s: it is meant for a virtual machine.",
                        pci->bus_id, pci->driver);
        } else if (pci->driver[0] == '\0' && doctor_module_version(report)[0] != '\0') {
            doctor_find(
                report, DOCTOR_WARNING, "pci",
                "The GPU at %s is bound to no driver, though the module is loaded. The kernel log says why: often this version "
                "of the driver does not support it.",
                pci->bus_id);
        }
    }
}

static void add_path(struct path_list *list, const doctor_node *node)
{
    size_t used = strlen(list->text);
    snprintf(list->text + used, sizeof list->text - used, "%s%s", used > 0 ? ", " : "", node->path);
    list->first = list->first != NULL ? list->first : node;
}

static void judge_missing_nodes(doctor_report *report)
{
    struct path_list missing = { "", NULL };
    const doctor_node *uvm = NULL;
    for (size_t i = 0; i < report->system.node_count; i++) {
        const doctor_node *node = &report->system.nodes[i];
        if (node->error == ENOENT && (node->kind == DOCTOR_NODE_CONTROL || node->kind == DOCTOR_NODE_GPU)) {
            add_path(&missing, node);
        } else if (node->error == ENOENT && node->kind == DOCTOR_NODE_UVM) {
            uvm = node;
        }
    }
    if (missing.first != NULL && is_in_container(report)) {
        doctor_find(report, gravity(report), "nodes",
                    "%s: not in this container. Start it with the NVIDIA runtime, as with 'docker run --gpus all'.",
                    missing.text);
    } else if (missing.first != NULL) {
        doctor_find(
            report, gravity(report), "nodes",
            "%s: missing, though the module is loaded. Run 'nvidia-modprobe -c NUMBER' for each, or nvidia-smi once as root, "
            "which creates them.",
            missing.text);
    }
    if (uvm != NULL) {
        doctor_find(report, DOCTOR_NOTE, "nodes", "%s is missing. CUDA needs it and can create it: 'nvidia-modprobe -u -c 0'.",
                    uvm->path);
    }
}

/* Those that joining a group opens apart from those whose mode must change. */
static void judge_permissions(doctor_report *report)
{
    struct path_list for_group = { "", NULL };
    struct path_list for_nobody = { "", NULL };
    const doctor_system *system = &report->system;
    for (size_t i = 0; i < system->node_count; i++) {
        const doctor_node *node = &system->nodes[i];
        if (node->error == 0 && node->kind != DOCTOR_NODE_OTHER && !(node->readable && node->writable)) {
            add_path(node->helpful_group[0] != '\0' ? &for_group : &for_nobody, node);
        }
    }
    char mode[11];
    if (for_group.first != NULL) {
        const doctor_node *node = for_group.first;
        doctor_mode_text(node->mode, mode);
        doctor_find(
            report, gravity(report), "nodes",
            "%s may not read and write %s (%s %s:%s). Members of the group '%s' may: 'usermod -aG %s %s', then log in again.",
            system->user, for_group.text, mode, node->owner, node->group, node->helpful_group, node->helpful_group, system->user);
    }
    if (for_nobody.first != NULL) {
        const doctor_node *node = for_nobody.first;
        doctor_mode_text(node->mode, mode);
        doctor_find(report, gravity(report), "nodes",
                    "%s may not read and write %s (%s %s:%s). Let the administrator change the mode; the option "
                    "NVreg_DeviceFileMode=0666 of the module nvidia makes that last.",
                    system->user, for_nobody.text, mode, node->owner, node->group);
    }
}

/* Files that are no devices come of a bind mount onto a node that was not there. In a tree for tests they stand for devices. */
static void judge_types(doctor_report *report)
{
    for (size_t i = 0; i < report->system.node_count && report->system.root[0] == '\0'; i++) {
        const doctor_node *node = &report->system.nodes[i];
        if (node->error == 0 && node->kind != DOCTOR_NODE_OTHER && !S_ISCHR(node->mode)) {
            doctor_find(report, gravity(report), "nodes", "%s is no device but a %s. Remove it, and load the module again.",
                        node->path, S_ISDIR(node->mode) ? "folder" : "file");
        }
    }
}

static void judge_control_node(doctor_report *report)
{
    int error = report->driver->control_error;
    if (error == EPERM) {
        doctor_find(report, gravity(report), "nodes",
                    "/dev/nvidiactl has the right mode, but the system refuses to open it: a device control group does that. %s",
                    is_in_container(report)
                        ? "Restart the container; it happens when the host's service manager is reloaded while a container runs."
                        : "Look at DeviceAllow= of the service that this runs in.");
    } else if (error == ENXIO || error == ENODEV) {
        doctor_find(report, gravity(report), "nodes",
                    "/dev/nvidiactl is there, but no driver answers behind it (%s). Load the module: 'modprobe nvidia'.",
                    strerror(error));
    } else if (error > 0 && error != EACCES) { /* that one the mode explains */
        doctor_find(report, gravity(report), "nodes", "/dev/nvidiactl cannot be opened: %s. Look at the kernel log.",
                    strerror(error));
    }
}

static void judge_library_path(doctor_report *report)
{
    const char *path = doctor_variable_of(&report->system, "LD_LIBRARY_PATH");
    const char *library = report->driver->path;
    bool is_last = path == NULL || path[0] == '\0';
    while (!is_last) {
        size_t length = strcspn(path, ":");
        is_last = path[length] == '\0';
        if (length == 0 || path[0] != '/') {
            doctor_find(
                report, DOCTOR_NOTE, "environment",
                "LD_LIBRARY_PATH has the entry '%.*s', which depends on the folder that a program is started in: what is found "
                "there is found by chance.",
                (int)length, path);
        } else if (!report->driver->simulated && strncmp(library, path, length) == 0 && library[length] == '/') {
            doctor_find(report, DOCTOR_NOTE, "environment",
                        "The library in use comes from LD_LIBRARY_PATH. If another is meant, take %.*s out of it.", (int)length,
                        path);
        }
        path += length + 1;
    }
}

static void judge_variables(doctor_report *report)
{
    const doctor_system *system = &report->system;
    const char *visible = doctor_variable_of(system, "NVIDIA_VISIBLE_DEVICES");
    const char *cuda = doctor_variable_of(system, "CUDA_VISIBLE_DEVICES");
    const char *preload = doctor_variable_of(system, "LD_PRELOAD");
    if (is_in_container(report) && visible != NULL &&
        (visible[0] == '\0' || strcmp(visible, "none") == 0 || strcmp(visible, "void") == 0)) {
        doctor_find(
            report, doctor_is_open(report) ? DOCTOR_NOTE : DOCTOR_FAILURE, "environment",
            "NVIDIA_VISIBLE_DEVICES is '%s': the container runtime gives this container no GPU. Set it to 'all' or to the GPUs "
            "that are meant.",
            visible);
    }
    if (cuda != NULL) {
        doctor_find(report, DOCTOR_NOTE, "environment",
                    "CUDA_VISIBLE_DEVICES is '%s': CUDA programs see no other GPUs; NVML and nvpulse see all of them.", cuda);
    }
    if (preload != NULL && preload[0] != '\0') {
        doctor_find(report, DOCTOR_NOTE, "environment", "LD_PRELOAD is '%s': a library like that can change what NVML answers.",
                    preload);
    }
    if (system->root[0] != '\0') {
        doctor_find(report, DOCTOR_NOTE, "environment", "NVPULSE_DOCTOR_ROOT is set: files were read below %s.", system->root);
    }
}

void doctor_judge_system(doctor_report *report)
{
    bool is_module_loaded = doctor_module_version(report)[0] != '\0';
    if (doctor_files_count(report) && report->system.wsl_count == 0) {
        judge_module(report);
        judge_bus(report);
        if (is_module_loaded) { /* without it, missing nodes are no wonder */
            judge_missing_nodes(report);
        }
        judge_types(report);
        judge_permissions(report);
        judge_control_node(report);
    }
    judge_variables(report);
    judge_library_path(report);
}
