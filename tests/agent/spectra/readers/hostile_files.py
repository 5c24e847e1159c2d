"""Makes damaged files by the thousand and reads them. Run as a child process by test_hostile.

    python -m tests.agent.spectra.readers.hostile_files BATCH COUNT [FOLDER OF REAL FILES]

Prints one JSON line: how many were read, refused, and what went wrong.
"""

import json
import random
import resource
import signal
import struct
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from agent.errors import ReadError
from agent.spectra.readers import read
from tests.agent.spectra.readers import samples

SECONDS_EACH = 120
"""A read that takes this long hangs: the alarm ends the process, and the test with it."""
ADDRESS_SPACE = 3 * 1024**3
REAL_LIMIT = 120_000
WILD_NUMBERS = (-1, 0, 1, 2, 7, 999, -999999999, 999999999999, 2**62, 10**26, 1e308, -1e-308, -32)
WILD = (*map(str, WILD_NUMBERS), "NaN", "INF", "T", "F", "'x'", "''", "3.14159", "1E5", "64")
WILD_FORMS = (
    "1E", "9999999D", "0A", "1PE(99)", "1QD", "3X", "Z", "1", "-1E", "1677216J", "1P", "L",
)  # fmt: skip


def seeds(real: Path | None) -> list[tuple[str, bytes]]:
    made = {
        "lamost.fits": samples.lamost_image(),
        "lamost-dr1.fits": samples.lamost_dr1(),
        "lamost-table.fits": samples.lamost_table(),
        "lamost.fits.gz": samples.gz(samples.lamost_table()),
        "med.fits": samples.lamost_mrs(),
        "sdss.fits": samples.sdss(exposures=1),
        "sdss-upper.fits": samples.sdss(upper=True, names=False),
        "spspec.fits": samples.spspec(),
        "coadd-x.fits": samples.desi(),
        "redrock-x.fits": samples.redrock(),
        "4most.fits": samples.fourmost(),
        "4most-fibres.fits": samples.fourmost_table(),
        "weave.fits": samples.weave(),
        "pfs.fits": samples.pfs_object(),
        "pfs-coadd.fits": samples.pfs_objects(),
        "image.fits": samples.image_1d(
            extensions={"IVAR": samples.IVAR}, CRVAL1=3600.0, CDELT1=1.0, CTYPE1="AWAV"
        ),
        "table.fits": samples.fits_table(
            {"WAVE": ("D", samples.WAVELENGTH), "FLUX": ("E", samples.FLUX)}, WAVE="Angstrom"
        ),
        "table.vot": samples.votable(),
        "table.csv": samples.text(head="wavelength,flux\n", glue=","),
        "table.dat": samples.text(),
    }
    files = list(made.items())
    if real is not None:
        files += [
            (path.name, path.read_bytes())
            for path in sorted(real.iterdir())
            if path.name != "MANIFEST.csv" and path.stat().st_size <= REAL_LIMIT
        ]
    return files


def flip(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 4, 60))):
        data[rng.randrange(len(data))] = rng.randrange(256)


def flip_in_header(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 3, 12))):
        data[rng.randrange(min(len(data), 2880 * 2))] = rng.randrange(32, 127)


def truncate(data: bytearray, rng: random.Random) -> None:
    del data[rng.choice((0, 1, 79, 80, 2880, rng.randrange(len(data)))) :]


def wild_value(data: bytearray, rng: random.Random) -> None:
    """Another value in a header card (or, in text, after any '=')."""
    cards = [at for at in range(0, len(data) - 80, 80) if data[at + 8 : at + 10] == b"= "]
    for _ in range(rng.choice((1, 1, 3))):
        if cards:
            at = rng.choice(cards)
            data[at + 10 : at + 80] = rng.choice(WILD).rjust(20).ljust(70).encode()


def wild_shape(data: bytearray, rng: random.Random) -> None:
    key = rng.choice(("NAXIS", "NAXIS1", "NAXIS2", "PCOUNT", "TFIELDS", "BITPIX", "GCOUNT"))
    at = data.find(key.ljust(8).encode() + b"=", rng.choice((0, 0, 2880)))
    if at >= 0:
        data[at + 10 : at + 80] = rng.choice(WILD).rjust(20).ljust(70).encode()


def wild_form(data: bytearray, rng: random.Random) -> None:
    at = data.find(b"TFORM" + str(rng.randint(1, 5)).encode())
    if at >= 0:
        data[at + 10 : at + 80] = f"'{rng.choice(WILD_FORMS)}'".ljust(70).encode()


def not_a_number(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 50))):
        at = rng.randrange(max(1, len(data) - 8)) // 4 * 4
        value = rng.choice((float("nan"), float("inf"), -float("inf"), 1e38, 0.0))
        data[at : at + 4] = struct.pack(">f", value)


def cut_block(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data)) // 2880 * 2880
    del data[at : at + 2880 * rng.choice((1, 1, 2))]


def repeat_block(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data)) // 2880 * 2880
    data[at:at] = data[at : at + 2880] * rng.choice((1, 3, 200))


def pack_badly(data: bytearray, rng: random.Random) -> None:
    packed = bytearray(samples.gz(bytes(data)))
    rng.choice((flip, truncate, lambda *_: None))(packed, rng)
    data[:] = packed


def join(data: bytearray, rng: random.Random) -> None:
    data += data[rng.randrange(len(data)) :]


MUTATIONS: tuple[Callable[[bytearray, random.Random], None], ...] = (
    flip, flip_in_header, truncate, wild_value, wild_value, wild_shape, wild_form, not_a_number,
    cut_block, repeat_block, pack_badly, join,
)  # fmt: skip


def damage(
    files: list[tuple[str, bytes]], case: str,
    mutations: Sequence[Callable[[bytearray, random.Random], None]] = MUTATIONS,
) -> tuple[str, bytes, random.Random]:  # fmt: skip
    """One of the files, damaged as this case says."""
    rng = random.Random(case)
    name, data = rng.choice(files)
    damaged = bytearray(data)
    for _ in range(rng.choice((1, 1, 2))):
        if damaged:
            rng.choice(mutations)(damaged, rng)
    return name, bytes(damaged), rng


def damaged(batch: int, count: int, real: Path | None) -> list[tuple[str, bytes, random.Random]]:
    files = seeds(real)
    made = []
    for number in range(count):
        name, data, rng = damage(files, f"{batch}:{number}")
        made.append((f"{number}-{name}", data, rng))
    return made


def peak_mb() -> float:
    """Of this process alone: ru_maxrss would count the parent it was forked from."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(batch: int, count: int, real: Path | None) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    outcome = {"read": 0, "refused": 0, "wrong": [], "peak_mb": 0.0}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        for name, data, rng in damaged(batch, count, real):
            file = path / name.partition("-")[2]
            file.write_bytes(data)
            signal.alarm(SECONDS_EACH)
            try:
                spectrum = read(file, row=rng.choice((0, 0, 0, 1, 4)))
                assert len(spectrum) >= 2
                outcome["read"] += 1
            except ReadError as error:
                outcome["refused"] += 1
                if "\n" in str(error) or not str(error).startswith(file.name):
                    outcome["wrong"].append(f"{name}: message {error!s}")
            except BaseException as error:
                outcome["wrong"].append(f"{name}: {type(error).__name__}: {error}")
            signal.alarm(0)
            file.unlink()
    outcome["peak_mb"] = peak_mb()
    print(json.dumps(outcome))  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else None)
