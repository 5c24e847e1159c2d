"""The child process that reads a list."""

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.core.importing.child import child
from app.core.importing.child.wire import read_frame
from tests.processes import runs, wait_until


def test_a_long_search_gives_the_parent_a_chance_to_stop_it(monkeypatch):
    pipe = io.BytesIO()
    pulse = child.Heartbeat(pipe)
    assert pulse() is False
    assert pipe.getvalue() == b""
    monkeypatch.setattr(child, "HEARTBEAT_S", -1.0)
    assert pulse() is False
    pulse.report(7, None)
    pipe.seek(0)
    assert read_frame(pipe)[0] == {"type": "busy", "size": 0, "found": None}
    assert read_frame(pipe)[0] == {"type": "busy", "size": 0, "found": 7}


def reply_to(path, **more):
    """What the child says first about a list."""
    request = {"path": str(path), "roles": {}, "spectra": None, "allow_absolute": False}
    request |= {"is_preview": True, "memory_bytes": 512 * 1024**2, **more}
    script = str(Path(child.__file__))
    done = subprocess.run(
        [sys.executable, "-P", script, json.dumps(request)], capture_output=True, check=True
    )
    assert done.stderr == b""
    return answer(done.stdout)


def answer(output):
    """What the child says after it has started."""
    stream = io.BytesIO(output)
    assert read_frame(stream)[0]["type"] == "started"
    return read_frame(stream)[0]


def test_a_list_of_unknown_columns_is_shown_all_the_same(folder):
    path = folder / "list.csv"
    path.write_text("foo,bar\nstar,2\n")
    found = reply_to(path)
    assert found["type"] == "opened"
    assert found["fields"]["needs_roles"]
    assert found["rows"] == [["star", 2]]
    assert reply_to(path, is_preview=False)["type"] == "failed"


GREEDY = """
import json, sys
from app.core.importing.child import child
child.open_for_import = lambda *_: bytearray(1024**3)
sys.argv[1:] = [json.dumps({"path": "a", "roles": {}, "is_preview": sys.argv[1] == "preview",
                            "memory_bytes": 300 * 1024**2})]
child.main()
"""


@pytest.mark.skipif(sys.platform == "darwin", reason="the process is killed there")
@pytest.mark.parametrize("what", ["preview", "list"])
def test_memory_that_runs_out_is_said(what):
    done = subprocess.run([sys.executable, "-c", GREEDY, what], capture_output=True, check=True)
    assert answer(done.stdout)["reason"] == "reading it takes more than 300 MB of memory"


PARENT = """
import sys
from pathlib import Path
from app.core.importing.child.parent import ListReaderProcess
with ListReaderProcess(Path(sys.argv[1]), {}) as reader:
    reader.opened()
    print(reader._process.pid, flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the program is killed by a signal")
def test_it_ends_with_the_program(folder):
    path = folder / "list.csv"
    path.write_text("name,path\n" + "".join(f"o{n},{n}.fits\n" for n in range(200_000)))
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", PARENT, path], stdin=pipe, stdout=pipe) as program:
        number = int(program.stdout.readline())
        assert runs(number)
        os.kill(program.pid, signal.SIGKILL)
    wait_until(lambda: not runs(number))
