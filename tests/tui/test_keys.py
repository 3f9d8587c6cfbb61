"""Every key of the table is pressed, and does what the help page says. A key without a check here fails."""

import os
import re
import subprocess
import time

import case

ROW = re.compile(r'^KEY\((\w+), "((?:[^"\\]|\\.)*)", (\w+), "', re.MULTILINE)
NAMES = {"Esc": "Escape", "BackTab": "BTab", "PgUp": "PPage", "PgDn": "NPage"}  # as tmux has them
GPUS = 4
LAST = "command line"  # of the help page


def table():
    """(where, key, action) of every key, in the order of the table."""
    with open(os.path.join(case.SOURCE, "apps", "tui", "keys.def"), encoding="utf-8") as file:
        for where, keys, action in ROW.findall(file.read()):
            for key in keys.replace("\\\\", "\\").split():
                yield where, key, action


def name_of(key):
    return f"C-{key[1].lower()}" if len(key) == 2 and key[0] == "^" else NAMES.get(key, key)


class Pressed:
    """A viewer, and what the checks ask of it. Each check leaves the screen as it was."""

    def __init__(self, shown, test):
        self.shown, self.test = shown, test

    def press(self, *keys):
        for key in keys:
            self.shown.keys(name_of(key))

    def sees(self, wanted):
        return self.shown.wait(wanted)

    def misses(self, text):
        return self.shown.wait_gone(text)

    def toggles(self, key, text):
        """The key brings a text, and takes it away again."""
        self.press(key)
        self.sees(text)
        self.press(key)
        self.misses(text)

    def opens(self, key, text):
        """The key brings a text, which Esc takes away."""
        self.press(key)
        self.sees(text)
        self.press("Esc")
        self.misses(text)

    def colored(self, color):
        """The texts that stand on a background."""
        screen = self.shown.screen(attributes=True)
        return re.findall(rf"\033\[[0-9;]*48;5;{color}m *([^\033\n]*)", screen)

    def selects(self, command):
        self.sees(lambda _: any(command in text for text in self.colored(60)))

    def sorts(self, title):
        self.sees(lambda _: [text.strip() for text in self.colored(31)] == [title])


# ---- everywhere

def quits(it, key):
    it.press(key)
    it.test.assertEqual(it.shown.wait_end(), 0)


def goes_back(it, key):
    it.press("F1")
    it.sees("Keys")
    it.press(key)
    it.misses("Keys")


def next_screen(it, key):
    it.press(key)
    it.misses("H100")
    it.press("BackTab")
    it.sees("H100")


def previous_screen(it, key):
    it.press(key)
    it.sees("GPU 0  NVIDIA")
    it.press("Esc")
    it.sees("COMMAND")


def slower(it, key):
    it.press(key)
    it.sees(" 3600s")
    it.press("-")
    it.sees(" 300s")


def faster(it, key):
    it.press(key)
    it.sees(" 60s")
    it.press("+")
    it.sees(" 300s")


def acknowledges(it, key):
    it.sees("A: seen")
    it.press(key)
    it.misses("A: seen")


def redraws(it, key):
    with open(it.shown.pane("pane_tty")[0], "w", encoding="ascii") as terminal:
        terminal.write("\033[2;10HSTRANGE\r")
    it.sees("STRANGE")
    it.press(key)
    it.misses("STRANGE")


def samples(it, key):
    said = re.compile(r"(\d\d:\d\d:\d\d) 300s")
    before = said.search(it.sees(said)).group(1)
    while time.strftime("%H:%M:%S", time.gmtime()) == before:
        time.sleep(0.05)
    it.press(key)
    it.sees(lambda screen: said.search(screen).group(1) != before)


# ---- the table of processes: sleep 600 on GPU 0, 601 on GPU 1, 602 on GPU 2, in this order

def chooses_gpu(it, key):
    if int(key) >= GPUS:
        it.press(key)
        it.sees(f"there is no GPU {key}")
        return
    it.press(key)
    it.sees(re.compile(f"GPU {key} .* of 3 processes"))
    it.press("a")
    it.misses("of 3 processes")


def all_gpus(it, key):
    it.press("1")
    it.sees("1 of 3 processes")
    it.press(key)
    it.misses("of 3 processes")


def moves(first, then):
    """A check: from the row `first` the key leads to `then`."""
    def check(it, key):
        it.press("Home", *["Down"] * (first - 600))
        it.selects(f"sleep {first}")
        it.press(key)
        it.selects(f"sleep {then}")
        it.press("Home")
        it.selects("sleep 600")
    return check


def searches(it, key):
    it.press(key)
    it.shown.type("602")
    it.selects("sleep 602")
    it.press("Esc", "Home")
    it.selects("sleep 600")


