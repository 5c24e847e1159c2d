"""Feeds one reader with what a fuzzer that knows coverage makes of sound files, until it ends.

It needs atheris, which the project does not: `pip install --target FOLDER atheris`, then
`PYTHONPATH=FOLDER:. python -m tests.attacks.fuzz fits -max_total_time=3600`. Further options are
those of libFuzzer, such as a folder for the inputs that it finds worth keeping. Some of those of
each reader, small and large, are in corpus.zip, which `test_corpus.py` reads each day. atheris
keeps some 200 bytes of each input: after five million it is at the limit of memory.
"""

import io
import sys
import tempfile
import warnings
from collections.abc import Callable
from contextlib import nullcontext, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import astropy.io.fits  # noqa: F401  what is imported before is not instrumented
import numpy  # noqa: F401
import yaml  # noqa: F401

atheris: Any = import_module("atheris") if __name__ == "__main__" else None

with nullcontext() if atheris is None else atheris.instrument_imports(include=["agent"]):
    from agent.errors import ReadError, WorkbenchError
    from agent.models.wording_source import rows_of, tool_of_yaml
    from agent.protocol.wording_rows import WordingRows
    from agent.spectra.readers import registry
    from agent.spectra.spectrum_bytes import from_bytes, to_bytes
    from agent.tasks.task_file import parse_task
    from agent.votable.parser import VOTableParser
    from tests.agent.spectra.readers import samples

PLACE = Path(tempfile.mkdtemp())
CORPUS = Path(__file__).with_name("corpus.zip")


def spectrum(data: bytes, name: str) -> None:
    try:
        to_bytes(registry.read_bytes(data, name))
    except ReadError as error:
        unforeseen = [each for each in error.reasons.values() if each.startswith("failed with")]
        assert not unforeseen, unforeseen


def votable(data: bytes) -> None:
    for _ in VOTableParser(1000).rows(io.BytesIO(data).read):
        pass


def tool(data: bytes) -> None:
    (PLACE / "a.yaml").write_bytes(data)
    tool_of_yaml(PLACE / "a.yaml")


def wording(data: bytes) -> None:
    (PLACE / "a.jsonl").write_bytes(data)
    rows = WordingRows()
    for row in rows_of(PLACE / "a.jsonl"):
        rows.add(row)
    rows.wording("x")


READERS: dict[str, tuple[Callable[[bytes], object], list[bytes]]] = {
    "fits": (
        lambda data: spectrum(data, "a.fits"),
        [samples.sdss(), samples.lamost_dr1(), samples.desi(), samples.fourmost()],
    ),
    "text": (lambda data: spectrum(data, "a.csv"), [samples.text()[:2000]]),
    "votable": (votable, [samples.votable()[:3000]]),
    "task": (
        lambda data: parse_task(data, "x"),
        [each.read_bytes() for each in Path("resources/tasks").glob("*.toml")],
    ),
    "tool": (tool, [b"tools:\n- tool_schema: {type: function, function: {name: a}}\n"]),
    "wording": (
        wording,
        [b'{"prompt": [{"role": "user", "content": "q"}], "data_source": "cv"}\n'],
    ),
    "packed": (from_bytes, [to_bytes(registry.read_bytes(samples.sdss(), "a.fits"))]),
}


def feed(name: str, data: bytes) -> None:
    """Read it: any error but those that are told to a user is a finding."""
    read, _ = READERS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with suppress(WorkbenchError):
            read(data)


def main() -> None:
    name, *options = sys.argv[1:]
    registry.READERS[:] = [each for each in registry.READERS if each.name != "specutils"]
    for number, data in enumerate(READERS[name][1]):
        (PLACE / "seeds").mkdir(exist_ok=True)
        (PLACE / "seeds" / str(number)).write_bytes(data)
    limits = ["-timeout=25", "-rss_limit_mb=1500", "-max_len=70000"]
    atheris.Setup([sys.argv[0], *limits, *options, str(PLACE / "seeds")], partial(feed, name))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
