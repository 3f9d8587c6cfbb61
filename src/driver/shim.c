/*
 * Which programs of this environment get the shim: told from where the loader looks and from what the files are. Loads nothing, so that a
 * library which cannot be loaded does no harm.
 */
#include "driver/folders.h"

#include "base/intern.h"

#include <nvpulse/driver.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SONAME "libnvidia-ml.so.1"
#define FILE_BYTES_MAX (256 << 20)

static const char *resolved(const char *path)
{
    char whole[PATH_MAX];
    return nvp__intern(realpath(path, whole) != NULL ? whole : path);
}

/* The marker is a name that the library exports, and so stands in its file. */
static bool has_marker(const char *path)
{
    bool found = false;
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 && info.st_size <= FILE_BYTES_MAX) {
        size_t size = (size_t)info.st_size;
        void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED) {
            found = memmem(bytes, size, NVP_SHIM_MARKER_SYMBOL, sizeof(NVP_SHIM_MARKER_SYMBOL)) != NULL;
            munmap(bytes, size);
        }
    }
    close(file);
    return found;
}

/* The first folder that has such a library decides. */
static bool look(void *context, const char *folder, const char *origin)
{
    const char **shim = context;
    char path[PATH_MAX];
    int length = snprintf(path, sizeof(path), "%s/%s", folder, SONAME);
    (void)origin;
    if (length < 0 || (size_t)length >= sizeof(path) || access(path, R_OK) != 0) {
        return true;
    }
    *shim = has_marker(path) ? resolved(path) : NULL;
    return false;
}

const char *nvp_driver_shim(void)
{
    const char *shim = NULL;
    Dl_info info;
    void *preloaded = dlsym(RTLD_DEFAULT, NVP_SHIM_MARKER_SYMBOL);
    if (preloaded != NULL && dladdr(preloaded, &info) != 0 && info.dli_fname != NULL) {
        return resolved(info.dli_fname);
    }
    nvp__loader_folders(look, &shim);
    return shim;
}
