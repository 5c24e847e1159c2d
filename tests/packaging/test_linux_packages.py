"""What people download for Linux, made of a small program that says how it was started."""

import os
import shutil
import signal
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

if not sys.platform.startswith("linux"):
    pytest.skip("packages for Linux are made on Linux", allow_module_level=True)

PROGRAM = """#!/bin/sh
echo "at $0"
for word; do echo "word $word"; done
exit 7
"""
VERSION = "0.3.0.dev1"


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "built" / "spec-o3-workbench"
    (place / "_internal").mkdir(parents=True)
    (place / "_internal" / "LICENSE").write_text("a licence")
    (place / "_internal" / "library.so.1").write_bytes(bytes(50_000))
    (place / "_internal" / "library.so").symlink_to("library.so.1")
    (place / "spec-o3").write_text(PROGRAM)
    (place / "spec-o3").chmod(0o755)
    return place


@pytest.fixture
def runnable(script, folder, tmp_path):
    archive = tmp_path / "program.tar.gz"
    packages = script("linux_packages")
    packages.write_archive(folder, archive)
    return packages.write_runnable(folder, archive, tmp_path / "program.run", VERSION)


def start(runnable, home, *words, path="/usr/bin:/bin", **more):
    environment = {"HOME": str(home), "PATH": path, "LC_ALL": "C.UTF-8", **more}
    return subprocess.run([str(runnable), *words], env=environment, capture_output=True, text=True)


def unpacked(home):
    return sorted((home / ".cache" / "spec-o3-workbench" / "program").iterdir())


def test_an_archive_is_the_same_every_time(script, folder, tmp_path):
    packages = script("linux_packages")
    packages.write_archive(folder, tmp_path / "one.tar.gz")
    os.utime(folder / "spec-o3", (1, 1))
    (folder / "_internal" / "LICENSE").chmod(0o600)
    packages.write_archive(folder, tmp_path / "two.tar.gz")
    assert (tmp_path / "one.tar.gz").read_bytes() == (tmp_path / "two.tar.gz").read_bytes()
    with tarfile.open(tmp_path / "one.tar.gz") as archive:
        modes = {entry.name: (entry.mode, entry.uname) for entry in archive}
        link = archive.getmember("spec-o3-workbench/_internal/library.so")
    assert modes["spec-o3-workbench/spec-o3"] == (0o755, "root")
    assert modes["spec-o3-workbench/_internal/LICENSE"] == (0o644, "root")
    assert link.issym() and link.linkname == "library.so.1"


def test_one_file_unpacks_itself_once_and_starts(runnable, tmp_path):
    home = tmp_path / "Zoë 天文 $HOME"
    home.mkdir()
    done = start(runnable, home, "two words", "*", "--help")
    (place,) = unpacked(home)
    assert done.returncode == 7
    assert done.stdout.splitlines() == [
        f"at {place}/spec-o3",
        *("word two words", "word *", "word --help"),
    ]
    assert place.name.startswith(f"{VERSION}-")
    (place / "spec-o3").write_text("#!/bin/sh\necho unpacked before\n")
    assert start(runnable, home).stdout == "unpacked before\n"
    assert unpacked(home) == [place]


def test_it_is_found_on_the_path_and_by_a_shell(runnable, tmp_path):
    done = start(runnable.name, tmp_path, path=f"{runnable.parent}:/usr/bin:/bin")
    assert done.returncode == 7, done.stderr
    done = subprocess.run(
        ["sh", runnable.name], cwd=runnable.parent, env={"HOME": str(tmp_path)}, capture_output=True
    )
    assert done.returncode == 7, done.stderr


def test_two_at_once_both_start(runnable, tmp_path):
    environment = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    both = [
        subprocess.Popen([str(runnable)], env=environment, stdout=subprocess.PIPE) for _ in range(4)
    ]
    said = [each.communicate()[0] for each in both]
    assert {each.returncode for each in both} == {7}
    (place,) = unpacked(tmp_path)
    assert set(said) == {f"at {place}/spec-o3\n".encode()}
    assert not (place / "spec-o3-workbench").exists()


def test_a_file_that_is_not_whole(runnable, tmp_path):
    runnable.write_bytes(runnable.read_bytes()[:-200])
    done = start(runnable, tmp_path)
    assert done.returncode == 1
    assert "could not be unpacked" in done.stderr
    assert "Fetch it again" in done.stderr
    assert unpacked(tmp_path) == []


