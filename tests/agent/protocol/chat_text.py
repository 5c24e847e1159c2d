"""A conversation as one string, as Qwen's own chat template writes it."""

from collections.abc import Sequence

from agent.protocol.protocol import Turn, chat_parts


def chat_text(turns: Sequence[Turn], *, model_speaks_next: bool = True) -> str:
    """Join the parts, with `<|image_pad|>` for each picture."""
    parts = chat_parts(turns, model_speaks_next=model_speaks_next)
    return "".join(part.text if part.picture is None else "<|image_pad|>" for part in parts)
