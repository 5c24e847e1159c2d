import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip("pyarrow")

import numpy as np

from agent.engines.base import SamplingSettings
from agent.errors import WorkbenchError
from agent.examples.examples import ExampleStore, example, write_examples
from agent.inspection.model_inspector import ModelInspector
from agent.spectra.spectrum import Spectrum
from agent.trajectory.trajectory import ModelRef
from agent.trajectory.trajectory_file import read_trajectories
from tests.scripted_engine import ScriptedEngine
from tests.train.evaluate.helpers import MEASURED, make_judgement, rows, simulated
from train.cli import app
from train.evaluate import judges
from train.evaluate.evaluation import evaluate
from train.evaluate.judgement import (
    Judgement,
    add_judgements,
    compare,
    judge_figures,
    mcnemar,
    mean_f1,
    mean_f1_of,
    read_judgements,
    task_figures,
    tasks_with_members,
)
from train.evaluate.judges import JudgeKind, JudgeSpec, choose_keys, judge_set, trajectories_path
from train.evaluate.sight import (
    card_figures,
    read_sight,
    sight_figures,
    sight_json,
    sight_markdown,
)
from train.evaluate.tables import (
    KINDS,
    MIN_CANDIDATES,
    RARE,
    calibration_figures,
    calibration_markdown,
    parts_markdown,
    set_markdown,
    snr_bin_of,
    with_interval,
)


class TestTables:
    def test_main(self, bench: Path, tmp_path: Path):
        other = replace(MEASURED, name="again")
        text = evaluate(KINDS["main"], bench, tmp_path, [MEASURED, other])
        assert "10 positives, 20 negatives" in text
        assert text.count("| measured |") == 3
        assert "mean accuracy and F1 by survey" in text
        assert "0.0 (no interval)" in text
        told = json.loads((tmp_path / "main.json").read_text())
        (first, _) = told["sets"]["test"]["judges"]
        assert [task["task"] for task in first["tasks"]] == list(RARE)
        assert first["mean_f1"]["value"] > 0.5
        lines = (tmp_path / "main.csv").read_text().splitlines()
        assert len(lines) == 1 + 2 * len(RARE)

    def test_another_model_under_the_same_name_is_refused(self, bench: Path, tmp_path: Path):
        evaluate(KINDS["main"], bench, tmp_path, [MEASURED], limit=2)
        with pytest.raises(WorkbenchError, match="another seed"):
            evaluate(KINDS["main"], bench, tmp_path, [replace(MEASURED, seed=1)], limit=2)

    def test_missing_sets_are_named(self, bench: Path, tmp_path: Path):
        with pytest.raises(WorkbenchError, match=r"survey-SDSS.parquet, survey-DESI.parquet"):
            evaluate(KINDS["cross-survey"], bench, tmp_path, [MEASURED])


class TestCommand:
    def test_main(self, bench: Path, tmp_path: Path):
        arguments = ["evaluate", "main", str(bench), str(tmp_path), "--limit", "6"]
        result = CliRunner().invoke(app, [*arguments, "--model", "rule=measured"])
        assert result.exit_code == 0, result.output
        assert "| rule |" in result.stdout
        assert (tmp_path / "judgements" / "test" / "rule.jsonl").is_file()

    def test_a_bench_of_another_class(self, tmp_path: Path):
        bench = tmp_path / "bench"
        bench.mkdir()
        write_examples(bench / "test.parquet", simulated("A", 6))
        arguments = ["evaluate", "main", str(bench), str(tmp_path / "out"), "--model", "measured"]
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, result.output
        assert "A F1" in result.stdout

    def test_any_set(self, tmp_path: Path):
        path = tmp_path / "asked.parquet"
        write_examples(path, [*simulated("CV", 6), *simulated("O", 6)])
        out = tmp_path / "out"
        words = ["evaluate", "set", str(path), str(out), "--model", "measured"]
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, result.output
        assert "CV F1" in result.stdout and "O F1" in result.stdout
        said = list(read_judgements(out / "judgements" / "asked" / "measured.jsonl"))
        assert len(said) == 12 and {one.task for one in said} == {"CV", "O"}
        assert list(json.loads((out / "set.json").read_text())["sets"]) == ["asked"]

    def test_no_judges(self, bench: Path, tmp_path: Path):
        result = CliRunner().invoke(app, ["evaluate", "main", str(bench), str(tmp_path)])
        assert isinstance(result.exception, WorkbenchError)
        assert "no judges" in str(result.exception)

    def test_two_judges_with_one_name(self, bench: Path, tmp_path: Path):
        arguments = ["evaluate", "main", str(bench), str(tmp_path)]
        twice = ["--model", "measured", "--model", "measured"]
        result = CliRunner().invoke(app, [*arguments, *twice])
        assert "have the same name" in str(result.exception)


