"""The processor TRL asks for, of our own parts: the model's tokenizer, our patches, our template.

Pictures come sized already, and their patches are those of use. transformers' own processors would
size them again, and cannot be made without torchvision.
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
from train.grpo.pictures import Pictures
from train.models.chat_template import CHAT_TEMPLATE

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
"""How TRL's own loop cuts a turn; ours reads turns with `agent.protocol.reply`."""


class PatchProcessor:
    """What TRL calls an image processor."""

    merge_size = 2

    def __init__(self, pictures: Pictures) -> None:
        self._pictures = pictures

    def __call__(self, images: Iterable[Any], **options: Any) -> dict[str, torch.Tensor]:
        seen = [self._pictures.patches(picture) for picture in _flat(images)]
        return {
            "pixel_values": torch.cat([torch.from_numpy(one.rows) for one in seen]),
            "image_grid_thw": torch.tensor([one.grid for one in seen]),
        }


class SpectrumProcessor(ProcessorMixin):
    """Tokenizer and patches of one model folder."""

    def __init__(self, folder: Path, pictures: Pictures) -> None:
        # not ProcessorMixin's: it wants a video processor, and that wants torchvision
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
        found = self.image_processor(_flat(images)) if images else {}
        counts = iter(found["image_grid_thw"].prod(dim=1).tolist() if found else ())
        merged = self.image_processor.merge_size**2
        whole = []
        for one in texts:
            first, *rest = one.split(IMAGE_TOKEN)
            whole.append(first + "".join(IMAGE_TOKEN * (next(counts) // merged) + r for r in rest))
        padding = {"padding": True} if options.get("padding") else {}
        tensors = {"return_tensors": "pt"} if options.get("return_tensors") else {}
        made = dict(self.tokenizer(whole, add_special_tokens=False, **padding, **tensors))
        if found:
            # without it pictures would be counted like words, and nobody would say so
            made["mm_token_type_ids"] = self._kinds(made["input_ids"])
        return {**made, **found}

    def _kinds(self, ids: Any) -> Any:
        """1 where a token is of a picture, else 0; lists or a tensor, as the ids are."""
        image = self.tokenizer.convert_tokens_to_ids(IMAGE_TOKEN)
        if isinstance(ids, torch.Tensor):
            return (ids == image).long()
        return [[int(token == image) for token in row] for row in ids]

    def save_pretrained(
        self, save_directory: Any, push_to_hub: bool = False, **options: Any
    ) -> list[str]:
        """The tokenizer and the picture settings, as they were in the model's folder."""
        settings = self.folder / "preprocessor_config.json"
        if settings.exists():
            shutil.copyfile(settings, Path(save_directory) / settings.name)
        return list(self.tokenizer.save_pretrained(save_directory))


def _flat(images: Any) -> list[Image.Image]:
    """Pictures, or lists of them, in their order."""
    flat: list[Image.Image] = []
    for one in images:
        flat += [one] if isinstance(one, Image.Image) else _flat(one or ())
    return flat
