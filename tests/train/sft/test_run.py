"""Whole runs: their results, and that an interrupted one resumes to the same result."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from safetensors.torch import load_file

pytest.importorskip("peft")

import numpy as np
import torch
from PIL import Image

from agent.engines.base import SamplingSettings
from agent.engines.chat_tokens import load_tokenizer
from agent.errors import TrajectoryError, WorkbenchError
from agent.examples.examples import write_examples
from agent.inspection.inspector import run
from agent.inspection.inspector_factory import make_inspector
from agent.inspection.pictures import redraw
from agent.models.card_file import read_card
from agent.protocol.protocol import Turn
from agent.rendering.model_image import QWEN25
from agent.rendering.render import COMPACT, PUBLISHED, STYLES
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory_file import write_trajectories
from tests.night import BY_NIGHT
from tests.train.forks import run_apart
from tests.train.sft.recipes import BASE, DYING, KINDS, STEPS, TOGETHER, train
from tests.train.sft.samples import MINUTE_MODEL, STAMP, Ready, Samples, row_settings, rows_for
from train.journal import read_metrics
from train.sft.batches import IGNORED
from train.sft.inputs import read_inputs, sample_trajectories
from train.sft.rows import (
    ConversationRow,
    Encoder,
    PictureFolder,
    RowSettings,
    count_outdated_prompts,
    drawing_record,
    picture_names,
    prepare_rows,
    room_left,
    row_of_conversation,
)
from train.sft.run import check_mask, fine_tune, max_turn_tokens
from train.sft.settings import SftSettings
from train.sft.trainer import SftTrainer

DIES_AT = 5
"""Of 6 steps; checkpoints are written every 2."""


@pytest.fixture(scope="module")
def unbroken(samples: Samples, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    runs = {kind: tmp_path_factory.mktemp(kind) / "run" for kind in KINDS}
    for kind, out in runs.items():
        train(*samples[:2], out, KINDS[kind])
    return runs


@pytest.fixture(scope="module")
def forked(samples: Samples, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs in separate processes: those `DYING` died in step 4, two processes made `shared`."""
    out = tmp_path_factory.mktemp("forked")
    run_apart("tests.train.sft.forked", *samples[:2], out)
    return out


def same_end(one: Path, other: Path, kind: str) -> None:
    """Weights, optimizer, schedule, randomness and figures are equal to the last bit."""
    paths = ["model/model.safetensors"]
    paths += ["adapter/adapter_model.safetensors"] if kind == "lora" else []
    for path in paths:
        assert (one / path).read_bytes() == (other / path).read_bytes()
    for name in ("optimizer.pt", "scheduler.pt", "rng_state.pth"):
        states = [_plain(folder / "checkpoints/checkpoint-6" / name) for folder in (one, other)]
        assert states[0] == states[1], name
    shown = [_figures(folder) for folder in (one, other)]
    assert shown[0] == shown[1]
    assert len(shown[0]) == 8  # six steps, two times of figures


