"""Plants false statements in honest drafts, one kind at a time, for the auditor to catch."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from agent.claims.claims import Claim, claims_of
from agent.evidence.words import KIND_NAMES
from agent.examples.examples import Example
from agent.protocol.reply import parse_reply
from agent.rendering.render import Style
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import Trajectory
from train.record import record_trajectory

Rng = np.random.Generator
Replies = tuple[str, ...]
Lie = Callable[[Replies, Rng], Replies | None]
Wanted = Callable[[Claim], bool]
Change = Callable[[str, Claim], str | None]

NAMES = ("Hα", "Hβ", "Hγ", "He I 6678", "Ca II 8542", "Na I 8190", "TiO5", "[O III] 5007")
NUMBER = re.compile(r"(?<![\d.A-Za-z])\d+(?:\.\d+)?(?= (?:Å|km/s|per cent)|\b)")


def retold(trajectory: Trajectory, example: Example, replies: Replies) -> Trajectory:
    """The trajectory of other replies, with the tool's real answers to them."""
    task, style = find_task(trajectory.task), Style.from_table(trajectory.style)
    model, sizing = trajectory.model, trajectory.sizing
    return record_trajectory(replies, example.spectrum, task, model, style, sizing)


def number(replies: Replies, rng: Rng) -> Replies | None:
    """More than double a measured number."""

    def raised(text: str, claim: Claim) -> str | None:
        for match in NUMBER.finditer(text):
            shown = float(match.group())
            if claim.value and abs(shown - abs(claim.value)) < 1e-9 and shown > 0.3:
                digits = len(match.group().partition(".")[2])
                bigger = f"{2.3 * shown:.{digits}f}"
                return text[: match.start()] + bigger + text[match.end() :]
        return None

    wanted = ("strength", "width_kms", "step", "snr")
    return _in_a_claim(replies, rng, lambda claim: claim.quantity in wanted, raised)


def sign(replies: Replies, rng: Rng) -> Replies | None:
    """Swap emission and absorption."""

    def turned(text: str, claim: Claim) -> str | None:
        swap = {"emission": "absorption", "absorption": "emission", "absorbed": "in emission"}
        found = re.search(r"emission|absorption|absorbed", text)
        return found and text[: found.start()] + swap[found.group()] + text[found.end() :]

    wanted = ("emission", "absorption")
    return _in_a_claim(replies, rng, lambda claim: claim.state in wanted, turned)


def presence(replies: Replies, rng: Rng) -> Replies | None:
    """Deny a feature that is present."""

    def denied(text: str, claim: Claim) -> str:
        return f"{claim.features[0].name} is not seen"

    wanted = ("emission", "absorption", "present")
    return _in_a_claim(replies, rng, lambda claim: claim.state in wanted, denied)


def invention(replies: Replies, rng: Rng) -> Replies | None:
    """Describe an absent feature with a number."""

    def invented(text: str, claim: Claim) -> str:
        name = claim.features[0].name
        if claim.features[0].is_edge:
            return f"the {name} is there, depth 0.31"
        return f"{name} is in emission, 14 Å"

    return _in_a_claim(replies, rng, lambda claim: claim.state == "absent", invented)


def feature(replies: Replies, rng: Rng) -> Replies | None:
    """Give the number of one feature to another."""

    def renamed(text: str, claim: Claim) -> str | None:
        name = claim.features[0].name
        others = [other for other in NAMES if other != name]
        other = others[int(rng.integers(len(others)))]
        return text.replace(name, other) if name in text else None

    return _in_a_claim(replies, rng, lambda claim: claim.quantity == "strength", renamed)


def unseen(replies: Replies, rng: Rng) -> Replies | None:
    """Describe a line in a window that was not shown."""
    ranges = [_range(reply) for reply in replies]
    places = {"Hβ": 4863.0, "Ca II 8542": 8544.0, "Na D": 5894.0, "Hδ": 4103.0, "O I 7774": 7776.0}
    shown = [seen for seen in ranges if seen]
    free = [
        name for name, at in places.items() if not any(low <= at <= high for low, high in shown)
    ]
    if not free:
        return None
    name = free[int(rng.integers(len(free)))]
    answer = replies[-1].replace("</answer>", f" {name} is absorbed, 3.1 Å.</answer>")
    return (*replies[:-1], answer)


