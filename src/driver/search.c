/*
 * The search for the library: NVPULSE_NVML_PATH, the loader's own search, then WSL, NixOS and distribution paths.
 * A path that the user names is final: if it cannot be used, nothing else is tried in its place.
 */
#include "driver/search.h"

#include "base/intern.h"
#include "base/log.h"
#include "driver/folders.h"

#include <nvpulse/sim.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#define SONAME "libnvidia-ml.so.1"
#define STUB_BYTES_MAX (1 << 20) /* the toolkit's stub is small; real libraries are larger */

static const struct {
    const char *path;
    const char *origin;
} places[] = {
    { SONAME, "default" },
    { "/usr/lib/wsl/lib/" SONAME, "WSL" },
    { "/run/opengl-driver/lib/" SONAME, "NixOS" },
#if defined(__aarch64__)
    { "/usr/lib/aarch64-linux-gnu/" SONAME, "distribution" },
    { "/usr/lib/aarch64-linux-gnu/nvidia/current/" SONAME, "distribution" },
#else
    { "/usr/lib/x86_64-linux-gnu/" SONAME, "distribution" },
    { "/usr/lib/x86_64-linux-gnu/nvidia/current/" SONAME, "distribution" },
#endif
    { "/usr/lib64/" SONAME, "distribution" },
    { "/usr/lib64/nvidia/" SONAME, "distribution" },
    { "/usr/lib/nvidia/" SONAME, "distribution" },
    { "/usr/lib/" SONAME, "distribution" },
    { "/usr/local/nvidia/lib64/" SONAME, "container" },
    { "/usr/local/nvidia/lib/" SONAME, "container" },
    { "/home/kubernetes/bin/nvidia/lib64/" SONAME, "container" },
    { "/run/nvidia/driver/usr/lib64/" SONAME, "container" },
    { "/run/nvidia/driver/usr/lib/x86_64-linux-gnu/" SONAME, "container" },
    { "libnvidia-ml.so", "default" },
};

int nvp__search_flags = RTLD_NOW | RTLD_LOCAL;

static bool contains(const char *bytes, size_t length, const char *word)
{
    return memmem(bytes, length, word, strlen(word)) != NULL;
}

/* NVIDIA's link-time stub says in its own warning that it is a stub library. */
static bool file_says_stub(const char *path)
{
    bool stub = false;
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 && info.st_size < STUB_BYTES_MAX) {
        size_t size = (size_t)info.st_size;
        char *bytes = malloc(size);
        ssize_t got = bytes != NULL ? pread(fd, bytes, size, 0) : -1;
        stub = got > 0 && contains(bytes, (size_t)got, "is a stub library");
        free(bytes);
    }
    close(fd);
    return stub;
}

static bool is_stub_path(const char *path)
{
    return strstr(path, "/stubs/") != NULL;
}

/* The file behind a handle, symbolic links resolved; interned. */
static const char *file_of(void *handle, const char *otherwise)
{
    struct link_map *map = NULL;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == NULL || map->l_name == NULL || map->l_name[0] == '\0') {
        return otherwise;
    }
    char resolved[PATH_MAX];
    return nvp__intern(realpath(map->l_name, resolved) != NULL ? resolved : map->l_name);
}

static bool has_entry_points(void *handle)
{
    bool begins = dlsym(handle, "nvmlInit_v2") != NULL || dlsym(handle, "nvmlInit") != NULL;
    return begins && dlsym(handle, "nvmlShutdown") != NULL;
}

/* True when dlopen failed only because no such file exists: the message begins with the name and ends with ENOENT's text. */
static bool says_absent(const char *message, const char *name)
{
    const char *ending = strerror(ENOENT); /* in the language of the message */
    size_t length = strlen(message);
    size_t tail = strlen(ending);
    return strncmp(message, name, strlen(name)) == 0 && length >= tail && strcmp(message + length - tail, ending) == 0;
}

static void reject(struct nvp__search *search, const char *path, const char *origin, const char *reason, bool broken)
{
    nvp__log(NVP_LOG_DEBUG, "driver", "passed over %s (%s): %s", path, origin, reason);
    const char *kept = nvp__intern(reason);
    if (broken && !search->broken) {
        search->broken = true;
        search->failure = kept;
    }
    if (search->count < NVP__CANDIDATES_MAX) {
        search->candidates[search->count++] = (nvp_candidate){ .path = path, .origin = origin, .reason = kept };
    }
}

static void accept(struct nvp__search *search, const char *path, const char *origin, void *handle, const char *file)
{
    nvp__log(NVP_LOG_DEBUG, "driver", "using %s (%s, tried as %s)", file, origin, path);
    search->handle = handle;
    search->path = file;
    search->origin = origin;
    if (search->count < NVP__CANDIDATES_MAX) {
        search->candidates[search->count++] = (nvp_candidate){ .path = path, .origin = origin, .reason = NULL };
    }
}

/*
 * The same path in a spelling that the loader has not seen: it compares names before it looks at the file. Each search after a
 * replacement adds one more "./"; by one thread at a time, as all of the search.
 */
