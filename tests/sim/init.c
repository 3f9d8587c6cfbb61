/*
 * Initialises three times and shuts down, without a word: quiet.sh looks at what the library writes.
 */
#include <dlfcn.h>

int main(int count, char **arguments)
{
    void *library = count == 2 ? dlopen(arguments[1], RTLD_NOW) : 0;
    if (!library)
        return 1;
    int (*init)(void) = (int (*)(void))dlsym(library, "nvmlInit_v2");
    int (*end)(void) = (int (*)(void))dlsym(library, "nvmlShutdown");
    for (int i = 0; i < 3; i++)
        init();
    for (int i = 0; i < 3; i++)
        end();
    return dlclose(library);
}
