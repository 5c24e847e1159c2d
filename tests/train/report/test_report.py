"""The sections of a report, and the page as a whole."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from astropy.io import fits
from typer.testing import CliRunner, Result

pytest.importorskip("pyarrow")

from agent.confidence.judged import JudgedScores
from agent.errors import WorkbenchError
from agent.examples.examples import Example, read_examples
from agent.ratings.records import Choice, subject_of
from agent.rendering.charts import reliability
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Trajectory
from app.services.archives.sdss import Sdss, field_path
from app.services.archives.sparcl import spectrum_file
from app.services.web import client as web_client
from tests.agent.ratings.made import rating, trajectory
from tests.agent.spectra.readers import samples
from tests.app.services.archives.archive_play import play_archives, sparcl_record
from tests.app.services.fault_server import fault_server
from tests.train.bench.published_files import TOOL, verl_row, write_rows
from tests.train.evaluate.helpers import rows, simulated
from tests.train.report.conftest import report
from train.cli import app
from train.evaluate.judgement import add_judgements, read_judgements
from train.evaluate.sight import sight_figures, sight_json
from train.journal import journal
from train.report.judging import Judging, _reliability, survey_section
from train.report.rating import curation_parts
from train.review.pool_figures import figures
from train.review.rating_round import add_records, read_records
from train.review.review_rules import Case, Review
from train.review.statistics import distributions, duels_of_choices, latest_ratings


def test_judging(evaluated: tuple[Path, Path], tmp_path: Path):
    bench, out = evaluated
    options = "--evaluation", out, "--bench", bench, "--failures", 2
    text = report(tmp_path / "a.html", *options)
    assert report(tmp_path / "b.html", *options) == text, "another one the second time"
    assert "12 real, 12 others" in text
    assert "Failures of measured: Main table" in text
    assert text.count("the truth is") == 2
    assert text.count("<figcaption>whole spectrum") == 2
    assert re.search(r"<li>Looks at \d+ to \d+ Å, .+?</li>", text)
    assert re.search(r"<li>Answers (YES|NO): [^\\]+?</li>", text)
    assert "ECE" in text and "&lt;b&gt;bold" in text
    assert "<b>bold" not in text and "<script" not in text


def test_surveys_stand_side_by_side_with_wins_and_losses(tmp_path: Path):
    def judging(stem: str, survey: str, hits: int) -> Judging:
        files = {name: tmp_path / f"{stem}-{name}.jsonl" for name in ("ours", "other")}
        for path, own in zip(files.values(), (hits, 2), strict=True):
            told = rows(own, 4 - own, 0, 4)
            add_judgements(path, [replace(one, survey=survey) for one in told])
        return Judging(stem, stem, ("CV",), files, ())

    both = [judging("test", "LAMOST", 4), judging("survey-SDSS", "SDSS", 1)]
    text = survey_section(both)
    assert "<th>LAMOST Acc</th><th>LAMOST F1</th><th>SDSS Acc</th>" in text
    duels = re.findall(r"</td><td>8</td><td>(\S+) .*?<td>(\S+) .*?<td>(\S+) ", text)
    assert duels == [("25.0", "75.0", "0.0"), ("0.0", "87.5", "12.5")]
    assert survey_section(both[:1]) == ""


def test_reliability_tells_the_error():
    p = np.linspace(0.01, 0.99, 200)
    label = np.random.default_rng(0).random(200) < p
    judges = {"good": JudgedScores(p, label), "bad": JudgedScores(1.0 - p, label)}
    svg = reliability(dict(_reliability(name, judged) for name, judged in judges.items()))
    errors = [float(found) for found in re.findall(r"ECE (0\.\d+)<", svg)]
    assert len(errors) == 2
    assert errors[0] < 0.1 < errors[1]


def test_a_set_is_looked_at_once(evaluated: tuple[Path, Path], tmp_path: Path):
    """The ablation judges the set of the main table with the same models."""
    bench, out = evaluated
    shutil.copytree(out, tmp_path / "out")
    shutil.copy(out / "main.json", tmp_path / "out/ablation.json")
    words = ["--evaluation", tmp_path / "out", "--bench", bench, "--failures", 1]
    text = report(tmp_path / "a.html", *words)
    assert "Ablation" in text
    assert text.count("Failures of") == text.count("the truth is") == 1


def test_a_folder_with_nothing_but_a_test_of_sight(tmp_path: Path):
    judged = rows(3, 1, 0, 4)
    seen = [sight_figures(paper, judged, {}, judged, {}, seed=1) for paper in ("own", "white")]
    (tmp_path / "sight.json").write_text(sight_json({"<box>": {"nano": seen}}))
    text = report(tmp_path / "a.html", "--evaluation", tmp_path)
    assert "Test of sight: nano on &lt;box&gt;" in text
    assert "4 real, 4 others" in text
    assert text.count("<td>white paper</td>") == 1


def test_dynamics(tmp_path: Path):
    for name in ("one", "two"):
        with journal(tmp_path / name) as run:
            for step in range(50):
                run.log(step, reward=step / 50, calls=3.0, unknown=1.0, loss=None)
            run.log(50, **{"validation/f1": 0.5, "validation/f1/WD": 0.25})
    text = report(tmp_path / "a.html", "--run", tmp_path / "one", "--run", tmp_path / "two")
    assert "mean reward" in text and "calls per rollout" in text and "0.04 to 0.94" in text
    assert "unknown" not in text
    assert "validation F1, WD" in text and "<td>0.5 to 0.5</td>" in text


def test_sorts_of_runs_are_not_laid_over_each_other(tmp_path: Path):
    with journal(tmp_path / "taught") as run:
        run.log(1, loss=3.0)
    with journal(tmp_path / "rewarded") as run:
        run.log(1, loss=0.1, reward=0.5, f1=float("nan"))
    text = report(tmp_path / "a.html", "--run", tmp_path / "taught", "--run", tmp_path / "rewarded")
    taught, rewarded = text.split("Reinforcement")
    assert "<td>taught</td>" in taught and "<td>rewarded</td>" not in taught
    assert "mean reward" in rewarded and "F1" not in rewarded


def test_a_run_without_figures_says_so(tmp_path: Path):
    with journal(tmp_path / "empty"):
        pass
    assert "no figures yet" in report(tmp_path / "a.html", "--run", tmp_path / "empty")


def reviewed(number: int, *scores: tuple[str, int]) -> Case:
    trajectory = Trajectory(
        task="CV",
        spectrum=SpectrumRef(sha256=str(number)),
        model=ModelRef(name="teacher"),
        stopped_by="answer",
    )
    case = Case(str(number), trajectory)
    case.reviews = [
        Review(
            trajectory=case.id, role="auditor", by=by, approve=True, version=case.version,
            coherence=score, consistency=4,
        )
        for by, score in scores
    ]  # fmt: skip
    return case


def test_agreement():
    cases = [reviewed(n, ("ada", n), ("ben", 5 - n)) for n in range(1, 5)]
    text = "".join(curation_parts(figures(cases)))
    coherence, consistency = text.split("Agreement of raters on physical consistency")
    assert "-1.00" in coherence, "what one calls better the other calls worse"
    assert "<svg" not in consistency and "Not measured" in consistency


def test_who_holds_what_up():
    text = "".join(curation_parts(figures([reviewed(1, ("ada", 4))])))
    assert "<td>waiting for the screener</td><td>1</td>" in text


@pytest.mark.parametrize(
    ("words", "why"), [([], "nothing to report"), (["--evaluation", "."], "holds no judgements")]
)
def test_nothing_to_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], why: str
):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["report", "a.html", *words])
    assert isinstance(result.exception, WorkbenchError)
    assert why in str(result.exception)


# The report's section on ratings, from the functions that the window uses.
OURS = [trajectory(f"s{n}", "ours") for n in range(5)]
THEIRS = [trajectory(f"s{n}", "<i>theirs</i>") for n in range(5)]
CHOICES = [
    Choice(first=subject_of(one), second=subject_of(two), preferred=preferred, left="first", by="B")
    for one, two, preferred in zip(
        OURS, THEIRS, ("first", "first", "tie", "second", "first"), strict=True
    )
]


def written(folder: Path) -> Path:
    rated = list(enumerate([*OURS, *THEIRS]))
    people = [rating(one, "Ada", n % 6, 5) for n, one in rated]
    model = [rating(one, "judge", (2 * n) % 6, n % 5, by_model=True) for n, one in rated]
    add_records(folder / "all.ratings.jsonl", [*people, *model, *CHOICES])
    return folder / "all.ratings.jsonl"


def test_figures_of_people_and_models(tmp_path: Path) -> None:
    text = report(tmp_path / "report.html", "--ratings", written(tmp_path))
    assert "Scores: coherence" in text and "Scores: physical consistency" in text
    assert "Agreement of raters on coherence (Spearman)" in text
    assert "judge (model)" in text
    # Wins, ties and losses with their intervals; the name of a model is no markup.
    assert "<td>&lt;i&gt;theirs&lt;/i&gt;, ours</td><td>5</td>" in text
    (duel,) = duels_of_choices(CHOICES)
    assert (duel.wins, duel.ties, duel.losses) == (1, 1, 3)
    assert "20 % (4 to 62)" in text and "60 % (23 to 88)" in text
    assert "Everything said is in the pictures" in text


def test_with_a_bench_wins_and_losses_are_told_by_survey(tmp_path: Path, monkeypatch) -> None:
    rows = [{"sha256": f"s{n}", "survey": "SDSS" if n < 3 else "DESI"} for n in range(5)]
    monkeypatch.setattr("train.report.rating.column", lambda path, *names: rows)
    (tmp_path / "test.parquet").touch()
    text = report(tmp_path / "a.html", "--ratings", written(tmp_path), "--bench", tmp_path)
    desi, sdss = text.split("Pairwise: DESI")[1].split("Pairwise: SDSS")
    assert "<td>3</td><td>0 % (0 to 56)</td><td>33 % " in sdss
    assert "<td>2</td><td>50 % " in desi


def test_means_are_those_of_the_records(tmp_path: Path) -> None:
    path = written(tmp_path)
    text = report(tmp_path / "report.html", "--ratings", path)
    for one in distributions(latest_ratings(read_records(path)), "coherence"):
        assert f"<td>{one.n}</td><td>{one.mean:.2f}</td>" in text


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("")
    text = report(tmp_path / "report.html", "--ratings", tmp_path / "none.jsonl")
    assert "There are no ratings in these files." in text


# Sets that others published or labelled: specvi, astrovlbench, sdss-v.
FIRST_TARGET, FIRST_CATALOGID = 39627792213580000, 4375924700


@pytest.fixture(scope="module")
def spectra() -> list[Example]:
    """White dwarfs and other stars, one to two."""
    return simulated("WD", 12)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch):
    pace = web_client.HostPace
    monkeypatch.setattr(web_client, "HostPace", lambda _: pace(200.0))
    with fault_server() as made:
        yield made


def public(*words: object) -> Result:
    arguments = ["evaluate", "public", *map(str, words), "--model", "measured"]
    return CliRunner().invoke(app, arguments)


def page_of(out: Path, name: str, *words: object) -> tuple[str, str]:
    """What is said, and the text of the page."""
    result = public(name, words[0], out, *words[1:])
    assert result.exit_code == 0, result.output or result.exception
    cells = re.sub(r"</t[dh]>", " | ", (out / f"{name}.html").read_text(encoding="utf-8"))
    return result.output, re.sub(r"<style>.*?</style>|<[^>]+>", "", cells, flags=re.S)


def boss(one: Example, catalogid: int) -> bytes:
    """A file of SDSS-V."""
    spectrum = one.spectrum
    cards = {"TELESCOP": "SDSS 2.5-M", "PLATEID": 0}
    columns = {
        "FLUX": ("E", spectrum.flux), "LOGLAM": ("E", np.log10(spectrum.wavelength)),
        "IVAR": ("E", spectrum.ivar),
    }  # fmt: skip
    names = {"FIELD": 15000, "MJD": 59146, "CATALOGID": catalogid}
    catalogue = {name: ("K", [number]) for name, number in names.items()} | {"RACAT": ("D", [9.0])}
    return samples.bytes_of(
        samples.with_cards(fits.PrimaryHDU(), cards),
        samples.table_hdu(columns, "COADD"),
        samples.table_hdu(catalogue | {"CLASS": ("6A", ["STAR"])}, "SPALL"),
    )


def record(one: Example, targetid: int) -> dict[str, object]:
    """What SPARCL holds of a spectrum."""
    arrays = {"wavelength": one.spectrum.wavelength, "flux": one.spectrum.flux}
    uuid = f"6b6e7a2c-0c1d-11ee-8f6a-{targetid % 10**12:012d}"
    masked = {"ivar": one.spectrum.ivar, "mask": np.zeros(one.spectrum.flux.size)}
    told = {name: values.tolist() for name, values in (arrays | masked).items()}
    return sparcl_record(sparcl_id=uuid, specid=targetid, targetid=targetid, **told)


def test_rows_of_specvi_stand_beside_the_paper(spectra, tmp_path):
    rows = [verl_row(number, "wd", one.answer) for number, one in enumerate(spectra)]
    for row, one in zip(rows, spectra, strict=True):
        arrays = {"wavelength": one.spectrum.wavelength, "flux": one.spectrum.flux}
        told = {name: values.tolist() for name, values in arrays.items()}
        row["extra_info"]["tools_kwargs"][TOOL]["create_kwargs"] = told | {"redshift": 0.0}
    write_rows(tmp_path / "hub" / "test_wd.parquet", [*rows, verl_row(99, "wd", "maybe")])
    write_rows(tmp_path / "hub" / "train_wd.parquet", rows[:3])
    said, page = page_of(tmp_path / "out", "specvi", tmp_path / "hub")
    assert "| wd | WD | 12 |" in said and "| no answer that is YES or NO | 1 |" in said
    assert "WD | measured | 4 | 8 | " in page and "WD | Spec-o3-7B, as printed" in page
    assert re.search(r"Spec-o3-7B, as printed \|  \|  \|  \|  \| 53\.6 \|", page)
    assert "mean | Spec-o3-7B" not in page, "a mean of five classes beside that of one"
    assert "arXiv 2601.06498" in page


def test_labels_of_several_experts_from_a_folder(spectra, tmp_path):
    lines = ["field-MJD-catalogid,label,expert"]
    (tmp_path / "boss").mkdir()
    for number, one in enumerate(spectra):
        catalogid = FIRST_CATALOGID + number
        name = f"015000-59146-{catalogid}"
        theirs = ("WDA", "WDB", "sdX") if one.is_positive else ("EXGAL", "STAR", "WDC")
        lines += [f"{name},{label},{expert}" for expert, label in enumerate(theirs)]
        (tmp_path / "boss" / f"spec-{name}.fits").write_bytes(boss(one, catalogid))
    gone, broken = (
        tmp_path / "boss" / f"spec-015000-59146-{FIRST_CATALOGID + n}.fits" for n in (1, 2)
    )
    gone.unlink()
    broken.write_bytes(broken.read_bytes()[:2000])
    for number, theirs in enumerate((("WDA", "STAR"), ("UNCLASS", "UNCLASS"), ("", ""))):
        lines += [f"015000-59147-{number + 1},{label},1" for label in theirs]
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    out = tmp_path / "out"
    words = ("sdss-v", path, "--spectra", tmp_path / "boss")
    said, page = page_of(out, *words)
    for theirs, ours in (("WDB", "WD"), ("sdX", "none of ours"), ("UNCLASS", "left out")):
        assert f"| {theirs} | {ours} | " in said and f"{theirs} | {ours} | " in page
    for reason in (
        "its labels disagree", "the class UNCLASS has no counterpart", "no class",
        "no spectrum found", "its file cannot be read as a spectrum",
    ):  # fmt: skip
        assert f"{reason} | 1 | " in page
    kept = [one for number, one in enumerate(spectra) if number not in (1, 2)]
    made = list(read_examples(out / "sets" / "listed.parquet"))
    assert [one.answer for one in made if one.task == "WD"] == [one.answer for one in kept]
    assert {one.answer for one in made if one.task == "CV"} == {"NO"}
    judged = [
        one for one in read_judgements(out / "judgements/listed/measured.jsonl") if one.task == "WD"
    ]
    hits = sum(one.answer == one.verdict == "YES" for one in judged)
    said_yes = sum(one.verdict == "YES" for one in judged)
    real = sum(one.is_positive for one in kept)
    row = rf"WD \| measured \| {real} \| {len(kept) - real} \| (\S+) \(\S+ to \S+\) \| (\S+) "
    precision, recall = re.search(row, page).groups()
    assert precision == f"{100 * hits / said_yes:.1f}" and recall == f"{100 * hits / real:.1f}"
    assert page_of(out, *words)[1] == page, "another one the second time"


def test_labels_by_name_from_the_archive(spectra, tmp_path, server):
    lines = ["field,mjd,catalogid,class"]
    for number, one in enumerate(spectra[:6]):
        catalogid = FIRST_CATALOGID + number
        lines.append(f"15000,59146,{catalogid},{'WDA' if one.is_positive else 'STAR'}")
        if number:
            path = "/" + field_path("dr20", 15000, 59146, catalogid)
            server.files[path] = boss(one, catalogid), "application/fits"
    lines += [f"15000,59147,{FIRST_CATALOGID + number},WDA" for number in range(24)]
    (tmp_path / "labels.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = ("sdss-v", tmp_path / "labels.csv", "--from", "sdss", "--url", server.url)
    said, page = page_of(tmp_path / "out", *words)
    assert "30 spectra wanted" in said and "not judged: 25." in page
    assert "(HTTP 404) | 21 | " in page and re.search(r"not asked for: .*? \| 4 \|", page)
    assert len(list((tmp_path / "out/sets/spectra").glob("*.fits"))) == 5
    found = {one.spectrum.object_id for one in read_examples(tmp_path / "out/sets/listed.parquet")}
    assert found == {f"015000-59146-{FIRST_CATALOGID + number}" for number in range(1, 6)}


def test_what_was_stopped_is_not_judged(tmp_path, monkeypatch):
    def interrupt(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Sdss, "find", interrupt)
    (tmp_path / "labels.csv").write_text("field,mjd,catalogid,class\n1,2,3,WDA\n")
    result = public("sdss-v", tmp_path / "labels.csv", tmp_path / "out", "--from", "sdss")
    assert "run the same again to go on" in str(result.exception)


@pytest.fixture
def groups(spectra, tmp_path) -> Path:
    """The table of AstroVLBench, whose spectra are some of ours."""
    names = ("A", "C1", "C2", "C3", "C4", "D")
    rows = [f"{FIRST_TARGET + n},{names[n % 6]},{n}" for n in range(len(spectra))]
    path = tmp_path / "ASIB_v1_selection_with_snr.csv"
    path.write_text("\n".join(["TARGETID,SUB_GROUP,SNR_R", *rows]) + "\n", encoding="utf-8")
    return path


def test_astrovlbench_by_name_from_the_archive(spectra, groups, tmp_path, server):
    play_archives(server, records=[record(one, FIRST_TARGET + n) for n, one in enumerate(spectra)])
    words = ("astrovlbench", groups, "--from", "sparcl", "--url", server.url)
    said, page = page_of(tmp_path / "out", *words)
    assert "10 spectra wanted" in said and "the class A has no counterpart | 2 | " in page
    assert "| D | none of ours | 2 |" in said and "no figure of it compares" in page
    row = re.search(r"WD \| measured \| 0 \| 10 \| \S.*?\| - \| - \| (\S+) \(", page)
    judged = read_judgements(tmp_path / "out/judgements/listed/measured.jsonl")
    wrong = sum(one.task == "WD" and one.verdict == "YES" for one in judged)
    assert wrong and row[1] == f"{100 * wrong / 10:.1f}"


def test_astrovlbench_from_a_folder_with_classes_of_ones_own(spectra, groups, tmp_path):
    (tmp_path / "desi").mkdir()
    for number, one in enumerate(spectra):
        target = FIRST_TARGET + number
        made = spectrum_file(record(one, target), "https://example.org")
        (tmp_path / "desi" / f"spectrum_{target}.fits").write_bytes(made)
    words = ("--spectra", tmp_path / "desi", "--class", "A=white dwarf", "--class", "B")
    said, page = page_of(tmp_path / "out", "astrovlbench", groups, *words)
    assert "| A | WD | 2 |" in said and "WD | measured | 2 | 10 | " in page


@pytest.mark.parametrize(("name", "text", "words", "said"), [
    ("sdss-v", "a,b\n1,2\n", ("--spectra", "."), "no column was recognized"),
    ("sdss-v", "name,ra\nx,1\n", ("--spectra", "."), "no classes: name their column with --role"),
    ("sdss-v", "name,label\nx,WDA\n", (), "name a folder of spectra"),
    ("sdss-v", "name,label\nx,WDA\n", ("--spectra", "nowhere"), "nowhere: no such folder"),
    ("sdss-v", "name,label\nx,WDA\n", ("--spectra", "."), r"judged \(1: no spectrum found\)"),
    ("sdss-v", "name,label\nx,UFO\n", ("--spectra", "."), "the class UFO has no counterpart"),
    ("sdss-v", "path,label\n/etc/passwd,WDA\n", ("--spectra", "."), "1: no spectrum found"),
    ("sdss-v", "name,label\nx,WDA\n", ("--spectra", ".", "--class", "WDA=UFO"), "no task"),
    ("specvi", "", (), "neither SpecVI-Bench rows nor conversations"),
    ("specvi", "", ("--spectra", "."), "specvi needs no --spectra"),
])  # fmt: skip
def test_bad_input_is_one_sentence(tmp_path, monkeypatch, name, text, words, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list.csv").write_text(text, encoding="utf-8")
    result = public(name, "list.csv", "out", *words)
    assert isinstance(result.exception, WorkbenchError)
    assert re.search(said, str(result.exception)) and "\n" not in str(result.exception)
    assert not (tmp_path / "out" / "sets" / "listed.parquet").exists()
