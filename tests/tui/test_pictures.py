"""The pictures in the documents show what the viewer shows today: their words are those of its screens. Values and graphs move."""

import html
import importlib.machinery
import importlib.util
import os
import re

import case
import machines


def words(text):
    return set(re.findall(r"[A-Z]?[a-z_%]{2,}|[A-Z_%]{3,}", text))  # the line of keys has no blanks between them


def load_script():
    loader = importlib.machinery.SourceFileLoader("screenshots", os.path.join(case.SOURCE, "scripts", "screenshots"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("screenshots", loader))
    loader.exec_module(module)
    return module


class PictureTest(case.ViewerTest):
    def test_pictures_are_of_today(self):
        pictures = load_script().PICTURES
        self.assertEqual({f"{name}.svg" for name in pictures}, set(os.listdir(os.path.join(case.SOURCE, "docs", "images"))))
        for name, (machine, (columns, rows), arguments, keys, _) in pictures.items():
            with self.subTest(picture=name), open(os.path.join(case.SOURCE, "docs", "images", f"{name}.svg"), encoding="utf-8") as file:
                drawn = words(" ".join(html.unescape(text) for text in re.findall(r"<text [^>]*>([^<]*)</text>", file.read())))
                command = [case.program(), "sim", "--profile", machine, "--", case.program(), "top", *arguments]
                shown = self.open(command, {"NVPULSE_ROOT": machines.root(self.folder)}, columns=columns, rows=rows)
                shown.wait(re.compile(r"driver \d"))  # the GPUs are known
                for key in keys:
                    shown.keys(key)
                try:
                    shown.wait(lambda screen, drawn=drawn: words(screen) == drawn, limit_s=30)
                except AssertionError:
                    self.assertEqual(words(shown.screen()), drawn, f"scripts/screenshots makes docs/images/{name}.svg anew")
                self.leave(shown)
