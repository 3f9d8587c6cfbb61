/*
 * The only place that writes to standard output. SIGPIPE keeps the disposition that the caller chose: where it
 * kills, it kills quietly, and where it is ignored, EPIPE is no error worth a message.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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

int cli_output_write(const char *text, size_t length)
{
    int error = write_all(text, length);
    if (close(STDOUT_FILENO) != 0 && error == 0 && errno != EBADF) {
        error = errno;
    }
    if (error == 0 || error == EPIPE) {
        return CLI_OK;
    }
    return cli_fail(CLI_NO_OUTPUT, NULL, "cannot write the output: %s", strerror(error));
}
