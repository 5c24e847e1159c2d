"""Hundreds of damaged lists in child processes, and what a list may not make us do."""

import json
import re
import subprocess
import sys

import pytest

from app.core.errors import ImportFailed
from app.core.importing.importer import import_list, preview
from tests.app.core.importing.hostile_lists import FORMATS
from tests.app.core.importing.lists import every, import_text, listed, refusals, touch
from tests.night import BY_NIGHT

COUNT = 300 if BY_NIGHT else 100
MAX_MB = 400


@pytest.mark.parametrize("format_", FORMATS)
def test_damaged_lists_are_read_or_refused(format_):
    command = [sys.executable, "-W", "error", "-m", "tests.app.core.importing.hostile_lists"]
    done = subprocess.run([*command, format_, "7", str(COUNT)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["read"] + told["refused"] == COUNT
    assert min(told["read"], told["refused"]) > 0
    assert told["peak_mb"] < MAX_MB


BIG = """
import sys
from pathlib import Path
from app.core.errors import ImportFailed
from tests.app.core.importing.lists import of_all_entries
from tests.app.core.importing.memory import peak_mb

def counted(read):
    used = refused = 0
    for entries in read:
        used, refused = used + len(entries), refused + len(entries.refused)
    return used, refused

try:
    print(*of_all_entries(Path(sys.argv[1]), counted))
except ImportFailed as error:
    print(error)
print("peak", int(peak_mb()))
"""


def read_elsewhere(path):
    """The most memory that a process took to read the list, and what it said."""
    command = [sys.executable, "-c", BIG, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(done.stdout.split()[-1]), done.stdout


def cells_of_ten_mb(folder):
    path = folder / "list.csv"
    with path.open("wb") as file:
        file.write(b"name,path,note\n")
        for number in range(4):
            file.write(b"a%d,a.fits," % number + b"x" * 10_000_000 + b"\n")
            file.write(b'b%d,b.fits,"' % number + b"a line of more\n" * 50_000 + b'"\n')
            file.write(b"c%d,c.fits,fine\n" % number)
    return path


def one_endless_line(folder):
    return listed(folder, b"name,path\n" + b"x," * 60_000_000)


def only_line_ends(folder):
    return listed(folder, b"name,path\n" + b"\n" * 3_000_000 + b"a,a.fits\n")


def a_gzip_bomb(folder):
    import gzip

    path = folder / "list.csv.gz"
    with gzip.open(path, "wb") as file:
        file.write(b"name,path\n")
        for _ in range(100):
            file.write(b"a,a.fits\n" * 1_000_000)
    return path


def very_many_columns(folder):
    return listed(folder, b"name" + b",c" * 50_000_000 + b"\n")


def a_long_cell_in_a_votable(folder):
    path = folder / "list.vot"
    head = b'<VOTABLE><RESOURCE><TABLE><FIELD name="name" datatype="char" arraysize="*"/><DATA>'
    with path.open("wb") as file:
        file.write(head + b"<TABLEDATA><TR><TD>" + b"x" * 100_000_000 + b"</TD></TR>")
        file.write(b"<TR><TD>b</TD></TR></TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>")
    return path


@pytest.mark.parametrize(("make", "said"), [
    (cells_of_ten_mb, "^4 200008$"),
    (one_endless_line, "^0 1$"),
    (only_line_ends, "^1 0$"),
    (a_gzip_bomb, "more than 200 times its size"),
    (very_many_columns, "first line is longer than 1 MB"),
    (a_long_cell_in_a_votable, "^1 1$"),
])  # fmt: skip
def test_memory_does_not_grow_with_what_a_list_claims(folder, make, said):
    peak, told = read_elsewhere(make(folder))
    assert re.search(said, told, re.MULTILINE), told
    assert peak < 250


def test_billions_that_a_header_declares(session, folder):
    import gzip

    cards = ["SIMPLE  =                    T", "BITPIX  =                    8",
             "NAXIS   =                    0", "END"]  # fmt: skip
    table = ["XTENSION= 'BINTABLE'", "BITPIX  =                    8",
             "NAXIS   =                    2", "NAXIS1  =       99999999999999",
             "NAXIS2  =                    1", "PCOUNT  =                    0",
             "GCOUNT  =                    1", "TFIELDS =                    1",
             "TFORM1  = '99999999A'", "END"]  # fmt: skip
    raw = b"".join("".join(f"{c:80}" for c in each).ljust(2880).encode() for each in (cards, table))
    for name, content in (("list.fits", raw), ("list.fits.gz", gzip.compress(raw))):
        (folder / name).write_bytes(content)
        with pytest.raises(ImportFailed):
            import_list(session, folder / name)
        peak, told = read_elsewhere(folder / name)
        assert "99" in told or "need" in told, told
        assert peak < 250


def test_a_list_names_files_all_over_the_disk(session, folder, tmp_path):
    touch(folder, "good.fits")
    touch(tmp_path, "secret.fits")
    names = ["good.fits", "../secret.fits", "/etc/passwd", "http://x/a.fits", "/dev/zero",
             "sub/../../secret.fits", "\\\\server\\share\\a.fits", "~/.ssh/id_rsa"]  # fmt: skip
    lines = [f"o{number},{name}" for number, name in enumerate(names)]
    import_text(session, folder, "\n".join(["name,path", *lines]) + "\n")
    assert [each.path for each in every(session)] == [str(folder / "good.fits")]
    assert [line for line, _ in refusals(session)] == [2, 3, 4, 5, 6, 7, 8]


def test_a_list_that_is_itself_no_file(session, folder):
    import os

    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes in folders here")
    os.mkfifo(folder / "list.csv")
    for location in (folder / "list.csv", "/dev/zero"):
        with pytest.raises(ImportFailed, match="not a regular file"):
            import_list(session, location)
        with pytest.raises(ImportFailed, match="not a regular file"):
            preview(location)


def test_errors_do_not_carry_what_a_terminal_obeys(session, folder):
    (folder / "\x1b[2Jlist.csv").write_text("\x1b]0;owned\x07,b\n1,2\n")
    with pytest.raises(ImportFailed) as caught:
        import_list(session, folder / "\x1b[2Jlist.csv")
    assert str(caught.value).isprintable()
