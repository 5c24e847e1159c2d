"""`spec-o3-train export` as a user types it."""

import json
from pathlib import Path

import pytest

pytest.importorskip("llama_cpp")
pytest.importorskip("gguf")
pytest.importorskip("torch")

import torch
from typer import Typer
from typer.testing import CliRunner

from agent.convert.checkpoint import ConversionError
from agent.errors import WorkbenchError
from tests.small_models import tiny_qwen3, tiny_qwen25
from tests.train.export.pairs import pair_qwen3, pair_qwen25
from train.export import export as exporting
from train.export.command import export
from train.export.export import export_gguf

__all__ = ["pair_qwen3", "pair_qwen25", "tiny_qwen3", "tiny_qwen25"]


@pytest.fixture
def command() -> Typer:
    app = Typer()
    app.command()(export)
    return app


def test_command(command: Typer, tiny_qwen25: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = CliRunner().invoke(command, [str(tiny_qwen25), str(out), "--json", "--threads", "1"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told == json.loads((out / "export.json").read_text())
    assert told["parity"]["share"] >= 0.99
    assert told["parity"]["episodes"] == told["parity"]["verdicts_equal"] == 3
    assert told["source"] == str(tiny_qwen25)


def test_command_without_comparison(command: Typer, tiny_qwen25: Path, tmp_path: Path) -> None:
    arguments = [str(tiny_qwen25), str(tmp_path), "--type", "q8_0", "--no-parity"]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.output
    assert "model-q8_0.gguf" in result.stdout
    assert "not requested" in result.stdout


def test_command_refuses(command: Typer, tmp_path: Path) -> None:
    result = CliRunner().invoke(command, [str(tmp_path / "none"), str(tmp_path / "out")])
    assert isinstance(result.exception, WorkbenchError)
    assert CliRunner().invoke(command, ["a", "b", "--type", "q4"]).exit_code == 2


@pytest.mark.filterwarnings("ignore::FutureWarning")  # peft's, about transformers
def test_command_merges_an_adapter(
    command: Typer, tiny_qwen25: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "EPISODES", 1)
    peft = pytest.importorskip("peft")
    from transformers import Qwen2_5_VLForConditionalGeneration

    model = Qwen2_5_VLForConditionalGeneration.from_pretrained(tiny_qwen25)
    settings = peft.LoraConfig(r=2, target_modules=r".*layers\.\d+\.self_attn\.[qv]_proj")
    adapted = peft.get_peft_model(model, settings)
    with torch.no_grad():
        for name, weight in adapted.named_parameters():
            if "lora_" in name:
                weight.normal_(0, 0.3, generator=torch.Generator().manual_seed(len(name)))
    adapted.save_pretrained(tmp_path / "adapter")
    with pytest.raises(ConversionError, match="--adapter"):
        export_gguf(tmp_path / "adapter", tmp_path / "out")
    arguments = [str(tiny_qwen25), str(tmp_path / "out"), "--adapter", str(tmp_path / "adapter")]
    result = CliRunner().invoke(command, [*arguments, "--json", "--threads", "1"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["adapter"] == str(tmp_path / "adapter")
    assert told["parity"]["share"] >= 0.98
    plain = export_gguf(tiny_qwen25, tmp_path / "plain")
    assert told["language_model"]["sha256"] != plain.language_model.sha256
    assert told["mmproj"]["sha256"] == plain.mmproj.sha256
    written = sorted(path.suffix for path in (tmp_path / "out").iterdir())
    assert written == [".gguf", ".gguf", ".json"]
