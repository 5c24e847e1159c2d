"""The Linux folder as what people download: an archive, one file that runs, a Debian package."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from string import Template

import contents

HERE = Path(__file__).resolve().parent / "linux"
OPT = Path("opt") / contents.FOLDER
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
LIBRARIES = ("libegl1", "libgl1", "libfontconfig1", "libx11-6", "libxcb1")
"""What Qt takes from the system: they belong to its display, and may not be another's."""
ROUND_KB = 1024


def make_all(folder: Path, out: Path, version: str, machine: str, icons: Path) -> list[Path]:
    name = f"{contents.FOLDER}-{version}-linux-{machine}"
    archive = out / f"{name}.tar.gz"
    write_archive(folder, archive)
    made = [archive, write_runnable(folder, archive, out / f"{name}.run", version)]
    if shutil.which("dpkg-deb"):
        made.append(write_debian(folder, out, version, machine, icons))
    else:
        print("no dpkg-deb here: no Debian package")
    return made


def write_archive(folder: Path, out: Path) -> None:
    """The same bytes for the same files, whoever builds it and when."""
    with (
        out.open("wb") as file,
        gzip.GzipFile("", "wb", 6, file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        archive.add(folder, contents.FOLDER, filter=_anonymous)


def write_runnable(folder: Path, archive: Path, out: Path, version: str) -> Path:
    """A shell script with the archive behind it."""
    digest = _sha256(archive)[:12]
    needed_kb = sum(each.lstat().st_size for each in folder.rglob("*")) // 1024
    told = {
        "version": version,
        "digest": digest,
        "needed_kb": str(needed_kb + ROUND_KB),
        "folder": contents.FOLDER,
        "command": contents.COMMAND,
        "title": contents.TITLE,
    }
    text = (HERE / "unpack.sh").read_text(encoding="utf-8")
    for key, value in told.items():
        text = text.replace(f"@{key}@", value)
    text = text.replace("@lines@", str(text.count("\n") + 1))
    with out.open("wb") as file:
        file.write(text.encode())
        with archive.open("rb") as packed:
            shutil.copyfileobj(packed, file)
    out.chmod(0o755)
    return out


def write_debian(folder: Path, out: Path, version: str, machine: str, icons: Path) -> Path:
    with tempfile.TemporaryDirectory(dir=out) as place:
        root = Path(place) / "root"
        shutil.copytree(folder, root / OPT, symlinks=True)
        _link(root / "usr" / "bin" / contents.COMMAND, f"/{OPT}/{contents.COMMAND}")
        _share(root / "usr" / "share", folder, icons)
        _modes(root)
        _control(root, version, machine)
        package = out / f"{contents.FOLDER}_{debian_version(version)}_{_architecture(machine)}.deb"
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Zxz", "-z6", "--build", str(root), str(package)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    return package


def debian_version(version: str) -> str:
    """What comes before a release sorts before it."""
    return re.sub(r"\.?(dev|a|b|rc)(\d+)$", r"~\1\2", version)


def _share(share: Path, folder: Path, icons: Path) -> None:
    """What desktops look for."""
    desktop = share / "applications" / f"{contents.FOLDER}.desktop"
    _fill(HERE / "desktop.in", desktop)
    _fill(HERE / "mime.xml.in", share / "mime" / "packages" / f"{contents.FOLDER}.xml")
    _fill(HERE / "metainfo.xml.in", share / "metainfo" / f"{contents.IDENTIFIER}.metainfo.xml")
    names = (f"apps/{contents.FOLDER}", f"mimetypes/{contents.MIME.replace('/', '-')}")
    for name in names:
        _copy(contents.ICON, share / "icons" / "hicolor" / "scalable" / f"{name}.svg")
        for picture in icons.glob("*.png"):
            size = f"{picture.stem}x{picture.stem}"
            _copy(picture, share / "icons" / "hicolor" / size / f"{name}.png")
    _copy(folder / "_internal" / "LICENSE", share / "doc" / contents.FOLDER / "copyright")


def _control(root: Path, version: str, machine: str) -> None:
    size_kb = sum(each.lstat().st_size for each in root.rglob("*")) // 1024
    fields = {
        "Package": contents.FOLDER,
        "Version": debian_version(version),
        "Architecture": _architecture(machine),
        "Maintainer": "The Spec-o3 Workbench authors <noreply@invalid>",
        "Installed-Size": str(size_kb),
        "Depends": ", ".join((f"libc6 (>= {_glibc()})", *LIBRARIES)),
        "Recommends": "xdg-utils, xdg-desktop-portal",
        "Section": "science",
        "Priority": "optional",
        "Description": "vet candidates of rare stars from survey spectra\n"
        " A window in which an astronomer judges LAMOST, SDSS and DESI spectra at the\n"
        " keyboard, with an agent that inspects each spectrum beside them.",
    }
    control = root / "DEBIAN" / "control"
    control.parent.mkdir()
    control.write_text("".join(f"{key}: {value}\n" for key, value in fields.items()))


def _glibc() -> str:
    """The C library it was built with: no older one will do."""
    return os.confstr("CS_GNU_LIBC_VERSION").split()[-1]  # type: ignore[union-attr]


def _architecture(machine: str) -> str:
    return ARCHITECTURES.get(machine, machine)


def _fill(source: Path, target: Path) -> None:
    cited = (contents.ROOT / "CITATION.cff").read_text(encoding="utf-8")
    facts = {
        "title": contents.TITLE,
        "folder": contents.FOLDER,
        "command": contents.COMMAND,
        "identifier": contents.IDENTIFIER,
        "suffix": contents.SUFFIX,
        "mime": contents.MIME,
        "version": contents.version(),
        "released": re.findall(r"^date-released: (.+)", cited, re.MULTILINE)[0],
    }
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(Template(source.read_text()).substitute(facts), encoding="utf-8")


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _link(place: Path, target: str) -> None:
    place.parent.mkdir(parents=True)
    place.symlink_to(target)


def _modes(root: Path) -> None:
    """As a package wants them, whatever the builder's umask was."""
    for path in (root, *root.rglob("*")):
        if not path.is_symlink():
            runs = path.is_dir() or (path.stat().st_mode & 0o100 and path.suffix == "")
            path.chmod(0o755 if runs else 0o644)


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    entry.mtime = 0
    entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
    return entry


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
