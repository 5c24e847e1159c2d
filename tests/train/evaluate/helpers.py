"""Judgements by hand, and small simulated sets."""

from dataclasses import replace

from agent.examples.examples import Example, example
from agent.protocol.reply import Verdict
from train.evaluate.judgement import Judgement
from train.evaluate.judges import JudgeSpec
from train.simulate.campaign import Settings, assignments
from train.simulate.production import simulate_spectrum
from train.simulate.telescope.observation import to_spectrum


def make_judgement(
    number: int, answer: Verdict, verdict: Verdict | None, task: str = "CV", **more: object
) -> Judgement:
    return Judgement(key=f"{task}-{number}", task=task, answer=answer, verdict=verdict, **more)  # type: ignore[arg-type]


def rows(hits: int, missed: int, alarms: int, quiet: int, task: str = "CV") -> list[Judgement]:
    kinds: list[tuple[Verdict, Verdict]] = [
        *[("YES", "YES")] * hits, *[("YES", "NO")] * missed,
        *[("NO", "YES")] * alarms, *[("NO", "NO")] * quiet,
    ]  # fmt: skip
    return [make_judgement(n, answer, verdict, task) for n, (answer, verdict) in enumerate(kinds)]


MEASURED = JudgeSpec(name="measured", kind="inspector", source="measured")


def simulated(task: str, count: int, seed: int = 3) -> list[Example]:
    campaign = Settings(seed=seed, count=count, task=task, odds=(1, 2), survey="LAMOST,DESI")
    found = []
    for assignment in assignments(campaign):
        made = simulate_spectrum(campaign, assignment)
        spectrum = to_spectrum(made.entry.observation, made.entry.pipeline_class)
        spectrum = replace(spectrum, path=f"{assignment.index}.fits")
        answer = "YES" if assignment.label == task else "NO"
        found.append(example(spectrum, task=task, answer=answer, label=assignment.label))
    return found
