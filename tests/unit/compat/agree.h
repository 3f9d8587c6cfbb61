/*
 * Agreement: on a simulated driver as it is, what a call that it lacks answers through the fallback, against what the driver's own
 * function answers. Both routes are taken: the entry point of the same name, and the call by name.
 */
#ifndef NVP_TESTS_UNIT_COMPAT_AGREE_H
#define NVP_TESTS_UNIT_COMPAT_AGREE_H

#include "compare.h"

/** What is asked about: a device and, for some calls, a number (a fan, a profile, a process). */
struct subject {
    nvmlDevice_t device;
    unsigned int number;
};

/** Makes the call with the output at `object`. */
typedef nvmlReturn_t agree_call(any_fn *function, const struct subject *subject, void *object);

/** Fills the arguments of the call by name; returns how many. */
typedef size_t agree_arguments(const struct subject *subject, nvp_arg *arguments);

/** A function that the driver can have in the place of the one that is wanted. */
struct source {
    const char *name;
    const char *type;  /* of its output; NULL: as the wanted one */
    unsigned int word; /* its version word; 0: none */
    agree_call *call;
};

enum { SOURCES_MAX = 5, OBJECT_SIZE = 1 << 14 };

struct agreement {
    const char *wanted;
    any_fn *ours;
    const char *type; /* of the output: a struct of structs.def, or NULL for `numbers` numbers of `width` bytes */
    unsigned int numbers;
    size_t width;
    unsigned int word;
    agree_call *call;
    agree_arguments *arguments; /* NULL: the device alone */
    unsigned int last;          /* subjects have the numbers 0 to `last` */
    const char *made;           /* fields that the other one lacks and the adapter makes: " name name " */
    struct source sources[SOURCES_MAX];
    const char *answered_on; /* the profile where one subject at least is answered; NULL: none */
    void (*run)(const struct agreement *agreement, const struct source *source); /* NULL: what the members above say */
};

/** Ended by a row without a name. */
extern const struct agreement struct_agreements[];
extern const struct agreement list_agreements[];
extern const struct agreement other_agreements[];

/** A function of the driver itself; NULL when it lacks it. */
any_fn *own_function(const char *name);

/** A GPU instance of a device, or NULL. */
nvmlGpuInstance_t instance_on(nvmlDevice_t device);

/** The number of devices. */
unsigned int device_total(void);

/** Notes that a comparison had something to compare. */
void count_answer(void);

/** The usual calls. */
agree_call call_plain;    /* (device, object) */
agree_call call_system;   /* (object) */
agree_call call_numbered; /* (device, number, object) */
agree_call call_instance; /* (number, object) */
agree_arguments arguments_numbered;
agree_arguments arguments_none;

/** Calls by name; the result is cleared by the caller. */
nvmlReturn_t by_name(const struct agreement *agreement, const struct subject *subject, nvp_value *value);

/** Every item of a list is alike, field by field, to the records at `expected`. */
void assert_same_items(const nvp_value *list, const char *type, const void *expected, size_t size, unsigned int count);

#endif