def test_a_full_disk_is_told_before(runnable, tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    lines = "Filesystem 1024-blocks Used Available Capacity Mounted\\ntmpfs 9 9 12 100% /\\n"
    (tools / "df").write_text(f"#!/bin/sh\nprintf '{lines}'\n")
    (tools / "df").chmod(0o755)
    done = start(runnable, tmp_path, path=f"{tools}:/usr/bin:/bin")
    assert done.returncode == 1
    assert "has 0 MB free and it takes" in done.stderr
    assert "SPEC_O3_PROGRAM" in done.stderr
    assert unpacked(tmp_path) == []


def test_a_home_that_cannot_be_written_to(runnable, tmp_path):
    home = tmp_path / "home"
    home.write_text("no folder")
    done = start(runnable, home)
    assert done.returncode == 1
    assert "cannot be made. Name another folder in SPEC_O3_PROGRAM" in done.stderr
    elsewhere = tmp_path / "elsewhere"
    assert start(runnable, home, SPEC_O3_PROGRAM=str(elsewhere)).returncode == 7
    assert len(list(elsewhere.iterdir())) == 1


def test_broken_off_it_leaves_nothing(runnable, tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    told = tmp_path / "told"
    os.mkfifo(told)
    (tools / "tar").write_text(f"#!/bin/sh\nexec >{told}\nkill -TERM $PPID\nexec cat >/dev/null\n")
    (tools / "tar").chmod(0o755)
    environment = {"HOME": str(tmp_path), "PATH": f"{tools}:/usr/bin:/bin"}
    with subprocess.Popen([str(runnable)], env=environment) as running:
        told.open().close()
        assert running.wait() == 128 + signal.SIGTERM
    assert unpacked(tmp_path) == []


needs_dpkg = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="no dpkg-deb here")


@needs_dpkg
def test_a_debian_package(script, folder, tmp_path):
    icons = tmp_path / "icons"
    icons.mkdir()
    (icons / "48.png").write_bytes(b"a picture")
    packages = script("linux_packages")
    package = packages.write_debian(folder, tmp_path, VERSION, "x86_64", icons)
    assert package.name == "spec-o3-workbench_0.3.0~dev1_amd64.deb"
    root = tmp_path / "root"
    subprocess.run(["dpkg-deb", "-x", package, root], check=True)
    command = root / "usr" / "bin" / "spec-o3"
    assert str(command.readlink()) == "/opt/spec-o3-workbench/spec-o3"
    assert (root / "opt/spec-o3-workbench/_internal/library.so").is_symlink()
    desktop = (root / "usr/share/applications/spec-o3-workbench.desktop").read_text()
    assert "Exec=spec-o3 %f" in desktop
    assert "MimeType=application/x-speco3;" in desktop
    assert "Icon=spec-o3-workbench" in desktop
    mime = (root / "usr/share/mime/packages/spec-o3-workbench.xml").read_text()
    assert 'glob pattern="*.speco3"' in mime
    drawn = root / "usr/share/icons/hicolor"
    assert (drawn / "scalable/apps/spec-o3-workbench.svg").is_file()
    assert (drawn / "48x48/mimetypes/application-x-speco3.png").is_file()
    fields = subprocess.run(
        ["dpkg-deb", "-f", package], check=True, capture_output=True, text=True
    ).stdout
    assert "Architecture: amd64" in fields
    assert "libegl1" in fields and "libc6 (>= 2." in fields


@needs_dpkg
@pytest.mark.parametrize(
    "versions", [("0.1.0.dev0", "0.1.0"), ("0.1.0rc1", "0.1.0"), ("0.1.0", "0.1.1.dev0")]
)
def test_versions_keep_their_order(script, versions):
    older, newer = map(script("linux_packages").debian_version, versions)
    subprocess.run(["dpkg", "--compare-versions", older, "lt", newer], check=True)


@pytest.mark.parametrize("name", ["desktop.in", "mime.xml.in", "metainfo.xml.in"])
def test_nothing_is_left_to_fill_in(script, tmp_path, name):
    packages = script("linux_packages")
    packages._fill(Path(packages.HERE) / name, tmp_path / "filled")
    assert "$" not in (tmp_path / "filled").read_text()


@pytest.mark.skipif(not shutil.which("appstreamcli"), reason="appstreamcli is not installed here")
def test_software_centres_have_nothing_to_say(script, tmp_path):
    packages, filled = script("linux_packages"), tmp_path / "own.metainfo.xml"
    packages._fill(Path(packages.HERE) / "metainfo.xml.in", filled)
    words = ["appstreamcli", "validate", "--no-net", "--pedantic", "--no-color", str(filled)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 1, done.stdout
