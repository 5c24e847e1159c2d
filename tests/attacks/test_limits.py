"""Where something runs out, a command ends in one sentence, leaves no process, loses nothing."""

import os
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest

from agent.inspection.measured_inspector import MeasuredInspector
from app.core.inspections.store import count_pending
from app.core.session.session import open_session
from tests.app.cli.commands import SAMPLE, run
from tests.app.core.session.full_disk import full_disk  # noqa: F401
from tests.attacks.limits import IMPATIENT, PATIENCE_S, Program, check_whole, ended
from tests.night import BY_NIGHT, seeds
from tests.processes import wait_until

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="its limits and its /proc"),
    pytest.mark.timeout(1200),  # several programs, each with a long time to end
]
FEW, SOME = 4, 24 if BY_NIGHT else 12
MEASURED = ("--model", "measured")
SPECTRA = ("--spectra", SAMPLE)
COMMANDS = ("new", "vet", "inspect", "export", "merge", "stats", "demo", "window")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with lists, and sessions of two people."""
    folder = tmp_path_factory.mktemp("prepared")
    lines = (SAMPLE / "candidates.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    for name, count in (("few", FEW), ("list", SOME)):
        (folder / f"{name}.csv").write_text("".join(lines[: count + 1]), encoding="utf-8")
    for name, rows, reviewer in (
        ("night", "few.csv", "Ada"),
        ("other", "few.csv", "Ben"),
        ("long", "list.csv", "Ada"),
    ):
        words = (folder / f"{name}.speco3", folder / rows, "--reviewer", reviewer)
        run("new", *words, "--task", "CV", *SPECTRA)
    return folder


def copied(prepared: Path, folder: Path) -> Path:
    for each in prepared.iterdir():
        if each.suffix in (".csv", ".speco3"):
            shutil.copy(each, folder)
    return folder


def words_of(command: str, folder: Path) -> tuple[object, ...]:
    """The command, with all that it reads and writes in this folder."""
    night, spectrum = folder / "night.speco3", next((SAMPLE / "spectra").rglob("*.fits.gz"))
    return {
        "new": ("new", folder / "new.speco3", folder / "few.csv", "--task", "CV", *SPECTRA),
        "vet": ("vet", night, "--workers", 2, *MEASURED),
        "inspect": (
            "inspect",
            spectrum,
            "--task",
            "CV",
            "--save",
            folder / "kept.jsonl",
            *MEASURED,
        ),
        "export": ("export", night, folder / "out.csv", "--which", "all"),
        "merge": ("merge", night, folder / "other.speco3"),
        "stats": ("stats", night),
        "demo": ("demo", "--out", folder / "demo", *MEASURED),
        "window": (night,),
    }[command]


@pytest.mark.parametrize("megabytes", (300, 100, 200, 400, 700, 1000)[: 6 if BY_NIGHT else 1])
@pytest.mark.parametrize("command", COMMANDS if BY_NIGHT else ("vet", "inspect", "window"))
def test_too_little_memory(command: str, megabytes: int, prepared: Path, tmp_path: Path) -> None:
    copied(prepared, tmp_path)
    done = ended(*words_of(command, tmp_path), limit=f"ulimit -v {megabytes}000")
    done.check_sentence("MB", "ulimit -v unlimited")
    assert check_whole(tmp_path / "night.speco3") == FEW


@pytest.mark.parametrize("command", COMMANDS[:-1] if BY_NIGHT else ("new", "vet"))
@pytest.mark.parametrize("descriptors", (64, 32, 12)[: 3 if BY_NIGHT else 1])
def test_few_open_files(command: str, descriptors: int, prepared: Path, tmp_path: Path) -> None:
    """64 are enough for all; with fewer it works or says that they are too few."""
    copied(prepared, tmp_path)
    done = ended(*words_of(command, tmp_path), limit=f"ulimit -n {descriptors}")
    if descriptors == 64 or done.status == 0:
        done.check_worked()
    else:
        done.check_sentence("oo many", "open")
    assert check_whole(tmp_path / "night.speco3") == FEW


def test_more_workers_than_open_files(prepared: Path, tmp_path: Path) -> None:
    """Those that cannot be started are done without."""
    copied(prepared, tmp_path)
    words = ("vet", tmp_path / "night.speco3", "--workers", 6, *MEASURED)
    done = ended(*words, limit="ulimit -n 20")
    done.check_worked()
    assert f"{FEW} inspected" in done.output


WRITING = ("new", "vet", "inspect", "export", "merge", "demo")


@pytest.mark.parametrize("command", WRITING if BY_NIGHT else ("new", "inspect"))
@pytest.mark.parametrize("free", (0, 4096, 8192)[: 3 if BY_NIGHT else 1])
def test_a_full_disk(command: str, free: int, prepared: Path, full_disk) -> None:  # noqa: F811
    folder, leave = full_disk
    copied(prepared, folder)
    if command == "new":
        (folder / "long.speco3").unlink()  # with it there would be no room for a new session
    before = (folder / "night.speco3").read_bytes()
    saved = (folder / "kept.jsonl").write_text("{}\n")
    leave(free)
    done = ended(*words_of(command, folder))
    if free == 0 or done.status != 0:
        done.check_sentence()
        assert "full" in done.errors or "space" in done.errors, done
        assert (folder / "kept.jsonl").stat().st_size == saved, "half a record was left"
    leave(None)
    assert check_whole(folder / "night.speco3") == FEW
    assert (folder / "night.speco3").read_bytes() == before or command in ("vet", "merge")
    again = ended(*words_of(command, folder))  # with space again; the demo needs more than all
    if command == "demo":
        again.check_sentence("full")
    else:
        again.check_worked()


def without_rights() -> tuple[str, ...]:
    """How to start a program that may not write where root may; an ordinary person never may."""
    if os.getuid() != 0:
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("setpriv is not there, and root may write everywhere")
    return ("setpriv", "--bounding-set", "-all", "--inh-caps", "-all")


@pytest.mark.parametrize("command", WRITING if BY_NIGHT else ("vet",))
def test_a_folder_that_cannot_be_written(command: str, prepared: Path, tmp_path: Path) -> None:
    folder = tmp_path / "read-only"
    folder.mkdir()
    copied(prepared, folder)
    for each in folder.iterdir():
        each.chmod(0o444)
    folder.chmod(0o555)
    try:
        ended(*words_of(command, folder), prefix=without_rights()).check_sentence(str(folder))
        ended(*words_of("stats", folder), prefix=without_rights()).check_worked()
        assert len(list(folder.iterdir())) == 5
    finally:
        folder.chmod(0o755)
    assert check_whole(folder / "night.speco3") == FEW


def vet(session: Path) -> Program:
    return Program("vet", session, "--workers", 2, *MEASURED, program=IMPATIENT)


def left(session: Path) -> int:
    """How many are not inspected yet."""
    with open_session(session, "Ada") as opened:
        return count_pending(opened, MeasuredInspector().model)


@pytest.mark.parametrize("seed", seeds(by_day=1, by_night=8))
def test_a_killed_program_takes_its_workers_along(
    seed: int, prepared: Path, tmp_path: Path
) -> None:
    session = copied(prepared, tmp_path) / "long.speco3"
    with vet(session) as program:
        wait_until(lambda: len(program.children()) == 2)
        time.sleep(0.1 * seed)  # from before they have loaded to the middle of the list
        os.kill(program.process.pid, signal.SIGKILL)
        wait_until(lambda: not program.children())
    assert check_whole(session) == SOME
    remaining = left(session)
    with vet(session) as program:
        assert f"{remaining} inspected" in program.end().output
    assert left(session) == 0


@pytest.mark.parametrize("seed", seeds(by_day=1, by_night=4))
@pytest.mark.parametrize("stopped", [1, 2] if BY_NIGHT else [1])
def test_workers_that_are_stopped_are_replaced(
    seed: int, stopped: int, prepared: Path, tmp_path: Path
) -> None:
    session = copied(prepared, tmp_path) / "long.speco3"
    with vet(session) as program:
        wait_until(lambda: len(program.children()) == 2)
        time.sleep(0.15 * (seed + 1))
        for each in program.children()[:stopped]:
            os.kill(each, signal.SIGSTOP)
        done = program.end()
    done.check_worked()
    assert f"{SOME} inspected" in done.output
    assert left(session) == 0


@pytest.mark.parametrize("seed", seeds(by_day=1, by_night=2))
def test_a_program_that_sleeps_for_a_while_goes_on(
    seed: int, prepared: Path, tmp_path: Path
) -> None:
    """All of it stops at Ctrl-Z, or with the machine: that is no worker without a sign of life."""
    session = copied(prepared, tmp_path) / "long.speco3"
    with vet(session) as program:
        wait_until(lambda: len(program.children()) == 2)
        time.sleep(0.3 * (seed + 1))
        every = program.processes()
        for each in every:
            os.kill(each, signal.SIGSTOP)
        time.sleep(PATIENCE_S + 1)
        for each in every:
            os.kill(each, signal.SIGCONT)
        seen: set[int] = set()
        while program.process.poll() is None:
            seen.update(program.children())
            time.sleep(0.05)
        done = program.end()
    done.check_worked()
    assert seen <= set(every)
    assert left(session) == 0
