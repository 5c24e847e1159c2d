"""One rating and one correction, from the key presses to a batch that `sft` trains on."""

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("pyarrow")

from PySide6.QtCore import Qt
from typer.testing import CliRunner

from agent.engines.chat_tokens import load_tokenizer
from agent.engines.families import read_folder
from agent.examples.examples import read_examples
from agent.protocol.reply import parse_reply
from agent.trajectory.trajectory_file import read_trajectories
from app.core.session.records import Verdict
from tests.app.ui.candidates import SAMPLE
from tests.app.ui.judge.agent.conftest import run_here
from tests.app.ui.scripted_agent import judged
from tests.small_models import make_folder
from tests.train.sft.samples import MINUTE
from train.cli import app
from train.sft.batches import Collator
from train.sft.rows import PictureFolder, PictureSource, RowSettings, prepare_rows

ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_folder(tmp_path_factory.mktemp("model"), "qwen2.5-vl", MINUTE)


def test_from_key_press_to_batch(qtbot, context, keyed, session, folder, tmp_path):
    # The first inspection is good, and the person agrees with it.
    good = run_here(qtbot, context)
    judged(context, Verdict.ACCEPT if good.verdict == "YES" else Verdict.REJECT)
    qtbot.keyClick(keyed, Qt.Key.Key_5, ALT)
    assert keyed.rating.text() == "Rated 5"
    # The second one is wrong: the person says the opposite, and rates it 0.
    wrong = run_here(qtbot, context, 2)
    judged(context, Verdict.REJECT if wrong.verdict == "YES" else Verdict.ACCEPT)
    qtbot.keyClick(keyed, Qt.Key.Key_0, ALT)
    assert keyed.rating.text() == "Rated 0"
    # The third was judged, but not rated.
    third = run_here(qtbot, context, 3)
    judged(context, Verdict.ACCEPT if third.verdict == "YES" else Verdict.REJECT)

    out = tmp_path / "lessons"
    words = ["lessons", str(session.location), "--out", str(out), "--spectra", str(SAMPLE)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    labels = {one.sha256: one.answer for one in read_examples(out / "spectra.parquet")}
    assert len(labels) == 3
    trajectories = list(read_trajectories(out / "trajectories.jsonl"))
    assert "1 to follow" in done.output and "1 label only, not rated" in done.output
    followed = next(each for each in trajectories if each.replies == good.replies)
    assert followed.verdict == good.verdict == labels[followed.spectrum.sha256]
    # What the person contradicted is never taken over, only written anew with the right answer.
    assert all(each.replies != wrong.replies for each in trajectories)
    for each in trajectories:
        assert parse_reply(each.replies[-1]).verdict == labels[each.spectrum.sha256]

    vision, pictures = read_folder(folder), PictureFolder(tmp_path / "pictures", 10**8)
    source = PictureSource(pictures, (out / "spectra.parquet",))
    model = {"vision": vision.vision, "picture_source": source}
    settings = RowSettings(folder=folder, sizing=vision.sizing, **model)
    rows = prepare_rows(trajectories, None, settings, cutoff=10**6)
    assert not rows.left_out and len(rows.rows) == len(trajectories)
    tokenizer = load_tokenizer(folder)
    image, pad = map(tokenizer.token_to_id, ("<|image_pad|>", "<|endoftext|>"))
    batch = Collator(image_token=image, pad_token=pad, **model)(rows.rows)
    assert len(batch["input_ids"]) == len(trajectories) and batch["pixel_values"].ndim == 2
    said = tokenizer.decode([int(token) for token in batch["labels"].flatten() if token >= 0])
    assert f"boxed{{{good.verdict}}}" in said.replace(" ", "")
