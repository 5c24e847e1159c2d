"""The child process that reads a list."""

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.importing.child import child, wire
from app.core.importing.entries import FIELDS, Entries
from app.core.importing.formats.contents import ListColumn, Refused
from app.core.importing.opening import Preview
from app.core.importing.roles import guess_roles
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
    assert wire.read_frame(pipe)[0] == {"type": "busy", "size": 0, "found": None}
    assert wire.read_frame(pipe)[0] == {"type": "busy", "size": 0, "found": 7}


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
    assert wire.read_frame(stream)[0]["type"] == "started"
    return wire.read_frame(stream)[0]


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


# Entries between two processes: what is read is what was written.
WHOLE = st.integers(0, 2**63 - 1)
REAL = st.none() | st.floats(allow_nan=False, allow_infinity=False)
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
KINDS = {"line": WHOLE, "row": WHOLE} | dict.fromkeys(("ra", "dec", "score", "snr"), REAL)
ROW = st.tuples(*(KINDS.get(name, TEXT) for name in FIELDS))


def made(rows, refused=()):
    columns = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in FIELDS]
    return Entries(columns, [Refused(*each) for each in refused])


@given(rows=st.lists(ROW, max_size=20), refused=st.lists(st.tuples(WHOLE, TEXT), max_size=3))
def test_entries_come_back(rows, refused):
    pipe = io.BytesIO()
    wire.write_entries(pipe, made(rows, refused))
    wire.write_message(pipe, {"type": "end"})
    pipe.seek(0)
    assert wire.entries_of(wire.read_frame(pipe)) == made(rows, refused)
    assert wire.read_frame(pipe)[0]["type"] == "end"
    assert wire.read_frame(pipe) is None


def test_a_message_that_was_cut_off_is_the_end():
    pipe = io.BytesIO()
    wire.write_entries(pipe, made([(1, "a", "/a", 0, 1.0, None, None, "", None, "{}", "a")]))
    whole = pipe.getvalue()
    for size in range(len(whole)):
        assert wire.read_frame(io.BytesIO(whole[:size])) is None


# Previews between two processes: what is shown is what was found.
class File:
    """What a preview asks of a list."""

    format = "CSV"
    estimate = 1234
    columns = (
        ListColumn(name="plate", kind="int", unit="", description="a plate", ucd="meta.id"),
        ListColumn(name="mjd", kind="int"),
        ListColumn(name="fiberid", kind="int"),
        ListColumn(name="snr", kind="float", unit="1"),
        ListColumn(name="is_new", kind="bool"),
        ListColumn(name="note", kind="str"),
    )


def sent(*arguments, **more):
    """The preview as it arrives: a line of JSON lies between."""
    return wire.preview_of(json.loads(json.dumps(wire.preview_message(*arguments, **more))))


def test_all_of_a_preview_arrives():
    rows = [(1, 2, 3, 0.5, True, "α\t'"), (2**63 - 1, 0, None, None, None, None)]
    roles = guess_roles(File.columns, rows)
    assert roles.naming is not None
    refused = [[7, "it has 3 cells, not 6"]]
    assert sent(File(), rows, roles, sha256="ab", refused=refused, warnings=["two"]) == Preview(
        format="CSV",
        columns=File.columns,
        rows=tuple(rows),
        roles=roles,
        estimate=1234,
        sha256="ab",
        refused=(Refused(7, "it has 3 cells, not 6"),),
        warnings=("two",),
    )


def test_only_what_is_shown_is_sent_roles_or_none():
    row = (1, 2, 3, 0.5, True, "x" * 100_000)
    found = sent(File(), [row] * 100)
    assert found.rows == ((*row[:-1], "x" * 300),) * 20
    found = sent(File(), [], problem="choose one", needs_roles=True)
    assert (found.problem, found.needs_roles) == ("choose one", True)
    assert (found.roles.columns, found.roles.naming, found.rows) == ({}, None, ())
