"""What the forms need, and which is chosen."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from agent.convert import forms
from agent.convert.checkpoint import ConversionError
from agent.convert.convert import HEADER_BYTES
from agent.convert.forms import (
    BITS,
    GGUF_FORMS,
    VISION_WEIGHTS,
    Form,
    Machine,
    best_form,
    forms_of,
    this_machine,
)
from agent.convert.gguf_file import Contents
from agent.convert.shapes import read_shape
from agent.convert.targets import text_targets, vision_targets
from agent.models.registry import published_model
from tests.random_checkpoint import LIKE_3B, LIKE_7B, Widths

DESK = Machine(
    memory=64 * 10**9, memory_free=60 * 10**9, disk_free=10**12, has_torch=True, has_llama_cpp=True
)

MEMINFO = "MemTotal:       16000000 kB\nMemFree:  1 kB\nMemAvailable:    9000000 kB\n"


def card(name: str = "spec-o3-7b"):
    found = published_model(name)
    assert found is not None
    return found


@pytest.mark.parametrize("widths", [LIKE_3B, LIKE_7B])
@pytest.mark.parametrize("kind", GGUF_FORMS)
def test_the_bits_are_those_of_the_real_shapes(widths: Widths, kind: str) -> None:
    shape = read_shape(widths.config)
    words = Contents({}, text_targets(shape, tied=widths.tied), {}, kind)
    bits = 8 * words.data_bytes / words.numbers
    assert bits == pytest.approx(BITS[kind], rel=0.015)
    pictures = Contents({}, vision_targets(shape), {}, "f16")
    assert pictures.numbers == pytest.approx(VISION_WEIGHTS, rel=0.02)
    assert pictures.data_bytes < 2 * VISION_WEIGHTS + HEADER_BYTES


def test_what_is_not_here_is_fetched_first() -> None:
    away, here = (forms_of(card(), is_here=is_here) for is_here in (False, True))
    assert {form.fetched for form in away} == {2 * card().parameters}
    assert {form.fetched for form in here} == {0}
    sizes = [form.disk for form in here if form.name != "published"]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize(("changes", "best"), [
    ({}, "q8_0"),
    ({"memory_free": 11_000_000_000}, "q5_k_m"),
    ({"memory": 9_000_000_000, "memory_free": 9_000_000_000}, "q4_k_m"),
    ({"memory_free": 4_000_000_000}, None),
    ({"disk_free": 24_000_000_000}, "q5_k_m"),
    ({"disk_free": 17_000_000_000}, None),
    ({"has_llama_cpp": False}, None),
    ({"memory": 0, "memory_free": 0}, "q8_0"),
])  # fmt: skip
def test_the_best_form(changes: dict[str, int], best: str | None) -> None:
    assert best_form(forms_of(card(), is_here=False), replace(DESK, **changes)) == best


def test_why_a_form_does_not_run() -> None:
    form = Form("q8_0", disk=10**10, memory=10**10)
    for changes, says in (
        ({"has_llama_cpp": False}, "needs llama.cpp"),
        ({"memory": 9 * 10**9}, "too little memory"),
        ({"memory_free": 9 * 10**9}, "other programs have the memory"),
        ({"disk_free": 10**10}, "too little disk"),
        ({}, ""),
    ):
        assert form.obstacle(replace(DESK, **changes)) == says
    published = Form("published", disk=0, memory=10**10)
    assert published.obstacle(replace(DESK, has_torch=False)) == "needs torch and transformers"


def test_models_that_have_no_other_form() -> None:
    eye = published_model("nano-eye")
    assert eye is not None
    with pytest.raises(ConversionError, match="nano-eye has no other forms"):
        forms_of(eye, is_here=True)


def test_there_is_memory_and_disk(tmp_path: Path) -> None:
    here = this_machine(tmp_path / "not" / "there" / "yet")
    assert 0 < here.memory_free <= here.memory < 10**14
    assert 0 < here.disk_free < 10**17
    assert here.has_llama_cpp


@pytest.mark.skipif(sys.platform == "win32", reason="Windows is asked otherwise")
def test_what_the_kernel_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tmp_path / "meminfo"
    monkeypatch.setattr(forms, "MEMINFO", told)
    told.write_text(MEMINFO)
    here = this_machine(tmp_path)
    assert (here.memory, here.memory_free) == (16_384_000_000, 9_216_000_000)
    for content in ("", "MemTotal: much", "MemTotal:       16000000 kB\n"):
        told.write_text(content)
        here = this_machine(tmp_path)
        assert 0 < here.memory_free < here.memory, "as where there is no such file"
