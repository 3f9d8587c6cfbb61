/*
 * The host side of processes, and the machine, on a /proc of the test's own.
 */
#include "check.h"
#include "tree.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nvpulse/nvpulse.h>
#include <nvpulse/snapshot.h>

#include "model/host.h"
#include "model/reading.h"

#define ID "8b0c1f3e5d7a9b2c4e6f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5"
#define POD "7d5a9b2c-01ab-4cde-8f01-23456789abcd"

static struct nvp__host *host;
static struct nvp__arena arena;
static nvp_reading machine[NVP_HOST_FIELD_COUNT];
static nvp_reading fields[NVP_PROCESS_FIELD_COUNT];

static const struct tree_process trainer = { .pid = 700,
                                             .parent = 12,
                                             .uid = 0,
                                             .program = "python3",
                                             .user_ticks = 900,
                                             .system_ticks = 100,
                                             .start_ticks = 50000,
                                             .pages = 2000,
                                             .command = "/usr/bin/python3\0train.py\0--rate=0.1",
                                             .command_length = 36,
                                             .cgroup = "0::/kubepods/burstable/pod" POD "/" ID "\n" };

static int begin(void **state)
{
    (void)state;
    tree_machine(1000, 4000, 6000);
    tree_namespace(true);
    tree_process(&trainer);
    host = nvp__host_new();
    return host == NULL;
}

static int end(void **state)
{
    (void)state;
    nvp__host_free(host);
    nvp__arena_clear(&arena);
    tree_remove("proc");
    return 0;
}

static void look(void)
{
    nvp__arena_clear(&arena);
    nvp__host_begin(host, false, &arena, machine);
}

/* So much later that whatever is kept for a while is read again. */
static void let_pass(void)
{
    static double uptime_s = 2000;
    uptime_s += 10;
    tree_machine(uptime_s, 1, 1);
}

/* One look at one process. */
static void look_at(unsigned int pid, const char *name)
{
    look();
    memset(fields, 0xee, sizeof fields);
    nvp__host_process(host, pid, name, &arena, fields);
    nvp__host_end(host);
}

static const char *text(nvp_process_field field)
{
    return nvp_reading_text(&fields[field], "(none)");
}

static uint64_t number(nvp_process_field field)
{
    return nvp_reading_uint(&fields[field], 424242);
}

static void assert_real(const nvp_reading *reading, double expected)
{
    assert_int_equal(reading->kind, NVP_KIND_REAL);
    assert_true(reading->as.real_value > expected - 0.001 && reading->as.real_value < expected + 0.001);
}

/* Everything of the host but whether it is foreign. */
static void assert_all_na(nvp_status why, uint64_t foreign)
{
    for (int i = NVP_PROCESS_NAME; i < NVP_PROCESS_FIELD_COUNT; i++) {
        assert_int_equal(fields[i].kind, NVP_KIND_NA);
        assert_status(fields[i].status, why);
    }
    assert_int_equal(fields[NVP_PROCESS_START_TIME_US].kind, NVP_KIND_NA);
    assert_int_equal(number(NVP_PROCESS_FOREIGN), foreign);
}

