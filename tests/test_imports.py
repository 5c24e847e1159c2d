"""What must not be loaded before somebody needs it."""

import subprocess
import sys

import pytest

HEAVY = ("torch", "transformers", "llama_cpp", "matplotlib.pyplot", "PySide6")
OPTIONAL = (*HEAVY, "matplotlib", "astropy", "scipy.signal", "specutils")
MODELS = (*HEAVY, "huggingface_hub", "xllamacpp", "keyring", "sklearn", "gguf")


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        (
            "agent.protocol.tool, agent.rendering.render, agent.tasks.catalogue, "
            "agent.spectra.readers",
            HEAVY,
        ),
        (
            "agent.inspection.inspector_factory, agent.inspection.model_inspector, "
            "agent.models.registry",
            MODELS,
        ),
        (
            "agent.inspection.measured_inspector, agent.confidence.calibration, "
            "app.worker.supervisor",
            MODELS,
        ),
        ("agent, app, agent.plugins", (*OPTIONAL, "numpy", "sqlalchemy")),
        ("agent.api, app.session_api", MODELS),
        ("app.cli.main, app.cli.info", (*OPTIONAL, "sqlalchemy")),
        ("app.cli.demo, app.cli.inspect, app.cli.models, app.cli.log, app.cli.merge", OPTIONAL),
        ("app.cli.services.mcp", (*HEAVY, "mcp")),
        ("train.cli", (*HEAVY, "sklearn")),
    ],
)
def test_imports_stay_light(module, heavy):
    code = f"import sys, {module}; print(*(m for m in {heavy!r} if m in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.split() == []