HALF_SURE = '{"key": "a", "task": "CV", "answer": "YES", "verdict": null, "p_yes": 0.5}'


def test_judgements_are_read_back_without_a_line_that_was_cut_off(tmp_path: Path):
    path = tmp_path / "one.jsonl"
    first = make_judgement(1, "YES", None, p_yes=0.25, stopped_by="error")
    second = replace(make_judgement(2, "NO", "NO"), snr=12.5)
    add_judgements(path, [first])
    add_judgements(path, [second])
    with path.open("a") as file:
        file.write('{"key": "cut of')
    assert list(read_judgements(path)) == [first, second]
    assert not first.is_right and second.is_right


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("no json", "not a line of JSON"),
        ("{}", "not a judgement"),
        ('{"key": "a", "task": "CV", "answer": "YES", "verdict": "MAYBE", "p_yes": null}', "not a"),
        *(
            (HALF_SURE.replace("0.5", p), "not a")
            for p in ("1.5", "-0.1", "1e999", "NaN", "Infinity", "true", '"0.5"')
        ),
        ("[" * 90_000, "not a line of JSON"),
        ("\udcff", "not a line of JSON"),
    ],
)
def test_faulty_lines_are_named_by_number(tmp_path: Path, line: str, reason: str):
    path = tmp_path / "one.jsonl"
    add_judgements(path, [make_judgement(1, "YES", "YES")])
    with path.open("a", errors="surrogateescape") as file:
        file.write(line + "\n")
    with pytest.raises(WorkbenchError, match=f"line 2: {reason}"):
        list(read_judgements(path))


def test_tasks_without_a_positive_do_not_count():
    both = [*rows(1, 0, 0, 3), *rows(0, 0, 1, 3, "CS")]
    assert tasks_with_members(both) == ["CV"]
    assert tasks_with_members(rows(0, 0, 1, 3, "CS")) == []


def test_a_file_that_is_not_there_is_told(tmp_path: Path):
    with pytest.raises(WorkbenchError, match="cannot be read"):
        list(read_judgements(tmp_path / "none.jsonl"))


def without_seconds(rows: list[Judgement]) -> list[Judgement]:
    return [replace(one, seconds=0) for one in rows]


