/*
 * One line is one write, so that a recording that is killed has whole lines, and at most one that is cut. The file is opened to append,
 * and changed only when the first line comes.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"
#include "record.h"

static int refuse(const record_file *file, const char *what)
{
    return cli_fail(CLI_NO_OUTPUT, &cli_record_command, "cannot %s %s: %s", what, file->path, strerror(errno));
}

/* A file that is there and is no recording is not written behind. */
static int check_append(const record_file *file)
{
    char first = '{';
    if (file->is_regular && pread(file->descriptor, &first, 1, 0) < 0) {
        return refuse(file, "read");
    }
    return first == '{' ? CLI_OK : cli_fail(CLI_FAILED, &cli_record_command, "%s is no recording", file->path);
}

static bool look_at(record_file *file)
{
    struct stat about;
    if (fstat(file->descriptor, &about) != 0) {
        return false;
    }
    file->is_regular = S_ISREG(about.st_mode);
    return true;
}

/* Devices and pipes have nothing that could be lost. */
static bool may_be_used(const record_file *file)
{
    return file->is_new || !file->is_regular || file->mode != RECORD_REFUSE;
}

int record_file_open(record_file *file, const char *path, record_mode mode, FILE *out)
{
    *file = (record_file){ .path = path, .descriptor = -1, .mode = mode };
    if (strcmp(path, "-") == 0) {
        file->out = out;
        return CLI_OK;
    }
    file->descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    file->is_new = file->descriptor >= 0;
    if (!file->is_new && errno == EEXIST) {
        file->descriptor = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOCTTY);
        if (file->descriptor < 0) { /* a pipe, or a file that may not be read */
            file->descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
        }
    }
    if (file->descriptor < 0 || !look_at(file)) {
        return refuse(file, "write");
    }
    if (!may_be_used(file)) {
        return cli_fail(CLI_FAILED, &cli_record_command, "%s exists; --append goes on behind it, --force overwrites it", path);
    }
    return mode == RECORD_APPEND ? check_append(file) : CLI_OK;
}

/* Writes all or nothing, as far as the file can be cut again. Returns 0 or the error. */
static int write_whole(const record_file *file, const char *text, size_t length)
{
    off_t begin = file->is_regular ? lseek(file->descriptor, 0, SEEK_END) : 0;
    size_t written = 0;
    while (written < length) {
        ssize_t part = write(file->descriptor, text + written, length - written);
        if (part < 0 && errno != EINTR) {
            int error = errno;
            if (file->is_regular && written > 0 && ftruncate(file->descriptor, begin) != 0) {
                return error; /* the reader copes with a line that is cut */
            }
            return error;
        }
        written += part > 0 ? (size_t)part : 0;
    }
    return 0;
}

/* Before the first line: what is overwritten goes, and a line that was cut by a kill does not run into the next. */
static int begin(record_file *file)
{
    char last = '\n';
    file->begun = true;
    if (!file->is_regular) {
        return 0;
    }
    if (file->mode == RECORD_FORCE) {
        return ftruncate(file->descriptor, 0) == 0 ? 0 : errno;
    }
    off_t size = lseek(file->descriptor, 0, SEEK_END);
    if (size > 0 && pread(file->descriptor, &last, 1, size - 1) == 1 && last != '\n') {
        return write_whole(file, "\n", 1);
    }
    return 0;
}

int record_file_write(record_file *file, const char *line, size_t length, bool *goes_on)
{
    int code = CLI_OK;
    if (file->out != NULL) {
        fwrite(line, 1, length, file->out);
        *goes_on = cli_output_flush(file->out, &code);
        return code;
    }
    int error = file->begun ? 0 : begin(file);
    error = error != 0 ? error : write_whole(file, line, length);
    *goes_on = error == 0;
    if (error != 0 && error != EPIPE) {
        return cli_fail(CLI_NO_OUTPUT, &cli_record_command, "cannot write %s: %s; %zu snapshots of this recording are in it",
                        file->path, strerror(error), file->lines);
    }
    file->lines += error == 0;
    return CLI_OK;
}

int record_file_close(record_file *file)
{
    if (file->descriptor < 0) {
        return CLI_OK;
    }
    bool is_empty = file->is_new && file->lines == 0;
    int code = close(file->descriptor) == 0 ? CLI_OK : refuse(file, "write");
    if (is_empty) {
        unlink(file->path);
    }
    file->descriptor = -1;
    return code;
}
