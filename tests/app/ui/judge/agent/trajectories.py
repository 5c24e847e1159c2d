"""Hand-written records of inspections."""

from typing import Any

from agent.trajectory.trajectory import ModelRef, SpectrumRef, Step, Trajectory

SEVEN_B = ModelRef(name="spec-o3-7b", engine="transformers", sha256="7" * 64)
NANO = ModelRef(name="nano", engine="gguf", sha256="a" * 64)
MEASURED_THERE: dict[str, Any] = {
    "n_pixels": 198, "n_bad": 6, "snr": 16.7,
    "feature": {
        "name": "strongest", "kind": "emission", "centroid": 6565.2, "ew": -30.25,
        "ew_error": 1.2, "fwhm_kms": 1210.0, "sigma": 41.0, "nearest": ["Hα"],
    },
    "lines": [
        {
            "name": "H_alpha", "kind": "emission", "centroid": 6565.1, "ew": -30.12,
            "ew_error": 1.1, "fwhm_kms": 1200.0, "sigma": 40.0,
        }
    ],
    "unsafe": ["O₂ B"],
}  # fmt: skip


def look(low: float, high: float, turn: int = 0, **more: Any) -> Step:
    given = {"text": "Generated", "measured": MEASURED_THERE, "picture": f"{low:.0f}" * 8}
    return Step(kind="zoom", turn=turn, range=(low, high), **(given | more))


def record(**changes: Any) -> Trajectory:
    """Two looks, and the answer YES."""
    said = r"\boxed{YES} Broad Hα; He II 4686; Na D is absorbed."
    values: dict[str, Any] = {
        "task": "CV",
        "spectrum": SpectrumRef(object_id="one"),
        "model": SEVEN_B,
        "steps": (
            Step(kind="think", turn=0, text="At first sight a hot star with emission."),
            look(6450, 6750, label="Hα"),
            Step(kind="think", turn=1, text="Hα is broad. Hβ is in emission, too."),
            look(4550, 5050, turn=1, label="Hβ and He II 4686"),
            Step(kind="answer", turn=2, text=said, verdict="YES"),
        ),
        "replies": ("one", "two", "three"),
        "stopped_by": "answer",
        "verdict": "YES",
        "p_yes": 0.93,
        "well_formed": True,
    }
    return Trajectory(**(values | changes))
