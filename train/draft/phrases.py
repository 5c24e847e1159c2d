"""Sentence templates in two styles; `{name}`, `{value}` and so on are filled in later.

`long` is how an astronomer writes, `short` uses so few words that a small model can learn them.
"""

from collections.abc import Mapping
from typing import Literal

Words = Literal["short", "long"]
Table = Mapping[str, tuple[str, ...]]

LONG: Table = {
    "emission": (
        "{name} is in emission with an equivalent width of {value} Å",
        "{name} is in emission, {value} Å in equivalent width",
        "there is emission at {name}, {value} Å",
        "{name} stands in emission with {value} Å",
    ),
    "emission_weak": (
        "{name} is in emission but weak, {value} Å",
        "the emission of {name} is only {value} Å",
    ),
    "absorption": (
        "{name} is in absorption with an equivalent width of {value} Å",
        "{name} is absorbed, {value} Å in equivalent width",
        "{name} shows {value} Å of absorption",
        "I measure {value} Å of absorption at {name}",
    ),
    "absorption_weak": (
        "{name} is absorbed by no more than {value} Å",
        "the absorption of {name} is only {value} Å",
    ),
    "absent_line": ("{name} is not seen", "{name} is absent", "there is no {name}", "no {name}"),
    "width": (
        "{name} is {value} km/s wide at half maximum",
        "the width of {name} is {value} km/s",
        "at half maximum {name} is {value} km/s wide",
    ),
    "unresolved": ("{name} is no wider than the instrument", "{name} is unresolved"),
    "step_red": (
        "the flux drops by {percent} per cent going redward across the {name}",
        "the {name} takes away {percent} per cent of the flux",
        "the {name} is there, depth {value}",
    ),
    "step_violet": (
        "the flux jumps up by {percent} per cent across the {name}",
        "there is a {name}, a step of {value}",
        "the {name} is there, height {value}",
    ),
    "step_weak": ("the step at the {name} is only {value}", "the {name} is shallow, {value}"),
    "absent_edge": ("there is no {name}", "no {name} ({value})", "the {name} is absent"),
    "value": (
        "{name} is {value}",
        "I measure {value} for {name}",
        "{name} comes to {value}",
        "{name} has a value of {value}",
    ),
    "covers": (
        "The spectrum covers {low} to {high} Å with a median S/N of {snr} per pixel.",
        "Data from {low} to {high} Å, median S/N {snr}.",
        "With a median S/N of {snr} the data reach from {low} to {high} Å.",
        "The median S/N is {snr}; the range is {low} to {high} Å.",
    ),
    "blue": (
        "The continuum rises to the blue.",
        "A blue continuum.",
        "The flux climbs towards the blue.",
    ),
    "flat": ("The continuum is roughly flat.", "The continuum is flat.", "A flat continuum."),
    "red": (
        "The continuum falls to the blue.",
        "A red continuum.",
        "The flux is highest in the red.",
    ),
    "guess": (
        "It could be {kind}.",
        "At first sight this may be {kind}.",
        "My first thought: perhaps {kind}.",
        "Might this be {kind}?",
    ),
    "drop_guess": (
        "That is not {kind}: {fact}.",
        "I drop the idea of {kind}, since {fact}.",
        "So it is not {kind} after all, because {fact}.",
    ),
    "first": (
        "First I look at {label}, {low} to {high} Å.",
        "I begin with {label}, {low} to {high} Å.",
        "I start at {label} ({low} to {high} Å).",
        "The first place to check is {label}, {low} to {high} Å.",
    ),
    "next": (
        "Next I look at {label}, {low} to {high} Å.",
        "Now {label}, {low} to {high} Å.",
        "Next comes {label} ({low} to {high} Å).",
        "I also want to see {label}, {low} to {high} Å.",
        "Let me check {label}, {low} to {high} Å.",
    ),
    "wide": (
        "I look at the surroundings of {label} first, {low} to {high} Å.",
        "First a wide view around {label}, {low} to {high} Å.",
    ),
    "narrow": (
        "This view is too wide to judge {label}. I narrow it to {low} to {high} Å.",
        "Too wide for {label}; I zoom in to {low} to {high} Å.",
        "I can tell more from a closer look at {label}, {low} to {high} Å.",
    ),
    "outside": (
        "That range lies outside the data, which end at {edge} Å.",
        "Refused: the data end at {edge} Å.",
        "There is nothing to draw there; the data end at {edge} Å.",
    ),
    "nothing": (
        "Nothing in this window can be measured with confidence.",
        "This window tells little.",
    ),
    "for": (
        "This speaks for {a_class}.",
        "This is what {a_class} should show.",
        "It fits {a_class}.",
    ),
    "against": (
        "This speaks against {a_class}.",
        "This does not fit {a_class}.",
        "{a_class_cap} should look different here.",
    ),
    "little": ("This decides little.", "Taken alone this settles nothing.", "Not decisive."),
    "sum_yes": (
        "Taken together this is {a_class}.",
        "The evidence adds up to {a_class}.",
        "All in all I accept it as {a_class}.",
    ),
    "sum_no": (
        "Taken together this is not {a_class}.",
        "The evidence does not add up to {a_class}.",
        "All in all I do not accept it as {a_class}.",
    ),
    "it_is": ("It looks like {kind}.", "The spectrum is that of {kind}.", "It is rather {kind}."),
    "it_is_because": (
        "It looks like {kind}: {fact}.",
        "The spectrum is rather that of {kind}: {fact}.",
        "It is more like {kind}, since {fact}.",
    ),
    "rival": (
        "It is no {kind_bare}: {fact}.",
        "I considered {kind}, but {fact}.",
        "Against {kind} speaks that {fact}.",
    ),
    "other_side": ("On the other side, {fact}.", "To be fair, {fact}.", "Against this, {fact}."),
}

SHORT: Table = {
    "emission": ("{name} emission {value} Å",),
    "emission_weak": ("{name} emission weak, {value} Å",),
    "absorption": ("{name} absorption {value} Å",),
    "absorption_weak": ("{name} absorption weak, {value} Å",),
    "absent_line": ("no {name}",),
    "width": ("{name} {value} km/s wide",),
    "unresolved": ("{name} unresolved",),
    "step_red": ("{name}, step {value}",),
    "step_violet": ("{name}, step {value}",),
    "step_weak": ("{name} weak, step {value}",),
    "absent_edge": ("no {name}",),
    "value": ("{name} {value}",),
    "covers": ("S/N {snr}.",),
    "blue": ("Blue continuum.",),
    "flat": ("Flat continuum.",),
    "red": ("Red continuum.",),
    "guess": ("Maybe {kind}.",),
    "drop_guess": ("Not {kind}: {fact}.",),
    "first": ("Check {label}.", "Look at {label}."),
    "next": ("Check {label}.", "Next {label}."),
    "wide": ("Look around {label}.",),
    "narrow": ("Too wide. Check {label}.",),
    "outside": ("No data there; they end at {edge} Å.",),
    "nothing": ("Nothing clear.",),
    "for": ("Fits.",),
    "against": ("Does not fit.",),
    "little": ("Unclear.",),
    "sum_yes": ("Enough seen.",),
    "sum_no": ("Enough seen.",),
    "it_is": ("More like {kind}.",),
    "it_is_because": ("More like {kind}: {fact}.",),
    "rival": ("Not {kind}: {fact}.",),
    "other_side": ("But {fact}.",),
}


def phrases_for(words: Words) -> Table:
    return {"short": SHORT, "long": LONG}[words]