static void test_host__machine(void **state)
{
    (void)state;
    look();
    assert_string_equal(nvp_reading_text(&machine[NVP_HOST_NAME], ""), "node-17");
    assert_int_equal(nvp_reading_uint(&machine[NVP_HOST_CPU_COUNT], 0), 4);
    assert_real(&machine[NVP_HOST_LOAD_1M], 0.52);
    assert_real(&machine[NVP_HOST_LOAD_5M], 1.25);
    assert_real(&machine[NVP_HOST_LOAD_15M], 7);
    assert_int_equal(nvp_reading_uint(&machine[NVP_HOST_MEMORY_TOTAL_BYTES], 0), 16000000ull * 1024);
    assert_int_equal(nvp_reading_uint(&machine[NVP_HOST_MEMORY_AVAILABLE_BYTES], 0), 9000000ull * 1024);
    assert_int_equal(nvp_reading_uint(&machine[NVP_HOST_SWAP_TOTAL_BYTES], 0), 2000000ull * 1024);
    assert_int_equal(nvp_reading_uint(&machine[NVP_HOST_SWAP_FREE_BYTES], 0), 1500000ull * 1024);
    assert_real(&machine[NVP_HOST_UPTIME_S], 1000);
    assert_reason(machine[NVP_HOST_CPU_PERCENT], NVP_REASON_NO_DATA); /* the first look */
    tree_machine(1010, 4300, 6100);
    look();
    assert_real(&machine[NVP_HOST_CPU_PERCENT], 75);
    look(); /* no tick has passed */
    assert_reason(machine[NVP_HOST_CPU_PERCENT], NVP_REASON_NO_DATA);
}

static void test_host__paced_looks_keep_what_was_just_read(void **state)
{
    (void)state;
    nvp__host_begin(host, true, &arena, machine);
    int64_t read_at_us = machine[NVP_HOST_LOAD_1M].read_at_us;
    tree_machine(1010, 4300, 6100);
    tree_remove("proc/meminfo");
    nvp__host_begin(host, true, &arena, machine);
    assert_real(&machine[NVP_HOST_LOAD_1M], 0.52);
    assert_int_equal(machine[NVP_HOST_LOAD_1M].read_at_us, read_at_us); /* and it says how old it is */
    assert_int_equal(nvp_reading_uint(&machine[NVP_HOST_MEMORY_TOTAL_BYTES], 0), 16000000ull * 1024);
    assert_string_equal(nvp_reading_text(&machine[NVP_HOST_NAME], ""), "node-17");
    assert_reason(machine[NVP_HOST_CPU_PERCENT], NVP_REASON_NO_DATA);
    double uptime_s = nvp_reading_number(&machine[NVP_HOST_UPTIME_S], 0);
    assert_true(uptime_s > 1000 && uptime_s < 1010); /* the time that has passed, not that of the file */
    nvp__host_begin(host, false, &arena, machine);
    assert_real(&machine[NVP_HOST_UPTIME_S], 1010);
    assert_real(&machine[NVP_HOST_CPU_PERCENT], 75);
    assert_reason(machine[NVP_HOST_MEMORY_TOTAL_BYTES], NVP_REASON_NO_DATA);
}

static void test_host__missing_files_are_na(void **state)
{
    static const char *const files[] = { "proc/uptime", "proc/stat", "proc/loadavg", "proc/meminfo", "proc/sys/kernel/hostname" };
    static const nvp_host_field gone[] = { NVP_HOST_UPTIME_S, NVP_HOST_CPU_COUNT, NVP_HOST_LOAD_5M, NVP_HOST_MEMORY_TOTAL_BYTES,
                                           NVP_HOST_NAME };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        tree_remove(files[i]);
        look_at(700, NULL);
        assert_reason(machine[gone[i]], NVP_REASON_NO_DATA);
        assert_int_equal(number(NVP_PROCESS_PARENT_PID), 12); /* the process is none the worse for it */
    }
    assert_reason(fields[NVP_PROCESS_RUNNING_TIME_S], NVP_REASON_NO_DATA);
    assert_reason(fields[NVP_PROCESS_CPU_PERCENT], NVP_REASON_NO_DATA);
    assert_reason(fields[NVP_PROCESS_HOST_MEMORY_PERCENT], NVP_REASON_NO_DATA);
    assert_int_equal(number(NVP_PROCESS_HOST_MEMORY_BYTES), 2000ull * (uint64_t)sysconf(_SC_PAGESIZE));
}