def search_goes_on(then):
    def check(it, key):
        it.press("/")
        it.shown.type("sleep")
        it.press("Enter")
        it.misses("Search:")
        it.selects("sleep 600")
        it.press(key)
        it.selects(f"sleep {then}")
        it.press("Home", "Esc")
        it.selects("sleep 600")
    return check


def filters(it, key):
    it.press(key)
    it.shown.type("gpu=1")
    it.sees("1 of 3 processes")
    it.press("Enter")
    it.misses("Filter:")
    it.press("Esc")
    it.misses("of 3 processes")


def sorts(title):
    """A check: the key orders by that column; GPU memory does otherwise."""
    def check(it, key):
        it.press("M" if key != "M" else "T")
        it.sorts("GPU-MEM" if key != "M" else "TIME")
        it.press(key)
        it.sorts(title)
        it.press("M")
        it.sorts("GPU-MEM")
    return check


def inverts(it, key):
    def first():
        return next(line for line in it.shown.lines() if "sleep 60" in line)
    it.sees(lambda _: "sleep 600" in first())
    it.press(key)
    it.sees(lambda _: "sleep 602" in first())
    it.press(key)
    it.sees(lambda _: "sleep 600" in first())


def tags(it, key):
    it.press("Home", key)
    it.sees(lambda _: "38;5;220" in it.shown.screen(attributes=True))
    it.press("c" if key != "c" else "Space")
    it.press("Home")


def untags(it, key):
    it.press("Home", "Space")
    it.sees(lambda _: "38;5;220" in it.shown.screen(attributes=True))
    it.press(key)
    it.sees(lambda _: "38;5;220" not in it.shown.screen(attributes=True))
    it.press("Home")


def opens(text):
    return lambda it, key: it.opens(key, text)


# ---- one GPU, which is number 1

def shows_gpu(it, key):
    it.press(key)
    it.sees(f"GPU {key}  NVIDIA" if int(key) < GPUS else f"there is no GPU {key}")
    it.press("1")
    it.sees("GPU 1  NVIDIA")


def beside(gpu):
    def check(it, key):
        it.press(key)
        it.sees(f"GPU {gpu}  NVIDIA")
        it.press("1")
        it.sees("GPU 1  NVIDIA")
    return check


# ---- a recording of 200 seconds, which stands at its beginning

def winds(first, then):
    def check(it, key):
        it.press("Home", *["Right"] * (first - 1))
        it.sees(f" {first}/200 ")
        it.press(key)
        it.sees(f" {then}/200 ")
    return check


def winds_from_end(then):
    def check(it, key):
        it.press("End")
        it.sees(" 200/200 ")
        it.press(key)
        it.sees(f" {then}/200 ")
    return check


def plays(it, key):
    it.press(key)
    it.misses("stopped")
    it.press(key)
    it.sees("stopped")


def speeds(first, then):
    def check(it, key):
        it.sees(f" {first} ")
        it.press(key)
        it.sees(f" {then} ")
        it.press("-" if key == "+" else "+")
        it.sees(f" {first} ")
    return check


# ---- a page of text, the help page

def scrolls_down(it, key):
    it.press("Home")
    it.sees(re.compile("^Keys", re.MULTILINE))
    it.press(key)
    it.sees(lambda screen: not re.search("^Keys", screen, re.MULTILINE))


def scrolls_up(it, key):
    it.press("Home", "Down")
    it.sees(lambda screen: not re.search("^Keys", screen, re.MULTILINE))
    it.press(key)
    it.sees(re.compile("^Keys", re.MULTILINE))


def scrolls_last(it, key):
    it.press(key)
    it.sees(LAST)


# ---- the setup, whose cursor stands at the interval

def goes_down(it, key):
    it.press(key, "Right")
    it.sees("< light >")
    it.press("Left", "Up")
    it.sees("< dark >")


def goes_up(it, key):
    it.press("Down", key, "Right")
    it.sees("< 3600 s >")
    it.press("Left")
    it.sees("< 300 s >")


def turns(value):
    def check(it, key):
        it.press(key)
        it.sees(f"< {value} s >")
        it.press("Left" if key == "Right" else "Right")
        it.sees("< 300 s >")
    return check


def ticks(it, key):
    it.press(*["Down"] * 7)  # a column
    before = it.sees("[x]").count("[x]")
    it.press(key)
    it.sees(lambda screen: screen.count("[x]") == before - 1)
    it.press(key)
    it.sees(lambda screen: screen.count("[x]") == before)
    it.press(*["Up"] * 30)


