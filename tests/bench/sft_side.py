"""One side of `bench_sft`, in a process of its own: its figures as JSON on stdout.

`python -m tests.bench.sft_side ours|trl WORK STEPS` on what `bench_sft.prepare` put into WORK.
"""

from __future__ import annotations

import json
import resource
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import torch
from transformers import TrainerCallback

from agent.engines.chat_tokens import load_tokenizer
from agent.engines.families import read_folder
from agent.examples.store import ExampleStore
from agent.inspection.pictures import redraw
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory_file import read_trajectories
from agent.trajectory.turns import turns_of
from train.models.chat_template import CHAT_TEMPLATE

BATCH = 4


class Clock(TrainerCallback):
    """When each step ended."""

    def __init__(self) -> None:
        self.ends: list[float] = []

    def on_step_end(self, args: Any, state: Any, control: Any, **unused: Any) -> None:
        self.ends.append(time.perf_counter())

    @property
    def step_s(self) -> float:
        """The quickest step after the first, which warms up."""
        return min(after - before for before, after in zip(self.ends, self.ends[1:], strict=False))


def ours(work: Path, steps: int) -> dict[str, float]:
    from train.models.model_folder import load_trainable
    from train.sft.batches import Batches
    from train.sft.encoding import Encoder
    from train.sft.fast_path import ScoredTokensOnly, use_fast_path
    from train.sft.mask import check_mask
    from train.sft.pictures import PictureFolder, PictureSource
    from train.sft.rows import RowSettings, prepare_rows
    from train.sft.run import collator_of, uses_bfloat16
    from train.sft.settings import SftSettings
    from train.sft.trainer import SftTrainer, training_arguments

    half = uses_bfloat16("auto")
    start = work / "start"
    folder = read_folder(start)
    source = PictureSource(PictureFolder(work / "pictures", 10**9), (work / "cold.parquet",))
    ready = RowSettings(
        folder=start, vision=folder.vision, sizing=folder.sizing, picture_source=source
    )
    records = list(read_trajectories(work / "approved.jsonl"))
    rows = prepare_rows(records, None, ready, cutoff=10**6).rows
    plan = [list(range(at, at + BATCH)) for at in range(0, BATCH * steps, BATCH)]
    collate = collator_of(folder, source, half=half)
    batches = Batches(plan, rows, collate)
    check_mask(batches[0], Encoder(load_tokenizer(start)))
    settings = SftSettings(trained="all", eval_every=0, save_every=0)
    args = training_arguments(work / "ours", settings, half=half, seed=0, workers=1)
    args.max_steps = steps
    model = load_trainable(start)
    use_fast_path(model)
    clock = Clock()
    SftTrainer(model, args, ScoredTokensOnly(model), batches, None, callbacks=[clock]).train()
    tokens = sum(len(rows[row]) for row in plan[-1])
    needed = flops(model, [rows[number] for number in plan[-1]])
    return {"step_s": clock.step_s, "tokens": tokens, "flops": needed}


def flops(model: Any, rows: Any) -> float:
    """Of products alone, forward and back: what a step of these rows cannot do without."""
    text, vision = model.config.get_text_config(), model.config.vision_config
    layers = sum(weight.numel() for weight in model.model.language_model.layers.parameters())
    tower = sum(weight.numel() for weight in model.model.visual.parameters())
    total = 0.0
    for row in rows:
        total += 6 * layers * len(row)
        total += 6 * text.num_hidden_layers * text.hidden_size * len(row) ** 2  # half is masked
        total += 6 * text.hidden_size * text.vocab_size * row.encoded.trained
        for down, across in row.grids:
            total += 6 * tower * down * across
            total += 12 * vision.depth * vision.hidden_size * (down * across) ** 2
    return total


def trl(work: Path, steps: int) -> dict[str, float]:
    """TRL's trainer as it comes, but for what it needs to run here at all: no limit of 1,024
    tokens, which would cut through pictures, and a processor without torchvision."""
    from datasets import Dataset
    from trl import SFTConfig, SFTTrainer

    from train.models.model_folder import load_trainable

    start = work / "start"
    store = ExampleStore([work / "cold.parquet"])
    records = list(read_trajectories(work / "approved.jsonl"))[: BATCH * steps]
    rows = [_messages(record, store) for record in records]
    config = SFTConfig(
        output_dir=str(work / "trl"), per_device_train_batch_size=BATCH, max_steps=steps,
        max_length=None, use_cpu=True, report_to=[], save_strategy="no", disable_tqdm=True,
    )  # fmt: skip
    clock = Clock()
    trainer = SFTTrainer(
        model=load_trainable(start), args=config, train_dataset=Dataset.from_list(rows),
        processing_class=image_only_processor(start), callbacks=[clock],
    )  # fmt: skip
    trainer.train()
    return {"step_s": clock.step_s}


def _messages(record: Any, store: ExampleStore) -> dict[str, Any]:
    """Replies of the tool as a user's turns: TRL drops pictures of tool turns."""
    messages = []
    for turn in turns_of(find_task(record.task), record):
        content = [{"type": "image"}] if turn.picture is not None else []
        text = {"type": "text", "text": turn.text}
        if turn.role == "tool":
            opening = {"type": "text", "text": "<tool_response>\n"}
            content = [
                opening,
                *content,
                {"type": "text", "text": f"{turn.text}\n</tool_response>"},
            ]
        else:
            content = [*content, text]
        messages.append({"role": "user" if turn.role == "tool" else turn.role, "content": content})
    pictures = redraw(record, store[record.spectrum.sha256].spectrum)
    return {"messages": messages, "images": pictures}


def image_only_processor(folder: Path) -> Any:
    """transformers' processor without its part for videos, which needs torchvision."""
    from transformers import AutoTokenizer
    from transformers.models.qwen2_5_vl.processing_qwen2_5_vl import Qwen2_5_VLProcessor
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import (
        Qwen2VLImageProcessorPil,
    )

    class Qwen25Pictures(Qwen2_5_VLProcessor):
        def check_argument_for_proper_class(self, name: str, argument: Any) -> Any:
            return type(argument)

        def __init__(
            self, image_processor: Any = None, tokenizer: Any = None, chat_template: Any = None
        ) -> None:
            self.image_token, self.video_token = "<|image_pad|>", "<|video_pad|>"
            self.image_token_id = tokenizer.convert_tokens_to_ids(self.image_token)
            self.video_token_id = tokenizer.convert_tokens_to_ids(self.video_token)
            super(Qwen2_5_VLProcessor, self).__init__(
                image_processor, tokenizer, chat_template=chat_template
            )

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    pictures = Qwen2VLImageProcessorPil.from_pretrained(folder)
    return Qwen25Pictures(pictures, tokenizer, chat_template=CHAT_TEMPLATE)


if __name__ == "__main__":
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    side = {"ours": ours, "trl": trl}[sys.argv[1]]
    figures = side(Path(sys.argv[2]), int(sys.argv[3]))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({**figures, "peak_mb": peak}))
