"""The server of vllm_profile on a bad day: `python -m tests.bench.vllm_mischief` prints its port.

Of the conversations, one in so many is hung up on in the middle of a turn, is answered twice, is
told that there is too much to do, or waits for an answer that never comes.
"""

from __future__ import annotations

import asyncio
import zlib
from collections import Counter

from tests.bench import vllm_profile

HANGS_UP, TWICE, BUSY, NEVER = 41, 43, 47, 211
"""One in so many conversations."""
PATIENCE_S = 20.0
"""So long a proxy waits for the answer that never comes, before it hangs up."""
REFUSAL = b"HTTP/1.1 429 Too Many Requests\r\ncontent-length: 0\r\nretry-after: 1\r\n\r\n"


class Server(vllm_profile.Server):
    def __init__(self) -> None:
        super().__init__()
        self.fates: Counter[str] = Counter()
        self.ends: Counter[bytes] = Counter()
        """How often the last turn of each conversation was answered whole."""
        self._suffered: set[bytes] = set()

    async def _answer(self, body: bytes, writer: asyncio.StreamWriter, session: bytes) -> None:
        fate, number = zlib.crc32(session), vllm_profile.turn_number(body)
        suffers = number == fate % vllm_profile.TURNS and session not in self._suffered
        if suffers and fate % HANGS_UP == 0:
            self._note(session, "hung up in the middle")
            whole = self.replies[number][1]
            writer.write(whole[: len(whole) // 2])
            raise ConnectionResetError
        if suffers and fate % NEVER == 0:
            self._note(session, "never answered")
            await asyncio.sleep(PATIENCE_S)
            raise ConnectionResetError
        if suffers and fate % BUSY == 0:
            self._note(session, "too busy")
            writer.write(REFUSAL)
            return
        await super()._answer(body, writer, session)
        self.ends[session] += number == vllm_profile.LOOKS
        if suffers and fate % TWICE == 0:
            self._note(session, "answered twice")
            writer.write(self.replies[number][1])

    def _note(self, session: bytes, what: str) -> None:
        self._suffered.add(session)
        self.fates[what] += 1

    def _told(self, head: bytes) -> object:
        told = super()._told(head)
        if isinstance(told, dict) and "requests" in told:
            again = sum(count - 1 for count in self.ends.values() if count)
            told |= {"fates": self.fates, "ended": len(+self.ends), "ended again": again}
        return told


if __name__ == "__main__":
    asyncio.run(vllm_profile.main(Server()))
