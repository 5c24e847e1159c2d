"""Merges what services said of the candidates of another session.

Of two answers of one release the later one stands, but an answer before a failure. The replies
come with them, as the source of their values.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from agent.checked_toml import unprintable
from agent.tasks.task import Task
from app.core.database.database import insert_or_update
from app.core.database.paging import pages
from app.core.database.tables import evidence, service_replies
from app.core.evidence.said_values import matches_from
from app.core.evidence.weighing import STORED, update_combined
from app.core.session.evidence_services import unpacked
from app.core.session.stored_opinions import damaged, have_type
from app.core.sharing.log_merge import is_timestamp
from app.core.sharing.matching import IdMap
from app.services.catalogues.answer import State
from app.services.catalogues.service import NAME
from app.services.catalogues.sky_picture import stored_picture
from app.services.web.errors import BadReply

ANSWERS_AT_ONCE = 200
MAX_WORD, MAX_REASON = 300, 2000
MAX_QUESTION, MAX_PACKED = 2**22, 40 * 2**20
ANSWER_KEY = ("candidate_id", "service", "release")
OF_REPLY = ("url", "question", "asked_at", "media_type", "sha256", "content")

Values = dict[str, Any]
Replies = dict[tuple[int | None, str], int]  # by their id in the other session and the service


def merge_evidence(
    target: Connection, source: Connection, ids: IdMap, task: Task
) -> Iterator[tuple[int, int]]:
    """Merge page by page; yields the number of answers in a page and of those taken along."""
    replies: Replies = {}
    key = [evidence.c[name] for name in ANSWER_KEY]
    for rows in pages(source, select(evidence), *key, at_once=ANSWERS_AT_ONCE, after=(0, "", "")):
        yield len(rows), _merge_page(target, source, rows, ids, replies, task)


def _merge_page(
    target: Connection,
    source: Connection,
    rows: Sequence[Row[Any]],
    ids: IdMap,
    replies: Replies,
    task: Task,
) -> int:
    given = [_answer(row, ids[row.candidate_id]) for row in rows]
    numbers = {each["candidate_id"] for each in given}
    query = select(evidence, service_replies.c.sha256).join(
        service_replies, service_replies.c.id == evidence.c.reply_id, isouter=True
    )
    found = target.execute(query.where(evidence.c.candidate_id.in_(numbers))).mappings()
    known: dict[tuple[int, str, str], Values] = {_answer_key(row): row for row in map(dict, found)}
    replied = service_replies.c.id.in_({each["reply_id"] for each in given} - {None})
    sent = source.execute(select(service_replies.c.id, service_replies.c.sha256).where(replied))
    hashes = {row.id: str(row.sha256) for row in sent}
    new = []
    for each in given:
        sha256 = hashes.get(each["reply_id"], "")
        mine = known.get(_answer_key(each))
        if mine is None or _rank(each, sha256) > _rank(mine, mine["sha256"] or ""):
            reply = each["reply_id"]
            known_as = reply, each["service"]
            if reply is not None and known_as not in replies:
                replies[known_as] = _copied_reply(target, source, each)
            new.append(each | {"reply_id": replies.get(known_as)})
    if new:
        statement = insert_or_update(target, evidence)
        news = {name: statement.excluded[name] for name in new[0] if name not in ANSWER_KEY}
        target.execute(
            statement.on_conflict_do_update(index_elements=list(ANSWER_KEY), set_=news), new
        )
        touched = {each["candidate_id"] for each in new}
        _mark_newest(target, touched)
        update_combined(target, task, touched)
    return len(new)


def _rank(values: Mapping[str, Any], sha256: str) -> tuple[bool, str, str, str, str]:
    """Of two answers the higher one stands: the same one in whatever order sessions are merged."""
    is_answer = values["state"] != State.FAILED
    return is_answer, values["asked_at"], sha256, values["matches"], values["reason"]


def _mark_newest(target: Connection, numbers: set[int]) -> None:
    """Of the releases of a service the one asked last is its answer."""
    columns = [evidence.c[name] for name in (*ANSWER_KEY, "asked_at")]
    rows = target.execute(select(*columns).where(evidence.c.candidate_id.in_(numbers))).all()
    newest: dict[tuple[int, str], tuple[str, str]] = {}
    for row in rows:
        key, order = (row.candidate_id, row.service), (row.asked_at, row.release)
        newest[key] = max(newest.get(key, order), order)
    here = evidence.c.candidate_id.in_(numbers)
    target.execute(update(evidence).where(here).values(is_newest=False))
    for (number, service), (_, release) in newest.items():
        one = evidence.c.candidate_id == number, evidence.c.service == service
        changed = update(evidence).where(*one, evidence.c.release == release)
        target.execute(changed.values(is_newest=True))


def _copied_reply(target: Connection, source: Connection, answer: Values) -> int:
    """The id of the same reply in the target, where it is added unless it is there."""
    query = select(*(service_replies.c[name] for name in OF_REPLY))
    here = service_replies.c.id == answer["reply_id"]
    row = source.execute(query.where(here)).one_or_none()
    if row is None:
        raise damaged("the reply of a service")
    values = dict(row._mapping)
    is_sound = (
        have_type(str, *(values[name] for name in OF_REPLY[:-1]))
        and have_type(bytes, values["content"])
        and is_timestamp(values["asked_at"])
        and len(values["question"]) <= MAX_QUESTION
        and len(values["content"]) <= MAX_PACKED
    )
    if not is_sound:
        raise damaged("the reply of a service")
    content = unpacked(values["content"], values["sha256"])
    if answer["service"] == "picture" and (said := matches_from(answer["matches"])):
        try:
            stored_picture(content, said[0].values)
        except BadReply as error:
            raise damaged("the reply of a service") from error
    same = ("sha256", "url", "asked_at", "content")
    there = select(service_replies.c.id)
    there = there.where(*(service_replies.c[name] == values[name] for name in same))
    found = target.execute(there.limit(1)).scalar()
    if found is None:
        made = insert(service_replies).values(values).returning(service_replies.c.id)
        found = target.execute(made).scalar_one()
    return int(found)


def _answer(row: Row[Any], number: int) -> Values:
    """The values for the target. Raises SessionError: a stranger's session may hold anything."""
    words = row.service, row.release, row.state, row.asked_at, row.client, row.reason
    numbers = row.ra, row.dec, row.radius_arcsec
    is_sound = (
        have_type(str, *words)
        and all(isinstance(each, float | int) and math.isfinite(each) for each in numbers)
        and isinstance(row.reply_id, int | None)
        and NAME.fullmatch(row.service) is not None
        and row.state in STORED
        and is_timestamp(row.asked_at)
        and all(_is_word(each, MAX_WORD) for each in (row.release, row.client))
        and _is_word(row.reason, MAX_REASON)
    )
    if not is_sound:
        raise damaged(f"the evidence about candidate {row.candidate_id} of the other session")
    matches_from(row.matches)
    return {**row._mapping, "candidate_id": number, "is_newest": False}


def _is_word(text: str, longest: int) -> bool:
    return len(text) <= longest and not any(map(unprintable, text))


def _answer_key(values: Mapping[str, Any]) -> tuple[int, str, str]:
    return values["candidate_id"], values["service"], values["release"]
