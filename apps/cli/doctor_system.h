/*
 * What files and the environment say of this machine: kernel module, GPUs on the bus, device nodes, container, WSL, variables.
 * Reads only what no driver can hold up and what wakes no GPU: never opens a node, never calls NVML.
 */
#ifndef CLI_DOCTOR_SYSTEM_H
#define CLI_DOCTOR_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <nvpulse/base.h>

/** The NVIDIA kernel module that is loaded. */
typedef struct doctor_module {
    char proc_version[64]; /**< from /proc/driver/nvidia/version; "" where that is none */
    char sys_version[64];  /**< from /sys/module/nvidia/version; "" where that is none */
} doctor_module;

/** An NVIDIA GPU on the PCI bus. */
typedef struct doctor_pci {
    char bus_id[32];        /**< as the kernel writes it, such as "0000:18:00.0" */
    char driver[32];        /**< the kernel driver that it is bound to; "" for none */
    char runtime_state[32]; /**< of its power management, such as "active" or "suspended"; "" when unknown */
} doctor_pci;

typedef enum doctor_node_kind { DOCTOR_NODE_CONTROL, DOCTOR_NODE_GPU, DOCTOR_NODE_UVM, DOCTOR_NODE_OTHER } doctor_node_kind;

/** A file in /dev by which programs reach the driver. */
typedef struct doctor_node {
    char path[64];
    doctor_node_kind kind;
    int error; /**< errno of stat(); 0: it is there */
    mode_t mode;
    char owner[32], group[32];
    bool readable, writable; /**< by this user, as far as permissions decide */
    char helpful_group[32];  /**< whose members may use it when this user may not and is none of them; "" otherwise */
} doctor_node;

/** A variable of the environment that matters here. */
typedef struct doctor_variable {
    char name[64];
    const char *value;
} doctor_variable;

/** A sign of where this process runs, such as "/.dockerenv". */
typedef struct doctor_sign {
    char text[96];
} doctor_sign;

typedef struct doctor_system {
    const char *root; /**< before every path; "" but in tests */
    char kernel[256]; /**< system, release and machine */
    char user[32];    /**< who runs this */
    doctor_module module;
    doctor_pci *pci; /**< by address */
    size_t pci_count;
    doctor_node *nodes;
    size_t node_count;
    doctor_sign *container;
    size_t container_count;
    doctor_sign *wsl; /**< of the Windows Subsystem for Linux */
    size_t wsl_count;
    doctor_variable *variables; /**< by name */
    size_t variable_count;
    bool failed; /**< memory ran out */
} doctor_system;

/** Reads everything. For tests, NVPULSE_DOCTOR_ROOT=DIR makes DIR/proc, DIR/sys and DIR/dev stand for the system's own. */
void doctor_system_read(doctor_system *system);
void doctor_system_free(doctor_system *system);

/** Parts of doctor_system_read(). */
void doctor_nodes_read(doctor_system *system);
void doctor_environment_read(doctor_system *system);

/** Writes a path below the root; false when it is too long. */
bool doctor_path(const doctor_system *system, char *path, size_t size, const char *format, ...) NVP_PRINTF(4, 5);

/** Reads the beginning of a file below the root, or its first line; false, and "", when it cannot be read. */
bool doctor_read_file(const doctor_system *system, const char *path, char *text, size_t size);
bool doctor_read_line(const doctor_system *system, const char *path, char *line, size_t size);

/** The list `items` with room for one more, zeroed; NULL when memory runs out, and the list stays as it is. */
void *doctor_grow(void *items, size_t count, size_t size);

/** The value of a variable, or NULL. */
const char *doctor_variable_of(const doctor_system *system, const char *name);

/** True for a GPU that sleeps, or is about to. */
bool doctor_pci_is_asleep(const doctor_pci *pci);

/** The GPU at that address, in the kernel's spelling or in NVML's; or NULL. */
const doctor_pci *doctor_pci_find(const doctor_system *system, const char *bus_id);

/** Writes a mode as ls does, such as "crw-rw-rw-". */
void doctor_mode_text(mode_t mode, char text[11]);

#endif
