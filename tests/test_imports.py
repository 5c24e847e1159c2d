"""What must not be loaded before somebody needs it."""

from pathlib import Path

import pytest

import agent.confidence
from tests.processes import loaded

HEAVY = ("torch", "transformers", "llama_cpp", "matplotlib.pyplot", "PySide6")
OPTIONAL = (*HEAVY, "matplotlib", "astropy", "scipy.signal", "specutils")
MODELS = (*HEAVY, "huggingface_hub", "xllamacpp", "keyring", "sklearn", "gguf")


CONFIDENCE = sorted(path.stem for path in Path(agent.confidence.__file__).parent.glob("[a-z]*.py"))


@pytest.mark.parametrize(("modules", "heavy"), [
    ("agent.protocol.tool, agent.rendering.render, agent.tasks.catalogue", HEAVY),
    ("agent.inspection.inspector_factory, agent.inspection.model_inspector", MODELS),
    ("agent.inspection.measured_inspector, app.worker.supervisor, agent.models.registry", MODELS),
    (", ".join(f"agent.confidence.{name}" for name in CONFIDENCE), (*MODELS, "scipy")),
    ("agent.spectra.readers, agent.spectra.readers.registry", OPTIONAL),
    ("agent, app, agent.plugins", (*OPTIONAL, "numpy", "sqlalchemy")),
    ("agent.api, app.session_api", MODELS),
    ("app.worker.__main__", (*OPTIONAL, "numpy", "PIL", "agent.trajectory.trajectory")),
    ("app.services.samp.connection, app.services.samp.hub", ("pyvo",)),
    ("app.cli.main, app.cli.info", (*OPTIONAL, "sqlalchemy")),
    ("app.cli.demo, app.cli.inspect, app.cli.models, app.cli.log, app.cli.merge", OPTIONAL),
    ("app.cli.services.mcp", (*HEAVY, "mcp")),
    ("train.cli", (*HEAVY, "sklearn")),
])  # fmt: skip
def test_imports_stay_light(modules, heavy):
    assert loaded(f"import {modules}", *heavy) == []