static void test_host__long_files_are_read_whole(void **state)
{
    (void)state;
    tree_write("proc/stat", "cpu  1 1 1 1 1 1 1 1 1 1\ncpu0 1\ncpu1 1\nintr %0300000d\nbtime 1700000000\n", 1);
    look_at(700, NULL);
    assert_int_equal(nvp_reading_uint(&machine[NVP_HOST_CPU_COUNT], 0), 2);
    assert_int_equal(number(NVP_PROCESS_START_TIME_US), 1700000500000000ull);
}

static void test_host__process(void **state)
{
    (void)state;
    fields[NVP_PROCESS_PID] = nvp__reading_uint(1, 0);
    look();
    nvp_reading before = fields[NVP_PROCESS_PID];
    nvp__host_process(host, 700, NULL, &arena, fields);
    assert_memory_equal(&fields[NVP_PROCESS_PID], &before, sizeof before); /* the side of the GPU is not touched */
    assert_int_equal(number(NVP_PROCESS_START_TIME_US), 1700000500000000ull);
    assert_int_equal(number(NVP_PROCESS_FOREIGN), 0);
    assert_string_equal(text(NVP_PROCESS_NAME), "python3");
    assert_string_equal(text(NVP_PROCESS_COMMAND), "/usr/bin/python3 train.py --rate=0.1");
    assert_string_equal(text(NVP_PROCESS_USER), "root");
    assert_int_equal(number(NVP_PROCESS_UID), 0);
    assert_int_equal(number(NVP_PROCESS_PARENT_PID), 12);
    assert_reason(fields[NVP_PROCESS_CPU_PERCENT], NVP_REASON_NO_DATA);
    assert_int_equal(number(NVP_PROCESS_HOST_MEMORY_BYTES), 2000ull * (uint64_t)sysconf(_SC_PAGESIZE));
    assert_real(&fields[NVP_PROCESS_HOST_MEMORY_PERCENT], 2000.0 * (double)sysconf(_SC_PAGESIZE) / (16000000.0 * 1024) * 100);
    assert_real(&fields[NVP_PROCESS_RUNNING_TIME_S], 500);
    assert_string_equal(text(NVP_PROCESS_CONTAINER_ID), ID);
    assert_string_equal(text(NVP_PROCESS_POD_UID), POD);
    assert_reason(fields[NVP_PROCESS_SLURM_JOB], NVP_REASON_NO_DATA);
}

static void test_host__paced_look_keeps_a_process_that_was_just_read(void **state)
{
    struct tree_process process = trainer;
    (void)state;
    for (int i = 0; i < 2; i++) {
        nvp__arena_clear(&arena);
        nvp__host_begin(host, true, &arena, machine);
        nvp__host_process(host, 700, NULL, &arena, fields);
        nvp__host_end(host);
        assert_string_equal(text(NVP_PROCESS_COMMAND), "/usr/bin/python3 train.py --rate=0.1");
        assert_int_equal(number(NVP_PROCESS_HOST_MEMORY_BYTES), 2000ull * (uint64_t)sysconf(_SC_PAGESIZE));
        process.pages = 3000;
        tree_process(&process);
    }
    look_at(700, NULL);
    assert_int_equal(number(NVP_PROCESS_HOST_MEMORY_BYTES), 3000ull * (uint64_t)sysconf(_SC_PAGESIZE));
}

static void test_host__cpu_since_the_last_look(void **state)
{
    struct tree_process process = trainer;
    (void)state;
    look_at(700, NULL);
    process.user_ticks += 250;
    process.system_ticks += 50;
    tree_process(&process);
    tree_machine(1002, 1, 1);
    look_at(700, NULL);
    assert_real(&fields[NVP_PROCESS_CPU_PERCENT], 150);
    process.user_ticks += 2;
    tree_process(&process);
    tree_machine(1002.02, 1, 1);
    look_at(700, NULL); /* two ticks in 20 ms prove nothing: the number stays */
    assert_real(&fields[NVP_PROCESS_CPU_PERCENT], 150);
    tree_machine(1004, 1, 1);
    look_at(700, NULL); /* and is measured from where it began */
    assert_real(&fields[NVP_PROCESS_CPU_PERCENT], 1);
}

