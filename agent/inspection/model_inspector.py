"""The inspector with a model."""

import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import KW_ONLY, asdict, dataclass, field, replace

from agent.engines.base import Engine, OnText, SamplingSettings
from agent.errors import Cancelled, ContextFullError, EngineError, TrajectoryError
from agent.hashing import picture_hash
from agent.inspection.control import Control
from agent.inspection.episode import Episode, cancel_reason
from agent.inspection.offered_looks import offered_looks
from agent.inspection.pictures import PictureMaker, spectrum_ref
from agent.protocol.reply import is_published_form, is_well_formed
from agent.protocol.rules import OURS, Rules
from agent.protocol.wording import Wording, prompt_hash
from agent.rendering.render import PUBLISHED, Style
from agent.spectra.spectrum import Spectrum
from agent.tasks.task import Task
from agent.trajectory.p_yes import p_yes_of, pool_runs
from agent.trajectory.trajectory import ModelRef, Step, StoppedBy, Tokens, Trajectory, WordingRef
from agent.trajectory.turns import said_in, turns_of


@dataclass(eq=False, repr=False)
class ModelInspector:
    """Inspects with a model; `extra_runs` sampled inspections are averaged into p(YES)."""

    engine: Engine
    model: ModelRef
    _: KW_ONLY
    style: Style = PUBLISHED
    sampling: SamplingSettings = field(default_factory=SamplingSettings)
    extra_runs: int = 0
    rules: Rules = OURS
    wording: Wording | None = None
    picture_maker_type: type[PictureMaker] = PictureMaker

    def __post_init__(self) -> None:
        if self.style.brief:
            self.wording = None

    def inspect(
        self,
        spectrum: Spectrum,
        task: Task,
        *,
        seed: int = 0,
        control: Control | None = None,
        on_text: OnText | None = None,
        so_far: Trajectory | None = None,
    ) -> Generator[Step, None, Trajectory]:
        """See `agent.inspection.inspector.Inspector.inspect`.

        Raises SpectrumError if there is nothing to draw, and TrajectoryError if `so_far` belongs to
        another spectrum or task. An engine error ends the inspection and becomes `stop_reason`.
        """
        started = time.perf_counter()
        control = control or Control()
        record = self._blank(spectrum, task, seed)
        if so_far is not None:
            record = _continued(so_far, record)
        maker = self.picture_maker_type.of(spectrum, record.spectrum, self.style, record.sizing)
        picture_maker = replace(maker, rules=self.rules, wording=self.wording)
        record = replace(record, overview_text=picture_maker.overview_text())
        turns = turns_of(task, record, picture_maker.wording)
        pictures = [picture_maker.overview(), *map(picture_maker.redraw, record.looks)]
        record = replace(record, overview=picture_hash(pictures[0]))
        try:
            conversation = self.engine.open(self.rules)
        except EngineError as error:
            return replace(record, stop_reason=str(error), seconds=time.perf_counter() - started)
        with closing(conversation):
            said = record.steps, record.replies
            # Our own small models know these looks and no other.
            offered = tuple(offered_looks(spectrum, task)) if self.style.brief else None
            how = self.sampling, seed, control, on_text
            episode = Episode(conversation, picture_maker, *how, *said, offered=offered)
            try:
                yield from episode.begin(turns, pictures)
                start = conversation.mark()
                yield from episode.run()
                record = _ended(record, episode)
                if self.extra_runs and so_far is None and record.verdict is not None:
                    record = self._average_runs(record, episode, start)
            except (EngineError, Cancelled) as error:
                record = _broken_off(record, episode, error, control)
            record = replace(record, tokens=Tokens(**asdict(conversation.usage)))
        seconds = time.perf_counter() - started
        return replace(record, seconds=seconds, engine_seconds=episode.engine_seconds)

    @property
    def busy(self) -> int:
        """How often its server said that it has too much to do."""
        return getattr(self.engine, "busy", 0)

    def close(self) -> None:
        self.engine.close()

    def _blank(self, spectrum: Spectrum, task: Task, seed: int) -> Trajectory:
        wording, brief, ref = self.wording, self.style.brief, WordingRef()
        if wording is not None:
            ref = WordingRef(name=wording.name, sha256=wording.sha256)
        return Trajectory(
            task=task.id,
            spectrum=spectrum_ref(spectrum),
            model=self.model,
            prompt_sha256=prompt_hash(task, wording=wording, brief=brief, calls=self.rules.calls),
            wording=ref,
            rules=self.rules.name,
            style=self.style.to_table(),
            sizing=self.engine.sizing,
            sampling=self.sampling,
            seed=seed,
            stopped_by="error",
        )

    def _average_runs(self, record: Trajectory, first: Episode, start: object) -> Trajectory:
        """Repeat the inspection with sampling and average p(YES); the verdict stays."""
        sampling = replace(self.sampling, temperature=self.sampling.temperature or 1.0)
        runs = [record]
        for number in range(1, self.extra_runs + 1):
            first.conversation.rewind(start)
            seed = record.seed + 1000 * number
            how = first.conversation, first.picture_maker, sampling, seed, first.control
            repeat = Episode(*how, offered=first.offered)
            for _ in repeat.run():
                pass
            first.engine_seconds += repeat.engine_seconds
            runs.append(_ended(record, repeat))
        pooled = pool_runs([(run.verdict, run.p_yes) for run in runs])
        known = tuple(run.p_yes for run in runs if run.p_yes is not None)
        return replace(record, p_yes=pooled, p_yes_runs=known)


def _continued(so_far: Trajectory, blank: Trajectory) -> Trajectory:
    """The new record with the steps and replies of the earlier one."""
    if so_far.task != blank.task or so_far.prompt_sha256 != blank.prompt_sha256:
        raise TrajectoryError(
            f"the inspection to continue has another task ({so_far.task}) or guideline"
        )
    if so_far.spectrum.sha256 != blank.spectrum.sha256:
        raise TrajectoryError("the inspection to continue is of another spectrum")
    return replace(blank, spectrum=so_far.spectrum, steps=so_far.steps, replies=so_far.replies)


def _ended(record: Trajectory, episode: Episode) -> Trajectory:
    answered = episode.stopped_by == "answer"
    verdicts = [step.verdict for step in episode.steps if step.kind == "answer"]
    if episode.rules.is_published:
        well_formed = is_published_form(said_in(episode.steps, episode.replies))
    else:
        well_formed = is_well_formed(episode.replies)
    return replace(
        episode.recorded(record),
        verdict=verdicts[-1] if answered else None,
        p_yes=_p_yes(episode) if answered else None,
        well_formed=well_formed,
    )


def _p_yes(episode: Episode) -> float | None:
    """p(YES) at the box; with published rules only if there is one box, which may be read."""
    answer = episode.answer
    if answer is None or (episode.rules.is_published and answer.text.count("\\boxed{") != 1):
        return None
    return p_yes_of(answer.choices)


def _broken_off(
    record: Trajectory, episode: Episode, error: Exception, control: Control
) -> Trajectory:
    """The record of an episode that was cancelled or whose engine failed."""
    record = episode.recorded(record)
    if isinstance(error, Cancelled):
        return replace(record, stopped_by="cancelled", stop_reason=cancel_reason(control))
    stopped_by: StoppedBy = "length" if isinstance(error, ContextFullError) else "error"
    return replace(record, stopped_by=stopped_by, stop_reason=str(error))
