"""What a record says about itself: its looks, its reasons, and the part before a turn."""

import contextlib
import copy
import hashlib
import json
import math
import random
import zlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.errors import TrajectoryError
from agent.inspection.control import Control, Interjection
from agent.inspection.inspector import run
from agent.inspection.model_inspector import ModelInspector
from agent.tasks.catalogue import find_task
from agent.trajectory import compressed_text
from agent.trajectory.compressed_text import (
    DICTIONARIES,
    DICTIONARY_BYTES,
    MAX_BYTES,
    NEWEST,
    CompressedTextError,
    compress_text,
    decompress_text,
)
from agent.trajectory.p_yes import p_from_logprobs, p_from_votes, p_yes_of, pool_runs
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Step, Trajectory
from agent.trajectory.trajectory_file import (
    from_json,
    from_line,
    read_trajectories,
    step_from_json,
    step_to_json,
    to_json,
    to_line,
    write_trajectories,
)
from tests.agent.scenes import answer, call, star
from tests.scripted_engine import ScriptedEngine

LOOK = Step(kind="zoom", turn=0, range=(6400.0, 6700.0))
REMARK = Step(kind="text", turn=0, by="person", text="Look again.")
REFUSED = Step(kind="zoom", turn=1, range=(1.0, 2.0), error="outside the data")
FIRST = Step(kind="answer", turn=2, text="not sure", verdict="NO")
LAST = Step(kind="answer", turn=3, text="broad Hα", verdict="YES")
RECORD = Trajectory(
    task="CV", spectrum=SpectrumRef(object_id="J0001"), model=ModelRef(name="nano"),
    steps=(LOOK, REMARK, REFUSED, FIRST, LAST), replies=("a", "b", "c", "d"), stopped_by="answer",
    verdict="YES", p_yes=0.9, p_yes_runs=(0.8, 1.0), well_formed=True,
)  # fmt: skip


def test_looks_drew_pictures_and_reasons_and_outcome_are_the_last():
    assert RECORD.looks == (LOOK,)
    assert not Step(kind="zoom").is_look
    assert not Step(kind="text", range=(1.0, 2.0)).is_look
    assert RECORD.reasons == "broad Hα"
    assert RECORD.until(0).reasons == ""
    part = RECORD.until(1)
    assert part.steps == (LOOK, REMARK)
    assert part.replies == ("a",)
    assert (part.verdict, part.p_yes, part.p_yes_runs, part.well_formed) == (None, None, (), False)
    assert part.spectrum == RECORD.spectrum


# Records go out and come back equal; nothing else comes in.
@pytest.fixture(scope="module")
def record():
    control = Control()
    control.insert(Interjection(range=(4600, 4750), label="He II", text="Here."))
    engine = ScriptedEngine(
        [call(6400, 6700.5), call(1, 2), "\ud800 \x1b[31m odd", answer()],
        choices={"YES": -0.1, "NO": -3.0},
    )
    inspector = ModelInspector(engine, ModelRef(name="scripted", engine="test", sha256="ab"))
    return run(inspector.inspect(star(z=0.0003, simulated=True), find_task("CV"), control=control))


def test_records_and_steps_come_back(record):
    line = to_line(record)
    assert "\n" not in line
    assert line.isascii()
    assert from_line(line) == record
    assert from_line(line.encode()) == record
    assert record.looks and record.spectrum.simulated
    for step in record.steps:
        assert step_from_json(json.loads(json.dumps(step_to_json(step)))) == step


def test_files(record, tmp_path):
    path = tmp_path / "records.jsonl"
    assert write_trajectories(path, [record, record]) == 2
    write_trajectories(path, [record], add=True)
    assert list(read_trajectories(path)) == [record] * 3


def test_an_error_names_the_line(record, tmp_path):
    path = tmp_path / "records.jsonl"
    path.write_text(to_line(record) + "\n\n{}\n", encoding="utf-8")
    with pytest.raises(TrajectoryError, match=r"records\.jsonl, line 3: "):
        list(read_trajectories(path))
    with pytest.raises(TrajectoryError, match="cannot be read"):
        list(read_trajectories(tmp_path / "none.jsonl"))
    with pytest.raises(TrajectoryError, match="could not be written"):
        write_trajectories(tmp_path / "no" / "where.jsonl", [record])


def test_a_newer_record_is_refused(record):
    with pytest.raises(TrajectoryError, match="newer program"):
        from_json({**to_json(record), "version": 2})