static void test_host__later_process_with_the_same_pid_begins_anew(void **state)
{
    struct tree_process process = trainer;
    (void)state;
    look_at(700, NULL);
    process.start_ticks = 100100;
    process.user_ticks = 100000;
    tree_process(&process);
    tree_machine(1002, 1, 1);
    look_at(700, NULL);
    assert_reason(fields[NVP_PROCESS_CPU_PERCENT], NVP_REASON_NO_DATA);
    assert_int_equal(number(NVP_PROCESS_START_TIME_US), 1700001001000000ull);
    assert_real(&fields[NVP_PROCESS_RUNNING_TIME_S], 1);
}

static void test_host__process_that_was_not_asked_for_is_forgotten(void **state)
{
    (void)state;
    look_at(700, NULL);
    look();
    nvp__host_end(host);
    assert_int_equal(host->process_count, 0);
    tree_machine(1002, 1, 1);
    look_at(700, NULL);
    assert_reason(fields[NVP_PROCESS_CPU_PERCENT], NVP_REASON_NO_DATA);
}

static void test_host__process_is_read_once_in_a_look(void **state)
{
    nvp_reading first[NVP_PROCESS_FIELD_COUNT];
    (void)state;
    memset(first, 0, sizeof first);
    memset(fields, 0, sizeof fields);
    look();
    nvp__host_process(host, 700, NULL, &arena, first);
    tree_remove("proc/700");
    nvp__host_process(host, 700, NULL, &arena, fields);
    assert_memory_equal(fields, first, sizeof fields);
}