class TestJudging:
    def test_resumes_where_it_stopped(
        self, bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        out, path = tmp_path / "measured.jsonl", bench / "test.parquet"
        whole = judge_set(MEASURED, path, tmp_path / "whole.jsonl")

        def stops(so_far: list[int], count: int) -> None:
            so_far.append(count)
            if sum(so_far) > 9:
                raise KeyboardInterrupt

        counts: list[int] = []
        with pytest.raises(KeyboardInterrupt):
            judge_set(MEASURED, path, out, advance=lambda count: stops(counts, count))
        before = len(list(read_judgements(out)))
        assert 0 < before < len(whole)
        for file in (out, trajectories_path(out)):
            with file.open("a") as left_half:
                left_half.write('{"key": "cut of')
        judged_again: list[int] = []
        monkeypatch.setattr(judges, "CHUNK", 2)
        again = judge_set(MEASURED, path, out, advance=judged_again.append)
        assert judged_again[0] == before
        assert without_seconds(again) == without_seconds(whole)
        assert len(list(read_judgements(out))) == len(whole)
        store = ExampleStore([path])
        records = [store.of(record).key for record in read_trajectories(trajectories_path(out))]
        assert sorted(records) == sorted(one.key for one in whole)

    def test_workers_give_the_same_judgements(self, bench: Path, tmp_path: Path):
        path = bench / "test.parquet"
        alone = judge_set(MEASURED, path, tmp_path / "one.jsonl", tasks=("CV", "WD"))
        shared = judge_set(MEASURED, path, tmp_path / "two.jsonl", tasks=("CV", "WD"), workers=2)
        assert without_seconds(alone) == without_seconds(shared)

    def test_an_unreadable_spectrum_is_a_wrong_answer(self, tmp_path: Path):
        wavelength = np.linspace(4000.0, 9000.0, 50)
        broken = Spectrum(wavelength=wavelength, flux=np.full(50, np.nan), path="broken.fits")
        path = tmp_path / "test.parquet"
        write_examples(path, [example(broken, task="CV", answer="NO")])
        (found,) = judge_set(MEASURED, path, tmp_path / "out.jsonl")
        assert found.verdict is None and not found.is_right
        assert found.stopped_by.startswith("error")

    def test_a_limit_keeps_the_odds(self, bench: Path):
        path = bench / "test.parquet"
        assert len(choose_keys(path, None)) == 30
        assert len(choose_keys(path, 3)) == 15
        assert [key[:2] for key in choose_keys(path, 3, ("CS",))] == ["CS"] * 3


def test_a_model_that_cannot_be_loaded_says_why(bench: Path, tmp_path: Path):
    spec = JudgeSpec(name="gone", kind="inspector", source=str(tmp_path / "no-model"))
    with pytest.raises(WorkbenchError, match="no-model"):
        judge_set(spec, bench / "test.parquet", tmp_path / "gone.jsonl", workers=2, limit=2)


CALL = (
    '<think>Look.</think>\n<tool_call>\n{"name": "spectral_visualization_tool", '
    '"arguments": {"wavelength_range": [6500, 6600]}}\n</tool_call>'
)

ANSWER = "<think>Seen.</think>\n<answer>\\boxed{YES} broad emission</answer>"


class TestInspectors:
    @pytest.fixture
    def engine(self, monkeypatch: pytest.MonkeyPatch) -> ScriptedEngine:
        engine = ScriptedEngine([CALL, ANSWER])
        warm = SamplingSettings(temperature=1.0)
        inspector = ModelInspector(engine, ModelRef(name="scripted"), sampling=warm)
        factory = "agent.inspection.inspector_factory.make_inspector"
        monkeypatch.setattr(factory, lambda *args, **more: inspector)
        return engine

    @pytest.mark.parametrize(("kind", "pictures"), [("inspector", 2), ("toolless", 1)])
    def test_judging_without_the_tool(
        self, engine: ScriptedEngine, bench: Path, tmp_path: Path, kind: JudgeKind, pictures: int
    ):
        spec = JudgeSpec(name="x", kind=kind, source="x")
        out = tmp_path / "x.jsonl"
        (one,) = judge_set(spec, bench / "test.parquet", out, limit=1, tasks=("CV",))
        assert (one.verdict, one.calls, one.turns, one.well_formed) == ("YES", 1, 2, True)
        (conversation,) = engine.conversations
        assert len(conversation.pictures) == pictures
        (record,) = read_trajectories(trajectories_path(out))
        assert record.sampling.temperature == 0.0

    def test_the_measured_inspector_needs_the_tool(self, bench: Path, tmp_path: Path):
        spec = replace(MEASURED, kind="toolless")
        with pytest.raises(WorkbenchError, match="cannot judge without the tool"):
            judge_set(spec, bench / "test.parquet", tmp_path / "x.jsonl", limit=1)


class TestTaskFigures:
    def test_by_hand(self):
        found = task_figures("CV", rows(8, 2, 4, 36))
        assert found.f1.value == pytest.approx(2 * 8 / (2 * 8 + 2 + 4))
        assert found.accuracy.value == pytest.approx(44 / 50)
        assert (found.n, found.positives) == (50, 10)
        assert found.f1.low < 0.727 < found.f1.high

    def test_no_answer_is_wrong_and_no_alarm(self):
        none = [make_judgement(100, "YES", None), make_judgement(101, "NO", None)]
        found = task_figures("CV", [*rows(1, 0, 0, 1), *none])
        assert found.unanswered == 2
        assert found.accuracy.value == 0.5
        assert found.precision.value == 1.0
        assert found.recall.value == 0.5

    def test_probabilities_give_ranking_figures(self):
        told = [
            make_judgement(n, "YES" if n % 2 else "NO", "YES", p_yes=0.9 if n % 2 else 0.2)
            for n in range(20)
        ]
        found = task_figures("CV", told)
        assert found.average_precision == 1.0
        assert found.calibration_error == pytest.approx(0.15)


class TestMeans:
    def test_mean_over_tasks_not_over_candidates(self):
        both = [*rows(10, 0, 0, 90), *rows(0, 5, 0, 5, "WD")]
        assert mean_f1(both).value == pytest.approx(0.5)
        assert judge_figures("x", both).mean_accuracy == pytest.approx((1.0 + 0.5) / 2)

    def test_a_task_without_members_in_the_set_is_not_in_the_mean(self):
        """Real spectra asked about every class: there may be no carbon star among them."""
        both = [*rows(10, 0, 0, 90), *rows(0, 0, 3, 97, "CS")]
        assert mean_f1(both) == mean_f1(rows(10, 0, 0, 90))

    def test_without_a_member_there_is_no_f1(self):
        found = judge_figures("x", rows(0, 0, 3, 97, "CS"))
        assert found.mean_f1.value is None
        assert found.tasks[0].f1.value is None
        assert found.mean_accuracy == pytest.approx(0.97)

    def test_interval_has_width_even_where_all_is_right(self):
        found = mean_f1(rows(10, 0, 0, 50))
        assert found.value == 1.0
        assert 0.7 < found.low < 1.0

    @pytest.mark.parametrize(
        ("hit", "alarm"),
        [
            ([0.8] * 5, [0.05] * 5),
            ([0.98, 0.985, 0.99, 0.97, 0.85], [0.005, 0.002, 0.001, 0.008, 0.03]),
        ],
        ids=["fair", "good"],
    )
    def test_interval_covers_the_truth_as_often_as_it_says(self, hit, alarm):
        """And misses it on both sides alike: five tasks, 100 positives and 500 negatives."""
        rng = np.random.default_rng(5)
        truth = np.mean(
            [2 * one / (1 + one + 5 * other) for one, other in zip(hit, alarm, strict=True)]
        )
        draws, below, above = 400, 0, 0
        for seed in range(draws):
            hits, alarms = rng.binomial(100, hit), rng.binomial(500, alarm)
            tables = [
                np.array([[500 - called, called], [100 - right, right]])
                for right, called in zip(hits, alarms, strict=True)
            ]
            found = mean_f1_of(tables, seed)
            below += truth < found.low
            above += truth > found.high
        assert 0.02 <= (below + above) / draws <= 0.08
        assert min(below, above) >= 0.2 * (below + above)

    def test_interval_is_about_the_figure(self):
        """Smoothed counts gave 98.5 (97.0 to 98.8)."""
        good = [one for task in "ABCDE" for one in rows(98, 2, 1, 499, task)]
        found = mean_f1(good)
        assert (found.low + found.high) / 2 == pytest.approx(found.value, abs=0.001)

    def test_same_seed_same_interval(self):
        assert mean_f1(rows(8, 2, 1, 9), 3) == mean_f1(rows(8, 2, 1, 9), 3)


class TestComparison:
    def test_mcnemar_by_hand(self):
        assert mcnemar(0, 0) == 1.0
        assert mcnemar(5, 5) == 1.0
        assert mcnemar(0, 5) == pytest.approx(2 * 0.5**5)

    def test_counts_pairs_by_key(self):
        one = rows(5, 5, 0, 10)
        two = list(reversed(rows(8, 2, 0, 10)))
        found = compare("a", "b", one, two[:-1])
        assert (found.n, found.only_first, found.only_second) == (19, 0, 3)
        assert found.f1_difference.value is not None
        assert found.f1_difference.low < found.f1_difference.value < found.f1_difference.high

    def test_a_judge_against_itself_differs_by_nothing(self):
        found = compare("a", "a", rows(5, 5, 3, 7), rows(5, 5, 3, 7))
        difference = found.f1_difference
        assert (difference.value, difference.low, difference.high) == (0.0, 0.0, 0.0)

    def test_the_difference_is_that_of_the_means(self):
        one = [*rows(10, 0, 0, 90), *rows(0, 0, 3, 97, "CS")]
        two = [*rows(5, 5, 0, 90), *rows(0, 0, 0, 100, "CS")]
        found = compare("a", "b", one, two).f1_difference
        assert found.value == pytest.approx(mean_f1(one).value - mean_f1(two).value)

    def test_nothing_in_common(self):
        with pytest.raises(WorkbenchError, match="no candidate in common"):
            compare("a", "b", rows(1, 0, 0, 0), rows(1, 0, 0, 0, "WD"))


def judged(count: int, *, too_sure: float = 1.0, seed: int = 5) -> list[Judgement]:
    """Judgements with calibrated p, reported with `too_sure` times its log odds."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(-1.0, 2.5, count)
    p, told = (1.0 / (1.0 + np.exp(-each)) for each in (odds, too_sure * odds))
    real = rng.random(count) < p
    return [
        make_judgement(
            n, "YES" if real[n] else "NO", "YES" if told[n] > 0.5 else "NO", p_yes=float(told[n])
        )
        for n in range(count)
    ]


def test_calibrated_probabilities_have_no_error():
    found = calibration_figures(judged(4000))
    assert found.n == 4000
    assert found.error < 0.02 and found.error_calibrated < 0.03


def test_overconfidence_is_corrected_by_the_other_half():
    found = calibration_figures(judged(4000, too_sure=3.0))
    assert found.error > 0.08
    assert found.error_calibrated < 0.03


def test_the_cut_keeps_its_precision_on_unseen_candidates():
    found = calibration_figures(judged(4000, too_sure=3.0))
    assert found.precision == pytest.approx(0.95, abs=0.035)
    assert 0.02 < found.accepted < 0.3 and 0.1 < found.recall < 0.9


def test_a_guesser_accepts_nothing():
    rng = np.random.default_rng(1)
    answers = ("YES", *["NO"] * 5) * 100
    rows = [make_judgement(n, one, "YES", p_yes=rng.random()) for n, one in enumerate(answers)]
    found = calibration_figures(rows)
    assert found.accepted == 0.0 and found.precision is None and found.recall == 0.0
    assert found.error > 0.2


def test_too_few_candidates_give_no_figures():
    one_answer = [make_judgement(n, "NO", "NO", p_yes=0.1) for n in range(200)]
    silent = [make_judgement(n, "YES" if n % 2 else "NO", "NO") for n in range(200)]
    for few in (judged(MIN_CANDIDATES - 1), one_answer, silent):
        assert calibration_figures(few) is None
    assert calibration_markdown("none", {"x": judged(10)}, 0) == []


def test_the_table_has_a_line_per_judge():
    silent = [make_judgement(1, "YES", "NO")]
    rows = {"nano": judged(300), "silent": silent, "sure": judged(300, too_sure=4)}
    lines = calibration_markdown("test: calibration of p(YES)", rows, 0)
    assert lines[0] == "#### test: calibration of p(YES)"
    first = [line.split("|")[1].strip() for line in lines if line.startswith("|")]
    assert first == ["judge", "---", "nano", "sure"]


OWN = [
    make_judgement(number, answer, answer, p_yes=p)
    for number, (answer, p) in enumerate([("YES", 0.9), ("YES", 0.8), ("NO", 0.1), ("NO", 0.2)])
]
REPLIES = {("CV", str(number)): ("look", "answer") for number in range(4)}


def shown(*answers: str) -> list[Judgement]:
    return [replace(one, shown_answer=answer) for one, answer in zip(OWN, answers, strict=True)]


def test_a_model_that_does_not_look_follows_nothing():
    found = sight_figures("other", shown("NO", "NO", "YES", "NO"), REPLIES, OWN, REPLIES)
    assert (found.same_verdicts, found.same_replies) == (1.0, 1.0)
    assert found.mean_f1.value == 1.0 and found.p_yes == pytest.approx(0.5)
    assert found.differing == 3 and found.follows is not None and found.follows.value == 0.0


def test_a_model_that_looks_follows_the_picture():
    judged = [replace(one, verdict=one.shown_answer) for one in shown("NO", "NO", "YES", "NO")]
    replies = REPLIES | {("CV", "0"): ("look", "another answer")}
    found = sight_figures("other", judged, replies, OWN, REPLIES)
    assert (found.same_verdicts, found.same_replies) == (0.25, 0.75)
    assert found.mean_f1.value == 0.0
    assert found.follows is not None and found.follows.value == 1.0 and found.follows.low < 0.5


def test_without_another_spectrum_there_is_nothing_to_follow():
    found = sight_figures("white", OWN, REPLIES, OWN, REPLIES)
    assert found.differing == 0 and found.follows is None


def test_the_table_the_file_and_the_card_say_the_same():
    rows = [
        sight_figures("own", OWN, REPLIES, OWN, REPLIES),
        sight_figures("other", shown("NO", "NO", "YES", "NO"), REPLIES, OWN, REPLIES),
    ]
    text = sight_markdown("nano", "box", rows)
    assert "nano on box" in text and "2 positives, 2 negatives" in text
    line = next(line for line in text.splitlines() if "another spectrum" in line)
    assert [cell.strip() for cell in line.split("|")[3:7]] == [
        "0.500", "100.0", "100.0", "0.0 of 3",
    ]  # fmt: skip
    assert read_sight(sight_json({"box": {"nano": rows}})) == {"box": {"nano": rows}}
    card = list(card_figures("box", rows))
    assert [one.figure for one in card] == [
        "mean F1", "mean p(YES)", "mean F1", "mean p(YES)", "same verdicts", "same replies",
        "verdicts that follow the picture",
    ]  # fmt: skip
    assert all(one.on.startswith("sight: box, 2:2, pictures ") for one in card)
    assert card[-1].value == 0.0 and "3 with another true answer" in card[-1].on


@pytest.mark.parametrize(
    ("snr", "told"), [(None, "unknown"), (10.0, "10 to 20"), (500.0, "above 50"), (-1.0, "0 to 5")]
)
def test_bins_of_snr(snr: float | None, told: str):
    assert snr_bin_of(make_judgement(1, "NO", None, snr=snr)) == told


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("| ").split("|")]


def test_a_part_without_positives_has_a_dash_beside_its_accuracy():
    """A judge that calls nothing there YES was right; 0.0 looked like a failure."""
    bright = [replace(one, snr=80.0) for one in rows(3, 1, 0, 4)]
    faint = [replace(one, snr=3.0, key=f"faint {one.key}") for one in rows(0, 0, 1, 3)]
    lines = parts_markdown("x", {"judge": [*bright, *faint]}, snr_bin_of, ["0 to 5", "above 50"])
    assert cells(lines[2]) == ["judge", "0 to 5 (n = 4) Acc", "F1", "above 50 (n = 8) Acc", "F1"]
    name, faint_right, faint_f1, bright_right, bright_f1 = cells(lines[4])
    assert (name, faint_right, faint_f1) == ("judge", "75.0", "-")
    assert bright_right == "87.5" and bright_f1.startswith("85.7 (")


def test_of_a_network_no_form_is_told_and_of_equal_draws_no_interval():
    network, writer = rows(2, 1, 0, 2), [replace(one, turns=2) for one in rows(2, 1, 0, 2)]
    lines = set_markdown("x", {"network": network, "writer": writer})
    head, *told = (cells(lines[at]) for at in (2, 4, 5))
    form = [[row[head.index(name)] for name in ("well-formed", "tokens")] for row in told]
    assert form == [["-", "-"], ["100.0", "0"]]
    always = compare("a", "b", rows(6, 0, 0, 6), rows(0, 6, 6, 0)).f1_difference
    assert with_interval(always) == "100.0 (no interval)"


def test_a_task_without_positives_has_a_dash():
    lines = set_markdown("x", {"judge": [*rows(2, 0, 0, 2), *rows(0, 0, 1, 3, "CS")]})
    found = dict(zip(cells(lines[2]), cells(lines[4]), strict=True))
    assert (found["CS Acc"], found["CS F1"]) == ("75.0", "-")
    assert (found["CV Acc"], found["CV F1"], found["mean Acc"]) == ("100.0", "100.0", "87.5")
    assert found["mean F1 (95 %)"].startswith("100.0 (")
