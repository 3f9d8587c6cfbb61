/*
 * LD_LIBRARY_PATH and ld.so.conf, read as the loader and ldconfig read them. Opens no library.
 */
#include "driver/folders.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#define CONFIGURATION "/etc/ld.so.conf"
#define DEPTH_MAX 4 /* of files that include others */

static bool walk_variable(nvp__folder_fn *visit, void *context)
{
    const char *variable = getenv("LD_LIBRARY_PATH");
    char folder[PATH_MAX];
    if (variable == NULL || getauxval(AT_SECURE) != 0) {
        return true;
    }
    for (const char *entry = variable; *entry != '\0'; entry += strspn(entry, ":;")) {
        size_t length = strcspn(entry, ":;");
        if (length > 0 && length < sizeof(folder)) {
            memcpy(folder, entry, length);
            folder[length] = '\0';
            if (!visit(context, folder, "LD_LIBRARY_PATH")) {
                return false;
            }
        }
        entry += length;
    }
    return true;
}

static bool walk_file(const char *path, int depth, nvp__folder_fn *visit, void *context);

static bool walk_included(const char *pattern, int depth, nvp__folder_fn *visit, void *context)
{
    glob_t found;
    bool goes_on = true;
    if (depth >= DEPTH_MAX || glob(pattern, 0, NULL, &found) != 0) {
        return true;
    }
    for (size_t i = 0; goes_on && i < found.gl_pathc; i++) {
        goes_on = walk_file(found.gl_pathv[i], depth + 1, visit, context);
    }
    globfree(&found);
    return goes_on;
}

static bool walk_file(const char *path, int depth, nvp__folder_fn *visit, void *context)
{
    char line[PATH_MAX + 16];
    bool goes_on = true;
    FILE *file = fopen(path, "re");
    while (file != NULL && goes_on && fgets(line, sizeof(line), file) != NULL) {
        line[strcspn(line, "#\n")] = '\0';
        char *word = line + strspn(line, " \t");
        for (size_t length = strlen(word); length > 0 && strchr(" \t", word[length - 1]) != NULL; length--) {
            word[length - 1] = '\0';
        }
        if (strncmp(word, "include", strlen("include")) == 0) {
            word += strlen("include");
            goes_on = walk_included(word + strspn(word, " \t"), depth, visit, context);
        } else if (word[0] == '/') {
            goes_on = visit(context, word, "ld.so.conf");
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return goes_on;
}

void nvp__loader_folders(nvp__folder_fn *visit, void *context)
{
    if (walk_variable(visit, context)) {
        walk_file(CONFIGURATION, 0, visit, context);
    }
}
