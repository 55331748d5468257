"""A session as the messages that an API of a model takes: valid, whatever was cut off or cancelled in it.

Whether a talk is valid can be seen only of all of it, so this form alone holds every message in memory.
"""

from collections.abc import AsyncIterator
from functools import partial
from typing import Final

import msgspec

from sojourn.context.talk import Line
from sojourn.context.validity import made_valid
from sojourn.desk.exporting.source import Source
from sojourn.providers.payloads import Form, payload

_PAGE: Final = 200


async def _array(source: Source, form: Form) -> AsyncIterator[str]:
    lines = []
    async for entry in source.entries():
        message = source.message(entry)
        if message is not None:
            lines.append(Line(message=message, seq=entry.seq))
    written = payload(form, "", [line.message for line in made_valid(lines)])
    messages = written.pop("messages")
    head = "".join(f" {_json(name)}: {_json(value)},\n" for name, value in written.items())
    yield "{\n" + head + ' "messages": ['
    for start in range(0, len(messages), _PAGE):
        page = ",\n".join(f"  {_json(message)}" for message in messages[start : start + _PAGE])
        yield f"{',' if start else ''}\n{page}"
    yield "\n ]\n}\n"


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


anthropic = partial(_array, form="anthropic")
"""Yields what Anthropic's Messages API takes: `system`, if there is one, and `messages`."""
openai = partial(_array, form="openai-chat")
"""Yields what OpenAI's Chat Completions API takes: `messages`."""