static void test_host__names(void **state)
{
    static const struct {
        const char *program, *command;
        size_t length;
        const char *name, *shown;
    } cases[] = {
        { "kworker/0:1", "", 0, "kworker/0:1", "[kworker/0:1]" },
        { "a) S 9 (b", "/opt/a) S 9 (b", 0, "a) S 9 (b", "/opt/a) S 9 (b" },
        { "sshd", "sshd: ada@pts/0", 0, "sshd", "sshd: ada@pts/0" },
        { "very-long-name-", "/bin/very-long-name-of-a-program\0-x", 35, "very-long-name-of-a-program",
          "/bin/very-long-name-of-a-program -x" },
        { "sh", "sh\0-c\0a\nb\tc\x1b]0;title\x07", 21, "sh", "sh -c a b c\xef\xbf\xbd]0;title\xef\xbf\xbd" },
        { "x", "/bin/x\0caf\xe9\xc2\x9b", 13, "x", "/bin/x caf\xef\xbf\xbd\xef\xbf\xbd" },
        { "x", "x\0\0y\0\0\0", 6, "x", "x  y" },
        { "odd", "/usr/bin/", 0, "/usr/bin/", "/usr/bin/" },
        { "b\xff", "", 0, "b\xef\xbf\xbd", "[b\xef\xbf\xbd]" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tree_process process = trainer;
        process.program = cases[i].program;
        process.command = cases[i].command;
        process.command_length = cases[i].length;
        tree_process(&process);
        let_pass();
        look_at(700, "the driver's name");
        assert_string_equal(text(NVP_PROCESS_NAME), cases[i].name);
        assert_string_equal(text(NVP_PROCESS_COMMAND), cases[i].shown);
        assert_int_equal(number(NVP_PROCESS_PARENT_PID), 12);
    }
}

static void test_host__identity_is_kept_for_a_while(void **state)
{
    struct tree_process process = trainer;
    (void)state;
    look_at(700, NULL);
    int64_t read_at_us = fields[NVP_PROCESS_COMMAND].read_at_us;
    tree_remove("proc/700/cmdline");
    tree_remove("proc/700/status");
    tree_remove("proc/700/cgroup");
    tree_machine(1004, 1, 1);
    look_at(700, NULL);
    assert_string_equal(text(NVP_PROCESS_NAME), "python3");
    assert_string_equal(text(NVP_PROCESS_COMMAND), "/usr/bin/python3 train.py --rate=0.1");
    assert_string_equal(text(NVP_PROCESS_USER), "root");
    assert_string_equal(text(NVP_PROCESS_CONTAINER_ID), ID);
    assert_int_equal(fields[NVP_PROCESS_COMMAND].read_at_us, read_at_us); /* its age can be seen */
    assert_real(&fields[NVP_PROCESS_RUNNING_TIME_S], 504);
    process.program = "ffmpeg"; /* it runs another program now */
    process.command = "/usr/bin/ffmpeg\0-i";
    process.command_length = 18;
    process.cgroup = "0::/lxc/101\n";
    tree_process(&process);
    look_at(700, NULL);
    assert_string_equal(text(NVP_PROCESS_COMMAND), "/usr/bin/ffmpeg -i");
    assert_string_equal(text(NVP_PROCESS_CONTAINER_ID), "101");
    process.cgroup = "0::/lxc/102\n";
    tree_process(&process);
    tree_machine(1010, 1, 1);
    look_at(700, NULL);
    assert_string_equal(text(NVP_PROCESS_CONTAINER_ID), "102");
}

static void test_host__long_command_is_cut_to_whole_characters(void **state)
{
    static char command[9000];
    struct tree_process process = trainer;
    (void)state;
    for (size_t i = 0; i + 2 < sizeof command; i += 2) {
        memcpy(command + i, "\xc3\xa4", 3);
    }
    process.command = command;
    process.command_length = 0;
    tree_process(&process);
    look_at(700, NULL);
    size_t length = strlen(text(NVP_PROCESS_COMMAND));
    assert_in_range(length, 4090, 4095);
    for (size_t i = 0; i + 4 < length; i += 2) {
        assert_memory_equal(text(NVP_PROCESS_COMMAND) + i, "\xc3\xa4", 2);
    }
    /* What is cut inside a character ends with a replacement that fits, or before it. */
    assert_true(length % 2 == 0 || strcmp(text(NVP_PROCESS_COMMAND) + length - 3, "\xef\xbf\xbd") == 0);
}

static void test_host__zombie(void **state)
{
    struct tree_process process = trainer;
    (void)state;
    process.state = 'Z';
    process.command = "";
    process.command_length = 0;
    process.pages = 0;
    tree_process(&process);
    look_at(700, NULL);
    assert_string_equal(text(NVP_PROCESS_NAME), "python3");
    assert_string_equal(text(NVP_PROCESS_COMMAND), "[python3]");
    assert_int_equal(number(NVP_PROCESS_HOST_MEMORY_BYTES), 0);
    assert_int_equal(number(NVP_PROCESS_FOREIGN), 0);
}

static void test_host__user_without_a_name_is_a_number(void **state)
{
    struct tree_process process = trainer;
    (void)state;
    for (unsigned int uid = 4000000000u; uid < 4000000040u; uid += 13) { /* more than one is kept */
        process.uid = uid;
        tree_process(&process);
        let_pass();
        char expected[16];
        snprintf(expected, sizeof expected, "%u", uid);
        for (int i = 0; i < 2; i++) {
            look_at(700, NULL);
            assert_string_equal(text(NVP_PROCESS_USER), expected);
            assert_int_equal(number(NVP_PROCESS_UID), uid);
        }
    }
    assert_int_equal(host->users.count, 4);
}

static void test_host__missing_parts_of_a_process_are_na(void **state)
{
    (void)state;
    tree_remove("proc/700/status");
    tree_remove("proc/700/cmdline");
    tree_remove("proc/700/cgroup");
    look_at(700, NULL);
    assert_reason(fields[NVP_PROCESS_UID], NVP_REASON_NO_DATA);
    assert_reason(fields[NVP_PROCESS_USER], NVP_REASON_NO_DATA);
    assert_reason(fields[NVP_PROCESS_COMMAND], NVP_REASON_NO_DATA);
    assert_reason(fields[NVP_PROCESS_CONTAINER_ID], NVP_REASON_NO_DATA);
    assert_string_equal(text(NVP_PROCESS_NAME), "python3");
    assert_int_equal(number(NVP_PROCESS_FOREIGN), 0);
    tree_write("proc/700/stat", "700 (python3");
    look_at(700, NULL);
    assert_all_na(NVP_ERROR_BAD_DATA, 0);
}

static void test_host__unknown_pid_is_foreign(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        look_at(701, NULL);
        assert_all_na(NVML_ERROR_NOT_FOUND, 1);
        assert_reason(fields[NVP_PROCESS_NAME], NVP_REASON_NO_DATA);
    }
    look_at(701, "/opt/vllm/bin/vllm serve --port=\x1b");
    assert_string_equal(text(NVP_PROCESS_NAME), "vllm");
    assert_string_equal(text(NVP_PROCESS_COMMAND), "/opt/vllm/bin/vllm serve --port=\xef\xbf\xbd");
    assert_int_equal(number(NVP_PROCESS_FOREIGN), 1);
    look_at(701, "C:\\Program Files\\Blender Foundation\\blender.exe");
    assert_string_equal(text(NVP_PROCESS_NAME), "blender.exe");
}

