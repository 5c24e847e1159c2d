"""A server with a model that looks once and answers YES, for any number of conversations."""

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from tests.agent.engines.remote.fake_server import Act, Handler, Request, Server, answered
from tests.processes import LONG_S, served

LOOK = (
    '<think>A look.</think><tool_call>\n{"name": "spectral_visualization_tool", "arguments": '
    '{"wavelength_range": [6500, 6600], "label": "Hα"}}\n</tool_call>'
)
ANSWER = "<think>It is.</think><answer>\\boxed{YES} broad Hα</answer>"


class ModelServer(Server):
    """Counts conversations by the id that they send; `faults` are played before it works."""

    def __init__(self, name: str = "m", *, faults: Sequence[Act] = (), gate: int = 0) -> None:
        super().__init__([answered(200)])
        self.name = name
        self.faults = list(faults)
        self.gate = threading.Barrier(gate) if gate else None
        """The first requests wait until there are so many at once."""
        self.at_once = self.most = 0
        self.turns: Counter[str] = Counter()
        """Turns asked for in each conversation."""

    def next_act(self, request: Request) -> Act:
        with self._lock:
            self.requests.append(request)
            if request.path.endswith("/models"):
                return answered(200, {"data": [{"id": self.name}]})
            if self.faults:
                return self.faults.pop(0)
            self.turns[request.headers["x-session-id"]] += 1
            self.at_once += 1
            self.most = max(self.most, self.at_once)
        said = [each for each in request.body["messages"] if each["role"] == "assistant"]
        text = ANSWER if said else LOOK

        def act(handler: Handler) -> None:
            try:
                gate = self.gate
                if gate is not None:
                    gate.wait(LONG_S)
                    self.gate = None
            finally:
                with self._lock:
                    self.at_once -= 1
            message = {"role": "assistant", "content": text}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            answered(200, {"choices": [choice]})(handler)

        return act


@contextmanager
def serving_models(*servers: ModelServer) -> Iterator[str]:
    """Serve them and yield `URL[,URL...]`."""
    with ExitStack() as stack:
        for server in servers:
            stack.enter_context(served(server))
        yield ",".join(server.url for server in servers)
