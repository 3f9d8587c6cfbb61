/*
 * What the driver says of itself and of each device. All of it is asked in child processes (doctor_probe.h), so the structs
 * hold no pointers, and a step that was not reached leaves its part zeroed.
 */
#ifndef CLI_DOCTOR_DRIVER_H
#define CLI_DOCTOR_DRIVER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvpulse/status.h>

#include "doctor_probe.h"

#define DOCTOR_CANDIDATES_MAX 64

/** A place where the library was looked for. */
typedef struct doctor_candidate {
    char path[PATH_MAX];
    char origin[32];
    char reason[512]; /**< why it was passed over; "" for the one in use */
} doctor_candidate;

/** What became of one function. */
typedef struct doctor_function {
    bool exported;
    char served_by[96]; /**< what is called in its place; "" for nothing */
    char lost[512];
} doctor_function;

/** A version that the driver tells, or why it does not. */
typedef struct doctor_version {
    char text[96];
    nvp_status status;
} doctor_version;

/** How far the first child came; each step begins when the one before it is over. */
typedef enum doctor_step {
    DOCTOR_STEP_NONE,
    DOCTOR_STEP_FOUND,   /**< the search for the library is over */
    DOCTOR_STEP_OPENED,  /**< the control node was opened, or could not be */
    DOCTOR_STEP_INIT,    /**< init has answered */
    DOCTOR_STEP_COUNTED, /**< so has the call that counts devices, unless one of them sleeps */
    DOCTOR_STEP_ALL      /**< so have those for versions */
} doctor_step;

typedef struct doctor_driver {
    /** Given. */
    char control_path[PATH_MAX]; /**< the control node */
    bool files_count;            /**< the files of the system are the driver's even when that is simulated */
    bool asleep;                 /**< a GPU sleeps: nothing may be attached */

    doctor_step step;
    nvp_status find_status;
    bool found, simulated;
    char path[PATH_MAX], origin[32], simulation[256];
    char shim[PATH_MAX]; /**< the shim that programs get here; "" for none */
    doctor_candidate candidates[DOCTOR_CANDIDATES_MAX];
    size_t candidate_count;
    size_t exported_count;
    int control_error; /**< errno of opening the control node; 0: it opened; -1: not tried */
    bool would_wake;   /**< init was left out: this driver cannot be opened without waking the GPU that sleeps */
    nvp_status init_status;
    uint64_t init_us;
    doctor_version driver_version, nvml_version, cuda_version;
    nvp_status count_status;
    unsigned int count;
    size_t function_count;
    doctor_function functions[]; /**< in the order of nvp_function_at() */
} doctor_driver;

typedef struct doctor_device {
    /** Given. */
    bool by_bus_id;  /**< opened by `bus_id`, with nothing else attached; otherwise by `index` */
    int index;       /**< -1: unknown */
    char bus_id[32]; /**< "" when unknown */

    bool opened;
    char name[192], uuid[96]; /**< "" when unknown */
    nvp_status status;        /**< of the call that failed; NVP_SUCCESS when none did */
    char call[96];            /**< that call */
} doctor_device;

/** The checks: the first on a doctor_driver, the second on a doctor_device. */
void doctor_driver_check(doctor_trace *trace, void *driver);
void doctor_device_check(doctor_trace *trace, void *device);

#endif