def too_early(replies: Replies, rng: Rng) -> Replies:
    """Give a number before any window was shown."""
    first = replies[0].replace("<think>", "<think>Hα is in emission, 48 Å. ")
    return (first, *replies[1:])


def nameless(replies: Replies, rng: Rng) -> Replies:
    """Add a number without a feature."""
    answer = re.sub(r"\} ", "} The whole is 1430 km/s wide. ", replies[-1], count=1)
    return (*replies[:-1], answer)


def window(replies: Replies, rng: Rng) -> Replies | None:
    """Request another window than the one described."""
    calls = [
        turn
        for turn, reply in enumerate(replies[:-1])
        if any(claim.features for claim in claims_of(parse_reply(replies[turn + 1]).thought))
    ]
    if not calls:
        return None
    turn = calls[int(rng.integers(len(calls)))]
    low, high = _range(replies[turn]) or (0.0, 0.0)
    away = 1500 if low < 6000 else -1500
    moved = [round(low + away), round(high + away)]
    told = re.sub(r"\[\d+, \d+\]", json.dumps(moved), replies[turn])
    return (*replies[:turn], told, *replies[turn + 1 :])


def verdict(replies: Replies, rng: Rng) -> Replies:
    """Give the other answer for the same reasons."""
    other = "NO" if "\\boxed{YES}" in replies[-1] else "YES"
    return (*replies[:-1], re.sub(r"\\boxed\{\w+\}", rf"\\boxed{{{other}}}", replies[-1]))


def kind(replies: Replies, rng: Rng) -> Replies | None:
    """Name a wrong kind."""
    said = parse_reply(replies[-1]).answer
    named = [name for name in KIND_NAMES.values() if re.search(rf"(of|like) {name}\b", said)]
    if not named or "\\boxed{NO}" not in said:
        return None
    others = [name for name in KIND_NAMES.values() if name not in named]
    other = others[int(rng.integers(len(others)))]
    return (*replies[:-1], replies[-1].replace(named[0], other))


LIES: dict[str, Lie] = {
    lie.__name__: lie
    for lie in (
        number, sign, presence, invention, feature, unseen, too_early, nameless, window, verdict,
        kind,
    )
}  # fmt: skip


def forged(trajectory: Trajectory) -> Trajectory:
    """Keep the replies, but change a number that the tool measured."""
    steps = list(trajectory.steps)
    place = next(n for n, step in enumerate(steps) if step.is_look)
    measured = {**steps[place].measured, "snr": 999.0}
    steps[place] = replace(steps[place], measured=measured)
    return replace(trajectory, steps=tuple(steps))


def planted(trajectory: Trajectory, example: Example, rng: Rng) -> Iterator[tuple[str, Trajectory]]:
    """One lie of every kind that the draft allows."""
    for name, lie in LIES.items():
        replies = lie(trajectory.replies, rng)
        if replies is not None and replies != trajectory.replies:
            yield name, retold(trajectory, example, replies)
    yield "forged", forged(trajectory)


def _range(reply: str) -> tuple[float, float] | None:
    arguments = parse_reply(reply).arguments
    return tuple(arguments["wavelength_range"]) if isinstance(arguments, dict) else None


def _in_a_claim(replies: Replies, rng: Rng, wanted: Wanted, change: Change) -> Replies | None:
    """Change one random claim of that sort in its place."""
    places = []
    for turn, reply in enumerate(replies):
        parsed = parse_reply(reply)
        for claim in claims_of(f"{parsed.thought} {parsed.answer}"):
            text = claim.text.strip().rstrip(".")
            if wanted(claim) and text in reply and (claim.features or claim.quantity == "snr"):
                changed = change(text, claim)
                if changed is not None and changed != text:
                    places.append((turn, text, changed))
    if not places:
        return None
    turn, text, changed = places[int(rng.integers(len(places)))]
    return (*replies[:turn], replies[turn].replace(text, changed, 1), *replies[turn + 1 :])
