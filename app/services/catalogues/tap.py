"""Asks a TAP service about many positions in one query, by an upload of them."""

from collections.abc import Sequence

from agent.web.body import never
from app.services.catalogues.answer import Answer, Exchange, Match, answer_of, now
from app.services.catalogues.position import ARCSEC_PER_DEG, Position, separation_arcsec
from app.services.catalogues.service import Service, ServiceColumn
from app.services.catalogues.votable_reply import positions_table, rows_of
from app.services.catalogues.zero_point import TABLE, zero_point
from app.services.web.client import Request, WebClient
from app.services.web.errors import BadReply, ShouldStop, TooMany

MAX_POSITIONS = 1000
MATCHES_EACH = 50
SPARE_MATCHES = 450  # further rows in one answer, as a candidate may lie in a crowded field
MARGIN_ARCSEC = 10.0  # how much farther is searched where the catalogue knows proper motions
OWN = {"number": "n_", "ra": "ra_", "dec": "dec_", "pm_ra": "pmra_", "pm_dec": "pmdec_"}


def match_positions(
    service: Service,
    client: WebClient,
    positions: Sequence[Position],
    should_stop: ShouldStop = never,
    most: int | None = None,
) -> tuple[list[Answer], Exchange]:
    """The answer for each position. Raises ServiceError where there is none, or Stopped.

    `most` rows are taken at most, usually so many for each position.
    """
    if len(positions) > MAX_POSITIONS:
        raise ValueError(f"{len(positions)} positions in one question; at most {MAX_POSITIONS}")
    moved = [position.at(service.epoch) for position in positions]
    most = most or MATCHES_EACH * len(positions) + SPARE_MATCHES
    asked_at, question = now(), query(service)
    table = positions_table([(each.ra, each.dec) for each in moved])
    reply = client.ask(tap_request(service, question, most, table), should_stop)
    exchange = Exchange(
        url=reply.url,
        asked_at=asked_at,
        content=reply.content,
        media_type=reply.media_type,
        question=question,
    )
    return read_answers(service, positions, reply.content, most), exchange


def tap_request(service: Service, adql: str, most: int, asked: bytes = b"") -> Request:
    """A question in ADQL; `asked` is a table that it may call TAP_UPLOAD.asked."""
    form = {"REQUEST": "doQuery", "LANG": "ADQL", "FORMAT": "votable", "MAXREC": str(most)}
    upload = {"UPLOAD": "asked,param:asked_file"} if asked else {}
    return Request(
        url=f"{service.url.rstrip('/')}/sync",
        form={**form, "QUERY": adql, **upload},
        files={"asked_file": ("asked.vot", asked, "application/x-votable+xml")} if asked else None,
        total_s=service.timeout_s,
        per_second=service.per_second,
    )


def query(service: Service) -> str:
    """The question in ADQL: each position's neighbours, with the columns under our names."""
    columns = {OWN["ra"]: service.ra, OWN["dec"]: service.dec}
    if service.pm_ra:
        columns |= {OWN["pm_ra"]: service.pm_ra, OWN["pm_dec"]: service.pm_dec}
    for each in service.columns:
        columns[each.name] = each.column
        columns |= _besides(each)
    selected = ", ".join(f'c.{_quoted(column)} AS "{name}"' for name, column in columns.items())
    radius = service.radius_arcsec + (MARGIN_ARCSEC if service.pm_ra else 0.0)
    return (
        f'SELECT a.n AS "{OWN["number"]}", {selected} FROM {service.table} AS c '
        "JOIN TAP_UPLOAD.asked AS a ON 1=CONTAINS("
        f"POINT('ICRS', c.{_quoted(service.ra)}, c.{_quoted(service.dec)}), "
        f"CIRCLE('ICRS', a.ra, a.dec, {radius / ARCSEC_PER_DEG:.7f}))"
    )


def read_answers(
    service: Service, positions: Sequence[Position], content: bytes, most: int
) -> list[Answer]:
    """The answer for each position in what the service sent. Raises BadReply."""
    moved = [position.at(service.epoch) for position in positions]
    names = [each.name for each in service.columns]
    names += [name for each in service.columns for name in _besides(each)]
    own = [OWN["number"], OWN["ra"], OWN["dec"]]
    own += [OWN["pm_ra"], OWN["pm_dec"]] if service.pm_ra else []
    found: list[list[Match]] = [[] for _ in positions]
    for count, row in enumerate(rows_of(content, [*own, *names]), 1):
        if count >= most:
            raise TooMany("more rows than were asked for: some may be missing")
        number, ra, dec = (row[name] for name in own[:3])
        if not isinstance(number, int) or not 0 <= number < len(positions):
            raise BadReply("the answer is about positions that were not asked")
        if not isinstance(ra, float | int) or not isinstance(dec, float | int):
            raise BadReply("the answer has an object without a position")
        at, epoch = moved[number], positions[number].epoch
        motion = (row.get(OWN[name]) for name in ("pm_ra", "pm_dec"))
        pm_ra, pm_dec = (float(x) if isinstance(x, float | int) else 0.0 for x in motion)
        try:
            there = Position(ra=ra, dec=dec, epoch=service.epoch, pm_ra=pm_ra, pm_dec=pm_dec)
        except ValueError as error:
            raise BadReply("the answer has an object beside the sky") from error
        if service.pm_ra and epoch is not None:
            # The catalogue knows how its object moves; where the candidate was seen is known.
            at, there = positions[number], there.at(epoch)
        apart = separation_arcsec(at, there)
        if apart <= service.radius_arcsec:
            values = {name: row[name] for name in names}
            for each in service.columns:
                # Another quantity in the same column, such as an amplitude for a magnitude.
                if each.flag and bool(values.pop(f"{each.name}_flag")) is not each.is_flagged:
                    values[each.name] = None
            if service.table == TABLE and (zero := zero_point(values)) is not None:
                values["zero_point"] = round(zero, 4)
            found[number].append(Match(values=values, separation_arcsec=round(apart, 4)))
    return [answer_of(matches) for matches in found]


def _besides(column: ServiceColumn) -> dict[str, str]:
    """The catalogue's columns that say more about this one, by our names of them."""
    more = {"error": column.error, "limit": column.limit, "band": column.band, "flag": column.flag}
    return {f"{column.name}_{word}": there for word, there in more.items() if there}


def _quoted(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'
