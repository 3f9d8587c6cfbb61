"""The overview of many machines in many sizes, compared with recorded screens. Two samples are taken, and the clock stands still."""

import os
import re
import time

import case
import machines

ASLEEP = {"sys/bus/pci/devices/0000:01:00.0/power/runtime_status": "suspended\n"}


LOAD = re.compile(r"(?m)^( +\d 420000\d(?: N/A +\S+)?)( +\d+)(?= )")


def mask(screen, name):
    """Leaves out what the clock on the wall says."""
    if name == "stalled":  # waiting for it takes so long that processes may count as idle: there is no news while the driver's clock stands
        screen = LOAD.sub(lambda match: match.group(1) + "#".rjust(len(match.group(2))), screen)
    screen = re.sub(r"\d\d:\d\d:\d\d", "hh:mm:ss", screen)
    screen = re.sub(r"STALLED \d+s", "STALLED Ns", screen)
    screen = screen.replace("  PCIe rx 0B/s  tx 0B/s", "")  # known when there are two seconds between the samples
    return "\n".join(line.rstrip() for line in screen.split("\n")).rstrip("\n") + "\n"


class GoldenTest(case.ViewerTest):
    def show(self, name, columns, rows):
        more = ASLEEP if name == "laptop-asleep" else {}
        env = {"NVPULSE_ROOT": machines.root(self.folder, **more), "NVPULSE_EXIT_TIMEOUT_MS": "50"}
        shown = self.start("--interval", "3600", columns=columns, rows=rows, env=env, **machines.MACHINES[name])
        shown.wait(re.compile(r"driver \d"))  # the first sample is there
        shown.keys("r")  # rates are those between two samples
        return shown

    def settled(self, shown, name):
        """The screen that stays for a while: only to record it."""
        last, since = None, time.monotonic()
        while time.monotonic() - since < 3:
            screen = mask(shown.screen(), name)
            if screen != last:
                last, since = screen, time.monotonic()
            time.sleep(0.1)
        return last

    def compare(self, name, columns, rows):
        path = os.path.join(case.GOLDEN, f"top-{name}-{columns}x{rows}.txt")
        shown = self.show(name, columns, rows)
        if case.updates_golden:
            with open(path, "w", encoding="utf-8") as file:
                file.write(self.settled(shown, name))
            return
        with open(path, encoding="utf-8") as file:
            golden = file.read()
        try:
            shown.wait(lambda screen: mask(screen, name) == golden, limit_s=20)
        except AssertionError:
            self.assertEqual(mask(shown.screen(), name), golden)
        shown.keys("q")
        self.assertEqual(shown.wait_end(), 0)


def add(name):
    def test(self):
        for columns, rows in machines.SIZES:
            with self.subTest(columns=columns, rows=rows):
                self.compare(name, columns, rows)

    setattr(GoldenTest, f"test_{name.replace('-', '_')}", test)


for machine in machines.MACHINES:
    add(machine)
