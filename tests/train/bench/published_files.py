"""The two published layouts, written small: what we make is not theirs, only laid out like it."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet as parquet
from PIL import Image

TOOL = "spectral_visualization_tool"
ASKED = "<image>\nDecide from the spectrum whether this is a **{name}**."
IMAGES = ["images/a_0.png", "images/a_1.png"]


def arrays(seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    flux = rng.normal(100, 5, 80).astype(np.float32).tolist()
    wavelength = np.linspace(3700.0, 9000.0, 80).tolist()
    return {"flux": flux, "wavelength": wavelength, "redshift": 0.001 * seed}


def verl_row(seed: int, source: str, answer: Any, name: str = "carbon star") -> dict[str, Any]:
    return {
        "images": [{"bytes": png(), "path": None}],
        "data_source": source,
        "prompt": [
            {"role": "system", "content": "You are a helpful assistant."},
            {"role": "user", "content": ASKED.format(name=name)},
        ],
        "reward_model": {"ground_truth": answer, "style": "rule"},
        "agent_name": "tool_agent",
        "extra_info": {
            "index": f"id-{seed}",
            "name": f"spec-56414-HD161547N531412F01_sp07-{seed:03d}.fits.gz",
            "tools_kwargs": {TOOL: {"create_kwargs": arrays(seed)}},
        },
    }


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


def png(size: tuple[int, int] = (56, 28), colour: str = "white") -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, colour).save(buffer, "PNG")
    return buffer.getvalue()


CALL = '<tool_call>\n{"name": "%s", "arguments": {"wavelength_range": [6500, 6600]}}\n</tool_call>'
RESPONSE = "<tool_response>\n<image>\nGenerated a picture.\n</tool_response>"


def talk(answer: str = "YES") -> list[dict[str, str]]:
    return [
        {"from": "system", "value": "You are a helpful assistant.\n\n# Tools\n..."},
        {"from": "human", "value": "<image>\nIs this a cataclysmic variable?"},
        {"from": "gpt", "value": f"<think>Look at H alpha.</think>\n{CALL % TOOL}"},
        {"from": "human", "value": RESPONSE},
        {"from": "gpt", "value": f"<think>Seen.</think>\n<answer>\\boxed{{{answer}}} so</answer>"},
    ]


def write_talks(folder: Path, rows: list[dict[str, Any]] | None = None) -> Path:
    """train_sharegpt.json with pictures beside it."""
    (folder / "images").mkdir(parents=True)
    for name, colour in (("a_0.png", "white"), ("a_1.png", "blue")):
        (folder / "images" / name).write_bytes(png(colour=colour))
    rows = rows or [
        {
            "conversations": talk(),
            "images": IMAGES,
            "source_name": "spec-57391-X_sp06-096.fits.gz",
            "ground_truth": "YES",
        }
    ]
    path = folder / "train_sharegpt.json"
    path.write_text(json.dumps(rows))
    return path
