"""Lists that are no files, and lists that name files all over the disk."""

import os
import socket
from pathlib import Path

from tests.agent.spectra.readers import samples
from tests.attacks.lists.case import Case, Expected, file, one_row

OTHERS = (
    "../bait.fits", "sub/../../bait.fits", "./../bait.fits", "..\\bait.fits", "..", "../", "/",
    "/etc/passwd", "/dev/zero", "/dev/tty", "/dev/fd/0", "/proc/self/environ", "/proc/self/mem",
    "~/.ssh/id_rsa", "~root/x.fits", "file:///dev/zero", "http://127.0.0.1:9/a",
    "https://127.0.0.1:9/a", "ftp://127.0.0.1/a", "s3://bucket/a",
    "\\\\127.0.0.1\\share\\a.fits", "//127.0.0.1/share/a.fits", "\\\\?\\C:\\a.fits",
    "\\\\.\\pipe\\a", "C:\\a.fits", "C:/a.fits", "bait-link.fits",
    "folder-link/bait.fits",
)  # fmt: skip
"""Nothing of these is a file in the folder of the list."""
ODD = (
    ".", "", " ", "a.fits ", " a.fits", "a.fits/", "a.fits/.", "a.fits/..", "a.fits:stream", "CON",
    "nul.fits", "*", "[a].fits", "?.fits", "%2e%2e/bait.fits", "$HOME/a.fits", "%TEMP%\\a.fits",
    "\u2024\u2024/bait.fits", "\uff0e\uff0e/bait.fits", "..\u2215bait.fits", "a\nb.fits",
    "a\x1b[2Jb.fits", "\u202estif.a", "-rf", "--help", "`id`.fits", "$(id).fits", "a;id.fits",
    "|id", "x" * 300, "x/" * 900, "../" * 3000 + "x", "pipe.fits", "loop.fits", "dangling.fits",
    "sub", "a.fits#row", "a.fits?x=1", "a.fits[1]", "file:../bait.fits", "data:,x",
    "jar:file:///a!/b", "c:a.fits", "é" * 200 + ".fits",
)  # fmt: skip
"""Odd names: those that could be files in the folder of the list may be kept."""


def with_traps(case: Case) -> Case:
    """The list, in a folder with links to what lies outside, pipes and loops."""

    def make(folder: Path) -> Path:
        traps(folder)
        return case.make(folder)

    return Case(make, case.expected)


def traps(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "a.fits").write_bytes(b"")
    (folder / "bait-link.fits").symlink_to("../bait.fits")
    (folder / "folder-link").symlink_to("..")
    (folder / "loop.fits").symlink_to("loop.fits")
    (folder / "dangling.fits").symlink_to("nowhere.fits")
    os.mkfifo(folder / "pipe.fits")


def link(target: str, expected: Expected) -> Case:
    def make(folder: Path) -> Path:
        (folder / "list.csv").symlink_to(target)
        return folder / "list.csv"

    return Case(make, expected)


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "list.csv")
    return folder / "list.csv"


def listening(folder: Path) -> Path:
    there = os.open(folder, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(f"/proc/self/fd/{there}/list.csv")  # the path itself may be too long
    os.close(there)
    return folder / "list.csv"


def folder_of_traps(folder: Path) -> Path:
    traps(folder)
    (folder / "sub" / "up").symlink_to("..")
    (folder / "dev.fits").symlink_to("/dev/zero")
    for number in range(300):
        (folder / f"{number}.fits").write_bytes(b"SIMPLE  =" + b"x" * number)
    return folder


def deep_folders(folder: Path) -> Path:
    there = folder
    for _ in range(300):
        there = there / "a"
    there.mkdir(parents=True)
    return folder


def without_permission(folder: Path) -> Path:
    path = file("name,path\na,a.fits\n").make(folder)
    path.chmod(0)
    return path


def of_20_gb(folder: Path) -> Path:
    path = file("name,path\na,a.fits\n").make(folder)
    os.truncate(path, 20 * 1024**3)
    return path


def named(name: bytes, expected: Expected = 1) -> Case:
    def make(folder: Path) -> Path:
        path = Path(os.fsdecode(os.fsencode(folder) + b"/" + name))
        path.write_text("name,path\na,a.fits\n")
        return path

    return Case(make, expected)


def spectrum_named(folder: Path) -> Path:
    """A name in GBK, as old archives have it, beside one in UTF-8."""
    for name in (b"a.dat", "光谱.dat".encode("gbk"), "光谱.dat".encode()):
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_bytes(samples.text())
    return folder


REGULAR = "not a regular file"
FILES: dict[str, Case] = {
    "a pipe": Case(pipe, REGULAR),
    "a socket": Case(listening, REGULAR),
    **{f"a link to {place}": link(place, REGULAR)
       for place in ("/dev/zero", "/dev/tty", "/dev/null", "/dev/random", "/dev/full")},
    "a link to a pipe outside": link("../bait.fits", REGULAR),
    "a link to itself": link("list.csv", "cannot be read"),
    "a link to nowhere": link("nowhere", "cannot be read"),
    "a link to a folder": link(".", None),
    "an empty file": file("", "empty"),
    "an empty folder": Case(lambda folder: folder, None),
    "a folder of traps": Case(folder_of_traps, None),
    "a spectrum named in GBK": Case(spectrum_named, None),
    "named in no UTF-8": named(b"\xff\xfe.csv", "not valid Unicode"),
    "folders in folders": Case(deep_folders, None),
    "no file": Case(lambda folder: folder / "nothing.csv", "cannot be read"),
    "without permission": Case(without_permission, None),
    "20 GB of nothing": Case(of_20_gb, "16 GB"),
    **{f"named {name[:20]!r}": named(name) for name in (
        b"a\nb.csv", b"\x1b[2J.csv", "\u202evsc.a".encode(), b"-rf.csv", b" .csv",
        b"x" * 251 + b".csv", b"a%s{}.csv", b"<b>a.csv", b"list.csv.gz", b"list.fits")},
}  # fmt: skip
PATHS: dict[str, Case] = {
    **{f"a row names {path[:40]!r}": with_traps(one_row(path, "can be used")) for path in OTHERS},
    **{f"a row names the odd {path[:40]!r}": with_traps(one_row(path, None)) for path in ODD},
    "a row names NUL": with_traps(file("name,path\nx,a\0.fits\ny,a.fits\n", 1)),
    "an object named like a file outside": with_traps(file("name,ra,dec\n../bait,1,2\n", 1)),
}
