"""What the vision tower of a GGUF model gives for a picture, without its language model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from agent.engines.gguf.engine import GgufEngine
from agent.engines.gguf.native import native
from agent.errors import EngineError

Tokens = NDArray[np.float32]
"""(down, across, width)"""


def tower_tokens(engine: GgufEngine, picture: Image.Image) -> Tokens:
    """The tokens of a picture that has the engine's size, as they lie in it."""
    settings, library, factor = engine._settings, native(), engine.sizing.factor
    width = int(library.llama.llama_model_n_embd_inp(settings.model))
    conversation = engine.open()
    try:
        with conversation._open_context()._prepared(picture) as chunk:
            if library.mtmd.mtmd_encode_chunk(settings.vision, chunk) != 0:
                raise EngineError(f"llama.cpp could not read a picture{library.last_error()}")
            values = library.mtmd.mtmd_get_output_embd(settings.vision)
            shape = (picture.height // factor, picture.width // factor, width)
            return np.array(np.ctypeslib.as_array(values, shape=shape))
    finally:
        conversation.close()
