"""Requests: a file row or a spectrum, a task id or a task file."""

import json
from dataclasses import asdict, fields, replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.hashing import spectrum_hash
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef
from app.worker.errors import WireError
from app.worker.request import InspectRequest, model_from_json, spectrum_from_json, spectrum_to_json
from app.worker.supervisor import WorkerClient
from app.worker.wire import MAX_BYTES, encode, read_message
from tests.agent.spectra.readers import samples
from tests.app.worker.conftest import LONG_S, spectrum


def test_a_row_of_a_file_and_a_task_file(shared: WorkerClient, tmp_path: Path) -> None:
    path = tmp_path / "coadd é.fits"
    path.write_bytes(samples.desi())
    task_file = tmp_path / "own.toml"
    words = Path(find_task("CV").path or _bundled_cv()).read_text(encoding="utf-8")
    task_file.write_text(words, encoding="utf-8")
    asked = InspectRequest(task=str(task_file), path=path, row=1)
    trajectory = shared.inspect(asked).result(LONG_S)
    assert (trajectory.spectrum.path, trajectory.spectrum.row) == (str(path), 1)
    assert trajectory.task == "CV"


def _bundled_cv() -> str:
    from agent.tasks.catalogue import BUNDLED

    return str(next(BUNDLED.glob("cv*.toml")))


def test_one_of_file_and_spectrum() -> None:
    with pytest.raises(WireError):
        InspectRequest(task="CV")
    with pytest.raises(WireError):
        InspectRequest(task="CV", path="x.fits", spectrum=spectrum())


def test_an_address_goes_to_a_worker_as_it_is() -> None:
    request = InspectRequest(task="CV", path="s3://bucket/night/1.fits?v=1")
    assert request.message(1)["path"] == "s3://bucket/night/1.fits?v=1"
    assert request.shown == "1.fits?v=1"


# Spectra and models over the wire.
def there_and_back(sent: Spectrum) -> Spectrum:
    return spectrum_from_json(json.loads(json.dumps(spectrum_to_json(sent))))


def test_every_field_arrives(rng: np.random.Generator) -> None:
    sent = replace(
        spectrum(),
        flux=rng.normal(size=400).astype(">f4"),
        mask=rng.random(400) < 0.1,
        resolution=np.float32(1800.0),
        snr=np.float64(12.5),
        ra=10.25,
        class_name="STAR",
        meta={"SNRG": np.float32(3.5), "OBSID": np.int64(7), "NOTE": "é", "BAD": float("inf")},
        warnings=("one", "two"),
        path="/data/x.fits",
    )
    found = there_and_back(sent)
    assert spectrum_hash(found) == spectrum_hash(sent)
    for each in fields(Spectrum):
        mine, theirs = getattr(sent, each.name), getattr(found, each.name)
        if isinstance(mine, np.ndarray):
            assert np.array_equal(mine, theirs) and theirs.dtype == mine.dtype
        else:
            assert theirs == mine, each.name


def test_flux_that_is_no_number_and_what_is_not_there() -> None:
    flux = np.array([1.0, np.nan, np.inf])
    sent = Spectrum(wavelength=np.array([4000.0, 4001.0, 4002.0]), flux=flux)
    found = there_and_back(sent)
    assert np.array_equal(found.flux, flux, equal_nan=True)
    assert found.ivar is None and found.mask is None


@pytest.mark.parametrize("change", [
    {"wavelength": "not base64!"}, {"wavelength": "AAAA"}, {"wavelength": 5}, {"flux": None},
    {"flux": ""}, {"wavelength": [1, 2, 3]}, {"unknown": 1}, {"warnings": 7}, {"meta": 3},
])  # fmt: skip
def test_a_spectrum_with_faults_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(WireError):
        spectrum_from_json(spectrum_to_json(spectrum()) | change)


@pytest.mark.parametrize("record", [None, [], "x", 3])
def test_no_spectrum_no_model(record: object) -> None:
    with pytest.raises(WireError):
        spectrum_from_json(record)
    with pytest.raises(WireError):
        model_from_json(record)


def test_models() -> None:
    model = ModelRef(name="x", engine="gguf", sha256="ab", address="http://a/v1", also=("cd",))
    found = model_from_json(asdict(model))
    assert asdict(found) == asdict(model)
    with pytest.raises(WireError):
        model_from_json(asdict(model) | {"also": [3]})
    with pytest.raises(WireError):
        model_from_json({"name": "x", "engine": 3, "sha256": ""})


# Lines of JSON, whatever is in them.
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), JSON, max_size=5), st.text())
def test_what_is_sent_is_what_arrives(body: dict[str, object], kind: str) -> None:
    message = {**body, "type": kind}
    line = encode(message)
    assert line.isascii() and line.count(b"\n") == 1
    assert read_message(BytesIO(line)) == message


def test_half_a_surrogate_and_no_number_pass() -> None:
    message = read_message(BytesIO(encode({"type": "text", "text": "\ud800", "x": float("inf")})))
    assert message == {"type": "text", "text": "\ud800", "x": float("inf")}


@given(st.binary(max_size=200))
def test_any_bytes_are_messages_or_refused_line_by_line(junk: bytes) -> None:
    stream = BytesIO(junk + b"\n" + encode({"type": "end"}))
    for _ in range(junk.count(b"\n") + 1):
        try:
            assert read_message(stream) is not None
        except WireError as error:
            assert "\n" not in str(error)
    assert read_message(stream) == {"type": "end"} and read_message(stream) is None


def test_a_line_too_long_is_skipped() -> None:
    stream = BytesIO(b'{"type": "' + b"x" * (2 * MAX_BYTES) + b'"}\n' + encode({"type": "end"}))
    with pytest.raises(WireError, match="16 MB"):
        read_message(stream)
    assert read_message(stream) == {"type": "end"}


def test_a_line_cut_off_is_the_end() -> None:
    assert read_message(BytesIO(b'{"type": "done"}')) is None
    assert read_message(BytesIO()) is None


def test_the_longest_line_passes_and_one_more_byte_does_not() -> None:
    room = MAX_BYTES - len(encode({"type": "x", "t": ""}))
    assert read_message(BytesIO(encode({"type": "x", "t": "y" * room}))) is not None
    with pytest.raises(WireError, match="too long"):
        encode({"type": "x", "t": "y" * (room + 1)})


def test_what_is_no_json_is_not_sent() -> None:
    loop: dict[str, object] = {"type": "x"}
    loop["self"] = loop
    for message in ({"type": "x", "n": np.float32(1)}, {"type": "x", "n": {1, 2}}, loop):
        with pytest.raises(WireError):
            encode(message)