@pytest.mark.parametrize(("key", "value"), [
    ("version", 0), ("version", True), ("task", 3), ("spectrum", None), ("model", {"name": None}),
    ("stopped_by", "bored"), ("verdict", "MAYBE"), ("p_yes", 1.5), ("p_yes_runs", [2]),
    ("steps", [{"kind": "dance"}]), ("steps", [{"kind": "zoom", "range": [1]}]), ("steps", "no"),
    ("steps", [{"kind": "text"}] * 2000), ("replies", [1]), ("sampling", {"temperature": -1}),
    ("sizing", {"factor": 0}), ("seconds", "long"), ("seed", 2**70), ("tokens", {"prompt": 1.5}),
    ("style", {"a": {"b": {"c": {"d": {"e": {"f": {"g": {"h": {"i": 1}}}}}}}}}),
])  # fmt: skip
def test_wrong_values_are_refused(record, key, value):
    with pytest.raises(TrajectoryError):
        from_json({**to_json(record), key: value})


@pytest.mark.parametrize("line", ["", "[]", "3", "{", '{"version": NaN}', "[" * 100_000, b"\xff"])
def test_other_lines_are_refused(line):
    with pytest.raises(TrajectoryError):
        from_line(line)


@given(st.integers(0, 10**9))
def test_mutated_records_never_raise_anything_else(record, seed):
    chance = random.Random(seed)
    broken = copy.deepcopy(to_json(record))
    for _ in range(chance.randint(1, 3)):
        _mutate(broken, chance)
    with contextlib.suppress(TrajectoryError):
        from_json(broken)


def _mutate(record, chance: random.Random) -> None:
    place = record
    for _ in range(chance.randint(0, 3)):
        inner = list(place.values()) if isinstance(place, dict) else place
        nested = [value for value in inner if isinstance(value, dict | list) and value]
        if not nested:
            break
        place = chance.choice(nested)
    odd = [None, True, -1, 1e400, "x" * 10, [], {}, [[]], {"a": 1}, 2**80, float("nan")]
    key = chance.choice(list(place)) if isinstance(place, dict) else chance.randrange(len(place))
    if chance.random() < 0.3:
        del place[key]
    else:
        place[key] = chance.choice(odd)


def test_members_of_a_panel_come_back_and_have_none_themselves(record):
    of_panel = replace(record, members=(record, replace(record, verdict=None)))
    assert "members" not in to_json(record)
    back = from_line(to_line(of_panel))
    assert back.members == of_panel.members
    nested = to_json(of_panel)
    nested["members"] = [to_json(of_panel)]
    with pytest.raises(TrajectoryError, match="has no members"):
        from_json(nested)
    with pytest.raises(TrajectoryError, match="members"):
        from_json(to_json(record) | {"members": [to_json(record)] * 9})


def test_the_address_of_a_server_is_kept_and_no_other_hash(record):
    assert "address" not in to_json(record)["model"]
    model = replace(record.model, address="http://a/v1,http://b/v1", also=("ab",))
    line = to_line(replace(record, model=model))
    assert from_line(line).model.address == model.address
    assert from_line(line).model.also == ()


# p(YES) from what engines tell, and from several runs.
LOGPROB = st.floats(-1e4, 0.0)
RUN = st.tuples(st.sampled_from(["YES", "NO", None]), st.none() | st.floats(0.0, 1.0))


@pytest.mark.parametrize(("log_yes", "log_no", "p"), [
    (math.log(0.6), math.log(0.2), 0.75), (-1.0, -1.0, 0.5),
    (-5000.0, -5000.0 - math.log(3), 0.75), (0.0, -math.inf, 1.0), (-math.inf, -0.5, 0.0),
    (-9000.0, 0.0, 0.0),
])  # fmt: skip
def test_yes_against_no(log_yes, log_no, p):
    assert p_from_logprobs(log_yes, log_no) == pytest.approx(p)


@pytest.mark.parametrize("pair", [
    (math.nan, 0.0), (0.0, math.nan), (-math.inf, -math.inf), (math.inf, 0.0), (0.0, math.inf),
    (math.inf, math.inf), (-math.inf, math.inf), (-math.inf, math.nan), (5.0, -1.0),
    (-1.0, 0.02),
])  # fmt: skip
def test_what_cannot_be_read_is_none(pair):
    assert p_from_logprobs(*pair) is None


@given(LOGPROB, LOGPROB)
def test_a_probability_that_mirrors(log_yes, log_no):
    p, mirrored = p_from_logprobs(log_yes, log_no), p_from_logprobs(log_no, log_yes)
    assert 0.0 <= p <= 1.0
    assert p + mirrored == pytest.approx(1.0)
    assert p >= 0.5 if log_yes >= log_no else p <= 0.5


