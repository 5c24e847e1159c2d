"""An OpenAI-compatible server on loopback whose model gives scores."""

from __future__ import annotations

from collections.abc import Sequence

from tests.agent.engines.remote.fake_server import Act, Request, Server, answered, refused, spoken

SCORES = '{"coherence": %d, "consistency": %d, "note": "%s"}'


class JudgeServer(Server):
    """Says each reply once and the last one for ever; "down" refuses."""

    def __init__(self, *replies: str) -> None:
        super().__init__([answered(200)])
        self.replies: Sequence[str] = list(replies)
        self.asked = 0

    def next_act(self, request: Request) -> Act:
        with self._lock:
            self.requests.append(request)
            if request.path.endswith("/models"):
                return answered(200, {"data": [{"id": "judge-7b"}]})
            reply = self.replies[min(self.asked, len(self.replies) - 1)]
            self.asked += 1
        return refused(400, "out of order") if reply == "down" else spoken(reply)

    @property
    def conversations(self) -> list[list[dict]]:
        return [each.body["messages"] for each in self.requests if "messages" in each.body]
