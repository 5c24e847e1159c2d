"""Whether a session holds all that was told as kept."""

from app.core.session.session import open_session
from tests.app.core.session.recorder import CANDIDATES, line_of


def check(location, kept):
    """All that was told as kept is there, what is held follows from it, and undo goes on."""
    with open_session(location, "Ada", read_only=True) as session:
        assert kept.items() <= {entry.id: line_of(entry) for entry in session.history()}.items()
    with open_session(location, "Ada") as session:
        lines = {entry.id: line_of(entry) for entry in session.history()}
        assert kept.items() <= lines.items()
        assert list(lines) == sorted(lines)
        assert held_by(lines) == held(session)
        with session.database.reading() as connection:
            assert connection.exec_driver_sql("PRAGMA integrity_check").all() == [("ok",)]
            assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []
        before = held(session)
        if (undone := session.undo()) is not None:
            kept[undone.id] = line_of(undone)
            again = session.redo()
            kept[again.id] = line_of(again)
        assert held(session) == before


def held(session):
    found = {}
    for number in range(1, CANDIDATES + 1):
        for each in session.judgements(number):
            said = each.opinion
            found[number, each.reviewer] = [
                said.verdict, said.confidence, list(said.flags), said.comment,
            ]  # fmt: skip
    return found


def held_by(lines):
    """What a plain replay of the log leaves: two stacks for each reviewer."""
    found = {}
    done = {}
    undone = {}
    for number in sorted(lines):
        action, reviewer, candidate, opinion = lines[number]
        key = (candidate, reviewer)
        if action == "set":
            done.setdefault(reviewer, []).append((key, found.get(key), opinion))
            undone[reviewer] = []
            found[key] = opinion
        elif action == "undo":
            step = done[reviewer].pop()
            undone.setdefault(reviewer, []).append(step)
            assert step[0] == key
            if step[1] is None:
                del found[key]
            else:
                found[key] = step[1]
                assert opinion == step[1]
        else:
            step = undone[reviewer].pop()
            done[reviewer].append(step)
            assert (step[0], step[2]) == (key, opinion)
            found[key] = opinion
    return found
