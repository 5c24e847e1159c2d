"""The seeing model from nothing: the eye, then its words, then rare members, then GGUF files."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from agent.atomic_file import replace_folder
from agent.errors import WorkbenchError, write_errors
from train.export.export import export_gguf, write_gguf_card
from train.questions.settings import QuestionSettings
from train.vision.settings import RARER, LessonSettings, SchoolSettings, SpeechSettings, read_tables
from train.vision.train_text import MODEL, question_jobs, teach_speech
from train.vision.train_tower import Workers, lesson_jobs, load_eye, teach

EYE, SPEECH, RARE, GGUF = "eye", "speech", "rare", "gguf"
PART = ".part"  # What is being made; an interrupted part starts over.


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """All settings of a seeing model."""

    lessons: LessonSettings
    school: SchoolSettings
    speech: SpeechSettings
    questions: QuestionSettings
    rare_speech: SpeechSettings
    rare_questions: QuestionSettings


def read_recipe(sets: Sequence[str] = ()) -> Recipe:
    """The recipe of the model in the box, with changes such as `school.batch=48`."""
    with as_file(files("train").joinpath("configs", "eye.toml")) as path:
        tables = read_tables("", sets, config=path)
    return Recipe(
        lessons=tables.read(LessonSettings, "lessons"),
        school=tables.read(SchoolSettings, "school"),
        speech=tables.read(SpeechSettings, "speech"),
        questions=tables.read(QuestionSettings, "questions"),
        rare_speech=tables.read(SpeechSettings, "speech", f"{RARER}speech"),
        rare_questions=tables.read(QuestionSettings, "questions", f"{RARER}questions"),
    )


def make_seeing_model(
    out: Path,
    recipe: Recipe,
    *,
    seed: int,
    library: str,
    workers: int,
    tell: Callable[[str], object] = lambda line: None,
) -> Path:
    """Make the model; parts that `out` has already are kept. Returns the folder of its files."""
    if not recipe.school.minutes:
        raise WorkbenchError("school.minutes must be positive: lessons are drawn while it learns")
    shutil.rmtree(out / PART, ignore_errors=True)
    if not (out / EYE).is_dir():
        with Workers(workers, lesson_jobs(recipe.lessons, seed, library)) as lessons:
            teach(lessons, out / PART, recipe.school, seed, tell=tell)
        with write_errors(out / EYE):
            replace_folder(out / PART, out / EYE)
    parts = (
        (SPEECH, recipe.speech, recipe.questions, None),
        (RARE, recipe.rare_speech, recipe.rare_questions, out / SPEECH / MODEL),
    )
    for number, (name, speech, questions, start) in enumerate(parts, 1):
        if (out / name).is_dir():
            continue
        eye = load_eye(out / EYE, recipe.school)
        with Workers(workers, question_jobs(questions, seed + number, library)) as asked:
            teach_speech(
                eye, asked, out / PART, speech, recipe.school, seed + number,
                start=start, uses_real_stars=bool(library), tell=tell,
            )  # fmt: skip
        with write_errors(out / name):
            replace_folder(out / PART, out / name)
    report = export_gguf(out / RARE / MODEL, out / GGUF, name=GGUF, say=lambda line: None)
    write_gguf_card(out / RARE / MODEL, report)
    return out / GGUF
