"""Model files from strangers are loaded or refused with a sentence, within memory."""

import shutil
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("llama_cpp")

from agent.engines.gguf.header import read_gguf_header
from agent.inspection.built_in import EYE
from agent.models.registry import BUNDLED
from tests.attacks.models.folders import copy, folders, wild
from tests.attacks.models.gguf import mutated_gguf
from tests.attacks.sandbox import Outcome, Sandbox
from tests.night import BY_NIGHT, seeds
from tests.small_models import tiny_qwen25

__all__ = ["tiny_qwen25"]

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="cases are forked"),
    pytest.mark.timeout(900),  # each case loads a model, and the first import of torch is slow
]

BATCHES, GGUF_BATCHES = 48, 20
WILD = 20 if BY_NIGHT else 6
GGUF_CASES = 20 if BY_NIGHT else 4
HARMLESS = ("template_loop", "template_escape", "code_from_a_hub")
"""Nothing runs a template or code of a folder: these load as if nothing were there."""


@pytest.fixture(scope="module")
def loads_gguf() -> Iterator[Sandbox]:
    with Sandbox("tests.attacks.models.gguf:load_gguf") as made:
        yield made


@pytest.mark.parametrize("batch", seeds(by_day=1, by_night=BATCHES))
def test_a_folder_from_a_stranger(batch: int, tiny_qwen25: Path, tmp_path: Path) -> None:
    changes = folders()
    with Sandbox("tests.attacks.models.folders:load") as sandbox:
        plain = sandbox.run(str(tiny_qwen25))
        assert plain.value == ""
        for name in sorted(changes)[batch::BATCHES]:
            folder = copy(tiny_qwen25, tmp_path / name, changes[name])
            outcome = sandbox.run(str(folder))
            _check(name, outcome, folder)
            if "attention_from_a_hub" in name:
                assert "names code on a hub" in outcome.value, name
            if any(word in name for word in HARMLESS):
                assert outcome.value == "", name


@pytest.mark.parametrize("batch", seeds(by_day=1, by_night=BATCHES))
def test_a_folder_from_a_stranger_is_converted(
    batch: int, tiny_qwen25: Path, tmp_path: Path
) -> None:
    """All kinds by night, and 960 whose weights or settings are damaged by chance."""
    changes = dict([*sorted(folders().items())][batch::BATCHES])
    changes |= {f"wild-{n}": partial(wild, seed=batch * WILD + n) for n in range(WILD)}
    with Sandbox("tests.attacks.models.folders:convert") as sandbox:
        assert sandbox.run(str(tiny_qwen25), str(tmp_path / "plain")).value == ""
        for name, change in changes.items():
            folder = copy(tiny_qwen25, tmp_path / name, change)
            out = tmp_path / f"{name}.gguf"
            outcome = sandbox.run(str(folder), str(out))
            _check(name, outcome, tmp_path)
            assert outcome.value == "" or not [*out.glob("*.gguf")], name
            shutil.rmtree(folder)
            shutil.rmtree(out, ignore_errors=True)


@pytest.mark.parametrize("batch", seeds(by_day=1, by_night=GGUF_BATCHES))
@pytest.mark.parametrize("part", ["model", "mmproj"])
def test_a_gguf_file_from_a_stranger(
    batch: int, part: str, loads_gguf: Sandbox, tmp_path: Path
) -> None:
    paths = {}
    for name in ("model", "mmproj"):
        paths[name] = tmp_path / f"{name}.gguf"
        shutil.copy(BUNDLED / EYE / f"{name}-f16.gguf", paths[name])
    refused = 0
    for case in range(GGUF_CASES):
        seed = batch * GGUF_CASES + case
        mutated_gguf(BUNDLED / EYE / f"{part}-f16.gguf", paths[part], seed)
        outcome = loads_gguf.run(str(paths["model"]), str(paths["mmproj"]))
        _check(f"{part} {seed}", outcome, tmp_path)
        refused += outcome.value != ""
    assert refused or not BY_NIGHT


def test_a_template_in_a_gguf_file_is_not_run(loads_gguf: Sandbox, tmp_path: Path) -> None:
    source = BUNDLED / EYE / "model-f16.gguf"
    template = read_gguf_header(source).text("tokenizer.chat_template")
    written = template.encode()
    endless = b"{% for a in range(9999999) %}{% for b in range(9999999) %}x{% endfor %}{% endfor %}"
    data = source.read_bytes()
    assert data.count(written) == 1 and len(endless) <= len(written)
    path, vision = tmp_path / "model.gguf", tmp_path / "mmproj.gguf"
    shutil.copy(BUNDLED / EYE / "mmproj-f16.gguf", vision)
    path.write_bytes(data.replace(written, endless.ljust(len(written))))
    outcome = loads_gguf.run(str(path), str(vision))
    assert outcome.value == ""
    _check("template", outcome, tmp_path)


def _check(name: str, outcome: Outcome, folder: Path) -> None:
    assert (outcome.status, outcome.error) == (0, ""), (name, outcome)
    assert "Traceback" not in outcome.output, (name, outcome.output)
    assert "panicked" not in outcome.output, (name, outcome.output)
    assert outcome.peak_mb <= 600, name
    opened = [path for path in outcome.opened if not path.startswith("/proc/")]
    assert all(Path(path).is_relative_to(folder) for path in opened), (name, opened)
    assert len(outcome.value) < 1000, name
