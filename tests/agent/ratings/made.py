"""Trajectories and ratings made by hand."""

from typing import Any

from agent.ratings.records import Rating, subject_of
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Trajectory


def trajectory(spectrum: str = "s1", model: str = "ours", said: str = "yes") -> Trajectory:
    return Trajectory(
        task="CV",
        spectrum=SpectrumRef(sha256=spectrum),
        model=ModelRef(name=model, sha256=model * 3),
        replies=(f"{model} says {said}",),
        stopped_by="answer",
    )


def rating(about: Trajectory, by: str, coherence: int, consistency: int, **more: Any) -> Rating:
    return Rating(
        subject=subject_of(about), by=by, coherence=coherence, consistency=consistency, **more
    )
