/*
 * The folders in which the dynamic loader looks for a library, for the one case in which its own answer cannot be used.
 */
#ifndef NVP_DRIVER_FOLDERS_H
#define NVP_DRIVER_FOLDERS_H

#include <stdbool.h>

/** Called with a folder and where it is from ("LD_LIBRARY_PATH", "ld.so.conf"; static); false ends the walk. */
typedef bool nvp__folder_fn(void *context, const char *folder, const char *origin);

/** Walks over LD_LIBRARY_PATH (not in a privileged process), then what ld.so.conf and the files that it includes name. */
void nvp__loader_folders(nvp__folder_fn *visit, void *context);

#endif
