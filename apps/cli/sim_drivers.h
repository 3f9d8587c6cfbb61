/*
 * The simulated drivers that are at hand: where they are, which versions there are, what they can simulate.
 */
#ifndef CLI_SIM_DRIVERS_H
#define CLI_SIM_DRIVERS_H

#include <stdbool.h>
#include <stddef.h>

/** The file of a driver's library, in the folder named for its version. */
#define SIM_LIBRARY "libnvidia-ml.so.1"

/** The versions in one folder, in ascending order. End with sim_drivers_free(). */
typedef struct sim_drivers {
    char *folder; /**< absolute */
    char **versions;
    size_t count;
} sim_drivers;

#define SIM_DRIVERS_INIT                                                                                                         \
    {                                                                                                                            \
        NULL, NULL, 0                                                                                                            \
    }

/** Finds the folder and lists its versions; false after a message. */
bool sim_drivers_find(sim_drivers *drivers);

/** The version that is meant by `wanted`, in full or by its first numbers; the newest for NULL. NULL after a message. */
const char *sim_drivers_choose(const sim_drivers *drivers, const char *wanted);

/** "FOLDER/VERSION" or, with `library`, the file in it. The caller frees it; NULL when memory runs out. */
char *sim_drivers_path(const sim_drivers *drivers, const char *version, bool library);

void sim_drivers_free(sim_drivers *drivers);

/** The program's own file. The caller frees it; NULL when it is not known. */
char *sim_own_path(void);

/** The folder at `relative` from that of the program; NULL when there is none. The caller frees it. */
char *sim_folder_beside(const char *own_path, const char *relative);

#endif