static const char *unseen_spelling(const char *path, char *buffer, size_t size)
{
    static unsigned int searches;
    const char *slash = strrchr(path, '/');
    int folder = slash != NULL ? (int)(slash - path) + 1 : 0;
    int length = snprintf(buffer, size, "%.*s", folder, path);
    searches++;
    for (unsigned int i = 0; i < searches && length >= 0 && (size_t)length < size; i++) {
        length += snprintf(buffer + length, size - (size_t)length, "./");
    }
    if (length < 0 || (size_t)length + strlen(path + folder) >= size) {
        return path;
    }
    snprintf(buffer + length, size - (size_t)length, "%s", path + folder);
    return buffer;
}

/* Tries one path; `path` and `origin` are static or interned. */
static void try_path(struct nvp__search *search, const char *path, const char *origin, bool anew)
{
    char spelling[PATH_MAX];
    if (strchr(path, '/') != NULL && access(path, F_OK) != 0) {
        reject(search, path, origin, strerror(errno), false);
        return;
    }
    if (is_stub_path(path)) {
        reject(search, path, origin, "link-time stub of the CUDA toolkit", false);
        return;
    }
    void *handle = dlopen(anew ? unseen_spelling(path, spelling, sizeof(spelling)) : path, nvp__search_flags);
    if (handle == NULL) {
        const char *message = dlerror();
        message = message != NULL ? message : "cannot be opened";
        reject(search, path, origin, message, !says_absent(message, path));
        return;
    }
    const char *file = file_of(handle, path);
    bool simulated = dlsym(handle, NVPSIM_MARKER_SYMBOL) != NULL;
    if (is_stub_path(file) || (!simulated && file_says_stub(file))) {
        reject(search, path, origin, "link-time stub of the CUDA toolkit", false);
        dlclose(handle);
    } else if (dlsym(handle, NVP_SHIM_MARKER_SYMBOL) != NULL) {
        reject(search, path, origin, "the shim of nvpulse, which looks for the driver's own library itself", false);
        search->passed_shim = true;
        dlclose(handle);
    } else if (!has_entry_points(handle)) {
        reject(search, path, origin, "exports no nvmlInit or no nvmlShutdown", true);
        dlclose(handle);
    } else {
        accept(search, path, origin, handle, file);
    }
}

struct beyond {
    struct nvp__search *search;
    bool anew;
};

/* NVPULSE_NVML_PATH names the file, or the folder that holds it. */
static void try_named(struct nvp__search *search, const char *named, bool anew)
{
    struct stat info;
    char path[PATH_MAX];
    bool folder = stat(named, &info) == 0 && S_ISDIR(info.st_mode);
    int length = snprintf(path, sizeof(path), folder ? "%s/%s" : "%s", named, SONAME);
    if (length < 0 || (size_t)length >= sizeof(path)) {
        reject(search, "NVPULSE_NVML_PATH", "NVPULSE_NVML_PATH", strerror(ENAMETOOLONG), true);
        return;
    }
    try_path(search, nvp__intern(path), "NVPULSE_NVML_PATH", anew);
}

/* The library beside the one that was replaced: where the loader's own search has found it. */
static void try_beside(struct nvp__search *search, const char *replaced)
{
    char path[PATH_MAX];
    const char *slash = strrchr(replaced, '/');
    int length = slash != NULL ? snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - replaced), replaced, SONAME) : -1;
    if (length > 0 && (size_t)length < sizeof(path)) {
        try_path(search, nvp__intern(path), "as before", true);
    }
}

/* Where the loader would have looked next, had the shim not been in the way. */
static bool try_folder(void *context, const char *folder, const char *origin)
{
    struct beyond *beyond = context;
    char path[PATH_MAX];
    int length = snprintf(path, sizeof(path), "%s/%s", folder, SONAME);
    if (length > 0 && (size_t)length < sizeof(path) && access(path, F_OK) == 0) {
        try_path(beyond->search, nvp__intern(path), origin, beyond->anew);
    }
    return beyond->search->handle == NULL;
}

static void try_beyond_shim(struct nvp__search *search, bool anew)
{
    struct beyond beyond = { search, anew };
    nvp__loader_folders(try_folder, &beyond);
}

void nvp__search(struct nvp__search *search, const char *replaced)
{
    bool anew = replaced != NULL;
    memset(search, 0, sizeof(*search));
    const char *named = getenv("NVPULSE_NVML_PATH");
    if (named != NULL && named[0] != '\0') {
        if (getauxval(AT_SECURE) == 0) {
            try_named(search, named, anew);
            if (search->handle == NULL && !search->broken) { /* the shim, or a wrong path of the user's is not "no library" */
                search->broken = true;
                search->failure = search->candidates[0].reason;
            }
            return;
        }
        reject(search, nvp__intern(named), "NVPULSE_NVML_PATH", "ignored in a privileged process", false);
    }
    if (anew) {
        try_beside(search, replaced);
    }
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && search->handle == NULL; i++) {
        if (!anew || places[i].path[0] == '/') { /* a bare name would give what is loaded */
            try_path(search, places[i].path, places[i].origin, anew);
        }
        if (i == 0 && search->passed_shim) {
            try_beyond_shim(search, anew);
        }
    }
}