def _plain(path: Path) -> object:
    from transformers.trainer_pt_utils import safe_globals

    def listed(value: object) -> object:
        if isinstance(value, torch.Tensor):
            return value.tolist()
        if isinstance(value, dict):
            return {key: listed(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [listed(each) for each in value]
        return value.tolist() if hasattr(value, "tolist") else value

    with safe_globals():
        return listed(torch.load(path, weights_only=True))


def _figures(folder: Path) -> list[dict[str, Any]]:
    clocks = ("seconds", "tokens_per_second")
    return [
        {name: value for name, value in line.items() if name not in clocks}
        for line in read_metrics(folder)
        if "train_runtime" not in line
    ]


def losses_of(folder: Path) -> list[float]:
    return [line["loss"] for line in read_metrics(folder) if "loss" in line]


class TestAnUnbrokenRun:
    def test_learns(self, unbroken: dict[str, Path]):
        for out in unbroken.values():
            losses = losses_of(out)
            assert len(losses) == STEPS and losses[-1] < losses[0]

    def test_says_what_it_learned_part_by_part(self, unbroken: dict[str, Path]):
        last = [line for line in read_metrics(unbroken["full"]) if "eval_loss" in line][-1]
        assert last["step"] == STEPS
        assert {"eval_loss_thought", "eval_loss_call", "eval_loss_verdict"} <= set(last)
        assert 0.0 <= last["eval_verdict_accuracy"] <= 1.0

    def test_keeps_no_pickled_settings(self, unbroken: dict[str, Path]):
        folders = list(unbroken.values())
        assert any(list(run.rglob("trainer_state.json")) for run in folders)
        assert not [path for run in folders for path in run.rglob("training_args.bin")]

    def test_shows_the_mask(self, unbroken: dict[str, Path]):
        text = (unbroken["full"] / "mask.txt").read_text(encoding="utf-8")
        said = [piece.partition("⟧")[0] for piece in text.split("⟦")[1:]]
        assert len(said) > 1
        assert all(one.startswith("<think>") and one.endswith("<|im_end|>") for one in said)
        assert r"\boxed{" in said[-1]

    @pytest.mark.parametrize("kind", KINDS)
    def test_the_model_inspects(self, unbroken: dict[str, Path], samples: Samples, kind: str):
        inspector = make_inspector(str(unbroken[kind] / "model"), device="cpu", threads=1)
        try:
            assert inspector.style == STAMP
            one = samples.examples[0]
            inspector.sampling = type(inspector.sampling)(max_new_tokens=4)
            record = run(inspector.inspect(one.spectrum, find_task(one.task)))
        finally:
            inspector.close()
        assert record.overview == samples.trajectories[0].overview
        assert record.model.name == "run" and record.tokens.images > 0

    def test_an_adapter_leaves_all_else_as_it_was(self, unbroken: dict[str, Path]):
        start = load_file(unbroken["lora"] / "start/model.safetensors")
        end = load_file(unbroken["lora"] / "model/model.safetensors")
        changed = {name for name in start if not torch.equal(start[name], end[name])}
        assert changed and all(".layers." in name and "proj" in name for name in changed)
        assert not any("visual" in name for name in changed)


class TestResuming:
    @pytest.mark.parametrize("kind", KINDS if BY_NIGHT else ["lora"])
    def test_after_an_error(
        self, unbroken: dict[str, Path], samples: Samples, tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch, kind: str,
    ):  # fmt: skip
        step = SftTrainer.training_step

        def fails(self: SftTrainer, *args: Any, **options: Any) -> Any:
            if self.state.global_step == DIES_AT - 1:
                raise KeyboardInterrupt
            return step(self, *args, **options)

        with monkeypatch.context() as patch:
            patch.setattr(SftTrainer, "training_step", fails)
            with pytest.raises(KeyboardInterrupt):
                train(*samples[:2], tmp_path / "run", KINDS[kind])
        assert not (tmp_path / "run/model").exists()
        train(*samples[:2], tmp_path / "run", KINDS[kind], resume=True)
        same_end(tmp_path / "run", unbroken[kind], kind)

    @pytest.mark.parametrize("kind", DYING)
    def test_after_the_process_died(
        self, unbroken: dict[str, Path], forked: Path, samples: Samples, kind: str
    ):
        cut_off = forked / kind / "checkpoints/checkpoint-4"
        assert (cut_off / "optimizer.pt").is_file()
        assert not (cut_off / "trainer_state.json").exists()
        train(*samples[:2], forked / kind, KINDS[kind], resume=True)
        same_end(forked / kind, unbroken[kind], kind)

    def test_a_finished_run_is_finished_again(
        self, unbroken: dict[str, Path], samples: Samples, tmp_path: Path
    ):
        shutil.copytree(unbroken["full"], tmp_path / "run")
        shutil.rmtree(tmp_path / "run/model")
        train(*samples[:2], tmp_path / "run", KINDS["full"], resume=True)
        one, two = (out / "model/model.safetensors" for out in (tmp_path / "run", unbroken["full"]))
        assert one.read_bytes() == two.read_bytes()

    def test_refuses_to_begin_again(self, unbroken: dict[str, Path], samples: Samples):
        with pytest.raises(WorkbenchError, match="continue it with --resume"):
            train(*samples[:2], unbroken["full"], KINDS["full"])

    def test_refuses_another_recipe(self, unbroken: dict[str, Path], samples: Samples):
        with pytest.raises(WorkbenchError, match=r"another sft\.kind"):
            train(*samples[:2], unbroken["full"], KINDS["lora"], resume=True)
        sizes = replace(MINUTE_MODEL, hidden=64)
        with pytest.raises(WorkbenchError, match=r"another model\.hidden \(32, now 64\)"):
            fine_tune(
                [samples.approved], [samples.sets], unbroken["full"], KINDS["full"], sizes,
                seed=3, resume=True,
            )  # fmt: skip

    def test_the_settings_are_kept(self, unbroken: dict[str, Path]):
        told = json.loads((unbroken["lora"] / "settings.json").read_text())
        assert told["sft"]["lora_rank"] == 4 and told["model"]["hidden"] == 32


class TestTwoProcesses:
    def test_learn_what_one_does(self, forked: Path, samples: Samples, tmp_path: Path):
        """Twice the devices with half the batches each give the same weights."""
        one = tmp_path / "one"
        train(*samples[:2], one, SftSettings(**TOGETHER, accumulate=2))
        shown = [losses_of(out) for out in (one, forked / "shared")]
        assert len(shown[0]) == 2
        assert shown[0] == pytest.approx(shown[1], rel=1e-6)
        evals = [_figures(out)[-1]["eval_loss"] for out in (one, forked / "shared")]
        assert evals[0] == pytest.approx(evals[1], rel=1e-6)
        weights = [load_file(out / "model/model.safetensors") for out in (one, forked / "shared")]
        for name, weight in weights[0].items():
            assert torch.allclose(weight, weights[1][name], atol=1e-6), name
        assert json.loads((forked / "shared/settings.json").read_text())["devices"] == 2


@pytest.fixture(scope="module")
def losses(samples: Samples, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[float]]:
    """Losses of two steps with a frozen vision tower."""
    ways: dict[str, dict[str, Any]] = {
        "plain": {}, "checkpointing": {"checkpointing": True}, "bf16": {"precision": "bf16"}
    }  # fmt: skip
    found = {}
    for name, way in ways.items():
        out = tmp_path_factory.mktemp(name) / "run"
        told = {**TOGETHER, "trained": "language", "held_out": 0.0, **way}
        train(*samples[:2], out, SftSettings(**told))
        frozen_stayed(out)
        found[name] = losses_of(out)
    return found


class TestWaysToTrain:
    def test_memory_for_time_changes_nothing(self, losses: dict[str, list[float]]):
        assert losses["checkpointing"] == pytest.approx(losses["plain"], rel=1e-6)

    def test_half_precision_stays_near(self, losses: dict[str, list[float]]):
        assert losses["bf16"] != losses["plain"]
        assert losses["bf16"] == pytest.approx(losses["plain"], rel=2e-3)


class TestLessThanAnEpoch:
    def test_only_what_is_looked_at_is_drawn(
        self, samples: Samples, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ):
        """Half an epoch is every row of one half."""
        out = tmp_path / "run"
        half = {**BASE, "epochs": 0.5, "batch": 1, "held_out": 0.0, "save_every": 0}
        train(*samples[:2], out, SftSettings(**half))
        chosen = sample_trajectories(samples.trajectories, 0.5, seed=3)
        assert 1 < len(chosen) < len(samples.trajectories)
        said = f"only {len(chosen)} of {len(samples.trajectories)} trajectories are used"
        assert said in "".join(capsys.readouterr())
        making = row_settings(out / "start", samples.sets, tmp_path / "pictures", 10**9)
        rows = prepare_rows(chosen, None, making, cutoff=32768).rows
        drawn, wanted = (
            {path.name for path in (folder / "pictures").rglob("*") if path.is_file()}
            for folder in (out, tmp_path)
        )
        assert drawn == wanted
        assert len({line["step"] for line in read_metrics(out) if "loss" in line}) == len(rows)
        assert read_metrics(out)[-1]["epoch"] == pytest.approx(0.5)


def frozen_stayed(out: Path) -> None:
    start, end = (load_file(out / name / "model.safetensors") for name in ("start", "model"))
    for name, weight in start.items():
        assert torch.equal(weight, end[name]) == ("visual" in name), name


# Training on conversations with their own pictures.
SETTINGS = SftSettings(
    steps=1, batch=2, lr=1e-3, precision="fp32", trained="all", held_out=0.0, save_every=0
)


def test_a_run_on_them_alone(tmp_path: Path, capsys):
    rng = np.random.default_rng(3)
    (tmp_path / "images").mkdir()
    rows = []
    for number in range(3):
        pixels = rng.integers(0, 255, (90, 120, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(tmp_path / f"images/{number}.png")
        said = [
            {"from": "human", "value": "<image>Is this a white dwarf?"},
            {"from": "gpt", "value": "<think>Broad.</think>\n<answer>\\boxed{YES} broad</answer>"},
        ]
        rows.append({"conversations": said, "images": [f"images/{number}.png"]})
    rows[2]["images"] = ["images/absent.png"]
    file = tmp_path / "cold.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))

    model = fine_tune([file], [], tmp_path / "run", SETTINGS, MINUTE_MODEL)
    told = capsys.readouterr().err
    assert "2 conversations" in told and "left out: 1 faulty, the first: cold.jsonl row 2" in told
    mask = (tmp_path / "run/mask.txt").read_text(encoding="utf-8")
    assert mask.count("⟦<think>Broad.</think>") == 1 and mask.count("<|image_pad|>") == 1
    card = read_card(model)
    assert card.style == PUBLISHED and not card.simulated_only


def row(*turn_lengths: int) -> Any:
    parts = [part for length in turn_lengths for part in (0, *[1] * length)]
    return SimpleNamespace(encoded=SimpleNamespace(parts=np.array([*parts, 0], np.uint8)))


def test_a_turn_may_be_twice_as_long_as_the_longest_trained_one() -> None:
    assert max_turn_tokens([row(20, 50), row(80, 10)]) == 160
    assert max_turn_tokens([row(3)]) == 64
    assert max_turn_tokens([row(10**5)]) == SamplingSettings().max_new_tokens


def test_pictures_of_several_styles(samples: Samples, tmp_path: Path):
    first, second = samples.trajectories[:2]
    mixed = [first, replace(second, style=PUBLISHED.to_table())]
    write_trajectories(tmp_path / "mixed.jsonl", mixed)
    with pytest.raises(WorkbenchError, match="several picture styles"):
        read_inputs([tmp_path / "mixed.jsonl"], [samples.sets], "recorded")
    chosen = read_inputs([tmp_path / "mixed.jsonl"], [samples.sets], "compact")
    assert chosen.style == STYLES["compact"]


def test_nothing_to_read(samples: Samples, tmp_path: Path):
    (tmp_path / "none.jsonl").touch()
    with pytest.raises(WorkbenchError, match="no trajectory in"):
        read_inputs([tmp_path / "none.jsonl"], [samples.sets], "recorded")
    with pytest.raises(WorkbenchError, match="name the sets with them, --sets"):
        read_inputs([samples.approved], [], "recorded")


class TestRows:
    def test_pictures_are_those_of_the_inspection(
        self, rows: list[ConversationRow], making: RowSettings, samples: Samples
    ):
        for row, record, each in zip(rows, samples.trajectories, samples.examples, strict=True):
            kept = making.picture_source.pictures(row.record, row.pictures)
            wanted = redraw(record, each.spectrum)
            assert [one.tobytes() for one in kept] == [one.tobytes() for one in wanted]
            assert row.grids == ((6, 8),) * len(wanted)

    def test_workers_change_nothing(self, minute25: Path, samples: Samples, tmp_path: Path):
        alone = rows_for(minute25, samples, tmp_path / "one")
        ready = row_settings(minute25, samples.sets, tmp_path / "two")
        shared = prepare_rows(samples.trajectories, None, ready, cutoff=10**6, workers=2).rows
        one, two = ([row.encoded.ids.tolist() for row in rows] for rows in (alone, shared))
        assert one == two
        pictures = (tmp_path.glob(f"{name}/*/*.png") for name in ("one", "two"))
        one, two = (sorted(path.stem for path in paths) for paths in pictures)
        assert one == two == sorted({name for row in alone for name in row.pictures})

    def test_left_out_with_a_reason(self, making: RowSettings, samples: Samples):
        first, second, third = samples.trajectories[:3]
        some = [replace(first, stopped_by="turn_limit"), second, third]
        prepared = prepare_rows(some, None, making, cutoff=10**6)
        assert len(prepared.rows) == 2 and dict(prepared.left_out) == {"without an answer": 1}
        short = prepare_rows([second], None, making, cutoff=100)
        assert dict(short.left_out) == {"longer than 100 tokens": 1}

    def test_prompts_that_changed_are_counted(self, samples: Samples):
        first = samples.trajectories[0]
        assert count_outdated_prompts([first, replace(first, prompt_sha256="0" * 64)]) == 1


class TestRefusals:
    def test_a_spectrum_in_no_set(self, minute25: Path, samples: Samples, tmp_path: Path):
        other = tmp_path / "other.parquet"
        write_examples(other, samples.examples[5:])
        ready = row_settings(minute25, other, tmp_path / "pictures")
        with pytest.raises(TrajectoryError, match="name the set it came from with --sets"):
            prepare_rows(samples.trajectories[:1], None, ready, cutoff=10**6)

    def test_a_picture_that_was_another(self, making: RowSettings, samples: Samples):
        wrong = replace(samples.trajectories[0], overview="0" * 64)
        with pytest.raises(TrajectoryError, match="picture 0 differs from the one"):
            prepare_rows([wrong], None, making, cutoff=10**6)


class TestConversations:
    """Conversations with their own pictures."""

    turns = (
        Turn("system", "You help."),
        Turn("user", "Is it one?", picture=0),
        Turn("assistant", "<think>Look.</think>\n<tool_call>\n{}\n</tool_call>"),
        Turn("tool", "Seen.", picture=1),
        Turn("assistant", "<answer>\\boxed{NO}</answer>"),
    )

    def test_are_kept_sized_for_the_model(self, minute25: Path, samples: Samples, tmp_path: Path):
        noise = np.random.default_rng(0).integers(0, 255, (90, 130, 3), dtype=np.uint8)
        images = [Image.fromarray(noise), Image.new("RGB", (112, 84), "white")]
        ready = row_settings(minute25, samples.sets, tmp_path, room=0)
        row = row_of_conversation(self.turns, images, ready)
        assert not isinstance(row, str)
        assert row.grids == ((6, 10), (6, 8)) and row.record is None
        sized = [one.size for one in ready.picture_source.pictures(None, row.pictures)]
        assert sized == [(140, 84), (112, 84)]

    def test_need_all_their_pictures(self, making: RowSettings):
        one = [Image.new("RGB", (112, 84))]
        assert row_of_conversation(self.turns, one, making) == "with a wrong number of pictures"


def test_a_damaged_file_is_drawn_anew(
    rows: list[ConversationRow], making: RowSettings, tmp_path: Path
):
    folder = PictureFolder(tmp_path, 0)
    file = next(tmp_path.glob(f"*/{rows[0].pictures[0]}.png"))
    file.write_bytes(file.read_bytes()[:60])
    assert folder.load(rows[0].pictures[0]) is None
    again = making.picture_source.pictures(rows[0].record, rows[0].pictures)
    assert len(again) == len(rows[0].pictures)


def test_pictures_are_drawn_once(
    rows: list[ConversationRow], making: RowSettings, samples: Samples,
    monkeypatch: pytest.MonkeyPatch,
):  # fmt: skip
    monkeypatch.setattr("train.sft.rows.redraw", None)
    again = prepare_rows(samples.trajectories, None, making, cutoff=10**6).rows
    assert [row.pictures for row in rows] == [row.pictures for row in again]


def test_pictures_beyond_the_limit_are_drawn_again(
    minute25: Path, samples: Samples, tmp_path: Path
):
    ready = row_settings(minute25, samples.sets, tmp_path, room=4000)
    rows = prepare_rows(samples.trajectories, None, ready, cutoff=10**6).rows
    kept = list(tmp_path.glob("*/*.png"))
    assert 0 < sum(path.stat().st_size for path in kept) <= 4000
    assert len(kept) < sum(len(row.pictures) for row in rows)
    last = ready.picture_source.pictures(rows[-1].record, rows[-1].pictures)
    assert len(last) == len(rows[-1].pictures)
    assert room_left(tmp_path, 0, 1) == 0
    assert room_left(tmp_path, 1, 2) < 500_000


def test_another_style_is_another_picture(making: RowSettings, samples: Samples):
    one = samples.trajectories[:1]
    (row,) = prepare_rows(one, COMPACT, making, cutoff=10**6).rows
    assert row.grids[0] == (16, 24)
    assert set(row.pictures).isdisjoint(picture_names(drawing_record(one[0], STAMP, QWEN25)))


def test_the_mask_passes_its_own_check(ready: Ready, minute25: Path):
    _, collate, rows = ready
    batch = collate(rows)
    encoder = Encoder(load_tokenizer(minute25))
    check_mask(batch, encoder)
    for wrong in ("a picture", "the next turn", "the end left out"):
        spoiled = dict(batch, labels=batch["labels"].clone())
        ids, labels = batch["input_ids"][0], spoiled["labels"][0]
        last = int((labels != IGNORED).nonzero()[-1])
        if wrong == "a picture":
            at = int((ids == collate.image_token).nonzero()[0])
            labels[at] = ids[at]
        elif wrong == "the next turn":
            labels[last + 1] = ids[last + 1]
        else:
            labels[last] = IGNORED
        with pytest.raises(WorkbenchError, match="the mask is wrong"):
            check_mask(spoiled, encoder)