CHECKS = {
    "ALL": {
        "quit": quits, "help": opens("Keys"), "back": goes_back, "next_screen": next_screen, "previous_screen": previous_screen,
        "setup": opens("Interval"), "pause": lambda it, key: it.toggles(key, "PAUSED"), "slower": slower, "faster": faster,
        "acknowledge": acknowledges, "redraw": redraws, "refresh": samples,
    },
    "LIST": {
        "choose_gpu": chooses_gpu, "all_gpus": all_gpus, "up": moves(601, 600), "down": moves(600, 601), "page_up": moves(602, 600),
        "page_down": moves(600, 602), "first": moves(602, 600), "last": moves(600, 602), "search": searches,
        "search_next": search_goes_on(601), "search_previous": search_goes_on(602), "filter": filters,
        "tree": lambda it, key: it.toggles(key, "F5List"), "sort_menu": opens("Sort by"), "sort_left": sorts("SM%"),
        "sort_right": sorts("CPU%"), "invert": inverts, "sort_cpu": sorts("CPU%"), "sort_memory": sorts("GPU-MEM"),
        "sort_sm": sorts("SM%"), "sort_time": sorts("TIME"), "user_menu": opens("(all users)"), "tag": tags, "untag_all": untags,
        "kill": opens("Send signal"), "environment": opens("Environment of process"), "detail": opens("On GPUs"),
    },
    "DEVICE": {"show_gpu": shows_gpu, "previous_gpu": beside(0), "next_gpu": beside(2)},
    "FILE": {
        "sample_before": winds(3, 2), "sample_behind": winds(2, 3), "minute_before": winds_from_end(140), "minute_behind": winds(1, 61),
        "recording_first": winds(3, 1), "recording_last": winds(2, 200), "pause": plays, "play_faster": speeds("x1", "x2"),
        "play_slower": speeds("x1", "x0.5"),
    },
    "TEXT": {
        "scroll_up": scrolls_up, "scroll_down": scrolls_down, "scroll_page_up": scrolls_up, "scroll_page_down": scrolls_down,
        "scroll_first": scrolls_up, "scroll_last": scrolls_last,
    },
    "SETUP": {"setup_up": goes_up, "setup_down": goes_down, "setup_less": turns(60), "setup_more": turns(3600), "setup_choose": ticks},
}


class KeysTest(case.ViewerTest):
    def begin(self):
        """A viewer at the top of its table."""
        sleepers = [self.child("sleep", str(600 + i)) for i in range(3)]
        rows = [f"  - {{name: p, pid: {child.pid}, device: {i}, used_memory_mib: {900 - i}}}" for i, child in enumerate(sleepers)]
        scenario = "\n".join(["base: h100x8", f"system: {{num_devices: {GPUS}}}", "processes:", *rows, ""])
        shown = self.start("--interval", "300", "--alert", "memory.total_bytes>1", columns=110, rows=24, scenario=scenario)
        shown.wait("sleep 602")
        return Pressed(shown, self)

    def record(self):
        command = [case.program(), "sim", "--profile", "rtx4090x2", "--driver", case.DRIVER, "--", case.program(), "status", "--json"]
        text = subprocess.run(command, env=self.environment(), capture_output=True, check=True).stdout.decode().strip()
        lines = [re.sub(r'"time_us":\d+', f'"time_us":{1_750_000_000_000_000 + i * 1_000_000}', text, count=1) for i in range(200)]
        return self.file("run.jsonl", "\n".join(lines) + "\n")

    def press_all(self, where, it):
        for _, key, action in [row for row in table() if row[0] == where and row[2] != "quit"]:
            with self.subTest(where=where, key=key, action=action):
                CHECKS[where][action](it, key)
        self.leave(it.shown)

    def test_every_key_has_a_check(self):
        rows = list(table())
        self.assertGreater(len(rows), 80)
        self.assertEqual({(where, action) for where, _, action in rows}, {(where, action) for where in CHECKS for action in CHECKS[where]})

    def test_everywhere(self):
        self.press_all("ALL", self.begin())

    def test_leaving(self):
        for key in [key for _, key, action in table() if action == "quit"]:
            with self.subTest(key=key):
                quits(self.begin(), key)

    def test_table_of_processes(self):
        it = self.begin()
        it.press("A")
        it.misses("A: seen")
        self.press_all("LIST", it)

    def test_one_gpu(self):
        it = self.begin()
        it.press("1", "Enter")
        it.sees("GPU 1  NVIDIA")
        self.press_all("DEVICE", it)

    def test_text(self):
        it = self.begin()
        it.press("F1")
        it.sees("Keys")
        self.press_all("TEXT", it)

    def test_setup(self):
        it = self.begin()
        it.press("F2")
        it.sees("Interval")
        self.press_all("SETUP", it)

    def test_recording(self):
        shown = self.open([case.program(), "top", self.record()], columns=110, rows=24)
        shown.wait("COMMAND")
        it = Pressed(shown, self)
        it.press("Space", "Home")
        it.sees(" 1/200 ")
        self.press_all("FILE", it)
