/*
 * Files below another root. Compiled with the part itself; one process for one root, since it is read once.
 */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/root.h"

static char folder[] = "/tmp/nvpulse-root-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void test_root__is_put_before_every_path(void **state)
{
    char text[32];
    (void)state;
    write_file("seven", "lucky\n");
    assert_string_equal(nvp__root(), folder);
    assert_int_equal(nvp__root_read(text, sizeof text, "/%s", "seven"), 6);
    assert_string_equal(text, "lucky\n");
    int file = nvp__root_open(O_RDONLY, "/se%s", "ven");
    assert_true(file >= 0);
    assert_true(fcntl(file, F_GETFD) & FD_CLOEXEC);
    assert_int_equal(nvp__read_file(file, text, sizeof text), 6);
    close(file);
    assert_true(nvp__root_exists("/%s", "seven"));
    assert_false(nvp__root_exists("/%s", "eight"));
}

static void test_root__read_keeps_what_fits(void **state)
{
    char text[8];
    (void)state;
    write_file("long", "0123456789");
    assert_int_equal(nvp__root_read(text, sizeof text, "/long"), 7);
    assert_string_equal(text, "0123456");
    assert_int_equal(nvp__root_read(text, 1, "/long"), 0);
    assert_string_equal(text, "");
    assert_int_equal(nvp__root_read(NULL, 0, "/long"), 0);
}

static void test_root__failure_leaves_an_empty_text(void **state)
{
    char text[8] = "before";
    (void)state;
    assert_int_equal(nvp__root_read(text, sizeof text, "/missing"), -1);
    assert_int_equal(errno, ENOENT);
    assert_string_equal(text, "");
    memset(text, 'x', sizeof text);
    assert_int_equal(nvp__root_read(text, sizeof text, "/"), -1);
    assert_int_equal(errno, EISDIR);
    assert_string_equal(text, "");
    assert_int_equal(nvp__root_link(text, sizeof text, "/missing"), -1);
    assert_int_equal(nvp__root_open(O_RDONLY, "/%0*d", 5000, 1), -1);
    assert_int_equal(errno, ENAMETOOLONG);
}

static void test_root__links_are_read_and_cut(void **state)
{
    char path[256], text[16];
    (void)state;
    snprintf(path, sizeof path, "%s/link", folder);
    assert_int_equal(symlink("pid:[1234]", path), 0);
    assert_int_equal(nvp__root_link(text, sizeof text, "/link"), 10);
    assert_string_equal(text, "pid:[1234]");
    assert_int_equal(nvp__root_link(text, 4, "/link"), 3);
    assert_string_equal(text, "pid");
}

static int remove_folder(void **state)
{
    char command[256];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_root__is_put_before_every_path),
        cmocka_unit_test(test_root__read_keeps_what_fits),
        cmocka_unit_test(test_root__failure_leaves_an_empty_text),
        cmocka_unit_test(test_root__links_are_read_and_cut),
    };
    if (mkdtemp(folder) == NULL || setenv("NVPULSE_ROOT", folder, 1) != 0) {
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
