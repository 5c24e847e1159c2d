"""The engines, and the only place that knows them all.

To add one, write `agent/engines/NAME/kind.py` with its `EngineKind` and add that to ENGINES. Other
packages add engines as plug-ins. No engine is loaded here, nor a library that one needs.
"""

from pathlib import Path

from agent.engines.base import Engine
from agent.engines.gguf.kind import GGUF
from agent.engines.hf.kind import TRANSFORMERS
from agent.engines.kind import EngineKind, LoadOptions, ModelCard
from agent.engines.remote.kind import REMOTE
from agent.errors import EngineError, WorkbenchError
from agent.plugins import faults, find_plugin, in_plugin, packages_of, report, report_failure

ENGINES: list[EngineKind] = [TRANSFORMERS, GGUF, REMOTE]
"""In the order in which they are asked whether a model without a card is one of theirs."""


class PluginEngine(EngineKind):
    """An engine of another package, of which we know the name until a model needs it."""

    no_conversion = "of a plug-in: only folders for transformers can be converted"

    def __init__(self, name: str) -> None:
        self.name = self.program = name

    def load(self, card: ModelCard, folder: Path | None, options: LoadOptions) -> Engine:
        plugin = find_plugin("engines", self.name)
        if plugin is None:
            wrong = (each for each in faults() if (each.kind, each.name) == ("engines", self.name))
            what = next(map(str, wrong), "it does not work or is not installed")
            raise EngineError(
                f"the model {card.name} needs the plug-in {self.name}; {what}; see spec-o3 selftest"
            )
        try:
            with in_plugin():
                engine = plugin.value(folder, card, device=options.device, threads=options.threads)
        except WorkbenchError:
            raise
        except (Exception, SystemExit) as error:
            raise EngineError(str(report_failure(plugin, error))) from error
        if not all(hasattr(engine, name) for name in ("sizing", "open", "close")):
            problem = f"it returned a {type(engine).__name__}, not an engine"
            raise EngineError(str(report(plugin.kind, plugin.name, plugin.package, problem)))
        loaded: Engine = engine
        return loaded


def engine_kind(name: str) -> EngineKind:
    """The engine of that name; one that is not ours is a plug-in's, installed or not."""
    return next((each for each in ENGINES if each.name == name), None) or PluginEngine(name)


def engine_names() -> tuple[str, ...]:
    """The engines that a card may name: ours, then those of plug-ins, which are not loaded here."""
    ours = [each.name for each in ENGINES]
    names = list(ours)
    for name, package in packages_of("engines"):
        if name in ours:
            report("engines", name, package, "an engine of the program has this name: left out")
        else:
            names.append(name)
    return tuple(dict.fromkeys(names))
