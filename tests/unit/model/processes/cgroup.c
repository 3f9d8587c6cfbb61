/*
 * The names of control groups as container engines, Kubernetes, Slurm and systemd make them.
 */
#include "check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/cgroup.h"

#define ID "8b0c1f3e5d7a9b2c4e6f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5"
#define OTHER "00001f3e5d7a9b2c4e6f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3ffff"
#define POD "7d5a9b2c-01ab-4cde-8f01-23456789abcd"
#define POD_BY_SYSTEMD "7d5a9b2c_01ab_4cde_8f01_23456789abcd"

static const struct {
    const char *what, *text, *container, *pod;
    int64_t job; /* -1: none */
} cases[] = {
    { "nothing", "", "", "", -1 },
    { "a login", "0::/user.slice/user-1000.slice/session-3.scope\n", "", "", -1 },
    { "inside a group namespace", "0::/\n", "", "", -1 },
    { "docker, version 1", "12:memory:/docker/" ID "\n11:name=systemd:/docker/" ID "\n", ID, "", -1 },
    { "docker, version 1 with systemd", "4:cpu,cpuacct:/system.slice/docker-" ID ".scope\n", ID, "", -1 },
    { "docker, version 2", "0::/system.slice/docker-" ID ".scope\n", ID, "", -1 },
    { "docker in docker", "0::/docker/" ID "/docker/" OTHER "\n", OTHER, "", -1 },
    { "docker's own daemon", "0::/system.slice/docker.service\n", "", "", -1 },
    { "Kubernetes with groups of its own", "5:memory:/kubepods/burstable/pod" POD "/" ID "\n0::/\n", ID, POD, -1 },
    { "Kubernetes with guaranteed resources", "0::/kubepods/pod" POD "/" ID "\n", ID, POD, -1 },
    { "Kubernetes with systemd and containerd",
      "0::/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" POD_BY_SYSTEMD ".slice/cri-containerd-" ID
      ".scope\n",
      ID, POD, -1 },
    { "Kubernetes with systemd and CRI-O",
      "0::/kubepods.slice/kubepods-pod" POD_BY_SYSTEMD ".slice/crio-" ID ".scope/container\n", ID, POD, -1 },
    { "the monitor of CRI-O", "0::/kubepods.slice/kubepods-pod" POD_BY_SYSTEMD ".slice/crio-conmon-" ID ".scope\n", "", POD, -1 },
    { "systemd's names under the other driver",
      "3:cpuset:/system.slice/containerd.service/kubepods-burstable-pod" POD_BY_SYSTEMD ".slice:cri-containerd:" ID "\n", ID, POD,
      -1 },
    { "a pod from a file on the node", "0::/kubepods/burstable/pod0123456789abcdef0123456789abcdef/" ID "\n", ID,
      "0123456789abcdef0123456789abcdef", -1 },
    { "a node that is a container",
      "0::/system.slice/docker-" OTHER ".scope/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod" POD_BY_SYSTEMD
      ".slice/cri-containerd-" ID ".scope\n",
      ID, POD, -1 },
    { "podman", "0::/machine.slice/libpod-" ID ".scope/container\n", ID, "", -1 },
    { "podman without root", "0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope/container\n", ID,
      "", -1 },
    { "the monitor of podman", "0::/machine.slice/libpod-conmon-" ID ".scope\n", "", "", -1 },
    { "a pod of podman", "0::/machine.slice/machine-libpod_pod_" OTHER ".slice/libpod-" ID ".scope\n", ID, "", -1 },
    { "containerd alone", "0::/default/" ID "\n", ID, "", -1 },
    { "LXC, version 1", "2:devices:/lxc/build-7/init.scope\n", "build-7", "", -1 },
    { "LXC, version 2", "0::/lxc.payload.build-7/system.slice\n", "build-7", "", -1 },
    { "LXC, in between", "0::/lxc.payload/build-7\n", "build-7", "", -1 },
    { "the monitor of LXC", "0::/lxc.monitor.build-7\n", "", "", -1 },
    { "docker in LXC", "0::/lxc/101/system.slice/docker-" ID ".scope\n", ID, "", -1 },
    { "nspawn as a machine", "0::/machine.slice/machine-web\\x2dfront.scope/payload\n", "web-front", "", -1 },
    { "nspawn as a service", "0::/machine.slice/systemd-nspawn@web.service/payload\n", "web", "", -1 },
    { "a virtual machine", "0::/machine.slice/machine-qemu\\x2d3\\x2dwindows.scope/libvirt/emulator\n", "", "", -1 },
    { "a name that would reach a terminal", "0::/lxc.payload.a\x1b[31m\n", "a\xef\xbf\xbd[31m", "", -1 },
    { "Slurm, version 1", "9:memory:/slurm/uid_1000/job_4711/step_0/task_0\n8:name=systemd:/system.slice/slurmd.service\n", "",
      "", 4711 },
    { "Slurm, version 1, one of several nodes", "9:freezer:/slurm_node3/uid_1000/job_12/step_batch\n", "", "", 12 },
    { "Slurm, version 2", "0::/system.slice/slurmstepd.scope/job_98765/step_0/user/task_0\n", "", "", 98765 },
    { "Slurm, version 2, one of several nodes", "0::/system.slice/node3_slurmstepd.scope/job_5/step_extern\n", "", "", 5 },
    { "a container in a job", "0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0/libpod-" ID ".scope\n", ID, "", 7 },
    { "a job of somebody else's", "0::/batch/job_7/work\n", "", "", -1 },
    { "no number behind the job", "0::/system.slice/slurmstepd.scope/job_7a/job_/job_99999999999999999999\n", "", "", -1 },
    { "a group that was removed", "0::/docker/" ID " (deleted)\n", ID, "", -1 },
    { "63 digits", "0::/docker/b0c1f3e5d7a9b2c4e6f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5\n", "", "", -1 },
    { "65 digits", "0::/docker/a" ID "\n", "", "", -1 },
    { "no UID behind the pod", "0::/kubepods/pod7d5a9b2c-01ab-4cde-8f01-23456789abc/podless\n", "", "", -1 },
    { "a UID with more behind it", "0::/kubepods/pod" POD "0\n", "", "", -1 },
    { "lines without colons", "docker\n/docker/" ID "\n1:memory\n", "", "", -1 },
    { "no newline at the end", "0::/docker/" ID, ID, "", -1 },
};

