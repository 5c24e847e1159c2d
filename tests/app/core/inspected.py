"""Trajectories of agents for tests, and what a session then shows of them."""

from dataclasses import replace

from agent.trajectory.trajectory import ModelRef, SpectrumRef, Step, Trajectory
from app.core.queue import LIST_ORDER, matching, parse_filter

NANO = ModelRef(name="nano", engine="gguf", sha256="aa" * 32)
OTHER = ModelRef(name="nano", sha256="bb" * 32)
MEASURED = ModelRef(name="measured")
PANEL = ModelRef(name="panel", engine="panel", sha256="cc" * 32)


def said(verdict="YES", p_yes=0.9, model=NANO, stopped_by="answer", number=1):
    steps = (
        Step(kind="think", text="Hα 宽 \U0001f31f \x1b[31m \0"),
        Step(kind="zoom", turn=1, range=(6500.0, 6600.0), label="Hα", measured={"snr": 3.5}),
        Step(kind="answer", turn=2, text="broad", verdict=verdict),
    )
    return Trajectory(
        task="CV",
        spectrum=SpectrumRef(object_id=f"J{number:06d}", path=f"/spectra/{number}.fits"),
        model=model,
        steps=steps,
        stopped_by=stopped_by,
        verdict=verdict,
        p_yes=p_yes,
        well_formed=verdict is not None,
    )


def panel_said(eye, measured, number=1):
    """A panel's record: the measured inspector decides."""
    members = (said(eye, 0.4, number=number), said(measured, 0.9, MEASURED, number=number))
    words = f"{eye}, p 0.40: no YES: in it." if eye else "no verdict."
    lines = [rf"\boxed{{{measured}}} nano: {words}", f"measured: {measured}."]
    step = Step(kind="answer", turn=3, text="\n".join(lines), verdict=measured, label="panel")
    one = said(measured, 0.8, PANEL, number=number)
    return replace(one, steps=(*one.steps[:-1], step), members=members)


def agent_of(session, number=1):
    one = session.candidate(number)
    return one.agent_verdict, one.agent_p_yes, one.agent_model, one.agent_stopped_by


def shown(session, text, sort=LIST_ORDER):
    return [row.candidate.id for row in matching(session, parse_filter(text), sort)]