@pytest.mark.parametrize(("choices", "p"), [
    (None, None), ({}, None), ({"YES": math.log(0.3), "NO": math.log(0.1)}, 0.75),
    ({"YES": math.log(0.9)}, 0.9), ({"NO": math.log(0.9)}, 0.1), ({"YES": 0.001}, 1.0),
    ({"YES": 3.0}, None), ({"NO": math.nan}, None), ({"YES": math.inf}, None),
    ({"NO": -math.inf}, None),
])  # fmt: skip
def test_choices_of_an_engine(choices, p):
    assert p_yes_of(choices) == (None if p is None else pytest.approx(p))


def test_runs_are_averaged_as_probabilities_or_votes_without_those_unanswered():
    assert pool_runs([("YES", 0.9), ("YES", 0.7), ("NO", 0.2)]) == pytest.approx(0.6)
    assert pool_runs([("YES", None)]) == pytest.approx(0.75)
    assert pool_runs([("NO", None)] * 9) == pytest.approx(0.05)
    assert pool_runs([("YES", 0.95), ("NO", None)]) == pytest.approx((0.95 + 0.25) / 2)
    assert pool_runs([("YES", 0.3)]) == pytest.approx(0.3)  # and not by the word
    assert pool_runs([("YES", 0.8), (None, None)]) == 0.8
    assert pool_runs([(None, None)] * 2) is None
    assert pool_runs([]) is None


@given(st.lists(RUN, min_size=1, max_size=12))
def test_the_mean_lies_among_the_runs(runs):
    pooled = pool_runs(runs)
    if pooled is None:
        assert set(runs) == {(None, None)}
        return
    assert 0.0 <= pooled <= 1.0
    assert pool_runs(runs[::-1]) == pytest.approx(pooled)


@given(st.integers(0, 50), st.integers(0, 50))
def test_votes_are_never_certain_and_more_of_them_say_more(yes, no):
    p = p_from_votes(yes, yes + no)
    assert 0.0 < p < 1.0
    assert p_from_votes(yes + 1, yes + no + 1) > p


# Records are stored in a sixth of their size, and forged bytes unpack to nothing large.
RELEASED = {1: "7746f5f4818a05944b149d7d8ea7f834379c3cad3ca3deba6453928a13b9b147"}
"""A session file is lost with its dictionary: none ever changes."""


def test_no_dictionary_has_changed():
    files = DICTIONARIES.glob("*.jsonl")
    found = {int(path.stem): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    assert found == RELEASED
    assert max(found) == NEWEST
    assert all(len(path.read_bytes()) <= DICTIONARY_BYTES for path in DICTIONARIES.glob("*.jsonl"))


def test_a_text_comes_back_as_it_was_and_what_is_short_or_long_is_not_packed():
    for text in ("Hα 宽 \U0001f31f \0" * 50, "x" * MAX_BYTES, '{"version": 1}' * 9):
        packed = compress_text(text)
        assert packed is not None and len(packed) < len(text.encode())
        assert decompress_text(packed) == text
    assert compress_text("{}") is None
    assert compress_text("x" * (MAX_BYTES + 1)) is None


def test_a_record_takes_a_sixth():
    record = (DICTIONARIES / "1.jsonl").read_text(encoding="ascii").splitlines()[1]
    # Another object, so that what differs from record to record differs here.
    other = record.translate(str.maketrans("0123456789", "5071942836"))
    packed = compress_text(other)
    assert packed is not None and 6 * len(packed) < len(other)
    assert len(packed) < 0.7 * len(zlib.compress(other.encode()))
    assert from_line(decompress_text(compress_text(record) or b"")).task == "MG"


@pytest.mark.parametrize("packed", [
    b"",
    b"\0",
    b"\1",
    b"\1nothing of zlib's",
    bytes([NEWEST + 1]) + zlib.compress(b"of a later program"),
    b"\1" + zlib.compress(b"\xff\xfe"),
    b"\1" + zlib.compress(b"and more")[:-1],
    b"\1" + zlib.compress(b"and more") + b"behind it",
    b"\1" + zlib.compress(b"x" * (MAX_BYTES + 1)),
])  # fmt: skip
def test_forged_bytes_are_refused(packed):
    with pytest.raises(CompressedTextError):
        decompress_text(packed)


def test_a_bomb_is_not_unpacked(monkeypatch):
    """A hundred megabytes in a tenth of one: no more than the limit is ever in memory."""
    bomb = b"\1" + zlib.compress(b"\0" * 100_000_000)
    sizes = []
    real = zlib.decompressobj

    class Counting:
        def __init__(self, **more):
            self.inner = real(**more)
            self.unused_data, self.eof = b"", False

        def decompress(self, some, most):
            found = self.inner.decompress(some, most)
            sizes.append(len(found))
            return found

    monkeypatch.setattr(compressed_text.zlib, "decompressobj", Counting)
    with pytest.raises(CompressedTextError):
        decompress_text(bomb)
    assert sizes == [MAX_BYTES + 1]
