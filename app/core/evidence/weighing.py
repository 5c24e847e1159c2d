"""Weighs what catalogues say of a candidate by the rules of the task, apart from its spectrum.

What was not asked, failed, or says nothing that the rules know contributes nothing.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection, bindparam, select, update

from agent.tasks.catalogue_evidence import CatalogueEvidence, heaviest_of_groups
from agent.tasks.task import Task
from agent.trajectory.p_yes import combined_p
from app.core.database.tables import candidates, evidence
from app.core.evidence.said_values import Gap, Said, difference, matches_from, said_of
from app.core.session.session import MAX_IDS
from app.core.session.stored_opinions import damaged
from app.services.catalogues.answer import Answer, State
from app.services.catalogues.dust import reddening, without_dust

GAIA, DUST = "gaia", "dust"
STORED = (State.FOUND, State.NOTHING, State.FAILED)


@dataclass(frozen=True, kw_only=True)
class WeighedClaim:
    """A claim and what it contributes: a number, or a gap, or nothing although there is a value."""

    claim: CatalogueEvidence
    log_odds: float | None = None  # None: not weighed.
    gap: Gap | None = None
    said: Said | None = None
    said_without_dust: Said | None = None
    """The same of a star behind all the dust of the map; the truth lies between the two."""
    limit: float | None = None
    is_repeat: bool = False  # whether a heavier claim of its group counts in its place

    @property
    def is_found(self) -> bool:
        """Whether the claim holds."""
        if self.said is None:
            return False
        if isinstance(self.said.value, str):
            return self.claim.log_odds_of(self.said.value) == self.claim.weight_for
        return self.limit is not None and self.claim.excess(self.said.value, self.limit) > 0.0

    @property
    def template(self) -> str:
        return self.claim.text_found if self.is_found else self.claim.text_absent

    @property
    def short(self) -> str:
        """For a table: `luminosity +1.52`, `named_so not asked`."""
        if self.gap is not None:
            return f"{self.claim.id} {self.gap.replace('_', ' ')}"
        if self.log_odds is None:
            return f"{self.claim.id} undecided"
        if self.is_repeat:
            return f"{self.claim.id} repeats another"
        return f"{self.claim.id} {self.log_odds:+.2f}"


@dataclass(frozen=True, kw_only=True)
class Weighed:
    claims: tuple[WeighedClaim, ...] = ()

    @property
    def log_odds(self) -> float | None:
        """The sum in nats; None where nothing could be weighed."""
        counting = (each.log_odds for each in self.claims if not each.is_repeat)
        counted = [log_odds for log_odds in counting if log_odds is not None]
        return math.fsum(counted) if counted else None


def weigh(task: Task, answers: Mapping[str, Answer]) -> Weighed:
    """Apply the rules of the task to the answers about one candidate, by service."""
    claims = [_weighed(claim, answers) for claim in task.catalogue]
    dust, gaia = reddening(answers.get(DUST)), answers.get(GAIA)
    if dust is not None and gaia is not None:
        matches = (replace(e, values=without_dust(e.values, dust)) for e in gaia.matches)
        freed = {**answers, GAIA: replace(gaia, matches=tuple(matches))}
        claims = [_least(claim, _weighed(claim.claim, freed)) for claim in claims]
    counting = [number for number, each in enumerate(claims) if each.log_odds is not None]
    groups = [(claims[n].claim.group, claims[n].log_odds or 0.0) for n in counting]
    for number, counts in zip(counting, heaviest_of_groups(groups), strict=True):
        if not counts:
            claims[number] = replace(claims[number], is_repeat=True)
    return Weighed(claims=tuple(claims))


def _least(seen: WeighedClaim, freed: WeighedClaim) -> WeighedClaim:
    """What a claim weighs with and without the dust alike: the star may lie before some of it."""
    if seen.said == freed.said and seen.limit == freed.limit:
        return seen
    made = replace(seen, said_without_dust=freed.said)
    if seen.log_odds is None or freed.log_odds is None:
        return replace(made, log_odds=None, gap=seen.gap or freed.gap)
    both = seen.log_odds, freed.log_odds
    return replace(made, log_odds=min(both, key=abs) if both[0] * both[1] > 0.0 else 0.0)


def _weighed(claim: CatalogueEvidence, answers: Mapping[str, Answer]) -> WeighedClaim:
    found = said_of(answers, claim.value[0])
    if len(claim.value) == 2:
        found = difference(found, said_of(answers, claim.value[1]))
    if isinstance(found, Gap):
        return WeighedClaim(claim=claim, gap=found)
    if claim.is_about_text and isinstance(found.value, str):
        return WeighedClaim(claim=claim, said=found, log_odds=claim.log_odds_of(found.value))
    if claim.is_about_text or isinstance(found.value, str):
        return WeighedClaim(claim=claim, gap=Gap.NO_VALUE)
    other = said_of(answers, claim.against) if claim.against else None
    if isinstance(other, Gap):
        return WeighedClaim(claim=claim, gap=other)
    at = None if other is None or isinstance(other.value, str) else float(other.value)
    limit = claim.limit(at)
    made = WeighedClaim(claim=claim, said=found, limit=limit)
    if limit is None:
        return made
    log_odds = claim.log_odds(found.value, limit, found.error)
    if found.is_faintest:
        # It may be any brighter, which decides only where all that is brighter agrees.
        is_beyond = claim.excess(found.value, limit) > 0.0
        if (claim.expect == "below") != is_beyond:
            return replace(made, gap=Gap.POOR_PARALLAX)
        log_odds = max(log_odds, 0.0) if is_beyond else min(log_odds, 0.0)
    return replace(made, log_odds=log_odds)


# Keeps with each candidate what its catalogue evidence weighs, and the p(YES) with it.
def is_weighed(task: Task, service: str) -> bool:
    """Whether a claim of the task needs this service."""
    return service in _needed(task)


def _needed(task: Task) -> set[str]:
    services = {name for claim in task.catalogue for name in claim.services}
    return services | {DUST} if GAIA in services else services


def update_combined(connection: Connection, task: Task, ids: Collection[int]) -> None:
    """Weigh the newest answers about these candidates anew."""
    wanted = sorted(ids) if task.catalogue else []
    for start in range(0, len(wanted), MAX_IDS):
        page = wanted[start : start + MAX_IDS]
        # Nobody else may inspect them meanwhile, as on a server p(YES) would be an older one.
        query = select(candidates.c.id, candidates.c.agent_p_yes).where(candidates.c.id.in_(page))
        query = query.order_by(candidates.c.id).with_for_update(key_share=True)
        rows = connection.execute(query).all()
        answers = answers_about(connection, task, page)
        values = []
        for row in rows:
            odds = weigh(task, answers.get(row.id, {})).log_odds
            p_yes = row.agent_p_yes if isinstance(row.agent_p_yes, float | int) else None
            values.append({"number": row.id, "odds": odds, "combined": combined_p(p_yes, odds)})
        if values:
            each = update(candidates).where(candidates.c.id == bindparam("number"))
            news = each.values(
                catalogue_log_odds=bindparam("odds"), p_combined=bindparam("combined")
            )
            connection.execute(news, values)


def answers_about(
    connection: Connection, task: Task, ids: Sequence[int]
) -> dict[int, dict[str, Answer]]:
    """The newest answers of the services that the task's claims need."""
    services = _needed(task)
    names = ("candidate_id", "service", "state", "matches", "reason")
    query = select(*(evidence.c[name] for name in names)).where(
        *(evidence.c.candidate_id.in_(list(ids)), evidence.c.service.in_(services)),
        evidence.c.is_newest,
    )
    found: dict[int, dict[str, Answer]] = {}
    for row in connection.execute(query):
        if row.state not in STORED:
            raise damaged(f"the evidence about candidate {row.candidate_id}")
        answer = Answer(
            state=State(row.state), matches=matches_from(row.matches), reason=str(row.reason)
        )
        found.setdefault(row.candidate_id, {})[row.service] = answer
    return found
