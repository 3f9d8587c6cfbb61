/*
 * The only place that writes to standard output. SIGPIPE keeps the disposition that the caller chose: where it
 * kills, it kills quietly, and where it is ignored, EPIPE is no error worth a message.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "output.h"

void cli_output_guard(void)
{
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) {
            open("/dev/null", (descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
        }
    }
}

/* A terminal that another program has made non-blocking answers EAGAIN. */
static bool wait_until_writable(void)
{
    struct pollfd output = { STDOUT_FILENO, POLLOUT, 0 };
    return poll(&output, 1, -1) == 1 || errno == EINTR;
}

static int write_all(const char *text, size_t length)
{
    while (length > 0) {
        ssize_t written = write(STDOUT_FILENO, text, length);
        if (written < 0) {
            if (errno == EINTR || (errno == EAGAIN && wait_until_writable())) {
                continue;
            }
            return errno;
        }
        text += written;
        length -= (size_t)written;
    }
    return 0;
}

/** What the stream collects. */
static char *collected;
static size_t collected_length;
static bool used;  /* something was written */
static bool ended; /* standard output takes no more */

FILE *cli_output_open(void)
{
    return open_memstream(&collected, &collected_length);
}

void cli_output_drop(FILE *out)
{
    rewind(out); /* what is written next overwrites it, and the length begins anew */
}

/* Writes what was collected; 0 or the error. */
static int write_collected(void)
{
    int error = ended || collected_length == 0 ? 0 : write_all(collected, collected_length);
    used = used || collected_length > 0;
    ended = ended || error != 0;
    return error;
}

static int output_code(int error)
{
    if (error == 0 || error == EPIPE) {
        return CLI_OK;
    }
    return cli_fail(CLI_NO_OUTPUT, NULL, "cannot write the output: %s", strerror(error));
}

bool cli_output_flush(FILE *out, int *code)
{
    if (fflush(out) != 0 || ferror(out)) {
        *code = cli_no_memory(NULL);
        return false;
    }
    int error = write_collected();
    cli_output_drop(out);
    if (error != 0) {
        *code = output_code(error);
    }
    return error == 0;
}

int cli_output_close(FILE *out)
{
    bool whole = !ferror(out);
    if (fclose(out) != 0 || !whole) {
        return cli_no_memory(NULL);
    }
    int error = write_collected();
    if (used && close(STDOUT_FILENO) != 0 && error == 0 && errno != EBADF) {
        error = errno;
    }
    free(collected);
    collected = NULL;
    return output_code(error);
}
