"""The table of processes: moving, ordering, choosing, searching, and the screens around it."""

import re

import case


class ListTest(case.ViewerTest):
    def pids(self, shown):
        found = [re.match(r" *\d(?::\d)? +(\d+) ", row) for row in self.rows(shown)]
        return [match.group(1) for match in found if match]

    def selected(self, shown):
        """The process id of the row that stands out, by its colors."""
        for line in shown.screen(attributes=True).split("\n"):
            if re.search(r"\033\[[0-9;]*48;5;60m", line):
                return re.search(r"\b(4\d{6})\b", line).group(1)
        return None

    def wait_selected(self, shown, pid):
        shown.wait(lambda _: self.selected(shown) == pid)

    def test_order_by_each_key(self):
        shown = self.start()
        shown.wait("vllm")
        self.assertEqual(self.pids(shown)[:2], ["4200002", "4200002"])  # by memory
        shown.keys("I")
        shown.wait(lambda _: self.pids(shown)[-1] != "4200006" and self.pids(shown)[0] == "4200003")
        shown.keys("U")
        shown.wait(lambda _: self.rows(shown)[0].split()[:2] == ["1", "4200000"])  # 94 % of GPU 1
        shown.keys("<", "<")
        shown.wait(lambda _: self.rows(shown)[0].split()[0] in ("0", "6"))
        shown.keys("M")
        shown.wait(lambda _: self.pids(shown)[:2] == ["4200002", "4200002"])
        self.leave(shown)

    def test_order_from_the_menu(self):
        shown = self.start()
        shown.keys("F6")
        shown.wait("Sort by")
        shown.keys("P", "Enter")  # PID: the next that begins with it
        shown.wait_gone("Sort by")
        shown.wait(lambda _: self.pids(shown) == sorted(self.pids(shown)))
        shown.keys("F6")
        shown.wait("Sort by")
        shown.keys("Escape")
        shown.wait_gone("Sort by")
        self.leave(shown)

    def test_selection_moves_and_stays_with_its_process(self):
        shown = self.start()
        shown.wait("vllm")
        shown.keys("End")
        self.wait_selected(shown, "4200003")
        shown.keys("I")
        shown.wait(lambda _: self.pids(shown)[0] == "4200003")
        self.wait_selected(shown, "4200003")
        shown.keys("Down")
        self.wait_selected(shown, "4200006")
        shown.keys("Up")
        self.wait_selected(shown, "4200003")
        shown.keys("NPage")
        shown.wait(lambda _: self.selected(shown) not in (None, "4200003"))
        shown.keys("Home")
        self.wait_selected(shown, "4200003")
        self.leave(shown)

    def test_search_while_typing(self):
        shown = self.start()
        shown.wait("vllm")
        shown.keys("/")
        shown.type("JUPY")
        shown.wait("Search: JUPY")
        self.wait_selected(shown, "4200007")
        shown.type("zzz")
        shown.wait("not found")
        shown.keys("Escape")
        shown.wait_gone("Search:")
        shown.keys("F3")
        shown.type("pretrain")
        self.wait_selected(shown, "4200000")
        shown.keys("Enter", "n", "n", "n", "n")
        self.wait_selected(shown, "4200001")
        shown.keys("N")
        self.wait_selected(shown, "4200000")
        self.leave(shown)

    def test_filter(self):
        shown = self.start()
        shown.wait("vllm")
        shown.keys("F4")
        shown.type("mem>2G !pretrain")
        shown.wait("2 of 12 processes")
        self.assertEqual(self.pids(shown), ["4200002", "4200002"])
        shown.type(" gpu=")
        shown.wait("at 22: a value is missing")
        shown.keys("Enter")
        shown.wait("a value is missing")
        shown.type("5")
        shown.wait("1 of 12 processes")
        shown.keys("Enter")
        shown.wait_gone("Filter:")
        shown.wait("1 of 12 processes")
        shown.keys("Escape")
        shown.wait_gone("of 12 processes")
        self.leave(shown)

    def test_keys_of_a_burst_mean_what_those_before_them_lead_to(self):
        shown = self.start()
        self.wait_selected(shown, "4200002")
        # The pieces reach the viewer at once: what is selected when k comes is the first that the filter leaves.
        shown.tmux("send-keys", "-t", "viewer", "-H", *(f"{byte:02x}" for byte in b"\\gpu=6\rk"))
        shown.wait("no signal for process 4200007")
        self.leave(shown)

    def test_filter_says_what_is_wrong(self):
        shown = self.start(columns=100)
        shown.keys("\\")
        for text, said in (
            ("mme>1", "at 1: no column is called 'mme'"),
            ("mem>1X", "at 5: unknown unit 'X'"),
            ("mem>x", "at 5: 'mem' wants a number, not 'x'"),
            ("user>1", "at 1: 'user' is a text"),
            ("mem~1", "at 1: 'mem' is a number"),
            ("command~'a", "at 9: a quote is not closed"),
            ("!", "at 1: a word is missing"),
        ):
            shown.type(text)
            shown.wait(said)
            shown.keys("C-u")
            shown.wait_gone(said)
        shown.keys("Escape")
        self.leave(shown)

    def test_digits_choose_a_gpu(self):
        shown = self.start()
        shown.wait("vllm")
        shown.keys("5")
        shown.wait(re.compile("GPU 5 .* 4 of 12 processes"))
        shown.keys("a")
        shown.wait_gone("of 12 processes")
        shown.keys("9")
        shown.wait("there is no GPU 9")
        self.leave(shown)

    def test_digits_in_a_row_make_a_number(self):
        shown = self.start(scenario="base: h100x8\nsystem: {num_devices: 16}\n", columns=100, rows=40)
        shown.wait("vllm")
        shown.keys("1")
        shown.wait("GPU 1 ")
        shown.keys("2")
        shown.wait("GPU 12 ")
        self.leave(shown)

    def test_command_loses_its_folder_before_its_name(self):
        shown = self.start(columns=80)
        shown.wait(re.compile(r"(?m) vllm serve$"))
        shown.wait(re.compile(r"(?m) python3 /srv/\S*…$"))
        shown.resize(160, 24)
        shown.wait(re.compile(r"(?m) /opt/vllm/bin/vllm serve$"))
        self.leave(shown)
        shown = self.start(columns=80, profile="wddm")
        shown.wait(re.compile(r"(?m) dwm\.exe$"))
        self.leave(shown)

    def test_options_choose_gpus(self):
        shown = self.start("--id", "6,7")
        screen = shown.wait("kernel")
        self.assertRegex(screen, r"(?m)^ *6 ")
        self.assertNotRegex(screen, r"(?m)^ *0 H100")
        self.assertEqual(self.pids(shown), ["4200007", "4200006"])
        self.leave(shown)

    def test_options_name_gpus_in_many_ways(self):
        for word, labels in (("0", ["0", "0:0", "0:2", "0:5"]), ("0:2", ["0:2"]), ("3,1:1", ["1:1", "3"]), ("MIG-", None)):
            done = self.once("--id", word, profile="a100-mig")
            found = re.findall(r"(?m)^ *(\d(?::\d)?) +(?:A100|MIG)", done.stdout.decode())
            self.assertEqual(found, labels or ["0:0", "0:2", "0:5", "1:0", "1:1"], done)
        for word in ("9", "0:9", "GPU-nosuch", "0,zz", ","):
            done = self.once("--id", word, profile="a100-mig")
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(b"--id: there is no device '", done.stderr)

    def test_keys_while_samples_arrive(self):
        """A storm for a sanitizer to look at: rows change under the keys."""
        shown = self.start("--interval", "0.1", clock="real", scenario="base: h100x8\nprocesses:\n"
                           "  - {name: a, device: 0, count: 50, used_memory_mib: 1, from_ms: 300}\n"
                           "  - {name: b, device: 1, count: 50, used_memory_mib: 1}\n")
        for _ in range(40):
            shown.keys("Down", "e", "k", "Escape", "Space", "Down", "I", "Up", "t", "r", "NPage", "k", "Escape", "PPage")
        shown.wait("F10Quit")
        self.leave(shown)

    def test_tags(self):
        shown = self.start()
        shown.wait("vllm")
        shown.keys("Space", "Space")
        tagged = "\033\\[[0-9;]*38;5;220m"
        shown.wait(lambda _: len(re.findall(tagged, shown.screen(attributes=True))) >= 1)
        shown.keys("c")
        shown.wait(lambda _: not re.search(tagged, shown.screen(attributes=True)))
        self.leave(shown)

    def test_screens(self):
        shown = self.start()
        shown.wait("vllm")
        shown.keys("Tab")
        shown.wait(lambda screen: "H100" not in screen and "vllm" in screen)
        shown.keys("BTab")
        shown.wait("H100")
        shown.keys("?")
        shown.wait("Keys")
        shown.keys("End")
        shown.wait("command line")
        shown.resize(80, 90)
        page = shown.wait("this help")
        for text in ("  Space Enter          setup: the next value", "  wheel                move the selection", "  on a GPU "):
            self.assertIn(text, page)
        shown.resize(80, 24)
        shown.keys("Escape")
        shown.wait("H100")
        self.leave(shown)

    def test_mouse(self):
        shown = self.start()
        shown.wait("vllm")
        lines = shown.lines()
        heading = next(i for i, line in enumerate(lines) if "COMMAND" in line)
        shown.mouse(0, heading + 6, 30)
        self.wait_selected(shown, "4200000")
        shown.mouse(65, heading + 6, 30)
        self.wait_selected(shown, "4200005")
        shown.mouse(64, heading + 6, 30)
        self.wait_selected(shown, "4200000")
        shown.mouse(0, heading, lines[heading].index("PID"))
        shown.wait(lambda _: self.pids(shown) == sorted(self.pids(shown)))
        shown.mouse(0, heading, lines[heading].index("PID"))
        shown.wait(lambda _: self.pids(shown) == sorted(self.pids(shown), reverse=True))
        shown.mouse(0, 23, 2)
        shown.wait("Keys")
        shown.mouse(0, 23, shown.lines()[23].index("F10") + 4)
        self.assertEqual(shown.wait_end(), 0)

    def test_mouse_chooses_a_gpu_in_every_form(self):
        for columns, rows, count in ((110, 60, 4), (110, 30, 4), (80, 24, 8), (60, 14, 16), (40, 10, 8)):
            with self.subTest(columns=columns, rows=rows):
                shown = self.start(scenario=f"base: h100x8\nsystem: {{num_devices: {count}}}\n", columns=columns, rows=rows)
                self.wait_selected(shown, "4200002" if count > 4 else "4200000")
                pids = self.pids(shown)
                lines = shown.lines()
                place = [re.search(r"(?:^|\s)1 +(?:H100|\d+%|\S+ +\d+%)", line) for line in lines]
                row = next(i for i, match in enumerate(place) if match)
                column = place[row].start() + 4
                shown.mouse(0, row, column)
                shown.wait(lambda _: {gpu for gpu, _ in self.gpus_and_pids(shown)} == {"1"})
                shown.mouse(0, row, column)
                shown.wait(lambda _: self.pids(shown) == pids)
                self.leave(shown)

    def gpus_and_pids(self, shown):
        return [tuple(row.split()[:2]) for row in self.rows(shown)]

    def test_mouse_in_menus(self):
        shown = self.start()
        shown.wait("vllm")
        before = self.pids(shown)
        shown.keys("F6")
        shown.wait("Sort by")
        shown.mouse(0, 2, 60)  # beside the menu, where PID stands in it
        shown.wait_gone("Sort by")
        self.assertEqual(self.pids(shown), before)
        shown.keys("F6")
        shown.wait("Sort by")
        shown.mouse(0, 2, 3)
        shown.wait_gone("Sort by")
        shown.wait(lambda _: self.pids(shown) == sorted(self.pids(shown)))
        self.leave(shown)

    def test_ten_thousand_processes(self):
        many = "base: rtx4090x2\nprocesses:\n  - {name: /usr/bin/w, device: 0, count: 10000, used_memory_mib: 1}\n"
        shown = self.start(scenario=many)
        shown.wait("/usr/bin/w")
        shown.keys("End")
        self.wait_selected(shown, "4209999")
        shown.keys("F4")
        shown.type("pid=4205000")
        shown.wait("1 of 10000 processes")
        shown.keys("Enter", "F5")
        shown.wait("F5List")
        self.leave(shown)

    def test_strange_names(self):
        name = 'name: "a\\e[31mb\\tc 模型 e\\u0301 \\u202edesrever"'
        shown = self.start(scenario=f"base: rtx4090x2\nprocesses:\n  - {{{name}, device: 0, used_memory_mib: 5}}\n", columns=100)
        screen = shown.wait("模型")
        self.assertIn("a\ufffd[31mb c 模型 e\u0301 \ufffddesrever", screen)
        for columns in range(60, 75):
            shown.resize(columns, 24)
            shown.wait("F1Help")
        self.leave(shown)