static void test_host__process_that_ended_is_not_foreign(void **state)
{
    (void)state;
    look_at(700, NULL);
    tree_remove("proc/700");
    for (int i = 0; i < 2; i++) {
        look_at(700, NULL);
        assert_all_na(NVP_ERROR_NO_DATA, 0);
    }
}

/* What another thread does while the command line of process 700 is read: the read waits at a pipe. */
static const struct tree_process *successor;

static void *change_meanwhile(void *unused)
{
    FILE *command = fopen(tree_path("proc/700/cmdline"), "w");
    if (successor != NULL) {
        tree_stat(successor);
    } else {
        unlink(tree_path("proc/700/stat"));
    }
    if (command != NULL) {
        fputs("/usr/bin/other", command);
        fclose(command);
    }
    return unused;
}

static void look_while_it_changes(const struct tree_process *other)
{
    pthread_t thread;
    successor = other;
    tree_process(&trainer);
    let_pass();
    tree_pipe("proc/700/cmdline");
    assert_int_equal(pthread_create(&thread, NULL, change_meanwhile, NULL), 0);
    look_at(700, NULL);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void test_host__process_that_changes_while_it_is_read(void **state)
{
    struct tree_process other = trainer;
    (void)state;
    look_while_it_changes(&other); /* the same one: nothing is wrong */
    assert_string_equal(text(NVP_PROCESS_NAME), "other");
    other.start_ticks++;
    look_while_it_changes(&other); /* half of it would belong to another process */
    assert_all_na(NVP_ERROR_NO_DATA, 0);
    look_while_it_changes(NULL);
    assert_all_na(NVP_ERROR_NO_DATA, 0);
}

static void test_host__in_another_namespace_a_pid_must_be_proved(void **state)
{
    struct tree_process other = trainer;
    (void)state;
    tree_namespace(false);
    look_at(700, NULL); /* its open files cannot be seen */
    assert_all_na(NVP_ERROR_NO_DATA, 1);
    tree_link("proc/700/fd/0", "/dev/null");
    tree_link("proc/700/fd/3", "/dev/nvme0");
    look_at(700, NULL); /* some other process that has this pid here */
    assert_all_na(NVML_ERROR_NOT_FOUND, 1);
    tree_link("proc/700/fd/5", "/dev/nvidiactl");
    look_at(700, NULL);
    assert_int_equal(number(NVP_PROCESS_FOREIGN), 0);
    assert_string_equal(text(NVP_PROCESS_NAME), "python3");
    tree_remove("proc/700/fd");
    look_at(700, NULL); /* what is proved once holds for that process ... */
    assert_int_equal(number(NVP_PROCESS_FOREIGN), 0);
    other.start_ticks++;
    tree_process(&other);
    look_at(700, NULL); /* ... but not for the next one with its pid */
    assert_all_na(NVP_ERROR_NO_DATA, 1);
}

static void test_host__namespace_that_cannot_be_seen_is_another_one(void **state)
{
    (void)state;
    tree_remove("proc/self");
    look_at(700, NULL);
    assert_int_equal(number(NVP_PROCESS_FOREIGN), 1);
    tree_link("proc/700/fd/9", "/dev/dxg");
    look_at(700, NULL);
    assert_int_equal(number(NVP_PROCESS_FOREIGN), 0);
}

static void test_host__vanishing_in_another_namespace_proves_nothing(void **state)
{
    (void)state;
    tree_namespace(false);
    look_while_it_changes(NULL);
    assert_all_na(NVP_ERROR_NO_DATA, 1);
}

/* Anything that is not linear takes minutes here. */
static void test_host__grows_linearly_with_processes(void **state)
{
    enum { MANY = 100000 };
    (void)state;
    for (int i = 0; i < 2; i++) {
        look();
        for (unsigned int pid = 0; pid < MANY; pid++) {
            nvp__host_process(host, 5000000 + pid * 64, NULL, &arena, fields);
        }
        nvp__host_end(host);
        assert_int_equal(host->process_count, MANY);
    }
    look();
    nvp__host_end(host);
    assert_int_equal(host->process_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_host__machine, begin, end),
        cmocka_unit_test_setup_teardown(test_host__paced_looks_keep_what_was_just_read, begin, end),
        cmocka_unit_test_setup_teardown(test_host__missing_files_are_na, begin, end),
        cmocka_unit_test_setup_teardown(test_host__long_files_are_read_whole, begin, end),
        cmocka_unit_test_setup_teardown(test_host__process, begin, end),
        cmocka_unit_test_setup_teardown(test_host__paced_look_keeps_a_process_that_was_just_read, begin, end),
        cmocka_unit_test_setup_teardown(test_host__cpu_since_the_last_look, begin, end),
        cmocka_unit_test_setup_teardown(test_host__later_process_with_the_same_pid_begins_anew, begin, end),
        cmocka_unit_test_setup_teardown(test_host__process_that_was_not_asked_for_is_forgotten, begin, end),
        cmocka_unit_test_setup_teardown(test_host__process_is_read_once_in_a_look, begin, end),
        cmocka_unit_test_setup_teardown(test_host__names, begin, end),
        cmocka_unit_test_setup_teardown(test_host__identity_is_kept_for_a_while, begin, end),
        cmocka_unit_test_setup_teardown(test_host__long_command_is_cut_to_whole_characters, begin, end),
        cmocka_unit_test_setup_teardown(test_host__zombie, begin, end),
        cmocka_unit_test_setup_teardown(test_host__user_without_a_name_is_a_number, begin, end),
        cmocka_unit_test_setup_teardown(test_host__missing_parts_of_a_process_are_na, begin, end),
        cmocka_unit_test_setup_teardown(test_host__unknown_pid_is_foreign, begin, end),
        cmocka_unit_test_setup_teardown(test_host__process_that_ended_is_not_foreign, begin, end),
        cmocka_unit_test_setup_teardown(test_host__process_that_changes_while_it_is_read, begin, end),
        cmocka_unit_test_setup_teardown(test_host__in_another_namespace_a_pid_must_be_proved, begin, end),
        cmocka_unit_test_setup_teardown(test_host__namespace_that_cannot_be_seen_is_another_one, begin, end),
        cmocka_unit_test_setup_teardown(test_host__vanishing_in_another_namespace_proves_nothing, begin, end),
        cmocka_unit_test_setup_teardown(test_host__grows_linearly_with_processes, begin, end),
    };
    if (!tree_begin()) {
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, tree_end);
}
