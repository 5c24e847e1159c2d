"""The processor that TRL expects, made of the model's tokenizer, our patches and our template.

Pictures arrive in their final size, and their patches are those of inspections in use.
transformers' own processors would resize them, and need torchvision.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
from PIL import Image
from transformers import AutoTokenizer, ProcessorMixin

from agent.engines.chat_tokens import IMAGE_TOKEN
from train.grpo.pictures import PictureCache
from train.models.chat_template import CHAT_TEMPLATE

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


class PatchProcessor:
    """Our patches as what TRL calls an image processor."""

    merge_size = 2

    def __init__(self, pictures: PictureCache) -> None:
        self._pictures = pictures

    def __call__(self, images: Iterable[Any], **options: Any) -> dict[str, torch.Tensor]:
        seen = [self._pictures.patches(picture) for picture in _flat(images)]
        return {
            "pixel_values": torch.cat([torch.from_numpy(one.rows) for one in seen]),
            "image_grid_thw": torch.tensor([one.grid for one in seen]),
        }


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
        expanded = []
        for one in texts:
            first, *rest = one.split(IMAGE_TOKEN)
            expanded.append(
                first + "".join(IMAGE_TOKEN * (next(counts) // merged) + r for r in rest)
            )
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
