"""Turns of a form, for every engine."""

from agent.engines.base import Conversation, SamplingSettings
from agent.inspection.offered_looks import OfferedLook
from agent.protocol.reply import parse_reply
from agent.protocol.turn_form import TurnForm

LOOK = OfferedLook((6400, 6800), "Hα and He I 6678")


def check_forms(conversation: Conversation) -> None:
    """Nearly uniform chance still gives a turn that can be carried out."""
    start = conversation.mark()
    for seed, looks in enumerate([(LOOK.text,), (LOOK.text,), ()]):
        conversation.rewind(start)
        form = TurnForm(looks)
        wild = SamplingSettings(temperature=4.0, max_new_tokens=form.most_tokens)
        generated = conversation.generate(wild, seed, stop=form.stop, form=form)
        reply = parse_reply(generated.text)
        assert generated.finish == "stop" and generated.text.endswith(form.stop), generated.text
        assert reply.kind in (("call", "answer") if looks else ("answer",))
        assert reply.kind == "answer" or reply.arguments == LOOK.arguments
