"""What a session teaches: kept, written anew, label only, or nothing."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import insert
from typer.testing import CliRunner

pytest.importorskip("pyarrow")

from agent.errors import EngineError, WorkbenchError
from agent.examples.examples import read_examples
from agent.inspection.inspector import run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.protocol.reply import parse_reply
from agent.rendering.style import EYE
from agent.spectra.readers import read_numbered
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef, Step, Trajectory
from agent.trajectory.trajectory_file import read_trajectories
from app.core.database.tables import known_answers
from app.core.inspections.ratings import rate
from app.core.inspections.seen import BY_SCRIPT
from app.core.inspections.store import add_inspection
from app.core.session.records import Opinion, Verdict
from app.core.session.session import Session, open_session
from tests.app.ui.candidates import SAMPLE, sample_file
from tests.scripted_engine import ScriptedEngine
from tests.train.review.helpers import stages
from train.cli import app
from train.draft.settings import DraftSettings
from train.review.audit import audit
from train.review.lessons import Lessons, drafts_like, joined, read_lessons, write_lessons
from train.review.model_judge import ModelJudge, judge_pool, read_scores
from train.review.pool import Pool, open_pool
from train.review.programs import SCREENER, run_panel
from train.review.rating_round import read_records

OPINIONS = {"YES": Opinion(verdict=Verdict.ACCEPT), "NO": Opinion(verdict=Verdict.REJECT)}
OTHER = {"YES": "NO", "NO": "YES"}


@pytest.fixture(scope="module")
def inspected(tmp_path_factory: pytest.TempPathFactory) -> list[Trajectory]:
    """The measured inspector's records of the first candidates of the sample."""
    sample = sample_file(tmp_path_factory.mktemp("sample"))
    with open_session(sample, "Ada", read_only=True) as session:
        rows = session.candidates(range(1, 7))
    maker, task = MeasuredInspector(draw=False), find_task("CV")
    return [run(maker.inspect(read_numbered(each.path, each.row), task)) for each in rows]


@pytest.fixture
def session(tmp_path: Path):
    with open_session(sample_file(tmp_path), "Ada") as opened:
        yield opened


def say(session: Session, number: int, one: Trajectory, answer: str, score: int | None) -> None:
    add_inspection(session, number, one)
    session.record_verdict(number, OPINIONS[answer])
    if score is not None:
        rate(session, number, one, score)


def lessons_of(session: Session):
    return read_lessons(str(session.location), places=[SAMPLE])


def test_what_becomes_of_each(session, inspected, tmp_path):
    for number, one in enumerate(inspected, 1):
        right, wrong = one.verdict, OTHER[one.verdict]
        answer, score = [
            (right, 5), (right, 1), (wrong, None), (right, None), (right, 3), (wrong, 5),
        ][number - 1]  # fmt: skip
        say(session, number, one, answer, score)
    found = lessons_of(session)
    assert found.counts["to follow"] == 1 and found.counts["label only, not rated"] == 2
    corrected = found.counts["corrected"]
    assert corrected + found.counts["label only, not supported"] == 3
    assert len(found.examples) == 6 and len(found.trajectories) == 1 + corrected
    write_lessons(found, tmp_path / "out")
    labels = {one.sha256: one for one in read_examples(tmp_path / "out" / "spectra.parquet")}
    kept = list(read_trajectories(tmp_path / "out" / "trajectories.jsonl"))
    assert kept[0].replies == inspected[0].replies
    for each in kept[1:]:
        one = labels[each.spectrum.sha256]
        assert parse_reply(each.replies[-1]).verdict == one.answer == each.verdict
        assert audit(each, one, find_task("CV")).approves
    assert len(list(read_records(tmp_path / "out" / "ratings.jsonl"))) == 4
    with pytest.raises(WorkbenchError, match="already has lessons"):
        write_lessons(found, tmp_path / "out")


def test_labels_alone_are_not_offered_to_sft(session, inspected, tmp_path):
    say(session, 4, inspected[3], inspected[3].verdict, None)
    words = ["lessons", str(session.location), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, [*words, "--spectra", str(SAMPLE)])
    assert done.exit_code == 0 and "labels alone" in done.stdout
    assert "spec-o3-train" not in done.stdout