static void test_cgroup__every_form_is_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nvp__cgroup cgroup;
        char seen[256], expected[256];
        memset(&cgroup, 'x', sizeof cgroup);
        nvp__cgroup_parse(cases[i].text, &cgroup);
        snprintf(seen, sizeof seen, "%s: '%s' '%s' %" PRId64, cases[i].what, cgroup.container, cgroup.pod,
                 cgroup.has_slurm_job ? (int64_t)cgroup.slurm_job : -1);
        snprintf(expected, sizeof expected, "%s: '%s' '%s' %" PRId64, cases[i].what, cases[i].container, cases[i].pod,
                 cases[i].job);
        assert_string_equal(seen, expected);
    }
}

static void test_cgroup__names_are_cut_to_whole_characters(void **state)
{
    struct nvp__cgroup cgroup;
    char text[400] = "0::/lxc/";
    (void)state;
    for (size_t i = strlen(text); i + 2 < sizeof text; i += 2) {
        memcpy(text + i, "\xc3\xa4", 3);
    }
    nvp__cgroup_parse(text, &cgroup);
    assert_int_equal(strlen(cgroup.container), sizeof cgroup.container - 2);
    assert_memory_equal(cgroup.container, "\xc3\xa4\xc3\xa4", 4);
    assert_memory_equal(cgroup.container + sizeof cgroup.container - 4, "\xc3\xa4", 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cgroup__every_form_is_known),
        cmocka_unit_test(test_cgroup__names_are_cut_to_whole_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
