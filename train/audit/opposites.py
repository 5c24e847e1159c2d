"""Words that say opposite things of one feature, as the sentences of the measured inspector do."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Opposites:
    """`there` and `not_there` must not both be said of one spectrum."""

    feature: str
    there: re.Pattern[str]
    not_there: re.Pattern[str]


def _opposites(feature: str, there: str, not_there: str) -> Opposites:
    return Opposites(feature, re.compile(there), re.compile(not_there))


OPPOSITES = (
    _opposites(
        "TiO",
        r": M type|(?<!no )TiO bands|TiO in the blue|^TiO edge at|^TiO head at|^TiO heads|M star$",
        r"no M type|no TiO|no blue TiO|no M star dominates|TiO 7054 step not seen",
    ),
    _opposites(
        "4000 Å break",
        r"^4000 Å break (?:present|of a cool)|a cool star$|strong 4000 Å break",
        r"^no (?:cool )?4000 Å break|: too hot for",
    ),
    _opposites(
        "G band", r"F to K star|an F star or later|strong CH|^G band", r"no G band|no CH G4300"
    ),
    _opposites(
        "hydride",
        r"hydride of a dwarf|CaH as in a dwarf|CaH 6384 deep|CaH as deep as in a dwarf",
        r"no hydride|hydride weak|CaH 6384 absent|CaH shallow|TiO without CaH",
    ),
    _opposites(
        "luminosity", r"a giant(?: of type M5 or later)?$", r"a dwarf(?: or interstellar)?$"
    ),
    _opposites(
        "ZrO 6474",
        r"^ZrO edge at 6475\.5, depth|ZrO head at 6475|ZrO band at 6475"
        r"|ZrO 6474 index [^:]*: (?:band|S star)",
        r"^no ZrO edge at 6475\.5|ZrO 6474 index [^:]*: no |no ZrO band",
    ),
    _opposites(
        "ZrO 6345",
        r"^ZrO edge at 6346\.7|ZrO head at 6347|ZrO band at 6347",
        r"^no ZrO edge at 6346|no ZrO 6347",
    ),
    _opposites("C2 5165", r"^C2 edge at 516[67]", r"^no C2 edge at 516[67]"),
    _opposites("C2 4737", r"^C2 edge at 4738", r"^no C2 edge at 4738"),
    _opposites("C2 5636", r"^C2 edge at 5637", r"^no C2 edge at 5637"),
    _opposites(
        "CN",
        r"^CN (?:edge|head|heads|band)|CN 7872 index [^:]*: band present$",
        r"^no CN|CN 7872 index [^:]*: no band",
    ),
    _opposites("MgH", r"^MgH edge at", r"^no MgH edge"),
    _opposites(
        "Balmer jump", r"(?<!no )(?<!small )Balmer jump", r"no Balmer jump|small Balmer jump"
    ),
    _opposites("Na D", r"^Na D [^;:]*: strong|^Na D strong", r"^Na D [^;:]*: weak|^Na D weak"),
    _opposites(
        "Na I 8190",
        r"^Na I 8190 [^;:]*: strong|^Na I 8190 strong",
        r"^Na I 8190 [^;:]*: weak|^Na I 8190 weak",
    ),
    _opposites(
        "Balmer width",
        r"gravity of a white dwarf|: a white dwarf|subdwarf or white dwarf",
        r"narrower than in a DA|no white dwarf|Balmer lines narrow",
    ),
    _opposites(
        "hydrogen",
        r"lines at their maximum|strong H[γδ](?! core)|hydrogen of an A star",
        r"lines too weak|weak hydrogen|weak H[γδ](?! core)",
    ),
    _opposites("barium", r"barium strong|Ba II \d+ strong", r"barium not enhanced"),
    _opposites("star or not", r"is that of a star$", r"is not that of a star$"),
)