def test_what_is_known_of_an_answer_is_told_or_left_out(session, inspected):
    for number, shown in ((1, {}), (2, {"verdict": "YES"}), (3, BY_SCRIPT), (4, {})):
        one = inspected[number - 1]
        if number == 4:
            one = replace(one, model=ModelRef(name="mcp: planner", engine="mcp"))
        add_inspection(session, number, one)
        opinion = OPINIONS[one.verdict]
        session.record_verdict(number, opinion, shown=shown)
        session.record_verdict(number, replace(opinion, comment="later"))
    found = lessons_of(session)
    assert found.counts["judged with an agent's answer seen"] == 1 and len(found.examples) == 2
    why = "with verdicts of scripts that may know an agent's answer"
    assert found.counts[f"left out, {why}"] == 1
    assert found.counts["left out, proposed by an assistant"] == 1


def test_a_person_in_the_conversation_or_bad_form_is_not_followed(session, inspected):
    remark = Step(kind="text", by="person", text="Look at Hβ")
    changed = [
        replace(inspected[0], steps=(*inspected[0].steps, remark)),
        replace(inspected[1], replies=(*inspected[1].replies, "more")),
        replace(inspected[2], stopped_by="length"),
    ]
    for number, one in enumerate(changed, 1):
        say(session, number, one, one.verdict, 5)
    found = lessons_of(session)
    assert found.trajectories == [] and found.counts["to follow"] == 0 and len(found.examples) == 3


def test_corrections_have_the_pictures_of_the_inspection(inspected):
    one = replace(inspected[0], style=EYE.to_table())
    assert drafts_like(one) == DraftSettings(style="eye", words="short")
    assert drafts_like(replace(one, style={"name": "another"})) == DraftSettings()


def test_the_same_turns_of_two_records_are_learnt_once(session, inspected):
    one = inspected[0]
    say(session, 1, one, one.verdict, 5)
    panel = replace(one, model=ModelRef(name="panel", sha256="f" * 64))
    say(session, 1, panel, one.verdict, None)  # a rating is of the turns, whoever says them
    assert len(lessons_of(session).trajectories) == 1


def test_verdicts_of_many_at_once_and_disagreements_teach_nothing(session, inspected):
    for number, one in enumerate(inspected[:4], 1):
        add_inspection(session, number, one)
    change = lambda opinion: replace(opinion, verdict=Verdict.ACCEPT)  # noqa: E731
    session.record_group_act([1, 2], change, place="overview")
    session.record_verdict(3, OPINIONS["YES"])
    session.reviewer = "Ben"
    session.record_verdict(3, OPINIONS["NO"])
    found = lessons_of(session)
    assert found.examples == {}
    assert found.counts["left out, people disagree"] == 1
    assert found.counts["left out, without a verdict by a person"] == 3
    with pytest.raises(WorkbenchError, match="nothing to learn from"):
        write_lessons(found, session.location.parent / "out")


def test_what_was_hidden_to_measure_people_teaches_nothing(session, inspected):
    for number, one in enumerate(inspected[:2], 1):
        say(session, number, one, one.verdict, 5)
    values = {"candidate_id": 1, "is_member": True, "class_name": "CV", "simulated": False}
    with session.database.writing() as connection:
        connection.execute(insert(known_answers).values(**values, source="a.fits:0"))
    found = lessons_of(session)
    assert found.counts["left out, hidden with a known answer"] == 1
    assert len(found.trajectories) == 1


def test_one_spectrum_listed_twice_with_different_answers_teaches_nothing(session, inspected):
    first, second = inspected[:2]
    say(session, 1, first, first.verdict, 5)
    say(session, 2, second, second.verdict, 5)
    say(session, 3, first, OTHER[first.verdict], None)  # the same file in another row
    found = lessons_of(session)
    assert [each.replies for each in found.trajectories] == [second.replies]
    assert len(found.examples) == 1
    assert found.counts["left out, listed twice with different answers"] == 1


def test_spectra_elsewhere_are_not_read(session, inspected, tmp_path):
    say(session, 1, inspected[0], "YES", 5)
    found = read_lessons(str(session.location), places=[tmp_path])
    assert found.counts["left out, no spectrum"] == 1 and found.examples == {}


@pytest.mark.parametrize("spoil", [
    "UPDATE inspections SET record = x'01ff'",
    "UPDATE inspections SET record = '{}'",
    "UPDATE inspections SET record = 5",
    "UPDATE facts SET value = '{\"kind\": 5}' WHERE key LIKE 'rating:%'",
    "UPDATE judgements SET verdict = 'MAYBE'",
    "UPDATE facts SET value = x'00' WHERE key LIKE 'rating:%'",
])  # fmt: skip
def test_a_spoilt_session_teaches_less(session, inspected, spoil):
    say(session, 1, inspected[0], inspected[0].verdict, 5)
    location = session.location
    session.close()
    with sqlite3.connect(location) as connection:
        connection.execute(spoil)
    connection.close()
    found = read_lessons(str(location), places=[SAMPLE])
    assert found.trajectories == [] and sum(found.counts.values()) >= 1


