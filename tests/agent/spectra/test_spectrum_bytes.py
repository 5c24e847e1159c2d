"""Spectra as bytes: nothing is lost, and no bytes do harm."""

import json
import math
import random
import tracemalloc
import zlib
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from agent.errors import ReadError
from agent.spectra.readers import read
from agent.spectra.spectrum import MAX_PIXELS, Spectrum
from agent.spectra.spectrum_bytes import ARRAYS, MAGIC, from_bytes, to_bytes
from tests.night import examples


def alike(one, other):
    """Every array bit for bit, and every word; NaN is itself."""
    for field in fields(Spectrum):
        first, second = getattr(one, field.name), getattr(other, field.name)
        if field.name in ARRAYS:
            assert (first is None) == (second is None), field.name
            if first is not None:
                assert first.dtype == second.dtype
                assert np.array_equal(first, second, equal_nan=first.dtype != bool), field.name
        elif field.name == "meta":
            assert list(first) == list(second)
            assert all(same(first[key], second[key]) for key in first)
        else:
            assert same(first, second), field.name
    return True


def same(one, other):
    both_nan = isinstance(one, float) and isinstance(other, float) and math.isnan(one)
    return math.isnan(other) if both_nan else one == other and type(one) is type(other)


def spectrum(pixels=50, **more):
    rng = np.random.default_rng(7)
    flux = rng.normal(size=pixels)
    flux[3] = np.nan
    return Spectrum(wavelength=10 ** (3.57 + 1e-4 * np.arange(pixels)), flux=flux, **more)


NUMBERS = st.one_of(st.none(), st.floats())
WORDS = st.text(max_size=8)
SPECTRA = st.integers(2, 40).flatmap(
    lambda n: st.builds(
        Spectrum,
        wavelength=arrays_of.arrays(float, n, elements=st.floats(1, 1e6), unique=True).map(np.sort),
        flux=arrays_of.arrays(float, n, elements=st.floats()),
        ivar=st.one_of(st.none(), arrays_of.arrays(float, n, elements=st.floats(width=32))),
        mask=st.one_of(st.none(), arrays_of.arrays(bool, n)),
        resolution=NUMBERS,
        ra=NUMBERS,
        z=NUMBERS,
        object_id=WORDS,
        flux_unit=WORDS,
        row=st.integers(0, 2**62),
        simulated=st.booleans(),
        warnings=st.lists(WORDS, max_size=3).map(tuple),
        meta=st.dictionaries(
            WORDS, st.one_of(WORDS, st.integers(), st.floats(), st.booleans()), max_size=4
        ),
    )
)


@settings(max_examples=examples(200))
@given(given_=SPECTRA)
def test_nothing_is_lost(given_):
    assert alike(from_bytes(to_bytes(given_)), given_)


def test_real_spectra_come_back_and_are_small(real_spectra):
    count = packed = whole = 0
    for path in sorted(real_spectra.iterdir()):
        try:
            found = read(path)
        except ReadError:
            continue
        content = to_bytes(found)
        assert alike(from_bytes(content), found)
        count, packed = count + 1, packed + len(content)
        whole += sum(a.nbytes for a in map(found.__getattribute__, ARRAYS) if a is not None)
    assert count > 20
    assert packed < whole / 2


def test_numbers_of_numpy(rng):
    odd = spectrum(meta={"a": np.int64(3), "b": np.float64(0.5), "c": np.bool_(True)})
    assert dict(from_bytes(to_bytes(odd)).meta) == {"a": 3, "b": 0.5, "c": True}


def test_damaged_bytes_are_told():
    """Flipped, cut, doubled: an error, or a spectrum that is one."""
    whole = to_bytes(spectrum(mask=np.arange(50) % 7 == 0, meta={"KEY": 1.5}))
    refused = sum(is_refused(whole, random.Random(seed), inside=seed % 2) for seed in range(400))
    assert refused > 200


def is_refused(whole, chance, *, inside):
    content = bytearray(zlib.decompress(whole[len(MAGIC) :]) if inside else whole)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(content))
        match chance.randrange(4):
            case 0:
                content[at] ^= 1 << chance.randrange(8)
            case 1:
                del content[at + 1 :]
            case 2:
                content[at:at] = content[: chance.randrange(20)]
            case 3:
                content[at : at + 1] = b"x"
    if inside:
        content = MAGIC + zlib.compress(bytes(content))
    try:
        found = from_bytes(bytes(content))
    except ReadError:
        return True
    assert len(found) >= 2
    return False


def made(head, arrays=b""):
    text = json.dumps(head).encode() if not isinstance(head, bytes) else head
    return MAGIC + zlib.compress(len(text).to_bytes(4, "little") + text + arrays)


def head_of(content):
    inner = zlib.decompress(content[len(MAGIC) :])
    length = int.from_bytes(inner[:4], "little")
    return json.loads(inner[4 : 4 + length]), inner[4 + length :]


def test_what_no_spectrum_is():
    head, arrays = head_of(to_bytes(spectrum()))
    assert len(from_bytes(made(head, arrays))) == 50
    wrong = [
        {"pixels": 1}, {"pixels": -1}, {"pixels": MAX_PIXELS + 1}, {"pixels": 50.0},
        {"pixels": True}, {"arrays": []}, {"arrays": [["wavelength", "steps"]]},
        {"arrays": [["flux", "f8"], ["wavelength", "steps"]]},
        {"arrays": [["wavelength", "steps"], ["flux", "f8"], ["flux", "f8"]]},
        {"arrays": [["wavelength", "steps"], ["flux", "O"]]},
        {"arrays": [["wavelength", "steps"], ["flux", "f8"], ["weight", "f8"]]}, {"arrays": 3},
        {"fields": {}}, {"fields": head["fields"] | {"ra": "1"}},
        {"fields": head["fields"] | {"row": 1.5}}, {"fields": head["fields"] | {"simulated": 0}},
        {"fields": head["fields"] | {"object_id": None}},
        {"fields": head["fields"] | {"z": {"number": "[]"}}}, {"meta": []}, {"meta": {"a": None}},
        {"meta": {"a": [1]}}, {"meta": {"a": {"b": 1}}}, {"warnings": "a"}, {"warnings": [1]},
    ]  # fmt: skip
    for change in wrong:
        with pytest.raises(ReadError):
            from_bytes(made(head | change, arrays))
    for content in (
        b"", MAGIC, MAGIC + b"junk", made(head, arrays + b"x"), made(head, arrays[:-1]),
        made(head, arrays) + b"behind", made(b"[]", arrays), made(b"[" * 100_000, arrays),
        made(b"{", arrays), MAGIC + zlib.compress(b"\xff\xff\xff\xff"),
    ):  # fmt: skip
        with pytest.raises(ReadError):
            from_bytes(content)


def test_a_bomb_is_not_unpacked():
    head, _ = head_of(to_bytes(spectrum()))
    bombs = [
        made(head, bytes(60_000_000)),
        MAGIC + zlib.compress((4_000_000).to_bytes(4, "little") + bytes(60_000_000)),
    ]
    tracemalloc.start()
    for bomb in bombs:
        with pytest.raises(ReadError):
            from_bytes(bomb)
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


def test_a_field_that_is_new_is_not_forgotten():
    """Whoever adds one to Spectrum must pack it, too."""
    plain = spectrum()
    kept = set(head_of(to_bytes(plain))[0]["fields"]) | {*ARRAYS, "meta", "warnings"}
    assert kept == {field.name for field in fields(Spectrum)}
