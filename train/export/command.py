"""`spec-o3-train export` and `reopen`: convert models to GGUF files for llama.cpp and back."""

from __future__ import annotations

import json
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from agent.convert.checkpoint import ConversionError
from train.recipe import training_packages

if TYPE_CHECKING:
    from train.export.export import ExportReport


def export(
    folder: Annotated[Path, typer.Argument(help="Folder of a Qwen2.5-VL or Qwen3-VL model.")],
    out: Annotated[Path, typer.Argument(help="Folder for the two GGUF files and the report.")],
    file_type: Annotated[
        Literal["f16", "q8_0", "f32"],
        typer.Option("--type", help="Type of the language model; q8_0 is half of f16."),
    ] = "f16",
    picture_type: Annotated[
        Literal["f16", "f32"], typer.Option("--pictures", help="Type of the vision part (mmproj).")
    ] = "f16",
    adapter: Annotated[
        Path | None, typer.Option(help="Folder of a LoRA adapter to merge into FOLDER first.")
    ] = None,
    parity: Annotated[
        bool | None,
        typer.Option(
            "--parity/--no-parity",
            help="Compare llama.cpp with transformers on the result; the default compares small "
            "models.",
        ),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, max=512, help="Threads of the comparison.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON, for scripts.")] = False,
) -> None:
    """Convert a model folder to GGUF files for llama.cpp, check them and compare the outputs."""
    with training_packages("exporting needs"):
        from train.export.export import export_gguf, with_parity, write_gguf_card
    console = Console(stderr=True)

    def say(line: str) -> None:
        console.print(line, style="dim", markup=False, soft_wrap=True)

    with ExitStack() as stack:
        model = folder
        if adapter is not None:
            try:
                from train.models.model_folder import merge_adapter
            except ImportError as error:
                raise ConversionError(
                    "merging an adapter needs torch, transformers and peft: "
                    'pip install "spec-o3-workbench[gpu]"'
                ) from error
            say(f"merging {adapter} into {folder}")
            out.mkdir(parents=True, exist_ok=True)
            merged = tempfile.TemporaryDirectory(prefix=".merged-", dir=out)
            model = Path(stack.enter_context(merged))
            merge_adapter(folder, adapter, model)
        report = export_gguf(
            model,
            out,
            lm_type=file_type,
            mmproj_type=picture_type,
            name=folder.resolve().name,
            say=say,
        )
        card = write_gguf_card(folder, report)
        report = replace(report, source=folder, adapter=adapter)
        style = card.style if card else None
        report = with_parity(report, model, wanted=parity, threads=threads, style=style)
    if as_json:
        typer.echo(json.dumps(report.to_json(), allow_nan=False))
        return
    for line in _lines(report):
        typer.echo(line)


def reopen(
    model: Annotated[str, typer.Argument(help="Name or folder of a GGUF model, such as nano-eye.")],
    out: Annotated[Path, typer.Argument(help="New folder, from which `sft` and `grpo` can start.")],
) -> None:
    """Convert a GGUF model back to a folder whose training can continue."""
    with training_packages("reopening needs"):
        from train.export.reopen import reopen as reopened
    card = reopened(model, out)
    typer.echo(f"{out}  {card.parameters / 1e6:,.1f} M weights, {card.bytes / 1e6:,.1f} MB")


def _lines(report: ExportReport) -> list[str]:
    lines = [
        f"{report.folder / file.name}  {file.bytes / 1e6:,.1f} MB, {file.tensors} tensors, "
        f"{file.parameters / 1e6:,.1f} M parameters"
        for file in (report.language_model, report.mmproj)
    ]
    parity = report.parity
    if parity is None:
        return [*lines, f"llama.cpp against transformers: {report.parity_note}"]
    return [
        *lines,
        f"llama.cpp against transformers: the same likeliest token at {parity['share']:.2%} of "
        f"{parity['positions']} positions, verdicts {parity['verdicts_equal']} of "
        f"{parity['episodes']}",
    ]