@pytest.mark.parametrize("content", [b"", b"not a session", None])
def test_what_is_no_session(tmp_path, content):
    path = tmp_path / "x.speco3"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(WorkbenchError, match=r"x\.speco3"):
        read_lessons(str(path))


def test_a_server_that_is_not_there():
    pytest.importorskip("psycopg")
    with pytest.raises(WorkbenchError, match=r"127\.0\.0\.1.*cannot be read") as refused:
        read_lessons("postgresql://nobody:secret@127.0.0.1:1/none?connect_timeout=1")
    assert "secret" not in str(refused.value)
    with pytest.raises(WorkbenchError, match="cannot be used") as refused:
        read_lessons("nonsense://nobody:secret@host/none")
    assert "secret" not in str(refused.value)


def test_sessions_whose_people_disagree_teach_nothing_of_it(session, inspected):
    first, second = inspected[:2]
    say(session, 1, first, first.verdict, 5)
    say(session, 2, second, second.verdict, 5)
    one = read_lessons(str(session.location), places=[SAMPLE])
    assert len(one.trajectories) == 2
    ((key, labelled), *_) = one.examples.items()
    other = Lessons(examples={key: replace(labelled, answer=OTHER[labelled.answer])})
    whole = joined([one, other, one])
    assert key not in whole.examples and len(whole.examples) == 1
    assert [(each.spectrum.sha256, each.task) for each in whole.trajectories] == [*whole.examples]
    assert whole.counts["left out, sessions disagree"] == 1


SCORES = '{"coherence": %s, "consistency": %s}'


@pytest.mark.parametrize(("text", "expected"), [
    (SCORES % (4, 5), (4, 5, True)),
    ("I think {hard}. ```json\n" + SCORES % ('"3/5"', 4.0) + "\n```", (3, 4, False)),
    ('{"coherence": 5, "consistency": 5, "approve": false, "note": "no"}', (5, 5, False)),
    (SCORES % (1, 1) + " or rather " + SCORES % (2, 2), (2, 2, False)),
])  # fmt: skip
def test_scores_in_any_wrapping(text: str, expected: tuple[int, int, bool]) -> None:
    found = read_scores(text)
    assert found is not None
    assert (found.coherence, found.consistency, found.approve) == expected


NO_SCORES = (
    "", "5 and 5", SCORES % (7, 1), SCORES % ("true", 1), SCORES % ("NaN", 4),
    SCORES % ("[4]", "{}"), '{"coherence": 4}', "{" * 3000, "[4, 5]",
)  # fmt: skip


@pytest.mark.parametrize("text", NO_SCORES)
def test_what_is_no_score(text: str) -> None:
    assert read_scores(text) is None


def test_a_model_judges_what_waits_in_a_pool(pool: Pool) -> None:
    run_panel(pool, names=[SCREENER])
    good = '{"coherence": 5, "consistency": 4, "note": "fine\\u0000"}'
    texts = iter([good, "no idea"])
    engine = ScriptedEngine(lambda turn: next(texts))
    counts = judge_pool(ModelJudge(engine=engine, name="judge"), pool, "reviser", limit=2)
    assert (counts.rated, counts.unusable) == (1, 1)
    assert stages(pool) == ["auditor", "reviser", "reviser"]
    heard = engine.conversations[0]
    assert "You are now its referee" in heard.turns[-2].text
    case = next(open_pool(pool.place).cases())
    assert len(heard.pictures) == 1 + len(case.trajectory.looks)
    assert case.reviews[-1].consistency == 4 and "\x00" not in case.reviews[-1].note


def test_what_a_judge_gave_before_it_failed_is_kept(pool: Pool) -> None:
    run_panel(pool, names=[SCREENER])

    def reply(turn: int) -> str:
        if len(engine.conversations) == 2:
            raise EngineError("the server is away")
        return SCORES % (4, 4)

    engine = ScriptedEngine(reply)
    with pytest.raises(EngineError, match="is away"):
        judge_pool(ModelJudge(engine=engine, name="judge"), pool, "reviser")
    assert stages(pool) == ["auditor", "reviser", "reviser"]
