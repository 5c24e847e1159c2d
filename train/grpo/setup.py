"""Builds the GRPO trainer with all its parts."""

import os
import re
import shutil
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from peft import LoraConfig
from PIL import Image
from transformers import AutoTokenizer, PrinterCallback, ProcessorMixin
from trl import GRPOConfig

from agent.examples.examples import ExampleStore
from agent.protocol.protocol import IMAGE_TOKEN, SYSTEM, system_text
from agent.protocol.rules import Rules
from train.grpo.generate import TurnTokens, turn_tokens
from train.grpo.judging import TokenJudge, make_reward
from train.grpo.packing import enable_packs
from train.grpo.pictures import PictureCache
from train.grpo.questions import Row, to_prompts
from train.grpo.rollout import Limits
from train.grpo.settings import GrpoSettings
from train.grpo.trainer import RolloutSettings, SpectrumEnvironment, SpectrumTrainer
from train.models.checkpoints import CHECKPOINTS
from train.models.model_folder import CHAT_TEMPLATE, load_trainable
from train.reward import RewardKind
from train.sft.batches import pixels_of
from train.sft.fast_path import use_fast_path
from train.sft.optimizer import LANGUAGE_LAYERS
from train.sft.run import uses_bfloat16

# How TRL's own loop splits a turn; ours reads turns with `agent.protocol.reply`.
RESPONSE_TEMPLATE: dict[str, Any] = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "reasoning_content": {
            "open": "<think>",
            "close_pattern": r"</think>\s*",
            "content": "text",
        },
        "tool_calls": {
            "open": "<tool_call>",
            "close_pattern": r"</tool_call>\s*",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close_pattern": r"<\|im_end\|>\s*", "content": "text"},
    },
}


