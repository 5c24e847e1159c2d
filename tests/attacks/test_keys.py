"""A key of a server is in nothing that the program writes, prints or starts a process with."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest

from tests.attacks.servers.framing import framing
from tests.attacks.servers.inspection import spectrum
from tests.attacks.servers.replies import ANSWER, said, whole, zooming
from tests.attacks.servers.server import KEY, Call, Play, hostile
from tests.night import BY_NIGHT
from tests.processes import LONG_S

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
    pytest.mark.timeout(900),
]

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "hf_canary4c2c9a1f7b"
SECRETS = (KEY, TOKEN)
OBJECTS = 2
EXPORTS = ("all.jsonl", "all.html", "all.csv", "all.ecsv", "all.fits", "all.vot")
EXPORTS = EXPORTS if BY_NIGHT else EXPORTS[:1]


class Desk:
    """A home folder of its own, where commands run with keys in their environment."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.output = ""
        self.children: dict[str, int] = {}
        """Process numbers by command line."""
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("XDG_")},
            "HOME": str(home),
            "SPEC_O3_API_KEY": KEY,
            "HF_TOKEN": TOKEN,
            "PYTHONPATH": str(ROOT),
        }
        rows = []
        whole_spectrum = spectrum()
        for number in range(OBJECTS):
            flux = whole_spectrum.flux + 0.1 * number
            errors = np.full(len(whole_spectrum), 0.05)
            columns = np.column_stack([whole_spectrum.wavelength, flux, errors])
            name = f"star{number}.csv"
            header = "wavelength,flux,error"
            np.savetxt(home / name, columns, delimiter=",", header=header, comments="")
            rows.append(f"star-{number},{name}")
        (home / "list.csv").write_text("\n".join(["object_id,path", *rows]) + "\n")

    def run(self, *arguments: str) -> int:
        """`spec-o3` with these arguments; the command lines of its children are noted, too."""
        child = subprocess.Popen(
            [sys.executable, "-m", "app.cli.main", *arguments],
            cwd=self.home,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        ended = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(child.pid, ended))
        watcher.start()
        try:
            self.output += child.communicate(timeout=LONG_S)[0]
        finally:
            child.kill()
            ended.set()
            watcher.join()
        return child.returncode

    def _watch(self, pid: int, ended: threading.Event) -> None:
        while not ended.wait(0.02):
            for each in _family(pid):
                try:
                    command = Path(f"/proc/{each}/cmdline").read_bytes().decode()
                except OSError:
                    continue  # it has ended
                self.children[command] = each

    def check(self) -> None:
        for secret in SECRETS:
            assert secret not in self.output
            assert not any(secret in command for command in self.children)
            for path in self.home.rglob("*"):
                if path.is_file():
                    assert secret.encode() not in path.read_bytes(), path
        assert "Traceback" not in self.output
        assert self.children


def _family(pid: int) -> Iterator[int]:
    yield pid
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # the thread has ended
            for child in listed.read_text().split():
                yield from _family(int(child))


@contextmanager
def desk_with(play: Play, tmp_path: Path) -> Iterator[tuple[Desk, str]]:
    """A desk and the address of a server that has to be sent the key."""
    with hostile(play) as server:
        yield Desk(tmp_path), f"{server.url}#m"
        assert server.requests
        assert all(f"Bearer {KEY}".encode() in head for head, _ in server.requests)


def echoing(call: Call) -> None:
    """A model that looks once and repeats the key in every sentence."""
    if b"Generated spectral" in call.body:
        said(f"<think>{KEY}</think>{KEY}<answer>{KEY} \\boxed{{YES}}</answer>")(call)
    else:
        zooming(f'{{"wavelength_range": [6500, 6600], "label": "{KEY}"}}')(call)


def test_from_the_list_to_the_exports(tmp_path: Path) -> None:
    with desk_with(echoing, tmp_path) as (desk, model):
        assert desk.run("info", "star0.csv") == 0
        assert desk.run("inspect", "star0.csv", "--task", "CV", "--model", model, "--json",
                        "--save", "out.jsonl", "--runs", "2") == 0  # fmt: skip
        assert desk.run("new", "night.speco3", "list.csv", "--task", "CV") == 0
        assert desk.run("vet", "night.speco3", "--model", model, "--workers", "2") == 0
        for name in EXPORTS:
            which = () if name.endswith("html") else ("--which", "all")
            assert desk.run("export", "night.speco3", name, *which) == 0, desk.output
        if BY_NIGHT:
            assert desk.run("stats", "night.speco3") == 0
            assert desk.run("log", "night.speco3") == 0
            assert desk.run("pack", "night.speco3", "packed.speco3") == 0, desk.output
        assert (tmp_path / "out.jsonl").read_text().count("YES")
        assert (tmp_path / "all.jsonl").read_text().count("\n") == OBJECTS
    desk.check()


@pytest.mark.parametrize("name", ["redirect", "401", "broken"][: 3 if BY_NIGHT else 1])
def test_when_the_server_fails(name: str, tmp_path: Path) -> None:
    message = {"error": {"message": f"wrong key Bearer {KEY}", "code": KEY}}
    plays = {
        "401": whole(message, "401 No"),
        "redirect": whole(b"", "307 Moved", location=f"http://127.0.0.2/{KEY}"),
        "broken": framing()["length_negative"].play,
    }
    with desk_with(plays[name], tmp_path) as (desk, model):
        options = ("--model", model, "--save", "out.jsonl")
        assert desk.run("inspect", "star0.csv", "--task", "CV", *options) == 1
        if BY_NIGHT:
            assert desk.run("new", "night.speco3", "list.csv", "--task", "CV") == 0
            desk.run("vet", "night.speco3", "--model", model, "--limit", "1")
            desk.run("export", "night.speco3", "all.jsonl")
    desk.check()


def test_when_a_worker_is_killed(tmp_path: Path) -> None:
    def fatal(call: Call) -> None:
        said(ANSWER)(call)
        for command, pid in list(desk.children.items()):
            if "worker/__main__.py" in command:
                killed.append(pid)
                os.kill(pid, signal.SIGKILL)

    killed: list[int] = []
    with desk_with(fatal, tmp_path) as (desk, model):
        assert desk.run("new", "night.speco3", "list.csv", "--task", "CV") == 0
        desk.run("vet", "night.speco3", "--model", model)
    assert killed
    desk.check()


def test_when_the_hub_fails(tmp_path: Path) -> None:
    """A mirror that is asked with the token and repeats it."""
    desk = Desk(tmp_path)
    with hostile(whole(TOKEN.encode(), f"404 {TOKEN}", x_error_code=TOKEN)) as server:
        desk._environment["HF_ENDPOINT"] = f"http://me:{TOKEN}@127.0.0.1:{server.port}"
        assert desk.run("models", "get", "spec-o3-3b") == 1
        assert len(server.requests) == 1, "it does not ask again and again"
    desk.check()
