"""Keys on a real X server: held keys and foreign keyboard layouts."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[5]
NEEDED = ("Xvfb", "xdotool", "setxkbmap")
absent = [name for name in NEEDED if shutil.which(name) is None]
pytestmark = pytest.mark.skipif(bool(absent), reason=f"not installed: {', '.join(absent)}")
KEY_A, KEY_X, KEY_Z, KEY_4, KEY_Q = "38", "53", "52", "13", "24"
"""X key codes, which name places on the keyboard."""


class Screen:
    """The window of key_window.py on an X server."""

    def __init__(self, number: str) -> None:
        self.environment = {**os.environ, "DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb"}
        self.program = subprocess.Popen(
            [sys.executable, "-m", "tests.app.ui.base.keys.key_window_alone"], env=self.environment,
            cwd=ROOT, stdout=subprocess.PIPE, text=True
        )  # fmt: skip
        window = self.read_until("window").split()[1]
        self.call("xdotool", "windowmap", "--sync", window, "windowfocus", "--sync", window)

    def call(self, *words: str) -> None:
        subprocess.run(words, env=self.environment, check=True, timeout=60)

    def key(self, *keys: str) -> list[str]:
        """Press keys; returns the actions they ran."""
        self.call("xdotool", "key", *keys)
        return self.done()

    def done(self) -> list[str]:
        """The actions run so far; F1 marks the end of the output."""
        self.call("xdotool", "key", "F1")
        self.read_until("help")
        actions = [word for word in self.received if word != "press"]
        self.received.clear()
        return actions

    def read_until(self, wanted: str) -> str:
        assert self.program.stdout is not None
        self.received = getattr(self, "received", [])
        for line in self.program.stdout:
            if line.startswith(wanted):
                return line
            self.received.append(line.strip())
        raise AssertionError(f"the window ended: {self.received}")

    def close(self) -> None:
        self.call("xdotool", "key", "ctrl+q")
        self.program.communicate(timeout=60)


@pytest.fixture
def screen() -> Iterator[Screen]:
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1024x768x24"]
    # Otherwise it resets, and misses keys, whenever its last client disconnects.
    command += ["-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(
        command, pass_fds=[writing], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.close(writing)
    with os.fdopen(reading) as pipe:
        number = pipe.readline().strip()
    screen = Screen(number)
    try:
        yield screen
        screen.close()
    finally:
        screen.program.kill()
        screen.program.communicate()
        server.terminate()
        server.wait(timeout=60)


def test_held_and_quick_presses_and_keyboards_of_other_countries(screen):
    screen.call("xdotool", "keydown", KEY_X)
    for _ in range(8):
        screen.read_until("press")
    screen.call("xdotool", "keyup", KEY_X)
    assert screen.done() == ["reject"]
    assert screen.key(KEY_X, KEY_X, KEY_A) == ["reject", "reject", "accept"]
    screen.call("setxkbmap", "ru")
    assert screen.key(KEY_A, f"shift+{KEY_X}", f"ctrl+{KEY_Z}") == ["accept", "reject_stay", "undo"]
    screen.call("setxkbmap", "fr")
    done = screen.key(KEY_Q, f"shift+{KEY_4}", "ctrl+10")
    assert done == ["accept", "confidence_4", "judging_page"]