def make_trainer(
    folder: Path,
    questions: Sequence[Row],
    store: ExampleStore,
    pictures: PictureCache,
    out: Path,
    settings: GrpoSettings,
    seed: int,
) -> SpectrumTrainer:
    """Build a trainer of the model in `folder`; `questions` are asked in their order."""
    model = load_trainable(folder)
    use_fast_path(model)
    enable_packs(model)
    model.requires_grad_(True)
    if settings.trained == "language":
        model.model.visual.requires_grad_(False)
    tokens = turn_tokens(folder, model.config, pictures.rules)
    system = system_text() if pictures.wording is None else pictures.wording.system_text
    is_plain = pictures.style.brief or not pictures.tool
    prompts = to_prompts(questions, SYSTEM if is_plain else system)
    limits = Limits(turn=settings.turn_limit, rollout=settings.rollout_tokens)
    adapter = LoraConfig(
        r=settings.lora_rank,
        lora_alpha=settings.lora_alpha,
        target_modules=LANGUAGE_LAYERS,
        task_type="CAUSAL_LM",
    )
    trainer = SpectrumTrainer(
        rollout_settings=RolloutSettings(
            tokens=tokens, pictures=pictures, limits=limits, at_once=settings.at_once
        ),
        warmup=settings.warmup,
        model=model,
        args=make_config(settings, out / CHECKPOINTS, tokens.forbidden, seed),
        train_dataset=Dataset.from_list(prompts),
        processing_class=SpectrumProcessor(folder, pictures),
        reward_funcs=make_reward(judge_of(settings, tokens, pictures.rules), settings.penalty),
        environment_factory=partial(SpectrumEnvironment, pictures, store),
        peft_config=adapter if settings.kind == "lora" else None,
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def judge_of(settings: GrpoSettings, tokens: TurnTokens, rules: Rules) -> TokenJudge:
    """Reads rollouts as the settings say, by default as the rules of the model do."""
    usual: RewardKind = "published" if rules.is_published else "strict"
    return TokenJudge(tokens, settings.reward or usual)


def make_config(
    settings: GrpoSettings, out: Path, forbidden: Sequence[int], seed: int
) -> GRPOConfig:
    """Our settings as TRL's."""
    devices = int(os.environ.get("WORLD_SIZE", "1"))
    on_gpu = torch.cuda.is_available()
    passes = settings.passes(devices)
    return GRPOConfig(
        output_dir=str(out),
        seed=seed,
        num_generations=settings.rollouts,
        per_device_train_batch_size=settings.microbatch,
        gradient_accumulation_steps=passes,
        steps_per_generation=passes * settings.updates,
        num_train_epochs=1,  # the dataset holds the questions of all epochs
        max_steps=settings.rounds * settings.updates if settings.rounds else -1,
        shuffle_dataset=False,
        learning_rate=settings.lr,
        lr_scheduler_type="constant",  # SpectrumTrainer adds the warm-up
        optim="adamw_torch_fused",
        weight_decay=settings.weight_decay,
        epsilon=settings.clip,
        delta=settings.dual_clip or None,
        beta=0.0,
        temperature=settings.temperature,
        max_completion_length=settings.rollout_tokens,
        generation_kwargs=_generation(settings, forbidden),
        use_vllm=settings.use_vllm,
        vllm_mode="colocate",
        vllm_gpu_memory_utilization=settings.vllm_memory,
        bf16=uses_bfloat16(settings.precision),
        activation_checkpointing=settings.checkpointing,
        use_cpu=not on_gpu,
        ddp_backend="gloo" if devices > 1 and not on_gpu else None,
        dataloader_pin_memory=on_gpu,
        save_strategy="steps",
        save_steps=settings.save_every * settings.updates,  # only at the end of a round
        save_total_limit=settings.keep,
        logging_steps=settings.updates,
        logging_nan_inf_filter=False,
        disable_tqdm=True,
        report_to=[],
    )


@contextmanager
def hide_trl_warnings() -> Iterator[None]:
    """Hide TRL's warnings about its own experimental parts and deprecated names."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*environment_factory.*experimental", UserWarning)
        warnings.filterwarnings("ignore", ".*gradient_checkpointing.*deprecated", FutureWarning)
        yield


def _generation(settings: GrpoSettings, forbidden: Sequence[int]) -> dict[str, Any]:
    """Options of TRL's own generation: the length of a turn and the forbidden tokens."""
    if settings.use_vllm:
        bias = {str(number): -100.0 for number in forbidden}
        return {"max_tokens": settings.turn_limit, "logit_bias": bias}
    return {"max_new_tokens": settings.turn_limit, "suppress_tokens": list(forbidden)}


# The processor that TRL expects, made of the model's tokenizer, our patches and our template.
# Pictures arrive in their final size, and their patches are those of inspections in use.
# transformers' own processors would resize them, and need torchvision.
class PatchProcessor:
    """Our patches as what TRL calls an image processor."""

    merge_size = 2

    def __init__(self, pictures: PictureCache) -> None:
        self._pictures = pictures

    def __call__(self, images: Iterable[Any], **options: Any) -> dict[str, torch.Tensor]:
        return pixels_of([self._pictures.patches(picture) for picture in _flat(images)])


class SpectrumProcessor(ProcessorMixin):
    """The tokenizer and the patches of a model's folder."""

    def __init__(self, folder: Path, pictures: PictureCache) -> None:
        # ProcessorMixin's own constructor needs a video processor, which needs torchvision.
        self.folder = folder
        self.tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        self.tokenizer.padding_side = "left"
        self.tokenizer.response_template = RESPONSE_TEMPLATE
        self.tokenizer.chat_template = CHAT_TEMPLATE
        self.chat_template = CHAT_TEMPLATE
        self.image_processor = PatchProcessor(pictures)
        self.image_token = IMAGE_TOKEN

    def __call__(
        self, images: Any = None, text: str | Sequence[str] = "", **options: Any
    ) -> dict[str, Any]:
        texts = [text] if isinstance(text, str) else list(text)
        patches = self.image_processor(_flat(images)) if images else {}
        counts = iter(patches["image_grid_thw"].prod(dim=1).tolist() if patches else ())
        merged = self.image_processor.merge_size**2
        expanded = [
            re.sub(re.escape(IMAGE_TOKEN), lambda found: found[0] * (next(counts) // merged), one)
            for one in texts
        ]
        padding = {"padding": True} if options.get("padding") else {}
        tensors = {"return_tensors": "pt"} if options.get("return_tensors") else {}
        encoded = dict(self.tokenizer(expanded, add_special_tokens=False, **padding, **tensors))
        if patches:
            # Without it transformers silently gives picture tokens the positions of text.
            encoded["mm_token_type_ids"] = self._kinds(encoded["input_ids"])
        return {**encoded, **patches}

    def _kinds(self, ids: Any) -> Any:
        """1 for each token of a picture, else 0; lists or a tensor, as the ids are."""
        image = self.tokenizer.convert_tokens_to_ids(IMAGE_TOKEN)
        if isinstance(ids, torch.Tensor):
            return (ids == image).long()
        return [[int(token == image) for token in row] for row in ids]

    def save_pretrained(
        self, save_directory: Any, push_to_hub: bool = False, **options: Any
    ) -> list[str]:
        """Save the tokenizer and the picture settings of the model's folder."""
        settings = self.folder / "preprocessor_config.json"
        if settings.exists():
            shutil.copyfile(settings, Path(save_directory) / settings.name)
        return list(self.tokenizer.save_pretrained(save_directory))


def _flat(images: Any) -> list[Image.Image]:
    """Flatten pictures and nested lists of them, in order."""
    flat: list[Image.Image] = []
    for one in images:
        flat += [one] if isinstance(one, Image.Image) else _flat(one or ())
    return flat
